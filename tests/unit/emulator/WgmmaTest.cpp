// wgmma: products of every type and layout against sums element by element, and what may not be done while one is in flight.
#include "Machine.h"

#include "runtime/emulator/Formats.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

struct Element {
  std::string name;
  unsigned bytes;
  std::function<uint32_t(int)> encoded; // of a small integer
};

const Element f16{"f16", 2, [](int v) { return encode(formatF16, v, Rounding::NearestEven); }};
const Element bf16{"bf16", 2, [](int v) { return encode(formatBF16, v, Rounding::NearestEven); }};
const Element tf32{"tf32", 4, [](int v) { return std::bit_cast<uint32_t>(float(v)); }};
const Element e4m3{"e4m3", 1, [](int v) { return encode(formatE4M3, v, Rounding::NearestEven); }};
const Element e5m2{"e5m2", 1, [](int v) { return encode(formatE5M2, v, Rounding::NearestEven); }};
const Element s8{"s8", 1, [](int v) { return uint32_t(v) & 0xff; }};
const Element u8{"u8", 1, [](int v) { return uint32_t(v); }};

/// How an operand lies in shared memory: its span (16: no swizzle), and whether rows or k are contiguous.
struct Arrangement {
  uint32_t span = 128;
  bool isMnMajor = false;
};

uint64_t descriptorOf(const Arrangement &how, uint32_t address, uint32_t leading, uint32_t stride) {
  uint64_t mode = how.span == 128 ? 1 : how.span == 64 ? 2 : how.span == 32 ? 3 : 0;
  return (address >> 4) | uint64_t(leading >> 4) << 16 | uint64_t(stride >> 4) << 32 | mode << 62;
}

/// An operand of `rows` rows and k elements, as an image of shared memory with the descriptor of each step of 32 bytes of k.
struct Image {
  std::vector<std::byte> bytes;
  std::vector<uint64_t> descriptors;
};

Image arrange(const std::vector<std::vector<int>> &values, const Element &element, const Arrangement &how, uint32_t base) {
  uint32_t rows = static_cast<uint32_t>(values.size()), k = static_cast<uint32_t>(values[0].size()),
           perStep = 32 / element.bytes;
  // Units: `inner` is the contiguous direction, of `across` bytes, `outer` the other one, in groups of eight lines.
  uint32_t inner = (how.isMnMajor ? rows : k) * element.bytes, outer = how.isMnMajor ? k : rows;
  uint32_t columns = (inner + how.span - 1) / how.span;
  Image image;
  image.bytes.resize(columns * outer * how.span);
  auto place = [&](uint32_t line, uint32_t byte) {
    // Column after column of spans; within one, line after line; 16-byte pieces exchanged within 8 lines of 128 bytes.
    uint32_t at = byte / how.span * outer * how.span + line * how.span + byte % how.span;
    uint32_t pieces = how.span / 16, turn = at / 128 % 8 % pieces;
    return (at & ~(how.span - 1)) | ((at % how.span / 16) ^ turn) * 16 | at % 16;
  };
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t at = 0; at < k; ++at) {
      uint32_t bits = element.encoded(values[row][at]);
      uint32_t line = how.isMnMajor ? at : row, byte = (how.isMnMajor ? row : at) * element.bytes;
      memcpy(image.bytes.data() + place(line, byte), &bits, element.bytes);
    }
  uint32_t groupStride = 8 * how.span, columnStride = outer * how.span;
  for (uint32_t step = 0; step * perStep < k; ++step) {
    // Without swizzle, MN-major, the two strides change places.
    bool changes = how.isMnMajor && how.span == 16;
    uint32_t start = how.isMnMajor ? step * perStep * how.span : step * 32 / how.span * columnStride + step * 32 % how.span;
    image.descriptors.push_back(
        descriptorOf(how, base + start, changes ? groupStride : columnStride, changes ? columnStride : groupStride));
  }
  return image;
}

std::string list(const std::string &prefix, unsigned count) {
  std::string text = "{";
  for (unsigned k = 0; k < count; ++k)
    text += (k ? ", " : "") + prefix + std::to_string(k);
  return text + "}";
}

