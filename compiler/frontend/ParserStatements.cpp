// Blocks and statements.
#include "compiler/frontend/ParserState.h"

#include <map>
#include <utility>

namespace tilewright::frontend::parsing {

// clang-format off
static std::optional<AssignOperator> assignOperator(Kind kind) {
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
// clang-format on

Block Parser::parseBlock() {
  Block block;
  Nesting nesting(*this);
  const Token open = peek();
  block.where = open.where;
  if (!accept(Kind::LeftBrace)) {
    failExpected("`{`").help(sees(Kind::End) ? "" : "a block stands between `{` and `}`");
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
  unsigned faultsOutside = std::exchange(faults, 0);
  StatementPtr statement = parseStatement();
  bool whole = statement && !panicking && faults == 0;
  if (statement && !panicking) {
    statement->where = since(statement->where);
    statement->faulty = faults > 0;
    block.statements.push_back(std::move(statement));
  }
  recoverInStatement(start);
  if (!whole) {
    noteUnread(start);
    faultyStatement = true;
  }
  faults = faultsOutside;
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
  if (!at(Kind::LeftParenthesis))
    failExpected("`(` after `print`").help("as in `print(\"x is\", x);`");
  statement->arguments = parsePrintArguments();
  return statement;
}

StatementPtr Parser::parseAssert() {
  auto statement = std::make_unique<AssertStatement>(take().where);
  SourceRange start = here();
  if (!at(Kind::LeftParenthesis))
    failExpected("`(` after `assert`").help("as in `assert(x >= 0, \"x is negative\");`");
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
  if (target.text == "do" && sees(Kind::LeftBrace)) { // its `while` belongs to it
    skipBalanced();
    while (sees(Kind::While) || (previous().kind != Kind::RightBrace && !sees(Kind::Semicolon) && !endsRecovery()))
      take();
  }
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
  if (explainForeignStatement(diagnostic, target))
    return;
  if (compound)
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
    diagnostic.help(inFunction ? "a function's value is returned: `return …;`" : "an expression alone has no effect");
}

/// Words that begin a statement in other languages.
bool Parser::explainForeignStatement(Diagnostic &diagnostic, const Token &target) {
  static const std::map<std::string_view, std::string_view> remedies = {
      {"break", "there is no `break`: bound the loop's range, or use `while`"},
      {"continue", "there is no `continue`: bound the loop's range, or use `while`"},
      {"pass", "there is no `pass`: a block may be empty, `{ }`"},
      {"do", "a loop is `for k in n { … }` or `while c { … }`"},
      {"loop", "a loop is `for k in n { … }` or `while c { … }`"},
      {"foreach", "a loop is `for k in n { … }`"},
      {"parallel_for", "a loop is `for k in n { … }`; tiles of the grid, `over (…)`, run in parallel"},
      {"switch", "there is no `switch`: write `if c { … } else if d { … }`, or `where(c, a, b)` for values"},
      {"match", "there is no `match`: write `if c { … } else if d { … }`, or `where(c, a, b)` for values"},
      {"goto", "there is no `goto`"},
      {"__shared__", "tiles live where the compiler puts them: `var t: f32[i, j] = 0;`"},
      {"__syncthreads", "there are no barriers: a statement sees what those before it did"},
      {"barrier", "there are no barriers: a statement sees what those before it did"},
      {"atomicAdd", "a sum is `y[i] += x;`; at places from memory `atomic y[i] += x;`"},
      {"atomicMax", "a maximum is `y[i] max= x;`"},
      {"atomicMin", "a minimum is `y[i] min= x;`"},
      {"printf", "write `print(\"text\", x);`"}};
  auto found = remedies.find(target.text);
  if (found == remedies.end() || sees(Kind::Dot))
    return false;
  diagnostic.help(std::string(found->second));
  return true;
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
    failExpected("a statement")
        .help(kind == Kind::Star || kind == Kind::Ampersand ? "there are no pointers: an element is written by `y[i, j] = …;`"
              : kind == Kind::String                        ? "a comment begins with `//`"
              : !beginsOperand(kind)                        ? ""
              : inFunction                                  ? "a function's value is returned: `return …;`"
                                                            : "an expression alone has no effect");
  }
  return nullptr;
}

} // namespace tilewright::frontend::parsing
