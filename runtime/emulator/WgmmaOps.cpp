// wgmma.mma_async, fence, commit_group, wait_group, and what may be done with their registers meanwhile (Wgmma.h).
//
// A warp notes for each register that some wgmma of the kernel uses: the last wgmma that does, and the last other instruction
// that accessed it. The first tells whether it is in flight, the second whether a wgmma.fence is missing.
#include "runtime/emulator/Wgmma.h"

#include "runtime/Text.h"
#include "runtime/emulator/Cluster.h"
#include "runtime/emulator/Mnemonic.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

Outcome refuse(Warp &warp, const Instruction &instruction, std::string message, const Instruction *other, std::string role) {
  std::vector<Party> parties;
  if (other)
    parties.push_back({warp.place(*other, 0), std::move(role)});
  return warp.fault(FaultKind::Register, instruction, 0, std::move(message), std::nullopt, std::move(parties));
}

/// Whether a register that the wgmma uses was accessed by others since the last wgmma.fence.
bool isFenced(Warp &warp, const Instruction &instruction, const MatrixRegister &state) {
  if (state.accessStep <= warp.matrixFence)
    return true;
  refuse(warp, instruction, "a wgmma uses a register that was accessed before it: wgmma.fence is missing between the two",
         state.accessedBy, "the earlier access");
  return false;
}

/// The same shape with the same registers in the same places: PTX orders these by themselves.
bool isSameAccumulator(const Instruction &earlier, const Instruction &later) {
  if (earlier.width[0] != later.width[0] || WgmmaShape::of(earlier).d != WgmmaShape::of(later).d)
    return false;
  for (unsigned k = 0; k < earlier.width[0]; ++k)
    if (earlier.operand(0, k).offset != later.operand(0, k).offset)
      return false;
  return true;
}

bool takeAccumulators(Warp &warp, const Instruction &instruction, uint64_t covered, uint64_t number) {
  const Instruction *checked = nullptr;
  for (unsigned k = 0; k < instruction.width[0]; ++k) {
    MatrixRegister &state = warp.matrixRegister(instruction.operand(0, k));
    bool isInFlight = state.wgmma > covered;
    if (isInFlight && (!state.isAccumulator || (state.user != checked && !isSameAccumulator(*state.user, instruction)))) {
      refuse(warp, instruction, "a wgmma accumulates into a register that another one in flight uses otherwise", state.user,
             "the wgmma in flight");
      return false;
    }
    checked = state.user;
    if (!isFenced(warp, instruction, state))
      return false;
    state.wgmma = number;
    state.isAccumulator = true;
    state.user = &instruction;
  }
  return true;
}

bool takeRegistersOfA(Warp &warp, const Instruction &instruction, uint64_t covered, uint64_t number) {
  for (unsigned k = 0; k < instruction.width[1]; ++k) {
    MatrixRegister &state = warp.matrixRegister(instruction.operand(1, k));
    if (state.wgmma > covered && state.isAccumulator) {
      refuse(warp, instruction, "a wgmma reads A in a register that another one in flight accumulates into", state.user,
             "the wgmma in flight");
      return false;
    }
    if (!isFenced(warp, instruction, state))
      return false;
    state.wgmma = number;
    state.isAccumulator = false;
    state.user = &instruction;
  }
  return true;
}

/// A warp's value of an operand that all its lanes must agree in.
bool uniformValue(Warp &warp, const Instruction &instruction, unsigned operand, uint32_t lanes, uint64_t &value) {
  value = warp.value(instruction.operand(operand), 0);
  for (unsigned lane : lanesOf(lanes))
    if (warp.value(instruction.operand(operand), lane) != value) {
      warp.fault(FaultKind::Divergence, instruction, lane, "the lanes of a warp execute wgmma with different descriptors");
      return false;
    }
  return true;
}

Outcome multiply(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  Warpgroup *group = warp.block.warpgroup(warp.number);
  if (!group || lanes != allLanes)
    return warp.fault(FaultKind::Illegal, instruction, 0, "wgmma in a warpgroup of fewer than 128 threads");
  if (!warp.matrixFence)
    return refuse(warp, instruction, "a wgmma without a wgmma.fence before it", nullptr, {});
  WgmmaShape shape = WgmmaShape::of(instruction);
  uint64_t a = 0, b = 0, covered = group->coveredOf(warp), number = group->issuedBy(warp) + 1;
  if (!shape.isRegisterA && !uniformValue(warp, instruction, 1, lanes, a))
    return Outcome::Fault;
  if (!uniformValue(warp, instruction, 2, lanes, b) || !takeAccumulators(warp, instruction, covered, number) ||
      (shape.isRegisterA && !takeRegistersOfA(warp, instruction, covered, number)))
    return Outcome::Fault;
  uint32_t scale = warp.predicate(instruction.operand(3));
  if (scale != 0 && scale != allLanes)
    return warp.fault(FaultKind::Divergence, instruction, 0, "the lanes of a warp execute wgmma with different scale-d");
  return group->issue(warp, instruction, a, b, scale != 0) ? Outcome::Next : Outcome::Fault;
}

Outcome fence(Warp &warp, const Instruction &, uint32_t) {
  warp.beginMatrix();
  return Outcome::Next;
}

Outcome commit(Warp &warp, const Instruction &, uint32_t) {
  if (Warpgroup *group = warp.block.warpgroup(warp.number))
    group->commit(warp);
  return Outcome::Next;
}

