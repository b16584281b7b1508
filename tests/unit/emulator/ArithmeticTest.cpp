#include "Machine.h"

#include "runtime/emulator/Formats.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace tilewright::runtime::emulator;

namespace {

template <typename T> std::vector<T> randomIntegers(uint32_t seed, size_t count = 256) {
  std::mt19937_64 random(seed);
  std::vector<T> values{T(0), T(1), T(-1), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  while (values.size() < count)
    values.push_back(static_cast<T>(random() >> random() % 60));
  return values;
}

std::vector<float> randomFloats(uint32_t seed, size_t count = 256) {
  std::mt19937 random(seed);
  std::vector<float> values{0.0f, -0.0f, 1.0f, INFINITY, -INFINITY, 1e-40f, NAN, 3.4e38f};
  std::uniform_real_distribution<float> exponent(-20, 20), sign(-1, 1);
  while (values.size() < count)
    values.push_back(std::exp2(exponent(random)) * (sign(random) < 0 ? -1.0f : 1.0f));
  return values;
}

uint32_t bitsOf(float value) {
  return value == value ? std::bit_cast<uint32_t>(value) : 0x7fffffffu;
}

/// The instruction gives what the function gives, for random operands.
template <typename R, typename T, typename F> void check2(const std::string &instruction, F function) {
  auto a = randomIntegers<T>(1), b = randomIntegers<T>(2);
  auto result = evaluate<R>(instruction, a, b);
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(result[i], static_cast<R>(function(a[i], b[i]))) << instruction << " of " << +a[i] << ", " << +b[i];
}

template <typename F> void checkFloat(const std::string &instruction, F function) {
  auto a = randomFloats(1), b = randomFloats(2), c = randomFloats(3);
  std::swap(b[0], b[20]), std::swap(b[3], b[21]), std::swap(c[6], c[40]);
  auto result = evaluate<float>(instruction, a, b, c);
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(bitsOf(result[i]), bitsOf(function(a[i], b[i], c[i])))
        << instruction << " of " << a[i] << ", " << b[i] << ", " << c[i];
}

} // namespace

TEST(EmulatorArithmetic, Integers) {
  check2<uint32_t, uint32_t>("add.u32 %d, %a, %b;", [](auto a, auto b) { return a + b; });
  check2<uint16_t, uint16_t>("sub.s16 %d, %a, %b;", [](auto a, auto b) { return a - b; });
  check2<uint64_t, uint64_t>("mul.lo.u64 %d, %a, %b;", [](auto a, auto b) { return a * b; });
  check2<uint64_t, uint32_t>("mul.wide.u32 %d, %a, %b;", [](auto a, auto b) { return uint64_t(a) * b; });
  check2<int64_t, int32_t>("mul.wide.s32 %d, %a, %b;", [](auto a, auto b) { return int64_t(a) * b; });
  check2<int32_t, int32_t>("mul.hi.s32 %d, %a, %b;", [](auto a, auto b) { return int64_t(a) * b >> 32; });
  check2<uint64_t, uint64_t>("mul.hi.u64 %d, %a, %b;",
                             [](auto a, auto b) { return static_cast<unsigned __int128>(a) * b >> 64; });
  check2<int32_t, int32_t>("mad.lo.s32 %d, %a, %b, 7;", [](auto a, auto b) { return uint32_t(a) * uint32_t(b) + 7; });
  check2<int32_t, int32_t>("add.sat.s32 %d, %a, %b;",
                           [](auto a, auto b) { return std::clamp<int64_t>(int64_t(a) + b, INT32_MIN, INT32_MAX); });
  check2<int32_t, int32_t>("min.s32 %d, %a, %b;", [](auto a, auto b) { return std::min(a, b); });
  check2<uint64_t, uint64_t>("max.u64 %d, %a, %b;", [](auto a, auto b) { return std::max(a, b); });
  check2<int32_t, int32_t>("div.s32 %d, %a, %b;", [](auto a, auto b) {
    return b == 0 ? -1 : b == -1 ? int64_t(0) - a : a / b;
  });
  check2<uint32_t, uint32_t>("rem.u32 %d, %a, %b;", [](auto a, auto b) { return b ? a % b : a; });
  check2<int32_t, int32_t>("abs.s32 %d, %a;", [](auto a, auto) { return std::abs(int64_t(a)); });
  check2<int32_t, int32_t>("neg.s32 %d, %b;", [](auto, auto b) { return -int64_t(b); });
  check2<uint32_t, int32_t>("sad.s32 %d, %a, %b, 5;", [](auto a, auto b) { return std::abs(int64_t(a) - b) + 5; });
  check2<int32_t, int32_t>("mul24.lo.s32 %d, %a, %b;", [](auto a, auto b) {
    return int64_t(int32_t(uint32_t(a) << 8) >> 8) * (int32_t(uint32_t(b) << 8) >> 8);
  });
  check2<uint32_t, uint32_t>("dp4a.s32.u32 %d, %a, %b, 1;", [](auto a, auto b) {
    int32_t sum = 1;
    for (int k = 0; k < 4; ++k)
      sum += int8_t(a >> 8 * k) * int32_t(uint8_t(b >> 8 * k));
    return sum;
  });
}

TEST(EmulatorArithmetic, CarryChainsAddWideNumbers) {
  auto a = randomIntegers<uint64_t>(1), b = randomIntegers<uint64_t>(2);
  auto split = [](const std::string &operation) {
    return "mov.b64 {%r1, %r2}, %a;\nmov.b64 {%r3, %r4}, %b;\n" + operation + "\nmov.b64 %d, {%r5, %r6};";
  };
  auto sum = evaluate<uint64_t>(split("add.cc.u32 %r5, %r1, %r3; addc.u32 %r6, %r2, %r4;"), a, b);
  auto difference = evaluate<uint64_t>(split("sub.cc.u32 %r5, %r1, %r3; subc.u32 %r6, %r2, %r4;"), a, b);
  auto product = evaluate<uint64_t>(
      split(
          "mul.lo.u32 %r5, %r1, %r3; mul.hi.u32 %r6, %r1, %r3; mad.lo.u32 %r6, %r1, %r4, %r6; mad.lo.u32 %r6, %r2, %r3, %r6;"),
      a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(sum[i], a[i] + b[i]);
    EXPECT_EQ(difference[i], a[i] - b[i]);
    EXPECT_EQ(product[i], a[i] * b[i]);
  }
}

TEST(EmulatorArithmetic, Bits) {
  check2<uint32_t, uint32_t>("and.b32 %d, %a, %b;", [](auto a, auto b) { return a & b; });
  check2<uint64_t, uint64_t>("xor.b64 %d, %a, %b;", [](auto a, auto b) { return a ^ b; });
  check2<uint16_t, uint16_t>("not.b16 %d, %a;", [](auto a, auto) { return ~a; });
  check2<uint32_t, uint32_t>("shl.b32 %d, %a, %b;", [](auto a, auto b) { return b > 31 ? 0 : a << b; });
  check2<int32_t, int32_t>("shr.s32 %d, %a, %b;", [](auto a, auto b) { return uint32_t(b) > 31 ? a >> 31 : a >> b; });
  check2<uint32_t, uint32_t>("shf.l.wrap.b32 %d, %a, %b, 9;", [](auto a, auto b) { return b << 9 | a >> 23; });
  check2<uint32_t, uint32_t>("shf.r.clamp.b32 %d, %a, %b, 40;", [](auto, auto b) { return b; });
  check2<uint32_t, uint32_t>("popc.b32 %d, %a;", [](auto a, auto) { return std::popcount(a); });
  check2<uint32_t, uint64_t>("clz.b64 %d, %a;", [](auto a, auto) { return std::countl_zero(a); });
  check2<uint32_t, int32_t>("bfind.s32 %d, %a;", [](auto a, auto) {
    uint32_t x = a < 0 ? ~a : a;
    return x ? 31 - std::countl_zero(x) : -1;
  });
  check2<uint32_t, uint32_t>("bfe.u32 %d, %a, 5, 11;", [](auto a, auto) { return a >> 5 & 0x7ff; });
  check2<int32_t, int32_t>("bfe.s32 %d, %a, 28, 8;", [](auto a, auto) { return a >> 28; });
  check2<uint32_t, uint32_t>("bfi.b32 %d, %a, %b, 8, 4;", [](auto a, auto b) { return (b & ~0xf00u) | (a & 15) << 8; });
  check2<uint32_t, uint32_t>("lop3.b32 %d, %a, %b, 0xf0f0f0f0, 0xca;",
                             [](auto a, auto b) { return (a & b) | (~a & 0xf0f0f0f0u); });
  check2<uint32_t, uint32_t>("prmt.b32 %d, %a, %b, 0x5410;", [](auto a, auto b) { return (a & 0xffff) | b << 16; });
  check2<uint32_t, uint32_t>("prmt.b32 %d, %a, %b, 0xbb7a;", [](auto a, auto b) {
    auto sign = [](uint32_t x, int k) { return uint32_t(int32_t(x << (24 - 8 * k)) >> 31) & 0xff; };
    return sign(a, 2) | (b >> 24) << 8 | sign(a, 3) << 16 | sign(a, 3) << 24;
  });
  check2<uint32_t, uint32_t>("brev.b32 %d, %a; brev.b32 %d, %d;", [](auto a, auto) { return a; });
  check2<int32_t, int32_t>("szext.clamp.s32 %d, %a, 5;", [](auto a, auto) { return int32_t(uint32_t(a) << 27) >> 27; });
  check2<uint32_t, uint32_t>("bmsk.clamp.b32 %d, 4, 6;", [](auto, auto) { return 0x3f0u; });
}

TEST(EmulatorArithmetic, F32) {
  checkFloat("add.f32 %d, %a, %b;", [](float a, float b, float) { return a + b; });
  checkFloat("sub.rn.f32 %d, %a, %b;", [](float a, float b, float) { return a - b; });
  checkFloat("mul.f32 %d, %a, %b;", [](float a, float b, float) { return a * b; });
  checkFloat("fma.rn.f32 %d, %a, %b, %c;", [](float a, float b, float c) { return std::fma(a, b, c); });
  checkFloat("div.rn.f32 %d, %a, %b;", [](float a, float b, float) { return a / b; });
  checkFloat("sqrt.rn.f32 %d, %a;", [](float a, float, float) { return std::sqrt(a); });
  checkFloat("add.ftz.f32 %d, %a, 0f00000000;", [](float a, float, float) { return std::fabs(a) < 1e-38f ? 0.0f : a; });
  checkFloat("add.sat.f32 %d, %a, %b;", [](float a, float b, float) { return a + b > 0 ? std::min(a + b, 1.0f) : 0.0f; });
  checkFloat("abs.f32 %d, %a;", [](float a, float, float) { return std::fabs(a); });
  checkFloat("neg.f32 %d, %a;", [](float a, float, float) { return -a; });
  checkFloat("min.f32 %d, %a, %b;", [](float a, float b, float) { return std::fmin(a, b); });
  checkFloat("max.NaN.f32 %d, %a, %b;", [](float a, float b, float) { return a != a || b != b ? NAN : std::fmax(a, b); });
  checkFloat("selp.f32 %d, %a, %b, %p0;", [](float, float b, float) { return b; });
  checkFloat("copysign.f32 %d, %b, %a;", [](float a, float b, float) { return a == a ? std::copysign(a, b) : NAN; });
}

TEST(EmulatorArithmetic, DirectedRoundings) {
  std::vector<float> a{1.0f, -1.0f, 1.0f}, b{0x1p-30f, -0x1p-30f, -0x1p-30f};
  EXPECT_EQ(evaluate<float>("add.rp.f32 %d, %a, %b;", a, b), (std::vector<float>{1 + 0x1p-23f, -1, 1}));
  EXPECT_EQ(evaluate<float>("add.rm.f32 %d, %a, %b;", a, b), (std::vector<float>{1, -1 - 0x1p-23f, 1 - 0x1p-24f}));
  EXPECT_EQ(evaluate<float>("add.rz.f32 %d, %a, %b;", a, b), (std::vector<float>{1, -1, 1 - 0x1p-24f}));
  EXPECT_EQ(evaluate<double>("div.rp.f64 %d, %a, 0d4008000000000000;", std::vector<double>{1.0})[0],
            std::nextafter(1.0 / 3, 1));
}

TEST(EmulatorArithmetic, ApproximationsAreNearerThanTheirBounds) {
  std::vector<float> a;
  for (int i = -200; i <= 200; ++i)
    a.push_back(static_cast<float>(i) * 0.037f);
  auto near = [&](const std::string &instruction, auto function) {
    auto result = evaluate<float>(instruction, a);
    for (size_t i = 0; i < a.size(); ++i)
      if (double exact = function(double(a[i])); exact == exact && std::fabs(exact) < 1e30)
        EXPECT_NEAR(result[i], exact, std::fabs(exact) * 0x1p-23 + 1e-30) << instruction << ' ' << a[i];
  };
  near("ex2.approx.f32 %d, %a;", [](double x) { return std::exp2(x); });
  near("lg2.approx.f32 %d, %a;", [](double x) { return std::log2(x); });
  near("rcp.approx.f32 %d, %a;", [](double x) { return 1 / x; });
  near("rsqrt.approx.f32 %d, %a;", [](double x) { return 1 / std::sqrt(x); });
  near("sin.approx.f32 %d, %a;", [](double x) { return std::sin(x); });
  near("cos.approx.f32 %d, %a;", [](double x) { return std::cos(x); });
  near("tanh.approx.f32 %d, %a;", [](double x) { return std::tanh(x); });
}

TEST(EmulatorArithmetic, Halves) {
  std::mt19937 random(5);
  std::vector<uint32_t> a, b, c;
  for (int i = 0; i < 512; ++i)
    a.push_back(random()), b.push_back(random()), c.push_back(random());
  auto product = evaluate<uint32_t>("fma.rn.f16x2 %d, %a, %b, %c;", a, b, c);
  auto sum = evaluate<uint32_t>("add.rn.bf16x2 %d, %a, %b;", a, b);
  for (size_t i = 0; i < a.size(); ++i)
    for (int shift : {0, 16}) {
      auto f16 = [&](uint32_t x) { return decode(formatF16, x >> shift & 0xffff); };
      auto bf16 = [&](uint32_t x) { return decode(formatBF16, x >> shift & 0xffff); };
      // f16 products and sums are exact in 128-bit floats.
      auto exact = static_cast<__float128>(f16(a[i])) * f16(b[i]) + f16(c[i]);
      double rounded = static_cast<double>(exact);
      if (exact - rounded == 0)
        EXPECT_EQ(product[i] >> shift & 0xffff, encode(formatF16, rounded, Rounding::NearestEven));
      double wide = bf16(a[i]) + bf16(b[i]);
      if (wide == wide && wide - bf16(a[i]) == bf16(b[i]))
        EXPECT_EQ(sum[i] >> shift & 0xffff, encode(formatBF16, wide, Rounding::NearestEven));
    }
  EXPECT_EQ(evaluate<uint16_t>("fma.rn.relu.f16 %d, %a, %a, %a;", std::vector<uint16_t>{0xb800})[0], 0x0000); // -½ + ¼ < 0
}

TEST(EmulatorArithmetic, Comparisons) {
  auto a = randomFloats(1), b = randomFloats(2);
  b[6] = 2, b[9] = a[9], b[10] = NAN;
  auto check = [&](const std::string &name, auto function) {
    auto result = evaluate<uint32_t>("setp." + name + ".f32 %p1, %a, %b; selp.u32 %d, 1, 0, %p1;", a, b);
    for (size_t i = 0; i < a.size(); ++i)
      EXPECT_EQ(result[i], uint32_t(function(a[i], b[i]))) << name << ' ' << a[i] << ' ' << b[i];
  };
  auto unordered = [](float x, float y) { return x != x || y != y; };
  check("eq", [](float x, float y) { return x == y; });
  check("ne", [&](float x, float y) { return !unordered(x, y) && x != y; });
  check("neu", [](float x, float y) { return x != y; });
  check("lt", [](float x, float y) { return x < y; });
  check("geu", [](float x, float y) { return !(x < y); });
  check("num", [&](float x, float y) { return !unordered(x, y); });
  check("nan", unordered);
  EXPECT_EQ(
      evaluate<uint32_t>("setp.lt.s32 %p1|%p2, %a, 0; selp.u32 %r3, 1, 0, %p1; selp.u32 %r4, 2, 0, %p2; or.b32 %d, %r3, %r4;",
                         std::vector<int32_t>{-5, 5}),
      (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(evaluate<uint32_t>("setp.gt.u32 %p2, %a, 10; setp.lt.and.u32 %p1, %a, 20, !%p2; selp.u32 %d, 1, 0, %p1;",
                               std::vector<uint32_t>{5, 15, 0xffffffff}),
            (std::vector<uint32_t>{1, 0, 0}));
  // Halves: 1 > 0, NaN > 0 not, 2 > -0 and -1 > 0 not.
  EXPECT_EQ(evaluate<uint32_t>("set.gt.f16x2.f16x2 %d, %a, 0x80000000;", std::vector<uint32_t>{0x7e003c00, 0x4000bc00}), (std::vector<uint32_t>{0x3c00, 0x3c000000}));
  EXPECT_EQ(evaluate<uint32_t>("set.gt.bf16x2.bf16x2 %d, %a, 0x80000000;", std::vector<uint32_t>{0x7fc03f80, 0x4000bf80}), (std::vector<uint32_t>{0x3f80, 0x3f800000}));
  EXPECT_EQ(evaluate<uint32_t>("set.ge.u32.f32 %d, %a, 0f3F800000;", std::vector<float>{0.5f, 1.5f}),
            (std::vector<uint32_t>{0, ~0u}));
}

TEST(EmulatorArithmetic, Conversions) {
  std::vector<float> f{0.5f, 1.5f, 2.5f, -1.5f, 3e9f, -3e9f, NAN, 1e20f, -0.7f};
  EXPECT_EQ(evaluate<int32_t>("cvt.rni.s32.f32 %d, %a;", f),
            (std::vector<int32_t>{0, 2, 2, -2, INT32_MAX, INT32_MIN, 0, INT32_MAX, -1}));
  EXPECT_EQ(evaluate<int32_t>("cvt.rzi.s32.f32 %d, %a;", f),
            (std::vector<int32_t>{0, 1, 2, -1, INT32_MAX, INT32_MIN, 0, INT32_MAX, 0}));
  EXPECT_EQ(evaluate<uint32_t>("cvt.rpi.u32.f32 %d, %a;", f),
            (std::vector<uint32_t>{1, 2, 3, 0, 3000000000u, 0, 0, UINT32_MAX, 0}));
  EXPECT_EQ(evaluate<float>("cvt.rmi.f32.f32 %d, %a;", std::vector<float>{1.5f, -1.5f, -0.0f}),
            (std::vector<float>{1, -2, -0.0f}));
  EXPECT_EQ(evaluate<float>("cvt.rn.f32.u64 %d, %a;", std::vector<uint64_t>{(1ull << 40) + (1 << 16) + 1, UINT64_MAX}),
            (std::vector<float>{0x1p40f + 0x1p17f, 0x1p64f}));
  EXPECT_EQ(evaluate<float>("cvt.rz.f32.s64 %d, %a;", std::vector<int64_t>{-(1ll << 40) - 1}), (std::vector<float>{-0x1p40f}));
  EXPECT_EQ(evaluate<double>("cvt.rp.f64.u64 %d, %a;", std::vector<uint64_t>{(1ull << 60) + 1}),
            (std::vector<double>{0x1p60 + 256}));
  EXPECT_EQ(evaluate<int32_t>("cvt.s32.s8 %d, %a;", std::vector<uint32_t>{0x1ff, 0x7f}), (std::vector<int32_t>{-1, 127}));
  EXPECT_EQ(evaluate<uint32_t>("cvt.sat.u8.s32 %d, %a;", std::vector<int32_t>{300, -3, 77}),
            (std::vector<uint32_t>{255, 0, 77}));
  EXPECT_EQ(evaluate<uint16_t>("cvt.rn.bf16.f32 %d, %a;", std::vector<float>{1.0f, 1.00390625f, 1.01171875f}),
            (std::vector<uint16_t>{0x3f80, 0x3f80, 0x3f82}));
  EXPECT_EQ(evaluate<uint32_t>("cvt.rn.f16x2.f32 %d, %a, %b;", std::vector<float>{1}, std::vector<float>{2})[0], 0x3c004000u);
  EXPECT_EQ(
      evaluate<uint16_t>("cvt.rn.satfinite.e4m3x2.f32 %d, %a, %b;", std::vector<float>{1000}, std::vector<float>{-1.5f})[0],
      0x7ebc);
  EXPECT_EQ(evaluate<uint32_t>("cvt.rn.f16x2.e5m2x2 %d, %a;", std::vector<uint16_t>{0x3cbc})[0], 0x3c00bc00u);
  EXPECT_EQ(evaluate<uint32_t>("cvt.rna.tf32.f32 %d, %a;", std::vector<float>{1 + 0x1p-11f})[0],
            std::bit_cast<uint32_t>(1 + 0x1p-10f));
  EXPECT_EQ(evaluate<float>("cvt.f32.f16 %d, %a;", std::vector<uint16_t>{0x3555, 0x0001}),
            (std::vector<float>{0.333251953125f, 0x1p-24f}));
  EXPECT_EQ(evaluate<float>("cvt.sat.f32.f32 %d, %a;", std::vector<float>{2, -1, 0.25f}), (std::vector<float>{1, 0, 0.25f}));
}

TEST(EmulatorArithmetic, RareInstructions) {
  using Words = std::vector<uint32_t>;
  EXPECT_EQ(evaluate<uint32_t>("fns.b32 %d, 0xb0, %a, 2;", Words{0, 4, 5}), (Words{5, 5, 7}));
  EXPECT_EQ(evaluate<uint32_t>("fns.b32 %d, 0xb0, %a, -1;", Words{31, 4, 3}), (Words{7, 4, ~0u}));
  EXPECT_EQ(evaluate<uint32_t>("cnot.b32 %d, %a;", Words{0, 7}), (Words{1, 0}));
  EXPECT_EQ(evaluate<uint32_t>("slct.u32.s32 %d, 10, 20, %a;", Words{3, ~0u}), (Words{10, 20}));
  EXPECT_EQ(evaluate<uint32_t>("testp.subnormal.f32 %p1, %a; selp.u32 %d, 1, 0, %p1;", std::vector<float>{1e-40f, 1, INFINITY}),
            (Words{1, 0, 0}));
  EXPECT_EQ(evaluate<uint32_t>("cvt.pack.sat.s16.s32 %d, %a, 3;", std::vector<int32_t>{100'000, -2}),
            (Words{0x7fff0003, 0xfffe0003}));
  EXPECT_EQ(evaluate<uint32_t>("cvt.pack.sat.u8.s32.b32 %d, %a, 3, 0xabcd;", std::vector<int32_t>{300}), (Words{0xabcdff03}));
  EXPECT_EQ(evaluate<uint32_t>("mad24.hi.u32 %d, %a, %a, 1;", Words{0xff800000}), (Words{0x40000000 + 1}));
  EXPECT_EQ(evaluate<uint32_t>("dp2a.hi.s32.s32 %d, %a, 0x02ff0000, 5;", Words{0xfffd0004}), (Words{5u - 4 - 6}));
  EXPECT_EQ(evaluate<uint32_t>("mad.lo.cc.u32 %r1, %a, %a, 1; madc.hi.u32 %d, %a, %a, 0;", Words{0xffffffff, 0x10000}),
            (Words{0xfffffffe, 1}));
  EXPECT_EQ(evaluate<uint32_t>("shf.l.clamp.b32 %d, 1, %a, 33; shf.r.wrap.b32 %r1, 1, %a, 33; add.u32 %d, %d, %r1;", Words{6}),
            (Words{1 + 0}));
  EXPECT_EQ(evaluate<uint32_t>("prmt.b32.f4e %d, %a, 0x77665544, 2;", Words{0x33221100}), (Words{0x55443322}));
  EXPECT_EQ(evaluate<uint32_t>("prmt.b32.rc16 %d, %a, 0, 1;", Words{0x33221100}), (Words{0x33223322}));
  EXPECT_EQ(evaluate<uint32_t>("min.s16x2 %d, %a, 0x00010001;", Words{0xffff0005}), (Words{0xffff0001}));
  EXPECT_EQ(evaluate<uint64_t>("fma.rn.f32x2 %d, %a, %a, %a;", std::vector<uint64_t>{0x4000000040400000})[0],
            0x40c0000041400000u); // 2, 3
  EXPECT_EQ(evaluate<uint32_t>("lop3.b32 %d, %a, 0xff00ff00, 0xf0f0f0f0, 0x96;", Words{0xcccccccc}),
            (Words{0xcccccccc ^ 0xff00ff00 ^ 0xf0f0f0f0}));
}

TEST(EmulatorArithmetic, MovesPackAndUnpack) {
  std::vector<uint64_t> a{0x0123456789abcdef};
  EXPECT_EQ(evaluate<uint64_t>("mov.b64 {%h0, %h1, %h2, %h3}, %a; mov.b64 %d, {%h3, %h2, %h1, %h0};", a)[0],
            0xcdef89ab45670123u);
  EXPECT_EQ(evaluate<uint32_t>("mov.b64 {_, %d}, %a;", a)[0], 0x01234567u);
  EXPECT_EQ(evaluate<uint32_t>("mov.b64 {%r1, %r2}, %a; mov.b32 {%h0, %h1}, %r1; mov.b32 %d, {%h1, 0x55};", a)[0], 0x005589abu);
}

TEST(EmulatorArithmetic, GuardsAndSpecialRegisters) {
  std::vector<uint32_t> a(70, 5);
  auto result = evaluate<uint32_t>(
      "mov.u32 %r3, %laneid; and.b32 %r4, %r3, 1; setp.ne.u32 %p1, %r4, 0; mov.u32 %d, %a; @%p1 mov.u32 %d, %r3;"
      " @!%p1 add.u32 %d, %d, %ctaid.x;",
      a);
  for (uint32_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(result[i], i % 2 ? i % 32 : 5 + i / 64) << i;
}