/// %rd0: a pointer to this thread's `count` words in a buffer; they are loaded to or stored from registers.
std::string move(const std::string &parameter, const std::string &prefix, unsigned count, bool stores) {
  std::string text = concat("ld.param.u64 %rd0, [", parameter, "]; mad.wide.u32 %rd0, %r0, ", 4 * count, ", %rd0;\n");
  for (unsigned k = 0; k < count; ++k)
    text += stores ? concat("st.global.b32 [%rd0+", 4 * k, "], ", prefix, k, ";\n")
                   : concat("ld.global.b32 ", prefix, k, ", [%rd0+", 4 * k, "];\n");
  return text;
}

const std::string kernelHead = R"(
.reg .pred %p<4>; .reg .b32 %r<8>, %d<128>, %a<4>; .reg .b64 %rd<8>;
.shared .align 1024 .b8 buffer[131072];
mov.u32 %r0, %tid.x; mov.u32 %r1, buffer;
)";

/// Copies `words` of `image` to shared memory and puts them before the asynchronous proxy.
std::string fill(size_t words, const std::string &fence = "fence.proxy.async.shared::cta; ") {
  return concat("ld.param.u64 %rd0, [image]; mov.u32 %r2, %r0;\nfill: setp.ge.u32 %p0, %r2, ", words,
                "; @%p0 bra filled; mad.wide.u32 %rd1, %r2, 4, %rd0; ld.global.b32 %r3, [%rd1]; mad.lo.u32 %r4, %r2, 4, %r1; "
                "st.shared.b32 [%r4], %r3; mov.u32 %r4, %ntid.x; add.u32 %r2, %r2, %r4; bra fill;\nfilled: ",
                fence, "bar.sync 0;\n");
}

struct Product {
  Element a, b;
  std::string d = "f32";
  unsigned n = 8, steps = 1;
  Arrangement howA, howB;
  bool isRegisterA = false;
  bool accumulates = false;
  int scaleA = 1, scaleB = 1;
};

