#include "runtime/emulator/Cluster.h"

#include "runtime/Text.h"

#include <algorithm>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

Block::Block(Cluster &cluster, unsigned rank, Index3 index, uint16_t firstParty)
    : cluster(cluster), launch(cluster.launch), rank(rank), index(index), firstParty(firstParty),
      shared(launch.kernel.dynamicOffset - sharedBase + launch.shape.dynamicSharedBytes),
      shadow(static_cast<uint32_t>(shared.size()), launch.options.findUninitialized),
      async(launch.shape.block.x * launch.shape.block.y * launch.shape.block.z), specials(offsetOf(Special::Count)),
      threads(launch.shape.block.x * launch.shape.block.y * launch.shape.block.z) {
  fillSpecials();
  unsigned count = (threads + warpSize - 1) / warpSize;
  for (unsigned warp = 0; warp < count; ++warp) {
    unsigned lanes = std::min(threads - warp * warpSize, warpSize);
    warps.push_back(std::make_unique<Warp>(*this, warp, static_cast<uint16_t>(firstParty + warp),
                                           lanes == warpSize ? allLanes : (1u << lanes) - 1));
  }
  registerSteps.resize((count + warpsPerGroup - 1) / warpsPerGroup);
  // Contents before the first write are anything: a pattern that is a NaN in f16, bf16, f32 and f64 shows in results.
  std::fill(shared.begin(), shared.end(), std::byte(0xff));
}

Block::~Block() = default;

void Block::makeWarpgroups() {
  for (unsigned number = 0; number < threads / (warpsPerGroup * warpSize); ++number)
    warpgroups.push_back(std::make_unique<Warpgroup>(*this, number, cluster.newParty()));
}

Index3 Block::threadIndex(unsigned thread) const {
  return indexIn(launch.shape.block, thread);
}

void Block::fillSpecials() {
  auto fill = [&](Special special, uint64_t value, unsigned bytes = 4) {
    for (unsigned lane = 0; lane < warpSize; ++lane)
      memcpy(specials.data() + offsetOf(special) + static_cast<size_t>(lane) * bytes, &value, bytes);
  };
  const LaunchShape &shape = launch.shape;
  fill(Special::NtidX, shape.block.x);
  fill(Special::NtidY, shape.block.y);
  fill(Special::NtidZ, shape.block.z);
  fill(Special::CtaIdX, index.x);
  fill(Special::CtaIdY, index.y);
  fill(Special::CtaIdZ, index.z);
  fill(Special::NctaIdX, shape.grid.x);
  fill(Special::NctaIdY, shape.grid.y);
  fill(Special::NctaIdZ, shape.grid.z);
  fill(Special::NwarpId, (threads + warpSize - 1) / warpSize);
  fill(Special::SmId, 0);
  fill(Special::NsmId, 1);
  fill(Special::GridId, launch.gridId, 8);
  fill(Special::DynamicSharedSize, shape.dynamicSharedBytes);
  fill(Special::TotalSharedSize, shared.size());
  const Extent3 &size = shape.cluster;
  fill(Special::ClusterIdX, cluster.index.x);
  fill(Special::ClusterIdY, cluster.index.y);
  fill(Special::ClusterIdZ, cluster.index.z);
  fill(Special::NclusterIdX, shape.grid.x / size.x);
  fill(Special::NclusterIdY, shape.grid.y / size.y);
  fill(Special::NclusterIdZ, shape.grid.z / size.z);
  fill(Special::ClusterCtaIdX, index.x % size.x);
  fill(Special::ClusterCtaIdY, index.y % size.y);
  fill(Special::ClusterCtaIdZ, index.z % size.z);
  fill(Special::ClusterNctaIdX, size.x);
  fill(Special::ClusterNctaIdY, size.y);
  fill(Special::ClusterNctaIdZ, size.z);
  fill(Special::ClusterCtaRank, rank);
  fill(Special::ClusterNctaRank, size.x * size.y * size.z);
  uint32_t isExplicit = launch.kernel.requiredCluster.x || size.x * size.y * size.z > 1 ? allLanes : 0;
  memcpy(specials.data() + offsetOf(Special::IsExplicitCluster), &isExplicit, 4);
}

bool Block::chance(unsigned outOf) {
  return cluster.chance(outOf);
}

bool Block::isDone() const {
  return std::all_of(warps.begin(), warps.end(), [](const auto &warp) { return warp->isDone(); });
}

void Block::report(Fault fault) {
  cluster.report(std::move(fault));
}

void Block::describeBarriers(std::vector<Party> &parties) const {
  if (parties.empty())
    return;
  std::string &text = parties.back().role;
  for (unsigned id = 0; id < 16; ++id)
    if (barriers[id].isOpen)
      text += concat("; barrier ", id, " has ", barriers[id].arrived, " warps of ",
                     barriers[id].expected ? std::to_string(barriers[id].expected) : "all");
  for (const auto &[offset, barrier] : mbarriers)
    text += concat("; the mbarrier at ", offset, " is in phase ", barrier.phase, " with ", barrier.pending, " arrivals of ",
                   barrier.expected, " and ", barrier.bytes, " bytes pending");
}

