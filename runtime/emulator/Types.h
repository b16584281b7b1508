// The types of PTX's registers and instructions.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilewright::runtime::emulator {

enum class Type : uint8_t {
  None,
#define TYPE(name, text, bits, kind) name,
#include "runtime/emulator/Types.def"
#undef TYPE
};

enum class TypeClass : uint8_t { None, Predicate, Bits, Unsigned, Signed, Float, Packed };

struct TypeFacts {
  std::string_view text;
  unsigned bits;
  TypeClass kind;
};

inline constexpr TypeFacts typeFacts[] = {
    {"", 0, TypeClass::None},
#define TYPE(name, text, bits, kind) {text, bits, TypeClass::kind},
#include "runtime/emulator/Types.def"
#undef TYPE
};

constexpr const TypeFacts &facts(Type type) {
  return typeFacts[static_cast<unsigned>(type)];
}

/// Bytes that a lane's value takes in a register and in memory; a predicate is a bit of a 4-byte mask of the warp.
constexpr unsigned bytesOf(Type type) {
  return facts(type).bits / 8;
}
constexpr bool isSigned(Type type) {
  return facts(type).kind == TypeClass::Signed;
}
constexpr bool isFloat(Type type) {
  return facts(type).kind == TypeClass::Float;
}

/// The type a suffix names ("f32", without the dot), or None.
constexpr Type typeNamed(std::string_view text) {
  for (unsigned index = 1; index < sizeof(typeFacts) / sizeof(typeFacts[0]); ++index)
    if (typeFacts[index].text == text)
      return static_cast<Type>(index);
  return Type::None;
}

} // namespace tilewright::runtime::emulator
