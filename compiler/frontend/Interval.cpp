#include "compiler/frontend/Interval.h"

#include "compiler/frontend/Numbers.h"

#include <algorithm>

namespace tilewright::frontend {

namespace {

BoundOrigin worse(BoundOrigin a, BoundOrigin b) {
  return std::max(a, b);
}

/// A bound that may still be too wide for 64 bits.
struct WideBound {
  WideInteger value;
  BoundOrigin origin;
};

Interval fit(WideBound low, WideBound high) {
  if (low.value >= Interval::least && high.value <= Interval::greatest)
    return {static_cast<int64_t>(low.value), static_cast<int64_t>(high.value), low.origin, high.origin};
  BoundOrigin origin = worse(low.origin, high.origin);
  return {Interval::least, Interval::greatest, origin, origin};
}

bool isNonNegative(const Interval &a) {
  return a.low >= 0;
}

WideInteger product(int64_t a, int64_t b) {
  return WideInteger{a} * b;
}

/// a of any sign times b ≥ 0.
Interval multiplyByNonNegative(const Interval &a, const Interval &b) {
  BoundOrigin bEither = b.worstOrigin();
  WideBound low = a.low >= 0 ? WideBound{product(a.low, b.low), worse(a.lowOrigin, b.lowOrigin)}
                             : WideBound{product(a.low, b.high), worse(a.lowOrigin, bEither)};
  WideBound high = a.high >= 0 ? WideBound{product(a.high, b.high), worse(a.highOrigin, b.highOrigin)}
                               : WideBound{product(a.high, b.low), worse(a.highOrigin, bEither)};
  return fit(low, high);
}

/// Extends an interval by the quotients of a's bounds by one divisor.
void includeQuotients(const Interval &a, int64_t divisor, WideInteger &low, WideInteger &high) {
  for (int64_t bound : {a.low, a.high}) {
    WideInteger quotient = divisor == -1 ? -WideInteger{bound} : WideInteger{floorDivide(bound, divisor)};
    low = std::min(low, quotient);
    high = std::max(high, quotient);
  }
}

/// The bound of min(a, b) from above or of max(a, b) from below: one operand that is known suffices.
BoundOrigin sufficient(BoundOrigin a, BoundOrigin b) {
  if (knownAtLaunch(a) != knownAtLaunch(b))
    return std::min(a, b);
  return worse(a, b);
}

} // namespace

Interval Interval::of(DType dtype, BoundOrigin origin) {
  switch (dtype) {
  case DType::Bool:
    return {0, 1};
  case DType::U8:
    return {0, 255, BoundOrigin::Constant, origin};
  case DType::I8:
    return {-128, 127, origin, origin};
  case DType::I16:
    return {-32768, 32767, origin, origin};
  case DType::I32:
    return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max(), origin, origin};
  default:
    return {least, greatest, origin, origin};
  }
}

