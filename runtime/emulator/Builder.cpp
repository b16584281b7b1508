#include "runtime/emulator/Builder.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

struct SpecialFacts {
  Special special;
  std::string_view text;
  Bank bank;
  uint8_t bytes;
};

constexpr SpecialFacts specials[] = {
#define SPECIAL(name, text, bank, bytes) {Special::name, text, Bank::bank, bytes},
#include "runtime/emulator/SpecialRegisters.def"
#undef SPECIAL
};

const SpecialFacts *specialNamed(std::string_view name) {
  if (!name.starts_with('%'))
    return nullptr;
  for (const SpecialFacts &special : specials)
    if (special.text == name.substr(1))
      return &special;
  return nullptr;
}

/// A size that Layout refuses, far from overflow.
constexpr uint32_t tooMuch = 1u << 30;

/// A float constant as an operand of so many bytes wants it; false if it does not fit there.
bool floatBits(const RawOperand &raw, unsigned bytes, Type type, uint64_t &bits) {
  if (bytes == 4 && raw.isSingle)
    bits = raw.bits;
  else if (bytes == 4)
    bits = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(raw.bits)));
  else if (bytes == 8 && !raw.isSingle)
    bits = raw.bits;
  else
    return false;
  return type == Type::None || isFloat(type) || facts(type).kind == TypeClass::Bits;
}

std::string bitsText(unsigned bytes) {
  return bytes == 0 ? "a predicate" : concat(bytes * 8, " bits");
}

} // namespace

bool Builder::declare(std::string_view name, Symbol symbol, uint32_t line) {
  auto &map = symbol.kind == Symbol::Kind::Register && symbol.count ? scope().ranges : scope().symbols;
  if (map.emplace(name, symbol).second)
    return true;
  return tokens.fail(line, concat("'", name, "' is declared twice"));
}

std::optional<Symbol> Builder::find(std::string_view name) const {
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    --digits;
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    if (auto found = scope->symbols.find(name); found != scope->symbols.end())
      return found->second;
    auto range = digits < name.size() ? scope->ranges.find(name.substr(0, digits)) : scope->ranges.end();
    if (range == scope->ranges.end())
      continue;
    uint64_t number = strtoull(std::string(name.substr(digits)).c_str(), nullptr, 10);
    if (number >= range->second.count)
      continue;
    Symbol symbol = range->second;
    symbol.index += static_cast<uint32_t>(number) * (symbol.bytes ? symbol.bytes * warpSize : 4);
    return symbol;
  }
  return std::nullopt;
}

bool Builder::closeScope() {
  Scope closed = std::move(scopes.back());
  scopes.pop_back();
  for (const Scope::Use &use : closed.uses) {
    const auto &names = use.isTable ? closed.tables : closed.labels;
    auto found = names.find(use.label);
    if (found == names.end()) {
      if (scopes.size() == 1)
        return tokens.fail(use.line, concat("label '", use.label, "' is not declared"));
      scopes.back().uses.push_back(use);
    } else if (use.table >= 0) {
      program.branchTables[static_cast<size_t>(use.table)][use.operand] = found->second;
    } else {
      program.operands[use.operand].value = found->second;
    }
  }
  return true;
}

uint32_t Builder::newRegister(unsigned bytes, uint32_t count) {
  uint32_t size = bytes ? bytes * warpSize : 4;
  uint32_t alignment = bytes ? 64 : 4;
  uint32_t &used = function().registerBytes;
  used = (used + alignment - 1) / alignment * alignment;
  uint32_t offset = used;
  used = static_cast<uint32_t>(std::min<uint64_t>(used + uint64_t(size) * count, tooMuch)); // Layout refuses it
  return offset;
}

uint32_t Builder::newLocal(uint32_t bytes, uint32_t alignment) {
  uint32_t &used = function().localBytes;
  alignment = std::clamp(alignment, 1u, 4096u);
  used = (used + alignment - 1) / alignment * alignment;
  uint32_t offset = used;
  used = static_cast<uint32_t>(std::min<uint64_t>(used + uint64_t(bytes), tooMuch));
  return offset;
}

uint32_t Builder::freshConstant(unsigned bytes) {
  size_t offset = (program.constants.size() + 63) / 64 * 64;
  program.constants.resize(offset + (bytes ? bytes * warpSize : 4));
  return static_cast<uint32_t>(offset);
}

