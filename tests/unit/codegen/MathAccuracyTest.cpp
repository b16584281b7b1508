// The errors that ExpandMath.cpp states, measured: f32 against the C library in double, f64 against it in long double.
//
// On the processor at hand, and as PTX on the emulator.
//
// Arguments: for f32 every 4,099th of all 2^32 (TILEWRIGHT_EXHAUSTIVE=1: all of them); for f64 random ones in several
// distributions (all bit patterns, near 1, in the range where the function is not trivial) and the hard ones of the literature.

#include "tests/unit/codegen/Elementwise.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

namespace tilewright::test {
namespace {

struct Function {
  const char *name; ///< in the math dialect
  double f32Bound, f64Bound;
  long double (*reference)(long double, long double);
  double range = 40; ///< where f64 arguments are dense
  bool isBinary = false;
};

void PrintTo(const Function &function, std::ostream *stream) {
  *stream << function.name;
}

const Function functions[] = {
    {"exp", 1.05, 1.05, [](long double x, long double) { return std::exp(x); }, 750},
    {"exp2", 1.0, 1.0, [](long double x, long double) { return std::exp2(x); }, 1080},
    {"tanh", 1.6, 1.6, [](long double x, long double) { return std::tanh(x); }},
    {"log", 1.0, 1.0, [](long double x, long double) { return std::log(x); }},
    {"log2", 1.0, 1.0, [](long double x, long double) { return std::log2(x); }},
    {"log1p", 1.0, 1.0, [](long double x, long double) { return std::log1p(x); }},
    {"sin", 1.6, 1.0, [](long double x, long double) { return std::sin(x); }},
    {"cos", 1.6, 1.0, [](long double x, long double) { return std::cos(x); }},
    {"erf", 1.8, 1.7, [](long double x, long double) { return std::erf(x); }, 7},
    {"sqrt", 0.5, 0.5, [](long double x, long double) { return std::sqrt(x); }},
    {"rsqrt", 1.5, 1.5, [](long double x, long double) { return 1 / std::sqrt(x); }},
    {"powf", 1.0, 1.3, [](long double x, long double y) { return std::pow(x, y); }, 40, true},
};

/// The distance of a result from the exact value, in units of the last place of the correct result. Infinite where kinds
/// differ.
template <typename Float> double distance(Float found, long double exact) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  using Limits = std::numeric_limits<Float>;
  auto correct = static_cast<Float>(exact);
  if (std::isnan(correct) || std::isnan(found))
    return std::isnan(correct) && std::isnan(found) ? 0 : wrong;
  if (found == correct && (found == 0 || std::isinf(found)))
    return std::signbit(found) == std::signbit(correct) ? 0 : wrong;
  if (std::isinf(found) || std::isinf(correct)) // one place below infinity
    return std::fabs(std::isinf(found) ? correct : found) == Limits::max() ? 1 : wrong;
  int exponent = correct == 0 ? Limits::min_exponent : std::max(std::ilogb(correct) + 1, int(Limits::min_exponent));
  return static_cast<double>(std::fabs((found - exact) / std::ldexp(1.0L, exponent - Limits::digits)));
}

template <typename Float> class Measurement {
public:
  Measurement(const Function &function, const std::string &type, const Processor &processor = compiler::CpuTarget::host())
      : function(function), type(type) {
    std::string operands = function.isBinary ? "%a, %b" : "%a", error;
    Formula formula{type, type, "    %r = math." + std::string(function.name) + " " + operands + " : " + type};
    code = Elementwise::compile(formula, processor, error);
    EXPECT_TRUE(code) << error;
  }

  void add(std::vector<Float> x, std::vector<Float> y) {
    std::vector<Float> z(x.size());
    if (!code)
      return;
    code->run(x, y, z);
    for (size_t i = 0; i < x.size(); ++i) {
      long double exact = sizeof(Float) == 4 ? (long double)(inDouble(x[i], y[i])) : function.reference(x[i], y[i]);
      double error = distance(z[i], exact);
      if (error > worst) {
        worst = error;
        where = {x[i], y[i], z[i]};
      }
    }
  }

  void expectBelow(double bound) const {
    EXPECT_LE(worst, bound) << function.name << " on " << type << " at " << std::hexfloat << where[0] << ", " << where[1]
                            << ": found " << where[2];
    ::testing::Test::RecordProperty(function.name + ("_" + type), std::to_string(worst));
    std::printf("%-6s %s %.3f ulp\n", function.name, type.c_str(), worst);
  }

private:
  /// The C library's double functions are ten times faster than those on long double.
  double inDouble(double x, double y) const {
    static const std::pair<const char *, double (*)(double)> fast[] = {
        {"exp", std::exp},     {"exp2", std::exp2}, {"tanh", std::tanh}, {"log", std::log}, {"log2", std::log2},
        {"log1p", std::log1p}, {"sqrt", std::sqrt}, {"sin", std::sin},   {"cos", std::cos}, {"erf", std::erf}};
    for (auto [name, reference] : fast)
      if (!std::strcmp(name, function.name))
        return reference(x);
    return function.isBinary ? std::pow(x, y) : 1 / std::sqrt(x);
  }

  const Function &function;
  std::string type;
  std::unique_ptr<Elementwise> code;
  double worst = 0;
  std::vector<Float> where = {0, 0, 0};
};

/// Without the instructions that not every processor has.
compiler::CpuTarget plainTarget() {
  compiler::CpuTarget target = compiler::CpuTarget::host();
  target.scalesByPowers = false;
  return target;
}

class MathAccuracy : public ::testing::TestWithParam<Function> {};

/// A random exponent that makes x^y interesting.
double exponentFor(double x, std::mt19937_64 &random, double largest) {
  double uniform = std::ldexp(static_cast<double>(random()), -63) - 1;
  double logarithm = std::log2(std::fabs(x));
  if (random() % 3 == 0 || !std::isfinite(logarithm) || logarithm == 0)
    return std::floor(uniform * 20);
  return uniform * largest / logarithm;
}

/// Every step-th f32, in portions.
template <typename Add> void forF32(const Function &function, uint64_t step, Add &&add) {
  std::mt19937_64 random(1);
  constexpr uint64_t all = uint64_t(1) << 32;
  for (uint64_t code = 0; code < all;) {
    std::vector<float> x, y;
    for (; code < all && x.size() < (1 << 20); code += step) {
      auto bits = static_cast<uint32_t>(code);
      float value;
      std::memcpy(&value, &bits, sizeof value);
      x.push_back(value);
      y.push_back(function.isBinary ? float(exponentFor(value, random, 155)) : 0);
    }
    add(x, y);
  }
}

uint64_t stepOr(uint64_t step) {
  return std::getenv("TILEWRIGHT_EXHAUSTIVE") ? 1 : step;
}

TEST_P(MathAccuracy, F32) {
  Measurement<float> measurement(GetParam(), "f32"), plain(GetParam(), "f32", plainTarget());
  forF32(GetParam(), stepOr(4099), [&](const std::vector<float> &x, const std::vector<float> &y) {
    measurement.add(x, y);
    plain.add(x, y);
  });
  measurement.expectBelow(GetParam().f32Bound);
  plain.expectBelow(GetParam().f32Bound);
}

TEST_P(MathAccuracy, F32OnGpu) {
  Measurement<float> measurement(GetParam(), "f32", processorNamed("sm_80"));
  forF32(GetParam(), stepOr(16411), [&](const std::vector<float> &x, const std::vector<float> &y) { measurement.add(x, y); });
  std::mt19937_64 random(1);
  std::vector<float> x, y;
  for (int i = 0; i < 100000; ++i) { // angles on both sides of the branch, and where functions are not trivial
    double uniform = std::ldexp(static_cast<double>(random()), -63) - 1;
    x.push_back(static_cast<float>(uniform * (i % 2 ? 40000 : std::min(GetParam().range, 100.0))));
    y.push_back(static_cast<float>(exponentFor(x.back(), random, 155)));
  }
  measurement.add(x, y);
  measurement.expectBelow(GetParam().f32Bound);
}

double randomArgument(int kind, double range, std::mt19937_64 &random) {
  uint64_t bits = random();
  double uniform = std::ldexp(static_cast<double>(bits), -63) - 1, value;
  switch (kind) {
  case 0:
    std::memcpy(&value, &bits, sizeof value);
    return value;
  case 1:
    return uniform * range;
  case 2:
    return std::ldexp(uniform, int(random() % 14) - 6);
  default:
    return 1 + std::ldexp(uniform, -int(random() % 40));
  }
}

struct Arguments {
  std::vector<double> x, y;
};

Arguments argumentsF64(const Function &function, int count) {
  std::mt19937_64 random(1);
  // Muller et al., "Handbook of floating-point arithmetic": the double nearest to a multiple of pi/2; 10^22; ends of ranges.
  std::vector<double> special = {0.0,
                                 -0.0,
                                 1,
                                 -1,
                                 INFINITY,
                                 -INFINITY,
                                 NAN,
                                 0.5,
                                 2,
                                 3,
                                 -3,
                                 2.5,
                                 -2.5,
                                 5e-324,
                                 -5e-324,
                                 1.7976931348623157e308,
                                 -1.7976931348623157e308,
                                 2.2250738585072014e-308,
                                 6381956970095103.0 * 0x1p797,
                                 1e22,
                                 0x1p-60,
                                 1e300,
                                 745.2,
                                 -745.2,
                                 709.79,
                                 1024,
                                 -1074,
                                 -1075,
                                 M_SQRT1_2,
                                 M_PI,
                                 M_PI_2,
                                 355,
                                 103993};
  Arguments arguments;
  for (double a : special)
    for (double b : special) {
      arguments.x.push_back(a);
      arguments.y.push_back(b);
    }
  for (int i = 0; i < count; ++i) {
    arguments.x.push_back(randomArgument(i % 4, function.range, random));
    arguments.y.push_back(function.isBinary ? exponentFor(arguments.x.back(), random, 1080) : 0);
  }
  return arguments;
}

TEST_P(MathAccuracy, F64) {
  Measurement<double> measurement(GetParam(), "f64"), plain(GetParam(), "f64", plainTarget());
  Arguments arguments = argumentsF64(GetParam(), 400000);
  measurement.add(arguments.x, arguments.y);
  measurement.expectBelow(GetParam().f64Bound);
  plain.add(arguments.x, arguments.y);
  plain.expectBelow(GetParam().f64Bound);
}

TEST_P(MathAccuracy, F64OnGpu) {
  Measurement<double> measurement(GetParam(), "f64", processorNamed("sm_80"));
  Arguments arguments = argumentsF64(GetParam(), 40000);
  measurement.add(arguments.x, arguments.y);
  measurement.expectBelow(GetParam().f64Bound);
}

// --------------------------------------------------------------------------------------------------------------------
// Approximations: the table of ExpandMathNvidia.cpp, less the errors of the instructions, which the emulator has none of.
// --------------------------------------------------------------------------------------------------------------------

struct Approximation {
  const char *name;
  const char *operation; ///< all but its flag and its type
  double exponent; ///< the relative error of the formula is at most 2 to this
  double (*reference)(double, double);
};

void PrintTo(const Approximation &approximation, std::ostream *stream) {
  *stream << approximation.name;
}

const Approximation approximations[] = {
    {"exp", "%r = math.exp %a", -17.5, [](double x, double) { return std::exp(x); }},
    {"exp2", "%r = math.exp2 %a", -23, [](double x, double) { return std::exp2(x); }},
    {"tanh", "%r = math.tanh %a", -23, [](double x, double) { return std::tanh(x); }},
    {"log", "%r = math.log %a", -18, [](double x, double) { return std::log(x); }},
    {"log2", "%r = math.log2 %a", -18, [](double x, double) { return std::log2(x); }},
    {"log1p", "%r = math.log1p %a", -18, [](double x, double) { return std::log1p(x); }},
    {"sin", "%r = math.sin %a", -14.5, [](double x, double) { return std::sin(x); }},
    {"cos", "%r = math.cos %a", -14.5, [](double x, double) { return std::cos(x); }},
    {"erf", "%r = math.erf %a", -17.5, [](double x, double) { return std::erf(x); }},
    {"sqrt", "%r = math.sqrt %a", -23, [](double x, double) { return std::sqrt(x); }},
    {"rsqrt", "%r = math.rsqrt %a", -23, [](double x, double) { return 1 / std::sqrt(x); }},
    {"divf", "%r = arith.divf %a, %b", -23, [](double x, double y) { return x / y; }},
    {"sigmoid", R"(%one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %size = math.absf %a : f32
    %negated = arith.negf %size : f32
    %t = math.exp %negated fastmath<afn> : f32
    %isPositive = arith.cmpf oge, %a, %zero : f32
    %numerator = arith.select %isPositive, %one, %t : f32
    %denominator = arith.addf %one, %t : f32
    %r = arith.divf %numerator, %denominator)",
     -17.4, [](double x, double) { return 1 / (1 + std::exp(-x)); }},
    {"seventh", R"(%seven = arith.constant 7.0 : f32
    %r = arith.divf %a, %seven)",
     -22.9, [](double x, double) { return x / 7; }},
};

