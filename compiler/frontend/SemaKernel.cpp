// A kernel's header: dimensions, parameters, grid; and the order in which a kernel is elaborated.
#include "compiler/frontend/Elaborator.h"

#include <algorithm>

namespace tilewright::frontend {

using namespace typed;

namespace {

/// Dimensions of a view, as declared and as passed (docs/language.md §3.3).
constexpr size_t maxRank = 5;

std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}

} // namespace

void Elaborator::elaborateKernel(const KernelInfo &info, const FileScope &file, const KernelBinding &kernelBinding) {
  const ast::KernelDeclaration &declaration = *info.declaration;
  Body kernelBody{Body::Kind::Kernel, &file, {Names{}}, &kernel.body};
  body = &kernelBody;
  binding = &kernelBinding;
  kernelInfo = &info;
  kernel.name = declaration.name.text;
  kernel.where = declaration.name.where;
  kernel.checkedMode = kernelBinding.checkedMode;
  bindStatics(declaration);
  declareDimensions(declaration);
  declareParameters(declaration);
  resolveDimensions(declaration);
  declareGrid(declaration);
  statements(declaration.body);
  if (declaration.faulty) { // what is missing would be reported again
    body = nullptr;
    return;
  }
  finishTunables();
  checkInOutReads();
  checkTileSizes();
  body = nullptr;
}

Value Elaborator::elaborateConstant(const ast::Expression &expression, const FileScope &file) {
  typed::Block block;
  Body constantBody{Body::Kind::Constant, &file, {Names{}}, &block};
  body = &constantBody;
  Value value = this->expression(expression);
  body = nullptr;
  bool isConstantTile = value.kind == Value::Kind::Tile && isConstant(*value.tile);
  if (value.isError() || value.isLiteral() || isConstantTile)
    return value;
  diagnostics.error(expression.where,
                    "a constant is made of literals and other constants, found " + Arithmetic::describe(value));
  return Value::error(expression.where);
}

// --------------------------------------------------------------------------------------------------------------------
// Dimensions
// --------------------------------------------------------------------------------------------------------------------

void Elaborator::declareDimensions(const ast::KernelDeclaration &declaration) {
  for (const ast::Parameter &parameter : declaration.parameters) {
    const ast::Dimension *pack = nullptr;
    for (const ast::Dimension &dimension : parameter.dimensions) {
      if (dimension.kind == ast::Dimension::Kind::Pack && pack)
        diagnostics.error(dimension.where, quoted(parameter.name.text) + " has two packs, so neither would have a known rank")
            .note(pack->where, "the first is here");
      if (dimension.kind == ast::Dimension::Kind::Pack)
        pack = &dimension;
      declareDimension(dimension);
    }
    if (parameter.dimensions.size() > maxRank)
      diagnostics.error(parameter.name.where, "a view has up to " + std::to_string(maxRank) + " dimensions, found " +
                                                  std::to_string(parameter.dimensions.size()));
    bool isAbsent = parameter.optional && !binding->isCheck && !binding->presentViews.count(parameter.name.text);
    if (isAbsent)
      continue;
    for (const ast::Dimension &dimension : parameter.dimensions) {
      const Entity *entity = dimension.name ? lookup(dimension.name->text) : nullptr;
      bool isNew = entity && boundDimensions.insert(dimension.name->text).second;
      if (isNew && entity->kind == Entity::Kind::Dimension)
        kernel.dimensions.push_back(dimension.name->text);
    }
  }
}

void Elaborator::declareDimension(const ast::Dimension &dimension) {
  if (!dimension.name)
    return;
  const Entity *entity = lookup(dimension.name->text);
  if (!entity)
    return declare(*dimension.name, Entity::of(Entity::Kind::Dimension, dimension.name->where));
  if (entity->kind == Entity::Kind::Dimension || entity->kind == Entity::Kind::Poisoned)
    return;
  bool isStatic = entity->kind == Entity::Kind::Constant;
  if (isStatic && entity->value.tile->type.dtype != DType::I64) {
    diagnostics
        .error(dimension.name->where,
               "a dimension is an i64, " + quoted(dimension.name->text) + " is " + Arithmetic::describe(entity->value))
        .note(entity->where, "declared here");
    return;
  }
  // A top-level constant may stand where a dimension is written plainly: the extent is checked against it.
  bool isLiteral = entity->kind == Entity::Kind::Fixed && entity->value.kind == Value::Kind::Integer;
  if (isStatic || (isLiteral && dimension.kind == ast::Dimension::Kind::Name))
    return;
  declare(*dimension.name, Entity::poisoned(dimension.name->where)); // reports the clash
}

