// atom and red.
//
// In global memory they are atomic for the host's threads too; floats and pairs of halves go by compare-and-swap. Lanes of a
// warp take turns in order.
//
// A sum of f32 in global memory takes subnormal numbers for zero, and gives none, whatever is written; one in shared memory keeps
// them. So does an H200.
#include "runtime/emulator/Atomic.h"
#include "runtime/emulator/FloatMath.h"
#include "runtime/emulator/MemoryAccess.h"

using namespace tilewright::runtime::emulator;

namespace {

using Operation = AtomicOperation;

template <typename T> T extreme(T a, T b, bool isMax) {
  return (a < b) != isMax ? a : b;
}

template <typename Half> uint16_t addHalves(uint16_t a, uint16_t b) {
  double sum = fusedToOdd(widen(Half{a}), 1, widen(Half{b}));
  return static_cast<uint16_t>(encode(Half::format, sum, Rounding::NearestEven));
}
template <typename Half> uint16_t extremeHalf(uint16_t a, uint16_t b, bool isMax) {
  double x = widen(Half{a}), y = widen(Half{b});
  return x != x ? b : y != y ? a : (x < y) != isMax ? a : b;
}
template <typename Half> uint16_t halfOperation(Operation operation, uint16_t a, uint16_t b) {
  return operation == Operation::Add ? addHalves<Half>(a, b) : extremeHalf<Half>(a, b, operation == Operation::Max);
}

float sum(float a, float b, bool flushes) {
  return flushes ? finished<true, false>(flushed<true>(a) + flushed<true>(b)) : finished<false, false>(a + b);
}

/// The new value; T is an unsigned type of the access's size. flushes: of subnormal f32.
template <typename T> T computed(Operation operation, Type type, bool flushes, T old, T value, T swap) {
  switch (operation) {
  case Operation::And:
    return old & value;
  case Operation::Or:
    return old | value;
  case Operation::Xor:
    return old ^ value;
  case Operation::Exchange:
    return value;
  case Operation::CompareSwap:
    return old == value ? swap : old;
  case Operation::Increment:
    return old >= value ? 0 : old + 1;
  case Operation::Decrement:
    return old == 0 || old > value ? value : old - 1;
  default:
    break;
  }
  bool isMax = operation == Operation::Max;
  if constexpr (sizeof(T) == 4) {
    if (type == Type::F32)
      return std::bit_cast<T>(sum(std::bit_cast<float>(old), std::bit_cast<float>(value), flushes));
    if (type == Type::F16x2 || type == Type::BF16x2) {
      auto each = [&](int shift) {
        uint16_t a = static_cast<uint16_t>(old >> shift), b = static_cast<uint16_t>(value >> shift);
        return uint32_t(type == Type::F16x2 ? halfOperation<F16>(operation, a, b) : halfOperation<BF16>(operation, a, b))
               << shift;
      };
      return each(0) | each(16);
    }
  }
  if constexpr (sizeof(T) == 8)
    if (type == Type::F64)
      return std::bit_cast<T>(std::bit_cast<double>(old) + std::bit_cast<double>(value));
  if constexpr (sizeof(T) == 2)
    if (isFloat(type))
      return type == Type::F16 ? halfOperation<F16>(operation, old, value) : halfOperation<BF16>(operation, old, value);
  if (operation == Operation::Add)
    return old + value;
  return isSigned(type) ? static_cast<T>(extreme(static_cast<std::make_signed_t<T>>(old),
                                                 static_cast<std::make_signed_t<T>>(value), isMax))
                        : extreme(old, value, isMax);
}

/// Puts the new value there and hands back the old one.
template <typename T> T exchanged(std::byte *place, Operation operation, Type type, bool flushes, T value, T swap) {
  T *target = reinterpret_cast<T *>(place);
  T old = __atomic_load_n(target, __ATOMIC_ACQUIRE);
  while (!__atomic_compare_exchange_n(target, &old, computed<T>(operation, type, flushes, old, value, swap), true,
                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
  }
  return old;
}

template <typename T, bool HasResult> Outcome atomic(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  constexpr unsigned first = HasResult ? 1 : 0;
  Operation operation = static_cast<Operation>(instruction.detail);
  Type type = static_cast<Type>(instruction.detail2);
  for (unsigned lane : lanesOf(lanes)) {
    uint64_t address = warp.address(instruction.operand(first), lane);
    std::byte *place =
        warp.access(instruction, lane, instruction.space, address, sizeof(T), ReadAccess | WriteAccess | StrongAccess);
    if (!place)
      return Outcome::Fault;
    T value = static_cast<T>(warp.value(instruction.operand(first + 1), lane));
    T swap = operation == Operation::CompareSwap ? static_cast<T>(warp.value(instruction.operand(first + 2), lane)) : T(0);
    bool isGlobal = instruction.space == Space::Global ||
                    (instruction.space == Space::Generic && (address & windowMask) != sharedWindow);
    T old = exchanged<T>(place, operation, type, isGlobal, value, swap);
    if constexpr (HasResult)
      warp.setValue(instruction.operand(0), lane, old);
  }
  return Outcome::Next;
}

bool takes(Operation operation, Type type) {
  TypeClass kind = facts(type).kind;
  unsigned bytes = bytesOf(type);
  switch (operation) {
  case Operation::And:
  case Operation::Or:
  case Operation::Xor:
    return kind == TypeClass::Bits && bytes >= 4;
  case Operation::Exchange:
    return kind == TypeClass::Bits && (bytes == 4 || bytes == 8);
  case Operation::CompareSwap:
    return kind == TypeClass::Bits && (bytes == 2 || bytes == 4 || bytes == 8);
  case Operation::Increment:
  case Operation::Decrement:
    return type == Type::U32;
  case Operation::Min:
  case Operation::Max:
    return kind != TypeClass::Bits && type != Type::F32 && type != Type::F64 && bytes >= 2 &&
           (bytes >= 4 || kind == TypeClass::Float);
  case Operation::Add:
    return kind != TypeClass::Bits && kind != TypeClass::Predicate && type != Type::S64 &&
           (bytes >= 4 || kind == TypeClass::Float) && bytes <= 8;
  }
  return false;
}

template <bool HasResult> Executor bindAtomic(const Mnemonic &mnemonic, Instruction &instruction) {
  std::optional<Operation> operation = atomicOperationOf(mnemonic);
  Type type = mnemonic.type();
  if (!operation)
    return nullptr;
  instruction.space = spaceOf(mnemonic);
  instruction.detail = static_cast<uint32_t>(*operation);
  instruction.detail2 = static_cast<uint32_t>(type);
  bool hasSwap = instruction.operandCount == (HasResult ? 4 : 3);
  if (!takes(*operation, type) || (instruction.operandCount && hasSwap != (*operation == Operation::CompareSwap)))
    return nullptr;
  switch (bytesOf(type)) {
  case 2:
    return &atomic<uint16_t, HasResult>;
  case 4:
    return &atomic<uint32_t, HasResult>;
  case 8:
    return &atomic<uint64_t, HasResult>;
  default:
    return nullptr;
  }
}

} // namespace

namespace tilewright::runtime::emulator {

std::optional<AtomicOperation> atomicOperationOf(const Mnemonic &mnemonic) {
  static constexpr std::pair<std::string_view, Operation> names[] = {
      {"and", Operation::And},         {"or", Operation::Or},   {"xor", Operation::Xor},       {"exch", Operation::Exchange},
      {"cas", Operation::CompareSwap}, {"add", Operation::Add}, {"inc", Operation::Increment}, {"dec", Operation::Decrement},
      {"min", Operation::Min},         {"max", Operation::Max}};
  for (const auto &[name, operation] : names)
    if (mnemonic.has(name))
      return operation;
  return std::nullopt;
}

void atomicUpdate(std::byte *place, AtomicOperation operation, Type type, uint64_t value) {
  switch (bytesOf(type)) {
  case 2:
    exchanged<uint16_t>(place, operation, type, /*flushes=*/false, static_cast<uint16_t>(value), 0);
    break;
  case 4:
    exchanged<uint32_t>(place, operation, type, /*flushes=*/false, static_cast<uint32_t>(value), 0);
    break;
  default:
    exchanged<uint64_t>(place, operation, type, /*flushes=*/false, value, 0);
  }
}

Executor bindAtom(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindAtomic<true>(mnemonic, instruction);
}
Executor bindRed(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindAtomic<false>(mnemonic, instruction);
}

} // namespace tilewright::runtime::emulator
