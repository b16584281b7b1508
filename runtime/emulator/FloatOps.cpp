// Division, roots, exponentials and their kin.
//
// The approximations (.approx, .full) are computed in f64 and rounded once: within 0.5 ulp and a little, nearer to the true
// value than the bounds that PTX gives them (2 ulp for div.full, a relative error of 2⁻¹¹ for tanh.approx). That a kernel needs
// more than the hardware gives is therefore not found here.
#include "runtime/emulator/FloatOps.h"
#include "runtime/emulator/FloatMath.h"

using namespace tilewright::runtime::emulator;

namespace {

struct Quotient {
  template <typename T> static T of(T a, T b) { return a / b; }
  template <typename T> static T directed(T a, T b) { return a / b; }
  static double exact(double a, double b) { return a / b; }
};
struct Reciprocal {
  template <typename T> static T of(T a) { return T(1) / a; }
  template <typename T> static T directed(T a) { return T(1) / a; }
  static double exact(double a) { return 1 / a; }
};
struct SquareRoot {
  template <typename T> static T of(T a) { return std::sqrt(a); }
  template <typename T> static T directed(T a) { return std::sqrt(a); }
  static double exact(double a) { return std::sqrt(a); }
};
template <double (*function)(double)> struct ByDouble {
  template <typename T> static T of(T a) { return static_cast<T>(function(static_cast<double>(a))); }
  template <typename T> static T directed(T a) { return of(a); }
  static double exact(double a) { return function(a); }
};

double reciprocalSquareRoot(double value) {
  return 1 / std::sqrt(value);
}

struct CopySign {
  template <typename T> T operator()(T sign, T magnitude) const { return std::copysign(magnitude, sign); }
};

enum class Property { Finite, Infinite, Number, NotANumber, Normal, Subnormal };

template <typename T, Property property> Outcome testProperty(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const T *a = warp.in<T>(instruction.operand(1));
  uint32_t result = 0;
  for (unsigned lane : lanesOf(lanes)) {
    T value = a[lane];
    bool holds = property == Property::Finite       ? std::isfinite(value)
                 : property == Property::Infinite   ? std::isinf(value)
                 : property == Property::Number     ? !std::isnan(value)
                 : property == Property::NotANumber ? std::isnan(value)
                 : property == Property::Normal     ? std::isnormal(value)
                                                    : std::fpclassify(value) == FP_SUBNORMAL;
    result |= uint32_t(holds) << lane;
  }
  warp.setPredicate(instruction.operand(0), result, lanes);
  return Outcome::Next;
}

template <Property property> Executor bindProperty(Type type) {
  return type == Type::F32 ? &testProperty<float, property> : type == Type::F64 ? &testProperty<double, property> : nullptr;
}

} // namespace

namespace tilewright::runtime::emulator {

Executor bindFloatDivide(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindFloat<Quotient, 2>(mnemonic, instruction);
}
Executor bindCopysign(const Mnemonic &mnemonic, Instruction &instruction) {
  return mnemonic.type() == Type::F32   ? &apply<CopySign, float, float, float>
         : mnemonic.type() == Type::F64 ? &apply<CopySign, double, double, double>
                                        : nullptr;
}
Executor bindRcp(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindFloat<Reciprocal, 1>(mnemonic, instruction);
}
Executor bindSqrt(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindFloat<SquareRoot, 1>(mnemonic, instruction);
}
Executor bindRsqrt(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindFloat<ByDouble<reciprocalSquareRoot>, 1>(mnemonic, instruction);
}
Executor bindEx2(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindFloat<ByDouble<std::exp2>, 1>(mnemonic, instruction);
}
Executor bindLg2(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindFloat<ByDouble<std::log2>, 1>(mnemonic, instruction);
}
Executor bindSin(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindFloat<ByDouble<std::sin>, 1>(mnemonic, instruction);
}
Executor bindCos(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindFloat<ByDouble<std::cos>, 1>(mnemonic, instruction);
}
Executor bindTanh(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindFloat<ByDouble<std::tanh>, 1>(mnemonic, instruction);
}
Executor bindTestp(const Mnemonic &mnemonic, Instruction &instruction) {
  std::string_view property = mnemonic.oneOf("finite infinite number notanumber normal subnormal");
  Type type = mnemonic.type();
  return property == "finite"       ? bindProperty<Property::Finite>(type)
         : property == "infinite"   ? bindProperty<Property::Infinite>(type)
         : property == "number"     ? bindProperty<Property::Number>(type)
         : property == "notanumber" ? bindProperty<Property::NotANumber>(type)
         : property == "normal"     ? bindProperty<Property::Normal>(type)
         : property == "subnormal"  ? bindProperty<Property::Subnormal>(type)
                                    : nullptr;
}

} // namespace tilewright::runtime::emulator
