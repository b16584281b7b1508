// Logic, shifts, bit fields, byte permutation.
#include "runtime/emulator/Execute.h"

#include <algorithm>

using namespace tilewright::runtime::emulator;

namespace {

struct And {
  template <typename T> T operator()(T a, T b) const { return a & b; }
};
struct Or {
  template <typename T> T operator()(T a, T b) const { return a | b; }
};
struct Xor {
  template <typename T> T operator()(T a, T b) const { return a ^ b; }
};
struct Not {
  template <typename T> T operator()(T a) const { return static_cast<T>(~a); }
};
struct LogicalNot {
  template <typename T> T operator()(T a) const { return a == 0; }
};

/// Shift amounts at or above the size give what shifting one by one would.
struct ShiftLeft {
  template <typename T> T operator()(T a, uint32_t by) const {
    return by >= 8 * sizeof(T) ? T(0) : static_cast<T>(Unsigned<T>(a) << by);
  }
};
struct ShiftRight {
  template <typename T> T operator()(T a, uint32_t by) const {
    return static_cast<T>(a >> std::min<uint32_t>(by, 8 * sizeof(T) - 1));
  }
};
struct ShiftRightUnsigned {
  template <typename T> T operator()(T a, uint32_t by) const { return by >= 8 * sizeof(T) ? T(0) : static_cast<T>(a >> by); }
};

template <bool Left, bool Clamps> struct FunnelShift {
  uint32_t operator()(uint32_t low, uint32_t high, uint32_t by) const {
    by = Clamps ? std::min(by, 32u) : by & 31;
    uint64_t both = uint64_t(high) << 32 | low;
    return static_cast<uint32_t>(Left ? both << by >> 32 : both >> by);
  }
};

struct CountOnes {
  template <typename T> uint32_t operator()(T a) const { return static_cast<uint32_t>(std::popcount(a)); }
};
struct CountLeadingZeros {
  template <typename T> uint32_t operator()(T a) const { return static_cast<uint32_t>(std::countl_zero(a)); }
};
/// The most significant bit that is not the sign, or all ones.
template <bool ShiftAmount> struct FindBit {
  template <typename T> uint32_t operator()(T a) const {
    auto bits = static_cast<Unsigned<T>>(std::is_signed_v<T> && a < 0 ? ~a : a);
    int place = static_cast<int>(8 * sizeof(T)) - 1 - std::countl_zero(bits);
    if (place < 0)
      return ~0u;
    return static_cast<uint32_t>(ShiftAmount ? static_cast<int>(8 * sizeof(T)) - 1 - place : place);
  }
};
struct ReverseBits {
  template <typename T> T operator()(T a) const {
    T result = 0;
    for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit)
      result |= (a >> bit & 1) << (8 * sizeof(T) - 1 - bit);
    return result;
  }
};

struct ExtractField {
  template <typename T> T operator()(T a, uint32_t position, uint32_t length) const {
    constexpr uint32_t most = 8 * sizeof(T) - 1;
    position &= 0xff, length &= 0xff;
    bool signBit = false;
    if (std::is_signed_v<T> && length)
      signBit = Unsigned<T>(a) >> std::min(position + length - 1, most) & 1;
    Unsigned<T> result = 0;
    for (uint32_t bit = 0; bit <= most; ++bit) {
      bool one = bit < length && position + bit <= most ? (Unsigned<T>(a) >> (position + bit) & 1) != 0 : signBit;
      result |= Unsigned<T>(one) << bit;
    }
    return static_cast<T>(result);
  }
};
struct InsertField {
  template <typename T> T operator()(T a, T b, uint32_t position, uint32_t length) const {
    position &= 0xff, length &= 0xff;
    for (uint32_t bit = 0; bit < length && position + bit < 8 * sizeof(T); ++bit) {
      T mask = T(1) << (position + bit);
      b = (a >> bit & 1) ? b | mask : b & ~mask;
    }
    return b;
  }
};
template <bool Wraps> struct MakeMask {
  uint32_t operator()(uint32_t position, uint32_t width) const {
    position = Wraps ? position & 31 : position, width = Wraps ? width & 31 : width;
    if (position >= 32 || width == 0)
      return 0;
    uint64_t mask = (uint64_t(1) << std::min(width, 32u)) - 1;
    return static_cast<uint32_t>(mask << position);
  }
};
template <bool Wraps> struct ExtendSign {
  template <typename T> T operator()(T a, uint32_t width) const {
    if constexpr (Wraps)
      width &= 31;
    if (width == 0)
      return 0;
    if (width >= 32)
      return a;
    return static_cast<T>(static_cast<T>(Unsigned<T>(a) << (32 - width)) >> (32 - width));
  }
};

