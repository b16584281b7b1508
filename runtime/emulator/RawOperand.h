// Operands as written, before anybody knows what they name; and the stream of tokens they are read from.
#pragma once

#include "runtime/Text.h"
#include "runtime/emulator/Lexer.h"

#include <string>
#include <vector>

namespace tilewright::runtime::emulator {

class TokenStream {
public:
  explicit TokenStream(std::vector<Token> tokens) : tokens(std::move(tokens)) {}

  const Token &peek(size_t ahead = 0) const { return tokens[std::min(at + ahead, tokens.size() - 1)]; }
  const Token &next() { return tokens[at + 1 < tokens.size() ? at++ : at]; }
  bool atEnd() const { return peek().kind == Token::Kind::End; }
  bool accept(std::string_view symbol) {
    if (!peek().is(symbol))
      return false;
    next();
    return true;
  }
  bool acceptWord(std::string_view word) {
    if (!peek().isWord(word))
      return false;
    next();
    return true;
  }

  /// The first failure stays. Always false, so that a parsing function can return it.
  bool fail(uint32_t line, std::string message, tw_status code = TW_INVALID_SOURCE) {
    if (failureMessage.empty()) {
      failureLine = line;
      failureMessage = std::move(message);
      failureCode = code;
    }
    return false;
  }
  bool fail(std::string message) { return fail(peek().line, std::move(message)); }
  bool expect(std::string_view symbol) {
    return accept(symbol) || fail(concat("expected '", symbol, "', found ", describe(peek())));
  }
  static std::string describe(const Token &token) {
    return token.kind == Token::Kind::End ? "the end of the text" : concat('\'', token.text, '\'');
  }

  uint32_t failureLine = 0;
  std::string failureMessage;
  tw_status failureCode = TW_OK;

private:
  std::vector<Token> tokens;
  size_t at = 0;
};

struct RawOperand {
  enum class Kind : uint8_t { Word, Integer, Float, Vector, Address, Pair };

  Kind kind = Kind::Word;
  std::string_view text; // Word
  uint32_t line = 0;
  uint64_t bits = 0;             // Integer, Float
  bool isSingle = false;         // Float: bits of an f32
  bool negated = false;          // !%p
  int64_t addend = 0;            // Word: symbol + 4
  std::vector<RawOperand> parts; // Vector; Address: the base; Pair: d|p
};

/// Any number of `+ 4`, `- 8`, `+-8`, summed; false after a failure.
bool readAddend(TokenStream &tokens, int64_t &addend);

/// One operand of an instruction; false after a failure. `depth`: how many brackets it is in.
bool readOperand(TokenStream &tokens, RawOperand &operand, unsigned depth = 0);

} // namespace tilewright::runtime::emulator
