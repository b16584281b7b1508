// Integer instructions that are no pattern of their own: division, carry chains, sums of absolute differences and of byte
// products.
#include "runtime/emulator/FloatOps.h"
#include "runtime/emulator/IntegerMath.h"

#include <cstdlib>

using namespace tilewright::runtime::emulator;

namespace {

/// Division by zero gives all ones (PTX leaves it open; this is what the hardware's routine gives); the least number by -1
/// itself.
struct Divide {
  template <typename T> T operator()(T a, T b) const {
    if (b == 0)
      return static_cast<T>(~T(0));
    if constexpr (std::is_signed_v<T>)
      if (b == -1)
        return static_cast<T>(0 - Unsigned<T>(a));
    return static_cast<T>(a / b);
  }
};
struct Remainder {
  template <typename T> T operator()(T a, T b) const {
    if (b == 0)
      return a;
    if constexpr (std::is_signed_v<T>)
      if (b == -1)
        return 0;
    return static_cast<T>(a % b);
  }
};

struct SumOfAbsoluteDifference {
  template <typename T> T operator()(T a, T b, T c) const {
    Unsigned<T> difference =
        static_cast<Unsigned<T>>(a < b ? Unsigned<T>(b) - Unsigned<T>(a) : Unsigned<T>(a) - Unsigned<T>(b));
    return static_cast<T>(Unsigned<T>(c) + difference);
  }
};

/// The product of the lower 24 bits: its bits 0…31, or 16…47.
template <bool High> struct Multiply24 {
  template <typename T> T operator()(T a, T b) const {
    int64_t product = low24(a) * low24(b);
    return static_cast<T>(High ? product >> 16 : product);
  }
  template <typename T> T operator()(T a, T b, T c) const {
    return static_cast<T>(Unsigned<T>((*this)(a, b)) + Unsigned<T>(c));
  }
  static int64_t low24(int32_t value) { return static_cast<int32_t>(static_cast<uint32_t>(value) << 8) >> 8; }
  static int64_t low24(uint32_t value) { return value & 0xffffff; }
};

template <typename T, bool Subtracts, bool CarryIn, bool CarryOut>
Outcome carryChain(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const T *a = warp.in<T>(instruction.operand(1)), *b = warp.in<T>(instruction.operand(2));
  T *result = warp.out<T>(instruction.operand(0));
  for (unsigned lane : lanesOf(lanes)) {
    bool carry = CarryIn && (warp.carry >> lane & 1);
    unsigned __int128 exact = Subtracts ? static_cast<unsigned __int128>(a[lane]) - b[lane] - carry
                                        : static_cast<unsigned __int128>(a[lane]) + b[lane] + carry;
    result[lane] = static_cast<T>(exact);
    bool out = exact >> (8 * sizeof(T)) & 1;
    if constexpr (CarryOut)
      warp.carry = (warp.carry & ~(1u << lane)) | uint32_t(out) << lane;
  }
  return Outcome::Next;
}

template <typename T, bool High, bool CarryIn, bool CarryOut>
Outcome multiplyCarryChain(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const T *a = warp.in<T>(instruction.operand(1)), *b = warp.in<T>(instruction.operand(2)),
          *c = warp.in<T>(instruction.operand(3));
  T *result = warp.out<T>(instruction.operand(0));
  for (unsigned lane : lanesOf(lanes)) {
    bool carry = CarryIn && (warp.carry >> lane & 1);
    auto product =
        static_cast<Unsigned<T>>(High ? productHigh(a[lane], b[lane]) : static_cast<T>(uint64_t(a[lane]) * uint64_t(b[lane])));
    unsigned __int128 exact = static_cast<unsigned __int128>(product) + static_cast<Unsigned<T>>(c[lane]) + carry;
    result[lane] = static_cast<T>(exact);
    bool out = exact >> (8 * sizeof(T)) & 1;
    if constexpr (CarryOut)
      warp.carry = (warp.carry & ~(1u << lane)) | uint32_t(out) << lane;
  }
  return Outcome::Next;
}

/// Byte k of a times byte k of b, summed; with shorts, a's short k times b's byte k + offset.
template <bool SignedA, bool SignedB> struct DotBytes {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    for (int k = 0; k < 4; ++k)
      c += static_cast<uint32_t>(byte<SignedA>(a, k) * byte<SignedB>(b, k));
    return c;
  }
  template <bool IsSigned> static int32_t byte(uint32_t value, int k) {
    uint8_t bits = static_cast<uint8_t>(value >> 8 * k);
    return IsSigned ? static_cast<int8_t>(bits) : bits;
  }
};
template <bool SignedA, bool SignedB, int First> struct DotShorts {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    for (int k = 0; k < 2; ++k) {
      uint16_t bits = static_cast<uint16_t>(a >> 16 * k);
      int32_t value = SignedA ? static_cast<int16_t>(bits) : bits;
      c += static_cast<uint32_t>(value * DotBytes<SignedA, SignedB>::template byte<SignedB>(b, First + k));
    }
    return c;
  }
};

} // namespace