/// The position of the offset-th set bit at or from base, upwards for positive offsets; all ones if there is none.
struct FindNth {
  uint32_t operator()(uint32_t mask, uint32_t base, uint32_t signedOffset) const {
    int offset = static_cast<int>(signedOffset);
    if (offset == 0)
      return mask >> (base & 31) & 1 ? base : ~0u;
    int step = offset > 0 ? 1 : -1, left = std::abs(offset);
    for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step)
      if ((mask >> at & 1) && --left == 0)
        return static_cast<uint32_t>(at);
    return ~0u;
  }
};

enum class PermuteMode { Index, Forward4, Backward4, Replicate8, EdgeLeft, EdgeRight, Replicate16 };

/// Each nibble of the selector takes one of the 8 bytes of b:a; its top bit takes that byte's sign instead.
template <PermuteMode Mode> struct Permute {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t selector) const {
    uint64_t bytes = uint64_t(b) << 32 | a;
    uint32_t result = 0;
    for (uint32_t k = 0; k < 4; ++k) {
      uint32_t nibble = choice(selector, k);
      uint32_t byte = bytes >> 8 * (nibble & 7) & 0xff;
      if (nibble & 8)
        byte = byte & 0x80 ? 0xff : 0;
      result |= byte << 8 * k;
    }
    return result;
  }
  static uint32_t choice(uint32_t selector, uint32_t k) {
    uint32_t from = selector & 3;
    switch (Mode) {
    case PermuteMode::Index:
      return selector >> 4 * k & 15;
    case PermuteMode::Forward4:
      return from + k;
    case PermuteMode::Backward4:
      return (from - k) & 7;
    case PermuteMode::Replicate8:
      return from;
    case PermuteMode::EdgeLeft:
      return std::max(k, from);
    case PermuteMode::EdgeRight:
      return std::min(k, from);
    case PermuteMode::Replicate16:
      return (from & 1) * 2 + (k & 1);
    }
    return 0;
  }
};

Outcome lop3(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const uint32_t *a = warp.in<uint32_t>(instruction.operand(1)), *b = warp.in<uint32_t>(instruction.operand(2)),
                 *c = warp.in<uint32_t>(instruction.operand(3));
  uint32_t *result = warp.out<uint32_t>(instruction.operand(0));
  uint32_t table = static_cast<uint32_t>(instruction.operand(4).value);
  for (unsigned lane : lanesOf(lanes)) {
    uint32_t value = 0;
    for (uint32_t row = 0; row < 8; ++row)
      if (table >> row & 1)
        value |= (row & 4 ? a[lane] : ~a[lane]) & (row & 2 ? b[lane] : ~b[lane]) & (row & 1 ? c[lane] : ~c[lane]);
    result[lane] = value;
  }
  return Outcome::Next;
}

template <typename Function, unsigned Sources>
Outcome onPredicates(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint32_t a = warp.predicate(instruction.operand(1));
  uint32_t value;
  if constexpr (Sources == 1)
    value = Function()(a);
  else
    value = Function()(a, warp.predicate(instruction.operand(2)));
  warp.setPredicate(instruction.operand(0), value, lanes);
  return Outcome::Next;
}

template <typename Function> Executor bindLogic(const Mnemonic &mnemonic) {
  if (mnemonic.type() == Type::Pred)
    return &onPredicates<Function, 2>;
  return byInteger(mnemonic.type(), []<typename T>(T) -> Executor { return &apply<Function, T, T, T>; });
}

template <typename Function> Executor bindShift(Type type) {
  return byInteger(type, []<typename T>(T) -> Executor { return &apply<Function, T, T, uint32_t>; });
}

} // namespace

