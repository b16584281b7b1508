#include "runtime/emulator/Bulk.h"

#include "runtime/Text.h"
#include "runtime/emulator/Cluster.h"

#include <algorithm>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

void reportAt(const Issuer &issuer, FaultKind kind, std::string message, std::optional<uint64_t> address) {
  issuer.warp->fault(kind, *issuer.instruction, issuer.lane, std::move(message), address);
}

} // namespace

void Bulk::land(size_t index) {
  BulkLoad load = std::move(loads[index]);
  loads.erase(loads.begin() + static_cast<std::ptrdiff_t>(index));
  load.move();
  Mbarrier *barrier = load.target->mbarrier(load.mbarrier);
  if (!barrier)
    return reportAt(load.issuer, FaultKind::Barrier, "the mbarrier that counts this copy's bytes is no more", load.mbarrier);
  barrier->bytes -= load.bytes;
  if (barrier->pending == 0 && barrier->bytes < 0)
    return reportAt(
        load.issuer, FaultKind::Barrier,
        concat("phase ", barrier->phase, " of the mbarrier gets ", -barrier->bytes, " bytes more than expect_tx has announced"),
        load.mbarrier);
  load.target->update(*barrier, load.mbarrier);
}

void Bulk::checkPhase(const Block &block, uint32_t mbarrier, uint64_t phase) const {
  for (const BulkLoad &load : loads)
    if (load.target == &block && load.mbarrier == mbarrier && load.phase == phase)
      return reportAt(load.issuer, FaultKind::Barrier,
                      concat("phase ", phase, " of the mbarrier is over before the ", load.bytes,
                             " bytes of this copy have arrived: expect_tx announces fewer bytes than the copies bring"),
                      mbarrier);
}

Bulk::Thread &Bulk::threadOf(const Issuer &issuer) {
  return threads[{issuer.warp->party, issuer.lane}];
}

Accessor Bulk::readerOf(const Issuer &issuer) {
  Thread &thread = threadOf(issuer);
  if (thread.party == Accessor::none)
    thread.party = cluster.newParty();
  Accessor who = issuer.warp->accessor(*issuer.instruction, issuer.lane, 0);
  who.party = thread.party;
  who.clock = thread.committed + 1;
  who.isAsync = true;
  who.step = issuer.warp->party;
  return who;
}

void Bulk::read(BulkStore &store) {
  if (!store.isRead)
    store.read();
  store.isRead = true;
}

void Bulk::issue(BulkStore store) {
  Thread &thread = threadOf(store.issuer);
  thread.open.push_back(std::move(store));
  if (cluster.chance(4))
    read(thread.open.back());
}

void Bulk::commit(const Issuer &issuer) {
  Thread &thread = threadOf(issuer);
  ++thread.committed;
  thread.groups.push_back({std::move(thread.open)});
  thread.open.clear();
}

void Bulk::wait(const Issuer &issuer, uint32_t left, bool readOnly) {
  Thread &thread = threadOf(issuer);
  if (thread.committed <= left)
    return;
  if (thread.party != Accessor::none)
    issuer.warp->known.clocks.raise(thread.party, thread.committed - left);
  if (thread.groups.size() <= left)
    return;
  auto end = thread.groups.end() - static_cast<std::ptrdiff_t>(left);
  for (auto group = thread.groups.begin(); group != end; ++group)
    for (BulkStore &store : group->stores) {
      read(store);
      if (!readOnly)
        store.write();
    }
  if (!readOnly)
    thread.groups.erase(thread.groups.begin(), end);
}

void Bulk::checkEnd(const Block &block) const {
  auto check = [&](const BulkStore &store, const Thread &thread, uint32_t clock) {
    // Read by chance is not waited for.
    if (&store.issuer.warp->block != &block || store.issuer.warp->known.clocks[thread.party] >= clock)
      return true;
    reportAt(store.issuer, FaultKind::InFlight,
             "the block ends while this copy may still be reading its shared memory: cp.async.bulk.wait_group.read is missing",
             std::nullopt);
    return false;
  };
  for (const auto &[who, thread] : threads) {
    uint32_t clock = thread.committed - static_cast<uint32_t>(thread.groups.size());
    for (const Group &group : thread.groups) {
      ++clock;
      for (const BulkStore &store : group.stores)
        if (!check(store, thread, clock))
          return;
    }
    for (const BulkStore &store : thread.open)
      if (!check(store, thread, clock + 1))
        return;
  }
}

void Bulk::finish() {
  for (auto &[who, thread] : threads) {
    thread.groups.push_back({std::move(thread.open)});
    for (Group &group : thread.groups)
      for (BulkStore &store : group.stores) {
        read(store);
        store.write();
      }
  }
  threads.clear();
}
