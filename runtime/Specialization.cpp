#include "runtime/Specialization.h"

#include "runtime/Text.h"

#include <algorithm>
#include <bit>
#include <charconv>

using namespace tilewright::runtime;

namespace {

Status invalid(std::string message) {
  return Status(TW_INVALID_ARGUMENT, std::move(message));
}

/// accum(T) → T; else "".
std::string accumulated(const std::string &dtype) {
  constexpr std::string_view prefix = "accum(";
  return dtype.starts_with(prefix) ? dtype.substr(prefix.size(), dtype.size() - prefix.size() - 1) : std::string();
}

std::optional<int64_t> parseInteger(std::string_view text) {
  int64_t value;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Sizes that tunables are chosen for. On a GPU they are told exactly, since tiles are chosen that fill the multiprocessors' rounds, and the
/// module asks for that choice. On the CPU they are powers of two, so that a batch of 17 and one of 30 share their code; and no more than the
/// choice could depend on.
int64_t hintFor(int64_t extent, bool isForGpu) {
  if (isForGpu)
    return extent;
  constexpr uint64_t largest = 4096;
  return static_cast<int64_t>(std::min(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(extent, 1))), largest));
}

} // namespace

Result<SpecializationRequest> SpecializationRequest::read(const tw_specialization *from) {
  SpecializationRequest request;
  if (!from)
    return request;
  tw_specialization known = {};
  if (from->struct_size < sizeof(size_t) || from->struct_size > 4096)
    return invalid("tw_specialization::struct_size is not set");
  std::copy_n(reinterpret_cast<const char *>(from), std::min(from->struct_size, sizeof(known)),
              reinterpret_cast<char *>(&known));
  if ((known.binding_count && !known.bindings) || (known.dimension_count && !known.dimensions))
    return invalid("tw_specialization has a count without its array");
  for (const tw_binding &binding : std::span(known.bindings, known.binding_count)) {
    if (!binding.name || !binding.value)
      return invalid("a binding lacks its name or value");
    request.bindings.emplace_back(binding.name, binding.value);
  }
  for (const tw_dimension &dimension : std::span(known.dimensions, known.dimension_count)) {
    if (!dimension.name)
      return invalid("a dimension lacks its name");
    request.dimensions.emplace_back(dimension.name, dimension.extent);
  }
  if (known.target && *known.target)
    request.target = known.target;
  if (known.schedule)
    request.schedule = known.schedule;
  request.checked = known.checked != 0;
  request.remarks = known.remarks != 0;
  return request;
}

// ---- Statics ----------------------------------------------------------------------------------------------------------------

const Statics::Value *Statics::find(const std::string &name) const {
  auto found = values.find(name);
  return found == values.end() ? nullptr : &found->second;
}

Status Statics::bindStatic(const Static &which, std::string text, std::string by) {
  if (which.kind == TW_STATIC_TYPE && std::find(which.dtypes.begin(), which.dtypes.end(), text) == which.dtypes.end())
    return invalid(concat("static ", which.name, " is ", text, " (", by, "), expected ",
                          which.dtypes.size() > 1 ? "one of " : "", joined(which.dtypes)));
  bool isBoolean = which.kind == TW_STATIC_CONSTANT && !which.dtypes.empty() && which.dtypes[0] == "bool";
  bool isInteger =
      which.kind == TW_STATIC_CONSTANT && !which.dtypes.empty() && !isBoolean && !isFloat(dtypeNamed(which.dtypes[0]));
  if (isBoolean) {
    text = text == "1" ? "true" : text == "0" ? "false" : text;
    if (text != "true" && text != "false")
      return invalid(concat("static ", which.name, " is ", text, ", expected true or false"));
  } else if (isInteger) {
    std::optional<int64_t> value = parseInteger(text);
    if (!value)
      return invalid(concat("static ", which.name, " is ", text, ", expected a number of type ", which.dtypes[0]));
    text = std::to_string(*value);
  }
  values[which.name] = {std::move(text), std::move(by)};
  return {};
}

