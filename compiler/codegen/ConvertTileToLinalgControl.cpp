// Loops and branches. Scalars that they carry stay values; tiles that they carry live in buffers:
//
//   tile.for carries (%m = %m0, %l = %l0) { … tile.yield %m1, %l1 }
//   ==>
//   buffers of m and l  <-  m0, l0
//   scf.for { …  buffers of m and l  <-  m1, l1 }
//
// An arrow assigns all its values at once: the new l may be computed from the old m, and the reverse.

#include "compiler/codegen/ConvertTileToLinalgNests.h"
#include "compiler/codegen/ConvertTileToLinalgPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::cpu {

// --------------------------------------------------------------------------------------------------------------------
// Assigning several tiles at once
// --------------------------------------------------------------------------------------------------------------------

namespace {

struct Assignment {
  Buffer destination;
  Value source;
  Buffer saved; ///< holds the source's value already, or no memory
};

void write(Emitter &emitter, const Assignment &assignment) {
  if (!assignment.saved.memref)
    return emitCopy(emitter, assignment.source, assignment.destination);
  NestOutput output{emitter.existing(assignment.destination), assignment.destination.axes};
  Type storage = cast<MemRefType>(assignment.destination.memref.getType()).getElementType();
  emitGeneric(emitter, assignment.destination.axes, {}, {}, output, [&](Point &point, ValueRange) -> SmallVector<Value> {
    Value element = loadElement(emitter, assignment.saved, point);
    return {toStorage(emitter.builder, emitter.builder.getLoc(), element, storage)};
  });
}

bool reads(Emitter &emitter, const Assignment &assignment, Value memref) {
  if (assignment.saved.memref)
    return false;
  TileSet buffers;
  collectBuffersRead(assignment.source, buffers);
  return llvm::any_of(buffers, [&](Value tile) { return emitter.buffer(tile).memref == memref; });
}

/// Whether nothing needs to be written: the value is in its place.
bool isInPlace(Emitter &emitter, const Assignment &assignment) {
  return hasBuffer(assignment.source) && emitter.buffer(assignment.source).memref == assignment.destination.memref;
}

/// Gives the destinations the sources' values, all at once. Each assignment waits for those that read what it overwrites; in a
/// cycle the first one is computed aside.
void assign(Emitter &emitter, SmallVector<Assignment> pending) {
  llvm::erase_if(pending, [&](const Assignment &assignment) { return isInPlace(emitter, assignment); });
  while (!pending.empty()) {
    auto isFree = [&](const Assignment &candidate) {
      return llvm::none_of(pending, [&](const Assignment &other) {
        return &other != &candidate && reads(emitter, other, candidate.destination.memref);
      });
    };
    auto next = llvm::find_if(pending, isFree);
    if (next != pending.end()) {
      write(emitter, *next);
      pending.erase(next);
      continue;
    }
    Assignment &first = pending.front();
    Buffer aside = emitter.allocate(first.source.getType());
    emitCopy(emitter, first.source, aside);
    first.saved = aside;
  }
}

void assignTiles(Emitter &emitter, ArrayRef<Buffer> destinations, ValueRange sources) {
  SmallVector<Assignment> assignments;
  for (auto [destination, source] : llvm::zip(destinations, sources))
    if (destination.memref)
      assignments.push_back({destination, source, {}});
  assign(emitter, std::move(assignments));
}

/// The scalars among carried values, as values of the function.
SmallVector<Value> scalarsOf(Emitter &emitter, ValueRange values) {
  SmallVector<Value> scalars;
  for (Value value : values)
    if (!tile::isTile(value.getType()))
      scalars.push_back(emitter.scalar(value));
  return scalars;
}

/// Binds the scalars among `values` to `replacements`, and the tiles to `buffers`.
void bind(Emitter &emitter, ValueRange values, ValueRange replacements, ArrayRef<Buffer> buffers) {
  for (auto [value, buffer] : llvm::zip(values, buffers)) {
    if (buffer.memref) {
      emitter.setBuffer(value, buffer);
      continue;
    }
    emitter.setScalar(value, replacements.front());
    replacements = replacements.drop_front();
  }
}

/// New buffers for the tiles among `values`; none for scalars.
SmallVector<Buffer> allocateFor(Emitter &emitter, ValueRange values) {
  return llvm::map_to_vector(
      values, [&](Value value) { return tile::isTile(value.getType()) ? emitter.allocate(value.getType()) : Buffer(); });
}

SmallVector<Buffer> resultBuffers(Emitter &emitter, ResultRange results) {
  return llvm::map_to_vector(
      results, [&](OpResult result) { return tile::isTile(result.getType()) ? emitter.resultBuffer(result) : Buffer(); });
}

/// Writes a block whose terminator gives values to destinations, at the builder's position; returns the scalars among them.
FailureOr<SmallVector<Value>> emitBody(Emitter &emitter, Block &block, ArrayRef<Buffer> destinations, ValueRange given) {
  SmallVector<Buffer> outer = std::exchange(emitter.destinations, llvm::to_vector(destinations));
  LogicalResult result = emitter.emitBlock(block);
  emitter.destinations = std::move(outer);
  if (failed(result))
    return failure();
  emitter.builder.setLoc(block.getTerminator()->getLoc());
  assignTiles(emitter, destinations, given);
  return scalarsOf(emitter, given);
}

// --------------------------------------------------------------------------------------------------------------------
// for
// --------------------------------------------------------------------------------------------------------------------

LogicalResult emitFor(Emitter &emitter, tile::ForOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  SmallVector<Buffer> buffers = resultBuffers(emitter, op.getResults());
  assignTiles(emitter, buffers, op.getInitial());

  auto span = dyn_cast<tile::SpanType>(op.getInductionVariable().getType());
  Value low = emitter.scalar(op.getLow()), high = emitter.scalar(op.getHigh()),
        step = emitter.constant(span ? span.getCapacity() : 1);
  auto loop = scf::ForOp::create(builder, low, high, step, scalarsOf(emitter, op.getInitial()));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    emitter.setVariable(op.getInductionVariable(), loop.getInductionVar(), high);
    bind(emitter, op.getCarried(), loop.getRegionIterArgs(), buffers);
    Block &body = op.getBody().front();
    auto next = emitBody(emitter, body, buffers, body.getTerminator()->getOperands());
    if (failed(next))
      return failure();
    if (loop.getNumResults() > 0)
      scf::YieldOp::create(builder, *next);
  }
  bind(emitter, op.getResults(), loop.getResults(), buffers);
  return success();
}

