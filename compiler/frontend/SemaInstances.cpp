// Functions for given argument types: the typed bodies that calls refer to.
//
// A function is elaborated once for each choice of argument types, axes included, and calls of the same choice share the
// result. An instance that declares axes of its own is made anew for each call, since axes have unique names in a kernel.
#include "compiler/frontend/Elaborator.h"

#include "compiler/frontend/Derivative.h"
#include "compiler/frontend/Limits.h"

#include <algorithm>

namespace tilewright::frontend {

using namespace typed;

namespace {

/// Calls inside calls, and nodes of a kernel with all that is inlined: far beyond any kernel, within any stack and memory.
constexpr size_t maxCallDepth = 100;
constexpr size_t maxExpressions = size_t{1} << 18;

std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string keyOf(const FunctionValue &function, const std::vector<TileType> &types, const TreeBuilder::Axes &over) {
  std::string key = function.identity();
  for (const TileType &type : types) {
    key += "|" + std::string(name(type.dtype));
    for (const Axis *axis : type.axes)
      key += "," + axis->uniqueName;
  }
  for (const Axis *axis : over)
    key += "|over " + axis->uniqueName;
  return key;
}

const FunctionValue &rootOf(const FunctionValue &function) {
  return function.kind == FunctionValue::Kind::Derivative ? rootOf(*function.base) : function;
}

std::vector<DType> dtypesOf(const std::vector<TileType> &types) {
  std::vector<DType> dtypes;
  for (const TileType &type : types)
    dtypes.push_back(type.dtype);
  return dtypes;
}

/// How many operations a function stands for.
class InlinedSize {
public:
  explicit InlinedSize(const std::map<const Function *, size_t> &known) : known(known) {}

  size_t of(const Function &function) const {
    size_t size = of(function.body);
    for (const Expr *result : function.results)
      size += of(*result);
    return size;
  }

private:
  size_t of(const Block &block) const {
    size_t size = 0;
    for (const Statement *statement : block)
      size += 1 + (statement->value ? of(*statement->value) : 0) + of(statement->body);
    return size;
  }
  size_t of(const Expr &expr) const {
    size_t size = 1;
    if (auto callee = known.find(expr.callee); callee != known.end())
      size += callee->second;
    for (const Expr *operand : expr.operands)
      size += of(*operand);
    return size;
  }

