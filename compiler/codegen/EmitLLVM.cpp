#include "compiler/codegen/EmitLLVM.h"

#include "compiler/codegen/BrainFloatsAsIntegers.h"
#include "compiler/codegen/HoistInvariantDivisions.h"
#include "compiler/pipeline/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

namespace tilewright::compiler {

std::unique_ptr<llvm::TargetMachine> createTargetMachine(const CpuTarget &target, std::string &error) {
  llvm::Triple triple(target.triple);
  const llvm::Target *llvmTarget = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!llvmTarget)
    return nullptr;
  llvm::TargetOptions options;
  // `a * b + c` may round once (language §3.2); only operations marked `contract` are fused.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(llvmTarget->createTargetMachine(
      triple, target.processor, target.features, options, llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// MLIR says of the address of a memref's element that no sum or product in it wraps as an unsigned number. A view's strides
/// may be negative, and what is then said is false.
static void allowNegativeStrides(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    if (auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
      address->setNoWrapFlags(address->getNoWrapFlags().withoutNoUnsignedWrap());
    else if (llvm::isa<llvm::OverflowingBinaryOperator>(instruction))
      instruction.setHasNoUnsignedWrap(false);
  }
}

std::unique_ptr<llvm::Module> translateToLLVM(mlir::ModuleOp module, llvm::LLVMContext &context, const CpuTarget &target,
                                              llvm::TargetMachine &machine) {
  mlir::registerBuiltinDialectTranslation(*module.getContext());
  mlir::registerLLVMDialectTranslation(*module.getContext());
  std::unique_ptr<llvm::Module> result = mlir::translateModuleToLLVMIR(module, context, "kernel");
  if (!result)
    return nullptr;
  result->setTargetTriple(machine.getTargetTriple());
  result->setDataLayout(machine.createDataLayout()); // before any pass
  for (llvm::Function &function : *result) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.processor);
    if (!target.features.empty())
      function.addFnAttr("target-features", target.features);
    // Some processors are described as preferring 256 bits for old reasons of clock; a tile kernel is all vectors.
    function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
    function.addFnAttr("min-legal-vector-width", std::to_string(target.vectorBits));
    function.setDoesNotThrow();
    allowNegativeStrides(function);
  }
  return result;
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine, bool vectorize) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = vectorize;
  tuning.SLPVectorization = false; // nests are vectorized along their innermost loop; straight-line code is address arithmetic
  tuning.LoopInterleaving = vectorize;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) { passes.addPass(HoistInvariantDivisions()); });
  builder.registerPipelineStartEPCallback([](llvm::ModulePassManager &passes, llvm::OptimizationLevel) {
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(BrainFloatsAsIntegers()));
  });
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

} // namespace tilewright::compiler
