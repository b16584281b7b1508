// Calls with `over`: sums and other reductions, dot, reduce and scan.
#include "compiler/frontend/Elaborator.h"

#include <algorithm>

namespace tilewright::frontend {

using namespace typed;

namespace {

std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string axesText(const TreeBuilder::Axes &axes) {
  std::vector<std::string> names;
  for (const Axis *axis : axes)
    names.push_back(axis->name);
  return names.empty() ? "no axes" : (names.size() == 1 ? "axis " : "axes ") + listOf(names);
}

} // namespace

bool Elaborator::checkHasAxes(std::string_view name, const Expr &operand, const Axes &axes,
                              const std::vector<ast::Name> &written) {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (operand.type.has(axes[i]))
      continue;
    diagnostics
        .error(written[i].where, quoted(name) + " over " + quoted(axes[i]->name) + ": the tile has no such axis, it has " +
                                     axesText(operand.type.axes))
        .note(operand.where, "this has type " + toString(operand.type));
    return false;
  }
  return true;
}

Value Elaborator::callReduction(const Builtin &builtin, const ast::CallExpression &call) {
  SourceRange where = call.where;
  precisionOf(builtin.name, call, {});
  std::vector<Value> arguments = argumentsOf(call);
  std::optional<Axes> axes = resolveAxes(call.over);
  if (!checkArity(builtin.name, 1, call) || !axes || arguments[0].isError())
    return Value::error(where);
  if (axes->empty()) {
    diagnostics.error(where, quoted(builtin.name) + " needs the axes to go over")
        .help("write `" + std::string(builtin.name) + "(…, over k)`");
    return Value::error(where);
  }
  const Expr *operand = arithmetic.tile(arguments[0]);
  if (!operand || !checkHasAxes(builtin.name, *operand, *axes, call.over))
    return Value::error(where);
  bool isBoolean = operand->type.dtype == DType::Bool;
  bool needsBoolean = builtin.kind == BuiltinKind::AnyAll;
  if (isBoolean != needsBoolean) {
    diagnostics
        .error(arguments[0].where,
               quoted(builtin.name) + " needs " + (needsBoolean ? "bool" : "numbers") + ", found " + toString(operand->type))
        .help(needsBoolean ? "compare it: `x != 0`" : "convert explicitly: `i32(flag)`");
    return Value::error(where);
  }
  switch (builtin.kind) {
  case BuiltinKind::Sum:
    return sum(*operand, *axes, where);
  case BuiltinKind::Mean:
    return mean(*operand, *axes, where);
  case BuiltinKind::AnyAll:
    return reduce(builtin.op == Op::Or ? Reduction::Any : Reduction::All, *operand, *axes, where);
  case BuiltinKind::ArgReduce:
    return alongOneAxis(ExprKind::ArgReduce, builtin.op == Op::Max ? Reduction::Max : Reduction::Min, *operand, *axes, where);
  case BuiltinKind::CumulativeSum:
    return alongOneAxis(ExprKind::CumulativeSum, Reduction::Sum, *operand, *axes, where);
  default:
    return reduce(builtin.op == Op::Max ? Reduction::Max : Reduction::Min, *operand, *axes, where);
  }
}

Value Elaborator::reduce(Reduction reduction, const Expr &operand, const Axes &axes, SourceRange where) {
  Expr &expr = tree.make(ExprKind::Reduce, {operand.type.dtype, TreeBuilder::without(operand.type.axes, axes)}, where);
  expr.reduction = reduction;
  expr.operands = {&operand};
  expr.axes = axes;
  return Value::ofTile(&expr, where);
}

Value Elaborator::sum(const Expr &operand, const Axes &axes, SourceRange where) {
  return reduce(Reduction::Sum, *tree.cast(&operand, accumulatorType(operand.type.dtype), operand.where), axes, where);
}

