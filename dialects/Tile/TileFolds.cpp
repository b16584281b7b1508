// What an operation is when more is known of its operands: folds to a value or constant, and tile.dot's canonical form.
//
// Tiles and scalars are folded alike: a constant tile is a splat, and a fold works on its one value.
#include "dialects/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

namespace tilewright::tile {

namespace {

/// The one value of a scalar constant or a splat: a FloatAttr or an IntegerAttr; null for anything else.
TypedAttr uniformValue(Attribute constant) {
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(constant))
    return cast<TypedAttr>(splat.getSplatValue<Attribute>());
  return isa_and_nonnull<FloatAttr, IntegerAttr>(constant) ? cast<TypedAttr>(constant) : TypedAttr();
}

/// A constant of `type` that is `value` everywhere.
Attribute uniformConstant(Type type, Attribute value) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return DenseElementsAttr::get(tensor, value);
  return value;
}

} // namespace

// --------------------------------------------------------------------------------------------------------------------
// Spans
// --------------------------------------------------------------------------------------------------------------------

OpFoldResult SpanStartOp::fold(FoldAdaptor) {
  if (getSpan().getDefiningOp<SpanOp>())
    return IntegerAttr::get(getType(), 0);
  return {};
}

OpFoldResult SpanEndOp::fold(FoldAdaptor) {
  if (getSpan().getDefiningOp<SpanOp>())
    return IntegerAttr::get(getType(), getSpan().getType().getCapacity());
  return {};
}

// --------------------------------------------------------------------------------------------------------------------
// Elementwise
// --------------------------------------------------------------------------------------------------------------------

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (TypedAttr value = uniformValue(adaptor.getOperand()))
    return uniformConstant(getType(), value);
  if (auto inner = getOperand().getDefiningOp<BroadcastOp>()) {
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  return {};
}

namespace {

/// Nearest even; f8 saturates (inf included), NaN stays NaN.
APFloat castFloat(APFloat value, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  bool isNegative = value.isNegative();
  bool isNaN = value.isNaN();
  if (isNaN)
    return APFloat::getNaN(semantics, isNegative);
  bool losesInfo = false;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  bool overflows = !value.isFinite();
  if (type.getWidth() == 8 && overflows)
    return APFloat::getLargest(semantics, isNegative);
  return value;
}

/// Toward zero, saturating; NaN gives 0.
APInt castToInteger(const APFloat &value, unsigned width, bool isUnsigned) {
  if (value.isNaN())
    return APInt(width, 0);
  llvm::APSInt result(width, isUnsigned);
  bool isExact = false;
  value.convertToInteger(result, APFloat::rmTowardZero, &isExact); // saturates
  return result;
}

APFloat castToFloat(const APInt &value, bool isUnsigned, FloatType type) {
  APFloat result(type.getFloatSemantics());
  result.convertFromAPInt(value, !isUnsigned, APFloat::rmNearestTiesToEven);
  return type.getWidth() == 8 && !result.isFinite() ? APFloat::getLargest(type.getFloatSemantics(), result.isNegative())
                                                    : result;
}

APInt resize(const APInt &value, unsigned width, bool isUnsigned) {
  return isUnsigned ? value.zextOrTrunc(width) : value.sextOrTrunc(width);
}

/// A constant's value as tile.cast converts it.
TypedAttr castConstant(TypedAttr constant, Type to, bool sourceUnsigned, bool resultUnsigned) {
  unsigned width = to.getIntOrFloatBitWidth();
  if (auto real = dyn_cast<FloatAttr>(constant)) {
    APFloat value = real.getValue();
    if (auto type = dyn_cast<FloatType>(to))
      return FloatAttr::get(type, castFloat(value, type));
    return IntegerAttr::get(to, width == 1 ? APInt(1, !value.isZero()) : castToInteger(value, width, resultUnsigned));
  }
  APInt value = cast<IntegerAttr>(constant).getValue();
  bool isUnsigned = sourceUnsigned || value.getBitWidth() == 1;
  if (auto type = dyn_cast<FloatType>(to))
    return FloatAttr::get(type, castToFloat(value, isUnsigned, type));
  return IntegerAttr::get(to, width == 1 ? APInt(1, !value.isZero()) : resize(value, width, isUnsigned));
}

} // namespace

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (TypedAttr value = uniformValue(adaptor.getOperand()))
    return uniformConstant(getType(),
                           castConstant(value, getElementTypeOrSelf(getType()), getSourceUnsigned(), getResultUnsigned()));
  return {};
}

