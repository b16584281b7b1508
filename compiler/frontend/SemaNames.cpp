// A branch that a static decides against leaves no code; its names are checked all the same.
#include "compiler/frontend/Elaborator.h"

namespace tilewright::frontend {

void Elaborator::declarePoisoned(const ast::Name &name) {
  declare(name, Entity::poisoned(name.where));
}

void Elaborator::checkName(const ast::Name &name) {
  bool isTunable = kernelInfo && !isFunctionBody() && kernelInfo->signature.tunables.count(name.text);
  bool isAllowedTunable = isTunable && (inRequirement || inBlockSize);
  if (!lookup(name.text) && !findBuiltin(name.text) && !isAllowedTunable)
    reportUnknown(name);
}

void Elaborator::checkNames(const ast::Block &block) {
  body->frames.emplace_back();
  for (const ast::StatementPtr &statement : block.statements)
    checkNames(*statement);
  body->frames.pop_back();
}

void Elaborator::checkNames(const ast::Statement &statement) {
  using Kind = ast::Statement::Kind;
  switch (statement.kind) {
  case Kind::Let: {
    const auto &let = ast::as<ast::LetStatement>(statement);
    checkNames(let.value.get());
    if (let.atomicStore)
      checkAssignmentNames(*let.atomicStore);
    return declarePoisoned(let.name);
  }
  case Kind::LetTuple: {
    const auto &let = ast::as<ast::LetTupleStatement>(statement);
    checkNames(let.value.get());
    for (const ast::Name &name : let.names)
      declarePoisoned(name);
    return;
  }
  case Kind::Var: {
    const auto &var = ast::as<ast::VarStatement>(statement);
    checkNames(var.value.get());
    if (var.type)
      for (const ast::Name &axis : var.type->axes)
        checkName(axis);
    return declarePoisoned(var.name);
  }
  case Kind::Assign:
    return checkAssignmentNames(ast::as<ast::AssignStatement>(statement));
  case Kind::If: {
    const auto &branch = ast::as<ast::IfStatement>(statement);
    checkNames(branch.condition.get());
    checkNames(branch.thenBlock);
    if (branch.elseBlock)
      checkNames(*branch.elseBlock);
    return;
  }
  case Kind::For:
    return checkLoopNames(ast::as<ast::ForStatement>(statement));
  case Kind::While: {
    const auto &loop = ast::as<ast::WhileStatement>(statement);
    checkNames(loop.condition.get());
    return checkNames(loop.body);
  }
  case Kind::Require: {
    inRequirement = true;
    checkNames(ast::as<ast::RequireStatement>(statement).condition.get());
    inRequirement = false;
    return;
  }
  case Kind::Tune:
    return;
  case Kind::Print:
    for (const ast::PrintArgument &argument : ast::as<ast::PrintStatement>(statement).arguments)
      checkNames(argument.value.get());
    return;
  case Kind::Assert:
    for (const ast::PrintArgument &argument : ast::as<ast::AssertStatement>(statement).arguments)
      checkNames(argument.value.get());
    return;
  case Kind::Return:
    return checkNames(ast::as<ast::ReturnStatement>(statement).value.get());
  }
}

void Elaborator::checkAssignmentNames(const ast::AssignStatement &statement) {
  checkName(statement.target);
  for (const std::unique_ptr<typed::View> &view : kernel.views) // names are never shadowed
    view->isStoredInDroppedBranch |= view->name == statement.target.text;
  if (statement.places) {
    for (const ast::ExpressionPtr &index : statement.places->indices)
      checkNames(index.get());
    checkNames(statement.places->elseValue.get());
  }
  checkNames(statement.value.get());
}

void Elaborator::checkLoopNames(const ast::ForStatement &statement) {
  body->frames.emplace_back();
  for (const ast::AxisDeclaration &axis : statement.axes) {
    checkNames(axis.low.get());
    checkNames(axis.high.get());
    inBlockSize = true;
    checkNames(axis.by.get());
    inBlockSize = false;
    declarePoisoned(axis.name);
  }
  checkNames(statement.body);
  body->frames.pop_back();
}

void Elaborator::checkNames(const ast::Expression *expression) {
  using Kind = ast::Expression::Kind;
  if (!expression)
    return;
  switch (expression->kind) {
  case Kind::Integer:
  case Kind::Float:
  case Kind::Boolean:
    return;
  case Kind::Name:
    return checkName({ast::as<ast::NameExpression>(*expression).name, expression->where});
  case Kind::DType: {
    const ast::DTypeReference &dtype = ast::as<ast::DTypeExpression>(*expression).dtype;
    if (!dtype.builtin && !dtype.accumOf)
      checkName({dtype.name, dtype.where});
    return;
  }
  case Kind::Unary:
    return checkNames(ast::as<ast::UnaryExpression>(*expression).operand.get());
  case Kind::Binary:
    checkNames(ast::as<ast::BinaryExpression>(*expression).left.get());
    return checkNames(ast::as<ast::BinaryExpression>(*expression).right.get());
  case Kind::Call:
    return checkCallNames(ast::as<ast::CallExpression>(*expression));
  case Kind::Index: {
    const auto &index = ast::as<ast::IndexExpression>(*expression);
    checkNames(index.base.get());
    for (const ast::ExpressionPtr &each : index.places.indices)
      checkNames(each.get());
    return checkNames(index.places.elseValue.get());
  }
  case Kind::Member:
    return checkNames(ast::as<ast::MemberExpression>(*expression).base.get());
  case Kind::Tuple:
    for (const ast::ExpressionPtr &element : ast::as<ast::TupleExpression>(*expression).elements)
      checkNames(element.get());
    return;
  }
}

void Elaborator::checkCallNames(const ast::CallExpression &call) {
  checkNames(call.callee.get());
  for (const ast::ExpressionPtr &argument : call.arguments)
    checkNames(argument.get());
  for (const ast::Name &axis : call.over)
    checkName(axis);
}

} // namespace tilewright::frontend
