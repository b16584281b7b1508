// A source text and positions in it.
//
// The front end (everything in this folder but EmitTile) uses the C++ standard library alone, so that `tilewright check`
// starts in milliseconds and the fuzzer's instrumented build needs no LLVM.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::frontend {

/// One file's text. Positions in it are byte offsets; `locate` turns one into a line and a column.
/// Immutable after construction, so any thread may read it.
class Source {
public:
  Source(std::string name, std::string text);

  const std::string &name() const { return fileName; }
  std::string_view text() const { return contents; }

  struct Position {
    uint32_t line;   ///< from 1
    uint32_t column; ///< from 1, counted in Unicode code points
  };
  /// The line and column of a byte offset (an offset past the end names the end).
  Position locate(uint32_t offset) const;
  /// The text of a line (from 1) without its line break.
  std::string_view line(uint32_t number) const;
  uint32_t lineCount() const { return static_cast<uint32_t>(lineStarts.size()); }

private:
  std::string fileName;
  std::string contents;
  std::vector<uint32_t> lineStarts;
};

/// Half-open byte range [begin, end) in a source. `source` is null for things the compiler made itself.
struct SourceRange {
  const Source *source = nullptr;
  uint32_t begin = 0;
  uint32_t end = 0;

  bool valid() const { return source != nullptr; }
  friend bool operator==(const SourceRange &, const SourceRange &) = default;
};

/// From the first character of `first` to the last of `last` (both in the same source).
inline SourceRange join(SourceRange first, SourceRange last) { return {first.source, first.begin, last.end}; }

} // namespace tilewright::frontend
