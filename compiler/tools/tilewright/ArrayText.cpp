#include "compiler/tools/tilewright/ArrayText.h"

#include "compiler/tools/tilewright/CommandError.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace tilewright::tools {
namespace {

constexpr const char *blanks = " \t\n";

/// Reads nested lists. All lists of one depth have one length.
class ListReader {
public:
  ListReader(std::string text, std::string name) : text(std::move(text)), name(std::move(name)) {}

  void read() {
    readList(0);
    skipBlanks();
    if (position != text.size())
      fail("expected nothing after the last `]`");
    shape.resize(std::max<size_t>(depth, 1));
  }

  std::vector<int64_t> shape;
  std::vector<std::string> elements;

private:
  [[noreturn]] void fail(const std::string &reason) const {
    std::string rest = text.substr(position, 20);
    throw usageError("--in " + name + ": " + reason + ", found " + (rest.empty() ? "the end of the text" : "'" + rest + "'"),
                     "an array is written 'x=[[1, 2], [3, 4]]'");
  }

  void skipBlanks() { position = std::min(text.find_first_not_of(blanks, position), text.size()); }

  bool accept(char wanted) {
    skipBlanks();
    if (position == text.size() || text[position] != wanted)
      return false;
    ++position;
    return true;
  }

  void readList(size_t level) {
    if (level >= maxDepth)
      fail("a view has up to " + std::to_string(maxDepth) + " dimensions");
    size_t begin = position;
    accept('[');
    int64_t length = 0;
    if (!accept(']')) {
      do {
        readItem(level);
        ++length;
      } while (accept(','));
      if (!accept(']'))
        fail("expected `,` or `]`");
    }
    if (shape.size() <= level)
      shape.resize(level + 1, -1);
    if (shape[level] >= 0 && shape[level] != length) {
      position = begin;
      fail("lists of one depth have one length, here " + std::to_string(shape[level]) + " and " + std::to_string(length));
    }
    shape[level] = length;
    // Lists without items end where they stand; what lies deeper can have no elements.
    depth = std::max(depth, level + 1);
  }

  void readItem(size_t level) {
    skipBlanks();
    bool isList = position < text.size() && text[position] == '[';
    if (isList && leafLevel == level)
      fail("expected a number beside numbers");
    if (isList)
      return readList(level + 1);
    if (leafLevel && leafLevel != level)
      fail("expected numbers at one depth");
    if (depth > level + 1)
      fail("expected a list beside lists");
    leafLevel = level;
    size_t end = std::min(text.find_first_of(",] \t\n", position), text.size());
    if (end == position)
      fail("expected a number");
    elements.push_back(text.substr(position, end - position));
    position = end;
  }

  static constexpr size_t maxDepth = 5;
  std::string text, name;
  size_t position = 0, depth = 0;
  std::optional<size_t> leafLevel;
};

void setElement(Tensor &tensor, size_t index, const std::string &text, const std::string &name) {
  Scalar value = parseNumber("--in " + name + ":", text);
  std::byte *element = tensor.memory.data() + index * byteWidth(tensor.dtype);
  if (isFloat(tensor.dtype)) {
    double real = value.isInteger ? static_cast<double>(value.integer) : value.real;
    return convert(DType::F64, &real, tensor.dtype, element, 1);
  }
  if (!value.isInteger)
    throw usageError("--in " + name + ": " + text + " is not a value of " + tools::name(tensor.dtype));
  convert(DType::I64, &value.integer, tensor.dtype, element, 1);
  int64_t kept = 0;
  convert(tensor.dtype, element, DType::I64, &kept, 1);
  if (kept != value.integer)
    throw usageError("--in " + name + ": " + text + " is not a value of " + tools::name(tensor.dtype));
}

template <typename Number> std::string shortest(Number value) {
  if (std::isnan(value))
    return "nan"; // its sign means nothing
  char buffer[64];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

std::string elementText(const Tensor &tensor, const std::byte *element) {
  if (tensor.dtype == DType::F64) {
    double value = 0;
    std::memcpy(&value, element, sizeof value);
    return shortest(value);
  }
  if (isFloat(tensor.dtype)) {
    float value = 0;
    convert(tensor.dtype, element, DType::F32, &value, 1);
    return shortest(value);
  }
  int64_t value = 0;
  convert(tensor.dtype, element, DType::I64, &value, 1);
  return tensor.dtype == DType::Bool ? (value ? "true" : "false") : std::to_string(value);
}

/// The part of the array from dimension `level` on, at `offset` elements. Lists of lists begin a line for each.
std::string listText(const Tensor &tensor, size_t level, int64_t offset, size_t indentation) {
  if (level == tensor.arrayShape.size())
    return elementText(tensor, tensor.memory.data() + offset * static_cast<int64_t>(byteWidth(tensor.dtype)));
  bool isInnermost = level + 1 == tensor.arrayShape.size();
  std::string separator = isInnermost ? ", " : ",\n" + std::string(indentation + 1, ' ');
  std::string result = "[";
  for (int64_t n = 0; n < tensor.arrayShape[level]; ++n)
    result += (n ? separator : "") + listText(tensor, level + 1, offset + n * tensor.arrayStrides[level], indentation + 1);
  return result + "]";
}

} // namespace

bool isArrayText(const std::string &text) {
  return text.starts_with('[');
}

Tensor tensorOfText(const std::string &text, std::optional<DType> wanted, const std::string &name) {
  size_t close = text.rfind(']');
  size_t colon = close == std::string::npos ? close : text.find(':', close);
  std::optional<DType> dtype = wanted;
  if (colon != std::string::npos) {
    dtype = dtypeNamed(text.substr(colon + 1));
    if (!dtype)
      throw usageError("--in " + name + ": unknown dtype '" + text.substr(colon + 1) + "'");
  }
  if (!dtype)
    throw usageError("--in " + name + ": the kernel leaves the dtype of `" + name + "` open", "say it: '" + name + "=[…]:f32'");
  ListReader reader(text.substr(0, colon), name);
  reader.read();
  Tensor tensor(*dtype, reader.shape);
  for (size_t n = 0; n < reader.elements.size(); ++n)
    setElement(tensor, n, reader.elements[n], name);
  return tensor;
}

std::string textOfTensor(const Tensor &tensor, const std::string &name) {
  std::string head = name + " = ";
  return head + listText(tensor, 0, 0, head.size()) + "\n";
}

} // namespace tilewright::tools
