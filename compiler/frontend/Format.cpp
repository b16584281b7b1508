// The formatter works on tokens, not on the syntax tree: so it cannot lose a comment, and what it writes has the same tokens
// by construction (checked at the end all the same). It has four steps:
//
//   1. Elements   tokens and comments in one list, each with what the author put before it (a line break, a blank line).
//   2. Sections   the list is cut where a line of the result must begin: after `;` and `{`, before and after `}`, before the
//                 `over` of a kernel. An `if`, `for` or `while` that the author wrote on one line stays one section if its
//                 blocks are simple and it fits.
//   3. Lines      each section is laid out. If it does not fit, the author's breaks are kept if they make it fit; otherwise
//                 it is filled, breaking where it matters least (`breakCost`). A header keeps the breaks between its
//                 parameters even if it would fit.
//   4. Comments   at the ends of lines: two spaces after the code, or in one column where the author aligned them.
//
// The result is a fixed point because each choice made here is an author's choice that the next run accepts: a break that was
// filled in is kept then, as all lines fit, and what fits on one line was joined.
#include "compiler/frontend/Format.h"

#include "compiler/frontend/Lexer.h"
#include "compiler/frontend/Parser.h"

#include <algorithm>
#include <map>

namespace tilewright::frontend {

namespace {

using Kind = TokenKind;

constexpr size_t maxColumns = 100;
constexpr size_t indentationStep = 2;
constexpr size_t continuationStep = 4;
constexpr size_t commentGap = 2;
/// A block on one line has at most so many statements.
constexpr size_t maxInlineStatements = 2;

size_t widthOf(std::string_view text) {
  auto isFirstByte = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; };
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), isFirstByte));
}

// --------------------------------------------------------------------------------------------------------------------
// Elements
// --------------------------------------------------------------------------------------------------------------------

/// A token or a comment.
struct Element {
  Kind kind;
  std::string_view text;
  uint32_t begin;
  bool isComment;
  bool firstOnLine;             ///< in the source
  bool afterBlankLine;          ///< in the source
  bool bracketsStatics = false; ///< `<` and `>` of statics
  bool isPrefix = false;        ///< a `-` with one operand
  size_t depth = 0;             ///< how many brackets are open after it
};

bool opensBracket(const Element &element) {
  return element.kind == Kind::LeftParenthesis || element.kind == Kind::LeftBracket ||
         (element.kind == Kind::Less && element.bracketsStatics);
}

bool closesBracket(const Element &element) {
  return element.kind == Kind::RightParenthesis || element.kind == Kind::RightBracket ||
         (element.kind == Kind::Greater && element.bracketsStatics);
}

bool endsOperand(const Element &element) {
  switch (element.kind) {
  case Kind::Name:
  case Kind::Integer:
  case Kind::Float:
  case Kind::Inf:
  case Kind::Nan:
  case Kind::True:
  case Kind::False:
  case Kind::RightParenthesis:
  case Kind::RightBracket:
    return true;
  default:
    return dtypeOf(element.kind).has_value();
  }
}

std::vector<Element> mergeElements(const Source &source, const LexedSource &lexed) {
  std::vector<Element> elements;
  uint32_t previousEnd = 0;
  auto add = [&](const Token &token, bool isComment) {
    std::string_view gap = source.text().substr(previousEnd, token.where.begin - previousEnd);
    bool blank = std::count(gap.begin(), gap.end(), '\n') > 1;
    elements.push_back({token.kind, token.text, token.where.begin, isComment, token.firstOnLine, blank});
    previousEnd = token.where.end;
  };
  auto comment = lexed.comments.begin();
  for (const Token &token : lexed.tokens) {
    for (; comment != lexed.comments.end() && comment->where.begin < token.where.begin; ++comment)
      add(*comment, true);
    if (token.kind != Kind::End)
      add(token, false);
  }
  for (; comment != lexed.comments.end(); ++comment)
    add(*comment, true);
  return elements;
}

/// Tells the `<` of statics from the operator, and the `-` of one operand from that of two.
void classify(std::vector<Element> &elements) {
  const Element *previous = nullptr, *beforePrevious = nullptr;
  size_t depth = 0;
  bool inStatics = false;
  for (Element &element : elements) {
    if (element.isComment) {
      element.depth = depth;
      continue;
    }
    bool afterDeclaredName = beforePrevious && (beforePrevious->kind == Kind::Kernel || beforePrevious->kind == Kind::Fn) &&
                             previous->kind == Kind::Name;
    bool opens = element.kind == Kind::Less && afterDeclaredName;
    bool closes = element.kind == Kind::Greater && inStatics && depth == 1;
    inStatics = (inStatics || opens) && !closes;
    element.bracketsStatics = opens || closes;
    element.isPrefix = element.kind == Kind::Minus && !(previous && endsOperand(*previous));
    depth += opensBracket(element) ? 1 : 0;
    depth -= closesBracket(element) && depth > 0 ? 1 : 0;
    element.depth = depth;
    beforePrevious = previous;
    previous = &element;
  }
}

