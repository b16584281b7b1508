#include "compiler/frontend/LaunchProgram.h"

#include "compiler/frontend/AffineIndex.h"
#include "compiler/frontend/CollectDots.h"

#include <algorithm>
#include <cmath>

namespace tilewright::frontend {

using Json = nlohmann::ordered_json;
using Kind = IndexValue::Kind;
using typed::Op;

std::string whereText(SourceRange where) {
  if (!where.valid())
    return {};
  Source::Position position = where.source->locate(where.begin);
  return where.source->name() + ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
}

namespace {

Json operation(std::string_view name, std::vector<Json> operands) {
  return {{"op", name}, {"args", std::move(operands)}};
}

// --------------------------------------------------------------------------------------------------------------------
// EXPR of values
// --------------------------------------------------------------------------------------------------------------------

/// The name of an operation that the host evaluates, or nothing.
std::string_view nameOf(Op op, DType dtype) {
  switch (op) {
  case Op::Add:
    return "add";
  case Op::Subtract:
    return "subtract";
  case Op::Multiply:
    return "multiply";
  case Op::Divide:
    return "divide";
  case Op::Remainder:
    return "remainder";
  case Op::Negate:
    return "negate";
  case Op::Absolute:
    return "absolute";
  case Op::Min:
    return "min";
  case Op::Max:
    return "max";
  case Op::Select:
    return "select";
  case Op::Equal:
    return "equal";
  case Op::NotEqual:
    return "not_equal";
  case Op::Less:
    return "less";
  case Op::LessEqual:
    return "less_equal";
  case Op::Greater:
    return "greater";
  case Op::GreaterEqual:
    return "greater_equal";
  case Op::And:
    return dtype == DType::Bool ? "and" : "";
  case Op::Or:
    return dtype == DType::Bool ? "or" : "";
  case Op::Not:
    return dtype == DType::Bool ? "not" : "";
  default:
    return {};
  }
}

/// JSON has no infinities.
Json realNumber(double value) {
  if (std::isnan(value))
    return operation("divide", {0.0, 0.0});
  if (std::isinf(value))
    return operation("divide", {value > 0 ? 1.0 : -1.0, 0.0});
  return value;
}

/// Writes values as EXPRs; what occurs more than once goes to "values".
class ExpressionWriter {
public:
  /// First every value that will be written, then `write`.
  void announce(const IndexValue *value) {
    if (++occurrences[value] == 1)
      for (const IndexValue *operand : value->operands)
        announce(operand);
  }

  Json write(const IndexValue *value) {
    bool isShared = !isLeaf(*value) && occurrences[value] > 1;
    if (!isShared)
      return compose(*value);
    auto known = numbers.find(value);
    if (known == numbers.end()) {
      Json composed = compose(*value);
      known = numbers.emplace(value, shared.size()).first;
      shared.push_back(std::move(composed));
    }
    return {{"value", known->second}};
  }

  Json takeShared() { return std::move(shared); }

private:
  static bool isLeaf(const IndexValue &value) { return value.operands.empty() || value.kind == Kind::Load; }

  Json compose(const IndexValue &value) {
    switch (value.kind) {
    case Kind::Integer:
      return value.dtype == DType::Bool ? Json(value.integer != 0) : Json(value.integer);
    case Kind::Real:
      return realNumber(value.real);
    case Kind::Dimension:
      return {{"dim", value.name}};
    case Kind::Scalar:
      return {{"scalar", value.scalar->name}};
    case Kind::Axis:
    case Kind::ArgReduce:
      return {{"axis", value.axis->uniqueName}};
    case Kind::Start:
      return {{"start", value.axis->uniqueName}};
    case Kind::End:
      return {{"end", value.axis->uniqueName}};
    case Kind::Union:
      return operation("union", writeOperands(value));
    case Kind::Convert:
      return operation(name(value.dtype), writeOperands(value));
    case Kind::Operation:
      if (std::string_view name = nameOf(value.op, value.dtype); !name.empty())
        return operation(name, writeOperands(value));
      break;
    case Kind::Load:
    case Kind::Unknown:
    case Kind::Carried:
      break;
    }
    return {{"unknown", name(value.dtype)}};
  }

  std::vector<Json> writeOperands(const IndexValue &value) {
    std::vector<Json> operands;
    for (const IndexValue *operand : value.operands)
      operands.push_back(write(operand));
    return operands;
  }

