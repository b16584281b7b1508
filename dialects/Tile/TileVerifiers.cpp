// What the operations without regions demand of their operands, and their memory effects. Each demand has the label of
// TileOps.td.
//
// Most demands are about axes: which ones, in which order, with which capacities. A type and a list of spans are both brought
// to a list of axes with extents, and four functions compare such lists.
#include "dialects/Tile/Tile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilewright::tile {

namespace {

// --------------------------------------------------------------------------------------------------------------------
// Lists of axes
// --------------------------------------------------------------------------------------------------------------------

struct Axis {
  StringAttr name;
  int64_t extent;
  friend bool operator==(const Axis &, const Axis &) = default;
};

/// Axes and what has them, for messages: `the result`, `its spans`.
struct Axes {
  std::string owner;
  SmallVector<Axis> list;
};

Axes axes(std::string owner, Type type) {
  Axes result{std::move(owner), {}};
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    for (auto [name, extent] : llvm::zip(axesOf(type), tensor.getShape()))
      result.list.push_back({name, extent});
  return result;
}

Axes axes(std::string owner, ValueRange spans) {
  Axes result{std::move(owner), {}};
  for (Value span : spans) {
    auto type = cast<SpanType>(span.getType());
    result.list.push_back({type.getAxis(), type.getCapacity()});
  }
  return result;
}

const Axis *find(const Axes &axes, StringAttr name) {
  auto found = llvm::find_if(axes.list, [&](const Axis &axis) { return axis.name == name; });
  return found == axes.list.end() ? nullptr : found;
}

std::string toString(const Axes &axes) {
  std::string text;
  for (const Axis &axis : axes.list)
    text += llvm::formatv("{0}{1}:{2}", text.empty() ? "" : ", ", axis.name.getValue(), axis.extent);
  return "[" + text + "]";
}

Diagnostic &operator<<(Diagnostic &error, const Axes &axes) {
  return error << axes.owner << " " << toString(axes);
}

/// Each axis of `part` is one of `whole`, with its extent.
LogicalResult verifyAmong(Operation *op, const Axes &part, const Axes &whole) {
  for (const Axis &axis : part.list) {
    const Axis *same = find(whole, axis.name);
    if (!same)
      return op->emitOpError() << "expects the axes of " << part << " to be among those of " << whole << ", but " << axis.name
                               << " is not";
    if (same->extent != axis.extent)
      return op->emitOpError() << "expects axis " << axis.name << " to have one extent in " << part << " and " << whole;
  }
  return success();
}

/// No axis occurs twice (in spans; a type says so itself).
LogicalResult verifyDistinct(Operation *op, const Axes &spans) {
  for (auto [position, axis] : llvm::enumerate(spans.list))
    if (find(spans, axis.name) != &axis)
      return op->emitOpError() << "expects the axes of " << spans << " to be distinct, but " << axis.name << " occurs twice";
  return success();
}

/// The same axes in the same order.
LogicalResult verifyEqual(Operation *op, const Axes &found, const Axes &expected) {
  if (found.list == expected.list)
    return success();
  return op->emitOpError() << "expects " << found << " to have the axes of " << expected << ", in their order";
}

/// The spans are distinct, have all axes of the parts, and no others.
LogicalResult verifyUnion(Operation *op, ArrayRef<Axes> parts, const Axes &spans) {
  if (failed(verifyDistinct(op, spans)))
    return failure();
  for (const Axes &part : parts)
    if (failed(verifyAmong(op, part, spans)))
      return failure();
  for (const Axis &axis : spans.list)
    if (llvm::none_of(parts, [&](const Axes &part) { return find(part, axis.name); }))
      return op->emitOpError() << "has a span over axis " << axis.name << ", which is in none of its values";
  return success();
}

LogicalResult verifyElement(Operation *op, StringRef what, Type type, Type expected) {
  Type found = getElementTypeOrSelf(type);
  if (found == expected)
    return success();
  return op->emitOpError() << "expects " << what << " to have elements of type " << expected << ", not " << found;
}

} // namespace

// --------------------------------------------------------------------------------------------------------------------
// Spans
// --------------------------------------------------------------------------------------------------------------------