/// Relative; where the result is subnormal, it may be 0, and the error is relative to the smallest normal number.
double relativeError(float found, double exact) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double largest = std::numeric_limits<float>::max(), smallest = std::numeric_limits<float>::min();
  if (std::isnan(exact) || std::isnan(found))
    return std::isnan(exact) && std::isnan(found) ? 0 : infinity;
  if (std::isinf(found))
    return std::fabs(exact) > largest * (1 - 0x1p-18) && std::signbit(found) == std::signbit(exact) ? 0 : infinity;
  if (found == 0 && std::fabs(exact) < smallest)
    return std::signbit(found) == std::signbit(exact) ? 0 : infinity;
  return std::fabs(found - exact) / std::max(std::fabs(exact), smallest);
}

class MathApproximation : public ::testing::TestWithParam<Approximation> {};

TEST_P(MathApproximation, F32) {
  std::string error;
  Formula formula{"f32", "f32", std::string("    ") + GetParam().operation + " fastmath<afn> : f32"};
  std::unique_ptr<Elementwise> code = Elementwise::compile(formula, processorNamed("sm_80"), error);
  ASSERT_TRUE(code) << error;
  double worst = 0;
  float where = 0;
  auto measure = [&](std::vector<float> x, std::vector<float> y) {
    for (size_t i = 0; i < y.size(); ++i) // divisors of every size
      y[i] = x[(i * 7919 + 5) % x.size()];
    std::vector<float> z(x.size());
    code->run(x, y, z);
    for (size_t i = 0; i < x.size(); ++i)
      if (double found = relativeError(z[i], GetParam().reference(x[i], y[i])); found > worst) {
        worst = found;
        where = x[i];
      }
  };
  forF32({"", 0, 0, nullptr}, stepOr(16411), measure);
  std::vector<float> near1;
  for (int i = -20000; i < 20000; ++i)
    near1.push_back(1 + float(i) * 0x1p-17f);
  measure(near1, near1);
  EXPECT_LE(std::log2(worst), GetParam().exponent) << "at " << std::hexfloat << where;
  std::printf("%-6s 2^%.1f\n", GetParam().name, std::log2(worst));
}