// --------------------------------------------------------------------------------------------------------------------
// Spaces
// --------------------------------------------------------------------------------------------------------------------

bool callsOrIndexes(const Element &previous) {
  switch (previous.kind) {
  case Kind::Name:
  case Kind::RightParenthesis:
  case Kind::RightBracket:
  case Kind::Span:
  case Kind::Deriv:
  case Kind::Accum:
  case Kind::Print:
  case Kind::Assert:
  case Kind::Fn:
  case Kind::Integer:
  case Kind::Float:
  case Kind::Inf:
  case Kind::Nan:
  case Kind::True:
  case Kind::False:
    return true;
  case Kind::Greater:
    return previous.bracketsStatics;
  default:
    return dtypeOf(previous.kind).has_value();
  }
}

bool hugsLeft(const Element &element) {
  switch (element.kind) {
  case Kind::Comma:
  case Kind::Semicolon:
  case Kind::Colon:
  case Kind::Question:
  case Kind::Dot:
  case Kind::DotDot:
  case Kind::Ellipsis:
    return true;
  case Kind::Less:
    return element.bracketsStatics;
  default:
    return closesBracket(element);
  }
}

bool hugsRight(const Element &element) {
  return element.kind == Kind::Dot || element.kind == Kind::DotDot || element.isPrefix || opensBracket(element);
}

bool spaceBetween(const Element &left, const Element &right) {
  if (hugsLeft(right) || hugsRight(left))
    return false;
  if (right.kind == Kind::LeftParenthesis || right.kind == Kind::LeftBracket)
    return !callsOrIndexes(left);
  return !(left.kind == Kind::LeftBrace && right.kind == Kind::RightBrace);
}

// --------------------------------------------------------------------------------------------------------------------
// Sections
// --------------------------------------------------------------------------------------------------------------------

/// Elements [begin, end) that begin a line together, and perhaps a comment behind them (element `end`).
struct Section {
  size_t begin, end;
  size_t indentation;
  bool blankBefore;
  bool hasComment;
};

class Sectioner {
public:
  explicit Sectioner(const std::vector<Element> &elements) : elements(elements) {}
  std::vector<Section> run();

private:
  Kind kindAt(size_t at) const { return at < elements.size() ? elements[at].kind : Kind::End; }
  size_t skipComments(size_t at) const;
  size_t endOfSection(size_t begin) const;
  size_t endOfOneLineStatement(size_t begin) const;
  size_t endOfOneLineBlock(size_t brace) const;
  bool onOneLine(size_t begin, size_t end) const;
  bool fits(size_t begin, size_t end) const;
  void add(size_t begin, size_t end);

  const std::vector<Element> &elements;
  std::vector<Section> sections;
  size_t indentation = 0;
};

std::vector<Section> Sectioner::run() {
  for (size_t at = 0; at < elements.size();) {
    if (kindAt(at) == Kind::RightBrace && indentation > 0)
      indentation -= indentationStep;
    size_t end = elements[at].isComment ? at + 1 : endOfSection(at);
    add(at, end);
    if (kindAt(end - 1) == Kind::LeftBrace)
      indentation += indentationStep;
    at = end + (sections.back().hasComment ? 1 : 0);
  }
  return std::move(sections);
}

void Sectioner::add(size_t begin, size_t end) {
  bool opensFile = sections.empty();
  bool opensBlock = !opensFile && kindAt(sections.back().end - 1) == Kind::LeftBrace;
  bool closesBlock = kindAt(begin) == Kind::RightBrace || kindAt(begin) == Kind::Over;
  bool blank = elements[begin].afterBlankLine && !opensFile && !opensBlock && !closesBlock;
  bool hasComment =
      end < elements.size() && elements[end].isComment && !elements[end].firstOnLine && !elements[begin].isComment;
  sections.push_back({begin, end, indentation, blank, hasComment});
}

size_t Sectioner::skipComments(size_t at) const {
  while (at < elements.size() && elements[at].isComment)
    ++at;
  return at;
}

