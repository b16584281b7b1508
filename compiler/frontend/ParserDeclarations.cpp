// Files, their declarations, and what declarations are made of: names, types, lists.
#include "compiler/frontend/ParserState.h"

namespace tilewright::frontend::parsing {

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
    failExpected("a dtype").help(
        sees(Kind::Star) || sees(Kind::Ampersand) ? "there are no pointers: memory is a view, `x: f32[N]`" : "");
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

/// Words of other languages for what this one has under another name.
static Kind translatedKeyword(std::string_view word) {
  if (word == "def" || word == "func" || word == "function")
    return Kind::Fn;
  if (word == "include" || word == "use" || word == "using")
    return Kind::Import;
  return Kind::End;
}

File Parser::parseFile() {
  File file{&source, {}, {}};
  while (!sees(Kind::End)) {
    size_t start = position;
    std::string documentation = takeDocumentation();
    shiftedBrace.reset();
    faults = 0;
    faultyStatement = inFunction = false;
    DeclarationPtr declaration = parseDeclaration();
    bool read = declaration && !panicking;
    if (read) {
      declaration->documentation = std::move(documentation);
      declaration->where = since(declaration->where);
      declaration->faulty = faults > 0 || faultyStatement || hasLexicalFault(declaration->where);
      file.declarations.push_back(std::move(declaration));
    }
    if (panicking)
      recoverInFile();
    if (!read)
      noteUnread(start);
    if (position == start)
      take();
  }
  reportDroppedLexical();
  file.unreadNames = std::move(unreadNames);
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
  skipModifiers();
  if (!sees(Kind::Name) && beginsDeclaration(peek().kind))
    return parseDeclaration();
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
    --faults; // it is read as that
    tokens[position].kind = meant;
    return parseDeclaration();
  }
  if (sees(Kind::RightBrace))
    fail(here(), "no `{` is open that this `}` could close");
  else if (sees(Kind::Semicolon))
    fail(here(), "expected a declaration, found `;`").help("no `;` follows a block");
  else
    explainUnknownDeclaration(failExpected("a declaration (`kernel`, `fn`, `let`, `import`, `deriv` or `extern`)"));
  take();
  return nullptr;
}

/// `pub fn`, `inline fn`: the word is reported and passed over.
void Parser::skipModifiers() {
  static const std::set<std::string_view> modifiers = {"pub",    "public", "private", "export", "inline",
                                                       "static", "const",  "async",   "unsafe", "constexpr"};
  if (!at(Kind::Name) || !modifiers.contains(peek().text) || !beginsDeclaration(peek(1).kind))
    return;
  complain(here(), "expected a declaration, found " + describe(peek()))
      .help("what a file declares is visible to all that import it, and calls are inlined: remove it");
  --faults;
  take();
}

/// What begins a declaration in other languages.
void Parser::explainUnknownDeclaration(Diagnostic &diagnostic) {
  static const std::set<std::string_view> constants = {"const", "constexpr", "static", "define", "val", "var"};
  static const std::set<std::string_view> types = {"struct", "class", "enum", "type", "typedef", "trait", "interface"};
  std::string_view word = peek().text;
  bool declares = peek(1).kind == Kind::Name || isForeignType(peek(1).text) || dtypeOf(peek(1).kind);
  if (sees(Kind::From))
    diagnostic.help("a file is imported whole: `import \"activations.tile\";`, or `… as act;` for `act.gelu`");
  else if (constants.contains(word))
    diagnostic.help("constants of a file are written `let name = value;`");
  else if (types.contains(word))
    diagnostic.help("there are no types of one's own: a kernel has a parameter for each array");
  else if (word == "template")
    diagnostic.help("types that vary are statics: `kernel name<T: float>(…)`, `fn name<T: real>(x: T) -> T`");
  else if (word.starts_with("__") || isForeignType(word) || dtypeOf(peek().kind) || sees(Kind::FloatClass) || declares)
    diagnostic.help("a kernel is written `kernel name(…) over (…) { … }`, a function `fn name(x: f32) -> f32 = …;`");
  else if (sees(Kind::Name) || sees(Kind::For) || sees(Kind::If) || sees(Kind::While))
    diagnostic.help("statements stand in the block of a kernel or a function");
}

DeclarationPtr Parser::parseImport() {
  auto import = std::make_unique<ImportDeclaration>(take().where);
  if (at(Kind::Name))
    failExpected("the path in double quotes").help("as in `import \"" + std::string(peek().text) + ".tile\";`");
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
    failExpected("`= value;` or a block")
        .help(sees(Kind::LeftBracket) ? "a result has the axes of the arguments, which are not written: `-> f32`" : "");
  bool faulty = panicking;
  recoverInHeader();
  inFunction = true;
  function->body = parseBlock();
  if (diagnostics.errorCount() == errorsBefore)
    expectReturn(*function);
  return faulty ? nullptr : std::move(function);
}

