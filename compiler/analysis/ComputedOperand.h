// Operands of a product that are computed on the way to it: elementwise, of tiles that are loaded in the product's loop.
#pragma once

#include "dialects/Tile/Tile.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace tilewright {

struct ComputedOperand {
  llvm::SmallVector<tile::LoadOp> tiles;  ///< of two axes, in the loop; each once
  llvm::SmallVector<tile::LoadOp> others; ///< of one axis or none
};

/// What an operand is computed of, or nothing, and which operation stands against it, and why: all between loads and operand must be
/// elementwise, or repeat a vector, of views that are only read.
std::optional<ComputedOperand> computedOperand(mlir::Value operand, tile::ForOp loop, mlir::Location &where, std::string &why);

/// Whether an operand is a finite number wherever all that is loaded along an axis is zero: of what does not exist along it, a product with zeros
/// is zero then.
bool isFiniteOfZeros(mlir::Value operand, mlir::StringAttr axis);

} // namespace tilewright
