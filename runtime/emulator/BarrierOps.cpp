// Barriers of a block, fences, and mbarriers.
//
// Fences do nothing: memory here is sequentially consistent, and what a missing fence would let happen is not modelled.
#include "runtime/Text.h"
#include "runtime/emulator/Block.h"
#include "runtime/emulator/Execute.h"
#include "runtime/emulator/MemoryAccess.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

// Named barriers.

enum Reduction : uint32_t { NoReduction, CountTrue, AllTrue, AnyTrue };

/// Barrier number and number of warps of an instruction whose barrier is operand `first`; false: a fault was reported.
bool readBarrier(Warp &warp, const Instruction &instruction, uint32_t lanes, unsigned first, bool hasCount, uint32_t &id,
                 uint32_t &warps) {
  unsigned lane = static_cast<unsigned>(std::countr_zero(lanes));
  id = static_cast<uint32_t>(warp.value(instruction.operand(first), lane));
  uint32_t threads = hasCount ? static_cast<uint32_t>(warp.value(instruction.operand(first + 1), lane)) : 0;
  warps = threads / warpSize;
  if (id >= 16)
    warp.fault(FaultKind::Barrier, instruction, lane, concat("barrier ", id, "; there are barriers 0 to 15"));
  else if (hasCount && (threads == 0 || threads % warpSize))
    warp.fault(FaultKind::Barrier, instruction, lane,
               concat("a barrier for ", threads, " threads, which is no positive multiple of 32"));
  else if (warps > warp.block.warpCount())
    warp.fault(FaultKind::Barrier, instruction, lane,
               concat("a barrier for ", threads, " threads, and the block has ", warp.block.threadCount()));
  else
    return true;
  return false;
}

/// The lanes wait; when all of the warp do, it has arrived.
Outcome waitAtBarrier(Warp &warp, const Instruction &instruction, uint32_t lanes, uint32_t id, uint32_t warps) {
  Block &block = warp.block;
  warp.waitFor(Wait::Kind::Barrier, id, 0, lanes);
  if (!warp.isAllAt(id))
    return Outcome::Waiting;
  std::string message;
  if (!block.arrive(id, warps, warp, message))
    return warp.fault(FaultKind::Barrier, instruction, static_cast<unsigned>(std::countr_zero(lanes)), std::move(message));
  block.completeIfFull(id);
  return Outcome::Waiting;
}

Outcome barrierSync(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint32_t id, warps;
  if (!readBarrier(warp, instruction, lanes, 0, instruction.operandCount > 1, id, warps))
    return Outcome::Fault;
  return waitAtBarrier(warp, instruction, lanes, id, warps);
}

Outcome barrierReduce(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint32_t id, warps;
  if (!readBarrier(warp, instruction, lanes, 1, instruction.operandCount > 3, id, warps))
    return Outcome::Fault;
  uint32_t predicate = warp.predicate(instruction.operand(instruction.operandCount - 1u));
  NamedBarrier &barrier = warp.block.barriers[id];
  barrier.popc += static_cast<uint32_t>(std::popcount(predicate & lanes));
  barrier.all &= (predicate & lanes) == lanes;
  barrier.any |= (predicate & lanes) != 0;
  return waitAtBarrier(warp, instruction, lanes, id, warps);
}

Outcome barrierArrive(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint32_t id, warps;
  if (!readBarrier(warp, instruction, lanes, 0, true, id, warps))
    return Outcome::Fault;
  std::string message;
  if (!warp.block.arrive(id, warps, warp, message))
    return warp.fault(FaultKind::Barrier, instruction, static_cast<unsigned>(std::countr_zero(lanes)), std::move(message));
  warp.block.completeIfFull(id);
  return Outcome::Next;
}

Outcome fence(Warp &, const Instruction &, uint32_t) {
  return Outcome::Next;
}

// mbarriers.

constexpr uint32_t mostArrivals = (1u << 20) - 1;

