#include "runtime/emulator/Cluster.h"

#include "runtime/Text.h"

#include <algorithm>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

/// Instructions of a warp before the next one's turn. With a seed the turns are short and of random length.
constexpr uint64_t quantum = 100'000;
/// Failed polls of barriers without anything happening, per warp, after which nothing will.
constexpr uint64_t pollLimit = 4096;

uint64_t mix(uint64_t seed, uint64_t number) {
  return (seed + 1) * 0x9e3779b97f4a7c15 ^ (number + 1) * 0xbf58476d1ce4e5b9;
}

Extent3 clustersOf(const LaunchShape &shape) {
  return {shape.grid.x / shape.cluster.x, shape.grid.y / shape.cluster.y, shape.grid.z / shape.cluster.z};
}

} // namespace

Cluster::Cluster(Launch &launch, uint64_t number)
    : launch(launch), index(indexIn(clustersOf(launch.shape), number)), number(number),
      random(mix(launch.options.seed.value_or(0), number)) {
  const Extent3 &size = launch.shape.cluster;
  unsigned count = size.x * size.y * size.z;
  uint16_t parties = 0;
  for (unsigned rank = 0; rank < count; ++rank) {
    Index3 inside = indexIn(size, rank);
    Index3 block{index.x * size.x + inside.x, index.y * size.y + inside.y, index.z * size.z + inside.z};
    blocks.push_back(std::make_unique<Block>(*this, rank, block, parties));
    for (unsigned warp = 0; warp < blocks.back()->warpCount(); ++warp)
      warps.push_back(&blocks.back()->warp(warp));
    parties = static_cast<uint16_t>(warps.size());
  }
  nextParty = parties;
  for (auto &block : blocks)
    block->makeWarpgroups();
}

Cluster::~Cluster() = default;

void Cluster::report(Fault fault) {
  if (!found)
    found = std::move(fault);
  launch.stop.store(true, std::memory_order_relaxed);
}

Warp *Cluster::nextWarp(size_t &turn) {
  if (launch.options.seed)
    turn = random() % warps.size();
  for (size_t step = 0; step < warps.size(); ++step) {
    Warp &warp = *warps[(turn + step) % warps.size()];
    if (!warp.canRun())
      continue;
    turn = (turn + step + 1) % warps.size();
    return &warp;
  }
  return nullptr;
}

/// Lets something that is under way happen; false: nothing is. With a seed any, else the first.
bool Cluster::landOne() {
  size_t count = bulk.pendingLoads();
  for (auto &block : blocks)
    count += block->async.pendingArrives();
  if (count == 0)
    return false;
  size_t which = launch.options.seed ? random() % count : 0;
  for (auto &block : blocks) {
    if (which < block->async.pendingArrives()) {
      block->async.fire(*block, which);
      return true;
    }
    which -= block->async.pendingArrives();
  }
  bulk.land(which);
  return true;
}

void Cluster::run() {
  size_t turn = 0;
  // Another cluster's fault ends the launch, and this one with it: it may wait for that one.
  while (!found && !launch.stop.load(std::memory_order_relaxed)) {
    if (chance(16))
      landOne();
    Warp *warp = nextWarp(turn);
    bool isIdle = !warp || idlePolls > pollLimit * warps.size();
    if (isIdle && landOne()) {
      idlePolls = 0;
    } else if (isIdle) {
      if (std::all_of(blocks.begin(), blocks.end(), [](const auto &block) { return block->isDone(); }))
        break;
      reportDeadlock();
    } else {
      warp->run(launch.options.seed ? 1 + random() % 64 : quantum);
      if (!found && launch.steps.load(std::memory_order_relaxed) > launch.options.stepLimit)
        warp->fault(FaultKind::StepLimit, launch.program.code[std::min<size_t>(warp->pc, launch.program.code.size() - 1)], 0,
                    concat("the launch has executed more than ", launch.options.stepLimit,
                           " instructions; a thread may wait in a loop for what never happens"));
    }
  }
  if (!found)
    bulk.finish();
  uint64_t lanes = 0;
  for (const Warp *warp : warps)
    lanes += warp->laneSteps;
  launch.laneSteps.fetch_add(lanes, std::memory_order_relaxed);
}

void Cluster::reportDeadlock() {
  std::vector<Party> parties;
  size_t waiting = 0;
  for (const auto &block : blocks) {
    std::vector<Party> its;
    for (unsigned number = 0; number < block->warpCount(); ++number) {
      waiting += !block->warp(number).isDone();
      block->warp(number).describeWaits(its);
    }
    block->describeBarriers(its);
    parties.insert(parties.end(), its.begin(), its.end());
  }
  Place place;
  if (parties.empty())
    place.block = blocks.front()->index;
  else
    place = parties.front().place;
  report({FaultKind::Deadlock, launch.kernel.name, place,
          concat(waiting, " of ", warps.size(), " warps have not ended and none can go on"), std::nullopt, std::move(parties)});
}

void Cluster::completeBarrier() {
  bool isAnyArrived = false;
  for (const Warp *warp : warps) {
    if (warp->live & ~warp->clusterArrived)
      return;
    isAnyArrived |= warp->clusterArrived != 0;
  }
  if (!isAnyArrived)
    return;
  ++barrier.phase;
  barrier.completed.join(barrier.arrivals);
  idlePolls = 0;
  for (Warp *warp : warps) {
    warp->clusterPassed |= std::exchange(warp->clusterArrived, 0u);
    warp->wake(Wait::Kind::ClusterBarrier, 0, false);
  }
}
