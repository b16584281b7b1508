// Tiles whose number the host knows are numbered row-major and each is a block's. Products read the same rows and columns in
// neighbouring tiles, so they are taken in groups of eight rows (or as many as a schedule's `raster` says): the blocks that run at one time then work on a part of the result
// that is nearly square, and what they read is in the L2 cache (without it, 20 to 40 % is lost on large products). Where tiles take the longer the
// further along the innermost axis they lie (causal attention), the longest come first.
//
// Warps with roles: the block stays on its multiprocessor and takes tiles blockIdx, blockIdx + gridDim, …; each role goes over those that
// are its own. Where tiles are split, clusters do what blocks do elsewhere.
//
// Where ranges depend on memory or on the tile, the blocks of a column of the launch (y) share what is left.

#include "compiler/codegen/ConvertTileGPUToLLVMGrid.h"

#include "compiler/analysis/SumPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::gpu {

/// Whether a value is computed from scalars and dimensions alone, by what the host can compute.
static bool isKnownFromSizes(Value value, tile::KernelOp kernel) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return cast<BlockArgument>(value).getOwner() == &kernel.getBlock();
  return !isa<tile::LoadOp, tile::CallExternalOp>(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isKnownFromSizes(operand, kernel); });
}

static Block &blockOfGroups(tile::KernelOp kernel) {
  auto roles = kernel.getBlock().getOps<tilegpu::RolesOp>();
  return roles.empty() ? kernel.getBlock() : (*roles.begin()).getConsumers().front();
}

Grid::Grid(tile::KernelOp kernel) : Grid(kernel, blockOfGroups(kernel)) {}

Grid::Grid(tile::KernelOp kernel, Block &first) {
  for (Block *block = &first;;) {
    auto inner = block->getOps<tile::ParallelOp>();
    if (inner.empty())
      break;
    tile::ParallelOp variable = *inner.begin();
    bool isKnown = isKnownFromSizes(variable.getLow(), kernel) && isKnownFromSizes(variable.getHigh(), kernel);
    (nested.empty() && isKnown ? numbered : nested).push_back(variable);
    block = &variable.getBody().front();
  }
}

namespace {

int64_t stepOf(tile::ParallelOp variable) {
  auto span = dyn_cast<tile::SpanType>(variable.getInductionVariable().getType());
  return span ? span.getCapacity() : 1;
}

struct Range {
  Value low, high, count;
};

class TilesEmitter {
public:
  explicit TilesEmitter(Emitter &emitter) : emitter(emitter), builder(emitter.builder), grid(emitter.kernel) {}

  LogicalResult run() {
    for (tile::ParallelOp variable : grid.numbered) {
      auto range = emitRange(variable);
      if (failed(range))
        return failure();
      ranges.push_back(*range);
    }
    Value block = emitter.toI64(NVVM::BlockIdXOp::create(builder, builder.getI32Type()));
    if (emitter.roles)
      return emitRoles(block);
    if (emitter.sums.partial.empty())
      return emitTile(block);
    return emitChunk(block);
  }

private:
  Emitter &emitter;
  ImplicitLocOpBuilder &builder;
  Grid grid;
  SmallVector<Range> ranges;

  FailureOr<Range> emitRange(tile::ParallelOp variable) {
    if (failed(emitter.emitSlice({variable.getLow(), variable.getHigh()})))
      return failure();
    Value low = emitter.scalar(variable.getLow()), high = emitter.scalar(variable.getHigh());
    return Range{low, high, emitter.ceilDiv(low, high, stepOf(variable))};
  }

  /// Tiles T · c / C … T · (c + 1) / C − 1, one after another: their sums have one place.
  LogicalResult emitChunk(Value chunk) {
    bindPartialSums(emitter, chunk);
    Value tiles = emitter.loadSlot(Slot::TileCount), chunks = emitter.loadSlot(Slot::ChunkCount);
    auto boundary = [&](Value number) -> Value { return arith::DivUIOp::create(builder, emitter.mul(tiles, number), chunks); };
    Value first = boundary(chunk), last = boundary(emitter.add(chunk, emitter.constant(1)));
    auto loop = scf::ForOp::create(builder, first, last, emitter.constant(1));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    return emitTile(loop.getInductionVar());
  }

  // Roles ------------------------------------------------------------------------------------------------------------

