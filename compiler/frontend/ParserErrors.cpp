// How errors are handled, with the words that messages and recovery look for.
//
// `fail` reports a fault and starts a panic. In a panic nothing matches: `at`, `accept` and `expect` answer no without a word,
// so every loop ends and the parse functions return by themselves, with null for what they could not finish. The panic ends
// where parsing can go on: `recoverInStatement` after a bad statement, `recoverInList` after a bad parameter, `recoverInHeader`
// before a block, `recoverInFile` after a bad declaration. `complain` reports a fault whose remedy is clear (`&&`, a missing
// `;` before a new line) and goes on as if it had been applied. Two rules prevent cascades: one token causes one error, and an
// Invalid token none, since the lexer has reported it.
//
// What was read is checked even if other parts were not. So that nothing is reported twice, `noteUnread` keeps the names in what
// was left out, which Sema does not miss, and a node that was read in spite of a fault is marked `faulty`.
#include "compiler/frontend/ParserState.h"

namespace tilewright::frontend::parsing {

// --------------------------------------------------------------------------------------------------------------------
// Words of the language and of others
// --------------------------------------------------------------------------------------------------------------------

// clang-format off
bool beginsDeclaration(Kind kind) {
  return kind == Kind::Kernel || kind == Kind::Fn || kind == Kind::Import || kind == Kind::Extern || kind == Kind::Deriv ||
         kind == Kind::Let;
}

bool beginsStatement(Kind kind) {
  switch (kind) {
  case Kind::Let: case Kind::Var: case Kind::If: case Kind::For: case Kind::While: case Kind::Require: case Kind::Tune:
  case Kind::Print: case Kind::Assert: case Kind::Return: case Kind::Atomic:
    return true;
  default:
    return false;
  }
}

bool beginsOperand(Kind kind) {
  switch (kind) {
  case Kind::Name: case Kind::Integer: case Kind::Float: case Kind::True: case Kind::False: case Kind::Inf: case Kind::Nan:
  case Kind::Span: case Kind::Deriv: case Kind::Accum:
    return true;
  default:
    return dtypeOf(kind).has_value();
  }
}
// clang-format on

Kind nearestKeyword(std::string_view word, const std::vector<Kind> &candidates) {
  std::vector<std::string_view> spellings;
  spellings.reserve(candidates.size());
  for (Kind kind : candidates)
    spellings.push_back(textOf(kind));
  std::string nearest = nearestName(word, spellings);
  for (Kind kind : candidates)
    if (textOf(kind) == nearest)
      return kind;
  return Kind::End;
}

bool isForeignType(std::string_view word) {
  static const std::set<std::string_view> words = {"int",   "long", "unsigned", "double", "half", "char",
                                                   "short", "auto", "const",    "size_t", "void", "constexpr"};
  return words.contains(word);
}

// --------------------------------------------------------------------------------------------------------------------
// Tokens, errors, recovery
// --------------------------------------------------------------------------------------------------------------------

// ---- Tokens --------------------------------------------------------------------------------------------------------

const Token &Parser::take() {
  const Token &token = peek();
  if (position + 1 < tokens.size())
    ++position;
  return token;
}

bool Parser::accept(Kind kind) {
  if (!at(kind))
    return false;
  take();
  return true;
}

/// The current token is the first character of its line.
bool Parser::atMargin() const {
  return peek().firstOnLine && source.locate(here().begin).column == 1;
}

// ---- Errors --------------------------------------------------------------------------------------------------------

/// One token causes one error, and one that the lexer reported none; nor does the end of a file that such a token swallowed.
bool Parser::reportable() {
  bool swallowed = sees(Kind::End) && position > 0 && previous().kind == Kind::Invalid;
  if (panicking || abandoned || sees(Kind::Invalid) || swallowed || lastFault == position)
    return false;
  lastFault = position;
  return true;
}

Diagnostic &Parser::fail(SourceRange where, std::string message) {
  Diagnostic &diagnostic = complain(where, std::move(message));
  panicking = true;
  return diagnostic;
}

Diagnostic &Parser::complain(SourceRange where, std::string message) {
  ++faults;
  if (reportable()) {
    reportLexicalUpTo(std::max(where.begin, here().begin));
    return diagnostics.error(where, std::move(message));
  }
  silent = {};
  return silent;
}

/// Hands on the lexer's errors, so that all errors come in the order of the text.
void Parser::reportLexicalUpTo(uint32_t offset) {
  const auto &all = lexical.all();
  for (; nextLexical < all.size() && all[nextLexical].where.begin <= offset; ++nextLexical) {
    Diagnostic &copy = diagnostics.error(all[nextLexical].where, all[nextLexical].message);
    copy = all[nextLexical];
  }
}

/// The lexer's errors beyond the limit are counted here too.
void Parser::reportDroppedLexical() {
  reportLexicalUpTo(std::numeric_limits<uint32_t>::max());
  for (unsigned count = Diagnostics::errorLimit; count < lexical.errorCount(); ++count)
    diagnostics.error(here(), "more lexical errors");
}

Diagnostic &Parser::failExpected(const std::string &what) {
  SourceRange where = sees(Kind::End) && position > 0 ? afterPrevious() : here();
  return fail(where, "expected " + what + ", found " + describe(peek()));
}

/// A limit is exceeded: reports it and ends the parse.
void Parser::abandon(SourceRange where, std::string message) {
  if (!abandoned) {
    reportLexicalUpTo(where.begin);
    diagnostics.error(where, std::move(message));
  }
  abandoned = panicking = true;
  position = tokens.size() - 1;
}

/// `purpose` follows the token's text: "after the name".
bool Parser::expect(Kind kind, const std::string &purpose) {
  if (accept(kind))
    return true;
  failExpected(quote(textOf(kind)) + (purpose.empty() ? "" : " " + purpose));
  return false;
}

/// `what` says what else could have stood here: "`,` or `)`".
bool Parser::expectClose(Kind close, const Token &open, const std::string &what) {
  if (accept(close))
    return true;
  bool sameLine = source.locate(open.where.begin).line == source.locate(here().begin).line;
  bool unterminated = !sameLine || sees(Kind::End) || sees(Kind::Semicolon) || sees(Kind::LeftBrace) || sees(Kind::RightBrace);
  Diagnostic &diagnostic = failExpected(what);
  explainAfterExpression(diagnostic);
  if (close == Kind::RightBracket && sees(Kind::Colon))
    diagnostic.help("there are no slices: a span indexes its dimension, `x[i, k]`");
  if (sees(Kind::Else) || sees(Kind::Over))
    diagnostic.help(sees(Kind::Else) ? "a comma stands before `else`: `x[i, else 0]`"
                                     : "a comma stands before `over`: `sum(t, over k)`");
  if (unterminated)
    diagnostic.note(open.where, "the " + quote(open.text) + " is here");
  return false;
}

/// Remedies for what cannot follow an expression but does in other languages.
void Parser::explainAfterExpression(Diagnostic &diagnostic) {
  switch (peek().kind) {
  case Kind::Question:
  case Kind::If:
    diagnostic.help("write `where(c, a, b)` for a where c holds and b elsewhere");
    break;
  case Kind::PlusPlus:
    diagnostic.help("there is no `++`; expressions have no effects");
    break;
  case Kind::Assign:
    diagnostic.help("write `==` to compare");
    break;
  case Kind::PlusAssign:
  case Kind::MinusAssign:
  case Kind::MaxAssign:
  case Kind::MinAssign:
    diagnostic.help("only `atomic` gives the value before: `let old = atomic v[i] += 1;`");
    break;
  case Kind::As:
    diagnostic.help("a cast is written like a call: `f32(x)`");
    break;
  case Kind::DotDot:
    diagnostic.help("a range is no value: it stands after `in`");
    break;
  case Kind::Star:
  case Kind::Ampersand:
    diagnostic.help("there are no pointers: memory is a view, `x: f32[N]`");
    break;
  case Kind::LeftBracket:
    diagnostic.help("what belongs to one name stands between one pair of brackets: `[M, N]`");
    break;
  case Kind::String:
    diagnostic.help("a comma stands before the text");
    break;
  default:
    break;
  }
}

/// Points just after the previous token. Before a new line, or a `}`, the `;` is taken as read.
void Parser::expectSemicolon(const std::string &after) {
  if (panicking || accept(Kind::Semicolon))
    return;
  if (peek().firstOnLine || sees(Kind::RightBrace) || sees(Kind::End)) {
    complain(afterPrevious(), "expected `;` after " + after);
    --faults; // what stands before it was read
    return;
  }
  Diagnostic &diagnostic = fail(here(), "expected `;` after " + after + ", found " + describe(peek()));
  explainAfterExpression(diagnostic);
  if (sees(Kind::Assign))
    diagnostic.help("a statement assigns once; write `==` to compare");
  if (sees(Kind::RightParenthesis) || sees(Kind::RightBracket))
    diagnostic.help("no bracket is open that " + quote(peek().text) + " could close");
}

// ---- Recovery ------------------------------------------------------------------------------------------------------

/// What stands from token `from` to here is left out. It may have declared any name in it.
void Parser::noteUnread(size_t from) {
  for (size_t at = from; at < position; ++at)
    if (tokens[at].kind == Kind::Name)
      unreadNames.emplace(tokens[at].text);
}

/// The lexer found something wrong there.
bool Parser::hasLexicalFault(SourceRange where) const {
  const auto &all = lexical.all();
  auto first = std::lower_bound(all.begin(), all.end(), where.begin,
                                [](const Diagnostic &each, uint32_t begin) { return each.where.begin < begin; });
  return first != all.end() && first->where.begin < where.end;
}

/// Skips a `(…)`, `[…]` or `{…}` as a whole, or one token. An unterminated one ends where a declaration begins.
void Parser::skipBalanced() {
  size_t open = 0;
  do {
    Kind kind = take().kind;
    if (kind == Kind::LeftParenthesis || kind == Kind::LeftBracket || kind == Kind::LeftBrace)
      ++open;
    else if (open > 0 && (kind == Kind::RightParenthesis || kind == Kind::RightBracket || kind == Kind::RightBrace))
      --open;
  } while (open > 0 && !endsRecovery());
}

/// Nothing skips over the end, or over the beginning of a declaration. What may also stand in a block counts at the margin
/// only.
bool Parser::endsRecovery() const {
  Kind kind = peek().kind;
  if (kind == Kind::End)
    return true;
  if (!peek().firstOnLine || !beginsDeclaration(kind) || (kind == Kind::Let && depth > 0))
    return false;
  return atMargin() || kind == Kind::Kernel || kind == Kind::Import || kind == Kind::Extern;
}

/// To the next declaration, or to a word at the margin where one may be meant, since what stands before it is complete.
void Parser::recoverInFile() {
  int open = 0;
  auto mayBegin = [&] {
    bool complete = previous().kind == Kind::Semicolon || previous().kind == Kind::RightBrace;
    bool word = sees(Kind::Name) || isKeyword(peek().kind);
    return open <= 0 && complete && word && atMargin();
  };
  while (!endsRecovery() && !mayBegin()) {
    open += sees(Kind::LeftBrace) - sees(Kind::RightBrace);
    take();
  }
  panicking = abandoned;
}

/// To the `;` that ends the statement, over a block that belongs to it, or before a line that begins another.
void Parser::recoverInStatement(size_t start) {
  auto begins = [&] { return position > start && peek().firstOnLine && beginsStatement(peek().kind); };
  while (panicking && !endsRecovery() && !sees(Kind::RightBrace) && !begins()) {
    bool last = sees(Kind::Semicolon) || sees(Kind::LeftBrace);
    if (sees(Kind::LeftBrace))
      skipBalanced();
    else
      take();
    if (last && !sees(Kind::Else) && !(sees(Kind::Semicolon) && !peek().firstOnLine))
      break;
  }
  panicking = abandoned;
}

/// To the `{` of the block that the header stands before, whatever is wrong in between.
void Parser::recoverInHeader() {
  if (!panicking)
    return;
  size_t ahead = 0;
  auto ends = [&](const Token &token) {
    return token.kind == Kind::End || token.kind == Kind::LeftBrace || token.kind == Kind::RightBrace ||
           (ahead > 0 && token.firstOnLine && (beginsStatement(token.kind) || beginsDeclaration(token.kind)));
  };
  while (!ends(peek(ahead)))
    ++ahead;
  if (abandoned || peek(ahead).kind != Kind::LeftBrace)
    return;
  position += ahead;
  panicking = false;
}

/// To the `,` or the closing bracket after a bad element.
void Parser::recoverInList(Kind close) {
  if (!panicking || abandoned)
    return;
  size_t start = position;
  while (!sees(Kind::Comma) && !sees(close)) {
    if (endsRecovery() || sees(Kind::Semicolon) || sees(Kind::LeftBrace) || sees(Kind::RightBrace)) {
      position = start;
      return;
    }
    skipBalanced();
  }
  panicking = false;
}

} // namespace tilewright::frontend::parsing