/// After the `;` or `{`, after a `}` without an `else`, or before the `over` of a kernel.
size_t Sectioner::endOfSection(size_t begin) const {
  if (size_t end = endOfOneLineStatement(begin))
    return end;
  bool isKernel = kindAt(begin) == Kind::Kernel;
  for (size_t at = begin; at < elements.size(); ++at) {
    Kind kind = kindAt(at);
    bool empty = kind == Kind::LeftBrace && kindAt(at + 1) == Kind::RightBrace;
    bool closed = kind == Kind::RightBrace && kindAt(skipComments(at + 1)) != Kind::Else;
    bool beforeOver = isKernel && elements[at].depth == 0 && kindAt(skipComments(at + 1)) == Kind::Over;
    if (kind == Kind::Semicolon || closed || beforeOver || (kind == Kind::LeftBrace && !empty))
      return at + 1;
  }
  return elements.size();
}

/// The end of an `if`, `for` or `while` that stays on one line; 0 for anything else.
size_t Sectioner::endOfOneLineStatement(size_t begin) const {
  Kind first = kindAt(begin);
  if (first != Kind::If && first != Kind::For && first != Kind::While)
    return 0;
  size_t at = begin;
  while (true) {
    while (at < elements.size() && kindAt(at) != Kind::LeftBrace)
      ++at;
    at = endOfOneLineBlock(at);
    if (at == 0 || kindAt(skipComments(at)) != Kind::Else)
      break;
  }
  bool stays = at != 0 && onOneLine(begin, at) && fits(begin, at);
  return stays ? at : 0;
}

/// The end of a block of few simple statements; 0 for another.
size_t Sectioner::endOfOneLineBlock(size_t brace) const {
  size_t statements = 0;
  for (size_t at = brace + 1; at < elements.size(); ++at) {
    if (kindAt(at) == Kind::RightBrace)
      return statements <= maxInlineStatements ? at + 1 : 0;
    if (kindAt(at) == Kind::LeftBrace)
      return 0;
    statements += kindAt(at) == Kind::Semicolon ? 1 : 0;
  }
  return 0;
}

bool Sectioner::onOneLine(size_t begin, size_t end) const {
  return std::none_of(elements.begin() + static_cast<std::ptrdiff_t>(begin + 1),
                      elements.begin() + static_cast<std::ptrdiff_t>(end),
                      [](const Element &element) { return element.firstOnLine || element.isComment; });
}

bool Sectioner::fits(size_t begin, size_t end) const {
  size_t width = indentation;
  for (size_t at = begin; at < end && width <= maxColumns; ++at)
    width += widthOf(elements[at].text) + (at > begin && spaceBetween(elements[at - 1], elements[at]) ? 1 : 0);
  return width <= maxColumns;
}

// --------------------------------------------------------------------------------------------------------------------
// Lines
// --------------------------------------------------------------------------------------------------------------------

struct Line {
  std::string text; ///< with its indentation
  bool blankBefore = false;
  const Element *comment = nullptr; ///< at its end
};

/// Lays out one section.
class SectionLayout {
public:
  SectionLayout(const std::vector<Element> &elements, const Section &section) : elements(elements), section(section) {}
  std::vector<Line> run();

private:
  static constexpr unsigned noBreak = ~0u;

  void forceBreaks();
  void forceHeaderBreaks();
  size_t endOfHeader() const;
  void layOut(size_t begin, size_t end);
  bool keepAuthorsBreaks(size_t begin, size_t end);
  void fill(size_t begin, size_t end);
  size_t chooseBreak(size_t begin, size_t end) const;
  unsigned breakCost(size_t at, size_t end) const;
  void emit(size_t begin, size_t end);

  size_t indentationOf(size_t at) const;
  std::string join(size_t begin, size_t end) const;
  bool fits(size_t begin, size_t end) const;

  const std::vector<Element> &elements;
  const Section &section;
  std::vector<bool> forced; ///< a line begins at this element of the section
  std::vector<Line> lines;
};

std::vector<Line> SectionLayout::run() {
  forced.assign(section.end - section.begin + 1, false);
  forceBreaks();
  size_t begin = section.begin;
  for (size_t at = begin + 1; at <= section.end; ++at)
    if (at == section.end || forced[at - section.begin]) {
      layOut(begin, at);
      begin = at;
    }
  lines.front().blankBefore = section.blankBefore;
  if (section.hasComment)
    lines.back().comment = &elements[section.end];
  return std::move(lines);
}

/// A line ends after a comment, and begins at one that has a line of its own.
void SectionLayout::forceBreaks() {
  for (size_t at = section.begin + 1; at < section.end; ++at)
    forced[at - section.begin] = elements[at - 1].isComment || (elements[at].isComment && elements[at].firstOnLine);
  forceHeaderBreaks();
}

