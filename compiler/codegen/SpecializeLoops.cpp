// specialize-loops: loops with several products (attention) by warps with roles.
//
// Rings. Each operand that the loop loads has a ring of stages, with barriers of its own, so that keys of the next step come
// while values of this one are awaited. Step n of all that a block does lies in stage n mod S of every ring, round n / S. Tiles
// have different numbers of steps (causal, lengths from memory), so the role counts them on (`step_ordinal`); producer and
// group compute the same numbers from the loops' bounds. What is loaded before the loops has a stage for each tile, one or
// two in all.
//
// Parities are those of SpecializeWarps.cpp. With one group nobody waits for a round before its own one: each warpgroup reads
// all steps in order.
//
// Computed operands stay in registers: the accumulator of one product is laid out as the operand of the next.
//
// What a copy brings beyond a loop's end and inside of the view (other tokens than this tile's) multiplies zeros; but zero
// times infinity is no zero, so the group clears it in shared memory, in the one step that has such rows.

#include "compiler/codegen/SpecializeCommon.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_SPECIALIZELOOPS
#include "compiler/transforms/Passes.h.inc"

namespace {

using namespace roles;

constexpr int64_t fewestStages = 2, mostStages = 8;

/// Where copies leave an operand: a ring that the loops go round, or stages that last for a tile each.
struct Ring {
  tilegpu::BufferType stage;
  int64_t stages = 1;
  Value buffer, full, empty;
};

struct Position {
  Value stage, parity;
};

class LoopSpecializer {
public:
  LoopSpecializer(tile::KernelOp kernel, int64_t sharedBytes)
      : kernel(kernel), sharedBytes(sharedBytes), schedule(kernel->getAttrOfType<tilegpu::ScheduleAttr>(tilegpu::scheduleName)),
        builder(kernel.getLoc(), kernel.getContext()), nest(nestOf(kernel)) {}

  void run() {
    findOperands();
    if (!chooseStages())
      return giveUp();
    builder.setInsertionPoint(nest.front());
    builder.setLoc(loops.front().getLoc());
    for (auto &[load, ring] : before)
      makeRing(ring);
    for (Ring &ring : rings)
      makeRing(ring);
    makeMaps();
    tilegpu::MbarriersReadyOp::create(builder);
    auto roles = tilegpu::RolesOp::create(builder, static_cast<uint64_t>(schedule.getGroups()), schedule.getRegisters());
    Block &producer = roles.getProducer().emplaceBlock(), &consumers = roles.getConsumers().emplaceBlock();
    makeProducer(producer);
    makeConsumers(consumers);
    nest.front()->moveBefore(&consumers, consumers.end());
    storeByCopies(builder, consumers, roles, schedule.getWarps());
  }

private:
  tile::KernelOp kernel;
  int64_t sharedBytes;
  tilegpu::ScheduleAttr schedule;
  ImplicitLocOpBuilder builder;
  SmallVector<tile::ParallelOp> nest;
  SmallVector<tile::ForOp> loops;
  llvm::MapVector<Operation *, Ring> before;                    ///< by load
  SmallVector<Ring> rings;                                      ///< of the operands that a loop loads, in order
  llvm::DenseMap<Operation *, SmallVector<tile::LoadOp>> loads; ///< of a loop, one for each ring
  llvm::DenseMap<Operation *, Value> maps;                      ///< by load
  llvm::DenseMap<Operation *, tilegpu::BufferType>
      stages;      ///< of the loops' loads: those of one ring differ in the names of axes
  int64_t stagesBefore = 1;
  Position ofTile; ///< of what is loaded before the loops, in the group

  // ------------------------------------------------------------------------------------------------------------------
  // Operands
  // ------------------------------------------------------------------------------------------------------------------

  /// What is in a buffer: a load, or a computed tile.
  static Value valueIn(Value buffer) {
    for (Operation *user : buffer.getUsers())
      if (auto store = dyn_cast<tilegpu::StoreSharedOp>(user))
        return store.getValue();
    llvm_unreachable("assign-layouts stores an operand in its buffer");
  }