uint32_t Builder::constant(uint64_t value, unsigned bytes) {
  if (bytes && bytes < 8)
    value &= (uint64_t(1) << bytes * 8) - 1;
  auto [place, isNew] = constants.try_emplace({value, bytes}, 0);
  if (!isNew)
    return place->second;
  place->second = freshConstant(bytes);
  std::byte *data = program.constants.data() + place->second;
  if (bytes == 0) {
    uint32_t mask = value ? allLanes : 0;
    memcpy(data, &mask, 4);
  } else {
    for (unsigned lane = 0; lane < warpSize; ++lane)
      memcpy(data + static_cast<size_t>(lane) * bytes, &value, std::min(bytes, 8u));
  }
  return place->second;
}

void Builder::noteUse(uint32_t variable) {
  std::vector<uint32_t> &users = program.variables[variable].functions;
  if (users.empty() || users.back() != functionIndex)
    users.push_back(functionIndex);
}

bool Builder::symbolAddress(const Symbol &symbol, int64_t addend, unsigned bytes, Operand &operand, std::string &message) {
  if (symbol.kind == Symbol::Kind::Function) {
    message = "the address of a function is not supported";
    return false;
  }
  operand.bank = Bank::Constants;
  operand.bytes = static_cast<uint8_t>(bytes);
  operand.isVariable = true;
  if (symbol.kind == Symbol::Kind::Parameter) {
    operand.space = Space::Parameter;
    operand.offset = constant(symbol.index + static_cast<uint64_t>(addend), bytes);
    return true;
  }
  operand.offset = freshConstant(bytes);
  if (symbol.kind == Symbol::Kind::Local) {
    operand.space = Space::Local;
    fixups.push_back({operand.offset, bytes, functionIndex, symbol.index + addend, false});
    return true;
  }
  const Variable &variable = program.variables[symbol.index];
  operand.space = variable.space;
  noteUse(symbol.index);
  if (variable.space == Space::Shared && variable.isExtern)
    fixups.push_back({operand.offset, bytes, functionIndex, addend, true});
  else
    program.relocations.push_back({Relocation::Target::Constant, 0, operand.offset, bytes, symbol.index, addend});
  return true;
}

bool Builder::matchName(const RawOperand &raw, unsigned bytes, bool isPredicate, bool wider, bool written, Operand &operand,
                        std::string &message) {
  operand.kind = Operand::Kind::Lanes;
  operand.negated = raw.negated;
  operand.isWritten = written;
  if (raw.text == "_") {
    operand.isSink = true;
    operand.bytes = static_cast<uint8_t>(bytes);
    if (!written)
      message = "'_' can only be written";
    return written;
  }
  if (const SpecialFacts *special = specialNamed(raw.text)) {
    operand.bank = special->bank;
    operand.bytes = special->bytes;
    operand.offset = offsetOf(special->special);
    if (written || special->bytes != bytes)
      message = concat(raw.text, written ? " cannot be written" : concat(" has ", special->bytes * 8, " bits"));
    return message.empty();
  }
  if (raw.text == "WARP_SZ") {
    operand.bank = Bank::Constants;
    operand.bytes = static_cast<uint8_t>(bytes);
    operand.offset = constant(warpSize, bytes);
    return true;
  }
  std::optional<Symbol> symbol = find(raw.text);
  if (!symbol) {
    message = raw.text.starts_with('%')
                  ? concat("'", raw.text, "' is no register declared here, nor a special register the emulator has")
                  : concat("'", raw.text, "' is not declared");
    return false;
  }
  if (symbol->kind != Symbol::Kind::Register) {
    if (!written && (bytes == 4 || bytes == 8))
      return symbolAddress(*symbol, raw.addend, bytes, operand, message);
    message = concat("'", raw.text, "' is no register");
    return false;
  }
  operand.bank = Bank::Registers;
  operand.bytes = symbol->bytes;
  operand.offset = symbol->index;
  bool fits = isPredicate ? symbol->bytes == 0 : symbol->bytes == bytes || (wider && symbol->bytes > bytes);
  if (!fits)
    message = concat("'", raw.text, "' has ", bitsText(symbol->bytes), ", expected ", bitsText(isPredicate ? 0 : bytes));
  return fits;
}

