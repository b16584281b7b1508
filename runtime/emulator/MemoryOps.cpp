// ld and st of all spaces, sizes and vectors.
//
// Blocks may run on several host threads, and kernels may talk across blocks by flags: memory is read and written by atomic
// instructions of the host, element by element, which costs nothing on x86 and says nothing about races between blocks.
#include "runtime/emulator/Execute.h"
#include "runtime/emulator/MemoryAccess.h"

using namespace tilewright::runtime::emulator;

namespace {

using Bytes16 = unsigned __int128;

template <typename T> T atomicLoad(const std::byte *from) {
  if constexpr (sizeof(T) == 16) {
    T value;
    memcpy(&value, from, 16);
    return value;
  } else {
    return __atomic_load_n(reinterpret_cast<const T *>(from), __ATOMIC_ACQUIRE);
  }
}

template <typename T> void atomicStore(std::byte *to, T value) {
  if constexpr (sizeof(T) == 16)
    memcpy(to, &value, 16);
  else
    __atomic_store_n(reinterpret_cast<T *>(to), value, __ATOMIC_RELEASE);
}

/// detail: elements; detail2: strong or not. Memory's type says how it is extended to the register's.
template <typename Memory, typename Register> Outcome load(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const Operand &base = instruction.operand(1);
  uint32_t count = instruction.detail, bytes = count * sizeof(Memory);
  uint8_t bits = static_cast<uint8_t>(ReadAccess | instruction.detail2);
  uint64_t addresses[warpSize];
  warp.addresses(base, addresses);
  for (unsigned lane : lanesOf(lanes)) {
    const std::byte *from = warp.quickGlobal(instruction, instruction.space, addresses[lane], bytes, bits);
    if (!from)
      from = warp.access(instruction, lane, instruction.space, addresses[lane], bytes, bits);
    if (!from)
      return Outcome::Fault;
    for (uint32_t k = 0; k < count; ++k)
      warp.out<Register>(instruction.operand(0, k))[lane] =
          static_cast<Register>(atomicLoad<Memory>(from + k * sizeof(Memory)));
  }
  return Outcome::Next;
}

/// The same from shared memory, weak: the commonest load of a kernel that works on tiles.
template <typename Memory, typename Register> Outcome loadShared(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint32_t count = instruction.detail;
  uint64_t addresses[warpSize];
  const std::byte *places[warpSize];
  warp.addresses(instruction.operand(1), addresses);
  if (!warp.sharedReads(instruction, lanes, addresses, count * sizeof(Memory), places))
    return Outcome::Fault;
  for (uint32_t k = 0; k < count; ++k) {
    Register *result = warp.out<Register>(instruction.operand(0, k));
    for (unsigned lane : lanesOf(lanes))
      result[lane] = static_cast<Register>(atomicLoad<Memory>(places[lane] + k * sizeof(Memory)));
  }
  return Outcome::Next;
}

/// A kernel's parameter, whose address is a constant: one load for all lanes.
template <typename Memory, typename Register>
Outcome loadParameter(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  unsigned first = static_cast<unsigned>(std::countr_zero(lanes));
  uint32_t count = instruction.detail;
  const std::byte *from = warp.access(instruction, first, Space::Parameter, warp.address(instruction.operand(1), first),
                                      count * sizeof(Memory), ReadAccess);
  if (!from)
    return Outcome::Fault;
  for (uint32_t k = 0; k < count; ++k) {
    Register value = static_cast<Register>(atomicLoad<Memory>(from + k * sizeof(Memory)));
    for (unsigned lane : lanesOf(lanes))
      warp.out<Register>(instruction.operand(0, k))[lane] = value;
  }
  return Outcome::Next;
}

template <typename Memory, typename Register> Outcome store(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const Operand &base = instruction.operand(0);
  uint32_t count = instruction.detail, bytes = count * sizeof(Memory);
  uint8_t bits = static_cast<uint8_t>(WriteAccess | instruction.detail2);
  uint64_t addresses[warpSize];
  warp.addresses(base, addresses);
  for (unsigned lane : lanesOf(lanes)) {
    Memory values[32 / sizeof(Memory)];
    for (uint32_t k = 0; k < count; ++k)
      values[k] = static_cast<Memory>(warp.in<Register>(instruction.operand(1, k))[lane]);
    std::byte *to = warp.quickGlobal(instruction, instruction.space, addresses[lane], bytes, bits);
    if (!to)
      to = warp.access(instruction, lane, instruction.space, addresses[lane], bytes, bits, values);
    if (!to)
      return Outcome::Fault;
    for (uint32_t k = 0; k < count; ++k)
      atomicStore(to + k * sizeof(Memory), values[k]);
  }
  return Outcome::Next;
}

template <template <typename, typename> typename Make, typename Memory> Executor byRegister(unsigned bytes) {
  switch (bytes) {
  case 2:
    return Make<Memory, std::conditional_t<std::is_signed_v<Memory>, int16_t, uint16_t>>::executor();
  case 4:
    return Make<Memory, std::conditional_t<std::is_signed_v<Memory>, int32_t, uint32_t>>::executor();
  case 8:
    return Make<Memory, std::conditional_t<std::is_signed_v<Memory>, int64_t, uint64_t>>::executor();
  case 16:
    return Make<Memory, Bytes16>::executor();
  default:
    return nullptr;
  }
}

template <typename Memory, typename Register> struct MakeLoad {
  static Executor executor() { return sizeof(Register) >= sizeof(Memory) ? &load<Memory, Register> : nullptr; }
};
template <typename Memory, typename Register> struct MakeLoadShared {
  static Executor executor() { return sizeof(Register) >= sizeof(Memory) ? &loadShared<Memory, Register> : nullptr; }
};
template <typename Memory, typename Register> struct MakeLoadParameter {
  static Executor executor() { return sizeof(Register) >= sizeof(Memory) ? &loadParameter<Memory, Register> : nullptr; }
};
template <typename Memory, typename Register> struct MakeStore {
  static Executor executor() { return sizeof(Register) >= sizeof(Memory) ? &store<Memory, Register> : nullptr; }
};

template <template <typename, typename> typename Make> Executor byMemory(Type type, unsigned registerBytes) {
  switch (bytesOf(type)) {
  case 1:
    return isSigned(type) ? byRegister<Make, int8_t>(registerBytes) : byRegister<Make, uint8_t>(registerBytes);
  case 2:
    return isSigned(type) ? byRegister<Make, int16_t>(registerBytes) : byRegister<Make, uint16_t>(registerBytes);
  case 4:
    return isSigned(type) ? byRegister<Make, int32_t>(registerBytes) : byRegister<Make, uint32_t>(registerBytes);
  case 8:
    return byRegister<Make, uint64_t>(registerBytes);
  case 16:
    return byRegister<Make, Bytes16>(registerBytes);
  default:
    return nullptr;
  }
}

/// What ld and st have in common; `data` and `address` are their operands. Null bytes: no such instruction.
unsigned prepare(const Mnemonic &mnemonic, Instruction &instruction, unsigned data, unsigned address) {
  uint32_t count = mnemonic.has("v8") ? 8 : mnemonic.has("v4") ? 4 : mnemonic.has("v2") ? 2 : 1;
  instruction.detail = count;
  instruction.detail2 = strengthOf(mnemonic);
  instruction.space = spaceOf(mnemonic);
  if (mnemonic.types.size() != 1 || count * bytesOf(mnemonic.type()) > 32)
    return 0;
  if (instruction.operandCount == 0)
    return std::max(bytesOf(mnemonic.type()), 2u);
  const Operand &base = instruction.operand(address);
  if (base.isVariable && (instruction.space == Space::Parameter || instruction.space == Space::Generic))
    instruction.space = base.space;
  if (instruction.width[data] != count)
    return 0;
  unsigned bytes = instruction.operand(data).isSink && count > 1 ? instruction.operand(data, count - 1).bytes
                                                                 : instruction.operand(data).bytes;
  for (uint32_t k = 0; k < count; ++k) {
    unsigned its = instruction.operand(data, k).bytes;
    if (its != bytes && !instruction.operand(data, k).isSink)
      return 0;
  }
  return bytes;
}

} // namespace