int64_t floorDivide(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  if (b == -1)
    return wrapInteger(-WideInteger{a}, DType::I64);
  int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t floorRemainder(int64_t a, int64_t b) {
  if (b == 0 || b == -1)
    return 0;
  int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Interval add(const Interval &a, const Interval &b) {
  if (a.isEmpty() || b.isEmpty())
    return Interval::empty();
  return fit({WideInteger{a.low} + b.low, worse(a.lowOrigin, b.lowOrigin)},
             {WideInteger{a.high} + b.high, worse(a.highOrigin, b.highOrigin)});
}

Interval negate(const Interval &a) {
  if (a.isEmpty())
    return a;
  return fit({-WideInteger{a.high}, a.highOrigin}, {-WideInteger{a.low}, a.lowOrigin});
}

Interval subtract(const Interval &a, const Interval &b) {
  if (a.isEmpty() || b.isEmpty())
    return Interval::empty();
  return fit({WideInteger{a.low} - b.high, worse(a.lowOrigin, b.highOrigin)},
             {WideInteger{a.high} - b.low, worse(a.highOrigin, b.lowOrigin)});
}

Interval multiply(const Interval &a, const Interval &b) {
  if (a.isEmpty() || b.isEmpty())
    return Interval::empty();
  if (isNonNegative(b))
    return multiplyByNonNegative(a, b);
  if (isNonNegative(a))
    return multiplyByNonNegative(b, a);
  auto [low, high] =
      std::minmax({product(a.low, b.low), product(a.low, b.high), product(a.high, b.low), product(a.high, b.high)});
  BoundOrigin origin = worse(a.worstOrigin(), b.worstOrigin());
  return fit({low, origin}, {high, origin});
}

Interval divide(const Interval &a, const Interval &b) {
  if (a.isEmpty() || b.isEmpty())
    return Interval::empty();
  WideInteger low = b.contains(0) ? 0 : WideInteger{Interval::greatest} + 1;
  WideInteger high = b.contains(0) ? 0 : WideInteger{Interval::least} - 1;
  if (b.high > 0)
    for (int64_t divisor : {std::max<int64_t>(b.low, 1), b.high})
      includeQuotients(a, divisor, low, high);
  if (b.low < 0)
    for (int64_t divisor : {b.low, std::min<int64_t>(b.high, -1)})
      includeQuotients(a, divisor, low, high);
  if (isNonNegative(b))
    return fit({low, worse(a.lowOrigin, b.worstOrigin())}, {high, worse(a.highOrigin, b.worstOrigin())});
  BoundOrigin origin = worse(a.worstOrigin(), b.worstOrigin());
  return fit({low, origin}, {high, origin});
}

Interval remainder(const Interval &a, const Interval &b) {
  if (a.isEmpty() || b.isEmpty())
    return Interval::empty();
  if (isNonNegative(a) && a.high < b.low)
    return {a.low, a.high, worse(a.lowOrigin, b.lowOrigin), worse(a.highOrigin, b.lowOrigin)};
  // A dividend that nobody knows spoils nothing: the divisor bounds the result.
  BoundOrigin dividend = knownAtLaunch(a.worstOrigin()) ? a.worstOrigin() : BoundOrigin::Constant;
  BoundOrigin origin = worse(dividend, b.worstOrigin());
  int64_t low = b.low < 0 ? b.low + 1 : 0;
  int64_t high = b.high > 0 ? b.high - 1 : 0;
  if (isNonNegative(a) && isNonNegative(b))
    return {0, std::min(a.high, high), origin, sufficient(a.highOrigin, worse(dividend, b.highOrigin))};
  return {low, high, origin, origin};
}

Interval absolute(const Interval &a) {
  if (a.isEmpty() || isNonNegative(a))
    return a;
  if (a.high <= 0)
    return negate(a);
  Interval negated = negate(a);
  BoundOrigin origin = a.worstOrigin();
  BoundOrigin lowOrigin = knownAtLaunch(origin) ? origin : BoundOrigin::Constant;
  if (negated.low == Interval::least) // |−2⁶³| wraps
    return {Interval::least, Interval::greatest, origin, origin};
  return {0, std::max(a.high, negated.high), lowOrigin, origin};
}

Interval maximum(const Interval &a, const Interval &b) {
  if (a.isEmpty() || b.isEmpty())
    return Interval::empty();
  return {std::max(a.low, b.low), std::max(a.high, b.high), sufficient(a.lowOrigin, b.lowOrigin),
          worse(a.highOrigin, b.highOrigin)};
}

Interval minimum(const Interval &a, const Interval &b) {
  if (a.isEmpty() || b.isEmpty())
    return Interval::empty();
  return {std::min(a.low, b.low), std::min(a.high, b.high), worse(a.lowOrigin, b.lowOrigin),
          sufficient(a.highOrigin, b.highOrigin)};
}

Interval unite(const Interval &a, const Interval &b) {
  if (a.isEmpty())
    return b;
  if (b.isEmpty())
    return a;
  return {std::min(a.low, b.low), std::max(a.high, b.high), worse(a.lowOrigin, b.lowOrigin), worse(a.highOrigin, b.highOrigin)};
}

Interval convert(const Interval &a, DType dtype) {
  Interval whole = Interval::of(dtype, a.worstOrigin());
  return a.isEmpty() || (a.low >= whole.low && a.high <= whole.high) ? a : whole;
}

Interval indices(const Interval &low, const Interval &high) {
  if (low.isEmpty() || high.isEmpty() || high.high == Interval::least)
    return Interval::empty();
  return {low.low, high.high - 1, low.lowOrigin, high.highOrigin};
}

} // namespace tilewright::frontend
