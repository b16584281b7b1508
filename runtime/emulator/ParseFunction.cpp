// Functions: their parameters and bodies, statement by statement.
#include "runtime/emulator/ModuleParser.h"
#include "runtime/emulator/Targets.h"

#include <algorithm>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

bool ModuleParser::parameterList(std::vector<Parameter> &list, bool ofEntry) {
  if (!tokens.expect("("))
    return false;
  if (tokens.accept(")"))
    return true;
  do {
    const Token token = tokens.next();
    if (!token.isWord(".param"))
      return tokens.fail(token.line, token.isWord(".reg") ? "parameters in registers are not supported" : "expected .param");
    Declaration declared;
    if (!declaration(declared))
      return false;
    Parameter parameter;
    parameter.name = std::string(declared.name);
    parameter.bytes = static_cast<uint32_t>(declared.bytes());
    parameter.alignment = isPointerAlignment(declared) ? bytesOf(declared.type) : declared.alignment;
    Symbol symbol;
    symbol.size = parameter.bytes;
    if (ofEntry) {
      uint32_t &used = builder.function().parameterBytes;
      used = (used + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
      parameter.offset = used;
      used += parameter.bytes;
      symbol.kind = Symbol::Kind::Parameter;
    } else {
      parameter.offset = builder.newLocal(parameter.bytes, parameter.alignment);
      symbol.kind = Symbol::Kind::Local;
    }
    symbol.index = parameter.offset;
    if (declared.name != "_" && !builder.declare(declared.name, symbol, declared.line))
      return false;
    list.push_back(parameter);
  } while (tokens.accept(","));
  return tokens.expect(")");
}

bool ModuleParser::functionStatement(bool isEntry, uint32_t line) {
  Function parsed;
  parsed.isEntry = isEntry;
  builder.functionIndex = static_cast<uint32_t>(program.functions.size());
  program.functions.push_back(parsed);
  builder.openScope();
  std::vector<Parameter> results, parameters;
  if (!isEntry && tokens.peek().is("(") && !parameterList(results, false))
    return false;
  const Token name = tokens.next();
  if (name.kind != Token::Kind::Word)
    return tokens.fail(name.line, "expected a function's name");
  if (tokens.peek().is("(") && !parameterList(parameters, isEntry))
    return false;
  Function &function = builder.function();
  function.name = std::string(name.text);
  function.results = std::move(results);
  function.parameters = std::move(parameters);
  if (!tuning(function))
    return false;
  bool isBody = tokens.peek().is("{");
  if (!isBody && !tokens.expect(";"))
    return false;
  return defineFunction(name, isBody);
}

bool ModuleParser::defineFunction(const Token &name, bool isBody) {
  std::optional<Symbol> known = builder.find(name.text);
  if (known && known->kind == Symbol::Kind::Function && program.functions[known->index].isDefined && isBody)
    return tokens.fail(name.line, concat("'", name.text, "' is defined twice"));
  if (known && known->kind == Symbol::Kind::Function) {
    program.functions[known->index] = std::move(builder.function());
    program.functions.pop_back();
    builder.functionIndex = known->index;
  } else {
    Symbol symbol;
    symbol.kind = Symbol::Kind::Function;
    symbol.index = builder.functionIndex;
    globalFunctions.emplace(name.text, symbol);
  }
  if (isBody && !body())
    return false;
  if (!builder.closeScope())
    return false;
  if (!known) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::Function;
    symbol.index = builder.functionIndex;
    return builder.declare(name.text, symbol, name.line);
  }
  return true;
}

bool ModuleParser::tuning(Function &function) {
  while (tokens.peek().kind == Token::Kind::Word) {
    const Token token = tokens.next();
    std::vector<uint64_t> values;
    while (tokens.peek().kind == Token::Kind::Integer) {
      values.push_back(tokens.next().bits);
      tokens.accept(",");
    }
    Index3 three{1, 1, 1};
    if (!values.empty())
      three = {static_cast<uint32_t>(values[0]), values.size() > 1 ? static_cast<uint32_t>(values[1]) : 1,
               values.size() > 2 ? static_cast<uint32_t>(values[2]) : 1};
    if (token.text == ".maxntid")
      function.maxThreads = three;
    else if (token.text == ".reqntid")
      function.requiredThreads = three;
    else if (token.text == ".reqnctapercluster")
      function.requiredCluster = three;
    else if (token.text == ".minnctapersm")
      function.minBlocks = three.x;
    else if (token.text == ".maxnreg")
      function.maxRegisters = three.x;
    else if (token.text == ".maxclusterrank")
      function.mostClusterBlocks = three.x;
    else if (token.text == ".pragma")
      commonDirective(token);
    else if (token.text != ".noreturn" && token.text != ".explicitcluster" && token.text != ".maxnctapersm" &&
             token.text != ".blocksareclusters" && token.text != ".abi_preserve")
      return tokens.fail(token.line, concat("unknown directive '", token.text, "'"));
  }
  return true;
}