  const std::map<const Function *, size_t> &known;
};

} // namespace

const Function *Elaborator::instantiate(const FunctionReference &function, const std::vector<TileType> &types, const Axes &over,
                                        SourceRange where) {
  std::string key = keyOf(*function, types, over);
  if (auto known = instances.find(key); known != instances.end())
    return known->second;
  std::string identity = function->identity();
  auto running = std::find_if(active.begin(), active.end(), [&](const auto &each) { return each.first == identity; });
  if (running != active.end()) {
    std::string path;
    for (auto each = running; each != active.end(); ++each)
      path += each->second + " → ";
    Diagnostic &error = diagnostics.error(where, quoted(function->name) + " calls itself: " + path + function->name);
    error.help("functions are inlined, so there is no recursion");
    if (function->info)
      error.note(function->info->where, "declared here");
    return nullptr;
  }
  if (active.size() >= maxCallDepth || kernel.expressions.size() >= maxExpressions) {
    diagnostics.error(where, active.size() >= maxCallDepth
                                 ? "calls are nested deeper than " + std::to_string(maxCallDepth) + " functions"
                                 : "the kernel has more than " + std::to_string(maxExpressions) +
                                       " operations when its functions are inlined");
    return nullptr;
  }
  size_t axesBefore = kernel.axes.size();
  active.emplace_back(std::move(identity), function->name);
  size_t faultsBefore = diagnostics.all().size();
  const Function *instance = makeInstance(function, types, over, where);
  active.pop_back();
  noteCall(*function, types, over, where, faultsBefore);
  if (instance) {
    origins[instance] = function;
    inlinedSizes[instance] = InlinedSize(inlinedSizes).of(*instance);
    if (inlinedSizes[instance] > maxInlinedOperations) {
      diagnostics
          .error(where, quoted(function->name) + " has more than " + std::to_string(maxInlinedOperations) +
                            " operations, with those of the functions that it calls")
          .help("every call is inlined: give what is used twice a name with `let`");
      instance = nullptr;
    }
  }
  if (!instance || kernel.axes.size() == axesBefore)
    instances[key] = instance;
  return instance;
}

/// What is wrong in a function may be so for these types or axes only: says which call it is.
void Elaborator::noteCall(const FunctionValue &function, const std::vector<TileType> &types, const Axes &over,
                          SourceRange where, size_t firstFault) {
  const ast::FunctionDeclaration *declaration = function.info ? function.info->declaration : nullptr;
  bool isGeneric = declaration && (!declaration->statics.empty() || !over.empty());
  if (!isGeneric || firstFault == diagnostics.all().size() || where == function.info->where)
    return;
  std::string arguments;
  for (const TileType &type : types)
    arguments += (arguments.empty() ? "" : ", ") + toString(type);
  for (const Axis *axis : over)
    arguments += std::string(axis == over.front() ? (types.empty() ? "over " : ", over ") : ", ") + axis->name;
  diagnostics.noteFrom(firstFault, where, quoted(function.name) + " is called here with (" + arguments + ")");
}

const Function *Elaborator::makeInstance(const FunctionReference &function, const std::vector<TileType> &types,
                                         const Axes &over, SourceRange where) {
  switch (function->kind) {
  case FunctionValue::Kind::Declared:
    used.insert(function->info);
    return function->info->external ? bodilessInstance(*function, types) : declaredInstance(*function->info, types, over);
  case FunctionValue::Kind::Builtin:
    return builtinInstance(*function->builtin, types, where);
  case FunctionValue::Kind::Derivative:
    return derivativeInstance(*function, types, where);
  case FunctionValue::Kind::Opaque:
    break;
  }
  return bodilessInstance(*function, types);
}

std::vector<TileType> Elaborator::resultTypesOf(const Function &function, const std::vector<const Expr *> &arguments) const {
  if (auto known = bodilessResults.find(&function); known != bodilessResults.end())
    return known->second;
  std::vector<TileType> types;
  for (const Expr *result : function.results)
    types.push_back(result->type);
  return types;
}

// --------------------------------------------------------------------------------------------------------------------
// Functions without a body, and built-in ones
// --------------------------------------------------------------------------------------------------------------------

const Function *Elaborator::bodilessInstance(const FunctionValue &function, const std::vector<TileType> &types) {
  Function &instance = kernel.functions.emplace_back();
  instance.name = function.name;
  const ast::ExternDeclaration *external = function.info ? function.info->external : nullptr;
  instance.opaque = !external;
  if (external) {
    instance.where = function.info->where;
    instance.external = External{instance.where, external->path.value, external->path.where, function.info->externalFile, {}, {}};
    for (const TileType &type : types)
      instance.external->parameters.push_back(type.dtype);
  }
  Axes axes;
  for (size_t i = 0; i < types.size(); ++i) {
    std::string name = external ? external->parameters[i].name.text : "x" + std::to_string(i);
    instance.parameters.push_back(&tree.makeSymbol(Symbol::Kind::Parameter, name, types[i], instance.where));
    TreeBuilder::addAxes(axes, types[i].axes);
  }
  std::vector<TileType> &results = bodilessResults[&instance];
  if (external)
    for (const ast::DTypeReference &result : external->results) {
      instance.external->results.push_back(resolve(result).value_or(DType::F32));
      results.push_back({instance.external->results.back(), axes});
    }
  else
    results.push_back({function.type->result, axes});
  return &instance;
}

const Function *Elaborator::builtinInstance(const Builtin &builtin, const std::vector<TileType> &types, SourceRange where) {
  Function instance;
  instance.name = builtin.name;
  std::vector<Value> arguments;
  for (size_t i = 0; i < types.size(); ++i) {
    const Symbol &symbol = tree.makeSymbol(Symbol::Kind::Parameter, "x" + std::to_string(i), types[i], where);
    instance.parameters.push_back(&symbol);
    arguments.push_back(Value::ofTile(tree.symbol(symbol, where), where));
  }
  Value value = arithmetic.elementwise(builtin, arguments, where);
  if (value.isError())
    return nullptr;
  instance.results = {value.tile};
  return &kernel.functions.emplace_back(std::move(instance));
}

// --------------------------------------------------------------------------------------------------------------------
// Declared functions
// --------------------------------------------------------------------------------------------------------------------

void Elaborator::declareFunctionStatics(const FunctionInfo &info, const std::vector<DType> &parameters) {
  for (const ast::StaticParameter &generic : info.declaration->statics) {
    size_t position = 0;
    std::optional<DType> bound;
    for (const ast::FunctionParameter &parameter : info.declaration->parameters) {
      if (parameter.over)
        continue;
      if (!parameter.dtype->builtin && !parameter.dtype->accumOf && parameter.dtype->name == generic.name.text)
        bound = parameters[position];
      ++position;
    }
    declare(generic.name, bound ? Entity::fixed(Value::ofDType(*bound, generic.where), generic.name.where)
                                : Entity::poisoned(generic.name.where));
  }
}

const Function *Elaborator::declaredInstance(const FunctionInfo &info, const std::vector<TileType> &types, const Axes &over) {
  Function &instance = kernel.functions.emplace_back();
  instance.name = info.name;
  instance.where = info.where;
  Body functionBody{Body::Kind::Function, info.file, {Names{}}, &instance.body};
  Body *outer = std::exchange(body, &functionBody);
  unsigned errorsBefore = diagnostics.errorCount();
  declareFunctionStatics(info, dtypesOf(types));
  Axes visible = over;
  size_t nextType = 0, nextAxis = 0;
  for (const ast::FunctionParameter &parameter : info.declaration->parameters) {
    Entity entity = Entity::of(parameter.over ? Entity::Kind::Axis : Entity::Kind::Symbol, parameter.name.where);
    if (parameter.over) {
      entity.axis = over[nextAxis++];
    } else {
      const TileType &type = types[nextType++];
      TreeBuilder::addAxes(visible, type.axes);
      entity.symbol = &tree.makeSymbol(Symbol::Kind::Parameter, parameter.name.text, type, parameter.name.where);
      instance.parameters.push_back(entity.symbol);
    }
    declare(parameter.name, entity);
  }
  if (over.empty())
    functionBody.argumentAxes = visible;
  bool sound = elaborateFunctionBody(*info.declaration, instance) && checkResultAxes(instance, visible);
  body = outer;
  return sound && diagnostics.errorCount() == errorsBefore ? &instance : nullptr;
}

bool Elaborator::elaborateFunctionBody(const ast::FunctionDeclaration &declaration, Function &function) {
  std::vector<DType> dtypes;
  for (const ast::DTypeReference &result : declaration.results) {
    std::optional<DType> dtype = resolve(result);
    if (!dtype)
      return false;
    dtypes.push_back(*dtype);
  }
  std::string what = "the result of " + quoted(function.name);
  if (declaration.expression)
    return elaborateResults(*declaration.expression, dtypes, what, function);
  bool sound = false;
  const std::vector<ast::StatementPtr> &statements = declaration.body->statements;
  bool returns = !statements.empty() && statements.back()->kind == ast::Statement::Kind::Return;
  inBlock(function.body, [&] {
    for (size_t i = 0; i < statements.size() - (returns ? 1 : 0); ++i)
      statement(*statements[i]);
    if (returns)
      sound = elaborateResults(*ast::as<ast::ReturnStatement>(*statements.back()).value, dtypes, what, function);
  });
  if (!returns)
    diagnostics.error(declaration.name.where, quoted(function.name) + " must end in `return`")
        .help("`return` is the last statement of a function");
  return sound;
}

bool Elaborator::elaborateResults(const ast::Expression &value, const std::vector<DType> &dtypes, const std::string &what,
                                  Function &function) {
  const auto *tuple = ast::dynAs<ast::TupleExpression>(&value);
  size_t found = tuple ? tuple->elements.size() : 1;
  if (!tuple && dtypes.size() > 1) {
    Value call = expressionOrCall(value);
    if (call.isError())
      return false;
    if (call.kind == Value::Kind::Tile && call.tile->resultTypes.size() == dtypes.size())
      return nameResults(*call.tile, dtypes, what, function);
  }
  if (found != dtypes.size()) {
    diagnostics
        .error(value.where, "expected " + std::to_string(dtypes.size()) + (dtypes.size() == 1 ? " result" : " results") +
                                ", found " + std::to_string(found))
        .note(function.where, quoted(function.name) + " is declared here");
    return false;
  }
  for (size_t i = 0; i < found; ++i) {
    Value result = expression(tuple ? *tuple->elements[i] : value);
    const Expr *converted = result.isError() ? nullptr : arithmetic.convert(result, dtypes[i], what);
    if (!converted)
      return false;
    function.results.push_back(converted);
  }
  return true;
}

// `return g(x);` where g has several results: they need names in the tree.
bool Elaborator::nameResults(const Expr &call, const std::vector<DType> &dtypes, const std::string &what, Function &function) {
  Statement &let = emit(StatementKind::Let, call.where);
  let.value = &call;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    Symbol &symbol = tree.makeSymbol(Symbol::Kind::Let, "result" + std::to_string(i), call.resultTypes[i], call.where);
    let.symbols.push_back(&symbol);
    const Expr *converted = arithmetic.convert(Value::ofTile(tree.symbol(symbol, call.where), call.where), dtypes[i], what);
    if (!converted)
      return false;
    function.results.push_back(converted);
  }
  return true;
}

