// Conversions between numbers without a library call.
//
// LLVM converts bf16, f8 and (without F16C, or from f64) f16 by calling the compiler's run-time library: one element at a time,
// and an undefined symbol in a kernel that is linked against nothing. The formulas below are integer arithmetic and selects, so
// LLVM's loop vectorizer widens them: sixteen elements at a time with AVX-512.
//
// *A narrow float* has E exponent bits with bias 2^(E-1) - 1 and M mantissa bits: f16 5.10, bf16 8.7, f8e5m2 5.2, f8e4m3 4.3.
//
// *To f32* is exact. The magnitude's bits are moved to f32's place and the exponent's bias is exchanged by an addition; this is
// wrong for denormals, which have no implicit bit. So give them one and take it away again as a float:
//
//   f8e4m3 0x03: mantissa 3, exponent 0   ->   (2^-6 + 3 * 2^-9) - 2^-6 = 3 * 2^-9
//
// *From f32* rounds to nearest even: add just under one half of the last place kept, and one more if that place is odd; what
// carries into the exponent is right by the order of IEEE's encodings, up to infinity. Below the smallest normal number the
// last place is fixed, so let the adder round: with f8e4m3, x + 2^14 has its last place at 2^-9. Values too large become, by
// one unsigned minimum, infinity (f16, bf16) or the largest finite number (the f8 types saturate, infinity included).
//
// *From f64 and i64* a detour through f32 would round twice: 1 + 2^-8 + 2^-40 becomes 1 + 2^-8 in f32, then 1 in bf16, but is
// nearer to 1 + 2^-7. Rounding *to odd* on the way (inexact results get an odd last place, so they never look like a tie) makes
// the second rounding right as long as two spare bits remain, which f32 has for all narrow types, denormals included.
//
// A NaN's payload and sign are not part of the language; results are quiet.

#include "compiler/transforms/CastFormulas.h"

#include <cmath>
#include <optional>

namespace tilewright {

namespace arith = mlir::arith;

namespace {

struct NarrowFormat {
  unsigned exponentBits, mantissaBits;
  unsigned largest;  ///< the code of what overflow gives: infinity, or the largest finite number
  unsigned quietNaN; ///< the code of a NaN
  bool hasInfinity;

