#include "runtime/Signature.h"

#include "runtime/Text.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace tilewright::runtime;
using nlohmann::json;

// ---- Reading JSON -----------------------------------------------------------------------------------------------------------

static Status damaged(std::string message) {
  return Status(TW_DAMAGED_ARTIFACT, std::move(message));
}

Status tilewright::runtime::readText(const json &tree, const char *key, std::string &to) {
  auto found = tree.is_object() ? tree.find(key) : tree.end();
  if (found == tree.end() || !found->is_string())
    return damaged(concat("the metadata lacks the text \"", key, '"'));
  to = found->get<std::string>();
  return {};
}

Status tilewright::runtime::readOptionalText(const json &tree, const char *key, std::string &to) {
  auto found = tree.is_object() ? tree.find(key) : tree.end();
  if (found == tree.end() || found->is_null())
    return {};
  return readText(tree, key, to);
}

Status tilewright::runtime::readTexts(const json &tree, const char *key, std::vector<std::string> &to) {
  auto found = tree.is_object() ? tree.find(key) : tree.end();
  if (found == tree.end())
    return {};
  if (!found->is_array())
    return damaged(concat("\"", key, "\" in the metadata is not a list"));
  for (const json &element : *found) {
    if (!element.is_string())
      return damaged(concat("\"", key, "\" in the metadata is not a list of texts"));
    to.push_back(element.get<std::string>());
  }
  return {};
}

Status tilewright::runtime::readBoolean(const json &tree, const char *key, bool &to) {
  auto found = tree.is_object() ? tree.find(key) : tree.end();
  if (found == tree.end() || found->is_null())
    return {};
  if (!found->is_boolean())
    return damaged(concat("\"", key, "\" in the metadata is neither true nor false"));
  to = found->get<bool>();
  return {};
}

Status tilewright::runtime::readInteger(const json &tree, const char *key, int64_t &to) {
  auto found = tree.is_object() ? tree.find(key) : tree.end();
  if (found == tree.end() || found->is_null())
    return {};
  if (!found->is_number())
    return damaged(concat("\"", key, "\" in the metadata is not a number"));
  double real = found->is_number_float() ? found->get<double>() : 0;
  if (!(real > -0x1p62 && real < 0x1p62))
    return damaged(concat("\"", key, "\" in the metadata is out of range"));
  to = found->is_number_float() ? static_cast<int64_t>(real) : found->get<int64_t>();
  return {};
}

const json *tilewright::runtime::findArray(const json &tree, const char *key) {
  auto found = tree.is_object() ? tree.find(key) : tree.end();
  return found != tree.end() && found->is_array() ? &*found : nullptr;
}

// ---- Signature --------------------------------------------------------------------------------------------------------------

namespace {

class SignatureReader {
public:
  SignatureReader(Signature &signature) : signature(signature) {}

  Status read(const json &tree) {
    if (Status status = readText(tree, "name", signature.name); !status.ok())
      return status;
    if (Status status = readOptionalText(tree, "documentation", signature.documentation); !status.ok())
      return status;
    if (const json *statics = findArray(tree, "statics"))
      for (const json &element : *statics)
        if (Status status = readStatic(element); !status.ok())
          return status;
    const json *parameters = findArray(tree, "parameters");
    if (!parameters)
      return damaged("the metadata lacks the list \"parameters\"");
    // Names first: an expression may use one that a later view binds.
    for (const json &element : *parameters)
      if (Status status = readParameter(element); !status.ok())
        return status;
    for (const Static &constant : signature.statics)
      if (constant.kind == TW_STATIC_CONSTANT)
        dimensionNamed(constant.name);
    for (size_t index = 0; index < parameters->size(); ++index)
      if (Status status = compileDimensions((*parameters)[index], signature.parameters[index]); !status.ok())
        return status;
    return readTexts(tree, "tunables", signature.tunables);
  }

private:
  size_t dimensionNamed(const std::string &name) {
    auto &names = signature.dimensionNames;
    auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      found = names.insert(names.end(), name);
    return static_cast<size_t>(found - names.begin());
  }

  Status readStatic(const json &tree) {
    Static result;
    std::string kind;
    if (Status status = readText(tree, "name", result.name); !status.ok())
      return status;
    if (Status status = readText(tree, "kind", kind); !status.ok())
      return status;
    if (kind == "type")
      result.kind = TW_STATIC_TYPE;
    else if (kind == "function")
      result.kind = TW_STATIC_FUNCTION;
    else if (kind == "constant")
      result.kind = TW_STATIC_CONSTANT;
    else
      return damaged(concat("static ", result.name, " has the unknown kind ", kind));
    if (Status status = readTexts(tree, "dtypes", result.dtypes); !status.ok())
      return status;
    if (auto value = tree.find("default"); value != tree.end() && value->is_primitive() && !value->is_null())
      result.defaultText = value->is_string() ? value->get<std::string>() : value->dump();
    if (Status status = readBoolean(tree, "dimension", result.isDimension); !status.ok())
      return status;
    signature.statics.push_back(std::move(result));
    return {};
  }