/// D of a product with small integers, row by row, as found and as it should be.
void check(const Product &product) {
  std::string name = concat(product.a.name, ' ', product.b.name, ' ', product.d, " n", product.n, " spans ", product.howA.span,
                            ' ', product.howB.span, product.howA.isMnMajor ? " mn" : " k",
                            product.howB.isMnMajor ? " mn" : " k", product.isRegisterA ? " registers" : "");
  std::mt19937 random(product.n);
  unsigned perStep = 32 / product.a.bytes, k = product.steps * perStep;
  auto values = [&](unsigned rows, const Element &element) {
    std::vector<std::vector<int>> result(rows, std::vector<int>(k));
    for (auto &row : result)
      for (int &value : row)
        value = element.name == "u8" ? int(random() % 8) : int(random() % 7) - 3;
    return result;
  };
  auto a = values(64, product.a), b = values(product.n, product.b);
  Image imageB = arrange(b, product.b, product.howB, 1024);
  uint32_t baseA = static_cast<uint32_t>((imageB.bytes.size() + 1023) / 1024 * 1024);
  Image imageA = arrange(a, product.a, product.howA, 1024 + baseA);
  std::vector<std::byte> image = imageB.bytes;
  image.resize(baseA);
  image.insert(image.end(), imageA.bytes.begin(), imageA.bytes.end());

  bool isHalf = product.d == "f16", isInteger = product.d == "s32", isWide = product.a.bytes == 2;
  unsigned registers = product.n / (isHalf ? 4 : 2);
  std::string body = kernelHead + fill(image.size() / 4) + move("c", "%d", registers, false);
  if (product.isRegisterA)
    body += move("a", "%a", 4, false);
  body += concat("setp.ne.b32 %p1, ", product.accumulates ? 1 : 0, ", 0;\nwgmma.fence.sync.aligned;\n");
  for (unsigned step = 0; step < product.steps; ++step) {
    std::string immediates;
    if (!isInteger)
      immediates = concat(", ", product.scaleA, ", ", product.scaleB);
    if (isWide && !product.isRegisterA)
      immediates += concat(", ", product.howA.isMnMajor ? 1 : 0);
    if (isWide)
      immediates += concat(", ", product.howB.isMnMajor ? 1 : 0);
    body += concat("mov.b64 %rd2, ", imageA.descriptors[step], "; mov.b64 %rd3, ", imageB.descriptors[step], ";\n",
                   "wgmma.mma_async.sync.aligned.m64n", product.n, "k", perStep, '.', product.d, '.', product.a.name, '.',
                   product.b.name, ' ', list("%d", registers), ", ", product.isRegisterA ? list("%a", 4) : "%rd2", ", %rd3, ",
                   step ? "1" : "%p1", immediates, ";\n");
  }
  body += "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n" + move("d", "%d", registers, true);

  // A's and D's fragments, as PTX's manual draws them.
  std::vector<uint32_t> fragmentsA(128 * 4), c(128 * registers);
  unsigned perRegister = 4 / product.a.bytes;
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned e = 0; e < perRegister; ++e) {
        unsigned row = thread / 32 * 16 + thread % 32 / 4 + i % 2 * 8, column = (i / 2 * 4 + thread % 4) * perRegister + e;
        fragmentsA[thread * 4 + i] |= product.a.encoded(a[row][column]) << e * 8 * product.a.bytes;
      }
  auto initial = [](unsigned row, unsigned column) { return int(row % 5 + column % 3); };
  auto forEachPlace = [&](auto visit) { // (word, shift, row, column)
    for (unsigned thread = 0; thread < 128; ++thread)
      for (unsigned i = 0; i < product.n / 2; ++i) {
        unsigned row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + thread % 4 * 2 + i % 2;
        visit(thread * registers + (isHalf ? i / 2 : i), isHalf ? i % 2 * 16 : 0u, row, column);
      }
  };
  auto encodedResult = [&](int value) {
    return isHalf ? f16.encoded(value) : isInteger ? uint32_t(value) : std::bit_cast<uint32_t>(float(value));
  };
  forEachPlace([&](unsigned word, unsigned shift, unsigned row, unsigned column) {
    c[word] |= encodedResult(initial(row, column)) << shift;
  });

  Machine machine(name, kernelText(".param .u64 image, .param .u64 a, .param .u64 c, .param .u64 d", body));
  uint64_t d = machine.upload(std::vector<uint32_t>(128 * registers));
  LaunchReport report =
      machine.run("test", {.block = {128}}, machine.upload(image), machine.upload(fragmentsA), machine.upload(c), d);
  ASSERT_TRUE(report.ok()) << name << '\n' << report.text();
  std::vector<uint32_t> found = machine.download<uint32_t>(d, 128 * registers);
  forEachPlace([&](unsigned word, unsigned shift, unsigned row, unsigned column) {
    int sum = 0;
    for (unsigned at = 0; at < k; ++at)
      sum += a[row][at] * b[column][at];
    int expected = sum * product.scaleA * product.scaleB + (product.accumulates ? initial(row, column) : 0);
    uint32_t bits = isHalf ? found[word] >> shift & 0xffff : found[word];
    ASSERT_EQ(bits, encodedResult(expected)) << name << " row " << row << " column " << column;
  });
}

} // namespace

TEST(EmulatorWgmma, TypesAndWidths) {
  for (const auto &[a, b] : {std::pair(f16, f16), {bf16, bf16}, {tf32, tf32}, {e4m3, e5m2}, {e5m2, e4m3}})
    for (unsigned n : {8u, 104u, 256u})
      check({.a = a, .b = b, .n = n, .steps = 2});
  for (const auto &[a, b] : {std::pair(s8, s8), {s8, u8}, {u8, s8}, {u8, u8}})
    for (unsigned n : {24u, 112u})
      check({.a = a, .b = b, .d = "s32", .n = n, .steps = 3, .accumulates = true});
  check({.a = f16, .b = f16, .d = "f16", .n = 64, .steps = 2, .accumulates = true});
  check({.a = e4m3, .b = e4m3, .d = "f16", .n = 16});
}