  /// What does not exist is zero before it is converted, two elements at a time; where all exists, nothing is.
  void simplifyAbsence(tile::ForOp loop) {
    for (auto zero : llvm::make_early_inc_range(loop.getBody().front().getOps<tilegpu::ZeroAbsentOp>())) {
      Value value = zero.getOperand();
      auto cast = value.getDefiningOp<tile::CastOp>();
      if (loop->hasAttr(tilegpu::wholeSpansName) &&
          llvm::all_of(zero.getSpans(), [&](Value span) { return span == loop.getInductionVariable(); })) {
        zero.replaceAllUsesWith(value);
      } else if (cast && isa<FloatType>(getElementTypeOrSelf(cast.getOperand()))) {
        builder.setInsertionPoint(zero);
        builder.setLoc(zero.getLoc());
        Value before = tilegpu::ZeroAbsentOp::create(builder, cast.getOperand(), zero.getSpans());
        zero.replaceAllUsesWith(tile::CastOp::create(builder, cast.getType(), before).getResult());
      } else {
        continue;
      }
      zero.erase();
    }
  }

  void findOperands() {
    kernel.walk([&](tilegpu::DotOp dot) {
      auto loop = cast<tile::ForOp>(dot->getParentOp());
      if (!llvm::is_contained(loops, loop))
        loops.push_back(loop);
    });
    // In the order of the loads: the producer brings what is used first first.
    for (tile::ForOp loop : loops) {
      simplifyAbsence(loop);
      for (auto dot : loop.getBody().front().getOps<tilegpu::DotOp>())
        for (Value buffer : {dot.getLhs(), dot.getRhs()}) {
          auto load = valueIn(buffer).getDefiningOp<tile::LoadOp>();
          if (!load)
            continue;
          if (load->getParentOp() == loop)
            stages[load] = cast<tilegpu::BufferType>(buffer.getType());
          else
            before[load].stage = cast<tilegpu::BufferType>(buffer.getType());
        }
      for (auto load : loop.getBody().front().getOps<tile::LoadOp>())
        if (auto stage = stages.find(load); stage != stages.end()) {
          if (loop == loops.front())
            rings.push_back(Ring{stage->second, 0, {}, {}, {}});
          loads[loop].push_back(load);
        }
    }
  }

  int64_t bytesOfStages() {
    int64_t bytes = 0;
    for (const Ring &ring : rings)
      bytes += ring.stage.getStageBytes();
    return bytes;
  }

  int64_t bytesLeft() {
    int64_t barrierBytes = 2 * 8 * (mostStages * static_cast<int64_t>(rings.size()) + static_cast<int64_t>(before.size()));
    int64_t left = sharedBytes - schedule.getGroups() * bytesOfGroup(nest.front(), schedule.getWarps()) - barrierBytes;
    for (const auto &[load, ring] : before)
      left -= ring.stage.getStageBytes() * stagesBefore;
    return left;
  }

  /// What is loaded before the loops gets two stages if that leaves room: the next tile's comes, and its first steps, while this
  /// one is computed.
  bool chooseStages() {
    stagesBefore = 2;
    if (bytesLeft() / bytesOfStages() < std::max(fewestStages, schedule.getStages()))
      stagesBefore = 1;
    for (auto &[load, ring] : before)
      ring.stages = stagesBefore;
    int64_t fitting = std::min(mostStages, bytesLeft() / bytesOfStages());
    int64_t stages = schedule.getStages() ? schedule.getStages() : fitting;
    for (Ring &ring : rings)
      ring.stages = stages;
    return stages >= fewestStages && stages <= fitting;
  }

