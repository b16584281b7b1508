// Recursive descent with one token of lookahead, two at `NAME =` and `NAME ...`.
//
// How errors are handled. `fail` reports a fault and starts a panic. In a panic nothing matches: `at`, `accept` and `expect`
// answer no without a word, so every loop ends and the parse functions return by themselves, with null for what they could not
// finish. The panic ends where parsing can go on: `recoverInStatement` after a bad statement, `recoverInList` after a bad
// parameter, `recoverInHeader` before a block, `recoverInFile` after a bad declaration. `complain` reports a fault whose remedy
// is clear (`&&`, a missing `;` before a new line) and goes on as if it had been applied. Two rules prevent cascades: one token
// causes one error, and an Invalid token none, since the lexer has reported it.
#include "compiler/frontend/Parser.h"

#include "compiler/frontend/Lexer.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

namespace tilewright::frontend {

namespace {

using namespace ast;
using Kind = TokenKind;

// --------------------------------------------------------------------------------------------------------------------
// Operators
// --------------------------------------------------------------------------------------------------------------------

// clang-format off
/// How tightly operators bind, from loose to tight.
enum Precedence : unsigned { OrLevel = 1, AndLevel, NotLevel, ComparisonLevel, BitOrLevel, BitXorLevel, BitAndLevel, ShiftLevel,
                             SumLevel, TermLevel };

struct BinaryInfo {
  BinaryOperator op;
  unsigned level;
};

std::optional<BinaryInfo> binaryInfo(Kind kind) {
  switch (kind) {
  case Kind::Or:                 return BinaryInfo{BinaryOperator::Or, OrLevel};
  case Kind::PipePipe:           return BinaryInfo{BinaryOperator::Or, OrLevel};
  case Kind::And:                return BinaryInfo{BinaryOperator::And, AndLevel};
  case Kind::AmpersandAmpersand: return BinaryInfo{BinaryOperator::And, AndLevel};
  case Kind::EqualEqual:         return BinaryInfo{BinaryOperator::Equal, ComparisonLevel};
  case Kind::NotEqual:           return BinaryInfo{BinaryOperator::NotEqual, ComparisonLevel};
  case Kind::Less:               return BinaryInfo{BinaryOperator::Less, ComparisonLevel};
  case Kind::LessEqual:          return BinaryInfo{BinaryOperator::LessEqual, ComparisonLevel};
  case Kind::Greater:            return BinaryInfo{BinaryOperator::Greater, ComparisonLevel};
  case Kind::GreaterEqual:       return BinaryInfo{BinaryOperator::GreaterEqual, ComparisonLevel};
  case Kind::Pipe:               return BinaryInfo{BinaryOperator::BitOr, BitOrLevel};
  case Kind::Caret:              return BinaryInfo{BinaryOperator::BitXor, BitXorLevel};
  case Kind::Ampersand:          return BinaryInfo{BinaryOperator::BitAnd, BitAndLevel};
  case Kind::ShiftLeft:          return BinaryInfo{BinaryOperator::ShiftLeft, ShiftLevel};
  case Kind::ShiftRight:         return BinaryInfo{BinaryOperator::ShiftRight, ShiftLevel};
  case Kind::Plus:               return BinaryInfo{BinaryOperator::Add, SumLevel};
  case Kind::Minus:              return BinaryInfo{BinaryOperator::Subtract, SumLevel};
  case Kind::Star:               return BinaryInfo{BinaryOperator::Multiply, TermLevel};
  case Kind::Slash:              return BinaryInfo{BinaryOperator::Divide, TermLevel};
  case Kind::Percent:            return BinaryInfo{BinaryOperator::Remainder, TermLevel};
  default:                       return std::nullopt;
  }
}

std::optional<AssignOperator> assignOperator(Kind kind) {
  switch (kind) {
  case Kind::Assign:      return AssignOperator::Set;
  case Kind::PlusAssign:  return AssignOperator::Add;
  case Kind::MinusAssign: return AssignOperator::Subtract;
  case Kind::StarAssign:  return AssignOperator::Multiply;
  case Kind::SlashAssign: return AssignOperator::Divide;
  case Kind::MaxAssign:   return AssignOperator::Max;
  case Kind::MinAssign:   return AssignOperator::Min;
  default:                return std::nullopt;
  }
}

// --------------------------------------------------------------------------------------------------------------------
// Words of the language and of others
// --------------------------------------------------------------------------------------------------------------------

bool beginsDeclaration(Kind kind) {
  return kind == Kind::Kernel || kind == Kind::Fn || kind == Kind::Import || kind == Kind::Extern || kind == Kind::Deriv ||
         kind == Kind::Let;
}

/// Reserved words that begin a statement.
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

/// The keyword a misspelt word was probably meant to be, or End.
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

/// Words of other languages for what this one has under another name.
Kind translatedKeyword(std::string_view word) {
  if (word == "def" || word == "func" || word == "function")
    return Kind::Fn;
  if (word == "include" || word == "use" || word == "using")
    return Kind::Import;
  return Kind::End;
}

bool isForeignType(std::string_view word) {
  static const std::set<std::string_view> words = {"int",   "long", "unsigned", "double", "half", "char",
                                                   "short", "auto", "const",    "size_t", "void", "constexpr"};
  return words.contains(word);
}

std::string quote(std::string_view text) {
  return "`" + std::string(text) + "`";
}

// --------------------------------------------------------------------------------------------------------------------
// The parser
// --------------------------------------------------------------------------------------------------------------------

class Parser {
public:
  Parser(const Source &source, Diagnostics &diagnostics) : source(source), diagnostics(diagnostics) {
    LexedSource lexed = lex(source, lexical, maxTokenCount);
    tokens = std::move(lexed.tokens);
    comments = std::move(lexed.comments);
  }

  File parseFile();

private:
  // Tokens.
  const Token &peek(size_t ahead = 0) const { return tokens[std::min(position + ahead, tokens.size() - 1)]; }
  const Token &previous() const { return tokens[position == 0 ? 0 : position - 1]; }
  const Token &take();
  bool sees(Kind kind) const { return peek().kind == kind; }
  bool at(Kind kind) const { return !panicking && sees(kind); }
  bool accept(Kind kind);
  SourceRange here() const { return peek().where; }
  SourceRange afterPrevious() const { return {&source, previous().where.end, previous().where.end}; }
  SourceRange since(SourceRange start) const { return join(start, previous().where); }
  bool touchesNext(size_t ahead = 0) const { return peek(ahead).where.end == peek(ahead + 1).where.begin; }
  bool atMargin() const;

  // Errors.
  Diagnostic &fail(SourceRange where, std::string message);
  Diagnostic &complain(SourceRange where, std::string message);
  Diagnostic &failExpected(const std::string &what);
  bool reportable();
  void reportLexicalUpTo(uint32_t offset);
  void reportDroppedLexical();
  void abandon(SourceRange where, std::string message);
  bool expect(Kind kind, const std::string &purpose = {});
  bool expectClose(Kind close, const Token &open, const std::string &what);
  void expectSemicolon(const std::string &after);
  void explainAfterExpression(Diagnostic &diagnostic);

  // Recovery.
  void recoverInFile();
  void recoverInStatement(size_t start);
  void recoverInHeader();
  void recoverInList(Kind close);
  void skipBalanced();
  bool endsRecovery() const;

  // Names, types, lists.
  Name expectName(const std::string &what);
  Name parseValueName() { return expectName("a value"); }
  StringLiteral expectString(const std::string &what);
  DTypeReference parseDType();
  TileTypeReference parseTileType();
  std::optional<TileTypeReference> parseOptionalType();
  std::string takeDocumentation();
  bool parseList(Kind open, Kind close, const std::string &what, const std::function<void()> &parseElement);
  template <typename Element>
  bool parseElements(std::vector<Element> &elements, Kind open, Kind close, const std::string &what,
                     Element (Parser::*parseElement)());

  // Declarations.
  DeclarationPtr parseDeclaration();
  DeclarationPtr parseUnknownDeclaration();
  DeclarationPtr parseImport();
  DeclarationPtr parseConstant();
  DeclarationPtr parseFunction();
  DeclarationPtr parseDerivative();
  Name parseDerivativeParameter();
  DeclarationPtr parseExtern();
  DeclarationPtr parseKernel();
  std::vector<StaticParameter> parseStatics();
  StaticParameter parseStatic();
  void parseFunctionStatic(StaticParameter &parameter);
  void parseKinds(StaticParameter &parameter);
  TypeClass parseTypeClass();
  FunctionParameter parseFunctionParameter();
  std::vector<FunctionParameter> parseFunctionParameters();
  std::vector<DTypeReference> parseResults();
  bool expectArrow();
  void expectReturn(const FunctionDeclaration &function);
  std::vector<Parameter> parseParameters();
  Parameter parseParameter();
  Parameter::Access parseAccess();
  Dimension parseDimension();
  void expectColonAndType(const std::string &example);
  AxisDeclaration parseAxis();