LogicalResult IndexOp::verify() {
  // index_c1
  return failure(
      failed(verifyEqual(*this, axes("its result", getResult().getType()), axes("its span", ValueRange(getSpan())))) ||
      failed(verifyElement(*this, "its result", getResult().getType(), IntegerType::get(getContext(), 64))));
}

// --------------------------------------------------------------------------------------------------------------------
// Memory
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// What loads and writes have in common: the constraints c1, c2 and c3 of each.
template <typename AccessOp> LogicalResult verifyAccess(AccessOp op) {
  int64_t rank = op.getView().getType().getRank();
  // load_c1 store_c1 accumulate_c1 atomic_rmw_c1
  if (static_cast<int64_t>(op.getIndices().size()) != rank)
    return op.emitOpError() << "expects as many indices as its view has dimensions, " << rank << ", not "
                            << op.getIndices().size();
  // load_c2 store_c2 accumulate_c2 atomic_rmw_c2
  if (static_cast<int64_t>(op.getCompare().size()) != rank)
    return op.emitOpError() << "expects as many entries of compare as its view has dimensions, " << rank << ", not "
                            << op.getCompare().size();
  // load_c3 store_c3 accumulate_c3 atomic_rmw_c3
  SmallVector<Axes> indices;
  for (auto [position, type] : llvm::enumerate(op.getIndices().getTypes()))
    indices.push_back(axes(llvm::formatv("index {0}", position), type));
  return verifyUnion(op, indices, axes("its spans", op.getSpans()));
}

/// A view's elements in a tile: i1 stands for bool, which memory holds as i8.
LogicalResult verifyElementOfView(Operation *op, StringRef what, Type type, ViewType view) {
  if (view.getElement().isInteger(8) && getElementTypeOrSelf(type).isInteger(1))
    return success();
  return verifyElement(op, what, type, view.getElement());
}

/// The type sums of elements are formed in.
Type accumulatorType(Type element) {
  if (element.isF64() || element.isInteger(64))
    return element;
  return isa<FloatType>(element) ? Type(Float32Type::get(element.getContext())) : IntegerType::get(element.getContext(), 32);
}

template <typename WriteOp> LogicalResult verifyWrite(WriteOp op) {
  if (failed(verifyAccess(op)))
    return failure();
  // store_c4 accumulate_c4 atomic_rmw_c4
  if (failed(verifyAmong(op, axes("its value", op.getValue().getType()), axes("its spans", op.getSpans()))))
    return failure();
  // store_c6 accumulate_c6 atomic_rmw_c6
  if (!op.getView().getType().isWritten())
    return op.emitOpError("writes to a view that is neither out nor inout");
  return success();
}

LogicalResult verifySumKind(Operation *op, Reduction kind) {
  // accumulate_c7 atomic_rmw_c7
  if (llvm::is_contained({Reduction::Add, Reduction::Max, Reduction::Min}, kind))
    return success();
  return op->emitOpError() << "combines by add, max or min, not " << stringifyReduction(kind);
}

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

void readsAndWrites(OpOperand &view, Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &view);
  effects.emplace_back(MemoryEffects::Write::get(), &view);
}

/// Where reports go. It is no memory that a view can see, so loads and stores may move over a report, but reports keep their
/// order.
struct Report : SideEffects::Resource::Base<Report> {
  StringRef getName() final { return "Report"; }
};

} // namespace

LogicalResult LoadOp::verify() {
  if (failed(verifyAccess(*this)))
    return failure();
  Axes result = axes("its result", getResult().getType());
  // load_c4
  if (failed(verifyEqual(*this, result, axes("its spans", getSpans()))))
    return failure();
  // load_c5
  if (failed(verifyElementOfView(*this, "its result", getResult().getType(), getView().getType())))
    return failure();
  if (getOtherwise()) {
    // load_c6
    Type otherwise = getOtherwise().getType();
    return failure(failed(verifyElement(*this, "the else value", otherwise, getElementTypeOrSelf(getResult().getType()))) ||
                   failed(verifyAmong(*this, axes("the else value", otherwise), result)));
  }
  // load_c7
  if (llvm::is_contained(getCompare(), true))
    return emitOpError("compares an index with its extent, but has no else value");
  return success();
}

void LoadOp::getEffects(Effects &effects) {
  if (getView().getType().isWritten())
    effects.emplace_back(MemoryEffects::Read::get(), &getViewMutable());
}

