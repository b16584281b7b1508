// A block of threads: its shared memory, barriers and warps, and the order in which the warps run.
#pragma once

#include "runtime/emulator/Async.h"
#include "runtime/emulator/Launch.h"
#include "runtime/emulator/Shadow.h"
#include "runtime/emulator/Sync.h"
#include "runtime/emulator/Warp.h"

#include <map>
#include <memory>
#include <random>

namespace tilewright::runtime::emulator {

class Block {
public:
  Block(Launch &launch, uint64_t number);
  ~Block();

  /// Runs all threads to their end, or to the first fault.
  void run();
  const std::optional<Fault> &fault() const { return found; }
  void report(Fault fault);

  unsigned threadCount() const { return threads; }
  Index3 threadIndex(unsigned thread) const;
  unsigned warpCount() const { return static_cast<unsigned>(warps.size()); }
  bool chance(unsigned outOf) { return launch.options.seed && random() % outOf == 0; }

  // Barriers (BarrierOps.cpp). A warp calls arrive when all its lanes are at the barrier.
  bool arrive(unsigned id, uint32_t expectedWarps, Warp &warp, std::string &message);
  void completeIfFull(unsigned id);
  void warpExited();
  Mbarrier *mbarrier(uint32_t offset);
  /// Completes the phase if nothing is pending.
  void update(Mbarrier &barrier, uint32_t offset);
  void release(unsigned warp, Clocks &into);
  void acquire(unsigned warp, const Clocks &from);
  void orderLanes(unsigned warp);

  Launch &launch;
  const Index3 index;
  std::vector<std::byte> shared; // from sharedBase on
  Shadow shadow;
  std::vector<Clocks> clocks;       // by warp
  std::vector<uint32_t> lastSync;   // by warp
  std::map<uint32_t, Clocks> flags; // strong stores to shared memory, by address
  NamedBarrier barriers[16];
  std::map<uint32_t, Mbarrier> mbarriers;
  Async async;
  std::vector<std::byte> specials; // Bank::Block
  uint64_t idlePolls = 0;          // failed test_waits since anything happened

private:
  Warp *nextWarp(size_t &turn);
  void fillSpecials();
  void reportDeadlock();

  unsigned threads;
  std::vector<std::unique_ptr<Warp>> warps;
  std::optional<Fault> found;
  std::mt19937_64 random;
};

} // namespace tilewright::runtime::emulator
