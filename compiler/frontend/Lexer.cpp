#include "compiler/frontend/Lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <unordered_map>
#include <utility>

namespace tilewright::frontend {

// --------------------------------------------------------------------------------------------------------------------
// Kinds
// --------------------------------------------------------------------------------------------------------------------

std::string_view textOf(TokenKind kind) {
  static constexpr std::string_view texts[] = {
#define TOKEN(kind, text) text,
#include "compiler/frontend/Token.def"
  };
  return texts[static_cast<size_t>(kind)];
}

bool isKeyword(TokenKind kind) {
  switch (kind) {
#define KEYWORD(kind, text) case TokenKind::kind:
#include "compiler/frontend/Token.def"
    return true;
  default:
    return false;
  }
}

std::optional<DType> dtypeOf(TokenKind kind) {
  switch (kind) {
#define DTYPE(kind, text)                                                                                                      \
  case TokenKind::kind:                                                                                                        \
    return DType::kind;
#include "compiler/frontend/Token.def"
  default:
    return std::nullopt;
  }
}

std::string describe(const Token &token) {
  constexpr size_t maxShown = 40;
  if (token.kind == TokenKind::End || token.kind == TokenKind::String || token.kind == TokenKind::Invalid)
    return std::string(textOf(token.kind));
  if (token.text.size() <= maxShown)
    return "`" + std::string(token.text) + "`";
  return "`" + std::string(token.text.substr(0, maxShown)) + "…`";
}

namespace {

const std::unordered_map<std::string_view, TokenKind> &keywords() {
  static const std::unordered_map<std::string_view, TokenKind> table = {
#define KEYWORD(kind, text) {text, TokenKind::kind},
#include "compiler/frontend/Token.def"
  };
  return table;
}

struct Operator {
  std::string_view text;
  TokenKind kind;
};

/// Operators and brackets, longer ones first. (`max=` and `min=` begin with a letter: scanName finds them.)
const std::vector<Operator> &operators() {
  static const std::vector<Operator> table = [] {
    std::vector<Operator> all = {
#define PUNCTUATION(kind, text) {text, TokenKind::kind},
#include "compiler/frontend/Token.def"
    };
    std::stable_sort(all.begin(), all.end(), [](auto &a, auto &b) { return a.text.size() > b.text.size(); });
    return all;
  }();
  return table;
}

// --------------------------------------------------------------------------------------------------------------------
// Characters
// --------------------------------------------------------------------------------------------------------------------

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
bool isHexDigit(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool isNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isNamePart(char c) {
  return isNameStart(c) || isDigit(c);
}
bool isAscii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}
bool isControl(char c) {
  return (isAscii(c) && c < ' ') || c == '\x7F';
}

std::string hexadecimal(uint32_t value, const char *format) {
  std::array<char, 16> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, value);
  return buffer.data();
}

std::string byteValue(char byte) {
  return hexadecimal(static_cast<unsigned char>(byte), "0x%02x");
}

struct CodePoint {
  uint32_t value;
  size_t length; ///< 0: the bytes are not UTF-8
};

/// The code point at the beginning of `text` (RFC 3629: no surrogates, no overlong forms).
CodePoint decode(std::string_view text) {
  auto byte = [&](size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
  uint32_t lead = byte(0);
  size_t length = lead < 0x80                   ? 1
                  : lead >= 0xC2 && lead < 0xE0 ? 2
                  : (lead & 0xF0) == 0xE0       ? 3
                  : lead >= 0xF0 && lead < 0xF5 ? 4
                                                : 0;
  if (length <= 1)
    return {lead, length};
  uint32_t value = lead & (0x7Fu >> length);
  for (size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xC0) != 0x80)
      return {lead, 0};
    value = value << 6 | (byte(at) & 0x3F);
  }
  bool overlong = value < (length == 3 ? 0x800u : length == 4 ? 0x10000u : 0x80u);
  bool surrogate = value >= 0xD800 && value < 0xE000;
  return {value, overlong || surrogate || value > 0x10FFFF ? 0 : length};
}

