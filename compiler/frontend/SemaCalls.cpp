// Calls: what is called, options and axes, elementwise built-in functions, casts, random numbers, deriv.
#include "compiler/frontend/Elaborator.h"

#include <algorithm>
#include <set>

namespace tilewright::frontend {

using namespace typed;

namespace {
std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}
std::string plural(size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}
} // namespace

Value Elaborator::call(const ast::CallExpression &call) {
  if (const auto *name = ast::dynAs<ast::NameExpression>(call.callee.get()); name && !lookup(name->name))
    if (const Builtin *builtin = findBuiltin(name->name))
      return callBuiltin(*builtin, call);
  Value callee = expression(*call.callee);
  if (callee.isError()) {
    argumentsOf(call); // to find what else is wrong
    return Value::error(call.where);
  }
  if (callee.kind == Value::Kind::DType)
    return callCast(callee.dtype, call);
  if (callee.kind != Value::Kind::Function) {
    diagnostics.error(call.callee->where, "expected a function to call, found " + Arithmetic::describe(callee));
    return Value::error(call.where);
  }
  precisionOf(callee.function->name, call, {});
  std::vector<Value> arguments = argumentsOf(call);
  std::optional<Axes> over = resolveAxes(call.over);
  bool failed = !over || std::any_of(arguments.begin(), arguments.end(), [](const Value &value) { return value.isError(); });
  return failed ? Value::error(call.where) : callFunction(callee.function, arguments, *over, call.where);
}

std::vector<Value> Elaborator::argumentsOf(const ast::CallExpression &call) {
  std::vector<Value> values;
  for (const ast::ExpressionPtr &argument : call.arguments)
    values.push_back(expression(*argument));
  return values;
}

bool Elaborator::checkArity(std::string_view name, size_t expected, const ast::CallExpression &call) {
  if (call.arguments.size() == expected)
    return true;
  Diagnostic &error = diagnostics.error(call.where, quoted(name) + " takes " + plural(expected, "argument") + ", found " +
                                                        std::to_string(call.arguments.size()));
  static const std::set<std::string_view> reductions = {"sum", "mean", "any", "all", "argmax", "argmin", "cumsum"};
  if (reductions.contains(name) || ((name == "max" || name == "min") && call.arguments.size() == 1))
    error.help("the axes that it goes over stand after `over`: " + quoted(std::string(name) + "(x, over k)"));
  return false;
}

bool Elaborator::checkNoOver(std::string_view name, const ast::CallExpression &call) {
  if (call.over.empty())
    return true;
  diagnostics.error(call.over.front().where, quoted(name) + " is elementwise and takes no `over`");
  return false;
}

Precision Elaborator::precisionOf(std::string_view name, const ast::CallExpression &call,
                                  std::initializer_list<std::string_view> allowed) {
  Precision precision = Precision::Default;
  for (const auto &[option, value] : call.options) {
    if (option.text != "precision" || allowed.size() == 0) {
      Diagnostic &error = diagnostics.error(option.where, quoted(name) + " has no option " + quoted(option.text));
      if (allowed.size() != 0)
        suggest(error, option.text, {"precision"}, "it takes `precision`");
      continue;
    }
    if (std::find(allowed.begin(), allowed.end(), value.text) == allowed.end()) {
      std::vector<std::string> names(allowed.begin(), allowed.end());
      diagnostics.error(value.where, "unknown precision " + quoted(value.text) + " of " + quoted(name))
          .help("it may be " + listOf(names, "or"));
      continue;
    }
    precision = value.text == "fast" ? Precision::Fast : value.text == "tf32" ? Precision::TF32 : Precision::TF32x3;
  }
  return precision;
}

Value Elaborator::callBuiltin(const Builtin &builtin, const ast::CallExpression &call) {
  switch (builtin.kind) {
  case BuiltinKind::Elementwise:
    // max and min with `over` are reductions.
    if (!call.over.empty() && (builtin.op == Op::Max || builtin.op == Op::Min))
      return callReduction(builtin, call);
    return callElementwise(builtin, call);
  case BuiltinKind::Where:
  case BuiltinKind::Clamp:
  case BuiltinKind::CeilDivide:
    return callElementwise(builtin, call);
  case BuiltinKind::Sum:
  case BuiltinKind::Mean:
  case BuiltinKind::AnyAll:
  case BuiltinKind::ArgReduce:
  case BuiltinKind::CumulativeSum:
    return callReduction(builtin, call);
  case BuiltinKind::Dot:
    return callDot(call);
  case BuiltinKind::Fold:
    return callFold(builtin, call);
  case BuiltinKind::Random:
    return callRandom(builtin, call);
  case BuiltinKind::Derivative:
    return callDerivative(call);
  case BuiltinKind::Span:
    break;
  }
  diagnostics.error(call.where, "`span(n)` makes a new axis, so it must have a name").help("write `let d = span(n);`");
  argumentsOf(call);
  return Value::error(call.where);
}

