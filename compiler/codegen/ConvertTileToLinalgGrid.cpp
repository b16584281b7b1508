// A grid whose ranges are known from the arguments' sizes is a product: tile t of `over (i in M by BM, j in N by BN)` has
// j = t mod ⌈N / BN⌉ and i = t div ⌈N / BN⌉. Any other (`i in first[e]..first[e + 1] by BM`) is walked once before the launch,
// by count and list, which write down (first, end) of each variable for each tile.

#include "compiler/codegen/ConvertTileToLinalgGrid.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::cpu {

static constexpr int64_t coordinatesSlot = 2;

/// Whether a value is computed from scalars and dimensions alone.
static bool isKnownFromSizes(Value value, tile::KernelOp kernel) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return cast<BlockArgument>(value).getOwner() == &kernel.getBlock();
  return !isa<tile::LoadOp>(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isKnownFromSizes(operand, kernel); });
}

Grid::Grid(tile::KernelOp kernel) {
  for (Block *block = &kernel.getBlock();;) {
    auto inner = block->getOps<tile::ParallelOp>();
    if (inner.empty())
      break;
    variables.push_back(*inner.begin());
    block = &variables.back().getBody().front();
  }
  for (tile::ParallelOp variable : variables)
    isProduct &= isKnownFromSizes(variable.getLow(), kernel) && isKnownFromSizes(variable.getHigh(), kernel);
}

static int64_t stepOf(tile::ParallelOp variable) {
  auto span = dyn_cast<tile::SpanType>(variable.getInductionVariable().getType());
  return span ? span.getCapacity() : 1;
}

namespace {

struct Range {
  Value low, high, count;
};

/// A variable's range; what it needs is computed at the builder's position.
FailureOr<Range> emitRange(Emitter &emitter, tile::ParallelOp variable) {
  if (failed(emitter.emitSlice({variable.getLow(), variable.getHigh()})))
    return failure();
  emitter.builder.setLoc(variable.getLoc());
  Value low = emitter.scalar(variable.getLow()), high = emitter.scalar(variable.getHigh());
  return Range{low, high, emitter.ceilDiv(low, high, stepOf(variable))};
}

// --------------------------------------------------------------------------------------------------------------------
// count
// --------------------------------------------------------------------------------------------------------------------

FailureOr<Value> emitProductCount(Emitter &emitter, const Grid &grid) {
  Value count = emitter.constant(1);
  for (tile::ParallelOp variable : grid.variables) {
    auto range = emitRange(emitter, variable);
    if (failed(range))
      return failure();
    count = emitter.mul(count, range->count);
  }
  return count;
}

/// The number of tiles for fixed outer variables.
FailureOr<Value> emitListedCount(Emitter &emitter, ArrayRef<tile::ParallelOp> variables) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  tile::ParallelOp variable = variables.front();
  auto range = emitRange(emitter, variable);
  if (failed(range))
    return failure();
  if (variables.size() == 1)
    return range->count;
  auto loop = scf::ForOp::create(builder, range->low, range->high, emitter.constant(stepOf(variable)), emitter.constant(0));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emitter.setVariable(variable.getInductionVariable(), loop.getInductionVar(), range->high);
  auto inner = emitListedCount(emitter, variables.drop_front());
  if (failed(inner))
    return failure();
  scf::YieldOp::create(builder, emitter.add(loop.getRegionIterArg(0), *inner));
  return loop.getResult(0);
}

// --------------------------------------------------------------------------------------------------------------------
// list
// --------------------------------------------------------------------------------------------------------------------

/// The place of a tile's (first, end) for a variable in the list.
Value coordinate(Emitter &emitter, Value tile, size_t variable, size_t variables) {
  Value start = emitter.mul(tile, emitter.constant(static_cast<int64_t>(2 * variables)));
  return emitter.add(start, emitter.constant(static_cast<int64_t>(2 * variable)));
}

class ListWriter {
public:
  ListWriter(Emitter &emitter, const Grid &grid) : emitter(emitter), grid(grid) {
    Value address = LLVM::PtrToIntOp::create(emitter.builder, emitter.builder.getI64Type(), emitter.function.getArgument(1));
    list = emitter.memoryAt(address, emitter.builder.getI64Type());
  }