  std::map<const IndexValue *, unsigned> occurrences;
  std::map<const IndexValue *, size_t> numbers;
  Json shared = Json::array();
};

// --------------------------------------------------------------------------------------------------------------------
// The checks of a launch
// --------------------------------------------------------------------------------------------------------------------

class LaunchChecks {
public:
  LaunchChecks(const typed::Kernel &kernel, const std::vector<LaunchAccess> &accesses, const LaunchPlaces &places)
      : kernel(kernel), accesses(accesses), places(places), indices(collectIndices(kernel)) {}

  void addTo(Json &metadata) {
    // The first round only counts what occurs how often.
    isCounting = true;
    writeAll();
    isCounting = false;
    Json checks = writeAll();
    metadata["values"] = writer.takeShared();
    metadata.update(checks);
  }

private:
  Json writeAll() {
    return {{"axes", axes()},          {"require", requirements()},    {"accesses", accessChecks()},
            {"places", placeChecks()}, {"disjoint", disjointChecks()}, {"dots", dots()}};
  }

  Json write(const IndexValue *value) {
    if (!isCounting)
      return writer.write(value);
    writer.announce(value);
    return nullptr;
  }
  Json write(const Polynomial &polynomial) { return write(valueOf(polynomial)); }
  const IndexValue *valueOf(const Polynomial &polynomial);

  Json axes();
  Json requirements();
  Json accessChecks();
  Json placeChecks();
  Json disjointChecks();
  Json dots();
  static Json names(const std::vector<const typed::Axis *> &axes);
  const AccessSite &siteOf(const typed::Statement *store) const;

