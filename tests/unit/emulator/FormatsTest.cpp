#include "runtime/emulator/Formats.h"

#include <gtest/gtest.h>

#include <random>

using namespace tilewright::runtime::emulator;

namespace {

/// The nearest of all numbers of a format, by looking at each; ties to even.
uint32_t nearestBySearch(const Format &format, double value) {
  uint32_t best = 0;
  double bestDistance = INFINITY;
  for (uint32_t magnitude = 0; magnitude <= format.largest(); ++magnitude) {
    double distance = std::fabs(decode(format, magnitude) - std::fabs(value));
    if (distance < bestDistance || (distance == bestDistance && !(magnitude & 1)))
      best = magnitude, bestDistance = distance;
  }
  return best | (std::signbit(value) ? format.signBit() : 0);
}

} // namespace

TEST(EmulatorFormats, EveryNumberDecodesAndEncodesToItself) {
  for (const Format *format : {&formatF16, &formatBF16, &formatE4M3, &formatE5M2})
    for (uint32_t bits = 0; bits < 2 * format->signBit(); ++bits) {
      double value = decode(*format, bits);
      if (value == value)
        EXPECT_EQ(encode(*format, value, Rounding::NearestEven), bits);
    }
}

TEST(EmulatorFormats, EncodingRoundsToTheNearest) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-18, 8), mantissa(-2, 2);
  for (const Format *format : {&formatE4M3, &formatE5M2, &formatF16})
    for (int count = 0; count < (format == &formatF16 ? 200 : 3000); ++count) {
      double value = mantissa(random) * std::exp2(exponent(random));
      if (std::fabs(value) < decode(*format, format->largest()))
        EXPECT_EQ(encode(*format, value, Rounding::NearestEven), nearestBySearch(*format, value)) << value;
    }
}

TEST(EmulatorFormats, DirectedRoundings) {
  double above = 1 + 0x1p-20;
  EXPECT_EQ(encode(formatF16, above, Rounding::Zero), 0x3c00u);
  EXPECT_EQ(encode(formatF16, above, Rounding::Down), 0x3c00u);
  EXPECT_EQ(encode(formatF16, above, Rounding::Up), 0x3c01u);
  EXPECT_EQ(encode(formatF16, -above, Rounding::Down), 0xbc01u);
  EXPECT_EQ(encode(formatF16, -above, Rounding::Up), 0xbc00u);
  EXPECT_EQ(encode(formatF16, 1 + 0x1p-11, Rounding::NearestEven), 0x3c00u);
  EXPECT_EQ(encode(formatF16, 1 + 0x1p-11, Rounding::NearestAway), 0x3c01u);
  EXPECT_EQ(encode(formatF16, 1e-30, Rounding::Up), 1u);
}

TEST(EmulatorFormats, Overflow) {
  EXPECT_EQ(encode(formatF16, 65520, Rounding::NearestEven), 0x7c00u);
  EXPECT_EQ(encode(formatF16, 65519, Rounding::NearestEven), 0x7bffu);
  EXPECT_EQ(encode(formatF16, 1e9, Rounding::Zero), 0x7bffu);
  EXPECT_EQ(encode(formatF16, 1e9, Rounding::NearestEven, true), 0x7bffu);
  EXPECT_EQ(encode(formatE4M3, 1000, Rounding::NearestEven, true), 0x7eu); // 448
  EXPECT_EQ(decode(formatE4M3, 0x7e), 448);
  EXPECT_EQ(decode(formatE5M2, 0x7b), 57344);
}

TEST(EmulatorFormats, FastPathsAgreeWithTheGeneralOne) {
  std::mt19937 random(2);
  for (int count = 0; count < 100'000; ++count) {
    float value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    EXPECT_EQ(narrowBF16(value), encode(formatBF16, value, Rounding::NearestEven) & 0xffff) << value;
  }
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double value = decode(formatF16, bits);
    if (value == value)
      EXPECT_EQ(widenF16(static_cast<uint16_t>(bits)), value);
  }
}

TEST(EmulatorFormats, FusedMultiplyAddOfF32IsExact) {
  std::mt19937 random(3);
  for (int count = 0; count < 300'000; ++count) {
    auto draw = [&](uint32_t range, uint32_t least) { return static_cast<uint32_t>(random()) % range + least; };
    uint32_t exponents[3] = {draw(60, 97), draw(60, 97), draw(90, 82)};
    float v[3];
    for (int k = 0; k < 3; ++k)
      v[k] = std::bit_cast<float>((static_cast<uint32_t>(random()) & 0x807fffff) | exponents[k] << 23);
    EXPECT_EQ(static_cast<float>(fusedToOdd(v[0], v[1], v[2])), std::fma(v[0], v[1], v[2]))
        << v[0] << ' ' << v[1] << ' ' << v[2];
  }
  EXPECT_TRUE(std::isinf(static_cast<float>(fusedToOdd(3e38f, 10, 1))));
  EXPECT_TRUE(std::isnan(fusedToOdd(INFINITY, 0, 1)));
}
