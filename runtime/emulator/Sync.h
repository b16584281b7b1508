// Barriers of a block: the sixteen named ones, and mbarriers in shared memory. They carry vector clocks, so that what they
// order is known to the race detection.
#pragma once

#include "runtime/emulator/Shadow.h"

#include <cstdint>

namespace tilewright::runtime::emulator {

/// bar.sync, bar.arrive, bar.red. Warps arrive as wholes; `expected` 0 means all warps of the block that have not exited.
struct NamedBarrier {
  uint32_t arrived = 0;  // warps
  uint32_t expected = 0; // warps
  bool isOpen = false;   // somebody has arrived since it completed
  uint32_t who = 0;      // the warps that have arrived
  Clocks clocks;
  uint32_t popc = 0;
  bool all = true, any = false;

  void reset() { *this = NamedBarrier(); }
};

/// An mbarrier's phase completes when no arrival and no byte is pending; then the next begins with `expected` arrivals pending.
/// Its 8 bytes of shared memory hold nothing: the kernel may not look into them.
struct Mbarrier {
  uint32_t expected = 0;
  uint32_t pending = 0;
  int64_t bytes = 0; // tx-count
  uint64_t phase = 0;
  Clocks arrivals;  // of this phase
  Clocks completed; // of the phases before
  Accessor initialized;
};

} // namespace tilewright::runtime::emulator
