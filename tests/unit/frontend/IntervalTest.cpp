#include "compiler/frontend/Interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

using namespace tilewright::frontend;

namespace {

Interval range(int64_t low, int64_t high) {
  return {low, high};
}
const Interval whole = range(Interval::least, Interval::greatest);
const Interval fromMemory = Interval::of(DType::I32, BoundOrigin::Memory);
const Interval fromLaunch = {0, 100, BoundOrigin::Launch, BoundOrigin::Launch};

void expectBounds(const Interval &found, int64_t low, int64_t high) {
  EXPECT_EQ(found.low, low);
  EXPECT_EQ(found.high, high);
}

/// Calls check(a, b, f(a, b)) for all pairs from small intervals, and expects each value inside the interval of the operation.
template <typename Operation, typename Number> void expectEnclosed(Operation operation, Number number) {
  for (int64_t aLow = -4; aLow <= 4; ++aLow)
    for (int64_t aHigh = aLow; aHigh <= 4; ++aHigh)
      for (int64_t bLow = -3; bLow <= 3; ++bLow)
        for (int64_t bHigh = bLow; bHigh <= 3; ++bHigh) {
          Interval all = operation(range(aLow, aHigh), range(bLow, bHigh));
          for (int64_t a = aLow; a <= aHigh; ++a)
            for (int64_t b = bLow; b <= bHigh; ++b)
              ASSERT_TRUE(all.contains(number(a, b)))
                  << a << " and " << b << " of " << aLow << ".." << aHigh << " and " << bLow << ".." << bHigh;
        }
}

} // namespace

TEST(Interval, DivisionRoundsDownAndByZeroGivesZero) {
  EXPECT_EQ(floorDivide(7, 2), 3);
  EXPECT_EQ(floorDivide(-7, 2), -4);
  EXPECT_EQ(floorDivide(7, -2), -4);
  EXPECT_EQ(floorDivide(5, 0), 0);
  EXPECT_EQ(floorDivide(Interval::least, -1), Interval::least);
}

TEST(Interval, RemainderHasTheSignOfTheDivisor) {
  EXPECT_EQ(floorRemainder(-7, 3), 2);
  EXPECT_EQ(floorRemainder(7, -3), -2);
  EXPECT_EQ(floorRemainder(5, 0), 0);
  EXPECT_EQ(floorRemainder(Interval::least, -1), 0);
}

TEST(Interval, EnclosesEveryResultOfItsOperations) {
  expectEnclosed(add, [](int64_t a, int64_t b) { return a + b; });
  expectEnclosed(subtract, [](int64_t a, int64_t b) { return a - b; });
  expectEnclosed(multiply, [](int64_t a, int64_t b) { return a * b; });
  expectEnclosed(divide, floorDivide);
  expectEnclosed(remainder, floorRemainder);
  expectEnclosed(minimum, [](int64_t a, int64_t b) { return std::min(a, b); });
  expectEnclosed(maximum, [](int64_t a, int64_t b) { return std::max(a, b); });
  expectEnclosed(unite, [](int64_t a, int64_t b) { return b; });
  expectEnclosed([](const Interval &a, const Interval &) { return negate(a); }, [](int64_t a, int64_t) { return -a; });
  expectEnclosed([](const Interval &a, const Interval &) { return absolute(a); },
                 [](int64_t a, int64_t) { return std::abs(a); });
}

TEST(Interval, IsTightForSumsAndQuotients) {
  expectBounds(add(range(1, 2), range(10, 20)), 11, 22);
  expectBounds(subtract(range(1, 2), range(10, 20)), -19, -8);
  expectBounds(multiply(range(-2, 3), range(4, 5)), -10, 15);
  expectBounds(divide(range(-7, 9), range(2, 4)), -4, 4);
  expectBounds(remainder(range(0, 100), range(8, 8)), 0, 7);
  expectBounds(remainder(range(0, 3), range(8, 8)), 0, 3);
  expectBounds(absolute(range(-5, 3)), 0, 5);
}