  /// What changes layouts is known only now. The accumulators' layouts are those of mma.sync too, with the rows' operand first.
  void giveUp() {
    int64_t stages = std::max(fewestStages, schedule.getStages());
    emitRemark(loops.front().getLoc()) << "these products are formed by mma.sync, not by wgmma: " << stages << " stages take "
                                       << stages * bytesOfStages()
                                       << " bytes of shared memory, and what else the group needs leaves "
                                       << std::max<int64_t>(0, bytesLeft());
    for (tile::ForOp loop : loops)
      for (auto dot : loop.getBody().front().getOps<tilegpu::DotOp>()) {
        dot.setKind(tilegpu::DotKind::Mma);
        if (!isSwapped(dot))
          continue;
        Value lhs = dot.getLhs();
        dot.getLhsMutable().assign(dot.getRhs());
        dot.getRhsMutable().assign(lhs);
      }
    kernel->removeAttr(tilegpu::scheduleName);
    kernel->removeAttr(tilegpu::loopsName);
    kernel.walk([](tile::StoreOp store) { store->removeAttr(tilegpu::tensorCopyName); });
  }

  static bool isSwapped(tilegpu::DotOp dot) {
    return tile::positionOfAxis(dot.getLhs().getType().getTile(), tile::axesOf(dot.getType())[0]) < 0;
  }

  // ------------------------------------------------------------------------------------------------------------------
  // Rings
  // ------------------------------------------------------------------------------------------------------------------

  void makeRing(Ring &ring) {
    tilegpu::BufferType type = ring.stage;
    ring.buffer = tilegpu::AllocOp::create(
        builder,
        tilegpu::BufferType::get(type.getContext(), type.getTile(), type.getContiguous(), type.getSwizzle(), ring.stages),
        IntegerAttr());
    auto barriers = tilegpu::MbarriersType::get(builder.getContext(), ring.stages);
    ring.full = tilegpu::MbarriersOp::create(builder, barriers, uint64_t(1), IntegerAttr());
    ring.empty = tilegpu::MbarriersOp::create(builder, barriers, static_cast<uint64_t>(schedule.getWarps() / 4), IntegerAttr());
  }

  void makeMaps() {
    SmallVector<std::pair<tile::LoadOp, tilegpu::BufferType>> all;
    for (auto &[load, ring] : before)
      all.push_back({cast<tile::LoadOp>(load), ring.stage});
    for (tile::ForOp loop : loops)
      for (tile::LoadOp load : loads[loop])
        all.push_back({load, stages[load]});
    for (auto [load, stage] : all)
      maps[load] = makeMap(builder, load, accessOf(load), stage);
  }

  Value stageOf(const Ring &ring, Value number, tilegpu::BufferType type) {
    return tilegpu::StageOp::create(builder, type, ring.buffer, number);
  }

  /// In 32 bits, where divisions cost less; it is the number that loops carry, since two 64-bit values more take four
  /// registers.
  Position positionAt(Value number, int64_t stages) {
    auto narrow = [&](int64_t value) {
      return arith::ConstantOp::create(builder, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
    };
    auto widened = [&](Value value) { return arith::ExtUIOp::create(builder, builder.getI64Type(), value); };
    Value low = arith::TruncIOp::create(builder, builder.getI32Type(), number);
    Value round = arith::DivUIOp::create(builder, low, narrow(stages));
    return {widened(arith::RemUIOp::create(builder, low, narrow(stages))),
            widened(arith::AndIOp::create(builder, round, narrow(1)))};
  }

  Position positionAt(Value number) { return positionAt(number, rings.front().stages); }
  Value next(Value number) { return add(builder, number, constant(builder, 1)); }

  Value otherParity(Value parity) { return arith::XOrIOp::create(builder, parity, constant(builder, 1)); }

  /// ⌈(high − low) / capacity⌉, 0 if there is nothing.
  Value stepsOf(tile::ForOp loop, const IRMapping &mapping) {
    int64_t capacity = cast<tile::SpanType>(loop.getInductionVariable().getType()).getCapacity();
    Value length =
        arith::SubIOp::create(builder, mapping.lookupOrDefault(loop.getHigh()), mapping.lookupOrDefault(loop.getLow()));
    length = arith::MaxSIOp::create(builder, length, constant(builder, 0));
    return arith::DivUIOp::create(builder, add(builder, length, constant(builder, capacity - 1)), constant(builder, capacity));
  }

  // ------------------------------------------------------------------------------------------------------------------
  // The producer
  // ------------------------------------------------------------------------------------------------------------------

  void makeProducer(Block &block) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&block);
    IRMapping mapping;
    copyNest(builder, nest, mapping, [&](IRMapping &mapping) { feed(mapping); });
  }