  Status readParameter(const json &tree) {
    Parameter result;
    std::string kind;
    if (Status status = readText(tree, "name", result.name); !status.ok())
      return status;
    if (signature.findParameter(result.name))
      return damaged(concat("parameter ", result.name, " occurs twice"));
    if (Status status = readText(tree, "kind", kind); !status.ok())
      return status;
    if (Status status = readText(tree, "dtype", result.dtype); !status.ok())
      return status;
    if (kind != "view" && kind != "scalar")
      return damaged(concat("parameter ", result.name, " has the unknown kind ", kind));
    result.kind = kind == "view" ? TW_PARAMETER_VIEW : TW_PARAMETER_SCALAR;
    Status status = result.isView() ? readView(tree, result) : readScalar(tree, result);
    if (status.ok())
      signature.parameters.push_back(std::move(result));
    return status;
  }

  Status readScalar(const json &tree, Parameter &result) {
    result.scalar = signature.scalarCount++;
    auto value = tree.find("default");
    if (value == tree.end() || value->is_null())
      return {};
    Scalar scalar;
    if (value->is_boolean())
      scalar.integer = value->get<bool>();
    else if (value->is_number_integer())
      scalar.integer = value->get<int64_t>();
    else if (value->is_number_float())
      scalar = {true, 0, value->get<double>()};
    else if (value->is_string() && (*value == "inf" || *value == "-inf" || *value == "nan")) // JSON has no numbers for them
      scalar = {true, 0, std::strtod(value->get<std::string>().c_str(), nullptr)};
    else
      return damaged(concat("the default of parameter ", result.name, " is not a number"));
    result.defaultValue = scalar;
    result.optional = true;
    return {};
  }

  Status readView(const json &tree, Parameter &result) {
    std::string access;
    if (Status status = readText(tree, "access", access); !status.ok())
      return status;
    if (access == "in")
      result.access = TW_ACCESS_IN;
    else if (access == "out")
      result.access = TW_ACCESS_OUT;
    else if (access == "inout")
      result.access = TW_ACCESS_INOUT;
    else
      return damaged(concat("parameter ", result.name, " has the unknown access ", access));
    if (Status status = readBoolean(tree, "optional", result.optional); !status.ok())
      return status;
    const json *dimensions = findArray(tree, "dimensions");
    if (!dimensions || dimensions->empty() || dimensions->size() > TW_MAX_RANK + 1)
      return damaged(concat("parameter ", result.name, " has no list of dimensions"));
    for (const json &element : *dimensions)
      if (Status status = readDimension(element, result); !status.ok())
        return status;
    return {};
  }

  Status readDimension(const json &tree, Parameter &parameter) {
    Dimension result;
    std::string kind;
    if (Status status = readText(tree, "kind", kind); !status.ok())
      return status;
    if (kind == "name")
      result.kind = TW_DIMENSION_NAME;
    else if (kind == "pack")
      result.kind = TW_DIMENSION_PACK;
    else if (kind == "expression")
      result.kind = TW_DIMENSION_EXPRESSION;
    else if (kind == "definition")
      result.kind = TW_DIMENSION_DEFINITION;
    else
      return damaged(concat("a dimension of parameter ", parameter.name, " has the unknown kind ", kind));
    if (result.kind != TW_DIMENSION_EXPRESSION) {
      if (Status status = readText(tree, "name", result.name); !status.ok())
        return status;
      result.index = dimensionNamed(result.name);
    }
    result.text = result.name;
    if (result.kind == TW_DIMENSION_PACK) {
      if (parameter.packPosition != SIZE_MAX)
        return damaged(concat("parameter ", parameter.name, " has two packs"));
      parameter.packPosition = parameter.dimensions.size();
      result.text += "...";
    }
    parameter.dimensions.push_back(std::move(result));
    return {};
  }

  Status compileDimensions(const json &tree, Parameter &parameter) {
    for (size_t position = 0; position < parameter.dimensions.size(); ++position) {
      Dimension &dimension = parameter.dimensions[position];
      if (dimension.kind != TW_DIMENSION_EXPRESSION && dimension.kind != TW_DIMENSION_DEFINITION)
        continue;
      const json &element = tree["dimensions"][position];
      auto value = element.find("value");
      if (value == element.end())
        return damaged(concat("a dimension of parameter ", parameter.name, " lacks its value"));
      Result<Expression> expression = Expression::compile(*value, signature.scope());
      if (!expression.ok())
        return damaged(concat("in a dimension of parameter ", parameter.name, ": ", expression.status().message()));
      dimension.value = std::move(*expression);
      dimension.text = dimension.kind == TW_DIMENSION_EXPRESSION ? dimension.value.text()
                                                                 : concat(dimension.name, " = ", dimension.value.text());
    }
    return {};
  }

  Signature &signature;
};

} // namespace

Result<Signature> Signature::parse(const json &tree, const std::vector<std::string> &slots) {
  Signature result;
  result.dimensionNames = slots;
  if (Status status = SignatureReader(result).read(tree); !status.ok())
    return status;
  return result;
}

const Parameter *Signature::findParameter(std::string_view parameterName) const {
  for (const Parameter &parameter : parameters)
    if (parameter.name == parameterName)
      return &parameter;
  return nullptr;
}

const Static *Signature::findStatic(std::string_view staticName) const {
  for (const Static &element : statics)
    if (element.name == staticName)
      return &element;
  return nullptr;
}

std::vector<std::string> Signature::parameterNames() const {
  std::vector<std::string> names;
  for (const Parameter &parameter : parameters)
    names.push_back(parameter.name);
  return names;
}

Scope Signature::scope() const {
  Scope result;
  result.dimensions = dimensionNames;
  for (const Parameter &parameter : parameters)
    if (!parameter.isView())
      result.scalars.push_back(parameter.name);
  return result;
}
