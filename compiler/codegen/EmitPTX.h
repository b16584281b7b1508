// From a module in the LLVM dialect to PTX.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm
namespace mlir {
class DialectRegistry;
class ModuleOp;
} // namespace mlir

namespace tilewright::compiler {

struct GpuTarget;

/// What translateForGpu must find in a context: the translations of the LLVM, NVVM and builtin dialects.
void registerGpuTranslations(mlir::DialectRegistry &registry);

/// Translates; null if the module holds something that has no translation (the context's diagnostic handler has the reason).
std::unique_ptr<llvm::Module> translateForGpu(mlir::ModuleOp module, llvm::LLVMContext &context);

/// LLVM's O2 without what a schedule has decided already (unrolling, interleaving, vectorization). False, with a reason, if the
/// module uses what the target lacks.
bool optimizeForGpu(llvm::Module &module, const GpuTarget &target, std::string &error);

/// optimizeForGpu, and then the text, or nothing (with a reason) if there is an instruction that cannot be selected for the
/// target.
std::optional<std::string> emitPTX(llvm::Module &module, const GpuTarget &target, std::string &error);

} // namespace tilewright::compiler
