// Statements but declarations of axes and assignments.
#include "compiler/frontend/Elaborator.h"

#include <algorithm>

namespace tilewright::frontend {

using namespace typed;

Statement &Elaborator::emit(StatementKind kind, SourceRange where) {
  Statement &statement = tree.makeStatement(kind, where);
  body->block->push_back(&statement);
  return statement;
}

bool Elaborator::refusedInFunction(std::string_view what, SourceRange where) {
  if (!isFunctionBody())
    return false;
  diagnostics.error(where, "a function is pure, so it has no `" + std::string(what) + "`");
  return true;
}

void Elaborator::statements(const ast::Block &block) {
  if (isTooDeep(block.where))
    return;
  ++depth;
  for (const ast::StatementPtr &each : block.statements)
    statement(*each);
  --depth;
}

void Elaborator::statement(const ast::Statement &statement) {
  if (statement.faulty) // the parser reported it
    return;
  switch (statement.kind) {
  case ast::Statement::Kind::Let:
    return let(ast::as<ast::LetStatement>(statement));
  case ast::Statement::Kind::LetTuple:
    return letTuple(ast::as<ast::LetTupleStatement>(statement));
  case ast::Statement::Kind::Var:
    return var(ast::as<ast::VarStatement>(statement));
  case ast::Statement::Kind::Assign:
    return assign(ast::as<ast::AssignStatement>(statement));
  case ast::Statement::Kind::If:
    return ifStatement(ast::as<ast::IfStatement>(statement));
  case ast::Statement::Kind::For:
    return forStatement(ast::as<ast::ForStatement>(statement));
  case ast::Statement::Kind::While:
    return whileStatement(ast::as<ast::WhileStatement>(statement));
  case ast::Statement::Kind::Require:
    return require(ast::as<ast::RequireStatement>(statement));
  case ast::Statement::Kind::Tune:
    return tune(ast::as<ast::TuneStatement>(statement));
  case ast::Statement::Kind::Print:
    return print(ast::as<ast::PrintStatement>(statement));
  case ast::Statement::Kind::Assert:
    return assertStatement(ast::as<ast::AssertStatement>(statement));
  case ast::Statement::Kind::Return:
    diagnostics
        .error(statement.where, isFunctionBody() ? "`return` stands at the end of a function only" : "a kernel returns nothing")
        .help(isFunctionBody() ? "choose between values with `where`" : "store to an `out` view");
    return;
  }
}

// --------------------------------------------------------------------------------------------------------------------
// let
// --------------------------------------------------------------------------------------------------------------------

void Elaborator::let(const ast::LetStatement &statement) {
  if (statement.atomicStore)
    return letOldValue(statement);
  if (const auto *call = ast::dynAs<ast::CallExpression>(statement.value.get()))
    if (const auto *callee = ast::dynAs<ast::NameExpression>(call->callee.get()); callee && callee->name == "span")
      return letSpan(statement.name, *call);
  Value value = expression(*statement.value);
  if (statement.type) {
    declareTyped(statement.name, *statement.type, value, Symbol::Kind::Let, statement.where);
    return;
  }
  const Expr *tile = value.isError() ? nullptr : arithmetic.tile(value);
  if (!tile)
    return declare(statement.name, Entity::poisoned(statement.name.where));
  Symbol &symbol = tree.makeSymbol(Symbol::Kind::Let, statement.name.text, tile->type, statement.name.where);
  Entity entity = Entity::of(Entity::Kind::Symbol, statement.name.where);
  entity.symbol = &symbol;
  declare(statement.name, entity);
  Statement &let = emit(StatementKind::Let, statement.where);
  let.symbols = {&symbol};
  let.value = tile;
  letValues[&symbol] = tile;
}

/// `let old: i64[t] = atomic n[…] += 1;`
void Elaborator::letOldValue(const ast::LetStatement &statement) {
  assign(*statement.atomicStore, &statement.name);
  auto declared = body->frames.back().find(statement.name.text);
  bool isSound = declared != body->frames.back().end() && declared->second.kind == Entity::Kind::Symbol &&
                 declared->second.where == statement.name.where;
  if (!isSound || !statement.type)
    return;
  const Symbol &old = *declared->second.symbol;
  body->frames.back().erase(declared); // the name is that of the value with the type that is stated
  declareTyped(statement.name, *statement.type, Value::ofTile(tree.symbol(old, statement.name.where), statement.name.where),
               Symbol::Kind::Let, statement.where);
}

void Elaborator::letTuple(const ast::LetTupleStatement &statement) {
  Value value = expressionOrCall(*statement.value);
  size_t count = value.kind == Value::Kind::Tile ? std::max<size_t>(1, value.tile->resultTypes.size()) : 0;
  if (!value.isError() && count != statement.names.size())
    diagnostics
        .error(statement.value->where, "expected " + std::to_string(statement.names.size()) + " results, found " +
                                           (count > 1 ? std::to_string(count) : Arithmetic::describe(value)))
        .help(count > 1 ? "name every result" : "write `let n = …;`");
  if (value.isError() || count != statement.names.size()) {
    for (const ast::Name &name : statement.names)
      declare(name, Entity::poisoned(name.where));
    return;
  }
  Statement &let = emit(StatementKind::Let, statement.where);
  let.value = value.tile;
  for (size_t i = 0; i < count; ++i) {
    const ast::Name &name = statement.names[i];
    Symbol &symbol = tree.makeSymbol(Symbol::Kind::Let, name.text, value.tile->resultTypes[i], name.where);
    let.symbols.push_back(&symbol);
    Entity entity = Entity::of(Entity::Kind::Symbol, name.where);
    entity.symbol = &symbol;
    declare(name, entity);
  }
}

// --------------------------------------------------------------------------------------------------------------------
// Control
// --------------------------------------------------------------------------------------------------------------------

std::set<const View *> Elaborator::presentIf(const ast::Expression &condition, bool outcome) const {
  if (const auto *name = ast::dynAs<ast::NameExpression>(&condition)) {
    const Entity *entity = outcome ? lookup(name->name) : nullptr;
    return entity && entity->kind == Entity::Kind::View ? std::set{entity->view} : std::set<const View *>{};
  }
  if (const auto *unary = ast::dynAs<ast::UnaryExpression>(&condition))
    return unary->op == ast::UnaryOperator::Not ? presentIf(*unary->operand, !outcome) : std::set<const View *>{};
  const auto *binary = ast::dynAs<ast::BinaryExpression>(&condition);
  ast::BinaryOperator conjunction = outcome ? ast::BinaryOperator::And : ast::BinaryOperator::Or;
  if (!binary || binary->op != conjunction)
    return {};
  std::set<const View *> views = presentIf(*binary->left, outcome);
  views.merge(presentIf(*binary->right, outcome));
  return views;
}

void Elaborator::ifStatement(const ast::IfStatement &statement) {
  const Expr *condition = this->condition(*statement.condition, "if");
  if (!condition || !isConstant(*condition))
    return keptIf(statement, condition);
  bool taken = condition->integer != 0;
  ++fixedBranches;
  if (taken) {
    inBlock(*body->block, [&] { statements(statement.thenBlock); });
    if (statement.elseBlock)
      checkNames(*statement.elseBlock);
  } else {
    checkNames(statement.thenBlock);
    if (statement.elseBlock)
      inBlock(*body->block, [&] { statements(*statement.elseBlock); });
  }
  --fixedBranches;
}

void Elaborator::keptIf(const ast::IfStatement &statement, const Expr *condition) {
  if (condition && isFunctionBody())
    diagnostics.error(statement.condition->where, "conditions in a function are fixed when it is compiled")
        .help("choose between values with `where`");
  Statement &result = tree.makeStatement(StatementKind::If, statement.where);
  result.value = condition;
  std::set<const View *> outer = presentViews;
  unsigned outerConditions = runTimeConditions;
  if (condition && !isDecidedBySpecialization(*condition))
    ++runTimeConditions;
  presentViews.merge(presentIf(*statement.condition, true));
  inBlock(result.body, [&] { statements(statement.thenBlock); });
  presentViews = outer;
  presentViews.merge(presentIf(*statement.condition, false));
  if (statement.elseBlock)
    inBlock(result.elseBody, [&] { statements(*statement.elseBlock); });
  presentViews = outer;
  runTimeConditions = outerConditions;
  if (condition)
    body->block->push_back(&result);
}

bool Elaborator::isDecidedBySpecialization(const Expr &expr) const {
  if (expr.kind == ExprKind::Presence)
    return true;
  bool isOperation = expr.kind == ExprKind::Elementwise || expr.kind == ExprKind::Cast;
  return isOperation ? std::all_of(expr.operands.begin(), expr.operands.end(),
                                   [this](const Expr *operand) { return isDecidedBySpecialization(*operand); })
                     : isConstantExpression(expr);
}

void Elaborator::forStatement(const ast::ForStatement &statement) {
  typed::Block *outer = body->block;
  body->frames.emplace_back();
  for (const ast::AxisDeclaration &declaration : statement.axes) {
    const Axis *axis = declareAxis(declaration, Axis::Origin::Loop);
    if (!axis) // the body is checked all the same
      continue;
    Statement &loop = emit(StatementKind::For, statement.where);
    loop.axis = axis;
    body->block = &loop.body;
  }
  inBlock(*body->block, [&] { statements(statement.body); });
  leaveFrame();
  body->block = outer;
}

void Elaborator::whileStatement(const ast::WhileStatement &statement) {
  if (refusedInFunction("while", statement.where))
    return;
  const Expr *condition = this->condition(*statement.condition, "while");
  Statement &loop = tree.makeStatement(StatementKind::While, statement.where);
  loop.value = condition;
  ++runTimeConditions;
  inBlock(loop.body, [&] { statements(statement.body); });
  --runTimeConditions;
  if (condition)
    body->block->push_back(&loop);
}

// --------------------------------------------------------------------------------------------------------------------
// require, print, assert
// --------------------------------------------------------------------------------------------------------------------

void Elaborator::require(const ast::RequireStatement &statement) {
  if (refusedInFunction("require", statement.where))
    return;
  inRequirement = true;
  Value value = expression(*statement.condition);
  inRequirement = false;
  bool onTunables = false;
  if (value.kind == Value::Kind::Tile && !isConstant(*value.tile) && !isRequirable(*value.tile, onTunables)) {
    diagnostics.error(statement.condition->where, "a requirement must be known before the kernel runs")
        .help("use dimensions, scalar parameters, statics and tunables; test values in memory with `assert`");
    return;
  }
  const Expr *condition = conditionOf(value, statement.condition->where, "require");
  if (!condition)
    return;
  if (isConstant(*condition)) {
    if (condition->integer)
      return;
    if (binding->isCheck && (fixedBranches != 0 || dependsOnStatics(*statement.condition)))
      excluded = true; // others may be allowed
    else
      diagnostics.error(statement.condition->where,
                        "requirement not met" + (statement.text ? ": " + statement.text->value : std::string()));
    return;
  }
  if (runTimeConditions != 0) {
    diagnostics.error(statement.where,
                      "a requirement holds for the whole launch, so it cannot stand under a run-time condition");
    return;
  }
  kernel.requirements.push_back(
      {condition, statement.text ? statement.text->value : std::string(), statement.condition->where, onTunables});
}

/// A condition that is known but for the statics, or what is computed from them: it names something of the kernel.
bool Elaborator::dependsOnStatics(const ast::Expression &expression) const {
  auto depends = [this](const ast::ExpressionPtr &each) { return each && dependsOnStatics(*each); };
  switch (expression.kind) {
  case ast::Expression::Kind::Name:
    return !body->file->names.count(ast::as<ast::NameExpression>(expression).name) &&
           !findBuiltin(ast::as<ast::NameExpression>(expression).name);
  case ast::Expression::Kind::Unary:
    return depends(ast::as<ast::UnaryExpression>(expression).operand);
  case ast::Expression::Kind::Binary:
    return depends(ast::as<ast::BinaryExpression>(expression).left) ||
           depends(ast::as<ast::BinaryExpression>(expression).right);
  case ast::Expression::Kind::Call: {
    const auto &call = ast::as<ast::CallExpression>(expression);
    return depends(call.callee) || std::any_of(call.arguments.begin(), call.arguments.end(), depends);
  }
  default:
    return false;
  }
}

bool Elaborator::isRequirable(const Expr &expr, bool &onTunables) const {
  switch (expr.kind) {
  case ExprKind::Constant:
  case ExprKind::Scalar:
  case ExprKind::Presence:
    return true;
  case ExprKind::Dimension:
    onTunables |= kernelInfo->signature.tunables.count(expr.name) != 0;
    return true;
  case ExprKind::Elementwise:
  case ExprKind::Cast:
    return std::all_of(expr.operands.begin(), expr.operands.end(),
                       [&](const Expr *operand) { return isRequirable(*operand, onTunables); });
  default:
    return false;
  }
}

std::vector<PrintPart> Elaborator::printParts(const std::vector<ast::PrintArgument> &arguments, size_t first) {
  std::vector<PrintPart> parts;
  for (size_t i = first; i < arguments.size(); ++i) {
    if (arguments[i].text)
      parts.push_back({arguments[i].text->value, nullptr});
    else if (const Expr *value = tileOf(*arguments[i].value))
      parts.push_back({"", value});
  }
  return parts;
}

void Elaborator::print(const ast::PrintStatement &statement) {
  if (refusedInFunction("print", statement.where))
    return;
  std::vector<PrintPart> parts = printParts(statement.arguments, 0);
  emit(StatementKind::Print, statement.where).parts = std::move(parts);
}

void Elaborator::assertStatement(const ast::AssertStatement &statement) {
  if (refusedInFunction("assert", statement.where))
    return;
  if (statement.arguments.empty() || !statement.arguments.front().value) {
    diagnostics.error(statement.where, "`assert` takes a condition first").help("write `assert(c, \"text\");`");
    return;
  }
  Value condition = expression(*statement.arguments.front().value);
  const Expr *tile = condition.isError() ? nullptr : arithmetic.tile(condition);
  if (tile && tile->type.dtype != DType::Bool) {
    diagnostics.error(condition.where, "the condition of `assert` must be bool, found " + Arithmetic::describe(condition))
        .help("compare it: `x != 0`");
    tile = nullptr;
  }
  std::vector<PrintPart> parts = printParts(statement.arguments, 1);
  if (!tile || (!binding->isCheck && !binding->checkedMode))
    return;
  Statement &result = emit(StatementKind::Assert, statement.where);
  result.value = tile;
  result.parts = std::move(parts);
}

} // namespace tilewright::frontend
