// One lane's floating-point arithmetic as PTX defines it: rounding modes, .ftz, .sat, the canonical NaN of f32, f16 and bf16
// through exact intermediates.
#pragma once

#include "runtime/emulator/Execute.h"
#include "runtime/emulator/Formats.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>

namespace tilewright::runtime::emulator {

struct F16 {
  uint16_t bits;
  static constexpr const Format &format = formatF16;
};
struct BF16 {
  uint16_t bits;
  static constexpr const Format &format = formatBF16;
};

inline double widen(F16 value) {
  return widenF16(value.bits);
}
inline double widen(BF16 value) {
  return widenBF16(value.bits);
}
inline double widen(float value) {
  return value;
}

template <bool Ftz> inline float flushed(float value) {
  if constexpr (Ftz)
    return std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0f, value) : value;
  return value;
}

/// What an f32 operation gives for its rounded result. A NaN is always 0x7fffffff.
template <bool Ftz, bool Sat> inline float finished(float value) {
  value = flushed<Ftz>(value);
  if constexpr (Sat)
    return value > 0 ? (value < 1 ? value : 1.0f) : 0.0f; // a NaN is 0
  return value == value ? value : std::bit_cast<float>(0x7fffffffu);
}
template <bool Ftz, bool Sat> inline double finished(double value) {
  return value;
}
template <bool Ftz> inline double flushed(double value) {
  return value;
}

/// Operation::of(T…), rounded to nearest: the case that loops over lanes must be fast for.
template <typename Operation, bool Ftz, bool Sat> struct NearestFunction {
  template <typename... T> auto operator()(T... values) const {
    return finished<Ftz, Sat>(Operation::of(flushed<Ftz>(values)...));
  }
};

/// Modifiers that an executor looks at when it runs, from Instruction::detail.
struct FloatFlags {
  int hostRounding;
  bool ftz, sat, relu;

  static uint32_t pack(const Mnemonic &mnemonic) {
    uint32_t mode = mnemonic.has("rz") ? 1 : mnemonic.has("rm") ? 2 : mnemonic.has("rp") ? 3 : 0;
    return mode | mnemonic.has("ftz") << 2 | mnemonic.has("sat") << 3 | mnemonic.has("relu") << 4;
  }
  explicit FloatFlags(uint32_t packed)
      : hostRounding(modes[packed & 3]), ftz(packed >> 2 & 1), sat(packed >> 3 & 1), relu(packed >> 4 & 1) {}

private:
  static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
};

/// The same with any rounding: the host's mode is changed for each operation.
template <typename Operation> struct FlaggedFunction {
  FloatFlags flags;

  template <typename... T> auto operator()(T... values) const {
    using Value = std::common_type_t<T...>;
    // volatile: the operation stays between the changes of mode.
    volatile Value inputs[] = {(flags.ftz ? flushed<true>(values) : values)...};
    fesetround(flags.hostRounding);
    volatile Value result = ofAll(inputs, std::make_index_sequence<sizeof...(T)>());
    fesetround(FE_TONEAREST);
    Value value = result;
    if (flags.sat)
      return flags.ftz ? finished<true, true>(value) : finished<false, true>(value);
    return flags.ftz ? finished<true, false>(value) : finished<false, false>(value);
  }
  template <typename Value, size_t... index> static Value ofAll(volatile Value *inputs, std::index_sequence<index...>) {
    return Operation::directed(static_cast<Value>(inputs[index])...);
  }
};

/// Operation::exact(double…) of f16 or bf16 operands, rounded once.
template <typename Operation> struct HalfFunction {
  FloatFlags flags;

  template <typename Half, typename... More> Half operator()(Half first, More... more) const {
    double exact = Operation::exact(widen(first), widen(more)...);
    if (flags.sat)
      exact = exact > 0 ? (exact < 1 ? exact : 1.0) : 0.0;
    if (flags.relu)
      exact = exact > 0 || exact != exact ? exact : 0.0;
    Half result{static_cast<uint16_t>(encode(Half::format, exact, Rounding::NearestEven))};
    if (flags.ftz && !(result.bits & Half::format.infinity()))
      result.bits &= 0x8000;
    return result;
  }
};

