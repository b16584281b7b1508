// expand-math: the math functions as straight-line arithmetic.
//
// A kernel's code is linked against nothing, so there is no libm to call; and a call in the innermost loop would keep LLVM from
// vectorizing it, which costs more than the function. So each function is fifty or so operations without a branch: the loop
// vectorizer runs them on sixteen f32 at a time. Where a function needs cases (the ends of its range, small arguments) both
// sides are computed and one is selected.
//
// Largest errors found, in units of the last place of the result, on a seventh of all f32 (pow: 6 * 10^8 pairs) and on 10^6 f64
// of several distributions and the hard ones of the literature; tests/unit/codegen/MathAccuracyTest.cpp repeats it on fewer:
//
//   function        f32     f64      file
//   exp             1.01    0.98     ExpandMathExponential.cpp
//   exp2            0.86    0.79
//   tanh            1.47    1.45
//   log             0.83    0.78     ExpandMathLogarithm.cpp
//   log2            0.80    0.75
//   log1p           0.82    0.77
//   sin, cos        1.56    0.77     ExpandMathCircular.cpp: the whole range
//   erf             1.73    1.54     ExpandMathErf.cpp
//   pow             0.56    1.27     ExpandMathPower.cpp
//   rsqrt           1.50    1.50     1 / sqrt(x)
//   sqrt, floor, ceil, roundeven, abs, fma: exact, one instruction (fma without hardware: emulated)
//
// Quotients are exact too; on NVIDIA's GPUs those by one divisor share its reciprocal: ExpandMathQuotients.cpp.
//
// On NVIDIA's GPUs exp on f32 is 0.90 (all f32 from 2^-25 on), rsqrt on f32 is one instruction of at most 2 units, and operations on f32 marked `afn` have their
// approximations, quotients among them: ExpandMathNvidia.cpp has the table.
//
// Denormals, infinities, NaN and signed zeros are as in C's Annex F. Polynomials are made by scripts/math/minimax.py.

#include "compiler/transforms/ExpandMathActivations.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright {

#define GEN_PASS_DEF_EXPANDMATH
#include "compiler/transforms/Passes.h.inc"

namespace math = mlir::math;

namespace {

/// f32 or f64, or a vector of them.
bool isComputed(mlir::Type type) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  return (element.isF32() || element.isF64()) && (element == type || mlir::isa<mlir::VectorType>(type));
}

bool isApproximate(mlir::Operation *op) {
  auto math = mlir::dyn_cast<mlir::arith::ArithFastMathInterface>(op);
  return math && mlir::arith::bitEnumContainsAll(math.getFastMathFlagsAttr().getValue(), mlir::arith::FastMathFlags::afn) &&
         mlir::getElementTypeOrSelf(op->getResult(0).getType()).isF32();
}

/// The quotient that EmitTile writes for sigmoid(x): (x >= 0 ? 1 : t) / (1 + t) with t = e^-|x|. Its x, or null.
mlir::Value argumentOfSigmoid(mlir::arith::DivFOp quotient) {
  auto numerator = quotient.getLhs().getDefiningOp<mlir::arith::SelectOp>();
  auto denominator = quotient.getRhs().getDefiningOp<mlir::arith::AddFOp>();
  auto isPositive = numerator ? numerator.getCondition().getDefiningOp<mlir::arith::CmpFOp>() : nullptr;
  auto t = numerator ? numerator.getFalseValue().getDefiningOp<math::ExpOp>() : nullptr;
  auto negated = t ? t.getOperand().getDefiningOp<mlir::arith::NegFOp>() : nullptr;
  auto size = negated ? negated.getOperand().getDefiningOp<math::AbsFOp>() : nullptr;
  if (!denominator || !isPositive || !size || !isApproximate(t))
    return {};
  auto isOne = [](mlir::Value value) { return mlir::matchPattern(value, mlir::m_OneFloat()); };
  bool addsOne = (isOne(denominator.getLhs()) && denominator.getRhs() == t.getResult()) ||
                 (isOne(denominator.getRhs()) && denominator.getLhs() == t.getResult());
  bool testsSign = isPositive.getPredicate() == mlir::arith::CmpFPredicate::OGE && isPositive.getLhs() == size.getOperand() &&
                   mlir::matchPattern(isPositive.getRhs(), mlir::m_AnyZeroFloat());
  return addsOne && testsSign && isOne(numerator.getTrueValue()) ? size.getOperand() : mlir::Value();
}

