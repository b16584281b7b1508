#include "runtime/Interval.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

using namespace tilewright::runtime;

namespace {

using Wide = __int128;
constexpr double infinity = std::numeric_limits<double>::infinity();
const Interval allIntegers = Interval::integers(INT64_MIN, INT64_MAX);
const Interval allReals = Interval::reals(-infinity, infinity);
const Interval anyBoolean = Interval::integers(0, 1);

/// An operation whose exact result may leave i64 wraps, and so may give anything.
Interval wrapped(Wide low, Wide high) {
  if (low < INT64_MIN || high > INT64_MAX)
    return allIntegers;
  return Interval::integers(static_cast<int64_t>(low), static_cast<int64_t>(high));
}

template <typename T, size_t N> std::pair<T, T> ends(const std::array<T, N> &corners) {
  auto [low, high] = std::minmax_element(corners.begin(), corners.end());
  return {*low, *high};
}

Interval hull(const Interval &a, const Interval &b) {
  if (a.isReal || b.isReal) {
    Interval x = a.asReal(), y = b.asReal();
    if (std::isnan(x.realLow) || std::isnan(y.realLow))
      return std::isnan(x.realLow) && std::isnan(y.realLow) ? x : allReals;
    return Interval::reals(std::min(x.realLow, y.realLow), std::max(x.realHigh, y.realHigh));
  }
  return Interval::integers(std::min(a.low, b.low), std::max(a.high, b.high));
}

Wide floorDivide(Wide a, Wide b) {
  Wide quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

/// The part of an interval on one side of zero: divisors of one sign make division monotone in each operand.
bool signedPart(const Interval &b, bool positive, int64_t &low, int64_t &high) {
  low = positive ? std::max<int64_t>(b.low, 1) : b.low;
  high = positive ? b.high : std::min<int64_t>(b.high, -1);
  return low <= high;
}

Interval divide(const Interval &a, const Interval &b) {
  bool any = false;
  Wide low = 0, high = 0;
  auto include = [&](Wide from, Wide to) {
    low = any ? std::min(low, from) : from;
    high = any ? std::max(high, to) : to;
    any = true;
  };
  if (b.low <= 0 && b.high >= 0)
    include(0, 0); // x / 0 = 0
  for (bool positive : {true, false}) {
    int64_t from, to;
    if (!signedPart(b, positive, from, to))
      continue;
    auto [least, most] = ends(std::array<Wide, 4>{floorDivide(a.low, from), floorDivide(a.low, to), floorDivide(a.high, from),
                                                  floorDivide(a.high, to)});
    include(least, most);
  }
  return wrapped(low, high);
}

Interval remainder(const Interval &a, const Interval &b) {
  if (b.low == b.high && b.low != 0) {
    Wide divisor = b.low;
    Wide quotient = floorDivide(a.low, divisor);
    if (quotient == floorDivide(a.high, divisor)) { // no multiple of the divisor lies between the ends
      Wide first = a.low - quotient * divisor, last = a.high - quotient * divisor;
      return Interval::integers(static_cast<int64_t>(std::min(first, last)), static_cast<int64_t>(std::max(first, last)));
    }
  }
  // The sign of the divisor; smaller than it; x % 0 = 0. A non-negative a is not made larger by a positive divisor.
  int64_t low = b.low < 0 ? b.low + 1 : 0;
  int64_t high = b.high > 0 ? b.high - 1 : 0;
  if (a.low >= 0 && b.low >= 0) {
    if (b.low > a.high)
      return a;
    high = std::min(high, a.high);
  }
  return Interval::integers(low, high);
}

Interval integerArithmetic(Operation operation, const Interval &a, const Interval &b) {
  switch (operation) {
  case Operation::Add:
    return wrapped(Wide(a.low) + b.low, Wide(a.high) + b.high);
  case Operation::Subtract:
    return wrapped(Wide(a.low) - b.high, Wide(a.high) - b.low);
  case Operation::Multiply: {
    auto [low, high] =
        ends(std::array<Wide, 4>{Wide(a.low) * b.low, Wide(a.low) * b.high, Wide(a.high) * b.low, Wide(a.high) * b.high});
    return wrapped(low, high);
  }
  case Operation::Divide:
    return divide(a, b);
  case Operation::Remainder:
    return remainder(a, b);
  case Operation::Min:
    return Interval::integers(std::min(a.low, b.low), std::min(a.high, b.high));
  case Operation::Max:
    return Interval::integers(std::max(a.low, b.low), std::max(a.high, b.high));
  default:
    return allIntegers;
  }
}

double exactReal(Operation operation, double a, double b) {
  switch (operation) {
  case Operation::Add:
    return a + b;
  case Operation::Subtract:
    return a - b;
  case Operation::Multiply:
    return a * b;
  case Operation::Divide:
    return a / b;
  case Operation::Remainder: {
    double result = std::fmod(a, b);
    return result != 0 && (result < 0) != (b < 0) ? result + b : result;
  }
  case Operation::Min:
    return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::min(a, b);
  default:
    return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::max(a, b);
  }
}

Interval realArithmetic(Operation operation, const Interval &a, const Interval &b) {
  if (a.isExact() && b.isExact())
    return Interval::real(exactReal(operation, a.realLow, b.realLow));
  if (operation == Operation::Remainder || (operation == Operation::Divide && b.realLow <= 0 && b.realHigh >= 0))
    return allReals;
  std::array<double, 4> corners;
  size_t corner = 0;
  for (double x : {a.realLow, a.realHigh})
    for (double y : {b.realLow, b.realHigh}) {
      double value = exactReal(operation, x, y);
      if (std::isnan(value))
        return allReals;
      corners[corner++] = value;
    }
  auto [low, high] = ends(corners);
  return Interval::reals(low, high);
}

/// What is certain of `a < b` (or `a <= b` with `orEqual`) for integers.
Interval less(const Interval &a, const Interval &b, bool orEqual) {
  if (orEqual ? a.high <= b.low : a.high < b.low)
    return Interval::boolean(true);
  if (orEqual ? a.low > b.high : a.low >= b.high)
    return Interval::boolean(false);
  return anyBoolean;
}

Interval negated(const Interval &a) {
  return Interval::integers(1 - a.high, 1 - a.low);
}

Interval compareReals(Operation operation, const Interval &a, const Interval &b) {
  if (!a.isExact() || !b.isExact()) // may hold NaN, of which nothing is certain
    return anyBoolean;
  double x = a.realLow, y = b.realLow;
  switch (operation) {
  case Operation::Equal:
    return Interval::boolean(x == y);
  case Operation::NotEqual:
    return Interval::boolean(x != y);
  case Operation::Less:
    return Interval::boolean(x < y);
  case Operation::LessEqual:
    return Interval::boolean(x <= y);
  case Operation::Greater:
    return Interval::boolean(x > y);
  default:
    return Interval::boolean(x >= y);
  }
}

Interval compareIntegers(Operation operation, const Interval &a, const Interval &b) {
  switch (operation) {
  case Operation::Less:
    return less(a, b, false);
  case Operation::LessEqual:
    return less(a, b, true);
  case Operation::Greater:
    return less(b, a, false);
  case Operation::GreaterEqual:
    return less(b, a, true);
  default: {
    Interval equal = a.isExact() && b.isExact()         ? Interval::boolean(a.low == b.low)
                     : a.high < b.low || b.high < a.low ? Interval::boolean(false)
                                                        : anyBoolean;
    return operation == Operation::Equal ? equal : negated(equal);
  }
  }
}

} // namespace

Interval Interval::everything(tw_dtype dtype) {
  switch (dtype) {
  case TW_I64:
    return allIntegers;
  case TW_I32:
    return integers(INT32_MIN, INT32_MAX);
  case TW_I16:
    return integers(INT16_MIN, INT16_MAX);
  case TW_I8:
    return integers(INT8_MIN, INT8_MAX);
  case TW_U8:
    return integers(0, UINT8_MAX);
  case TW_BOOL:
    return anyBoolean;
  default:
    return allReals;
  }
}

Interval tilewright::runtime::unary(Operation operation, const Interval &a) {
  switch (operation) {
  case Operation::Not:
    return negated(a);
  case Operation::Negate:
    return a.isReal ? Interval::reals(-a.realHigh, -a.realLow) : wrapped(-Wide(a.high), -Wide(a.low));
  default: // Absolute
    if (a.isReal)
      return Interval::reals(a.realLow > 0    ? a.realLow
                             : a.realHigh < 0 ? -a.realHigh
                                              : 0 * a.realLow,
                             std::max(-a.realLow, a.realHigh));
    if (a.low == INT64_MIN)
      return allIntegers;
    return Interval::integers(a.low > 0 ? a.low : a.high < 0 ? -a.high : 0, std::max(-a.low, a.high));
  }
}

Interval tilewright::runtime::binary(Operation operation, const Interval &a, const Interval &b) {
  bool real = a.isReal || b.isReal;
  switch (operation) {
  case Operation::Union:
    return hull(a, b);
  case Operation::And:
    return Interval::integers(std::min(a.low, b.low), std::min(a.high, b.high));
  case Operation::Or:
    return Interval::integers(std::max(a.low, b.low), std::max(a.high, b.high));
  case Operation::Equal:
  case Operation::NotEqual:
  case Operation::Less:
  case Operation::LessEqual:
  case Operation::Greater:
  case Operation::GreaterEqual:
    return real ? compareReals(operation, a.asReal(), b.asReal()) : compareIntegers(operation, a, b);
  default:
    return real ? realArithmetic(operation, a.asReal(), b.asReal()) : integerArithmetic(operation, a, b);
  }
}

Interval tilewright::runtime::select(const Interval &condition, const Interval &a, const Interval &b) {
  if (condition.isCertainly(true))
    return a;
  if (condition.isCertainly(false))
    return b;
  return hull(a, b);
}

Interval tilewright::runtime::cast(const Interval &a, tw_dtype dtype) {
  if (isFloat(dtype)) {
    Interval real = a.asReal();
    if (dtype == TW_F64)
      return real;
    auto rounded = [&](double value) { return decode(*encode({true, 0, value}, dtype), dtype).real; };
    return Interval::reals(rounded(real.realLow), rounded(real.realHigh));
  }
  Interval all = Interval::everything(dtype);
  if (dtype == TW_BOOL)
    return a.isReal ? compareReals(Operation::NotEqual, a, Interval::real(0))
                    : compareIntegers(Operation::NotEqual, a, Interval::integer(0));
  if (!a.isReal) // modulo 2ⁿ
    return a.low >= all.low && a.high <= all.high ? a : a.isExact() ? Interval::of(decode(a.low, dtype)) : all;
  // Toward zero, saturating, NaN to 0.
  auto truncated = [&](double value) -> int64_t {
    if (std::isnan(value))
      return 0;
    if (value <= static_cast<double>(all.low))
      return all.low;
    if (value >= static_cast<double>(all.high))
      return all.high;
    return static_cast<int64_t>(value);
  };
  Interval result = Interval::integers(truncated(a.realLow), truncated(a.realHigh));
  // A float interval that is not exact may hold NaN.
  return a.isExact() ? result : hull(result, Interval::integer(0));
}
