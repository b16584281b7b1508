// Number formats narrower than f32: their values, and rounding to them.
//
// Everything is exact: a value is widened without loss, the operation is done so that one rounding remains, and that rounding
// is done on integers.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tilewright::runtime::emulator {

enum class Rounding : uint8_t { NearestEven, Zero, Down, Up, NearestAway };

/// sign, exponentBits, mantissaBits; no bits for the leading one.
struct Format {
  int exponentBits;
  int mantissaBits;
  bool hasInfinity;    // e4m3 has none: its largest exponent holds numbers, all ones but the sign is the NaN
  uint32_t notANumber; // the one that operations give

  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1; }
  constexpr uint32_t infinity() const { return ((1u << exponentBits) - 1) << mantissaBits; }
  constexpr uint32_t largest() const { return hasInfinity ? infinity() - 1 : notANumber - 1; }
  constexpr uint32_t signBit() const { return 1u << (exponentBits + mantissaBits); }
};

inline constexpr Format formatF16{5, 10, true, 0x7fff};
inline constexpr Format formatBF16{8, 7, true, 0x7fff};
inline constexpr Format formatTF32{8, 10, true, 0x3ffff}; // the upper 19 bits of an f32
inline constexpr Format formatF32{8, 23, true, 0x7fffffff};
inline constexpr Format formatE4M3{4, 3, false, 0x7f};
inline constexpr Format formatE5M2{5, 2, true, 0x7f};

/// A value rounded once; overflow gives infinity or the largest number, as the rounding says, or with saturate always the
/// largest.
uint32_t encode(const Format &format, double value, Rounding rounding, bool saturate = false);
double decode(const Format &format, uint32_t bits);

inline float widenBF16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}
float widenF16(uint16_t bits);
uint16_t narrowF16(float value);
uint16_t narrowBF16(float value);

/// a·b + c, where a·b is exact in f64, rounded to odd: a later rounding to any format of at most 50 bits is then right (Boldo,
/// Melquiond: "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008).
inline double fusedToOdd(double a, double b, double c) {
  double product = a * b;
  double sum = product + c;
  double back = sum - product;
  double error = (product - (sum - back)) + (c - back);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  bool isInexact = error < 0 || error > 0;
  uint64_t step = (error > 0) == (sum > 0) ? uint64_t(1) : ~uint64_t(0);
  return std::bit_cast<double>(isInexact && !(bits & 1) ? bits + step : bits);
}

} // namespace tilewright::runtime::emulator
