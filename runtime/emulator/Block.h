// A block of threads: its shared memory, its barriers and its warps.
#pragma once

#include "runtime/emulator/Async.h"
#include "runtime/emulator/Launch.h"
#include "runtime/emulator/Shadow.h"
#include "runtime/emulator/Sync.h"
#include "runtime/emulator/Warp.h"
#include "runtime/emulator/Wgmma.h"

#include <map>
#include <memory>

namespace tilewright::runtime::emulator {

class Cluster;

class Block {
public:
  /// `firstParty`: of its warps in the cluster.
  Block(Cluster &cluster, unsigned rank, Index3 index, uint16_t firstParty);
  ~Block();

  void report(Fault fault);

  unsigned threadCount() const { return threads; }
  Index3 threadIndex(unsigned thread) const;
  unsigned warpCount() const { return static_cast<unsigned>(warps.size()); }
  Warp &warp(unsigned number) { return *warps[number]; }
  /// The one that a warp belongs to; null if it is not whole.
  Warpgroup *warpgroup(unsigned warp) {
    return warp / warpsPerGroup < warpgroups.size() ? warpgroups[warp / warpsPerGroup].get() : nullptr;
  }
  /// When all blocks have their warps.
  void makeWarpgroups();
  bool chance(unsigned outOf);
  bool isDone() const;

  // Barriers (BarrierOps.cpp). A warp calls arrive when all its lanes are at the barrier.
  bool arrive(unsigned id, uint32_t expectedWarps, Warp &warp, std::string &message);
  void completeIfFull(unsigned id);
  void warpExited(Warp &warp);
  Mbarrier *mbarrier(uint32_t offset);
  /// The new mbarrier at a place, or null if there is one.
  Mbarrier *newMbarrier(uint32_t offset);
  void removeMbarrier(uint32_t offset);
  /// Completes the phase if nothing is pending.
  void update(Mbarrier &barrier, uint32_t offset);
  /// What fences do for the mbarriers that a warp has initialized: other blocks, or bulk copies, may rely on them.
  void publishMbarriers(uint16_t party, bool toCluster, bool toCopies);
  void describeBarriers(std::vector<Party> &parties) const;

  /// Another block's warp, or a bulk copy, accesses this one's shared memory: before it knows that this is over, the block may
  /// not end.
  void noteVisitor(const Accessor &who);

  Cluster &cluster;
  Launch &launch;
  const unsigned rank; // in the cluster
  const Index3 index;  // in the grid
  const uint16_t firstParty;
  std::vector<std::byte> shared; // from sharedBase on
  Shadow shadow;
  std::map<uint32_t, Knowledge> flags; // strong stores to shared memory, by address
  NamedBarrier barriers[16];
  std::map<uint32_t, Mbarrier> mbarriers;
  Async async;
  std::vector<std::byte> specials;                             // Bank::Block
  uint32_t freeRegisters = 0;                                  // that setmaxnreg.dec has given back
  std::vector<std::vector<const Instruction *>> registerSteps; // by warpgroup: its setmaxnreg instructions

private:
  void fillSpecials();
  void checkEnd(Warp &last);

  unsigned threads;
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<std::unique_ptr<Warpgroup>> warpgroups;               // the whole ones
  std::map<uint16_t, Accessor> visitors;                            // the last access of each
  std::map<uint32_t, std::pair<uint16_t, uint32_t>> mbarrierClocks; // party and last clock of an mbarrier that was at a place
};

} // namespace tilewright::runtime::emulator
