// Collecting and printing diagnostics.
//
//   gemm.tile:4:11: error: expected an expression, found `;`
//     4 |   let x = ;
//       |           ^
//   gemm.tile:2:3: note: …
//   hint: …
//
// A source line is printed as cells, one for each code point: tabs become spaces up to the next multiple of eight, and what a
// terminal should not be sent (control characters, invalid UTF-8) becomes U+FFFD. A line too long to read is cut around the
// caret.
#include "compiler/frontend/Diagnostics.h"

#include <algorithm>
#include <numeric>

namespace tilewright::frontend {

// --------------------------------------------------------------------------------------------------------------------
// Collecting
// --------------------------------------------------------------------------------------------------------------------

Diagnostic &Diagnostics::add(Severity severity, SourceRange where, std::string message) {
  Diagnostic fresh{severity, where, std::move(message), {}, {}};
  bool duplicate = std::any_of(kept.begin(), kept.end(), [&](const Diagnostic &other) {
    return other.severity == severity && other.where == where && other.message == fresh.message;
  });
  bool overLimit = severity == Severity::Error && errors >= errorLimit;
  if (severity == Severity::Error && !duplicate)
    ++errors;
  Diagnostic &slot = duplicate || overLimit ? dropped : kept.emplace_back();
  slot = std::move(fresh);
  return slot;
}

// --------------------------------------------------------------------------------------------------------------------
// Printing
// --------------------------------------------------------------------------------------------------------------------

namespace {

constexpr size_t maxExcerptWidth = 120;
constexpr size_t tabWidth = 8;
constexpr std::string_view replacement = "\xEF\xBF\xBD"; // U+FFFD
constexpr std::string_view ellipsis = "\xE2\x80\xA6";    // U+2026

struct Style {
  bool colour;
  std::string paint(std::string_view code, std::string_view text) const {
    return colour ? "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m" : std::string(text);
  }
};

std::string_view nameOf(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "remark";
  }
  return "error";
}

std::string_view colourOf(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "1;31";
  case Severity::Warning:
    return "1;35";
  case Severity::Remark:
    return "1;34";
  }
  return "1;31";
}

bool isContinuation(unsigned char byte) {
  return (byte & 0xC0) == 0x80;
}

/// How many bytes a code point has that begins with `lead`; 0 if none does.
size_t sequenceLength(unsigned char lead) {
  if (lead < 0x80)
    return 1;
  if (lead >= 0xC2 && lead < 0xE0)
    return 2;
  if (lead >= 0xE0 && lead < 0xF0)
    return 3;
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

bool isPrintable(std::string_view codePoint) {
  unsigned char lead = static_cast<unsigned char>(codePoint.front());
  bool control = lead < 0x20 || lead == 0x7F;
  // U+0080..U+009F are control characters, U+202A..U+202E and U+2066..U+2069 reorder the text around them.
  control |= lead == 0xC2 && codePoint.size() == 2 && static_cast<unsigned char>(codePoint[1]) < 0xA0;
  control |= codePoint >= "\xE2\x80\xAA" && codePoint <= "\xE2\x80\xAE";
  control |= codePoint >= "\xE2\x81\xA6" && codePoint <= "\xE2\x81\xA9";
  return !control && sequenceLength(lead) == codePoint.size();
}

/// A source line, ready to print: one string for each code point, by the same count as Source::locate.
std::vector<std::string> splitIntoCells(std::string_view line) {
  std::vector<std::string> cells;
  size_t column = 0;
  for (size_t begin = 0; begin < line.size();) {
    size_t end = begin + 1;
    while (end < line.size() && isContinuation(static_cast<unsigned char>(line[end])))
      ++end;
    std::string_view codePoint = line.substr(begin, end - begin);
    if (codePoint == "\t")
      cells.emplace_back(tabWidth - column % tabWidth, ' ');
    else
      cells.emplace_back(isPrintable(codePoint) ? codePoint : replacement);
    column += codePoint == "\t" ? cells.back().size() : 1;
    begin = end;
  }
  return cells;
}

/// How many columns a cell takes.
size_t widthOf(const std::string &cell) {
  return cell.front() == ' ' ? cell.size() : 1;
}

size_t widthOf(const std::vector<std::string> &cells, size_t begin, size_t end) {
  return std::accumulate(cells.begin() + static_cast<std::ptrdiff_t>(begin), cells.begin() + static_cast<std::ptrdiff_t>(end),
                         size_t{0}, [](size_t sum, const std::string &cell) { return sum + widthOf(cell); });
}

/// Cells [begin, end) of a line that are shown.
struct Window {
  size_t begin, end;
};

/// The whole line if it is short, else what stands around cell `focus`.
Window chooseWindow(const std::vector<std::string> &cells, size_t focus) {
  if (widthOf(cells, 0, cells.size()) <= maxExcerptWidth)
    return {0, cells.size()};
  Window window{focus, focus};
  size_t width = 0;
  while (window.begin > 0 && width + widthOf(cells[window.begin - 1]) <= maxExcerptWidth / 3)
    width += widthOf(cells[--window.begin]);
  while (window.end < cells.size() && width + widthOf(cells[window.end]) <= maxExcerptWidth)
    width += widthOf(cells[window.end++]);
  while (window.begin > 0 && width + widthOf(cells[window.begin - 1]) <= maxExcerptWidth)
    width += widthOf(cells[--window.begin]);
  return window;
}

/// The part of a line that can matter to an excerpt at byte `focus` of it, which keeps lines of a megabyte cheap.
std::string_view cropAround(std::string_view line, size_t &focus) {
  constexpr size_t reach = 1000;
  size_t begin = focus > reach ? focus - reach : 0;
  while (begin < focus && isContinuation(static_cast<unsigned char>(line[begin])))
    ++begin;
  focus -= begin;
  return line.substr(begin, focus + reach);
}

/// Cells [begin, end) that the carets stand under; `begin` may be just past the line.
Window markedCells(std::string_view line, size_t focus, size_t length) {
  size_t begin = splitIntoCells(line.substr(0, focus)).size();
  size_t end = splitIntoCells(line.substr(0, std::min(line.size(), focus + length))).size();
  return {begin, std::max(begin, end)};
}

/// The source line and the carets under it.
std::string excerpt(SourceRange where, const Style &style) {
  auto [number, column] = where.source->locate(where.begin);
  std::string_view line = where.source->line(number);
  size_t lineBegin = static_cast<size_t>(line.data() - where.source->text().data());
  size_t focus = std::min(line.size(), where.begin > lineBegin ? where.begin - lineBegin : 0);
  line = cropAround(line, focus);
  std::vector<std::string> cells = splitIntoCells(line);
  Window marked = markedCells(line, focus, where.end > where.begin ? where.end - where.begin : 0);
  Window shown = chooseWindow(cells, marked.begin);

  std::string gutter = std::to_string(number);
  std::string text, carets;
  if (shown.begin > 0) {
    text += ellipsis;
    carets += ' ';
  }
  for (size_t cell = shown.begin; cell < shown.end; ++cell)
    text += cells[cell];
  if (shown.end < cells.size())
    text += ellipsis;
  carets.append(widthOf(cells, shown.begin, marked.begin), ' ');
  size_t markWidth = widthOf(cells, marked.begin, std::clamp(marked.end, marked.begin, std::max(shown.end, marked.begin)));
  std::string mark = "^" + std::string(markWidth > 1 ? markWidth - 1 : 0, '~');
  return "  " + gutter + " | " + text + "\n  " + std::string(gutter.size(), ' ') + " | " + carets + style.paint("1;32", mark);
}

std::string renderPlace(SourceRange where, std::string_view severity, std::string_view colour, const std::string &message,
                        const Style &style) {
  std::string head = style.paint(colour, std::string(severity) + ":") + " " + style.paint("1", message);
  if (!where.valid())
    return head;
  auto [line, column] = where.source->locate(where.begin);
  std::string place = where.source->name() + ":" + std::to_string(line) + ":" + std::to_string(column) + ":";
  return style.paint("1", place) + " " + head + "\n" + excerpt(where, style);
}

} // namespace

