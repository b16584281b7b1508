#include "dialects/Layout/MatrixLayouts.h"

#include <bit>

namespace tilewright::layout {

namespace {

bool isPowerOfTwo(int64_t number) {
  return number > 0 && std::has_single_bit(static_cast<uint64_t>(number));
}

unsigned log2(int64_t number) {
  return static_cast<unsigned>(std::countr_zero(static_cast<uint64_t>(number)));
}

std::optional<DistributedLayout> refuse(std::string *why, std::string reason) {
  if (why)
    *why = std::move(reason);
  return std::nullopt;
}

/// Lays bits down along the dimensions, each dimension from its lowest bit up.
class BasisBuilder {
public:
  explicit BasisBuilder(const std::vector<int64_t> &shape) : shape(shape), next(shape.size(), 1) {}

  /// The next `count` powers of two of a dimension. Beyond the atom there is nothing more: registers end, lanes and warps
  /// repeat.
  void registers(unsigned dimension, unsigned count) {
    for (unsigned bit = 0; bit < count; ++bit)
      if (DistributedLayout::Basis basis = take(dimension); basis[dimension] != 0)
        bases.registers.push_back(basis);
  }
  void lanes(unsigned dimension, unsigned count) {
    for (unsigned bit = 0; bit < count; ++bit)
      bases.lanes.push_back(take(dimension));
  }
  void warps(unsigned dimension, unsigned count) {
    for (unsigned bit = 0; bit < count; ++bit)
      bases.warps.push_back(take(dimension));
  }
  /// Lanes and warps that hold what others do.
  void replicateWarps(unsigned count) {
    bases.warps.insert(bases.warps.end(), count, DistributedLayout::Basis(shape.size(), 0));
  }
  /// A register bit or so at a place of its own, before `next` comes there.
  void registerAt(unsigned dimension, int64_t step) {
    DistributedLayout::Basis basis(shape.size(), 0);
    basis[dimension] = step;
    bases.registers.push_back(basis);
  }
  void skip(unsigned dimension) { next[dimension] *= 2; }
  /// What is left of the atom, as registers.
  void rest(unsigned dimension) { registers(dimension, 63); }

  std::optional<DistributedLayout> finish(std::string *why) const { return DistributedLayout::create(shape, bases, why); }

private:
  DistributedLayout::Basis take(unsigned dimension) {
    DistributedLayout::Basis basis(shape.size(), 0);
    int64_t atom = int64_t(1) << splitExtent(shape[dimension]).bits;
    if (next[dimension] < atom) {
      basis[dimension] = next[dimension];
      next[dimension] *= 2;
    }
    return basis;
  }

