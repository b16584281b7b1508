// cvt: between all types, with all roundings.
//
// The common conversions have loops of their own; every other one goes through an exact middle: integers as 128 bits, floats as
// f64.
#include "runtime/emulator/FloatMath.h"

using namespace tilewright::runtime::emulator;

namespace {

struct Plan {
  Type to, from;
  Rounding rounding;
  bool toInteger; // rni, rzi, …: round to an integer
  bool saturates;
  bool saturatesFinite;
  bool relu;
  bool ftz;
};

uint32_t pack(const Plan &plan) {
  return static_cast<uint32_t>(plan.to) | static_cast<uint32_t>(plan.from) << 8 | static_cast<uint32_t>(plan.rounding) << 16 |
         uint32_t(plan.toInteger) << 20 | uint32_t(plan.saturates) << 21 | uint32_t(plan.saturatesFinite) << 22 |
         uint32_t(plan.relu) << 23 | uint32_t(plan.ftz) << 24;
}

Plan unpack(uint32_t bits) {
  return {static_cast<Type>(bits & 0xff),
          static_cast<Type>(bits >> 8 & 0xff),
          static_cast<Rounding>(bits >> 16 & 15),
          (bits >> 20 & 1) != 0,
          (bits >> 21 & 1) != 0,
          (bits >> 22 & 1) != 0,
          (bits >> 23 & 1) != 0,
          (bits >> 24 & 1) != 0};
}

const Format *narrowFormat(Type type) {
  switch (type) {
  case Type::F16:
  case Type::F16x2:
    return &formatF16;
  case Type::BF16:
  case Type::BF16x2:
    return &formatBF16;
  case Type::TF32:
    return &formatTF32;
  case Type::F32:
    return &formatF32;
  case Type::E4M3:
  case Type::E4M3x2:
    return &formatE4M3;
  case Type::E5M2:
  case Type::E5M2x2:
    return &formatE5M2;
  default:
    return nullptr;
  }
}

/// A float register's value; exact.
double loadFloat(Type type, uint64_t bits) {
  switch (type) {
  case Type::F64:
    return std::bit_cast<double>(bits);
  case Type::F32:
  case Type::TF32:
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  default:
    return decode(*narrowFormat(type), static_cast<uint32_t>(bits));
  }
}

uint64_t storeFloat(const Plan &plan, double value) {
  if (plan.relu && !(value > 0) && value == value)
    value = 0;
  if (plan.saturates)
    value = value > 0 ? (value < 1 ? value : 1.0) : 0.0;
  if (plan.to == Type::F64)
    return std::bit_cast<uint64_t>(value);
  uint32_t bits = encode(*narrowFormat(plan.to), value, plan.rounding, plan.saturatesFinite);
  if (plan.to == Type::TF32)
    return uint64_t(bits) << 13;
  if (plan.ftz && plan.to == Type::F32 && !(bits & 0x7f800000))
    bits &= 0x80000000;
  return bits;
}

double roundedToInteger(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  default:
    return std::nearbyint(value);
  }
}

__int128 least(Type type) {
  return isSigned(type) ? -(static_cast<__int128>(1) << (facts(type).bits - 1)) : 0;
}
__int128 greatest(Type type) {
  return (static_cast<__int128>(1) << (facts(type).bits - (isSigned(type) ? 1 : 0))) - 1;
}

/// Out of range gives the nearest integer of the type, a NaN 0.
uint64_t floatToInteger(const Plan &plan, double value) {
  if (value != value)
    return 0;
  value = roundedToInteger(value, plan.rounding);
  if (value <= static_cast<double>(least(plan.to)))
    return static_cast<uint64_t>(least(plan.to));
  if (value >= static_cast<double>(greatest(plan.to)))
    return static_cast<uint64_t>(greatest(plan.to));
  return static_cast<uint64_t>(static_cast<__int128>(value));
}

__int128 loadInteger(Type type, uint64_t bits) {
  unsigned width = facts(type).bits;
  if (width < 64)
    bits &= (uint64_t(1) << width) - 1;
  if (!isSigned(type))
    return bits;
  unsigned shift = 64 - width;
  return static_cast<int64_t>(bits << shift) >> shift;
}

uint64_t integerToInteger(const Plan &plan, __int128 value) {
  if (plan.saturates)
    value = value < least(plan.to) ? least(plan.to) : value > greatest(plan.to) ? greatest(plan.to) : value;
  return static_cast<uint64_t>(value);
}

/// A 64-bit integer as an f64 that rounds to any narrower format as the integer itself would: rounded to odd.
double integerToOdd(__int128 value) {
  bool isNegative = value < 0;
  unsigned __int128 magnitude = isNegative ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  int shift = 0;
  bool sticky = false;
  while (magnitude >> 53) {
    sticky |= magnitude & 1;
    magnitude >>= 1;
    ++shift;
  }
  double result = std::ldexp(static_cast<double>(static_cast<uint64_t>(magnitude | sticky)), shift);
  return isNegative ? -result : result;
}