LogicalResult StoreOp::verify() {
  // store_c5
  if (failed(verifyWrite(*this)) || failed(verifyElementOfView(*this, "its value", getValue().getType(), getView().getType())))
    return failure();
  // store_c7
  if (getMessage() && !getPromisedUnique())
    return emitOpError() << "has a message, which needs promised_unique";
  return success();
}

void StoreOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getViewMutable());
}

LogicalResult AccumulateOp::verify() {
  Type element = getView().getType().getElement();
  // accumulate_c5
  if (failed(verifyWrite(*this)) || failed(verifyElement(*this, "its value", getValue().getType(), accumulatorType(element))) ||
      failed(verifySumKind(*this, getKind())))
    return failure();
  // accumulate_c8
  if (getIsUnsigned() && !element.isInteger(8))
    return emitOpError() << "is unsigned, which needs a view of i8, not " << element;
  return success();
}

void AccumulateOp::getEffects(Effects &effects) {
  readsAndWrites(getViewMutable(), effects);
}

LogicalResult AtomicRMWOp::verify() {
  Type element = getView().getType().getElement();
  if (failed(verifyWrite(*this)) || failed(verifySumKind(*this, getKind())))
    return failure();
  // atomic_rmw_c5
  if (element != accumulatorType(element))
    return emitOpError() << "needs a view of f32, f64, i32 or i64, not " << element;
  if (failed(verifyElement(*this, "its value", getValue().getType(), element)))
    return failure();
  // atomic_rmw_c8
  if (!getOld())
    return success();
  return failure(failed(verifyElement(*this, "its result", getOld().getType(), element)) ||
                 failed(verifyEqual(*this, axes("its result", getOld().getType()), axes("its spans", getSpans()))));
}

void AtomicRMWOp::getEffects(Effects &effects) {
  readsAndWrites(getViewMutable(), effects);
}

// --------------------------------------------------------------------------------------------------------------------
// Elementwise
// --------------------------------------------------------------------------------------------------------------------

LogicalResult BroadcastOp::verify() {
  Type operand = getOperand().getType(), result = getResult().getType();
  // broadcast_c1 broadcast_c2
  return failure(failed(verifyElement(*this, "its result", result, getElementTypeOrSelf(operand))) ||
                 failed(verifyAmong(*this, axes("its operand", operand), axes("its result", result))));
}

namespace {

/// The same axes in the same order, or two vectors of one shape.
LogicalResult verifySameShape(Operation *op, Type result, Type operand) {
  auto resultVector = dyn_cast<VectorType>(result), operandVector = dyn_cast<VectorType>(operand);
  if (!resultVector && !operandVector)
    return verifyEqual(op, axes("its result", result), axes("its operand", operand));
  if (resultVector && operandVector && resultVector == operandVector.clone(resultVector.getElementType()))
    return success();
  return op->emitOpError() << "expects its operand " << operand << " to have the shape of its result " << result;
}

} // namespace

LogicalResult CastOp::verify() {
  Type operand = getOperand().getType(), result = getResult().getType();
  // cast_c1
  if (failed(verifySameShape(*this, result, operand)))
    return failure();
  // cast_c2
  auto verifyUnsigned = [&](bool isUnsigned, Type type) -> LogicalResult {
    if (!isUnsigned || getElementTypeOrSelf(type).isInteger(8))
      return success();
    return emitOpError() << "expects an unsigned side to have elements of type i8, not " << getElementTypeOrSelf(type);
  };
  return failure(failed(verifyUnsigned(getSourceUnsigned(), operand)) || failed(verifyUnsigned(getResultUnsigned(), result)));
}

namespace {

LogicalResult verifyDivision(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  // floor_div_c1 floor_mod_c1
  if (element.isInteger(32) || element.isInteger(64))
    return success();
  return op->emitOpError() << "needs i32 or i64, not " << element;
}

} // namespace

LogicalResult FloorDivOp::verify() {
  return verifyDivision(*this);
}
LogicalResult FloorModOp::verify() {
  return verifyDivision(*this);
}

LogicalResult RandomBitsOp::verify() {
  // random_bits_c1
  return failure(failed(verifyElement(*this, "its result", getBits().getType(), IntegerType::get(getContext(), 32))) ||
                 failed(verifySameShape(*this, getBits().getType(), getN().getType())));
}

