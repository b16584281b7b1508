#include "compiler/pipeline/RunPhase.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

namespace tilewright::compiler {

bool runPhase(mlir::ModuleOp module, const std::function<void(mlir::OpPassManager &)> &add, Verification verification) {
  mlir::PassManager passes(module.getContext(), mlir::ModuleOp::getOperationName());
  passes.enableVerifier(verification == Verification::AfterEachPass);
  add(passes);
  return mlir::succeeded(passes.run(module)) && mlir::succeeded(mlir::verify(module));
}

} // namespace tilewright::compiler
