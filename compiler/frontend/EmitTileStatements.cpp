// Statements: what is written, reported, repeated and chosen.
#include "compiler/frontend/EmitTileEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <set>

using namespace mlir;

namespace tilewright::frontend {

using namespace typed;

// --------------------------------------------------------------------------------------------------------------------
// Assigned variables
// --------------------------------------------------------------------------------------------------------------------

namespace {

struct AssignedVariables {
  std::set<const Symbol *> declared;
  std::vector<const Symbol *> assigned;

  void visit(const Block &block) {
    for (const Statement *statement : block) {
      if (statement->kind == StatementKind::Var)
        declared.insert(statement->symbols.front());
      if (statement->kind == StatementKind::Assign)
        add(statement->symbols.front());
      visit(statement->condition);
      visit(statement->body);
      visit(statement->elseBody);
    }
  }

private:
  void add(const Symbol *symbol) {
    if (!declared.count(symbol) && !llvm::is_contained(assigned, symbol))
      assigned.push_back(symbol);
  }
};

} // namespace

std::vector<const Symbol *> assignedVariables(std::initializer_list<const Block *> blocks) {
  AssignedVariables variables;
  for (const Block *block : blocks)
    variables.visit(*block);
  return std::move(variables.assigned);
}

TileEmitter::Values TileEmitter::currentValues(ArrayRef<const Symbol *> symbols) {
  return llvm::map_to_vector(symbols, [&](const Symbol *symbol) { return values.lookup(symbol); });
}

void TileEmitter::setValues(ArrayRef<const Symbol *> symbols, ValueRange newValues) {
  for (auto [symbol, value] : llvm::zip(symbols, newValues))
    values[symbol] = value;
}

// --------------------------------------------------------------------------------------------------------------------
// Statements
// --------------------------------------------------------------------------------------------------------------------

void TileEmitter::emitBlock(const Block &block) {
  for (const Statement *statement : block)
    emitStatement(*statement);
}

void TileEmitter::emitStatement(const Statement &statement) {
  where = location(statement.where);
  switch (statement.kind) {
  case StatementKind::Let:
    return emitLet(statement);
  case StatementKind::Var:
  case StatementKind::Assign: {
    const Symbol *symbol = statement.symbols.front();
    values[symbol] = broadcast(emit(*statement.value), symbol->type);
    return;
  }
  case StatementKind::Store:
    return emitStore(statement);
  case StatementKind::For:
    return emitFor(statement);
  case StatementKind::While:
    return emitWhile(statement);
  case StatementKind::If:
    return emitIf(statement);
  case StatementKind::Print:
    return emitPrint(statement);
  case StatementKind::Assert:
    return emitAssert(statement);
  }
}

void TileEmitter::emitLet(const Statement &statement) {
  Values results = emitResults(*statement.value);
  for (auto [symbol, value] : llvm::zip(statement.symbols, results))
    values[symbol] = broadcast(value, symbol->type);
}

// --------------------------------------------------------------------------------------------------------------------
// Stores
// --------------------------------------------------------------------------------------------------------------------

namespace {

tile::Reduction reductionOf(StoreKind kind) {
  return kind == StoreKind::Max ? tile::Reduction::Max : kind == StoreKind::Min ? tile::Reduction::Min : tile::Reduction::Add;
}

} // namespace

void TileEmitter::emitStore(const Statement &statement) {
  Value value = emit(*statement.value);
  Values indices = llvm::map_to_vector(statement.indices, [&](const Expr *index) { return emitIndex(*index); });
  Values spans = spansOf(statement.placeAxes);
  SmallVector<bool> compare(statement.indices.size(), false);
  if (statement.dropOutside)
    std::copy(statement.compare.begin(), statement.compare.end(), compare.begin());
  where = location(statement.where);
  if (statement.store == StoreKind::Set)
    tile::StoreOp::create(builder, where, value, views.lookup(statement.view), indices, spans, compare,
                          statement.promisedUnique, promiseMessage(statement));
  else
    emitAccumulation(statement, value, indices, spans, compare);
}

void TileEmitter::emitAccumulation(const Statement &statement, Value value, ValueRange indices, ValueRange spans,
                                   ArrayRef<bool> compare) {
  Value view = views.lookup(statement.view);
  tile::Reduction kind = reductionOf(statement.store);
  if (!statement.atomic) {
    tile::AccumulateOp::create(builder, where, value, view, indices, spans, kind, compare, statement.sharedByTiles,
                               statement.view->dtype == DType::U8);
    return;
  }
  Type old = statement.fetched ? typeOf({statement.view->dtype, statement.placeAxes}) : Type();
  auto atomic = tile::AtomicRMWOp::create(builder, where, old, value, view, indices, spans, kind, compare);
  if (statement.fetched)
    values[statement.fetched] = broadcast(atomic.getOld(), statement.fetched->type);
}

// --------------------------------------------------------------------------------------------------------------------
// Control
// --------------------------------------------------------------------------------------------------------------------

void TileEmitter::emitFor(const Statement &statement) {
  const Axis &axis = *statement.axis;
  Value low = emitIndex(*axis.low), high = emitIndex(*axis.high);
  std::vector<const Symbol *> carried = assignedVariables({&statement.body});
  Values initial = currentValues(carried);
  Location loopWhere = where = location(statement.where);

  auto loop = tile::ForOp::create(builder, where, ValueRange(initial).getTypes(), low, high, initial, axis.uniqueName);
  mlir::Block &block = loop.getBody().emplaceBlock();
  axes[&axis] = block.addArgument(axis.isSpan ? Type(spanType(axis)) : builder.getI64Type(), location(axis.where));
  for (auto [symbol, value] : llvm::zip(carried, initial))
    values[symbol] = block.addArgument(value.getType(), location(symbol->where));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&block);
    enclosing.push_back(&axis);
    emitBlock(statement.body);
    enclosing.pop_back();
    tile::YieldOp::create(builder, loopWhere, currentValues(carried));
  }
  setValues(carried, loop.getResults());
}

