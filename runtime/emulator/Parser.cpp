#include "runtime/emulator/Parser.h"

#include "runtime/emulator/Builder.h"

#include <algorithm>
#include <cstring>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

/// `.align 16 .b8 name[4][8]`: a variable or parameter as declared.
struct Declaration {
  uint32_t alignment = 0;
  Type type = Type::None;
  std::string_view name;
  uint32_t line = 0;
  uint64_t elements = 1;
  bool isUnsized = false; // name[]

  uint64_t bytes() const { return isUnsized ? 0 : elements * bytesOf(type); }
};

class Parser {
public:
  Parser(Program &program, TokenStream &tokens) : program(program), tokens(tokens), builder(program, tokens) {}

  bool run() {
    while (!tokens.atEnd())
      if (!moduleStatement())
        return false;
    return layOut(program, builder.fixups, tokens);
  }

private:
  // What stands outside functions.

  bool moduleStatement() {
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
      return variable(token.text == ".global"  ? Space::Global
                      : token.text == ".const" ? Space::Const
                                               : Space::Shared,
                      wasExtern, true);
    if (token.text == ".section")
      return section();
    return commonDirective(token);
  }

  bool integer(uint64_t &value) {
    if (tokens.peek().kind != Token::Kind::Integer)
      return tokens.fail(concat("expected an integer, found ", TokenStream::describe(tokens.peek())));
    value = tokens.next().bits;
    return true;
  }

  bool version() {
    const Token &token = tokens.next(); // lexed as a decimal number: 8.0
    size_t dot = token.text.find('.');
    if (dot == std::string_view::npos)
      return tokens.fail(token.line, "expected a version such as 8.0");
    program.version = static_cast<unsigned>(atoi(std::string(token.text.substr(0, dot)).c_str()) * 10 +
                                            atoi(std::string(token.text.substr(dot + 1)).c_str()));
    return true;
  }

  bool target() {
    program.target = std::string(tokens.next().text);
    if (!program.target.starts_with("sm_"))
      return tokens.fail(concat("expected a target such as sm_80, found '", program.target, "'"));
    program.capability = static_cast<unsigned>(atoi(program.target.c_str() + 3));
    while (tokens.accept(","))
      tokens.next();
    return true;
  }

  bool addressSize() {
    uint64_t bits = 0;
    if (!integer(bits))
      return false;
    return bits == 64 || tokens.fail("the emulator has 64-bit addresses only");
  }

  bool section() {
    tokens.next();
    if (!tokens.expect("{"))
      return false;
    while (!tokens.atEnd() && !tokens.accept("}"))
      tokens.next();
    return true;
  }

