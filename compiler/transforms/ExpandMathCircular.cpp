// sin, cos: the whole range without a branch.
//
// x is a number of quarter turns, x 2/pi = n + t with |t| <= 1/2; then sin(x) is, up to its sign, sin or cos of r = t pi/2,
// both polynomials. The trouble is t for large x: 2^100 has no bits left of a quarter turn, but its sine is a definite number,
// and needs the bits of 2/pi that stand 100 places behind the point (Payne and Hanek, 1983). Their method is for one number and
// its own branch; a vector needs one that all lanes share:
//
//  - 2/pi is a table of chunks: 2/pi = c0 + c1 2^-b + c2 2^-2b …, b bits each.
//  - If x is so large that x c0 is a multiple of four quarter turns whatever x's bits are, drop c0, and call x 2^-b and the
//  rest of
//    the table x and 2/pi. A lane does this for k = 16, 8, 4, 2, 1 chunks at a time by selects ("barrel shifter"); now x is
//    bounded and a few chunks are left that matter.
//  - For f32, all is done in f64: x has 24 bits and a chunk 29, so each product is exact. For f64 a chunk has 53 bits and each
//    product is a pair of f64.
//  - From each product that may be large, first the multiple of four, then of one, is subtracted, exactly; the rest is summed,
//  with
//    the errors of the sums for f64. What may cancel is the sum with the integer (x near a multiple of pi/2: 2^-61 at worst for
//    f64), and that has been subtracted from exact numbers.
//
// On a GPU small f32, which is nearly all of them, go another way: reduceSmallF32.
//
// f32: about 30 operations in f64, then two short polynomials in f32. f64: about 150. Most of this is wasted on small x, where
// three operations would do; a branch would keep the loop from being vectorized and cost more.

#include "compiler/transforms/ExpandMathConstants.h"
#include "compiler/transforms/ExpandMathFormulas.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/SmallVector.h"

#include <cmath>
#include <optional>

namespace tilewright {

using namespace math_formulas;
namespace constants = math_constants;

namespace {

/// The quadrant, as a float and an integer modulo 4, and the angle in it, |r| <= pi/4 (and a little).
struct Angle {
  Expr quadrant;            ///< an integer
  Expr r;                   ///< the high part
  std::optional<Expr> tail; ///< the low part, if that matters
};

/// x and the chunks of 2/pi that matter for it.
struct Window {
  Expr x;
  llvm::SmallVector<Expr> chunks;
};

/// Drops the chunks that make whole turns. `limit` is the largest exponent of x that needs nothing dropped.
Window chooseWindow(Expr x, llvm::ArrayRef<double> table, int chunkBits, int limit, int count, int largestDrop) {
  llvm::SmallVector<Expr> chunks;
  for (double chunk : table)
    chunks.push_back(x.constant(chunk));
  for (int drop = largestDrop; drop > 0; drop /= 2) {
    Expr large = x >= std::ldexp(1.0, limit + chunkBits * (drop - 1));
    x = select(large, x * std::ldexp(1.0, -chunkBits * drop), x);
    // After this step at most drop - 1 chunks are still to be dropped.
    llvm::SmallVector<Expr> rest(chunks.begin(), chunks.begin() + std::min<size_t>(chunks.size(), count + drop - 1));
    for (size_t i = 0; i < rest.size() && i + drop < chunks.size(); ++i)
      rest[i] = select(large, chunks[i + drop], chunks[i]);
    chunks = rest;
  }
  return {x, chunks};
}

/// The sum of whole quarter turns that were taken away, modulo 4, and what is left.
class TurnRemover {
public:
  explicit TurnRemover(const Expr &like) : quarters(like.constant(0.0)) {}

