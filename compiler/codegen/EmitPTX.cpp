// PTX must run as the schedule has it. Three things that LLVM does on CPUs would break it:
//
//  - An instruction that a whole warp executes together (mma.sync, wgmma, barriers) must not be copied into both arms of a
//  branch.
//    Intrinsics of barriers say so; calls of inline assembly and of mma intrinsics do not, so they are marked *convergent*
//    here.
//  - Passes ask the target machine which values differ between threads; so it is there from the first pass on, and so is the
//  data
//    layout.
//  - Loops were unrolled and widened where that pays; doing it again costs registers.

#include "compiler/codegen/EmitPTX.h"

#include "compiler/codegen/PTXRequirements.h"
#include "compiler/pipeline/GpuTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

namespace tilewright::compiler {

void registerGpuTranslations(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
}

std::unique_ptr<llvm::Module> translateForGpu(mlir::ModuleOp module, llvm::LLVMContext &context) {
  mlir::DialectRegistry registry;
  registerGpuTranslations(registry);
  module.getContext()->appendDialectRegistry(registry);
  return mlir::translateModuleToLLVMIR(module, context, "kernel");
}

namespace {

/// Addresses of shared memory are 32 bits wide: half the instructions of their arithmetic. LLVM has no other way to ask for it than
/// this option of its command line, which only NVPTX's target machines read.
void useShortPointers() {
  auto &options = llvm::cl::getRegisteredOptions();
  auto option = options.find("nvptx-short-ptr");
  if (option != options.end())
    static_cast<llvm::cl::opt<bool> *>(option->second)->setValue(true);
}

std::unique_ptr<llvm::TargetMachine> createMachine(const llvm::Module &module, const GpuTarget &target, std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    useShortPointers();
  });
  std::optional<unsigned> version = requiredPTXVersion(module, target, error);
  if (!version)
    return nullptr;
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *llvmTarget = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!llvmTarget)
    return nullptr;
  llvm::TargetOptions options;
  // `a * b + c` may round once (language §3.2); only operations marked `contract` are fused.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(
      llvmTarget->createTargetMachine(triple, target.name, "+ptx" + std::to_string(*version), options, std::nullopt,
                                      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

bool isExecutedTogether(const llvm::CallBase &call) {
  if (const auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    return assembly->hasSideEffects();
  const llvm::Function *callee = call.getCalledFunction();
  return callee && callee->getName().starts_with("llvm.nvvm.mma.");
}

void markConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && isExecutedTogether(*call))
        call->setConvergent();
}

void runPasses(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = tuning.LoopInterleaving = tuning.LoopVectorization = tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.setDoesNotThrow();
  markConvergent(module);
  runPasses(module, machine);
}

} // namespace

bool optimizeForGpu(llvm::Module &module, const GpuTarget &target, std::string &error) {
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(module, target, error);
  if (machine)
    optimize(module, *machine);
  return machine != nullptr;
}

std::optional<std::string> emitPTX(llvm::Module &module, const GpuTarget &target, std::string &error) {
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(module, target, error);
  // Before the passes, which remove what is unused, and after them: what they make of it must be selectable too.
  if (!machine || !isSelectable(module, error))
    return std::nullopt;
  optimize(module, *machine);
  if (!isSelectable(module, error))
    return std::nullopt;
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
    error = "LLVM's NVPTX target cannot emit text";
    return std::nullopt;
  }
  passes.run(module);
  return text.str().str();
}

} // namespace tilewright::compiler
