// The parser as a class: what its parts share. (Private to Parser*.cpp; Parser.h is what others use.)
//
// Recursive descent with one token of lookahead, two at `NAME =` and `NAME ...`. Declarations, statements and expressions have
// a file each; ParserErrors.cpp tells how faults are reported and where parsing goes on.
#pragma once

#include "compiler/frontend/Lexer.h"
#include "compiler/frontend/Parser.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

namespace tilewright::frontend::parsing {

using namespace ast;
using Kind = TokenKind;

// clang-format off
/// How tightly operators bind, from loose to tight.
enum Precedence : unsigned { OrLevel = 1, AndLevel, NotLevel, ComparisonLevel, BitOrLevel, BitXorLevel, BitAndLevel, ShiftLevel,
                             SumLevel, TermLevel };

struct BinaryInfo {
  BinaryOperator op;
  unsigned level;
};
// clang-format on

std::optional<BinaryInfo> binaryInfo(Kind kind);

/// Reserved words that begin a declaration.
bool beginsDeclaration(Kind kind);

/// Reserved words that begin a statement.
bool beginsStatement(Kind kind);

bool beginsOperand(Kind kind);

/// The keyword a misspelt word was probably meant to be, or End.
Kind nearestKeyword(std::string_view word, const std::vector<Kind> &candidates);
/// A type of other languages.
bool isForeignType(std::string_view word);

inline std::string quote(std::string_view text) {
  return "`" + std::string(text) + "`";
}

/// One source's tokens, and how far they are parsed.
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
  void noteUnread(size_t from);
  bool hasLexicalFault(SourceRange where) const;
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
  bool acceptAccessBeforeName(Parameter::Access &access);
  void explainDTypeBeforeName();
  void correctAccess();
  Parameter::Access parseAccess();
  Dimension parseDimension();
  void expectColonAndType(const std::string &example);
  AxisDeclaration parseAxis();
  void explainRange();

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
  void skipModifiers();
  void explainUnknownDeclaration(Diagnostic &diagnostic);
  bool explainForeignStatement(Diagnostic &diagnostic, const Token &target);
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
  bool panicking = false;            ///< see ParserErrors.cpp
  bool abandoned = false;            ///< a limit was exceeded: nothing more is reported
  size_t lastFault = nowhere;        ///< the token that the last error was about
  size_t tupleAllowedAt = nowhere;   ///< the token `(` that may begin a list of values
  std::optional<Token> shiftedBrace; ///< a `{` whose `}` has another indentation: it may lack its own
  unsigned faults = 0;               ///< of the innermost statement, outside of those in its blocks
  bool faultyStatement = false;      ///< in the declaration
  bool inFunction = false;           ///< in the block of a `fn`
  std::set<std::string> unreadNames; ///< of the file
  std::set<std::string> importAliases;
  std::set<std::string> typeStatics; ///< of the declaration
  Diagnostic silent;                 ///< what is not to be reported is written to
};

/// parseList, with the elements that have no fault.
template <typename Element>
bool Parser::parseElements(std::vector<Element> &elements, Kind open, Kind close, const std::string &what,
                           Element (Parser::*parseElement)()) {
  return parseList(open, close, what, [&] {
    size_t start = position;
    Element element = (this->*parseElement)();
    if (!panicking)
      elements.push_back(std::move(element));
    else
      noteUnread(start);
  });
}

} // namespace tilewright::frontend::parsing
