// specialize-warps: one thread feeds a ring of stages by tensor copies, groups of warps multiply what is in it.
//
// The steps of all tiles of a block are one sequence: step n lies in stage n mod S, in round n / S. Nothing of the ring's state is carried from
// tile to tile, since every tile has the same number of steps, kt = ⌈K / BK⌉ and at least 1 (of K = 0 the copies bring zeros): the first step of
// the block's t-th tile is t · kt. So a group finds its stages without having seen the tiles of the other one.
//
// Parities. Barriers start in phase 0. `full` of a stage completes phase r when it is filled for round r: groups wait for parity r mod 2.
// `empty` completes phase r when it has been read in round r: the producer of round r waits for phase r - 1, parity (r + 1) mod 2,
// which for r = 0 is over at once.
//
// Why a parity is never mistaken. A wait takes phase r + 2 for phase r. A group's warpgroup waits on `full` for round r only after it has given
// back, or the other group has, all steps before: with two groups because of the turn (a group starts a tile's products when the other has
// started its own tile's, and those wait for their stages in order), so the producer cannot be two rounds ahead: it waits for `empty` of
// this stage of round r before it fills it for r + 1.

// An operand that is computed on the way: the tiles that it is computed of have rings like an operand, and the groups compute it of a stage in the
// registers of the product (wgmma_registers), step by step, while the products of the step before run. Its warps read stages by themselves,
// so each of them gives a stage back.
//
// Vectors along the columns (a bias) come by a tensor copy for each tile, behind its last step, or are prepared: loaded, converted and left in shared memory
// by a warp that has nothing else to do. Loaded in the epilogue they cost a tenth of its time (a hand-written kernel, 128 × 192). They have a ring of their own, a
// stage for each tile; every warp gives a stage back when it has stored its part of the tile.

// A tile that is split is a cluster's: each block has a part of its steps, as even as can be, the first ones the longer by one. A block that has none
// has one all the same, whose sum nobody reads. When a block's sums are there it needs its ring no more, and leaves them in it (cluster_sum); the
// producer begins the next tile when all blocks have read them. A block ends when its own have been read.

#include "compiler/codegen/SpecializeCommon.h"
#include "compiler/transforms/LayoutRules.h"
#include "compiler/transforms/Passes.h"
#include "dialects/Layout/MatrixLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_SPECIALIZEWARPS
#include "compiler/transforms/Passes.h.inc"

namespace {

using namespace roles;

constexpr int64_t fewestStages = 2, mostStages = 16, vectorStages = 4, mostPieces = 4, stagedSlices = 2;

/// A load of the product's loop, and the ring that takes its place.
struct Operand {
  tile::LoadOp load;
  tilegpu::BufferType stage;
  TensorAccess access;
  Value map, ring;
};

class WarpSpecializer {
public:
  WarpSpecializer(tile::KernelOp kernel, int64_t sharedBytes)
      : kernel(kernel), sharedBytes(sharedBytes), schedule(kernel->getAttrOfType<tilegpu::ScheduleAttr>(tilegpu::scheduleName)),
        builder(kernel.getLoc(), kernel.getContext()), nest(nestOf(kernel)) {}

  void run() {
    kernel.walk([&](tilegpu::DotOp op) { dot = op; });
    loop = cast<tile::ForOp>(dot->getParentOp());
    kernel.walk([&](tilegpu::ClusterSumOp op) { shareOfSum = op; });
    findVectors();
    findOperands();
    findFetches();
    if (!chooseStages())
      return giveUp();
    hoistScalars();
    builder.setInsertionPoint(nest.front());
    builder.setLoc(dot.getLoc());
    for (Operand &operand : operands)
      operand.map = makeMap(builder, operand.load, operand.access, operand.stage, /*isRounded=*/!computed && operand.stage.getTile().getElementType().isF32());
    step = cast<tile::SpanType>(loop.getInductionVariable().getType()).getCapacity();
    makeRing();
    auto roles = tilegpu::RolesOp::create(builder, static_cast<uint64_t>(schedule.getGroups()), schedule.getRegisters());
    Block &producer = roles.getProducer().emplaceBlock(), &consumers = roles.getConsumers().emplaceBlock();
    makeProducer(producer);
    if (!vectors.empty() && schedule.getPrepares())
      makePreparer(roles.getPreparer().emplaceBlock());
    makeConsumers(consumers);
  }

private:
  tile::KernelOp kernel;
  int64_t sharedBytes;
  tilegpu::ScheduleAttr schedule;
  ImplicitLocOpBuilder builder;
  SmallVector<tile::ParallelOp> nest;
  tilegpu::DotOp dot;
  tile::ForOp loop;
  SmallVector<Operand, 2> operands; ///< those of the rows, then the columns'
  Value computed;                ///< the rows' operand, if it is computed of tiles
  int64_t step = 0, stages = 0;
  Value full, empty, stepsOfTile;
  Value stepsInRing; ///< of a tile, modulo twice the stages; i32