/// An activation that is recognized as a whole (ExpandMathActivations.cpp), of which the relative error is not all that is stated.
struct Activation {
  const char *name;
  const char *formula; ///< of %a to %r
  double (*reference)(double);
  double (*bound)(double x, double exact); ///< of the error
};

void PrintTo(const Activation &activation, std::ostream *stream) {
  *stream << activation.name;
}

double gelu(double x) {
  return 0.5 * x * std::erfc(-x * M_SQRT1_2);
}

double geluSlope(double x) {
  double c = std::clamp(x, -30.0, 30.0), s = 1 / (1 + std::exp(-c * (1.5957691216057308 + 0.07135481627260025 * c * c)));
  return s + c * s * (1 - s) * (1.5957691216057308 + 0.21406444881780075 * c * c);
}

double geluErfSlope(double x) {
  double c = std::clamp(x, -30.0, 30.0); // of infinity it is 1
  return 0.5 * std::erfc(-c * M_SQRT1_2) + c * std::exp(-0.5 * c * c) * 0.5 * M_SQRT1_2 * M_2_SQRTPI;
}

/// Of both sides the smaller has the error.
double slopeBound(double, double exact) {
  return 0x1p-11 * 0.78 * std::max(0.25, std::min(exact, 1 - exact)) + 0x1p-24;
}

