// mbarriers: arrivals, bytes, and waits for phases.
#include "runtime/Text.h"
#include "runtime/emulator/Cluster.h"
#include "runtime/emulator/Execute.h"
#include "runtime/emulator/MemoryAccess.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

constexpr uint32_t mostArrivals = (1u << 20) - 1;

/// A phase and the arrivals that were pending in it, as mbarrier.arrive hands them out.
uint64_t stateOf(const Mbarrier &barrier) {
  return barrier.phase << 20 | barrier.pending;
}

/// The mbarrier at a lane's address, or null after a fault. It must have been initialized, in an order all agree on.
Mbarrier *find(Warp &warp, const Instruction &instruction, unsigned operand, unsigned lane, SharedPlace &place) {
  uint64_t address = warp.address(instruction.operand(operand), lane);
  if (!warp.sharedAddress(instruction, lane, address, 8, 8, place))
    return nullptr;
  return findMbarrier(warp, instruction, lane, place);
}

Outcome initialize(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  for (unsigned lane : lanesOf(lanes)) {
    uint64_t address = warp.address(instruction.operand(0), lane);
    SharedPlace place;
    if (!warp.sharedAddress(instruction, lane, address, 8, 8, place))
      return Outcome::Fault;
    uint32_t count = static_cast<uint32_t>(warp.value(instruction.operand(1), lane));
    if (count == 0 || count > mostArrivals)
      return warp.fault(FaultKind::Barrier, instruction, lane,
                        concat("an mbarrier for ", count, " arrivals; 1 to ", mostArrivals, " are allowed"), address);
    Mbarrier *barrier = place.block->newMbarrier(place.address);
    if (!barrier)
      return warp.fault(FaultKind::Barrier, instruction, lane, "there is an mbarrier already, which was not invalidated",
                        address);
    barrier->expected = barrier->pending = count;
    barrier->initialized = warp.accessor(instruction, lane, WriteAccess);
  }
  return Outcome::Next;
}

Outcome invalidate(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  for (unsigned lane : lanesOf(lanes)) {
    SharedPlace place;
    if (!find(warp, instruction, 0, lane, place))
      return Outcome::Fault;
    place.block->removeMbarrier(place.address);
  }
  return Outcome::Next;
}

enum Arrival : uint32_t { PlainArrival, Dropping, WithoutCompletion, Expecting };

/// Operand `first` is the address; before it may be a destination for the state.
Outcome arrive(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  unsigned first = instruction.detail2;
  Arrival kind = static_cast<Arrival>(instruction.detail);
  for (unsigned lane : lanesOf(lanes)) {
    SharedPlace place;
    Mbarrier *barrier = find(warp, instruction, first, lane, place);
    if (!barrier)
      return Outcome::Fault;
    uint32_t given =
        instruction.operandCount > first + 1 ? static_cast<uint32_t>(warp.value(instruction.operand(first + 1), lane)) : 1;
    uint32_t count = kind == Expecting ? 1 : given;
    if (count > barrier->pending || count == 0)
      return warp.fault(
          FaultKind::Barrier, instruction, lane,
          concat(count, " arrivals at an mbarrier that waits for ", barrier->pending, " more in phase ", barrier->phase),
          place.address);
    uint64_t state = stateOf(*barrier);
    if (kind == Expecting)
      barrier->bytes += given;
    if (kind == Dropping)
      barrier->expected -= count;
    barrier->pending -= count;
    if (kind == WithoutCompletion && barrier->pending == 0)
      return warp.fault(FaultKind::Barrier, instruction, lane, "an arrival with .noComplete completes the phase",
                        place.address);
    warp.release(barrier->arrivals);
    place.block->update(*barrier, place.address);
    if (first == 1)
      warp.setValue(instruction.operand(0), lane, state);
  }
  return Outcome::Next;
}

/// expect_tx and complete_tx: bytes that the phase waits for, without an arrival.
template <bool Completes> Outcome changeBytes(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  for (unsigned lane : lanesOf(lanes)) {
    SharedPlace place;
    Mbarrier *barrier = find(warp, instruction, 0, lane, place);
    if (!barrier)
      return Outcome::Fault;
    int64_t bytes = static_cast<int64_t>(warp.value(instruction.operand(1), lane));
    barrier->bytes += Completes ? -bytes : bytes;
    if (Completes)
      place.block->update(*barrier, place.address);
  }
  return Outcome::Next;
}

/// Whether the phase that a lane waits for is over. With .parity it is the current one or the one before, told by its last bit.
bool isOver(Warp &warp, const Instruction &instruction, const Mbarrier &barrier, unsigned lane, bool byParity,
            uint64_t &phase) {
  uint64_t given = warp.value(instruction.operand(2), lane);
  phase = byParity ? (barrier.phase & 1) == (given & 1) ? barrier.phase : barrier.phase - 1 : given >> 20;
  return barrier.phase > phase || (byParity && phase + 1 == barrier.phase);
}

