// Expressions, by precedence.
#include "compiler/frontend/ParserState.h"

namespace tilewright::frontend::parsing {

// clang-format off
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
// clang-format on

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
    diagnostic.help(previous().kind == Kind::Assign ? "write `+=` to add"
                    : previous().kind == Kind::LeftParenthesis && peek(1).kind == Kind::Comma
                        ? "an operator is no function: `fn add(a: f32, b: f32) -> f32 = a + b;`"
                        : "there is no `+` before an operand");
  else if (sees(Kind::PlusPlus))
    diagnostic.help("there is no `++`; expressions have no effects");
  else if (sees(Kind::Ampersand) || sees(Kind::Star))
    diagnostic.help("there are no pointers");
  else if (sees(Kind::Atomic))
    diagnostic.help("`atomic` begins a statement: `atomic v[i] += 1;`, or `let old = atomic v[i] += 1;`");
  else if (sees(Kind::Assign) && previous().kind == Kind::DotDot)
    diagnostic.help("a range is half open: `0..n + 1` has n in it");
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
        .help(axis                       ? "axes have names: `sum(x, over k)`"
              : name.text == "precision" ? "as in `precision = fast`"
                                         : "arguments have no names; to compare write `==`");
    return;
  }
  Name value = expectName("a value");
  if (!panicking && !sees(Kind::Comma) && !sees(Kind::RightParenthesis)) {
    failExpected("`,` or `)` after option " + quote(name.text)).help("arguments have no names; to compare write `==`");
    return;
  }
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

} // namespace tilewright::frontend::parsing
