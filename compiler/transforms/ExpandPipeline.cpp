// expand-pipeline: loads become asynchronous copies, stages - 1 iterations ahead.
//
// The ring of S stages. Iteration t reads stage t mod S, which was filled by the copies of group t. It first waits until at most S - 2
// later groups are unfinished, so group t is done; after the barrier that insert-barriers puts there, everybody has also left
// stage (t - 1) mod S, which is the one that the copies of iteration t + S - 1 then fill. Iterations beyond the range copy nothing but
// close their groups all the same, so that the count of groups is that of iterations.

#include "compiler/transforms/Passes.h"
#include "dialects/TileGPU/TileGPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_EXPANDPIPELINE
#include "compiler/transforms/Passes.h.inc"

namespace {

class PipelineExpander {
public:
  explicit PipelineExpander(tile::ForOp loop)
      : loop(loop), body(&loop.getBody().front()), builder(loop.getLoc(), loop.getContext()),
        stages(loop->getAttrOfType<IntegerAttr>(tilegpu::stagesName).getInt()),
        step(cast<tile::SpanType>(loop.getInductionVariable().getType()).getCapacity()) {
    for (auto load : body->getOps<tile::LoadOp>())
      if (load->hasAttr(tilegpu::pipelinedName))
        loads.push_back(makeLoad(load));
  }

  void run() {
    builder.setInsertionPoint(loop);
    for (Load &load : loads)
      load.ring = tilegpu::AllocOp::create(builder, withStages(load.buffer.getBuffer().getType(), stages), IntegerAttr());
    for (int64_t ahead = 0; ahead < stages - 1; ++ahead)
      startCopies(add(loop.getLow(), ahead * step), constant(ahead), ahead);
    carryStage();
    builder.setInsertionPointToStart(body);
    tilegpu::AsyncWaitOp::create(builder, static_cast<uint64_t>(stages - 2));
    Value stage = body->getArguments().back();
    Value start = tile::SpanStartOp::create(builder, builder.getI64Type(), loop.getInductionVariable());
    // (stage - 1) mod S
    Value isFirst = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, stage, constant(0));
    Value before = arith::SelectOp::create(builder, isFirst, constant(stages - 1), add(stage, -1));
    startCopies(add(start, (stages - 1) * step), before, stages - 1);
    for (Load &load : loads)
      useRing(load, stage);
    builder.setInsertionPointAfter(loop);
    tilegpu::AsyncWaitOp::create(builder, uint64_t(0));
    loop->removeAttr(tilegpu::stagesName);
  }

private:
  struct Load {
    tile::LoadOp op;
    tilegpu::StoreSharedOp store;
    tilegpu::AllocOp buffer;
    Value ring;
  };

  tile::ForOp loop;
  Block *body;
  ImplicitLocOpBuilder builder;
  int64_t stages, step;
  SmallVector<Load> loads;

  static Load makeLoad(tile::LoadOp op) {
    auto store = cast<tilegpu::StoreSharedOp>(*op->user_begin());
    return {op, store, store.getBuffer().getDefiningOp<tilegpu::AllocOp>(), {}};
  }

  static tilegpu::BufferType withStages(tilegpu::BufferType type, int64_t stages) {
    return tilegpu::BufferType::get(type.getContext(), type.getTile(), type.getContiguous(), type.getSwizzle(), stages);
  }

  Value constant(int64_t value) { return arith::ConstantOp::create(builder, builder.getI64IntegerAttr(value)); }
  Value add(Value value, int64_t addend) {
    return addend == 0 ? value : arith::AddIOp::create(builder, value, constant(addend)).getResult();
  }

  /// What `value`, an index in the body, is for another span of the loop.
  Value forSpan(Value value, IRMapping &mapping) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != body)
      return value;
    for (Value operand : op->getOperands())
      mapping.map(operand, forSpan(operand, mapping));
    return builder.clone(*op, mapping)->getResult(cast<OpResult>(value).getResultNumber());
  }

  Value stageOf(Load &load, Value number, int64_t ahead) {
    auto stage = tilegpu::StageOp::create(builder, load.buffer.getBuffer().getType(), load.ring, number);
    stage->setAttr(tilegpu::stepName, builder.getI64IntegerAttr(ahead));
    return stage;
  }

  /// Copies what the iteration that begins at `start` loads, and closes the group.
  void startCopies(Value start, Value number, int64_t ahead) {
    auto span = tilegpu::SpanAtOp::create(builder, loop.getInductionVariable().getType(), start, loop.getHigh());
    Value exists = arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, start, loop.getHigh());
    IRMapping mapping;
    mapping.map(loop.getInductionVariable(), span.getSpan());
    for (Load &load : loads) {
      SmallVector<Value> indices, spans;
      for (Value index : load.op.getIndices())
        indices.push_back(forSpan(index, mapping));
      for (Value of : load.op.getSpans())
        spans.push_back(mapping.lookupOrDefault(of));
      tilegpu::AsyncLoadOp::create(builder, load.op.getView(), indices, spans, exists, stageOf(load, number, ahead),
                                   cast<tilegpu::DistributedAttr>(tile::layoutOf(load.op.getType())));
    }
    tilegpu::AsyncCommitOp::create(builder);
  }

  /// The loop carries the number of the stage that it reads.
  void carryStage() {
    builder.setInsertionPoint(loop);
    SmallVector<Value> initial(loop.getInitial());
    initial.push_back(constant(0));
    SmallVector<Type> types(loop.getResultTypes());
    types.push_back(builder.getI64Type());
    auto carrying = tile::ForOp::create(builder, types, loop.getLow(), loop.getHigh(), initial, loop.getAxis());
    carrying->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    carrying.getBody().takeBody(loop.getBody());
    body = &carrying.getBody().front();
    Value stage = body->addArgument(builder.getI64Type(), loop.getLoc());
    builder.setInsertionPoint(body->getTerminator());
    Value next = add(stage, 1);
    Value isBeyond = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, next, constant(stages));
    next = arith::SelectOp::create(builder, isBeyond, constant(0), next);
    body->getTerminator()->insertOperands(body->getTerminator()->getNumOperands(), next);
    loop.replaceAllUsesWith(carrying.getResults().drop_back());
    loop.erase();
    loop = carrying;
  }

  void useRing(Load &load, Value number) {
    builder.setInsertionPoint(load.store);
    load.buffer.getBuffer().replaceAllUsesWith(stageOf(load, number, 0));
    load.store.erase();
    load.op.erase();
    load.buffer.erase();
  }
};

struct ExpandPipeline : impl::ExpandPipelineBase<ExpandPipeline> {
  void runOnOperation() override {
    SmallVector<tile::ForOp> loops;
    getOperation().walk([&](tile::ForOp loop) {
      if (loop->hasAttr(tilegpu::stagesName))
        loops.push_back(loop);
    });
    for (tile::ForOp loop : loops)
      PipelineExpander(loop).run();
  }
};

} // namespace
} // namespace tilewright
