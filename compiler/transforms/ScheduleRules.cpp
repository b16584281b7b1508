// The rules, and why (numbers: one H200, a hand-written kernel with each of the schedules).
//
// Two groups with a tile each (ping-pong) hide the epilogue of one behind the products of the other: a bias and GELU over 32768 × 3072, K = 768,
// took 109 µs so, and 131 µs with two warpgroups on one tile of 128 × 256. A group has one warpgroup then, and a thread of it as many
// accumulators as rows · columns / 128; beyond some 208 ptxas spills, and the tile needs both warpgroups.
//
// Vectors along the columns (a bias) come by tensor copies, or are loaded in the epilogue. Prepared in shared memory by a warp of its own they saved 3 % of
// 2048 × 4096, K = 1024, but cost 7 % of 4096 × 1024, K = 256, and of 16384 × 768, K = 3072 (reason not known), so that is for those who ask.
//
// Sums of f8 are promoted: each step's goes into sums of f32 in registers. A warpgroup adds while another one multiplies, so two of them share
// a tile and no turn is taken; each element takes two registers.
//
// A thread that feeds needs few registers, so its warpgroup gives up what the others take: 168 each at the start, then 40 and 232, or 24
// and 240 where accumulators are many.
//
// An operand that is computed on the way (a cast, dy · act′(z)) goes through the registers of the warps that multiply it. What they compute of
// a step serves as many columns as the tile has, so it should have many: both warpgroups share one of 256 columns, and each has 64 rows and 128
// accumulators of a thread. While one computes, the other's products run.
//
// A tile that is split over a cluster's blocks has each form a part of the sum, and each finish and store a share of the columns (split-sums). The sums
// meet in the ring's memory, so one group has the tile.

#include "compiler/transforms/KernelRules.h"

#include "compiler/analysis/ComputedOperand.h"
#include "compiler/analysis/SumPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::tilegpu {

namespace {

constexpr int64_t mostAccumulators = 208, manyAccumulators = 160, threadsOfWarpgroup = 128, blockRows = 64;
/// Two groups of two warpgroups: a thread has 112 registers, 96 when it starts.
constexpr int64_t mostWarps = 16, mostOfSixteenWarps = 64;
/// Registers of accumulators and of an operand's fragments, beside those in which the operand is computed.
constexpr int64_t mostWithOperand = 160;

class FactsFinder : KernelRules {
public:
  FactsFinder(tile::KernelOp kernel, int64_t sharedBytes, const ScheduleRequest &request, NoSchedule &no)
      : KernelRules(kernel, sharedBytes, request, no) {}

  std::optional<ScheduleFacts> run() {
    if (!findLoop() || !checkGrid(facts.product.loop) || !checkLoop() || !checkOperands() || !checkTile() || !checkShares())
      return std::nullopt;
    findStores();
    if (!checkStores() || !checkMemory())
      return std::nullopt;
    findLoads();
    return facts;
  }

private:
  ScheduleFacts facts{};
  StringAttr rowAxis, columnAxis, depthAxis;
  llvm::DenseSet<Operation *> loads; ///< of the rows' operand
  int64_t elementBytes = 0; ///< of the operands

  bool findLoop() {
    if (request.isPlain)
      return refuse(kernel.getLoc(), "the schedule `plain` is asked for");
    SmallVector<tile::DotOp> dots;
    kernel.walk([&](tile::DotOp dot) { dots.push_back(dot); });
    if (dots.empty())
      return refuse(kernel.getLoc(), "it has no product");
    tile::DotOp dot = facts.product.dot = dots.front();
    if (!isOfUnits(dot))
      return refuse(dot.getLoc(), "its operands are not both bf16, both f16, both f8, both i8, or both f32 with `precision = tf32`");
    no.isWorthTelling = true;
    elementBytes = getElementTypeOrSelf(dot.getLhs().getType()).getIntOrFloatBitWidth() / 8;
    facts.product.isPromoted = isPromoted(dot.getLhs().getType(), dot.getPrecision());
    if (dots.size() > 1)
      return refuse(dots[1].getLoc(), "the kernel has another product");
    facts.product.loop = dyn_cast<tile::ForOp>(dot->getParentOp());
    if (!facts.product.loop)
      return refuse(dot.getLoc(), "it does not stand in a loop");
    return true;
  }

