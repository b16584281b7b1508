// Activations that are recognized as a whole. What is recognized has been replaced and erased; else nothing has changed.
#pragma once

#include "compiler/transforms/ExpandMathFormulas.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace tilewright {

/// x sigmoid(x), if that is all that is made of an approximate sigmoid of `x`.
bool expandSilu(mlir::Value sigmoid, mlir::Value x);

/// k x (1 + erf(c x)) with positive constants, if that is all that is made of an approximate erf. With k = 1/2 and c = sqrt(1/2) it is gelu.
bool expandGaussian(mlir::math::ErfOp erf);

} // namespace tilewright