Space tilewright::runtime::emulator::spaceOf(const Mnemonic &mnemonic) {
  for (std::string_view modifier : mnemonic.modifiers) {
    if (modifier == "global")
      return Space::Global;
    if (modifier == "shared" || modifier == "shared::cta")
      return Space::Shared;
    if (modifier == "shared::cluster")
      return Space::SharedCluster;
    if (modifier == "local")
      return Space::Local;
    if (modifier == "const")
      return Space::Const;
    if (modifier.starts_with("param"))
      return Space::Parameter;
  }
  return Space::Generic;
}

uint8_t tilewright::runtime::emulator::strengthOf(const Mnemonic &mnemonic) {
  return mnemonic.oneOf("volatile relaxed acquire release acq_rel mmio").empty() ? 0 : StrongAccess;
}

namespace tilewright::runtime::emulator {

Executor bindLoad(const Mnemonic &mnemonic, Instruction &instruction) {
  unsigned bytes = prepare(mnemonic, instruction, 0, 1);
  if (bytes && instruction.space == Space::Parameter && instruction.operandCount && instruction.operand(1).isVariable)
    return byMemory<MakeLoadParameter>(mnemonic.type(), bytes);
  if (bytes && instruction.space == Space::Shared && !instruction.detail2)
    return byMemory<MakeLoadShared>(mnemonic.type(), bytes);
  return bytes ? byMemory<MakeLoad>(mnemonic.type(), bytes) : nullptr;
}

Executor bindStore(const Mnemonic &mnemonic, Instruction &instruction) {
  unsigned bytes = prepare(mnemonic, instruction, 1, 0);
  if (instruction.space == Space::Const)
    return nullptr;
  return bytes ? byMemory<MakeStore>(mnemonic.type(), bytes) : nullptr;
}

} // namespace tilewright::runtime::emulator