  tilegpu::ClusterSumOp shareOfSum; ///< if the tile is split
  Value firstStep, parts;           ///< of this block in the tile; how many blocks have steps
  Value sumsReady, sumsRead;

  /// A vector that is copied or prepared: what is loaded, or what it is converted to.
  struct Vector {
    Value value;
    tilegpu::BufferType stage;
    Value ring;
    std::optional<TensorAccess> access = {}; ///< if it is copied
    Value map = {};
  };
  std::vector<Vector> vectors;
  Value vectorsFull, vectorsEmpty;

  SmallVector<tile::LoadOp> fetches; ///< tiles that meet the product, brought by tensor copies while it is formed
  int64_t pieces = 0;                ///< of each of them that are on their way at a time, for each warp
  tile::LoadOp storedInPlace;        ///< one of them: the result is stored from its pieces' places, without staging
  TypedValue<tilegpu::BufferType> placesOfResult;

  Value constant(int64_t value) { return roles::constant(builder, value); }
  Value add(Value lhs, Value rhs) { return roles::add(builder, lhs, rhs); }
  Value multiply(Value lhs, Value rhs) { return roles::multiply(builder, lhs, rhs); }

  // ------------------------------------------------------------------------------------------------------------------
  // The ring
  // ------------------------------------------------------------------------------------------------------------------

  /// Scalars that the loop computes and that are the same in all of its steps (indices of the operands; ScheduleRules): the producer repeats
  /// what stands in the nest.
  void hoistScalars() {
    Block &body = loop.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(body)) {
      bool isSame = isPure(&op) && op.getNumRegions() == 0 && op.getNumResults() > 0 && !op.hasTrait<OpTrait::IsTerminator>() &&
                    llvm::none_of(op.getResultTypes(), tile::isTile) &&
                    llvm::all_of(op.getOperands(), [&](Value operand) { return operand.getParentBlock() != &body; });
      if (isSame)
        op.moveBefore(loop);
    }
  }

  static Value storedIn(Value buffer) {
    for (Operation *user : buffer.getUsers())
      if (auto store = dyn_cast<tilegpu::StoreSharedOp>(user))
        return store.getValue();
    return {};
  }

  void addOperand(tile::LoadOp load) {
    operands.push_back({load, tilegpu::bufferForCopies(load), accessOf(load), {}, {}});
  }

  /// The tiles that a value is computed of, in the loop.
  void addTilesOf(Value value, llvm::DenseSet<Operation *> &seen) {
    Operation *op = value.getDefiningOp();
    if (!op || !tile::isTile(value.getType()) || !seen.insert(op).second)
      return;
    if (auto load = dyn_cast<tile::LoadOp>(op); load && cast<RankedTensorType>(load.getType()).getRank() == 2)
      return addOperand(load);
    for (Value operand : op->getOperands())
      addTilesOf(operand, seen);
  }

  void findOperands() {
    bool isSwapped = tile::positionOfAxis(dot.getLhs().getType().getTile(), tile::axesOf(dot.getType())[0]) < 0;
    Value rows = storedIn(isSwapped ? dot.getRhs() : dot.getLhs()), columns = storedIn(isSwapped ? dot.getLhs() : dot.getRhs());
    if (!rows.getDefiningOp<tile::LoadOp>())
      computed = rows;
    llvm::DenseSet<Operation *> seen;
    addTilesOf(rows, seen);
    addOperand(columns.getDefiningOp<tile::LoadOp>());
  }

  /// Pieces of what is fetched, of a group, less the staging that they spare.
  int64_t bytesOfFetches(int64_t pieces) {
    int64_t bytes = storedInPlace ? -stagingType(storedInPlace.getView().getType().getElement(), schedule.getWarps(), stagedSlices).getBytes() : 0;
    for (tile::LoadOp load : fetches)
      bytes += pieces * stagingType(load.getView().getType().getElement(), schedule.getWarps(), 1).getBytes();
    return bytes;
  }

  int64_t bytesOfStage() {
    int64_t bytes = 0;
    for (const Operand &operand : operands)
      bytes += operand.stage.getStageBytes();
    return bytes;
  }

  /// For stages, beside so many pieces of each fetched tile.
  int64_t bytesLeft(int64_t pieces = 0) {
    const int64_t barrierBytes = 2 * 8 * mostStages + (shareOfSum ? 2 * 8 : 0);
    int64_t left = sharedBytes - schedule.getGroups() * bytesOfGroup(nest.front(), schedule.getWarps(), bytesOfFetches(pieces)) - barrierBytes - 2 * 8 * vectorStages;
    left -= 8 * static_cast<int64_t>(fetches.size()) * barriersOfFetch(pieces);
    for (const Vector &vector : vectors)
      left -= static_cast<int64_t>(llvm::alignTo(vector.stage.getStageBytes(), 16)) * vectorStages;
    return left;
  }

  int64_t stagesBeside(int64_t pieces) { return std::min(mostStages, bytesLeft(pieces) / bytesOfStage()); }

  int64_t stagesWithoutVectors(int64_t pieces) {
    std::vector<Vector> put = std::exchange(vectors, {});
    int64_t stages = stagesBeside(pieces);
    vectors = std::move(put);
    return stages;
  }

