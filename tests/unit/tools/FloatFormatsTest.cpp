#include "compiler/tools/tilewright/FloatFormats.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <utility>

using namespace tilewright::tools;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const std::pair<const char *, FloatFormat> formats[] = {
    {"f16", float16}, {"bf16", bfloat16}, {"f8e4m3", float8e4m3}, {"f8e5m2", float8e5m2}};

// Every number of every format survives a trip to double and back.
TEST(FloatFormats, DecodeThenEncodeIsTheIdentity) {
  for (auto &[name, format] : formats)
    for (unsigned bits = 0; bits < 2u * format.signBit(); ++bits) {
      double value = decode(format, static_cast<uint16_t>(bits));
      bool isInfinite = std::isinf(value) && format.overflow == format.largestFinite; // saturates instead
      if (std::isnan(value) || isInfinite)
        continue;
      ASSERT_EQ(encode(format, value), bits) << name;
    }
}

// Halfway between two numbers the even one is taken; beyond halfway the nearer one.
TEST(FloatFormats, RoundsToNearestEven) {
  for (auto &[name, format] : formats)
    for (uint16_t bits = 0; bits < format.largestFinite; ++bits) {
      double low = decode(format, bits), high = decode(format, static_cast<uint16_t>(bits + 1)), middle = (low + high) / 2;
      ASSERT_EQ(encode(format, middle), bits + bits % 2) << name;
      ASSERT_EQ(encode(format, std::nextafter(middle, 0)), bits) << name;
      ASSERT_EQ(encode(format, std::nextafter(middle, infinity)), bits + 1) << name;
      ASSERT_EQ(encode(format, -middle), format.signBit() | (bits + bits % 2)) << name;
    }
}

TEST(FloatFormats, HalfAndBfloatOverflowToInfinity) {
  EXPECT_EQ(encode(float16, 65519.99), 0x7bff);
  EXPECT_EQ(encode(float16, 65520), 0x7c00);
  EXPECT_EQ(encode(float16, -infinity), 0xfc00);
  EXPECT_EQ(encode(bfloat16, 3.4e38), 0x7f80);
  EXPECT_EQ(decode(float16, 0x7c00), infinity);
  EXPECT_EQ(decode(bfloat16, 0xff80), -infinity);
}

TEST(FloatFormats, Float8Saturates) {
  EXPECT_EQ(encode(float8e4m3, 1e9), 0x7e);
  EXPECT_EQ(encode(float8e4m3, 465), 0x7e);
  EXPECT_EQ(encode(float8e4m3, -infinity), 0xfe);
  EXPECT_EQ(encode(float8e5m2, 1e9), 0x7b);
  EXPECT_EQ(encode(float8e5m2, infinity), 0x7b);
  EXPECT_EQ(decode(float8e4m3, 0x7e), 448);
  EXPECT_EQ(decode(float8e5m2, 0x7b), 57344);
  EXPECT_EQ(decode(float8e5m2, 0x7c), infinity);
}

TEST(FloatFormats, NaNStaysNaN) {
  for (auto &[name, format] : formats) {
    EXPECT_TRUE(std::isnan(decode(format, encode(format, nan)))) << name;
    EXPECT_TRUE(std::isnan(decode(format, encode(format, -nan)))) << name;
  }
  EXPECT_TRUE(std::isnan(decode(float8e4m3, 0x7f)));
  EXPECT_TRUE(std::isnan(decode(float8e5m2, 0x7d)));
}

TEST(FloatFormats, ZeroKeepsItsSignAndTinyNumbersVanish) {
  for (auto &[name, format] : formats) {
    EXPECT_EQ(encode(format, -0.0), format.signBit()) << name;
    EXPECT_EQ(encode(format, 1e-300), 0) << name;
    EXPECT_EQ(encode(format, 5e-324), 0) << name;
  }
}

} // namespace