bool Elaborator::checkResultAxes(const Function &function, const Axes &visible) {
  for (const Expr *result : function.results) {
    Axes surplus = TreeBuilder::without(result->type.axes, visible);
    if (surplus.empty())
      continue;
    diagnostics.error(result->where, "a tile cannot outlive its axes: the result has axis " + quoted(surplus.front()->name))
        .note(surplus.front()->where, quoted(surplus.front()->name) + " is declared here")
        .help("reduce over it, `sum(…, over " + surplus.front()->name + ")`");
    return false;
  }
  return true;
}

// --------------------------------------------------------------------------------------------------------------------
// Derivatives
// --------------------------------------------------------------------------------------------------------------------

const Function *Elaborator::derivativeInstance(const FunctionValue &function, const std::vector<TileType> &types,
                                               SourceRange where) {
  if (rootOf(function).kind == FunctionValue::Kind::Opaque)
    return bodilessInstance(function, types);
  const Function *base = instantiate(function.base, types, {}, where);
  if (!base)
    return nullptr;
  const FunctionInfo *info = function.base->kind == FunctionValue::Kind::Declared ? function.base->info : nullptr;
  if (info && info->rule)
    return ruleInstance(*info, *base, function.parameter);
  if (info && info->external) {
    diagnostics.error(where, quoted(info->name) + " is an external function, so its derivative must be stated")
        .note(info->where, "declared here")
        .help("write `deriv " + info->name + "(…) = …;`");
    return nullptr;
  }
  auto recurse = [this](const Function &callee, unsigned parameter, SourceRange place) -> const Function * {
    auto origin = origins.find(&callee);
    if (origin == origins.end())
      return nullptr;
    std::vector<TileType> calleeTypes;
    for (const Symbol *symbol : callee.parameters)
      calleeTypes.push_back(symbol->type);
    return instantiate(derivativeOf(origin->second, parameter), calleeTypes, {}, place);
  };
  return differentiate(*base, function.parameter, where, DerivativeContext{kernel, diagnostics, recurse});
}

