#include "runtime/emulator/Mnemonic.h"

#include "runtime/Text.h"

#include <algorithm>
#include <array>
#include <unordered_map>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace tilewright::runtime::emulator {
#define OPCODE(name, bind, modifiers, operands) Executor bind(const Mnemonic &, Instruction &);
#include "runtime/emulator/Ptx.def"
#undef OPCODE
} // namespace tilewright::runtime::emulator

namespace {

constexpr Opcode table[] = {
#define OPCODE(name, bind, modifiers, operands) {name, bind, modifiers, operands},
#include "runtime/emulator/Ptx.def"
#undef OPCODE
};

const std::unordered_map<std::string_view, const Opcode *> &byName() {
  static const auto map = [] {
    std::unordered_map<std::string_view, const Opcode *> result;
    for (const Opcode &opcode : table)
      result.emplace(opcode.name, &opcode);
    return result;
  }();
  return map;
}

/// The longest prefix of dotted words that is an opcode: `cp.async.wait_group` before `cp.async`.
const Opcode *longestPrefix(std::string_view text) {
  for (std::string_view prefix = text;;) {
    auto found = byName().find(prefix);
    if (found != byName().end())
      return found->second;
    size_t dot = prefix.rfind('.');
    if (dot == std::string_view::npos)
      return nullptr;
    prefix = prefix.substr(0, dot);
  }
}

/// `L1::*` in the table stands for all that begin so.
bool matches(std::string_view pattern, std::string_view word) {
  return pattern.ends_with('*') ? word.starts_with(pattern.substr(0, pattern.size() - 1)) : pattern == word;
}

} // namespace

bool Mnemonic::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::string_view Mnemonic::oneOf(std::string_view choices) const {
  for (std::string_view modifier : modifiers)
    if (anyWord(choices, [&](std::string_view choice) { return choice == modifier; }))
      return modifier;
  return {};
}

Result<Mnemonic> emulator::decodeMnemonic(std::string_view text) {
  Mnemonic result;
  result.text = text;
  result.opcode = longestPrefix(text);
  if (!result.opcode)
    return Status(TW_UNSUPPORTED, concat("unknown opcode ", text.substr(0, text.find('.'))));
  for (size_t at = result.opcode->name.size(); at < text.size();) {
    size_t end = std::min(text.find('.', at + 1), text.size());
    std::string_view suffix = text.substr(at + 1, end - at - 1);
    at = end;
    if (anyWord(result.opcode->modifiers, [&](std::string_view pattern) { return matches(pattern, suffix); }))
      result.modifiers.push_back(suffix);
    else if (Type type = typeNamed(suffix); type != Type::None)
      result.types.push_back(type);
    else
      return Status(TW_UNSUPPORTED, concat("unknown suffix .", suffix, " of ", result.opcode->name));
  }
  return result;
}

bool emulator::isExecutable(std::string_view text) {
  Result<Mnemonic> mnemonic = decodeMnemonic(text);
  Instruction instruction;
  return mnemonic.ok() && mnemonic->opcode->bind(*mnemonic, instruction) != nullptr;
}

std::span<const Opcode> emulator::opcodes() {
  return table;
}