  // Statements.
  Block parseBlock();
  void parseStatementInto(Block &block);
  StatementPtr parseStatement();
  StatementPtr parseLet();
  StatementPtr parseLetTuple(SourceRange start);
  StatementPtr parseVar();
  bool expectInitializer(const Token &keyword, const Name &name);
  StatementPtr parseIf();
  bool parseElse(IfStatement &statement);
  StatementPtr parseFor();
  StatementPtr parseWhile();
  StatementPtr parseRequire();
  StatementPtr parseTune();
  StatementPtr parsePrint();
  StatementPtr parseAssert();
  std::vector<PrintArgument> parsePrintArguments();
  PrintArgument parsePrintArgument();
  StatementPtr parseReturn();
  StatementPtr parseStoreStatement();
  std::unique_ptr<AssignStatement> parseStore(SourceRange start, bool atomic);
  std::optional<AssignOperator> expectAssignOperator(const Token &target);
  void explainNoAssignment(Diagnostic &diagnostic, const Token &target);
  bool acceptIncrement(const Token &target);
  StatementPtr parseUnknownStatement();
  bool correctKeyword();
  bool parseForeignDeclaration();
  Block parseBody();
  ExpressionPtr parseCondition();

  // Expressions.
  ExpressionPtr parseExpression() { return parseBinary(OrLevel); }
  ExpressionPtr parseBinary(unsigned loosest);
  ExpressionPtr parseBinaryRest(ExpressionPtr left, unsigned loosest, unsigned tightest);
  void checkChain(unsigned level, const Expression &left, bool leftIsComparison);
  ExpressionPtr parseNot();
  ExpressionPtr parseUnary();
  ExpressionPtr parsePostfix();
  ExpressionPtr parsePrimary();
  ExpressionPtr parseNumber();
  ExpressionPtr parseParenthesized();
  ExpressionPtr parseCCast(ExpressionPtr type);
  ExpressionPtr parseWord();
  ExpressionPtr parseCall(ExpressionPtr callee);
  void parseItem(CallExpression &call);
  void parseArgument(CallExpression &call);
  void parseOverAxes(CallExpression &call);
  void parseOption(CallExpression &call);
  ExpressionPtr parseIndex(ExpressionPtr base);
  ExpressionPtr parseMember(ExpressionPtr base);
  Places parsePlaces();
  void parseOutside(Places &places);
  ExpressionPtr parseValues();
  ExpressionPtr failNoExpression();
  void explainNoExpression(Diagnostic &diagnostic);
  bool grow(unsigned childHeight, SourceRange where);

  /// Counts a level of nesting while it lives.
  class Nesting {
  public:
    explicit Nesting(Parser &parser) : parser(parser) {
      if (++parser.depth > maxNesting)
        parser.abandon(parser.here(), "nesting is deeper than " + std::to_string(maxNesting) + " levels");
    }
    ~Nesting() { --parser.depth; }
    Nesting(const Nesting &) = delete;

  private:
    Parser &parser;
  };

  static constexpr size_t nowhere = std::numeric_limits<size_t>::max();

