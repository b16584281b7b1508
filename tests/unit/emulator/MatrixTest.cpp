// ldmatrix, stmatrix, mma of every element type, against products element by element.
#include "Machine.h"

#include "runtime/emulator/Formats.h"

#include <bit>
#include <cmath>
#include <functional>
#include <random>

using namespace tilewright::runtime::emulator;

namespace {

struct Element {
  std::string name;
  unsigned bits;
  std::function<uint32_t(int)> encoded; // of a small integer
};

int exactValue(std::mt19937 &random, bool isUnsigned) {
  return isUnsigned ? static_cast<int>(random() % 8) : static_cast<int>(random() % 9) - 4;
}

uint32_t floatBits(const Format &format, int value) {
  return encode(format, value, Rounding::NearestEven);
}

const Element elements[] = {
    {"f16", 16, [](int v) { return floatBits(formatF16, v); }},
    {"bf16", 16, [](int v) { return floatBits(formatBF16, v); }},
    {"tf32", 32, [](int v) { return std::bit_cast<uint32_t>(float(v)); }},
    {"s8", 8, [](int v) { return uint32_t(v) & 0xff; }},
    {"u8", 8, [](int v) { return uint32_t(v); }},
    {"e4m3", 8, [](int v) { return floatBits(formatE4M3, v); }},
    {"e5m2", 8, [](int v) { return floatBits(formatE5M2, v); }},
};

/// The fragments' registers as PTX's manual draws them: which element of A, B or C a lane's register holds.
struct Place {
  unsigned row, column;
};
Place placeA(unsigned bits, unsigned lane, unsigned element) {
  unsigned perRegister = 32 / bits, reg = element / perRegister, in = element % perRegister;
  return {lane / 4 + 8 * (reg % 2), lane % 4 * perRegister + in + reg / 2 * 4 * perRegister};
}
Place placeB(unsigned bits, unsigned lane, unsigned element) {
  unsigned perRegister = 32 / bits, reg = element / perRegister, in = element % perRegister;
  return {lane % 4 * perRegister + in + reg * 4 * perRegister, lane / 4};
}
Place placeC(unsigned lane, unsigned element) {
  return {lane / 4 + 8 * (element / 2), lane % 4 * 2 + element % 2};
}

/// Runs one mma with registers loaded from memory; the result of each lane, four words (two for an f16 result).
std::vector<uint32_t> runMma(const std::string &mnemonic, unsigned countA, unsigned countB, unsigned countC, unsigned countD,
                             const std::vector<uint32_t> &a, const std::vector<uint32_t> &b, const std::vector<uint32_t> &c) {
  std::string body = ".reg .b32 %a<8>, %b<8>, %c<8>, %d<8>, %r; .reg .b64 %rd<3>;\nmov.u32 %r, %laneid;\n", list[4];
  auto each = [&](const std::string &name, unsigned count, unsigned which, bool store) {
    body += tilewright::runtime::concat("ld.param.u64 %rd0, [", name, "]; mad.wide.u32 %rd1, %r, ", 4 * count, ", %rd0;\n");
    for (unsigned k = 0; k < count; ++k) {
      std::string reg = tilewright::runtime::concat('%', name, k);
      body += store ? tilewright::runtime::concat("st.global.b32 [%rd1+", 4 * k, "], ", reg, ";\n")
                    : tilewright::runtime::concat("ld.global.b32 ", reg, ", [%rd1+", 4 * k, "];\n");
      list[which] += (k ? ", " : "") + reg;
    }
  };
  each("a", countA, 0, false), each("b", countB, 1, false), each("c", countC, 2, false);
  for (unsigned k = 0; k < countD; ++k)
    list[3] += (k ? ", %d" : "%d") + std::to_string(k);
  body += mnemonic + " {" + list[3] + "}, {" + list[0] + "}, {" + list[1] + "}, {" + list[2] + "};\n";
  each("d", countD, 3, true);
  Machine machine("mma", kernelText(".param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d", body));
  uint64_t d = machine.upload(std::vector<uint32_t>(32 * countD));
  machine.runCleanly("test", {.block = {32}}, machine.upload(a), machine.upload(b), machine.upload(c), d);
  return machine.download<uint32_t>(d, 32 * countD);
}

void checkMma(const std::string &shape, unsigned k, const Element &a, const Element &b, bool halfResult) {
  std::mt19937 random(k);
  bool integers = a.name == "s8" || a.name == "u8";
  unsigned countB = k * a.bits / 128, perRegister = 32 / a.bits;
  int valuesA[16][32], valuesB[32][8], valuesC[16][8];
  for (auto &row : valuesA)
    for (int &value : row)
      value = exactValue(random, a.name == "u8");
  for (auto &row : valuesB)
    for (int &value : row)
      value = exactValue(random, b.name == "u8");
  std::vector<uint32_t> fragmentsA(32 * 2 * countB), fragmentsB(32 * countB), fragmentsC(halfResult ? 64 : 128);
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned e = 0; e < 2 * countB * perRegister; ++e) {
      Place at = placeA(a.bits, lane, e);
      fragmentsA[lane * 2 * countB + e / perRegister] |= a.encoded(valuesA[at.row][at.column]) << e % perRegister * a.bits;
    }
    for (unsigned e = 0; e < countB * perRegister; ++e) {
      Place at = placeB(b.bits, lane, e);
      fragmentsB[lane * countB + e / perRegister] |= b.encoded(valuesB[at.row][at.column]) << e % perRegister * b.bits;
    }
    for (unsigned e = 0; e < 4; ++e) {
      Place at = placeC(lane, e);
      int value = valuesC[at.row][at.column] = static_cast<int>(random() % 100) - 50;
      if (halfResult)
        fragmentsC[lane * 2 + e / 2] |= floatBits(formatF16, value) << e % 2 * 16;
      else
        fragmentsC[lane * 4 + e] = integers ? uint32_t(value) : std::bit_cast<uint32_t>(float(value));
    }
  }
  std::string result = integers ? "s32" : halfResult ? "f16" : "f32";
  std::string mnemonic = "mma.sync.aligned." + shape + ".row.col." + result + '.' + a.name + '.' + b.name + '.' + result;
  unsigned words = halfResult ? 2 : 4;
  auto found = runMma(mnemonic, 2 * countB, countB, words, words, fragmentsA, fragmentsB, fragmentsC);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned e = 0; e < 4; ++e) {
      Place at = placeC(lane, e);
      int sum = valuesC[at.row][at.column];
      for (unsigned i = 0; i < k; ++i)
        sum += valuesA[at.row][i] * valuesB[i][at.column];
      double its = integers     ? int32_t(found[lane * 4 + e])
                   : halfResult ? decode(formatF16, found[lane * 2 + e / 2] >> e % 2 * 16 & 0xffff)
                                : double(std::bit_cast<float>(found[lane * 4 + e]));
      ASSERT_EQ(its, sum) << mnemonic << ' ' << lane << ' ' << e;
    }
}

} // namespace

