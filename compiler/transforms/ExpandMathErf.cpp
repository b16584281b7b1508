// erf: odd, so x >= 0. Below 0.84 a polynomial, erf(x) = x + x q(x^2). Above, 1 - erf(x) = exp(-x^2) g(x) falls so fast that no
// polynomial follows it, but g changes slowly, like 1 / x: it is a polynomial in 1 / (x + 2). An error of exp's argument grows
// with x^2, but exp(-x^2) is subtracted from 1 and shrinks faster. From 4 (f32) and 6 (f64) on erf is 1.

#include "compiler/transforms/ExpandMathConstants.h"
#include "compiler/transforms/ExpandMathFormulas.h"

namespace tilewright {

using namespace math_formulas;
namespace constants = math_constants;

Expr expandErf(const Expr &x, const MathTarget &target) {
  if (target.approximate)
    return approximateErf(x);
  Expr size = magnitude(x);
  Expr bounded = atMost(size, choose(x, 4.0, 6.0));
  Expr square = bounded * bounded;
  Expr near = mulAdd(bounded, polynomial(square, choose(x, constants::erfNearF32, constants::erfNearF64)), bounded);
  Expr t = 1.0 / (bounded + 2.0);
  Expr g = polynomial(t, choose(x, constants::erfFarF32, constants::erfFarF64));
  Expr far = 1.0 - expandExp(-square, target) * g;
  return withSign(select(size < 0.84, near, far), signBit(x));
}

} // namespace tilewright
