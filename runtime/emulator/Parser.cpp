#include "runtime/emulator/Parser.h"

#include "runtime/emulator/ModuleParser.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

bool ModuleParser::run() {
  while (!tokens.atEnd())
    if (!moduleStatement())
      return false;
  return layOut(program, builder.fixups, tokens);
}

bool ModuleParser::moduleStatement() {
  const Token token = tokens.next();
  if (token.is(";"))
    return true;
  if (token.kind != Token::Kind::Word)
    return tokens.fail(token.line, concat("expected a directive, found ", TokenStream::describe(token)));
  if (token.text == ".version")
    return version();
  if (token.text == ".target")
    return target();
  if (token.text == ".address_size")
    return addressSize();
  if (token.text == ".visible" || token.text == ".weak" || token.text == ".common")
    return true;
  if (token.text == ".extern") {
    isExtern = true;
    return true;
  }
  bool wasExtern = std::exchange(isExtern, false);
  if (token.text == ".entry" || token.text == ".func")
    return functionStatement(token.text == ".entry", token.line);
  if (token.text == ".global" || token.text == ".const" || token.text == ".shared")
    return variable(token.text == ".global" ? Space::Global : token.text == ".const" ? Space::Const : Space::Shared, wasExtern);
  if (token.text == ".section")
    return section();
  return commonDirective(token);
}

bool ModuleParser::integer(uint64_t &value) {
  if (tokens.peek().kind != Token::Kind::Integer)
    return tokens.fail(concat("expected an integer, found ", TokenStream::describe(tokens.peek())));
  value = tokens.next().bits;
  return true;
}

bool ModuleParser::version() {
  const Token &token = tokens.next(); // lexed as a decimal number: 8.0
  size_t dot = token.text.find('.');
  if (dot == std::string_view::npos)
    return tokens.fail(token.line, "expected a version such as 8.0");
  program.version = static_cast<unsigned>(atoi(std::string(token.text.substr(0, dot)).c_str()) * 10 +
                                          atoi(std::string(token.text.substr(dot + 1)).c_str()));
  return true;
}

bool ModuleParser::target() {
  program.target = std::string(tokens.next().text);
  if (!program.target.starts_with("sm_"))
    return tokens.fail(concat("expected a target such as sm_80, found '", program.target, "'"));
  program.capability = static_cast<unsigned>(atoi(program.target.c_str() + 3));
  while (tokens.accept(","))
    tokens.next();
  return true;
}

bool ModuleParser::addressSize() {
  uint64_t bits = 0;
  if (!integer(bits))
    return false;
  return bits == 64 || tokens.fail("the emulator has 64-bit addresses only");
}

bool ModuleParser::section() {
  tokens.next();
  if (!tokens.expect("{"))
    return false;
  while (!tokens.atEnd() && !tokens.accept("}"))
    tokens.next();
  return true;
}

bool ModuleParser::commonDirective(const Token &token) {
  if (token.text == ".file")
    return file();
  if (token.text == ".loc")
    return location();
  if (token.text == ".pragma") {
    while (!tokens.atEnd() && !tokens.accept(";"))
      tokens.next();
    return true;
  }
  return tokens.fail(token.line, concat("unknown directive '", token.text, "'"));
}

bool ModuleParser::file() {
  uint64_t index = 0;
  if (!integer(index))
    return false;
  program.files[static_cast<uint32_t>(index)] = std::string(tokens.next().text);
  while (tokens.accept(","))
    tokens.next();
  return true;
}

bool ModuleParser::location() {
  uint64_t file = 0, line = 0, column = 0;
  if (!integer(file) || !integer(line) || !integer(column))
    return false;
  currentFile = static_cast<uint32_t>(file);
  currentLine = static_cast<uint32_t>(line);
  // , function_name label+4, inlined_at 1 10 4
  while (tokens.accept(","))
    if (tokens.acceptWord("inlined_at")) {
      if (!integer(file) || !integer(line) || !integer(column))
        return false;
    } else {
      tokens.next();
      tokens.next();
      if (tokens.accept("+"))
        tokens.next();
    }
  return true;
}