Value Elaborator::callCast(DType dtype, const ast::CallExpression &call) {
  std::vector<Value> arguments = argumentsOf(call);
  std::string_view type = name(dtype);
  precisionOf(type, call, {});
  if (!checkArity(type, 1, call) || !checkNoOver(type, call) || arguments[0].isError())
    return Value::error(call.where);
  return arithmetic.cast(arguments[0], dtype, call.where);
}

Value Elaborator::callElementwise(const Builtin &builtin, const ast::CallExpression &call) {
  Precision precision = builtin.fast ? precisionOf(builtin.name, call, {"fast"}) : precisionOf(builtin.name, call, {});
  std::vector<Value> arguments = argumentsOf(call);
  if (!checkArity(builtin.name, builtin.arity, call) || !checkNoOver(builtin.name, call))
    return Value::error(call.where);
  return arithmetic.elementwise(builtin, arguments, call.where, precision);
}

Value Elaborator::callRandom(const Builtin &builtin, const ast::CallExpression &call) {
  SourceRange where = call.where;
  precisionOf(builtin.name, call, {});
  std::vector<Value> arguments = argumentsOf(call);
  if (!checkArity(builtin.name, builtin.arity, call) || !checkNoOver(builtin.name, call) || arguments[0].isError() ||
      arguments[1].isError())
    return Value::error(where);
  std::string name = quoted(builtin.name);
  const Expr *seed = arithmetic.convert(arguments[0], DType::I64, "the seed of " + name);
  const Expr *index = arithmetic.convert(arguments[1], DType::I64, "the index of " + name);
  if (!seed || !index)
    return Value::error(where);
  if (!seed->type.isScalar()) {
    diagnostics.error(arguments[0].where, "the seed of " + name + " must be one number, found " + toString(seed->type))
        .help("the index tile makes the numbers differ");
    return Value::error(where);
  }
  Expr &bits = tree.make(ExprKind::RandomBits, {DType::I32, index->type.axes}, where);
  bits.operands = {seed, index};
  if (builtin.name == "random_bits")
    return Value::ofTile(&bits, where);
  // The top 24 bits: the shift is arithmetic, so the copies of the sign are masked away.
  const Expr *shifted = tree.elementwise(Op::ShiftRight, {&bits, tree.integer(8, DType::I32, where)}, where);
  const Expr *top = tree.elementwise(Op::And, {shifted, tree.integer(0xffffff, DType::I32, where)}, where);
  const Expr *scale = tree.real(0x1p-24, DType::F32, where);
  return Value::ofTile(tree.elementwise(Op::Multiply, {tree.cast(top, DType::F32, where), scale}, where), where);
}

Value Elaborator::callDerivative(const ast::CallExpression &call) {
  precisionOf("deriv", call, {});
  if (call.arguments.empty() || call.arguments.size() > 2 || !call.over.empty()) {
    diagnostics.error(call.where, "`deriv` takes a function and the number of a parameter")
        .help("write `deriv(f)` or `deriv(f, n)`");
    return Value::error(call.where);
  }
  Value function = expression(*call.arguments[0]);
  if (function.isError())
    return Value::error(call.where);
  if (function.kind != Value::Kind::Function) {
    diagnostics.error(function.where, "`deriv` needs a function, found " + Arithmetic::describe(function));
    return Value::error(call.where);
  }
  size_t arity = arityOf(*function.function);
  std::string name = quoted(function.function->name);
  if (takesAxes(*function.function)) {
    diagnostics.error(function.where, "`deriv` needs an elementwise function, " + name + " takes an axis");
    return Value::error(call.where);
  }
  if (arity == 0) {
    diagnostics.error(function.where, name + " has no parameter to derive by");
    return Value::error(call.where);
  }
  if (call.arguments.size() == 1) {
    if (arity == 1)
      return Value::ofFunction(derivativeOf(function.function, 0), call.where);
    diagnostics.error(call.where, name + " has " + plural(arity, "parameter") + ": say by which to derive")
        .help("write `deriv(" + function.function->name + ", 0)` for the first");
    return Value::error(call.where);
  }
  Value number = expression(*call.arguments[1]);
  const Expr *tile = number.isError() ? nullptr : arithmetic.tile(number);
  std::optional<int64_t> parameter = tile ? constantInteger(*tile) : std::nullopt;
  if (tile && (!parameter || *parameter < 0 || *parameter >= static_cast<int64_t>(arity)))
    diagnostics.error(number.where, name + " has " + plural(arity, "parameter") + ", expected a number from 0 to " +
                                        std::to_string(arity - 1) + ", found " +
                                        (parameter ? std::to_string(*parameter) : Arithmetic::describe(number)));
  else if (tile)
    return Value::ofFunction(derivativeOf(function.function, static_cast<unsigned>(*parameter)), call.where);
  return Value::error(call.where);
}

} // namespace tilewright::frontend
