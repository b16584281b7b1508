// Functions as values: their types, and calls of them.
#include "compiler/frontend/Elaborator.h"

#include <algorithm>

namespace tilewright::frontend {

using namespace typed;

namespace {

std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string plural(size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// The static that the reference names, or null.
const ast::StaticParameter *staticOf(const FunctionInfo &info, const ast::DTypeReference &reference) {
  if (!info.declaration || reference.builtin || reference.accumOf)
    return nullptr;
  for (const ast::StaticParameter &parameter : info.declaration->statics)
    if (parameter.name.text == reference.name)
      return &parameter;
  return nullptr;
}

} // namespace

std::string toString(const FunctionType &type) {
  std::string text = "fn(";
  for (size_t i = 0; i < type.parameters.size(); ++i)
    text += (i ? ", " : "") + std::string(name(type.parameters[i]));
  return text + ") -> " + std::string(name(type.result));
}

std::string FunctionValue::identity() const {
  switch (kind) {
  case Kind::Declared:
    return name + "@" + std::to_string(reinterpret_cast<uintptr_t>(info));
  case Kind::Builtin:
    return name;
  case Kind::Derivative:
    return "deriv(" + base->identity() + ", " + std::to_string(parameter) + ")";
  case Kind::Opaque:
    break;
  }
  return "static " + name;
}

size_t Elaborator::arityOf(const FunctionValue &function) {
  switch (function.kind) {
  case FunctionValue::Kind::Declared: {
    const auto &parameters = function.info->parameters();
    return std::count_if(parameters.begin(), parameters.end(), [](const auto &parameter) { return !parameter.over; });
  }
  case FunctionValue::Kind::Builtin:
    return function.builtin->arity;
  case FunctionValue::Kind::Derivative:
    return arityOf(*function.base);
  case FunctionValue::Kind::Opaque:
    break;
  }
  return function.type->parameters.size();
}

bool Elaborator::takesAxes(const FunctionValue &function) {
  if (function.kind == FunctionValue::Kind::Derivative)
    return takesAxes(*function.base);
  if (function.kind != FunctionValue::Kind::Declared)
    return false;
  const auto &parameters = function.info->parameters();
  return std::any_of(parameters.begin(), parameters.end(), [](const auto &parameter) { return parameter.over; });
}

FunctionReference Elaborator::derivativeOf(FunctionReference base, unsigned parameter) {
  std::string name = "deriv(" + base->name + (arityOf(*base) > 1 ? ", " + std::to_string(parameter) : "") + ")";
  FunctionValue value{FunctionValue::Kind::Derivative, std::move(name)};
  value.type = base->type;
  value.parameter = parameter;
  value.base = std::move(base);
  return std::make_shared<FunctionValue>(std::move(value));
}

// --------------------------------------------------------------------------------------------------------------------
// Calls
// --------------------------------------------------------------------------------------------------------------------

bool Elaborator::checkArity(const FunctionValue &function, size_t arguments, size_t axes, SourceRange where) {
  size_t expected = arityOf(function);
  size_t expectedAxes = 0;
  if (function.info)
    expectedAxes = function.info->parameters().size() - expected;
  if (arguments == expected && axes == expectedAxes)
    return true;
  bool axesDiffer = arguments == expected;
  std::string taken = !axesDiffer ? plural(expected, "argument")
                      : expectedAxes == 0
                          ? "no `over`"
                          : std::to_string(expectedAxes) + (expectedAxes == 1 ? " axis" : " axes") + " after `over`";
  std::string message = quoted(function.name) + " takes " + taken + ", found " + std::to_string(axesDiffer ? axes : arguments);
  Diagnostic &error = diagnostics.error(where, std::move(message));
  if (function.info)
    error.note(function.info->where, "declared here");
  if (axesDiffer && axes == 0)
    error.help("write `" + function.name + "(…, over k)`");
  return false;
}

Value Elaborator::callFunction(const FunctionReference &function, const std::vector<Value> &arguments, const Axes &over,
                               SourceRange where) {
  if (!checkArity(*function, arguments.size(), over.size(), where))
    return Value::error(where);
  std::optional<Signature> signature = signatureFor(function, arguments, where);
  if (!signature)
    return Value::error(where);
  std::vector<const Expr *> operands;
  std::vector<TileType> types;
  bool failed = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string what = "argument " + std::to_string(i + 1) + " of " + quoted(function->name);
    const Expr *operand = arithmetic.convert(arguments[i], signature->parameters[i], what);
    failed |= !operand;
    operands.push_back(operand);
    types.push_back(operand ? operand->type : TileType{});
  }
  const Function *instance = failed ? nullptr : instantiate(function, types, over, where);
  if (!instance)
    return Value::error(where);
  std::vector<TileType> results = resultTypesOf(*instance, operands);
  return Value::ofTile(tree.callOf(*instance, std::move(operands), std::move(results), where), where);
}

std::optional<Elaborator::Signature> Elaborator::signatureFor(const FunctionReference &function,
                                                              const std::vector<Value> &arguments, SourceRange where) {
  if (function->type)
    return Signature{function->type->parameters, {function->type->result}};
  if (function->kind == FunctionValue::Kind::Derivative)
    return signatureFor(function->base, arguments, where);
  if (function->kind == FunctionValue::Kind::Declared)
    return declaredSignature(*function->info, arguments, where);
  bool isWhere = function->builtin->kind == BuiltinKind::Where;
  std::vector<const Value *> operands;
  bool anyReal = !function->builtin->integers;
  for (size_t i = isWhere ? 1 : 0; i < arguments.size(); ++i) {
    operands.push_back(&arguments[i]);
    anyReal |= arguments[i].hasReal();
  }
  bool anyTile =
      std::any_of(operands.begin(), operands.end(), [](const Value *value) { return value->kind == Value::Kind::Tile; });
  std::optional<DType> common = anyTile ? Arithmetic::commonType(operands) : anyReal ? DType::F32 : DType::I64;
  if (!common) {
    diagnostics.error(where, "the arguments of " + quoted(function->name) + " do not mix").help("convert explicitly: `f32(…)`");
    return std::nullopt;
  }
  Signature signature{std::vector<DType>(arguments.size(), *common), {}};
  if (isWhere)
    signature.parameters[0] = DType::Bool;
  return signature;
}

std::optional<Elaborator::Signature> Elaborator::declaredSignature(const FunctionInfo &info,
                                                                   const std::vector<Value> &arguments, SourceRange where) {
  Body types{Body::Kind::Function, info.file, {Names{}}};
  std::map<std::string, DType> bound;
  if (info.declaration)
    for (const ast::StaticParameter &parameter : info.declaration->statics) {
      std::optional<DType> dtype = infer(info, parameter, arguments, where);
      if (!dtype)
        return std::nullopt;
      types.frames.back()[parameter.name.text] = Entity::fixed(Value::ofDType(*dtype, parameter.where), parameter.name.where);
    }
  Body *outer = std::exchange(body, &types);
  Signature signature;
  bool failed = false;
  for (const ast::FunctionParameter &parameter : info.parameters()) {
    std::optional<DType> dtype = parameter.over ? std::nullopt : resolve(*parameter.dtype);
    failed |= !parameter.over && !dtype;
    if (dtype)
      signature.parameters.push_back(*dtype);
  }
  for (const ast::DTypeReference &result : info.results()) {
    std::optional<DType> dtype = resolve(result);
    failed |= !dtype;
    signature.results.push_back(dtype.value_or(DType::F32));
  }
  body = outer;
  return failed ? std::nullopt : std::optional(signature);
}

std::optional<DType> Elaborator::infer(const FunctionInfo &info, const ast::StaticParameter &parameter,
                                       const std::vector<Value> &arguments, SourceRange where) {
  std::vector<DType> members = membersOf(parameter);
  auto isMember = [&](DType dtype) { return std::find(members.begin(), members.end(), dtype) != members.end(); };
  std::vector<const Value *> met;
  size_t position = 0;
  for (const ast::FunctionParameter &declared : info.parameters()) {
    if (declared.over)
      continue;
    if (staticOf(info, *declared.dtype) == &parameter)
      met.push_back(&arguments[position]);
    ++position;
  }
  // The arguments' own dtype, if they have one; else what arithmetic on them is done in; else what holds them all.
  std::vector<DType> candidates;
  for (const Value *value : met)
    if (value->kind == Value::Kind::Tile)
      candidates.push_back(value->tile->type.dtype);
  if (std::optional<DType> common = Arithmetic::commonType(met))
    candidates.push_back(*common);
  else
    candidates.insert(candidates.end(), {DType::I64, DType::F32});
  candidates.insert(candidates.end(), members.begin(), members.end());
  for (DType candidate : candidates)
    if (isMember(candidate) && !met.empty() &&
        std::all_of(met.begin(), met.end(), [&](const Value *value) { return arithmetic.converts(*value, candidate); }))
      return candidate;
  std::vector<std::string> names;
  for (DType member : members)
    names.emplace_back(name(member));
  std::string expected = quoted(parameter.name.text) + " of " + quoted(info.name);
  // The argument that is the obstacle, if it is one alone.
  auto fitsNone = [&](const Value *value) {
    return std::none_of(members.begin(), members.end(), [&](DType member) { return arithmetic.converts(*value, member); });
  };
  auto culprit = std::find_if(met.begin(), met.end(), fitsNone);
  const Value *shown = met.empty() ? nullptr : culprit == met.end() ? met.front() : *culprit;
  Diagnostic &error = met.empty() ? diagnostics.error(where, expected + " cannot be inferred: no parameter has this type")
                                  : diagnostics.error(shown->where, expected + " is one of " + listOf(names) + ", found " +
                                                                        Arithmetic::describe(*shown));
  error.note(parameter.where, "declared here");
  return std::nullopt;
}

// --------------------------------------------------------------------------------------------------------------------
// Types of functions
// --------------------------------------------------------------------------------------------------------------------

bool Elaborator::hasType(const FunctionReference &function, const FunctionType &type) {
  switch (function->kind) {
  case FunctionValue::Kind::Declared:
    return declaredHasType(*function->info, type);
  case FunctionValue::Kind::Builtin:
    return builtinHasType(*function->builtin, type);
  case FunctionValue::Kind::Derivative:
    return hasType(function->base, type);
  case FunctionValue::Kind::Opaque:
    break;
  }
  return function->type == type;
}

bool Elaborator::declaredHasType(const FunctionInfo &info, const FunctionType &type) {
  if (info.parameters().size() != type.parameters.size() || info.results().size() != 1)
    return false;
  // Scalars of these dtypes as arguments: does the function take them as they are?
  std::vector<Value> arguments;
  for (size_t i = 0; i < type.parameters.size(); ++i) {
    const ast::FunctionParameter &parameter = info.parameters()[i];
    if (parameter.over)
      return false;
    Expr &argument = tree.make(ExprKind::Constant, {type.parameters[i], {}}, info.where);
    arguments.push_back(Value::ofTile(&argument, info.where));
    const ast::StaticParameter *generic = staticOf(info, *parameter.dtype);
    std::vector<DType> members = generic ? membersOf(*generic) : std::vector<DType>{};
    if (generic && std::find(members.begin(), members.end(), type.parameters[i]) == members.end())
      return false;
  }
  std::optional<Signature> signature = declaredSignature(info, arguments, info.where);
  return signature && signature->parameters == type.parameters && signature->results.front() == type.result;
}

bool Elaborator::builtinHasType(const Builtin &builtin, const FunctionType &type) {
  if (builtin.arity != type.parameters.size())
    return false;
  Kernel scratch;
  Diagnostics silent;
  TreeBuilder builder(scratch);
  Arithmetic trial(builder, silent);
  std::vector<Value> arguments;
  for (DType dtype : type.parameters) {
    const Symbol &symbol = builder.makeSymbol(Symbol::Kind::Parameter, "x", {dtype, {}}, {});
    arguments.push_back(Value::ofTile(builder.symbol(symbol, {}), {}));
  }
  Value result = trial.elementwise(builtin, arguments, {});
  return result.kind == Value::Kind::Tile && result.tile->type.dtype == type.result;
}

} // namespace tilewright::frontend
