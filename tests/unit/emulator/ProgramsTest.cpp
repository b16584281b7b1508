// What nvcc made of the kernels in programs/, against plain loops.
#include "Machine.h"

#include "runtime/emulator/Formats.h"

#include <bit>
#include <cmath>
#include <numeric>
#include <random>

using namespace tilewright::runtime::emulator;

namespace {

std::vector<float> randomFloats(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> values(count);
  for (float &value : values)
    value = distribution(random);
  return values;
}

std::vector<float> product(const std::vector<float> &a, const std::vector<float> &b, int m, int n, int k, bool transposed) {
  std::vector<float> c(static_cast<size_t>(m * n));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l)
        sum += static_cast<double>(a[static_cast<size_t>(i * k + l)]) *
               static_cast<double>(b[static_cast<size_t>(transposed ? j * k + l : l * n + j)]);
      c[static_cast<size_t>(i * n + j)] = static_cast<float>(sum);
    }
  return c;
}

void expectNear(const std::vector<float> &found, const std::vector<float> &expected, float tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], tolerance) << "at " << i;
}

} // namespace

TEST(EmulatorPrograms, VectorAdd) {
  Machine machine = Machine::program("vector_add.ptx");
  int n = 1000;
  std::vector<float> a = randomFloats(1000, 1), b = randomFloats(1000, 2), expected(1000);
  for (size_t i = 0; i < 1000; ++i)
    expected[i] = a[i] + b[i];
  uint64_t x = machine.upload(a), y = machine.upload(b), z = machine.upload(std::vector<float>(1000));
  machine.runCleanly("vector_add", {.grid = {8}, .block = {128}}, x, y, z, n);
  EXPECT_EQ(machine.download<float>(z, 1000), expected);
  ASSERT_TRUE(machine.device.fill(z, 0, 4000).ok());
  machine.runCleanly("vector_add4", {.grid = {2}, .block = {64}}, x, y, z, n / 4);
  EXPECT_EQ(machine.download<float>(z, 1000), expected);
}

TEST(EmulatorPrograms, Gelu) {
  Machine machine = Machine::program("vector_add.ptx");
  std::vector<float> x = randomFloats(300, 3), expected;
  for (float &v : x)
    v *= 6;
  for (float v : x)
    expected.push_back(0.5f * v * (1.0f + std::tanh(0.7978845608f * (v + 0.044715f * v * v * v))));
  uint64_t in = machine.upload(x), out = machine.upload(std::vector<float>(300));
  machine.runCleanly("gelu", {.grid = {3}, .block = {128}}, in, out, 300);
  expectNear(machine.download<float>(out, 300), expected, 2e-6f);
}

TEST(EmulatorPrograms, TiledMatmul) {
  for (std::optional<uint64_t> seed : {std::optional<uint64_t>(), std::optional<uint64_t>(7)}) {
    Machine machine = Machine::program("matmul_tiled.ptx");
    machine.options.seed = seed;
    int m = 50, n = 37, k = 45;
    std::vector<float> a = randomFloats(2250, 1), b = randomFloats(1665, 2);
    uint64_t x = machine.upload(a), y = machine.upload(b), z = machine.upload(std::vector<float>(1850, -1));
    machine.runCleanly("matmul_tiled", {.grid = {3, 4}, .block = {16, 16}}, x, y, z, m, n, k);
    expectNear(machine.download<float>(z, 1850), product(a, b, m, n, k, false), 1e-5f);
  }
}

