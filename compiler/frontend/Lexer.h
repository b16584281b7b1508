// From a source text to tokens.
#pragma once

#include "compiler/frontend/AST.h"
#include "compiler/frontend/Diagnostics.h"
#include "compiler/frontend/Source.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::frontend {

enum class TokenKind : uint8_t {
#define TOKEN(kind, text) kind,
#include "compiler/frontend/Token.def"
};

struct Token {
  TokenKind kind;
  bool firstOnLine; ///< nothing but white space stands before it on its line
  SourceRange where;
  std::string_view text; ///< as written; a comment without its line break
};

struct LexedSource {
  std::vector<Token> tokens;   ///< without comments; the last one is End
  std::vector<Token> comments; ///< in order, documentation (`///`) included
};

/// All tokens of a source by the longest match. What is no token becomes one Invalid token and one error; a malformed number
/// becomes an error and a number. With more than `tokenLimit` tokens it reports that and stops.
LexedSource lex(const Source &source, Diagnostics &diagnostics, size_t tokenLimit);

/// How a kind is written (`;`, `kernel`), or what it is ("a name").
std::string_view textOf(TokenKind kind);
/// A reserved word, the dtypes included.
bool isKeyword(TokenKind kind);
/// The dtype a token names, if it does.
std::optional<DType> dtypeOf(TokenKind kind);
/// For "found …": `text` between backquotes, or what it is.
std::string describe(const Token &token);

/// The values of literals; of malformed ones (already reported), something near.
uint64_t integerValue(const Token &token);
double floatValue(const Token &token);
std::string stringValue(const Token &token);

} // namespace tilewright::frontend
