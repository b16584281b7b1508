// The layouts that people and tensor cores use, as DistributedLayouts.
//
// Each function returns nothing, and says why, where the tile's power-of-two part does not hold the lanes, warps or fragment
// that are asked for. Registers are in the order in which an instruction wants them, then those of further instructions along
// the last dimension, then along the first.
//
// `warps` counts warps along each dimension; warp numbers run along dimension 0 first. Where a fragment does not depend on a
// dimension of the product (the A operand on its columns), the warps along that dimension hold the same.
#pragma once

#include "dialects/Layout/DistributedLayout.h"

namespace tilewright::layout {

/// Contiguous blocks: a thread holds elementsPerThread, lanes stand side by side as lanesPerDimension, warps around them; what
/// is left of the tile is further registers, and what they reach beyond it is held again. order: dimensions, the fastest first
/// (a lane's neighbour differs in it). All counts are powers of two; lanesPerDimension multiply to 32.
///
/// In each dimension, for a tile of 2^a there: x = (e + E·(l + L·(w + W·n))) mod 2^a, with e < E, l < L, w < W and n the
/// further registers.
struct Blocked {
  std::vector<int64_t> elementsPerThread, lanesPerDimension, warpsPerDimension;
  std::vector<unsigned> order;
};
std::optional<DistributedLayout> blockedLayout(const std::vector<int64_t> &shape, const Blocked &blocked,
                                               std::string *why = nullptr);

/// Warps along the two dimensions of a product's result.
struct WarpGrid {
  int64_t rows = 1, columns = 1;
};

/// C and D of mma.m16n8 (any k): a tile of rows × columns. Lane l holds rows l/4 and l/4 + 8, columns 2·(l mod 4) + {0, 1}.
std::optional<DistributedLayout> mmaAccumulatorLayout(int64_t rows, int64_t columns, WarpGrid warps,
                                                      std::string *why = nullptr);

/// A of mma.m16n8: a tile of rows × depth, elements of 8, 16 or 32 bits, p = 32/bits of them in a register. Lane l holds rows
/// l/4 and l/4 + 8, places p·(l mod 4) + {0 … p-1} and the same + 4p; an instruction takes a depth of 8p.
std::optional<DistributedLayout> dotOperandALayout(int64_t rows, int64_t depth, unsigned elementBits, WarpGrid warps,
                                                   std::string *why = nullptr);

/// B of mma.m16n8: a tile of depth × columns. Lane l holds column l/4, places as in A.
std::optional<DistributedLayout> dotOperandBLayout(int64_t depth, int64_t columns, unsigned elementBits, WarpGrid warps,
                                                   std::string *why = nullptr);

/// The accumulator of wgmma.m64nN, N = columns, over the four warps of a warpgroup: warp w holds rows 16w … 16w + 15 of
/// each 64.
std::optional<DistributedLayout> wgmmaAccumulatorLayout(int64_t rows, int64_t columns, std::string *why = nullptr);

/// What ldmatrix.x4 leaves of 16-bit elements, a tile of rows × columns: matrices of 8 × 8, first along the rows (which is the
/// order of the A operand). Lane l holds row l/4, columns 2·(l mod 4) + {0, 1} of each; transposed (.trans), column l/4 and
/// rows 2·(l mod 4) + {0, 1}.
std::optional<DistributedLayout> ldmatrixLayout(int64_t rows, int64_t columns, bool transposed, WarpGrid warps,
                                                std::string *why = nullptr);

/// Where lane l points its ldmatrix.x4: the first element of a row of 8 in a tile of 16 × 16.
struct MatrixRow {
  int64_t row, column;
};
MatrixRow ldmatrixRowOfLane(int64_t lane);

} // namespace tilewright::layout
