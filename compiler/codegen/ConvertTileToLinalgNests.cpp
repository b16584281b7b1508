// Expressions, and the nests that evaluate them.
//
// An expression is evaluated at a point: position along each axis. Its value there is scalar code, in which leaves are elements
// of buffers and views. Where the leaves are strided memory they are operands of a linalg.generic; all other reads (gathers,
// `else`) are memref.load in its body.
//
// `a * b + c` becomes one fused operation here, by a rule that looks only at the expression. It must not be left to the back
// end: an expression without a buffer is evaluated in several nests, and `s == max(s, over k)` needs the same s in both.

#include "compiler/codegen/ConvertTileToLinalgNests.h"

#include "compiler/analysis/LinearForm.h"
#include "compiler/codegen/ConvertTileToLinalgAddresses.h"
#include "compiler/codegen/ConvertTileToLinalgPlan.h"
#include "compiler/codegen/ConvertTileToLinalgStreams.h"
#include "compiler/codegen/ConvertTileToLinalgSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::cpu {

Axes axesOfSpans(ValueRange spans) {
  return llvm::map_to_vector(spans, [](Value span) { return cast<tile::SpanType>(span.getType()).getAxis(); });
}

Axes withInnermost(ArrayRef<StringAttr> axes, StringAttr innermost) {
  Axes result;
  llvm::copy_if(axes, std::back_inserter(result), [&](StringAttr axis) { return axis != innermost; });
  if (result.size() < axes.size())
    result.push_back(innermost);
  return result;
}

// --------------------------------------------------------------------------------------------------------------------
// Values at a point
// --------------------------------------------------------------------------------------------------------------------

Value Point::position(StringAttr axis) {
  Value &position = lanes[axis];
  if (!position)
    position = lane(axis);
  return position;
}

Point Point::moved(StringAttr axis, Value position) {
  Point result(emitter, lane);
  result.lanes = lanes;
  result.lanes[axis] = position;
  return result;
}

Value Point::index(StringAttr axis) {
  return emitter.add(emitter.axis(axis).start, emitter.fromIndex(position(axis)));
}

Value Point::at(Value tile) {
  if (!tile::isTile(tile.getType()))
    return emitter.scalar(tile);
  if (Value element = known.lookup(tile))
    return element;
  Value element = hasBuffer(tile) ? read(emitter.buffer(tile)) : compute(tile.getDefiningOp());
  known[tile] = element;
  return element;
}

SmallVector<Value> Point::at(ValueRange tiles) {
  return llvm::map_to_vector(tiles, [&](Value tile) { return at(tile); });
}

Value Point::read(const Buffer &buffer) {
  return loadElement(emitter, buffer, *this);
}

Value Point::compute(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return emitter.constant(cast<SplatElementsAttr>(constant.getValue()).getSplatValue<TypedAttr>());
  if (auto indices = dyn_cast<tile::IndexOp>(op))
    return index(indices.getSpan().getType().getAxis());
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
    return at(broadcast.getOperand());
  if (auto access = dyn_cast<tile::LoadOp>(op))
    return load(access);
  Value once = emitter.settings.fuseMultiplyAdd ? fused(op) : Value();
  return once ? once : elementwise(op);
}

Value Point::elementwise(Operation *op) {
  IRMapping operands;
  for (Value operand : op->getOperands())
    operands.map(operand, at(operand));
  Operation *scalar = emitter.builder.clone(*op, operands);
  scalar->removeAttr(materializeName);
  scalar->removeAttr(intoName);
  if (emitter.settings.reference && isa<arith::ArithFastMathInterface>(scalar))
    scalar->setAttr("fastmath", arith::FastMathFlagsAttr::get(scalar->getContext(), arith::FastMathFlags::none));
  scalar->getResult(0).setType(getElementTypeOrSelf(op->getResult(0).getType()));
  return scalar->getResult(0);
}

