// Slopes of activations that cost fewer instructions as a whole than function by function, on NVIDIA's GPUs and where their functions may be
// approximations. A gradient computes one for each element on its way into a product, beside the tensor cores; of two that share a unit with
// the approximations (ex2, rcp) that unit alone would need all of their time.

#include "compiler/transforms/ExpandMathActivations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

namespace tilewright {

using namespace mlir;

static std::optional<double> constantOf(Value value) {
  llvm::APFloat constant(0.0f);
  if (!matchPattern(value, m_ConstantFloat(&constant)))
    return std::nullopt;
  return constant.convertToDouble();
}

/// To what rounding constants to f32, and products of them, leave.
static bool isConstant(Value value, double expected) {
  std::optional<double> constant = constantOf(value);
  return constant && std::fabs(*constant - expected) <= 0x1p-20 * std::fabs(expected);
}

/// The other operand of a sum or product if one operand passes the test.
template <typename Op> static Value otherOperand(Value value, llvm::function_ref<bool(Value)> isOne) {
  auto op = value.getDefiningOp<Op>();
  if (!op)
    return {};
  return isOne(op.getLhs()) ? op.getRhs() : isOne(op.getRhs()) ? op.getLhs() : Value();
}

template <typename Op> static Value otherOperand(Value value, Value known) {
  return otherOperand<Op>(value, [&](Value operand) { return operand == known; });
}

template <typename Op> static Value withoutConstant(Value value, double constant) {
  return otherOperand<Op>(value, [&](Value operand) { return isConstant(operand, constant); });
}

/// A value's only use, if that is such an operation.
template <typename Op> static Op onlyUse(Value value) {
  return value.hasOneUse() ? dyn_cast<Op>(*value.user_begin()) : Op();
}

/// Whether a value is a + b x², written as a + b x x.
static bool isQuadratic(Value value, Value x, double a, double b) {
  Value square = withoutConstant<arith::AddFOp>(value, a);
  Value product = square ? otherOperand<arith::MulFOp>(square, x) : Value();
  return product && withoutConstant<arith::MulFOp>(product, b) == x;
}

/// What a value was before it was held between -8 and 8, where both slopes are 0 and 1.
static Value unbounded(Value value) {
  Value fromBelow = withoutConstant<arith::MinimumFOp>(value, 8), whole = fromBelow ? withoutConstant<arith::MaximumFOp>(fromBelow, -8) : Value();
  return whole ? whole : value;
}

static void replace(Value slope, Value argument, Expr (*formula)(const Expr &)) {
  Operation *last = slope.getDefiningOp();
  OpBuilder builder(last);
  slope.replaceAllUsesWith(formula(Expr(builder, last->getLoc(), argument)));
}

/// Operations of which nothing is used any more, the last first.
static void eraseUnused(SmallVector<Operation *> operations) {
  for (Operation *op : operations)
    if (op->use_empty())
      op->erase();
}

constexpr double innerSlope = 1.5957691216057308, innerCube = 0.07135481627260025; ///< 2 √(2/π) and that times 0.044715

bool expandGeluSlope(Value sigmoid, Value argument) {
  auto inner = argument.getDefiningOp<arith::MulFOp>();
  if (!inner)
    return false;
  // s + (t - t s) (a + 3 b c²) with t = c s, of s = sigmoid(c (a + b c²))
  Value c = isQuadratic(inner.getRhs(), inner.getLhs(), innerSlope, innerCube) ? inner.getLhs() : inner.getRhs();
  if (!isQuadratic(inner.getLhs() == c ? inner.getRhs() : inner.getLhs(), c, innerSlope, innerCube))
    return false;
  for (Operation *user : sigmoid.getUsers()) {
    auto sum = dyn_cast<arith::AddFOp>(user);
    auto product = sum ? otherOperand<arith::AddFOp>(sum.getResult(), sigmoid).getDefiningOp<arith::MulFOp>() : nullptr;
    if (!product)
      continue;
    Value rest = otherOperand<arith::MulFOp>(product.getResult(), [&](Value operand) { return isQuadratic(operand, c, innerSlope, 3 * innerCube); });
    auto difference = rest ? rest.getDefiningOp<arith::SubFOp>() : nullptr;
    Value t = difference ? difference.getLhs() : Value();
    if (!t || otherOperand<arith::MulFOp>(t, sigmoid) != c || otherOperand<arith::MulFOp>(difference.getRhs(), t) != sigmoid)
      continue;
    Operation *square = difference.getRhs().getDefiningOp(), *first = t.getDefiningOp();
    bool isAll = llvm::all_of(sigmoid.getUsers(), [&](Operation *use) { return use == sum || use == square || use == first; }) && product->hasOneUse() &&
                 difference->hasOneUse() && square->hasOneUse() && llvm::all_of(first->getUsers(), [&](Operation *use) { return use == square || use == difference; });
    if (!isAll)
      return false;
    replace(sum.getResult(), unbounded(c), approximateGeluSlope);
    eraseUnused({sum, product, difference, square, first, sigmoid.getDefiningOp()});
    return true;
  }
  return false;
}

void expandSigmoidSlope(Value sigmoid) {
  for (Operation *user : llvm::make_early_inc_range(sigmoid.getUsers())) {
    auto product = dyn_cast<arith::MulFOp>(user);
    auto rest = product ? otherOperand<arith::MulFOp>(product.getResult(), sigmoid).getDefiningOp<arith::SubFOp>() : nullptr;
    if (!rest || rest.getRhs() != sigmoid || !isConstant(rest.getLhs(), 1))
      continue;
    OpBuilder builder(product);
    Expr s(builder, product.getLoc(), sigmoid);
    product.getResult().replaceAllUsesWith(mulAdd(-s, s, s));
    product.erase();
    if (rest->use_empty())
      rest->erase();
  }
}

bool expandGeluErfSlope(math::ErfOp erf) {
  // (1 + e) / 2 + x / 2 exp(-(x r)²) (2/√π) r with e = erf(x r), r = √½
  constexpr double root = M_SQRT1_2;
  Value scaled = erf.getOperand(), x = withoutConstant<arith::MulFOp>(scaled, root);
  auto sum = onlyUse<arith::AddFOp>(erf.getResult());
  auto half = x && sum && withoutConstant<arith::AddFOp>(sum.getResult(), 1) == erf.getResult() ? onlyUse<arith::MulFOp>(sum.getResult()) : arith::MulFOp();
  auto slope = half && withoutConstant<arith::MulFOp>(half.getResult(), 0.5) ? onlyUse<arith::AddFOp>(half.getResult()) : arith::AddFOp();
  Value product = slope ? otherOperand<arith::AddFOp>(slope.getResult(), half.getResult()) : Value();
  Value density = product ? otherOperand<arith::MulFOp>(product, [&](Value operand) { return withoutConstant<arith::MulFOp>(operand, 0.5) == x; }) : Value();
  Value twice = density ? withoutConstant<arith::MulFOp>(density, root) : Value(), power = twice ? withoutConstant<arith::MulFOp>(twice, M_2_SQRTPI) : Value();
  auto exponential = power ? power.getDefiningOp<math::ExpOp>() : nullptr;
  auto negated = exponential ? exponential.getOperand().getDefiningOp<arith::NegFOp>() : nullptr;
  if (!negated || otherOperand<arith::MulFOp>(negated.getOperand(), scaled) != scaled)
    return false;
  replace(slope.getResult(), x, approximateGeluErfSlope);
  eraseUnused({slope, half, sum, erf});
  return true;
}

} // namespace tilewright