  void bring(tile::LoadOp load, const Ring &ring, tilegpu::BufferType stage, Position position, const IRMapping &mapping,
             Value loopSpan, Value start) {
    tilegpu::MbarrierWaitOp::create(builder, ring.empty, position.stage, position.parity);
    tilegpu::MbarrierArriveOp::create(builder, ring.full, position.stage, builder.getI64IntegerAttr(ring.stage.getStageBytes()),
                                      /*each_warp=*/false);
    SmallVector<Value> coordinates = coordinatesOf(builder, accessOf(load), load.getSpans(), mapping, loopSpan, start);
    tilegpu::TmaLoadOp::create(builder, maps[load], coordinates, stageOf(ring, position.stage, stage), ring.full,
                               position.stage);
  }

  void feed(IRMapping &mapping) {
    if (!before.empty()) {
      Position position = positionAt(tilegpu::TileOrdinalOp::create(builder), stagesBefore);
      position.parity = otherParity(position.parity);
      for (auto &[load, ring] : before)
        bring(cast<tile::LoadOp>(load), ring, ring.stage, position, mapping, {}, {});
    }
    Value number = tilegpu::StepOrdinalOp::create(builder), all;
    for (tile::ForOp loop : loops) {
      Value count = stepsOf(loop, mapping);
      all = all ? add(builder, all, count) : count;
      feed(loop, count, number, mapping);
      number = add(builder, number, count);
    }
    tilegpu::CountStepsOp::create(builder, all);
  }

  void feed(tile::ForOp loop, Value count, Value first, const IRMapping &mapping) {
    auto op = tile::ForOp::create(builder, TypeRange(), constant(builder, 0), count, ValueRange(), loop.getAxis());
    OpBuilder::InsertionGuard guard(builder);
    Block &body = op.getBody().emplaceBlock();
    Value number = body.addArgument(builder.getI64Type(), loop.getLoc());
    builder.setInsertionPointToEnd(&body);
    Position here = positionAt(add(builder, first, number));
    here.parity = otherParity(here.parity); // that of the round before
    int64_t capacity = cast<tile::SpanType>(loop.getInductionVariable().getType()).getCapacity();
    Value start = add(builder, mapping.lookupOrDefault(loop.getLow()), multiply(builder, number, constant(builder, capacity)));
    for (auto [load, ring] : llvm::zip(loads[loop], rings))
      bring(load, ring, stages[load], here, mapping, loop.getInductionVariable(), start);
    tile::YieldOp::create(builder);
  }

  // ------------------------------------------------------------------------------------------------------------------
  // The group
  // ------------------------------------------------------------------------------------------------------------------

  void makeConsumers(Block &consumers) {
    OpBuilder::InsertionGuard guard(builder);
    std::vector<Step> steps;
    for (tile::ForOp loop : loops)
      steps.push_back(stepOf(loop));
    if (takesTurns() && llvm::any_of(steps, [](const Step &step) { return step.last != nullptr; })) {
      builder.setInsertionPointToStart(&consumers);
      tilegpu::TurnPassOp::create(builder, /*warpgroups=*/true, /*first=*/true);
    }
    builder.setInsertionPoint(loops.front());
    builder.setLoc(loops.front().getLoc());
    if (!before.empty())
      ofTile = positionAt(tilegpu::TileOrdinalOp::create(builder), stagesBefore);
    for (auto &[load, ring] : before)
      tilegpu::MbarrierWaitOp::create(builder, ring.full, ofTile.stage, ofTile.parity);
    Value number = tilegpu::StepOrdinalOp::create(builder), all;
    IRMapping none;
    for (Step &step : steps) {
      builder.setInsertionPoint(step.loop);
      builder.setLoc(step.loop.getLoc());
      Value count = stepsOf(step.loop, none);
      all = all ? add(builder, all, count) : count;
      if (step.last)
        computeDelayed(step, count, number);
      else
        compute(step, number);
      number = add(builder, number, count);
    }
    for (auto &[load, ring] : before)
      tilegpu::MbarrierArriveOp::create(builder, ring.empty, ofTile.stage, IntegerAttr(), /*each_warp=*/false);
    tilegpu::CountStepsOp::create(builder, all);
    // What the loops were made of.
    for (tile::ForOp loop : llvm::reverse(loops))
      loop.erase();
    for (auto &[load, ring] : before)
      load->erase();
  }