/// The end of what must fit on a line if the parameters are to stay on it.
size_t SectionLayout::endOfHeader() const {
  for (size_t at = section.begin; at < section.end; ++at)
    if (elements[at].depth == 0 && elements[at].kind == Kind::Assign)
      return at + 1;
  return section.end;
}

/// In a header with a break among its parameters, or that does not fit, the parameters begin a line.
void SectionLayout::forceHeaderBreaks() {
  Kind first = elements[section.begin].kind;
  bool isGrid = first == Kind::Over;
  if (first != Kind::Kernel && first != Kind::Fn && first != Kind::Extern && !isGrid)
    return;
  size_t headerEnd = endOfHeader();
  size_t open = section.begin;
  while (open < headerEnd && !(elements[open].kind == Kind::LeftParenthesis && elements[open].depth == 1))
    ++open;
  size_t close = open;
  while (close < headerEnd && elements[close].depth > 0)
    ++close;
  bool broken = !fits(section.begin, headerEnd);
  for (size_t at = section.begin + 1; at < close; ++at) {
    bool begins = elements[at].firstOnLine && elements[at - 1].depth == 1;
    bool afterComma = elements[at - 1].kind == Kind::Comma;
    broken |= elements[at].isComment || (at > open && elements[at].firstOnLine);
    forced[at - section.begin] = forced[at - section.begin] || (begins && afterComma);
  }
  if (broken && !isGrid && open + 1 < close)
    forced[open + 1 - section.begin] = true;
}

void SectionLayout::layOut(size_t begin, size_t end) {
  if (fits(begin, end))
    return emit(begin, end);
  if (!keepAuthorsBreaks(begin, end))
    fill(begin, end);
}

/// Breaks where the author did, if every line then fits.
bool SectionLayout::keepAuthorsBreaks(size_t begin, size_t end) {
  std::vector<size_t> starts = {begin};
  for (size_t at = begin + 1; at < end; ++at)
    if (elements[at].firstOnLine && breakCost(at, end) != noBreak)
      starts.push_back(at);
  starts.push_back(end);
  for (size_t line = 0; line + 1 < starts.size(); ++line)
    if (!fits(starts[line], starts[line + 1]))
      return false;
  for (size_t line = 0; line + 1 < starts.size(); ++line)
    emit(starts[line], starts[line + 1]);
  return true;
}

void SectionLayout::fill(size_t begin, size_t end) {
  while (!fits(begin, end)) {
    size_t next = chooseBreak(begin, end);
    if (next == end)
      break;
    emit(begin, next);
    begin = next;
  }
  emit(begin, end);
}

/// The break that costs least, of several the last, among those that make the line fit; else the first one there is.
size_t SectionLayout::chooseBreak(size_t begin, size_t end) const {
  size_t best = end;
  unsigned bestCost = noBreak;
  for (size_t at = begin + 1; at < end; ++at) {
    unsigned cost = breakCost(at, end);
    if (cost == noBreak)
      continue;
    if (!fits(begin, at))
      return best == end ? at : best;
    if (cost <= bestCost) {
      best = at;
      bestCost = cost;
    }
  }
  return best;
}

/// How bad it is to begin a line at an element: worse inside brackets and between what binds tightly.
unsigned SectionLayout::breakCost(size_t at, size_t end) const {
  constexpr unsigned perDepth = 20;
  const Element &before = elements[at - 1];
  unsigned base = perDepth * static_cast<unsigned>(before.depth);
  if (before.isComment || closesBracket(elements[at]))
    return noBreak;
  if (opensBracket(before))
    return base + 15;
  if (before.isPrefix)
    return noBreak;
  switch (before.kind) {
  case Kind::Comma:
    return base;
  case Kind::Or:
    return base + 2;
  case Kind::And:
    return base + 3;
  case Kind::EqualEqual:
  case Kind::NotEqual:
  case Kind::Less:
  case Kind::LessEqual:
  case Kind::Greater:
  case Kind::GreaterEqual:
    return base + 4;
  case Kind::Pipe:
  case Kind::Caret:
  case Kind::Ampersand:
  case Kind::ShiftLeft:
  case Kind::ShiftRight:
    return base + 5;
  case Kind::Plus:
  case Kind::Minus:
    return base + 6;
  case Kind::Star:
  case Kind::Slash:
  case Kind::Percent:
    return base + 7;
  case Kind::Assign:
  case Kind::PlusAssign:
  case Kind::MinusAssign:
  case Kind::StarAssign:
  case Kind::SlashAssign:
  case Kind::MaxAssign:
  case Kind::MinAssign:
    return base + (before.depth == 0 && fits(at, end) ? 1 : 16); // good if all that is left then fits
  default:
    return noBreak;
  }
}

