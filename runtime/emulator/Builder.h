// What the parser builds a Program with: names and their scopes, registers, constants, and the match of written operands with
// what an opcode takes (the operand column of Ptx.def).
#pragma once

#include "runtime/emulator/Mnemonic.h"
#include "runtime/emulator/RawOperand.h"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace tilewright::runtime::emulator {

struct Symbol {
  enum class Kind : uint8_t { Register, Variable, Parameter, Local, Function };
  Kind kind = Kind::Register;
  uint8_t bytes = 0;  // Register: per lane, 0 a predicate
  uint32_t index = 0; // Register, Parameter, Local: offset; Variable, Function: number
  uint32_t count = 0; // Register: of a range %r<count>, 0 for a single one
  uint32_t size = 0;  // Parameter, Local
};

/// Names of one pair of braces. Labels are resolved when it closes, so that inline assembly may repeat them.
struct Scope {
  std::unordered_map<std::string_view, Symbol> symbols;
  std::unordered_map<std::string_view, Symbol> ranges; // %r of `.reg .b32 %r<10>`
  std::unordered_map<std::string_view, uint32_t> labels;
  std::unordered_map<std::string_view, uint32_t> tables; // .branchtargets
  struct Use {
    std::string_view label;
    uint32_t line;
    uint32_t operand; // in Program::operands
    int32_t table;    // or in Program::branchTables, at `operand`; -1: an operand
    bool isTable;     // the label names a table
  };
  std::vector<Use> uses;
};

class Builder {
public:
  Builder(Program &program, TokenStream &tokens) : program(program), tokens(tokens) { scopes.emplace_back(); }

  void openScope() { scopes.emplace_back(); }
  bool closeScope();
  Scope &scope() { return scopes.back(); }
  /// A symbol of the innermost scope; a second one of its name there is a failure.
  bool declare(std::string_view name, Symbol symbol, uint32_t line);
  std::optional<Symbol> find(std::string_view name) const;

  uint32_t newRegister(unsigned bytes, uint32_t count = 1);
  uint32_t newLocal(uint32_t bytes, uint32_t alignment);
  /// The place of `value` written out for 32 lanes.
  uint32_t constant(uint64_t value, unsigned bytes);
  Function &function() { return program.functions[functionIndex]; }

  /// Matches operands with the opcode's and puts them behind Program::operands.
  bool addOperands(const Mnemonic &mnemonic, const std::vector<RawOperand> &raw, Instruction &instruction, uint32_t line);
  bool guard(std::string_view name, bool negated, Guard &guard, uint32_t line);

  /// A constant of a function that holds a place in local memory, or the begin of dynamic shared memory: Layout fills it in.
  struct Fixup {
    uint32_t constant;
    unsigned bytes;
    uint32_t function;
    int64_t addend;
    bool isDynamicShared;
  };
  std::vector<Fixup> fixups;
  uint32_t functionIndex = 0;

private:
  bool matchAll(std::string_view specification, const Mnemonic &mnemonic, const std::vector<RawOperand> &raw,
                std::vector<std::vector<Operand>> &matched, std::string &message);
  bool matchOne(std::string_view word, const Mnemonic &mnemonic, const RawOperand &raw, std::vector<Operand> &matched,
                std::string &message);
  bool matchElement(std::string_view type, const Mnemonic &mnemonic, const RawOperand &raw, bool written, Operand &operand,
                    std::string &message);
  bool matchValue(const RawOperand &raw, unsigned bytes, bool isPredicate, bool wider, bool written, Type type,
                  Operand &operand, std::string &message);
  bool matchMove(const Mnemonic &mnemonic, const RawOperand &raw, bool written, std::vector<Operand> &matched,
                 std::string &message);
  bool matchTensor(const Mnemonic &mnemonic, const RawOperand &raw, std::vector<Operand> &matched, std::string &message);
  bool matchAddress(const RawOperand &raw, Operand &operand, std::string &message);
  bool matchName(const RawOperand &raw, unsigned bytes, bool isPredicate, bool wider, bool written, Operand &operand,
                 std::string &message);
  bool symbolAddress(const Symbol &symbol, int64_t addend, unsigned bytes, Operand &operand, std::string &message);
  uint32_t freshConstant(unsigned bytes);
  void noteUse(uint32_t variable);

  Program &program;
  TokenStream &tokens;
  std::vector<Scope> scopes;
  std::map<std::pair<uint64_t, unsigned>, uint32_t> constants;
  std::vector<Scope::Use> newUses;
};

/// Decides all places: registers, local and shared memory of each function; refuses recursion.
bool layOut(Program &program, const std::vector<Builder::Fixup> &fixups, TokenStream &tokens);

} // namespace tilewright::runtime::emulator
