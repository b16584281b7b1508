// pow(x, y) = 2^(y log2|x|), with a sign and special cases.
//
// The product may be as large as 1074, so log2 needs eleven bits more than the result has. For f32 f64 has them. For f64 the
// logarithm is a pair of f64: with |x| = 2^k (1 + f) and s = f / (2 + f),
//
//   log(1 + f) = 2 s + s z (2/3 + z q(z)),  z = s^2 < 0.03,
//
// s, z and the sum's leading terms are pairs; z q(z) is 60 times smaller than 2/3 and s z 2/3 is 100 times smaller than 2 s, so
// a plain f64 will do for q. Then y log2|x| = n + r, and 2^r is a polynomial; r's low part changes it by the factor 1 + low
// ln 2.
//
// Special cases (C, Annex F): y = 0 or x = 1 give 1, even with a NaN; x < 0 needs an integer y, whose parity is the sign; zeros
// and infinities follow from log2(0) = -infinity, 2^infinity = infinity.

#include "compiler/transforms/ExpandMathConstants.h"
#include "compiler/transforms/ExpandMathFormulas.h"

#include <limits>

namespace tilewright {

using namespace math_formulas;
namespace constants = math_constants;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The logarithm of 0 and infinity.
Expr withEnds(const Expr &size, const Expr &logarithm) {
  return select(size == 0.0, -infinity, select(size == infinity, infinity, logarithm));
}

/// log2 of an f64 to 2^-44, for pow on f32.
Expr shortLog2(const Expr &size) {
  Factored factored = factor(size);
  Expr s = factored.f / (factored.f + 2.0);
  Expr z = s * s;
  Expr logarithm = mulAdd(s * z, polynomial(z, constants::logForPowF32), s + s);
  return withEnds(size, mulAdd(logarithm, constants::log2e, factored.k));
}

/// f / (2 + f) as a pair.
Double quotient(const Expr &f, const MathTarget &target) {
  Double divisor = fastTwoSum(f.constant(2.0), f);
  Expr high = f / divisor.high;
  Double product = twoProduct(high, divisor.high, target);
  Expr rest = ((f - product.high) - product.low) - high * divisor.low;
  return {high, rest / divisor.high};
}

/// log2 of an f64 as a pair, to 2^-65 of its value.
Double longLog2(const Expr &size, const MathTarget &target) {
  Factored factored = factor(size);
  Double s = quotient(factored.f, target);
  Double z = multiply(s, s, target);
  Expr q = polynomial(z.high, constants::logForPowF64);
  Double inner = fastTwoSum(size.constant(constants::twoThirds), z.high * q);
  inner.low = inner.low + mulAdd(z.low, q, constants::twoThirdsLow);
  Double tail = multiply(multiply(s, z, target), inner, target);
  Double logarithm = add({s.high + s.high, s.low + s.low}, tail);
  Double scaled = multiply(logarithm, {size.constant(constants::log2e), size.constant(constants::log2eLow)}, target);
  Double sum = fastTwoSum(factored.k, scaled.high);
  return fastTwoSum(sum.high, sum.low + scaled.low);
}

/// |x|^y on f32 through f64.
Expr sizeOfPowF32(const Expr &size, const Expr &y) {
  Expr exponent = y.toF64() * shortLog2(size.toF64());
  Expr bounded = atMost(atLeast(exponent, -200.0), 200.0);
  Rounded n = roundProduct(bounded, 1.0);
  Expr r = bounded - n.value;
  Expr mantissa = mulAdd(r, polynomial(r, constants::exp2ForPowF32), 1.0);
  return (mantissa * powerOfTwo(n.integer, mantissa)).toF32();
}

Expr sizeOfPowF64(const Expr &size, const Expr &y, const MathTarget &target) {
  Double logarithm = longLog2(size, target);
  Double product = twoProduct(y, logarithm.high, target);
  Expr exponent = y * withEnds(size, logarithm.high);
  Expr low = mulAdd(y, logarithm.low, product.low);
  Expr bounded = atMost(atLeast(exponent, -1100.0), 1100.0);
  low = select(bounded == exponent, low, 0.0);
  Rounded n = roundProduct(bounded, 1.0);
  Expr r = bounded - n.value;
  Expr near = r * polynomial(r, constants::exp2F64);
  Expr change = low * 0x1.62e42fefa39efp-1 * (near + 1.0);
  return scale((near + change) + 1.0, n.integer, target);
}

} // namespace

Expr expandPow(const Expr &x, const Expr &y, const MathTarget &target) {
  Expr size = magnitude(x);
  Expr positive = isF64(x) ? sizeOfPowF64(size, y, target) : sizeOfPowF32(size, y);
  Expr result = select(size == 1.0, 1.0, positive);
  // The sign.
  Expr whole = roundToEven(y) == y;
  Expr half = y * 0.5;
  Expr odd = whole & (roundToEven(half) != half);
  result = withSign(result, select(odd, signBit(x), 0));
  // What has no value, and what has one in spite of a NaN.
  Expr noReal = (x < 0.0) & (size < infinity) & (roundToEven(y) != y);
  Expr undefined = noReal | isNaN(x) | isNaN(y);
  result = select(undefined, std::numeric_limits<double>::quiet_NaN(), result);
  return select((y == 0.0) | (x == 1.0), 1.0, result);
}

} // namespace tilewright
