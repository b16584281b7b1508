// Branches, calls, ends.
#include "runtime/Text.h"
#include "runtime/emulator/Block.h"
#include "runtime/emulator/Builtins.h"
#include "runtime/emulator/Execute.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

Outcome branch(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  return warp.jump(lanes, static_cast<uint32_t>(instruction.operand(0).value));
}

Outcome branchByTable(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const std::vector<uint32_t> &table = warp.program.branchTables[static_cast<size_t>(instruction.operand(1).value)];
  std::array<uint32_t, warpSize> targets{};
  for (unsigned lane : lanesOf(lanes)) {
    uint64_t index = warp.value(instruction.operand(0), lane);
    if (index >= table.size())
      return warp.fault(FaultKind::Illegal, instruction, lane,
                        concat("brx.idx with index ", index, " into a table of ", table.size(), " targets"));
    targets[lane] = table[index];
  }
  return warp.jumpEach(lanes, targets);
}

Outcome call(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const Function &callee = warp.program.functions[warp.program.calls[instruction.detail].function];
  if (!callee.isDefined)
    return callBuiltin(warp, instruction, callee, lanes);
  return warp.callFunction(instruction, lanes);
}

Outcome returnFrom(Warp &warp, const Instruction &, uint32_t lanes) {
  return warp.returnFrom(lanes);
}

Outcome exitLanes(Warp &warp, const Instruction &, uint32_t lanes) {
  return warp.exitLanes(lanes);
}

Outcome trap(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  return warp.fault(FaultKind::Trap, instruction, static_cast<unsigned>(std::countr_zero(lanes)), "the kernel gave up");
}

Outcome nanosleep(Warp &warp, const Instruction &, uint32_t) {
  warp.yield();
  return Outcome::Next;
}

} // namespace

namespace tilewright::runtime::emulator {

Executor bindBranch(const Mnemonic &, Instruction &) {
  return &branch;
}
Executor bindBranchTable(const Mnemonic &, Instruction &) {
  return &branchByTable;
}
Executor bindCall(const Mnemonic &, Instruction &) {
  return &call;
}
Executor bindReturn(const Mnemonic &, Instruction &) {
  return &returnFrom;
}
Executor bindExit(const Mnemonic &, Instruction &) {
  return &exitLanes;
}
Executor bindTrap(const Mnemonic &, Instruction &) {
  return &trap;
}
Executor bindNanosleep(const Mnemonic &, Instruction &) {
  return &nanosleep;
}

} // namespace tilewright::runtime::emulator