  unsigned width() const { return 1 + exponentBits + mantissaBits; }
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  /// By how much f32's exponent field is larger, in place.
  int64_t rebias() const { return int64_t(127 - bias()) << 23; }
  unsigned droppedBits() const { return 23 - mantissaBits; }
  double smallestNormal() const { return std::ldexp(1.0, 1 - bias()); }
};

std::optional<NarrowFormat> formatOf(mlir::Type type) {
  if (type.isF16())
    return NarrowFormat{5, 10, 0x7c00, 0x7e00, true};
  if (type.isBF16())
    return NarrowFormat{8, 7, 0x7f80, 0x7fc0, true};
  if (mlir::isa<mlir::Float8E5M2Type>(type))
    return NarrowFormat{5, 2, 0x7b, 0x7e, true};
  if (mlir::isa<mlir::Float8E4M3FNType>(type))
    return NarrowFormat{4, 3, 0x7e, 0x7f, false};
  return std::nullopt;
}

// --------------------------------------------------------------------------------------------------------------------
// Narrow floats and f32
// --------------------------------------------------------------------------------------------------------------------

Expr widenBF16(const Expr &narrow) {
  return (narrow.bits().zeroExtended(32) << 16).asF32();
}

Expr widen(const Expr &narrow, const NarrowFormat &format) {
  Expr code = narrow.bits().zeroExtended(32);
  Expr magnitude = code & ((1 << (format.width() - 1)) - 1);
  Expr sign = (code ^ magnitude) << (32 - format.width());
  Expr moved = magnitude << format.droppedBits();
  Expr normal = moved + format.rebias();
  Expr denormal = ((normal + (1 << 23)).asF32() - format.smallestNormal()).bits();
  Expr finite = select(magnitude < (1 << format.mantissaBits), denormal, normal);
  // Infinity and NaN: an exponent of all ones stays one. f8e4m3 has one code for NaN and no infinity.
  Expr special =
      format.hasInfinity ? moved + (int64_t(255 - ((1 << format.exponentBits) - 1)) << 23) : code.constant(0x7fc00000);
  int firstSpecial = format.hasInfinity ? ((1 << format.exponentBits) - 1) << format.mantissaBits : int(format.quietNaN);
  return (select(magnitude >= firstSpecial, special, finite) | sign).asF32();
}

Expr narrowToBF16(const Expr &wide) {
  Expr code = wide.bits();
  Expr rounded = code + 0x7fff + ((code >> 16) & 1);
  return select(isNaN(wide), code | 0x400000, rounded) >> 16;
}

Expr narrow(const Expr &wide, const NarrowFormat &format) {
  Expr code = wide.bits();
  Expr magnitude = code & 0x7fffffff;
  Expr sign = (code ^ magnitude) >> (32 - format.width());
  int64_t justUnderHalf = (1 << (format.droppedBits() - 1)) - 1;
  Expr odd = (magnitude >> format.droppedBits()) & 1;
  Expr normal = (magnitude + odd + (justUnderHalf - format.rebias())) >> format.droppedBits();
  // Adding this puts the smallest denormal into the last place of the sum.
  double alignment = std::ldexp(format.smallestNormal(), int(format.droppedBits()));
  Expr denormal = (magnitude.asF32() + alignment).bits() - wide.constant(alignment).bits();
  Expr rounded = select(magnitude.asF32() < format.smallestNormal(), denormal, normal);
  Expr saturated = unsignedAtMost(rounded, format.largest);
  return select(isNaN(wide), format.quietNaN, saturated) | sign;
}

Expr widenToF32(const Expr &value, const NativeCasts &native) {
  std::optional<NarrowFormat> format = formatOf(value.getElementType());
  if (!format)
    return value;
  if (value.getElementType().isBF16())
    return widenBF16(value);
  if (value.getElementType().isF16() && native.f16)
    return value.convert<arith::ExtFOp>(value.getBuilder().getF32Type());
  return format->width() == 8 && native.f8 ? nvidiaWidenF8(value) : widen(value, *format);
}

Expr narrowFromF32(const Expr &value, mlir::FloatType type, const NativeCasts &native) {
  if (type.isF32())
    return value;
  if ((type.isF16() && native.f16) || (type.isBF16() && native.nvidia))
    return value.convert<arith::TruncFOp>(type);
  NarrowFormat format = *formatOf(type);
  if (format.width() == 8 && native.f8)
    return nvidiaNarrowToF8(value, type);
  Expr code = type.isBF16() ? narrowToBF16(value) : narrow(value, format);
  return code.zeroExtended(format.width()).asFloat(type);
}

/// f64 to f32, where an inexact result gets an odd last place: the neighbour of the nearest one if that is even.
Expr roundToOdd(const Expr &wide) {
  Expr nearest = wide.toF32();
  Expr code = nearest.bits();
  Expr error = wide - nearest.toF64(); // infinity - infinity is NaN, which is neither above nor below 0
  Expr outward = select(code < 0, code.constant(-1), code.constant(1));
  Expr towardsWide = select(error > 0, outward, select(error < 0, 0 - outward, 0));
  return select((code & 1) == 0, code + towardsWide, code).asF32();
}

// --------------------------------------------------------------------------------------------------------------------
// Integers
// --------------------------------------------------------------------------------------------------------------------

/// i64 to f64 such that a later rounding to 24 bits or fewer is right: bits that f64 cannot hold become one sticky bit.
Expr stickyF64(const Expr &integer) {
  Expr low = integer & 0x3ff;
  Expr sticky = (integer ^ low) | select(low != 0, integer.constant(0x400), integer.constant(0));
  Expr small = ((integer + (int64_t(1) << 53)) >> 54) == 0;
  return select(small, integer, sticky).toFloat(integer.getBuilder().getF64Type());
}

Expr integerToFloat(const Expr &value, mlir::FloatType type, const NativeCasts &native, bool isUnsigned) {
  mlir::OpBuilder &builder = value.getBuilder();
  if (value.getWidth() < 32) { // exact in f32
    Expr wide = (isUnsigned ? value.zeroExtended(32) : value.signExtended(32)).toFloat(builder.getF32Type());
    return type.isF64() ? wide.toF64() : narrowFromF32(wide, type, native);
  }
  if (type.isF32() || type.isF64() || (type.isF16() && native.nvidia))
    return value.toFloat(type);
  Expr exact = value.getWidth() == 32 ? value.toFloat(builder.getF64Type()) : stickyF64(value);
  return narrowFromF32(roundToOdd(exact), type, native);
}

/// The same for fewer than 32 bits, from an i32 that is saturated already.
Expr saturated(const Expr &integer, unsigned width, bool isUnsigned) {
  int64_t low = isUnsigned ? 0 : -(int64_t(1) << (width - 1)), high = (int64_t(1) << (isUnsigned ? width : width - 1)) - 1;
  Expr bounded = integer.emit<arith::MinSIOp>(integer, integer.constant(high));
  return integer.emit<arith::MaxSIOp>(bounded, integer.constant(low)).zeroExtended(width);
}

/// Toward zero, saturating, NaN to 0. LLVM's conversion is poison out of range, so it only sees what is in range.
Expr floatToInteger(const Expr &value, unsigned width, const NativeCasts &native, bool isUnsigned) {
  mlir::OpBuilder &builder = value.getBuilder();
  if (native.nvidia && width < 32)
    return saturated(nvidiaFloatToInteger(value, 32), width, isUnsigned);
  if (native.nvidia)
    return nvidiaFloatToInteger(value, width);
  auto convert = [&](const Expr &inRange, unsigned to) { return inRange.convert<arith::FPToSIOp>(builder.getIntegerType(to)); };
  Expr number = select(isNaN(value), 0.0, value);
  double low = isUnsigned ? 0 : -std::ldexp(1.0, int(width) - 1);
  if (width < 32) {
    double high = isUnsigned ? std::ldexp(1.0, int(width)) - 1 : -low - 1;
    return convert(atLeast(atMost(number, high), low), 32).zeroExtended(width);
  }
  Expr tooLarge = number >= -low;
  Expr integer = convert(select(tooLarge, 0.0, atLeast(number, low)), width);
  uint64_t largest = (uint64_t(1) << (width - 1)) - 1;
  return select(tooLarge, largest, integer);
}

Expr integerToInteger(const Expr &value, unsigned width, bool isUnsigned) {
  if (width == 1)
    return value.getWidth() == 1 ? value : value != 0;
  return isUnsigned || value.getWidth() == 1 ? value.zeroExtended(width) : value.signExtended(width);
}

Expr castFloat(const Expr &value, mlir::Type element, const NativeCasts &native, bool resultUnsigned) {
  Expr wide = widenToF32(value, native);
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(element))
    return integer.getWidth() == 1 ? wide != 0 : floatToInteger(wide, integer.getWidth(), native, resultUnsigned);
  auto type = mlir::cast<mlir::FloatType>(element);
  if (type.isF64())
    return wide.getElementType().isF64() ? wide : wide.toF64();
  if (!wide.getElementType().isF64())
    return narrowFromF32(wide, type, native);
  if (type.isF16() && native.nvidia)
    return wide.convert<arith::TruncFOp>(type);
  return type.isF32() ? wide.toF32() : narrowFromF32(roundToOdd(wide), type, native);
}

} // namespace