  bool delays() { return kernel->getAttrOfType<StringAttr>(tilegpu::loopsName).getValue() != tilegpu::loopsInPlace; }
  bool takesTurns() { return kernel->getAttrOfType<StringAttr>(tilegpu::loopsName).getValue() == tilegpu::loopsInTurns; }

  /// A loop's body, as it was. `last`: a product that the next step waits for, if there is one such.
  struct Step {
    tile::ForOp loop;
    Block *body;
    SmallVector<tilegpu::DotOp> dots;
    tilegpu::DotOp last;
    unsigned carried = 0;                            ///< of the loop's values: what `last` adds to
    llvm::SmallSetVector<Operation *, 16> ofCarried; ///< what is computed from that, for `last` alone
  };

  Step stepOf(tile::ForOp loop) {
    Step step{loop, &loop.getBody().front(), llvm::to_vector(loop.getBody().front().getOps<tilegpu::DotOp>()), {}, 0, {}};
    constexpr size_t delayable = 2;
    // The few steps that a split loop has left are not worth the code.
    if (!delays() || step.dots.size() != delayable || !loop->hasAttr(tilegpu::wholeSpansName))
      return step;
    tilegpu::DotOp last = step.dots.back();
    Value rows = valueIn(rowsOf(last));
    if (!last->hasOneUse() || !isa<tile::YieldOp>(*last->user_begin()) || rows.getDefiningOp<tile::LoadOp>())
      return step;
    step.carried = last->use_begin()->getOperandNumber();
    // Everything that the carried value has part in must be the product's accumulator.
    SmallVector<Value> pending{step.loop.getCarried()[step.carried]};
    while (!pending.empty())
      for (Operation *user : pending.pop_back_val().getUsers()) {
        if (user == last)
          continue;
        bool isElementwise = isPure(user) && user->getNumRegions() == 0 && user->getNumResults() == 1 &&
                             user->getBlock() == step.body && !isa<tile::YieldOp, tile::ReduceOp>(user);
        if (!isElementwise)
          return step;
        if (step.ofCarried.insert(user))
          pending.push_back(user->getResult(0));
      }
    step.last = last;
    return step;
  }

  Value rowsOf(tilegpu::DotOp dot) { return isSwapped(dot) ? dot.getRhs() : dot.getLhs(); }
  Value columnsOf(tilegpu::DotOp dot) { return isSwapped(dot) ? dot.getLhs() : dot.getRhs(); }

  /// The rings whose stage a product is the first, or the last, to read.
  template <typename Body> void forRings(Step &step, tilegpu::DotOp dot, bool isFirst, Body body) {
    for (auto [load, ring] : llvm::zip(loads[step.loop], rings)) {
      auto reads = [&](tilegpu::DotOp dot) {
        return valueIn(dot.getLhs()).template getDefiningOp<tile::LoadOp>() == load ||
               valueIn(dot.getRhs()).template getDefiningOp<tile::LoadOp>() == load;
      };
      SmallVector<tilegpu::DotOp> readers = llvm::filter_to_vector(step.dots, reads);
      if (!readers.empty() && dot == (isFirst ? readers.front() : readers.back()))
        body(load, ring);
    }
  }