  const typed::Kernel &kernel;
  const std::vector<LaunchAccess> &accesses;
  const LaunchPlaces &places;
  KernelIndices indices;
  ExpressionWriter writer;
  bool isCounting = false;
};

const IndexValue *LaunchChecks::valueOf(const Polynomial &polynomial) {
  IndexValues &values = indices.values;
  const IndexValue *total = values.integer(0);
  for (const auto &[monomial, factor] : polynomial.terms()) {
    const IndexValue *product = values.integer(factor);
    for (const IndexValue *atom : monomial)
      product = values.operation(Op::Multiply, DType::I64, {product, atom});
    total = values.operation(Op::Add, DType::I64, {total, product});
  }
  return total;
}

Json LaunchChecks::names(const std::vector<const typed::Axis *> &axes) {
  Json list = Json::array();
  for (const typed::Axis *axis : axes)
    list.push_back(axis->uniqueName);
  return list;
}

const AccessSite &LaunchChecks::siteOf(const typed::Statement *store) const {
  return *std::find_if(indices.sites.begin(), indices.sites.end(),
                       [store](const AccessSite &site) { return site.store == store; });
}

Json LaunchChecks::axes() {
  Json list = Json::array();
  for (const typed::Axis *axis : indices.axes) {
    const AxisRange &range = indices.ranges.at(axis);
    list.push_back({{"name", axis->uniqueName},
                    {"low", write(range.low)},
                    {"high", write(range.high)},
                    {"span", axis->isSpan},
                    {"by", axis->capacity ? Json(*axis->capacity) : Json()},
                    {"parent", axis->parent ? Json(axis->parent->uniqueName) : Json()}});
  }
  return list;
}

Json LaunchChecks::requirements() {
  Json list = Json::array();
  for (size_t i = 0; i < kernel.requirements.size(); ++i) {
    const typed::Requirement &requirement = kernel.requirements[i];
    const IndexValue *condition = indices.requirements[i];
    if (condition->kind == Kind::Integer && condition->integer)
      continue;
    list.push_back({{"condition", write(condition)}, {"text", requirement.text}, {"where", whereText(requirement.where)}});
  }
  return list;
}

Json LaunchChecks::accessChecks() {
  Json list = Json::array();
  for (const LaunchAccess &access : accesses)
    for (const AccessSite &site : indices.sites) {
      bool isIt = site.view == access.view && site.indexExpression(access.dimension) == access.index;
      if (isIt)
        list.push_back({{"view", access.view->name},
                        {"dimension", access.dimension},
                        {"index", write(site.indices[access.dimension])},
                        {"store", access.isStore},
                        {"inside", names(site.inside)},
                        {"where", whereText(access.where)}});
    }
  return list;
}

Json LaunchChecks::placeChecks() {
  Json list = Json::array();
  for (const LaunchPlace &place : places.places) {
    const AccessSite &site = siteOf(place.store);
    std::optional<AffineIndex> sum = affine(site.indices[place.dimension], indices);
    Json terms = Json::array();
    for (const AffineTerm &term : sum->terms)
      terms.push_back({{"axis", term.axis->uniqueName}, {"coefficient", write(term.coefficient)}});
    list.push_back({{"view", site.view->name},
                    {"dimension", place.dimension},
                    {"constant", write(sum->constant)},
                    {"terms", std::move(terms)},
                    {"inside", names(site.inside)},
                    {"where", whereText(place.index->where)}});
  }
  return list;
}

Json LaunchChecks::disjointChecks() {
  Json list = Json::array();
  for (const LaunchDisjoint &pair : places.disjoint) {
    const AccessSite &first = siteOf(pair.first), &second = siteOf(pair.second);
    Json dimensions = Json::array();
    for (size_t i = 0; i < first.indices.size(); ++i)
      dimensions.push_back({{"first", write(first.indices[i])}, {"second", write(second.indices[i])}});
    list.push_back({{"view", first.view->name},
                    {"dimensions", std::move(dimensions)},
                    {"where", whereText(pair.first->where)},
                    {"other", whereText(pair.second->where)}});
  }
  return list;
}

std::string_view textOf(DotSite::Runs runs) {
  switch (runs) {
  case DotSite::Runs::Always:
    return "always";
  case DotSite::Runs::Perhaps:
    return "perhaps";
  case DotSite::Runs::Unknown:
    return "unknown";
  }
  return {};
}

Json LaunchChecks::dots() {
  Json list = Json::array();
  for (const DotSite &site : collectDots(kernel)) {
    // A loop inside a function is none of the kernel's axes.
    bool isCountable = std::all_of(site.inside.begin(), site.inside.end(),
                                   [this](const typed::Axis *axis) { return indices.ranges.contains(axis); });
    list.push_back({{"tile", names(site.tile)},
                    {"inside", isCountable ? names(site.inside) : Json::array()},
                    {"runs", textOf(isCountable ? site.runs : DotSite::Runs::Unknown)},
                    {"where", whereText(site.dot->where)}});
  }
  return list;
}

// --------------------------------------------------------------------------------------------------------------------
// Signatures
// --------------------------------------------------------------------------------------------------------------------

std::string_view textOf(ast::Parameter::Access access) {
  switch (access) {
  case ast::Parameter::Access::In:
    return "in";
  case ast::Parameter::Access::Out:
    return "out";
  case ast::Parameter::Access::InOut:
    return "inout";
  }
  return {};
}

std::string_view textOf(ast::Dimension::Kind kind) {
  switch (kind) {
  case ast::Dimension::Kind::Name:
    return "name";
  case ast::Dimension::Kind::Pack:
    return "pack";
  case ast::Dimension::Kind::Expression:
    return "expression";
  case ast::Dimension::Kind::Definition:
    return "definition";
  }
  return {};
}

std::string_view textOf(ast::StaticParameter::Kind kind) {
  switch (kind) {
  case ast::StaticParameter::Kind::Type:
    return "type";
  case ast::StaticParameter::Kind::Function:
    return "function";
  case ast::StaticParameter::Kind::Constant:
    return "constant";
  }
  return {};
}

std::string textOf(const ast::DTypeReference &dtype) {
  if (dtype.builtin)
    return std::string(name(*dtype.builtin));
  return dtype.accumOf ? "accum(" + textOf(*dtype.accumOf) + ")" : dtype.name;
}

Json viewHead(const std::string &viewName, ast::Parameter::Access access, std::string_view dtype, bool optional,
              Json dimensions) {
  return {{"name", viewName}, {"kind", "view"},       {"access", textOf(access)},
          {"dtype", dtype},   {"optional", optional}, {"dimensions", std::move(dimensions)}};
}

Json dimensionEntry(ast::Dimension::Kind kind, const std::string &dimensionName, Json value) {
  if (value.is_null() && (kind == ast::Dimension::Kind::Expression || kind == ast::Dimension::Kind::Definition))
    value = Json{{"unknown", "i64"}}; // of an absent view: nobody asks
  return {{"kind", textOf(kind)}, {"name", dimensionName.empty() ? Json() : Json(dimensionName)}, {"value", std::move(value)}};
}

Json scalarEntry(const std::string &scalarName, std::string_view dtype, Json defaultValue) {
  return {{"name", scalarName}, {"kind", "scalar"}, {"dtype", dtype}, {"default", std::move(defaultValue)}};
}

Json signatureHead(const KernelSignature &signature, Json parameters) {
  Json statics = Json::array();
  for (const KernelSignature::Static &one : signature.statics) {
    Json dtypes = Json::array();
    for (DType dtype : one.dtypes)
      dtypes.push_back(name(dtype));
    statics.push_back({{"name", one.name},
                       {"kind", textOf(one.kind)},
                       {"dtypes", std::move(dtypes)},
                       {"default", one.defaultText ? Json(*one.defaultText) : Json()},
                       {"dimension", one.isDimension}});
  }
  Json tunables = Json::array();
  for (const std::string &tunable : signature.tunables)
    tunables.push_back(tunable);
  return {{"name", signature.name},
          {"documentation", signature.documentation},
          {"statics", std::move(statics)},
          {"parameters", std::move(parameters)},
          {"tunables", std::move(tunables)}};
}

// Of a specialized kernel

Json dimensionsOf(const typed::View &view, const KernelIndices &indices) {
  ExpressionWriter writer; // nothing was announced, so nothing is shared
  Json list = Json::array();
  for (size_t i = 0; i < view.dimensions.size(); ++i) {
    const typed::ViewDimension &dimension = view.dimensions[i];
    list.push_back(
        dimensionEntry(dimension.kind, dimension.name, dimension.value ? writer.write(indices.declared.at(&view)[i]) : Json()));
  }
  return list;
}

/// A default is a number, or the name of one that JSON lacks.
Json defaultNumber(double value) {
  if (std::isnan(value))
    return "nan";
  return std::isinf(value) ? Json(value > 0 ? "inf" : "-inf") : Json(value);
}

Json defaultOf(const typed::ScalarParameter &scalar) {
  if (scalar.realDefault)
    return defaultNumber(*scalar.realDefault);
  if (!scalar.integerDefault)
    return nullptr;
  return scalar.dtype == DType::Bool ? Json(*scalar.integerDefault != 0) : Json(*scalar.integerDefault);
}

Json parametersOf(const typed::Kernel &kernel, const KernelIndices &indices) {
  std::map<unsigned, Json> inOrder;
  for (const std::unique_ptr<typed::View> &view : kernel.views)
    inOrder[view->parameter] =
        viewHead(view->name, view->access, name(view->dtype), view->optional, dimensionsOf(*view, indices));
  for (const std::unique_ptr<typed::ScalarParameter> &scalar : kernel.scalars)
    inOrder[scalar->parameter] = scalarEntry(scalar->name, name(scalar->dtype), defaultOf(*scalar));
  Json list = Json::array();
  for (auto &[position, parameter] : inOrder)
    list.push_back(std::move(parameter));
  return list;
}

// Of a declaration

/// Top-level integer and float constants, by name.
using Constants = std::map<std::string, const ast::Expression *>;

Json writeExpression(const ast::Expression &expression, const Constants &constants);

Json writeBinary(const ast::BinaryExpression &binary, const Constants &constants) {
  Json left = writeExpression(*binary.left, constants), right = writeExpression(*binary.right, constants);
  switch (binary.op) {
  case ast::BinaryOperator::Add:
    return operation("add", {left, right});
  case ast::BinaryOperator::Subtract:
    return operation("subtract", {left, right});
  case ast::BinaryOperator::Multiply:
    return operation("multiply", {left, right});
  case ast::BinaryOperator::Divide:
    return operation("divide", {left, right});
  case ast::BinaryOperator::Remainder:
    return operation("remainder", {left, right});
  default:
    return {{"unknown", "i64"}};
  }
}

Json writeCall(const ast::CallExpression &call, const Constants &constants) {
  const auto *callee = ast::dynAs<ast::NameExpression>(call.callee.get());
  if (!callee || call.arguments.size() != 2)
    return {{"unknown", "i64"}};
  Json left = writeExpression(*call.arguments[0], constants), right = writeExpression(*call.arguments[1], constants);
  if (callee->name == "ceildiv") // -((-a) / b)
    return operation("negate", {operation("divide", {operation("negate", {left}), right})});
  if (callee->name == "min" || callee->name == "max")
    return operation(callee->name, {left, right});
  return {{"unknown", "i64"}};
}

Json writeExpression(const ast::Expression &expression, const Constants &constants) {
  switch (expression.kind) {
  case ast::Expression::Kind::Integer:
    return ast::as<ast::IntegerExpression>(expression).value;
  case ast::Expression::Kind::Float:
    return realNumber(ast::as<ast::FloatExpression>(expression).value);
  case ast::Expression::Kind::Boolean:
    return ast::as<ast::BooleanExpression>(expression).value;
  case ast::Expression::Kind::Name: {
    const std::string &text = ast::as<ast::NameExpression>(expression).name;
    auto constant = constants.find(text);
    return constant != constants.end() ? writeExpression(*constant->second, constants) : Json{{"dim", text}};
  }
  case ast::Expression::Kind::Unary: {
    const auto &unary = ast::as<ast::UnaryExpression>(expression);
    return operation(unary.op == ast::UnaryOperator::Negate ? "negate" : "not", {writeExpression(*unary.operand, constants)});
  }
  case ast::Expression::Kind::Binary:
    return writeBinary(ast::as<ast::BinaryExpression>(expression), constants);
  case ast::Expression::Kind::Call:
    return writeCall(ast::as<ast::CallExpression>(expression), constants);
  default:
    return {{"unknown", "i64"}};
  }
}

/// The value of a scalar's default: a literal, perhaps negated, or a top-level constant; null for anything longer.
Json writeDefault(const ast::Expression *expression, const Constants &constants, int sign = 1) {
  if (!expression)
    return nullptr;
  if (const auto *integer = ast::dynAs<ast::IntegerExpression>(expression))
    return sign * static_cast<int64_t>(integer->value);
  if (const auto *real = ast::dynAs<ast::FloatExpression>(expression))
    return defaultNumber(sign * real->value);
  if (const auto *boolean = ast::dynAs<ast::BooleanExpression>(expression))
    return boolean->value;
  if (const auto *unary = ast::dynAs<ast::UnaryExpression>(expression))
    return writeDefault(unary->operand.get(), constants, -sign);
  const auto *named = ast::dynAs<ast::NameExpression>(expression);
  auto constant = named ? constants.find(named->name) : constants.end();
  return constant != constants.end() ? writeDefault(constant->second, constants, sign) : Json();
}

Json parametersOf(const ast::KernelDeclaration &declaration, const Constants &constants) {
  Json list = Json::array();
  for (const ast::Parameter &parameter : declaration.parameters) {
    if (!parameter.isView) {
      list.push_back(
          scalarEntry(parameter.name.text, textOf(parameter.dtype), writeDefault(parameter.defaultValue.get(), constants)));
      continue;
    }
    Json dimensions = Json::array();
    for (const ast::Dimension &dimension : parameter.dimensions)
      dimensions.push_back(dimensionEntry(dimension.kind, dimension.name ? dimension.name->text : std::string(),
                                          dimension.value ? writeExpression(*dimension.value, constants) : Json()));
    list.push_back(
        viewHead(parameter.name.text, parameter.access, textOf(parameter.dtype), parameter.optional, std::move(dimensions)));
  }
  return list;
}

Constants constantsOf(const ast::File &file) {
  Constants constants;
  for (const ast::DeclarationPtr &declaration : file.declarations)
    if (declaration->kind == ast::Declaration::Kind::Constant) {
      const auto &constant = ast::as<ast::ConstantDeclaration>(*declaration);
      constants[constant.name.text] = constant.value.get();
    }
  return constants;
}

} // namespace

Json launchProgram(const typed::Kernel &kernel, const KernelSignature &signature, const std::vector<LaunchAccess> &accesses,
                   const LaunchPlaces &places) {
  KernelIndices indices = collectIndices(kernel);
  Json metadata = signatureHead(signature, parametersOf(kernel, indices));
  metadata["constants"] = Json::object();
  for (const auto &[constant, value] : kernel.constants)
    metadata["constants"][constant] = value;
  metadata["dimensions"] = kernel.dimensions;
  LaunchChecks(kernel, accesses, places).addTo(metadata);
  return metadata;
}

Json signatures(const Module &module) {
  Constants constants = constantsOf(module.file());
  Json kernels = Json::array();
  for (const std::string &kernel : module.kernelNames()) {
    const KernelSignature &signature = *module.signature(kernel);
    kernels.push_back(signatureHead(signature, parametersOf(*signature.declaration, constants)));
  }
  return {{"kernels", std::move(kernels)}};
}

} // namespace tilewright::frontend