  LogicalResult emitRoles(Value block) {
    if (failed(emitter.emitBlock(emitter.kernel.getBlock())))
      return failure();
    tilegpu::RolesOp roles = emitter.roles;
    int64_t groups = static_cast<int64_t>(roles.getGroups()), threadsOfGroup = emitter.warps() * layout::lanesOfWarp;
    Value number = builder.createOrFold<arith::DivUIOp>(emitter.threadOfBlock(), emitter.constant32(threadsOfGroup));
    Value group = NVVM::ShflOp::create(builder, builder.getI32Type(), emitter.constant32(-1), number, emitter.constant32(0), emitter.constant32(31),
                                       NVVM::ShflKind::idx, UnitAttr());
    Value isConsumer = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, group, emitter.constant32(groups));
    Value blocks = emitter.toI64(NVVM::GridDimXOp::create(builder, builder.getI32Type()));
    if (blocksOfCluster(emitter.kernel) > 1) {
      block = emitter.toI64(NVVM::ClusterIdXOp::create(builder, builder.getI32Type()));
      blocks = emitter.toI64(NVVM::ClusterDimXOp::create(builder, builder.getI32Type()));
    }
    auto branch = scf::IfOp::create(builder, isConsumer, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    setRegisters(roles.getRegisters()[1], NVVM::SetMaxRegisterAction::increase);
    emitter.group = group;
    // Nobody has passed the first turn.
    if (groups > 1)
      emitter.when(arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, group, emitter.constant32(groups - 1)), [&] { emitTurn(emitter, /*isWait=*/false, /*ofWarpgroups=*/false, /*isFirst=*/false); });
    Value ordinal = emitter.toI64(group);
    if (failed(emitRole(roles.getConsumers().front(), emitter.add(block, emitter.mul(ordinal, blocks)), emitter.mul(blocks, emitter.constant(groups)), ordinal, groups)))
      return failure();
    emitter.group = {};
    builder.setInsertionPointToStart(branch.elseBlock());
    setRegisters(roles.getRegisters()[0], NVVM::SetMaxRegisterAction::decrease);
    Value isProducer = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, emitter.threadOfBlock(), emitter.constant32(groups * threadsOfGroup));
    LogicalResult result = success();
    emitter.when(isProducer, [&] { result = emitRole(roles.getProducer().front(), block, blocks, emitter.constant(0), 1); });
    if (failed(result) || roles.getPreparer().empty())
      return result;
    Value warp = builder.createOrFold<arith::ShRUIOp>(emitter.threadOfBlock(), emitter.constant32(5));
    Value isPreparer = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, warp, emitter.constant32(groups * emitter.warps() + 1));
    emitter.isPreparer = true;
    emitter.when(isPreparer, [&] { result = emitRole(roles.getPreparer().front(), block, blocks, emitter.constant(0), 1); });
    emitter.isPreparer = false;
    return result;
  }

  void setRegisters(int64_t count, NVVM::SetMaxRegisterAction action) {
    if (count != 0)
      NVVM::SetMaxRegisterOp::create(builder, static_cast<uint32_t>(count), action);
  }

  /// The tiles first, first + step, …, of which the block counts the first as `ordinal` and the others each `ordinalStep` later; what stands
  /// before and behind the nest is done once.
  LogicalResult emitRole(Block &block, Value first, Value step, Value ordinal, int64_t ordinalStep) {
    for (Operation &op : block)
      if (failed(isa<tile::ParallelOp>(op) ? emitTilesOfRole(block, first, step, ordinal, ordinalStep) : emitter.emit(op)))
        return failure();
    return success();
  }

  LogicalResult emitTilesOfRole(Block &block, Value first, Value step, Value ordinal, int64_t ordinalStep) {
    Grid nest(emitter.kernel, block);
    SmallVector<Value> initial{ordinal};
    bool countsSteps = block.walk([](tilegpu::CountStepsOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (countsSteps)
      initial.push_back(emitter.constant(0));
    prepareGroups();
    auto loop = scf::ForOp::create(builder, first, emitter.loadSlot(Slot::TileCount), step, initial);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    emitter.tileOrdinal = loop.getRegionIterArg(0);
    if (countsSteps)
      emitter.stepOrdinal = emitter.nextStepOrdinal = loop.getRegionIterArg(1);
    bindNumbered(nest.numbered, loop.getInductionVar());
    for (tile::ParallelOp variable : nest.numbered)
      if (failed(emitter.emitBlock(variable.getBody().front())))
        return failure();
    if (emitter.group)
      emitter.finishFetches();
    SmallVector<Value> next{emitter.add(loop.getRegionIterArg(0), emitter.constant(ordinalStep))};
    if (countsSteps)
      next.push_back(emitter.nextStepOrdinal);
    scf::YieldOp::create(builder, next);
    return success();
  }

  // Tiles ------------------------------------------------------------------------------------------------------------

  LogicalResult emitTile(Value number) {
    bindNumbered(grid.numbered, number);
    if (failed(emitter.emitBlock(emitter.kernel.getBlock())))
      return failure();
    for (tile::ParallelOp variable : grid.numbered)
      if (failed(emitter.emitBlock(variable.getBody().front())))
        return failure();
    return emitNested(grid.nested, /*isShared=*/true);
  }

  bool hasProduct() {
    auto isProduct = [](Operation *op) { return isa<tilegpu::DotOp, tilegpu::WgmmaOp>(op) ? WalkResult::interrupt() : WalkResult::advance(); };
    return emitter.kernel.walk(isProduct).wasInterrupted();
  }

  /// Rows of tiles in a group.
  int64_t raster() {
    constexpr int64_t unlessAsked = 8;
    auto schedule = emitter.kernel->getAttrOfType<tilegpu::ScheduleAttr>(tilegpu::scheduleName);
    return schedule ? schedule.getRaster() : unlessAsked;
  }

  /// The numbers of a tile's pieces, the last variable varying fastest, or within groups of rows the last but one.
  SmallVector<Value> piecesOf(Value tile) {
    // There are fewer than 2³¹ tiles, and 64-bit divisions cost several times as much.
    Value number = emitter.toI32(tile);
    auto countOf = [&](size_t position) { return emitter.toI32(ranges[position].count); };
    size_t count = grid.numbered.size();
    SmallVector<Value> pieces(count);
    size_t outer = count;
    if (count >= 2 && emitter.kernel->hasAttr(tilegpu::longestFirstName)) {
      // The innermost axis from its end, and only behind all others.
      Value others = emitter.constant32(1);
      for (size_t position = 0; position + 1 < count; ++position)
        others = emitter.mul(others, countOf(position));
      Value last = emitter.sub(countOf(count - 1), emitter.constant32(1));
      pieces[count - 1] = emitter.sub(last, arith::DivUIOp::create(builder, number, others));
      number = arith::RemUIOp::create(builder, number, others);
      outer = count - 1;
    } else if (isGrouped()) {
      Value rows = countOf(count - 2), columns = countOf(count - 1);
      Value plane = emitter.mul(rows, columns), within = number;
      outer = count - 2;
      if (outer > 0) {
        within = arith::RemUIOp::create(builder, number, plane);
        number = arith::DivUIOp::create(builder, number, plane);
      }
      std::tie(pieces[count - 2], pieces[count - 1]) = placeIn(within, rows, columns);
    }
    for (size_t position = outer; position-- > 0;) {
      pieces[position] = position == 0 ? number : arith::RemUIOp::create(builder, number, countOf(position)).getResult();
      if (position > 0)
        number = arith::DivUIOp::create(builder, number, countOf(position));
    }
    for (Value &piece : pieces)
      piece = emitter.toI64(piece);
    return pieces;
  }

  /// A number that others are divided by, and 2³² - 1 divided by it.
  struct Divisor {
    Value number, reciprocal;
  };
  /// Tiles of a group of rows, and rows of all groups but the last and of that. Nothing where a block has one tile: it divides.
  std::optional<Divisor> tilesOfGroup, rowsOfGroup, rowsOfLast;

  Divisor divisor(Value number) {
    number = emitter.max(number, emitter.constant32(1)); // where there are no tiles nothing is divided
    return {number, builder.createOrFold<arith::DivUIOp>(emitter.constant32(-1), number)};
  }

  /// What does not change from tile to tile, where the builder stands: the thread that feeds waits for a tile's indices, and its ring empties meanwhile.
  void prepareGroups() {
    if (!isGrouped())
      return;
    size_t count = grid.numbered.size();
    Value rows = emitter.toI32(ranges[count - 2].count), columns = emitter.toI32(ranges[count - 1].count), whole = emitter.constant32(raster());
    tilesOfGroup = divisor(emitter.mul(columns, emitter.min(rows, whole)));
    rowsOfGroup = divisor(whole);
    rowsOfLast = divisor(arith::RemUIOp::create(builder, rows, whole));
  }

  /// A tile's row and column, by its number within a plane of rows × columns that are taken in groups of rows.
  std::pair<Value, Value> placeIn(Value within, Value rows, Value columns) {
    Value whole = emitter.constant32(raster());
    if (!tilesOfGroup) {
      Value inGroup = emitter.mul(columns, emitter.min(rows, whole)); // no more than there are tiles
      Value group = arith::DivUIOp::create(builder, within, inGroup), place = arith::RemUIOp::create(builder, within, inGroup);
      Value firstRow = emitter.mul(group, whole), height = emitter.min(emitter.sub(rows, firstRow), whole);
      Value row = emitter.add(firstRow, arith::RemUIOp::create(builder, place, height));
      return {row, arith::DivUIOp::create(builder, place, height)};
    }
    auto [group, place] = divided(within, *tilesOfGroup);
    Value firstRow = emitter.mul(group, whole);
    Value isWhole = arith::CmpIOp::create(builder, arith::CmpIPredicate::uge, emitter.sub(rows, firstRow), whole);
    auto either = [&](Value one, Value other) { return arith::SelectOp::create(builder, isWhole, one, other).getResult(); };
    auto [column, row] = divided(place, {either(rowsOfGroup->number, rowsOfLast->number), either(rowsOfGroup->reciprocal, rowsOfLast->reciprocal)});
    return {emitter.add(firstRow, row), column};
  }

  bool isGrouped() { return grid.numbered.size() >= 2 && !emitter.kernel->hasAttr(tilegpu::longestFirstName) && hasProduct(); }

  /// n / d and n mod d. With r = ⌊(2³² - 1) / d⌋, n · r / 2³² is greater than n / d - 1, so its whole part is the quotient or one less.
  std::pair<Value, Value> divided(Value number, const Divisor &divisor) {
    Value estimate = arith::MulUIExtendedOp::create(builder, number, divisor.reciprocal).getHigh();
    Value rest = emitter.sub(number, emitter.mul(estimate, divisor.number));
    Value isLess = arith::CmpIOp::create(builder, arith::CmpIPredicate::uge, rest, divisor.number);
    return {arith::SelectOp::create(builder, isLess, emitter.add(estimate, emitter.constant32(1)), estimate),
            arith::SelectOp::create(builder, isLess, emitter.sub(rest, divisor.number), rest)};
  }

  void bindNumbered(ArrayRef<tile::ParallelOp> variables, Value number) {
    for (auto [variable, range, piece] : llvm::zip(variables, ranges, piecesOf(number))) {
      tile::ParallelOp parallel = variable;
      Value first = emitter.add(range.low, emitter.mul(piece, emitter.constant(stepOf(parallel))));
      emitter.setVariable(parallel.getInductionVariable(), first, range.high, divisorOfSteps(parallel.getLow(), stepOf(parallel)));
    }
  }

  /// The first of the nested variables is shared by the blocks of a column.
  LogicalResult emitNested(ArrayRef<tile::ParallelOp> variables, bool isShared) {
    if (variables.empty())
      return success();
    tile::ParallelOp variable = variables.front();
    auto range = emitRange(variable);
    if (failed(range))
      return failure();
    Value low = range->low, step = emitter.constant(stepOf(variable));
    if (isShared) {
      low = emitter.add(low, emitter.mul(emitter.toI64(NVVM::BlockIdYOp::create(builder, builder.getI32Type())), step));
      step = emitter.mul(emitter.toI64(NVVM::GridDimYOp::create(builder, builder.getI32Type())), step);
    }
    auto loop = scf::ForOp::create(builder, low, range->high, step);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    emitter.setVariable(variable.getInductionVariable(), loop.getInductionVar(), range->high, divisorOfSteps(variable.getLow(), stepOf(variable)));
    if (failed(emitter.emitBlock(variable.getBody().front())))
      return failure();
    return emitNested(variables.drop_front(), /*isShared=*/false);
  }
};

} // namespace

LogicalResult emitTiles(Emitter &emitter) {
  return TilesEmitter(emitter).run();
}

} // namespace tilewright::gpu
