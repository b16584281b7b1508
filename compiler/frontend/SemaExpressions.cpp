// Expressions but calls and accesses: literals, names, operators, `.start`.
#include "compiler/frontend/Elaborator.h"

#include "compiler/frontend/ConstantFolding.h"

#include <algorithm>
#include <set>

namespace tilewright::frontend {

using namespace typed;
using ast::Expression;

Value Elaborator::expression(const Expression &expression) {
  Value value = expressionOrCall(expression);
  if (value.kind != Value::Kind::Tile || value.tile->resultTypes.size() <= 1)
    return value;
  diagnostics
      .error(expression.where,
             "this call has " + std::to_string(value.tile->resultTypes.size()) + " results, expected one value")
      .help("name them: `let (a, b) = …;`");
  return Value::error(expression.where);
}

Value Elaborator::expressionOrCall(const Expression &expression) {
  if (isTooDeep(expression.where))
    return Value::error(expression.where);
  ++depth;
  Value value = elaborateExpression(expression);
  --depth;
  return value;
}

Value Elaborator::elaborateExpression(const Expression &expression) {
  SourceRange where = expression.where;
  switch (expression.kind) {
  case Expression::Kind::Integer:
    return Value::ofInteger(ast::as<ast::IntegerExpression>(expression).value, where);
  case Expression::Kind::Float:
    return Value::ofReal(ast::as<ast::FloatExpression>(expression).value, where);
  case Expression::Kind::Boolean:
    return Value::ofTile(tree.boolean(ast::as<ast::BooleanExpression>(expression).value, where), where);
  case Expression::Kind::Name:
    return nameValue(ast::as<ast::NameExpression>(expression));
  case Expression::Kind::DType:
    return dtypeValue(ast::as<ast::DTypeExpression>(expression).dtype);
  case Expression::Kind::Unary: {
    const auto &unary = ast::as<ast::UnaryExpression>(expression);
    return arithmetic.unary(unary.op, this->expression(*unary.operand), where);
  }
  case Expression::Kind::Binary: {
    const auto &binary = ast::as<ast::BinaryExpression>(expression);
    Value left = this->expression(*binary.left);
    Value right = this->expression(*binary.right);
    return arithmetic.binary(binary.op, binary.operatorWhere, left, right, where);
  }
  case Expression::Kind::Call:
    return call(ast::as<ast::CallExpression>(expression));
  case Expression::Kind::Index:
    return load(ast::as<ast::IndexExpression>(expression));
  case Expression::Kind::Member:
    return member(ast::as<ast::MemberExpression>(expression));
  case Expression::Kind::Tuple:
    diagnostics.error(where, "a parenthesized list of values is the value of a `return`, `fn … =` or `deriv … =` only");
    break;
  }
  return Value::error(where);
}

Value Elaborator::dtypeValue(const ast::DTypeReference &reference) {
  std::optional<DType> dtype = resolve(reference);
  return dtype ? Value::ofDType(*dtype, reference.where) : Value::error(reference.where);
}

// --------------------------------------------------------------------------------------------------------------------
// Names
// --------------------------------------------------------------------------------------------------------------------

Value Elaborator::nameValue(const ast::NameExpression &expression) {
  ast::Name name{expression.name, expression.where};
  if (const Entity *entity = lookup(name.text))
    return entityValue(*entity, name);
  if (const Builtin *builtin = findBuiltin(name.text)) {
    if (builtin->isFunctionValue()) {
      FunctionValue value{FunctionValue::Kind::Builtin, name.text};
      value.builtin = builtin;
      return Value::ofFunction(std::make_shared<FunctionValue>(std::move(value)), name.where);
    }
    diagnostics.error(name.where, "`" + name.text + "` is not elementwise, so it is no function value")
        .help("call it: `" + name.text + "(…)`");
    return Value::error(name.where);
  }
  bool isTunable = kernelInfo && !isFunctionBody() && kernelInfo->signature.tunables.count(name.text);
  if (!isTunable || !inRequirement) {
    reportUnknown(name);
    return Value::error(name.where);
  }
  const Tunable &known = tunable(name);
  // A tunable in a condition reads as a dimension of its name (see ExprKind::Dimension).
  return Value::ofTile(known.value ? tree.integer(*known.value, DType::I64, name.where) : tree.dimension(name.text, name.where),
                       name.where);
}

Value Elaborator::entityValue(const Entity &entity, const ast::Name &name) {
  SourceRange where = name.where;
  switch (entity.kind) {
  case Entity::Kind::Poisoned:
    return Value::error(where);
  case Entity::Kind::Fixed:
  case Entity::Kind::Constant:
    return restated(entity.value, where);
  case Entity::Kind::Dimension:
    return dimensionValue(name);
  case Entity::Kind::View:
    return viewPresence(*entity.view, where);
  case Entity::Kind::Scalar: {
    Expr &scalar = tree.make(ExprKind::Scalar, {entity.scalar->dtype, {}}, where);
    scalar.scalar = entity.scalar;
    return Value::ofTile(&scalar, where);
  }
  case Entity::Kind::Axis:
    return Value::ofTile(tree.axisIndex(*entity.axis, where), where);
  case Entity::Kind::Symbol:
    return Value::ofTile(tree.symbol(*entity.symbol, where), where);
  case Entity::Kind::Alias:
    diagnostics.error(where, "`" + name.text + "` is an imported file")
        .help("write `" + name.text + ".` and the name of what it declares");
    break;
  }
  return Value::error(where);
}

Value Elaborator::restated(const Value &value, SourceRange where) {
  Value copy = value;
  copy.where = where;
  if (value.kind == Value::Kind::Tile) {
    Expr &expr = tree.make(value.tile->kind, value.tile->type, where);
    expr = *value.tile;
    expr.where = where;
    copy.tile = &expr;
  }
  return copy;
}

Value Elaborator::dimensionValue(const ast::Name &name) {
  if (boundDimensions.count(name.text))
    return Value::ofTile(tree.dimension(name.text, name.where), name.where);
  diagnostics.error(name.where, "dimension `" + name.text + "` is bound by absent views only")
      .help("use it inside `if` of a view that has it");
  return Value::error(name.where);
}

Value Elaborator::viewPresence(const View &view, SourceRange where) {
  if (!view.optional) {
    diagnostics.error(where, "`" + view.name + "` is a view, expected a value")
        .note(view.where, "declared here")
        .help("say which elements: `" + view.name + "[…]`");
    return Value::error(where);
  }
  if (view.presence != View::Presence::Unknown)
    return Value::ofTile(tree.boolean(view.presence == View::Presence::Present, where), where);
  Expr &presence = tree.make(ExprKind::Presence, {DType::Bool, {}}, where);
  presence.view = &view;
  return Value::ofTile(&presence, where);
}

// --------------------------------------------------------------------------------------------------------------------
// Members
// --------------------------------------------------------------------------------------------------------------------

Value Elaborator::member(const ast::MemberExpression &member) {
  const auto *base = ast::dynAs<ast::NameExpression>(member.base.get());
  const Entity *entity = base ? lookup(base->name) : nullptr;
  if (!entity || entity->kind != Entity::Kind::Alias)
    return boundOfSpan(member);
  const FileScope &imported = *entity->alias;
  if (std::find(imported.own.begin(), imported.own.end(), member.member.text) != imported.own.end())
    return entityValue(imported.names.find(member.member.text)->second, {base->name + "." + member.member.text, member.where});
  if (imported.isIncomplete || imported.file->unreadNames.contains(member.member.text)) {
    nameIsLacking = true;
    return Value::error(member.where);
  }
  Diagnostic &error =
      diagnostics.error(member.member.where, "`" + imported.path + "` declares no `" + member.member.text + "`");
  suggest(error, member.member.text, {imported.own.begin(), imported.own.end()});
  return Value::error(member.where);
}

/// What is meant by a member that other languages have.
static std::string remedyForMember(std::string_view name, const Entity *entity) {
  static const std::set<std::string_view> casts = {"to", "astype", "type", "cast", "float", "half", "double", "int"};
  static const std::set<std::string_view> sizes = {"length", "len", "size", "shape", "dim", "count", "extent", "numel"};
  static const std::set<std::string_view> reductions = {"sum", "mean",   "max",    "min",   "any",
                                                        "all", "argmax", "argmin", "cumsum"};
  if (casts.contains(name))
    return "a cast is written like a call: `f32(x)`";
  if (reductions.contains(name))
    return "write `" + std::string(name) + "(x, over k)`";
  if (sizes.contains(name) && entity && entity->kind == Entity::Kind::View)
    return "a dimension is known by the name that the view gives it";
  if (sizes.contains(name) && entity && entity->kind == Entity::Kind::Axis)
    return "a span `i` has `i.end - i.start` indices";
  return "a span has `.start` and `.end`";
}

Value Elaborator::boundOfSpan(const ast::MemberExpression &member) {
  const auto *base = ast::dynAs<ast::NameExpression>(member.base.get());
  const Entity *entity = base ? lookup(base->name) : nullptr;
  if (base && !entity && !findBuiltin(base->name)) {
    reportUnknown({base->name, base->where});
    return Value::error(member.where);
  }
  if (entity && entity->kind == Entity::Kind::Poisoned)
    return Value::error(member.where);
  bool isStart = member.member.text == "start";
  if (!isStart && member.member.text != "end") {
    diagnostics.error(member.member.where, "unknown member `" + member.member.text + "`")
        .help(remedyForMember(member.member.text, entity));
    return Value::error(member.where);
  }
  if (entity && entity->kind == Entity::Kind::Axis && entity->axis->isSpan)
    return Value::ofTile(tree.axisBound(isStart ? ExprKind::AxisStart : ExprKind::AxisEnd, *entity->axis, member.where),
                         member.where);
  Diagnostic &error = diagnostics.error(member.base->where, "`." + member.member.text + "` needs a span");
  if (entity && entity->kind == Entity::Kind::Axis)
    error.note(entity->where, "declared here without `by`, so it takes one index at a time");
  else if (entity)
    error.note(entity->where, "declared here");
  return Value::error(member.where);
}

// --------------------------------------------------------------------------------------------------------------------
// Conditions and constants
// --------------------------------------------------------------------------------------------------------------------

/// `if x` on a view without `?`.
bool Elaborator::reportAlwaysPresent(const Expression &expression) {
  const auto *name = ast::dynAs<ast::NameExpression>(&expression);
  const Entity *entity = name ? lookup(name->name) : nullptr;
  if (!entity || entity->kind != Entity::Kind::View || entity->view->optional)
    return false;
  diagnostics.error(expression.where, "`" + name->name + "` is not optional, so it is always present")
      .note(entity->view->where, "declared here")
      .help("an optional view is declared with `?`; to test an element, write `" + name->name + "[…] != 0`");
  return true;
}

const Expr *Elaborator::condition(const Expression &expression, std::string_view keyword) {
  if (reportAlwaysPresent(expression))
    return nullptr;
  return conditionOf(this->expression(expression), expression.where, keyword);
}

const Expr *Elaborator::conditionOf(const Value &value, SourceRange where, std::string_view keyword) {
  const Expr *tile = arithmetic.tile(value);
  if (!tile)
    return nullptr;
  if (tile->type.dtype == DType::Bool && tile->type.isScalar())
    return tile;
  if (isFunctionBody() && tile->type.dtype == DType::Bool) {
    diagnostics.error(where, "conditions in a function are fixed when it is compiled")
        .help("choose between values with `where`");
    return nullptr;
  }
  Diagnostic &error = diagnostics.error(where, "the condition of `" + std::string(keyword) + "` must be one bool, found " +
                                                   Arithmetic::describe(value));
  if (tile->type.dtype == DType::Bool)
    error.help("for tiles use `where`, or ask for `any(…, over " + tile->type.axes.front()->name + ")`");
  else
    error.help("compare it: `x != 0`");
  return nullptr;
}

std::optional<int64_t> Elaborator::constantInteger(const Expr &expr) const {
  if (!expr.type.isScalar() || isFloat(expr.type.dtype))
    return std::nullopt;
  if (isConstant(expr))
    return expr.integer;
  if (expr.kind == ExprKind::Symbol) {
    auto known = letValues.find(expr.symbol);
    return known == letValues.end() ? std::nullopt : constantInteger(*known->second);
  }
  if (expr.kind != ExprKind::Elementwise && expr.kind != ExprKind::Cast)
    return std::nullopt;
  std::vector<Expr> constants;
  for (const Expr *operand : expr.operands) {
    std::optional<int64_t> value = constantInteger(*operand);
    if (!value)
      return std::nullopt;
    Expr &constant = constants.emplace_back();
    constant.kind = ExprKind::Constant;
    constant.type = operand->type;
    constant.integer = *value;
  }
  if (expr.kind == ExprKind::Cast)
    return wrapInteger(constants[0].integer, expr.type.dtype);
  std::vector<const Expr *> pointers;
  for (const Expr &constant : constants)
    pointers.push_back(&constant);
  std::optional<FoldedConstant> folded = foldConstants(expr.op, pointers);
  return folded ? std::optional(folded->integer) : std::nullopt;
}

bool Elaborator::isConstantExpression(const Expr &expr) const {
  switch (expr.kind) {
  case ExprKind::Constant:
    return true;
  case ExprKind::Dimension:
    return symbolicStatics.count(expr.name) != 0;
  case ExprKind::Symbol: {
    auto known = letValues.find(expr.symbol);
    return known != letValues.end() && isConstantExpression(*known->second);
  }
  case ExprKind::Elementwise:
  case ExprKind::Cast:
    return std::all_of(expr.operands.begin(), expr.operands.end(),
                       [this](const Expr *operand) { return isConstantExpression(*operand); });
  default:
    return false;
  }
}

} // namespace tilewright::frontend