Value Elaborator::mean(const Expr &operand, const Axes &axes, SourceRange where) {
  if (!isFloat(operand.type.dtype)) {
    diagnostics.error(operand.where, "`mean` needs floats, found " + toString(operand.type))
        .help("convert explicitly: `f32(…)`");
    return Value::error(where);
  }
  const Expr *total = sum(operand, axes, where).tile;
  const Expr *count = nullptr;
  for (const Axis *axis : axes) {
    const Expr *length = tree.axisLength(*axis, where);
    count = count ? tree.elementwise(Op::Multiply, {count, length}, where) : length;
  }
  return Value::ofTile(tree.elementwise(Op::Divide, {total, tree.cast(count, total->type.dtype, where)}, where), where);
}

Value Elaborator::alongOneAxis(ExprKind kind, Reduction reduction, const Expr &operand, const Axes &axes, SourceRange where) {
  bool isArgument = kind == ExprKind::ArgReduce;
  if (axes.size() != 1) {
    diagnostics.error(where, std::string(isArgument ? "`argmax` and `argmin` go" : "`cumsum` goes") + " over one axis, found " +
                                 std::to_string(axes.size()));
    return Value::error(where);
  }
  DType sumType = accumulatorType(operand.type.dtype);
  TileType type =
      isArgument ? TileType{DType::I64, TreeBuilder::without(operand.type.axes, axes)} : TileType{sumType, operand.type.axes};
  Expr &expr = tree.make(kind, std::move(type), where);
  expr.reduction = reduction;
  expr.operands = {isArgument ? &operand : tree.cast(&operand, sumType, operand.where)};
  expr.axes = axes;
  return Value::ofTile(&expr, where);
}

// --------------------------------------------------------------------------------------------------------------------
// dot
// --------------------------------------------------------------------------------------------------------------------

std::optional<DType> Elaborator::dotType(const Expr &left, const Expr &right, SourceRange where) {
  DType a = left.type.dtype, b = right.type.dtype;
  bool bothFloats = isFloat(a) && isFloat(b), bothIntegers = isInteger(a) && isInteger(b);
  if (bothFloats || bothIntegers) {
    DType wide = bothFloats ? DType::F64 : DType::I64;
    return a == wide || b == wide ? wide : accumulatorType(a);
  }
  diagnostics
      .error(where, "`dot` needs two tiles of floats or two of integers, found " + toString(left.type) + " and " +
                        toString(right.type))
      .help("convert explicitly: `f32(…)`");
  return std::nullopt;
}

Value Elaborator::callDot(const ast::CallExpression &call) {
  SourceRange where = call.where;
  Precision precision = precisionOf("dot", call, {"fast", "tf32", "tf32x3"});
  std::vector<Value> arguments = argumentsOf(call);
  std::optional<Axes> axes = resolveAxes(call.over);
  if (!checkArity("dot", 2, call) || !axes || arguments[0].isError() || arguments[1].isError())
    return Value::error(where);
  if (axes->empty()) {
    diagnostics.error(where, "`dot` needs the axes to sum over").help("write `dot(a, b, over k)`");
    return Value::error(where);
  }
  const Expr *left = arithmetic.tile(arguments[0]);
  const Expr *right = arithmetic.tile(arguments[1]);
  if (!left || !right || !checkHasAxes("dot", *left, *axes, call.over) || !checkHasAxes("dot", *right, *axes, call.over))
    return Value::error(where);
  std::optional<DType> dtype = dotType(*left, *right, where);
  if (!dtype)
    return Value::error(where);
  if (precision != Precision::Default && !isFloat(*dtype)) {
    diagnostics.error(where,
                      "`precision` is for products of floats, found " + toString(left->type) + " and " + toString(right->type));
    return Value::error(where);
  }
  // Shared axes first, then the left operand's own, then the right's.
  Axes result;
  for (const Axis *axis : left->type.axes)
    if (right->type.has(axis))
      result.push_back(axis);
  TreeBuilder::addAxes(result, left->type.axes);
  TreeBuilder::addAxes(result, right->type.axes);
  Expr &expr = tree.make(ExprKind::Dot, {*dtype, TreeBuilder::without(result, *axes)}, where);
  expr.operands = {left, right};
  expr.axes = *axes;
  expr.precision = precision;
  return Value::ofTile(&expr, where);
}

// --------------------------------------------------------------------------------------------------------------------
// reduce and scan
// --------------------------------------------------------------------------------------------------------------------

