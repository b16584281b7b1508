// Which stores bypass the caches, and which nests fetch what the next tile will read.
#pragma once

#include "compiler/codegen/ConvertTileToLinalgNests.h"

namespace tilewright::cpu {

/// The hints for the nest of a plain store. `innermost` is the axis along which its rows are contiguous, or null.
NestHints hintsForStore(Emitter &emitter, tile::StoreOp store, mlir::StringAttr innermost);

/// The hints for the nest that computes an expression into its buffer.
NestHints hintsForMaterialization(Emitter &emitter, mlir::Operation *expression);

} // namespace tilewright::cpu