bool ModuleParser::body() {
  Function &function = builder.function();
  function.isDefined = true;
  function.begin = static_cast<uint32_t>(program.code.size());
  currentLine = currentFile = 0;
  tokens.next(); // {
  unsigned depth = 1;
  while (depth > 0) {
    if (tokens.atEnd())
      return tokens.fail(concat("the body of ", builder.function().name, " is not closed"));
    if (tokens.accept("{")) {
      builder.openScope();
      ++depth;
    } else if (tokens.accept("}")) {
      if (--depth > 0 && !builder.closeScope())
        return false;
    } else if (!statement()) {
      return false;
    }
  }
  // Falling off the end returns.
  if (!emitPlain("ret"))
    return false;
  builder.function().end = static_cast<uint32_t>(program.code.size());
  return true;
}

bool ModuleParser::statement() {
  if (tokens.accept(";"))
    return true;
  const Token &token = tokens.peek();
  if (token.kind == Token::Kind::Word && tokens.peek(1).is(":"))
    return label();
  if (token.kind == Token::Kind::Word && token.text.starts_with('.'))
    return bodyDirective();
  return instruction();
}

bool ModuleParser::label() {
  const Token name = tokens.next();
  tokens.next();
  if (tokens.acceptWord(".branchtargets"))
    return branchTargets(name);
  if (tokens.peek().isWord(".callprototype") || tokens.peek().isWord(".calltargets"))
    return tokens.fail(name.line, "indirect calls are not supported", TW_UNSUPPORTED);
  if (!builder.scope().labels.emplace(name.text, static_cast<uint32_t>(program.code.size())).second)
    return tokens.fail(name.line, concat("label '", name.text, "' is declared twice"));
  return true;
}

bool ModuleParser::branchTargets(const Token &name) {
  int32_t table = static_cast<int32_t>(program.branchTables.size());
  program.branchTables.emplace_back();
  builder.scope().tables.emplace(name.text, static_cast<uint32_t>(table));
  do {
    const Token target = tokens.next();
    uint32_t entry = static_cast<uint32_t>(program.branchTables.back().size());
    program.branchTables.back().push_back(0);
    builder.scope().uses.push_back({target.text, target.line, entry, table, false});
  } while (tokens.accept(","));
  return tokens.expect(";");
}

bool ModuleParser::bodyDirective() {
  const Token token = tokens.next();
  if (token.text == ".reg")
    return registers();
  if (token.text == ".shared" || token.text == ".global" || token.text == ".const")
    return variable(token.text == ".shared" ? Space::Shared : token.text == ".global" ? Space::Global : Space::Const, false);
  if (token.text == ".local" || token.text == ".param")
    return local();
  return commonDirective(token);
}

bool ModuleParser::registers() {
  Type type = Type::None;
  while (tokens.peek().kind == Token::Kind::Word && tokens.peek().text.starts_with('.')) {
    const Token token = tokens.next();
    type = typeNamed(token.text.substr(1));
    if (type == Type::None)
      return tokens.fail(token.line, concat("unknown type '", token.text, "'"));
  }
  do {
    const Token name = tokens.next();
    if (name.kind != Token::Kind::Word)
      return tokens.fail(name.line, concat("expected a register's name, found ", TokenStream::describe(name)));
    Symbol symbol;
    // A byte is held in 16 bits, as the hardware's smallest register does.
    symbol.bytes = static_cast<uint8_t>(type == Type::Pred ? 0 : std::max(bytesOf(type), 2u));
    uint64_t count = 0;
    if (tokens.accept("<") && (!integer(count) || !tokens.expect(">")))
      return false;
    symbol.count = static_cast<uint32_t>(count);
    symbol.index = builder.newRegister(symbol.bytes, std::max(symbol.count, 1u));
    if (!builder.declare(name.text, symbol, name.line))
      return false;
  } while (tokens.accept(","));
  return tokens.expect(";");
}