LogicalResult CallExternalOp::verify() {
  // call_external_c1
  if (getResults().empty())
    return emitOpError("expects at least one result");
  Axes first = axes("its first result", getResults().front().getType());
  for (auto [position, type] : llvm::enumerate(getArguments().getTypes()))
    if (failed(verifyEqual(*this, axes(llvm::formatv("argument {0}", position), type), first)))
      return failure();
  for (auto [position, type] : llvm::enumerate(getResults().getTypes()))
    if (failed(verifyEqual(*this, axes(llvm::formatv("result {0}", position), type), first)))
      return failure();
  // call_external_c2
  if (failed(verifyEqual(*this, axes("its spans", getSpans()), first)))
    return failure();
  // call_external_c3
  StringRef callee = getCallee();
  bool isIdentifier = !callee.empty() && !llvm::isDigit(callee.front()) &&
                      llvm::all_of(callee, [](char character) { return llvm::isAlnum(character) || character == '_'; });
  return isIdentifier ? success() : emitOpError() << "calls \"" << callee << "\", which is no identifier";
}

// --------------------------------------------------------------------------------------------------------------------
// Along an axis
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// There is a span, and the spans are distinct axes of the operand.
LogicalResult verifyOver(Operation *op, const Axes &spans, const Axes &operand) {
  if (spans.list.empty())
    return op->emitOpError("expects at least one span");
  return failure(failed(verifyDistinct(op, spans)) || failed(verifyAmong(op, spans, operand)));
}

Axes without(Axes axes, const Axes &removed) {
  llvm::erase_if(axes.list, [&](const Axis &axis) { return find(removed, axis.name); });
  return axes;
}

bool servesElement(Reduction kind, Type element) {
  switch (kind) {
  case Reduction::Add:
  case Reduction::Max:
  case Reduction::Min:
    return !element.isInteger(1);
  case Reduction::UMax:
  case Reduction::UMin:
    return element.isInteger(8);
  case Reduction::And:
  case Reduction::Or:
    return element.isInteger(1);
  }
  return false;
}

LogicalResult verifyKind(Operation *op, Reduction kind, Type operand) {
  // reduce_c3 arg_reduce_c3
  Type element = getElementTypeOrSelf(operand);
  if (servesElement(kind, element))
    return success();
  return op->emitOpError() << "cannot combine elements of type " << element << " by " << stringifyReduction(kind);
}

} // namespace

LogicalResult ReduceOp::verify() {
  Axes operand = axes("its operand", getOperand().getType());
  Axes spans = axes("its spans", getSpans());
  // reduce_c1
  if (failed(verifyOver(*this, spans, operand)))
    return failure();
  // reduce_c2
  if (failed(verifyEqual(*this, axes("its result", getResult().getType()), without(operand, spans))) ||
      failed(verifyElement(*this, "its result", getResult().getType(), getElementTypeOrSelf(getOperand()))))
    return failure();
  return verifyKind(*this, getKind(), getOperand().getType());
}

LogicalResult ArgReduceOp::verify() {
  Axes operand = axes("its operand", getOperand().getType());
  Axes span = axes("its span", ValueRange(getSpan()));
  // arg_reduce_c1
  if (failed(verifyOver(*this, span, operand)))
    return failure();
  // arg_reduce_c2
  if (failed(verifyEqual(*this, axes("its result", getResult().getType()), without(operand, span))) ||
      failed(verifyElement(*this, "its result", getResult().getType(), IntegerType::get(getContext(), 64))))
    return failure();
  // arg_reduce_c3
  if (!llvm::is_contained({Reduction::Max, Reduction::Min, Reduction::UMax, Reduction::UMin}, getKind()))
    return emitOpError() << "finds a max, min, umax or umin, not " << stringifyReduction(getKind());
  return verifyKind(*this, getKind(), getOperand().getType());
}

