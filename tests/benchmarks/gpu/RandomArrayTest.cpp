#include "tests/benchmarks/gpu/RandomArray.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace benchmarks;

TEST(RandomArray, TheHostKnowsEveryElement) {
  for (tw_dtype dtype : {TW_F32, TW_F16, TW_BF16, TW_F8E4M3, TW_F8E5M2, TW_I8}) {
    RandomArray array(3, dtype, 1001, 20);
    std::vector<std::byte> bytes = array.bytes();
    size_t size = tw_dtype_bytes(dtype);
    ASSERT_EQ(bytes.size(), 1001 * size);
    for (int64_t index = 0; index < array.count(); ++index) {
      uint32_t bits = 0;
      std::memcpy(&bits, bytes.data() + static_cast<size_t>(index) * size, size);
      ASSERT_EQ(decodeAs(dtype, bits), array.value(index)) << tw_dtype_name(dtype) << ' ' << index;
      ASSERT_EQ(encodeAs(dtype, array.value(index)), bits) << tw_dtype_name(dtype) << ' ' << index;
    }
  }
}

TEST(RandomArray, IsNormal) {
  RandomArray array(5, TW_F32, 100'000, 2), other(6, TW_F32, 100'000, 2);
  double sum = 0, squares = 0, both = 0;
  for (int64_t index = 0; index < array.count(); ++index) {
    sum += array.value(index);
    squares += array.value(index) * array.value(index);
    both += array.value(index) * other.value(index);
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.03);
  EXPECT_NEAR(std::sqrt(squares / 1e5), 2, 0.02);
  EXPECT_NEAR(both / 1e5, 0, 0.06); // another seed, other numbers
}

TEST(RandomArray, NumbersAreRounded) {
  EXPECT_EQ(encodeAs(TW_BF16, 1.0), 0x3f80u);
  EXPECT_EQ(decodeAs(TW_BF16, encodeAs(TW_BF16, 1 + 0x1p-9)), 1.0);
  EXPECT_EQ(decodeAs(TW_I8, encodeAs(TW_I8, -300)), -128);
  EXPECT_EQ(decodeAs(TW_I32, encodeAs(TW_I32, -70'000)), -70'000);
  EXPECT_EQ(decodeAs(TW_F8E4M3, encodeAs(TW_F8E4M3, 17)), 16);
}