bool isNarrowFloat(mlir::Type element) {
  return formatOf(element).has_value();
}

Expr castTo(const Expr &value, mlir::Type element, const NativeCasts &native, bool sourceUnsigned, bool resultUnsigned) {
  if (value.getElementType() == element)
    return value;
  if (value.isFloat())
    return castFloat(value, element, native, resultUnsigned);
  bool isUnsigned = sourceUnsigned || value.getWidth() == 1;
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(element))
    return integerToInteger(value, integer.getWidth(), isUnsigned);
  return integerToFloat(value, mlir::cast<mlir::FloatType>(element), native, isUnsigned);
}

// --------------------------------------------------------------------------------------------------------------------
// Division and random numbers
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// LLVM's quotient and remainder are undefined for the divisor 0, and for -1 where the quotient wraps: divide by 1 there.
struct Division {
  Division(const Expr &dividend, const Expr &divisor)
      : byZero(divisor == 0), byMinusOne(divisor == -1),
        safe(select(byZero.emit<arith::OrIOp>(byZero, byMinusOne), 1, divisor)),
        quotient(dividend.emit<arith::DivSIOp>(dividend, safe)), remainder(dividend - quotient * safe),
        roundedUp(((remainder ^ divisor) < 0) & (remainder != 0)) {}

  Expr byZero, byMinusOne, safe, quotient, remainder;
  Expr roundedUp; ///< the quotient was negative and not a whole number
};

} // namespace

Expr floorDivide(const Expr &dividend, const Expr &divisor) {
  Division division(dividend, divisor);
  Expr floor = select(division.roundedUp, division.quotient - 1, division.quotient);
  return select(division.byZero, 0, select(division.byMinusOne, 0 - dividend, floor));
}

Expr floorModulo(const Expr &dividend, const Expr &divisor) {
  Division division(dividend, divisor); // by 0 and -1: dividing by 1 has the remainder 0, which is right
  return select(division.roundedUp, division.remainder + divisor, division.remainder);
}

namespace {

/// The halves of a product of 32-bit words.
struct WideProduct {
  Expr low, high;
};

WideProduct multiplyWide(const Expr &word, uint32_t factor, const NativeCasts &native) {
  if (native.nvidia)
    return {word * factor, nvidiaHighProduct(word, factor)};
  Expr wide = word.zeroExtended(64) * uint64_t(factor);
  return {wide.zeroExtended(32), (wide >> 32).zeroExtended(32)};
}

} // namespace

Expr philox(const Expr &seed, const Expr &n, const NativeCasts &native) {
  // Ten rounds on four 32-bit words.
  auto high = [](const Expr &wide) { return (wide >> 32).zeroExtended(32); };
  auto low = [](const Expr &wide) { return wide.zeroExtended(32); };
  Expr counter = arithmeticShift(n, 2);
  Expr word0 = low(counter), word1 = high(counter), word2 = word0.constant(0), word3 = word2;
  Expr key0 = low(seed), key1 = high(seed);
  for (int round = 0; round < 10; ++round) {
    WideProduct product0 = multiplyWide(word0, 0xD2511F53, native), product1 = multiplyWide(word2, 0xCD9E8D57, native);
    word0 = product1.high ^ word1 ^ key0;
    word2 = product0.high ^ word3 ^ key1;
    word1 = product1.low;
    word3 = product0.low;
    key0 = key0 + 0x9E3779B9u;
    key1 = key1 + 0xBB67AE85u;
  }
  Expr even = select((n & 2) == 0, word0, word2), odd = select((n & 2) == 0, word1, word3);
  return select((n & 1) == 0, even, odd);
}

} // namespace tilewright
