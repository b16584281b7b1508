// From a module in the LLVM dialect to optimized LLVM IR for a CPU.
#pragma once

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm
namespace mlir {
class ModuleOp;
} // namespace mlir

namespace tilewright::compiler {

struct CpuTarget;

/// The machine that objects are made for; null (with a reason) if LLVM has none.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const CpuTarget &target, std::string &error);

/// Translates; null if the module holds something that has no translation (the context's diagnostic handler has the reason).
std::unique_ptr<llvm::Module> translateToLLVM(mlir::ModuleOp module, llvm::LLVMContext &context, const CpuTarget &target,
                                              llvm::TargetMachine &machine);

/// LLVM's O3. `vectorize` off: loops keep their order and width (the reference schedule).
void optimize(llvm::Module &module, llvm::TargetMachine &machine, bool vectorize);

} // namespace tilewright::compiler
