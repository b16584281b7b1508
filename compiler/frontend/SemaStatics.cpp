// Binding the statics of a kernel: types, functions, constants.
#include "compiler/frontend/Elaborator.h"

#include <algorithm>

namespace tilewright::frontend {

using namespace typed;

namespace {
std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}
} // namespace

void Elaborator::bindStatics(const ast::KernelDeclaration &declaration) {
  for (const ast::StaticParameter &parameter : declaration.statics)
    switch (parameter.kind) {
    case ast::StaticParameter::Kind::Type:
      bindTypeStatic(parameter);
      break;
    case ast::StaticParameter::Kind::Function:
      bindFunctionStatic(parameter);
      break;
    case ast::StaticParameter::Kind::Constant:
      bindConstantStatic(parameter);
      break;
    }
}

void Elaborator::bindTypeStatic(const ast::StaticParameter &parameter) {
  std::vector<DType> members = membersOf(parameter);
  Value value;
  if (auto bound = binding->statics.find(parameter.name.text); bound != binding->statics.end()) {
    value = bound->second;
  } else if (parameter.defaultValue) {
    value = expression(*parameter.defaultValue);
    bool isMember = value.kind == Value::Kind::DType && std::find(members.begin(), members.end(), value.dtype) != members.end();
    if (!value.isError() && !isMember)
      diagnostics.error(parameter.defaultValue->where, "the default of " + quoted(parameter.name.text) +
                                                           " must be one of its dtypes, found " + Arithmetic::describe(value));
    if (!isMember)
      value = Value();
  }
  if (value.kind != Value::Kind::DType)
    value = Value::ofDType(members.empty() ? DType::F32 : members.front(), parameter.where);
  kernel.statics[parameter.name.text] = name(value.dtype);
  declare(parameter.name, Entity::fixed(value, parameter.name.where));
}

std::optional<FunctionType> Elaborator::functionTypeOf(const ast::StaticParameter &parameter) {
  FunctionType type;
  bool failed = false;
  for (const ast::DTypeReference &reference : parameter.functionParameters) {
    std::optional<DType> dtype = resolve(reference);
    failed |= !dtype;
    type.parameters.push_back(dtype.value_or(DType::F32));
  }
  std::optional<DType> result = parameter.functionResult ? resolve(*parameter.functionResult) : std::nullopt;
  type.result = result.value_or(DType::F32);
  return failed || !result ? std::nullopt : std::optional(type);
}

void Elaborator::bindFunctionStatic(const ast::StaticParameter &parameter) {
  std::optional<FunctionType> type = functionTypeOf(parameter);
  if (!type)
    return declare(parameter.name, Entity::poisoned(parameter.name.where));
  FunctionReference function;
  SourceRange where = parameter.where;
  if (auto bound = binding->statics.find(parameter.name.text); bound != binding->statics.end()) {
    function = bound->second.function;
  } else if (parameter.defaultValue) {
    where = parameter.defaultValue->where;
    Value value = expression(*parameter.defaultValue);
    if (value.kind == Value::Kind::Function)
      function = value.function;
    else if (!value.isError())
      diagnostics.error(where, "expected a function, found " + Arithmetic::describe(value));
    if (!function)
      return declare(parameter.name, Entity::poisoned(parameter.name.where));
  }
  FunctionValue fixed{FunctionValue::Kind::Opaque, parameter.name.text};
  if (function)
    fixed = *function;
  if (function && !hasType(function, *type)) {
    Diagnostic &error =
        diagnostics.error(where, quoted(function->name) + " is not a function of type " + quoted(toString(*type)) + ", which " +
                                     quoted(parameter.name.text) + " needs");
    if (function->info)
      error.note(function->info->where, "declared here");
    return declare(parameter.name, Entity::poisoned(parameter.name.where));
  }
  fixed.type = type;
  kernel.statics[parameter.name.text] = fixed.name;
  declare(parameter.name, Entity::fixed(Value::ofFunction(std::make_shared<FunctionValue>(std::move(fixed)), parameter.where),
                                        parameter.name.where));
}

const Expr *Elaborator::constantOf(const ast::StaticParameter &parameter, DType dtype) {
  SourceRange where = parameter.name.where;
  bool isSymbolic = binding->symbolicConstants && isInteger(dtype);
  if (auto bound = binding->statics.find(parameter.name.text); bound != binding->statics.end()) {
    const Value &value = bound->second;
    if (dtype == DType::Bool)
      return tree.boolean(value.integer != 0, where);
    Value given = value;
    given.where = where;
    return arithmetic.convert(given, dtype, quoted(parameter.name.text));
  }
  if (parameter.defaultValue && !isSymbolic) {
    Value value = expression(*parameter.defaultValue);
    const Expr *tile =
        value.isError() ? nullptr : arithmetic.convert(value, dtype, "the default of " + quoted(parameter.name.text));
    if (!tile || isConstant(*tile) || isConstantExpression(*tile))
      return tile;
    diagnostics.error(parameter.defaultValue->where, "a default must be a constant");
    return nullptr;
  }
  // Only in a check: its value is not known, but that it is a constant is.
  symbolicStatics.insert(parameter.name.text);
  return dtype == DType::Bool ? tree.boolean(false, where)
                              : tree.cast(tree.dimension(parameter.name.text, where), dtype, where);
}

void Elaborator::bindConstantStatic(const ast::StaticParameter &parameter) {
  const ast::DTypeReference *type = parameter.constantType ? &*parameter.constantType : nullptr;
  bool isUnknown = type && !type->builtin && !type->accumOf && !lookup(type->name);
  if (isUnknown) // one word alone may also be a misspelt class
    reportUnknownDType(*type, {"float", "real", "integer", "number"});
  std::optional<DType> dtype = type && !isUnknown ? resolve(*type) : std::nullopt;
  const Expr *value = dtype ? constantOf(parameter, *dtype) : nullptr;
  if (!value)
    return declare(parameter.name, Entity::poisoned(parameter.name.where));
  Entity entity = Entity::of(Entity::Kind::Constant, parameter.name.where);
  entity.value = Value::ofTile(value, parameter.name.where);
  declare(parameter.name, entity);
  if (!isConstant(*value))
    return;
  if (dtype == DType::I64)
    kernel.constants[parameter.name.text] = value->integer;
  kernel.statics[parameter.name.text] = isFloat(*dtype)        ? toText(value->real)
                                        : dtype == DType::Bool ? (value->integer ? "true" : "false")
                                                               : std::to_string(value->integer);
}

} // namespace tilewright::frontend