/// A phase and the arrivals that were pending in it, as mbarrier.arrive hands them out.
uint64_t stateOf(const Mbarrier &barrier) {
  return barrier.phase << 20 | barrier.pending;
}

/// The mbarrier at a lane's address, or null after a fault. It must have been initialized, in an order all agree on.
Mbarrier *find(Warp &warp, const Instruction &instruction, unsigned operand, unsigned lane, uint64_t &address) {
  address = warp.address(instruction.operand(operand), lane);
  if (!warp.sharedAddress(instruction, lane, address, 8))
    return nullptr;
  Block &block = warp.block;
  Mbarrier *barrier = block.mbarrier(static_cast<uint32_t>(address));
  if (!barrier) {
    warp.fault(FaultKind::Barrier, instruction, lane, "there is no mbarrier: nobody has initialized it", address);
    return nullptr;
  }
  const Accessor &first = barrier->initialized;
  bool ordered = first.warp == warp.number ? first.lane == lane || first.clock <= block.lastSync[warp.number]
                                           : block.clocks[warp.number][first.warp] >= first.clock;
  if (!ordered && block.launch.options.checkRaces) {
    warp.reportConflict(instruction, lane, address, {Conflict::Kind::AfterWrite, first, 0}, false);
    return nullptr;
  }
  return barrier;
}

Outcome initialize(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  for (unsigned lane : lanesOf(lanes)) {
    uint64_t address = warp.address(instruction.operand(0), lane);
    if (!warp.sharedAddress(instruction, lane, address, 8))
      return Outcome::Fault;
    uint32_t count = static_cast<uint32_t>(warp.value(instruction.operand(1), lane));
    if (count == 0 || count > mostArrivals)
      return warp.fault(FaultKind::Barrier, instruction, lane,
                        concat("an mbarrier for ", count, " arrivals; 1 to ", mostArrivals, " are allowed"), address);
    auto [place, isNew] = warp.block.mbarriers.try_emplace(static_cast<uint32_t>(address));
    if (!isNew)
      return warp.fault(FaultKind::Barrier, instruction, lane, "there is an mbarrier already, which was not invalidated",
                        address);
    place->second.expected = place->second.pending = count;
    place->second.initialized = warp.accessor(instruction, lane, WriteAccess);
  }
  return Outcome::Next;
}

Outcome invalidate(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  for (unsigned lane : lanesOf(lanes)) {
    uint64_t address;
    if (!find(warp, instruction, 0, lane, address))
      return Outcome::Fault;
    warp.block.mbarriers.erase(static_cast<uint32_t>(address));
  }
  return Outcome::Next;
}

enum Arrival : uint32_t { PlainArrival, Dropping, WithoutCompletion, Expecting };

/// Operand `first` is the address; before it may be a destination for the state.
Outcome arrive(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  unsigned first = instruction.detail2;
  Arrival kind = static_cast<Arrival>(instruction.detail);
  for (unsigned lane : lanesOf(lanes)) {
    uint64_t address;
    Mbarrier *barrier = find(warp, instruction, first, lane, address);
    if (!barrier)
      return Outcome::Fault;
    uint32_t given =
        instruction.operandCount > first + 1 ? static_cast<uint32_t>(warp.value(instruction.operand(first + 1), lane)) : 1;
    uint32_t count = kind == Expecting ? 1 : given;
    if (count > barrier->pending || count == 0)
      return warp.fault(
          FaultKind::Barrier, instruction, lane,
          concat(count, " arrivals at an mbarrier that waits for ", barrier->pending, " more in phase ", barrier->phase),
          address);
    uint64_t state = stateOf(*barrier);
    if (kind == Expecting)
      barrier->bytes += given;
    if (kind == Dropping)
      barrier->expected -= count;
    barrier->pending -= count;
    if (kind == WithoutCompletion && barrier->pending == 0)
      return warp.fault(FaultKind::Barrier, instruction, lane, "an arrival with .noComplete completes the phase", address);
    warp.block.release(warp.number, barrier->arrivals);
    warp.block.update(*barrier, static_cast<uint32_t>(address));
    if (first == 1)
      warp.setValue(instruction.operand(0), lane, state);
  }
  return Outcome::Next;
}