const Function *Elaborator::ruleInstance(const FunctionInfo &info, const Function &base, unsigned parameter) {
  const ast::DerivativeDeclaration &rule = *info.rule;
  const auto *tuple = ast::dynAs<ast::TupleExpression>(rule.value.get());
  size_t parts = tuple ? tuple->elements.size() : 1;
  size_t expected = base.parameters.size();
  if (rule.parameters.size() != expected || parts != expected) {
    bool namesDiffer = rule.parameters.size() != expected;
    diagnostics
        .error(namesDiffer ? rule.name.where : rule.value->where,
               quoted(info.name) + " has " + std::to_string(expected) + (expected == 1 ? " parameter" : " parameters") +
                   ", the rule has " + std::to_string(namesDiffer ? rule.parameters.size() : parts) +
                   (namesDiffer  ? ""
                    : parts == 1 ? " value"
                                 : " values"))
        .note(info.where, "declared here");
    return nullptr;
  }
  std::vector<TileType> results = resultTypesOf(base, {});
  if (results.size() != 1) {
    diagnostics.error(rule.name.where, quoted(info.name) + " has several results, so it has no derivative");
    return nullptr;
  }
  Function &instance = kernel.functions.emplace_back();
  instance.name = "deriv(" + info.name + (expected > 1 ? ", " + std::to_string(parameter) : "") + ")";
  instance.where = rule.name.where;
  Body ruleBody{Body::Kind::Function, info.ruleFile, {Names{}}, &instance.body};
  Body *outer = std::exchange(body, &ruleBody);
  std::vector<DType> dtypes;
  for (const Symbol *symbol : base.parameters)
    dtypes.push_back(symbol->type.dtype);
  if (info.declaration)
    declareFunctionStatics(info, dtypes);
  for (size_t i = 0; i < expected; ++i) {
    const ast::Name &name = rule.parameters[i];
    Entity entity = Entity::of(Entity::Kind::Symbol, name.where);
    entity.symbol = &tree.makeSymbol(Symbol::Kind::Parameter, name.text, base.parameters[i]->type, name.where);
    instance.parameters.push_back(entity.symbol);
    declare(name, entity);
  }
  bool sound = elaborateResults(tuple ? *tuple->elements[parameter] : *rule.value, {results.front().dtype},
                                "the derivative of " + quoted(info.name), instance);
  body = outer;
  return sound ? &instance : nullptr;
}

