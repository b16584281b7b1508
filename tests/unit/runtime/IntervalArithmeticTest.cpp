// The result of every operation contains what it gives for all members of its operands.
#include "runtime/Interval.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tilewright::runtime;

static int64_t floorDivide(int64_t a, int64_t b) {
  return b == 0 ? 0 : static_cast<int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
}

static int64_t exact(Operation operation, int64_t a, int64_t b) {
  switch (operation) {
  case Operation::Add:
    return a + b;
  case Operation::Subtract:
    return a - b;
  case Operation::Multiply:
    return a * b;
  case Operation::Divide:
    return floorDivide(a, b);
  case Operation::Remainder:
    return b == 0 ? 0 : a - b * floorDivide(a, b);
  case Operation::Min:
    return std::min(a, b);
  case Operation::Max:
    return std::max(a, b);
  case Operation::Equal:
    return a == b;
  case Operation::NotEqual:
    return a != b;
  case Operation::Less:
    return a < b;
  case Operation::LessEqual:
    return a <= b;
  case Operation::Greater:
    return a > b;
  default:
    return a >= b;
  }
}

TEST(IntervalArithmetic, ContainsEveryResult) {
  for (Operation operation : {Operation::Add, Operation::Subtract, Operation::Multiply, Operation::Divide, Operation::Remainder,
                              Operation::Min, Operation::Max, Operation::Equal, Operation::NotEqual, Operation::Less,
                              Operation::LessEqual, Operation::Greater, Operation::GreaterEqual})
    for (int64_t a = -6; a <= 6; ++a)
      for (int64_t aHigh = a; aHigh <= 6; aHigh += 2)
        for (int64_t b = -5; b <= 5; ++b)
          for (int64_t bHigh = b; bHigh <= 5; bHigh += 3) {
            Interval result = binary(operation, Interval::integers(a, aHigh), Interval::integers(b, bHigh));
            for (int64_t x = a; x <= aHigh; ++x)
              for (int64_t y = b; y <= bHigh; ++y) {
                int64_t value = exact(operation, x, y);
                ASSERT_TRUE(result.low <= value && value <= result.high)
                    << static_cast<int>(operation) << ' ' << x << ' ' << y << " not in " << result.low << ".." << result.high;
              }
          }
}

TEST(IntervalArithmetic, IsExactOnExactOperands) {
  for (int64_t a = -9; a <= 9; ++a)
    for (int64_t b = -4; b <= 4; ++b)
      for (Operation operation : {Operation::Divide, Operation::Remainder, Operation::Multiply}) {
        Interval result = binary(operation, Interval::integer(a), Interval::integer(b));
        ASSERT_TRUE(result.isExact());
        ASSERT_EQ(result.low, exact(operation, a, b)) << a << ' ' << b;
      }
}

TEST(IntervalArithmetic, OverflowGivesEverything) {
  Interval result = binary(Operation::Multiply, Interval::integer(INT64_MAX), Interval::integer(2));
  EXPECT_EQ(result.low, INT64_MIN);
  EXPECT_EQ(result.high, INT64_MAX);
  EXPECT_EQ(unary(Operation::Negate, Interval::integer(INT64_MIN)).high, INT64_MAX);
}

TEST(IntervalArithmetic, RemainderOfARangeStaysBelowTheDivisor) {
  Interval result = binary(Operation::Remainder, Interval::integers(0, 1000), Interval::integer(8));
  EXPECT_EQ(result.low, 0);
  EXPECT_EQ(result.high, 7);
  Interval within = binary(Operation::Remainder, Interval::integers(17, 20), Interval::integer(8));
  EXPECT_EQ(within.low, 1);
  EXPECT_EQ(within.high, 4);
}

TEST(IntervalArithmetic, NothingIsCertainOfAFloatThatMayBeNaN) {
  Interval any = Interval::everything(TW_F32);
  EXPECT_FALSE(binary(Operation::LessEqual, any, Interval::real(INFINITY)).isCertainly(true));
  EXPECT_TRUE(binary(Operation::Less, Interval::real(1), Interval::real(2)).isCertainly(true));
  EXPECT_TRUE(binary(Operation::Less, Interval::real(NAN), Interval::real(2)).isCertainly(false));
}

TEST(IntervalArithmetic, CastsFollowTheLanguage) {
  EXPECT_EQ(cast(Interval::real(-2.9), TW_I64).low, -2);
  EXPECT_EQ(cast(Interval::real(NAN), TW_I64).low, 0);
  EXPECT_EQ(cast(Interval::real(1e300), TW_I64).low, INT64_MAX);
  EXPECT_EQ(cast(Interval::integer(300), TW_I8).low, 44); // modulo 2⁸
  EXPECT_EQ(cast(Interval::integer(16777217), TW_F32).realLow, 16777216);
}

TEST(IntervalArithmetic, AbsoluteOfAMixedRangeBeginsAtZero) {
  Interval result = unary(Operation::Absolute, Interval::integers(-5, 3));
  EXPECT_EQ(result.low, 0);
  EXPECT_EQ(result.high, 5);
}