/// The function on both halves of a 32-bit register.
template <typename Function, typename Half> struct OnBothHalves {
  Function function;

  template <typename... T> uint32_t operator()(T... values) const {
    Half low = function(half(values, 0)...), high = function(half(values, 16)...);
    return std::bit_cast<uint16_t>(low) | uint32_t(std::bit_cast<uint16_t>(high)) << 16;
  }
  static Half half(uint32_t value, int shift) { return std::bit_cast<Half>(static_cast<uint16_t>(value >> shift)); }
};

/// The function on both f32 of a 64-bit register.
template <typename Function> struct OnBothFloats {
  Function function;

  template <typename... T> uint64_t operator()(T... values) const {
    float low = function(part(values, 0)...), high = function(part(values, 32)...);
    return std::bit_cast<uint32_t>(low) | uint64_t(std::bit_cast<uint32_t>(high)) << 32;
  }
  static float part(uint64_t value, int shift) { return std::bit_cast<float>(static_cast<uint32_t>(value >> shift)); }
};

/// d = Function{flags}(…) for operands of the register type T.
template <typename Function, typename T, size_t... index>
Outcome applyFlagged(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  Function function{FloatFlags(instruction.detail)};
  T *result = warp.out<T>(instruction.operand(0));
  const T *sources[] = {warp.in<T>(instruction.operand(1 + index))...};
  for (unsigned lane : lanesOf(lanes))
    result[lane] = function(sources[index][lane]...);
  return Outcome::Next;
}

template <typename Function, typename T, size_t... index> Executor flaggedExecutor(std::index_sequence<index...>) {
  return &applyFlagged<Function, T, index...>;
}

template <typename Function, typename T, size_t... index> Executor nearestExecutor(std::index_sequence<index...>) {
  return &apply<Function, T, std::conditional_t<(index >= 0), T, T>...>;
}

/// The executor of an operation with so many operands of one floating-point type; null if the type is none.
template <typename Operation, size_t Operands> Executor bindFloat(const Mnemonic &mnemonic, Instruction &instruction) {
  using Indices = std::make_index_sequence<Operands>;
  Type type = mnemonic.type();
  bool isPlain = mnemonic.oneOf("rz rm rp").empty();
  if (facts(type).kind == TypeClass::Float || type == Type::F16x2 || type == Type::BF16x2 || type == Type::F32x2)
    instruction.detail = FloatFlags::pack(mnemonic);
  switch (type) {
  case Type::F32:
    if (!isPlain)
      return flaggedExecutor<FlaggedFunction<Operation>, float>(Indices());
    return byBool(mnemonic.has("ftz"), [&](auto f) {
      return byBool(mnemonic.has("sat"), [&](auto s) {
        return nearestExecutor<NearestFunction<Operation, decltype(f)::value, decltype(s)::value>, float>(Indices());
      });
    });
  case Type::F64:
    return isPlain ? nearestExecutor<NearestFunction<Operation, false, false>, double>(Indices())
                   : flaggedExecutor<FlaggedFunction<Operation>, double>(Indices());
  case Type::F32x2:
    return flaggedExecutor<OnBothFloats<FlaggedFunction<Operation>>, uint64_t>(Indices());
  case Type::F16:
    return flaggedExecutor<HalfFunction<Operation>, F16>(Indices());
  case Type::F16x2:
    return flaggedExecutor<OnBothHalves<HalfFunction<Operation>, F16>, uint32_t>(Indices());
  case Type::BF16:
    return flaggedExecutor<HalfFunction<Operation>, BF16>(Indices());
  case Type::BF16x2:
    return flaggedExecutor<OnBothHalves<HalfFunction<Operation>, BF16>, uint32_t>(Indices());
  default:
    return nullptr;
  }
}

} // namespace tilewright::runtime::emulator
