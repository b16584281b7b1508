#include "runtime/Dimensions.h"

#include "runtime/Text.h"

#include <algorithm>
#include <numeric>

using namespace tilewright::runtime;

namespace {

/// Walks the declared dimensions of a view beside those it was given: calls visit(dimension, extents that stand for it).
template <typename Visit> Status forEachDimension(const Parameter &parameter, const ViewArgument &view, Visit visit) {
  size_t given = 0;
  for (const Dimension &dimension : parameter.dimensions) {
    size_t count = dimension.kind == TW_DIMENSION_PACK ? static_cast<size_t>(view.rank) + 1 - parameter.dimensions.size() : 1;
    if (Status status = visit(dimension, std::span<const int64_t>(view.shape + given, count)); !status.ok())
      return status;
    given += count;
  }
  return {};
}

int64_t product(std::span<const int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t(1), std::multiplies<>());
}

Status mismatch(const std::string &parameter, const std::string &dimension, int64_t found, int64_t expected,
                const std::string &reason) {
  return Status(TW_INVALID_SHAPE, concat("parameter ", parameter, ": dimension ", dimension, " is ", found, ", expected ",
                                         expected, " (", reason, ')'));
}

} // namespace

Status Dimensions::bindNumber(const std::string &name, int64_t extent, const char *by) {
  auto found = std::find(signature->dimensionNames.begin(), signature->dimensionNames.end(), name);
  if (found == signature->dimensionNames.end())
    return Status(TW_INVALID_ARGUMENT,
                  concat("kernel ", signature->name, " has no dimension ", name, suggestion(name, signature->dimensionNames)));
  BoundDimension &dimension = bound[static_cast<size_t>(found - signature->dimensionNames.begin())];
  if (dimension.bound && dimension.extent != extent)
    return Status(TW_INVALID_ARGUMENT, concat("dimension ", name, " is given as ", extent, " and as ", dimension.extent));
  dimension.bound = true;
  dimension.extent = extent;
  dimension.by = by;
  return {};
}

Status Dimensions::bindView(const Parameter &parameter, const ViewArgument &view) {
  return forEachDimension(parameter, view, [&](const Dimension &dimension, std::span<const int64_t> extents) -> Status {
    if (dimension.kind != TW_DIMENSION_NAME && dimension.kind != TW_DIMENSION_PACK)
      return {};
    BoundDimension &known = bound[dimension.index];
    int64_t extent = product(extents);
    if (known.bound && known.extent != extent)
      return mismatch(parameter.name, dimension.text, extent, known.extent, known.by);
    if (!known.bound) {
      known.bound = true;
      known.extent = extent;
      known.by = "bound by " + parameter.name;
    }
    if (dimension.kind == TW_DIMENSION_PACK && !known.hasPackShape) {
      known.packShape.assign(extents.begin(), extents.end());
      known.hasPackShape = true;
    }
    return {};
  });
}

bool Dimensions::isComputable(const Expression &expression) const {
  return std::all_of(expression.dimensions().begin(), expression.dimensions().end(),
                     [&](size_t index) { return bound[index].bound; }) &&
         std::all_of(expression.scalars().begin(), expression.scalars().end(),
                     [&](size_t index) { return scalars[index].has_value(); });
}

/// Definitions may use each other, so they are tried until none is left that can be computed.
Status Dimensions::bindDefinitions() {
  for (bool progress = true; progress;) {
    progress = false;
    for (const Parameter &parameter : signature->parameters)
      for (const Dimension &dimension : parameter.dimensions) {
        if (dimension.kind != TW_DIMENSION_DEFINITION || bound[dimension.index].bound || !isComputable(dimension.value))
          continue;
        Result<int64_t> extent = evaluate(dimension.value);
        if (!extent.ok())
          return extent.takeStatus();
        BoundDimension &known = bound[dimension.index];
        known.bound = true;
        known.extent = *extent;
        known.by = "defined by " + parameter.name;
        progress = true;
      }
  }
  return {};
}

Result<int64_t> Dimensions::evaluate(const Expression &expression) const {
  std::vector<int64_t> extents;
  for (const BoundDimension &dimension : bound)
    extents.push_back(dimension.extent);
  std::vector<Interval> numbers;
  for (const std::optional<Scalar> &scalar : scalars)
    numbers.push_back(Interval::of(scalar.value_or(Scalar())));
  for (size_t index : expression.dimensions())
    if (!bound[index].bound)
      return Status(TW_INVALID_SHAPE, concat("dimension ", expression.text(), " needs ", signature->dimensionNames[index],
                                             ", which no given view binds"));
  for (size_t index : expression.scalars())
    if (!scalars[index])
      return Status(TW_INVALID_ARGUMENT, concat("dimension ", expression.text(), " needs the scalar ",
                                                signature->scope().scalars[index], ", which is not given"));
  Interval value = expression.evaluate({extents.data(), numbers.data()});
  if (value.isReal || !value.isExact())
    return Status(TW_INVALID_SHAPE, concat("dimension ", expression.text(), " has no exact value"));
  return value.low;
}