Status Statics::bind(const std::string &name, const std::string &text) {
  if (const Static *which = signature->findStatic(name)) {
    if (find(name))
      return invalid(concat("static ", name, " is bound twice"));
    return bindStatic(*which, text, "bound by the specialization");
  }
  if (std::find(signature->tunables.begin(), signature->tunables.end(), name) == signature->tunables.end()) {
    std::vector<std::string> names = signature->tunables;
    for (const Static &which : signature->statics)
      names.push_back(which.name);
    return invalid(concat("kernel ", signature->name, " has no static or tunable ", name, suggestion(name, names)));
  }
  if (std::any_of(chosenTunables.begin(), chosenTunables.end(), [&](const NamedText &other) { return other.first == name; }))
    return invalid(concat("tunable ", name, " is bound twice"));
  std::optional<int64_t> value = parseInteger(text);
  if (!value || *value < 1)
    return invalid(concat("tunable ", name, " is ", text, ", expected a positive number"));
  chosenTunables.emplace_back(name, std::to_string(*value));
  return {};
}

Status Statics::inferFrom(const Parameter &parameter, const ViewArgument &view) {
  const Static *which = signature->findStatic(parameter.dtype);
  if (!which || which->kind != TW_STATIC_TYPE || find(which->name))
    return {};
  return bindStatic(*which, tw_dtype_name(view.dtype), "bound by " + parameter.name);
}

tw_dtype Statics::dtypeOf(const Parameter &parameter) const {
  std::string inner = accumulated(parameter.dtype);
  const std::string &name = inner.empty() ? parameter.dtype : inner;
  const Value *value = find(name);
  tw_dtype dtype = dtypeNamed(value ? value->text : name);
  return inner.empty() ? dtype : tw_dtype_accumulator(dtype);
}

Status Statics::checkDtype(const Parameter &parameter, const ViewArgument &view) const {
  tw_dtype expected = dtypeOf(parameter);
  if (expected == view.dtype || expected == TW_NO_DTYPE)
    return {};
  std::string inner = accumulated(parameter.dtype);
  const std::string &name = inner.empty() ? parameter.dtype : inner;
  const Value *value = find(name);
  return invalid(concat("parameter ", parameter.name, ": dtype is ", tw_dtype_name(view.dtype), ", expected ",
                        tw_dtype_name(expected), value ? concat(" (", name, " is ", value->text, ", ", value->by, ')') : ""));
}

Result<Statics> Statics::infer(const Signature &signature, const SpecializationRequest &request, const Arguments &arguments) {
  Statics result(signature);
  for (const auto &[name, text] : request.bindings)
    if (Status status = result.bind(name, text); !status.ok())
      return status;
  for (size_t index = 0; index < signature.parameters.size(); ++index)
    if (arguments.views[index])
      if (Status status = result.inferFrom(signature.parameters[index], *arguments.views[index]); !status.ok())
        return status;
  for (size_t index = 0; index < signature.parameters.size(); ++index)
    if (arguments.views[index])
      if (Status status = result.checkDtype(signature.parameters[index], *arguments.views[index]); !status.ok())
        return status;
  std::sort(result.chosenTunables.begin(), result.chosenTunables.end());
  return result;
}

std::map<std::string, int64_t> Statics::constants() const {
  std::map<std::string, int64_t> result;
  for (const Static &which : signature->statics) {
    if (which.kind != TW_STATIC_CONSTANT)
      continue;
    const Value *value = find(which.name);
    std::string text = value ? value->text : which.isDimension ? std::string() : which.defaultText;
    if (text == "true" || text == "false")
      result[which.name] = text == "true";
    else if (std::optional<int64_t> number = parseInteger(text))
      result[which.name] = *number;
  }
  return result;
}

Status Statics::applyTypeDefaults() {
  for (const Static &which : signature->statics)
    if (which.kind == TW_STATIC_TYPE && !find(which.name) && !which.defaultText.empty())
      if (Status status = bindStatic(which, which.defaultText, "by default"); !status.ok())
        return status;
  return {};
}