namespace tilewright::runtime::emulator {

Executor bindAnd(const Mnemonic &mnemonic, Instruction &) {
  return bindLogic<And>(mnemonic);
}
Executor bindOr(const Mnemonic &mnemonic, Instruction &) {
  return bindLogic<Or>(mnemonic);
}
Executor bindXor(const Mnemonic &mnemonic, Instruction &) {
  return bindLogic<Xor>(mnemonic);
}
Executor bindNot(const Mnemonic &mnemonic, Instruction &) {
  if (mnemonic.type() == Type::Pred)
    return &onPredicates<Not, 1>;
  return byInteger(mnemonic.type(), []<typename T>(T) -> Executor { return &apply<Not, T, T>; });
}
Executor bindCnot(const Mnemonic &mnemonic, Instruction &) {
  return byInteger(mnemonic.type(), []<typename T>(T) -> Executor { return &apply<LogicalNot, T, T>; });
}
Executor bindLop3(const Mnemonic &mnemonic, Instruction &) {
  return mnemonic.type() == Type::B32 ? &lop3 : nullptr;
}
Executor bindShl(const Mnemonic &mnemonic, Instruction &) {
  return bindShift<ShiftLeft>(mnemonic.type());
}
Executor bindShr(const Mnemonic &mnemonic, Instruction &) {
  return isSigned(mnemonic.type()) ? bindShift<ShiftRight>(mnemonic.type()) : bindShift<ShiftRightUnsigned>(mnemonic.type());
}
Executor bindFunnelShift(const Mnemonic &mnemonic, Instruction &) {
  if (mnemonic.type() != Type::B32)
    return nullptr;
  return byBool(mnemonic.has("l"), [&](auto left) {
    return byBool(mnemonic.has("clamp"), [&](auto clamps) -> Executor {
      return &apply<FunnelShift<decltype(left)::value, decltype(clamps)::value>, uint32_t, uint32_t, uint32_t, uint32_t>;
    });
  });
}
Executor bindPopc(const Mnemonic &mnemonic, Instruction &) {
  return mnemonic.type() == Type::B64   ? &apply<CountOnes, uint32_t, uint64_t>
         : mnemonic.type() == Type::B32 ? &apply<CountOnes, uint32_t, uint32_t>
                                        : nullptr;
}
Executor bindClz(const Mnemonic &mnemonic, Instruction &) {
  return mnemonic.type() == Type::B64   ? &apply<CountLeadingZeros, uint32_t, uint64_t>
         : mnemonic.type() == Type::B32 ? &apply<CountLeadingZeros, uint32_t, uint32_t>
                                        : nullptr;
}
Executor bindBfind(const Mnemonic &mnemonic, Instruction &) {
  return byBool(mnemonic.has("shiftamt"), [&](auto amount) {
    return byInteger(mnemonic.type(),
                     []<typename T>(T) -> Executor { return &apply<FindBit<decltype(amount)::value>, uint32_t, T>; });
  });
}
Executor bindBrev(const Mnemonic &mnemonic, Instruction &) {
  return mnemonic.type() == Type::B64   ? &apply<ReverseBits, uint64_t, uint64_t>
         : mnemonic.type() == Type::B32 ? &apply<ReverseBits, uint32_t, uint32_t>
                                        : nullptr;
}
Executor bindBfe(const Mnemonic &mnemonic, Instruction &) {
  return byInteger(mnemonic.type(), []<typename T>(T) -> Executor { return &apply<ExtractField, T, T, uint32_t, uint32_t>; });
}
Executor bindBfi(const Mnemonic &mnemonic, Instruction &) {
  return mnemonic.type() == Type::B64   ? &apply<InsertField, uint64_t, uint64_t, uint64_t, uint32_t, uint32_t>
         : mnemonic.type() == Type::B32 ? &apply<InsertField, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>
                                        : nullptr;
}
Executor bindBmsk(const Mnemonic &mnemonic, Instruction &) {
  return mnemonic.has("wrap") ? &apply<MakeMask<true>, uint32_t, uint32_t, uint32_t>
                              : &apply<MakeMask<false>, uint32_t, uint32_t, uint32_t>;
}
Executor bindSzext(const Mnemonic &mnemonic, Instruction &) {
  return byBool(mnemonic.has("wrap"), [&](auto wraps) -> Executor {
    using Function = ExtendSign<decltype(wraps)::value>;
    return isSigned(mnemonic.type()) ? &apply<Function, int32_t, int32_t, uint32_t>
                                     : &apply<Function, uint32_t, uint32_t, uint32_t>;
  });
}
Executor bindFns(const Mnemonic &mnemonic, Instruction &) {
  return &apply<FindNth, uint32_t, uint32_t, uint32_t, uint32_t>;
}
Executor bindPrmt(const Mnemonic &mnemonic, Instruction &) {
  std::string_view mode = mnemonic.oneOf("f4e b4e rc8 ecl ecr rc16");
  auto make = [](auto chosen) -> Executor {
    return &apply<Permute<decltype(chosen)::value>, uint32_t, uint32_t, uint32_t, uint32_t>;
  };
  if (mode == "f4e")
    return make(std::integral_constant<PermuteMode, PermuteMode::Forward4>());
  if (mode == "b4e")
    return make(std::integral_constant<PermuteMode, PermuteMode::Backward4>());
  if (mode == "rc8")
    return make(std::integral_constant<PermuteMode, PermuteMode::Replicate8>());
  if (mode == "ecl")
    return make(std::integral_constant<PermuteMode, PermuteMode::EdgeLeft>());
  if (mode == "ecr")
    return make(std::integral_constant<PermuteMode, PermuteMode::EdgeRight>());
  if (mode == "rc16")
    return make(std::integral_constant<PermuteMode, PermuteMode::Replicate16>());
  return make(std::integral_constant<PermuteMode, PermuteMode::Index>());
}

} // namespace tilewright::runtime::emulator
