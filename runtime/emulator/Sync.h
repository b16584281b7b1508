// Barriers: the sixteen named ones of a block, mbarriers in shared memory, and the cluster's. They carry vector clocks, so that
// what they order is known to the race detection.
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
  Knowledge known;
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
  Knowledge arrivals;  // of this phase
  Knowledge completed; // of the phases before
  Accessor initialized;
  bool isPublished = false;    // other blocks of the cluster may rely on its initialization
  bool isAsyncVisible = false; // bulk copies may
  uint16_t party = 0;          // of its bulk copies, whose clock is
  uint32_t clockBase = 0;      // this, at the mbarrier's initialization, and one more per phase

  /// The clock of the copies of the current phase.
  uint32_t copyClock() const { return clockBase + static_cast<uint32_t>(phase) + 1; }
};

/// barrier.cluster: every thread of the cluster that has not exited arrives, and then waits. Which lanes have is in the warps.
struct ClusterBarrier {
  uint64_t phase = 0;
  Knowledge arrivals;
  Knowledge completed;
};

} // namespace tilewright::runtime::emulator
