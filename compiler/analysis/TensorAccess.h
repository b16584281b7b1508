// Accesses that tensor copies can make: a box of a view, at coordinates that a single thread can compute.
#pragma once

#include "compiler/analysis/LinearForm.h"

#include <string>

namespace tilewright {

struct TensorAccess {
  struct Dimension {
    int64_t number;        ///< of the view's
    LinearForm index;      ///< of the access there
    mlir::StringAttr axis; ///< of the span whose indices it takes, one after another; null: one index
    int64_t run = 0;       ///< of a pack in parts: so many indices from a multiple of it on are one distance apart; else 0
  };
  /// The fastest first: that is the view's dimension of stride 1.
  llvm::SmallVector<Dimension> dimensions;

  /// The dimension whose indices are a span's, or null.
  const Dimension *along(mlir::StringAttr axis) const;
};

/// The access as a box, or nothing, and why: indices that are not a span's plus scalars, compared or computed ones, a view without a
/// dimension of stride 1, one that is not aligned to 16 bytes, a pack in parts (`run`: what divides its last one, packRun) of too few
/// indices, or not indexed by a span alone.
std::optional<TensorAccess> tensorAccess(tile::ViewType view, mlir::ValueRange indices, llvm::ArrayRef<bool> compare, std::string &why, int64_t run = 1);

/// Whether a variable runs over the whole extent of the view's dimension, which it alone indexes: then what a box has beyond the
/// variable's end is outside of the view. `low` and `high` are the variable's range.
bool coversDimension(const TensorAccess::Dimension &dimension, tile::ViewType view, mlir::Value low, mlir::Value high);

/// Whether a variable's range ends where the view does, so that what lies beyond it is outside of the view.
bool endsWithDimension(const TensorAccess::Dimension &dimension, tile::ViewType view, mlir::Value high);

/// Whether what a box has beyond the variable's end is outside of the view, the index being the variable's plus scalars: its end is known to
/// lie at the view's, or behind it.
bool reachesEnd(const TensorAccess::Dimension &dimension, tile::ViewType view, mlir::Value high);

} // namespace tilewright