TEST(EmulatorWgmma, Arrangements) {
  // As many steps of k as the greatest span has.
  for (uint32_t spanA : {16u, 32u, 64u, 128u})
    for (uint32_t spanB : {16u, 32u, 64u, 128u}) {
      check({.a = bf16, .b = bf16, .n = 96, .steps = 4, .howA = {spanA}, .howB = {spanB}});
      check({.a = bf16, .b = bf16, .n = 128, .steps = 2, .howA = {spanA, true}, .howB = {spanB, true}});
      check({.a = f16, .b = f16, .n = 192, .steps = 2, .howA = {spanA}, .howB = {spanB, true}, .accumulates = true});
    }
  check({.a = e4m3, .b = e4m3, .n = 64, .steps = 4, .howA = {64}, .howB = {32}});
  check({.a = tf32, .b = tf32, .n = 40, .steps = 4, .howA = {128}, .howB = {16}});
}

TEST(EmulatorWgmma, RegistersAndSigns) {
  for (const Element &element : {f16, bf16, tf32, e4m3})
    check({.a = element, .b = element, .n = 32, .isRegisterA = true, .accumulates = true});
  check({.a = bf16, .b = bf16, .n = 64, .howB = {128, true}, .isRegisterA = true});
  check({.a = s8, .b = s8, .d = "s32", .n = 16, .isRegisterA = true});
  check({.a = bf16, .b = bf16, .n = 16, .accumulates = true, .scaleA = -1});
  check({.a = bf16, .b = bf16, .n = 16, .accumulates = true, .scaleB = -1});
  check({.a = bf16, .b = bf16, .n = 16, .scaleA = -1, .scaleB = -1});
}

namespace {

// Two accumulators of n8 (%d0…3, %d4…7), A in %a0…3; descriptors in %rd2 (A) and %rd3 (B) of a filled buffer.
const std::string fence = "wgmma.fence.sync.aligned; ", commit = "wgmma.commit_group.sync.aligned; ";
const std::string wait0 = "wgmma.wait_group.sync.aligned 0; ", wait1 = "wgmma.wait_group.sync.aligned 1; ";
const std::string first =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%d0, %d1, %d2, %d3}, %rd2, %rd3, 1, 1, 1, 0, 0; ";
const std::string second =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%d4, %d5, %d6, %d7}, %rd2, %rd3, 1, 1, 1, 0, 0; ";
const std::string fromRegisters =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, %rd3, 1, 1, 1, 0; ";

LaunchReport runBody(const std::string &body, uint32_t threads = 128, std::optional<uint64_t> seed = {},
                     const std::string &proxyFence = "fence.proxy.async.shared::cta; ") {
  Arrangement how;
  std::string head =
      kernelHead + fill(4096, proxyFence) +
      concat("mov.b64 %rd2, ", descriptorOf(how, 2048, 16, 1024), "; mov.b64 %rd3, ", descriptorOf(how, 1024, 16, 1024),
             "; shr.u32 %r5, %r0, 5; setp.eq.u32 %p2, %r5, 0; setp.lt.u32 %p3, %r0, 128;\n");
  Machine machine("wgmma.ptx", kernelText(".param .u64 image", head + body));
  machine.options.seed = seed;
  return machine.run("test", {.block = {threads}}, machine.upload(std::vector<uint32_t>(4096)));
}

void expectClean(const std::string &body, uint32_t threads = 128) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    LaunchReport report = runBody(body, threads, seed ? std::optional<uint64_t>(seed) : std::nullopt);
    EXPECT_TRUE(report.ok()) << body << '\n' << report.text();
  }
}

void expectFault(const std::string &body, const std::string &kind, const std::string &word, uint32_t threads = 128,
                 const std::string &proxyFence = "fence.proxy.async.shared::cta; ") {
  for (uint64_t seed = 0; seed < 3; ++seed) {
    LaunchReport report = runBody(body, threads, seed ? std::optional<uint64_t>(seed) : std::nullopt, proxyFence);
    ASSERT_FALSE(report.ok()) << body;
    EXPECT_EQ(nameOf(report.faults[0].kind), kind) << body << '\n' << report.text();
    EXPECT_NE(report.text().find(word), std::string::npos) << word << " is not in\n" << report.text();
  }
}

} // namespace

