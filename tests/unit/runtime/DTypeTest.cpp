#include "runtime/DType.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

using namespace tilewright::runtime;

static int64_t real(double value, tw_dtype dtype) {
  return encode({true, 0, value}, dtype).value_or(-1);
}
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(DType, KnowsEveryNameAndSize) {
  for (int number = TW_F64; number <= TW_BOOL; ++number) {
    tw_dtype dtype = static_cast<tw_dtype>(number);
    EXPECT_EQ(tw_dtype_named(tw_dtype_name(dtype)), dtype);
    EXPECT_GE(tw_dtype_bytes(dtype), 1u);
  }
  EXPECT_EQ(tw_dtype_named("f31"), TW_NO_DTYPE);
  EXPECT_EQ(tw_dtype_bytes(static_cast<tw_dtype>(99)), 0u);
  EXPECT_EQ(tw_dtype_accumulator(TW_BF16), TW_F32);
  EXPECT_EQ(tw_dtype_accumulator(TW_U8), TW_I32);
}

TEST(DType, RoundsToNearestEven) {
  EXPECT_EQ(real(1.0, TW_F16), 0x3c00);
  EXPECT_EQ(real(1.0 + 0x1p-11, TW_F16), 0x3c00);           // half way: to even
  EXPECT_EQ(real(1.0 + 3 * 0x1p-11, TW_F16), 0x3c02);       // half way: to even
  EXPECT_EQ(real(1.0 + 0x1p-11 + 0x1p-40, TW_F16), 0x3c01); // one rounding, not two
  EXPECT_EQ(real(-2.5, TW_BF16), 0xc020);
  EXPECT_EQ(real(1.0, TW_F8E4M3), 0x38);
  EXPECT_EQ(real(1.0, TW_F8E5M2), 0x3c);
}

TEST(DType, OverflowsToInfinityOrSaturates) {
  EXPECT_EQ(real(65519, TW_F16), 0x7bff);
  EXPECT_EQ(real(65520, TW_F16), 0x7c00);
  EXPECT_EQ(real(infinity, TW_BF16), 0x7f80);
  EXPECT_EQ(real(1e6, TW_F8E4M3), 0x7e);
  EXPECT_EQ(real(-infinity, TW_F8E4M3), 0xfe);
  EXPECT_EQ(real(infinity, TW_F8E5M2), 0x7b);
}

TEST(DType, KeepsNaNAndSubnormals) {
  EXPECT_TRUE(std::isnan(decode(real(std::nan(""), TW_F16), TW_F16).real));
  EXPECT_TRUE(std::isnan(decode(real(std::nan(""), TW_F8E4M3), TW_F8E4M3).real));
  EXPECT_EQ(real(0x1p-24, TW_F16), 1);
  EXPECT_EQ(real(0x1p-25, TW_F16), 0); // half of the smallest: to even
  EXPECT_EQ(real(-0.0, TW_F16), 0x8000);
}

TEST(DType, EveryNarrowFloatSurvivesTheRoundTrip) {
  for (tw_dtype dtype : {TW_F16, TW_BF16, TW_F8E4M3, TW_F8E5M2})
    for (int64_t pattern = 0; pattern < int64_t(1) << (8 * tw_dtype_bytes(dtype)); ++pattern) {
      double value = decode(pattern, dtype).real;
      if (std::isnan(value) || (std::isinf(value) && dtype == TW_F8E5M2)) // saturates
        continue;
      ASSERT_EQ(real(value, dtype), pattern) << tw_dtype_name(dtype) << ' ' << value;
    }
}

TEST(DType, RefusesWhatAnIntegerCannotHold) {
  EXPECT_FALSE(encode({false, 128, 0}, TW_I8));
  EXPECT_FALSE(encode({false, -1, 0}, TW_U8));
  EXPECT_FALSE(encode({false, 2, 0}, TW_BOOL));
  EXPECT_FALSE(encode({true, 0, 1.5}, TW_I32));
  EXPECT_FALSE(encode({true, 0, 1e30}, TW_I64));
  EXPECT_EQ(encode({true, 0, 7.0}, TW_I32), 7);
  EXPECT_EQ(decode(*encode({false, -3, 0}, TW_I16), TW_I16).integer, -3);
}