void TileEmitter::emitWhile(const Statement &statement) {
  std::vector<const Symbol *> carried = assignedVariables({&statement.condition, &statement.body});
  Values initial = currentValues(carried);
  TypeRange types = ValueRange(initial).getTypes();
  SmallVector<Location> places = llvm::map_to_vector(carried, [&](const Symbol *symbol) { return location(symbol->where); });
  Location loopWhere = where;

  auto loop = scf::WhileOp::create(builder, where, types, initial);
  OpBuilder::InsertionGuard guard(builder);
  mlir::Block *before = builder.createBlock(&loop.getBefore(), {}, types, places);
  setValues(carried, before->getArguments());
  emitBlock(statement.condition);
  Value condition = emit(*statement.value);
  scf::ConditionOp::create(builder, loopWhere, condition, currentValues(carried));

  mlir::Block *after = builder.createBlock(&loop.getAfter(), {}, types, places);
  setValues(carried, after->getArguments());
  emitBlock(statement.body);
  scf::YieldOp::create(builder, loopWhere, currentValues(carried));
  setValues(carried, loop.getResults());
}

void TileEmitter::emitIf(const Statement &statement) {
  Value condition = emit(*statement.value);
  std::vector<const Symbol *> assigned = assignedVariables({&statement.body, &statement.elseBody});
  Values before = currentValues(assigned);
  Location ifWhere = where = location(statement.where);
  bool hasElse = !statement.elseBody.empty() || !assigned.empty();

  auto op = scf::IfOp::create(builder, where, ValueRange(before).getTypes(), condition, /*addThenBlock=*/true, hasElse);
  auto emitBranch = [&](mlir::Block *branch, const Block &body) {
    OpBuilder::InsertionGuard guard(builder);
    branch->clear();
    builder.setInsertionPointToEnd(branch);
    setValues(assigned, before);
    emitBlock(body);
    scf::YieldOp::create(builder, ifWhere, currentValues(assigned));
  };
  emitBranch(op.thenBlock(), statement.body);
  if (hasElse)
    emitBranch(op.elseBlock(), statement.elseBody);
  setValues(assigned, op.getResults());
}

} // namespace tilewright::frontend