Status Statics::complete(const Dimensions &dimensions, const Arguments &arguments) {
  for (const Static &which : signature->statics) {
    if (find(which.name))
      continue;
    if (which.isDimension)
      if (const BoundDimension *dimension = dimensions.find(which.name)) {
        values[which.name] = {std::to_string(dimension->extent), dimension->by};
        continue;
      }
    if (!which.defaultText.empty()) {
      if (Status status = bindStatic(which, which.defaultText, "by default"); !status.ok())
        return status;
      continue;
    }
    // A type that only absent views have decides nothing.
    bool isUsed = false;
    for (size_t index = 0; index < signature->parameters.size(); ++index) {
      const Parameter &parameter = signature->parameters[index];
      bool mentions = parameter.dtype == which.name || accumulated(parameter.dtype) == which.name;
      isUsed |= mentions && (!parameter.isView() || arguments.views[index]);
    }
    bool mentioned = std::any_of(signature->parameters.begin(), signature->parameters.end(), [&](const Parameter &parameter) {
      return parameter.dtype == which.name || accumulated(parameter.dtype) == which.name;
    });
    if (which.kind == TW_STATIC_TYPE && mentioned && !isUsed && !which.dtypes.empty()) {
      values[which.name] = {which.dtypes[0], "unused"};
      continue;
    }
    return invalid(concat("static ", which.name, " of kernel ", signature->name, " is not bound",
                          which.kind == TW_STATIC_TYPE       ? concat(" (it may be ", joined(which.dtypes), ')')
                          : which.kind == TW_STATIC_FUNCTION ? std::string(" (it is a function: bind it to a name)")
                                                             : std::string(" (it is a constant)")));
  }
  return {};
}

std::vector<NamedText> Statics::inOrder() const {
  std::vector<NamedText> result;
  for (const Static &which : signature->statics)
    if (const Value *value = find(which.name))
      result.emplace_back(which.name, value->text);
  return result;
}

// ---- Specialization ---------------------------------------------------------------------------------------------------------

std::string Specialization::key() const {
  // Names and values are identifiers, dtypes and numbers; target and schedule come last, where nothing follows that they could
  // imitate but each other, so their length stands before them.
  std::string key = concat(kernel, checked ? "!" : "", remarks ? "?" : "", '<');
  for (const auto &[name, value] : statics)
    key += concat(name, '=', value.size(), ':', value, ',');
  key += '|';
  for (const auto &[name, value] : tunables)
    key += concat(name, '=', value, ',');
  key += '|';
  for (const std::string &name : presentViews)
    key += concat(name, ',');
  key += '|';
  for (const auto &[name, facts] : views)
    key += concat(name, ':', facts.unitStrideDimension, ':', facts.packRank, ':', facts.alignment, ':', facts.packRun, ',');
  key += '|';
  if (choice.empty())
    for (const auto &[name, value] : hints)
      key += concat(name, '=', value, ',');
  else
    key += concat(':', choice.size(), ':', choice);
  return concat(key, '>', target.size(), ':', target, schedule);
}

