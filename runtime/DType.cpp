#include "runtime/DType.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tilewright::runtime;

namespace {

struct Facts {
  const char *name;
  size_t bytes;
  tw_dtype accumulator;
};

constexpr Facts facts[] = {
    {"", 0, TW_NO_DTYPE},  {"f64", 8, TW_F64},    {"f32", 4, TW_F32},  {"f16", 2, TW_F32}, {"bf16", 2, TW_F32},
    {"f8e4m3", 1, TW_F32}, {"f8e5m2", 1, TW_F32}, {"i64", 8, TW_I64},  {"i32", 4, TW_I32}, {"i16", 2, TW_I32},
    {"i8", 1, TW_I32},     {"u8", 1, TW_I32},     {"bool", 1, TW_I32},
};

const Facts &of(tw_dtype dtype) {
  size_t index = static_cast<size_t>(dtype);
  return index < std::size(facts) ? facts[index] : facts[0];
}

/// A float format with a sign bit, narrower than f32.
struct Narrow {
  int exponentBits;
  int mantissaBits;
  bool hasInfinity; ///< else the largest exponent holds numbers, and its last pattern NaN
  bool saturates;   ///< on overflow: to the largest number, instead of to infinity

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  int bits() const { return 1 + exponentBits + mantissaBits; }
  uint32_t infinity() const { return ((1u << exponentBits) - 1) << mantissaBits; }
  uint32_t largest() const { return hasInfinity ? infinity() - 1 : (1u << (exponentBits + mantissaBits)) - 2; }
  uint32_t quietNaN() const {
    return hasInfinity ? infinity() | (1u << (mantissaBits - 1)) : (1u << (exponentBits + mantissaBits)) - 1;
  }
};

std::optional<Narrow> narrow(tw_dtype dtype) {
  switch (dtype) {
  case TW_F16:
    return Narrow{5, 10, true, false};
  case TW_BF16:
    return Narrow{8, 7, true, false};
  case TW_F8E4M3:
    return Narrow{4, 3, false, true};
  case TW_F8E5M2:
    return Narrow{5, 2, true, true};
  default:
    return std::nullopt;
  }
}

uint32_t encodeNarrow(double value, Narrow format) {
  uint32_t sign = std::signbit(value) ? 1u << (format.bits() - 1) : 0;
  if (std::isnan(value))
    return sign | format.quietNaN();
  double magnitude = std::fabs(value);
  uint32_t overflow = format.saturates ? format.largest() : format.infinity();
  if (std::isinf(magnitude))
    return sign | overflow;
  if (magnitude == 0)
    return sign;
  int exponent;
  std::frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, 1 - format.bias()); // subnormals have the smallest exponent
  // In units of the last place; the default rounding mode is to nearest even. A carry into the exponent comes out right by
  // itself.
  double units = std::nearbyint(std::ldexp(magnitude, format.mantissaBits - exponent));
  double pattern = units + std::ldexp(static_cast<double>(exponent + format.bias() - 1), format.mantissaBits);
  return sign | (pattern > format.largest() ? overflow : static_cast<uint32_t>(pattern));
}

double decodeNarrow(uint32_t pattern, Narrow format) {
  uint32_t magnitude = pattern & ((1u << (format.bits() - 1)) - 1);
  double sign = pattern >> (format.bits() - 1) & 1 ? -1.0 : 1.0;
  if (magnitude > format.largest())
    return format.hasInfinity && magnitude == format.infinity() ? sign * std::numeric_limits<double>::infinity()
                                                                : std::numeric_limits<double>::quiet_NaN();
  int exponent = static_cast<int>(magnitude >> format.mantissaBits);
  double mantissa = magnitude & ((1u << format.mantissaBits) - 1);
  if (exponent > 0)
    mantissa += 1u << format.mantissaBits;
  return sign * std::ldexp(mantissa, std::max(exponent, 1) - format.bias() - format.mantissaBits);
}

std::optional<int64_t> encodeInteger(int64_t value, int64_t low, int64_t high) {
  if (value < low || value > high)
    return std::nullopt;
  return value;
}

} // namespace

tw_dtype tilewright::runtime::dtypeNamed(std::string_view name) {
  for (size_t index = 1; index < std::size(facts); ++index)
    if (name == facts[index].name)
      return static_cast<tw_dtype>(index);
  return TW_NO_DTYPE;
}

bool tilewright::runtime::isFloat(tw_dtype dtype) {
  return dtype >= TW_F64 && dtype <= TW_F8E5M2;
}

std::optional<int64_t> tilewright::runtime::encode(Scalar scalar, tw_dtype dtype) {
  if (isFloat(dtype)) {
    double value = scalar.isReal ? scalar.real : static_cast<double>(scalar.integer);
    if (dtype == TW_F64)
      return std::bit_cast<int64_t>(value);
    if (dtype == TW_F32)
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    return encodeNarrow(value, *narrow(dtype));
  }
  int64_t value = scalar.integer;
  if (scalar.isReal) {
    if (!(scalar.real >= -0x1p63 && scalar.real < 0x1p63) || scalar.real != std::trunc(scalar.real))
      return std::nullopt;
    value = static_cast<int64_t>(scalar.real);
  }
  switch (dtype) {
  case TW_I64:
    return value;
  case TW_I32:
    return encodeInteger(value, INT32_MIN, INT32_MAX);
  case TW_I16:
    return encodeInteger(value, INT16_MIN, INT16_MAX);
  case TW_I8:
    return encodeInteger(value, INT8_MIN, INT8_MAX);
  case TW_U8:
    return encodeInteger(value, 0, UINT8_MAX);
  case TW_BOOL:
    return encodeInteger(value, 0, 1);
  default:
    return std::nullopt;
  }
}

Scalar tilewright::runtime::decode(int64_t slot, tw_dtype dtype) {
  if (dtype == TW_F64)
    return {true, 0, std::bit_cast<double>(slot)};
  if (dtype == TW_F32)
    return {true, 0, std::bit_cast<float>(static_cast<uint32_t>(slot))};
  if (std::optional<Narrow> format = narrow(dtype))
    return {true, 0, decodeNarrow(static_cast<uint32_t>(slot), *format)};
  switch (dtype) {
  case TW_I32:
    return {false, static_cast<int32_t>(slot), 0};
  case TW_I16:
    return {false, static_cast<int16_t>(slot), 0};
  case TW_I8:
    return {false, static_cast<int8_t>(slot), 0};
  case TW_U8:
    return {false, static_cast<uint8_t>(slot), 0};
  case TW_BOOL:
    return {false, (slot & 0xff) != 0, 0};
  default:
    return {false, slot, 0};
  }
}

// ---- The C interface's questions about dtypes ------------------------------------------------------------------------------

size_t tw_dtype_bytes(tw_dtype dtype) {
  return of(dtype).bytes;
}
const char *tw_dtype_name(tw_dtype dtype) {
  return of(dtype).name;
}
tw_dtype tw_dtype_named(const char *name) {
  return name ? dtypeNamed(name) : TW_NO_DTYPE;
}
tw_dtype tw_dtype_accumulator(tw_dtype dtype) {
  return of(dtype).accumulator;
}