void Parser::expectReturn(const FunctionDeclaration &function) {
  const auto &statements = function.body->statements;
  bool returns = !statements.empty() && statements.back()->kind == Statement::Kind::Return;
  if (returns)
    return;
  ++faults;
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
    fail(here(), "a function's parameter has no default").help("pass the value with every call");
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
  if (at(Kind::LeftParenthesis) && peek(1).kind == Kind::Name && peek(2).kind == Kind::Colon)
    fail(peek(1).where, "the parameters of a function static have no names").help("as in `act: fn(f32) -> f32`");
  bool clean = parseElements(parameter.functionParameters, Kind::LeftParenthesis, Kind::RightParenthesis,
                             "the dtypes of the parameters", &Parser::parseDType);
  if (clean && parameter.functionParameters.empty())
    fail(previous().where, "expected a dtype, found `)`").help("a function static has parameters");
  if (!accept(Kind::Arrow))
    failExpected("`->` and the dtype of the result").help("as in `act: fn(f32) -> f32`");
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
  else if (at(Kind::Integer) || at(Kind::True) || at(Kind::False))
    failExpected("a dtype or a class of dtypes").help("a constant has a dtype and may have a default: `n: i64 = 64`");
  else if (at(Kind::LeftParenthesis))
    failExpected("a dtype or a class of dtypes").help("a function is written `act: fn(f32) -> f32`");
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
  if (at(Kind::Name) && peek(1).kind == Kind::LeftParenthesis && nearestKeyword(peek().text, {Kind::Over}) == Kind::Over) {
    complain(here(), "expected `over`, found " + describe(peek())).help("did you mean `over`?");
    --faults; // it is read as that
    take();
  } else if (!accept(Kind::Over))
    failExpected("`over (…)` after the parameters").help("as in `over (i in M by BM)`; `over ()` makes exactly one tile");
  if (!at(Kind::LeftParenthesis))
    failExpected("`(` before the grid").help("as in `over (i in M by BM)`");
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
  explainDTypeBeforeName();
  bool misplaced = acceptAccessBeforeName(parameter.access);
  parameter.name = expectName("a parameter");
  expectColonAndType("x: T[M, K]` or `scale: f32");
  if (!misplaced)
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

/// `out y: f32[N]`, reported and read.
bool Parser::acceptAccessBeforeName(Parameter::Access &access) {
  bool accesses = at(Kind::In) || at(Kind::Out) || at(Kind::InOut);
  if (!accesses || peek(1).kind != Kind::Name || peek(2).kind != Kind::Colon)
    return false;
  std::string name(peek(1).text), word(peek().text);
  complain(here(), "expected the name of a parameter, found " + describe(peek()))
      .help(at(Kind::In) ? "a view without `out` or `inout` is an input: `" + name + ": f32[N]`"
                         : quote(word) + " stands before the dtype: `" + name + ": " + word + " f32[N]`");
  access = at(Kind::Out) ? Parameter::Access::Out : at(Kind::InOut) ? Parameter::Access::InOut : Parameter::Access::In;
  take();
  return true;
}

/// `float x[N]`, `f32[N] x`, `const float *x`.
void Parser::explainDTypeBeforeName() {
  bool dtype = dtypeOf(peek().kind) || sees(Kind::FloatClass) || sees(Kind::In) || sees(Kind::Out) || sees(Kind::InOut) ||
               (sees(Kind::Name) && isForeignType(peek().text));
  Kind next = peek(1).kind;
  bool named = next == Kind::Colon || ((next == Kind::Name || dtypeOf(next)) && peek(2).kind == Kind::Colon);
  if (dtype && !named)
    failExpected("the name of a parameter").help("the name comes first: `x: f32[M, K]`, `y: out f32[N]`, `scale: f32`");
}

/// `ot f32[N]`, `mut f32[N]`: reported and read.
void Parser::correctAccess() {
  Kind next = peek(1).kind;
  if (!at(Kind::Name) || peek(1).firstOnLine || !(dtypeOf(next) || next == Kind::Name || next == Kind::Accum) ||
      peek(2).kind == Kind::Colon)
    return;
  std::string_view word = peek().text;
  Kind meant = word == "output" || word == "write"                     ? Kind::Out
               : word == "input" || word == "read" || word == "const"  ? Kind::End
               : word == "mut" || word == "ref" || word == "readwrite" ? Kind::InOut
                                                                       : nearestKeyword(word, {Kind::Out, Kind::InOut});
  complain(here(), "expected a dtype, found " + describe(peek()))
      .help(meant == Kind::End ? "a view without `out` or `inout` is an input" : "did you mean " + quote(textOf(meant)) + "?");
  if (meant == Kind::End)
    take();
  else
    tokens[position].kind = meant;
}

Parameter::Access Parser::parseAccess() {
  correctAccess();
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
  if (at(Kind::Ellipsis) || at(Kind::Colon) || at(Kind::Question))
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

/// `0..n..2`, `n step 2`.
void Parser::explainRange() {
  bool step = at(Kind::DotDot) || (at(Kind::Name) && peek().text == "step");
  if (step)
    fail(here(), "a range has no step").help("compute the index: `for n in count { … x[low + n * step] … }`");
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
  explainRange();
  if (accept(Kind::By))
    axis.by = parseExpression();
  axis.where = since(start);
  return axis;
}

} // namespace tilewright::frontend::parsing

namespace tilewright::frontend {

ast::File parse(const Source &source, Diagnostics &diagnostics) {
  SourceRange start{&source, 0, 0};
  std::string_view text = source.text();
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    diagnostics.error(start, "a source is UTF-8, found UTF-16").help("save it as UTF-8");
    return ast::File{&source, {}, {}};
  }
  if (text.size() > maxSourceSize) {
    diagnostics.error(start,
                      "a source has at most " + std::to_string(maxSourceSize) + " bytes, found " + std::to_string(text.size()));
    return ast::File{&source, {}, {}};
  }
  return parsing::Parser(source, diagnostics).parseFile();
}

} // namespace tilewright::frontend
