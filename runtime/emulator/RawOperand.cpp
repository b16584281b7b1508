#include "runtime/emulator/RawOperand.h"

#include <bit>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

bool readNumber(TokenStream &tokens, RawOperand &operand) {
  bool minus = false, complement = false;
  while (tokens.peek().is("-") || tokens.peek().is("~")) {
    complement |= tokens.peek().is("~");
    minus ^= tokens.next().text == "-";
  }
  const Token &token = tokens.peek();
  if (token.kind == Token::Kind::Integer) {
    operand.kind = RawOperand::Kind::Integer;
    operand.bits = minus ? -token.bits : token.bits;
    if (complement)
      operand.bits = ~operand.bits;
  } else if (token.kind == Token::Kind::Float) {
    operand.kind = RawOperand::Kind::Float;
    operand.isSingle = token.isSingle;
    operand.bits = token.bits ^ (minus ? uint64_t(1) << (token.isSingle ? 31 : 63) : 0);
  } else {
    return tokens.fail(concat("expected an operand, found ", TokenStream::describe(token)));
  }
  tokens.next();
  return true;
}

constexpr unsigned mostBrackets = 3; // [map, {x, y}] has two

bool readParts(TokenStream &tokens, RawOperand &operand, RawOperand::Kind kind, std::string_view close, unsigned depth) {
  operand.kind = kind;
  if (depth == mostBrackets)
    return tokens.fail("too many brackets in one another");
  tokens.next();
  do {
    operand.parts.emplace_back();
    if (!readOperand(tokens, operand.parts.back(), depth + 1))
      return false;
  } while (tokens.accept(","));
  return tokens.expect(close) && (operand.parts.size() <= 128 || tokens.fail("a vector of more than 128 elements"));
}

bool readWord(TokenStream &tokens, RawOperand &operand, unsigned depth) {
  operand.kind = RawOperand::Kind::Word;
  operand.text = tokens.next().text;
  if (!readAddend(tokens, operand.addend))
    return false;
  if (!tokens.accept("|"))
    return true;
  RawOperand first = operand, second;
  if (depth == mostBrackets)
    return tokens.fail("too many bars");
  if (!readOperand(tokens, second, depth + 1))
    return false;
  operand.kind = RawOperand::Kind::Pair;
  operand.parts = {first, second};
  return true;
}

} // namespace

bool emulator::readAddend(TokenStream &tokens, int64_t &addend) {
  while (tokens.peek().is("+") || tokens.peek().is("-")) {
    bool minus = tokens.next().text == "-";
    while (tokens.accept("-"))
      minus = !minus;
    if (tokens.peek().kind != Token::Kind::Integer)
      return tokens.fail(concat("expected an integer, found ", TokenStream::describe(tokens.peek())));
    int64_t value = static_cast<int64_t>(tokens.next().bits);
    addend += minus ? -value : value;
  }
  return true;
}

bool emulator::readOperand(TokenStream &tokens, RawOperand &operand, unsigned depth) {
  operand.line = tokens.peek().line;
  if (tokens.accept("!")) {
    operand.negated = true;
    if (tokens.peek().kind != Token::Kind::Word)
      return tokens.fail("expected a predicate after '!'");
  }
  if (tokens.peek().is("{"))
    return readParts(tokens, operand, RawOperand::Kind::Vector, "}", depth);
  if (tokens.peek().is("["))
    return readParts(tokens, operand, RawOperand::Kind::Address, "]", depth);
  if (tokens.peek().kind == Token::Kind::Word)
    return readWord(tokens, operand, depth);
  return readNumber(tokens, operand);
}
