// Activations that are recognized as a whole. What is recognized has been replaced and erased; else nothing has changed.
#pragma once

#include "compiler/transforms/ExpandMathFormulas.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace tilewright {

/// x sigmoid(x), if that is all that is made of an approximate sigmoid of `x`.
bool expandSilu(mlir::Value sigmoid, mlir::Value x);

/// k x (1 + erf(c x)) with positive constants, if that is all that is made of an approximate erf. With k = 1/2 and c = sqrt(1/2) it is gelu.
bool expandGaussian(mlir::math::ErfOp erf);

/// gelu's slope (`gelu_slope` of the standard library), if that is all that is made of an approximate sigmoid of `argument`.
bool expandGeluSlope(mlir::Value sigmoid, mlir::Value argument);

/// Products s (1 - s) of a sigmoid s become s - s s, one instruction, with one rounding where those have two.
void expandSigmoidSlope(mlir::Value sigmoid);

/// gelu_erf's slope, as the compiler makes it, if that is all that is made of an approximate erf.
bool expandGeluErfSlope(mlir::math::ErfOp erf);

} // namespace tilewright
