// Named barriers of a block, and fences.
//
// Fences do nothing: memory here is sequentially consistent, and what a missing fence would let happen is not modelled.
#include "runtime/Text.h"
#include "runtime/emulator/Cluster.h"
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

/// detail: whether other blocks see what came before; detail2: whether bulk copies see mbarriers.
Outcome fence(Warp &warp, const Instruction &instruction, uint32_t) {
  warp.block.publishMbarriers(warp.party, instruction.detail, instruction.detail2);
  return Outcome::Next;
}

Outcome fenceProxy(Warp &warp, const Instruction &, uint32_t lanes) {
  warp.fenceProxy(lanes);
  warp.block.publishMbarriers(warp.party, false, true);
  return Outcome::Next;
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
Executor bindFence(const Mnemonic &mnemonic, Instruction &instruction) {
  instruction.detail = !mnemonic.oneOf("cluster gpu gl sys").empty();
  instruction.detail2 = mnemonic.opcode->name == "fence.mbarrier_init";
  return &fence;
}
Executor bindFenceProxy(const Mnemonic &mnemonic, Instruction &) {
  return mnemonic.has("global") ? &fence : &fenceProxy;
}

} // namespace tilewright::runtime::emulator