TEST(EmulatorPrograms, BlocksRunInParallel) {
  Machine machine = Machine::program("reduce.ptx");
  machine.options.threads = 4;
  std::vector<float> x(100'000, 1);
  std::vector<unsigned char> bytes(50'000);
  std::iota(bytes.begin(), bytes.end(), 0);
  uint64_t in = machine.upload(x), sum = machine.upload(std::vector<float>{0});
  machine.runCleanly("reduce_sum", {.grid = {40}, .block = {256}, .dynamicSharedBytes = 32}, in, sum, 100'000);
  EXPECT_EQ(machine.download<float>(sum, 1)[0], 100'000);
  uint64_t data = machine.upload(bytes), counts = machine.upload(std::vector<unsigned>(256));
  machine.runCleanly("histogram", {.grid = {16}, .block = {128}}, data, counts, 50'000);
  auto found = machine.download<unsigned>(counts, 256);
  for (unsigned value = 0; value < 256; ++value)
    EXPECT_EQ(found[value], 50'000 / 256 + (value < 50'000 % 256)) << value;
}

TEST(EmulatorPrograms, CompactByBallot) {
  Machine machine = Machine::program("reduce.ptx");
  std::vector<int> x, expected(128), counts(4);
  for (int i = 0; i < 128; ++i)
    x.push_back(i * 7 % 11 - 5);
  for (int i = 0; i < 128; ++i)
    if (x[static_cast<size_t>(i)] > 0)
      expected[static_cast<size_t>(i / 32 * 32 + counts[static_cast<size_t>(i / 32)]++)] = x[static_cast<size_t>(i)];
  uint64_t in = machine.upload(x), out = machine.upload(std::vector<int>(128)), number = machine.upload(std::vector<int>(4));
  machine.runCleanly("compact", {.grid = {2}, .block = {64}}, in, out, number);
  EXPECT_EQ(machine.download<int>(out, 128), expected);
  EXPECT_EQ(machine.download<int>(number, 4), counts);
}

TEST(EmulatorPrograms, DivergentLoopsCallsAndSwitches) {
  Machine machine = Machine::program("divergent.ptx");
  std::vector<int> expected;
  for (unsigned long long i = 1; i <= 500; ++i) {
    int steps = 0;
    for (unsigned long long v = i; v != 1; v = v & 1 ? 3 * v + 1 : v / 2)
      ++steps;
    expected.push_back(steps);
  }
  uint64_t steps = machine.upload(std::vector<int>(500));
  machine.runCleanly("collatz_steps", {.grid = {4}, .block = {128}}, steps, 500);
  EXPECT_EQ(machine.download<int>(steps, 500), expected);

  std::vector<int> x, y;
  for (int i = 0; i < 200; ++i) {
    int v = i * 13 + 1;
    x.push_back(v);
    uint32_t reversed = 0;
    for (int bit = 0; bit < 32; ++bit)
      reversed |= (uint32_t(v) >> bit & 1) << (31 - bit);
    int cases[] = {v + 1, v * v, v * (v & 7), std::countl_zero(uint32_t(v)), v / (i + 1), int(reversed), -v};
    y.push_back(cases[v % 7]);
  }
  uint64_t in = machine.upload(x), out = machine.upload(std::vector<int>(200));
  machine.runCleanly("switched", {.grid = {2}, .block = {128}}, in, out, 200);
  EXPECT_EQ(machine.download<int>(out, 200), y);
}

TEST(EmulatorPrograms, DivisionOf64Bits) {
  Machine machine = Machine::program("divergent.ptx");
  std::mt19937_64 random(4);
  std::vector<long long> a, b, quotient, remainder;
  for (int i = 0; i < 100; ++i) {
    a.push_back(static_cast<long long>(random()));
    b.push_back(static_cast<long long>(random() >> (random() % 63)) + 1);
    quotient.push_back(a.back() / b.back());
    remainder.push_back(a.back() % b.back());
  }
  uint64_t x = machine.upload(a), y = machine.upload(b), q = machine.upload(a), r = machine.upload(a);
  machine.runCleanly("divide", {.grid = {1}, .block = {128}}, x, y, q, r, 100);
  EXPECT_EQ(machine.download<long long>(q, 100), quotient);
  EXPECT_EQ(machine.download<long long>(r, 100), remainder);
}

TEST(EmulatorPrograms, MatmulByTensorInstructions) {
  for (std::optional<uint64_t> seed : {std::optional<uint64_t>(), std::optional<uint64_t>(3), std::optional<uint64_t>(4)}) {
    Machine machine = Machine::program("matmul_mma.ptx");
    machine.options.seed = seed;
    int m = 128, n = 64, k = 96;
    std::vector<float> a = randomFloats(128 * 96, 1), b = randomFloats(64 * 96, 2);
    std::vector<uint16_t> narrowA, narrowB;
    for (auto [from, to] : {std::pair(&a, &narrowA), std::pair(&b, &narrowB)})
      for (float &value : *from) {
        to->push_back(narrowBF16(value));
        value = widenBF16(to->back());
      }
    uint64_t x = machine.upload(narrowA), y = machine.upload(narrowB), z = machine.upload(std::vector<float>(128 * 64, NAN));
    machine.runCleanly("matmul_mma", {.grid = {1, 2}, .block = {128}}, x, y, z, m, n, k);
    expectNear(machine.download<float>(z, 128 * 64), product(a, b, m, n, k, true), 1e-5f);
  }
}

TEST(EmulatorPrograms, SoftmaxAndHalvesByLlvm) {
  Machine machine = Machine::program("from_llvm.ptx");
  machine.options.seed = 5;
  int n = 300;
  std::vector<float> x = randomFloats(600, 6), y(600);
  for (float &value : x)
    value *= 8;
  for (size_t row = 0; row < 2; ++row) {
    double most = -1e30, sum = 0;
    for (size_t i = 0; i < 300; ++i)
      most = std::max(most, double(x[row * 300 + i]));
    for (size_t i = 0; i < 300; ++i)
      sum += std::exp(double(x[row * 300 + i]) - most);
    for (size_t i = 0; i < 300; ++i)
      y[row * 300 + i] = static_cast<float>(std::exp(double(x[row * 300 + i]) - most) / sum);
  }
  uint64_t in = machine.upload(x), out = machine.upload(std::vector<float>(600));
  machine.runCleanly("softmax", {.grid = {2}, .block = {128}}, in, out, n);
  expectNear(machine.download<float>(out, 600), y, 1e-6f);

  std::vector<uint16_t> halves, expected;
  for (uint32_t i = 0; i < 150; ++i) {
    double v = widenF16(narrowF16(static_cast<float>(i) * 0.11f - 3));
    halves.push_back(narrowF16(static_cast<float>(v)));
    double scaled = widenF16(narrowF16(static_cast<float>(v) * static_cast<float>(i % 5) + 1));
    expected.push_back(static_cast<uint16_t>(encode(formatF16, v * v + scaled, Rounding::NearestEven)));
  }
  uint64_t from = machine.upload(halves), to = machine.upload(std::vector<uint16_t>(150));
  machine.runCleanly("halves", {.grid = {2}, .block = {128}}, from, to, int64_t(150));
  EXPECT_EQ(machine.download<uint16_t>(to, 150), expected);
}

TEST(EmulatorPrograms, PrintfAndAssert) {
  Machine machine = Machine::program("messages.ptx");
  std::string printed;
  machine.options.print = [&](std::string_view text) { printed += text; };
  uint64_t x = machine.upload(std::vector<int>(3));
  machine.runCleanly("greet", {.grid = {1}, .block = {3}}, x);
  EXPECT_EQ(printed, "thread 0 of block has  0.00 and 1099511627776%\nthread 1 of block has  0.50 and 1099511627776%\n"
                     "thread 2 of block has  1.00 and 1099511627776%\n");
  machine.runCleanly("check", {.grid = {1}, .block = {3}}, x);
  uint64_t wrong = machine.upload(std::vector<int>{1, 20, 3});
  LaunchReport report = machine.run("check", {.grid = {1}, .block = {3}}, wrong);
  ASSERT_EQ(report.faults.size(), 1u);
  EXPECT_EQ(report.faults[0].kind, FaultKind::Assertion);
  EXPECT_EQ(report.faults[0].place.thread, (Index3{1, 0, 0}));
  EXPECT_NE(report.faults[0].message.find("x[threadIdx.x] < 10"), std::string::npos) << report.text();
}