  Expr fractionOf(const Expr &value) {
    Expr turn = value - roundToEven(value * 0.25) * 4.0;
    return fractionOfSmall(turn);
  }
  Expr fractionOfSmall(const Expr &value) {
    Expr whole = roundToEven(value);
    quarters = quarters + whole;
    return value - whole;
  }
  Expr quadrant() const { return roundProduct(quarters, 1.0).integer; }

private:
  Expr quarters;
};

Angle reduceF32(const Expr &x) {
  Window window = chooseWindow(magnitude(x).toF64(), constants::twoOverPi29, 29, 56, 4, 2);
  TurnRemover turns(window.x);
  llvm::SmallVector<Expr> products;
  for (auto [i, chunk] : llvm::enumerate(window.chunks))
    products.push_back(window.x * (chunk * std::ldexp(1.0, -29 * int(i))));
  Expr large = turns.fractionOf(products[0]) + turns.fractionOf(products[1]);
  Expr t = turns.fractionOfSmall(large + (products[2] + products[3]));
  Expr r = (t * constants::halfPi).toF32();
  return {turns.quadrant().zeroExtended(32), r, std::nullopt};
}

Angle reduceF64(const Expr &x, const MathTarget &target) {
  Expr size = magnitude(x);
  Window window = chooseWindow(size, constants::twoOverPi53, 53, 125, 5, 16);
  TurnRemover turns(size);
  llvm::SmallVector<Expr> parts;
  for (auto [i, chunk] : llvm::enumerate(window.chunks)) {
    Double product = twoProduct(window.x * std::ldexp(1.0, -53 * int(i)), chunk, target);
    // x is below 2^125, so the products' high and low parts are below 2^125, 2^72; 2^72, 2^19; 2^19, 2^-34; 2^-34 …
    parts.push_back(i <= 2 ? turns.fractionOf(product.high) : product.high);
    parts.push_back(i <= 1 ? turns.fractionOf(product.low) : product.low);
  }
  Expr sum = parts[0], error = sum.constant(0.0);
  for (const Expr &part : llvm::ArrayRef(parts).drop_front()) {
    Double next = twoSum(sum, part);
    sum = next.high;
    error = error + next.low;
  }
  Double t = twoSum(turns.fractionOfSmall(sum), error);
  Double halfPi{x.constant(constants::halfPi), x.constant(constants::halfPiLow)};
  Double r = multiply(t, halfPi, target);
  // Small angles are their own; a product with 2/pi would lose the bits of denormals.
  Expr small = size < 0.78;
  return {select(small, 0, turns.quadrant()), select(small, size, r.high), select(small, 0.0, r.low)};
}

Angle reduce(const Expr &x, const MathTarget &target) {
  return isF64(x) ? reduceF64(x, target) : reduceF32(x);
}

/// sin(r + tail) and cos(r + tail).
Expr sinNear0(const Angle &angle) {
  Expr r = angle.r, z = r * r;
  Expr cubic = r * z * polynomial(z, choose(r, constants::sinF32, constants::sinF64));
  return r + (angle.tail ? cubic + *angle.tail * (1.0 - z * 0.5) : cubic);
}
Expr cosNear0(const Angle &angle) {
  Expr r = angle.r, z = r * r;
  // 1 - z/2 and what rounding it loses.
  Expr halfSquare = z * 0.5;
  Expr high = 1.0 - halfSquare;
  Expr lost = (1.0 - high) - halfSquare;
  Expr rest = z * z * polynomial(z, choose(r, constants::cosF32, constants::cosF64));
  return high + (lost + (angle.tail ? rest - r * *angle.tail : rest));
}

/// sin(r + quadrant pi/2), with the sign bit `sign` flipped in.
Expr sinOf(const Angle &angle, const Expr &quadrant, const Expr &sign, bool approximate) {
  Expr sine = approximate ? approximateSinNear0(angle.r) : sinNear0(angle);
  Expr cosine = approximate ? approximateCosNear0(angle.r) : cosNear0(angle);
  Expr value = select((quadrant & 1) == 0, sine, cosine);
  Expr negative = (quadrant & 2) << (value.getWidth() - 2);
  return asFloatLike(value.bits() ^ negative ^ sign, value);
}

Expr sinOf(const Expr &x, const Angle &angle, bool approximate) {
  return sinOf(angle, angle.quadrant, signBit(x), approximate);
}
Expr cosOf(const Expr &, const Angle &angle, bool approximate) {
  return sinOf(angle, angle.quadrant + 1, angle.quadrant.constant(0), approximate);
}

// --------------------------------------------------------------------------------------------------------------------
// Threads of a GPU may branch
// --------------------------------------------------------------------------------------------------------------------

/// Angles below this are reduced in f32.
constexpr double smallAngles = 0x1p15;

/// r = x - n pi/2, with pi/2 in three f32 (Cody and Waite, 1980). Where n is not 0, x and n times the first of them are
/// multiples of 2^-24 that differ by less than 1, so that the first difference is exact. It may be as small as the next
/// product; then what is lost in rounding that is large beside r, and goes to the tail.
Angle reduceSmallF32(const Expr &x, const MathTarget &target) {
  Expr size = magnitude(x);
  Rounded n = roundProduct(size, 0x1.45f306dc9c883p-1);
  auto minusN = [&](double part, const Expr &sum) { return x.emit<mlir::math::FmaOp>(n.value, x.constant(-part), sum); };
  Expr high = minusN(constants::halfPiF32[0], size);
  if (target.approximate)
    return {n.integer, minusN(constants::halfPiF32[2], minusN(constants::halfPiF32[1], high)), std::nullopt};
  Double product = twoProduct(n.value, x.constant(constants::halfPiF32[1]), target);
  Double r = fastTwoSum(high, -product.high);
  return {n.integer, r.high, minusN(constants::halfPiF32[2], r.low) - product.low};
}

/// Both ways of an f32 in branches of their own: f64 is slow on many GPUs, and angles are small.
Expr branchOnSize(const Expr &x, const MathTarget &target, Expr (*function)(const Expr &, const Angle &, bool)) {
  mlir::OpBuilder &builder = x.getBuilder();
  Expr isSmall = magnitude(x) < smallAngles;
  auto branch = mlir::scf::IfOp::create(builder, x.getLoc(), mlir::TypeRange(x.get().getType()), isSmall, /*withElse=*/true);
  auto fill = [&](mlir::Block *block, auto &&value) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(block);
    mlir::Value result = value();
    mlir::scf::YieldOp::create(builder, x.getLoc(), result);
  };
  fill(branch.thenBlock(), [&] { return function(x, reduceSmallF32(x, target), target.approximate); });
  fill(branch.elseBlock(), [&] { return function(x, reduceF32(x), false); });
  return x.with(branch.getResult(0));
}

Expr circular(const Expr &x, const MathTarget &target, Expr (*function)(const Expr &, const Angle &, bool)) {
  bool isScalarF32 = x.get().getType().isF32();
  return target.nvidia && isScalarF32 ? branchOnSize(x, target, function) : function(x, reduce(x, target), false);
}

} // namespace

Expr expandSin(const Expr &x, const MathTarget &target) {
  return circular(x, target, sinOf);
}

Expr expandCos(const Expr &x, const MathTarget &target) {
  return circular(x, target, cosOf);
}

} // namespace tilewright
