// Shared-memory layouts: at which byte of a buffer does element (i, j) of a tile lie?
//
// The problem. Shared memory has 32 banks of 4 bytes, and one word of each is served at a time. A column of a tile of 64 bf16 a
// row (128 bytes: every bank once) lies in four bytes of one bank, 64 times over: reading it takes as many turns as it has
// rows. And ldmatrix reads just that, eight rows of 16 bytes at one column.
//
// The remedy that hardware knows (TMA writes it, wgmma reads it): in a panel whose rows are 128 bytes, the 16-byte chunk c of
// row r lies at chunk c ^ (r mod 8) of that row. Rows stay rows, chunks stay chunks, but eight chunks of one column lie in
// eight places:
//
//          chunk  0   1   2   3   4   5   6   7          where the chunks of column 0 (●) lie
//   row 0         ●   1   2   3   4   5   6   7
//   row 1         1   ●   3   2   5   4   7   6
//   row 2         2   3   ●   1   6   7   4   5
//    …
//   row 7         7   6   5   4   3   2   1   ●
//
// In bytes: bits 4–6 of the offset are exclusive-ored with bits 7–9. For 64-byte rows it is bits 4–5 with 7–8, for 32-byte rows
// bit 4 with bit 7. A tile that is wider than a panel is a sequence of panels, each with all rows: that is how TMA boxes and
// wgmma descriptors want it. Buffers begin at a multiple of 1,024 bytes, since the hardware takes the bits from addresses.
//
// The rows of a panel may have any number, so tiles of 96 or 208 rows need nothing special here.
#pragma once

#include "dialects/Layout/DistributedLayout.h"

namespace tilewright::layout {

enum class Swizzle { None, Bytes32, Bytes64, Bytes128 };
enum class StorageOrder { RowMajor, ColumnMajor };

class SharedLayout {
public:
  /// elementBytes: 1, 2, 4 or 8. With a swizzle the contiguous extent must be whole panels: a multiple of 32, 64 or 128 bytes.
  static std::optional<SharedLayout> create(int64_t rows, int64_t columns, int64_t elementBytes, StorageOrder order,
                                            Swizzle swizzle, std::string *why = nullptr);

  int64_t rows() const { return rowCount; }
  int64_t columns() const { return columnCount; }
  int64_t elementBytes() const { return bytes; }
  StorageOrder order() const { return storage; }
  Swizzle swizzle() const { return pattern; }
  int64_t sizeBytes() const { return rowCount * columnCount * bytes; }
  /// The dimension whose neighbours are neighbours in memory.
  unsigned contiguousDimension() const { return storage == StorageOrder::RowMajor ? 1 : 0; }

  /// The byte at which an element begins.
  int64_t offsetOf(int64_t row, int64_t column) const;
  int64_t offsetOf(const Coordinates &element) const { return offsetOf(element[0], element[1]); }

  friend bool operator==(const SharedLayout &, const SharedLayout &) = default;

private:
  SharedLayout() = default;
  int64_t rowCount = 0, columnCount = 0, bytes = 0;
  StorageOrder storage = StorageOrder::RowMajor;
  Swizzle pattern = Swizzle::None;
};

/// 16-byte chunks that a swizzle permutes: 1, 2, 4 or 8. Rows of a panel are so many chunks.
int64_t chunksOf(Swizzle swizzle);

/// How many turns the banks take for one access of a warp, lane l at byte addresses[l], `width` bytes each (1 to 16, a power of
/// two, aligned to itself). An access of 8 bytes is served for half a warp at a time, one of 16 for a quarter; within such a
/// group each bank serves a word in each turn, to all lanes that want it. A negative address: that lane takes no part.
int64_t bankTurns(const std::vector<int64_t> &addresses, int64_t width);

/// Turns beyond the fewest that an access of so many bytes by so many lanes could have: 0 is free of conflicts.
int64_t bankConflicts(const std::vector<int64_t> &addresses, int64_t width);

/// How many elements a thread holds side by side along a dimension, aligned to their number, in every thread: the registers can
/// be read and written in groups of so many. A power of two, at most `most`.
int64_t vectorWidth(const DistributedLayout &layout, unsigned dimension, int64_t most);

/// All accesses of one warp that move a tile between registers and shared memory, in vectors of `vectorElements`.
struct SharedAccess {
  int64_t vectorElements = 1; ///< of one access of a thread
  int64_t accesses = 0;       ///< instructions of a thread
  int64_t turns = 0;          ///< of the banks, for all of them, in the warp that takes most
};
/// With vectors of at most 16 bytes, as wide as the layouts allow.
SharedAccess sharedAccess(const DistributedLayout &layout, const SharedLayout &shared);

/// The registers of each access: vectors of those whose elements lie side by side.
std::vector<std::vector<int64_t>> vectorRegisters(const DistributedLayout &layout, unsigned dimension, int64_t vectorElements);

} // namespace tilewright::layout
