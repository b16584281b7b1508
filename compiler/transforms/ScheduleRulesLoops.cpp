// The rules for loops with several products, and why.
//
// One group of two warpgroups has a tile: what the loop loads (keys, values) is then read once for 128 rows, 32 bytes of each
// cycle's products at 128 columns; with 64 rows it would be more than a multiprocessor takes in. The warpgroups share nothing
// but the ring, so one computes while the other multiplies.
//
// An operand is loaded in the loop (a ring), loaded before it (once for a tile), or computed in the step from another product,
// whose accumulator is laid out as the registers of the operand are. Everything else of the step stays what it is: elementwise
// code and reductions along the columns, which do not leave a warp's quads of lanes.

#include "compiler/transforms/ScheduleRulesLoops.h"

#include "compiler/transforms/KernelRules.h"
#include "compiler/transforms/LayoutRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilewright::tilegpu {

namespace {

constexpr int64_t threadsOfWarpgroup = 128, rowsOfWarpgroup = 64, panelElements = 64, elementBytes = 2;
/// Of a thread's 240: accumulators of all products of a step, and half a register for an element of a computed operand.
constexpr int64_t mostRegisters = 200;

StringAttr rowAxisOf(tile::DotOp dot) {
  return tile::axesOf(dot.getType())[0];
}

bool isSwapped(tile::DotOp dot) {
  return tile::positionOfAxis(dot.getLhs().getType(), rowAxisOf(dot)) < 0;
}

bool hasAxisOfTwo(Value operand, StringAttr axis) {
  return tile::axesOf(operand.getType()).size() == 2 && tile::positionOfAxis(operand.getType(), axis) >= 0;
}

class LoopFactsFinder : KernelRules {
public:
  LoopFactsFinder(tile::KernelOp kernel, int64_t sharedBytes, const ScheduleRequest &request, NoSchedule &no)
      : KernelRules(kernel, sharedBytes, request, no) {}

  std::optional<LoopFacts> run() {
    if (!findProducts() || !checkGrid(facts.loops) || !checkLoops() ||
        !llvm::all_of(dots, [&](tile::DotOp dot) { return checkProduct(dot); }) || !checkTile())
      return std::nullopt;
    findStores();
    if (!checkMemory())
      return std::nullopt;
    return facts;
  }

private:
  LoopFacts facts{};
  SmallVector<tile::DotOp> dots;
  StringAttr rowAxis;

  // ------------------------------------------------------------------------------------------------------------------
  // The kernel
  // ------------------------------------------------------------------------------------------------------------------

  bool findProducts() {
    if (request.isPlain)
      return refuse(kernel.getLoc(), "the schedule `plain` is asked for");
    kernel.walk([&](tile::DotOp dot) { dots.push_back(dot); });
    for (tile::DotOp dot : dots) {
      Type element = getElementTypeOrSelf(dot.getLhs().getType());
      bool isNarrow = (element.isBF16() || element.isF16()) && element == getElementTypeOrSelf(dot.getRhs().getType()) &&
                      getElementTypeOrSelf(dot.getType()).isF32();
      if (!isNarrow)
        return refuse(dot.getLoc(), "its operands are not both bf16 or both f16, with a sum in f32");
      no.isWorthTelling = true;
      auto loop = dyn_cast<tile::ForOp>(dot->getParentOp());
      if (!loop || !loop.isSpan())
        return refuse(dot.getLoc(), "it does not stand in a loop over spans");
      if (!llvm::is_contained(facts.loops, loop))
        facts.loops.push_back(loop);
    }
    return !dots.empty() || refuse(kernel.getLoc(), "it has no product");
  }

  /// Whether the feeding thread can compute a scalar again: by pure operations in the grid's nest, and loads of single elements
  /// of inputs.
  bool isKnownToProducer(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return !isa<tile::ForOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
    if (op->getBlock() == &kernel.getBlock())
      return true;
    auto load = dyn_cast<tile::LoadOp>(op);
    bool isRepeatable = load ? load.getView().getType().getAccess() == tile::Access::In : isPure(op);
    return isRepeatable && isa<tile::ParallelOp>(op->getParentOp()) && op->getNumRegions() == 0 &&
           !tile::isTile(value.getType()) && llvm::all_of(op->getOperands(), [&](Value operand) {
             return isa<tile::ViewType>(operand.getType()) || isKnownToProducer(operand);
           });
  }