// --------------------------------------------------------------------------------------------------------------------
// Functions that no kernel calls
// --------------------------------------------------------------------------------------------------------------------

void Elaborator::elaborateAlone(const FunctionInfo &info) {
  Body alone{Body::Kind::Function, info.file, {Names{}}};
  body = &alone;
  if (info.declaration)
    for (const ast::StaticParameter &parameter : info.declaration->statics) {
      std::vector<DType> members = membersOf(parameter);
      alone.frames.back()[parameter.name.text] =
          Entity::fixed(Value::ofDType(members.empty() ? DType::F32 : members.front(), parameter.where), parameter.name.where);
    }
  Axes over;
  for (const ast::FunctionParameter &parameter : info.parameters()) {
    if (!parameter.over)
      continue;
    Axis axis;
    axis.origin = Axis::Origin::WholeSpan;
    axis.name = parameter.name.text;
    axis.uniqueName = uniqueAxisName(axis.name);
    axis.where = parameter.name.where;
    axis.isSpan = true;
    over.push_back(&kernel.axes.emplace_back(std::move(axis)));
  }
  std::vector<TileType> types;
  for (const ast::FunctionParameter &parameter : info.parameters()) {
    std::optional<DType> dtype = parameter.over ? std::nullopt : resolve(*parameter.dtype);
    if (dtype)
      types.push_back({*dtype, over});
    else if (!parameter.over)
      return;
  }
  FunctionValue value{FunctionValue::Kind::Declared, info.name};
  value.info = &info;
  auto function = std::make_shared<FunctionValue>(std::move(value));
  const Function *instance = instantiate(function, types, over, info.where);
  for (unsigned i = 0; instance && info.rule && i < instance->parameters.size(); ++i)
    ruleInstance(info, *instance, i);
  body = nullptr;
}

} // namespace tilewright::frontend