TEST(EmulatorMatrix, MmaOfEveryType) {
  for (const Element &element : elements) {
    unsigned first = element.bits == 8 ? 16 : element.bits == 16 ? 8 : 4;
    for (unsigned k : {first, 2 * first})
      checkMma("m16n8k" + std::to_string(k), k, element, element, false);
  }
  checkMma("m16n8k16", 16, elements[0], elements[0], true);
  checkMma("m16n8k32", 32, elements[3], elements[4], false); // s8 · u8
  checkMma("m16n8k32", 32, elements[5], elements[6], false); // e4m3 · e5m2
}

TEST(EmulatorMatrix, MmaOfF64) {
  Machine machine("mma64", kernelText(".param .u64 a, .param .u64 b, .param .u64 d", R"(
.reg .b32 %r; .reg .b64 %rd<4>; .reg .f64 %f<6>;
mov.u32 %r, %laneid; ld.param.u64 %rd0, [a]; mad.wide.u32 %rd0, %r, 8, %rd0; ld.global.f64 %f0, [%rd0];
ld.param.u64 %rd1, [b]; mad.wide.u32 %rd1, %r, 8, %rd1; ld.global.f64 %f1, [%rd1];
mov.f64 %f2, 0d3FF0000000000000;
mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%f3, %f4}, {%f0}, {%f1}, {%f2, %f2};
ld.param.u64 %rd2, [d]; mad.wide.u32 %rd2, %r, 16, %rd2; st.global.v2.f64 [%rd2], {%f3, %f4};)"));
  std::vector<double> a, b;
  for (int i = 0; i < 32; ++i)
    a.push_back(i % 7), b.push_back(i % 5 - 2);
  uint64_t d = machine.upload(std::vector<double>(64));
  machine.runCleanly("test", {.block = {32}}, machine.upload(a), machine.upload(b), d);
  auto found = machine.download<double>(d, 64);
  for (size_t row = 0; row < 8; ++row)
    for (size_t column = 0; column < 8; ++column) {
      double sum = 1;
      for (size_t k = 0; k < 4; ++k)
        sum += a[row * 4 + k] * b[column * 4 + k];
      EXPECT_EQ(found[row * 8 + column], sum);
    }
}

