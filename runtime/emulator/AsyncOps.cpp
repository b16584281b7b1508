// cp.async and its groups (Async.h says when a copy happens).
#include "runtime/Text.h"
#include "runtime/emulator/Block.h"
#include "runtime/emulator/Execute.h"
#include "runtime/emulator/MemoryAccess.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

/// Bytes that are read: the third operand's, or fewer by the fourth (a size, or a predicate to read nothing).
uint32_t sourceBytes(Warp &warp, const Instruction &instruction, unsigned lane, uint32_t bytes) {
  if (instruction.operandCount < 4)
    return bytes;
  const Operand &last = instruction.operand(3);
  uint64_t value = warp.value(last, lane);
  if (last.bytes == 0)
    return value ? 0 : bytes;
  return static_cast<uint32_t>(value);
}

Outcome copyAsync(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  Block &block = warp.block;
  uint32_t bytes = static_cast<uint32_t>(instruction.operand(2).value);
  for (unsigned lane : lanesOf(lanes)) {
    uint64_t destination = warp.address(instruction.operand(0), lane), from = warp.address(instruction.operand(1), lane);
    SharedPlace to;
    if (!warp.sharedAddress(instruction, lane, destination, bytes, bytes, to))
      return Outcome::Fault;
    Copy copy;
    copy.who = warp.accessor(instruction, lane, WriteAccess);
    copy.destination = to.offset();
    copy.bytes = bytes;
    copy.sourceBytes = sourceBytes(warp, instruction, lane, bytes);
    if (copy.sourceBytes > bytes)
      return warp.fault(FaultKind::Illegal, instruction, lane,
                        concat("cp.async reads ", copy.sourceBytes, " bytes for a copy of ", bytes));
    if (from & (bytes - 1))
      return warp.fault(FaultKind::Misaligned, instruction, lane,
                        concat("a copy of ", bytes, " bytes from an address that ", bytes, " does not divide"), from);
    for (uint32_t at = 0; at < copy.sourceBytes; ++at) {
      // The part that is read need not be a power of two; its two ends tell whether it is in range.
      if (at != 0 && at + 1 != copy.sourceBytes)
        continue;
      const std::byte *place = warp.access(instruction, lane, Space::Global, from + at, 1, ReadAccess);
      if (!place)
        return Outcome::Fault;
      if (at == 0)
        copy.source = place;
    }
    if (block.launch.options.checkRaces)
      if (auto conflict = block.shadow.begin(copy.destination, bytes, warp.actor(copy.who, lane))) {
        warp.reportConflict(instruction, lane, destination, *conflict, true);
        return Outcome::Fault;
      }
    block.async.issue(block, warp.number * warpSize + lane, copy);
  }
  return Outcome::Next;
}

Outcome commitGroup(Warp &warp, const Instruction &, uint32_t lanes) {
  for (unsigned lane : lanesOf(lanes))
    warp.block.async.commit(warp.number * warpSize + lane);
  return Outcome::Next;
}

Outcome waitGroup(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  for (unsigned lane : lanesOf(lanes))
    warp.block.async.wait(warp.block, warp.number * warpSize + lane, static_cast<uint32_t>(instruction.operand(0).value));
  return Outcome::Next;
}

Outcome waitAll(Warp &warp, const Instruction &, uint32_t lanes) {
  for (unsigned lane : lanesOf(lanes))
    warp.block.async.waitAll(warp.block, warp.number * warpSize + lane);
  return Outcome::Next;
}

/// Without .noinc (detail 0) the phase first waits for one arrival more, so that the copy's own changes nothing.
Outcome arriveAfterCopies(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  Block &block = warp.block;
  for (unsigned lane : lanesOf(lanes)) {
    uint64_t address = warp.address(instruction.operand(0), lane);
    SharedPlace place;
    if (!warp.sharedAddress(instruction, lane, address, 8, 8, place))
      return Outcome::Fault;
    Mbarrier *barrier = place.block == &block ? block.mbarrier(place.address) : nullptr;
    if (!barrier)
      return warp.fault(FaultKind::Barrier, instruction, lane, "there is no mbarrier: nobody has initialized it", address);
    if (!instruction.detail)
      ++barrier->pending;
    block.async.arriveAfter(warp.number * warpSize + lane, place.address, warp.accessor(instruction, lane, WriteAccess));
  }
  return Outcome::Next;
}

} // namespace

namespace tilewright::runtime::emulator {

Executor bindCopyAsync(const Mnemonic &mnemonic, Instruction &instruction) {
  instruction.space = Space::Shared;
  if (!mnemonic.has("global") || mnemonic.oneOf("shared shared::cta").empty())
    return nullptr;
  int64_t bytes = instruction.operandCount ? instruction.operand(2).value : 16;
  bool fits = mnemonic.has("cg") ? bytes == 16 : bytes == 4 || bytes == 8 || bytes == 16;
  return fits ? &copyAsync : nullptr;
}
Executor bindCopyCommit(const Mnemonic &, Instruction &) {
  return &commitGroup;
}
Executor bindCopyWait(const Mnemonic &, Instruction &) {
  return &waitGroup;
}
Executor bindCopyWaitAll(const Mnemonic &, Instruction &) {
  return &waitAll;
}
Executor bindCopyArrive(const Mnemonic &mnemonic, Instruction &instruction) {
  instruction.detail = mnemonic.has("noinc");
  instruction.space = spaceOf(mnemonic);
  return &arriveAfterCopies;
}

} // namespace tilewright::runtime::emulator
