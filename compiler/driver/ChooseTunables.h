// The block sizes of a kernel that nobody has tuned.
#pragma once

#include "compiler/frontend/Diagnostics.h"
#include "compiler/frontend/TypedTree.h"

#include "compiler/pipeline/ScheduleModel.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace tilewright::compiler {

/// What sizes are worth on a target (ChooseTunables.cpp has the reasons).
struct TunableSizes {
  int64_t contractedElements; ///< of an axis that a dot sums, or, if not 0, …
  int64_t contractedBytes;    ///< … as many of the narrower operand's elements as these bytes hold
  int64_t dotColumns, dotRows;
  int64_t contiguous;   ///< elements along the last dimension of a view
  int64_t tileElements; ///< of other tiles
  int64_t mostElements; ///< of any tile, in kernels without products and with them
  int64_t mostElementsWithDots;
  int64_t tiles;        ///< the grid should have as many
  /// The tile of a kernel's only product, if a model of the target has an opinion: it is taken as it is.
  std::function<ProductTile(const ProductShape &)> productTile = {};

  static TunableSizes forCpu(); ///< with 1 MiB of L2 per core
  static TunableSizes forGpu();
  /// Of a GPU with so many multiprocessors whose warps have roles, and for tiles with such a split (bestTile in ScheduleModel.h).
  static TunableSizes forScheduledGpu(int64_t multiprocessors, int64_t split = 0);
};

/// A capacity for every tunable of the kernel: the value that the specialization gives, or one chosen for the target. `extents` are sizes that the launch will have, where known; capacities are not made larger than they are worth.
/// `tune … in [...]` and `require` on tunables are obeyed; if no choice obeys them, an error says which and nothing is returned.
/// No tile gets too large by a chosen size. (By given sizes and constants it may; that is checked when the kernel is specialized.)
/// `split`: over how many blocks the model splits the product's tile; 1 if the tile is not the model's.
std::optional<std::map<std::string, int64_t>> chooseTunables(const frontend::typed::Kernel &kernel,
                                                             const std::map<std::string, int64_t> &extents,
                                                             const TunableSizes &target, frontend::Diagnostics &diagnostics,
                                                             int64_t *split = nullptr);

} // namespace tilewright::compiler
