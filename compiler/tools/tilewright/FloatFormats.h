// Floating-point formats that C++ has no type for: f16, bf16, f8e4m3, f8e5m2.
//
// One pair of functions serves all four, since an IEEE-like format is known by the widths of its fields and by what lies beyond
// its largest number. They take double, which holds every value of every narrower format, so a conversion rounds exactly once.
#pragma once

#include <cstdint>

namespace tilewright::tools {

struct FloatFormat {
  int exponentBits;
  int mantissaBits;
  uint16_t largestFinite; ///< the bits of the largest finite number
  uint16_t overflow;      ///< what is larger becomes this: infinity, or the largest finite number where casts saturate
  uint16_t quietNaN;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  uint16_t signBit() const { return static_cast<uint16_t>(1u << (exponentBits + mantissaBits)); }
};

inline constexpr FloatFormat float16{5, 10, 0x7bff, 0x7c00, 0x7e00};
inline constexpr FloatFormat bfloat16{8, 7, 0x7f7f, 0x7f80, 0x7fc0};
/// Has no infinity: all-ones is the only NaN, and 0x78…0x7e are the numbers 256…448.
inline constexpr FloatFormat float8e4m3{4, 3, 0x7e, 0x7e, 0x7f};
inline constexpr FloatFormat float8e5m2{5, 2, 0x7b, 0x7b, 0x7f};

/// Rounds to nearest, ties to even. An infinity overflows like any large number; NaN stays NaN, with its sign.
uint16_t encode(const FloatFormat &format, double value);
/// Exact.
double decode(const FloatFormat &format, uint16_t bits);

} // namespace tilewright::tools
