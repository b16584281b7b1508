#include "compiler/tools/tile-opt/PrintPTX.h"

#include "compiler/codegen/EmitPTX.h"
#include "compiler/pipeline/GpuTarget.h"
#include "compiler/pipeline/Pipeline.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace tilewright {

using compiler::GpuTarget;

static std::optional<GpuTarget> targetOrMessage(std::string_view name) {
  std::optional<GpuTarget> target = GpuTarget::named(name);
  if (!target)
    llvm::errs() << "tile-opt: unknown target `" << name << "`; expected one of " << GpuTarget::names() << "\n";
  return target;
}

struct GpuToLLVMOptions : mlir::PassPipelineOptions<GpuToLLVMOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("The architecture"), llvm::cl::init("sm_90a")};
};

void registerGpuToLLVM() {
  mlir::PassPipelineRegistration<GpuToLLVMOptions>("gpu-to-llvm", "The code of a GPU's threads to the LLVM dialect",
                                                   [](mlir::OpPassManager &passes, const GpuToLLVMOptions &options) {
                                                     std::optional<GpuTarget> target =
                                                         targetOrMessage(options.target.getValue());
                                                     if (!target)
                                                       std::exit(1);
                                                     compiler::addGpuToLLVMPasses(passes, *target);
                                                   });
}

int printPTX(std::string_view path, std::string_view targetName, mlir::DialectRegistry &registry) {
  std::optional<GpuTarget> target = targetOrMessage(targetName);
  if (!target)
    return 1;
  compiler::registerGpuTranslations(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(llvm::StringRef(path), sources, &context);
  if (!module)
    return 1;
  mlir::PassManager passes(&context);
  compiler::addGpuToLLVMPasses(passes, *target);
  if (mlir::failed(passes.run(*module)))
    return 1;
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> llvmModule = compiler::translateForGpu(*module, llvmContext);
  if (!llvmModule)
    return 1;
  std::string error;
  std::optional<std::string> text = compiler::emitPTX(*llvmModule, *target, error);
  if (!text) {
    llvm::errs() << "tile-opt: " << error << "\n";
    return 1;
  }
  llvm::outs() << *text;
  return 0;
}

} // namespace tilewright
