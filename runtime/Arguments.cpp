#include "runtime/Arguments.h"

#include "runtime/Text.h"

#include <algorithm>
#include <cstdlib>

using namespace tilewright::runtime;

int64_t ViewArgument::elements() const {
  int64_t product = 1;
  for (int dimension = 0; dimension < rank; ++dimension)
    product *= shape[dimension];
  return product;
}

std::string tilewright::runtime::shapeText(const ViewArgument &view) {
  std::string text = "[";
  for (int dimension = 0; dimension < view.rank; ++dimension)
    text += concat(dimension ? ", " : "", view.shape[dimension]);
  return text + "]";
}

static Status invalid(const std::string &parameter, std::string_view what) {
  return Status(TW_INVALID_ARGUMENT, concat("parameter ", parameter, ": ", what));
}

/// Offsets are computed in 64 bits on every side, so no view may span more than that.
static bool isAddressable(const ViewArgument &view) {
  constexpr __int128 limit = INT64_MAX / 4;
  __int128 elements = 1, reach = 0;
  for (int dimension = 0; dimension < view.rank; ++dimension) {
    int64_t extent = std::max<int64_t>(view.shape[dimension], 1);
    elements *= extent;
    __int128 stride = view.strides[dimension];
    reach += (stride < 0 ? -stride : stride) * (extent - 1);
    if (elements > limit || reach * static_cast<__int128>(tw_dtype_bytes(view.dtype)) > limit)
      return false;
  }
  return true;
}

static Status checkRank(const Parameter &parameter, const ViewArgument &view) {
  size_t declared = parameter.dimensions.size();
  bool pack = parameter.packPosition != SIZE_MAX;
  size_t rank = static_cast<size_t>(view.rank);
  if (pack ? rank + 1 >= declared : rank == declared)
    return {};
  std::string dimensions;
  for (const Dimension &dimension : parameter.dimensions)
    dimensions += (dimensions.empty() ? "" : ", ") + dimension.text;
  return Status(TW_INVALID_SHAPE, concat("parameter ", parameter.name, ": rank is ", rank, ", expected ",
                                         pack ? "at least " : "", declared - pack, " for [", dimensions, "]"));
}

static Status bindView(const Parameter &parameter, const tw_argument &given, ViewArgument &view) {
  if (given.kind != TW_ARGUMENT_VIEW)
    return invalid(parameter.name, "is a view, and was given a number");
  if (tw_dtype_bytes(given.dtype) == 0)
    return invalid(parameter.name, concat("there is no dtype number ", static_cast<int>(given.dtype)));
  if (given.rank < 1 || given.rank > TW_MAX_RANK)
    return invalid(parameter.name, concat("rank is ", given.rank, ", expected 1 to ", TW_MAX_RANK));
  if (given.alignment < 0 || (given.alignment & (given.alignment - 1)) != 0)
    return invalid(parameter.name, concat("alignment ", given.alignment, " is not a power of two"));
  if (given.memory < 0)
    return invalid(parameter.name, concat("there is no memory number ", given.memory, " (TW_MEMORY_HOST, …)"));
  if (given.alignment && reinterpret_cast<uintptr_t>(given.data) % static_cast<uintptr_t>(given.alignment) != 0)
    return invalid(parameter.name,
                   concat("the address is not a multiple of the ", given.alignment, " bytes that are promised"));
  view.data = given.data;
  view.dtype = given.dtype;
  view.rank = given.rank;
  view.alignment = given.alignment;
  view.memory = given.memory;
  std::copy_n(given.shape, given.rank, view.shape);
  std::copy_n(given.strides, given.rank, view.strides);
  for (int dimension = 0; dimension < view.rank; ++dimension)
    if (view.shape[dimension] < 0)
      return Status(TW_INVALID_SHAPE,
                    concat("parameter ", parameter.name, ": shape ", shapeText(view), " has a negative extent"));
  if (!isAddressable(view))
    return Status(TW_INVALID_SHAPE,
                  concat("parameter ", parameter.name, ": shape ", shapeText(view), " spans more than 64-bit addresses can"));
  return checkRank(parameter, view);
}

static Status bindScalar(const Parameter &parameter, const tw_argument &given, std::optional<Scalar> &scalar) {
  if (given.kind != TW_ARGUMENT_INTEGER && given.kind != TW_ARGUMENT_REAL)
    return invalid(parameter.name, "is a scalar, and was given a view");
  bool isReal = given.kind == TW_ARGUMENT_REAL;
  scalar = isReal ? Scalar{true, 0, given.real} : Scalar{false, given.integer, 0};
  // A generic dtype is known, and checked again, when the kernel is specialized.
  tw_dtype dtype = dtypeNamed(parameter.dtype);
  if (dtype == TW_NO_DTYPE || encode(*scalar, dtype))
    return {};
  return invalid(parameter.name,
                 concat(isReal ? concat(given.real) : std::to_string(given.integer), " is not a value of ", parameter.dtype));
}

Result<Arguments> Arguments::bind(const Signature &signature, std::span<const tw_argument> given, bool complete) {
  Arguments result;
  result.views.resize(signature.parameters.size());
  result.scalars.resize(signature.scalarCount);
  for (const tw_argument &argument : given) {
    if (!argument.parameter)
      return Status(TW_INVALID_ARGUMENT, "an argument does not name its parameter");
    const Parameter *parameter = signature.findParameter(argument.parameter);
    if (!parameter)
      return Status(TW_INVALID_ARGUMENT, concat("kernel ", signature.name, " has no parameter ", argument.parameter,
                                                suggestion(argument.parameter, signature.parameterNames())));
    auto &view = result.views[static_cast<size_t>(parameter - signature.parameters.data())];
    if (parameter->isView() ? view.has_value() : result.scalars[parameter->scalar].has_value())
      return invalid(parameter->name, "is given twice");
    Status status = parameter->isView() ? bindView(*parameter, argument, view.emplace())
                                        : bindScalar(*parameter, argument, result.scalars[parameter->scalar]);
    if (!status.ok())
      return status;
  }
  for (size_t index = 0; index < signature.parameters.size(); ++index) {
    const Parameter &parameter = signature.parameters[index];
    if (!parameter.isView() && !result.scalars[parameter.scalar])
      result.scalars[parameter.scalar] = parameter.defaultValue;
    bool there = parameter.isView() ? result.views[index].has_value() : result.scalars[parameter.scalar].has_value();
    if (complete && !there && !parameter.optional)
      return invalid(parameter.name, concat("is missing (kernel ", signature.name, " needs this ",
                                            parameter.isView() ? "view" : "scalar", ")"));
  }
  return result;
}
