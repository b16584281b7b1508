// Loops and branches. All threads of a block take the same way: conditions and bounds are scalars, which every thread has. What
// a loop carries of a tile is a value for each register.

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::gpu {

int64_t divisorOfSteps(Value low, int64_t step) {
  APInt first;
  if (!matchPattern(low, m_ConstantInt(&first)))
    return 1;
  int64_t both = first.getSExtValue() | step;
  return both & -both;
}

namespace {

SmallVector<Value> flatten(Emitter &emitter, ValueRange values) {
  SmallVector<Value> flat;
  for (Value value : values)
    llvm::append_range(flat, emitter.registers(value));
  return flat;
}

int64_t registersOf(Type type) {
  return tile::isTile(type) ? layoutAttr(type).getValue().registers() : 1;
}

SmallVector<Type> flatTypes(TypeRange types) {
  SmallVector<Type> flat;
  for (Type type : types)
    flat.append(registersOf(type), getElementTypeOrSelf(type));
  return flat;
}

void bind(Emitter &emitter, ValueRange values, ValueRange flat) {
  for (Value value : values) {
    int64_t count = registersOf(value.getType());
    emitter.setRegisters(value, Registers(flat.take_front(count)));
    flat = flat.drop_front(count);
  }
}

LogicalResult emitFor(Emitter &emitter, tile::ForOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto span = dyn_cast<tile::SpanType>(op.getInductionVariable().getType());
  int64_t step = span ? span.getCapacity() : 1;
  Value low = emitter.scalar(op.getLow()), high = emitter.scalar(op.getHigh());
  auto loop = scf::ForOp::create(builder, low, high, emitter.constant(step), flatten(emitter, op.getInitial()));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    emitter.setVariable(op.getInductionVariable(), loop.getInductionVar(), high, divisorOfSteps(op.getLow(), step), /*isFull=*/op->hasAttr(tilegpu::wholeSpansName));
    bind(emitter, op.getCarried(), loop.getRegionIterArgs());
    Block &body = op.getBody().front();
    if (failed(emitter.emitBlock(body)))
      return failure();
    if (loop.getNumResults() > 0)
      scf::YieldOp::create(builder, flatten(emitter, body.getTerminator()->getOperands()));
  }
  bind(emitter, op.getResults(), loop.getResults());
  return success();
}

LogicalResult emitIf(Emitter &emitter, scf::IfOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(builder, flatTypes(op.getResultTypes()), emitter.scalar(op.getCondition()),
                                  /*addThenBlock=*/true, hasElse);
  for (auto [from, to] : llvm::zip(op->getRegions(), branch->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&to.front());
    if (failed(emitter.emitBlock(from.front())))
      return failure();
    scf::YieldOp::create(builder, flatten(emitter, from.front().getTerminator()->getOperands()));
  }
  bind(emitter, op.getResults(), branch.getResults());
  return success();
}

LogicalResult emitWhile(Emitter &emitter, scf::WhileOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  SmallVector<Type> arguments = flatTypes(op.getInits().getTypes()), results = flatTypes(op.getResultTypes());
  auto loop = scf::WhileOp::create(builder, results, flatten(emitter, op.getInits()));
  OpBuilder::InsertionGuard guard(builder);
  auto locations = [&](size_t count) { return SmallVector<Location>(count, op.getLoc()); };
  Block *before = builder.createBlock(&loop.getBefore(), {}, arguments, locations(arguments.size()));
  bind(emitter, op.getBeforeArguments(), before->getArguments());
  if (failed(emitter.emitBlock(*op.getBeforeBody())))
    return failure();
  Value condition = emitter.scalar(op.getConditionOp().getCondition());
  scf::ConditionOp::create(builder, condition, flatten(emitter, op.getConditionOp().getArgs()));

  Block *after = builder.createBlock(&loop.getAfter(), {}, results, locations(results.size()));
  bind(emitter, op.getAfterArguments(), after->getArguments());
  Block &body = *op.getAfterBody();
  if (failed(emitter.emitBlock(body)))
    return failure();
  scf::YieldOp::create(builder, flatten(emitter, body.getTerminator()->getOperands()));
  bind(emitter, op.getResults(), loop.getResults());
  return success();
}

} // namespace

LogicalResult emitControl(Emitter &emitter, Operation &op) {
  if (auto loop = dyn_cast<tile::ForOp>(op))
    return emitFor(emitter, loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(emitter, branch);
  return emitWhile(emitter, cast<scf::WhileOp>(op));
}

} // namespace tilewright::gpu
