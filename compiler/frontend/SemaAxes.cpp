// Axes: their ranges and block sizes, tunables, and how large a tile may be.
#include "compiler/frontend/Elaborator.h"
#include "compiler/frontend/Limits.h"

#include <algorithm>

namespace tilewright::frontend {

using namespace typed;

namespace {

std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}

} // namespace

std::string Elaborator::uniqueAxisName(const std::string &name) {
  unsigned &given = axisNames[name];
  if (given++ == 0)
    return name;
  while (true) {
    std::string unique = name + "_" + std::to_string(given - 1);
    if (axisNames.try_emplace(unique, 1).second)
      return unique;
    ++given; // an author's own name
  }
}

const Axis *Elaborator::declareAxis(const ast::AxisDeclaration &declaration, Axis::Origin origin) {
  Axis axis;
  axis.origin = origin;
  axis.name = declaration.name.text;
  axis.where = declaration.name.where;
  axis.isSpan = declaration.by != nullptr;
  bool sound = resolveRange(declaration, axis);
  if (declaration.by)
    sound &= resolveBlockSize(*declaration.by, axis);
  if (!sound) {
    declare(declaration.name, Entity::poisoned(declaration.name.where));
    return nullptr;
  }
  axis.uniqueName = uniqueAxisName(axis.name);
  const Axis *result = &kernel.axes.emplace_back(std::move(axis));
  Entity entity = Entity::of(Entity::Kind::Axis, declaration.name.where);
  entity.axis = result;
  declare(declaration.name, entity);
  return result;
}

// --------------------------------------------------------------------------------------------------------------------
// Ranges
// --------------------------------------------------------------------------------------------------------------------

bool Elaborator::resolveRange(const ast::AxisDeclaration &declaration, Axis &axis) {
  SourceRange where = declaration.low->where;
  if (!declaration.high) {
    const auto *name = ast::dynAs<ast::NameExpression>(declaration.low.get());
    const Entity *entity = name ? lookup(name->name) : nullptr;
    if (entity && entity->kind == Entity::Kind::Axis && entity->axis->isSpan) {
      axis.parent = entity->axis;
      axis.low = tree.axisBound(ExprKind::AxisStart, *axis.parent, where);
      axis.high = tree.axisBound(ExprKind::AxisEnd, *axis.parent, where);
      return true;
    }
    axis.low = tree.integer(0, DType::I64, where);
    axis.high = rangeBound(*declaration.low);
    axis.dimension = dimensionNamed(*declaration.low);
  } else {
    axis.low = rangeBound(*declaration.low);
    axis.high = rangeBound(*declaration.high);
    if (axis.low && isConstant(*axis.low) && axis.low->integer == 0)
      axis.dimension = dimensionNamed(*declaration.high);
  }
  if (!axis.low || !axis.high)
    return false;
  if (isFunctionBody() && !(isConstantExpression(*axis.low) && isConstantExpression(*axis.high))) {
    diagnostics.error(declaration.where,
                      "a loop in a function needs a constant range, or a span that the function takes with `over`");
    return false;
  }
  axis.partitionOf = partitionedBy(*axis.low, *axis.high);
  return true;
}

const Expr *Elaborator::rangeBound(const ast::Expression &expression) {
  Value value = this->expression(expression);
  const Expr *bound = value.isError() ? nullptr : arithmetic.convert(value, DType::I64, "the range");
  if (!bound || bound->type.isScalar())
    return bound;
  diagnostics.error(expression.where, "a range is bounded by numbers, found " + Arithmetic::describe(value))
      .help("take one with `max(…, over " + bound->type.axes.front()->name + ")`, or write `.start` or `.end` of a span");
  return nullptr;
}

std::string Elaborator::dimensionNamed(const ast::Expression &expression) const {
  const auto *name = ast::dynAs<ast::NameExpression>(&expression);
  const Entity *entity = name ? lookup(name->name) : nullptr;
  if (!entity || (entity->kind != Entity::Kind::Dimension && entity->kind != Entity::Kind::Constant))
    return {};
  return boundDimensions.count(name->name) ? name->name : std::string();
}