std::string render(const Diagnostic &diagnostic, bool colour) {
  Style style{colour};
  std::string text =
      renderPlace(diagnostic.where, nameOf(diagnostic.severity), colourOf(diagnostic.severity), diagnostic.message, style);
  for (const Note &note : diagnostic.notes)
    text += "\n" + renderPlace(note.where, "note", "1;36", note.message, style);
  if (!diagnostic.hint.empty())
    text += "\n" + style.paint("1;32", "hint:") + " " + diagnostic.hint;
  return text;
}

std::string render(const Diagnostics &diagnostics, bool colour) {
  std::string text;
  for (const Diagnostic &diagnostic : diagnostics.all())
    text += render(diagnostic, colour) + "\n";
  if (diagnostics.errorCount() > Diagnostics::errorLimit)
    text += std::to_string(diagnostics.errorCount() - Diagnostics::errorLimit) + " more errors (" +
            std::to_string(diagnostics.errorCount()) + " in all)\n";
  return text;
}

// --------------------------------------------------------------------------------------------------------------------
// Misspelt names
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// Insertions, deletions, replacements and exchanges of neighbours that turn one name into the other.
size_t editDistance(std::string_view from, std::string_view to) {
  std::vector<size_t> beforePrevious(to.size() + 1), previous(to.size() + 1), current(to.size() + 1);
  std::iota(current.begin(), current.end(), size_t{0});
  for (size_t i = 1; i <= from.size(); ++i) {
    beforePrevious.swap(previous);
    previous.swap(current);
    current[0] = i;
    for (size_t j = 1; j <= to.size(); ++j) {
      size_t replaced = previous[j - 1] + (from[i - 1] != to[j - 1]);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        current[j] = std::min(current[j], beforePrevious[j - 2] + 1);
    }
  }
  return current[to.size()];
}

} // namespace

std::string nearestName(std::string_view misspelt, const std::vector<std::string_view> &candidates) {
  constexpr size_t maxNameLength = 100; // longer ones are not worth quadratic time
  std::string_view nearest;
  size_t best = (std::min(misspelt.size(), maxNameLength) + 1) / 3 + 1;
  for (std::string_view candidate : candidates) {
    if (misspelt.size() > maxNameLength || candidate.size() > maxNameLength || candidate == misspelt)
      continue;
    size_t distance = editDistance(misspelt, candidate);
    if (distance < best && distance < std::max(candidate.size(), misspelt.size())) { // something in common
      best = distance;
      nearest = candidate;
    }
  }
  return std::string(nearest);
}

} // namespace tilewright::frontend
