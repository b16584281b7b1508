// Distributed layouts: which element of a tile does (register r, lane l, warp w) hold?
//
// The problem. A tile of 64 × 192 accumulators lies in the registers of 128 threads as the tensor core put it there. The next
// operation wants it otherwise: as the operand of another product, in 16-byte pieces for a store, reduced along its rows. To
// move it well one must answer: where is element (i, j)? Do both layouts agree? If not, is renaming registers enough, or
// shuffles within a warp, or must it go through shared memory, and will the banks of that collide? Formulas for each pair of
// layouts do not scale; one representation in which all of them are the same few lines of algebra does.
//
// The idea. Number registers, lanes and warps in binary. In every layout that hardware or people have made, each *bit* of these
// numbers adds, by exclusive or, a fixed amount to each coordinate, independently of the other bits. Here is the accumulator of
// mma.m16n8, in which a thread holds four elements of a tile of 16 × 8:
//
//          columns  0   1   2   3   4   5   6   7             bit          adds (row, column)
//     row 0        l0  l0  l1  l1  l2  l2  l3  l3             register 0   (0, 1)
//     row 1        l4  l4  l5  l5  l6  l6  l7  l7             register 1   (8, 0)
//      …                                                      lane 0       (0, 2)
//     row 7        l28 l28 l29 l29 l30 l30 l31 l31            lane 1       (0, 4)
//     row 8        l0  l0  l1  l1   …                         lane 2       (1, 0)
//     (even columns: registers 0 and 2; odd: 1 and 3)         lane 3       (2, 0)
//                                                             lane 4       (4, 0)
//
// Lane 13 = 0b01101 in register 3 = 0b11 holds (0,2) ^ (1,0) ^ (2,0) ^ (0,1) ^ (8,0) = (11, 3). Seven pairs of numbers say it
// all. Such a table is a matrix over GF(2) (LinearMap.h), and the questions above are linear algebra: "where is (i, j)?" is its
// inverse, "from B's places to A's" is A⁻¹·B, "do the threads already have what they need?" is where that matrix has its zeros.
// This is the manner of Triton's linear layouts.
//
// Odd extents. Such a matrix covers 2^a elements in each dimension. But a tile of 192 columns is legal, and often the fastest:
// so a layout is a linear *atom* that is *repeated* a whole number of times along each dimension. An extent is 2^a · r with r
// odd: the atom covers 2^a, and r counts repetitions, which are registers and outermost:
//
//     register = repetition · (registers of the atom) + register of the atom,   repetitions numbered row-major
//
// Why exactly this split: 2^a and r follow from the extent alone. So two layouts of one tile always have atoms of the same
// extents and the same repetitions, the bit algebra never meets a number that is no power of two, and moving between two
// layouts is moving between their atoms, r times over. The price: lanes, warps and what an instruction covers must divide 2^a
// (96 = 32 · 3 rows feed two m16 warps, not six), and a dimension that is split or merged at another place goes through shared
// memory.
//
// Replicas. A basis may be zero, or a combination of others: then several places hold one element (a row's maximum after a
// reduction is held by the four lanes of that row). Every element is held by at least one place; registers are independent,
// since a thread keeps no second copy of its own.
//
// Limits. Ranks up to 8, extents up to 2^20. A layout speaks of the warps that share a tile (at most one warpgroup, as a rule);
// which tiles are whose is not its matter. There is no MLIR in this folder: attributes wrap these classes.
#pragma once

#include "dialects/Layout/LinearMap.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::layout {

using Coordinates = std::vector<int64_t>; ///< of an element, one for each dimension

/// Who holds an element.
struct Holder {
  int64_t registerIndex = 0, lane = 0, warp = 0;
  friend auto operator<=>(const Holder &, const Holder &) = default;
};

inline constexpr unsigned lanesOfWarp = 32;
inline constexpr unsigned laneBits = 5;

/// 2^bits · odd.
struct SplitExtent {
  unsigned bits = 0;
  int64_t odd = 1;
};
SplitExtent splitExtent(int64_t extent);

class DistributedLayout {
public:
  /// What one bit adds to each coordinate within the atom.
  using Basis = std::vector<int64_t>;
  struct Bases {
    std::vector<Basis> registers, lanes, warps;
  };

  /// Nothing, and the reason in `why` (if it is given), unless: each extent is in 1 … 2^20, there are 5 lane bits, each basis
  /// has a coordinate for each dimension inside the atom, the register bases are independent, and every element of the atom is
  /// held.
  static std::optional<DistributedLayout> create(std::vector<int64_t> shape, const Bases &bases, std::string *why = nullptr);

  unsigned rank() const { return static_cast<unsigned>(extents.size()); }
  const std::vector<int64_t> &shape() const { return extents; }
  std::vector<int64_t> atomShape() const;
  std::vector<int64_t> repetitions() const;

  unsigned atomRegisterBits() const { return registerBits; }
  unsigned warpBits() const { return map.inputBits() - registerBits - laneBits; }
  /// What a thread holds: (registers of the atom) · (repetitions).
  int64_t registers() const;
  int64_t warps() const { return int64_t(1) << warpBits(); }

  /// The element at (register, lane, warp).
  Coordinates elementAt(const Holder &holder) const;
  /// The first of those who hold an element: with no warp, lane or register bit that it can do without.
  Holder holderOf(const Coordinates &element) const;
  /// All of them, in order.
  std::vector<Holder> holdersOf(const Coordinates &element) const;
  /// Whether some element is held more than once.
  bool hasReplicas() const { return map.rank() < map.inputBits(); }

  /// The bases as they were given.
  Bases bases() const;
  /// The atom as a map of the bits register | lane | warp (low to high) to the bits of the coordinates, those of the last
  /// dimension lowest.
  const LinearMap &atom() const { return map; }
  /// A coordinate within the atom, as bits of the map's output; and back.
  uint64_t pack(const Coordinates &withinAtom) const;
  Coordinates unpack(uint64_t bits) const;

  /// Where `other`, a layout of the same tile, holds what this one holds: its inverse after this one. A map g of the bits of
  /// this atom's places to those of other's, with other.atom().after(g) == atom().
  LinearMap placesIn(const DistributedLayout &other) const;

  /// The layout of the tile with its dimensions in another order: dimension d of the result is dimension order[d] of this one.
  DistributedLayout transposed(const std::vector<unsigned> &order) const;
  /// The layout of a reduction's result along `axis`, or of what is broadcast along it: each thread holds what it has a part
  /// of. The registers that differed in nothing but `axis` are one.
  DistributedLayout sliced(unsigned axis) const;

  /// "64x192 = atom 64x64 x repetitions 1x3; registers (0,1) (8,0) …; lanes …; warps …"
  std::string str() const;

  /// Equal layouts hold the same element at every place.
  friend bool operator==(const DistributedLayout &, const DistributedLayout &) = default;

private:
  DistributedLayout() = default;

  std::vector<int64_t> extents;
  unsigned registerBits = 0;
  LinearMap map;
};

} // namespace tilewright::layout