/// test_wait never suspends. try_wait suspends the lanes until the phase is over, but gives up once before it does (with a
/// seed, sometimes again), as it may: who does not ask again is found out.
template <bool ByParity, bool Suspends> Outcome testPhase(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint32_t over = 0, waiting = 0;
  uint64_t waitAddress = 0, waitPhase = 0;
  for (unsigned lane : lanesOf(lanes)) {
    uint64_t phase;
    SharedPlace place;
    Mbarrier *barrier = find(warp, instruction, 1, lane, place);
    if (!barrier)
      return Outcome::Fault;
    if (isOver(warp, instruction, *barrier, lane, ByParity, phase)) {
      over |= 1u << lane;
      warp.acquire(barrier->completed);
    } else if (!waiting || (place.address == waitAddress && phase == waitPhase)) {
      waiting |= 1u << lane;
      waitAddress = place.address;
      waitPhase = phase;
    }
  }
  bool givesUp = warp.lastTry != &instruction || warp.block.chance(8);
  warp.lastTry = waiting ? &instruction : nullptr;
  if (Suspends && waiting && !givesUp) {
    uint32_t others = lanes & ~waiting;
    warp.setPredicate(instruction.operand(0), over, others);
    return warp.waitFor(Wait::Kind::Mbarrier, static_cast<uint32_t>(waitAddress), waitPhase, waiting);
  }
  warp.setPredicate(instruction.operand(0), over, lanes);
  if (over != lanes) {
    ++warp.block.cluster.idlePolls;
    warp.yield();
  }
  return Outcome::Next;
}

Outcome pendingCount(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  for (unsigned lane : lanesOf(lanes))
    warp.setValue(instruction.operand(0), lane, warp.value(instruction.operand(1), lane) & mostArrivals);
  return Outcome::Next;
}

Executor inShared(const Mnemonic &mnemonic, Instruction &instruction, Executor executor) {
  instruction.space = spaceOf(mnemonic);
  return executor;
}

Executor bindArrival(const Mnemonic &mnemonic, Instruction &instruction, Arrival kind) {
  instruction.detail = kind;
  instruction.detail2 = instruction.operandCount && instruction.operand(0).kind == Operand::Kind::Lanes ? 1 : 0;
  return inShared(mnemonic, instruction, &arrive);
}

} // namespace

namespace tilewright::runtime::emulator {

Mbarrier *findMbarrier(Warp &warp, const Instruction &instruction, unsigned lane, const SharedPlace &place) {
  Mbarrier *barrier = place.block->mbarrier(place.address);
  if (!barrier) {
    warp.fault(FaultKind::Barrier, instruction, lane, "there is no mbarrier: nobody has initialized it", place.address);
    return nullptr;
  }
  if (!warp.block.launch.options.checkRaces)
    return barrier;
  const Accessor &first = barrier->initialized;
  bool isOrdered = first.party == warp.party ? first.lane == lane || first.clock <= warp.lastSync
                                             : warp.known.clocks[first.party] >= first.clock;
  if (!isOrdered) {
    warp.reportConflict(instruction, lane, place.address, {Conflict::Kind::AfterWrite, first, 0}, false);
    return nullptr;
  }
  if (place.block != &warp.block && !barrier->isPublished) {
    Warp &other = warp.block.cluster.warp(first.party);
    warp.fault(
        FaultKind::Barrier, instruction, lane,
        "another block's mbarrier, whose initialization is not visible to the cluster: fence.mbarrier_init is missing after "
        "it",
        place.address, {{other.place(warp.program.code[first.instruction], first.lane), "the initialization"}});
    return nullptr;
  }
  return barrier;
}

Executor bindMbarrierInit(const Mnemonic &mnemonic, Instruction &instruction) {
  return inShared(mnemonic, instruction, &initialize);
}
Executor bindMbarrierInval(const Mnemonic &mnemonic, Instruction &instruction) {
  return inShared(mnemonic, instruction, &invalidate);
}
Executor bindMbarrierArrive(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindArrival(mnemonic, instruction, PlainArrival);
}
Executor bindMbarrierArriveDrop(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindArrival(mnemonic, instruction, Dropping);
}
Executor bindMbarrierArriveNoComplete(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindArrival(mnemonic, instruction, WithoutCompletion);
}
Executor bindMbarrierArriveExpect(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindArrival(mnemonic, instruction, Expecting);
}
Executor bindMbarrierExpect(const Mnemonic &mnemonic, Instruction &instruction) {
  return inShared(mnemonic, instruction, &changeBytes<false>);
}
Executor bindMbarrierComplete(const Mnemonic &mnemonic, Instruction &instruction) {
  return inShared(mnemonic, instruction, &changeBytes<true>);
}
Executor bindMbarrierTest(const Mnemonic &mnemonic, Instruction &instruction) {
  return inShared(mnemonic, instruction, &testPhase<false, false>);
}
Executor bindMbarrierTestParity(const Mnemonic &mnemonic, Instruction &instruction) {
  return inShared(mnemonic, instruction, &testPhase<true, false>);
}
Executor bindMbarrierTry(const Mnemonic &mnemonic, Instruction &instruction) {
  return inShared(mnemonic, instruction, &testPhase<false, true>);
}
Executor bindMbarrierTryParity(const Mnemonic &mnemonic, Instruction &instruction) {
  return inShared(mnemonic, instruction, &testPhase<true, true>);
}
Executor bindMbarrierPending(const Mnemonic &, Instruction &) {
  return &pendingCount;
}

} // namespace tilewright::runtime::emulator