  /// Vectors, and more pieces than one for a warp (with the staged slices that they may be instead), may cost no stage: each stage less than four costs
  /// more (128 × 192, K = 768: a tenth). Where not even one leaves room for stages, threads load the tiles.
  bool chooseStages() {
    int64_t asked = schedule.getStages(), spared = storedInPlace ? stagedSlices : 0, most = std::min(mostPieces + spared, piecesOfTile());
    if (!schedule.getPrepares() && stagesBeside(spared) < (asked ? asked : stagesWithoutVectors(spared)))
      vectors.clear();
    pieces = std::clamp<int64_t>(1 + spared, 1, std::max<int64_t>(1, most));
    while (pieces > 1 && stagesBeside(pieces) < std::max(fewestStages, asked))
      --pieces;
    if (stagesBeside(pieces) < std::max(fewestStages, asked)) {
      fetches.clear();
      storedInPlace = {};
    }
    stages = asked ? asked : stagesBeside(pieces);
    while (pieces < most && stagesBeside(pieces + 1) >= stages)
      ++pieces;
    return stages >= fewestStages && stages <= stagesBeside(pieces) && hasRoomForSums();
  }

  /// In each ring a part of every share, in pieces of 16 bytes for each thread (cluster_sum).
  bool hasRoomForSums() {
    if (!shareOfSum)
      return true;
    constexpr int64_t sumBytes = 4, pieceBytes = 16;
    int64_t split = shareOfSum.getSplit(), row = pieceBytes * 32 * schedule.getWarps(), needed = sumBytes, room = 0;
    for (int64_t extent : tilegpu::paddedShape(shareOfSum.getType()))
      needed *= extent;
    for (const Operand &operand : operands)
      room += stages * operand.stage.getStageBytes() / (split * row) * row;
    return room >= needed;
  }

  /// Of a warp: 16 rows and at most 128 bytes each, of the widest elements.
  int64_t piecesOfTile() {
    SmallVector<int64_t> shape = tilegpu::paddedShape(dot.getType());
    int64_t widest = 1;
    for (tile::LoadOp load : fetches)
      widest = std::max<int64_t>(widest, load.getView().getType().getElement().getIntOrFloatBitWidth() / 8);
    return shape[0] / (16 * schedule.getWarps()) * static_cast<int64_t>(llvm::divideCeil(shape[1] / schedule.getSplit() * widest, 128));
  }

  /// What changes layouts in the epilogue is known only now. The product's layout is one of mma.sync too, with the operand first whose are
  /// the rows.
  void giveUp() {
    bool isSwapped = tile::positionOfAxis(dot.getLhs().getType().getTile(), tile::axesOf(dot.getType())[0]) < 0;
    dot.setKind(tilegpu::DotKind::Mma);
    if (isSwapped) {
      Value lhs = dot.getLhs();
      dot.getLhsMutable().assign(dot.getRhs());
      dot.getRhsMutable().assign(lhs);
    }
    emitRemark(dot.getLoc()) << "this product is formed by mma.sync, not by wgmma: " << std::max(fewestStages, schedule.getStages()) << " stages take "
                             << std::max(fewestStages, schedule.getStages()) * bytesOfStage() << " bytes of shared memory, and what the groups exchange leaves " << std::max<int64_t>(0, bytesLeft());
    kernel->removeAttr(tilegpu::scheduleName);
    kernel.walk([](Operation *op) { op->removeAttr(tilegpu::tensorCopyName); });
  }

  void makeRing() {
    for (Operand &operand : operands) {
      tilegpu::BufferType type = operand.stage;
      operand.ring = tilegpu::AllocOp::create(
          builder, tilegpu::BufferType::get(type.getContext(), type.getTile(), type.getContiguous(), type.getSwizzle(), stages), IntegerAttr());
    }
    auto barriers = tilegpu::MbarriersType::get(builder.getContext(), stages);
    int64_t readers = computed ? schedule.getWarps() : schedule.getWarps() / 4;
    full = tilegpu::MbarriersOp::create(builder, barriers, uint64_t(1), IntegerAttr());
    empty = tilegpu::MbarriersOp::create(builder, barriers, static_cast<uint64_t>(readers), IntegerAttr());
    makeVectorRing();
    if (shareOfSum) {
      auto barrier = tilegpu::MbarriersType::get(builder.getContext(), 1);
      auto arrivals = static_cast<uint64_t>(schedule.getSplit() * schedule.getWarps());
      sumsReady = tilegpu::MbarriersOp::create(builder, barrier, arrivals, IntegerAttr());
      sumsRead = tilegpu::MbarriersOp::create(builder, barrier, arrivals, IntegerAttr());
    }
    tilegpu::MbarriersReadyOp::create(builder);
    Value rounded = add(loop.getHigh(), constant(step - 1));
    stepsOfTile = arith::MaxSIOp::create(builder, arith::DivUIOp::create(builder, rounded, constant(step)), constant(1));
    firstStep = constant(0);
    if (shareOfSum)
      divideSteps();
    stepsInRing = narrow(arith::RemUIOp::create(builder, stepsOfTile, constant(2 * stages)));
  }

