// Interval arithmetic of the language's integers and floats.
//
// The launch checks ask of an expression not one value but all that it can take: `h * D + d` with h in 0..H and d in 0..D. An
// interval holds them; an exact value is an interval of one. So one evaluator serves both `require K % 8 == 0` and the range
// rule.
//
// Sound, not tight: the result contains every value that the operation can give for operands from the intervals. Integers are
// i64 and wrap in the language, so an operation that can overflow gives every i64.
#pragma once

#include "runtime/DType.h"

#include <cstdint>

namespace tilewright::runtime {

struct Interval {
  bool isReal = false;
  int64_t low = 0, high = 0;        ///< of integers and bool (0, 1); both ends included
  double realLow = 0, realHigh = 0; ///< of floats; an exact NaN has NaN in both

  static Interval integer(int64_t value) { return {false, value, value, 0, 0}; }
  static Interval integers(int64_t low, int64_t high) { return {false, low, high, 0, 0}; }
  static Interval real(double value) { return {true, 0, 0, value, value}; }
  static Interval reals(double low, double high) { return {true, 0, 0, low, high}; }
  static Interval of(const Scalar &scalar) { return scalar.isReal ? real(scalar.real) : integer(scalar.integer); }
  static Interval boolean(bool value) { return integer(value); }
  static Interval everything(tw_dtype dtype);

  bool isExact() const { return isReal ? !(realLow < realHigh) : low == high; }
  bool isCertainly(bool value) const { return !isReal && low == value && high == value; }
  Interval asReal() const { return isReal ? *this : reals(static_cast<double>(low), static_cast<double>(high)); }
};

enum class Operation {
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  Negate,
  Absolute,
  Min,
  Max,
  Union,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or,
  Not,
  Select,
  Cast
};

Interval unary(Operation operation, const Interval &a);
Interval binary(Operation operation, const Interval &a, const Interval &b);
Interval select(const Interval &condition, const Interval &a, const Interval &b);
Interval cast(const Interval &a, tw_dtype dtype);

} // namespace tilewright::runtime