/// A comment at the end of the range is the line's own.
void SectionLayout::emit(size_t begin, size_t end) {
  Line line;
  bool behindCode = end - begin > 1 && elements[end - 1].isComment;
  if (behindCode)
    line.comment = &elements[--end];
  line.text = std::string(indentationOf(begin), ' ') + join(begin, end);
  lines.push_back(std::move(line));
}

size_t SectionLayout::indentationOf(size_t at) const {
  bool first = at == section.begin || elements[at].kind == Kind::Else;
  return section.indentation + (first ? 0 : continuationStep);
}

std::string SectionLayout::join(size_t begin, size_t end) const {
  std::string text;
  for (size_t at = begin; at < end; ++at) {
    text += at > begin && spaceBetween(elements[at - 1], elements[at]) ? " " : "";
    text += elements[at].text;
  }
  return text;
}

bool SectionLayout::fits(size_t begin, size_t end) const {
  size_t width = indentationOf(begin);
  for (size_t at = begin; at < end && width <= maxColumns && !elements[at].isComment; ++at)
    width += widthOf(elements[at].text) + (at > begin && spaceBetween(elements[at - 1], elements[at]) ? 1 : 0);
  return width <= maxColumns;
}

// --------------------------------------------------------------------------------------------------------------------
// Comments at the ends of lines
// --------------------------------------------------------------------------------------------------------------------

/// Comments that the author put into one column, between two blank lines, stay in one.
class CommentAligner {
public:
  CommentAligner(const Source &source, std::vector<Line> &lines) : source(source), lines(lines) {}

  void run() {
    for (size_t begin = 0; begin < lines.size();) {
      size_t end = begin + 1;
      while (end < lines.size() && !lines[end].blankBefore)
        ++end;
      alignParagraph(begin, end);
      begin = end;
    }
  }

private:
  void alignParagraph(size_t begin, size_t end) {
    std::map<uint32_t, size_t> columns; // from the column in the source to that in the result
    for (size_t at = begin; at < end; ++at)
      if (lines[at].comment)
        columns[columnOf(lines[at])] = std::max(columns[columnOf(lines[at])], widthOf(lines[at].text) + commentGap);
    for (size_t at = begin; at < end; ++at)
      if (lines[at].comment) {
        size_t gap = columns[columnOf(lines[at])] - widthOf(lines[at].text);
        lines[at].text += std::string(gap, ' ') + std::string(lines[at].comment->text);
      }
  }

  uint32_t columnOf(const Line &line) const { return source.locate(line.comment->begin).column; }

  const Source &source;
  std::vector<Line> &lines;
};

// --------------------------------------------------------------------------------------------------------------------
// The whole
// --------------------------------------------------------------------------------------------------------------------

std::string layOut(const Source &source, const LexedSource &lexed) {
  std::vector<Element> elements = mergeElements(source, lexed);
  classify(elements);
  std::vector<Line> lines;
  for (const Section &section : Sectioner(elements).run())
    for (Line &line : SectionLayout(elements, section).run())
      lines.push_back(std::move(line));
  CommentAligner(source, lines).run();
  std::string text;
  for (const Line &line : lines)
    text += (line.blankBefore ? "\n" : "") + line.text + "\n";
  return text;
}

bool sameTexts(const std::vector<Token> &left, const std::vector<Token> &right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const Token &a, const Token &b) { return a.kind == b.kind && a.text == b.text; });
}

bool sameTokens(const LexedSource &before, const std::string &text) {
  Source source("formatted", text);
  Diagnostics ignored;
  LexedSource after = lex(source, ignored, maxTokenCount);
  return !ignored.hasErrors() && sameTexts(before.tokens, after.tokens) && sameTexts(before.comments, after.comments);
}

} // namespace

std::optional<std::string> format(const Source &source, Diagnostics &diagnostics) {
  unsigned errorsBefore = diagnostics.errorCount();
  parse(source, diagnostics);
  if (diagnostics.errorCount() != errorsBefore)
    return std::nullopt;
  LexedSource lexed = lex(source, diagnostics, maxTokenCount);
  std::string text = layOut(source, lexed);
  if (sameTokens(lexed, text))
    return text;
  diagnostics.error({&source, 0, 0}, "the formatter would change this source's tokens, which is a fault of the formatter");
  return std::nullopt;
}

} // namespace tilewright::frontend