bool ModuleParser::local() {
  Declaration declared;
  if (!declaration(declared))
    return false;
  Symbol symbol;
  symbol.kind = Symbol::Kind::Local;
  symbol.size = static_cast<uint32_t>(declared.bytes());
  symbol.index = builder.newLocal(symbol.size, declared.alignment);
  return builder.declare(declared.name, symbol, declared.line) && tokens.expect(";");
}

bool ModuleParser::instruction() {
  Instruction result;
  if (tokens.accept("@")) {
    bool negated = tokens.accept("!");
    const Token predicate = tokens.next();
    if (!builder.guard(predicate.text, negated, result.guard, predicate.line))
      return false;
  }
  const Token name = tokens.next();
  if (name.kind != Token::Kind::Word)
    return tokens.fail(name.line, concat("expected an instruction, found ", TokenStream::describe(name)));
  Result<Mnemonic> mnemonic = decodeMnemonic(name.text);
  if (!mnemonic.ok())
    return tokens.fail(name.line, mnemonic.status().message(), TW_UNSUPPORTED);
  if (std::string missing = missingFor(*mnemonic, program); !missing.empty())
    return tokens.fail(name.line, std::move(missing));
  result.ptxLine = name.line;
  if (mnemonic->opcode->name == "call")
    return call(*mnemonic, result);
  std::vector<RawOperand> raw;
  if (!tokens.peek().is(";"))
    do {
      raw.emplace_back();
      if (!readOperand(tokens, raw.back()))
        return false;
    } while (tokens.accept(","));
  return tokens.expect(";") && builder.addOperands(*mnemonic, raw, result, name.line) && emit(*mnemonic, result);
}

bool ModuleParser::emit(const Mnemonic &mnemonic, Instruction &result) {
  result.opcode = mnemonic.opcode;
  result.function = builder.functionIndex;
  result.file = currentFile;
  result.line = currentLine;
  result.operands = program.operands.data() + result.firstOperand; // for the binder; Layout sets it anew
  result.execute = mnemonic.opcode->bind(mnemonic, result);
  if (!result.execute)
    return tokens.fail(result.ptxLine, concat(mnemonic.text, " is not supported for these types, modifiers or operands"),
                       TW_UNSUPPORTED);
  program.code.push_back(result);
  return true;
}

bool ModuleParser::emitPlain(std::string_view text) {
  Instruction result;
  result.ptxLine = tokens.peek().line;
  return emit(*decodeMnemonic(text), result);
}

bool ModuleParser::call(const Mnemonic &mnemonic, Instruction &result) {
  Call call;
  if (tokens.peek().is("(") && (!callPlaces(call.results) || !tokens.expect(",")))
    return false;
  const Token name = tokens.next();
  auto found = globalFunctions.find(name.text);
  if (found == globalFunctions.end())
    return tokens.fail(name.line, concat("'", name.text, "' is no function declared here (indirect calls are not supported)"));
  if (tokens.accept(",") && !callPlaces(call.arguments))
    return false;
  call.function = found->second.index;
  const Function &callee = program.functions[call.function];
  if (callee.parameters.size() != call.arguments.size() || callee.results.size() != call.results.size())
    return tokens.fail(name.line,
                       concat(name.text, " takes ", callee.parameters.size(), " arguments and returns ", callee.results.size(),
                              "; the call has ", call.arguments.size(), " and ", call.results.size()));
  builder.function().callees.push_back(call.function);
  result.detail = static_cast<uint32_t>(program.calls.size());
  program.calls.push_back(std::move(call));
  return tokens.expect(";") && emit(mnemonic, result);
}

bool ModuleParser::callPlaces(std::vector<uint32_t> &places) {
  if (!tokens.expect("("))
    return false;
  if (tokens.accept(")"))
    return true;
  do {
    const Token token = tokens.next();
    std::optional<Symbol> symbol = builder.find(token.text);
    if (!symbol || symbol->kind != Symbol::Kind::Local)
      return tokens.fail(token.line, concat("expected a .param variable, found ", TokenStream::describe(token)));
    places.push_back(symbol->index);
  } while (tokens.accept(","));
  return tokens.expect(")");
}
