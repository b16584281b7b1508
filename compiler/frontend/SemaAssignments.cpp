// Variables: their declarations and assignments. A variable's type and axes are fixed where it is declared.
#include "compiler/frontend/Elaborator.h"

#include <algorithm>

namespace tilewright::frontend {

using namespace typed;

namespace {

std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}

bool isSubset(const TreeBuilder::Axes &axes, const TreeBuilder::Axes &of) {
  return TreeBuilder::without(axes, of).empty();
}

} // namespace

// --------------------------------------------------------------------------------------------------------------------
// Declarations
// --------------------------------------------------------------------------------------------------------------------

void Elaborator::var(const ast::VarStatement &statement) {
  Value value = expression(*statement.value);
  if (statement.type) {
    declareTyped(statement.name, *statement.type, value, Symbol::Kind::Var, statement.where);
    return;
  }
  const Expr *tile = value.isError() ? nullptr : arithmetic.tile(value);
  if (!tile)
    return declare(statement.name, Entity::poisoned(statement.name.where));
  TileType type = tile->type;
  TreeBuilder::addAxes(type.axes, body->argumentAxes);
  Symbol &symbol = tree.makeSymbol(Symbol::Kind::Var, statement.name.text, type, statement.name.where);
  Entity entity = Entity::of(Entity::Kind::Symbol, statement.name.where);
  entity.symbol = &symbol;
  declare(statement.name, entity);
  Statement &var = emit(StatementKind::Var, statement.where);
  var.symbols = {&symbol};
  var.value = tile;
}

const Symbol *Elaborator::declareTyped(const ast::Name &name, const ast::TileTypeReference &type, const Value &value,
                                       Symbol::Kind kind, SourceRange where) {
  std::optional<TileType> resolved = resolve(type);
  if (resolved && kind == Symbol::Kind::Var)
    TreeBuilder::addAxes(resolved->axes, body->argumentAxes);
  std::string written = type.dtype.builtin ? std::string() : type.dtype.name;
  const Expr *tile =
      resolved && !value.isError() ? arithmetic.convert(value, resolved->dtype, quoted(name.text), written) : nullptr;
  if (!tile || !checkAxesWithin(*tile, resolved->axes, quoted(name.text), name.where)) {
    // The type is known even if the value is wrong: keep the name usable.
    if (!resolved)
      declare(name, Entity::poisoned(name.where));
    tile = nullptr;
  }
  if (!resolved)
    return nullptr;
  Symbol &symbol = tree.makeSymbol(kind, name.text, *resolved, name.where);
  Entity entity = Entity::of(Entity::Kind::Symbol, name.where);
  entity.symbol = &symbol;
  declare(name, entity);
  if (!tile)
    return nullptr;
  // A `let` that repeats its value along more axes is a variable that is never assigned: only those repeat.
  bool repeats = tile->type.axes.size() != resolved->axes.size();
  symbol.kind = repeats ? Symbol::Kind::Var : kind;
  Statement &statement = emit(symbol.kind == Symbol::Kind::Var ? StatementKind::Var : StatementKind::Let, where);
  if (statement.kind == StatementKind::Let)
    symbol.type.axes = tile->type.axes; // the order of axes has no meaning; a Let's symbol has its value's
  statement.symbols = {&symbol};
  statement.value = tile;
  if (kind == Symbol::Kind::Let)
    letValues[&symbol] = tile;
  return &symbol;
}

bool Elaborator::checkAxesWithin(const Expr &value, const Axes &axes, const std::string &holder, SourceRange declared,
                                 SourceRange where) {
  Axes surplus = TreeBuilder::without(value.type.axes, axes);
  if (surplus.empty())
    return true;
  const std::string &axis = surplus.front()->name;
  Diagnostic &error = diagnostics.error(where.valid() ? where : value.where,
                                        "the value has axis " + quoted(axis) + ", which " + holder + " has not");
  error.note(surplus.front()->where, quoted(axis) + " is declared here");
  if (declared.valid())
    error.note(declared, holder + " is here");
  error.help("reduce over it, `sum(…, over " + axis + ")`, or give " + holder + " that axis");
  return false;
}

// --------------------------------------------------------------------------------------------------------------------
// Assignments
// --------------------------------------------------------------------------------------------------------------------