  // ------------------------------------------------------------------------------------------------------------------
  // Loops
  // ------------------------------------------------------------------------------------------------------------------

  bool checkLoops() {
    for (tile::ForOp loop : facts.loops) {
      for (Value bound : {loop.getLow(), loop.getHigh()})
        if (!isKnownToProducer(bound))
          return refuse(loop.getLoc(), "its loop's range is computed from tiles");
      for (Operation &op : loop.getBody().front()) {
        auto load = dyn_cast<tile::LoadOp>(op);
        bool isPart = isa<tile::DotOp, tile::YieldOp>(op) || (load ? load.getView().getType().getAccess() == tile::Access::In
                                                                   : isPure(&op) && op.getNumRegions() == 0);
        if (!isPart)
          return refuse(op.getLoc(),
                        "its loop does something else than loads of inputs, products, reductions and elementwise operations");
      }
    }
    for (tile::ForOp loop : facts.loops)
      facts.growsAlongGrid = facts.growsAlongGrid || (dependsOnInnermost(loop.getHigh()) && !dependsOnInnermost(facts.loops.front().getLow()));
    // One ring serves all loops.
    SmallVector<RankedTensorType> tiles = loadedTiles(facts.loops.front());
    for (tile::ForOp loop : facts.loops)
      if (!llvm::equal(loadedTiles(loop), tiles, [](RankedTensorType a, RankedTensorType b) {
            return a.getShape() == b.getShape() && a.getElementType() == b.getElementType();
          }))
        return refuse(loop.getLoc(), "its loops load operands of different tiles");
    if (tiles.empty())
      return refuse(facts.loops.front().getLoc(), "its loop loads no operand");
    return true;
  }

  bool dependsOnInnermost(Value value) {
    Operation *op = value.getDefiningOp();
    return value == nest.back().getInductionVariable() || (op && llvm::any_of(op->getOperands(), [&](Value operand) { return dependsOnInnermost(operand); }));
  }

  static bool isOperand(tile::LoadOp load) {
    return llvm::any_of(load->getUsers(), [](Operation *user) { return isa<tile::DotOp>(user); });
  }

  /// As they lie in memory, the contiguous axis last; loops give their spans names of their own.
  static SmallVector<RankedTensorType> loadedTiles(tile::ForOp loop) {
    SmallVector<RankedTensorType> tiles;
    for (auto load : loop.getBody().front().getOps<tile::LoadOp>())
      if (isOperand(load)) {
        auto tile = cast<RankedTensorType>(load.getType());
        bool isTurned =
            tile.getRank() == 2 && contiguousAxisOf(load.getView().getType(), load.getIndices()) == tile::axesOf(tile)[0];
        tiles.push_back(isTurned ? RankedTensorType::get({tile.getDimSize(1), tile.getDimSize(0)}, tile.getElementType())
                                 : RankedTensorType::get(tile.getShape(), tile.getElementType()));
      }
    return tiles;
  }

  // ------------------------------------------------------------------------------------------------------------------
  // Products
  // ------------------------------------------------------------------------------------------------------------------

