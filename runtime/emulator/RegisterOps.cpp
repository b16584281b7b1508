// setmaxnreg: warps give registers back to their block's pool, and take them from it.
//
// A kernel begins with as many registers per thread as .maxnreg says, or as fit when .minnctapersm blocks share a
// multiprocessor; without either, ptxas ignores the instruction, and so does this.
#include "runtime/Text.h"
#include "runtime/emulator/Block.h"
#include "runtime/emulator/Mnemonic.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

/// All warps of a warpgroup execute the same instructions of this kind, in the same order.
bool isTheGroups(Warp &warp, const Instruction &instruction) {
  std::vector<const Instruction *> &steps = warp.block.registerSteps[warp.number / warpsPerGroup];
  if (steps.size() == warp.registerStep)
    steps.push_back(&instruction);
  return steps[warp.registerStep] == &instruction;
}

Outcome setRegisters(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  Block &block = warp.block;
  uint32_t wanted = static_cast<uint32_t>(instruction.operand(0).value);
  if (!warp.registersPerThread)
    return Outcome::Next;
  unsigned lane = static_cast<unsigned>(std::countr_zero(lanes));
  bool takes = instruction.detail;
  if (takes ? wanted < warp.registersPerThread : wanted > warp.registersPerThread)
    return warp.fault(FaultKind::Illegal, instruction, lane,
                      concat("setmaxnreg", takes ? ".inc" : ".dec", " to ", wanted, " registers by a warp that has ",
                             warp.registersPerThread));
  if (!isTheGroups(warp, instruction))
    return warp.fault(FaultKind::Divergence, instruction, lane,
                      "the warps of a warpgroup execute different setmaxnreg instructions");
  uint32_t difference = (takes ? wanted - warp.registersPerThread : warp.registersPerThread - wanted) * warpSize;
  if (takes && difference > block.freeRegisters)
    return warp.waitFor(Wait::Kind::Registers, 0, wanted, lanes);
  block.freeRegisters += takes ? -difference : difference;
  warp.registersPerThread = wanted;
  ++warp.registerStep;
  if (!takes)
    for (unsigned number = 0; number < block.warpCount(); ++number)
      block.warp(number).wake(Wait::Kind::Registers, 0, false);
  return Outcome::Next;
}

} // namespace

namespace tilewright::runtime::emulator {

Executor bindSetRegisters(const Mnemonic &mnemonic, Instruction &instruction) {
  instruction.convergence = Convergence::Aligned;
  instruction.detail = mnemonic.has("inc");
  int64_t count = instruction.operandCount ? instruction.operand(0).value : 24;
  bool fits = mnemonic.type() == Type::U32 && mnemonic.has("inc") != mnemonic.has("dec");
  return fits && count >= 24 && count <= 256 && count % 8 == 0 ? &setRegisters : nullptr;
}

} // namespace tilewright::runtime::emulator