const Activation activations[] = {
    {"gelu", R"(    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root = arith.constant 0.7071067811865476 : f32
    %h = arith.mulf %a, %half : f32
    %scaled = arith.mulf %a, %root : f32
    %e = math.erf %scaled fastmath<afn> : f32
    %s = arith.addf %e, %one : f32
    %r = arith.mulf %h, %s : f32)",
     gelu, [](double, double exact) { return 0x1p-11 * 0.575 * std::fabs(exact) + 0x1p-35; }},
    {"twice_wider", R"(    %one = arith.constant 1.0 : f32
    %root = arith.constant 0.3535533905932738 : f32
    %scaled = arith.mulf %root, %a : f32
    %e = math.erf %scaled fastmath<afn> : f32
    %s = arith.addf %one, %e : f32
    %r = arith.mulf %s, %a : f32)",
     [](double x) { return 4 * gelu(x / 2); }, [](double, double exact) { return 0x1p-11 * 0.575 * std::fabs(exact) + 0x1p-33; }},
    {"silu", R"(    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %size = math.absf %a : f32
    %negated = arith.negf %size : f32
    %t = math.exp %negated fastmath<afn> : f32
    %isPositive = arith.cmpf oge, %a, %zero : f32
    %numerator = arith.select %isPositive, %one, %t : f32
    %denominator = arith.addf %one, %t : f32
    %sigmoid = arith.divf %numerator, %denominator fastmath<afn> : f32
    %r = arith.mulf %a, %sigmoid : f32)",
     [](double x) { return x / (1 + std::exp(-x)); }, [](double x, double) { return 0x1p-23 * std::fabs(x); }},
    {"gelu_slope", R"(    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %low = arith.constant -8.0 : f32
    %high = arith.constant 8.0 : f32
    %k0 = arith.constant 1.5957691216057308 : f32
    %k1 = arith.constant 0.07135481627260025 : f32
    %k2 = arith.constant 0.21406444881780075 : f32
    %above = arith.maximumf %a, %low : f32
    %c = arith.minimumf %above, %high : f32
    %q0 = arith.mulf %k1, %c : f32
    %q1 = arith.mulf %q0, %c : f32
    %q2 = arith.addf %k0, %q1 : f32
    %argument = arith.mulf %c, %q2 : f32
    %size = math.absf %argument : f32
    %negated = arith.negf %size : f32
    %e = math.exp %negated fastmath<afn> : f32
    %isPositive = arith.cmpf oge, %argument, %zero : f32
    %numerator = arith.select %isPositive, %one, %e : f32
    %denominator = arith.addf %one, %e : f32
    %s = arith.divf %numerator, %denominator fastmath<afn> : f32
    %t = arith.mulf %c, %s : f32
    %ts = arith.mulf %t, %s : f32
    %difference = arith.subf %t, %ts : f32
    %p0 = arith.mulf %k2, %c : f32
    %p1 = arith.mulf %p0, %c : f32
    %p2 = arith.addf %k0, %p1 : f32
    %product = arith.mulf %difference, %p2 : f32
    %r = arith.addf %s, %product : f32)",
     geluSlope, slopeBound},
    {"gelu_erf_slope", R"(    %root = arith.constant 0.7071067811865476 : f32
    %one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %k = arith.constant 1.1283791670955126 : f32
    %scaled = arith.mulf %a, %root : f32
    %e = math.erf %scaled fastmath<afn> : f32
    %sum = arith.addf %e, %one : f32
    %left = arith.mulf %sum, %half : f32
    %h = arith.mulf %a, %half : f32
    %square = arith.mulf %scaled, %scaled : f32
    %negated = arith.negf %square : f32
    %power = math.exp %negated fastmath<afn> : f32
    %p0 = arith.mulf %power, %k : f32
    %p1 = arith.mulf %p0, %root : f32
    %right = arith.mulf %h, %p1 : f32
    %r = arith.addf %left, %right : f32)",
     geluErfSlope, slopeBound},
};

