// reduce becomes a linalg.generic with reduction dimensions; what must keep its order (arg_reduce, fold, scan) becomes scf
// loops with the state in registers.

#include "compiler/codegen/ConvertTileToLinalgReductions.h"

#include "compiler/codegen/ConvertTileToLinalgNests.h"
#include "compiler/codegen/ConvertTileToLinalgPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::cpu {

// --------------------------------------------------------------------------------------------------------------------
// Combining
// --------------------------------------------------------------------------------------------------------------------

Value combine(Emitter &emitter, tile::Reduction kind, Value lhs, Value rhs) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  bool isFloat = isa<FloatType>(lhs.getType());
  // Of zeros that differ in sign any may be the result: on x86 that halves the instructions of a maximum.
  auto flags = arith::FastMathFlags::nsz;
  switch (kind) {
  case tile::Reduction::Add:
    return isFloat ? arith::AddFOp::create(builder, lhs, rhs).getResult()
                   : arith::AddIOp::create(builder, lhs, rhs).getResult();
  case tile::Reduction::Max:
    return isFloat ? arith::MaximumFOp::create(builder, lhs, rhs, flags).getResult()
                   : arith::MaxSIOp::create(builder, lhs, rhs).getResult();
  case tile::Reduction::Min:
    return isFloat ? arith::MinimumFOp::create(builder, lhs, rhs, flags).getResult()
                   : arith::MinSIOp::create(builder, lhs, rhs).getResult();
  case tile::Reduction::UMax:
    return arith::MaxUIOp::create(builder, lhs, rhs);
  case tile::Reduction::UMin:
    return arith::MinUIOp::create(builder, lhs, rhs);
  case tile::Reduction::And:
    return arith::AndIOp::create(builder, lhs, rhs);
  case tile::Reduction::Or:
    return arith::OrIOp::create(builder, lhs, rhs);
  }
  llvm_unreachable("a reduction");
}

static APInt integerIdentity(tile::Reduction kind, unsigned width) {
  switch (kind) {
  case tile::Reduction::Max:
    return APInt::getSignedMinValue(width);
  case tile::Reduction::Min:
    return APInt::getSignedMaxValue(width);
  case tile::Reduction::UMin:
    return APInt::getMaxValue(width);
  case tile::Reduction::And:
    return APInt(width, 1); // bools, stored in bytes
  default:
    return APInt(width, 0);
  }
}

Value identity(Emitter &emitter, tile::Reduction kind, Type type) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto real = dyn_cast<FloatType>(type);
  if (!real)
    return emitter.constant(builder.getIntegerAttr(type, integerIdentity(kind, type.getIntOrFloatBitWidth())));
  APFloat value = APFloat::getZero(real.getFloatSemantics());
  if (kind != tile::Reduction::Add)
    value = APFloat::getInf(real.getFloatSemantics(), /*Negative=*/kind == tile::Reduction::Max);
  return emitter.constant(builder.getFloatAttr(real, value));
}

// --------------------------------------------------------------------------------------------------------------------
// reduce
// --------------------------------------------------------------------------------------------------------------------

/// Kept axes outside, reduced ones inside, so that the loops can keep the sum in a register; but the contiguous axis is
/// innermost in any case, so that the loops can be vectorized along it.
static Axes reductionOrder(ArrayRef<StringAttr> kept, ArrayRef<StringAttr> reduced, StringAttr innermost) {
  Axes axes(kept.begin(), kept.end());
  axes.append(reduced.begin(), reduced.end());
  return withInnermost(axes, innermost);
}

static Type elementType(const Buffer &buffer) {
  return cast<MemRefType>(buffer.memref.getType()).getElementType();
}

static Value valueOfScalar(Emitter &emitter, const Buffer &buffer) {
  Point nowhere(emitter, [](StringAttr) { return Value(); });
  return loadElement(emitter, buffer, nowhere);
}

void emitReduce(Emitter &emitter, tile::ReduceOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto result = cast<OpResult>(op.getResult());
  bool isScalar = !tile::isTile(result.getType());
  Buffer buffer = isScalar ? emitter.allocate(storageOf(result), result.getType()) : emitter.resultBuffer(result);
  Type storage = elementType(buffer);
  NestOutput output{emitter.existing(buffer), buffer.axes};

  emitGeneric(emitter, buffer.axes, {}, {}, output,
              [&](Point &, ValueRange) -> SmallVector<Value> { return {identity(emitter, op.getKind(), storage)}; });

  StringAttr innermost = contiguousAxis(op.getOperand());
  if (!innermost)
    innermost = tile::axesOf(op.getOperand().getType()).back();
  Axes reduced = axesOfSpans(op.getSpans());
  emitGeneric(emitter, reductionOrder(buffer.axes, reduced, innermost), reduced, op.getOperand(), output,
              [&](Point &point, ValueRange old) -> SmallVector<Value> {
                Value element = toStorage(builder, builder.getLoc(), point.at(op.getOperand()), storage);
                return {combine(emitter, op.getKind(), old.front(), element)};
              });
  if (isScalar)
    emitter.setScalar(result, valueOfScalar(emitter, buffer));
}

// --------------------------------------------------------------------------------------------------------------------
// In order along one axis
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// Where results that are computed one element at a time go: scalars need no memory.
class Results {
public:
  Results(Emitter &emitter, ResultRange results) : emitter(emitter), results(results) {
    for (OpResult result : results)
      buffers.push_back(tile::isTile(result.getType()) ? emitter.resultBuffer(result) : Buffer());
  }

  void store(Point &point, ValueRange elements) {
    for (auto [result, buffer, element] : llvm::zip(results, buffers, elements)) {
      if (buffer.memref)
        storeElement(emitter, element, buffer, point);
      else
        emitter.setScalar(result, element);
    }
  }

private:
  Emitter &emitter;
  ResultRange results;
  SmallVector<Buffer> buffers;
};