/// expect_tx and complete_tx: bytes that the phase waits for, without an arrival.
template <bool Completes> Outcome changeBytes(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  for (unsigned lane : lanesOf(lanes)) {
    uint64_t address;
    Mbarrier *barrier = find(warp, instruction, 0, lane, address);
    if (!barrier)
      return Outcome::Fault;
    int64_t bytes = static_cast<int64_t>(warp.value(instruction.operand(1), lane));
    barrier->bytes += Completes ? -bytes : bytes;
    if (Completes)
      warp.block.update(*barrier, static_cast<uint32_t>(address));
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

/// try_wait suspends the lanes until the phase is over; with a seed it sometimes gives up, as it may. test_wait never suspends.
template <bool ByParity, bool Suspends> Outcome testPhase(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint32_t over = 0, waiting = 0;
  uint64_t waitAddress = 0, waitPhase = 0;
  for (unsigned lane : lanesOf(lanes)) {
    uint64_t address, phase;
    Mbarrier *barrier = find(warp, instruction, 1, lane, address);
    if (!barrier)
      return Outcome::Fault;
    if (isOver(warp, instruction, *barrier, lane, ByParity, phase)) {
      over |= 1u << lane;
      if (!barrier->completed.empty())
        warp.block.acquire(warp.number, barrier->completed);
    } else if (!waiting || (address == waitAddress && phase == waitPhase)) {
      waiting |= 1u << lane;
      waitAddress = address;
      waitPhase = phase;
    }
  }
  if (Suspends && waiting && !warp.block.chance(8)) {
    uint32_t others = lanes & ~waiting;
    warp.setPredicate(instruction.operand(0), over, others);
    return warp.waitFor(Wait::Kind::Mbarrier, static_cast<uint32_t>(waitAddress), waitPhase, waiting);
  }
  warp.setPredicate(instruction.operand(0), over, lanes);
  if (over != lanes) {
    ++warp.block.idlePolls;
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

void deliverReduction(Warp &warp, const Instruction &instruction, uint32_t lanes, const NamedBarrier &barrier) {
  if (instruction.execute != &barrierReduce)
    return;
  if (instruction.detail == CountTrue)
    for (unsigned lane : lanesOf(lanes))
      warp.setValue(instruction.operand(0), lane, barrier.popc);
  else
    warp.setPredicate(instruction.operand(0), (instruction.detail == AllTrue ? barrier.all : barrier.any) ? allLanes : 0,
                      lanes);
}

Executor bindBarrierSync(const Mnemonic &mnemonic, Instruction &instruction) {
  bool isAligned = mnemonic.opcode->name.starts_with("bar.") || mnemonic.has("aligned");
  instruction.convergence = isAligned ? Convergence::Aligned : Convergence::None;
  return &barrierSync;
}
Executor bindBarrierArrive(const Mnemonic &, Instruction &instruction) {
  // Without .aligned, too, a warp arrives as a whole.
  instruction.convergence = Convergence::Aligned;
  return &barrierArrive;
}
Executor bindBarrierReduce(const Mnemonic &mnemonic, Instruction &instruction) {
  bool isAligned = mnemonic.opcode->name.starts_with("bar.") || mnemonic.has("aligned");
  instruction.convergence = isAligned ? Convergence::Aligned : Convergence::None;
  instruction.detail = mnemonic.has("popc")  ? CountTrue
                       : mnemonic.has("and") ? AllTrue
                       : mnemonic.has("or")  ? AnyTrue
                                             : NoReduction;
  bool fits = instruction.detail == CountTrue ? mnemonic.type() == Type::U32 : mnemonic.type() == Type::Pred;
  return fits && instruction.detail != NoReduction ? &barrierReduce : nullptr;
}
Executor bindFence(const Mnemonic &, Instruction &) {
  return &fence;
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
