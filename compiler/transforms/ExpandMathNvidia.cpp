// What NVIDIA's GPUs compute by an instruction: 2^x, log2, 1/sqrt, tanh, sin and cos of small angles, quotients, all on f32 and
// none of them to the last place. PTX ISA, "Floating Point Instructions", states their errors. Subnormals are kept but where `.ftz`
// stands, which spares three instructions: there a value below 2^-126 is 0.
//
//   rsqrt.approx     relative 2^-22.9, which CUDA's guide calls 2 ulp of rsqrtf: within the bound of every function
//   rcp.approx       1 ulp
//   div.full         2 ulp, where div.approx gives 0 for divisors above 2^126
//   ex2.approx       relative 2^-22
//   lg2.approx       absolute 2^-22 in (1/2, 2), relative 2^-22 elsewhere
//   sin, cos.approx  absolute 2^-20.5 in [-2 pi, 2 pi]
//   tanh.approx      relative 2^-11
//
// Where a relative error of 2^-10.9 is allowed, and 0 for a result below 2^-126 (`afn`), the functions below are made of them:
//
//   function     relative error, at most    how
//   exp2         2^-22                       ex2.ftz
//   exp          2^-17.5                     ex2.ftz of x log2(e); |x log2(e)| < 127 is rounded at 2^-18
//   sigmoid      2^-17.4                     rcp.ftz of 1 + ex2.ftz of -x log2(e)
//   tanh         2^-11                       tanh
//   log, log2    2^-18                       lg2; near 1, where its error is not relative, a polynomial
//   log1p        2^-18                       the same; 1 + x is rounded where |x| > 1/16
//   sin, cos     2^-14.5                     sin and cos of an angle in one quadrant; below 2^-6 the angle is its sine
//   erf          2^-10.98                    tanh of a polynomial
//   x sigmoid(x) 2^-12 |x|, absolute         x / 2 + x / 2 tanh(x / 2)
//   x (1 + erf)  2^-11.8, where it is not    max(2 x, 0) - |x| erfc(|c x|), where erfc is ex2.ftz of a polynomial
//    of c x      below 2^-23
//   slopes of    2^-11.3, absolute 2^-13.3    (root - |x|) ex2.ftz of a polynomial, or 1 minus that
//    both gelus  where they are below 1/4
//   1 / x, x / y 2^-22                       rcp, div.full
//   sqrt         2^-23                       sqrt.approx, which LLVM selects
//
// Without that licence exp stays a polynomial. Made of ex2, of both parts of x log2(e) or of multiples of 2^-8, it had errors of 2.4 to
// 2.7 ulp over all f32 on an H200: ex2's own is 2 ulp.
//
// pow is not among them: y lg2(x) has an error that grows with y.

#include "compiler/transforms/ExpandMathConstants.h"
#include "compiler/transforms/ExpandMathFormulas.h"
#include "compiler/transforms/NvidiaIntrinsics.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <optional>

