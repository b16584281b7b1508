#include "tests/benchmarks/gpu/Deviation.h"

#include "tests/benchmarks/gpu/Failure.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace benchmarks;

TEST(Deviation, IsRelativeToTheReference) {
  Deviation deviation;
  deviation.add(3.5, 3);
  deviation.add(4, 4);
  EXPECT_DOUBLE_EQ(deviation.relative(), 0.1); // 0.5 / 5
  EXPECT_EQ(Deviation().relative(), 0);
}

TEST(Deviation, NaNIsNoResult) {
  Deviation deviation;
  deviation.add(NAN, 1);
  EXPECT_THROW(expectWithin(deviation.relative(), 1e9, "ours"), Failure);
  EXPECT_NO_THROW(expectWithin(1e-3, 1e-3, "ours"));
  try {
    expectWithin(0.5, 1e-3, "ours");
    FAIL();
  } catch (const Failure &failure) {
    EXPECT_STREQ(failure.what(), "wrong results of ours: their relative error is 5.00e-01, expected 1.00e-03 at most");
  }
}
