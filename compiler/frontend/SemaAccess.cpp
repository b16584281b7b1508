// Reading views, and writing them.
#include "compiler/frontend/Elaborator.h"

#include <algorithm>

namespace tilewright::frontend {

using namespace typed;

namespace {

std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}

} // namespace

const View *Elaborator::viewNamed(const ast::Name &name) {
  const Entity *entity = lookup(name.text);
  if (!entity)
    reportUnknown(name);
  if (!entity || entity->kind == Entity::Kind::Poisoned)
    return nullptr;
  if (entity->kind == Entity::Kind::View)
    return entity->view;
  bool isTile = entity->kind == Entity::Kind::Symbol || entity->kind == Entity::Kind::Axis;
  diagnostics.error(name.where, quoted(name.text) + " is not a view, so it has no elements to index")
      .note(entity->where, "declared here")
      .help(isTile ? "a tile is used whole; index the view it came from" : "");
  return nullptr;
}

bool Elaborator::checkPresent(const View &view, SourceRange where) {
  if (view.presence == View::Presence::Present || presentViews.count(&view))
    return true;
  diagnostics.error(where, quoted(view.name) + " may be absent")
      .note(view.where, "declared optional here")
      .help(inGrid ? "the grid cannot depend on what is present: use a view that always is"
                   : "guard it: `if " + view.name + " { … }`");
  return false;
}

Elaborator::Place Elaborator::resolvePlace(const View &view, const ast::Places &places) {
  Place place;
  bool failed = false;
  for (const ast::ExpressionPtr &index : places.indices) {
    Value value = expression(*index);
    const Expr *tile = value.isError() ? nullptr : arithmetic.tile(value);
    if (tile && !isInteger(tile->type.dtype)) {
      diagnostics.error(index->where, "an index must be an integer, found " + Arithmetic::describe(value))
          .help("convert explicitly: `i32(…)`");
      tile = nullptr;
    }
    failed |= !tile;
    if (tile)
      TreeBuilder::addAxes(place.axes, tile->type.axes);
    place.indices.push_back(tile);
  }
  if (places.indices.size() != view.dimensions.size()) {
    size_t expected = view.dimensions.size();
    diagnostics
        .error(places.where, quoted(view.name) + " has " + std::to_string(expected) +
                                 (expected == 1 ? " dimension" : " dimensions") + ", found " +
                                 std::to_string(places.indices.size()) + (places.indices.size() == 1 ? " index" : " indices"))
        .note(view.where, "declared here");
    failed = true;
  }
  place.view = failed ? nullptr : &view;
  return place;
}

// --------------------------------------------------------------------------------------------------------------------
// Reads
// --------------------------------------------------------------------------------------------------------------------

Value Elaborator::load(const ast::IndexExpression &index) {
  SourceRange where = index.where;
  const auto *name = ast::dynAs<ast::NameExpression>(index.base.get());
  if (!name) {
    if (index.base->kind == ast::Expression::Kind::Member && expression(*index.base).isError())
      return Value::error(where);
    diagnostics.error(index.base->where, "only views are indexed")
        .help(index.base->kind == ast::Expression::Kind::Index ? "all indices stand between one pair of brackets: `x[i, k]`"
                                                               : "write the name of a view before `[`");
    return Value::error(where);
  }
  const View *view = viewNamed({name->name, name->where});
  if (!view)
    return Value::error(where);
  Place place = resolvePlace(*view, index.places);
  if (!checkPresent(*view, name->where))
    return Value::error(where);
  if (view->access == ast::Parameter::Access::Out) {
    diagnostics.error(name->where, quoted(view->name) + " is `out`, so it cannot be read")
        .note(view->where, "declared here")
        .help("declare it `inout`, or keep the value in a `let`");
    return Value::error(where);
  }
  const Expr *otherwise = place.view ? elseValue(*view, index.places, place.axes) : nullptr;
  bool wantsElse = index.places.elseKind != ast::Places::Else::None;
  if (!place.view || (wantsElse && !otherwise))
    return Value::error(where);
  Expr &load = tree.make(ExprKind::Load, {view->dtype, place.axes}, where);
  load.view = view;
  load.operands = std::move(place.indices);
  load.otherwise = otherwise;
  return Value::ofTile(&load, where);
}

const Expr *Elaborator::elseValue(const View &view, const ast::Places &places, const Axes &axes) {
  if (places.elseKind == ast::Places::Else::None)
    return nullptr;
  if (places.elseKind == ast::Places::Else::Drop) {
    diagnostics.error(places.elseWhere, "`else drop` is for writing; a read needs a value outside the view")
        .help("write `else 0`");
    return nullptr;
  }
  const Expr *value = arithmetic.convert(expression(*places.elseValue), view.dtype, "the value outside " + quoted(view.name),
                                         dtypeTexts[&view]);
  return value && checkAxesWithin(*value, axes, "the place", places.where) ? value : nullptr;
}

// --------------------------------------------------------------------------------------------------------------------
// Writes
// --------------------------------------------------------------------------------------------------------------------