void Elaborator::assign(const ast::AssignStatement &statement, const ast::Name *fetched) {
  const Entity *entity = lookup(statement.target.text);
  if (!entity)
    reportUnknown(statement.target);
  bool isView = entity && entity->kind == Entity::Kind::View;
  if (isView && statement.places)
    return store(statement, *entity->view, fetched);
  if (fetched)
    declare(*fetched, Entity::poisoned(fetched->where));
  if (!entity || entity->kind == Entity::Kind::Poisoned) {
    if (statement.places)
      for (const ast::ExpressionPtr &index : statement.places->indices)
        expression(*index);
    expression(*statement.value);
    return;
  }
  if (isView) {
    diagnostics.error(statement.target.where, quoted(statement.target.text) + " is a view: say which elements are written")
        .note(entity->where, "declared here")
        .help("write `" + statement.target.text + "[…] = …`");
    return;
  }
  if (statement.places) {
    viewNamed(statement.target); // reports that it is none
    return;
  }
  if (entity->kind == Entity::Kind::Symbol && entity->symbol->kind == Symbol::Kind::Var && !statement.atomic)
    return assignVariable(statement, *entity->symbol);
  bool isLet = entity->kind == Entity::Kind::Symbol;
  diagnostics
      .error(statement.target.where, statement.atomic
                                         ? "`atomic` is for views, " + quoted(statement.target.text) + " is none"
                                         : quoted(statement.target.text) + " is not a variable, so it cannot be assigned")
      .note(entity->where, "declared here")
      .help(isLet && !statement.atomic ? "declare it with `var`" : "");
}

void Elaborator::assignVariable(const ast::AssignStatement &statement, const Symbol &symbol) {
  Value value = expression(*statement.value);
  if (value.isError())
    return;
  const Expr *assigned = assignedValue(statement, symbol, value);
  if (!assigned || !checkAxesWithin(*assigned, symbol.type.axes, quoted(symbol.name), symbol.where, value.where))
    return;
  bool isSet = statement.op == ast::AssignOperator::Set;
  if (isSet && !assigned->type.isScalar() && !isSubset(symbol.type.axes, assigned->type.axes)) {
    const Axis *missing = TreeBuilder::without(symbol.type.axes, assigned->type.axes).front();
    diagnostics
        .error(value.where, quoted(symbol.name) + " is " + toString(symbol.type) + ", the value has no axis " +
                                quoted(missing->name) + ": " + Arithmetic::describe(value))
        .note(symbol.where, "declared here")
        .help("`=` needs the same axes, or none");
    return;
  }
  Statement &result = emit(StatementKind::Assign, statement.where);
  result.symbols = {&symbol};
  result.value = assigned;
  result.assignment = statement.op == ast::AssignOperator::Subtract ? ast::AssignOperator::Add : statement.op;
}

const Expr *Elaborator::assignedValue(const ast::AssignStatement &statement, const Symbol &symbol, const Value &value) {
  SourceRange where = statement.where;
  Value current = Value::ofTile(tree.symbol(symbol, statement.target.where), statement.target.where);
  Value result;
  auto combine = [&](ast::BinaryOperator op, const Value &operand) {
    return arithmetic.binary(op, statement.operatorWhere, current, operand, where);
  };
  switch (statement.op) {
  case ast::AssignOperator::Set:
    result = value;
    break;
  case ast::AssignOperator::Add:
    result = combine(ast::BinaryOperator::Add, value);
    break;
  case ast::AssignOperator::Subtract:
    result = combine(ast::BinaryOperator::Add, arithmetic.unary(ast::UnaryOperator::Negate, value, value.where));
    break;
  case ast::AssignOperator::Multiply:
    result = combine(ast::BinaryOperator::Multiply, value);
    break;
  case ast::AssignOperator::Divide:
    result = combine(ast::BinaryOperator::Divide, value);
    break;
  case ast::AssignOperator::Max:
    result = arithmetic.elementwise(*findBuiltin("max"), {current, value}, where);
    break;
  case ast::AssignOperator::Min:
    result = arithmetic.elementwise(*findBuiltin("min"), {current, value}, where);
    break;
  }
  if (result.isError())
    return nullptr;
  result.where = value.where;
  return arithmetic.convert(result, symbol.type.dtype, "assignment to " + quoted(symbol.name));
}

} // namespace tilewright::frontend