  /// Writes the tiles for fixed outer variables; the first of them has number `tile`. Gives the number after the last.
  FailureOr<Value> write(Value tile, size_t level = 0) {
    ImplicitLocOpBuilder &builder = emitter.builder;
    if (level == grid.variables.size()) {
      writeTile(tile);
      return emitter.add(tile, emitter.constant(1));
    }
    tile::ParallelOp variable = grid.variables[level];
    auto range = emitRange(emitter, variable);
    if (failed(range))
      return failure();
    auto loop = scf::ForOp::create(builder, range->low, range->high, emitter.constant(stepOf(variable)), tile);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    emitter.setVariable(variable.getInductionVariable(), loop.getInductionVar(), range->high);
    Value end = emitter.min(emitter.add(loop.getInductionVar(), emitter.constant(stepOf(variable))), range->high);
    bounds.push_back({loop.getInductionVar(), end});
    auto next = write(loop.getRegionIterArg(0), level + 1);
    bounds.pop_back();
    if (failed(next))
      return failure();
    scf::YieldOp::create(builder, *next);
    return loop.getResult(0);
  }

private:
  void writeTile(Value tile) {
    for (auto [variable, bound] : llvm::enumerate(bounds)) {
      Value place = coordinate(emitter, tile, variable, bounds.size());
      memref::StoreOp::create(emitter.builder, bound.first, list, emitter.toIndex(place));
      memref::StoreOp::create(emitter.builder, bound.second, list, emitter.toIndex(emitter.add(place, emitter.constant(1))));
    }
  }

  Emitter &emitter;
  const Grid &grid;
  Value list;
  SmallVector<std::pair<Value, Value>> bounds;
};

// --------------------------------------------------------------------------------------------------------------------
// tiles
// --------------------------------------------------------------------------------------------------------------------

/// Binds the variables of a product's tile: the last one changes fastest.
void bindByNumber(Emitter &emitter, const Grid &grid, ArrayRef<Range> ranges, Value tile) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  for (auto [constVariable, range] : llvm::reverse(llvm::zip_equal(grid.variables, ranges))) {
    tile::ParallelOp variable = constVariable;
    bool isOutermost = variable == grid.variables.front();
    Value piece = isOutermost ? tile : arith::RemUIOp::create(builder, tile, range.count).getResult();
    if (!isOutermost)
      tile = arith::DivUIOp::create(builder, tile, range.count);
    Value first = emitter.add(range.low, emitter.mul(piece, emitter.constant(stepOf(variable))));
    emitter.setVariable(variable.getInductionVariable(), first, range.high);
  }
}

void bindFromList(Emitter &emitter, const Grid &grid, Value list, Value tile) {
  auto read = [&](Value place) -> Value { return memref::LoadOp::create(emitter.builder, list, emitter.toIndex(place)); };
  for (auto [number, variable] : llvm::enumerate(grid.variables)) {
    Value place = coordinate(emitter, tile, number, grid.variables.size());
    Value first = read(place), end = read(emitter.add(place, emitter.constant(1)));
    tile::ParallelOp parallel = variable;
    emitter.setVariable(parallel.getInductionVariable(), first, end);
  }
}

/// What stands between the variables, and the body.
LogicalResult emitTile(Emitter &emitter, const Grid &grid) {
  if (failed(emitter.emitBlock(emitter.kernel.getBlock())))
    return failure();
  for (tile::ParallelOp variable : grid.variables)
    if (failed(emitter.emitBlock(variable.getBody().front())))
      return failure();
  return success();
}

} // namespace

LogicalResult emitCount(Emitter &emitter, const Grid &grid) {
  FailureOr<Value> count = grid.isProduct ? emitProductCount(emitter, grid) : emitListedCount(emitter, grid.variables);
  if (failed(count))
    return failure();
  func::ReturnOp::create(emitter.builder, *count);
  return success();
}

LogicalResult emitList(Emitter &emitter, const Grid &grid) {
  return ListWriter(emitter, grid).write(emitter.constant(0));
}

LogicalResult emitTiles(Emitter &emitter, const Grid &grid) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value list;
  SmallVector<Range> ranges;
  if (!grid.isProduct)
    list = emitter.memoryAt(emitter.loadSlot(coordinatesSlot), builder.getI64Type());
  for (tile::ParallelOp variable : grid.variables) {
    if (!grid.isProduct)
      break;
    auto range = emitRange(emitter, variable);
    if (failed(range))
      return failure();
    ranges.push_back(*range);
  }
  if (!grid.variables.empty())
    if (auto span = dyn_cast<tile::SpanType>(grid.variables.back()->getRegion(0).getArgument(0).getType()))
      emitter.fastestVariable = span.getAxis();
  Value first = emitter.function.getArgument(1), last = emitter.function.getArgument(2);
  auto loop = scf::ForOp::create(builder, first, last, emitter.constant(1));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    if (grid.isProduct)
      bindByNumber(emitter, grid, ranges, loop.getInductionVar());
    else
      bindFromList(emitter, grid, list, loop.getInductionVar());
    if (failed(emitTile(emitter, grid)))
      return failure();
  }
  // What bypassed the caches must be there before the caller says that the tiles are done.
  if (emitter.streams)
    LLVM::FenceOp::create(builder, LLVM::AtomicOrdering::seq_cst);
  return success();
}

} // namespace tilewright::cpu
