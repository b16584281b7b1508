#include "compiler/codegen/HoistInvariantDivisions.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"

namespace tilewright::compiler {

static bool isDivisionThatCannotTrap(const llvm::Instruction &instruction, const llvm::SimplifyQuery &query) {
  // Signed ones also trap at the least number by -1.
  bool isUnsigned = instruction.getOpcode() == llvm::Instruction::UDiv || instruction.getOpcode() == llvm::Instruction::URem;
  return isUnsigned && llvm::isKnownNonZero(instruction.getOperand(1), query);
}

llvm::PreservedAnalyses HoistInvariantDivisions::run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  llvm::SimplifyQuery query(function.getDataLayout(), &analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                            &analyses.getResult<llvm::AssumptionAnalysis>(function));
  bool changed = false;
  for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->getLoopPreheader())
      continue;
    for (llvm::BasicBlock *block : loop->blocks())
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(*block))
        if (isDivisionThatCannotTrap(instruction, query) && loop->hasLoopInvariantOperands(&instruction)) {
          instruction.moveBefore(loop->getLoopPreheader()->getTerminator()->getIterator());
          instruction.dropPoisonGeneratingFlags();
          changed = true;
        }
  }
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace tilewright::compiler