void Elaborator::store(const ast::AssignStatement &statement, const View &view, const ast::Name *fetched) {
  if (fetched) // poisoned unless all goes well
    declare(*fetched, Entity::poisoned(fetched->where));
  Place place = resolvePlace(view, *statement.places);
  if (place.view && statement.places->elseKind == ast::Places::Else::Value) {
    diagnostics.error(statement.places->elseWhere, "nothing can be written outside a view").help("write `else drop`");
    place.view = nullptr;
  }
  bool allowed = checkPresent(view, statement.target.where) && checkAtomic(statement, view);
  if (!view.isWritten()) {
    diagnostics.error(statement.target.where, quoted(view.name) + " is an input, so it cannot be written")
        .note(view.where, "declared here")
        .help("declare it `out` or `inout`");
    allowed = false;
  }
  const Expr *value = storedValue(statement, view, place.axes);
  if (!value || !place.view || !allowed || !checkAxesWithin(*value, place.axes, "the place", statement.places->where))
    return;
  Statement &store = emit(StatementKind::Store, statement.where);
  store.view = &view;
  store.indices = std::move(place.indices);
  store.placeAxes = std::move(place.axes);
  store.value = value;
  store.dropOutside = statement.places->elseKind == ast::Places::Else::Drop;
  store.atomic = statement.atomic;
  switch (statement.op) {
  case ast::AssignOperator::Max:
    store.store = StoreKind::Max;
    break;
  case ast::AssignOperator::Min:
    store.store = StoreKind::Min;
    break;
  case ast::AssignOperator::Set:
    store.store = StoreKind::Set;
    break;
  default:
    store.store = StoreKind::Add;
    break;
  }
  if (!fetched || body->frames.back()[fetched->text].where != fetched->where)
    return;
  Symbol &symbol = tree.makeSymbol(Symbol::Kind::Let, fetched->text, {view.dtype, store.placeAxes}, fetched->where);
  store.fetched = &symbol;
  Entity entity = Entity::of(Entity::Kind::Symbol, fetched->where);
  entity.symbol = &symbol;
  body->frames.back()[fetched->text] = entity;
}

const Expr *Elaborator::storedValue(const ast::AssignStatement &statement, const View &view, const Axes &axes) {
  Value value = expression(*statement.value);
  if (value.isError())
    return nullptr;
  std::string target = "store to " + quoted(view.name);
  if (statement.op == ast::AssignOperator::Set)
    return arithmetic.convert(value, view.dtype, target, dtypeTexts[&view]);
  if (statement.op == ast::AssignOperator::Multiply || statement.op == ast::AssignOperator::Divide) {
    diagnostics.error(statement.operatorWhere, "a view is assigned with `=` or accumulated with `+=`, `-=`, `max=` or `min=`");
    return nullptr;
  }
  if (view.dtype == DType::Bool) {
    diagnostics.error(statement.operatorWhere, quoted(view.name) + " holds bool, which has no sums");
    return nullptr;
  }
  DType sum = accumulatorType(view.dtype);
  const Expr *converted = arithmetic.convert(value, sum, "accumulation in " + quoted(view.name));
  return converted && statement.op == ast::AssignOperator::Subtract ? tree.negate(converted, value.where) : converted;
}

bool Elaborator::checkAtomic(const ast::AssignStatement &statement, const View &view) {
  if (!statement.atomic)
    return true;
  if (statement.op == ast::AssignOperator::Set) {
    diagnostics.error(statement.operatorWhere, "`atomic` accumulates: expected `+=`, `-=`, `max=` or `min=`, found `=`");
    return false;
  }
  DType dtype = view.dtype;
  if (dtype == DType::I32 || dtype == DType::I64 || dtype == DType::F32 || dtype == DType::F64)
    return true;
  diagnostics.error(statement.target.where, "`atomic` needs a view of i32, i64, f32 or f64, found " + std::string(name(dtype)))
      .note(view.where, "declared here");
  return false;
}

// --------------------------------------------------------------------------------------------------------------------
// inout
// --------------------------------------------------------------------------------------------------------------------

// An element read after another tile wrote it would be a race; the tile that writes an element may read its old value.
void Elaborator::checkInOutReads() {
  for (const Expr &load : kernel.expressions) {
    if (load.kind != ExprKind::Load || load.view->access != ast::Parameter::Access::InOut)
      continue;
    const Statement *assignment = nullptr;
    bool matches = false;
    for (const Statement &statement : kernel.statements) {
      if (statement.kind != StatementKind::Store || statement.view != load.view || statement.store != StoreKind::Set)
        continue;
      assignment = &statement;
      matches |= std::equal(statement.indices.begin(), statement.indices.end(), load.operands.begin(), load.operands.end(),
                            [](const Expr *a, const Expr *b) { return sameExpression(*a, *b); });
    }
    if (matches)
      continue;
    Diagnostic &error = diagnostics.error(load.where, "the `inout` view " + quoted(load.view->name) +
                                                          " may be read only at the place where it is assigned with `=`");
    if (assignment)
      error.note(assignment->where, "assigned here").help("read it with the same index list");
    else
      error.note(load.view->where, "it is never assigned with `=`").help("read from an input view instead");
  }
}

} // namespace tilewright::frontend
