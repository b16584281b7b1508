// One phase of the lowering, and when its IR is verified.
#pragma once

#include <functional>

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace tilewright::compiler {

enum class Verification {
  AfterEachPass, ///< names the pass that made a mistake
  AtTheEnd       ///< of the phase: between its passes it took two fifths of the time that a product's last phase took
};

#ifdef NDEBUG
constexpr Verification usualVerification = Verification::AtTheEnd;
#else
constexpr Verification usualVerification = Verification::AfterEachPass;
#endif

/// False if a pass gave up, or what the phase leaves is no valid IR.
bool runPhase(mlir::ModuleOp module, const std::function<void(mlir::OpPassManager &)> &add,
              Verification verification = usualVerification);

} // namespace tilewright::compiler