bool Builder::matchValue(const RawOperand &raw, unsigned bytes, bool isPredicate, bool wider, bool written, Type type,
                         Operand &operand, std::string &message) {
  if (raw.kind == RawOperand::Kind::Word)
    return matchName(raw, bytes, isPredicate, wider, written, operand, message);
  if (written || (raw.kind != RawOperand::Kind::Integer && raw.kind != RawOperand::Kind::Float)) {
    message = written ? "expected a register to write" : "expected a register or a constant";
    return false;
  }
  uint64_t bits = raw.bits;
  if (raw.kind == RawOperand::Kind::Float && !floatBits(raw, bytes, type, bits)) {
    message = concat("a float constant does not fit ", bitsText(isPredicate ? 0 : bytes));
    return false;
  }
  operand.kind = Operand::Kind::Lanes;
  operand.bank = Bank::Constants;
  operand.bytes = static_cast<uint8_t>(isPredicate ? 0 : std::max(bytes, 2u));
  operand.offset = constant(bits, operand.bytes);
  return true;
}

bool Builder::matchElement(std::string_view type, const Mnemonic &mnemonic, const RawOperand &raw, bool written,
                           Operand &operand, std::string &message) {
  bool wider = type.starts_with('~');
  if (wider)
    type.remove_prefix(1);
  Type named = type == "t" || type == "w" ? mnemonic.type() : type == "u" ? mnemonic.lastType() : Type::None;
  unsigned bytes = type == "16" ? 2 : type == "32" ? 4 : type == "64" ? 8 : bytesOf(named);
  if (type == "w" && mnemonic.has("wide"))
    bytes *= 2, named = Type::None;
  bool isPredicate = type == "p" || named == Type::Pred;
  if (!isPredicate && bytes == 0) {
    message = "the instruction has no type";
    return false;
  }
  return matchValue(raw, bytes, isPredicate, wider, written, named, operand, message);
}

bool Builder::matchMove(const Mnemonic &mnemonic, const RawOperand &raw, bool written, std::vector<Operand> &matched,
                        std::string &message) {
  unsigned bytes = bytesOf(mnemonic.type());
  if (raw.kind != RawOperand::Kind::Vector) {
    matched.emplace_back();
    return matchElement("t", mnemonic, raw, written, matched.back(), message);
  }
  unsigned element = bytes / static_cast<unsigned>(raw.parts.size());
  for (const RawOperand &part : raw.parts) {
    matched.emplace_back();
    if (!matchValue(part, element, false, false, written, Type::None, matched.back(), message))
      return false;
  }
  return true;
}

bool Builder::matchAddress(const RawOperand &raw, Operand &operand, std::string &message) {
  if (raw.kind != RawOperand::Kind::Address || raw.parts.size() != 1) {
    message = "expected an address in brackets";
    return false;
  }
  const RawOperand &base = raw.parts[0];
  operand.kind = Operand::Kind::Address;
  if (base.kind == RawOperand::Kind::Integer) {
    operand.bank = Bank::Constants;
    operand.bytes = 8;
    operand.offset = constant(base.bits, 8);
    return true;
  }
  std::optional<Symbol> symbol = base.kind == RawOperand::Kind::Word ? find(base.text) : std::nullopt;
  if (!symbol) {
    message = concat("'", base.text, "' is not declared");
    return false;
  }
  if (symbol->kind != Symbol::Kind::Register)
    return symbolAddress(*symbol, base.addend, 8, operand, message);
  if (symbol->bytes != 4 && symbol->bytes != 8) {
    message = concat("an address has 32 or 64 bits, '", base.text, "' has ", bitsText(symbol->bytes));
    return false;
  }
  operand.bytes = symbol->bytes;
  operand.offset = symbol->index;
  operand.value = base.addend;
  return true;
}

bool Builder::matchTensor(const Mnemonic &mnemonic, const RawOperand &raw, std::vector<Operand> &matched,
                          std::string &message) {
  if (raw.kind != RawOperand::Kind::Address || raw.parts.size() != 2 || raw.parts[1].kind != RawOperand::Kind::Vector) {
    message = "expected a tensor map and coordinates: [map, {x, y}]";
    return false;
  }
  RawOperand map = raw;
  map.parts.pop_back();
  matched.emplace_back();
  if (!matchAddress(map, matched.back(), message))
    return false;
  for (const RawOperand &coordinate : raw.parts[1].parts) {
    matched.emplace_back();
    if (!matchElement("32", mnemonic, coordinate, false, matched.back(), message))
      return false;
  }
  return true;
}

