// setp, set, selp, slct.
//
// A comparison is told by three bits (less, equal, greater) and, for floats, whether it holds if an operand is a NaN.
#include "runtime/emulator/FloatMath.h"

using namespace tilewright::runtime::emulator;

namespace {

enum Relation : uint32_t { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };

/// The relations for which a comparison holds, or 0 if there is none of this name.
uint32_t relations(const Mnemonic &mnemonic) {
  struct Named {
    std::string_view name;
    uint32_t relations;
  };
  static constexpr Named names[] = {{"eq", Equal},
                                    {"ne", Less | Greater},
                                    {"lt", Less},
                                    {"le", Less | Equal},
                                    {"gt", Greater},
                                    {"ge", Greater | Equal},
                                    {"lo", Less},
                                    {"ls", Less | Equal},
                                    {"hi", Greater},
                                    {"hs", Greater | Equal},
                                    {"equ", Equal | Unordered},
                                    {"neu", Less | Greater | Unordered},
                                    {"ltu", Less | Unordered},
                                    {"leu", Less | Equal | Unordered},
                                    {"gtu", Greater | Unordered},
                                    {"geu", Greater | Equal | Unordered},
                                    {"num", Less | Equal | Greater},
                                    {"nan", Unordered}};
  for (const Named &one : names)
    if (mnemonic.has(one.name))
      return one.relations;
  return 0;
}

enum Combination : uint32_t { Alone, WithAnd, WithOr, WithXor };

uint32_t combine(uint32_t combination, uint32_t result, uint32_t other) {
  switch (combination) {
  case WithAnd:
    return result & other;
  case WithOr:
    return result | other;
  case WithXor:
    return result ^ other;
  default:
    return result;
  }
}

template <typename T> T loaded(T value) {
  return value;
}
float loaded(F16 value) {
  return widenF16(value.bits);
}
float loaded(BF16 value) {
  return widenBF16(value.bits);
}

/// The lanes for which one of the relations holds. The three masks of 32 comparisons vectorize; branches on the relation would
/// not.
template <typename T> uint32_t compare(const T *a, const T *b, uint32_t relations) {
  uint32_t less = 0, equal = 0, greater = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    auto x = loaded(a[lane]), y = loaded(b[lane]);
    less |= uint32_t(x < y) << lane;
    equal |= uint32_t(x == y) << lane;
    greater |= uint32_t(x > y) << lane;
  }
  uint32_t unordered = ~(less | equal | greater);
  return (relations & Less ? less : 0) | (relations & Equal ? equal : 0) | (relations & Greater ? greater : 0) |
         (relations & Unordered ? unordered : 0);
}

template <typename T> uint32_t compareOperands(Warp &warp, const Instruction &instruction, unsigned first) {
  const T *a = warp.in<T>(instruction.operand(first)), *b = warp.in<T>(instruction.operand(first + 1));
  if constexpr (std::is_same_v<T, float>)
    if (instruction.detail2 & 1) { // .ftz
      float x[warpSize], y[warpSize];
      for (unsigned lane = 0; lane < warpSize; ++lane)
        x[lane] = flushed<true>(a[lane]), y[lane] = flushed<true>(b[lane]);
      return compare(x, y, instruction.detail & 15);
    }
  return compare(a, b, instruction.detail & 15);
}

uint32_t combined(Warp &warp, const Instruction &instruction, uint32_t result) {
  uint32_t combination = instruction.detail >> 4;
  return combination == Alone ? result : combine(combination, result, warp.predicate(instruction.operand(3)));
}

/// The second destination gets the opposite of the comparison, combined likewise.
template <typename T> Outcome setPredicate(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint32_t result = compareOperands<T>(warp, instruction, 1);
  uint32_t first = combined(warp, instruction, result);
  uint32_t second = combined(warp, instruction, ~result);
  warp.setPredicate(instruction.operand(0, 0), first, lanes);
  if (!instruction.operand(0, 1).isSink)
    warp.setPredicate(instruction.operand(0, 1), second, lanes);
  return Outcome::Next;
}

/// Two halves: a predicate for each.
template <typename Half> Outcome setPredicatePair(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const uint32_t *a = warp.in<uint32_t>(instruction.operand(1)), *b = warp.in<uint32_t>(instruction.operand(2));
  for (unsigned half = 0; half < 2; ++half) {
    Half x[warpSize], y[warpSize];
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      x[lane] = {static_cast<uint16_t>(a[lane] >> 16 * half)};
      y[lane] = {static_cast<uint16_t>(b[lane] >> 16 * half)};
    }
    warp.setPredicate(instruction.operand(0, half), combined(warp, instruction, compare(x, y, instruction.detail & 15)), lanes);
  }
  return Outcome::Next;
}

/// set: all ones or zero as an integer, 1.0 or 0.0 as a float.
template <typename T> Outcome setValue(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint32_t result = combined(warp, instruction, compareOperands<T>(warp, instruction, 1));
  const Operand &to = instruction.operand(0);
  uint64_t one = instruction.detail2 & 2 ? (to.bytes == 2 ? 0x3c00 : 0x3f800000) : ~uint64_t(0);
  for (unsigned lane : lanesOf(lanes))
    warp.setValue(to, lane, result >> lane & 1 ? one : 0);
  return Outcome::Next;
}