Value Point::fused(Operation *op) {
  if (!isa<arith::AddFOp, arith::SubFOp>(op))
    return {};
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto product = [](Value value) { return hasBuffer(value) ? arith::MulFOp() : value.getDefiningOp<arith::MulFOp>(); };
  auto negated = [&](Value value) -> Value { return arith::NegFOp::create(builder, value); };
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  bool isSubtraction = isa<arith::SubFOp>(op);
  if (auto factors = product(lhs)) {
    Value a = at(factors.getLhs()), b = at(factors.getRhs()), c = at(rhs);
    return math::FmaOp::create(builder, a, b, isSubtraction ? negated(c) : c);
  }
  if (auto factors = product(rhs)) {
    Value a = at(factors.getLhs()), b = at(factors.getRhs()), c = at(lhs);
    return math::FmaOp::create(builder, isSubtraction ? negated(a) : a, b, c);
  }
  return {};
}

Value Point::load(tile::LoadOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  const View &view = emitter.view(op.getView());
  Type element = getElementTypeOrSelf(op.getType());
  SmallVector<Value> indices = at(op.getIndices());
  auto read = [&] {
    Value stored = memref::LoadOp::create(builder, view.flat, flatPosition(emitter, view, indices));
    return fromStorage(builder, builder.getLoc(), stored, element);
  };
  Value inside = isInside(emitter, view, indices, op.getCompare());
  if (!inside)
    return read();
  Value otherwise = at(op.getOtherwise());
  auto branch = scf::IfOp::create(builder, TypeRange(element), inside, /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, read());
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, otherwise);
  return branch.getResult(0);
}

static SmallVector<Value> positions(const Buffer &buffer, Point &point) {
  return llvm::map_to_vector(buffer.axes, [&](StringAttr axis) { return point.position(axis); });
}

Value loadElement(Emitter &emitter, const Buffer &buffer, Point &point) {
  Value stored = memref::LoadOp::create(emitter.builder, buffer.memref, positions(buffer, point));
  return fromStorage(emitter.builder, emitter.builder.getLoc(), stored, buffer.element);
}

void storeElement(Emitter &emitter, Value element, const Buffer &buffer, Point &point) {
  Type storage = cast<MemRefType>(buffer.memref.getType()).getElementType();
  Value stored = toStorage(emitter.builder, emitter.builder.getLoc(), element, storage);
  memref::StoreOp::create(emitter.builder, stored, buffer.memref, positions(buffer, point));
}

// --------------------------------------------------------------------------------------------------------------------
// Leaves
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// Calls `visit` for the buffers and loads that an expression reads, each once.
void forEachLeaf(Value value, llvm::SmallPtrSetImpl<void *> &seen, llvm::function_ref<void(Value)> visit) {
  if (!tile::isTile(value.getType()) || !seen.insert(value.getAsOpaquePointer()).second)
    return;
  bool isLoad = isa_and_nonnull<tile::LoadOp>(value.getDefiningOp());
  if (hasBuffer(value) || isLoad)
    visit(value);
  if (hasBuffer(value))
    return;
  for (Value operand : value.getDefiningOp()->getOperands())
    forEachLeaf(operand, seen, visit);
}

bool isMemory(Value leaf) {
  auto load = leaf.getDefiningOp<tile::LoadOp>();
  return hasBuffer(leaf) || (load && isPlain(load));
}

/// The memref with the elements of a leaf that exist.
Value memoryOf(Emitter &emitter, Value leaf) {
  if (hasBuffer(leaf))
    return emitter.existing(emitter.buffer(leaf));
  auto load = leaf.getDefiningOp<tile::LoadOp>();
  return plainMemory(emitter, emitter.view(load.getView()), load.getIndices(), tile::axesOf(load.getType()));
}

} // namespace

StringAttr contiguousAxis(ValueRange expressions) {
  llvm::MapVector<StringAttr, size_t> votes;
  llvm::SmallPtrSet<void *, 16> seen;
  for (Value expression : expressions)
    forEachLeaf(expression, seen, [&](Value leaf) {
      ArrayRef<StringAttr> axes = tile::axesOf(leaf.getType());
      auto load = leaf.getDefiningOp<tile::LoadOp>();
      StringAttr axis = axes.back();
      if (load && !hasBuffer(leaf))
        axis = unitStrideAxis(unitDimension(load.getView().getType()), load.getIndices());
      if (axis)
        votes[axis] += axes.size();
    });
  auto best = llvm::max_element(votes, [](const auto &a, const auto &b) { return a.second < b.second; });
  return best == votes.end() ? StringAttr() : best->first;
}

// --------------------------------------------------------------------------------------------------------------------
// Nests
// --------------------------------------------------------------------------------------------------------------------