class MathActivation : public ::testing::TestWithParam<Activation> {};

TEST_P(MathActivation, F32) {
  std::string error;
  Formula formula{"f32", "f32", GetParam().formula};
  std::unique_ptr<Elementwise> code = Elementwise::compile(formula, processorNamed("sm_80"), error);
  ASSERT_TRUE(code) << error;
  auto measure = [&](std::vector<float> x, std::vector<float> y) {
    std::vector<float> z(x.size());
    code->run(x, y, z);
    for (size_t i = 0; i < x.size(); ++i) {
      double exact = GetParam().reference(x[i]);
      if (std::isnan(exact) || std::fabs(exact) > std::numeric_limits<float>::max()) {
        // Where the formula is infinity times 0, its limit will do.
        ASSERT_TRUE(std::isnan(x[i]) ? std::isnan(z[i]) : x[i] > 0 ? z[i] == x[i] || std::isinf(z[i]) : std::isnan(z[i]) || z[i] == 0) << x[i] << " gives " << z[i];
        continue;
      }
      ASSERT_LE(std::fabs(z[i] - exact), GetParam().bound(x[i], exact) + 0x1p-126) << "at " << std::hexfloat << x[i] << ", " << z[i];
    }
  };
  forF32({"", 0, 0, nullptr}, stepOr(16411), measure);
  std::vector<float> brain, dense;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) { // every bf16
    uint32_t word = bits << 16;
    std::memcpy(&brain.emplace_back(), &word, sizeof word);
  }
  for (int i = -200000; i < 200000; ++i)
    dense.push_back(float(i) * 0x1p-13f);
  measure(brain, brain);
  measure(dense, dense);
}