/// set of two halves.
template <typename Half> Outcome setValuePair(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const uint32_t *a = warp.in<uint32_t>(instruction.operand(1)), *b = warp.in<uint32_t>(instruction.operand(2));
  constexpr uint32_t one = std::is_same_v<Half, F16> ? 0x3c00 : 0x3f80;
  uint32_t results[2];
  for (unsigned half = 0; half < 2; ++half) {
    Half x[warpSize], y[warpSize];
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      x[lane] = {static_cast<uint16_t>(a[lane] >> 16 * half)};
      y[lane] = {static_cast<uint16_t>(b[lane] >> 16 * half)};
    }
    results[half] = combined(warp, instruction, compare(x, y, instruction.detail & 15));
  }
  for (unsigned lane : lanesOf(lanes))
    warp.setValue(instruction.operand(0), lane, (results[0] >> lane & 1) * one | (results[1] >> lane & 1) * one << 16);
  return Outcome::Next;
}

template <typename T> Outcome select(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint32_t chosen = warp.predicate(instruction.operand(3));
  const T *a = warp.in<T>(instruction.operand(1)), *b = warp.in<T>(instruction.operand(2));
  T *result = warp.out<T>(instruction.operand(0));
  for (unsigned lane : lanesOf(lanes))
    result[lane] = chosen >> lane & 1 ? a[lane] : b[lane];
  return Outcome::Next;
}

template <typename T, typename C> Outcome selectBySign(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const C *condition = warp.in<C>(instruction.operand(3));
  const T *a = warp.in<T>(instruction.operand(1)), *b = warp.in<T>(instruction.operand(2));
  T *result = warp.out<T>(instruction.operand(0));
  for (unsigned lane : lanesOf(lanes))
    result[lane] = condition[lane] >= 0 ? a[lane] : b[lane];
  return Outcome::Next;
}

uint32_t combinationOf(const Mnemonic &mnemonic) {
  return mnemonic.has("and") ? WithAnd : mnemonic.has("or") ? WithOr : mnemonic.has("xor") ? WithXor : Alone;
}

/// Fills detail; false if the comparison is none or its operands are not those of its combination.
bool prepare(const Mnemonic &mnemonic, Instruction &instruction) {
  uint32_t relation = relations(mnemonic), combination = combinationOf(mnemonic);
  instruction.detail = relation | combination << 4;
  instruction.detail2 = mnemonic.has("ftz") | (isFloat(mnemonic.type()) ? 2 : 0);
  // ne of floats is false for a NaN, as all ordered comparisons are.
  return relation && (instruction.operandCount == 0 || (instruction.operandCount == 4) == (combination != Alone));
}

} // namespace

namespace tilewright::runtime::emulator {

Executor bindSetp(const Mnemonic &mnemonic, Instruction &instruction) {
  if (!prepare(mnemonic, instruction))
    return nullptr;
  switch (mnemonic.type()) {
  case Type::F32:
    return &setPredicate<float>;
  case Type::F64:
    return &setPredicate<double>;
  case Type::F16:
    return &setPredicate<F16>;
  case Type::BF16:
    return &setPredicate<BF16>;
  case Type::F16x2:
    return &setPredicatePair<F16>;
  case Type::BF16x2:
    return &setPredicatePair<BF16>;
  default:
    return byInteger(mnemonic.type(), []<typename T>(T) -> Executor { return &setPredicate<T>; });
  }
}

Executor bindSet(const Mnemonic &mnemonic, Instruction &instruction) {
  if (!prepare(mnemonic, instruction) || mnemonic.types.size() != 2)
    return nullptr;
  switch (mnemonic.lastType()) {
  case Type::F32:
    return &setValue<float>;
  case Type::F64:
    return &setValue<double>;
  case Type::F16:
    return &setValue<F16>;
  case Type::BF16:
    return &setValue<BF16>;
  case Type::F16x2:
    return mnemonic.type() == Type::F16x2 ? &setValuePair<F16> : nullptr;
  case Type::BF16x2:
    return mnemonic.type() == Type::BF16x2 ? &setValuePair<BF16> : nullptr;
  default:
    return byInteger(mnemonic.lastType(), []<typename T>(T) -> Executor { return &setValue<T>; });
  }
}

Executor bindSelp(const Mnemonic &mnemonic, Instruction &) {
  switch (bytesOf(mnemonic.type())) {
  case 2:
    return &select<uint16_t>;
  case 4:
    return &select<uint32_t>;
  case 8:
    return &select<uint64_t>;
  default:
    return nullptr;
  }
}

Executor bindSlct(const Mnemonic &mnemonic, Instruction &) {
  return byBool(mnemonic.lastType() == Type::F32, [&](auto ofFloat) -> Executor {
    using C = std::conditional_t<decltype(ofFloat)::value, float, int32_t>;
    switch (bytesOf(mnemonic.type())) {
    case 2:
      return &selectBySign<uint16_t, C>;
    case 4:
      return &selectBySign<uint32_t, C>;
    case 8:
      return &selectBySign<uint64_t, C>;
    default:
      return nullptr;
    }
  });
}

} // namespace tilewright::runtime::emulator
