// choose-approximations: which math may be the GPU's approximations, because its value is rounded to 16 bits or fewer
// (language §3.7).
//
// A value of f32 is *rounded* if each of its uses is a conversion to a float of at most 16 bits, a sum in a view of such floats, or
// an operation through which a relative error passes without growing (apart from cancellation, which the language leaves to the
// author), whose result is rounded. The largest such set is found by taking values away until nothing changes, so that
// what a loop carries may be in it.
//
// A relative error of the argument grows in exp, pow, log, sin and cos, and a comparison or a conversion to an integer may turn
// it into another branch or another integer: those uses are not among them, with two exceptions. log1p of an exponential is one:
// t / ((1 + t) log1p(t)) <= 1 for t >= 0. And a value that was made without a difference, of exponentials and the like, compares
// with 0 as it would without its relative error.

#include "compiler/transforms/Passes.h"

#include "dialects/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_CHOOSEAPPROXIMATIONS
#include "compiler/transforms/Passes.h.inc"

namespace {

bool isNarrowFloat(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() <= 16;
}

bool isF32(Value value) {
  return getElementTypeOrSelf(value.getType()).isF32();
}

/// The values that an operand of a terminator becomes, or null where they are not followed.
SmallVector<Value, 2> successors(OpOperand &use) {
  Operation *around = use.getOwner()->getParentOp();
  unsigned number = use.getOperandNumber();
  if (auto loop = dyn_cast<tile::ForOp>(around))
    return {loop.getCarried()[number], loop.getResult(number)};
  if (auto branch = dyn_cast<scf::IfOp>(around))
    return {branch.getResult(number)};
  return {};
}

/// The values whose errors a use determines: their being rounded makes the use a rounded one. Empty for any other use.
SmallVector<Value, 2> carriers(OpOperand &use) {
  Operation *user = use.getOwner();
  return llvm::TypeSwitch<Operation *, SmallVector<Value, 2>>(user)
      .Case<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, math::FmaOp,
            math::AbsFOp, math::SqrtOp, math::RsqrtOp, math::TanhOp, math::ErfOp, tile::BroadcastOp, tile::ReduceOp>(
          [](Operation *op) { return SmallVector<Value, 2>{op->getResult(0)}; })
      .Case([&](math::Log1pOp op) {
        bool isPositive = isa_and_nonnull<math::ExpOp, math::Exp2Op>(op.getOperand().getDefiningOp());
        return isPositive ? SmallVector<Value, 2>{op.getResult()} : SmallVector<Value, 2>();
      })
      .Case([&](arith::SelectOp op) { return SmallVector<Value, 2>{op.getResult()}; }) // its condition is no float
      .Case([&](tile::DotOp op) {
        bool isAccumulator = use.get() == op.getAccumulator() && use.get() != op.getLhs() && use.get() != op.getRhs();
        return isAccumulator ? SmallVector<Value, 2>{op.getResult()} : SmallVector<Value, 2>();
      })
      .Case([&](tile::ForOp op) {
        auto number = static_cast<int64_t>(use.getOperandNumber()) - static_cast<int64_t>(op->getNumOperands() - op.getInitial().size());
        return number < 0 ? SmallVector<Value, 2>() : SmallVector<Value, 2>{op.getCarried()[number], op.getResult(number)};
      })
      .Case<tile::YieldOp, scf::YieldOp>([&](Operation *) { return successors(use); })
      .Default([](Operation *) { return SmallVector<Value, 2>(); });
}

/// The largest set of f32 values of a kernel of which none can be taken away by a look at its members.
class ValueSet {
public:
  void collect(tile::KernelOp kernel) {
    kernel.walk([&](Operation *op) {
      add(op->getResults());
      for (Region &region : op->getRegions())
        for (Block &block : region)
          add(block.getArguments());
    });
  }
  void keep(llvm::function_ref<bool(Value)> belongs) {
    while (values.remove_if([&](Value value) { return !belongs(value); })) {
    }
  }
  bool contains(Value value) const { return values.contains(value); }
  bool containsAll(ValueRange range) const {
    return llvm::all_of(range, [&](Value value) { return contains(value); });
  }

private:
  llvm::SetVector<Value> values;

