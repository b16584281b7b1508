#include "runtime/emulator/Lexer.h"

#include "runtime/Text.h"

#include <bit>
#include <cctype>
#include <cstdlib>
#include <string>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
bool isWordStart(char c) {
  return isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}
bool isWordPart(char c) {
  return isWordStart(c) || isDigit(c);
}

class Lexer {
public:
  Lexer(std::string_view source, uint32_t &line) : source(source), line(line) {}

  Result<std::vector<Token>> run() {
    tokens.reserve(source.size() / 5);
    for (;;) {
      bool space = skipBlank();
      if (!failure.ok())
        return std::move(failure);
      tokens.emplace_back();
      tokens.back().line = line;
      tokens.back().spaceBefore = space;
      if (at == source.size())
        return std::move(tokens);
      lexOne(tokens.back());
      if (!failure.ok())
        return std::move(failure);
    }
  }

private:
  char peek(size_t ahead = 0) const { return at + ahead < source.size() ? source[at + ahead] : '\0'; }

  void fail(std::string message) { failure = Status(TW_INVALID_SOURCE, std::move(message)); }

  bool skipBlank() {
    size_t start = at;
    while (at < source.size()) {
      char c = source[at];
      if (c == '\n')
        ++line, ++at;
      else if (isspace(static_cast<unsigned char>(c)) || c == '\0')
        ++at;
      else if (c == '/' && peek(1) == '/')
        at = std::min(source.find('\n', at), source.size());
      else if (c == '/' && peek(1) == '*')
        skipComment();
      else
        break;
    }
    return at != start;
  }

  void skipComment() {
    size_t end = source.find("*/", at + 2);
    if (end == std::string_view::npos) {
      fail("a comment is not closed");
      at = source.size();
      return;
    }
    for (; at < end + 2; ++at)
      line += source[at] == '\n';
  }

  void lexOne(Token &token) {
    char c = peek();
    if (isDigit(c))
      return lexNumber(token);
    if (isWordStart(c))
      return lexWord(token);
    if (c == '"')
      return lexString(token);
    if (std::string_view("{}[]()<>,;:@!|+-*/=&~^?").find(c) == std::string_view::npos)
      return fail(concat("unexpected character '", c, "'"));
    token.kind = Token::Kind::Symbol;
    token.text = source.substr(at++, 1);
  }

  void lexWord(Token &token) {
    size_t start = at;
    while (isWordPart(peek()) || (peek() == ':' && peek(1) == ':' && isWordPart(peek(2))))
      at += peek() == ':' ? 2 : 1;
    token.kind = Token::Kind::Word;
    token.text = source.substr(start, at - start);
  }

  void lexString(Token &token) {
    size_t end = at + 1;
    while (end < source.size() && source[end] != '"' && source[end] != '\n')
      end += source[end] == '\\' ? 2 : 1;
    if (end >= source.size() || source[end] != '"')
      return fail("a string is not closed");
    token.kind = Token::Kind::String;
    token.text = source.substr(at + 1, end - at - 1);
    at = end + 1;
  }

  void lexNumber(Token &token) {
    size_t start = at;
    char marker = static_cast<char>(peek() == '0' ? tolower(peek(1)) : 0);
    if (marker == 'f' || marker == 'd')
      return lexFloatBits(token, marker == 'f');
    int base = marker == 'x' ? 16 : marker == 'b' ? 2 : 10;
    at += base == 10 ? 0 : 2;
    while (isxdigit(static_cast<unsigned char>(peek())) && (base == 16 || isDigit(peek())))
      ++at;
    if (base == 10 && (peek() == '.' || peek() == 'e' || peek() == 'E'))
      return lexDecimal(token, start);
    std::string digits(source.substr(base == 10 ? start : start + 2, at - start));
    // A leading 0 means octal, as in C.
    token.bits = strtoull(digits.c_str(), nullptr, base == 10 && digits.size() > 1 && digits[0] == '0' ? 8 : base);
    if (peek() == 'U')
      ++at;
    token.kind = Token::Kind::Integer;
    token.text = source.substr(start, at - start);
  }

  void lexFloatBits(Token &token, bool single) {
    size_t digits = single ? 8 : 16;
    std::string text(source.substr(at + 2, digits));
    if (text.size() != digits || text.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
      return fail(concat("a float constant has ", digits, " hexadecimal digits"));
    token.kind = Token::Kind::Float;
    token.isSingle = single;
    token.bits = strtoull(text.c_str(), nullptr, 16);
    token.text = source.substr(at, digits + 2);
    at += digits + 2;
  }

  void lexDecimal(Token &token, size_t start) {
    std::string text(source.substr(start, 64));
    char *end = nullptr;
    token.bits = std::bit_cast<uint64_t>(strtod(text.c_str(), &end));
    token.kind = Token::Kind::Float;
    at = start + static_cast<size_t>(end - text.c_str());
    token.text = source.substr(start, at - start);
  }

  std::string_view source;
  size_t at = 0;
  uint32_t &line;
  std::vector<Token> tokens;
  Status failure;
};

} // namespace

Result<std::vector<Token>> emulator::tokenize(std::string_view source, uint32_t &line) {
  line = 1;
  return Lexer(source, line).run();
}

std::string_view emulator::lineOf(std::string_view source, uint32_t line) {
  for (; line > 1; --line) {
    size_t end = source.find('\n');
    if (end == std::string_view::npos)
      return {};
    source.remove_prefix(end + 1);
  }
  source = source.substr(0, source.find('\n'));
  size_t first = source.find_first_not_of(" \t\r");
  size_t last = source.find_last_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view() : source.substr(first, last - first + 1);
}