  void awaitStages(Step &step, tilegpu::DotOp dot, Position here, Value span) {
    forRings(step, dot, /*isFirst=*/true, [&](tile::LoadOp load, const Ring &ring) {
      tilegpu::MbarrierWaitOp::create(builder, ring.full, here.stage, here.parity);
      if (span && load->hasAttr(tilegpu::clearedName))
        tilegpu::ClearAbsentOp::create(builder, stageOf(ring, here.stage, stages[load]), span);
    });
  }

  void giveBackStages(Step &step, tilegpu::DotOp dot, Position here) {
    forRings(step, dot, /*isFirst=*/false, [&](tile::LoadOp, const Ring &ring) {
      tilegpu::MbarrierArriveOp::create(builder, ring.empty, here.stage, IntegerAttr(), /*each_warp=*/false);
    });
  }

  Value start(Step &step, tilegpu::DotOp dot, Position here, Value rows, Value accumulator) {
    auto operandOf = [&](Value buffer) -> Value {
      auto load = valueIn(buffer).getDefiningOp<tile::LoadOp>();
      for (auto [ringLoad, ring] : llvm::zip(loads[step.loop], rings))
        if (load == ringLoad)
          return stageOf(ring, here.stage, stages[load]);
      const Ring &ring = before.find(load)->second;
      return stageOf(ring, ofTile.stage, ring.stage);
    };
    if (matchPattern(accumulator, m_AnyZeroFloat()))
      accumulator = {};
    Value columns = operandOf(columnsOf(dot));
    if (!valueIn(rowsOf(dot)).getDefiningOp<tile::LoadOp>())
      return tilegpu::WgmmaRegistersOp::create(builder, dot.getType(), rows, columns, accumulator, /*stepwise=*/false);
    return tilegpu::WgmmaOp::create(builder, dot.getType(), operandOf(rowsOf(dot)), columns, accumulator);
  }

  Value await(Value product, int64_t pending) {
    return tilegpu::WgmmaWaitOp::create(builder, TypeRange{product.getType()}, static_cast<uint64_t>(pending),
                                        ValueRange{product})
        .getValues()
        .front();
  }

  bool isOperandOnly(Operation &op) { return isa<tilegpu::AllocOp, tilegpu::StoreSharedOp>(op) || stages.contains(&op); }

  // Each product in its place -------------------------------------------------------------------------------------------

