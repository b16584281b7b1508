// How two elements are combined.
#pragma once

#include "compiler/codegen/ConvertTileToLinalgEmitter.h"

namespace tilewright::cpu {

mlir::Value combine(Emitter &emitter, tile::Reduction kind, mlir::Value lhs, mlir::Value rhs);

/// What combining leaves unchanged. Of bools `and` is meant, which are stored in bytes.
mlir::Value identity(Emitter &emitter, tile::Reduction kind, mlir::Type type);

} // namespace tilewright::cpu
