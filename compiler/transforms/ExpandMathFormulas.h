// The math functions as formulas on f32 and f64, scalars or vectors. ExpandMath.cpp has the essay and the table of errors.
#pragma once

#include "compiler/transforms/ArithExpr.h"

#include "llvm/ADT/ArrayRef.h"

namespace tilewright {

/// What the processor has.
struct MathTarget {
  bool fma = true;          ///< multiplies and adds with one rounding
  bool ldexp = false;       ///< multiplies vectors by powers of two with one rounding
  bool nvidia = false;      ///< an NVIDIA GPU
  bool approximate = false; ///< this call may have a relative error of 2^-10.9, and the GPU has instructions for that: f32 only
};

Expr expandExp(const Expr &x, const MathTarget &target);
Expr expandExp2(const Expr &x, const MathTarget &target);
Expr expandTanh(const Expr &x, const MathTarget &target);
Expr expandLog(const Expr &x, const MathTarget &target);
Expr expandLog2(const Expr &x, const MathTarget &target);
Expr expandLog1p(const Expr &x, const MathTarget &target);
Expr expandSin(const Expr &x, const MathTarget &target);
Expr expandCos(const Expr &x, const MathTarget &target);
Expr expandErf(const Expr &x, const MathTarget &target);
Expr expandPow(const Expr &x, const Expr &y, const MathTarget &target);
Expr expandRsqrt(const Expr &x, const MathTarget &target);
Expr expandFma(const Expr &a, const Expr &b, const Expr &c, const MathTarget &target);

/// Quotients of f32 in `root`, several in a block by one divisor, by its reciprocal: correctly rounded all the same.
void expandSharedQuotients(mlir::Operation *root);

// --------------------------------------------------------------------------------------------------------------------
// Instructions of NVIDIA's GPUs, on f32 (ExpandMathNvidia.cpp has the errors)
// --------------------------------------------------------------------------------------------------------------------

Expr nvidiaRsqrt(const Expr &x);
Expr approximateExp(const Expr &x);
Expr approximateExp2(const Expr &x);
Expr approximateSigmoid(const Expr &x);
Expr approximateTanh(const Expr &x);
Expr approximateErf(const Expr &x);
Expr approximateSilu(const Expr &x); ///< x sigmoid(x)
/// k x (1 + erf(c x)) for constants above 0
Expr approximateGaussian(const Expr &x, double c, double k);
Expr approximateGeluSlope(const Expr &x);    ///< of x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2
Expr approximateGeluErfSlope(const Expr &x); ///< of x (1 + erf(x sqrt(1/2))) / 2
Expr approximateLog(const Expr &x);
Expr approximateLog2(const Expr &x);
Expr approximateLog1p(const Expr &x);
Expr approximateQuotient(const Expr &a, const Expr &b);
Expr approximateSinNear0(const Expr &r); ///< |r| <= pi/4
Expr approximateCosNear0(const Expr &r);

// --------------------------------------------------------------------------------------------------------------------
// What the formulas share
// --------------------------------------------------------------------------------------------------------------------

namespace math_formulas {

inline bool isF64(const Expr &x) {
  return x.getWidth() == 64;
}

/// The part of an IEEE format's description that formulas need.
struct Format {
  explicit Format(const Expr &x) : mantissaBits(isF64(x) ? 52 : 23), bias(isF64(x) ? 1023 : 127) {}
  int mantissaBits, bias;
};

/// The table for x's type.
inline llvm::ArrayRef<double> choose(const Expr &x, llvm::ArrayRef<double> f32, llvm::ArrayRef<double> f64) {
  return isF64(x) ? f64 : f32;
}
inline double choose(const Expr &x, double f32, double f64) {
  return isF64(x) ? f64 : f32;
}

/// c[0] + c[1] x + c[2] x^2 …, by Horner's rule.
Expr polynomial(const Expr &x, llvm::ArrayRef<double> coefficients);

Expr signBit(const Expr &x);                          ///< as an integer
Expr magnitude(const Expr &x);                        ///< |x|
Expr withSign(const Expr &x, const Expr &sign);       ///< x >= 0 with a sign bit
Expr asFloatLike(const Expr &bits, const Expr &like); ///< an integer's bits as `like`'s type
Expr squareRoot(const Expr &x);
Expr roundToEven(const Expr &x);
Expr bounded(const Expr &x, double low, double high, const MathTarget &target); ///< a NaN stays

/// x rounded to an integer, |x| < 2^22 (2^51), without a conversion, which would be undefined for NaN.
struct Rounded {
  Expr value;   ///< as a float
  Expr integer; ///< as an integer of the same width
};
/// The integer nearest to x * scale.
Rounded roundProduct(const Expr &x, double scale);
/// A small integer as a float.
Expr toFloatExactly(const Expr &integer, const Expr &like);

/// 2^n for an integer n in the range of normal numbers.
Expr powerOfTwo(const Expr &n, const Expr &like);
/// x * 2^n, where the result may overflow or be denormal: two factors, one rounding.
Expr scale(const Expr &x, const Expr &n, const MathTarget &target);

/// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for x > 0.
struct Factored {
  Expr k; ///< as a float
  Expr f;
};
/// Of normal numbers.
Factored factorNormal(const Expr &x);
/// Of denormals too.
Factored factor(const Expr &x);

/// high + low is exact; |low| is at most half of a last place of high.
struct Double {
  Expr high, low;
};
Double twoSum(const Expr &a, const Expr &b);
/// As twoSum, if |a| >= |b| or a = 0.
Double fastTwoSum(const Expr &a, const Expr &b);
Double twoProduct(const Expr &a, const Expr &b, const MathTarget &target);
Double multiply(const Double &a, const Double &b, const MathTarget &target);
Double add(const Double &a, const Double &b);

} // namespace math_formulas
} // namespace tilewright
