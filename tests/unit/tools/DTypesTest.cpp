#include "compiler/tools/tilewright/DTypes.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace tilewright::tools;

namespace {

template <typename To, typename From> To convertOne(DType from, From value, DType to) {
  To result{};
  convert(from, &value, to, &result, 1);
  return result;
}

TEST(DTypes, NamesAreTheLanguages) {
  for (DType dtype : allDTypes())
    EXPECT_EQ(dtypeNamed(name(dtype)), dtype);
  EXPECT_EQ(dtypeNamed("f33"), std::nullopt);
  EXPECT_EQ(name(DType::F8E4M3), "f8e4m3");
}

TEST(DTypes, WhatNumPyHasIsItself) {
  EXPECT_EQ(dtypeOf({NpyKind::Float, 2}), DType::F16);
  EXPECT_EQ(dtypeOf({NpyKind::Unsigned, 1}), DType::U8);
  EXPECT_EQ(dtypeOf({NpyKind::Boolean, 1}), DType::Bool);
}

TEST(DTypes, WiderUnsignedIntegersAreOnlyRaw) {
  EXPECT_EQ(dtypeOf({NpyKind::Unsigned, 2}), std::nullopt);
  EXPECT_EQ(dtypeOf({NpyKind::Unsigned, 4}), std::nullopt);
  EXPECT_EQ(dtypeOf({NpyKind::Unsigned, 8}), std::nullopt);
  EXPECT_TRUE(holdsRaw({NpyKind::Unsigned, 2}, DType::BF16));
  EXPECT_TRUE(holdsRaw({NpyKind::Unsigned, 1}, DType::F8E5M2));
  EXPECT_FALSE(holdsRaw({NpyKind::Unsigned, 2}, DType::F16));
}

TEST(DTypes, FloatsBecomeIntegersTowardZeroSaturating) {
  EXPECT_EQ(convertOne<int8_t>(DType::F32, 3.9f, DType::I8), 3);
  EXPECT_EQ(convertOne<int8_t>(DType::F32, -3.9f, DType::I8), -3);
  EXPECT_EQ(convertOne<int8_t>(DType::F32, 1e9f, DType::I8), 127);
  EXPECT_EQ(convertOne<uint8_t>(DType::F64, -1.0, DType::U8), 0);
  EXPECT_EQ(convertOne<int64_t>(DType::F64, 1e300, DType::I64), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(convertOne<int64_t>(DType::F64, -1e300, DType::I64), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(convertOne<int32_t>(DType::F32, std::nanf(""), DType::I32), 0);
}

TEST(DTypes, IntegersWrap) {
  EXPECT_EQ(convertOne<int8_t>(DType::I32, 200, DType::I8), -56);
  EXPECT_EQ(convertOne<uint8_t>(DType::I64, int64_t{-1}, DType::U8), 255);
}

TEST(DTypes, FloatsRoundOnce) {
  EXPECT_EQ(convertOne<uint16_t>(DType::F32, 1.00390625f, DType::BF16), 0x3f80); // halfway: to even
  EXPECT_EQ(convertOne<float>(DType::BF16, uint16_t{0x3f80}, DType::F32), 1.0f);
  EXPECT_EQ(convertOne<uint8_t>(DType::F32, 1e9f, DType::F8E4M3), 0x7e);
}

TEST(DTypes, BoolIsZeroOrOne) {
  EXPECT_EQ(convertOne<uint8_t>(DType::F32, 0.5f, DType::Bool), 1);
  EXPECT_EQ(convertOne<float>(DType::Bool, uint8_t{1}, DType::F32), 1.0f);
}

} // namespace