  bool checkProduct(tile::DotOp dot) {
    if (dot.getSpans().size() != 1 || cast<RankedTensorType>(dot.getType()).getRank() != 2)
      return refuse(dot.getLoc(), "it does not sum over one span with a result of two axes");
    StringAttr depth = cast<tile::SpanType>(dot.getSpans().front().getType()).getAxis(), row = rowAxisOf(dot),
               column = tile::axesOf(dot.getType())[1];
    Value rows = isSwapped(dot) ? dot.getRhs() : dot.getLhs(), columns = isSwapped(dot) ? dot.getLhs() : dot.getRhs();
    if (!hasAxisOfTwo(rows, row) || !hasAxisOfTwo(columns, column))
      return refuse(dot.getLoc(), "its operands share an axis that is not summed");
    if (!rowAxis)
      rowAxis = row;
    if (row != rowAxis || extentOf(dot.getType(), row) != extentOf(dots.front().getType(), rowAxis))
      return refuse(dot.getLoc(), "its rows are not those of the kernel's other products");
    int64_t steps = cast<tile::SpanType>(dot.getSpans().front().getType()).getCapacity(),
            width = extentOf(dot.getType(), column);
    if (steps % 16 != 0 || width % 16 != 0 || std::max({extentOf(dot.getType(), row), width, steps}) > 256)
      return refuse(dot.getLoc(),
                    "its tile is not of a multiple of 16 columns and steps, and of at most 256 rows, columns and steps");
    for (Value operand : {rows, columns})
      if (auto load = operand.getDefiningOp<tile::LoadOp>()) {
        if (!checkLoad(dot, load, depth, operand == rows ? row : column))
          return false;
      } else if (operand == columns || !isMadeOfProduct(operand, row, depth)) {
        return refuse(operand.getLoc(), "an operand is computed, but not from the rows of another product");
      }
    return true;
  }

  /// Whether a tile with these axes, in either order, is computed element by element from a product's result.
  static bool isMadeOfProduct(Value value, StringAttr row, StringAttr depth) {
    Operation *op = value.getDefiningOp();
    if (!op || tile::axesOf(value.getType()).size() != 2 || tile::positionOfAxis(value.getType(), row) < 0 ||
        tile::positionOfAxis(value.getType(), depth) < 0)
      return false;
    if (auto dot = dyn_cast<tile::DotOp>(op))
      return rowAxisOf(dot) == row;
    bool isElementwise = op->getNumRegions() == 0 && (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
                                                      isa<tile::CastOp, tile::BroadcastOp>(op));
    return isElementwise &&
           llvm::any_of(op->getOperands(), [&](Value operand) { return isMadeOfProduct(operand, row, depth); });
  }

  bool checkLoad(tile::DotOp dot, tile::LoadOp load, StringAttr depth, StringAttr other) {
    tile::ViewType view = load.getView().getType();
    std::string name = nameOf(load.getView());
    if (llvm::any_of(load->getUsers(), [](Operation *user) { return !isa<tile::DotOp>(user); }))
      return refuse(load.getLoc(), "`" + name + "` is used beside products too");
    std::optional<TensorAccess> access = accessOfOperand(load, /*run=*/1);
    if (!access)
      return false;
    const TensorAccess::Dimension *summed = access->along(depth);
    if (!summed || !access->along(other))
      return refuse(load.getLoc(), "`" + name + "` has no dimension for each axis of the product");
    for (const TensorAccess::Dimension &dimension : access->dimensions)
      for (const Monomial &term : dimension.index)
        for (Value scalar : term.scalars)
          if (!isKnownToProducer(scalar))
            return refuse(load.getLoc(), "an index of `" + name + "` is computed in the loop or from tiles");
    if (extentOf(load.getType(), access->dimensions.front().axis) % panelElements != 0)
      return refuse(load.getLoc(), "its tile of `" + name + "` has not whole rows of 128 bytes");
    Value span = dot.getSpans().front();
    auto loop = cast<tile::ForOp>(dot->getParentOp());
    if (span == loop.getInductionVariable()) {
      if (!endsWithDimension(*summed, view, loop.getHigh()))
        facts.cleared.push_back(load);
      return true;
    }
    return span.getDefiningOp<tile::SpanOp>() || refuse(dot.getLoc(), "it sums over a span of the grid");
  }