bool ModuleParser::declaration(Declaration &result) {
  for (;;) {
    const Token token = tokens.next();
    if (token.kind != Token::Kind::Word)
      return tokens.fail(token.line, concat("expected a type and a name, found ", TokenStream::describe(token)));
    if (token.text == ".align") {
      uint64_t alignment = 0;
      if (!integer(alignment))
        return false;
      if (alignment == 0 || alignment > 4096 || (alignment & (alignment - 1)))
        return tokens.fail(token.line, concat("an alignment of ", alignment, "; a power of two up to 4096 is expected"));
      result.alignment = static_cast<uint32_t>(alignment);
    } else if (token.text == ".attribute") {
      while (!tokens.atEnd() && !tokens.accept(")"))
        tokens.next();
    } else if (token.text == ".v2" || token.text == ".v4") {
      result.elements = token.text == ".v2" ? 2 : 4;
    } else if (!token.text.starts_with('.')) {
      result.name = token.text;
      result.line = token.line;
      break;
    } else if (Type type = typeNamed(token.text.substr(1)); type != Type::None) {
      result.type = type;
    } else if (token.text != ".ptr" && token.text != ".global" && token.text != ".shared" && token.text != ".const" &&
               token.text != ".local") {
      return tokens.fail(token.line, concat("'", token.text, "' is not supported in a declaration"));
    }
  }
  if (result.type == Type::None)
    return tokens.fail(result.line, concat("'", result.name, "' has no type"));
  // `.ptr .align 16` speaks of what a parameter points to.
  result.alignment = std::max(result.alignment, bytesOf(result.type) * static_cast<uint32_t>(result.elements));
  return dimensions(result);
}

bool ModuleParser::dimensions(Declaration &result) {
  while (tokens.accept("[")) {
    if (tokens.accept("]")) {
      result.isUnsized = true;
      continue;
    }
    uint64_t count = 0;
    if (!integer(count) || !tokens.expect("]"))
      return false;
    result.elements *= count;
    if (count > uint64_t(1) << 32 || result.elements > uint64_t(1) << 32)
      return tokens.fail(result.line, concat("'", result.name, "' has too many elements"));
  }
  return true;
}

bool ModuleParser::variable(Space space, bool isExternal) {
  Declaration declared;
  if (!declaration(declared))
    return false;
  Variable variable;
  variable.name = std::string(declared.name);
  variable.space = space;
  variable.alignment = declared.alignment;
  variable.isExtern = space == Space::Shared && (declared.isUnsized || isExternal);
  uint32_t index = static_cast<uint32_t>(program.variables.size());
  if (tokens.accept("=") && !initializer(variable, declared, index))
    return false;
  variable.bytes = declared.bytes();
  if (!variable.initial.empty())
    variable.initial.resize(std::max<uint64_t>(variable.bytes, variable.initial.size()));
  variable.bytes = std::max<uint64_t>(variable.bytes, variable.initial.size());
  if (space == Space::Global && isExternal && !variable.bytes)
    return tokens.fail(declared.line, concat("external variable '", declared.name, "' is not supported"));
  program.variables.push_back(std::move(variable));
  Symbol symbol;
  symbol.kind = Symbol::Kind::Variable;
  symbol.index = index;
  return builder.declare(declared.name, symbol, declared.line) && tokens.expect(";");
}

bool ModuleParser::initializer(Variable &variable, const Declaration &declared, uint32_t index, unsigned depth) {
  if (tokens.accept("{")) {
    if (depth == 16)
      return tokens.fail("too many braces in one another");
    do
      if (!initializer(variable, declared, index, depth + 1))
        return false;
    while (tokens.accept(","));
    return tokens.expect("}");
  }
  size_t offset = variable.initial.size();
  unsigned bytes = bytesOf(declared.type);
  variable.initial.resize(offset + bytes);
  bool isGeneric = tokens.acceptWord("generic") && tokens.expect("(");
  RawOperand value;
  if (!readOperand(tokens, value) || (isGeneric && !(tokens.expect(")") && readAddend(tokens, value.addend))))
    return false;
  if (value.kind == RawOperand::Kind::Word) {
    std::optional<Symbol> symbol = builder.find(value.text);
    if (!symbol || symbol->kind != Symbol::Kind::Variable)
      return tokens.fail(value.line, concat("'", value.text, "' is no variable"));
    program.relocations.push_back(
        {Relocation::Target::Variable, index, static_cast<uint32_t>(offset), bytes, symbol->index, value.addend});
    return true;
  }
  memcpy(variable.initial.data() + offset, &value.bits, std::min(bytes, 8u));
  return true;
}

const Function *Program::entry(std::string_view wanted) const {
  for (const Function &function : functions)
    if (function.isEntry && function.isDefined && function.name == wanted)
      return &function;
  return nullptr;
}

Result<Program> emulator::parse(std::string name, std::string source) {
  Program program;
  program.name = std::move(name);
  program.source = std::move(source);
  auto refuse = [&](tw_status code, uint32_t line, const std::string &message) {
    if (line == 0) // of the module as a whole
      return Status(code, concat(program.name, ": ", message));
    return Status(code, concat(program.name, ':', line, ": ", message, "\n  ", lineOf(program.source, line)));
  };
  uint32_t line = 0;
  Result<std::vector<Token>> lexed = tokenize(program.source, line);
  if (!lexed.ok())
    return refuse(TW_INVALID_SOURCE, line, lexed.status().message());
  TokenStream tokens(std::move(*lexed));
  if (!ModuleParser(program, tokens).run())
    return refuse(tokens.failureCode, tokens.failureLine, tokens.failureMessage);
  return program;
}