void Elaborator::resolveDimensions(const ast::KernelDeclaration &declaration) {
  std::map<std::string, SourceRange> definitions;
  for (const std::unique_ptr<View> &view : kernel.views)
    for (const ast::Dimension &dimension : declaration.parameters[view->parameter].dimensions) {
      if (dimension.kind == ast::Dimension::Kind::Definition) {
        auto [earlier, isFirst] = definitions.try_emplace(dimension.name->text, dimension.where);
        if (!isFirst)
          diagnostics.error(dimension.where, quoted(dimension.name->text) + " is already defined")
              .note(earlier->second, "first defined here")
              .help("write the name alone: every occurrence is checked");
      }
      ViewDimension resolved{dimension.kind, dimension.name ? dimension.name->text : std::string(), nullptr, dimension.where};
      if (view->presence != View::Presence::Absent)
        resolved = resolveDimension(dimension);
      view->dimensions.push_back(std::move(resolved));
    }
  checkDefinitions();
}

static void collectDimensions(const Expr &expr, std::set<std::string> &names) {
  if (expr.kind == ExprKind::Dimension)
    names.insert(expr.name);
  for (const Expr *operand : expr.operands)
    collectDimensions(*operand, names);
}

/// `A = B + 1` beside `B = A - 1`, and neither stands alone: no launch could tell their values.
void Elaborator::checkDefinitions() {
  std::map<std::string, const ViewDimension *> definitions;
  for (const std::unique_ptr<View> &view : kernel.views)
    for (const ViewDimension &dimension : view->dimensions)
      if (dimension.kind == ast::Dimension::Kind::Definition && dimension.value)
        definitions.try_emplace(dimension.name, &dimension);
  for (const std::unique_ptr<View> &view : kernel.views)
    for (const ViewDimension &dimension : view->dimensions)
      if (dimension.kind != ast::Dimension::Kind::Definition && !dimension.value)
        definitions.erase(dimension.name);
  for (const auto &[name, definition] : definitions) {
    std::set<std::string> met;
    std::vector<std::string> open{name};
    while (!open.empty()) {
      auto next = definitions.find(open.back());
      open.pop_back();
      std::set<std::string> names;
      if (next != definitions.end())
        collectDimensions(*next->second->value, names);
      for (const std::string &each : names)
        if (met.insert(each).second)
          open.push_back(each);
    }
    if (!met.count(name))
      continue;
    diagnostics.error(definition->where, "the dimension `" + name + "` is computed from itself")
        .help("some view must have `" + name + "`, or what it is computed from, alone");
    return;
  }
}

ViewDimension Elaborator::resolveDimension(const ast::Dimension &dimension) {
  ViewDimension result{dimension.kind, dimension.name ? dimension.name->text : std::string(), nullptr, dimension.where};
  const Entity *entity = dimension.name ? lookup(dimension.name->text) : nullptr;
  if (dimension.kind == ast::Dimension::Kind::Name && entity && entity->kind == Entity::Kind::Fixed) {
    result.kind = ast::Dimension::Kind::Expression;
    result.value = arithmetic.convert(restated(entity->value, dimension.where), DType::I64, "a dimension");
    checkNotNegative(result);
    return result;
  }
  if (!dimension.value)
    return result;
  inDimension = true;
  Value value = expression(*dimension.value);
  inDimension = false;
  result.value = value.isError() ? nullptr : arithmetic.convert(value, DType::I64, "a dimension");
  if (result.value && !isDimensionExpression(*result.value)) {
    diagnostics.error(dimension.value->where, "a dimension is computed from dimensions and constants");
    result.value = nullptr;
  }
  checkNotNegative(result);
  if (!result.value) // after an error: anything that keeps the tree whole
    result.value = tree.integer(0, DType::I64, dimension.where);
  return result;
}