  void compute(Step &step, Value first) {
    SmallVector<Value> initial(step.loop.getInitial());
    initial.push_back(first);
    auto steps = tile::ForOp::create(builder, ValueRange(initial).getTypes(), step.loop.getLow(), step.loop.getHigh(), initial,
                                     step.loop.getAxis());
    steps->setDiscardableAttrs(step.loop->getDiscardableAttrDictionary());
    IRMapping mapping;
    enter(steps, step, mapping);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(&steps.getBody().front());
      Value number = steps.getCarried().back();
      Position here = positionAt(number);
      for (Operation &op : step.body->without_terminator()) {
        auto dot = dyn_cast<tilegpu::DotOp>(op);
        builder.setLoc(op.getLoc());
        if (dot) {
          awaitStages(step, dot, here, steps.getInductionVariable());
          mapping.map(dot.getResult(), await(start(step, dot, here, mapping.lookupOrDefault(valueIn(rowsOf(dot))),
                                                   mapping.lookupOrDefault(dot.getAccumulator())),
                                             0));
          giveBackStages(step, dot, here);
        } else if (!isOperandOnly(op)) {
          builder.clone(op, mapping);
        }
      }
      SmallVector<Value> yielded = llvm::map_to_vector(step.body->getTerminator()->getOperands(),
                                                       [&](Value value) { return mapping.lookupOrDefault(value); });
      yielded.push_back(next(number));
      tile::YieldOp::create(builder, yielded);
    }
    step.loop->replaceAllUsesWith(steps->getResults().drop_back(1));
  }

  /// The arguments of a loop that is made anew.
  void enter(tile::ForOp loop, Step &step, IRMapping &mapping) {
    Block &body = loop.getBody().emplaceBlock();
    Value old = step.loop.getInductionVariable();
    mapping.map(old, body.addArgument(old.getType(), step.loop->getLoc()));
    for (Value value : loop.getInitial())
      body.addArgument(value.getType(), step.loop->getLoc());
    for (auto [from, to] : llvm::zip(step.loop.getCarried(), loop.getCarried()))
      mapping.map(from, to);
  }

  // The last product a step later ---------------------------------------------------------------------------------------
  //
  // A step starts its first product, then the last one of the step before; it waits for the first (the older) alone and
  // computes with it while the other is formed. So the first step is peeled, and a product is left for after the loop. Between
  // steps the last product's accumulator is carried as it is before the product, and its rows' operand packed.

  struct Delayed {
    Value words, accumulator;
    Position position;
    Type operand; ///< that is packed
  };

  /// The operand with its axes in this order, which changes nothing in registers. Before its conversion, which is made of two
  /// elements at a time.
  Value rowsFirst(Value operand, StringAttr rowAxis) {
    if (tile::axesOf(operand.getType())[0] == rowAxis)
      return operand;
    auto turned = [&](Value value) -> Value {
      auto type = cast<RankedTensorType>(value.getType());
      auto axes = tile::AxesAttr::get(type.getContext(), {tile::axesOf(type)[1], tile::axesOf(type)[0]});
      auto result = RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType(), axes);
      return tile::BroadcastOp::create(builder,
                                       tilegpu::withLayout(result, tilegpu::distributedLayout(type).transposed({1, 0})), value);
    };
    auto conversion = operand.getDefiningOp<tile::CastOp>();
    if (!conversion)
      return turned(operand);
    Value unconverted = turned(conversion.getOperand());
    return tile::CastOp::create(
        builder,
        tilegpu::withLayout(tile::withElement(unconverted.getType(), getElementTypeOrSelf(operand.getType())),
                            tilegpu::distributedLayout(unconverted.getType())),
        unconverted);
  }

  /// All of a step but its last product, which is returned for the next one. Fills what the step carries on.
  Delayed computeStep(Step &step, IRMapping &mapping, Position here, std::optional<Delayed> previous,
                      SmallVector<Value> &carried) {
    Value earlier = step.loop.getCarried()[step.carried], product;
    Value span = mapping.lookup(step.loop.getInductionVariable());
    for (Operation &op : step.body->without_terminator()) {
      builder.setLoc(op.getLoc());
      auto dot = dyn_cast<tilegpu::DotOp>(op);
      if (isOperandOnly(op) || (dot && dot == step.last) || step.ofCarried.contains(&op))
        continue;
      if (!dot) {
        builder.clone(op, mapping);
        continue;
      }
      awaitStages(step, dot, here, span);
      if (previous)
        awaitStages(step, step.last, previous->position, {}); // all its rows exist: only a loop's last step has others
      if (takesTurns())
        tilegpu::TurnWaitOp::create(builder, /*warpgroups=*/true);
      Value started =
          start(step, dot, here, mapping.lookupOrDefault(valueIn(rowsOf(dot))), mapping.lookupOrDefault(dot.getAccumulator()));
      if (previous)
        product = startDelayed(step, *previous);
      if (takesTurns())
        tilegpu::TurnPassOp::create(builder, /*warpgroups=*/true, /*first=*/false);
      mapping.map(dot.getResult(), await(started, previous ? 1 : 0));
      giveBackStages(step, dot, here);
    }
    builder.setLoc(step.last.getLoc());
    Value rows = rowsFirst(mapping.lookup(valueIn(rowsOf(step.last))), tile::axesOf(step.last.getType())[0]);
    Value words = tilegpu::PackPairsOp::create(builder, *tilegpu::pairsOf(rows.getType()), rows);
    if (previous) {
      mapping.map(earlier, await(product, 0));
      giveBackStages(step, step.last, previous->position);
    }
    for (Operation &op : step.body->without_terminator())
      if (step.ofCarried.contains(&op)) {
        builder.setLoc(op.getLoc());
        builder.clone(op, mapping);
      }
    Delayed delayed{words, mapping.lookupOrDefault(step.last.getAccumulator()), here, rows.getType()};
    carried = llvm::map_to_vector(step.body->getTerminator()->getOperands(),
                                  [&](Value value) { return mapping.lookupOrDefault(value); });
    carried[step.carried] = delayed.accumulator;
    return delayed;
  }

  Value startDelayed(Step &step, const Delayed &delayed) {
    Value rows = tilegpu::UnpackPairsOp::create(builder, delayed.operand, delayed.words);
    return start(step, step.last, delayed.position, rows, delayed.accumulator);
  }

  void computeDelayed(Step &step, Value count, Value first) {
    tile::ForOp loop = step.loop;
    Value isAny = arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, count, constant(builder, 0));
    auto branch = scf::IfOp::create(builder, loop.getResultTypes(), isAny, /*addThenBlock=*/true, /*addElseBlock=*/true);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(branch.elseBlock());
      scf::YieldOp::create(builder, loop.getInitial());
      builder.setInsertionPointToEnd(branch.thenBlock());
      scf::YieldOp::create(builder, computeSome(step, count, first));
    }
    builder.setLoc(loop.getLoc());
    loop->replaceAllUsesWith(branch->getResults());
  }

  Value spanAt(tile::ForOp loop, Value start) {
    auto span = tilegpu::SpanAtOp::create(builder, loop.getInductionVariable().getType(), start, loop.getHigh());
    if (loop->hasAttr(tilegpu::wholeSpansName))
      span->setAttr(tilegpu::wholeSpansName, builder.getUnitAttr());
    return span;
  }

  /// With one step at least.
  SmallVector<Value> computeSome(Step &step, Value count, Value first) {
    tile::ForOp loop = step.loop;
    int64_t capacity = cast<tile::SpanType>(loop.getInductionVariable().getType()).getCapacity();
    IRMapping mapping;
    mapping.map(loop.getInductionVariable(), spanAt(loop, loop.getLow()));
    mapping.map(loop.getCarried(), loop.getInitial());
    SmallVector<Value> carried;
    Delayed delayed = computeStep(step, mapping, positionAt(first), std::nullopt, carried);
    SmallVector<Value> initial(carried);
    initial.append({delayed.words, first}); // the number is that of the step before
    Value low = add(builder, loop.getLow(), constant(builder, capacity));
    auto steps = tile::ForOp::create(builder, ValueRange(initial).getTypes(), low, loop.getHigh(), initial, loop.getAxis());
    steps->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    IRMapping inner;
    enter(steps, step, inner);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(&steps.getBody().front());
      ValueRange extra = steps.getCarried().take_back(2);
      Value number = next(extra[1]);
      Delayed previous{extra[0], steps.getCarried()[step.carried], positionAt(extra[1]), delayed.operand};
      Delayed following = computeStep(step, inner, positionAt(number), previous, carried);
      carried.append({following.words, number});
      tile::YieldOp::create(builder, carried);
    }
    builder.setLoc(step.last.getLoc());
    ValueRange extra = steps.getResults().take_back(2);
    Delayed previous{extra[0], steps.getResult(step.carried), positionAt(extra[1]), delayed.operand};
    Value lastStart =
        add(builder, loop.getLow(),
            multiply(builder, arith::SubIOp::create(builder, count, constant(builder, 1)), constant(builder, capacity)));
    awaitStages(step, step.last, previous.position, spanAt(loop, lastStart));
    Value product = await(startDelayed(step, previous), 0);
    giveBackStages(step, step.last, previous.position);
    SmallVector<Value> results(steps.getResults().drop_back(2));
    results[step.carried] = product;
    return results;
  }
};

struct SpecializeLoops : impl::SpecializeLoopsBase<SpecializeLoops> {
  using SpecializeLoopsBase::SpecializeLoopsBase;

  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getOps<tile::KernelOp>())
      if (kernel->hasAttr(tilegpu::scheduleName) && kernel->hasAttr(tilegpu::loopsName))
        LoopSpecializer(kernel, sharedBytes).run();
  }
};

} // namespace
} // namespace tilewright
