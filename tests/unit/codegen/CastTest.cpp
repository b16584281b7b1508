// Conversions between all dtypes against their definition: the value of a code is sign * mantissa * 2^exponent, and a cast
// gives the nearest code, of two the even one. Nothing here uses the formulas' tricks.

#include "tests/unit/codegen/Elementwise.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>

namespace tilewright::test {
namespace {

// --------------------------------------------------------------------------------------------------------------------
// Formats by definition
// --------------------------------------------------------------------------------------------------------------------

struct NarrowFloat {
  const char *type;
  int width, exponentBits, mantissaBits;
  bool hasInfinity, saturates;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  /// The largest code of a finite positive number.
  uint32_t largestFinite() const {
    uint32_t firstSpecial = hasInfinity ? ((1u << exponentBits) - 1) << mantissaBits : (1u << (width - 1)) - 1;
    return firstSpecial - 1;
  }
  double valueOf(uint32_t code) const {
    uint32_t magnitude = code & ((1u << (width - 1)) - 1);
    double sign = code >> (width - 1) ? -1 : 1;
    if (magnitude > largestFinite())
      return hasInfinity && magnitude == largestFinite() + 1 ? sign * INFINITY : NAN;
    int exponent = int(magnitude >> mantissaBits);
    uint32_t mantissa = magnitude & ((1u << mantissaBits) - 1);
    if (exponent == 0)
      return sign * std::ldexp(mantissa, 1 - bias() - mantissaBits);
    return sign * std::ldexp(mantissa + (1u << mantissaBits), exponent - bias() - mantissaBits);
  }
  /// The nearest code of a magnitude that need not be a double: `value` and, beyond it, `more` (-1, 0, 1).
  uint32_t nearest(double value, int more) const {
    uint32_t sign = std::signbit(value) ? 1u << (width - 1) : 0;
    if (std::isnan(value))
      return sign | ((1u << (width - 1)) - 1);
    double size = std::fabs(value);
    uint32_t low = 0, high = largestFinite() + 1; // the code above the largest finite one counts as the next power's first
    while (high - low > 1) {
      uint32_t middle = (low + high) / 2;
      (valueOf(middle) <= size ? low : high) = middle;
    }
    if (valueOf(low) == size && more == 0)
      return sign | low;
    double above = low == largestFinite() ? 2 * valueOf(low) - valueOf(low - 1) : valueOf(low + 1);
    double half = (valueOf(low) + above) / 2; // exact in double
    bool up = size > half || (size == half && (more > 0 || (more == 0 && (low & 1))));
    uint32_t code = low + up;
    return sign | (code > largestFinite() && saturates ? largestFinite() : code);
  }
};

constexpr NarrowFloat narrowFloats[] = {
    {"f16", 16, 5, 10, true, false},
    {"bf16", 16, 8, 7, true, false},
    {"f8E5M2", 8, 5, 2, true, true},
    {"f8E4M3FN", 8, 4, 3, false, true},
};

bool isNaN(const NarrowFloat &format, uint32_t code) {
  return std::isnan(format.valueOf(code));
}

// --------------------------------------------------------------------------------------------------------------------
// Calling a cast
// --------------------------------------------------------------------------------------------------------------------

/// The tests run on each processor.
class Cast : public ::testing::TestWithParam<const char *> {
public:
  void SetUp() override { processor = processorNamed(GetParam()); }
  static inline Processor processor;
};

/// A function of two arrays of one type; `body` computes %r from %a and %b.
template <typename In, typename Out>
std::vector<Out> compute(const std::string &in, const std::string &out, const std::string &body, std::vector<In> a,
                         std::vector<In> b, const Processor &processor = Cast::processor) {
  std::string error;
  std::unique_ptr<Elementwise> code = Elementwise::compile({in, out, body}, processor, error);
  EXPECT_TRUE(code) << body << error;
  std::vector<Out> result(a.size());
  if (code)
    code->run(a, b, result);
  return result;
}

template <typename From, typename To>
std::vector<To> cast(const std::string &from, const std::string &to, std::vector<From> values, const std::string &flags = "",
                     const Processor &processor = Cast::processor) {
  std::string body = "    %r = tile.cast %a " + flags + " : " + from + " -> " + to;
  return compute<From, To>(from, to, body, values, values, processor);
}

template <typename Code> std::vector<Code> allCodes() {
  std::vector<Code> codes;
  for (uint32_t code = 0; code <= std::numeric_limits<Code>::max(); ++code)
    codes.push_back(static_cast<Code>(code));
  return codes;
}

/// Values on, halfway between and right beside the codes of a format, and random ones.
template <typename Float> std::vector<Float> hardValues(const NarrowFloat &format) {
  std::vector<Float> values = {0,
                               -Float(0),
                               INFINITY,
                               -INFINITY,
                               NAN,
                               std::numeric_limits<Float>::max(),
                               std::numeric_limits<Float>::denorm_min(),
                               -std::numeric_limits<Float>::min()};
  for (uint32_t code = 0; code <= format.largestFinite(); ++code) {
    double value = format.valueOf(code), next = code == format.largestFinite() ? 2 * value : format.valueOf(code + 1);
    for (double point : {value, (value + next) / 2, value * 0.75 + next * 0.25}) {
      auto near = static_cast<Float>(point);
      for (Float beside : {near, std::nextafter(near, Float(INFINITY)), std::nextafter(near, Float(0))})
        values.insert(values.end(), {beside, -beside});
    }
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    uint64_t bits = random();
    Float value;
    std::memcpy(&value, &bits, sizeof value);
    values.push_back(value);
  }
  return values;
}

template <typename Code> void expectSame(const NarrowFloat &format, double value, Code found, uint32_t expected) {
  if (isNaN(format, expected))
    EXPECT_TRUE(isNaN(format, found)) << format.type << " of " << value << ": found " << +found;
  else
    EXPECT_EQ(uint32_t(found), expected) << format.type << " of " << std::hexfloat << value;
}

// --------------------------------------------------------------------------------------------------------------------
// Narrow floats
// --------------------------------------------------------------------------------------------------------------------

template <typename Code, typename Float> void testWidening(const NarrowFloat &format, const char *type) {
  std::vector<Code> codes = allCodes<Code>();
  std::vector<Float> values = cast<Code, Float>(format.type, type, codes);
  for (size_t i = 0; i < codes.size(); ++i) {
    double expected = format.valueOf(codes[i]);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(values[i])) << format.type << " " << +codes[i];
    else
      EXPECT_TRUE(values[i] == expected && std::signbit(values[i]) == std::signbit(expected))
          << format.type << " " << +codes[i] << ": " << values[i] << " instead of " << expected;
  }
}

template <typename Code, typename Float> void testNarrowing(const NarrowFloat &format, const char *type) {
  static std::map<std::string, std::pair<std::vector<Float>, std::vector<uint32_t>>>
      expectations; // the same for all processors
  auto &[values, expected] = expectations[format.type];
  if (values.empty()) {
    values = hardValues<Float>(format);
    for (Float value : values)
      expected.push_back(format.nearest(value, 0));
  }
  std::vector<Code> codes = cast<Float, Code>(type, format.type, values);
  for (size_t i = 0; i < values.size(); ++i)
    expectSame(format, values[i], codes[i], expected[i]);
}

TEST_P(Cast, NarrowFloatsBecomeF32AndF64Exactly) {
  for (const NarrowFloat &format : narrowFloats) {
    if (format.width == 16) {
      testWidening<uint16_t, float>(format, "f32");
      testWidening<uint16_t, double>(format, "f64");
    } else {
      testWidening<uint8_t, float>(format, "f32");
      testWidening<uint8_t, double>(format, "f64");
    }
  }
}

TEST_P(Cast, F32AndF64BecomeTheNearestNarrowFloat) {
  for (const NarrowFloat &format : narrowFloats) {
    if (format.width == 16) {
      testNarrowing<uint16_t, float>(format, "f32");
      testNarrowing<uint16_t, double>(format, "f64");
    } else {
      testNarrowing<uint8_t, float>(format, "f32");
      testNarrowing<uint8_t, double>(format, "f64");
    }
  }
}

TEST(CastOnCpu, F16NeedsNoInstruction) {
  compiler::CpuTarget target = compiler::CpuTarget::host();
  target.convertsF16 = false;
  const NarrowFloat &format = narrowFloats[0];
  std::vector<uint16_t> codes = allCodes<uint16_t>();
  std::vector<float> wide = cast<uint16_t, float>("f16", "f32", codes, "", target);
  for (size_t i = 0; i < codes.size(); ++i)
    EXPECT_TRUE(wide[i] == format.valueOf(codes[i]) || isNaN(format, codes[i])) << codes[i];
  std::vector<float> values = hardValues<float>(format);
  std::vector<uint16_t> narrow = cast<float, uint16_t>("f32", "f16", values, "", target);
  for (size_t i = 0; i < values.size(); ++i)
    expectSame(format, values[i], narrow[i], format.nearest(values[i], 0));
}

TEST_P(Cast, F64RoundsOnce) {
  // Above halfway between 1 and 1 + 2^-7 by less than f32 can hold.
  std::vector<uint16_t> codes = cast<double, uint16_t>("f64", "bf16", {1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-8 - 0x1p-40, 1 + 0x1p-8});
  EXPECT_EQ(codes, (std::vector<uint16_t>{0x3f81, 0x3f80, 0x3f80}));
}

TEST_P(Cast, NarrowFloatsBecomeEachOther) {
  for (const NarrowFloat &to : narrowFloats) {
    std::vector<uint16_t> codes = allCodes<uint16_t>();
    const NarrowFloat &from = narrowFloats[1];
    if (std::string(to.type) == from.type)
      continue;
    if (to.width == 16) {
      std::vector<uint16_t> results = cast<uint16_t, uint16_t>(from.type, to.type, codes);
      for (size_t i = 0; i < codes.size(); ++i)
        expectSame(to, from.valueOf(codes[i]), results[i], to.nearest(from.valueOf(codes[i]), 0));
    } else {
      std::vector<uint8_t> results = cast<uint16_t, uint8_t>(from.type, to.type, codes);
      for (size_t i = 0; i < codes.size(); ++i)
        expectSame(to, from.valueOf(codes[i]), results[i], to.nearest(from.valueOf(codes[i]), 0));
    }
  }
}

// --------------------------------------------------------------------------------------------------------------------
// Integers
// --------------------------------------------------------------------------------------------------------------------

template <typename Integer> std::vector<Integer> hardIntegers() {
  std::vector<Integer> values = {0, 1, -1, std::numeric_limits<Integer>::max(), std::numeric_limits<Integer>::min()};
  for (unsigned bit = 0; bit < 8 * sizeof(Integer) - 1; ++bit)
    for (int64_t offset : {-2, -1, 0, 1, 2})
      for (unsigned tie = 0; tie < bit; ++tie) {
        auto value = static_cast<Integer>((int64_t(1) << bit) + (int64_t(1) << tie) + offset);
        values.insert(values.end(), {value, static_cast<Integer>(-value)});
      }
  return values;
}

template <typename Integer> void testIntegerToNarrow(const char *type) {
  std::vector<Integer> values = hardIntegers<Integer>();
  for (const NarrowFloat &format : narrowFloats) {
    if (format.width != 16)
      continue;
    std::vector<uint16_t> codes = cast<Integer, uint16_t>(type, format.type, values);
    for (size_t i = 0; i < values.size(); ++i) {
      // The part of an i64 that a double cannot hold only matters beside a tie.
      auto near = static_cast<double>(values[i]);
      int64_t rest = std::fabs(near) < 0x1p63 ? values[i] - static_cast<int64_t>(near) : near > 0 ? -1 : 0;
      int more = rest == 0 ? 0 : (rest > 0) == (near > 0) ? 1 : -1;
      expectSame(format, near, codes[i], format.nearest(near, more));
    }
  }
}

TEST_P(Cast, IntegersBecomeTheNearestNarrowFloat) {
  testIntegerToNarrow<int8_t>("i8");
  testIntegerToNarrow<int16_t>("i16");
  testIntegerToNarrow<int32_t>("i32");
  testIntegerToNarrow<int64_t>("i64");
}

template <typename Float, typename Integer> void testToInteger(const char *from, const char *to, const char *flags = "") {
  using Limits = std::numeric_limits<Integer>;
  std::vector<Float> values = {0,    -Float(0), Float(0.99), Float(-0.99), NAN,
                               -NAN, INFINITY,  -INFINITY,   Float(1e30),  Float(-1e30)};
  for (double edge : {double(Limits::min()), double(Limits::max()), 0.0, 1.5, -1.5, 2147483520.0, 4.5e15})
    for (double offset : {-1.0, -0.5, 0.0, 0.5, 1.0})
      values.insert(values.end(), {Float(edge + offset), std::nextafter(Float(edge), Float(1e38)),
                                   std::nextafter(Float(edge), Float(-1e38))});
  std::vector<Integer> results = cast<Float, Integer>(from, to, values, flags);
  for (size_t i = 0; i < values.size(); ++i) {
    double value = std::trunc(double(values[i]));
    Integer expected = std::isnan(value)                ? 0
                       : value >= double(Limits::max()) ? Limits::max()
                       : value <= double(Limits::min()) ? Limits::min()
                                                        : static_cast<Integer>(value);
    EXPECT_EQ(results[i], expected) << from << " -> " << to << " of " << values[i];
  }
}

TEST_P(Cast, FloatsBecomeIntegersTowardZeroAndSaturate) {
  testToInteger<float, int8_t>("f32", "i8");
  testToInteger<float, uint8_t>("f32", "i8", "result_unsigned");
  testToInteger<float, int16_t>("f32", "i16");
  testToInteger<float, int32_t>("f32", "i32");
  testToInteger<float, int64_t>("f32", "i64");
  testToInteger<double, int8_t>("f64", "i8");
  testToInteger<double, uint8_t>("f64", "i8", "result_unsigned");
  testToInteger<double, int32_t>("f64", "i32");
  testToInteger<double, int64_t>("f64", "i64");
}

TEST_P(Cast, IntegersConvertModulo) {
  EXPECT_EQ((cast<int32_t, int8_t>("i32", "i8", {300, -1, 128})), (std::vector<int8_t>{44, -1, -128}));
  EXPECT_EQ((cast<int8_t, int32_t>("i8", "i32", {-1, 127})), (std::vector<int32_t>{-1, 127}));
  EXPECT_EQ((cast<int8_t, int32_t>("i8", "i32", {-1, 127}, "source_unsigned")), (std::vector<int32_t>{255, 127}));
  EXPECT_EQ((cast<int8_t, float>("i8", "f32", {-1, 127}, "source_unsigned")), (std::vector<float>{255, 127}));
  EXPECT_EQ((cast<int64_t, int32_t>("i64", "i32", {int64_t(1) << 32, -1})), (std::vector<int32_t>{0, -1}));
}

// --------------------------------------------------------------------------------------------------------------------
// bool, division, random words
// --------------------------------------------------------------------------------------------------------------------

TEST_P(Cast, BoolIsNotZero) {
  std::string body = "    %t = tile.cast %a : f32 -> i1\n    %r = tile.cast %t : i1 -> f32\n";
  std::vector<float> values = {0, -0.0f, 1, -3, NAN, INFINITY, 1e-45f};
  EXPECT_EQ((compute<float, float>("f32", "f32", body, values, values)), (std::vector<float>{0, 0, 1, 1, 1, 1, 1}));
}

TEST_P(Cast, DivisionRoundsDownAndByZeroIsZero) {
  int64_t least = std::numeric_limits<int64_t>::min();
  std::vector<int64_t> a = {7, -7, 7, -7, 5, -5, 0, least, least, 6}, b = {2, 2, -2, -2, 0, 0, 3, -1, 1, -3};
  std::string division = "    %r = tile.floor_div %a, %b : i64\n", modulo = "    %r = tile.floor_mod %a, %b : i64\n";
  EXPECT_EQ((compute<int64_t, int64_t>("i64", "i64", division, a, b)),
            (std::vector<int64_t>{3, -4, -4, 3, 0, 0, 0, least, least, -2}));
  EXPECT_EQ((compute<int64_t, int64_t>("i64", "i64", modulo, a, b)), (std::vector<int64_t>{1, 1, -1, -1, 0, 0, 0, 0, 0, 0}));
}

/// Salmon et al. 2011, written from the paper.
uint32_t philox(uint64_t seed, int64_t n) {
  auto counter = static_cast<uint64_t>(n >> 2);
  uint32_t c[4] = {uint32_t(counter), uint32_t(counter >> 32), 0, 0}, k[2] = {uint32_t(seed), uint32_t(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t(0xD2511F53) * c[0], p1 = uint64_t(0xCD9E8D57) * c[2];
    uint32_t next[4] = {uint32_t(p1 >> 32) ^ c[1] ^ k[0], uint32_t(p1), uint32_t(p0 >> 32) ^ c[3] ^ k[1], uint32_t(p0)};
    std::memcpy(c, next, sizeof c);
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return c[n & 3];
}

TEST_P(Cast, RandomWordsArePhilox) {
  EXPECT_EQ(philox(0, 0), 0x6627e8d5u); // the known answer for key 0, counter 0
  std::vector<int64_t> seeds, positions;
  std::vector<uint32_t> expected;
  for (int64_t seed : {int64_t(0), int64_t(42), int64_t(-1), int64_t(0x123456789abcdef)})
    for (int64_t n : {int64_t(0), int64_t(1), int64_t(2), int64_t(3), int64_t(4), int64_t(-1), int64_t(1) << 40}) {
      seeds.push_back(seed);
      positions.push_back(n);
      expected.push_back(philox(static_cast<uint64_t>(seed), n));
    }
  std::string body = "    %r = tile.random_bits %a, %b : i64 -> i32\n";
  EXPECT_EQ((compute<int64_t, uint32_t>("i64", "i32", body, seeds, positions)), expected);
}

/// An element of a pair that became a pair of another type and returned.
std::vector<float> throughPair(const std::string &type, int element, const std::vector<float> &a, const std::vector<float> &b) {
  std::string pair = "vector<2x" + type + ">";
  return compute<float, float>(
      "f32", "f32",
      "    %v = vector.from_elements %a, %b : vector<2xf32>\n    %w = tile.cast %v : vector<2xf32> -> " + pair +
          "\n    %u = tile.cast %w : " + pair + " -> vector<2xf32>\n    %r = vector.extract %u[" + std::to_string(element) +
          "] : f32 from vector<2xf32>",
      a, b);
}

TEST_P(Cast, PairsKeepTheirOrder) {
  std::vector<float> a = {1.0625f, -3, 1e9f, 0.3f}, b = {2, 0.0078125f, 100, -500};
  EXPECT_EQ(throughPair("f8E4M3FN", 0, a, b), (std::vector<float>{1, -3, 448, 0.3125f}));
  EXPECT_EQ(throughPair("f8E4M3FN", 1, a, b), (std::vector<float>{2, 0.0078125f, 96, -448}));
  EXPECT_EQ(throughPair("f8E5M2", 0, a, b), (std::vector<float>{1, -3, 57344, 0.3125f}));
  EXPECT_EQ(throughPair("bf16", 1, a, b), (std::vector<float>{2, 0.0078125f, 100, -500}));
  EXPECT_EQ(throughPair("f16", 0, a, b), (std::vector<float>{1.0625f, -3, INFINITY, 0.300048828125f}));
  EXPECT_EQ(throughPair("i32", 0, a, b), (std::vector<float>{1, -3, 1e9f, 0}));
}

template <typename Float> void testExtremes(const std::string &type) {
  std::vector<Float> a, b, smaller, larger;
  for (Float x : {Float(NAN), Float(-INFINITY), Float(-1), -Float(0), Float(0), Float(2), Float(INFINITY)})
    for (Float y : {Float(NAN), Float(-INFINITY), Float(-1), -Float(0), Float(0), Float(2), Float(INFINITY)}) {
      a.push_back(x);
      b.push_back(y);
      bool isNaN = x != x || y != y, xIsLess = x < y || (x == y && std::signbit(x));
      smaller.push_back(isNaN ? Float(NAN) : xIsLess ? x : y);
      larger.push_back(isNaN ? Float(NAN) : xIsLess ? y : x);
    }
  auto expectEqual = [&](const std::string &op, const std::vector<Float> &expected) {
    std::vector<Float> found = compute<Float, Float>(type, type, "    %r = arith." + op + " %a, %b : " + type, a, b);
    for (size_t i = 0; i < a.size(); ++i)
      EXPECT_TRUE(std::isnan(expected[i]) ? std::isnan(found[i])
                                          : found[i] == expected[i] && std::signbit(found[i]) == std::signbit(expected[i]))
          << op << " of " << a[i] << ", " << b[i] << " is " << found[i] << " on " << type;
  };
  expectEqual("minimumf", smaller);
  expectEqual("maximumf", larger);
}

TEST_P(Cast, NaNWinsOverNumbers) {
  testExtremes<float>("f32");
  testExtremes<double>("f64");
}

TEST_P(Cast, FmaRoundsOnce) {
  std::string body = "    %m = arith.negf %b : f32\n    %r = math.fma %a, %a, %m : f32\n";
  float a = 1 + 0x1p-12f, b = 1 + 0x1p-11f;
  EXPECT_EQ((compute<float, float>("f32", "f32", body, {a}, {b})), (std::vector<float>{0x1p-24f}));
}

// sm_80 has no instructions for f8.
INSTANTIATE_TEST_SUITE_P(Processors, Cast, ::testing::Values("cpu", "sm_80", "sm_90a"),
                         [](const ::testing::TestParamInfo<const char *> &info) { return std::string(info.param); });

} // namespace
} // namespace tilewright::test