// `v[…, e]..v[…, e + 1]`, consecutive entries of a view by a variable that takes one index at a time.
const Axis *Elaborator::partitionedBy(const Expr &low, const Expr &high) const {
  const Expr &first = stripCasts(low), &last = stripCasts(high);
  if (first.kind != ExprKind::Load || last.kind != ExprKind::Load || first.view != last.view || first.otherwise ||
      last.otherwise)
    return nullptr;
  const Axis *variable = nullptr;
  for (size_t i = 0; i < first.operands.size(); ++i) {
    const Expr &a = *first.operands[i], &b = *last.operands[i];
    if (sameExpression(a, b))
      continue;
    bool isNext = a.kind == ExprKind::AxisIndex && a.type.isScalar() && b.kind == ExprKind::Elementwise && b.op == Op::Add &&
                  sameExpression(*b.operands[0], a) && isConstant(*b.operands[1]) && b.operands[1]->integer == 1;
    if (!isNext || variable)
      return nullptr;
    variable = a.axis;
  }
  return variable;
}

// --------------------------------------------------------------------------------------------------------------------
// Block sizes
// --------------------------------------------------------------------------------------------------------------------

bool Elaborator::resolveBlockSize(const ast::Expression &by, Axis &axis) {
  const auto *name = ast::dynAs<ast::NameExpression>(&by);
  if (name && kernelInfo && !isFunctionBody() && !lookup(name->name) && kernelInfo->signature.tunables.count(name->name)) {
    const Tunable &known = tunable({name->name, name->where});
    axis.tunable = name->name;
    axis.capacity = known.value;
    return true;
  }
  Value value = expression(by);
  const Expr *size = value.isError() ? nullptr : arithmetic.convert(value, DType::I64, "the block size");
  if (!size)
    return false;
  axis.capacity = constantInteger(*size);
  if (!axis.capacity && !isConstantExpression(*size)) {
    diagnostics.error(by.where, "a block size must be a constant or a tunable, found " + Arithmetic::describe(value))
        .help(isFunctionBody() ? "in a function it is a constant" : "a tunable is a name that nothing declares, such as `BM`");
    return false;
  }
  if (axis.capacity && *axis.capacity < 1) {
    diagnostics.error(by.where, "a block size must be at least 1, found " + std::to_string(*axis.capacity));
    return false;
  }
  return true;
}

Tunable &Elaborator::tunable(const ast::Name &name) {
  if (auto known = tunables.find(name.text); known != tunables.end())
    return *known->second;
  Tunable &created = *kernel.tunables.emplace_back(std::make_unique<Tunable>());
  tunables[name.text] = &created;
  created.name = name.text;
  created.where = name.where;
  if (auto given = binding->tunables.find(name.text); given != binding->tunables.end())
    created.value = given->second;
  return created;
}

void Elaborator::tune(const ast::TuneStatement &statement) {
  if (refusedInFunction("tune", statement.where))
    return;
  if (!kernelInfo->signature.tunables.count(statement.name.text)) {
    if (mayBeUnread(statement.name.text))
      return;
    const std::set<std::string> &names = kernelInfo->signature.tunables;
    Diagnostic &error = diagnostics.error(statement.name.where, quoted(statement.name.text) + " is not a tunable");
    suggest(error, statement.name.text, {names.begin(), names.end()}, "a tunable is a name after `by` that nothing declares");
    return;
  }
  tunes.push_back(&statement);
}