TEST(EmulatorWgmma, AccumulatorsAreInFlightUntilTheWait) {
  const std::string kind = "access to a register in flight", word = "no wgmma.wait_group has covered";
  expectClean(fence + first + commit + wait0 + "add.f32 %d0, %d0, %d1;");
  expectFault(fence + first + commit + "add.f32 %d8, %d0, %d1; " + wait0, kind, word);
  expectFault(fence + first + commit + "mov.b32 %d3, 0; " + wait0, kind, word);
  expectFault(fence + first + commit + "mov.b32 %d8, %d3; " + wait0, kind, word);
  expectFault(fence + first + commit + "mov.b64 %rd4, {%d0, %d1}; " + wait0, kind, word);
  expectFault(fence + first + wait0 + "mov.b32 %d8, %d3; ", kind, word); // never committed
  expectFault(fence + first + commit + wait1 + "mov.b32 %d8, %d3; ", kind, word);
  // The older group is over, the newer one is not.
  expectClean(fence + first + commit + second + commit + wait1 + "mov.b32 %d8, %d3; " + wait0 + "mov.b32 %d9, %d7;");
  expectFault(fence + first + commit + second + commit + wait1 + "mov.b32 %d8, %d7; " + wait0, kind, word);
  // A chain on the same registers.
  expectClean(fence + first + first + commit + first + commit + wait1 + first + commit + wait0 + "mov.b32 %d8, %d3;");
}

TEST(EmulatorWgmma, RegistersWithAAreFrozen) {
  const std::string kind = "access to a register in flight";
  expectClean(fence + fromRegisters + commit + "mov.b32 %r6, %a0; " + wait0 + "mov.b32 %a0, 0;");
  expectFault(fence + fromRegisters + commit + "mov.b32 %a0, 0; " + wait0, kind, "in which a wgmma still reads A");
  expectFault(fence + second +
                  "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%d0, %d1, %d2, %d3}, {%d4, %d5, %d6, %d7}, "
                  "%rd3, 1, 1, 1, 0; " +
                  commit + wait0,
              kind, "reads A in a register that another one in flight accumulates into");
  expectFault(
      fence + first +
          "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}, %rd2, %rd3, 1, 1, "
          "1, 0, 0; " +
          commit + wait0,
      kind, "uses otherwise");
}

TEST(EmulatorWgmma, FencesBeforeRegisters) {
  const std::string kind = "access to a register in flight";
  expectFault(first + commit + wait0, kind, "without a wgmma.fence before it");
  expectFault(fence + "mov.b32 %d2, 0; " + first + commit + wait0, kind, "wgmma.fence is missing between the two");
  expectFault(fence + "mov.b32 %a2, 0; " + fromRegisters + commit + wait0, kind, "wgmma.fence is missing between the two");
  expectFault(fence + first + commit + wait0 + "mov.b32 %d8, %d2; " + first + commit + wait0, kind, "the earlier access");
  expectClean(fence + first + commit + wait0 + "mov.b32 %d8, %d2; " + fence + first + commit + wait0);
}

TEST(EmulatorWgmma, SharedMemoryIsInUseUntilTheWait) {
  const std::string barrier = "bar.sync 0; ", overwrite = "st.shared.b32 [%r1], 0; ";
  expectClean(fence + first + commit + wait0 + barrier + "@%p2 bra over; bra out; over: setp.eq.u32 %p1, %r0, 0; @%p1 " +
              overwrite + "out: ");
  expectFault(fence + first + commit + barrier + "setp.eq.u32 %p1, %r0, 0; @%p1 " + overwrite + wait0, "data race",
              "an asynchronous instruction may still be reading");
  // By a fifth warp, which learns of the wait by a named barrier.
  const std::string fifth = "@!%p3 bra fifth; " + fence + first + commit;
  expectClean(fifth + wait0 + "bar.arrive 1, 160; bra out; fifth: bar.sync 1, 160; setp.eq.u32 %p1, %r0, 128; @%p1 " +
                  overwrite + "out: ",
              160);
  expectFault(fifth + "bar.arrive 1, 160; " + wait0 + "bra out; fifth: bar.sync 1, 160; setp.eq.u32 %p1, %r0, 128; @%p1 " +
                  overwrite + "out: ",
              "data race", "an asynchronous instruction may still be reading", 160);
  // One warp's wait speaks for the four.
  expectClean(fifth + wait0 + "@%p2 bar.arrive 1, 64; bra out; fifth: bar.sync 1, 64; setp.eq.u32 %p1, %r0, 128; @%p1 " +
                  overwrite + "out: ",
              160);
  expectFault(fence + first + commit + wait0, "missing proxy fence", "fence.proxy.async is missing", 128, "");
}

