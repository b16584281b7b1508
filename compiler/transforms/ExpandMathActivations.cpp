// Activations that cost fewer instructions as a whole than function by function: x sigmoid(x) and x (1 + erf(c x)), on NVIDIA's GPUs and where their
// functions may be approximations. Behind a product of 768 terms there is room for about ten instructions an element; of those that share a
// unit with the approximations (ex2, rcp, tanh) for one.

#include "compiler/transforms/ExpandMathActivations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

namespace tilewright {

using namespace mlir;

/// The other operand of a sum or product of which one is `known`.
template <typename Op> static Value otherOperand(Op op, Value known) {
  return op.getLhs() == known ? op.getRhs() : op.getLhs();
}

/// A value's only use, if that is such an operation.
template <typename Op> static Op onlyUse(Value value) {
  return value.hasOneUse() ? dyn_cast<Op>(*value.user_begin()) : Op();
}

/// If a value is `x` times a positive constant, the constant; 1 for x itself.
static std::optional<double> factorOf(Value value, Value x) {
  if (value == x)
    return 1.0;
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product || (product.getLhs() != x && product.getRhs() != x))
    return std::nullopt;
  llvm::APFloat constant(0.0f);
  if (!matchPattern(otherOperand(product, x), m_ConstantFloat(&constant)) || constant.isNegative() || !constant.isNormal())
    return std::nullopt;
  return constant.convertToDouble();
}

bool expandSilu(Value sigmoid, Value x) {
  auto isProduct = [&](OpOperand &use) {
    auto product = dyn_cast<arith::MulFOp>(use.getOwner());
    return product && product.getLhs() != product.getRhs() && otherOperand(product, sigmoid) == x;
  };
  if (sigmoid.use_empty() || !llvm::all_of(sigmoid.getUses(), isProduct))
    return false;
  for (Operation *product : llvm::make_early_inc_range(sigmoid.getUsers())) {
    OpBuilder builder(product);
    product->getResult(0).replaceAllUsesWith(approximateSilu(Expr(builder, product->getLoc(), x)));
    product->erase();
  }
  sigmoid.getDefiningOp()->erase();
  return true;
}

bool expandGaussian(math::ErfOp erf) {
  auto scaled = erf.getOperand().getDefiningOp<arith::MulFOp>();
  auto sum = onlyUse<arith::AddFOp>(erf.getResult());
  auto product = sum && matchPattern(otherOperand(sum, erf.getResult()), m_OneFloat()) ? onlyUse<arith::MulFOp>(sum.getResult()) : arith::MulFOp();
  if (!scaled || !product)
    return false;
  for (Value x : scaled->getOperands()) {
    std::optional<double> inside = factorOf(scaled.getResult(), x), outside = factorOf(otherOperand(product, sum.getResult()), x);
    if (!inside || !outside)
      continue;
    OpBuilder builder(product);
    product.getResult().replaceAllUsesWith(approximateGaussian(Expr(builder, product.getLoc(), x), *inside, *outside));
    product.erase();
    sum.erase();
    erf.erase();
    return true;
  }
  return false;
}

} // namespace tilewright
