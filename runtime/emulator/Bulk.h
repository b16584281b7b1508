// cp.async.bulk: copies by the asynchronous proxy that are under way.
//
// Into shared memory: the bytes land when nothing else can go on (with a seed, at any time), and are then counted at the
// mbarrier of the block they went to. Out of shared memory: bytes are read when a wait_group.read of the issuing thread covers
// them, and written to global memory when a wait_group does, or at the end; with a seed, earlier. That is as late as the
// hardware may do it.
#pragma once

#include "runtime/emulator/Shadow.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace tilewright::runtime::emulator {

class Block;
class Cluster;
class Warp;
struct Instruction;
struct Mbarrier;

/// The thread that issued a copy, for reports.
struct Issuer {
  Warp *warp;
  const Instruction *instruction;
  unsigned lane;
};

/// A copy into a block's shared memory.
struct BulkLoad {
  Issuer issuer;
  Block *target;
  uint32_t mbarrier; // its address there
  uint32_t bytes;
  uint64_t phase; // of the mbarrier, when the copy was issued
  std::function<void()> move;
};

/// A copy out of shared memory.
struct BulkStore {
  Issuer issuer;
  std::function<void()> read, write;
  bool isRead = false;
};

class Bulk {
public:
  explicit Bulk(Cluster &cluster) : cluster(cluster) {}

  void issue(BulkLoad load) { loads.push_back(std::move(load)); }
  size_t pendingLoads() const { return loads.size(); }
  void land(size_t index);
  /// An mbarrier's phase is over: a copy that should have been counted in it and is still under way is a fault.
  void checkPhase(const Block &block, uint32_t mbarrier, uint64_t phase) const;

  /// How the reads of a thread's next group are noted: by which party, at which of its clocks.
  Accessor readerOf(const Issuer &issuer);
  void issue(BulkStore store);
  void commit(const Issuer &thread);
  /// All but the newest `left` groups have been read, and if not readOnly written.
  void wait(const Issuer &thread, uint32_t left, bool readOnly);

  /// A block ends: none of its threads' copies may still be reading its shared memory.
  void checkEnd(const Block &block) const;
  /// The cluster ends: what is left is done.
  void finish();

private:
  struct Group {
    std::vector<BulkStore> stores;
  };
  struct Thread {
    uint16_t party = Accessor::none;
    uint32_t committed = 0; // groups
    std::vector<BulkStore> open;
    std::vector<Group> groups; // the oldest first
  };
  Thread &threadOf(const Issuer &issuer);
  static void read(BulkStore &store);

  Cluster &cluster;
  std::vector<BulkLoad> loads;
  std::map<std::pair<uint16_t, unsigned>, Thread> threads; // by warp and lane
};

} // namespace tilewright::runtime::emulator
