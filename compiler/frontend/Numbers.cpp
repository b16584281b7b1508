#include "compiler/frontend/Numbers.h"

#include "compiler/frontend/TypedTree.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace tilewright::frontend {

namespace {

struct FloatFormat {
  int mantissaBits; ///< without the implicit one
  int minimumExponent;
  double largest;
  bool hasInfinity;
  bool saturates;
};

FloatFormat formatOf(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return {23, -126, std::numeric_limits<float>::max(), true, false};
  case DType::F16:
    return {10, -14, 65504.0, true, false};
  case DType::BF16:
    return {7, -126, 0x1.fep127, true, false};
  case DType::F8E4M3:
    return {3, -6, 448.0, false, true};
  case DType::F8E5M2:
    return {2, -14, 57344.0, true, true};
  default:
    return {52, -1022, std::numeric_limits<double>::max(), true, false};
  }
}

struct IntegerLimits {
  int64_t lowest, highest;
};

IntegerLimits limitsOf(DType dtype) {
  if (dtype == DType::U8)
    return {0, 255};
  if (dtype == DType::Bool)
    return {0, 1};
  unsigned bits = byteWidth(dtype) * 8;
  int64_t highest = static_cast<int64_t>(~uint64_t{0} >> (65 - bits));
  return {-highest - 1, highest};
}

/// To nearest even with unlimited exponent range above.
double roundMantissa(double value, const FloatFormat &format) {
  int exponent = std::max(std::ilogb(value), format.minimumExponent);
  double quantum = std::ldexp(1.0, exponent - format.mantissaBits);
  return std::nearbyint(value / quantum) * quantum;
}

template <typename Real> std::string realText(Real value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  std::string text(buffer, end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

} // namespace

std::string toText(WideInteger value) {
  if (value == 0)
    return "0";
  std::string digits;
  bool negative = value < 0;
  auto rest = negative ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  for (; rest != 0; rest /= 10)
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
  if (negative)
    digits += '-';
  return {digits.rbegin(), digits.rend()};
}

std::string toText(double value) {
  return realText(value);
}
std::string toText(float value) {
  return realText(value);
}

bool fitsInteger(WideInteger value, DType dtype) {
  IntegerLimits limits = limitsOf(dtype);
  return value >= limits.lowest && value <= limits.highest;
}

int64_t wrapInteger(WideInteger value, DType dtype) {
  auto low = static_cast<uint64_t>(static_cast<unsigned __int128>(value));
  if (dtype == DType::U8)
    return static_cast<uint8_t>(low);
  unsigned drop = 64 - byteWidth(dtype) * 8;
  return static_cast<int64_t>(low << drop) >> drop;
}

double roundToFloat(double value, DType dtype) {
  if (dtype == DType::F64 || std::isnan(value) || value == 0)
    return value;
  FloatFormat format = formatOf(dtype);
  double rounded = std::isinf(value) ? value : roundMantissa(value, format);
  if (std::abs(rounded) <= format.largest)
    return rounded;
  return std::copysign(format.saturates ? format.largest : std::numeric_limits<double>::infinity(), value);
}

bool fitsFloat(double value, DType dtype) {
  if (std::isnan(value))
    return true;
  FloatFormat format = formatOf(dtype);
  if (std::isinf(value))
    return format.hasInfinity;
  return value == 0 || std::abs(roundMantissa(value, format)) <= format.largest;
}

bool fitsFloatExactly(WideInteger value, DType dtype) {
  auto real = static_cast<double>(value);
  return static_cast<WideInteger>(real) == value && std::abs(real) <= formatOf(dtype).largest &&
         roundToFloat(real, dtype) == real;
}

int64_t truncateToInteger(double value, DType dtype) {
  if (std::isnan(value))
    return 0;
  IntegerLimits limits = limitsOf(dtype);
  if (value >= static_cast<double>(limits.highest))
    return limits.highest;
  if (value <= static_cast<double>(limits.lowest))
    return limits.lowest;
  return static_cast<int64_t>(value);
}

} // namespace tilewright::frontend
