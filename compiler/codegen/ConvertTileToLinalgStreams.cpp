// Streams: rows of large views, which come from memory once and go to memory once.
//
// The problem. Softmax of a row reads the row, computes for a while, and writes. If each of these waits for the one before, the
// memory is idle while the processor computes and the processor is idle while the memory delivers.
//
//   row r        max │ exp, fetches row r+1 │ sum │ divide, writes past the caches
//   row r+1                                         max │ exp, fetches row r+2 │ …      (its max reads what has come meanwhile)
//
// The rules:
//  - a store of long rows is told whether its view is larger than the caches; if so it writes past them;
//  - a plain load along the same rows that several nests read is fetched one tile ahead, along the grid's fastest variable.
//  (What
//    one nest alone reads comes in time by itself: the processor sees the next addresses.)
//  - the fetching nest is the first between load and store that computes an expensive tile of the load's axes, since there the
//    memory has least to do; else it is the store's.
//
// Measured on 4096 × 4096 f32, softmax, two threads of a Zen 4, as a part of what memcpy reaches: 0.57 without fetching, 0.68 if
// the store's nest fetches, 0.80 if exp's does (these three by hand in C++; what is generated here reaches 0.86 to 0.93).

#include "compiler/codegen/ConvertTileToLinalgStreams.h"

#include "compiler/analysis/LinearForm.h"
#include "compiler/codegen/ConvertTileToLinalgAddresses.h"
#include "compiler/codegen/ConvertTileToLinalgPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::cpu {

namespace {

/// Rows shorter than this are not worth a separate path to memory.
constexpr int64_t leastStreamedRow = 1024;

int64_t bytesOf(Type element) {
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

/// Whether the view is larger than the caches, an i1.
Value isLarge(Emitter &emitter, const View &view) {
  Value bytes = emitter.constant(bytesOf(view.element));
  for (Value extent : view.extents)
    bytes = emitter.mul(bytes, extent);
  return arith::CmpIOp::create(emitter.builder, arith::CmpIPredicate::sge, bytes,
                               emitter.constant(emitter.settings.streamedBytes));
}

/// Whether a store may bypass the caches, with rows along `innermost`.
bool isStreamed(Emitter &emitter, const View &view, StringAttr innermost) {
  bool isSmallFloat = isa<FloatType>(view.element) && view.element.getIntOrFloatBitWidth() == 8; // no vectors of them
  return innermost && !isSmallFloat && emitter.settings.streamedBytes > 0 &&
         emitter.axis(innermost).capacity * bytesOf(view.element) >= leastStreamedRow;
}

/// What a load will read in the tile after this one, if the grid's fastest variable is one of its axes; else null.
Value memoryOfNextTile(Emitter &emitter, tile::LoadOp load) {
  StringAttr variable = emitter.fastestVariable;
  if (!variable || tile::positionOfAxis(load.getType(), variable) < 0)
    return {};
  Axis here = emitter.axis(variable), next = here;
  next.start = emitter.add(here.start, emitter.constant(here.capacity));
  emitter.setAxis(variable, next);
  Value memory = plainMemory(emitter, emitter.view(load.getView()), load.getIndices(), tile::axesOf(load.getType()));
  emitter.setAxis(variable, here);
  return memory;
}

/// The plain loads before a store, in its block, that go along its rows and are read by several nests.
SmallVector<tile::LoadOp> loadsAlong(tile::StoreOp store, StringAttr innermost) {
  SmallVector<tile::LoadOp> loads;
  Axes axes = axesOfSpans(store.getSpans());
  for (auto load : store->getBlock()->getOps<tile::LoadOp>()) {
    auto isOfStore = [&](StringAttr axis) { return llvm::is_contained(axes, axis); };
    bool isAlong = unitStrideAxis(unitDimension(load.getView().getType()), load.getIndices()) == innermost;
    if (load->isBeforeInBlock(store) && isAlong && isPlain(load) && llvm::all_of(tile::axesOf(load.getType()), isOfStore) &&
        isReadAgain(load))
      loads.push_back(load);
  }
  return loads;
}

/// Whether the nest of an operation computes an expensive tile along the load's rows.
bool isExpensiveAlong(Operation *op, tile::LoadOp load, StringAttr innermost) {
  if (!isReused(op))
    return false;
  ArrayRef<StringAttr> axes = tile::axesOf(op->getResult(0).getType());
  return axes.back() == innermost &&
         llvm::all_of(tile::axesOf(load.getType()), [&](StringAttr axis) { return llvm::is_contained(axes, axis); });
}

/// The operation whose nest fetches what the next tile's `load` will read.
Operation *fetchingOperation(tile::LoadOp load, tile::StoreOp store, StringAttr innermost) {
  for (Operation *op = load->getNextNode(); op != store.getOperation(); op = op->getNextNode())
    if (isExpensiveAlong(op, load, innermost))
      return op;
  return store;
}

void addFetches(NestHints &hints, Emitter &emitter, Operation *op, tile::StoreOp store, StringAttr innermost) {
  for (tile::LoadOp load : loadsAlong(store, innermost))
    if (fetchingOperation(load, store, innermost) == op)
      if (Value memory = memoryOfNextTile(emitter, load))
        hints.later.push_back({memory, llvm::to_vector(tile::axesOf(load.getType()))});
}

} // namespace

NestHints hintsForStore(Emitter &emitter, tile::StoreOp store, StringAttr innermost) {
  NestHints hints;
  const View &view = emitter.view(store.getView());
  if (!isStreamed(emitter, view, innermost))
    return hints;
  hints.large = isLarge(emitter, view);
  hints.isStreamed = emitter.streams = true;
  addFetches(hints, emitter, store, store, innermost);
  return hints;
}

NestHints hintsForMaterialization(Emitter &emitter, Operation *expression) {
  NestHints hints;
  // The next plain store that streams: two stores of the same rows need the next rows once.
  for (Operation *op = expression->getNextNode(); op && hints.later.empty(); op = op->getNextNode()) {
    auto store = dyn_cast<tile::StoreOp>(op);
    if (!store)
      continue;
    const View &view = emitter.view(store.getView());
    StringAttr innermost = unitStrideAxis(view.unitStride, store.getIndices());
    if (!isPlain(store.getIndices(), store.getCompare(), view.split) || !isStreamed(emitter, view, innermost))
      continue;
    addFetches(hints, emitter, expression, store, innermost);
    if (!hints.later.empty())
      hints.large = isLarge(emitter, view);
  }
  return hints;
}

} // namespace tilewright::cpu