namespace tilewright::runtime::emulator {

Executor bindMul24(const Mnemonic &mnemonic, Instruction &instruction) {
  Type type = mnemonic.type();
  if (type != Type::S32 && type != Type::U32)
    return nullptr;
  return byBool(mnemonic.has("hi"), [&](auto high) {
    return byInteger(type, [&]<typename T>(T) -> Executor {
      if constexpr (sizeof(T) == 4)
        return mnemonic.opcode->name == "mad24" ? &apply<Multiply24<decltype(high)::value>, T, T, T, T>
                                                : &apply<Multiply24<decltype(high)::value>, T, T, T>;
      return nullptr;
    });
  });
}

Executor bindSad(const Mnemonic &mnemonic, Instruction &) {
  return byInteger(mnemonic.type(), []<typename T>(T) -> Executor { return &apply<SumOfAbsoluteDifference, T, T, T, T>; });
}

Executor bindDivide(const Mnemonic &mnemonic, Instruction &instruction) {
  if (Executor executor = bindFloatDivide(mnemonic, instruction))
    return executor;
  return byInteger(mnemonic.type(), []<typename T>(T) -> Executor { return &apply<Divide, T, T, T>; });
}

Executor bindRemainder(const Mnemonic &mnemonic, Instruction &) {
  return byInteger(mnemonic.type(), []<typename T>(T) -> Executor { return &apply<Remainder, T, T, T>; });
}

Executor bindCarry(const Mnemonic &mnemonic, Instruction &, bool subtracts, bool hasCarryIn) {
  return byBool(bytesOf(mnemonic.type()) == 8, [&](auto wide) {
    using T = std::conditional_t<decltype(wide)::value, uint64_t, uint32_t>;
    return byBool(subtracts, [&](auto s) {
      return byBool(hasCarryIn, [&](auto in) {
        return byBool(mnemonic.has("cc"), [&](auto out) -> Executor {
          return &carryChain<T, decltype(s)::value, decltype(in)::value, decltype(out)::value>;
        });
      });
    });
  });
}

Executor bindMultiplyCarry(const Mnemonic &mnemonic, bool hasCarryIn) {
  return byBool(mnemonic.has("hi"), [&](auto high) {
    return byBool(hasCarryIn, [&](auto in) {
      return byBool(mnemonic.has("cc"), [&](auto out) {
        return byInteger(mnemonic.type(), [&]<typename T>(T) -> Executor {
          return &multiplyCarryChain<T, decltype(high)::value, decltype(in)::value, decltype(out)::value>;
        });
      });
    });
  });
}

Executor bindAddCarry(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindCarry(mnemonic, instruction, false, true);
}
Executor bindSubCarry(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindCarry(mnemonic, instruction, true, true);
}
Executor bindMadCarry(const Mnemonic &mnemonic, Instruction &) {
  return bindMultiplyCarry(mnemonic, true);
}

Executor bindDp4a(const Mnemonic &mnemonic, Instruction &) {
  return byBool(isSigned(mnemonic.type(0)), [&](auto a) {
    return byBool(isSigned(mnemonic.type(1)), [&](auto b) -> Executor {
      return &apply<DotBytes<decltype(a)::value, decltype(b)::value>, uint32_t, uint32_t, uint32_t, uint32_t>;
    });
  });
}

Executor bindDp2a(const Mnemonic &mnemonic, Instruction &) {
  return byBool(isSigned(mnemonic.type(0)), [&](auto a) {
    return byBool(isSigned(mnemonic.type(1)), [&](auto b) {
      return byBool(mnemonic.has("hi"), [&](auto high) -> Executor {
        return &apply<DotShorts<decltype(a)::value, decltype(b)::value, decltype(high)::value ? 2 : 0>, uint32_t, uint32_t,
                      uint32_t, uint32_t>;
      });
    });
  });
}

} // namespace tilewright::runtime::emulator