// clang-format off
/// What the author of a non-ASCII character probably meant, for the hint.
std::string lookAlike(uint32_t codePoint) {
  switch (codePoint) {
  case 0x00A0: case 0x2002: case 0x2003: case 0x2009: case 0x202F: case 0x3000:
    return "this is not the ordinary space";
  case 0x200B: case 0x200C: case 0x200D: case 0x2060: case 0xFEFF:
    return "it is not visible: remove it";
  case 0x00D7: case 0x00B7: case 0x22C5:
    return "write `*`";
  case 0x2212: case 0x2013: case 0x2014:
    return "write `-`";
  case 0x2264:
    return "write `<=`";
  case 0x2265:
    return "write `>=`";
  case 0x2260:
    return "write `!=`";
  case 0x2192:
    return "write `->`";
  case 0x2026:
    return "write `...`";
  case 0x221E:
    return "write `inf`";
  case 0x201C: case 0x201D: case 0x2018: case 0x2019:
    return "strings stand between `\"`";
  default:
    return "outside comments and strings a source is ASCII";
  }
}

// clang-format on

/// The remedy for an ASCII character that begins no token.
std::string remedyFor(char c) {
  switch (c) {
  case '#':
    return "a comment begins with `//`";
  case '@':
    return "a product is `dot(a, b, over k)`";
  case '~':
    return "write `x ^ -1` for all bits of x inverted";
  case '\\':
    return "a statement may go on over line breaks as it is: `;` ends it";
  default:
    return {};
  }
}

// --------------------------------------------------------------------------------------------------------------------
// The lexer
// --------------------------------------------------------------------------------------------------------------------

class Lexer {
public:
  Lexer(const Source &source, Diagnostics &diagnostics, size_t tokenLimit)
      : source(source), diagnostics(diagnostics), text(source.text()), tokenLimit(tokenLimit) {}

