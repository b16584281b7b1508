// A product of tiles is a linalg.generic marked `tilewright.dot`:
//
//   inputs   the operands in their own dtypes: a part of a view, or a buffer
//   output   the accumulator's buffer, which already holds the old sum
//   body     both elements converted to the accumulator's type by tile.cast, multiplied, added
//
// lower-contractions turns it into packed panels and register blocks; what it leaves becomes plain loops, for which the order
// of the dimensions is chosen here.

#include "compiler/codegen/ConvertTileToLinalgNests.h"
#include "compiler/codegen/ConvertTileToLinalgPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::cpu {

/// The order of the loops: along the axis on which the right operand (else the left one) is contiguous, if it is an axis of the
/// result; else the contracted axes are innermost.
static Axes dotOrder(tile::DotOp op, ArrayRef<StringAttr> contracted) {
  ArrayRef<StringAttr> kept = tile::axesOf(op.getType());
  Axes axes(kept.begin(), kept.end());
  axes.append(contracted.begin(), contracted.end());
  for (Value operand : {op.getRhs(), op.getLhs()}) {
    StringAttr axis = contiguousAxis(operand);
    if (axis && llvm::is_contained(kept, axis))
      return withInnermost(axes, axis);
  }
  return axes;
}

static Value converted(Emitter &emitter, Value element, Type type, bool isUnsigned) {
  if (element.getType() == type)
    return element;
  return tile::CastOp::create(emitter.builder, type, element, isUnsigned, /*result_unsigned=*/false);
}

static Value multiplyAdd(Emitter &emitter, Value lhs, Value rhs, Value sum) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  if (!isa<FloatType>(sum.getType()))
    return arith::AddIOp::create(builder, sum, arith::MulIOp::create(builder, lhs, rhs));
  auto flags = emitter.settings.reference ? arith::FastMathFlags::none : arith::FastMathFlags::contract;
  return arith::AddFOp::create(builder, sum, arith::MulFOp::create(builder, lhs, rhs, flags), flags);
}

static void emitProduct(Emitter &emitter, tile::DotOp op, const Buffer &sums) {
  Axes contracted = axesOfSpans(op.getSpans());
  NestOutput output{emitter.existing(sums), sums.axes};
  Type type = cast<MemRefType>(sums.memref.getType()).getElementType();
  auto body = [&](Point &point, ValueRange old) -> SmallVector<Value> {
    Value lhs = converted(emitter, point.at(op.getLhs()), type, op.getLhsUnsigned());
    Value rhs = converted(emitter, point.at(op.getRhs()), type, op.getRhsUnsigned());
    return {multiplyAdd(emitter, lhs, rhs, old.front())};
  };
  Operation *generic = emitGeneric(emitter, dotOrder(op, contracted), contracted, {op.getLhs(), op.getRhs()}, output, body);
  generic->setAttr("tilewright.dot", emitter.builder.getUnitAttr());
}

/// Copies between buffers of the same axes, converting.
static void emitConversion(Emitter &emitter, const Buffer &from, const Buffer &to) {
  NestOutput output{emitter.existing(to), to.axes};
  Type type = cast<MemRefType>(to.memref.getType()).getElementType();
  emitGeneric(emitter, to.axes, {}, {}, output, [&](Point &point, ValueRange) -> SmallVector<Value> {
    return {converted(emitter, loadElement(emitter, from, point), type, false)};
  });
}

void emitDot(Emitter &emitter, tile::DotOp op) {
  auto result = cast<OpResult>(op.getResult());
  bool isScalar = !tile::isTile(result.getType());
  Buffer buffer = isScalar ? emitter.allocate(result.getType()) : emitter.resultBuffer(result);
  if (isScalar)
    memref::StoreOp::create(emitter.builder, emitter.scalar(op.getAccumulator()), buffer.memref);
  else if (!hasBuffer(op.getAccumulator()) || emitter.buffer(op.getAccumulator()).memref != buffer.memref)
    emitCopy(emitter, op.getAccumulator(), buffer);

  if (emitter.settings.reference && isa<FloatType>(buffer.element)) {
    Buffer wide = emitter.allocate(emitter.builder.getF64Type(), result.getType());
    emitConversion(emitter, buffer, wide);
    emitProduct(emitter, op, wide);
    emitConversion(emitter, wide, buffer);
  } else {
    emitProduct(emitter, op, buffer);
  }
  if (isScalar) {
    Point nowhere(emitter, [](StringAttr) { return Value(); });
    emitter.setScalar(result, loadElement(emitter, buffer, nowhere));
  }
}

} // namespace tilewright::cpu