namespace {

/// The integer that a constant is everywhere.
std::optional<APInt> uniformInteger(Attribute constant) {
  auto value = dyn_cast_or_null<IntegerAttr>(uniformValue(constant));
  return value ? std::optional(value.getValue()) : std::nullopt;
}

APInt floorDivide(const APInt &lhs, const APInt &rhs) {
  if (rhs.isZero())
    return APInt::getZero(lhs.getBitWidth());
  APInt quotient, remainder;
  APInt::sdivrem(lhs, rhs, quotient, remainder); // the least value by -1 wraps
  bool roundsUp = !remainder.isZero() && remainder.isNegative() != rhs.isNegative();
  return roundsUp ? quotient - 1 : quotient;
}

APInt floorRemainder(const APInt &lhs, const APInt &rhs) {
  return rhs.isZero() ? rhs : lhs - rhs * floorDivide(lhs, rhs);
}

Attribute integerConstant(Type type, const APInt &value) {
  return uniformConstant(type, IntegerAttr::get(getElementTypeOrSelf(type), value));
}

} // namespace

OpFoldResult FloorDivOp::fold(FoldAdaptor adaptor) {
  std::optional<APInt> lhs = uniformInteger(adaptor.getLhs()), rhs = uniformInteger(adaptor.getRhs());
  if (lhs && rhs)
    return integerConstant(getType(), floorDivide(*lhs, *rhs));
  if (rhs && rhs->isOne())
    return getLhs();
  return {};
}

OpFoldResult FloorModOp::fold(FoldAdaptor adaptor) {
  std::optional<APInt> lhs = uniformInteger(adaptor.getLhs()), rhs = uniformInteger(adaptor.getRhs());
  if (lhs && rhs)
    return integerConstant(getType(), floorRemainder(*lhs, *rhs));
  if (rhs && rhs->isOne())
    return integerConstant(getType(), APInt::getZero(rhs->getBitWidth()));
  return {};
}

// --------------------------------------------------------------------------------------------------------------------
// Dot
// --------------------------------------------------------------------------------------------------------------------

namespace {

bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

/// The dot that an addend is, perhaps with its axes in another order, if nothing else uses it.
DotOp singlyUsedDot(Value addend) {
  auto permutation = addend.getDefiningOp<BroadcastOp>();
  bool isPermutation = permutation && axesOf(permutation.getOperand().getType()).size() == axesOf(permutation.getType()).size();
  if (isPermutation && permutation->hasOneUse())
    addend = permutation.getOperand();
  auto dot = addend.getDefiningOp<DotOp>();
  return dot && dot->hasOneUse() ? dot : DotOp();
}

/// acc + dot(a, b, 0) is dot(a, b, acc): the product is summed in place.
template <typename AddOp> struct AccumulateInDot : OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp add, PatternRewriter &rewriter) const override {
    return success(succeeded(rewrite(add, add.getLhs(), add.getRhs(), rewriter)) ||
                   succeeded(rewrite(add, add.getRhs(), add.getLhs(), rewriter)));
  }

private:
  LogicalResult rewrite(AddOp add, Value accumulator, Value addend, PatternRewriter &rewriter) const {
    DotOp dot = singlyUsedDot(addend);
    if (!dot)
      return rewriter.notifyMatchFailure(add, "the addend is no dot, or is used elsewhere");
    if (!isZero(dot.getAccumulator()))
      return rewriter.notifyMatchFailure(add, "the dot has an accumulator already");
    rewriter.replaceOpWithNewOp<DotOp>(add, add.getType(), dot.getLhs(), dot.getRhs(), accumulator, dot.getSpans(),
                                       dot.getPrecision(), dot.getLhsUnsigned(), dot.getRhsUnsigned());
    return success();
  }
};

} // namespace

void DotOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<AccumulateInDot<arith::AddFOp>, AccumulateInDot<arith::AddIOp>>(context);
}

} // namespace tilewright::tile