  /// Of all, those of this block.
  void divideSteps() {
    Value all = stepsOfTile, blocks = constant(schedule.getSplit()), rank = tilegpu::ClusterRankOp::create(builder);
    Value each = arith::DivUIOp::create(builder, all, blocks), rest = arith::RemUIOp::create(builder, all, blocks);
    Value hasOneMore = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, rank, rest);
    Value own = add(each, arith::ExtUIOp::create(builder, builder.getI64Type(), hasOneMore));
    firstStep = add(multiply(rank, each), arith::MinUIOp::create(builder, rank, rest));
    parts = arith::MinUIOp::create(builder, all, blocks);
    stepsOfTile = arith::MaxSIOp::create(builder, own, constant(1));
  }

  /// Where a step of this block's begins.
  Value startOf(Value number) { return multiply(add(firstStep, number), constant(step)); }

  struct Position {
    Value stage, parity;
  };

  /// Of the first step of the tile at hand, step n of all. Stage and parity follow from n mod 2 · stages, for which factors may be taken so
  /// before they are multiplied: in 32 bits, where nothing overflows. The thread that feeds does this at each tile, and its ring empties meanwhile.
  Position firstPosition() {
    Value ordinal = narrow(tilegpu::TileOrdinalOp::create(builder)), count = narrow(constant(stages)), both = narrow(constant(2 * stages));
    Value product = builder.createOrFold<arith::MulIOp>(arith::RemUIOp::create(builder, ordinal, both).getResult(), stepsInRing);
    Value first = arith::RemUIOp::create(builder, product, both);
    Value isSecond = arith::CmpIOp::create(builder, arith::CmpIPredicate::uge, first, count);
    Value stage = arith::SelectOp::create(builder, isSecond, arith::SubIOp::create(builder, first, count), first);
    return {arith::ExtUIOp::create(builder, builder.getI64Type(), stage), arith::ExtUIOp::create(builder, builder.getI64Type(), isSecond)};
  }

  /// Of a number that is less than 2³².
  Value narrow(Value number) { return builder.createOrFold<arith::TruncIOp>(builder.getI32Type(), number); }

  Position next(Position position) {
    Value following = add(position.stage, constant(1));
    Value isBeyond = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, following, constant(stages));
    Value flipped = arith::XOrIOp::create(builder, position.parity, constant(1));
    return {arith::SelectOp::create(builder, isBeyond, constant(0), following), arith::SelectOp::create(builder, isBeyond, flipped, position.parity)};
  }

  Value stageOf(const Operand &operand, Value number) { return tilegpu::StageOp::create(builder, operand.stage, operand.ring, number); }

  // ------------------------------------------------------------------------------------------------------------------
  // The producer
  // ------------------------------------------------------------------------------------------------------------------

  void makeProducer(Block &block) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&block);
    IRMapping mapping;
    copyNest(builder, nest, mapping, [&](IRMapping &mapping) { feed(mapping); });
  }

  // ------------------------------------------------------------------------------------------------------------------
  // Vectors
  // ------------------------------------------------------------------------------------------------------------------

  /// What one warp can compute again: the indices of a load of an input, and the load.
  bool isPreparable(Value value) {
    Operation *op = value.getDefiningOp();
    if (!tile::isTile(value.getType()))
      return true; // scalars and spans of the nest, which every role has
    if (!op || op->getNumRegions() != 0 || op->getNumResults() != 1 || cast<RankedTensorType>(value.getType()).getRank() != 1)
      return false;
    auto load = dyn_cast<tile::LoadOp>(op);
    if (load ? load.getView().getType().getAccess() != tile::Access::In : !isPure(op))
      return false;
    return llvm::all_of(op->getOperands(), [&](Value operand) { return isPreparable(operand); });
  }

  void addVector(Value value, std::optional<TensorAccess> access = {}) {
    auto tile = cast<RankedTensorType>(tile::withLayout(value.getType(), {}));
    vectors.push_back({value, tilegpu::BufferType::get(kernel.getContext(), tile, 0, 0, 1), {}, std::move(access), {}});
  }

  /// Those that plan-schedule has chosen.
  void findCopiedVectors() {
    for (auto load : loop->getBlock()->getOps<tile::LoadOp>()) {
      if (!load->hasAttr(tilegpu::tensorCopyName) || cast<RankedTensorType>(load.getType()).getRank() != 1)
        continue;
      addVector(load.getResult(), accessOf(load));
    }
  }

  /// Loads behind the product of vectors along its columns.
  void findVectors() {
    if (!schedule.getPrepares())
      return findCopiedVectors();
    StringAttr columnAxis = tile::axesOf(dot.getType())[1];
    for (Operation &op : *loop->getBlock()) {
      auto load = dyn_cast<tile::LoadOp>(op);
      if (!load || !loop->isBeforeInBlock(load) || !tile::isTile(load.getType()) || tile::axesOf(load.getType()) != ArrayRef<StringAttr>(columnAxis) ||
          !isPreparable(load.getResult()))
        continue;
      Value value = load.getResult();
      // Scalars that it needs must be there for every role: those of the nest, not what this tile's program computes of tiles.
      if (auto cast = value.hasOneUse() ? dyn_cast<tile::CastOp>(*value.user_begin()) : tile::CastOp(); cast && cast->getBlock() == load->getBlock())
        value = cast.getResult();
      // A thread of the preparing warp has 24 registers, and LLVM computes the places of all its elements ahead of the loop over tiles.
      constexpr int64_t mostElementsOfThread = 8;
      if (layoutOfWarp(value.getType()).registers() > mostElementsOfThread)
        continue;
      addVector(value);
    }
  }

  void makeVectorRing() {
    if (vectors.empty())
      return;
    for (Vector &vector : vectors)
      if (vector.access) {
        tile::LoadOp load = vector.value.getDefiningOp<tile::LoadOp>();
        auto extent = [&](const TensorAccess::Dimension &dimension) -> int64_t { return dimension.axis ? vector.stage.getTile().getDimSize(0) : 1; };
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointAfter(operands.back().map.getDefiningOp());
        vector.map = makeMap(builder, load.getView(), *vector.access, extent, 0);
      }
    for (Vector &vector : vectors)
      vector.ring = tilegpu::AllocOp::create(
          builder, tilegpu::BufferType::get(builder.getContext(), vector.stage.getTile(), 0, 0, vectorStages), IntegerAttr());
    auto barriers = tilegpu::MbarriersType::get(builder.getContext(), vectorStages);
    vectorsFull = tilegpu::MbarriersOp::create(builder, barriers, uint64_t(1), IntegerAttr());
    vectorsEmpty = tilegpu::MbarriersOp::create(builder, barriers, static_cast<uint64_t>(schedule.getWarps()), IntegerAttr());
  }

  Position vectorPosition() {
    Value number = tilegpu::TileOrdinalOp::create(builder), count = constant(vectorStages); // a power of two
    Value round = arith::DivUIOp::create(builder, number, count);
    return {arith::RemUIOp::create(builder, number, count), arith::AndIOp::create(builder, round, constant(1))};
  }

  Value stageOf(const Vector &vector, Value number) { return tilegpu::StageOp::create(builder, vector.stage, vector.ring, number); }

  void makePreparer(Block &block) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&block);
    IRMapping mapping;
    copyNest(builder, nest, mapping, [&](IRMapping &mapping) { prepare(mapping); });
  }

  /// Of the tile at hand, when its stage is free.
  Position emptyVectors() {
    Position position = vectorPosition();
    Value parity = arith::XOrIOp::create(builder, position.parity, constant(1));
    tilegpu::MbarrierWaitOp::create(builder, vectorsEmpty, position.stage, parity);
    return position;
  }

  /// By the thread that feeds.
  void copyVectors(IRMapping &mapping) {
    Position position = emptyVectors();
    int64_t bytes = 0;
    for (const Vector &vector : vectors)
      bytes += vector.stage.getTile().getDimSize(0) * vector.stage.getElementBytes();
    tilegpu::MbarrierArriveOp::create(builder, vectorsFull, position.stage, builder.getI64IntegerAttr(bytes), /*each_warp=*/false);
    for (const Vector &vector : vectors) {
      SmallVector<Value> coordinates = coordinatesOf(builder, *vector.access, vector.value.getDefiningOp<tile::LoadOp>().getSpans(), mapping, {}, {});
      tilegpu::TmaLoadOp::create(builder, vector.map, coordinates, stageOf(vector, position.stage), vectorsFull, position.stage);
    }
  }

  void prepare(IRMapping &mapping) {
    Position position = emptyVectors();
    for (const Vector &vector : vectors)
      tilegpu::StoreSharedOp::create(builder, byOneWarp(vector.value, mapping), stageOf(vector, position.stage));
    tilegpu::MbarrierArriveOp::create(builder, vectorsFull, position.stage, IntegerAttr(), /*each_warp=*/false);
  }

  /// Of a vector in one warp: neighbours in neighbouring lanes.
  static layout::DistributedLayout layoutOfWarp(Type vector) {
    std::vector<int64_t> shape(1, tilegpu::paddedShape(vector)[0]);
    std::string why;
    return *layout::blockedLayout(shape, layout::Blocked{{1}, {layout::lanesOfWarp}, {1}, {0}}, &why);
  }

  /// The same vector, computed by one warp.
  Value byOneWarp(Value value, IRMapping &mapping) {
    if (!tile::isTile(value.getType()))
      return mapping.lookupOrDefault(value);
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    Type type = tilegpu::withLayout(value.getType(), layoutOfWarp(value.getType()));
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(byOneWarp(operand, mapping));
    Operation *copy = op->clone();
    copy->setOperands(operands);
    if (auto constantOp = dyn_cast<arith::ConstantOp>(copy)) {
      auto splat = cast<DenseElementsAttr>(constantOp.getValue());
      constantOp.setValueAttr(DenseElementsAttr::get(cast<ShapedType>(type), splat.getSplatValue<Attribute>()));
    }
    copy->getResult(0).setType(type);
    builder.insert(copy);
    mapping.map(value, copy->getResult(0));
    return copy->getResult(0);
  }

  /// In the groups: reads what was prepared where it was loaded, and gives the stage back at the end of the tile.
  void usePrepared() {
    if (vectors.empty())
      return;
    OpBuilder::InsertionGuard guard(builder);
    Operation *first = nullptr;
    for (const Vector &vector : vectors)
      if (Operation *op = vector.value.getDefiningOp(); !first || op->isBeforeInBlock(first))
        first = op;
    builder.setInsertionPoint(first);
    Position position = vectorPosition();
    tilegpu::MbarrierWaitOp::create(builder, vectorsFull, position.stage, position.parity);
    for (Vector &vector : vectors)
      vector.value.replaceAllUsesWith(tilegpu::LoadSharedOp::create(builder, vector.value.getType(), stageOf(vector, position.stage)).getResult());
    for (Vector &vector : vectors) { // one of them is where the builder stands
      Operation *op = vector.value.getDefiningOp();
      Value operand = isa<tile::CastOp>(op) ? op->getOperand(0) : Value();
      op->erase();
      if (operand && operand.use_empty())
        operand.getDefiningOp()->erase();
    }
    builder.setInsertionPoint(endOfTile());
    tilegpu::MbarrierArriveOp::create(builder, vectorsEmpty, position.stage, IntegerAttr(), /*each_warp=*/true);
  }

  Operation *endOfTile() { return nest.back().getBody().front().getTerminator(); }

  // ------------------------------------------------------------------------------------------------------------------
  // Fetched tiles
  // ------------------------------------------------------------------------------------------------------------------

  /// A use in another layout than the accumulators' keeps the load.
  void findFetches() {
    for (auto load : loop->getBlock()->getOps<tile::LoadOp>())
      if (load->hasAttr(tilegpu::tensorCopyName) && tilegpu::isWgmmaAccumulator(load.getType()))
        fetches.push_back(load);
    auto found = llvm::find_if(fetches, [&](tile::LoadOp load) { return isStoredInPlace(load); });
    storedInPlace = found == fetches.end() ? tile::LoadOp() : *found;
  }

  /// Whether all that is made of a fetched tile is, element by element, what one tensor copy stores, of the same type, and nothing else with such elements is staged.
  /// Then a piece is read before its slice is written, and never again.
  bool isStoredInPlace(tile::LoadOp load) {
    llvm::SetVector<Value> made;
    made.insert(load.getResult());
    llvm::SetVector<Operation *> stores;
    for (size_t next = 0; next < made.size(); ++next)
      for (Operation *user : made[next].getUsers()) {
        if (isa<tile::StoreOp>(user))
          stores.insert(user);
        else if (isElementwise(user))
          made.insert(user->getResult(0));
        else
          return false;
      }
    auto store = stores.size() == 1 ? cast<tile::StoreOp>(stores.front()) : tile::StoreOp();
    return store && store->getBlock() == load->getBlock() && store->hasAttr(tilegpu::tensorCopyName) && store.getValue().getType() == load.getType() &&
           made.contains(store.getValue()) && !llvm::is_contained(store.getCompare(), true) && isOnlyOneStaged(store);
  }

  static bool isElementwise(Operation *op) {
    StringRef dialect = op->getDialect()->getNamespace();
    return op->getNumResults() == 1 && op->getNumRegions() == 0 && isPure(op) && (isa<tile::CastOp>(op) || dialect == "arith" || dialect == "math");
  }

  bool isOnlyOneStaged(tile::StoreOp store) {
    WalkResult others = nest.front()->walk([&](tile::StoreOp other) {
      bool isStaged = other != store && other->hasAttr(tilegpu::tensorCopyName) && other.getView().getType().getElement() == store.getView().getType().getElement();
      return isStaged ? WalkResult::interrupt() : WalkResult::advance();
    });
    return !others.wasInterrupted();
  }

  int64_t barriersOfFetch(int64_t pieces) { return static_cast<int64_t>(schedule.getGroups()) * schedule.getWarps() * pieces; }

  /// The copies start before the group waits for its turn to multiply.
  void fetch(Block &block) {
    OpBuilder::InsertionGuard guard(builder);
    for (tile::LoadOp load : fetches) {
      TensorAccess access = accessOf(load);
      builder.setLoc(load.getLoc());
      builder.setInsertionPoint(operands.front().map.getDefiningOp());
      SmallVector<Value> maps = makeMapsOfSlices(builder, load.getView(), access, load.getType());
      builder.setInsertionPoint(full.getDefiningOp());
      auto barriers = tilegpu::MbarriersOp::create(builder, tilegpu::MbarriersType::get(builder.getContext(), barriersOfFetch(pieces)), uint64_t(1), IntegerAttr());
      builder.setInsertionPointToStart(&block);
      auto buffer = tilegpu::AllocOp::create(builder, stagingType(load.getView().getType().getElement(), schedule.getWarps(), pieces), IntegerAttr());
      if (load == storedInPlace)
        placesOfResult = buffer.getBuffer();
      builder.setInsertionPoint(loop);
      SmallVector<Value> coordinates = coordinatesOf(builder, access, load.getSpans(), IRMapping(), {}, {});
      auto fetched = tilegpu::TmaFetchOp::create(builder, load.getType(), maps, coordinates, rowDimensionOf(access, load.getType()), buffer, barriers);
      load.replaceAllUsesWith(fetched.getResult());
      load.erase();
    }
  }

  // ------------------------------------------------------------------------------------------------------------------
  // The producer's steps
  // ------------------------------------------------------------------------------------------------------------------

  void feed(IRMapping &mapping) {
    feedSteps(mapping);
    // Needed last, so asked for last: a tile's products wait for its steps.
    if (!vectors.empty() && !schedule.getPrepares())
      copyVectors(mapping);
  }

  void feedSteps(IRMapping &mapping) {
    OpBuilder::InsertionGuard guard(builder);
    if (shareOfSum) // those of the tile before
      tilegpu::MbarrierWaitOp::create(builder, sumsRead, constant(0), arith::XOrIOp::create(builder, parityOfTile(), constant(1)));
    Position first = firstPosition();
    // The producer's parity is that of the round before.
    first.parity = arith::XOrIOp::create(builder, first.parity, constant(1));
    ForParts parts = makeLoop(constant(0), {first.stage, first.parity});
    Position position{parts.carried[0], parts.carried[1]};
    tilegpu::MbarrierWaitOp::create(builder, empty, position.stage, position.parity);
    tilegpu::MbarrierArriveOp::create(builder, full, position.stage, builder.getI64IntegerAttr(bytesOfStage()), /*each_warp=*/false);
    Value start = startOf(parts.number);
    for (Operand &operand : operands) {
      SmallVector<Value> coordinates = coordinatesOf(builder, operand.access, operand.load.getSpans(), mapping, loop.getInductionVariable(), start);
      tilegpu::TmaLoadOp::create(builder, operand.map, coordinates, stageOf(operand, position.stage), full, position.stage);
    }
    Position following = next(position);
    tile::YieldOp::create(builder, ValueRange{following.stage, following.parity});
  }

  struct ForParts {
    tile::ForOp op;
    Value number;
    SmallVector<Value> carried;
  };

  /// A loop over the numbers of a tile's steps; the builder is left in it.
  ForParts makeLoop(Value low, SmallVector<Value> initial) {
    auto op = tile::ForOp::create(builder, ValueRange(initial).getTypes(), low, stepsOfTile, initial, loop.getAxis());
    Block &body = op.getBody().emplaceBlock();
    ForParts parts{op, body.addArgument(builder.getI64Type(), loop.getLoc()), {}};
    for (Value value : initial)
      parts.carried.push_back(body.addArgument(value.getType(), loop.getLoc()));
    builder.setInsertionPointToEnd(&body);
    return parts;
  }
  // ------------------------------------------------------------------------------------------------------------------
  // The groups
  // ------------------------------------------------------------------------------------------------------------------

  void makeConsumers(Block &block) {
    usePrepared();
    fetch(block);
    multiplySteps();
    addUpParts();
    nest.front()->moveBefore(&block, block.end());
    storeByCopies(builder, block, operands.front().map.getDefiningOp(), schedule.getWarps(), placesOfResult);
  }

  Value parityOfTile() { return arith::AndIOp::create(builder, tilegpu::TileOrdinalOp::create(builder), constant(1)); }

  /// The ring is free: its products have been waited for, and the producer waits for sumsRead.
  void addUpParts() {
    if (!shareOfSum)
      return;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(shareOfSum);
    SmallVector<Value> rings = llvm::map_to_vector(operands, [](const Operand &operand) { return operand.ring; });
    auto sum = tilegpu::ClusterSumOp::create(builder, shareOfSum.getType(), shareOfSum.getAccumulator(), parts, rings, sumsReady, sumsRead, parityOfTile());
    shareOfSum.replaceAllUsesWith(sum.getResult());
    shareOfSum.erase();
    builder.setInsertionPoint(endOfTile());
    tilegpu::MbarrierWaitOp::create(builder, sumsRead, constant(0), parityOfTile());
  }

  /// Of the step with this number in the tile.
  Value product(Position position, Value number, Value accumulator) {
    tilegpu::MbarrierWaitOp::create(builder, full, position.stage, position.parity);
    Value left = computed ? computedOf(position, number) : stageOf(operands.front(), position.stage), right = stageOf(operands.back(), position.stage);
    if (computed)
      return tilegpu::WgmmaRegistersOp::create(builder, dot.getType(), left, right, accumulator, /*stepwise=*/true);
    return tilegpu::WgmmaOp::create(builder, dot.getType(), left, right, accumulator);
  }

  // The computed operand ------------------------------------------------------------------------------------------------

  IRMapping invariants; ///< what it is computed of that is the same in each step, before the loop

  /// The operand of a step. What does not change from step to step is computed for the first one, before the loop.
  Value computedOf(Position position, Value number) {
    IRMapping mapping;
    for (Operand &operand : MutableArrayRef(operands).drop_back())
      mapping.map(operand.load.getResult(),
                  tilegpu::LoadSharedOp::create(builder, operand.load.getType(), stageOf(operand, position.stage)).getResult());
    Value span = tilegpu::SpanAtOp::create(builder, loop.getInductionVariable().getType(), startOf(number), loop.getHigh());
    mapping.map(loop.getInductionVariable(), span);
    return again(computed, mapping);
  }

  Value again(Value value, IRMapping &mapping) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!op || !loop->isAncestor(op))
      return value;
    IRMapping &own = changes(value) ? mapping : invariants;
    if (Value known = own.lookupOrNull(value))
      return known;
    IRMapping operandsOf;
    for (Value operand : op->getOperands())
      operandsOf.map(operand, again(operand, mapping));
    Value copy = builder.clone(*op, operandsOf)->getResult(0);
    own.map(value, copy);
    return copy;
  }

  llvm::DenseMap<Value, bool> changing;

  /// Whether a value differs from step to step.
  bool changes(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return value == loop.getInductionVariable();
    if (!loop->isAncestor(op))
      return false;
    if (auto known = changing.find(value); known != changing.end())
      return known->second;
    bool result = llvm::any_of(op->getOperands(), [&](Value operand) { return changes(operand); });
    return changing[value] = result;
  }

  // The steps -----------------------------------------------------------------------------------------------------------

  /// Gives a stage back. Threads that read stages themselves speak for themselves.
  void release(Value stage) { tilegpu::MbarrierArriveOp::create(builder, empty, stage, IntegerAttr(), /*each_warp=*/computed != nullptr); }

  /// Each step's sum is waited for and added; no product is in flight then, and the stage can be given back.
  void multiplyAndPromoteSteps() {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop);
    Position first = firstPosition();
    tilegpu::TurnWaitOp::create(builder);
    Value zero = loop.getInitial().front();
    tile::ForOp steps;
    {
      OpBuilder::InsertionGuard inner(builder);
      ForParts parts = makeLoop(constant(0), {zero, first.stage, first.parity});
      steps = parts.op;
      Position position{parts.carried[1], parts.carried[2]};
      Value part = product(position, parts.number, {});
      Value waited = tilegpu::WgmmaWaitOp::create(builder, TypeRange{dot.getType()}, uint64_t(0), ValueRange{part}).getValues().front();
      tilegpu::MbarrierArriveOp::create(builder, empty, position.stage, IntegerAttr(), /*each_warp=*/false);
      Value sum = arith::AddFOp::create(builder, parts.carried[0], waited);
      Position after = next(position);
      tile::YieldOp::create(builder, ValueRange{sum, after.stage, after.parity});
    }
    tilegpu::TurnPassOp::create(builder);
    loop.getResult(0).replaceAllUsesWith(steps.getResult(0));
    loop.erase();
  }

  void multiplySteps() {
    if (tilegpu::isPromoted(dot.getLhs().getType().getTile(), dot.getPrecision()))
      return multiplyAndPromoteSteps();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop);
    Position first = firstPosition();
    tilegpu::TurnWaitOp::create(builder);
    Value sum = product(first, constant(0), {});
    Position second = next(first);
    tile::ForOp steps;
    {
      OpBuilder::InsertionGuard inner(builder);
      ForParts parts = makeLoop(constant(1), {sum, second.stage, second.parity, first.stage});
      steps = parts.op;
      Position position{parts.carried[1], parts.carried[2]};
      Value following = product(position, parts.number, parts.carried[0]);
      // The step before has been read. Step by step a product is a group for each 16.
      constexpr int64_t stepOfGroup = 16;
      tilegpu::WgmmaWaitOp::create(builder, TypeRange(), static_cast<uint64_t>(computed ? step / stepOfGroup : 1), ValueRange());
      release(parts.carried[3]);
      Position after = next(position);
      tile::YieldOp::create(builder, ValueRange{following, after.stage, after.parity, position.stage});
    }
    tilegpu::TurnPassOp::create(builder);
    auto wait = tilegpu::WgmmaWaitOp::create(builder, TypeRange{dot.getType()}, uint64_t(0), ValueRange{steps.getResult(0)});
    release(steps.getResult(3));
    loop.getResult(0).replaceAllUsesWith(wait.getValues().front());
    loop.erase();
  }
};

struct SpecializeWarps : impl::SpecializeWarpsBase<SpecializeWarps> {
  using SpecializeWarpsBase::SpecializeWarpsBase;

  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getOps<tile::KernelOp>())
      if (kernel->hasAttr(tilegpu::scheduleName) && !kernel->hasAttr(tilegpu::loopsName))
        WarpSpecializer(kernel, sharedBytes).run();
  }
};

} // namespace
} // namespace tilewright
