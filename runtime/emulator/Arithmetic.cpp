// add, sub, mul, mad, fma, min, max, abs, neg of integers and floats.
//
// fma.rn.f32 is exact by f64 with rounding to odd, which vectorizes; fma of f64 is the C library's.
#include "runtime/emulator/FloatMath.h"
#include "runtime/emulator/IntegerMath.h"

using namespace tilewright::runtime::emulator;

namespace {

struct Add {
  template <typename T> static T of(T a, T b) { return a + b; }
  template <typename T> static T directed(T a, T b) { return a + b; }
  static double exact(double a, double b) { return fusedToOdd(a, 1, b); }
};

struct Subtract {
  template <typename T> static T of(T a, T b) { return a - b; }
  template <typename T> static T directed(T a, T b) { return a - b; }
  static double exact(double a, double b) { return fusedToOdd(a, 1, -b); }
};

struct Multiply {
  template <typename T> static T of(T a, T b) { return a * b; }
  template <typename T> static T directed(T a, T b) { return a * b; }
  static double exact(double a, double b) { return a * b; }
};

struct FusedMultiplyAdd {
  static float of(float a, float b, float c) {
    return static_cast<float>(fusedToOdd(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c)));
  }
  static double of(double a, double b, double c) { return std::fma(a, b, c); }
  template <typename T> static T directed(T a, T b, T c) { return std::fma(a, b, c); }
  static double exact(double a, double b, double c) { return fusedToOdd(a, b, c); }
};

/// The number if the other is a NaN; -0 is less than +0.
template <bool IsMax, bool PropagatesNaN> struct Extreme {
  template <typename T> static T of(T a, T b) {
    if (a != a || b != b)
      return PropagatesNaN || (a != a && b != b) ? std::numeric_limits<T>::quiet_NaN() : a != a ? b : a;
    bool less = a < b || (a == b && std::signbit(a) && !std::signbit(b));
    return less != IsMax ? a : b;
  }
  template <typename T> static T directed(T a, T b) { return of(a, b); }
  static double exact(double a, double b) { return of(a, b); }
};

struct AbsoluteFloat {
  template <typename T> static T of(T a) { return std::fabs(a); }
  template <typename T> static T directed(T a) { return std::fabs(a); }
  static double exact(double a) { return std::fabs(a); }
};

struct NegateFloat {
  template <typename T> static T of(T a) { return -a; }
  template <typename T> static T directed(T a) { return -a; }
  static double exact(double a) { return -a; }
};

struct AddInteger {
  template <typename T> T operator()(T a, T b) const { return static_cast<T>(Unsigned<T>(a) + Unsigned<T>(b)); }
};
struct SubtractInteger {
  template <typename T> T operator()(T a, T b) const { return static_cast<T>(Unsigned<T>(a) - Unsigned<T>(b)); }
};
struct AddSaturating {
  int32_t operator()(int32_t a, int32_t b) const { return saturated(int64_t(a) + b); }
};
struct SubtractSaturating {
  int32_t operator()(int32_t a, int32_t b) const { return saturated(int64_t(a) - b); }
};
struct MinInteger {
  template <typename T> T operator()(T a, T b) const { return std::min(a, b); }
};
struct MaxInteger {
  template <typename T> T operator()(T a, T b) const { return std::max(a, b); }
};
struct AbsoluteInteger {
  template <typename T> T operator()(T a) const { return a < 0 ? static_cast<T>(0 - Unsigned<T>(a)) : a; }
};
struct NegateInteger {
  template <typename T> T operator()(T a) const { return static_cast<T>(0 - Unsigned<T>(a)); }
};

/// Two 16-bit integers in a register.
template <typename Function, typename T> Executor packedInteger() {
  return &apply<OnBothHalves<Function, T>, uint32_t, uint32_t, uint32_t>;
}

template <typename Function> Executor bindInteger(const Mnemonic &mnemonic) {
  if (mnemonic.type() == Type::U16x2)
    return packedInteger<Function, uint16_t>();
  if (mnemonic.type() == Type::S16x2)
    return packedInteger<Function, int16_t>();
  return byInteger(mnemonic.type(), []<typename T>(T) -> Executor { return &apply<Function, T, T, T>; });
}

/// Low half, high half or all of the product.
struct MultiplyLow {
  template <typename T> T operator()(T a, T b) const { return static_cast<T>(uint64_t(a) * uint64_t(b)); }
};
struct MultiplyHigh {
  template <typename T> T operator()(T a, T b) const { return productHigh(a, b); }
};
template <typename W> struct MultiplyWide {
  template <typename T> W operator()(T a, T b) const { return static_cast<W>(W(a) * W(b)); }
};
struct MadLow {
  template <typename T> T operator()(T a, T b, T c) const { return static_cast<T>(uint64_t(a) * uint64_t(b) + uint64_t(c)); }
};
struct MadHigh {
  template <typename T> T operator()(T a, T b, T c) const { return AddInteger()(productHigh(a, b), c); }
};
struct MadHighSaturating {
  int32_t operator()(int32_t a, int32_t b, int32_t c) const { return saturated(int64_t(productHigh(a, b)) + c); }
};
template <typename W> struct MadWide {
  template <typename T> W operator()(T a, T b, W c) const { return AddInteger()(MultiplyWide<W>()(a, b), c); }
};