namespace {

AffineMap mapOf(ArrayRef<StringAttr> operandAxes, ArrayRef<StringAttr> axes, MLIRContext *context) {
  auto dimensions = llvm::map_to_vector(operandAxes, [&](StringAttr axis) {
    return getAffineDimExpr(static_cast<unsigned>(llvm::find(axes, axis) - axes.begin()), context);
  });
  return AffineMap::get(static_cast<unsigned>(axes.size()), 0, dimensions, context);
}

/// An input that nothing reads: it gives the nest the extents of axes that no other operand has.
Value shapeOnly(Emitter &emitter, Value memory, ArrayRef<StringAttr> axes) {
  SmallVector<OpFoldResult> sizes, strides(axes.size(), emitter.builder.getIndexAttr(1));
  for (StringAttr axis : axes)
    sizes.push_back(emitter.axis(axis).length);
  return memref::ReinterpretCastOp::create(emitter.builder, memory, emitter.builder.getIndexAttr(0), sizes, strides);
}

} // namespace

namespace {

/// The operands of a linalg.generic while they are collected.
class NestOperands {
public:
  NestOperands(Emitter &emitter, ArrayRef<StringAttr> axes) : emitter(emitter), axes(axes) {}

  SmallVector<Value> leaves; ///< the first inputs are theirs
  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> maps;

  void add(SmallVector<Value> &operands, Value operand, ArrayRef<StringAttr> operandAxes) {
    operands.push_back(operand);
    maps.push_back(mapOf(operandAxes, axes, emitter.builder.getContext()));
    covered.insert(operandAxes.begin(), operandAxes.end());
  }

  void addLeaves(ValueRange expressions) {
    llvm::SmallPtrSet<void *, 16> seen;
    for (Value expression : expressions)
      forEachLeaf(expression, seen, [&](Value leaf) {
        if (!isMemory(leaf))
          return;
        leaves.push_back(leaf);
        add(inputs, memoryOf(emitter, leaf), tile::axesOf(leaf.getType()));
      });
  }

  /// Inputs that give the nest the extents of axes that no other operand has.
  void addShape(ArrayRef<NestOutput> outputs) {
    for (const NestOutput &output : outputs)
      covered.insert(output.axes.begin(), output.axes.end());
    Axes uncovered;
    llvm::copy_if(axes, std::back_inserter(uncovered), [&](StringAttr axis) { return !covered.contains(axis); });
    if (!uncovered.empty())
      add(inputs, shapeOnly(emitter, outputs.front().memory, uncovered), uncovered);
  }

  /// Returns the attributes that say which inputs are hints.
  SmallVector<NamedAttribute> addHints(const NestHints &hints) {
    SmallVector<NamedAttribute> attributes;
    Builder &builder = emitter.builder;
    SmallVector<int64_t> later;
    for (const NestOutput &memory : hints.later) {
      later.push_back(static_cast<int64_t>(inputs.size()));
      add(inputs, memory.memory, memory.axes);
    }
    if (!later.empty())
      attributes.push_back(builder.getNamedAttr("tilewright.later", builder.getDenseI64ArrayAttr(later)));
    if (hints.large) {
      attributes.push_back(
          builder.getNamedAttr("tilewright.large", builder.getI64IntegerAttr(static_cast<int64_t>(inputs.size()))));
      add(inputs, hints.large, {});
    }
    if (hints.isStreamed)
      attributes.push_back(builder.getNamedAttr("tilewright.streamed", builder.getUnitAttr()));
    return attributes;
  }

private:
  Emitter &emitter;
  ArrayRef<StringAttr> axes;
  llvm::SmallDenseSet<StringAttr> covered;
};

} // namespace