INSTANTIATE_TEST_SUITE_P(Functions, MathActivation, ::testing::ValuesIn(activations),
                         [](const ::testing::TestParamInfo<Activation> &info) { return std::string(info.param.name); });

// --------------------------------------------------------------------------------------------------------------------
// Quotients by one divisor (ExpandMathQuotients.cpp)
// --------------------------------------------------------------------------------------------------------------------

/// Pairs of significands whose quotients are nearest to a point between two floats: for an odd b, the a with 2^k a = m b - c for a
/// small c and a midpoint m.
void appendHardQuotients(std::vector<float> &a, std::vector<float> &b, std::mt19937_64 &random) {
  uint64_t divisor = (random() & 0x7fffff) | 0x800001, inverse = divisor;
  for (int i = 0; i < 5; ++i)
    inverse *= 2 - divisor * inverse; // modulo 2^64, by Newton
  for (int64_t c = -20; c <= 20; ++c)
    for (int k : {24, 25}) {
      uint64_t modulus = uint64_t(1) << k, middle = (static_cast<uint64_t>(c) * inverse) % modulus;
      middle += middle < (1 << 24) ? modulus : 0;
      uint64_t dividend = (middle * divisor - static_cast<uint64_t>(c)) >> k;
      if (c == 0 || middle >= (1 << 25) || dividend < (1 << 23) || dividend >= (1 << 24))
        continue;
      a.push_back(std::ldexp(float(dividend), int(random() % 20) - 40));
      b.push_back(std::ldexp(float(divisor), int(random() % 20) - 30));
    }
}

TEST(SharedQuotients, AreRoundedCorrectly) {
  std::string error;
  Formula formula{"f32", "f32", R"(    %negated = arith.negf %a : f32
    %twice = arith.addf %a, %a : f32
    %thrice = arith.addf %twice, %a : f32
    %q1 = arith.divf %negated, %b : f32
    %q2 = arith.divf %twice, %b : f32
    %q3 = arith.divf %thrice, %b : f32
    %r = arith.divf %a, %b : f32)"};
  std::unique_ptr<Elementwise> code = Elementwise::compile(formula, processorNamed("sm_80"), error);
  ASSERT_TRUE(code) << error;
  std::mt19937_64 random(1);
  std::vector<float> a, b;
  for (int i = 0; i < 2000; ++i)
    appendHardQuotients(a, b, random);
  ASSERT_GT(a.size(), 20000u);
  for (int i = 0; i < 100000; ++i) { // of every size, and of ordinary ones
    auto bits = random();
    float x, y;
    std::memcpy(&x, &bits, sizeof x);
    std::memcpy(&y, reinterpret_cast<const char *>(&bits) + sizeof x, sizeof y);
    a.push_back(i % 2 ? x : std::ldexp(std::fmod(std::ldexp(x, -100), 1.0f), int(random() % 200) - 100));
    b.push_back(i % 2 ? y : 1 + std::fabs(std::fmod(y, 1000.0f)));
  }
  for (float special : {0.0f, -0.0f, 1.0f, -3.0f, 0x1p-149f, 0x1p-126f, 0x1p-100f, 0x1p100f, 0x1p127f, INFINITY, NAN})
    for (float divisor : {0.0f, 1.0f, 3.0f, -7.0f, 0x1p-20f, 0x1p20f, 0x1p-130f, 0x1p127f, INFINITY, NAN}) {
      a.push_back(special);
      b.push_back(divisor);
    }
  std::vector<float> quotients(a.size());
  code->run(a, b, quotients);
  for (size_t i = 0; i < a.size(); ++i) {
    float expected = a[i] / b[i];
    bool same = std::isnan(expected) ? std::isnan(quotients[i])
                                     : expected == quotients[i] && std::signbit(expected) == std::signbit(quotients[i]);
    ASSERT_TRUE(same) << std::hexfloat << a[i] << " / " << b[i] << " is " << expected << ", found " << quotients[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, MathApproximation, ::testing::ValuesIn(approximations),
                         [](const ::testing::TestParamInfo<Approximation> &info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Functions, MathAccuracy, ::testing::ValuesIn(functions),
                         [](const ::testing::TestParamInfo<Function> &info) { return std::string(info.param.name); });

} // namespace
} // namespace tilewright::test