Outcome wait(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  Warpgroup *group = warp.block.warpgroup(warp.number);
  if (!group || group->wait(warp, static_cast<uint32_t>(instruction.operand(0).value)))
    return Outcome::Next;
  return warp.waitFor(Wait::Kind::Warpgroup, warp.number / warpsPerGroup, 0, lanes);
}

/// "m64n128k16": N; 0 if the rest is not 64 and K.
unsigned columnsOf(const Mnemonic &mnemonic, unsigned k) {
  for (std::string_view modifier : mnemonic.modifiers) {
    if (!modifier.starts_with("m64n"))
      continue;
    size_t at = modifier.find('k');
    if (at == std::string_view::npos || modifier.substr(at + 1) != std::to_string(k))
      return 0;
    return static_cast<unsigned>(atoi(std::string(modifier.substr(4, at - 4)).c_str()));
  }
  return 0;
}

bool isInteger(Type type) {
  return type == Type::S8 || type == Type::U8;
}
bool isEightBitFloat(Type type) {
  return type == Type::E4M3 || type == Type::E5M2;
}

bool hasTypes(Type d, Type a, Type b) {
  if (isInteger(a))
    return isInteger(b) && d == Type::S32;
  if (isEightBitFloat(a))
    return isEightBitFloat(b) && (d == Type::F32 || d == Type::F16);
  if (a == Type::F16)
    return b == a && (d == Type::F32 || d == Type::F16);
  return (a == Type::BF16 || a == Type::TF32) && b == a && d == Type::F32;
}

/// Multiples of 8 up to 256; of integers, above 32 multiples of 16.
bool hasColumns(unsigned n, Type a) {
  return n >= 8 && n <= 256 && n % 8 == 0 && (!isInteger(a) || n % 16 == 0 || n == 8 || n == 24);
}

/// Signs and transpositions, in the operands behind scale-d. False: not as many as there must be, or another value.
bool readImmediates(const Instruction &instruction, WgmmaShape &shape) {
  bool hasTransposed = bytesOf(shape.a) == 2, hasScales = !isInteger(shape.a);
  unsigned count = 4 + (hasScales ? 2 : 0) + (hasTransposed ? (shape.isRegisterA ? 1 : 2) : 0);
  if (instruction.operandCount != count)
    return false;
  for (unsigned k = 4; k < count; ++k) {
    int64_t value = instruction.operand(k).value;
    bool isScale = k < 6;
    if (isScale ? value != 1 && value != -1 : value != 0 && value != 1)
      return false;
    if (isScale)
      shape.isNegated ^= value == -1;
    else if (k == 6 && !shape.isRegisterA)
      shape.isMnMajorA = value;
    else
      shape.isMnMajorB = value;
  }
  return true;
}

} // namespace

namespace tilewright::runtime::emulator {

bool Warp::checkMatrixRegisters(const Instruction &instruction) {
  Warpgroup *group = block.warpgroup(number);
  if (matrixRegisters.empty() || !group)
    return true;
  uint64_t covered = group->coveredOf(*this);
  unsigned count = 0;
  for (unsigned k = 0; k < instruction.operandCount; ++k)
    count += instruction.width[k];
  for (unsigned k = 0; k < count; ++k) {
    const Operand &operand = instruction.operands[k];
    if (operand.bank != Bank::Registers || operand.isSink || operand.bytes == 0)
      continue;
    MatrixRegister &state = matrixRegister(operand);
    if (state.wgmma > covered && (state.isAccumulator || operand.isWritten)) {
      refuse(*this, instruction,
             state.isAccumulator ? "an access to an accumulator of a wgmma that no wgmma.wait_group has covered"
                                 : "a write to a register in which a wgmma still reads A: no wgmma.wait_group has covered it",
             state.user, "the wgmma in flight");
      return false;
    }
    state.accessStep = steps + 1; // the instruction about to be executed
    state.accessedBy = &instruction;
  }
  return true;
}

Executor bindWgmma(const Mnemonic &mnemonic, Instruction &instruction) {
  instruction.convergence = Convergence::Aligned;
  if (mnemonic.types.size() != 3 || !hasTypes(mnemonic.type(0), mnemonic.type(1), mnemonic.type(2)))
    return nullptr;
  WgmmaShape shape;
  shape.d = mnemonic.type(0), shape.a = mnemonic.type(1), shape.b = mnemonic.type(2);
  shape.n = columnsOf(mnemonic, shape.k());
  shape.saturates = mnemonic.has("satfinite");
  if (!hasColumns(shape.n, shape.a) || (shape.saturates && !isInteger(shape.a)))
    return nullptr;
  if (instruction.operandCount) {
    shape.isRegisterA = instruction.operand(1).bytes == 4;
    bool fits = instruction.width[0] == shape.n / (shape.d == Type::F16 ? 4 : 2) &&
                instruction.width[1] == (shape.isRegisterA ? 4 : 1) && readImmediates(instruction, shape);
    if (!fits)
      return nullptr;
  }
  shape.store(instruction);
  return &multiply;
}

Executor bindWgmmaFence(const Mnemonic &, Instruction &instruction) {
  instruction.convergence = Convergence::Aligned;
  return &fence;
}
Executor bindWgmmaCommit(const Mnemonic &, Instruction &instruction) {
  instruction.convergence = Convergence::Aligned;
  return &commit;
}
Executor bindWgmmaWait(const Mnemonic &, Instruction &instruction) {
  instruction.convergence = Convergence::Aligned;
  return &wait;
}

} // namespace tilewright::runtime::emulator