  /// Directives that may stand in and outside functions.
  bool commonDirective(const Token &token) {
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

  bool file() {
    uint64_t index = 0;
    if (!integer(index))
      return false;
    program.files[static_cast<uint32_t>(index)] = std::string(tokens.next().text);
    while (tokens.accept(","))
      tokens.next();
    return true;
  }

  bool location() {
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

  // Declarations.

  /// Behind the state space: attributes, type, name, dimensions.
  bool declaration(Declaration &result) {
    for (;;) {
      const Token token = tokens.next();
      if (token.kind != Token::Kind::Word)
        return tokens.fail(token.line, concat("expected a type and a name, found ", TokenStream::describe(token)));
      if (token.text == ".align") {
        uint64_t alignment = 0;
        if (!integer(alignment))
          return false;
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

  bool dimensions(Declaration &result) {
    while (tokens.accept("[")) {
      if (tokens.accept("]")) {
        result.isUnsized = true;
        continue;
      }
      uint64_t count = 0;
      if (!integer(count) || !tokens.expect("]"))
        return false;
      result.elements *= count;
    }
    return true;
  }

  bool variable(Space space, bool isExternal, bool atModuleLevel) {
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

  bool initializer(Variable &variable, const Declaration &declared, uint32_t index) {
    if (tokens.accept("{")) {
      do
        if (!initializer(variable, declared, index))
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

  // Functions.

  bool parameterList(std::vector<Parameter> &list, bool ofEntry) {
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

  /// `.param .u64 .ptr .align 16 p` is aligned by its own size; `.param .align 16 .b8 s[32]` by 16.
  static bool isPointerAlignment(const Declaration &declared) { return declared.elements == 1 && !declared.isUnsized; }

  bool functionStatement(bool isEntry, uint32_t line) {
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

  /// Registers the function's name; a declaration that came before becomes the definition.
  bool defineFunction(const Token &name, bool isBody) {
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

  bool tuning(Function &function) {
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
      else if (token.text == ".pragma")
        commonDirective(token);
      else if (token.text != ".noreturn" && token.text != ".explicitcluster" && token.text != ".maxclusterrank" &&
               token.text != ".maxnctapersm" && token.text != ".blocksareclusters" && token.text != ".abi_preserve")
        return tokens.fail(token.line, concat("unknown directive '", token.text, "'"));
    }
    return true;
  }

  bool body() {
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

  bool statement() {
    if (tokens.accept(";"))
      return true;
    const Token &token = tokens.peek();
    if (token.kind == Token::Kind::Word && tokens.peek(1).is(":"))
      return label();
    if (token.kind == Token::Kind::Word && token.text.starts_with('.'))
      return bodyDirective();
    return instruction();
  }

  bool label() {
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

  bool branchTargets(const Token &name) {
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

  bool bodyDirective() {
    const Token token = tokens.next();
    if (token.text == ".reg")
      return registers();
    if (token.text == ".shared" || token.text == ".global" || token.text == ".const")
      return variable(token.text == ".shared" ? Space::Shared : token.text == ".global" ? Space::Global : Space::Const, false, false);
    if (token.text == ".local" || token.text == ".param")
      return local();
    return commonDirective(token);
  }

  bool registers() {
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

  bool local() {
    Declaration declared;
    if (!declaration(declared))
      return false;
    Symbol symbol;
    symbol.kind = Symbol::Kind::Local;
    symbol.size = static_cast<uint32_t>(declared.bytes());
    symbol.index = builder.newLocal(symbol.size, declared.alignment);
    return builder.declare(declared.name, symbol, declared.line) && tokens.expect(";");
  }

  // Instructions.

  bool instruction() {
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

  bool emit(const Mnemonic &mnemonic, Instruction &result) {
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

  bool emitPlain(std::string_view text) {
    Instruction result;
    result.ptxLine = tokens.peek().line;
    return emit(*decodeMnemonic(text), result);
  }

  /// call (results), function, (arguments);
  bool call(const Mnemonic &mnemonic, Instruction &result) {
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
      return tokens.fail(name.line, concat(name.text, " takes ", callee.parameters.size(), " arguments and returns ",
                                           callee.results.size(), "; the call has ", call.arguments.size(), " and ",
                                           call.results.size()));
    builder.function().callees.push_back(call.function);
    result.detail = static_cast<uint32_t>(program.calls.size());
    program.calls.push_back(std::move(call));
    return tokens.expect(";") && emit(mnemonic, result);
  }

  bool callPlaces(std::vector<uint32_t> &places) {
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

  Program &program;
  TokenStream &tokens;
  Builder builder;
  bool isExtern = false;
  uint32_t currentFile = 0, currentLine = 0;
  std::unordered_map<std::string_view, Symbol> globalFunctions;
};

} // namespace

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
    return Status(code, concat(program.name, ':', line, ": ", message, "\n  ", lineOf(program.source, line)));
  };
  uint32_t line = 0;
  Result<std::vector<Token>> lexed = tokenize(program.source, line);
  if (!lexed.ok())
    return refuse(TW_INVALID_SOURCE, line, lexed.status().message());
  TokenStream tokens(std::move(*lexed));
  if (!Parser(program, tokens).run())
    return refuse(tokens.failureCode, tokens.failureLine, tokens.failureMessage);
  return program;
}