TEST(EmulatorWgmma, WrongUse) {
  expectFault(fence + "mov.b64 %rd2, 0x4000004000017fff; " + first + commit + wait0, "illegal instruction",
              "bits set that mean nothing");
  expectFault(fence + "mov.b64 %rd2, 0x4002004000010080; " + first + commit + wait0, "illegal instruction", "base offset");
  expectFault(fence + "mov.b64 %rd2, 0x4000004000013f00; " + first + commit + wait0, "out of bounds",
              "the descriptor of A reaches");
  expectFault(fence + "mov.b64 %rd3, 0x4000004000010000; " + first + commit + wait0, "out of bounds",
              "the descriptor of B reaches");
  expectFault(fence + "mov.b64 %rd2, 0x4000004000011000; " + first + commit + wait0, "uninitialized read",
              "no thread of the block has written");
  expectFault(fence + "cvt.u64.u32 %rd4, %r0; shl.b64 %rd4, %rd4, 3; add.u64 %rd2, %rd2, %rd4; " + first + commit + wait0,
              "divergence", "the lanes of a warp execute wgmma with different descriptors");
  expectFault(fence + "cvt.u64.u32 %rd4, %r5; add.u64 %rd2, %rd2, %rd4; " + first + commit + wait0, "divergence",
              "the warps of a warpgroup execute wgmma with different descriptors");
  expectFault(fence + "@%p2 bra one; " + first + "bra out; one: " + first + "out: " + commit + wait0, "divergence",
              "different wgmma instructions");
  expectFault(fence + "@%p2 bra out; " + first + commit + wait0 + "out: ", "deadlock", "for other warps of the warpgroup");
  expectFault(fence + first + commit + wait0, "illegal instruction", "fewer than 128 threads", 96);
}

TEST(EmulatorWgmma, SpellingsAreCheckedWhenTheModuleIsLoaded) {
  auto isLoaded = [](const std::string &instruction) {
    Device device;
    return device.load("wgmma", kernelText("", kernelHead + instruction)).ok();
  };
  const std::string four = "{%d0, %d1, %d2, %d3}";
  EXPECT_TRUE(isLoaded("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " + four + ", %rd2, %rd3, %p1, 1, -1, 1, 0;"));
  EXPECT_TRUE(isLoaded("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8.satfinite " + four + ", %rd2, %rd3, %p1;"));
  for (const std::string &wrong : std::vector<std::string>{
           "m64n12k16.f32.bf16.bf16 " + four + ", %rd2, %rd3, %p1, 1, 1, 0, 0;", // no multiple of 8
           "m64n8k32.f32.bf16.bf16 " + four + ", %rd2, %rd3, %p1, 1, 1, 0, 0;",  // another k
           "m64n8k16.f16.bf16.bf16 {%d0, %d1}, %rd2, %rd3, %p1, 1, 1, 0, 0;",    // no such result
           "m64n8k16.f32.bf16.f16 " + four + ", %rd2, %rd3, %p1, 1, 1, 0, 0;",   // two types
           "m64n16k16.f32.bf16.bf16 " + four + ", %rd2, %rd3, %p1, 1, 1, 0, 0;", // too few registers
           "m64n8k16.f32.bf16.bf16 " + four + ", %rd2, %rd3, %p1, 1, 1;",        // transpositions are missing
           "m64n8k16.f32.bf16.bf16 " + four + ", %rd2, %rd3, %p1, 2, 1, 0, 0;",  // no sign
           "m64n8k8.f32.tf32.tf32 " + four + ", %rd2, %rd3, %p1, 1, 1, 0, 1;",   // tf32 is K-major only
           "m64n40k32.s32.s8.s8 " + list("%d", 20) + ", %rd2, %rd3, %p1;",       // above 32 multiples of 16
       })
    EXPECT_FALSE(isLoaded("wgmma.mma_async.sync.aligned." + wrong)) << wrong;
}
