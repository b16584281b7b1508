// The class that parses a module, split over two files: Parser.cpp reads what stands outside functions and all declarations,
// ParseFunction.cpp functions, bodies and instructions.
#pragma once

#include "runtime/emulator/Builder.h"

#include <unordered_map>

namespace tilewright::runtime::emulator {

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

class ModuleParser {
public:
  ModuleParser(Program &program, TokenStream &tokens) : program(program), tokens(tokens), builder(program, tokens) {}

  /// False after a failure, which the stream of tokens holds.
  bool run();

private:
  // What stands outside functions.
  bool moduleStatement();
  bool integer(uint64_t &value);
  bool version();
  bool target();
  bool addressSize();
  bool section();
  /// Directives that may stand in and outside functions.
  bool commonDirective(const Token &token);
  bool file();
  bool location();

  // Declarations.
  /// Behind the state space: attributes, type, name, dimensions.
  bool declaration(Declaration &result);
  bool dimensions(Declaration &result);
  bool variable(Space space, bool isExternal);
  bool initializer(Variable &variable, const Declaration &declared, uint32_t index, unsigned depth = 0);

  // Functions.
  bool parameterList(std::vector<Parameter> &list, bool ofEntry);
  /// `.param .u64 .ptr .align 16 p` is aligned by its own size; `.param .align 16 .b8 s[32]` by 16.
  static bool isPointerAlignment(const Declaration &declared) { return declared.elements == 1 && !declared.isUnsized; }
  bool functionStatement(bool isEntry, uint32_t line);
  /// Registers the function's name; a declaration that came before becomes the definition.
  bool defineFunction(const Token &name, bool isBody);
  bool tuning(Function &function);
  bool body();
  bool statement();
  bool label();
  bool branchTargets(const Token &name);
  bool bodyDirective();
  bool registers();
  bool local();

  // Instructions.
  bool instruction();
  bool emit(const Mnemonic &mnemonic, Instruction &result);
  bool emitPlain(std::string_view text);
  /// call (results), function, (arguments);
  bool call(const Mnemonic &mnemonic, Instruction &result);
  bool callPlaces(std::vector<uint32_t> &places);

  Program &program;
  TokenStream &tokens;
  Builder builder;
  bool isExtern = false;
  uint32_t currentFile = 0, currentLine = 0;
  std::unordered_map<std::string_view, Symbol> globalFunctions;
};

} // namespace tilewright::runtime::emulator