  /// Whether the units of wgmma form such products.
  static bool isOfUnits(tile::DotOp dot) {
    Type lhs = getElementTypeOrSelf(dot.getLhs().getType()), rhs = getElementTypeOrSelf(dot.getRhs().getType()), sum = getElementTypeOrSelf(dot.getType());
    auto isF8 = [](Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); };
    if (lhs.isInteger(8))
      return rhs == lhs && sum.isInteger(32) && !dot.getLhsUnsigned() && !dot.getRhsUnsigned();
    if (!sum.isF32())
      return false;
    if (isF8(lhs))
      return isF8(rhs);
    return lhs == rhs && (lhs.isBF16() || lhs.isF16() || (lhs.isF32() && dot.getPrecision() == tile::DotPrecision::TF32));
  }

  /// Whether the feeding thread can compute a scalar: it repeats what is pure in the grid's nest, and reads nothing there. What the loop
  /// computes must be the same in all of its steps.
  bool isKnownToProducer(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() == &kernel.getBlock())
      return op || cast<BlockArgument>(value).getOwner() != &facts.product.loop.getBody().front();
    return isPure(op) && op->getNumRegions() == 0 && llvm::none_of(op->getOperandTypes(), tile::isTile) &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return isKnownToProducer(operand); });
  }

  /// The operand itself, or what it is computed of.
  bool findRows(Value operand) {
    auto load = operand.getDefiningOp<tile::LoadOp>();
    if (load && load->getParentOp() == facts.product.loop) {
      facts.product.rows = {load};
      loads.insert(load);
      return true;
    }
    Location where = operand.getLoc();
    std::string why;
    std::optional<ComputedOperand> computed = computedOperand(operand, facts.product.loop, where, why);
    if (!computed)
      return refuse(where, why);
    constexpr int64_t bytesInRegisters = 2;
    if (elementBytes != bytesInRegisters)
      return refuse(where, "an operand is computed on the way, and only one of 16 bits can be");
    facts.product.isComputed = true;
    facts.product.rows = computed->tiles;
    loads.insert_range(ArrayRef(computed->tiles));
    loads.insert_range(ArrayRef(computed->others));
    return true;
  }

  bool checkLoop() {
    tile::ForOp loop = facts.product.loop;
    tile::DotOp dot = facts.product.dot;
    Block &body = loop.getBody().front();
    Operation *yield = body.getTerminator();
    APInt low;
    if (!loop.isSpan() || !matchPattern(loop.getLow(), m_ConstantInt(&low)) || low != 0)
      return refuse(loop.getLoc(), "its loop does not go over spans from 0");
    bool carriesSum = loop.getInitial().size() == 1 && yield->getOperand(0) == dot.getResult() && dot.getAccumulator() == body.getArgument(1);
    if (!carriesSum || !(matchPattern(loop.getInitial().front(), m_AnyZeroFloat()) || matchPattern(loop.getInitial().front(), m_Zero())))
      return refuse(loop.getLoc(), "its loop carries something else than the product's sum from 0");
    facts.product.isSwapped = false;
    if (dot.getSpans().size() != 1 || dot.getSpans().front() != body.getArgument(0))
      return refuse(dot.getLoc(), "it does not sum over the loop's span alone");
    depthAxis = cast<tile::SpanType>(dot.getSpans().front().getType()).getAxis();
    if (cast<RankedTensorType>(dot.getType()).getRank() != 2)
      return refuse(dot.getLoc(), "its result does not have two axes");
    rowAxis = tile::axesOf(dot.getType())[0];
    columnAxis = tile::axesOf(dot.getType())[1];
    facts.product.isSwapped = tile::positionOfAxis(dot.getLhs().getType(), rowAxis) < 0;
    Value rows = facts.product.isSwapped ? dot.getRhs() : dot.getLhs(), columns = facts.product.isSwapped ? dot.getLhs() : dot.getRhs();
    if (tile::positionOfAxis(columns.getType(), rowAxis) >= 0 || tile::positionOfAxis(rows.getType(), columnAxis) >= 0)
      return refuse(dot.getLoc(), "its operands share an axis that is not summed");
    facts.product.columns = columns.getDefiningOp<tile::LoadOp>();
    if (!facts.product.columns || facts.product.columns->getParentOp() != loop)
      return refuse(columns.getLoc(), "the operand of the result's second axis is not loaded as it is in its loop");
    if (!findRows(rows))
      return false;
    for (Operation &op : body) {
      bool isPart = &op == dot || loads.contains(&op) || &op == facts.product.columns || &op == yield || isa<tile::IndexOp>(op) ||
                    (isPure(&op) && op.getNumRegions() == 0 && !isa<tile::LoadOp>(op));
      if (!isPart)
        return refuse(op.getLoc(), "its loop does something else");
    }
    return true;
  }

  bool checkOperands() {
    return llvm::all_of(facts.product.rows, [&](tile::LoadOp load) { return checkOperand(load, rowAxis); }) && checkOperand(facts.product.columns, columnAxis);
  }

  bool checkOperand(tile::LoadOp load, StringAttr axis) {
    tile::ViewType view = load.getView().getType();
    std::string name = nameOf(load.getView());
    std::optional<TensorAccess> access = accessOfOperand(load, packRun(load.getView()));
    if (!access)
      return false;
    const TensorAccess::Dimension *depth = access->along(depthAxis), *other = access->along(axis);
    if (!depth || !other)
      return refuse(load.getLoc(), "`" + name + "` has no dimension for each axis of the product");
    // What the last step has beyond the end must be zero in both operands, and a tensor copy gives zeros outside of the view only.
    if (!hasWholeSteps() && !coversDimension(*depth, view, facts.product.loop.getLow(), facts.product.loop.getHigh()))
      return refuse(load.getLoc(), "the loop does not go over the whole of `" + name + "`'s dimension");
    for (const TensorAccess::Dimension &dimension : access->dimensions)
      for (const Monomial &term : dimension.index)
        for (Value scalar : term.scalars)
          if (!isKnownToProducer(scalar))
            return refuse(load.getLoc(), "an index of `" + name + "` changes from step to step, or is computed from memory");
    // What wgmma reads has the swizzle of 128 bytes; threads can read any.
    bool isRead = facts.product.isComputed && load != facts.product.columns;
    int64_t panelBytes = isRead ? 32 : 128, bytes = std::max<int64_t>(1, view.getElement().getIntOrFloatBitWidth() / 8);
    StringAttr contiguous = access->dimensions.front().axis;
    if (!isRead && elementBytes != 2 && contiguous != depthAxis)
      return refuse(load.getLoc(), "`" + name + "` is not contiguous along the summed axis, and only operands of 16 bits may be so");
    if (extentOf(load.getType(), contiguous) * bytes % panelBytes != 0)
      return refuse(load.getLoc(), "its tile of `" + name + "` has not whole rows of " + std::to_string(panelBytes) + " bytes");
    for (const TensorAccess::Dimension &dimension : access->dimensions)
      if (std::string reason = whyNotRuns(dimension, load.getSpans(), dimension.axis == contiguous ? panelBytes / bytes : 1); !reason.empty())
        return refuse(load.getLoc(), "tensor copies cannot take `" + name + "`: " + reason);
    return true;
  }

  /// Whether the loop has no step that is shorter than the others.
  bool hasWholeSteps() {
    APInt high;
    int64_t step = cast<tile::SpanType>(facts.product.loop.getInductionVariable().getType()).getCapacity();
    return matchPattern(facts.product.loop.getHigh(), m_ConstantInt(&high)) && high.getSExtValue() % step == 0;
  }

  /// Boxes of a pack in parts must not go over a part's end: they begin at multiples of what a part is a multiple of. `fewest`: indices of
  /// a box. Empty if they do not, or it is no such pack.
  std::string whyNotRuns(const TensorAccess::Dimension &dimension, ValueRange spans, int64_t fewest) {
    if (dimension.run == 0 || !dimension.axis)
      return "";
    if (dimension.run % fewest != 0)
      return "its rows are not one distance apart, and what lies between the jumps is not known to be a multiple of " + std::to_string(fewest);
    auto isOfAxis = [&](Value span) { return cast<tile::SpanType>(span.getType()).getAxis() == dimension.axis; };
    int64_t capacity = cast<tile::SpanType>((*llvm::find_if(spans, isOfAxis)).getType()).getCapacity() / (dimension.axis == columnAxis ? split() : 1);
    APInt low;
    auto variable = llvm::find_if(nest, [&](tile::ParallelOp variable) { return variable.getAxis() == dimension.axis; });
    bool isFromZero = dimension.axis == depthAxis || (variable != nest.end() && matchPattern(variable->getLow(), m_ConstantInt(&low)) && low == 0);
    constexpr int64_t fewestRows = 16;
    if (!isFromZero || capacity % std::max(fewest, fewestRows) != 0)
      return "its rows are not one distance apart, and the tile does not begin at a multiple of " + std::to_string(std::max(fewest, fewestRows));
    return "";
  }

  bool checkTile() {
    tile::DotOp dot = facts.product.dot;
    int64_t rows = extentOf(dot.getType(), rowAxis), columns = extentOf(dot.getType(), columnAxis);
    // A box brings what a padded step would have beyond its end, which is the next one's: it would be summed twice.
    int64_t steps = cast<tile::SpanType>(dot.getSpans().front().getType()).getCapacity();
    const int64_t stepsOfInstruction = 32 / elementBytes;
    if (steps % stepsOfInstruction != 0 || columns % 16 != 0 || std::max({rows, columns, steps}) > 256)
      return refuse(dot.getLoc(), "its tile is not of a multiple of 16 columns and " + std::to_string(stepsOfInstruction) + " steps, and of at most 256 rows, columns and steps");
    bool isPromoted = facts.product.isPromoted;
    if (isPromoted && steps > mostUnpromotedSteps)
      return refuse(dot.getLoc(), "sums of f8 are promoted every " + std::to_string(mostUnpromotedSteps) + " steps, and its tile has " + std::to_string(steps) + " (`precision = fast` would do)");
    const int64_t sums = isPromoted ? 2 : 1;
    int64_t accumulators = sums * rows * columns / threadsOfWarpgroup;
    bool isShared = request.groups == 1 || accumulators > mostAccumulators || ((isPromoted || (split() > 1 && request.groups != 2) || facts.product.isComputed) && rows % (2 * blockRows) == 0);
    int64_t warps = request.warps ? *request.warps : isShared ? 8 : 4;
    int64_t groups = request.groups ? *request.groups : warps == 4 && split() == 1 ? 2 : 1;
    if (warps == 8)
      accumulators /= 2;
    SmallVector<int64_t> registers{40, 232};
    if (request.registers)
      registers = {request.registers->first, request.registers->second};
    else if (groups * warps == mostWarps)
      registers = {24, 112};
    else if (groups * warps == 4)
      registers = {0, 0}; // a thread has all that it can have
    else if (accumulators > manyAccumulators || facts.product.isComputed)
      registers = {24, 240};
    int64_t raster = request.raster.value_or(defaultRaster);
    std::string why = whyNotScheduleFields(groups, warps, request.stages.value_or(0), registers, split(), raster);
    if (!why.empty())
      return refuse(dot.getLoc(), why);
    facts.schedule = ScheduleAttr::get(kernel.getContext(), groups, warps, request.stages.value_or(0), registers, request.preparesVectors.value_or(false), split(), raster);
    why = whyNotSchedule(facts.schedule, rows, columns, sums, facts.product.isComputed ? steps : 0);
    return why.empty() || refuse(dot.getLoc(), why);
  }

  int64_t split() { return request.split.value_or(1); }

  /// What meets the product can be done for a share of the columns by itself, and by one block of the cluster.
  bool checkShares() {
    if (split() == 1)
      return true;
    auto isOfColumns = [&](Type type) { return isa<tile::SpanType>(type) ? cast<tile::SpanType>(type).getAxis() == columnAxis : tile::isTile(type) && tile::positionOfAxis(type, columnAxis) >= 0; };
    if (llvm::none_of(nest, [&](tile::ParallelOp variable) { return variable.getAxis() == columnAxis; }))
      return refuse(facts.product.dot.getLoc(), "its columns are not an axis of the grid, and only such are shared by a cluster's blocks");
    Operation *whole = nullptr;
    std::string why;
    auto note = [&](Operation *op, std::string reason) {
      if (!whole)
        whole = op, why = std::move(reason);
    };
    kernel.walk([&](Operation *op) {
      bool isInLoop = facts.product.loop->isAncestor(op), isConstant = op->hasTrait<OpTrait::ConstantLike>();
      bool hasColumns = llvm::any_of(op->getOperandTypes(), isOfColumns) || llvm::any_of(op->getResultTypes(), isOfColumns);
      if (isInLoop || isConstant)
        return;
      if (auto store = dyn_cast<tile::StoreOp>(op); store && llvm::none_of(store.getSpans().getTypes(), isOfColumns))
        note(op, "a store that is not along its columns would be made by each block of a cluster");
      if (isa<tile::SpanStartOp, tile::SpanEndOp>(op) && hasColumns)
        note(op, "it asks where its columns begin or end, and each block of a cluster has a share of them");
      if (isa<tile::ReduceOp, tile::ArgReduceOp, tile::FoldOp, tile::ScanOp>(op) && llvm::any_of(op->getOperandTypes(), [&](Type type) { return isa<tile::SpanType>(type) && isOfColumns(type); }))
        note(op, "it reduces or scans along its columns, of which each block of a cluster has a share");
      if (hasColumns && !isa<tile::ParallelOp>(op) && !nest.back()->isAncestor(op))
        note(op, "it computes with its columns outside of the innermost axis of the grid");
    });
    return !whole || refuse(whole->getLoc(), why);
  }

  /// A store that drops what is outside of its view compares each element's indices; beside the accumulators there is room for two. (The four
  /// of a projection spilled 1,600 bytes.)
  bool checkStores() {
    SmallVector<tile::StoreOp> comparing;
    kernel.walk([&](tile::StoreOp store) {
      if (llvm::is_contained(store.getCompare(), true) && tile::isTile(store.getValue().getType()) && cast<RankedTensorType>(store.getValue().getType()).getRank() == 2 &&
          !llvm::is_contained(facts.tensorStores, store))
        comparing.push_back(store);
    });
    constexpr size_t most = 2;
    if (comparing.size() <= most)
      return true;
    return refuse(comparing[most].getLoc(), "the kernel has " + std::to_string(comparing.size()) + " stores that drop what is outside of their views, and there is room for " + std::to_string(most));
  }

  /// What a reduction or a scan along the rows, which are over the warps, tells other warps: one state for each 16 rows of a warp's, and
  /// column.
  int64_t bytesAmongWarps(Operation *op, int64_t elements) {
    auto isRowSpan = [&](Type type) { return isa<tile::SpanType>(type) && cast<tile::SpanType>(type).getAxis() == rowAxis; };
    if (!isa<tile::ReduceOp, tile::ArgReduceOp, tile::FoldOp, tile::ScanOp>(op) || llvm::none_of(op->getOperandTypes(), isRowSpan))
      return 0;
    int64_t stateBytes = isa<tile::ArgReduceOp>(op) ? 8 : 0;
    for (Type type : op->getOperandTypes())
      if (tile::isTile(type))
        stateBytes += std::max<int64_t>(4, getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8);
    constexpr int64_t rowsOfWarp = 16;
    return elements / rowsOfWarp * stateBytes;
  }

  /// Two stages, what groups need for stores by tensor copies, and for others that change the layout: those whose elements are so narrow that
  /// the accumulator's layout would touch parts of sectors.
  bool checkMemory() {
    tile::DotOp dot = facts.product.dot;
    int64_t rows = extentOf(dot.getType(), rowAxis), columns = extentOf(dot.getType(), columnAxis), depth = extentOf(dot.getLhs().getType(), depthAxis);
    int64_t stageBytes = columns * depth * elementBytes;
    for (tile::LoadOp load : facts.product.rows)
      stageBytes += rows * depth * std::max<int64_t>(1, load.getView().getType().getElement().getIntOrFloatBitWidth() / 8);
    constexpr int64_t fewestStages = 2, stagingBytesOfWarp = 2 * 2048, barrierBytes = 1024;
    int64_t scratch = 0;
    nest.front().walk([&](Operation *op) { scratch = std::max(scratch, bytesAmongWarps(op, rows * columns)); });
    kernel.walk([&](tile::StoreOp store) {
      int64_t bits = store.getView().getType().getElement().getIntOrFloatBitWidth();
      if (!llvm::is_contained(facts.tensorStores, store) && bits < 32)
        scratch = std::max(scratch, rows * columns * std::max<int64_t>(1, bits / 8));
    });
    ScheduleAttr schedule = facts.schedule;
    llvm::SmallDenseSet<Type> stored; // each type has staging of its own
    for (tile::StoreOp store : facts.tensorStores)
      stored.insert(store.getView().getType().getElement());
    int64_t ofGroup = scratch + static_cast<int64_t>(stored.size()) * stagingBytesOfWarp * schedule.getWarps();
    int64_t vectors = 0; // that may be prepared: four stages of at most four bytes an element
    if (schedule.getPrepares())
      kernel.walk([&](tile::LoadOp load) { vectors += tile::isTile(load.getType()) && cast<RankedTensorType>(load.getType()).getRank() == 1 ? 16 * columns : 0; });
    constexpr int64_t sumBytes = 4;
    int64_t stages = std::max({fewestStages, schedule.getStages(), split() > 1 ? static_cast<int64_t>(llvm::divideCeil(rows * columns * sumBytes, stageBytes)) : 0});
    int64_t needed = vectors + stages * stageBytes + schedule.getGroups() * ofGroup + barrierBytes;
    if (needed <= sharedBytes)
      return true;
    return refuse(dot.getLoc(), std::to_string(stages) + " stages and what its stores, vectors and reductions need take " + std::to_string(needed) + " bytes of shared memory, and a block has " +
                                    std::to_string(sharedBytes));
  }

  /// A store of the whole tile, such that what a box has beyond the tile's end is outside of the view. What it has in padding would not be.
  /// What is outside is dropped, so indices that are compared need no more. A kernel has only so many tensor maps; the stores after them do
  /// without.
  /// A tensor copy is ordered with other stores of its warp, but not with what other warps load.
  static bool isOnlyWritten(Value view) {
    return cast<tile::ViewType>(view.getType()).getAccess() != tile::Access::In &&
           llvm::none_of(view.getUsers(), [](Operation *user) { return isa<tile::LoadOp>(user); });
  }

  void findStores() {
    if (request.storesFromRegisters.value_or(false))
      return;
    for (auto store : nest.back().getBody().getOps<tile::StoreOp>())
      if (isOnlyWritten(store.getView()) && isTensorCopy(store, store.getValue().getType(), {16}) && takeMaps(16))
        facts.tensorStores.push_back(store);
  }

  /// Loads like those stores, whose copies start when the tile begins. A store that may miss its view is made only where it does not, and what
  /// is loaded by copies must be read in every tile.
  void findLoads() {
    bool mayMiss = llvm::any_of(facts.tensorStores, [](tile::StoreOp store) { return llvm::is_contained(store.getCompare(), true); });
    for (auto load : nest.back().getBody().getOps<tile::LoadOp>())
      if (!mayMiss && load.getView().getType().getAccess() == tile::Access::In && !load.getOtherwise() && isTensorCopy(load, load.getType(), {16, 32}) &&
          isKnownAtBeginning(load) && takeMaps(load.getView().getType().getElement().getIntOrFloatBitWidth()))
        facts.tensorLoads.push_back(load);
    if (!request.preparesVectors)
      findVectors();
  }

  /// One copy for a tile brings its part of a vector. They are the last to get maps: loads of vectors cost least.
  void findVectors() {
    int64_t columns = extentOf(facts.product.dot.getType(), columnAxis);
    for (auto load : nest.back().getBody().getOps<tile::LoadOp>()) {
      tile::ViewType view = load.getView().getType();
      if (!tile::isTile(load.getType()) || tile::axesOf(load.getType()) != ArrayRef(columnAxis) || view.getAccess() != tile::Access::In || load.getOtherwise() || view.getPackRank() > 1 ||
          !(view.getElement().isF32() || view.getElement().isBF16() || view.getElement().isF16()) || cast<RankedTensorType>(load.getType()).getDimSize(0) != columns)
        continue;
      std::string why;
      std::optional<TensorAccess> access = tensorAccess(view, load.getIndices(), load.getCompare(), why);
      if (access && isWhole(*access, view, load.getSpans(), /*isStore=*/false) && isKnownToRoles(*access) && mapsOfOperands() + maps < mostTensorMaps) {
        facts.tensorLoads.push_back(load);
        ++maps;
      }
    }
  }

  int64_t maps = 0; ///< of what has been found

  int64_t mapsOfOperands() { return 1 + static_cast<int64_t>(facts.product.rows.size()); }

  bool takeMaps(int64_t bits) {
    int64_t needed = mapsOfSlices(extentOf(facts.product.dot.getType(), columnAxis) / split(), bits);
    if (mapsOfOperands() + maps + needed > mostTensorMaps)
      return false;
    maps += needed;
    return true;
  }

  template <typename AccessOp> bool isTensorCopy(AccessOp op, Type value, ArrayRef<unsigned> bits) {
    auto tile = cast<RankedTensorType>(facts.product.dot.getType());
    tile::ViewType view = op.getView().getType();
    SmallVector<StringAttr> axes{rowAxis, columnAxis};
    if (llvm::to_vector(tile.getShape()) != tilegpu::paddedShape(tile) || !isa<FloatType>(view.getElement()) || !llvm::is_contained(bits, view.getElement().getIntOrFloatBitWidth()) ||
        !tile::isTile(value) || llvm::to_vector(tile::axesOf(value)) != axes ||
        llvm::map_to_vector(op.getSpans(), [](Value span) { return cast<tile::SpanType>(span.getType()).getAxis(); }) != axes)
      return false;
    std::string why;
    constexpr bool isStore = std::is_same_v<AccessOp, tile::StoreOp>;
    SmallVector<bool> notCompared(op.getCompare().size(), false);
    std::optional<TensorAccess> access = tensorAccess(view, op.getIndices(), isStore ? ArrayRef<bool>(notCompared) : op.getCompare(), why, packRun(op.getView()));
    if (!access || access->dimensions.front().axis != columnAxis || !access->along(rowAxis) || (isStore && !beginsWithPieces(access->dimensions.front())))
      return false;
    return isWhole(*access, view, op.getSpans(), isStore);
  }

  /// Whether what a box has beyond its tile is outside of the view.
  bool isWhole(const TensorAccess &access, tile::ViewType view, ValueRange spans, bool isStore) {
    return llvm::all_of(access.dimensions, [&](const TensorAccess::Dimension &dimension) {
      auto variable = llvm::find_if(nest, [&](tile::ParallelOp variable) { return dimension.axis && variable.getAxis() == dimension.axis; });
      if (!dimension.axis || variable == nest.end())
        return !dimension.axis;
      constexpr int64_t widestSlice = 64;
      bool isWhole = isStore ? reachesEnd(dimension, view, variable->getHigh()) : coversDimension(dimension, view, variable->getLow(), variable->getHigh());
      return isWhole && whyNotRuns(dimension, spans, dimension.axis == columnAxis ? widestSlice : 1).empty();
    });
  }

  bool isKnownToRoles(const TensorAccess &access) {
    for (const TensorAccess::Dimension &dimension : access.dimensions)
      for (const Monomial &term : dimension.index)
        if (!llvm::all_of(term.scalars, [&](Value scalar) { return isKnownToProducer(scalar); }))
          return false;
    return true;
  }

  /// Whether where a load is can be computed before the product.
  bool isKnownAtBeginning(tile::LoadOp load) {
    std::string why;
    TensorAccess access = *tensorAccess(load.getView().getType(), load.getIndices(), load.getCompare(), why, packRun(load.getView()));
    for (const TensorAccess::Dimension &dimension : access.dimensions)
      for (const Monomial &term : dimension.index)
        for (Value scalar : term.scalars)
          if (Operation *op = scalar.getDefiningOp(); op && isInnermost(op) && !op->isBeforeInBlock(facts.product.loop))
            return false;
    return true;
  }

  /// Whether all that is added to a span is a multiple of 16 bytes, which tensor copies write as a whole: of the numbers that are known when
  /// the kernel is launched, the lengths of the rows that are written are such.
  bool beginsWithPieces(const TensorAccess::Dimension &columns) {
    constexpr int64_t pieceElements = 8;
    APInt low;
    auto variable = llvm::find_if(nest, [&](tile::ParallelOp variable) { return variable.getAxis() == columns.axis; });
    if (variable == nest.end() || !matchPattern(variable->getLow(), m_ConstantInt(&low)) || low.getSExtValue() % pieceElements != 0)
      return false;
    return llvm::all_of(columns.index, [&](const Monomial &term) {
      return term.axis || term.factor % pieceElements == 0 || llvm::any_of(term.scalars, [&](Value scalar) { return isLengthOfWrittenRows(scalar); });
    });
  }

  bool isLengthOfWrittenRows(Value scalar) {
    auto dimension = dyn_cast<BlockArgument>(scalar);
    if (!dimension || dimension.getOwner() != &kernel.getBlock())
      return false;
    auto name = cast<StringAttr>(kernel.getNames()[dimension.getArgNumber()]);
    return llvm::any_of(kernel.getParameterArguments(), [&](BlockArgument argument) {
      auto view = dyn_cast<tile::ViewType>(argument.getType());
      constexpr int64_t pieceBytes = 16;
      return view && view.isWritten() && view.getRank() > 1 && view.getAlignment() >= pieceBytes && view.getUnitStride() >= 0 &&
             view.getElement().getIntOrFloatBitWidth() == 16 && view.getDims()[view.getUnitStride()] == name;
    });
  }
};

} // namespace