using Step = llvm::function_ref<SmallVector<Value>(Point &, ValueRange)>;

/// The states after all elements along `axis`: `first` at element 0, then `next` for each.
SmallVector<Value> emitInOrder(Emitter &emitter, Point &point, StringAttr axis,
                               llvm::function_ref<SmallVector<Value>(Point &)> first, Step next) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Point start = point.moved(axis, emitter.constantIndex(0));
  SmallVector<Value> states = first(start); // a span is never empty
  Value one = emitter.constantIndex(1);
  auto loop = scf::ForOp::create(builder, one, emitter.asIndexValue(emitter.axis(axis).length), one, states);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Point here = point.moved(axis, loop.getInductionVar());
  scf::YieldOp::create(builder, next(here, loop.getRegionIterArgs()));
  return llvm::to_vector(ValueRange(loop.getResults()));
}

/// The combiner's results for two states.
SmallVector<Value> inlined(Emitter &emitter, Block &combiner, ValueRange earlier, ValueRange later) {
  IRMapping mapping;
  mapping.map(combiner.getArguments().take_front(earlier.size()), earlier);
  mapping.map(combiner.getArguments().take_back(later.size()), later);
  auto replacement = [&](Value value) { return mapping.contains(value) ? mapping.lookup(value) : emitter.scalar(value); };
  for (Operation &op : combiner.without_terminator()) {
    for (Value operand : op.getOperands())
      mapping.map(operand, replacement(operand));
    emitter.builder.clone(op, mapping);
  }
  return llvm::map_to_vector(combiner.getTerminator()->getOperands(), replacement);
}

Axes without(ArrayRef<StringAttr> axes, StringAttr axis) {
  Axes result;
  llvm::copy_if(axes, std::back_inserter(result), [&](StringAttr other) { return other != axis; });
  return result;
}

} // namespace

void emitFold(Emitter &emitter, tile::FoldOp op) {
  StringAttr axis = op.getSpan().getType().getAxis();
  Block &combiner = op.getCombiner().front();
  Results results(emitter, op->getResults());
  emitLoops(emitter, without(tile::axesOf(op.getStates().front().getType()), axis), [&](Point &point) {
    SmallVector<Value> last = emitInOrder(
        emitter, point, axis, [&](Point &start) { return start.at(op.getStates()); },
        [&](Point &here, ValueRange states) { return inlined(emitter, combiner, states, here.at(op.getStates())); });
    results.store(point, last);
  });
}

void emitScan(Emitter &emitter, tile::ScanOp op) {
  StringAttr axis = op.getSpan().getType().getAxis();
  Block &combiner = op.getCombiner().front();
  Results results(emitter, op->getResults());
  auto stored = [&](Point &point, SmallVector<Value> states) {
    results.store(point, states);
    return states;
  };
  emitLoops(emitter, without(tile::axesOf(op.getStates().front().getType()), axis), [&](Point &point) {
    emitInOrder(
        emitter, point, axis, [&](Point &start) { return stored(start, start.at(op.getStates())); },
        [&](Point &here, ValueRange states) {
          return stored(here, inlined(emitter, combiner, states, here.at(op.getStates())));
        });
  });
}

// --------------------------------------------------------------------------------------------------------------------
// arg_reduce
// --------------------------------------------------------------------------------------------------------------------

/// Whether `element` comes before `best`: it is better, or the first NaN.
static Value isBetter(Emitter &emitter, tile::Reduction kind, Value element, Value best) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  if (!isa<FloatType>(element.getType())) {
    auto predicate = kind == tile::Reduction::Max    ? arith::CmpIPredicate::sgt
                     : kind == tile::Reduction::Min  ? arith::CmpIPredicate::slt
                     : kind == tile::Reduction::UMax ? arith::CmpIPredicate::ugt
                                                     : arith::CmpIPredicate::ult;
    return arith::CmpIOp::create(builder, predicate, element, best);
  }
  auto predicate = kind == tile::Reduction::Max ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  Value better = arith::CmpFOp::create(builder, predicate, element, best);
  Value isNaN = arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, element, element);
  Value bestIsNumber = arith::CmpFOp::create(builder, arith::CmpFPredicate::ORD, best, best);
  return arith::OrIOp::create(builder, better, arith::AndIOp::create(builder, isNaN, bestIsNumber));
}

/// Narrow floats are compared as f32.
static Value comparable(Emitter &emitter, Value element) {
  Type type = element.getType();
  if (!isa<FloatType>(type) || type.getIntOrFloatBitWidth() >= 32)
    return element;
  return tile::CastOp::create(emitter.builder, emitter.builder.getF32Type(), element);
}

void emitArgReduce(Emitter &emitter, tile::ArgReduceOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  StringAttr axis = op.getSpan().getType().getAxis();
  Results results(emitter, op->getResults());
  emitLoops(emitter, without(tile::axesOf(op.getOperand().getType()), axis), [&](Point &point) {
    SmallVector<Value> last = emitInOrder(
        emitter, point, axis,
        [&](Point &start) -> SmallVector<Value> { return {comparable(emitter, start.at(op.getOperand())), start.index(axis)}; },
        [&](Point &here, ValueRange best) -> SmallVector<Value> {
          Value element = comparable(emitter, here.at(op.getOperand()));
          Value better = isBetter(emitter, op.getKind(), element, best[0]);
          return {arith::SelectOp::create(builder, better, element, best[0]),
                  arith::SelectOp::create(builder, better, here.index(axis), best[1])};
        });
    results.store(point, last[1]);
  });
}

} // namespace tilewright::cpu