  const Source &source;
  Diagnostics &diagnostics;
  std::vector<Token> tokens;
  std::vector<Token> comments;
  Diagnostics lexical;    ///< the lexer's errors, of which
  size_t nextLexical = 0; ///< this one comes next
  size_t position = 0;
  size_t statementStart = 0;         ///< of the innermost statement
  size_t nextComment = 0;            ///< the first comment that stands after the last declaration's beginning
  unsigned depth = 0;                ///< see Nesting
  unsigned height = 0;               ///< of the expression parsed last
  bool panicking = false;            ///< see the head of this file
  bool abandoned = false;            ///< a limit was exceeded: nothing more is reported
  size_t lastFault = nowhere;        ///< the token that the last error was about
  size_t tupleAllowedAt = nowhere;   ///< the token `(` that may begin a list of values
  std::optional<Token> shiftedBrace; ///< a `{` whose `}` has another indentation: it may lack its own
  std::set<std::string> importAliases;
  std::set<std::string> typeStatics; ///< of the declaration
  Diagnostic silent;                 ///< what is not to be reported is written to
};

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

/// One token causes one error, and one that the lexer reported none.
bool Parser::reportable() {
  if (panicking || abandoned || sees(Kind::Invalid) || lastFault == position)
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
  if (reportable()) {
    reportLexicalUpTo(where.begin);
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

void Parser::recoverInFile() {
  while (!endsRecovery())
    take();
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

// --------------------------------------------------------------------------------------------------------------------
// Names, types, lists
// --------------------------------------------------------------------------------------------------------------------

/// `what` is named by it: "a value".
Name Parser::expectName(const std::string &what) {
  if (at(Kind::Name)) {
    const Token &token = take();
    return {std::string(token.text), token.where};
  }
  bool nextStatement = peek().firstOnLine && beginsStatement(peek().kind);
  if (!panicking && isKeyword(peek().kind) && !nextStatement) {
    complain(here(), quote(peek().text) + " is a reserved word and cannot be the name of " + what);
    const Token &token = take();
    return {std::string(token.text), token.where};
  }
  if (at(Kind::MaxAssign) || at(Kind::MinAssign))
    fail(here(), "expected the name of " + what + ", found " + describe(peek()))
        .help("written together " + quote(peek().text) + " is an operator");
  else
    failExpected("the name of " + what);
  return {};
}

StringLiteral Parser::expectString(const std::string &what) {
  if (!at(Kind::String)) {
    failExpected(what + " in double quotes");
    return {};
  }
  const Token &token = take();
  return {stringValue(token), token.where};
}

DTypeReference Parser::parseDType() {
  DTypeReference reference{here(), dtypeOf(peek().kind), {}, nullptr};
  if (at(Kind::Name))
    reference.name = std::string(take().text);
  else if (!panicking && reference.builtin)
    take();
  else if (accept(Kind::Accum)) {
    Nesting nesting(*this);
    const Token &open = peek();
    expect(Kind::LeftParenthesis, "after `accum`");
    reference.accumOf = std::make_shared<DTypeReference>(parseDType());
    expectClose(Kind::RightParenthesis, open, "`)`");
  } else if (at(Kind::FloatClass) || at(Kind::RealClass) || at(Kind::IntegerClass) || at(Kind::NumberClass))
    fail(here(), quote(peek().text) + " is a class of dtypes, not a dtype")
        .help("name one, such as `f32` or `i64`, or a type static: `<T: " + std::string(peek().text) + ">`");
  else
    failExpected("a dtype");
  reference.where = since(reference.where);
  return reference;
}

/// `f32[i, j]` in a body.
TileTypeReference Parser::parseTileType() {
  TileTypeReference type;
  SourceRange start = here();
  type.dtype = parseDType();
  const Token &open = peek();
  if (accept(Kind::LeftBracket)) {
    do {
      if (at(Kind::Integer) || at(Kind::RightBracket))
        failExpected("an axis").help("a tile's axes are the names of spans: `f32[i, j]`; a scalar has none: `f32`");
      type.axes.push_back(expectName("an axis"));
    } while (accept(Kind::Comma));
    expectClose(Kind::RightBracket, open, "`,` or `]`");
  }
  type.where = since(start);
  return type;
}

std::optional<TileTypeReference> Parser::parseOptionalType() {
  if (!accept(Kind::Colon))
    return std::nullopt;
  return parseTileType();
}

/// `open [ element { , element } ] close`, with recovery at each element. False after an error.
bool Parser::parseList(Kind open, Kind close, const std::string &what, const std::function<void()> &parseElement) {
  const Token &opening = peek();
  bool faulty = !expect(open, "before " + what);
  if (faulty || accept(close))
    return !faulty;
  std::string separator = "`,` or " + quote(textOf(close));
  do {
    if (at(close)) {
      complain(previous().where, "unexpected `,` after the last element");
      break;
    }
    parseElement();
    if (!panicking && !sees(Kind::Comma) && !sees(close))
      expectClose(close, opening, separator);
    faulty |= panicking;
    recoverInList(close);
  } while (accept(Kind::Comma));
  return expectClose(close, opening, separator) && !faulty;
}

/// The same, with the elements that have no fault.
template <typename Element>
bool Parser::parseElements(std::vector<Element> &elements, Kind open, Kind close, const std::string &what,
                           Element (Parser::*parseElement)()) {
  return parseList(open, close, what, [&] {
    Element element = (this->*parseElement)();
    if (!panicking)
      elements.push_back(std::move(element));
  });
}

/// The `///` lines since the previous declaration's beginning that stand on lines of their own after its end.
std::string Parser::takeDocumentation() {
  std::string text;
  uint32_t from = position == 0 ? 0 : previous().where.end;
  for (; nextComment < comments.size() && comments[nextComment].where.begin < here().begin; ++nextComment) {
    const Token &comment = comments[nextComment];
    if (comment.kind != Kind::Documentation || comment.where.begin < from || !comment.firstOnLine)
      continue;
    std::string_view line = comment.text.substr(3);
    line.remove_prefix(line.starts_with(' ') ? 1 : 0);
    text += (text.empty() ? "" : "\n") + std::string(line);
  }
  return text;
}

// --------------------------------------------------------------------------------------------------------------------
// Declarations
// --------------------------------------------------------------------------------------------------------------------

File Parser::parseFile() {
  File file{&source, {}};
  while (!sees(Kind::End)) {
    size_t start = position;
    std::string documentation = takeDocumentation();
    shiftedBrace.reset();
    DeclarationPtr declaration = parseDeclaration();
    if (declaration && !panicking) {
      declaration->documentation = std::move(documentation);
      declaration->where = since(declaration->where);
      file.declarations.push_back(std::move(declaration));
    }
    if (panicking)
      recoverInFile();
    if (position == start)
      take();
  }
  reportDroppedLexical();
  return file;
}

DeclarationPtr Parser::parseDeclaration() {
  switch (peek().kind) {
  case Kind::Import:
    return parseImport();
  case Kind::Let:
    return parseConstant();
  case Kind::Fn:
    return parseFunction();
  case Kind::Deriv:
    return parseDerivative();
  case Kind::Extern:
    return parseExtern();
  case Kind::Kernel:
    return parseKernel();
  default:
    return parseUnknownDeclaration();
  }
}

/// A misspelt keyword is taken for what it was meant to be; anything else is skipped up to the next declaration.
DeclarationPtr Parser::parseUnknownDeclaration() {
  Kind meant = Kind::End;
  if (at(Kind::Name) && (peek(1).kind == Kind::Name || peek(1).kind == Kind::String)) {
    meant = translatedKeyword(peek().text);
    if (meant == Kind::End)
      meant = nearestKeyword(peek().text, {Kind::Kernel, Kind::Fn, Kind::Let, Kind::Import, Kind::Extern, Kind::Deriv});
  }
  if (sees(Kind::Name) && peek().text == "def") { // what follows is hardly this language
    failExpected("a declaration").help("as in `fn f(x: f32) -> f32 = x * x;`");
    take();
    return nullptr;
  }
  if (meant != Kind::End) {
    complain(here(), "expected a declaration, found " + describe(peek())).help("did you mean " + quote(textOf(meant)) + "?");
    tokens[position].kind = meant;
    return parseDeclaration();
  }
  if (sees(Kind::RightBrace))
    fail(here(), "no `{` is open that this `}` could close");
  else if (sees(Kind::Semicolon))
    fail(here(), "expected a declaration, found `;`").help("no `;` follows a block");
  else if (sees(Kind::Name) || sees(Kind::For) || sees(Kind::If) || sees(Kind::While))
    failExpected("a declaration (`kernel`, `fn`, `let`, `import`, `deriv` or `extern`)")
        .help("statements stand in the block of a kernel or a function");
  else if (sees(Kind::Var))
    fail(here(), "expected a declaration, found `var`").help("constants of a file are written `let name = value;`");
  else
    failExpected("a declaration (`kernel`, `fn`, `let`, `import`, `deriv` or `extern`)");
  take();
  return nullptr;
}

DeclarationPtr Parser::parseImport() {
  auto import = std::make_unique<ImportDeclaration>(take().where);
  import->path = expectString("the path");
  if (accept(Kind::As)) {
    import->alias = expectName("the import");
    importAliases.insert(import->alias->text);
  }
  expectSemicolon("the import");
  return import;
}

DeclarationPtr Parser::parseConstant() {
  auto constant = std::make_unique<ConstantDeclaration>(take().where);
  constant->name = expectName("a constant");
  if (at(Kind::Colon))
    fail(here(), "a constant of a file has no type").help("like a literal it takes the type of what it meets");
  expect(Kind::Assign, "after the name of a constant");
  constant->value = parseExpression();
  expectSemicolon("the constant");
  return constant;
}

DeclarationPtr Parser::parseDerivative() {
  auto derivative = std::make_unique<DerivativeDeclaration>(take().where);
  derivative->name = expectName("a function");
  bool clean = parseElements(derivative->parameters, Kind::LeftParenthesis, Kind::RightParenthesis, "the parameters",
                             &Parser::parseDerivativeParameter);
  if (clean && derivative->parameters.empty())
    fail(previous().where, "expected the name of a parameter, found `)`");
  expect(Kind::Assign, "before the derivative");
  derivative->value = parseValues();
  expectSemicolon("the derivative");
  return derivative;
}

Name Parser::parseDerivativeParameter() {
  Name name = expectName("a parameter");
  if (at(Kind::Colon))
    fail(here(), "the parameters of a derivative have no dtypes").help("they are those of the function");
  return name;
}

DeclarationPtr Parser::parseExtern() {
  auto function = std::make_unique<ExternDeclaration>(take().where);
  function->language = expectString("a language, such as \"cuda\",");
  expect(Kind::Fn, "after the language");
  function->name = expectName("a function");
  function->parameters = parseFunctionParameters();
  function->results = parseResults();
  expect(Kind::From, "and the file that has the function");
  function->path = expectString("the file that has the function");
  expectSemicolon("the declaration");
  return function;
}

// ---- Functions -----------------------------------------------------------------------------------------------------

DeclarationPtr Parser::parseFunction() {
  unsigned errorsBefore = diagnostics.errorCount();
  auto function = std::make_unique<FunctionDeclaration>(take().where);
  function->name = expectName("a function");
  function->statics = parseStatics();
  function->parameters = parseFunctionParameters();
  function->results = parseResults();
  if (accept(Kind::Assign)) {
    function->expression = parseValues();
    expectSemicolon("the function");
    return function;
  }
  if (!at(Kind::LeftBrace))
    failExpected("`= value;` or a block");
  bool faulty = panicking;
  recoverInHeader();
  function->body = parseBlock();
  if (diagnostics.errorCount() == errorsBefore)
    expectReturn(*function);
  return faulty ? nullptr : std::move(function);
}

void Parser::expectReturn(const FunctionDeclaration &function) {
  const auto &statements = function.body->statements;
  if (statements.empty() || statements.back()->kind != Statement::Kind::Return)
    diagnostics.error(previous().where, "function " + quote(function.name.text) + " does not end in a `return`")
        .note(function.name.where, "the function is declared here");
}

std::vector<FunctionParameter> Parser::parseFunctionParameters() {
  std::vector<FunctionParameter> parameters;
  parseElements(parameters, Kind::LeftParenthesis, Kind::RightParenthesis, "the parameters", &Parser::parseFunctionParameter);
  return parameters;
}

FunctionParameter Parser::parseFunctionParameter() {
  FunctionParameter parameter;
  parameter.over = accept(Kind::Over);
  parameter.name = expectName(parameter.over ? "an axis" : "a parameter");
  if (parameter.over)
    return parameter;
  expectColonAndType("x: f32");
  parameter.dtype = parseDType();
  if (at(Kind::LeftBracket))
    fail(here(), "a function's parameter has no axes")
        .help("a function applies to tiles of any axes; one that a reduction needs is a parameter `over k`");
  if (at(Kind::Assign))
    fail(here(), "a function's parameter has no default").help("a static may have one: `fn f<n: i64 = 1>(x: f32) -> f32`");
  return parameter;
}

/// The `:` between a parameter's name and its dtype.
void Parser::expectColonAndType(const std::string &example) {
  if (accept(Kind::Colon))
    return;
  Diagnostic &diagnostic = failExpected("`:` and a dtype after the parameter's name");
  diagnostic.help((sees(Kind::Name) ? "the name comes first, as in `" : "as in `") + example + "`");
}

/// `-> f32` or `-> (f32, f32)`. Where it is missing, one f32 is assumed.
std::vector<DTypeReference> Parser::parseResults() {
  std::vector<DTypeReference> results;
  SourceRange start = here();
  if (!expectArrow()) {
    results.push_back(DTypeReference{start, DType::F32, {}, nullptr});
    return results;
  }
  if (!at(Kind::LeftParenthesis)) {
    results.push_back(parseDType());
    return results;
  }
  start = here();
  bool clean = parseElements(results, Kind::LeftParenthesis, Kind::RightParenthesis, "the results", &Parser::parseDType);
  if (clean && results.size() < 2)
    fail(since(start), "expected two dtypes or more between the brackets").help("one result stands alone: `-> f32`");
  return results;
}

/// False if neither `->` nor a dtype stands here.
bool Parser::expectArrow() {
  if (panicking || accept(Kind::Arrow))
    return true;
  complain(afterPrevious(), "expected `->` and the dtype of the result, found " + describe(peek()))
      .help("as in `fn f(x: f32) -> f32 = x * x;`");
  return accept(Kind::Colon) || dtypeOf(peek().kind);
}

// ---- Statics -------------------------------------------------------------------------------------------------------

std::vector<StaticParameter> Parser::parseStatics() {
  std::vector<StaticParameter> statics;
  typeStatics.clear();
  if (!at(Kind::Less))
    return statics;
  bool clean = parseElements(statics, Kind::Less, Kind::Greater, "the statics", &Parser::parseStatic);
  for (const StaticParameter &parameter : statics)
    if (parameter.kind == StaticParameter::Kind::Type)
      typeStatics.insert(parameter.name.text);
  if (clean && statics.empty())
    complain(previous().where, "expected a static between `<` and `>`").help("without statics there are no `<>`");
  return statics;
}

/// `T: float`, `act: fn(f32) -> f32 = identity`, `causal: bool = false`.
StaticParameter Parser::parseStatic() {
  StaticParameter parameter{};
  SourceRange start = here();
  parameter.name = expectName("a static");
  if (!accept(Kind::Colon))
    failExpected("`:` after the static's name").help("as in `T: float`, `act: fn(f32) -> f32` or `causal: bool`");
  if (at(Kind::Fn))
    parseFunctionStatic(parameter);
  else
    parseKinds(parameter);
  if (accept(Kind::Assign))
    parameter.defaultValue = parseBinary(BitOrLevel);
  parameter.where = since(start);
  return parameter;
}

void Parser::parseFunctionStatic(StaticParameter &parameter) {
  parameter.kind = StaticParameter::Kind::Function;
  take();
  bool clean = parseElements(parameter.functionParameters, Kind::LeftParenthesis, Kind::RightParenthesis,
                             "the dtypes of the parameters", &Parser::parseDType);
  if (clean && parameter.functionParameters.empty())
    fail(previous().where, "expected a dtype, found `)`").help("a function static has parameters");
  expect(Kind::Arrow, "and the dtype of the result");
  parameter.functionResult = parseDType();
}

/// One dtype alone: a constant of it; otherwise a type.
void Parser::parseKinds(StaticParameter &parameter) {
  std::vector<TypeClass> classes;
  do
    classes.push_back(parseTypeClass());
  while (accept(Kind::Pipe));
  bool constant = classes.size() == 1 && classes.front().kind == TypeClass::Kind::DType;
  parameter.kind = constant ? StaticParameter::Kind::Constant : StaticParameter::Kind::Type;
  if (constant)
    parameter.constantType = classes.front().dtype;
  else
    parameter.classes = std::move(classes);
}

TypeClass Parser::parseTypeClass() {
  TypeClass result{here(), TypeClass::Kind::DType, {}};
  if (accept(Kind::FloatClass))
    result.kind = TypeClass::Kind::Float;
  else if (accept(Kind::RealClass))
    result.kind = TypeClass::Kind::Real;
  else if (accept(Kind::IntegerClass))
    result.kind = TypeClass::Kind::Integer;
  else if (accept(Kind::NumberClass))
    result.kind = TypeClass::Kind::Number;
  else
    result.dtype = parseDType();
  result.where = since(result.where);
  return result;
}

// ---- Kernels -------------------------------------------------------------------------------------------------------

DeclarationPtr Parser::parseKernel() {
  auto kernel = std::make_unique<KernelDeclaration>(take().where);
  kernel->name = expectName("a kernel");
  kernel->statics = parseStatics();
  kernel->parameters = parseParameters();
  if (at(Kind::Arrow))
    fail(here(), "a kernel has no result").help("it writes to views: `y: out T[M, N]`");
  kernel->overWhere = here();
  if (!accept(Kind::Over))
    failExpected("`over (…)` after the parameters").help("as in `over (i in M by BM)`; `over ()` makes exactly one tile");
  parseElements(kernel->grid, Kind::LeftParenthesis, Kind::RightParenthesis, "the grid", &Parser::parseAxis);
  kernel->overWhere = since(kernel->overWhere);
  bool faulty = panicking;
  recoverInHeader();
  kernel->body = parseBlock();
  return faulty ? nullptr : std::move(kernel);
}

std::vector<Parameter> Parser::parseParameters() {
  std::vector<Parameter> parameters;
  parseElements(parameters, Kind::LeftParenthesis, Kind::RightParenthesis, "the parameters", &Parser::parseParameter);
  return parameters;
}

/// `x: T[M..., K]`, `y: out T[M, N]?`, `eps: f32 = 1e-5`.
Parameter Parser::parseParameter() {
  Parameter parameter;
  SourceRange start = here();
  parameter.name = expectName("a parameter");
  expectColonAndType("x: T[M, K]` or `scale: f32");
  parameter.access = parseAccess();
  parameter.dtype = parseDType();
  parameter.isView = at(Kind::LeftBracket);
  bool clean = parameter.isView && parseElements(parameter.dimensions, Kind::LeftBracket, Kind::RightBracket, "the dimensions",
                                                 &Parser::parseDimension);
  if (clean && parameter.dimensions.empty())
    fail(previous().where, "expected a dimension, found `]`").help("a scalar is written without brackets: `scale: f32`");
  parameter.optional = accept(Kind::Question);
  if (accept(Kind::Assign))
    parameter.defaultValue = parseExpression();
  parameter.where = since(start);
  return parameter;
}

Parameter::Access Parser::parseAccess() {
  if (at(Kind::In)) {
    complain(here(), "expected a dtype, found `in`").help("a view without `out` or `inout` is an input");
    take();
  }
  if (accept(Kind::Out))
    return Parameter::Access::Out;
  return accept(Kind::InOut) ? Parameter::Access::InOut : Parameter::Access::In;
}

Dimension Parser::parseDimension() {
  Dimension dimension{here(), Dimension::Kind::Expression, std::nullopt, nullptr};
  if (at(Kind::Ellipsis) || at(Kind::Colon))
    failExpected("a dimension").help("any number of dimensions is a named pack, `M...`, and one has a name, `K`");
  Kind next = peek(1).kind;
  if (at(Kind::Name) && (next == Kind::Comma || next == Kind::RightBracket || next == Kind::Ellipsis || next == Kind::Assign)) {
    dimension.name = expectName("a dimension");
    dimension.kind = accept(Kind::Ellipsis) ? Dimension::Kind::Pack : Dimension::Kind::Name;
    if (accept(Kind::Assign))
      dimension.kind = Dimension::Kind::Definition;
  }
  if (dimension.kind == Dimension::Kind::Expression || dimension.kind == Dimension::Kind::Definition)
    dimension.value = parseExpression();
  dimension.where = since(dimension.where);
  return dimension;
}

/// `i in lo..hi by B`.
AxisDeclaration Parser::parseAxis() {
  AxisDeclaration axis;
  SourceRange start = here();
  axis.name = expectName("a span or an index");
  if (!accept(Kind::In))
    failExpected("`in` after " + quote(axis.name.text)).help("as in `i in M by BM` or `i in lo..hi by BM`");
  axis.low = parseExpression();
  if (accept(Kind::DotDot))
    axis.high = parseExpression();
  if (at(Kind::Ellipsis))
    fail(here(), "expected `..`, found `...`").help("a range is half open: `lo..hi`");
  if (accept(Kind::By))
    axis.by = parseExpression();
  axis.where = since(start);
  return axis;
}

// --------------------------------------------------------------------------------------------------------------------
// Statements
// --------------------------------------------------------------------------------------------------------------------

Block Parser::parseBlock() {
  Block block;
  Nesting nesting(*this);
  const Token open = peek();
  block.where = open.where;
  if (!accept(Kind::LeftBrace)) {
    failExpected("`{`").help(sees(Kind::Colon) ? "a block stands between `{` and `}`" : "");
    return block;
  }
  while (!sees(Kind::RightBrace) && !endsRecovery())
    parseStatementInto(block);
  if (!at(Kind::RightBrace)) {
    Diagnostic &diagnostic = failExpected("a statement or `}`").note(open.where, "the `{` is here");
    if (shiftedBrace)
      diagnostic.note(shiftedBrace->where, "by the indentation it is this `{` that lacks its `}`");
    return block;
  }
  auto indentation = [&](uint32_t offset) {
    std::string_view line = source.line(source.locate(offset).line);
    return std::min(line.find_first_not_of(" \t"), line.size());
  };
  if (!shiftedBrace && peek().firstOnLine && indentation(open.where.begin) != indentation(here().begin))
    shiftedBrace = open;
  take();
  block.where = since(block.where);
  return block;
}

void Parser::parseStatementInto(Block &block) {
  size_t start = statementStart = position;
  StatementPtr statement = parseStatement();
  if (statement && !panicking) {
    statement->where = since(statement->where);
    block.statements.push_back(std::move(statement));
  }
  recoverInStatement(start);
  if (position == start && !endsRecovery())
    take();
}

StatementPtr Parser::parseStatement() {
  switch (peek().kind) {
  case Kind::Let:
    return parseLet();
  case Kind::Var:
    return parseVar();
  case Kind::If:
    return parseIf();
  case Kind::For:
    return parseFor();
  case Kind::While:
    return parseWhile();
  case Kind::Require:
    return parseRequire();
  case Kind::Tune:
    return parseTune();
  case Kind::Print:
    return parsePrint();
  case Kind::Assert:
    return parseAssert();
  case Kind::Return:
    return parseReturn();
  case Kind::Atomic:
    return parseStoreStatement();
  case Kind::Name:
    return parseStoreStatement();
  default:
    return parseUnknownStatement();
  }
}

// ---- Declarations of names -----------------------------------------------------------------------------------------

StatementPtr Parser::parseLet() {
  const Token &keyword = take();
  if (at(Kind::LeftParenthesis))
    return parseLetTuple(keyword.where);
  auto statement = std::make_unique<LetStatement>(keyword.where);
  statement->name = expectName("a value");
  statement->type = parseOptionalType();
  if (!expectInitializer(keyword, statement->name))
    return nullptr;
  if (at(Kind::Atomic)) {
    SourceRange start = take().where;
    statement->atomicStore = parseStore(start, /*atomic=*/true);
    return statement->atomicStore ? std::move(statement) : nullptr;
  }
  statement->value = parseExpression();
  expectSemicolon("the value of " + quote(statement->name.text));
  return statement;
}

StatementPtr Parser::parseLetTuple(SourceRange start) {
  auto statement = std::make_unique<LetTupleStatement>(start);
  SourceRange list = here();
  bool clean =
      parseElements(statement->names, Kind::LeftParenthesis, Kind::RightParenthesis, "the names", &Parser::parseValueName);
  if (clean && statement->names.size() < 2)
    fail(since(list), "expected two names or more between the brackets").help("one name stands alone: `let x = …;`");
  expect(Kind::Assign, "after the names");
  statement->value = parseExpression();
  expectSemicolon("the values");
  return statement;
}

StatementPtr Parser::parseVar() {
  const Token &keyword = take();
  auto statement = std::make_unique<VarStatement>(keyword.where);
  if (at(Kind::LeftParenthesis))
    fail(here(), "expected the name of a variable, found `(`").help("several results are named by `let (a, b) = …;`");
  statement->name = expectName("a variable");
  statement->type = parseOptionalType();
  if (!expectInitializer(keyword, statement->name))
    return nullptr;
  statement->value = parseExpression();
  expectSemicolon("the value of " + quote(statement->name.text));
  return statement;
}

/// The `=` of a `let` or `var`.
bool Parser::expectInitializer(const Token &keyword, const Name &name) {
  if (accept(Kind::Assign))
    return true;
  bool assigns = !panicking && assignOperator(peek().kind);
  std::string word(keyword.text);
  Diagnostic &diagnostic = failExpected("`=` and a value");
  if (assigns)
    diagnostic.help(quote(word) + " declares a new name; to change a variable write `" + name.text + " " +
                    std::string(peek().text) + " …;`");
  else if (sees(Kind::Semicolon))
    diagnostic.help("names have values from the start: `" + word + " " + name.text + " = 0;`");
  else if (name.text == "mut" && sees(Kind::Name))
    diagnostic.help("a variable is declared by `var`");
  else if (sees(Kind::Comma))
    diagnostic.help("several results are named by `let (a, b) = …;`");
  else if (sees(Kind::LeftBracket))
    diagnostic.help("axes belong to the type: `" + word + " " + name.text + ": f32[i, j] = 0;`");
  return false;
}

// ---- Control -------------------------------------------------------------------------------------------------------

/// A condition; `=` in it is taken for `==`.
ExpressionPtr Parser::parseCondition() {
  ExpressionPtr condition = parseExpression();
  if (!at(Kind::Assign))
    return condition;
  complain(here(), "expected `==` in a condition, found `=`").help("`=` assigns, `==` compares");
  take();
  parseExpression();
  return panicking ? nullptr : std::move(condition);
}

/// The block of an `if`, `for` or `while`; a single statement in its place is an error, but read.
Block Parser::parseBody() {
  recoverInHeader();
  bool store = sees(Kind::Name) && (assignOperator(peek(1).kind) || peek(1).kind == Kind::LeftBracket);
  bool single = store || beginsStatement(peek().kind);
  if (panicking || sees(Kind::LeftBrace) || !single)
    return parseBlock();
  Block block;
  Nesting nesting(*this);
  complain(here(), "expected `{`, found " + describe(peek()))
      .help("a body stands between `{` and `}`, even if it is one statement");
  parseStatementInto(block);
  return block;
}

StatementPtr Parser::parseIf() {
  auto statement = std::make_unique<IfStatement>(take().where);
  statement->condition = parseCondition();
  statement->thenBlock = parseBody();
  if (!parseElse(*statement) || !statement->condition)
    return nullptr;
  return statement;
}

/// An `else`, if there is one. False after an error.
bool Parser::parseElse(IfStatement &statement) {
  bool misspelt = at(Kind::Name) && (peek().text == "elif" || peek().text == "elseif" || peek().text == "elsif");
  if (misspelt) {
    complain(here(), "expected `else if`, found " + describe(peek()));
    tokens[position].kind = Kind::If;
  } else if (!accept(Kind::Else))
    return !panicking;
  if (!at(Kind::If)) {
    statement.elseBlock = parseBody();
    return !panicking;
  }
  Nesting nesting(*this);
  Block block{here(), {}};
  if (StatementPtr chained = panicking ? nullptr : parseIf()) {
    chained->where = since(chained->where);
    block.statements.push_back(std::move(chained));
  }
  block.where = since(block.where);
  statement.elseBlock = std::move(block);
  return !panicking;
}

StatementPtr Parser::parseFor() {
  auto statement = std::make_unique<ForStatement>(take().where);
  if (at(Kind::LeftParenthesis))
    fail(here(), "expected the name of a span or an index, found `(`")
        .help("a loop names its range, without brackets: `for k in K by BK { … }` or `for r in 0..n { … }`");
  do
    statement->axes.push_back(parseAxis());
  while (accept(Kind::Comma));
  bool faulty = panicking;
  statement->body = parseBody();
  return faulty ? nullptr : std::move(statement);
}

StatementPtr Parser::parseWhile() {
  auto statement = std::make_unique<WhileStatement>(take().where);
  statement->condition = parseCondition();
  statement->body = parseBody();
  if (!statement->condition)
    return nullptr;
  return statement;
}

// ---- Words ---------------------------------------------------------------------------------------------------------

StatementPtr Parser::parseRequire() {
  auto statement = std::make_unique<RequireStatement>(take().where);
  statement->condition = parseCondition();
  if (accept(Kind::Comma))
    statement->text = expectString("a text");
  expectSemicolon("the condition");
  return statement;
}

StatementPtr Parser::parseTune() {
  auto statement = std::make_unique<TuneStatement>(take().where);
  statement->name = expectName("a tunable");
  if (!accept(Kind::In))
    failExpected("`in` after the tunable").help("as in `tune BM in [64, 128];`");
  if (!panicking && !sees(Kind::LeftBracket))
    failExpected("a list of values").help("as in `tune BM in [64, 128];`");
  bool clean = parseElements(statement->values, Kind::LeftBracket, Kind::RightBracket, "the values", &Parser::parseExpression);
  if (clean && statement->values.empty())
    fail(previous().where, "expected a value, found `]`");
  expectSemicolon("the values");
  return statement;
}

StatementPtr Parser::parsePrint() {
  auto statement = std::make_unique<PrintStatement>(take().where);
  statement->arguments = parsePrintArguments();
  return statement;
}

StatementPtr Parser::parseAssert() {
  auto statement = std::make_unique<AssertStatement>(take().where);
  SourceRange start = here();
  statement->arguments = parsePrintArguments();
  if (!statement->arguments.empty() && statement->arguments.front().text)
    complain(since(start), "expected the condition before the text").help("as in `assert(x >= 0, \"x is negative\");`");
  return statement;
}

/// `( ( STRING | expr ) { , … } ) ;`
std::vector<PrintArgument> Parser::parsePrintArguments() {
  std::vector<PrintArgument> arguments;
  bool clean =
      parseElements(arguments, Kind::LeftParenthesis, Kind::RightParenthesis, "the arguments", &Parser::parsePrintArgument);
  if (clean && arguments.empty())
    fail(previous().where, "expected a text or a value, found `)`");
  expectSemicolon("`)`");
  return arguments;
}

PrintArgument Parser::parsePrintArgument() {
  PrintArgument argument;
  if (at(Kind::String))
    argument.text = expectString("a text");
  else
    argument.value = parseCondition();
  return argument;
}

StatementPtr Parser::parseReturn() {
  auto statement = std::make_unique<ReturnStatement>(take().where);
  if (at(Kind::Semicolon))
    failExpected("a value to return");
  statement->value = parseValues();
  expectSemicolon("the result");
  return statement;
}

// ---- Stores --------------------------------------------------------------------------------------------------------

StatementPtr Parser::parseStoreStatement() {
  if (at(Kind::Name) && correctKeyword())
    return parseStatement();
  SourceRange start = here();
  bool atomic = accept(Kind::Atomic);
  return parseStore(start, atomic);
}

/// `n = e;`, `v[i] += e;`. An `atomic` before it has been read.
std::unique_ptr<AssignStatement> Parser::parseStore(SourceRange start, bool atomic) {
  auto statement = std::make_unique<AssignStatement>(start);
  statement->atomic = atomic;
  const Token &target = peek();
  statement->target = expectName("a variable or a view");
  if (at(Kind::LeftBracket))
    statement->places = parsePlaces();
  statement->operatorWhere = here();
  auto op = expectAssignOperator(target);
  if (!op)
    return nullptr;
  statement->op = *op;
  statement->value = parseExpression();
  expectSemicolon("the assignment");
  statement->where = since(start);
  return statement;
}

std::optional<AssignOperator> Parser::expectAssignOperator(const Token &target) {
  if (panicking || acceptIncrement(target))
    return std::nullopt;
  auto op = assignOperator(peek().kind);
  if (op) {
    take();
    return op;
  }
  Diagnostic &diagnostic = failExpected("an assignment (`=`, `+=`, `max=`, …) to " + quote(target.text));
  explainNoAssignment(diagnostic, target);
  return std::nullopt;
}

/// `i++;` and `i--;`, reported and read.
bool Parser::acceptIncrement(const Token &target) {
  bool decrement = at(Kind::Minus) && peek(1).kind == Kind::Minus && touchesNext();
  if (!at(Kind::PlusPlus) && !decrement)
    return false;
  std::string op = decrement ? "--" : "++";
  complain(here(), "there is no " + quote(op)).help("write `" + std::string(target.text) + " " + op[0] + "= 1;`");
  for (size_t count = decrement ? 2 : 1; count > 0; --count)
    take();
  expectSemicolon("the statement");
  return true;
}

void Parser::explainNoAssignment(Diagnostic &diagnostic, const Token &target) {
  std::string name(target.text);
  bool compound = binaryInfo(peek().kind) && peek(1).kind == Kind::Assign && touchesNext();
  bool shift =
      binaryInfo(peek().kind) && peek().text.size() == 1 && peek(1).text == std::string(peek().text) + "=" && touchesNext();
  if ((name == "break" || name == "continue" || name == "pass") && sees(Kind::Semicolon))
    diagnostic.help("there is no " + quote(name) + ": bound the loop's range, or use `while`");
  else if (compound)
    diagnostic.help("there is no `" + std::string(peek().text) + "=`; write `" + name + " = " + name + " " +
                    std::string(peek().text) + " …;`");
  else if (shift)
    diagnostic.help("there is no `" + std::string(peek().text) + std::string(peek(1).text) + "`");
  else if (sees(Kind::EqualEqual))
    diagnostic.help("`==` compares, `=` assigns");
  else if (sees(Kind::LeftBracket))
    diagnostic.help("all indices stand between one pair of brackets: `" + name + "[i, j]`");
  else if (sees(Kind::LeftParenthesis))
    diagnostic.help("a call alone has no effect: name its value, `let x = " + name + "(…);`");
  else if (sees(Kind::Colon) && peek(1).kind == Kind::Assign)
    diagnostic.help("a name is declared by `let " + name + " = …;`, a variable by `var`");
  else if (sees(Kind::Colon))
    diagnostic.help("a variable is declared by `var " + name + ": f32 = …;`");
  else if (sees(Kind::Comma))
    diagnostic.help("several results are named by `let (a, b) = …;`");
  else if (sees(Kind::Name) && (peek().text == "max" || peek().text == "min"))
    diagnostic.help("written together, `" + std::string(peek().text) + "=` is an operator");
  else
    diagnostic.help("an expression alone has no effect");
}

// ---- What is no statement ------------------------------------------------------------------------------------------

/// Two names in a row are a misspelt keyword, which is then read as what it was meant to be, or a declaration in the manner of
/// C, which is a failure.
bool Parser::correctKeyword() {
  if (isForeignType(peek().text) && parseForeignDeclaration())
    return false;
  bool twoWords = beginsOperand(peek(1).kind) && !peek(1).firstOnLine;
  if (!twoWords || peek(1).text == "max" || peek(1).text == "min")
    return false;
  Kind meant = nearestKeyword(peek().text, {Kind::Let, Kind::Var, Kind::If, Kind::For, Kind::While, Kind::Require, Kind::Tune,
                                            Kind::Return, Kind::Atomic});
  if (meant == Kind::End)
    return false;
  complain(here(), "expected a statement, found " + describe(peek())).help("did you mean " + quote(textOf(meant)) + "?");
  tokens[position].kind = meant;
  return true;
}

/// `float x = 0;`, `f32 x = 0;`, `const auto x = 0;`
bool Parser::parseForeignDeclaration() {
  size_t name = 1;
  while (name < 4 && (isForeignType(peek(name).text) || dtypeOf(peek(name).kind) || peek(name).kind == Kind::FloatClass))
    ++name;
  if (peek(name).kind != Kind::Name || peek(name).firstOnLine)
    return false;
  std::string variable(peek(name).text);
  fail(here(), "expected a statement, found " + describe(peek()))
      .help("a value is named by `let " + variable + " = …;`, a variable declared by `var " + variable + ": f32 = …;`");
  return true;
}

StatementPtr Parser::parseUnknownStatement() {
  if (panicking)
    return nullptr;
  Kind kind = peek().kind;
  bool typeWord = dtypeOf(kind) || kind == Kind::FloatClass || kind == Kind::RealClass;
  if (typeWord && parseForeignDeclaration())
    return nullptr;
  if (kind == Kind::Semicolon) {
    complain(here(), "expected a statement, found `;`")
        .help(previous().kind == Kind::RightBrace ? "no `;` follows a block" : "remove it");
    take();
  } else if (kind == Kind::PlusPlus || (kind == Kind::Minus && peek(1).kind == Kind::Minus)) {
    std::string op = kind == Kind::PlusPlus ? "+" : "-";
    const Token &operand = peek(kind == Kind::PlusPlus ? 1 : 2);
    fail(here(), "there is no `" + op + op + "`").help("write `" + std::string(operand.text) + " " + op + "= 1;`");
  } else if (kind == Kind::Else) {
    fail(here(), "expected a statement, found `else`").help("`else` follows the `}` of its `if` at once");
  } else if (kind == Kind::LeftBrace) {
    complain(here(), "expected a statement, found `{`").help("a block belongs to an `if`, a `for` or a `while`");
    parseBlock();
  } else if (kind == Kind::Fn || kind == Kind::Kernel) {
    fail(here(), quote(peek().text) + " cannot be declared inside a block").help("declare it at the top level of the file");
  } else if (kind == Kind::LeftParenthesis) {
    failExpected("a statement").help("several results are named by `let (a, b) = …;`");
  } else {
    failExpected("a statement").help(beginsOperand(kind) ? "an expression alone has no effect" : "");
  }
  return nullptr;
}

// --------------------------------------------------------------------------------------------------------------------
// Expressions
// --------------------------------------------------------------------------------------------------------------------

/// Sets the height of a new node over the highest of its children. False beyond the limit.
bool Parser::grow(unsigned childHeight, SourceRange where) {
  height = childHeight + 1;
  if (height > maxExpressionHeight)
    abandon(where, "an expression has more than " + std::to_string(maxExpressionHeight) + " operators in a row");
  return !panicking;
}

/// The value of a `return`, `fn … =` or `deriv … =`: the one place for a list in brackets.
ExpressionPtr Parser::parseValues() {
  tupleAllowedAt = position;
  ExpressionPtr value = parseExpression();
  bool listUsed = !panicking && value->kind != Expression::Kind::Tuple && tupleAllowedAt == nowhere;
  tupleAllowedAt = nowhere;
  if (listUsed)
    fail(value->where, "a list of values cannot be an operand").help("write the operation into each value");
  return value;
}

/// Operators that bind at least as tightly as `loosest`.
ExpressionPtr Parser::parseBinary(unsigned loosest) {
  bool negated = at(Kind::Not) && loosest <= NotLevel;
  ExpressionPtr left = negated ? parseNot() : parseUnary();
  return parseBinaryRest(std::move(left), loosest, negated ? AndLevel : TermLevel);
}

ExpressionPtr Parser::parseBinaryRest(ExpressionPtr left, unsigned loosest, unsigned tightest) {
  bool leftIsComparison = false;
  while (!panicking) {
    auto info = binaryInfo(peek().kind);
    if (!info || info->level < loosest || info->level > tightest)
      return left;
    checkChain(info->level, *left, leftIsComparison);
    if (sees(Kind::AmpersandAmpersand) || sees(Kind::PipePipe))
      complain(here(), "there is no " + quote(peek().text)).help(sees(Kind::PipePipe) ? "write `or`" : "write `and`");
    SourceRange operatorWhere = take().where;
    unsigned leftHeight = height;
    ExpressionPtr right = parseBinary(info->level + 1);
    if (!right || !grow(std::max(leftHeight, height), operatorWhere))
      return nullptr;
    leftIsComparison = info->level == ComparisonLevel;
    SourceRange where = join(left->where, right->where);
    left = std::make_unique<BinaryExpression>(where, info->op, operatorWhere, std::move(left), std::move(right));
  }
  return nullptr;
}

/// `a < b < c` is reported, and read from the left.
void Parser::checkChain(unsigned level, const Expression &left, bool leftIsComparison) {
  if (level != ComparisonLevel || !leftIsComparison)
    return;
  const auto &first = as<BinaryExpression>(left);
  Diagnostic &diagnostic = complain(here(), "comparisons do not chain");
  bool statics = first.op == BinaryOperator::Less && sees(Kind::Greater) && first.right->kind == Expression::Kind::DType;
  diagnostic.help(statics ? "a call states no statics, they are inferred: `f(x)`" : "write `a < b and b < c`");
  diagnostic.note(first.operatorWhere, "the first comparison is here");
}

ExpressionPtr Parser::parseNot() {
  Nesting nesting(*this);
  SourceRange start = take().where;
  ExpressionPtr operand = parseBinary(NotLevel);
  if (!operand || !grow(height, start))
    return nullptr;
  return std::make_unique<UnaryExpression>(join(start, operand->where), UnaryOperator::Not, std::move(operand));
}

/// `-x`; also `!x`, and `not x` where it needs brackets.
ExpressionPtr Parser::parseUnary() {
  bool negation = at(Kind::Not) || at(Kind::Exclamation);
  if (!negation && !at(Kind::Minus))
    return parsePostfix();
  Nesting nesting(*this);
  if (at(Kind::Exclamation))
    complain(here(), "there is no `!`").help("write `not`");
  else if (at(Kind::Not))
    complain(here(), "`not` binds more loosely than the operator before it").help("write `(not …)`");
  SourceRange start = panicking ? here() : take().where;
  ExpressionPtr operand = parseUnary();
  if (!operand || !grow(height, start))
    return nullptr;
  UnaryOperator op = negation ? UnaryOperator::Not : UnaryOperator::Negate;
  return std::make_unique<UnaryExpression>(join(start, operand->where), op, std::move(operand));
}

ExpressionPtr Parser::parsePostfix() {
  ExpressionPtr expression = parsePrimary();
  while (expression && !panicking) {
    if (at(Kind::LeftParenthesis))
      expression = parseCall(std::move(expression));
    else if (at(Kind::LeftBracket))
      expression = parseIndex(std::move(expression));
    else if (at(Kind::Dot))
      expression = parseMember(std::move(expression));
    else
      return expression;
  }
  return nullptr;
}

// ---- Primaries -----------------------------------------------------------------------------------------------------

ExpressionPtr Parser::parsePrimary() {
  height = 1;
  if (panicking)
    return nullptr;
  switch (peek().kind) {
  case Kind::Integer:
  case Kind::Float:
  case Kind::Inf:
  case Kind::Nan:
  case Kind::True:
  case Kind::False:
    return parseNumber();
  case Kind::LeftParenthesis:
    return parseParenthesized();
  case Kind::Name:
  case Kind::Span:
  case Kind::Deriv:
    return parseWord();
  case Kind::Accum:
    break;
  default:
    if (!dtypeOf(peek().kind))
      return failNoExpression();
  }
  DTypeReference dtype = parseDType();
  return panicking ? nullptr : std::make_unique<DTypeExpression>(dtype.where, dtype);
}

ExpressionPtr Parser::parseNumber() {
  const Token &token = take();
  switch (token.kind) {
  case Kind::Integer:
    return std::make_unique<IntegerExpression>(token.where, integerValue(token));
  case Kind::Float:
    return std::make_unique<FloatExpression>(token.where, floatValue(token));
  case Kind::Inf:
    return std::make_unique<FloatExpression>(token.where, std::numeric_limits<double>::infinity());
  case Kind::Nan:
    return std::make_unique<FloatExpression>(token.where, std::numeric_limits<double>::quiet_NaN());
  default:
    return std::make_unique<BooleanExpression>(token.where, token.kind == Kind::True);
  }
}

/// A name; `span` and `deriv` only where they are called.
ExpressionPtr Parser::parseWord() {
  const Token &token = take();
  if (token.kind != Kind::Name && !at(Kind::LeftParenthesis)) {
    failExpected("`(` after " + quote(token.text)).help(token.kind == Kind::Span ? "as in `span(D)`" : "as in `deriv(f)`");
    return nullptr;
  }
  return std::make_unique<NameExpression>(token.where, std::string(token.text));
}

/// `(e)`, whose range includes the brackets, or `(a, b)` where a list of values may stand.
ExpressionPtr Parser::parseParenthesized() {
  Nesting nesting(*this);
  bool tupleAllowed = position == tupleAllowedAt;
  const Token &open = take();
  if (at(Kind::RightParenthesis)) {
    failExpected("an expression");
    return nullptr;
  }
  std::vector<ExpressionPtr> elements;
  unsigned highest = 0;
  do {
    elements.push_back(parseExpression());
    highest = std::max(highest, height);
  } while (accept(Kind::Comma));
  expectClose(Kind::RightParenthesis, open, "`)`");
  if (panicking || !grow(highest, open.where))
    return nullptr;
  SourceRange where = since(open.where);
  if (elements.size() == 1) {
    elements.front()->where = where;
    return parseCCast(std::move(elements.front()));
  }
  if (!tupleAllowed) {
    fail(where, "a list of values cannot stand here")
        .help("it is the whole value of a `return`, of a `fn … =` or of a `deriv … =`");
    return nullptr;
  }
  tupleAllowedAt = nowhere;
  return std::make_unique<TupleExpression>(where, std::move(elements));
}

/// `(f32)x`, reported and read as its operand. What is no cast is returned as it is.
ExpressionPtr Parser::parseCCast(ExpressionPtr type) {
  std::string name(source.text().substr(type->where.begin + 1, type->where.end - type->where.begin - 2));
  bool isDType = type->kind == Expression::Kind::DType;
  bool namesType = isDType || typeStatics.contains(name) || isForeignType(name);
  bool operandFollows = beginsOperand(peek().kind) || (isDType && sees(Kind::LeftParenthesis));
  if (!namesType || !operandFollows || peek().firstOnLine)
    return type;
  complain(type->where, "a cast is written like a call").help("write `" + name + "(x)`");
  return parseUnary();
}

ExpressionPtr Parser::failNoExpression() {
  Diagnostic &diagnostic = failExpected("an expression");
  explainNoExpression(diagnostic);
  return nullptr;
}

void Parser::explainNoExpression(Diagnostic &diagnostic) {
  bool touchesPrevious = position > 0 && previous().where.end == here().begin;
  if (sees(Kind::Star) && previous().kind == Kind::Star && touchesPrevious)
    diagnostic.help("a power is `pow(x, y)`");
  else if (sees(Kind::Slash) && previous().kind == Kind::Slash)
    diagnostic.help("`/` rounds down for integers; `floor` rounds floats");
  else if (sees(Kind::Colon))
    diagnostic.help("there are no slices: a span indexes its dimension, `x[i, k]`");
  else if (sees(Kind::Ellipsis))
    diagnostic.help("dimensions cannot be left out; a pack `M...` is indexed as one");
  else if (sees(Kind::String) && tokens[statementStart].kind == Kind::Require)
    diagnostic.help("`require` takes no brackets: `require c, \"text\";`");
  else if (sees(Kind::String))
    diagnostic.help("a string is no value: it occurs in import, extern, require, assert and print");
  else if (sees(Kind::FloatClass) || sees(Kind::RealClass) || sees(Kind::IntegerClass) || sees(Kind::NumberClass))
    diagnostic.help(quote(peek().text) + " is a class of dtypes; a cast names a dtype, `f32(x)`");
  else if (sees(Kind::LeftBracket))
    diagnostic.help("there are no lists and no tiles of constants");
  else if (sees(Kind::If))
    diagnostic.help("write `where(c, a, b)` for a where c holds and b elsewhere");
  else if (sees(Kind::Plus))
    diagnostic.help(previous().kind == Kind::Assign ? "write `+=` to add" : "there is no `+` before an operand");
  else if (sees(Kind::PlusPlus))
    diagnostic.help("there is no `++`; expressions have no effects");
  else if (sees(Kind::Ampersand) || sees(Kind::Star))
    diagnostic.help("there are no pointers");
  else if (isKeyword(peek().kind) && !beginsStatement(peek().kind))
    diagnostic.help(quote(peek().text) + " is a reserved word");
}

// ---- Calls, indices, members ---------------------------------------------------------------------------------------

ExpressionPtr Parser::parseCall(ExpressionPtr callee) {
  Nesting nesting(*this);
  unsigned calleeHeight = height;
  const Token open = peek();
  if (panicking)
    return nullptr;
  take();
  SourceRange start = callee->where;
  auto call = std::make_unique<CallExpression>(start, std::move(callee));
  unsigned highest = calleeHeight;
  if (!at(Kind::RightParenthesis))
    do {
      height = 0;
      parseItem(*call);
      highest = std::max(highest, height);
    } while (accept(Kind::Comma));
  expectClose(Kind::RightParenthesis, open, "`,` or `)`");
  if (panicking || !grow(highest, open.where))
    return nullptr;
  call->where = since(start);
  return call;
}

/// Expressions, then over-axes, then options.
void Parser::parseItem(CallExpression &call) {
  if (at(Kind::Over))
    return parseOverAxes(call);
  if (at(Kind::Name) && peek(1).kind == Kind::Assign)
    return parseOption(call);
  parseArgument(call);
}

void Parser::parseArgument(CallExpression &call) {
  if (!panicking && previous().kind == Kind::Comma && at(Kind::RightParenthesis)) {
    complain(previous().where, "unexpected `,` after the last argument");
    return;
  }
  SourceRange start = here();
  ExpressionPtr argument = parseExpression();
  if (panicking)
    return;
  if (!call.over.empty() || !call.options.empty())
    diagnostics.error(since(start), "an argument stands before the axes and the options of a call")
        .help("as in `dot(a, b, over k, precision = tf32)`");
  call.arguments.push_back(std::move(argument));
}

/// `over k, m`: names up to the end or an option.
void Parser::parseOverAxes(CallExpression &call) {
  SourceRange start = take().where;
  if (!call.options.empty())
    complain(start, "the axes of a call stand before its options").help("as in `dot(a, b, over k, precision = tf32)`");
  if (at(Kind::LeftParenthesis))
    fail(here(), "expected the name of an axis, found `(`").help("axes are listed without brackets: `over i, k`");
  call.over.push_back(expectName("an axis"));
  while (at(Kind::Comma) && peek(1).kind == Kind::Name &&
         (peek(2).kind == Kind::Comma || peek(2).kind == Kind::RightParenthesis)) {
    take();
    call.over.push_back(expectName("an axis"));
  }
}

/// `precision = fast`.
void Parser::parseOption(CallExpression &call) {
  Name name = expectName("an option");
  take();
  if (!at(Kind::Name)) {
    bool axis = name.text == "axis" || name.text == "dim" || name.text == "axes";
    failExpected("the value of option " + quote(name.text) + ", which is a name")
        .help(axis ? "axes have names: `sum(x, over k)`" : "arguments have no names; to compare write `==`");
    return;
  }
  Name value = expectName("a value");
  call.options.emplace_back(std::move(name), std::move(value));
}

ExpressionPtr Parser::parseIndex(ExpressionPtr base) {
  unsigned baseHeight = height;
  Places places = parsePlaces();
  if (panicking || !grow(std::max(baseHeight, height), places.where))
    return nullptr;
  SourceRange where = join(base->where, places.where);
  return std::make_unique<IndexExpression>(where, std::move(base), std::move(places));
}

/// `[i, k + 1, else 0]`. Leaves the greatest height of its expressions.
Places Parser::parsePlaces() {
  Places places;
  Nesting nesting(*this);
  const Token open = peek();
  if (!panicking)
    take();
  unsigned highest = 0;
  if (at(Kind::RightBracket))
    failExpected("an index").help("a view is indexed in every dimension: `x[i, k]`");
  do {
    if (at(Kind::Else))
      parseOutside(places);
    else if (places.elseKind != Places::Else::None)
      failExpected("`]` after the `else`");
    else
      places.indices.push_back(parseExpression());
    highest = std::max(highest, height);
  } while (accept(Kind::Comma));
  expectClose(Kind::RightBracket, open, "`,` or `]`");
  places.where = since(open.where);
  height = highest;
  return places;
}

/// What holds outside the view.
void Parser::parseOutside(Places &places) {
  if (places.indices.empty() || places.elseKind != Places::Else::None) {
    failExpected("an index");
    return;
  }
  places.elseWhere = take().where;
  height = 0;
  places.elseKind = accept(Kind::Drop) ? Places::Else::Drop : Places::Else::Value;
  if (places.elseKind == Places::Else::Value)
    places.elseValue = parseExpression();
  places.elseWhere = since(places.elseWhere);
}

/// `i.start`, `act.gelu`.
ExpressionPtr Parser::parseMember(ExpressionPtr base) {
  SourceRange dot = take().where;
  const auto *module = dynAs<NameExpression>(base.get());
  bool ofModule = module && importAliases.contains(module->name);
  if (at(Kind::Name) && peek().text == "T" && !ofModule) {
    fail(since(dot), "there is no transpose")
        .help("axes have names, so none is needed: operations align by name, and `y[j, i] = t` stores the other way round");
    return nullptr;
  }
  Name member = expectName("a member");
  if (panicking || !grow(height, dot))
    return nullptr;
  SourceRange where = join(base->where, member.where);
  return std::make_unique<MemberExpression>(where, std::move(base), std::move(member));
}

} // namespace

File parse(const Source &source, Diagnostics &diagnostics) {
  if (source.text().size() > maxSourceSize) {
    SourceRange start{&source, 0, 0};
    diagnostics.error(start, "a source has at most " + std::to_string(maxSourceSize) + " bytes, found " +
                                 std::to_string(source.text().size()));
    return File{&source, {}};
  }
  return Parser(source, diagnostics).parseFile();
}

} // namespace tilewright::frontend