TEST(Interval, WhatMayOverflowCanBeAnything) {
  EXPECT_EQ(add(range(0, Interval::greatest), Interval::point(1)), whole);
  EXPECT_EQ(multiply(range(0, int64_t{1} << 40), range(0, int64_t{1} << 40)), whole);
  EXPECT_EQ(negate(range(Interval::least, 0)), whole);
  EXPECT_EQ(absolute(range(Interval::least, 0)), whole);
  EXPECT_EQ(subtract(range(Interval::least, 0), Interval::point(1)), whole);
}

TEST(Interval, AnExtentPlusOneDoesNotOverflow) {
  EXPECT_EQ(add(Interval::extent(), Interval::point(1)).low, 1);
}

TEST(Interval, CastsKeepWhatFitsAndForgetWhatDoesNot) {
  expectBounds(convert(range(-128, 127), DType::I8), -128, 127);
  expectBounds(convert(range(-128, 128), DType::I8), -128, 127);
  expectBounds(convert(range(3, 300), DType::U8), 0, 255);
  expectBounds(convert(range(3, 300), DType::I16), 3, 300);
}

TEST(Interval, ValuesFromMemoryHaveTheBoundsOfTheirDType) {
  expectBounds(fromMemory, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(fromMemory.lowOrigin, BoundOrigin::Memory);
  Interval bytes = Interval::of(DType::U8, BoundOrigin::Memory);
  expectBounds(bytes, 0, 255);
  EXPECT_EQ(bytes.lowOrigin, BoundOrigin::Constant); // whatever memory holds
  EXPECT_EQ(bytes.highOrigin, BoundOrigin::Memory);
}

TEST(Interval, MinimumNeedsOneKnownUpperBoundAndBothLowerBounds) {
  Interval bounded = minimum(fromMemory, fromLaunch);
  EXPECT_EQ(bounded.highOrigin, BoundOrigin::Launch);
  EXPECT_EQ(bounded.lowOrigin, BoundOrigin::Memory);
}

TEST(Interval, MaximumNeedsOneKnownLowerBoundAndBothUpperBounds) {
  Interval bounded = maximum(fromMemory, Interval::point(0));
  EXPECT_EQ(bounded.lowOrigin, BoundOrigin::Constant);
  EXPECT_EQ(bounded.highOrigin, BoundOrigin::Memory);
}

TEST(Interval, TheDivisorAloneBoundsARemainder) {
  Interval rest = remainder(fromMemory, Interval::point(8));
  expectBounds(rest, 0, 7);
  EXPECT_TRUE(knownAtLaunch(rest.worstOrigin()));
}

TEST(Interval, EachSideOfASumKeepsItsOrigin) {
  Interval clamped = maximum(fromMemory, Interval::point(0));
  Interval shifted = add(clamped, Interval::point(3));
  EXPECT_EQ(shifted.lowOrigin, BoundOrigin::Constant);
  EXPECT_EQ(shifted.highOrigin, BoundOrigin::Memory);
  Interval mirrored = subtract(Interval::point(0), clamped);
  EXPECT_EQ(mirrored.lowOrigin, BoundOrigin::Memory);
  EXPECT_EQ(mirrored.highOrigin, BoundOrigin::Constant);
}

TEST(Interval, AProductWithANonNegativeFactorKeepsItsSidesApart) {
  Interval product = multiply(maximum(fromMemory, Interval::point(0)), Interval::point(4));
  EXPECT_EQ(product.lowOrigin, BoundOrigin::Constant);
  EXPECT_EQ(product.highOrigin, BoundOrigin::Memory);
}

TEST(Interval, IndicesOfAnEmptyRangeAreEmptyAndAddNothing) {
  Interval none = indices(Interval::point(5), Interval::point(5));
  EXPECT_TRUE(none.isEmpty());
  EXPECT_TRUE(add(none, Interval::point(1)).isEmpty());
  expectBounds(unite(none, Interval::point(7)), 7, 7);
}
