// PTX text to tokens. A word keeps its dots (`ld.global.f32`, `%tid.x`, `.reg`): PTX gives a dot no meaning of its own.
#pragma once

#include "runtime/Status.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tilewright::runtime::emulator {

struct Token {
  enum class Kind : uint8_t { Word, Integer, Float, String, Symbol, End };

  Kind kind = Kind::End;
  std::string_view text; // into the source; of a string, what is between the quotes
  uint32_t line = 0;
  uint64_t bits = 0;        // Integer: its value; Float: bits of an f64
  bool isSingle = false;    // Float: written 0f…, `bits` are an f32's
  bool spaceBefore = false; // `[a +4]` and `a+4` are told from `%r<4>` by nothing else

  bool is(std::string_view symbol) const { return kind == Kind::Symbol && text == symbol; }
  bool isWord(std::string_view word) const { return kind == Kind::Word && text == word; }
};

/// The tokens of `source`, an End last; or what is wrong, and in `line` where.
Result<std::vector<Token>> tokenize(std::string_view source, uint32_t &line);

/// The line of `source` with this number (from 1), without what is blank around it.
std::string_view lineOf(std::string_view source, uint32_t line);

} // namespace tilewright::runtime::emulator
