// Which outputs are added to, and how often outputs are written: what the plan of sums over the grid says (compiler_c.h: partial
// sums, begin, finish).
#pragma once

#include "dialects/Tile/Tile.h"

#include <optional>

namespace tilewright {

/// An output that tiles add to, or take the maximum or minimum with.
struct Sum {
  mlir::Value view;
  tile::Reduction kind;
  mlir::Type type; ///< the accumulator
  bool isUnsigned; ///< the view's elements are
  /// The view is assigned, and the sum is how often each element was: what to report of more than once.
  std::optional<int64_t> countMessage = {};

  tile::ViewType getViewType() const { return mlir::cast<tile::ViewType>(view.getType()); }
};

/// How each accumulated view is summed.
class SumPlan {
public:
  /// Reports views that are accumulated in different ways. A view with a promise to verify gets a count.
  static mlir::FailureOr<SumPlan> create(tile::KernelOp kernel);

  llvm::SmallVector<Sum> partial; ///< by partial sums for each chunk of tiles, which finish combines
  llvm::SmallVector<Sum> direct;  ///< in place: each element belongs to one tile, or to atomic operations

  bool isPartial(mlir::Value view) const;
  /// What the artifact's metadata says: [{view, kind, dtype}].
  mlir::ArrayAttr describe(tile::KernelOp kernel) const;
};

/// max or umax, not min or umin.
bool isMaximum(tile::Reduction kind);

} // namespace tilewright
