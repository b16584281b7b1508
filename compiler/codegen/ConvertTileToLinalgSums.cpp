// Sums over tiles. `db[j] += sum(g, over i)`, where many tiles have the same j, becomes
//
//   begin(chunk)    partial sums of the chunk <- 0
//   tiles(…, chunk) partial sums of the chunk += sum(g, over i)
//   finish          db[j] <- round(old + partial sums of chunk 0 + chunk 1 + …)
//
// so that the order of the additions depends on the number of chunks alone, and no two threads write one place. An element that
// belongs to one tile is changed in place, but not if it is narrow and changed several times: then each change would be
// rounded.
//
// In checked mode the author's promise that the places of `y[ids[n]] = t` differ is verified by such a sum too: of the number
// of times that each element of y was written. finish changes nothing then, but reports the elements with more than one.

#include "compiler/codegen/ConvertTileToLinalgSums.h"

#include "compiler/analysis/LinearForm.h"
#include "compiler/codegen/ConvertTileToLinalgAddresses.h"
#include "compiler/codegen/ConvertTileToLinalgNests.h"
#include "compiler/codegen/ConvertTileToLinalgReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::cpu {

// --------------------------------------------------------------------------------------------------------------------
// The memory of partial sums
// --------------------------------------------------------------------------------------------------------------------

static constexpr int64_t partialSumsSlot = 3;
static constexpr int64_t sumAlignment = 64;

namespace {

/// The partial sums in slot 3.
class PartialSums {
public:
  explicit PartialSums(Emitter &emitter) : emitter(emitter), total(emitter.constant(0)) {
    for (const Sum &sum : emitter.sums.partial) {
      offsets.push_back(total);
      total = emitter.add(total, bytes(sum));
    }
  }

  Value count(const Sum &sum) {
    Value count = emitter.constant(1);
    for (Value extent : emitter.view(sum.view).extents)
      count = emitter.mul(count, extent);
    return count;
  }

  /// A chunk's partial sums for the sum of that number: row-major, so that a pack is one dimension.
  View view(size_t number, Value chunk) {
    const Sum &sum = emitter.sums.partial[number];
    const View &output = emitter.view(sum.view);
    int64_t rank = sum.getViewType().getRank();
    View result{nullptr, {}, SmallVector<Value>(rank), rank - 1, -1, 1, sum.type};
    for (int64_t dimension = 0; dimension < rank; ++dimension)
      result.extents.push_back(extentOf(emitter, output, dimension));
    Value stride = emitter.constant(1);
    for (int64_t dimension = rank - 1; dimension >= 0; --dimension) {
      result.strides[dimension] = stride;
      stride = emitter.mul(stride, result.extents[dimension]);
    }
    Value start = emitter.add(emitter.loadSlot(partialSumsSlot), emitter.mul(chunk, total));
    result.flat = emitter.memoryAt(emitter.add(start, offsets[number]), sum.type);
    return result;
  }

private:
  Value bytes(const Sum &sum) {
    Value size = emitter.mul(count(sum), emitter.constant(sum.type.getIntOrFloatBitWidth() / 8));
    Value rounded = emitter.add(size, emitter.constant(sumAlignment - 1));
    return emitter.builder.createOrFold<arith::AndIOp>(rounded, emitter.constant(-sumAlignment));
  }

  Emitter &emitter;
  SmallVector<Value> offsets;
  Value total;
};

} // namespace

void bindPartialSums(Emitter &emitter, Value chunk) {
  if (emitter.sums.partial.empty())
    return;
  PartialSums sums(emitter);
  for (size_t number = 0; number < emitter.sums.partial.size(); ++number)
    emitter.partialSums[emitter.sums.partial[number].view] = sums.view(number, chunk);
}

// --------------------------------------------------------------------------------------------------------------------
// accumulate and atomic_rmw
// --------------------------------------------------------------------------------------------------------------------

static Value converted(Emitter &emitter, Value value, Type type, bool sourceUnsigned, bool resultUnsigned) {
  if (value.getType() == type)
    return value;
  return tile::CastOp::create(emitter.builder, type, value, sourceUnsigned, resultUnsigned);
}

void emitAccumulate(Emitter &emitter, tile::AccumulateOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  bool isPartial = emitter.sums.isPartial(op.getView());
  const View &view = isPartial ? emitter.partialSums[op.getView()] : emitter.view(op.getView());
  bool isUnsigned = op.getIsUnsigned();
  Axes axes = withInnermost(axesOfSpans(op.getSpans()), unitStrideAxis(view.unitStride, op.getIndices()));

  auto sum = [&](Point &point, Value old) {
    Value value = point.at(op.getValue());
    Value next = combine(emitter, op.getKind(), converted(emitter, old, value.getType(), isUnsigned, false), value);
    return converted(emitter, next, view.element, false, isUnsigned);
  };
  if (isPlain(op.getIndices(), op.getCompare(), view.split) && !axes.empty()) {
    NestOutput output{plainMemory(emitter, view, op.getIndices(), axes), axes};
    emitGeneric(emitter, axes, {}, op.getValue(), output,
                [&](Point &point, ValueRange old) -> SmallVector<Value> { return {sum(point, old.front())}; });
    return;
  }
  emitLoops(emitter, axes, [&](Point &point) {
    SmallVector<Value> indices = point.at(op.getIndices());
    OpBuilder::InsertionGuard guard(builder);
    if (Value inside = isInside(emitter, view, indices, op.getCompare()))
      builder.setInsertionPointToStart(scf::IfOp::create(builder, inside, /*withElseRegion=*/false).thenBlock());
    Value position = flatPosition(emitter, view, indices);
    Value old = memref::LoadOp::create(builder, view.flat, position);
    memref::StoreOp::create(builder, sum(point, old), view.flat, position);
  });
}