/// x / y marked `afn`; 1 / y is an instruction that the code generator finds.
mlir::Value expandQuotient(const Expr &a, const Expr &b, const MathTarget &target) {
  if (!target.approximate || mlir::matchPattern(a.get(), mlir::m_OneFloat()))
    return {};
  return approximateQuotient(a, b);
}

/// The function's value, or null where the processor has an instruction for it or it is not this pass's business.
mlir::Value expand(mlir::Operation *op, MathTarget target) {
  if (op->getNumResults() != 1 || !isComputed(op->getResult(0).getType()))
    return {};
  target.approximate = target.nvidia && isApproximate(op);
  mlir::OpBuilder builder(op);
  auto operand = [&](unsigned i) { return Expr(builder, op->getLoc(), op->getOperand(i)); };
  return llvm::TypeSwitch<mlir::Operation *, mlir::Value>(op)
      .Case([&](math::ExpOp) { return expandExp(operand(0), target); })
      .Case([&](math::Exp2Op) { return expandExp2(operand(0), target); })
      .Case([&](math::TanhOp) { return expandTanh(operand(0), target); })
      .Case([&](math::LogOp) { return expandLog(operand(0), target); })
      .Case([&](math::Log2Op) { return expandLog2(operand(0), target); })
      .Case([&](math::Log1pOp) { return expandLog1p(operand(0), target); })
      .Case([&](math::SinOp) { return expandSin(operand(0), target); })
      .Case([&](math::CosOp) { return expandCos(operand(0), target); })
      .Case([&](math::ErfOp) { return expandErf(operand(0), target); })
      .Case([&](math::PowFOp) { return expandPow(operand(0), operand(1), target); })
      .Case([&](math::RsqrtOp) { return expandRsqrt(operand(0), target); })
      .Case([&](mlir::arith::DivFOp) { return expandQuotient(operand(0), operand(1), target); })
      .Case(
          [&](math::FmaOp) { return target.fma ? mlir::Value() : expandFma(operand(0), operand(1), operand(2), target).get(); })
      .Default([](mlir::Operation *) { return mlir::Value(); });
}

/// A quotient that is an approximate sigmoid becomes two instructions' worth of it. Whether it was one.
bool expandSigmoid(mlir::Operation *op) {
  auto quotient = mlir::dyn_cast<mlir::arith::DivFOp>(op);
  mlir::Value x = quotient && isApproximate(op) ? argumentOfSigmoid(quotient) : mlir::Value();
  if (!x)
    return false;
  if (expandSilu(quotient.getResult(), x) || expandGeluSlope(quotient.getResult(), x))
    return true;
  mlir::OpBuilder builder(op);
  Expr sigmoid = approximateSigmoid(Expr(builder, op->getLoc(), x));
  quotient.getResult().replaceAllUsesWith(sigmoid);
  expandSigmoidSlope(sigmoid);
  quotient.erase();
  return true;
}

struct ExpandMath : impl::ExpandMathBase<ExpandMath> {
  using ExpandMathBase::ExpandMathBase;

  void runOnOperation() override {
    MathTarget target{fma, ldexp, nvidia};
    llvm::SmallVector<mlir::Operation *> candidates;
    getOperation().walk([&](mlir::Operation *op) {
      if (mlir::isa_and_nonnull<math::MathDialect>(op->getDialect()) || mlir::isa<mlir::arith::DivFOp>(op))
        candidates.push_back(op);
    });
    // Before the exponentials that they are recognized by are expanded.
    if (nvidia)
      llvm::erase_if(candidates, [](mlir::Operation *op) {
        auto erf = mlir::dyn_cast<math::ErfOp>(op);
        return expandSigmoid(op) || (erf && isApproximate(op) && (expandGaussian(erf) || expandGeluErfSlope(erf)));
      });
    for (mlir::Operation *op : candidates) {
      if (mlir::Value replacement = expand(op, target)) {
        op->getResult(0).replaceAllUsesWith(replacement);
        op->erase();
      }
    }
    if (nvidia)
      expandSharedQuotients(getOperation());
  }
};

} // namespace
} // namespace tilewright