  bool checkTile() {
    int64_t rows = extentOf(dots.front().getType(), rowAxis);
    int64_t warps = request.warps.value_or(rows % (2 * rowsOfWarpgroup) == 0 ? 8 : 4), groups = request.groups.value_or(1);
    // With one warpgroup a thread begins with 255 registers. 24 are few for the thread that feeds: it spills some bytes.
    SmallVector<int64_t> registers = warps == 4 ? SmallVector<int64_t>{0, 0} : SmallVector<int64_t>{32, 232};
    if (request.registers)
      registers = {request.registers->first, request.registers->second};
    if (request.split.value_or(1) != 1)
      return refuse(dots.front().getLoc(), "`split` divides the summed axis of a kernel's only product");
    std::string why = whyNotScheduleFields(groups, warps, request.stages.value_or(0), registers, /*split=*/1, request.raster.value_or(defaultRaster));
    if (!why.empty())
      return refuse(dots.front().getLoc(), why);
    if (groups != 1)
      return refuse(dots.front().getLoc(), "loops with several products are computed by one group");
    if (request.preparesVectors.value_or(false))
      return refuse(dots.front().getLoc(), "vectors are not prepared for loops with several products");
    int64_t rowsOfGroup = rowsOfWarpgroup * warps / 4;
    if (rows % rowsOfGroup != 0)
      return refuse(dots.front().getLoc(), "its tile has " + std::to_string(rows) + " rows, and a group of " +
                                               std::to_string(warps / 4) + " warpgroups needs a multiple of " +
                                               std::to_string(rowsOfGroup));
    for (tile::ForOp loop : facts.loops) {
      int64_t halves = 0;
      for (auto dot : loop.getBody().front().getOps<tile::DotOp>()) {
        halves += 2 * elementsOfThread(dot.getType(), warps);
        for (Value operand : {dot.getLhs(), dot.getRhs()})
          halves += operand.getDefiningOp<tile::LoadOp>() ? 0 : elementsOfThread(operand.getType(), warps);
      }
      if (halves / 2 > mostRegisters)
        return refuse(loop.getLoc(), "its products have " + std::to_string(halves / 2) +
                                         " registers a thread, and there is room for " + std::to_string(mostRegisters));
    }
    facts.overlap = llvm::StringSwitch<StringRef>(request.overlap.value_or("turns"))
                        .Case("none", loopsInPlace)
                        .Case("delayed", loopsDelayed)
                        .Default(loopsInTurns);
    facts.schedule =
        ScheduleAttr::get(kernel.getContext(), groups, warps, request.stages.value_or(0), registers, /*prepares=*/false, /*split=*/1, request.raster.value_or(defaultRaster));
    return true;
  }

  static int64_t elementsOf(Type tile) {
    int64_t elements = 1;
    for (int64_t extent : paddedShape(tile))
      elements *= extent;
    return elements;
  }
  static int64_t elementsOfThread(Type tile, int64_t warps) { return elementsOf(tile) / (threadsOfWarpgroup * warps / 4); }

  // ------------------------------------------------------------------------------------------------------------------
  // Stores and memory
  // ------------------------------------------------------------------------------------------------------------------

  /// As for one product: a whole tile over whole dimensions, so that what a box has beyond the tile's end is outside of the
  /// view. A kernel has only so many tensor maps; the stores after them do without.
  void findStores() {
    if (request.storesFromRegisters.value_or(false))
      return;
    int64_t maps = mapsOfOperands();
    for (auto store : nest.back().getBody().getOps<tile::StoreOp>()) {
      tile::ViewType view = store.getView().getType();
      auto value = dyn_cast<RankedTensorType>(store.getValue().getType());
      std::string why;
      if (view.getAccess() != tile::Access::Out || !isa<FloatType>(view.getElement()) ||
          view.getElement().getIntOrFloatBitWidth() != 16 || !value || value.getRank() != 2 ||
          tile::axesOf(value)[0] != rowAxis || value.getDimSize(0) != extentOf(dots.front().getType(), rowAxis) ||
          value.getDimSize(1) % 16 != 0 || value.getDimSize(1) > 256 || llvm::map_to_vector(store.getSpans(), [](Value span) {
                                                                          return cast<tile::SpanType>(span.getType()).getAxis();
                                                                        }) != SmallVector<StringAttr>(tile::axesOf(value)))
        continue;
      std::optional<TensorAccess> access = tensorAccess(view, store.getIndices(), store.getCompare(), why);
      if (!access || access->dimensions.front().axis != tile::axesOf(value)[1] || !access->along(rowAxis))
        continue;
      bool isWhole = llvm::all_of(access->dimensions, [&](const TensorAccess::Dimension &dimension) {
        return !dimension.axis || isWholeAlong(store, dimension);
      });
      int64_t needed = mapsOfSlices(value.getDimSize(1), view.getElement().getIntOrFloatBitWidth());
      if (!isWhole || maps + needed > mostTensorMaps)
        continue;
      facts.tensorStores.push_back(store);
      maps += needed;
    }
  }