void emitStoreCount(Emitter &emitter, tile::StoreOp op) {
  if (!emitter.sums.isPartial(op.getView()))
    return;
  ImplicitLocOpBuilder &builder = emitter.builder;
  const View &counts = emitter.partialSums[op.getView()];
  emitLoops(emitter, axesOfSpans(op.getSpans()), [&](Point &point) {
    SmallVector<Value> indices = point.at(op.getIndices());
    OpBuilder::InsertionGuard guard(builder);
    if (Value inside = isInside(emitter, counts, indices, op.getCompare()))
      builder.setInsertionPointToStart(scf::IfOp::create(builder, inside, /*withElseRegion=*/false).thenBlock());
    Value position = flatPosition(emitter, counts, indices);
    Value before = memref::LoadOp::create(builder, counts.flat, position);
    Value one = emitter.constant(builder.getOneAttr(counts.element));
    memref::StoreOp::create(builder, arith::AddIOp::create(builder, before, one), counts.flat, position);
  });
}

static arith::AtomicRMWKind atomicKind(tile::Reduction kind, bool isFloat) {
  switch (kind) {
  case tile::Reduction::Add:
    return isFloat ? arith::AtomicRMWKind::addf : arith::AtomicRMWKind::addi;
  case tile::Reduction::Max:
    return isFloat ? arith::AtomicRMWKind::maximumf : arith::AtomicRMWKind::maxs;
  case tile::Reduction::Min:
    return isFloat ? arith::AtomicRMWKind::minimumf : arith::AtomicRMWKind::mins;
  case tile::Reduction::UMax:
    return arith::AtomicRMWKind::maxu;
  case tile::Reduction::UMin:
    return arith::AtomicRMWKind::minu;
  case tile::Reduction::And:
    return arith::AtomicRMWKind::andi;
  case tile::Reduction::Or:
    return arith::AtomicRMWKind::ori;
  }
  llvm_unreachable("a reduction");
}

/// Changes one element; gives the old one, or 0 if the place is outside.
static Value emitAtomic(Emitter &emitter, tile::AtomicRMWOp op, Point &point) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  const View &view = emitter.view(op.getView());
  SmallVector<Value> indices = point.at(op.getIndices());
  Value value = point.at(op.getValue());
  auto change = [&]() -> Value {
    auto kind = atomicKind(op.getKind(), isa<FloatType>(view.element));
    return memref::AtomicRMWOp::create(builder, view.element, kind, value, view.flat, flatPosition(emitter, view, indices));
  };
  Value inside = isInside(emitter, view, indices, op.getCompare());
  if (!inside)
    return change();
  auto branch = scf::IfOp::create(builder, TypeRange(view.element), inside, /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, change());
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, emitter.constant(builder.getZeroAttr(view.element)));
  return branch.getResult(0);
}

void emitAtomicRMW(Emitter &emitter, tile::AtomicRMWOp op) {
  bool wantsTile = op.getOld() && tile::isTile(op.getOld().getType());
  Buffer olds = wantsTile ? emitter.resultBuffer(cast<OpResult>(op.getOld())) : Buffer();
  emitLoops(emitter, axesOfSpans(op.getSpans()), [&](Point &point) {
    Value old = emitAtomic(emitter, op, point);
    if (wantsTile)
      storeElement(emitter, old, olds, point);
    else if (op.getOld())
      emitter.setScalar(op.getOld(), old);
  });
}

// --------------------------------------------------------------------------------------------------------------------
// begin
// --------------------------------------------------------------------------------------------------------------------

/// What a sum starts from, in the accumulator's type. Of integers the limits are those of the view's dtype.
static Value startOf(Emitter &emitter, const Sum &sum) {
  Type element = sum.getViewType().getElement();
  if (isa<FloatType>(element) || sum.kind == tile::Reduction::Add)
    return identity(emitter, sum.kind, sum.type);
  tile::Reduction kind = sum.kind;
  if (sum.isUnsigned)
    kind = isMaximum(kind) ? tile::Reduction::UMax : tile::Reduction::UMin;
  return converted(emitter, identity(emitter, kind, element), sum.type, sum.isUnsigned, false);
}

