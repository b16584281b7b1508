// SIGNATURE (see compiler_c.h): what a kernel takes. The compiler describes a kernel that is not specialized yet with one, and
// an artifact begins with one, where every dtype is resolved.
#pragma once

#include "runtime/Expression.h"
#include "runtime/Status.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tilewright::runtime {

/// One dimension of a view as declared; `M...` is one.
struct Dimension {
  tw_dimension_kind kind = TW_DIMENSION_NAME;
  std::string name; ///< "" for an expression
  size_t index = 0; ///< of `name` in Signature::dimensionNames; not for an expression
  Expression value; ///< of an expression or definition, over Signature's scope
  std::string text;
};

struct Parameter {
  std::string name;
  tw_parameter_kind kind = TW_PARAMETER_VIEW;
  std::string dtype; ///< "f32", "T", "accum(T)"

  // A view.
  tw_access access = TW_ACCESS_IN;
  bool optional = false;
  std::vector<Dimension> dimensions;
  size_t packPosition = SIZE_MAX; ///< which dimension is M..., if any

  // A scalar.
  size_t scalar = 0; ///< its position among the scalars
  std::optional<Scalar> defaultValue;

  bool isView() const { return kind == TW_PARAMETER_VIEW; }
  bool isWritten() const { return isView() && access != TW_ACCESS_IN; }
};

struct Static {
  std::string name;
  tw_static_kind kind = TW_STATIC_TYPE;
  std::vector<std::string> dtypes;
  std::string defaultText; ///< "" if it has none
  bool isDimension = false;
};

struct Signature {
  std::string name;
  std::string documentation;
  std::vector<Static> statics;
  std::vector<Parameter> parameters;
  std::vector<std::string> tunables;
  /// Every name that can be bound from shapes, constants that name dimensions included. Names of other constants come after
  /// them: expressions read both alike.
  std::vector<std::string> dimensionNames;
  size_t scalarCount = 0;

  /// `dimensionNames` starts with `slots` (an artifact's run-time extents), then has whatever else occurs.
  static Result<Signature> parse(const nlohmann::json &tree, const std::vector<std::string> &slots = {});

  const Parameter *findParameter(std::string_view parameterName) const;
  const Static *findStatic(std::string_view staticName) const;
  std::vector<std::string> parameterNames() const;
  Scope scope() const; ///< of expressions over dimensions and scalars
};

/// A member of a JSON object, or TW_DAMAGED_ARTIFACT: for reading what the compiler wrote without exceptions.
Status readText(const nlohmann::json &tree, const char *key, std::string &to);
Status readOptionalText(const nlohmann::json &tree, const char *key, std::string &to);
Status readTexts(const nlohmann::json &tree, const char *key, std::vector<std::string> &to);
Status readBoolean(const nlohmann::json &tree, const char *key, bool &to);    ///< absent: unchanged
Status readInteger(const nlohmann::json &tree, const char *key, int64_t &to); ///< absent: unchanged
const nlohmann::json *findArray(const nlohmann::json &tree, const char *key); ///< null if it is absent or no array

} // namespace tilewright::runtime
