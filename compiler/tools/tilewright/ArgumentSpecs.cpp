#include "compiler/tools/tilewright/ArgumentSpecs.h"

#include "compiler/tools/tilewright/CommandError.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>

namespace tilewright::tools {
namespace {

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1)
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

bool isName(const std::string &text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9'))
    return false;
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
}

std::string dtypeList() {
  std::string list;
  for (DType dtype : allDTypes())
    list += (list.empty() ? "" : " ") + name(dtype);
  return list;
}

} // namespace

std::pair<std::string, std::string> parseAssignment(const std::string &option, const std::string &text) {
  size_t equals = text.find('=');
  std::string left = text.substr(0, equals);
  if (equals == std::string::npos || !isName(left) || equals + 1 == text.size())
    throw usageError(option + " expects NAME=VALUE, found '" + text + "'");
  return {left, text.substr(equals + 1)};
}

std::vector<std::pair<std::string, std::string>> parseAssignments(const std::string &option, const std::string &text) {
  std::vector<std::pair<std::string, std::string>> assignments;
  for (const std::string &part : split(text, ','))
    assignments.push_back(parseAssignment(option, part));
  return assignments;
}

FileSpec parseFileSpec(const std::string &text) {
  size_t colon = text.rfind(':');
  if (colon == std::string::npos)
    return {text, std::nullopt};
  std::string suffix = text.substr(colon + 1);
  if (std::optional<DType> dtype = dtypeNamed(suffix))
    return {text.substr(0, colon), dtype};
  // A path may hold a colon; after `.npy` it can only be meant as a suffix.
  if (text.substr(0, colon).ends_with(".npy"))
    throw usageError("unknown dtype '" + suffix + "' in '" + text + "'", "the dtypes are " + dtypeList());
  return {text, std::nullopt};
}

RandomSpec parseRandomSpec(const std::string &text) {
  auto [left, value] = parseAssignment("--random", text);
  size_t open = value.find('['), close = value.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open)
    throw usageError("--random expects NAME=DTYPE[SIZE,…]:SEED, found '" + text + "'",
                     "for example: --random x=f32[512,256]:1");

  RandomSpec spec{left, DType::F32, {}, 0};
  std::optional<DType> dtype = dtypeNamed(value.substr(0, open));
  if (!dtype)
    throw usageError("unknown dtype '" + value.substr(0, open) + "' in --random '" + text + "'",
                     "the dtypes are " + dtypeList());
  spec.dtype = *dtype;

  std::string sizes = value.substr(open + 1, close - open - 1);
  int64_t bytes = byteWidth(spec.dtype);
  for (const std::string &size : sizes.empty() ? std::vector<std::string>() : split(sizes, ',')) {
    int64_t extent = parseInteger("--random " + left, size);
    if (extent < 0)
      throw usageError("--random " + left + " has a negative size, " + size);
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes))
      throw usageError("--random " + left + " is larger than any memory: " + text);
    spec.shape.push_back(extent);
  }

  std::string rest = value.substr(close + 1);
  if (!rest.empty()) {
    if (rest[0] != ':')
      throw usageError("--random expects `:SEED` after `]`, found '" + rest + "'");
    spec.seed = static_cast<uint64_t>(parseInteger("--random " + left + "'s seed", rest.substr(1)));
  }
  return spec;
}

Scalar parseScalar(const std::string &parameter, const std::string &text) {
  return parseNumber("`" + parameter + "` is a scalar, and", text);
}

Scalar parseNumber(const std::string &subject, const std::string &text) {
  if (text == "true" || text == "false")
    return {true, text == "true"};
  char *end = nullptr;
  errno = 0;
  bool isHexadecimal = text.find("0x") <= 1;
  int64_t integer = std::strtoll(text.c_str(), &end, isHexadecimal ? 16 : 10);
  if (*end == '\0' && errno == 0)
    return {true, integer};
  bool isOutOfRange = *end == '\0';
  double real = std::strtod(text.c_str(), &end);
  if (*end != '\0' || isOutOfRange)
    throw usageError(subject + " '" + text + "' is " + (isOutOfRange ? "no i64" : "no number"));
  return {false, 0, real};
}

std::vector<Slice> parseSlices(const std::string &text) {
  std::vector<Slice> slices;
  for (const std::string &part : split(text, ',')) {
    std::vector<std::string> fields = split(part, ':');
    if (fields.size() < 2 || fields.size() > 3)
      throw usageError("--slice expects START:STOP:STEP for each dimension, found '" + part + "'",
                       "`:` takes all of a dimension");
    Slice slice;
    if (!fields[0].empty())
      slice.start = parseInteger("--slice", fields[0]);
    if (!fields[1].empty())
      slice.stop = parseInteger("--slice", fields[1]);
    if (fields.size() == 3 && !fields[2].empty())
      slice.step = parseInteger("--slice", fields[2]);
    if (slice.step == 0)
      throw usageError("--slice has a step of 0 in '" + part + "'");
    slices.push_back(slice);
  }
  return slices;
}

std::vector<int64_t> parsePermutation(const std::string &text) {
  std::vector<int64_t> order;
  for (const std::string &part : split(text, ','))
    order.push_back(parseInteger("--transpose", part));
  std::vector<bool> seen(order.size());
  for (int64_t dimension : order) {
    if (dimension < 0 || dimension >= static_cast<int64_t>(order.size()) || seen[static_cast<size_t>(dimension)])
      throw usageError("--transpose expects each dimension once, from 0, found '" + text + "'");
    seen[static_cast<size_t>(dimension)] = true;
  }
  return order;
}

int64_t parseInteger(const std::string &what, const std::string &text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    throw usageError(what + " expects a whole number, found '" + text + "'");
  return value;
}

} // namespace tilewright::tools
