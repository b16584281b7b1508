// log, log2, log1p: x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), so log(x) = k ln 2 + log(1 + f).
//
// With s = f / (2 + f), log(1 + f) = log((1 + s) / (1 - s)) = 2s + s z q(z), z = s^2, where |s| < 0.172 and q is a short
// polynomial. Written as f - (f^2/2 - s (f^2/2 + z q(z))) the leading term f is exact and everything rounded is small beside it
// (this arrangement is that of Sun's fdlibm, 1993). k is 0 for x near 1, so nothing cancels there.

#include "compiler/transforms/ExpandMathConstants.h"
#include "compiler/transforms/ExpandMathFormulas.h"

#include <limits>

namespace tilewright {

using namespace math_formulas;
namespace constants = math_constants;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// log(1 + f) = f - halfSquare + rest.
struct Series {
  explicit Series(const Expr &f) : halfSquare(f * f * 0.5), rest(makeRest(f, halfSquare)) {}

  static Expr makeRest(const Expr &f, const Expr &halfSquare) {
    Expr s = f / (f + 2.0);
    Expr z = s * s;
    return s * mulAdd(z, polynomial(z, choose(f, constants::logF32, constants::logF64)), halfSquare);
  }

  Expr halfSquare, rest;
};

/// k ln 2 + log(1 + f) + correction.
Expr combine(const Factored &x, const Expr &low) {
  Series series(x.f);
  Expr high = x.k * choose(x.f, constants::ln2HighF32, constants::ln2HighF64);
  return high - ((series.halfSquare - (series.rest + low)) - x.f);
}

Expr lowPart(const Factored &x) {
  return x.k * choose(x.f, constants::ln2LowF32, constants::ln2LowF64);
}

/// The logarithm at and beyond the ends of its range: `lowest` is where it is -infinity.
Expr withSpecialCases(const Expr &x, const Expr &result, double lowest) {
  Expr upper = select(x < infinity, result, x); // infinity and NaN stay
  return select(x < lowest, nan, select(x == lowest, -infinity, upper));
}

} // namespace

Expr expandLog(const Expr &x, const MathTarget &target) {
  if (target.approximate)
    return approximateLog(x);
  Factored factored = factor(x);
  return withSpecialCases(x, combine(factored, lowPart(factored)), 0.0);
}

Expr expandLog2(const Expr &x, const MathTarget &target) {
  if (target.approximate)
    return approximateLog2(x);
  // log2(1 + f) = log(1 + f) log2(e), in two parts: a high one with few enough bits that its product with the high part of
  // log2(e) is exact, and all else.
  Factored factored = factor(x);
  Series series(factored.f);
  int64_t keptBits = isF64(x) ? ~int64_t(0xffffffff) : ~int64_t(0xfff);
  Expr high = asFloatLike((factored.f - series.halfSquare).bits() & keptBits, x);
  Expr low = ((factored.f - high) - series.halfSquare) + series.rest;
  Expr eHigh = x.constant(choose(x, constants::log2eHighF32, constants::log2eHighF64));
  Expr eLow = x.constant(choose(x, constants::log2eLowF32, constants::log2eLowF64));
  Expr product = high * eHigh;
  Double sum = fastTwoSum(factored.k, product);
  Expr rest = mulAdd(low + high, eLow, mulAdd(low, eHigh, sum.low));
  return withSpecialCases(x, sum.high + rest, 0.0);
}

Expr expandLog1p(const Expr &x, const MathTarget &target) {
  if (target.approximate)
    return approximateLog1p(x);
  // u = 1 + x loses x's last bits: log(1 + x) = log(u) + log1p(lost / u), and lost / u is so small that it is its own log1p.
  Expr u = x + 1.0;
  Factored factored = factorNormal(u);
  Expr lost = select(factored.k > 1.0, 1.0 - (u - x), x - (u - 1.0));
  Expr near = factored.k == 0.0; // then x itself is f
  Expr correction = select(near, 0.0, lost / u);
  Factored exact{factored.k, select(near, x, factored.f)};
  Expr result = combine(exact, lowPart(exact) + correction);
  Expr zero = x == 0.0; // keeps its sign
  return withSpecialCases(x, select(zero, x, result), -1.0);
}

} // namespace tilewright
