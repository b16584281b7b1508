// exp, exp2, tanh: x = n ln 2 + r with an integer n and |r| <= ln 2 / 2, so exp(x) = 2^n exp(r), and exp(r) is a polynomial.
//
// n ln 2 is subtracted in two steps, the first of them exact, so r has a small absolute error although x may be large. 2^n is
// made by writing n into the exponent field; results near the ends of the range take two factors, so that overflow gives
// infinity and denormals are rounded once; where the processor has an instruction that does the same, it is taken.
//
// tanh(x) = 1 - 2 / (exp(2x) + 1) is right to the last place or so where tanh(x) > 1/2. Below, the subtraction would magnify
// exp's error, and a polynomial serves: x + x^3 q(x^2).

#include "compiler/transforms/ExpandMathConstants.h"
#include "compiler/transforms/ExpandMathFormulas.h"

#include "llvm/ADT/SmallVector.h"

namespace tilewright {

using namespace math_formulas;
namespace constants = math_constants;

namespace {

/// x = n ln 2 + r.
struct Reduced {
  explicit Reduced(const Expr &x) : n(roundProduct(x, 0x1.71547652b82fep0)), r(rest(x, n.value)) {}

  static Expr rest(const Expr &x, const Expr &n) {
    Expr high = mulAdd(n, -choose(x, constants::ln2HighF32, constants::ln2HighF64), x);
    return mulAdd(n, -choose(x, constants::ln2LowF32, constants::ln2LowF64), high);
  }
  /// exp(r) - 1
  Expr expMinusOne() const { return mulAdd(r * r, polynomial(r, choose(r, constants::expF32, constants::expF64)), r); }

  Rounded n;
  Expr r;
};

} // namespace

/// x 2^n for t = 1.5 * 2^23 + n. The bits of t serve as n: shifted to the exponent field, nothing is left of the rest. Two factors,
/// since the result may be subnormal, or overflow.
static Expr timesPower(const Expr &x, const Expr &t) {
  Expr n = t.bits(), half = n >> 1;
  auto power = [&](const Expr &exponent) { return asFloatLike((exponent << 23) + x.constant(1.0).bits(), x); };
  return x * power(half) * power(n - half);
}

/// exp in eighteen instructions: 1 + r + r^2 q(r) is summed from within, a rounding each step.
static Expr nvidiaExp(const Expr &x) {
  Expr t = mulAdd(x, 0x1.71547652b82fep0, x.constant(0x1.8p23));
  llvm::SmallVector<double> coefficients{1, 1};
  llvm::append_range(coefficients, constants::expF32);
  return timesPower(polynomial(Reduced::rest(x, t - 0x1.8p23), coefficients), t);
}

Expr expandExp(const Expr &x, const MathTarget &target) {
  if (target.approximate)
    return approximateExp(x);
  // Beyond these the result is 0 or infinity anyway; they keep n in the range of the exponent field.
  if (target.nvidia && !isF64(x))
    return nvidiaExp(bounded(x, -104.0, 89.0, target));
  Reduced reduced(bounded(x, choose(x, -104.0, -746.0), choose(x, 89.0, 710.0), target));
  return scale(reduced.expMinusOne() + 1.0, reduced.n.integer, target);
}

Expr expandExp2(const Expr &x, const MathTarget &target) {
  if (target.approximate)
    return approximateExp2(x);
  Expr inRange = bounded(x, choose(x, -151.0, -1076.0), choose(x, 129.0, 1025.0), target);
  if (target.nvidia && !isF64(x)) {
    Expr t = inRange + 0x1.8p23, r = inRange - (t - 0x1.8p23); // exact
    return timesPower(mulAdd(r, polynomial(r, constants::exp2F32), 1.0), t);
  }
  Rounded n = roundProduct(inRange, 1.0);
  Expr r = inRange - n.value; // exact
  return scale(mulAdd(r, polynomial(r, choose(x, constants::exp2F32, constants::exp2F64)), 1.0), n.integer, target);
}

Expr expandTanh(const Expr &x, const MathTarget &target) {
  if (target.approximate)
    return approximateTanh(x);
  Expr size = magnitude(x), square = x * x;
  Expr near = mulAdd(size * square, polynomial(square, choose(x, constants::tanhF32, constants::tanhF64)), size);
  // From 10 (22) on the result is 1 in this type.
  Reduced twice(atMost(size, choose(x, 10.0, 22.0)) * 2.0);
  Expr exponential = (twice.expMinusOne() + 1.0) * powerOfTwo(twice.n.integer, x);
  Expr far = 1.0 - 2.0 / (exponential + 1.0);
  return withSign(select(size < 0.55, near, far), signBit(x));
}

} // namespace tilewright
