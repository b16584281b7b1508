#include "runtime/emulator/Block.h"

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

Index3 indexOf(uint64_t number, const Extent3 &extent) {
  return {static_cast<uint32_t>(number % extent.x), static_cast<uint32_t>(number / extent.x % extent.y),
          static_cast<uint32_t>(number / extent.x / extent.y)};
}

} // namespace

Block::Block(Launch &launch, uint64_t number)
    : launch(launch), index(indexOf(number, launch.shape.grid)),
      shared(launch.kernel.dynamicOffset - sharedBase + launch.shape.dynamicSharedBytes),
      shadow(static_cast<uint32_t>(shared.size()),
             (launch.shape.block.x * launch.shape.block.y * launch.shape.block.z + 31) / 32),
      async(launch.shape.block.x * launch.shape.block.y * launch.shape.block.z), specials(offsetOf(Special::Count)),
      threads(launch.shape.block.x * launch.shape.block.y * launch.shape.block.z),
      random(mix(launch.options.seed.value_or(0), number)) {
  fillSpecials();
  unsigned count = (threads + warpSize - 1) / warpSize;
  clocks.assign(count, Clocks(count, 0));
  lastSync.assign(count, 0);
  for (unsigned warp = 0; warp < count; ++warp) {
    clocks[warp][warp] = 1;
    unsigned lanes = std::min(threads - warp * warpSize, warpSize);
    warps.push_back(std::make_unique<Warp>(*this, warp, lanes == warpSize ? allLanes : (1u << lanes) - 1));
  }
  // Contents before the first write are anything: a pattern that is a NaN in f16, bf16, f32 and f64 shows in results.
  std::fill(shared.begin(), shared.end(), std::byte(0xff));
}

Block::~Block() = default;

Index3 Block::threadIndex(unsigned thread) const {
  return indexOf(thread, launch.shape.block);
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
}

void Block::report(Fault fault) {
  if (!found)
    found = std::move(fault);
  launch.stop.store(true, std::memory_order_relaxed);
}

Warp *Block::nextWarp(size_t &turn) {
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

void Block::run() {
  size_t turn = 0;
  // Another block's fault ends the launch, and this block with it: it may wait for that one.
  while (!found && !launch.stop.load(std::memory_order_relaxed)) {
    if (chance(16) && async.hasPendingArrive())
      async.fire(*this, random() % async.pendingArrives());
    Warp *warp = nextWarp(turn);
    bool isIdle = !warp || idlePolls > pollLimit * warps.size();
    if (isIdle && async.hasPendingArrive()) {
      idlePolls = 0;
      async.fire(*this, 0);
    } else if (isIdle) {
      if (std::all_of(warps.begin(), warps.end(), [](const auto &one) { return one->isDone(); }))
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
  uint64_t lanes = 0;
  for (const auto &warp : warps)
    lanes += warp->laneSteps;
  launch.laneSteps.fetch_add(lanes, std::memory_order_relaxed);
}

void Block::reportDeadlock() {
  std::vector<Party> parties;
  size_t waiting = 0;
  for (const auto &warp : warps) {
    if (warp->isDone())
      continue;
    ++waiting;
    warp->describeWaits(parties);
  }
  for (unsigned id = 0; id < 16; ++id)
    if (barriers[id].isOpen && !parties.empty())
      parties.back().role += concat("; barrier ", id, " has ", barriers[id].arrived, " warps of ",
                                    barriers[id].expected ? std::to_string(barriers[id].expected) : "all");
  for (const auto &[offset, barrier] : mbarriers)
    if (!parties.empty())
      parties.back().role += concat("; the mbarrier at ", offset, " is in phase ", barrier.phase, " with ", barrier.pending,
                                    " arrivals of ", barrier.expected, " and ", barrier.bytes, " bytes pending");
  Place place;
  if (parties.empty())
    place.block = index;
  else
    place = parties.front().place;
  report({FaultKind::Deadlock, launch.kernel.name, place,
          concat(waiting, " of ", warps.size(), " warps have not ended and none can go on"), std::nullopt, std::move(parties)});
}

void Block::release(unsigned warp, Clocks &into) {
  if (into.empty())
    into.assign(warps.size(), 0);
  join(into, clocks[warp]);
  ++clocks[warp][warp];
}

/// What the warp's own lanes had released is ordered before what its lanes do from now on.
void Block::acquire(unsigned warp, const Clocks &from) {
  join(clocks[warp], from);
  lastSync[warp] = std::max(lastSync[warp], from[warp]);
}

void Block::orderLanes(unsigned warp) {
  lastSync[warp] = clocks[warp][warp]++;
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
  lastSync[warp.number] = clocks[warp.number][warp.number];
  release(warp.number, barrier.clocks);
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
  Clocks known = barrier.clocks;
  for (auto &warp : warps)
    if (warp->isAllAt(id)) {
      acquire(warp->number, known);
      warp->wake(Wait::Kind::Barrier, id, true, &barrier);
    }
  barrier.reset();
  idlePolls = 0;
}

/// A warp, or lanes of it, have exited: barriers for all wait for fewer now.
void Block::warpExited() {
  for (unsigned id = 0; id < 16; ++id)
    if (barriers[id].isOpen && barriers[id].expected == 0)
      completeIfFull(id);
}

Mbarrier *Block::mbarrier(uint32_t offset) {
  auto found = mbarriers.find(offset);
  return found == mbarriers.end() ? nullptr : &found->second;
}

void Block::update(Mbarrier &barrier, uint32_t offset) {
  idlePolls = 0;
  if (barrier.pending != 0 || barrier.bytes != 0)
    return;
  ++barrier.phase;
  barrier.pending = barrier.expected;
  if (!barrier.arrivals.empty()) {
    barrier.completed.resize(barrier.arrivals.size());
    join(barrier.completed, barrier.arrivals);
  }
  for (auto &warp : warps)
    warp->wake(Wait::Kind::Mbarrier, offset, false);
}