Operation *emitGeneric(Emitter &emitter, ArrayRef<StringAttr> axes, ArrayRef<StringAttr> reduced, ValueRange expressions,
                       ArrayRef<NestOutput> outputs, llvm::function_ref<SmallVector<Value>(Point &, ValueRange)> body,
                       const NestHints &hints) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  NestOperands operands(emitter, axes);
  operands.addLeaves(expressions);
  operands.addShape(outputs);
  SmallVector<NamedAttribute> attributes = operands.addHints(hints);
  for (const NestOutput &output : outputs)
    operands.add(operands.outputs, output.memory, output.axes);

  auto kinds = llvm::map_to_vector(axes, [&](StringAttr axis) {
    return llvm::is_contained(reduced, axis) ? utils::IteratorType::reduction : utils::IteratorType::parallel;
  });
  auto emitBody = [&](OpBuilder &nested, Location location, ValueRange arguments) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
    Point point(emitter, [&](StringAttr axis) -> Value {
      return linalg::IndexOp::create(builder, static_cast<int64_t>(llvm::find(axes, axis) - axes.begin()));
    });
    for (auto [leaf, stored] : llvm::zip(operands.leaves, arguments))
      point.set(leaf, fromStorage(builder, location, stored, getElementTypeOrSelf(leaf.getType())));
    linalg::YieldOp::create(builder, body(point, arguments.drop_front(operands.inputs.size())));
  };
  return linalg::GenericOp::create(builder, TypeRange(), operands.inputs, operands.outputs, operands.maps, kinds, emitBody,
                                   attributes);
}

void emitLoops(Emitter &emitter, ArrayRef<StringAttr> axes, llvm::function_ref<void(Point &)> body) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  OpBuilder::InsertionGuard guard(builder);
  llvm::DenseMap<StringAttr, Value> variables;
  Value zero = emitter.constantIndex(0), one = emitter.constantIndex(1);
  for (StringAttr axis : axes) {
    auto loop = scf::ForOp::create(builder, zero, emitter.asIndexValue(emitter.axis(axis).length), one);
    variables[axis] = loop.getInductionVar();
    builder.setInsertionPointToStart(loop.getBody());
  }
  Point point(emitter, [&](StringAttr axis) { return variables.lookup(axis); });
  body(point);
}

void emitCopy(Emitter &emitter, Value expression, const Buffer &destination, const NestHints &hints) {
  NestOutput output{emitter.existing(destination), destination.axes};
  Type storage = cast<MemRefType>(destination.memref.getType()).getElementType();
  auto body = [&](Point &point, ValueRange) -> SmallVector<Value> {
    return {toStorage(emitter.builder, emitter.builder.getLoc(), point.at(expression), storage)};
  };
  emitGeneric(emitter, destination.axes, {}, expression, output, body, hints);
}

// --------------------------------------------------------------------------------------------------------------------
// Operations
// --------------------------------------------------------------------------------------------------------------------

void emitMaterialization(Emitter &emitter, OpResult tile) {
  Operation *op = tile.getOwner();
  Buffer buffer = emitter.resultBuffer(tile);
  NestHints hints = hintsForMaterialization(emitter, op);
  // The operation is still an expression to itself.
  Attribute reason = op->removeAttr(materializeName);
  emitCopy(emitter, tile, buffer, hints);
  op->setAttr(materializeName, reason);
}

void emitScalarLoad(Emitter &emitter, tile::LoadOp op) {
  Point point(emitter, [](StringAttr) { return Value(); });
  emitter.setScalar(op.getResult(), point.load(op));
}

void emitStore(Emitter &emitter, tile::StoreOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  emitStoreCount(emitter, op); // first: the indices may depend on what is about to be overwritten
  const View &view = emitter.view(op.getView());
  StringAttr innermost = unitStrideAxis(view.unitStride, op.getIndices());
  Axes axes = withInnermost(axesOfSpans(op.getSpans()), innermost);
  auto element = [&](Point &point) { return toStorage(builder, builder.getLoc(), point.at(op.getValue()), view.element); };
  if (isPlain(op.getIndices(), op.getCompare(), view.split) && !axes.empty()) {
    NestOutput output{plainMemory(emitter, view, op.getIndices(), axes), axes};
    auto body = [&](Point &point, ValueRange) -> SmallVector<Value> { return {element(point)}; };
    emitGeneric(emitter, axes, {}, op.getValue(), output, body, hintsForStore(emitter, op, innermost));
    return;
  }
  emitLoops(emitter, axes, [&](Point &point) {
    SmallVector<Value> indices = point.at(op.getIndices());
    OpBuilder::InsertionGuard guard(builder);
    if (Value inside = isInside(emitter, view, indices, op.getCompare()))
      builder.setInsertionPointToStart(scf::IfOp::create(builder, inside, /*withElseRegion=*/false).thenBlock());
    memref::StoreOp::create(builder, element(point), view.flat, flatPosition(emitter, view, indices));
  });
}

} // namespace tilewright::cpu