namespace {

LogicalResult verifyDotAxes(DotOp op) {
  Axes lhs = axes("its left operand", op.getLhs().getType());
  Axes rhs = axes("its right operand", op.getRhs().getType());
  Axes result = axes("its result", op.getResult().getType());
  Axes spans = axes("its spans", op.getSpans());
  // dot_c1
  if (failed(verifyOver(op, spans, lhs)) || failed(verifyOver(op, spans, rhs)))
    return failure();
  // dot_c3
  for (const Axis &axis : lhs.list)
    if (const Axis *same = find(rhs, axis.name); same && same->extent != axis.extent)
      return op.emitOpError() << "expects axis " << axis.name << " to have one extent in " << lhs << " and " << rhs;
  // dot_c2
  for (const Axis &axis : spans.list)
    if (find(result, axis.name))
      return op.emitOpError() << "sums over axis " << axis.name << ", but " << result << " has it";
  return verifyUnion(op, {without(lhs, spans), without(rhs, spans)}, result);
}

LogicalResult verifyDotElements(DotOp op) {
  Type lhs = getElementTypeOrSelf(op.getLhs()), rhs = getElementTypeOrSelf(op.getRhs());
  Type sum = getElementTypeOrSelf(op.getResult());
  // dot_c4
  bool isFloat = isa<FloatType>(lhs);
  bool isSum = sum == accumulatorType(sum) && isa<FloatType>(sum) == isFloat;
  bool isWide = sum.getIntOrFloatBitWidth() >= std::max(lhs.getIntOrFloatBitWidth(), rhs.getIntOrFloatBitWidth());
  if (isa<FloatType>(rhs) != isFloat || lhs.isInteger(1) || rhs.isInteger(1) || !isSum || !isWide)
    return op.emitOpError() << "cannot sum products of " << lhs << " and " << rhs << " in " << sum;
  // dot_c5
  if ((op.getLhsUnsigned() && !lhs.isInteger(8)) || (op.getRhsUnsigned() && !rhs.isInteger(8)))
    return op.emitOpError() << "expects an unsigned operand to have elements of type i8, not "
                            << (op.getLhsUnsigned() && !lhs.isInteger(8) ? lhs : rhs);
  // dot_c6
  DotPrecision precision = op.getPrecision();
  bool isTF32 = precision == DotPrecision::TF32 || precision == DotPrecision::TF32x3;
  bool allowsTF32 = (lhs.isF32() || rhs.isF32()) && !lhs.isF64() && !rhs.isF64();
  if ((precision != DotPrecision::Default && !isFloat) || (isTF32 && !allowsTF32))
    return op.emitOpError() << "cannot multiply " << lhs << " and " << rhs << " with precision "
                            << stringifyDotPrecision(precision);
  return success();
}

} // namespace

LogicalResult DotOp::verify() {
  return failure(failed(verifyDotAxes(*this)) || failed(verifyDotElements(*this)));
}

// --------------------------------------------------------------------------------------------------------------------
// Debugging
// --------------------------------------------------------------------------------------------------------------------

namespace {

SmallVector<Axes> axesOfEach(ValueRange values) {
  SmallVector<Axes> result;
  for (auto [position, type] : llvm::enumerate(values.getTypes()))
    result.push_back(axes(llvm::formatv("value {0}", position), type));
  return result;
}

} // namespace

LogicalResult PrintOp::verify() {
  // print_c1
  if (failed(verifyUnion(*this, axesOfEach(getValues()), axes("its spans", getSpans()))))
    return failure();
  // print_c2
  if (getUnsignedValues().size() != getValues().size())
    return emitOpError() << "expects as many entries of unsigned as values, " << getValues().size() << ", not "
                         << getUnsignedValues().size();
  for (auto [isUnsigned, type] : llvm::zip(getUnsignedValues(), getValues().getTypes()))
    if (isUnsigned && !getElementTypeOrSelf(type).isInteger(8))
      return emitOpError() << "expects an unsigned value to have elements of type i8, not " << getElementTypeOrSelf(type);
  return success();
}

void PrintOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), Report::get());
}

LogicalResult AssertOp::verify() {
  SmallVector<Axes> all = axesOfEach(getValues());
  all.push_back(axes("its condition", getCondition().getType()));
  // assert_c1 assert_c2
  return failure(failed(verifyElement(*this, "its condition", getCondition().getType(), IntegerType::get(getContext(), 1))) ||
                 failed(verifyUnion(*this, all, axes("its spans", getSpans()))));
}

void AssertOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), Report::get());
}

} // namespace tilewright::tile