/// visit(T(), W()) for the types that .wide takes.
template <typename Visit> Executor byWideInteger(Type type, Visit visit) {
  switch (type) {
  case Type::U16:
    return visit(uint16_t(), uint32_t());
  case Type::S16:
    return visit(int16_t(), int32_t());
  case Type::U32:
    return visit(uint32_t(), uint64_t());
  case Type::S32:
    return visit(int32_t(), int64_t());
  default:
    return nullptr;
  }
}

} // namespace

namespace tilewright::runtime::emulator {

Executor bindAdd(const Mnemonic &mnemonic, Instruction &instruction) {
  if (mnemonic.has("cc"))
    return bindCarry(mnemonic, instruction, false, false);
  if (mnemonic.has("sat") && mnemonic.type() == Type::S32)
    return &apply<AddSaturating, int32_t, int32_t, int32_t>;
  if (Executor executor = bindFloat<Add, 2>(mnemonic, instruction))
    return executor;
  return bindInteger<AddInteger>(mnemonic);
}

Executor bindSub(const Mnemonic &mnemonic, Instruction &instruction) {
  if (mnemonic.has("cc"))
    return bindCarry(mnemonic, instruction, true, false);
  if (mnemonic.has("sat") && mnemonic.type() == Type::S32)
    return &apply<SubtractSaturating, int32_t, int32_t, int32_t>;
  if (Executor executor = bindFloat<Subtract, 2>(mnemonic, instruction))
    return executor;
  return bindInteger<SubtractInteger>(mnemonic);
}

Executor bindMul(const Mnemonic &mnemonic, Instruction &instruction) {
  if (Executor executor = bindFloat<Multiply, 2>(mnemonic, instruction))
    return executor;
  if (mnemonic.has("wide"))
    return byWideInteger(mnemonic.type(),
                         []<typename T, typename W>(T, W) -> Executor { return &apply<MultiplyWide<W>, W, T, T>; });
  if (mnemonic.has("hi"))
    return byInteger(mnemonic.type(), []<typename T>(T) -> Executor { return &apply<MultiplyHigh, T, T, T>; });
  return byInteger(mnemonic.type(), []<typename T>(T) -> Executor { return &apply<MultiplyLow, T, T, T>; });
}

Executor bindMad(const Mnemonic &mnemonic, Instruction &instruction) {
  if (mnemonic.has("cc"))
    return bindMultiplyCarry(mnemonic, false);
  if (Executor executor = bindFloat<FusedMultiplyAdd, 3>(mnemonic, instruction))
    return executor;
  if (mnemonic.has("wide"))
    return byWideInteger(mnemonic.type(),
                         []<typename T, typename W>(T, W) -> Executor { return &apply<MadWide<W>, W, T, T, W>; });
  if (mnemonic.has("sat"))
    return mnemonic.has("hi") && mnemonic.type() == Type::S32 ? &apply<MadHighSaturating, int32_t, int32_t, int32_t, int32_t>
                                                              : nullptr;
  if (mnemonic.has("hi"))
    return byInteger(mnemonic.type(), []<typename T>(T) -> Executor { return &apply<MadHigh, T, T, T, T>; });
  return byInteger(mnemonic.type(), []<typename T>(T) -> Executor { return &apply<MadLow, T, T, T, T>; });
}

Executor bindFma(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindFloat<FusedMultiplyAdd, 3>(mnemonic, instruction);
}

namespace {
template <bool IsMax, typename Integer> Executor bindExtreme(const Mnemonic &mnemonic, Instruction &instruction) {
  if (mnemonic.has("xorsign") || mnemonic.has("abs") || instruction.operandCount > 3)
    return nullptr;
  Executor executor = mnemonic.has("NaN") ? bindFloat<Extreme<IsMax, true>, 2>(mnemonic, instruction)
                                          : bindFloat<Extreme<IsMax, false>, 2>(mnemonic, instruction);
  return executor || mnemonic.has("relu") ? executor : bindInteger<Integer>(mnemonic);
}
} // namespace

Executor bindMin(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindExtreme<false, MinInteger>(mnemonic, instruction);
}

Executor bindMax(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindExtreme<true, MaxInteger>(mnemonic, instruction);
}

Executor bindAbs(const Mnemonic &mnemonic, Instruction &instruction) {
  if (Executor executor = bindFloat<AbsoluteFloat, 1>(mnemonic, instruction))
    return executor;
  return byInteger(mnemonic.type(), []<typename T>(T) -> Executor { return &apply<AbsoluteInteger, T, T>; });
}

Executor bindNeg(const Mnemonic &mnemonic, Instruction &instruction) {
  if (Executor executor = bindFloat<NegateFloat, 1>(mnemonic, instruction))
    return executor;
  return byInteger(mnemonic.type(), []<typename T>(T) -> Executor { return &apply<NegateInteger, T, T>; });
}

} // namespace tilewright::runtime::emulator
