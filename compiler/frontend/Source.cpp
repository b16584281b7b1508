#include "compiler/frontend/Source.h"

#include <algorithm>
#include <utility>

namespace tilewright::frontend {

namespace {

constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";

bool isContinuationByte(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// Code points, counted by their first bytes (so invalid UTF-8 gets columns too).
uint32_t countCodePoints(std::string_view text) {
  auto count = std::count_if(text.begin(), text.end(), [](char byte) { return !isContinuationByte(byte); });
  return static_cast<uint32_t>(count);
}

/// The offset of each line's first character; a byte order mark is no character of line 1.
std::vector<uint32_t> findLineStarts(std::string_view text) {
  std::vector<uint32_t> starts = {static_cast<uint32_t>(text.starts_with(byteOrderMark) ? byteOrderMark.size() : 0)};
  for (size_t offset = text.find('\n'); offset != std::string_view::npos; offset = text.find('\n', offset + 1))
    starts.push_back(static_cast<uint32_t>(offset + 1));
  return starts;
}

} // namespace

Source::Source(std::string name, std::string text)
    : fileName(std::move(name)), contents(std::move(text)), lineStarts(findLineStarts(contents)) {}

Source::Position Source::locate(uint32_t offset) const {
  offset = std::min(offset, static_cast<uint32_t>(contents.size()));
  auto after = std::upper_bound(lineStarts.begin() + 1, lineStarts.end(), offset);
  uint32_t start = std::min(*(after - 1), offset);
  std::string_view before = text().substr(start, offset - start);
  return {static_cast<uint32_t>(after - lineStarts.begin()), 1 + countCodePoints(before)};
}

std::string_view Source::line(uint32_t number) const {
  if (number == 0 || number > lineCount())
    return {};
  size_t begin = lineStarts[number - 1];
  size_t end = number < lineCount() ? lineStarts[number] - 1 : contents.size();
  if (end > begin && contents[end - 1] == '\r')
    --end;
  return text().substr(begin, end - begin);
}

} // namespace tilewright::frontend
