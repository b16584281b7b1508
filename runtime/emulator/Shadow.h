// What is known about each place of a block's shared memory: whether it was written, by whom last, and who has read it since.
//
// Races are found by vector clocks, as FastTrack does (Flanagan, Freund: "FastTrack: efficient and precise dynamic race
// detection", 2009), with the warp as the thread. A warp's own clock advances when it releases (arrives at a barrier, stores a
// flag); who acquires takes over what the releaser knew. An earlier access is ordered before a later one if the later warp
// knows a clock at least as late. Lanes of one warp are not ordered by running together: between them only bar.warp.sync and
// the barriers order, hence a second mark per warp, the clock of its last such point.
//
// A cell is four bytes; the first access to a part of one splits it into four, so that neighbours in one word are no race.
// Limits: an arrival by some lanes of a warp counts for all of it; strong accesses (volatile, relaxed, atomic) are taken as
// acquire and release. Both only hide races, never invent one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright::runtime::emulator {

/// What one party knows of all: Clocks[w] is the last clock of warp w whose accesses it may rely on.
using Clocks = std::vector<uint32_t>;

void join(Clocks &into, const Clocks &from);

/// Who accesses, and with which instruction.
struct Accessor {
  uint8_t warp = none;
  uint8_t lane = 0; // severalLanes: more than one
  bool isStrong = false;
  uint32_t clock = 0;
  uint32_t instruction = 0;
  uint32_t step = 0; // of the warp: equal for the lanes of one instruction

  static constexpr uint8_t none = 0xff;
  static constexpr uint8_t severalLanes = 0xff;
};

struct Conflict {
  enum class Kind : uint8_t { Uninitialized, AfterWrite, AfterRead, InFlight };
  Kind kind;
  Accessor other; // none if Uninitialized
  uint32_t offset;
};

class Shadow {
public:
  Shadow(uint32_t bytes, unsigned warps);

  /// `known` is what the accessing warp knows; `lastSync` the clock of its last point where its lanes were ordered.
  std::optional<Conflict> read(uint32_t offset, uint32_t bytes, const Accessor &who, const Clocks &known, uint32_t lastSync);
  /// isSameValue: the bytes written are those that are there (lanes of one instruction may write the same value).
  std::optional<Conflict> write(uint32_t offset, uint32_t bytes, const Accessor &who, const Clocks &known, uint32_t lastSync,
                                bool isSameValue);
  /// An asynchronous write has begun: until settle, every access to the bytes is a conflict.
  std::optional<Conflict> begin(uint32_t offset, uint32_t bytes, const Accessor &who, const Clocks &known, uint32_t lastSync);
  void settle(uint32_t offset, uint32_t bytes, const Accessor &who);

private:
  struct Cell {
    Accessor write;
    Accessor reader;      // the only one, or
    uint32_t readers = 0; // several warps': 1 + index into `several`
    bool isInFlight = false;
  };
  struct Warps {
    std::vector<Accessor> by;
  };

  template <typename Visit> std::optional<Conflict> visit(uint32_t offset, uint32_t bytes, Visit visitCell);
  void split(uint32_t word);
  std::optional<Conflict::Kind> afterWrite(const Cell &cell, const Accessor &who, const Clocks &known, uint32_t lastSync) const;
  const Accessor *unorderedReader(const Cell &cell, const Accessor &who, const Clocks &known, uint32_t lastSync) const;
  void noteReader(Cell &cell, const Accessor &who, const Clocks &known, uint32_t lastSync);
  void noteWrite(Cell &cell, const Accessor &who);

  unsigned warps;
  std::vector<Cell> words;
  std::vector<Cell> bytes;        // four for each word, when the first word is split
  std::vector<uint8_t> isSplit;   // by word
  std::vector<uint8_t> isDefined; // by word: bit b is byte b
  std::vector<Warps> several;
  std::vector<uint32_t> freeSeveral;
};

} // namespace tilewright::runtime::emulator