// --------------------------------------------------------------------------------------------------------------------
// if
// --------------------------------------------------------------------------------------------------------------------

LogicalResult emitIf(Emitter &emitter, scf::IfOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  SmallVector<Buffer> buffers = resultBuffers(emitter, op.getResults());
  SmallVector<Type> scalarTypes;
  llvm::copy_if(op.getResultTypes(), std::back_inserter(scalarTypes), [](Type type) { return !tile::isTile(type); });
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(builder, scalarTypes, emitter.scalar(op.getCondition()), /*addThenBlock=*/true, hasElse);
  for (auto [from, to] : llvm::zip(op->getRegions(), branch->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&to.front());
    Block &body = from.front();
    auto given = emitBody(emitter, body, buffers, body.getTerminator()->getOperands());
    if (failed(given))
      return failure();
    scf::YieldOp::create(builder, *given);
  }
  bind(emitter, op.getResults(), branch.getResults(), buffers);
  return success();
}

// --------------------------------------------------------------------------------------------------------------------
// while
// --------------------------------------------------------------------------------------------------------------------

/// The buffers of the values that the condition passes on: those of the arguments that it passes on as they are (once each),
/// new ones for others.
SmallVector<Buffer> passedBuffers(Emitter &emitter, scf::WhileOp op, ArrayRef<Buffer> arguments) {
  SmallVector<Buffer> buffers;
  llvm::SmallDenseSet<Value> shared;
  for (Value passed : op.getConditionOp().getArgs()) {
    auto argument = dyn_cast<BlockArgument>(passed);
    bool isOwn = argument && argument.getOwner() == op.getBeforeBody();
    if (isOwn && tile::isTile(passed.getType()) && shared.insert(passed).second)
      buffers.push_back(arguments[argument.getArgNumber()]);
    else
      buffers.push_back(tile::isTile(passed.getType()) ? emitter.allocate(passed.getType()) : Buffer());
  }
  return buffers;
}

SmallVector<Type> scalarTypes(TypeRange types) {
  SmallVector<Type> result;
  llvm::copy_if(types, std::back_inserter(result), [](Type type) { return !tile::isTile(type); });
  return result;
}

LogicalResult emitWhile(Emitter &emitter, scf::WhileOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  SmallVector<Buffer> arguments = allocateFor(emitter, op.getInits());
  SmallVector<Buffer> passed = passedBuffers(emitter, op, arguments);
  assignTiles(emitter, arguments, op.getInits());

  SmallVector<Value> initial = scalarsOf(emitter, op.getInits());
  SmallVector<Type> results = scalarTypes(op.getResultTypes());
  auto loop = scf::WhileOp::create(builder, results, initial);
  OpBuilder::InsertionGuard guard(builder);
  auto locations = [&](size_t count) { return SmallVector<Location>(count, op.getLoc()); };
  Block *before = builder.createBlock(&loop.getBefore(), {}, TypeRange(ValueRange(initial)), locations(initial.size()));
  bind(emitter, op.getBeforeArguments(), before->getArguments(), arguments);
  auto given = emitBody(emitter, *op.getBeforeBody(), {}, {});
  if (failed(given))
    return failure();
  assignTiles(emitter, passed, op.getConditionOp().getArgs());
  Value condition = emitter.scalar(op.getConditionOp().getCondition());
  scf::ConditionOp::create(builder, condition, scalarsOf(emitter, op.getConditionOp().getArgs()));

  Block *after = builder.createBlock(&loop.getAfter(), {}, results, locations(results.size()));
  bind(emitter, op.getAfterArguments(), after->getArguments(), passed);
  Block &body = *op.getAfterBody();
  auto next = emitBody(emitter, body, arguments, body.getTerminator()->getOperands());
  if (failed(next))
    return failure();
  scf::YieldOp::create(builder, *next);
  bind(emitter, op.getResults(), loop.getResults(), passed);
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

} // namespace tilewright::cpu
