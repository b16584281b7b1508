// A strip is a piece of an output's row that was computed in the cache; here it is copied to memory.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

struct Strip {
  mlir::Value elements; ///< memref<…xT>, of which the first `count` (an index) are valid
  mlir::Value count;
  mlir::Value output;                     ///< a memref whose last dimension has stride 1
  llvm::SmallVector<mlir::Value> indices; ///< where in `output` the strip begins
  mlir::Value isLarge;                    ///< an i1: bypass the caches
};

/// The number of elements between the last line boundary (a multiple of 64 bytes) and an element of `memory`, an index.
mlir::Value emitElementsSinceLine(mlir::ImplicitLocOpBuilder &builder, mlir::Value memory, mlir::ValueRange indices);

void emitStripStore(mlir::ImplicitLocOpBuilder &builder, const Strip &strip);

} // namespace tilewright