  void add(ValueRange candidates) {
    for (Value value : candidates)
      if (isF32(value))
        values.insert(value);
  }
};

/// The operands that a value of a loop is: the initial one and the next ones. Empty for other values.
SmallVector<Value, 2> carriedFrom(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = dyn_cast_or_null<tile::ForOp>(argument ? argument.getOwner()->getParentOp() : value.getDefiningOp());
  int64_t number = argument ? static_cast<int64_t>(argument.getArgNumber()) - 1 : loop ? cast<OpResult>(value).getResultNumber() : -1;
  if (!loop || number < 0)
    return {};
  return {loop.getInitial()[number], loop.getBody().front().getTerminator()->getOperand(number)};
}

/// Values that are 0 or more (or NaN), and made without a difference.
class NonNegativeValues {
public:
  explicit NonNegativeValues(tile::KernelOp kernel) {
    set.collect(kernel);
    set.keep([&](Value value) { return isNonNegative(value); });
  }
  bool contains(Value value) const { return set.contains(value); }

private:
  ValueSet set;

  bool isNonNegative(Value value) const {
    SmallVector<Value, 2> carried = carriedFrom(value);
    if (!carried.empty())
      return set.containsAll(carried);
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (isa<math::ExpOp, math::Exp2Op, math::AbsFOp>(op))
      return true;
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      llvm::APFloat number(0.0f);
      return matchPattern(value, m_ConstantFloat(&number)) && !number.isNegative();
    }
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return set.containsAll({select.getTrueValue(), select.getFalseValue()});
    return isa<arith::AddFOp, arith::MulFOp, arith::DivFOp, arith::MaximumFOp, arith::MinimumFOp, math::FmaOp, math::SqrtOp,
               tile::BroadcastOp>(op)
               ? set.containsAll(op->getOperands())
           : isa<tile::ReduceOp>(op) ? set.contains(op->getOperand(0))
                                     : false;
  }
};

bool isComparisonWithZero(Operation *op) {
  auto comparison = dyn_cast<arith::CmpFOp>(op);
  return comparison && llvm::any_of(comparison->getOperands(), [](Value value) { return matchPattern(value, m_AnyZeroFloat()); });
}

bool isRounding(OpOperand &use) {
  if (auto cast = dyn_cast<tile::CastOp>(use.getOwner()))
    return isNarrowFloat(cast.getType());
  auto sum = dyn_cast<tile::AccumulateOp>(use.getOwner());
  return sum && isNarrowFloat(sum.getView().getType().getElement());
}

/// The rounded values of a kernel.
class RoundedValues {
public:
  explicit RoundedValues(tile::KernelOp kernel) : nonNegative(kernel) {
    set.collect(kernel);
    set.keep([&](Value value) { return llvm::all_of(value.getUses(), [&](OpOperand &use) { return isRounded(use); }); });
  }

  bool contains(Value value) const { return set.contains(value); }

private:
  NonNegativeValues nonNegative;
  ValueSet set;

  bool isRounded(OpOperand &use) const {
    if (isRounding(use) || (isComparisonWithZero(use.getOwner()) && nonNegative.contains(use.get())))
      return true;
    SmallVector<Value, 2> results = carriers(use);
    return !results.empty() && set.containsAll(results);
  }
};

bool hasApproximation(Operation *op) {
  return isa<arith::DivFOp, math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::Log1pOp, math::SqrtOp, math::SinOp, math::CosOp,
             math::TanhOp, math::ErfOp>(op);
}

struct ChooseApproximations : impl::ChooseApproximationsBase<ChooseApproximations> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getOps<tile::KernelOp>()) {
      RoundedValues rounded(kernel);
      kernel.walk([&](Operation *op) {
        if (!hasApproximation(op) || !rounded.contains(op->getResult(0)))
          return;
        auto math = cast<arith::ArithFastMathInterface>(op);
        auto flags = math.getFastMathFlagsAttr().getValue() | arith::FastMathFlags::afn;
        op->setAttr(math.getFastMathAttrName(), arith::FastMathFlagsAttr::get(op->getContext(), flags));
      });
    }
  }
};

} // namespace
} // namespace tilewright