static void emitFillPartialSums(Emitter &emitter, Value chunk) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  PartialSums sums(emitter);
  for (auto [number, sum] : llvm::enumerate(emitter.sums.partial)) {
    Value start = startOf(emitter, sum);
    Value memory = sums.view(number, chunk).flat;
    auto loop =
        scf::ForOp::create(builder, emitter.constantIndex(0), emitter.toIndex(sums.count(sum)), emitter.constantIndex(1));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    memref::StoreOp::create(builder, start, memory, loop.getInductionVar());
  }
}

/// Fills a whole view.
static void emitFillView(Emitter &emitter, const View &view, Value element) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  OpBuilder::InsertionGuard guard(builder);
  Value position = emitter.constant(0);
  for (auto [extent, stride] : llvm::zip(view.extents, view.strides)) {
    auto loop = scf::ForOp::create(builder, emitter.constant(0), extent, emitter.constant(1));
    builder.setInsertionPointToStart(loop.getBody());
    position = emitter.add(position, emitter.mul(loop.getInductionVar(), stride));
  }
  memref::StoreOp::create(builder, element, view.flat, emitter.toIndex(position));
}

void emitBegin(Emitter &emitter) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value chunk = emitter.function.getArgument(1);
  if (!emitter.sums.partial.empty())
    emitFillPartialSums(emitter, chunk);
  Value isFirst = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, chunk, emitter.constant(0));
  auto branch = scf::IfOp::create(builder, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  for (const Sum &sum : emitter.sums.direct)
    if (sum.getViewType().getAccess() == tile::Access::Out) {
      Value start = converted(emitter, startOf(emitter, sum), sum.getViewType().getElement(), false, sum.isUnsigned);
      emitFillView(emitter, emitter.view(sum.view), start);
    }
}

// --------------------------------------------------------------------------------------------------------------------
// finish
// --------------------------------------------------------------------------------------------------------------------

/// The indices of the element with a row-major number.
static SmallVector<Value> unflattened(Emitter &emitter, const View &view, int64_t rank, Value number) {
  SmallVector<Value> indices(rank);
  for (int64_t dimension = rank - 1; dimension > 0; --dimension) {
    Value extent = extentOf(emitter, view, dimension);
    indices[dimension] = emitter.builder.createOrFold<arith::RemUIOp>(number, extent);
    number = emitter.builder.createOrFold<arith::DivUIOp>(number, extent);
  }
  indices[0] = number;
  return indices;
}

static Value emitTotal(Emitter &emitter, PartialSums &sums, size_t number, Value start, Value element, Value chunks) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto loop = scf::ForOp::create(builder, emitter.constant(0), chunks, emitter.constant(1), start);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  View partial = sums.view(number, loop.getInductionVar());
  Value value = memref::LoadOp::create(builder, partial.flat, emitter.toIndex(element));
  Value next = combine(emitter, emitter.sums.partial[number].kind, loop.getRegionIterArg(0), value);
  scf::YieldOp::create(builder, next);
  return loop.getResult(0);
}

/// Reports an element that was written more than once.
static void emitFinishCount(Emitter &emitter, const Sum &sum, SmallVector<Value> indices, Value total) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value slots = emitter.allocateOnStack(builder.getI64Type(), static_cast<int64_t>(indices.size()) + 1);
  Value one = emitter.constant(builder.getOneAttr(sum.type));
  Value isAgain = arith::CmpIOp::create(builder, arith::CmpIPredicate::sgt, total, one);
  auto branch = scf::IfOp::create(builder, isAgain, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  indices.push_back(total);
  emitReport(emitter, *sum.countMessage, indices, slots);
}

static void emitFinishElement(Emitter &emitter, PartialSums &sums, size_t number, Value element, Value chunks) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  const Sum &sum = emitter.sums.partial[number];
  const View &view = emitter.view(sum.view);
  SmallVector<Value> indices = unflattened(emitter, view, sum.getViewType().getRank(), element);
  Value start = startOf(emitter, sum);
  if (sum.countMessage)
    return emitFinishCount(emitter, sum, indices, emitTotal(emitter, sums, number, start, element, chunks));
  Value position = flatPosition(emitter, view, indices);
  if (sum.getViewType().getAccess() == tile::Access::InOut) {
    Value old = memref::LoadOp::create(builder, view.flat, position);
    start = converted(emitter, old, sum.type, sum.isUnsigned, false);
  }
  Value total = emitTotal(emitter, sums, number, start, element, chunks);
  memref::StoreOp::create(builder, converted(emitter, total, view.element, false, sum.isUnsigned), view.flat, position);
}

void emitFinish(Emitter &emitter) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value which = emitter.function.getArgument(1), first = emitter.function.getArgument(2),
        last = emitter.function.getArgument(3);
  if (emitter.sums.partial.empty())
    return;
  PartialSums sums(emitter);
  for (size_t number = 0; number < emitter.sums.partial.size(); ++number) {
    Value isThis =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, which, emitter.constant(static_cast<int64_t>(number)));
    auto branch = scf::IfOp::create(builder, isThis, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    auto loop = scf::ForOp::create(builder, first, last, emitter.constant(1));
    builder.setInsertionPointToStart(loop.getBody());
    emitFinishElement(emitter, sums, number, loop.getInductionVar(), emitter.function.getArgument(4));
  }
}

} // namespace tilewright::cpu
