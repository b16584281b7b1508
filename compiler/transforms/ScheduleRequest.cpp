#include "compiler/transforms/ScheduleRequest.h"

#include <charconv>

namespace tilewright {

namespace {

std::optional<int64_t> numberIn(std::string_view text) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0 ? std::optional(number) : std::nullopt;
}

template <typename Value> bool set(std::optional<Value> &field, std::optional<Value> value) {
  if (field || !value)
    return false;
  field = value;
  return true;
}

bool setField(ScheduleRequest &request, std::string_view name, std::string_view value) {
  if (name == "groups")
    return set(request.groups, numberIn(value));
  if (name == "warps")
    return set(request.warps, numberIn(value));
  if (name == "stages")
    return set(request.stages, numberIn(value));
  if (name == "registers") {
    size_t slash = value.find('/');
    if (slash == std::string_view::npos)
      return false;
    std::optional<int64_t> feeding = numberIn(value.substr(0, slash)), others = numberIn(value.substr(slash + 1));
    return feeding && others && set(request.registers, std::optional(std::pair(*feeding, *others)));
  }
  if (name == "vectors" && (value == "prepared" || value == "loaded"))
    return set(request.preparesVectors, std::optional(value == "prepared"));
  if (name == "overlap" && (value == "none" || value == "delayed" || value == "turns"))
    return set(request.overlap, std::optional(std::string(value)));
  if (name == "split")
    return set(request.split, numberIn(value));
  if (name == "raster")
    return set(request.raster, numberIn(value));
  if (name == "store" && (value == "tensor" || value == "registers"))
    return set(request.storesFromRegisters, std::optional(value == "registers"));
  return false;
}

} // namespace

std::optional<ScheduleRequest> ScheduleRequest::parse(std::string_view text, std::string &why) {
  ScheduleRequest request;
  if (text == "plain") {
    request.isPlain = true;
    return request;
  }
  for (std::string_view rest = text; !rest.empty();) {
    size_t comma = rest.find(',');
    std::string_view field = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    size_t equals = field.find('=');
    if (equals == std::string_view::npos || !setField(request, field.substr(0, equals), field.substr(equals + 1))) {
      why = "`" + std::string(field) + "` is no field of a schedule, or stands there twice (groups=1, warps=4, stages=4, registers=24/240, vectors=prepared, overlap=turns, split=4, raster=16, store=tensor; or `plain` alone)";
      return std::nullopt;
    }
  }
  return request;
}

} // namespace tilewright