Status Dimensions::checkComputed(const Parameter &parameter, const ViewArgument &view) const {
  return forEachDimension(parameter, view, [&](const Dimension &dimension, std::span<const int64_t> extents) -> Status {
    if (dimension.kind != TW_DIMENSION_EXPRESSION && dimension.kind != TW_DIMENSION_DEFINITION)
      return {};
    Result<int64_t> expected = evaluate(dimension.value);
    if (!expected.ok())
      return expected.takeStatus();
    if (*expected == extents[0])
      return {};
    std::string reason;
    for (size_t index : dimension.value.dimensions())
      reason += concat(reason.empty() ? "" : ", ", signature->dimensionNames[index], " is ", bound[index].extent, ", ",
                       bound[index].by);
    return mismatch(parameter.name, dimension.text, extents[0], *expected, reason.empty() ? "as declared" : reason);
  });
}

Result<Dimensions> Dimensions::bind(const Signature &signature, const Arguments &arguments,
                                    const std::vector<std::pair<std::string, int64_t>> &given,
                                    const std::map<std::string, int64_t> &constants) {
  Dimensions result(signature);
  result.scalars = arguments.scalars;
  for (const auto &[name, value] : constants)
    if (Status status = result.bindNumber(name, value, "bound by the specialization"); !status.ok())
      return status;
  for (const auto &[name, extent] : given) {
    if (extent < 0)
      return Status(TW_INVALID_SHAPE, concat("dimension ", name, " is ", extent, ", which is negative"));
    if (Status status = result.bindNumber(name, extent, "given explicitly"); !status.ok())
      return status;
  }
  for (size_t index = 0; index < signature.parameters.size(); ++index)
    if (arguments.views[index])
      if (Status status = result.bindView(signature.parameters[index], *arguments.views[index]); !status.ok())
        return status;
  if (Status status = result.bindDefinitions(); !status.ok())
    return status;
  for (size_t index = 0; index < signature.parameters.size(); ++index)
    if (arguments.views[index])
      if (Status status = result.checkComputed(signature.parameters[index], *arguments.views[index]); !status.ok())
        return status;
  return result;
}

const BoundDimension *Dimensions::find(std::string_view name) const {
  auto found = std::find(signature->dimensionNames.begin(), signature->dimensionNames.end(), name);
  if (found == signature->dimensionNames.end())
    return nullptr;
  const BoundDimension &dimension = bound[static_cast<size_t>(found - signature->dimensionNames.begin())];
  return dimension.bound ? &dimension : nullptr;
}

Result<std::vector<int64_t>> Dimensions::shapeOf(const Parameter &parameter) const {
  std::vector<int64_t> shape;
  for (const Dimension &dimension : parameter.dimensions) {
    if (dimension.kind == TW_DIMENSION_EXPRESSION) {
      Result<int64_t> extent = evaluate(dimension.value);
      if (!extent.ok())
        return extent.takeStatus();
      shape.push_back(*extent);
    } else if (const BoundDimension &known = bound[dimension.index]; !known.bound) {
      if (dimension.kind == TW_DIMENSION_DEFINITION)
        if (Result<int64_t> extent = evaluate(dimension.value); !extent.ok())
          return extent.takeStatus(); // says what it lacks
      return Status(TW_INVALID_SHAPE, concat("parameter ", parameter.name, ": dimension ", dimension.name,
                                             " is not bound by any given view (give its extent)"));
    } else if (dimension.kind == TW_DIMENSION_PACK && known.hasPackShape) {
      shape.insert(shape.end(), known.packShape.begin(), known.packShape.end());
    } else {
      shape.push_back(known.extent);
    }
    if (!shape.empty() && shape.back() < 0)
      return Status(TW_INVALID_SHAPE, concat("parameter ", parameter.name, ": dimension ", dimension.text, " is ", shape.back(),
                                             ", which is negative"));
  }
  if (shape.empty())
    shape.push_back(1); // M... alone, bound by a view without rows
  if (shape.size() > TW_MAX_RANK)
    return Status(TW_INVALID_SHAPE,
                  concat("parameter ", parameter.name, ": has rank ", shape.size(), ", of at most ", TW_MAX_RANK));
  return shape;
}