  std::vector<int64_t> shape, next;
  DistributedLayout::Bases bases;
};

/// The power-of-two part of an extent must hold what the hardware puts there.
bool holds(int64_t extent, int64_t needed, const char *what, std::string *why) {
  if (extent >= 1 && isPowerOfTwo(needed) && int64_t(1) << splitExtent(extent).bits >= needed)
    return true;
  if (why)
    *why = std::to_string(extent) + " " + what + " are not a multiple of " + std::to_string(needed) +
           ", a power of two that the fragments and warps along them need";
  return false;
}

bool areCounts(WarpGrid warps, std::string *why) {
  if (isPowerOfTwo(warps.rows) && isPowerOfTwo(warps.columns))
    return true;
  if (why)
    *why = "warps along a dimension are a power of two, found " + std::to_string(warps.rows) + " x " +
           std::to_string(warps.columns);
  return false;
}

bool isElementWidth(unsigned bits, std::string *why) {
  if (bits == 8 || bits == 16 || bits == 32)
    return true;
  if (why)
    *why = "operands of mma have elements of 8, 16 or 32 bits, found " + std::to_string(bits);
  return false;
}

} // namespace

std::optional<DistributedLayout> blockedLayout(const std::vector<int64_t> &shape, const Blocked &blocked, std::string *why) {
  size_t rank = shape.size();
  if (blocked.elementsPerThread.size() != rank || blocked.lanesPerDimension.size() != rank ||
      blocked.warpsPerDimension.size() != rank || blocked.order.size() != rank)
    return refuse(why, "a blocked layout has one count of each kind for each dimension");
  int64_t lanes = 1;
  uint64_t named = 0;
  for (size_t dimension = 0; dimension < rank; ++dimension) {
    if (shape[dimension] < 1 || blocked.order[dimension] >= rank)
      return refuse(why, "the order names the dimensions, and extents are positive");
    named |= uint64_t(1) << blocked.order[dimension];
    for (int64_t count :
         {blocked.elementsPerThread[dimension], blocked.lanesPerDimension[dimension], blocked.warpsPerDimension[dimension]})
      if (!isPowerOfTwo(count))
        return refuse(why, "counts of a blocked layout are powers of two, found " + std::to_string(count));
    lanes *= blocked.lanesPerDimension[dimension];
  }
  if (named != (uint64_t(1) << rank) - 1)
    return refuse(why, "the order names each dimension once");
  if (lanes != lanesOfWarp)
    return refuse(why, "a warp has 32 lanes, found " + std::to_string(lanes));

  BasisBuilder builder(shape);
  for (unsigned dimension : blocked.order)
    builder.registers(dimension, log2(blocked.elementsPerThread[dimension]));
  for (unsigned dimension : blocked.order)
    builder.lanes(dimension, log2(blocked.lanesPerDimension[dimension]));
  for (unsigned dimension = 0; dimension < rank; ++dimension)
    builder.warps(dimension, log2(blocked.warpsPerDimension[dimension]));
  for (unsigned dimension : blocked.order)
    builder.rest(dimension);
  return builder.finish(why);
}

std::optional<DistributedLayout> mmaAccumulatorLayout(int64_t rows, int64_t columns, WarpGrid warps, std::string *why) {
  if (!areCounts(warps, why) || !holds(rows, 16 * warps.rows, "rows", why) ||
      !holds(columns, 8 * warps.columns, "columns", why))
    return std::nullopt;
  BasisBuilder builder({rows, columns});
  builder.registers(1, 1);
  builder.registerAt(0, 8);
  builder.lanes(1, 2);
  builder.lanes(0, 3);
  builder.skip(0); // the 8 of the register
  builder.warps(0, log2(warps.rows));
  builder.warps(1, log2(warps.columns));
  builder.rest(1);
  builder.rest(0);
  return builder.finish(why);
}

std::optional<DistributedLayout> dotOperandALayout(int64_t rows, int64_t depth, unsigned elementBits, WarpGrid warps,
                                                   std::string *why) {
  if (!isElementWidth(elementBits, why) || !areCounts(warps, why))
    return std::nullopt;
  int64_t packed = 32 / elementBits;
  if (!holds(rows, 16 * warps.rows, "rows", why) || !holds(depth, 8 * packed, "places of depth", why))
    return std::nullopt;
  BasisBuilder builder({rows, depth});
  builder.registers(1, log2(packed));
  builder.registerAt(0, 8);
  builder.registerAt(1, 4 * packed);
  builder.lanes(1, 2);
  builder.lanes(0, 3);
  builder.skip(0);
  builder.skip(1);
  builder.warps(0, log2(warps.rows));
  builder.replicateWarps(log2(warps.columns));
  builder.rest(1);
  builder.rest(0);
  return builder.finish(why);
}

std::optional<DistributedLayout> dotOperandBLayout(int64_t depth, int64_t columns, unsigned elementBits, WarpGrid warps,
                                                   std::string *why) {
  if (!isElementWidth(elementBits, why) || !areCounts(warps, why))
    return std::nullopt;
  int64_t packed = 32 / elementBits;
  if (!holds(depth, 8 * packed, "places of depth", why) || !holds(columns, 8 * warps.columns, "columns", why))
    return std::nullopt;
  BasisBuilder builder({depth, columns});
  builder.registers(0, log2(packed));
  builder.registerAt(0, 4 * packed);
  builder.lanes(0, 2);
  builder.lanes(1, 3);
  builder.skip(0);
  builder.replicateWarps(log2(warps.rows));
  builder.warps(1, log2(warps.columns));
  builder.rest(1);
  builder.rest(0);
  return builder.finish(why);
}

std::optional<DistributedLayout> wgmmaAccumulatorLayout(int64_t rows, int64_t columns, std::string *why) {
  // Each 64 rows are what mma's accumulator is over four warps: so are m64's fragments defined.
  return mmaAccumulatorLayout(rows, columns, {4, 1}, why);
}

std::optional<DistributedLayout> ldmatrixLayout(int64_t rows, int64_t columns, bool transposed, WarpGrid warps,
                                                std::string *why) {
  if (!areCounts(warps, why) || !holds(rows, 16 * warps.rows, "rows", why) ||
      !holds(columns, 16 * warps.columns, "columns", why))
    return std::nullopt;
  unsigned pairs = transposed ? 0 : 1, others = 1 - pairs; // which dimension a thread's two neighbours lie along
  BasisBuilder builder({rows, columns});
  builder.registers(pairs, 1);
  builder.registerAt(0, 8);
  builder.registerAt(1, 8);
  builder.lanes(pairs, 2);
  builder.lanes(others, 3);
  builder.skip(0);
  builder.skip(1);
  builder.warps(0, log2(warps.rows));
  builder.warps(1, log2(warps.columns));
  builder.rest(1);
  builder.rest(0);
  return builder.finish(why);
}

MatrixRow ldmatrixRowOfLane(int64_t lane) {
  // Lanes 8m … 8m + 7 give the rows of matrix m; matrices go down the rows first.
  int64_t matrix = lane / 8;
  return {lane % 8 + 8 * (matrix % 2), 8 * (matrix / 2)};
}

} // namespace tilewright::layout
