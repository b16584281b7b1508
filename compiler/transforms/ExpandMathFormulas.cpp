#include "compiler/transforms/ExpandMathFormulas.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

namespace tilewright {

namespace math_formulas {

Expr polynomial(const Expr &x, llvm::ArrayRef<double> coefficients) {
  Expr sum = x.constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = mulAdd(sum, x, coefficient);
  return sum;
}

static int64_t signMask(const Expr &x) {
  return isF64(x) ? std::numeric_limits<int64_t>::min() : int64_t(0x80000000);
}

Expr signBit(const Expr &x) {
  return x.bits() & signMask(x);
}
Expr magnitude(const Expr &x) {
  return x.emit<mlir::math::AbsFOp>(x);
}
Expr withSign(const Expr &x, const Expr &sign) {
  return asFloatLike(x.bits() | sign, x);
}
Expr asFloatLike(const Expr &bits, const Expr &like) {
  return isF64(like) ? bits.asF64() : bits.asF32();
}
Expr squareRoot(const Expr &x) {
  return x.emit<mlir::math::SqrtOp>(x);
}
Expr roundToEven(const Expr &x) {
  return x.emit<mlir::math::RoundEvenOp>(x);
}

Expr bounded(const Expr &x, double low, double high, const MathTarget &target) {
  if (!target.nvidia || isF64(x)) // x86 has no minimum that NaN wins
    return atMost(atLeast(x, low), high);
  return x.emit<mlir::arith::MinimumFOp>(x.emit<mlir::arith::MaximumFOp>(x, x.constant(low)), x.constant(high));
}

/// 1.5 * 2^23 (2^52): a sum with it has its last place at 1, and its integer value in the low bits.
static double integerOffset(const Expr &x) {
  return isF64(x) ? 0x1.8p52 : 0x1.8p23;
}

Rounded roundProduct(const Expr &x, double scale) {
  Expr offset = x.constant(integerOffset(x));
  Expr shifted = mulAdd(x, scale, offset);
  return {shifted - offset, shifted.bits() - offset.bits()};
}

Expr toFloatExactly(const Expr &integer, const Expr &like) {
  Expr offset = like.constant(integerOffset(like));
  return asFloatLike(integer + offset.bits(), like) - offset;
}

Expr powerOfTwo(const Expr &n, const Expr &like) {
  Format format(like);
  return asFloatLike((n + format.bias) << format.mantissaBits, like);
}

Expr scale(const Expr &x, const Expr &n, const MathTarget &target) {
  if (target.ldexp && !mlir::isa<mlir::VectorType>(x.get().getType())) {
    return x.emit<mlir::LLVM::LoadExpOp>(x.get().getType(), x, n.signExtended(32));
  }
  Expr half = arithmeticShift(n, 1);
  return x * powerOfTwo(half, x) * powerOfTwo(n - half, x);
}

Factored factorNormal(const Expr &x) {
  Format format(x);
  // The exponent's carry happens at sqrt(1/2) instead of 1.
  Expr root = x.constant(0x1.6a09e667f3bcdp-1).bits();
  Expr moved = x.bits() - root;
  Expr mantissa = (moved & ((int64_t(1) << format.mantissaBits) - 1)) + root;
  return {toFloatExactly(arithmeticShift(moved, format.mantissaBits), x), asFloatLike(mantissa, x) - 1.0};
}

Factored factor(const Expr &x) {
  double power = choose(x, 0x1p25, 0x1p54), exponent = choose(x, 25.0, 54.0);
  Expr tiny = x < choose(x, 0x1p-126, 0x1p-1022);
  Factored factored = factorNormal(select(tiny, x * power, x));
  return {factored.k - select(tiny, x.constant(exponent), x.constant(0.0)), factored.f};
}

// --------------------------------------------------------------------------------------------------------------------
// Sums and products with their errors (Dekker 1971; Ogita, Rump, Oishi, "Accurate sum and dot product", 2005)
// --------------------------------------------------------------------------------------------------------------------

Double twoSum(const Expr &a, const Expr &b) {
  Expr sum = a + b;
  Expr bPart = sum - a;
  return {sum, (a - (sum - bPart)) + (b - bPart)};
}

Double fastTwoSum(const Expr &a, const Expr &b) {
  Expr sum = a + b;
  return {sum, b - (sum - a)};
}

/// a = high + low, each with half of the bits, so that products of halves are exact.
static Double splitInHalves(const Expr &a) {
  Expr scaled = a * (isF64(a) ? 0x1p27 + 1 : 0x1p12 + 1);
  Expr high = scaled - (scaled - a);
  return {high, a - high};
}

Double twoProduct(const Expr &a, const Expr &b, const MathTarget &target) {
  Expr product = a * b;
  if (target.fma)
    return {product, a.emit<mlir::math::FmaOp>(a, b, -product)};
  Double x = splitInHalves(a), y = splitInHalves(b);
  return {product, x.low * y.low - (((product - x.high * y.high) - x.low * y.high) - x.high * y.low)};
}

Double multiply(const Double &a, const Double &b, const MathTarget &target) {
  Double product = twoProduct(a.high, b.high, target);
  return fastTwoSum(product.high, mulAdd(a.high, b.low, mulAdd(a.low, b.high, product.low)));
}

Double add(const Double &a, const Double &b) {
  Double high = twoSum(a.high, b.high), low = twoSum(a.low, b.low);
  Double sum = fastTwoSum(high.high, high.low + low.high);
  return fastTwoSum(sum.high, sum.low + low.low);
}

} // namespace math_formulas

using namespace math_formulas;

Expr expandRsqrt(const Expr &x, const MathTarget &target) {
  if (target.nvidia && !isF64(x))
    return nvidiaRsqrt(x);
  return 1.0 / squareRoot(x);
}

// --------------------------------------------------------------------------------------------------------------------
// fma where the processor has none
// --------------------------------------------------------------------------------------------------------------------

/// sum + error rounded to odd, so that a later rounding of it is right.
static Expr roundToOdd(const Double &exact) {
  Expr bits = exact.high.bits();
  Expr away = select(((exact.low.bits() ^ bits) < 0), bits.constant(-1), bits.constant(1)); // towards the exact value
  Expr inexactAndEven = (exact.low != 0.0) & ((bits & 1) == 0);
  return asFloatLike(select(inexactAndEven, bits + away, bits), exact.high);
}

/// Boldo, Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008. Rounds
/// once but where a factor is above 2^996 or a product on the way is below 2^-969: then twice.
static Expr emulateFma(const Expr &a, const Expr &b, const Expr &c, const MathTarget &target) {
  Double product = twoProduct(a, b, target);
  Double low = twoSum(c, product.low);
  Double high = twoSum(product.high, low.high);
  Expr result = high.high + roundToOdd(twoSum(low.low, high.low));
  Expr plain = a * b + c; // for infinities, NaNs and factors near the largest number, which cannot be split
  return select(magnitude(result) < std::numeric_limits<double>::infinity(), result, plain);
}

Expr expandFma(const Expr &a, const Expr &b, const Expr &c, const MathTarget &target) {
  if (target.fma)
    return a.emit<mlir::math::FmaOp>(a, b, c);
  if (isF64(a))
    return emulateFma(a, b, c, target);
  // The product of two f32 is exact in f64; the sum is rounded to odd there, and to nearest once.
  return roundToOdd(twoSum(a.toF64() * b.toF64(), c.toF64())).toF32();
}

} // namespace tilewright