std::optional<ScheduleFacts> scheduleFacts(tile::KernelOp kernel, int64_t sharedBytes, const ScheduleRequest &request, NoSchedule &no) {
  return FactsFinder(kernel, sharedBytes, request, no).run();
}

std::string whyNotSchedule(ScheduleAttr schedule, int64_t rows, int64_t columns, int64_t sums, int64_t depth) {
  int64_t warpgroups = schedule.getWarps() / 4;
  if (rows % (blockRows * warpgroups) != 0)
    return "its tile has " + std::to_string(rows) + " rows, and a group of " + std::to_string(warpgroups) + " warpgroups needs a multiple of " +
           std::to_string(blockRows * warpgroups);
  constexpr int64_t columnsOfSlice = 16;
  if (columns % (columnsOfSlice * schedule.getSplit()) != 0)
    return "its tile has " + std::to_string(columns) + " columns, and a split over " + std::to_string(schedule.getSplit()) + " blocks needs a multiple of " +
           std::to_string(columnsOfSlice * schedule.getSplit());
  int64_t accumulators = sums * rows * columns / (threadsOfWarpgroup * warpgroups);
  int64_t room = schedule.getGroups() * schedule.getWarps() == mostWarps ? mostOfSixteenWarps : mostAccumulators;
  if (accumulators > room)
    return "its tile has " + std::to_string(accumulators) + " accumulators a thread, and there is room for " + std::to_string(room);
  int64_t operand = rows * depth / 2 / (threadsOfWarpgroup * warpgroups); // two elements in a register
  if (depth > 0 && accumulators + operand > mostWithOperand)
    return "its tile has " + std::to_string(accumulators) + " accumulators a thread and its computed operand " + std::to_string(operand) +
           " registers, and there is room for " + std::to_string(mostWithOperand);
  return "";
}

} // namespace tilewright::tilegpu
