#include "compiler/codegen/BrainFloatsAsIntegers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <utility>
#include <vector>

namespace tilewright::compiler {

namespace {
class Rewriter {
public:
  bool run(llvm::Function &function) {
    std::vector<llvm::Instruction *> replaced;
    for (llvm::BasicBlock *block : llvm::ReversePostOrderTraversal<llvm::Function *>(&function))
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(*block)) {
        if (!isBrainFloat(instruction.getType())) {
          if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
              store && isBrainFloat(store->getValueOperand()->getType()))
            store->setOperand(0, integerOf(store->getValueOperand(), store));
          else if (auto *cast = llvm::dyn_cast<llvm::BitCastInst>(&instruction); cast && isBrainFloat(cast->getSrcTy())) {
            llvm::IRBuilder<> builder(cast);
            cast->replaceAllUsesWith(builder.CreateBitCast(integerOf(cast->getOperand(0), cast), cast->getType()));
            replaced.push_back(cast);
          }
          continue;
        }
        if (llvm::Value *twin = twinOf(instruction)) {
          integers[&instruction] = twin;
          replaced.push_back(&instruction);
        }
      }
    // Values that come from blocks after this one.
    for (auto &[phi, twin] : phis)
      for (unsigned n = 0; n < phi->getNumIncomingValues(); ++n)
        twin->addIncoming(integerOf(phi->getIncomingValue(n), phi->getIncomingBlock(n)->getTerminator()),
                          phi->getIncomingBlock(n));
    for (llvm::Instruction *instruction : llvm::reverse(replaced)) {
      // What still uses it is none of the operations above.
      for (llvm::Use &use : llvm::make_early_inc_range(instruction->uses())) {
        auto *user = llvm::cast<llvm::Instruction>(use.getUser());
        auto *phi = llvm::dyn_cast<llvm::PHINode>(user);
        llvm::IRBuilder<> builder(phi ? phi->getIncomingBlock(use)->getTerminator() : user);
        use.set(builder.CreateBitCast(integers[instruction], instruction->getType()));
      }
      instruction->eraseFromParent();
    }
    return !replaced.empty();
  }

private:
  static bool isBrainFloat(llvm::Type *type) { return type->getScalarType()->isBFloatTy(); }
  static llvm::Type *integerType(llvm::Type *type) { return type->getWithNewType(llvm::Type::getInt16Ty(type->getContext())); }

  /// A value's bits, at an instruction that it dominates.
  llvm::Value *integerOf(llvm::Value *value, llvm::Instruction *user) {
    if (auto known = integers.find(value); known != integers.end())
      return known->second;
    return llvm::IRBuilder<>(user).CreateBitCast(value, integerType(value->getType()));
  }

  /// The same operation on integers, or null if it is none of those that only move bits.
  llvm::Value *twinOf(llvm::Instruction &instruction) {
    llvm::IRBuilder<> builder(&instruction);
    llvm::Type *type = integerType(instruction.getType());
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && load->isSimple()) {
      llvm::LoadInst *twin = builder.CreateAlignedLoad(type, load->getPointerOperand(), load->getAlign());
      twin->copyMetadata(*load);
      return twin;
    }
    if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
      return builder.CreateSelect(select->getCondition(), integerOf(select->getTrueValue(), select),
                                  integerOf(select->getFalseValue(), select));
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
      llvm::PHINode *twin = builder.CreatePHI(type, phi->getNumIncomingValues());
      phis.emplace_back(phi, twin);
      return twin;
    }
    return nullptr;
  }

  llvm::DenseMap<llvm::Value *, llvm::Value *> integers;
  std::vector<std::pair<llvm::PHINode *, llvm::PHINode *>> phis;
};
} // namespace

llvm::PreservedAnalyses BrainFloatsAsIntegers::run(llvm::Function &function, llvm::FunctionAnalysisManager &) {
  return Rewriter().run(function) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace tilewright::compiler
