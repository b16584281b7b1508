#include "runtime/emulator/Targets.h"

#include "runtime/Text.h"

#include <algorithm>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

struct Need {
  std::string_view opcode, word;
  unsigned capability;
  bool isSpecific;
  unsigned version;
};

constexpr Need needs[] = {
#define NEEDS(opcode, word, capability, isSpecific, version) {opcode, word, capability, isSpecific, version},
#include "runtime/emulator/Targets.def"
#undef NEEDS
};

bool isOf(const Need &need, const Mnemonic &mnemonic) {
  std::string_view name = mnemonic.opcode->name;
  if (!name.starts_with(need.opcode) || (name.size() > need.opcode.size() && name[need.opcode.size()] != '.'))
    return false;
  return need.word.empty() || mnemonic.has(need.word) ||
         std::any_of(mnemonic.types.begin(), mnemonic.types.end(), [&](Type type) { return facts(type).text == need.word; });
}

bool hasTarget(const Need &need, const Program &program) {
  if (need.isSpecific)
    return program.target == concat("sm_", need.capability, 'a');
  return program.capability >= need.capability;
}

} // namespace

std::string tilewright::runtime::emulator::missingFor(const Mnemonic &mnemonic, const Program &program) {
  for (const Need &need : needs) {
    if (!isOf(need, mnemonic))
      continue;
    if (!hasTarget(need, program))
      return concat(mnemonic.text, " needs .target sm_", need.capability, need.isSpecific ? "a" : " or later",
                    ", the module is for ", program.target);
    if (program.version < need.version)
      return concat(mnemonic.text, " needs .version ", need.version / 10, '.', need.version % 10, " or later, the module has ",
                    program.version / 10, '.', program.version % 10);
  }
  return {};
}