  /// Each load has a map of its own.
  int64_t mapsOfOperands() {
    llvm::SmallDenseSet<Operation *> loads;
    for (tile::DotOp dot : dots)
      for (Value operand : {dot.getLhs(), dot.getRhs()})
        if (auto load = operand.getDefiningOp<tile::LoadOp>())
          loads.insert(load);
    return static_cast<int64_t>(loads.size());
  }

  bool isWholeAlong(tile::StoreOp store, const TensorAccess::Dimension &dimension) {
    for (Value span : store.getSpans()) {
      auto type = cast<tile::SpanType>(span.getType());
      if (type.getAxis() != dimension.axis)
        continue;
      if (span.getDefiningOp<tile::SpanOp>())
        return paddedExtent(type.getCapacity()) == type.getCapacity();
      auto variable = llvm::find_if(nest, [&](tile::ParallelOp variable) { return variable.getInductionVariable() == span; });
      return variable != nest.end() &&
             coversDimension(dimension, store.getView().getType(), variable->getLow(), variable->getHigh());
    }
    return false;
  }

  bool checkMemory() {
    constexpr int64_t fewestStages = 2, stagingBytesOfWarp = 2 * 2048, barrierBytes = 1024;
    int64_t stage = 0, once = 0, scratch = 0;
    for (RankedTensorType tile : loadedTiles(facts.loops.front()))
      stage += elementsOf(tile) * elementBytes;
    llvm::SmallDenseSet<Operation *> before;
    for (tile::DotOp dot : dots)
      for (Value operand : {dot.getLhs(), dot.getRhs()})
        if (auto load = operand.getDefiningOp<tile::LoadOp>();
            load && load->getParentOp() == nest.back() && before.insert(load).second)
          once += elementsOf(load.getType()) * elementBytes;
    kernel.walk([&](tile::StoreOp store) {
      int64_t bits = store.getView().getType().getElement().getIntOrFloatBitWidth();
      auto value = store.getValue().getType();
      if (!llvm::is_contained(facts.tensorStores, store) && bits < 32 && tile::isTile(value))
        scratch = std::max(scratch, elementsOf(value) * std::max<int64_t>(1, bits / 8));
    });
    llvm::SmallDenseSet<Type> stored; // each type has staging of its own
    for (tile::StoreOp store : facts.tensorStores)
      stored.insert(store.getView().getType().getElement());
    int64_t stages = std::max(fewestStages, facts.schedule.getStages());
    int64_t needed = once + stages * stage + scratch +
                     static_cast<int64_t>(stored.size()) * stagingBytesOfWarp * facts.schedule.getWarps() + barrierBytes;
    if (needed <= sharedBytes)
      return true;
    return refuse(dots.front().getLoc(),
                  std::to_string(stages) + " stages, what is loaded before the loop and what its stores need take " +
                      std::to_string(needed) + " bytes of shared memory, and a block has " + std::to_string(sharedBytes));
  }
};

} // namespace

bool usesProductsInSteps(tile::KernelOp kernel) {
  return kernel
      .walk([](tile::DotOp dot) {
        bool isUsed = isa<tile::ForOp>(dot->getParentOp()) && llvm::any_of(dot->getUsers(), [&](Operation *user) {
                        return user->getBlock() == dot->getBlock() && !isa<tile::YieldOp>(user);
                      });
        return isUsed ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

std::optional<LoopFacts> loopFacts(tile::KernelOp kernel, int64_t sharedBytes, const ScheduleRequest &request, NoSchedule &no) {
  return LoopFactsFinder(kernel, sharedBytes, request, no).run();
}

} // namespace tilewright::tilegpu