TEST(EmulatorMatrix, LoadAndStoreMatrices) {
  // 32 rows of 8 elements, loaded as four matrices and stored transposed behind them.
  Machine machine("ldmatrix", kernelText(".param .u64 in, .param .u64 out", R"(
.shared .align 16 .b8 tile[1024];
.reg .b32 %r<12>; .reg .b64 %rd<4>;
mov.u32 %r0, %laneid; mov.u32 %r1, tile; mad.lo.u32 %r1, %r0, 16, %r1;
ld.param.u64 %rd0, [in]; mad.wide.u32 %rd0, %r0, 16, %rd0; ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%rd0];
st.shared.v4.b32 [%r1], {%r2, %r3, %r4, %r5}; bar.warp.sync -1;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r1];
ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r6, %r7, %r8, %r9}, [%r1];
stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r1+512], {%r2, %r3, %r4, %r5}; bar.warp.sync -1;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r1+512];
ld.param.u64 %rd1, [out]; mad.wide.u32 %rd1, %r0, 32, %rd1;
st.global.v4.b32 [%rd1], {%r2, %r3, %r4, %r5}; st.global.v4.b32 [%rd1+16], {%r6, %r7, %r8, %r9};)"));
  std::vector<uint16_t> in(256);
  for (size_t i = 0; i < 256; ++i)
    in[i] = static_cast<uint16_t>(i);
  uint64_t out = machine.upload(std::vector<uint32_t>(256));
  machine.runCleanly("test", {.block = {32}}, machine.upload(in), out);
  auto found = machine.download<uint32_t>(out, 256);
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t matrix = 0; matrix < 4; ++matrix) {
      uint32_t row = lane / 4, column = lane % 4 * 2;
      uint32_t expected = in[matrix * 64 + column * 8 + row] | uint32_t(in[matrix * 64 + (column + 1) * 8 + row]) << 16;
      EXPECT_EQ(found[lane * 8 + matrix], expected);
      EXPECT_EQ(found[lane * 8 + 4 + matrix], expected);
    }
}

TEST(EmulatorMatrix, MovesTransposed) {
  std::vector<uint32_t> a;
  for (uint32_t lane = 0; lane < 32; ++lane)
    a.push_back(lane / 4 * 8 + lane % 4 * 2 + ((lane / 4 * 8 + lane % 4 * 2 + 1) << 16));
  auto found = evaluate<uint32_t>("movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;", a);
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(found[lane], lane % 4 * 16 + lane / 4 + ((lane % 4 * 16 + 8 + lane / 4) << 16));
}

TEST(EmulatorMatrix, FaultsOfMatrixInstructions) {
  auto kindOf = [](const std::string &body) {
    Machine machine("matrix faults", kernelText("", ".shared .align 16 .b8 tile[512]; .reg .b32 %r<12>; .reg .pred %p<2>;"
                                                    "mov.u32 %r0, %laneid; mov.u32 %r1, tile; mad.lo.u32 %r1, %r0, 16, %r1;" +
                                                        body));
    LaunchReport report = machine.run("test", {.block = {32}});
    return report.ok() ? std::string("none") : std::string(nameOf(report.faults[0].kind));
  };
  std::string write = "st.shared.v4.b32 [%r1], {%r0, %r0, %r0, %r0}; ";
  std::string load = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r1";
  EXPECT_EQ(kindOf(write + "bar.warp.sync -1; " + load + "];"), "none");
  EXPECT_EQ(kindOf(write + "bar.warp.sync -1; " + load + "+16];"), "out of bounds");
  EXPECT_EQ(kindOf(write + "bar.warp.sync -1; " + load + "+8];"), "misaligned");
  EXPECT_EQ(kindOf(load + "];"), "uninitialized read");
  EXPECT_EQ(kindOf(write + "setp.lt.u32 %p0, %r0, 31; @%p0 bra out; " + load + "]; out: bar.warp.sync -1;"), "divergence");
}
