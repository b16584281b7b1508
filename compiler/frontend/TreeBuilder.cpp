#include "compiler/frontend/TreeBuilder.h"

#include "compiler/frontend/ConstantFolding.h"

#include <algorithm>

namespace tilewright::frontend {

using namespace typed;

Expr &TreeBuilder::make(ExprKind kind, TileType type, SourceRange where) {
  Expr &expr = kernel.expressions.emplace_back();
  expr.kind = kind;
  expr.type = std::move(type);
  expr.where = where;
  return expr;
}

Statement &TreeBuilder::makeStatement(StatementKind kind, SourceRange where) {
  Statement &statement = kernel.statements.emplace_back();
  statement.kind = kind;
  statement.where = where;
  return statement;
}

Symbol &TreeBuilder::makeSymbol(Symbol::Kind kind, std::string name, TileType type, SourceRange where) {
  return kernel.symbols.emplace_back(Symbol{kind, std::move(name), std::move(type), where});
}

const Expr *TreeBuilder::integer(int64_t value, DType dtype, SourceRange where) {
  Expr &expr = make(ExprKind::Constant, {dtype, {}}, where);
  expr.integer = value;
  return &expr;
}

const Expr *TreeBuilder::real(double value, DType dtype, SourceRange where) {
  Expr &expr = make(ExprKind::Constant, {dtype, {}}, where);
  expr.real = roundToFloat(value, dtype);
  return &expr;
}

const Expr *TreeBuilder::dimension(const std::string &name, SourceRange where) {
  Expr &expr = make(ExprKind::Dimension, {DType::I64, {}}, where);
  expr.name = name;
  return &expr;
}

const Expr *TreeBuilder::symbol(const Symbol &symbol, SourceRange where) {
  Expr &expr = make(ExprKind::Symbol, symbol.type, where);
  expr.symbol = &symbol;
  return &expr;
}

const Expr *TreeBuilder::axisIndex(const Axis &axis, SourceRange where) {
  Expr &expr = make(ExprKind::AxisIndex, {DType::I64, axis.isSpan ? Axes{&axis} : Axes{}}, where);
  expr.axis = &axis;
  return &expr;
}

const Expr *TreeBuilder::axisBound(ExprKind kind, const Axis &axis, SourceRange where) {
  Expr &expr = make(kind, {DType::I64, {}}, where);
  expr.axis = &axis;
  return &expr;
}

const Expr *TreeBuilder::axisLength(const Axis &axis, SourceRange where) {
  return elementwise(Op::Subtract, {axisBound(ExprKind::AxisEnd, axis, where), axisBound(ExprKind::AxisStart, axis, where)},
                     where);
}

const Expr *TreeBuilder::cast(const Expr *operand, DType dtype, SourceRange where) {
  if (operand->type.dtype == dtype)
    return operand;
  if (const Expr *constant = foldedCast(*operand, dtype, where))
    return constant;
  Expr &expr = make(ExprKind::Cast, {dtype, operand->type.axes}, where);
  expr.operands = {operand};
  return &expr;
}

const Expr *TreeBuilder::foldedCast(const Expr &operand, DType dtype, SourceRange where) {
  if (!isConstant(operand))
    return nullptr;
  DType from = operand.type.dtype;
  if (isFloat(from))
    return isFloat(dtype) ? real(operand.real, dtype, where) : integer(truncateToInteger(operand.real, dtype), dtype, where);
  if (!isFloat(dtype))
    return integer(wrapInteger(operand.integer, dtype), dtype, where);
  // An integer above 2^53 would be rounded twice on its way through a double.
  return fitsFloatExactly(operand.integer, DType::F64) ? real(static_cast<double>(operand.integer), dtype, where) : nullptr;
}

const Expr *TreeBuilder::elementwise(Op op, std::vector<const Expr *> operands, SourceRange where, Precision precision) {
  if (const Expr *constant = folded(op, operands, where))
    return constant;
  DType dtype = isComparison(op) ? DType::Bool : operands.back()->type.dtype;
  Expr &expr = make(ExprKind::Elementwise, {dtype, alignedAxes(operands)}, where);
  expr.op = op;
  expr.operands = std::move(operands);
  expr.precision = precision;
  return &expr;
}

const Expr *TreeBuilder::folded(Op op, const std::vector<const Expr *> &operands, SourceRange where) {
  if (std::all_of(operands.begin(), operands.end(), [](const Expr *operand) { return isConstant(*operand); }))
    if (std::optional<FoldedConstant> value = foldConstants(op, operands))
      return isFloat(value->dtype) ? real(value->real, value->dtype, where) : integer(value->integer, value->dtype, where);
  return foldLogical(op, operands);
}

const Expr *TreeBuilder::callOf(const Function &callee, std::vector<const Expr *> operands, std::vector<TileType> results,
                                SourceRange where) {
  Expr &call = make(ExprKind::Call, results.front(), where);
  call.callee = &callee;
  call.operands = std::move(operands);
  call.resultTypes = std::move(results);
  call.name = callee.name;
  return &call;
}

TreeBuilder::Axes TreeBuilder::alignedAxes(const std::vector<const Expr *> &operands) {
  const Expr *widest = operands.front();
  for (const Expr *operand : operands)
    if (operand->type.axes.size() > widest->type.axes.size())
      widest = operand;
  Axes axes = widest->type.axes;
  for (const Expr *operand : operands)
    addAxes(axes, operand->type.axes);
  return axes;
}

TreeBuilder::Axes TreeBuilder::without(const Axes &axes, const Axes &removed) {
  Axes rest;
  for (const Axis *axis : axes)
    if (std::find(removed.begin(), removed.end(), axis) == removed.end())
      rest.push_back(axis);
  return rest;
}

void TreeBuilder::addAxes(Axes &axes, const Axes &more) {
  for (const Axis *axis : more)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end())
      axes.push_back(axis);
}

bool isComparison(Op op) {
  return op >= Op::Equal && op <= Op::GreaterEqual;
}

bool isConstant(const Expr &expr) {
  return expr.kind == ExprKind::Constant;
}

bool sameExpression(const Expr &a, const Expr &b) {
  if (&a == &b)
    return true;
  if (a.kind != b.kind || a.type != b.type || a.integer != b.integer || a.name != b.name || a.axis != b.axis ||
      a.axes != b.axes || a.symbol != b.symbol || a.scalar != b.scalar || a.view != b.view || a.op != b.op ||
      a.reduction != b.reduction || a.callee != b.callee || a.operands.size() != b.operands.size() ||
      !a.otherwise != !b.otherwise)
    return false;
  if (!(a.real == b.real) && (a.real == a.real || b.real == b.real)) // two NaNs are the same constant
    return false;
  if (a.otherwise && !sameExpression(*a.otherwise, *b.otherwise))
    return false;
  return std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(),
                    [](const Expr *x, const Expr *y) { return sameExpression(*x, *y); });
}

const Expr &stripCasts(const Expr &expr) {
  return expr.kind == ExprKind::Cast ? stripCasts(*expr.operands[0]) : expr;
}

} // namespace tilewright::frontend