  LexedSource run();

private:
  char at(size_t offset) const { return offset < text.size() ? text[offset] : '\0'; }
  SourceRange range(size_t begin, size_t end) const {
    return {&source, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }
  Diagnostic &error(size_t begin, size_t end, std::string message) {
    return diagnostics.error(range(begin, end), std::move(message));
  }
  void emit(TokenKind kind, size_t end);

  bool skipWhiteSpace();
  void scanToken();
  void scanComment();
  void scanForeignComment();
  void scanName();
  void scanNumber();
  void scanHexadecimal();
  void scanDecimal();
  bool scanBrokenPoint(size_t point);
  size_t scanExponent(size_t end) const;
  void finishNumber(TokenKind kind, size_t end);
  void checkValue(TokenKind kind, size_t end);
  void scanLeadingPoint();
  void scanString();
  void scanEscape(size_t backslash);
  void scanOperator();
  void scanUnexpected();
  void scanQuote();
  void scanNonAscii();
  void checkEncoding(size_t begin, size_t end);

  const Source &source;
  Diagnostics &diagnostics;
  std::string_view text;
  size_t tokenLimit;
  size_t position = 0; ///< where the next token begins
  bool firstOnLine = true;
  LexedSource result;
};

LexedSource Lexer::run() {
  if (text.starts_with("\xEF\xBB\xBF"))
    position = 3;
  while (skipWhiteSpace()) {
    if (result.tokens.size() >= tokenLimit) {
      error(position, position + 1, "a source has at most " + std::to_string(tokenLimit) + " tokens");
      position = text.size();
      break;
    }
    scanToken();
  }
  emit(TokenKind::End, position);
  return std::move(result);
}

void Lexer::emit(TokenKind kind, size_t end) {
  Token token{kind, firstOnLine, range(position, end), text.substr(position, end - position)};
  bool isComment = kind == TokenKind::Comment || kind == TokenKind::Documentation;
  (isComment ? result.comments : result.tokens).push_back(token);
  firstOnLine = false;
  position = end;
}

/// False at the end of the text.
bool Lexer::skipWhiteSpace() {
  for (; position < text.size(); ++position) {
    char c = text[position];
    if (c == '\n')
      firstOnLine = true;
    else if (c != ' ' && c != '\t' && c != '\r')
      return true;
  }
  return false;
}

void Lexer::scanToken() {
  char c = at(position);
  std::string_view rest = text.substr(position);
  if (isNameStart(c))
    return scanName();
  if (isDigit(c))
    return scanNumber();
  if (c == '"')
    return scanString();
  if (c == '\'')
    return scanQuote();
  if (rest.starts_with("//"))
    return scanComment();
  if (rest.starts_with("/*"))
    return scanForeignComment();
  if (c == '.' && isDigit(at(position + 1)))
    return scanLeadingPoint();
  if (!isAscii(c))
    return scanNonAscii();
  scanOperator();
}

/// `///` is documentation, `//` and `////` are not.
void Lexer::scanComment() {
  size_t end = std::min(text.find('\n', position), text.size());
  checkEncoding(position, end);
  while (end > position && (at(end - 1) == ' ' || at(end - 1) == '\t' || at(end - 1) == '\r'))
    --end;
  std::string_view comment = text.substr(position, end - position);
  bool documents = comment.starts_with("///") && !comment.starts_with("////");
  emit(documents ? TokenKind::Documentation : TokenKind::Comment, end);
}

void Lexer::scanForeignComment() {
  size_t close = text.find("*/", position + 2);
  size_t end = close == std::string_view::npos ? text.size() : close + 2;
  error(position, position + 2, "unexpected `/*`").help("a comment begins with `//` and goes to the end of the line");
  if (close == std::string_view::npos)
    return emit(TokenKind::Invalid, end);
  firstOnLine |= text.substr(position, end - position).find('\n') != std::string_view::npos;
  position = end;
}

/// A name, a reserved word, `max=` or `min=`.
void Lexer::scanName() {
  size_t end = position;
  while (isNamePart(at(end)))
    ++end;
  std::string_view word = text.substr(position, end - position);
  if ((word == "max" || word == "min") && at(end) == '=' && at(end + 1) != '=')
    return emit(word == "max" ? TokenKind::MaxAssign : TokenKind::MinAssign, end + 1);
  auto keyword = keywords().find(word);
  emit(keyword == keywords().end() ? TokenKind::Name : keyword->second, end);
}

// ---- Numbers -------------------------------------------------------------------------------------------------------

void Lexer::scanNumber() {
  bool isHexadecimal = at(position) == '0' && (at(position + 1) == 'x' || at(position + 1) == 'X');
  if (isHexadecimal)
    return scanHexadecimal();
  scanDecimal();
}

void Lexer::scanHexadecimal() {
  size_t end = position + 2;
  while (isHexDigit(at(end)))
    ++end;
  if (end == position + 2 && !isNamePart(at(end)))
    error(position, end, "expected a hexadecimal digit after `0x`");
  finishNumber(TokenKind::Integer, end);
}

void Lexer::scanDecimal() {
  size_t end = position;
  while (isDigit(at(end)))
    ++end;
  bool isFloat = at(end) == '.' && isDigit(at(end + 1));
  if (!isFloat && at(end) == '.' && scanBrokenPoint(end))
    return;
  if (isFloat)
    for (++end; isDigit(at(end));)
      ++end;
  size_t exponentEnd = scanExponent(end);
  isFloat |= exponentEnd != end;
  finishNumber(isFloat ? TokenKind::Float : TokenKind::Integer, exponentEnd);
}

/// `1.`, `1.f` and `1.e5`, but neither `0..n` nor `1.name`.
bool Lexer::scanBrokenPoint(size_t point) {
  size_t end = point + 1;
  while (isNamePart(at(end)))
    ++end;
  std::string_view suffix = text.substr(point + 1, end - point - 1);
  bool isNumber = suffix.empty() || suffix == "f" || suffix == "F" || scanExponent(point + 1) == end;
  if (at(point + 1) == '.' || !isNumber)
    return false;
  std::string digits(text.substr(position, point - position));
  std::string exponent = suffix.empty() || suffix.front() == 'f' || suffix.front() == 'F' ? "" : std::string(suffix);
  error(position, end, "a float has a digit on both sides of its point").help("write `" + digits + ".0" + exponent + "`");
  emit(TokenKind::Float, end);
  return true;
}

/// The end of the exponent at `end`, or `end` if there is none.
size_t Lexer::scanExponent(size_t end) const {
  size_t digits = end + 1;
  if (at(digits) == '+' || at(digits) == '-')
    ++digits;
  if ((at(end) != 'e' && at(end) != 'E') || !isDigit(at(digits)))
    return end;
  while (isDigit(at(digits)))
    ++digits;
  return digits;
}

std::string suffixRemedy(std::string_view number, std::string_view suffix) {
  if (suffix.front() == '_')
    return "digits are written without separators";
  if (suffix.front() == '.')
    return "a number has one point";
  if (number.starts_with("0x") || number.starts_with("0X"))
    return "hexadecimal digits are 0 to 9 and a to f";
  if (suffix == "e" || suffix == "E")
    return "an exponent has digits: `1e-5`";
  if (number == "0" && (suffix.front() == 'b' || suffix.front() == 'o'))
    return "integers are decimal or, after `0x`, hexadecimal";
  bool isFloat = number.find_first_of(".eE") != std::string_view::npos || suffix == "f" || suffix == "F";
  return "a literal takes the type of what it meets; `" + std::string(isFloat ? "f32(" : "i32(") + std::string(number) +
         ")` states one";
}

/// Whatever clings to a number makes it malformed: `1u`, `1_000`, `1.5.2`.
void Lexer::finishNumber(TokenKind kind, size_t end) {
  size_t suffixEnd = end;
  while (isNamePart(at(suffixEnd)) || (kind == TokenKind::Float && at(suffixEnd) == '.' && isDigit(at(suffixEnd + 1))))
    ++suffixEnd;
  if (suffixEnd == end) {
    checkValue(kind, end);
    return emit(kind, end);
  }
  std::string_view number = text.substr(position, end - position);
  std::string_view suffix = text.substr(end, suffixEnd - end);
  error(position, suffixEnd, "malformed number `" + std::string(number) + std::string(suffix) + "`")
      .help(suffixRemedy(number, suffix));
  emit(kind, suffixEnd);
}

/// Reports numbers outside u64 and f64.
void Lexer::checkValue(TokenKind kind, size_t end) {
  bool isHexadecimal = kind == TokenKind::Integer && (at(position + 1) == 'x' || at(position + 1) == 'X');
  const char *begin = text.data() + position + (isHexadecimal ? 2 : 0);
  uint64_t integer;
  double number;
  auto result = kind == TokenKind::Integer ? std::from_chars(begin, text.data() + end, integer, isHexadecimal ? 16 : 10)
                                           : std::from_chars(begin, text.data() + end, number);
  if (result.ec != std::errc::result_out_of_range)
    return;
  std::string what = "`" + std::string(text.substr(position, std::min<size_t>(end - position, 40))) + "` ";
  if (kind == TokenKind::Integer)
    error(position, end, "integer " + what + "is too large").help("the largest is 2^64 - 1 = 18446744073709551615");
  else
    error(position, end, "float " + what + "is outside the range of f64").help("infinity is written `inf`");
}

/// `.5`, or the second point of `x.5`.
void Lexer::scanLeadingPoint() {
  char before = position > 0 ? text[position - 1] : ' ';
  bool clings = isNamePart(before) || before == ')' || before == ']';
  size_t end = position + 1;
  while (isDigit(at(end)))
    ++end;
  end = scanExponent(end);
  auto &diagnostic = error(position, end, "a float has a digit on both sides of its point");
  if (!clings)
    diagnostic.help("write `0" + std::string(text.substr(position, end - position)) + "`");
  emit(clings ? TokenKind::Invalid : TokenKind::Float, end);
}

// ---- Strings -------------------------------------------------------------------------------------------------------

void Lexer::scanString() {
  size_t end = position + 1;
  for (; end < text.size() && at(end) != '"' && at(end) != '\n'; ++end) {
    if (at(end) == '\\' && end + 1 < text.size() && at(end + 1) != '\n')
      scanEscape(end++);
    else if (isControl(at(end)) && at(end) != '\t' && at(end) != '\r')
      error(end, end + 1, "unexpected byte " + byteValue(at(end)) + " in a string");
  }
  checkEncoding(position, end);
  if (at(end) == '"' && end < text.size())
    return emit(TokenKind::String, end + 1);
  error(position, position + 1, "unterminated string: expected `\"` before the end of the line");
  emit(TokenKind::Invalid, end);
}

void Lexer::scanEscape(size_t backslash) {
  std::string_view escape = text.substr(backslash, 2);
  if (escape != "\\\"" && escape != "\\\\" && escape != "\\n" && escape != "\\t")
    error(backslash, backslash + 2, "unknown escape in a string").help("there are `\\\"`, `\\\\`, `\\n` and `\\t`");
}

// ---- Everything else -----------------------------------------------------------------------------------------------

void Lexer::scanOperator() {
  std::string_view rest = text.substr(position);
  for (const Operator &candidate : operators())
    if (rest.starts_with(candidate.text))
      return emit(candidate.kind, position + candidate.text.size());
  scanUnexpected();
}

void Lexer::scanUnexpected() {
  char c = at(position);
  std::string what = isControl(c) ? "byte " + byteValue(c) : "character `" + std::string(1, c) + "`";
  error(position, position + 1, "unexpected " + what).help(remedyFor(c));
  emit(TokenKind::Invalid, position + 1);
}

/// `'text'` as a whole; the separator in `1'000`.
void Lexer::scanQuote() {
  bool separates = position > 0 && isNamePart(at(position - 1)) && isDigit(at(position + 1));
  size_t lineEnd = std::min(text.find('\n', position), text.size());
  size_t close = text.find('\'', position + 1);
  size_t end = !separates && close < lineEnd ? close + 1 : position + 1;
  error(position, end, "unexpected character `'`")
      .help(separates ? "digits are written without separators" : "strings stand between `\"`");
  checkEncoding(position, end);
  emit(TokenKind::Invalid, end);
}

/// A run of characters outside ASCII, or of bytes that are no characters, is one fault.
void Lexer::scanNonAscii() {
  CodePoint first = decode(text.substr(position));
  size_t end = position + std::max<size_t>(first.length, 1);
  for (; end < text.size() && !isAscii(at(end));) {
    size_t length = decode(text.substr(end)).length;
    if ((length == 0) != (first.length == 0))
      break;
    end += std::max<size_t>(length, 1);
  }
  if (first.length == 0)
    error(position, end, "invalid UTF-8 byte " + byteValue(at(position)));
  else
    error(position, end,
          "unexpected character `" + std::string(text.substr(position, first.length)) + "` (" +
              hexadecimal(first.value, "U+%04X") + ")")
        .help(lookAlike(first.value));
  emit(TokenKind::Invalid, end);
}

/// Reports the first byte in a comment or a string that is not UTF-8.
void Lexer::checkEncoding(size_t begin, size_t end) {
  while (begin < end) {
    size_t length = decode(text.substr(begin, end - begin)).length;
    if (length == 0) {
      error(begin, begin + 1, "invalid UTF-8 byte " + byteValue(at(begin)));
      return;
    }
    begin += length;
  }
}

} // namespace

LexedSource lex(const Source &source, Diagnostics &diagnostics, size_t tokenLimit) {
  return Lexer(source, diagnostics, tokenLimit).run();
}

// --------------------------------------------------------------------------------------------------------------------
// The values of literals
// --------------------------------------------------------------------------------------------------------------------

uint64_t integerValue(const Token &token) {
  bool isHexadecimal = token.text.starts_with("0x") || token.text.starts_with("0X");
  std::string_view digits = token.text.substr(isHexadecimal ? 2 : 0);
  uint64_t value = 0;
  auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, isHexadecimal ? 16 : 10);
  return result.ec == std::errc::result_out_of_range ? std::numeric_limits<uint64_t>::max() : value;
}

double floatValue(const Token &token) {
  double value = 0;
  std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  return value;
}

std::string stringValue(const Token &token) {
  std::string value;
  for (size_t at = 1; at + 1 < token.text.size(); ++at) {
    char c = token.text[at];
    if (c == '\\') {
      c = token.text[++at];
      c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
    value += c;
  }
  return value;
}

} // namespace tilewright::frontend
