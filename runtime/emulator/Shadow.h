// What is known about each place of a block's shared memory: whether it was written, by whom last, and who has read it since.
//
// Races are found by vector clocks, as FastTrack does (Flanagan, Freund: "FastTrack: efficient and precise dynamic race
// detection", 2009), with the warp as the thread. A warp's own clock advances when it releases (arrives at a barrier, stores a
// flag); who acquires takes over what the releaser knew. An earlier access is ordered before a later one if the later warp
// knows a clock at least as late. Lanes of one warp are not ordered by running together: between them only bar.warp.sync and
// the barriers order, hence a second mark per warp, the clock of its last such point.
//
// Bulk copies and wgmma access memory through the asynchronous proxy: what ordinary instructions wrote is seen there only if a
// fence.proxy.async stands between the two. Their own accesses are ordered before others by what waits for them (Clocks.h).
//
// A cell is four bytes; the first access to a part of one splits it into four, so that neighbours in one word are no race.
// Limits: an arrival by some lanes of a warp counts for all of it; strong accesses (volatile, relaxed, atomic) are taken as
// acquire and release. Both only hide races, never invent one.
#pragma once

#include "runtime/emulator/Clocks.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright::runtime::emulator {

/// Who accesses, and with which instruction.
struct Accessor {
  uint16_t party = none;
  uint8_t lane = 0; // severalLanes: more than one
  bool isStrong : 1 = false;
  bool isAsync : 1 = false; // through the asynchronous proxy
  uint32_t clock = 0;
  uint32_t instruction = 0;
  uint32_t step = 0; // of the warp: equal for the lanes of one instruction. isAsync: the warp that issued it

  static constexpr uint16_t none = 0xffff;
  static constexpr uint8_t severalLanes = 0xff;

  bool operator==(const Accessor &) const = default;
};

/// An access about to happen: how it is noted down, and what the warp that makes it knows.
struct Actor {
  Accessor as;
  const Knowledge &known;
  uint16_t warp;
  uint8_t lane;      // severalLanes: all lanes of the warp together
  uint32_t lastSync; // the warp's clock when its lanes were last ordered
  uint32_t ownFence; // the warp's clock when this lane last put its accesses before the asynchronous proxy
};

struct Conflict {
  enum class Kind : uint8_t { Uninitialized, AfterWrite, AfterRead, InFlight, Unfenced };
  Kind kind;
  Accessor other; // none if Uninitialized
  uint32_t offset;
};

class Shadow {
public:
  Shadow(uint32_t bytes, bool findsUninitialized);

  std::optional<Conflict> read(uint32_t offset, uint32_t bytes, const Actor &who);
  /// The same for an operand of wgmma, whose rows may be written in part only; `notes` it as a reader or just checks it.
  std::optional<Conflict> readOperand(uint32_t offset, uint32_t bytes, const Actor &who, bool notes);
  /// Whether any of these bytes was ever written.
  bool hasWritten(uint32_t offset, uint32_t bytes) const;
  /// isSameValue: the bytes written are those that are there (lanes of one instruction may write the same value).
  std::optional<Conflict> write(uint32_t offset, uint32_t bytes, const Actor &who, bool isSameValue);
  /// A cp.async has begun: until settle, every access to the bytes is a conflict.
  std::optional<Conflict> begin(uint32_t offset, uint32_t bytes, const Actor &who);
  void settle(uint32_t offset, uint32_t bytes, const Accessor &who);

private:
  struct Cell {
    Accessor write;
    Accessor reader;      // the only one, or
    uint32_t readers = 0; // several parties': 1 + index into `several`
    bool isInFlight = false;
  };

  template <typename Visit> std::optional<Conflict> visit(uint32_t offset, uint32_t bytes, Visit visitCell);
  void split(uint32_t word);
  std::optional<Conflict::Kind> afterWrite(const Cell &cell, const Actor &who) const;
  const Accessor *unorderedReader(const Cell &cell, const Actor &who) const;
  void noteReader(Cell &cell, const Actor &who);
  void noteWrite(Cell &cell, const Accessor &who);

  bool findsUninitialized;
  std::vector<Cell> words;
  std::vector<Cell> bytes;        // four for each word, when the first word is split
  std::vector<uint8_t> isSplit;   // by word
  std::vector<uint8_t> isDefined; // by word: bit b is byte b
  std::vector<std::vector<Accessor>> several;
  std::vector<uint32_t> freeSeveral;
};

} // namespace tilewright::runtime::emulator
