// How long does a product take by warps with roles, and which tile is best? An estimate from the shape alone, for kernels that nobody has
// tuned.
//
// A multiprocessor is a pipeline of two servers: the tensor cores, which take one tile's steps after another, and the arithmetic units, which
// turn accumulators into results. With two groups the second works on one tile while the first works on the next; with one they
// alternate. The constants were fitted to a hand-written kernel on one H200 (13 shapes, 20 tiles; off by 10 % in absolute terms, by 2 % of
// the best in what it picks), those of small products to generated ones (17 shapes, 42 pairs of shape and tile; off by 14 %).
#pragma once

#include <cstdint>

namespace tilewright::compiler {

/// rows × columns, summed over depth, so many times; elements of 16 bits.
struct ProductShape {
  int64_t rows, columns, depth, count = 1;
  /// The tiles that the rows' operand is computed of on the way; 0: it is loaded as it is.
  int64_t computedOf = 0;
  /// The tile's columns are a multiple of it: 64 where the columns' operand has them next to one another in memory.
  int64_t columnMultiple = 16;
  /// What such an operand takes for each of its elements.
  double computedInstructions = 0;
  /// Stores drop what is outside of their views: each asks whether its tile is inside, and where.
  bool storesParts = false;
};

struct ProductTile {
  int64_t rows, columns;
  int64_t split = 1; ///< so many blocks, a cluster, have it, each a part of the summed axis
  friend bool operator==(const ProductTile &, const ProductTile &) = default;
};

/// Of the whole launch, in cycles of a multiprocessor.
double estimatedCycles(const ProductShape &shape, const ProductTile &tile, int64_t multiprocessors);

/// The tile with the lowest estimate. Extents that are not known are 0; then the tile is one that does well on most shapes. `split`: what it must have; 0: it has
/// one where that clearly pays, which is where tiles are few and sums long.
ProductTile bestTile(const ProductShape &shape, int64_t multiprocessors, int64_t split = 0);

} // namespace tilewright::compiler