namespace tilewright {

using namespace math_formulas;

namespace math = mlir::math;

static Expr callOnF32(llvm::StringRef intrinsic, llvm::ArrayRef<Expr> operands) {
  return callNvidia(intrinsic, operands.front().getBuilder().getF32Type(), operands);
}

Expr nvidiaRsqrt(const Expr &x) {
  return callOnF32("llvm.nvvm.rsqrt.approx.f", x);
}

Expr approximateExp2(const Expr &x) {
  return callOnF32("llvm.nvvm.ex2.approx.ftz", x);
}

Expr approximateExp(const Expr &x) {
  return approximateExp2(x * 0x1.71547652b82fep0);
}

Expr approximateSigmoid(const Expr &x) {
  return callOnF32("llvm.nvvm.rcp.approx.ftz.f", approximateExp2(x * -0x1.71547652b82fep0) + 1.0);
}

/// 1 / constant, if a product with it is the quotient but for roundings: if neither is subnormal.
static std::optional<double> reciprocal(const Expr &b) {
  llvm::APFloat constant(0.0);
  if (!mlir::matchPattern(b.get(), mlir::m_ConstantFloat(&constant)) || !constant.isNormal())
    return std::nullopt;
  double inverse = 1 / constant.convertToDouble();
  return std::fabs(inverse) >= 0x1p-126 ? std::optional(inverse) : std::nullopt;
}

Expr approximateQuotient(const Expr &a, const Expr &b) {
  if (std::optional<double> factor = reciprocal(b))
    return a * *factor;
  return callOnF32("llvm.nvvm.div.full", {a, b});
}

/// What the code generator turns into one approximate instruction.
template <typename Op> static Expr emitApproximate(const Expr &x) {
  return forEachElement(x.getElementType(), x, [&](llvm::ArrayRef<mlir::Value> scalars) -> mlir::Value {
    return Op::create(x.getBuilder(), x.getLoc(), scalars[0], mlir::arith::FastMathFlags::afn);
  });
}

Expr approximateTanh(const Expr &x) {
  return emitApproximate<math::TanhOp>(x);
}

/// erf(x) = tanh(x q(x^2)), where q grows slowly. The polynomial's last coefficient is positive, so that beyond its interval,
/// where erf is 1, the argument only grows.
Expr approximateErf(const Expr &x) {
  return approximateTanh(x * polynomial(x * x, math_constants::erfByTanhF32));
}

Expr approximateSilu(const Expr &x) {
  Expr half = x * 0.5;
  return mulAdd(half, approximateTanh(half), half);
}

/// The polynomial is made for c = sqrt(1/2) and takes c |x| sqrt(2), its constant the factor k. From 16 on what it is the exponent of is 0; that keeps 0 times
/// infinity away. A NaN comes through the maximum, and -0 from that of a negative x.
Expr approximateGaussian(const Expr &x, double c, double k) {
  double step = c * std::sqrt(2.0), power = 1;
  llvm::SmallVector<double> coefficients(std::begin(math_constants::log2NormalTailF32), std::end(math_constants::log2NormalTailF32));
  for (double &coefficient : coefficients) {
    coefficient *= power;
    power *= step;
  }
  coefficients.front() += std::log2(2 * k);
  Expr size = x.emit<mlir::arith::MinNumFOp>(magnitude(x), x.constant(16 / step));
  Expr tail = approximateExp2(polynomial(size, coefficients));
  Expr twice = k == 0.5 ? x : x * (2 * k);
  return mulAdd(-size, tail, x.emit<mlir::arith::MaximumFOp>(twice, x.constant(-0.0)));
}

/// f(-a) = (root - a) 2^q(a) for a >= 0, where f(a) = 1 - f(-a): 1/2 and, with the sign of x, 1/2 - f(-|x|). From 8 on that is 1/2. The minimum keeps a NaN.
static Expr approximateSlope(const Expr &x, double root, llvm::ArrayRef<double> log2Quotient) {
  Expr size = x.emit<mlir::arith::MinimumFOp>(magnitude(x), x.constant(8.0));
  Expr half = mulAdd(size - root, approximateExp2(polynomial(size, log2Quotient)), 0.5);
  return withSign(half, signBit(x)) + 0.5;
}

Expr approximateGeluSlope(const Expr &x) {
  return approximateSlope(x, math_constants::geluSlopeRootF32, math_constants::log2GeluSlopeF32);
}

Expr approximateGeluErfSlope(const Expr &x) {
  return approximateSlope(x, math_constants::geluErfSlopeRootF32, math_constants::log2GeluErfSlopeF32);
}

// --------------------------------------------------------------------------------------------------------------------
// Logarithms
// --------------------------------------------------------------------------------------------------------------------

static Expr log2OfInstruction(const Expr &x) {
  return callOnF32("llvm.nvvm.lg2.approx.f", x);
}

/// log(1 + f) for |f| < 1/16, to 2^-18: f - f^2 / 2 + f^3 / 3 - f^4 / 4.
static Expr shortLog1p(const Expr &f) {
  Expr series = mulAdd(f, mulAdd(f, mulAdd(f, f.constant(-0.25), 1.0 / 3), -0.5), 1.0);
  return f * series;
}

static Expr isShort(const Expr &f) {
  return magnitude(f) < 0x1p-4;
}

constexpr double ln2 = 0x1.62e42fefa39efp-1, log2e = 0x1.71547652b82fep0;

Expr approximateLog(const Expr &x) {
  Expr f = x - 1.0;
  return select(isShort(f), shortLog1p(f), log2OfInstruction(x) * ln2);
}

Expr approximateLog2(const Expr &x) {
  Expr f = x - 1.0;
  return select(isShort(f), shortLog1p(f) * log2e, log2OfInstruction(x));
}

Expr approximateLog1p(const Expr &x) {
  return select(isShort(x), shortLog1p(x), log2OfInstruction(x + 1.0) * ln2);
}

// --------------------------------------------------------------------------------------------------------------------
// Angles of one quadrant
// --------------------------------------------------------------------------------------------------------------------

Expr approximateSinNear0(const Expr &r) {
  return select(magnitude(r) < 0x1p-6, r, emitApproximate<math::SinOp>(r));
}

Expr approximateCosNear0(const Expr &r) {
  return emitApproximate<math::CosOp>(r);
}

} // namespace tilewright