void Elaborator::checkNotNegative(const ViewDimension &dimension) {
  if (dimension.value && isConstant(*dimension.value) && dimension.value->integer < 0)
    diagnostics.error(dimension.where, "a dimension is never negative, found " + std::to_string(dimension.value->integer));
}

bool Elaborator::isDimensionExpression(const Expr &expr) const {
  switch (expr.kind) {
  case ExprKind::Constant:
  case ExprKind::Dimension:
    return true;
  case ExprKind::Elementwise:
  case ExprKind::Cast:
    return std::all_of(expr.operands.begin(), expr.operands.end(),
                       [this](const Expr *operand) { return isDimensionExpression(*operand); });
  default:
    return false;
  }
}

// --------------------------------------------------------------------------------------------------------------------
// Parameters
// --------------------------------------------------------------------------------------------------------------------

void Elaborator::declareParameters(const ast::KernelDeclaration &declaration) {
  for (unsigned i = 0; i < declaration.parameters.size(); ++i) {
    const ast::Parameter &parameter = declaration.parameters[i];
    parameter.isView ? declareView(parameter, i) : declareScalar(parameter, i);
  }
}

void Elaborator::declareView(const ast::Parameter &parameter, unsigned position) {
  if (parameter.defaultValue)
    diagnostics.error(parameter.defaultValue->where, "a view has no default").help("an optional view is declared with `?`");
  View &view = *kernel.views.emplace_back(std::make_unique<View>());
  view.name = parameter.name.text;
  view.parameter = position;
  view.access = parameter.access;
  view.optional = parameter.optional;
  view.where = parameter.name.where;
  if (parameter.optional)
    view.presence = binding->isCheck                              ? View::Presence::Unknown
                    : binding->presentViews.count(view.name) != 0 ? View::Presence::Present
                                                                  : View::Presence::Absent;
  std::optional<DType> dtype = resolve(parameter.dtype);
  view.dtype = dtype.value_or(DType::F32);
  dtypeTexts[&view] = parameter.dtype.name;
  Entity entity = Entity::of(dtype ? Entity::Kind::View : Entity::Kind::Poisoned, parameter.name.where);
  entity.view = &view;
  declare(parameter.name, entity);
}

void Elaborator::declareScalar(const ast::Parameter &parameter, unsigned position) {
  if (parameter.access != ast::Parameter::Access::In)
    diagnostics.error(parameter.where, "a scalar is an input; only views are `out` or `inout`");
  if (parameter.optional)
    diagnostics.error(parameter.where, "only views are optional")
        .help("give the scalar a default: `" + parameter.name.text + ": f32 = 0`");
  std::optional<DType> dtype = resolve(parameter.dtype);
  if (!dtype)
    return declare(parameter.name, Entity::poisoned(parameter.name.where));
  ScalarParameter &scalar = *kernel.scalars.emplace_back(std::make_unique<ScalarParameter>());
  scalar.name = parameter.name.text;
  scalar.parameter = position;
  scalar.dtype = *dtype;
  scalar.where = parameter.name.where;
  if (parameter.defaultValue) {
    Value value = expression(*parameter.defaultValue);
    const Expr *tile = value.isError() ? nullptr : arithmetic.convert(value, *dtype, "the default of " + quoted(scalar.name));
    if (tile && !isConstant(*tile) && !isConstantExpression(*tile))
      diagnostics.error(parameter.defaultValue->where, "a default must be a constant");
    else if (tile && isConstant(*tile) && isFloat(*dtype))
      scalar.realDefault = tile->real;
    else if (tile && isConstant(*tile))
      scalar.integerDefault = tile->integer;
  }
  Entity entity = Entity::of(Entity::Kind::Scalar, parameter.name.where);
  entity.scalar = &scalar;
  declare(parameter.name, entity);
}

void Elaborator::declareGrid(const ast::KernelDeclaration &declaration) {
  inGrid = true;
  for (const ast::AxisDeclaration &axis : declaration.grid) {
    GridLevel level;
    level.axis = declareAxis(axis, Axis::Origin::Grid);
    if (level.axis)
      kernel.grid.push_back(std::move(level));
  }
  inGrid = false;
}

} // namespace tilewright::frontend