Value Elaborator::callFold(const Builtin &builtin, const ast::CallExpression &call) {
  SourceRange where = call.where;
  precisionOf(builtin.name, call, {});
  std::vector<Value> arguments = argumentsOf(call);
  std::optional<Axes> axes = resolveAxes(call.over);
  if (!axes || std::any_of(arguments.begin(), arguments.end(), [](const Value &value) { return value.isError(); }))
    return Value::error(where);
  std::string form = "`" + std::string(builtin.name) + "(f, a, …, over k)`";
  if (arguments.size() < 2 || arguments[0].kind != Value::Kind::Function) {
    diagnostics.error(where, quoted(builtin.name) + " takes a function and the tiles it combines").help("write " + form);
    return Value::error(where);
  }
  if (axes->size() != 1) {
    diagnostics.error(where, quoted(builtin.name) + " goes over one axis, found " + std::to_string(axes->size()))
        .help("write " + form);
    return Value::error(where);
  }
  FunctionReference function = arguments[0].function;
  arguments.erase(arguments.begin());
  std::vector<const Expr *> operands = foldOperands(function, arguments, builtin.name, where);
  if (operands.empty())
    return Value::error(where);
  Axes all = TreeBuilder::alignedAxes(operands);
  if (std::find(all.begin(), all.end(), axes->front()) == all.end()) {
    diagnostics.error(call.over.front().where, quoted(builtin.name) + " over " + quoted(axes->front()->name) +
                                                   ": no tile has such an axis, they have " + axesText(all));
    return Value::error(where);
  }
  std::vector<TileType> states;
  for (const Expr *operand : operands)
    states.push_back({operand->type.dtype, {}});
  std::vector<TileType> twice = states;
  twice.insert(twice.end(), states.begin(), states.end());
  const Function *instance = instantiate(function, twice, {}, where);
  if (!instance)
    return Value::error(where);
  if (resultTypesOf(*instance, {}) != states) {
    Diagnostic &error = diagnostics.error(where, quoted(function->name) + " must return the state that it takes twice, " +
                                                     std::to_string(states.size()) + " value" +
                                                     (states.size() == 1 ? "" : "s") + " of the same dtypes");
    if (function->info)
      error.note(function->info->where, "declared here");
    return Value::error(where);
  }
  bool isScan = builtin.name == "scan";
  for (TileType &state : states)
    state.axes = isScan ? all : TreeBuilder::without(all, *axes);
  Expr &fold = tree.make(isScan ? ExprKind::Scan : ExprKind::Fold, states.front(), where);
  fold.callee = instance;
  fold.operands = std::move(operands);
  fold.axes = *axes;
  fold.resultTypes = std::move(states);
  return Value::ofTile(&fold, where);
}

std::vector<const Expr *> Elaborator::foldOperands(const FunctionReference &function, const std::vector<Value> &operands,
                                                   std::string_view name, SourceRange where) {
  std::vector<Value> twice = operands;
  twice.insert(twice.end(), operands.begin(), operands.end());
  if (takesAxes(*function) || arityOf(*function) != twice.size()) {
    Diagnostic &error =
        diagnostics.error(where, quoted(function->name) + " must take the state twice: " + std::to_string(twice.size()) +
                                     " parameters, found " + std::to_string(arityOf(*function)));
    if (function->info)
      error.note(function->info->where, "declared here");
    return {};
  }
  std::optional<Signature> signature = signatureFor(function, twice, where);
  if (!signature)
    return {};
  std::vector<const Expr *> converted;
  bool failed = false;
  for (size_t i = 0; i < operands.size(); ++i) {
    DType dtype = signature->parameters[i];
    if (dtype != signature->parameters[operands.size() + i]) {
      diagnostics.error(where, quoted(function->name) + " must take the same state twice, found " +
                                   std::string(frontend::name(dtype)) + " and " +
                                   std::string(frontend::name(signature->parameters[operands.size() + i])));
      return {};
    }
    converted.push_back(arithmetic.convert(operands[i], dtype, "tile " + std::to_string(i + 1) + " of " + quoted(name)));
    failed |= !converted.back();
  }
  return failed ? std::vector<const Expr *>{} : converted;
}

} // namespace tilewright::frontend