void Elaborator::finishTunables() {
  for (const ast::TuneStatement *statement : tunes) {
    std::vector<int64_t> values;
    for (const ast::ExpressionPtr &expression : statement->values) {
      Value value = this->expression(*expression);
      const Expr *tile = value.isError() ? nullptr : arithmetic.convert(value, DType::I64, "`tune`");
      std::optional<int64_t> number = tile ? constantInteger(*tile) : std::nullopt;
      if (number && *number > 0)
        values.push_back(*number);
      else if (tile && (number || !isConstantExpression(*tile)))
        diagnostics.error(expression->where, "`tune` needs positive constants, found " +
                                                 (number ? std::to_string(*number) : Arithmetic::describe(value)));
    }
    auto known = tunables.find(statement->name.text);
    if (known == tunables.end() || values.empty())
      continue; // it stands in a branch that left no code
    std::vector<int64_t> &allowed = known->second->allowed;
    bool isFirst = allowed.empty();
    if (isFirst)
      allowed = values;
    else
      std::erase_if(allowed, [&](int64_t value) { return std::find(values.begin(), values.end(), value) == values.end(); });
    std::optional<int64_t> given = known->second->value;
    if (allowed.empty())
      diagnostics.error(statement->where, "no value of " + quoted(statement->name.text) + " is in every `tune` of it");
    else if (given && std::find(allowed.begin(), allowed.end(), *given) == allowed.end())
      diagnostics.error(statement->where,
                        quoted(statement->name.text) + " = " + std::to_string(*given) + " is not among the values to tune");
  }
}

void Elaborator::checkTileSizes() {
  std::set<Axes> reported;
  auto check = [&](const TileType &type, SourceRange where) {
    int64_t elements = 1;
    for (const Axis *axis : type.axes) {
      if (!axis->capacity)
        return;
      if (__builtin_mul_overflow(elements, *axis->capacity, &elements))
        elements = INT64_MAX;
    }
    if (elements <= maxTileElements || !reported.insert(type.axes).second)
      return;
    std::string sizes;
    for (const Axis *axis : type.axes)
      sizes += (sizes.empty() ? "" : " × ") + std::to_string(*axis->capacity);
    diagnostics
        .error(where, "a tile " + toString(type) + " of " + sizes + " elements is too large; the limit is " +
                          std::to_string(maxTileElements))
        .help("cut a span into smaller blocks with `by`");
  };
  for (const Expr &expr : kernel.expressions)
    check(expr.type, expr.where);
  for (const Symbol &symbol : kernel.symbols)
    check(symbol.type, symbol.where);
}

void Elaborator::letSpan(const ast::Name &name, const ast::CallExpression &call) {
  std::vector<Value> arguments = argumentsOf(call);
  precisionOf("span", call, {});
  bool sound = checkArity("span", 1, call) && checkNoOver("span", call) && !arguments[0].isError();
  const Expr *size = sound ? arithmetic.convert(arguments[0], DType::I64, "the length of a span") : nullptr;
  std::optional<int64_t> length = size ? constantInteger(*size) : std::nullopt;
  if (size && !length && !isConstantExpression(*size)) {
    Diagnostic &error = diagnostics.error(call.arguments[0]->where, "the length of `span` must be a constant, found " +
                                                                        Arithmetic::describe(arguments[0]));
    std::string dimension = dimensionNamed(*call.arguments[0]);
    error.help(dimension.empty()
                   ? "cut the range into blocks: `for d in n by BD { … }`"
                   : "make it one: `kernel …<" + dimension + ": i64>`, or cut it: `for d in " + dimension + " by BD { … }`");
    size = nullptr;
  }
  if (length && *length < 1) {
    diagnostics.error(call.arguments[0]->where, "a span is never empty, found a length of " + std::to_string(*length));
    size = nullptr;
  }
  if (!size)
    return declare(name, Entity::poisoned(name.where));
  Axis axis;
  axis.origin = Axis::Origin::WholeSpan;
  axis.name = name.text;
  axis.uniqueName = uniqueAxisName(name.text);
  axis.where = name.where;
  axis.isSpan = true;
  axis.low = tree.integer(0, DType::I64, call.where);
  axis.high = size;
  axis.capacity = length;
  axis.dimension = dimensionNamed(*call.arguments[0]);
  Entity entity = Entity::of(Entity::Kind::Axis, name.where);
  entity.axis = &kernel.axes.emplace_back(std::move(axis));
  declare(name, entity);
}

} // namespace tilewright::frontend