double integerToDouble(__int128 value, Rounding rounding) {
  int mode = rounding == Rounding::Zero   ? FE_TOWARDZERO
             : rounding == Rounding::Down ? FE_DOWNWARD
             : rounding == Rounding::Up   ? FE_UPWARD
                                          : FE_TONEAREST;
  volatile __int128 input = value;
  fesetround(mode);
  volatile double result = value < 0 || value <= std::numeric_limits<int64_t>::max()
                               ? static_cast<double>(static_cast<int64_t>(input))
                               : static_cast<double>(static_cast<uint64_t>(input));
  fesetround(FE_TONEAREST);
  return result;
}

uint64_t convert(const Plan &plan, uint64_t bits) {
  bool fromFloat = isFloat(plan.from), toFloat = isFloat(plan.to);
  if (!fromFloat && !toFloat)
    return integerToInteger(plan, loadInteger(plan.from, bits));
  if (!fromFloat) {
    __int128 value = loadInteger(plan.from, bits);
    return storeFloat(plan, plan.to == Type::F64 ? integerToDouble(value, plan.rounding) : integerToOdd(value));
  }
  double value = loadFloat(plan.from, bits);
  if (plan.ftz && plan.from == Type::F32)
    value = static_cast<double>(flushed<true>(static_cast<float>(value)));
  if (!toFloat)
    return floatToInteger(plan, value);
  if (plan.toInteger)
    value = std::copysign(roundedToInteger(value, plan.rounding), value);
  return storeFloat(plan, value);
}

/// A value of 8 bits goes to a register sign- or zero-extended.
uint64_t extended(Type type, uint64_t bits) {
  return isFloat(type) ? bits : static_cast<uint64_t>(loadInteger(type, bits));
}

Outcome convertAny(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  Plan plan = unpack(instruction.detail);
  for (unsigned lane : lanesOf(lanes))
    warp.setValue(instruction.operand(0), lane, extended(plan.to, convert(plan, warp.value(instruction.operand(1), lane))));
  return Outcome::Next;
}

/// d = {low: b, high: a}, of f32 or of the halves of a register.
Outcome convertPair(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  Plan plan = unpack(instruction.detail);
  bool fromOne = instruction.operandCount == 2;
  Plan source = plan;
  unsigned half = facts(plan.to).bits / 2;
  for (unsigned lane : lanesOf(lanes)) {
    uint64_t low, high;
    if (fromOne) {
      unsigned width = facts(plan.from).bits / 2;
      uint64_t both = warp.value(instruction.operand(1), lane);
      low = both & ((1u << width) - 1);
      high = both >> width & ((1u << width) - 1);
    } else {
      high = warp.value(instruction.operand(1), lane);
      low = warp.value(instruction.operand(2), lane);
    }
    double a = loadFloat(source.from, high), b = loadFloat(source.from, low);
    warp.setValue(instruction.operand(0), lane, storeFloat(plan, b) | storeFloat(plan, a) << half);
  }
  return Outcome::Next;
}

struct Cast {
  template <typename To, typename From> static To of(From value) { return static_cast<To>(value); }
};
template <typename To> struct CastTo {
  template <typename From> To operator()(From value) const { return static_cast<To>(value); }
};
struct NarrowF16 {
  uint16_t operator()(float value) const { return narrowF16(value); }
};
struct NarrowBF16 {
  uint16_t operator()(float value) const { return narrowBF16(value); }
};
struct WidenF16 {
  float operator()(uint16_t bits) const { return finished<false, false>(widenF16(bits)); }
};
struct WidenBF16 {
  float operator()(uint16_t bits) const { return finished<false, false>(widenBF16(bits)); }
};
struct TruncateToS32 {
  int32_t operator()(float value) const {
    if (!(value > -2147483648.0f))
      return value != value ? 0 : std::numeric_limits<int32_t>::min();
    return value >= 2147483648.0f ? std::numeric_limits<int32_t>::max() : static_cast<int32_t>(value);
  }
};

