// mov with packing and unpacking, conversions of addresses, and instructions that do nothing here.
#include "runtime/emulator/Execute.h"
#include "runtime/emulator/Memory.h"

using namespace tilewright::runtime::emulator;

namespace {

struct Same {
  template <typename T> T operator()(T value) const { return value; }
};

Outcome movePredicate(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  warp.setPredicate(instruction.operand(0), warp.predicate(instruction.operand(1)), lanes);
  return Outcome::Next;
}

/// The bytes of the sources one after another are the bytes of the destinations.
Outcome movePacked(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  auto bytesIn = [&](const Operand &operand, unsigned lane) {
    return warp.in<std::byte>(operand) + static_cast<size_t>(lane) * operand.bytes;
  };
  for (unsigned lane : lanesOf(lanes)) {
    std::byte value[16];
    unsigned at = 0;
    for (unsigned k = 0; k < instruction.width[1]; at += instruction.operand(1, k++).bytes)
      memcpy(value + at, bytesIn(instruction.operand(1, k), lane), instruction.operand(1, k).bytes);
    at = 0;
    for (unsigned k = 0; k < instruction.width[0]; at += instruction.operand(0, k++).bytes) {
      const Operand &to = instruction.operand(0, k);
      memcpy(warp.out<std::byte>(to) + static_cast<size_t>(lane) * to.bytes, value + at, to.bytes);
    }
  }
  return Outcome::Next;
}

Outcome moveClock(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  warp.refreshClock();
  for (unsigned lane : lanesOf(lanes))
    warp.setValue(instruction.operand(0), lane, warp.value(instruction.operand(1), lane));
  return Outcome::Next;
}

bool isClock(const Operand &operand) {
  return operand.bank == Bank::Warp && operand.offset >= offsetOf(Special::Clock);
}

uint64_t windowOf(std::string_view space) {
  return space.starts_with("shared") ? sharedWindow : space == "local" ? localWindow : space == "param" ? parameterWindow : 0;
}

/// Generic addresses of shared, local and parameter memory carry a tag; those of global and constant memory are the same.
Outcome toGeneric(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint64_t window = uint64_t(instruction.detail) << 56;
  for (unsigned lane : lanesOf(lanes))
    warp.setValue(instruction.operand(0), lane, warp.value(instruction.operand(1), lane) | window);
  return Outcome::Next;
}

Outcome fromGeneric(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint64_t window = uint64_t(instruction.detail) << 56;
  for (unsigned lane : lanesOf(lanes))
    warp.setValue(instruction.operand(0), lane, warp.value(instruction.operand(1), lane) & ~(window ? windowMask : 0));
  return Outcome::Next;
}

Outcome isSpace(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint32_t result = 0;
  for (unsigned lane : lanesOf(lanes))
    result |= uint32_t((warp.value(instruction.operand(1), lane) & windowMask) == uint64_t(instruction.detail) << 56) << lane;
  warp.setPredicate(instruction.operand(0), result, lanes);
  return Outcome::Next;
}

Outcome nothing(Warp &, const Instruction &, uint32_t) {
  return Outcome::Next;
}

constexpr std::string_view spaces = "global shared shared::cta shared::cluster local const param";

} // namespace

namespace tilewright::runtime::emulator {

Executor bindMove(const Mnemonic &mnemonic, Instruction &instruction) {
  if (instruction.operandCount == 2) {
    auto bytesOfAll = [&](unsigned k) {
      unsigned bytes = 0;
      for (unsigned element = 0; element < instruction.width[k]; ++element)
        bytes += instruction.operand(k, element).bytes;
      return bytes;
    };
    if (instruction.width[0] > 1 || instruction.width[1] > 1 || mnemonic.type() == Type::B128)
      return bytesOfAll(0) == bytesOfAll(1) ? &movePacked : nullptr;
    if (isClock(instruction.operand(1)))
      return &moveClock;
  }
  switch (bytesOf(mnemonic.type())) {
  case 2:
    return &apply<Same, uint16_t, uint16_t>;
  case 4:
    return &apply<Same, uint32_t, uint32_t>;
  case 8:
    return &apply<Same, uint64_t, uint64_t>;
  case 16:
    return &movePacked;
  default:
    return mnemonic.type() == Type::Pred ? &movePredicate : nullptr;
  }
}

Executor bindConvertAddress(const Mnemonic &mnemonic, Instruction &instruction) {
  std::string_view space = mnemonic.oneOf(spaces);
  if (space.empty() || bytesOf(mnemonic.type()) != 8)
    return nullptr;
  instruction.detail = static_cast<uint32_t>(windowOf(space) >> 56);
  return mnemonic.has("to") ? &fromGeneric : &toGeneric;
}

Executor bindIsSpace(const Mnemonic &mnemonic, Instruction &instruction) {
  std::string_view space = mnemonic.oneOf(spaces);
  instruction.detail = static_cast<uint32_t>(windowOf(space) >> 56);
  // Constant and global addresses are not told apart.
  return space.empty() || space == "const" ? nullptr : &isSpace;
}

Executor bindNothing(const Mnemonic &, Instruction &) {
  return &nothing;
}

} // namespace tilewright::runtime::emulator
