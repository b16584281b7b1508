// How two elements are combined.
#pragma once

#include "compiler/codegen/ConvertTileToLinalgEmitter.h"

namespace tilewright::cpu {

mlir::Value combine(Emitter &emitter, tile::Reduction kind, mlir::Value lhs, mlir::Value rhs);

/// What combining leaves unchanged. `limits`, if given, is the narrower type whose least and greatest values serve for max and
/// min.
mlir::Value identity(Emitter &emitter, tile::Reduction kind, mlir::Type type);

} // namespace tilewright::cpu