/// Conversions with registers of just their size that need no more than a loop; null for the others.
Executor fastConversion(const Plan &plan, const Instruction &instruction) {
  if (plan.saturates || plan.saturatesFinite || plan.relu || plan.ftz || instruction.operandCount != 2)
    return nullptr;
  if (instruction.operand(0).bytes != bytesOf(plan.to) || instruction.operand(1).bytes != bytesOf(plan.from))
    return nullptr;
  auto is = [&](Type to, Type from) { return plan.to == to && plan.from == from; };
  bool nearest = plan.rounding == Rounding::NearestEven && !plan.toInteger;
  if (nearest && is(Type::F16, Type::F32))
    return &apply<NarrowF16, uint16_t, float>;
  if (nearest && is(Type::BF16, Type::F32))
    return &apply<NarrowBF16, uint16_t, float>;
  if (is(Type::F32, Type::F16) && !plan.toInteger)
    return &apply<WidenF16, float, uint16_t>;
  if (is(Type::F32, Type::BF16) && !plan.toInteger)
    return &apply<WidenBF16, float, uint16_t>;
  if (nearest && is(Type::F32, Type::S32))
    return &apply<CastTo<float>, float, int32_t>;
  if (nearest && is(Type::F32, Type::U32))
    return &apply<CastTo<float>, float, uint32_t>;
  if (is(Type::S32, Type::F32) && plan.rounding == Rounding::Zero)
    return &apply<TruncateToS32, int32_t, float>;
  if (is(Type::S64, Type::S32))
    return &apply<CastTo<int64_t>, int64_t, int32_t>;
  if (is(Type::U64, Type::U32))
    return &apply<CastTo<uint64_t>, uint64_t, uint32_t>;
  if (is(Type::U32, Type::U64) || is(Type::S32, Type::S64))
    return &apply<CastTo<uint32_t>, uint32_t, uint64_t>;
  if (is(Type::U32, Type::U16))
    return &apply<CastTo<uint32_t>, uint32_t, uint16_t>;
  if (is(Type::S32, Type::S16))
    return &apply<CastTo<int32_t>, int32_t, int16_t>;
  if (is(Type::U16, Type::U32) || is(Type::S16, Type::S32))
    return &apply<CastTo<uint16_t>, uint16_t, uint32_t>;
  return nullptr;
}

bool isScalar(Type type) {
  TypeClass kind = facts(type).kind;
  return kind == TypeClass::Unsigned || kind == TypeClass::Signed || kind == TypeClass::Float;
}

/// cvt.pack.sat.s16.s32 d, a, b; and cvt.pack.sat.s8.s32.b32 d, a, b, c: both values saturated and put below c's.
Outcome convertPack(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  Plan plan = unpack(instruction.detail);
  unsigned bits = facts(plan.to).bits;
  for (unsigned lane : lanesOf(lanes)) {
    uint64_t mask = (uint64_t(1) << bits) - 1;
    uint64_t a = convert(plan, warp.value(instruction.operand(1), lane)) & mask;
    uint64_t b = convert(plan, warp.value(instruction.operand(2), lane)) & mask;
    uint64_t c = instruction.operandCount > 3 ? warp.value(instruction.operand(3), lane) : 0;
    warp.setValue(instruction.operand(0), lane, b | a << bits | (2 * bits < 32 ? c << 2 * bits : 0));
  }
  return Outcome::Next;
}

} // namespace

namespace tilewright::runtime::emulator {

Executor bindConvert(const Mnemonic &mnemonic, Instruction &instruction) {
  if (mnemonic.types.size() != 2 || mnemonic.has("rs"))
    return nullptr;
  Plan plan{mnemonic.type(0),    mnemonic.type(1),          Rounding::NearestEven, false,
            mnemonic.has("sat"), mnemonic.has("satfinite"), mnemonic.has("relu"),  mnemonic.has("ftz")};
  plan.toInteger = !mnemonic.oneOf("rni rzi rmi rpi").empty();
  if (!mnemonic.oneOf("rz rzi").empty())
    plan.rounding = Rounding::Zero;
  else if (!mnemonic.oneOf("rm rmi").empty())
    plan.rounding = Rounding::Down;
  else if (!mnemonic.oneOf("rp rpi").empty())
    plan.rounding = Rounding::Up;
  else if (mnemonic.has("rna"))
    plan.rounding = Rounding::NearestAway;
  instruction.detail = pack(plan);
  if (facts(plan.to).kind == TypeClass::Packed) {
    bool fromPair = facts(plan.from).kind == TypeClass::Packed;
    bool fits = instruction.operandCount == 0 || (instruction.operandCount == 2) == fromPair;
    return fits && narrowFormat(plan.to) && narrowFormat(plan.from) ? &convertPair : nullptr;
  }
  if (!isScalar(plan.to) || !isScalar(plan.from) || instruction.operandCount > 2)
    return nullptr;
  Executor fast = fastConversion(plan, instruction);
  return fast ? fast : &convertAny;
}

Executor bindConvertPack(const Mnemonic &mnemonic, Instruction &instruction) {
  if (mnemonic.types.size() < 2 || mnemonic.type(1) != Type::S32)
    return nullptr;
  Plan plan{mnemonic.type(0), Type::S32, Rounding::NearestEven, false, true, false, false, false};
  instruction.detail = pack(plan);
  return facts(plan.to).bits <= 16 && !isFloat(plan.to) ? &convertPack : nullptr;
}

} // namespace tilewright::runtime::emulator
