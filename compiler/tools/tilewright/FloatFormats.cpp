#include "compiler/tools/tilewright/FloatFormats.h"

#include <cmath>
#include <limits>

namespace tilewright::tools {

uint16_t encode(const FloatFormat &format, double value) {
  uint16_t sign = std::signbit(value) ? format.signBit() : 0;
  if (std::isnan(value))
    return sign | format.quietNaN;
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | format.overflow;

  // The number is a multiple of 2^(exponent - mantissaBits); below the smallest normal exponent the step no longer shrinks.
  int smallestExponent = 1 - format.bias();
  int exponent = magnitude == 0 ? smallestExponent : std::max(std::ilogb(magnitude), smallestExponent);
  double steps = std::nearbyint(std::ldexp(magnitude, format.mantissaBits - exponent));

  // A normal number has 2^mantissaBits steps for its hidden one, which is what the exponent field's first unit adds. So this
  // sum is right for normal numbers, for subnormal ones, and where rounding carries into the exponent.
  auto bits = static_cast<int64_t>(steps) + (static_cast<int64_t>(exponent - smallestExponent) << format.mantissaBits);
  return sign | (bits > format.largestFinite ? format.overflow : static_cast<uint16_t>(bits));
}

double decode(const FloatFormat &format, uint16_t bits) {
  bool negative = bits & format.signBit();
  int magnitude = bits & (format.signBit() - 1);
  int exponentField = magnitude >> format.mantissaBits;
  int mantissa = magnitude & ((1 << format.mantissaBits) - 1);

  double value;
  if (magnitude > format.largestFinite) {
    bool infinite = format.mantissaBits != float8e4m3.mantissaBits && mantissa == 0;
    value = infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else {
    int hidden = exponentField == 0 ? 0 : 1 << format.mantissaBits;
    int exponent = std::max(exponentField, 1) - format.bias();
    value = std::ldexp(static_cast<double>(mantissa + hidden), exponent - format.mantissaBits);
  }
  return negative ? -value : value;
}

} // namespace tilewright::tools