Result<Call> tilewright::runtime::specialize(const Signature &signature, const SpecializationRequest &request,
                                             std::span<const tw_argument> given) {
  Call call;
  Result<Arguments> arguments = Arguments::bind(signature, given, /*complete=*/true);
  if (!arguments.ok())
    return arguments.takeStatus();
  call.arguments = std::move(*arguments);
  Result<Statics> statics = Statics::infer(signature, request, call.arguments);
  if (!statics.ok())
    return statics.takeStatus();
  Result<Dimensions> dimensions = Dimensions::bind(signature, call.arguments, request.dimensions, statics->constants());
  if (!dimensions.ok())
    return dimensions.takeStatus();
  if (Status status = statics->complete(*dimensions, call.arguments); !status.ok())
    return status;

  Specialization &to = call.specialization;
  to.kernel = signature.name;
  to.target = request.target;
  to.schedule = request.schedule;
  to.checked = request.checked;
  to.remarks = request.remarks;
  to.statics = statics->inOrder();
  to.tunables = statics->tunables();
  call.views.resize(signature.parameters.size());
  for (size_t index = 0; index < signature.parameters.size(); ++index) {
    const Parameter &parameter = signature.parameters[index];
    if (!call.arguments.views[index])
      continue;
    call.views[index] =
        bindView(parameter, *call.arguments.views[index], request.isForGpu ? AlignmentClasses::Gpu : AlignmentClasses::Cpu);
    to.views.emplace_back(parameter.name, call.views[index].facts);
    if (parameter.optional)
      to.presentViews.push_back(parameter.name);
  }
  if (to.tunables.size() < signature.tunables.size())
    for (size_t index = 0; index < signature.dimensionNames.size(); ++index)
      if (const BoundDimension &dimension = dimensions->all()[index];
          dimension.bound && !signature.findStatic(signature.dimensionNames[index]))
        to.hints.emplace_back(signature.dimensionNames[index], std::to_string(hintFor(dimension.extent, request.isForGpu)));
  return call;
}

Result<std::vector<tw_view_type>> tilewright::runtime::inferViews(const Signature &signature,
                                                                  const SpecializationRequest &request,
                                                                  std::span<const tw_argument> given, const char *const *wanted,
                                                                  size_t wantedCount) {
  std::vector<bool> isWanted(signature.parameters.size());
  for (size_t index = 0; index < signature.parameters.size(); ++index)
    isWanted[index] = !wanted && signature.parameters[index].isView() && !signature.parameters[index].optional;
  for (size_t index = 0; wanted && index < wantedCount; ++index) {
    if (!wanted[index])
      return invalid("the name of a wanted view is null");
    const Parameter *parameter = signature.findParameter(wanted[index]);
    if (!parameter || !parameter->isView())
      return invalid(concat("kernel ", signature.name, " has no view ", wanted[index],
                            suggestion(wanted[index], signature.parameterNames())));
    isWanted[static_cast<size_t>(parameter - signature.parameters.data())] = true;
  }

  Result<Arguments> arguments = Arguments::bind(signature, given, /*complete=*/false);
  if (!arguments.ok())
    return arguments.takeStatus();
  Result<Statics> statics = Statics::infer(signature, request, *arguments);
  if (!statics.ok())
    return statics.takeStatus();
  if (Status status = statics->applyTypeDefaults(); !status.ok())
    return status;
  Result<Dimensions> dimensions = Dimensions::bind(signature, *arguments, request.dimensions, statics->constants());
  if (!dimensions.ok())
    return dimensions.takeStatus();

  std::vector<tw_view_type> types(signature.parameters.size());
  for (size_t index = 0; index < types.size(); ++index) {
    const Parameter &parameter = signature.parameters[index];
    tw_view_type &type = types[index];
    if (const std::optional<ViewArgument> &view = arguments->views[index]) {
      type = {1, view->dtype, view->rank, {}};
      std::copy_n(view->shape, view->rank, type.shape);
    } else if (isWanted[index]) {
      Result<std::vector<int64_t>> shape = dimensions->shapeOf(parameter);
      if (!shape.ok())
        return shape.takeStatus();
      type = {1, statics->dtypeOf(parameter), static_cast<int32_t>(shape->size()), {}};
      if (const Static *which =
              signature.findStatic(accumulated(parameter.dtype).empty() ? parameter.dtype : accumulated(parameter.dtype));
          type.dtype == TW_NO_DTYPE && which)
        return invalid(concat("parameter ", parameter.name, ": its dtype ", parameter.dtype, " is not known: bind ",
                              which->name, " (it may be ", joined(which->dtypes), ')'));
      std::copy(shape->begin(), shape->end(), type.shape);
    }
  }
  return types;
}
