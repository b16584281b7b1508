// The blocks that are resident together and may access each other's shared memory: a cluster, mostly of one block. It owns the
// order in which warps run, what they know of each other, and what is under way.
//
// A shared::cluster address is an offset in the executing block's shared memory, or one with 1 + the block's rank above bit 24.
#pragma once

#include "runtime/emulator/Block.h"
#include "runtime/emulator/Bulk.h"

#include <memory>
#include <random>
#include <vector>

namespace tilewright::runtime::emulator {

inline constexpr unsigned rankShift = 24;

class Cluster {
public:
  Cluster(Launch &launch, uint64_t number);
  ~Cluster();

  /// Runs all threads to their end, or to the first fault.
  void run();
  const std::optional<Fault> &fault() const { return found; }
  void report(Fault fault);

  unsigned blockCount() const { return static_cast<unsigned>(blocks.size()); }
  Block &block(unsigned rank) { return *blocks[rank]; }
  /// A warp by its party.
  Warp &warp(uint16_t party) { return *warps[party]; }
  bool isWarp(uint16_t party) const { return party < warps.size(); }
  uint16_t newParty() { return nextParty++; }

  bool chance(unsigned outOf) { return launch.options.seed && random() % outOf == 0; }
  uint64_t randomNumber() { return random(); }

  /// Completes the cluster's barrier if all threads that have not exited have arrived.
  void completeBarrier();
  ClusterBarrier barrier;
  Bulk bulk{*this};

  Launch &launch;
  const Index3 index; // in the grid of clusters
  const uint64_t number;
  bool isSynchronized = false; // it has made a strong access to global memory (GlobalShadow.h)
  uint64_t idlePolls = 0;      // failed test_waits since anything happened

private:
  Warp *nextWarp(size_t &turn);
  bool landOne();
  void reportDeadlock();

  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<Warp *> warps; // of all blocks; the index is the party
  uint16_t nextParty;
  std::optional<Fault> found;
  std::mt19937_64 random;
};

} // namespace tilewright::runtime::emulator