bool Builder::matchOne(std::string_view word, const Mnemonic &mnemonic, const RawOperand &raw, std::vector<Operand> &matched,
                       std::string &message) {
  bool written = word.starts_with('=');
  if (written)
    word.remove_prefix(1);
  if (word == "%")
    return matchMove(mnemonic, raw, written, matched, message);
  if (word == "L" || word == "B") {
    if (raw.kind != RawOperand::Kind::Word) {
      message = "expected a label";
      return false;
    }
    matched.emplace_back();
    matched.back().kind = Operand::Kind::Code;
    newUses.push_back({raw.text, raw.line, 0, -1, word == "B"});
    return true;
  }
  if (word == "#") {
    matched.emplace_back();
    matched.back().kind = Operand::Kind::Constant;
    matched.back().value = static_cast<int64_t>(raw.bits);
    if (raw.kind != RawOperand::Kind::Integer)
      message = "expected an integer constant";
    return raw.kind == RawOperand::Kind::Integer;
  }
  if (word == "@") {
    matched.emplace_back();
    return matchAddress(raw, matched.back(), message);
  }
  if (word == "@T")
    return matchTensor(mnemonic, raw, matched, message);
  if (word.starts_with('{')) {
    std::string_view type = word.substr(1, word.size() - 2);
    std::span<const RawOperand> parts =
        raw.kind == RawOperand::Kind::Vector ? std::span<const RawOperand>(raw.parts) : std::span<const RawOperand>(&raw, 1);
    for (const RawOperand &part : parts) {
      matched.emplace_back();
      if (!matchElement(type, mnemonic, part, written, matched.back(), message))
        return false;
    }
    return true;
  }
  // d|p: the predicate is always there, as a sink if it is not written.
  if (size_t bar = word.find('|'); bar != std::string_view::npos) {
    matched.resize(2);
    RawOperand sink;
    sink.text = "_";
    const RawOperand &first = raw.kind == RawOperand::Kind::Pair ? raw.parts[0] : raw;
    const RawOperand &second = raw.kind == RawOperand::Kind::Pair ? raw.parts[1] : sink;
    return matchElement(word.substr(0, bar), mnemonic, first, written, matched[0], message) &&
           matchElement(word.substr(bar + 1), mnemonic, second, written, matched[1], message);
  }
  matched.emplace_back();
  return matchElement(word, mnemonic, raw, written, matched.back(), message);
}

bool Builder::matchAll(std::string_view specification, const Mnemonic &mnemonic, const std::vector<RawOperand> &raw,
                       std::vector<std::vector<Operand>> &matched, std::string &message) {
  size_t next = 0;
  bool tooFew = false;
  bool failed = anyWord(specification, [&](std::string_view word) {
    bool optional = word.ends_with('?');
    if (optional)
      word.remove_suffix(1);
    if (next == raw.size()) {
      tooFew = !optional;
      return tooFew;
    }
    matched.emplace_back();
    return !matchOne(word, mnemonic, raw[next++], matched.back(), message);
  });
  if (tooFew)
    message = concat("expected more than ", raw.size(), " operands");
  else if (!failed && next < raw.size())
    message = concat("expected ", next, " operands, found ", raw.size());
  return message.empty() && !failed;
}

bool Builder::addOperands(const Mnemonic &mnemonic, const std::vector<RawOperand> &raw, Instruction &instruction,
                          uint32_t line) {
  std::string_view specification = mnemonic.opcode->operands;
  std::string firstMessage;
  for (;;) {
    size_t slash = specification.find(" / ");
    std::vector<std::vector<Operand>> matched;
    std::string message;
    newUses.clear();
    if (matchAll(specification.substr(0, slash), mnemonic, raw, matched, message)) {
      instruction.firstOperand = static_cast<uint32_t>(program.operands.size());
      instruction.operandCount = static_cast<uint8_t>(matched.size());
      unsigned start = 0;
      for (size_t k = 0; k < matched.size(); ++k) {
        instruction.start[k] = static_cast<uint8_t>(start);
        instruction.width[k] = static_cast<uint8_t>(matched[k].size());
        start += static_cast<unsigned>(matched[k].size());
        for (Operand &operand : matched[k]) {
          if (operand.kind == Operand::Kind::Code) {
            newUses[0].operand = static_cast<uint32_t>(program.operands.size());
            scope().uses.push_back(newUses[0]);
          }
          program.operands.push_back(operand);
        }
      }
      return true;
    }
    if (firstMessage.empty())
      firstMessage = message;
    if (slash == std::string_view::npos)
      return tokens.fail(line, concat(mnemonic.text, ": ", firstMessage));
    specification.remove_prefix(slash + 3);
  }
}

bool Builder::guard(std::string_view name, bool negated, Guard &guard, uint32_t line) {
  std::optional<Symbol> symbol = find(name);
  if (!symbol || symbol->kind != Symbol::Kind::Register || symbol->bytes != 0)
    return tokens.fail(line, concat("'", name, "' is no predicate"));
  guard.offset = symbol->index;
  guard.negated = negated;
  return true;
}