void Block::publishMbarriers(uint16_t party, bool toCluster, bool toCopies) {
  for (auto &[offset, barrier] : mbarriers) {
    bool isIts = barrier.initialized.party == party;
    barrier.isPublished |= isIts && toCluster;
    barrier.isAsyncVisible |= isIts && toCopies;
  }
}

void Block::noteVisitor(const Accessor &who) {
  visitors[who.party] = who;
}

bool Block::arrive(unsigned id, uint32_t expectedWarps, Warp &warp, std::string &message) {
  NamedBarrier &barrier = barriers[id];
  if (barrier.isOpen && barrier.expected != expectedWarps) {
    message = concat("barrier ", id, " is waited for with ", expectedWarps * warpSize, " threads here and ",
                     barrier.expected * warpSize, " elsewhere (0: all)");
    return false;
  }
  if (barrier.who >> warp.number & 1) {
    message =
        concat("warp ", warp.number, " arrives at barrier ", id, " a second time before it is complete: ", barrier.arrived,
               " warps of ", barrier.expected ? std::to_string(barrier.expected) : "all", " have arrived");
    return false;
  }
  barrier.isOpen = true;
  barrier.who |= 1u << warp.number;
  barrier.expected = expectedWarps;
  ++barrier.arrived;
  warp.lastSync = warp.known.clocks[warp.party];
  warp.release(barrier.known);
  return true;
}

void Block::completeIfFull(unsigned id) {
  NamedBarrier &barrier = barriers[id];
  if (!barrier.isOpen)
    return;
  size_t expected = barrier.expected;
  if (expected == 0)
    expected = static_cast<size_t>(std::count_if(warps.begin(), warps.end(), [](const auto &warp) { return !warp->isDone(); }));
  if (barrier.arrived < expected || expected == 0)
    return;
  Knowledge known = barrier.known;
  for (auto &warp : warps)
    if (warp->isAllAt(id)) {
      warp->acquire(known);
      warp->wake(Wait::Kind::Barrier, id, true, &barrier);
    }
  barrier.reset();
  cluster.idlePolls = 0;
}

/// A warp, or lanes of it, have exited: barriers for all wait for fewer now.
void Block::warpExited(Warp &warp) {
  for (unsigned id = 0; id < 16; ++id)
    if (barriers[id].isOpen && barriers[id].expected == 0)
      completeIfFull(id);
  cluster.completeBarrier();
  if (isDone())
    checkEnd(warp);
}

/// The block ends; its shared memory goes. What other blocks of the cluster did there must be known to be over.
void Block::checkEnd(Warp &last) {
  if (!launch.options.checkRaces)
    return;
  cluster.bulk.checkEnd(*this);
  Knowledge all;
  for (auto &warp : warps)
    all.join(warp->known);
  for (const auto &[party, visitor] : visitors) {
    if (all.clocks[party] >= visitor.clock)
      continue;
    const Instruction &its = launch.program.code[visitor.instruction];
    Warp &other = cluster.warp(visitor.isAsync ? static_cast<uint16_t>(visitor.step) : party);
    if (visitor.isAsync)
      other.fault(FaultKind::InFlight, its, visitor.lane,
                  concat("block ", rank,
                         " of the cluster ends, and none of its threads has waited for this copy into its shared memory"));
    else
      last.fault(FaultKind::Peer, launch.program.code[last.pc], 0,
                 concat("block ", rank, " of the cluster ends, and nothing makes it wait for block ", other.block.rank,
                        ", which accesses its shared memory: a barrier.cluster is missing before the end"),
                 std::nullopt, {{other.place(its, visitor.lane), "the other block's access"}});
    return;
  }
}

Mbarrier *Block::mbarrier(uint32_t offset) {
  auto found = mbarriers.find(offset);
  return found == mbarriers.end() ? nullptr : &found->second;
}

Mbarrier *Block::newMbarrier(uint32_t offset) {
  auto [place, isNew] = mbarriers.try_emplace(offset);
  if (!isNew)
    return nullptr;
  auto [clock, isFirst] = mbarrierClocks.try_emplace(offset);
  if (isFirst)
    clock->second.first = cluster.newParty();
  place->second.party = clock->second.first;
  place->second.clockBase = clock->second.second;
  return &place->second;
}

void Block::removeMbarrier(uint32_t offset) {
  mbarrierClocks[offset].second = mbarriers.at(offset).copyClock();
  mbarriers.erase(offset);
}

void Block::update(Mbarrier &barrier, uint32_t offset) {
  cluster.idlePolls = 0;
  if (barrier.pending != 0 || barrier.bytes != 0)
    return;
  barrier.completed.join(barrier.arrivals);
  barrier.completed.clocks.raise(barrier.party, barrier.copyClock());
  cluster.bulk.checkPhase(*this, offset, barrier.phase);
  ++barrier.phase;
  barrier.pending = barrier.expected;
  for (auto &warp : warps)
    warp->wake(Wait::Kind::Mbarrier, offset, false);
}
