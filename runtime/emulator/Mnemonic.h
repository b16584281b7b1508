// "ld.global.v4.f32" taken apart by the table in Ptx.def.
#pragma once

#include "runtime/Status.h"
#include "runtime/emulator/Program.h"

#include <span>
#include <string_view>
#include <vector>

namespace tilewright::runtime::emulator {

struct Mnemonic;

/// Chooses the executor for the types and modifiers, and fills Instruction::detail, space and convergence. Null: no such
/// instruction. The instruction's operands may not be there yet (operandCount 0) when a mnemonic is only asked about.
using Binder = Executor (*)(const Mnemonic &, Instruction &);

struct Opcode {
  std::string_view name;
  Binder bind;
  std::string_view modifiers;
  std::string_view operands;
};

struct Mnemonic {
  std::string_view text;
  const Opcode *opcode = nullptr;
  std::vector<std::string_view> modifiers;
  std::vector<Type> types;

  bool has(std::string_view modifier) const;
  /// The modifier that is one of these (separated by blanks), or "".
  std::string_view oneOf(std::string_view choices) const;
  Type type(size_t index = 0) const { return index < types.size() ? types[index] : Type::None; }
  Type lastType() const { return types.empty() ? Type::None : types.back(); }
};

/// Or a message: "unknown opcode", or which suffix the opcode does not take.
Result<Mnemonic> decodeMnemonic(std::string_view text);

/// Whether the emulator executes an instruction of this spelling.
bool isExecutable(std::string_view mnemonic);

/// All opcodes of Ptx.def.
std::span<const Opcode> opcodes();

/// Calls visit(word) for each word of a list separated by blanks until it returns true; says whether it did.
template <typename Visit> bool anyWord(std::string_view list, Visit visit) {
  while (!list.empty()) {
    size_t end = list.find(' ');
    if (end != 0 && visit(list.substr(0, end)))
      return true;
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  }
  return false;
}

} // namespace tilewright::runtime::emulator
