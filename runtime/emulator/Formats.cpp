#include "runtime/emulator/Formats.h"

using namespace tilewright::runtime::emulator;

namespace {

/// Whether a magnitude cut to `kept` with this remainder must be one larger.
bool roundsUp(uint64_t kept, uint64_t remainder, uint64_t half, Rounding rounding, bool isNegative) {
  switch (rounding) {
  case Rounding::NearestEven:
    return remainder > half || (remainder == half && (kept & 1));
  case Rounding::NearestAway:
    return remainder >= half;
  case Rounding::Down:
    return remainder && isNegative;
  case Rounding::Up:
    return remainder && !isNegative;
  case Rounding::Zero:
    return false;
  }
  return false;
}

} // namespace

uint32_t tilewright::runtime::emulator::encode(const Format &format, double value, Rounding rounding, bool saturate) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  bool isNegative = bits >> 63;
  uint32_t sign = isNegative ? format.signBit() : 0;
  int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == 1024 && fraction)
    return format.notANumber;
  if (exponent == 1024)
    return sign | (saturate || !format.hasInfinity ? format.largest() : format.infinity());
  if (exponent == -1023 && !fraction)
    return sign;
  int smallest = 1 - format.bias();
  uint64_t significand = fraction | (exponent > -1023 ? uint64_t(1) << 52 : 0);
  int shift = 52 - format.mantissaBits + (exponent < smallest ? smallest - exponent : 0);
  if (shift > 60) // far below the least subnormal
    significand = 1, shift = 2;
  uint64_t kept = significand >> shift;
  uint64_t remainder = significand & ((uint64_t(1) << shift) - 1);
  kept += roundsUp(kept, remainder, uint64_t(1) << (shift - 1), rounding, isNegative);
  // A carry out of the mantissa raises the exponent by itself.
  uint64_t magnitude = exponent < smallest ? kept
                                           : (static_cast<uint64_t>(exponent + format.bias()) << format.mantissaBits) + kept -
                                                 (uint64_t(1) << format.mantissaBits);
  if (magnitude <= format.largest())
    return sign | static_cast<uint32_t>(magnitude);
  bool towardsZero = rounding == Rounding::Zero || rounding == (isNegative ? Rounding::Up : Rounding::Down);
  if (saturate || towardsZero)
    return sign | format.largest();
  return format.hasInfinity ? sign | format.infinity() : sign | format.notANumber;
}

double tilewright::runtime::emulator::decode(const Format &format, uint32_t bits) {
  double sign = bits & format.signBit() ? -1.0 : 1.0;
  uint32_t magnitude = bits & (format.signBit() - 1);
  if (magnitude > (format.hasInfinity ? format.infinity() : format.largest()))
    return std::nan("");
  if (format.hasInfinity && magnitude == format.infinity())
    return sign * INFINITY;
  int exponent = static_cast<int>(magnitude >> format.mantissaBits);
  double mantissa = magnitude & ((1u << format.mantissaBits) - 1);
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - format.bias() - format.mantissaBits);
  return sign * std::ldexp(mantissa + (1u << format.mantissaBits), exponent - format.bias() - format.mantissaBits);
}

float tilewright::runtime::emulator::widenF16(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00)
    return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  if (magnitude >= 0x400)
    return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
  float value = static_cast<float>(magnitude) * 0x1p-24f;
  return sign ? -value : value;
}

uint16_t tilewright::runtime::emulator::narrowF16(float value) {
  return static_cast<uint16_t>(encode(formatF16, static_cast<double>(value), Rounding::NearestEven));
}

uint16_t tilewright::runtime::emulator::narrowBF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return 0x7fff;
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
