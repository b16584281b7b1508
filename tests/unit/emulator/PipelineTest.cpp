// Whole pipelines of bulk copies, mbarriers and wgmma (programs/pipeline.ptx): they are right by every seed, and every fault
// planted in them is found by every seed.
#include "Machine.h"

#include "runtime/emulator/Formats.h"

#include <algorithm>
#include <random>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

/// The program with one text replaced by another, everywhere.
std::string with(const std::string &text, const std::string &other) {
  std::string program = programText("pipeline.ptx");
  size_t at = program.find(text);
  EXPECT_NE(at, std::string::npos) << text;
  for (; at != std::string::npos; at = program.find(text, at + other.size()))
    program.replace(at, text.size(), other);
  return program;
}

/// The program without the lines that end in these comments.
std::string without(const std::vector<std::string> &comments) {
  std::istringstream program(programText("pipeline.ptx"));
  std::string result;
  size_t left = 0;
  for (std::string line; std::getline(program, line);) {
    bool isOut = std::any_of(comments.begin(), comments.end(),
                             [&](const std::string &comment) { return line.ends_with("// " + comment); });
    left += isOut;
    result += (isOut ? "" : line) + '\n';
  }
  EXPECT_GE(left, comments.size());
  return result;
}

/// Small integers, so that sums are exact.
struct Matrices {
  Matrices(uint32_t m, uint32_t n, uint32_t k) : m(m), n(n), k(k), a(m * k), b(n * k), c(m * n) {
    for (uint32_t at = 0; at < a.size(); ++at)
      a[at] = int(at * 7 % 11) - 5;
    for (uint32_t at = 0; at < b.size(); ++at)
      b[at] = int(at * 5 % 13) - 6;
    for (uint32_t row = 0; row < m; ++row)
      for (uint32_t column = 0; column < n; ++column)
        for (uint32_t at = 0; at < k; ++at)
          c[row * n + column] += float(a[row * k + at] * b[column * k + at]);
  }
  static std::vector<uint16_t> encoded(const std::vector<int> &values) {
    std::vector<uint16_t> bits;
    for (int value : values)
      bits.push_back(narrowBF16(float(value)));
    return bits;
  }
  uint32_t m, n, k;
  std::vector<int> a, b;
  std::vector<float> c;
};

TensorMap mapOf(Type type, uint64_t address, uint32_t rows, uint32_t columns, uint32_t boxRows, uint32_t boxColumns,
                Swizzle swizzle) {
  TensorMapRequest request;
  request.type = type;
  request.rank = 2;
  request.address = address;
  request.extents = {columns, rows};
  request.strides = {columns * bytesOf(type)};
  request.box = {boxColumns, boxRows};
  request.swizzle = swizzle;
  return *encodeTensorMap(request);
}

struct Finding {
  std::string fault; // kind, "none", or "wrong result"
  std::string text;
};

Finding run(const std::string &program, const std::string &kernel, const Matrices &matrices, uint64_t seed) {
  Machine machine("pipeline.ptx", program);
  if (seed)
    machine.options.seed = seed;
  machine.options.stepLimit = 1'000'000;
  uint64_t a = machine.upload(Matrices::encoded(matrices.a)), b = machine.upload(Matrices::encoded(matrices.b));
  uint64_t c = machine.upload(std::vector<float>(matrices.c.size()));
  bool isPingPong = kernel == "pingpong";
  TensorMap mapA = mapOf(Type::BF16, a, matrices.m, matrices.k, 64, 64, Swizzle::Bytes128);
  TensorMap mapB = mapOf(Type::BF16, b, matrices.n, matrices.k, isPingPong ? 32 : 16, 64, Swizzle::Bytes128);
  TensorMap mapC = mapOf(Type::F32, c, matrices.m, matrices.n, 64, 32, Swizzle::None);
  uint32_t steps = (matrices.k + 63) / 64, tilesN = (matrices.n + 31) / 32, tiles = (matrices.m + 63) / 64 * tilesN;
  LaunchReport report = isPingPong ? machine.run(kernel, {.grid = {2}, .block = {384}}, mapA, mapB, mapC, tilesN, tiles, steps)
                                   : machine.run(kernel, {.grid = {2}, .block = {160}}, mapA, mapB, c, steps);
  if (!report.ok())
    return {std::string(nameOf(report.faults[0].kind)), report.text()};
  return {machine.download<float>(c, matrices.c.size()) == matrices.c ? "none" : "wrong result", ""};
}

void expectRight(const std::string &kernel, uint32_t m, uint32_t n, uint32_t k) {
  Matrices matrices(m, n, k);
  std::string program = programText("pipeline.ptx");
  for (uint64_t seed = 0; seed < 6; ++seed) {
    Finding finding = run(program, kernel, matrices, seed);
    EXPECT_EQ(finding.fault, "none") << kernel << ' ' << m << 'x' << n << 'x' << k << " by seed " << seed << '\n'
                                     << finding.text;
  }
}

/// `kinds`: that may be found, depending on what happens first; `word` occurs in every report if it is given.
void expectFound(const std::string &program, const std::string &kernel, const std::vector<std::string> &kinds,
                 const std::string &word = {}) {
  Matrices matrices = kernel == "pingpong" ? Matrices(256, 96, 520) : Matrices(128, 32, 520);
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Finding finding = run(program, kernel, matrices, seed);
    EXPECT_NE(std::find(kinds.begin(), kinds.end(), finding.fault), kinds.end()) << finding.fault << " by seed " << seed << '\n'
                                                                                 << finding.text;
    EXPECT_NE(finding.text.find(word), std::string::npos) << word << " is not in\n" << finding.text;
  }
}

const std::string race = "data race", inFlight = "access to a copy in flight", deadlock = "deadlock",
                  barrier = "wrong use of a barrier", proxy = "missing proxy fence",
                  registers = "access to a register in flight", peer = "access to a block that is not there";

} // namespace

TEST(EmulatorPipeline, PingPongIsRight) {
  expectRight("pingpong", 64, 32, 64);
  expectRight("pingpong", 256, 64, 128);
  expectRight("pingpong", 192, 96, 520);
  expectRight("pingpong", 100, 40, 200);
}

TEST(EmulatorPipeline, MulticastIsRight) {
  expectRight("multicast", 128, 32, 64);
  expectRight("multicast", 128, 32, 520);
}

TEST(EmulatorPipeline, TheTurnBarrierIsNeeded) {
  expectFound(without({"my turn", "the other's turn", "the first turn"}), "pingpong",
              {race, inFlight, deadlock, barrier, "uninitialized read"});
}

TEST(EmulatorPipeline, BytesOfAPhase) {
  expectFound(with("12288; // bytes of A and B", "12272;"), "pingpong", {barrier},
              "16 bytes more than expect_tx has announced");
  expectFound(with("12288; // bytes of A and B", "8192;"), "pingpong", {barrier}, "expect_tx");
  expectFound(with("12288; // bytes of A and B", "12304;"), "pingpong", {deadlock}, "16 bytes pending");
  expectFound(with("12288; // bytes of A and both halves of B", "10240;"), "multicast", {barrier, race});
}

TEST(EmulatorPipeline, StagesAreReusedWhenTheyAreRead) {
  const std::string stillReading = "an asynchronous instruction may still be reading";
  expectFound(without({"the step before"}), "pingpong", {race}, stillReading);
  expectFound(with("mad.lo.u32 x, previous, 8, empty;\n@leader mbarrier.arrive.shared::cta.b64 _, [x];\nfirstStep:",
                   "mad.lo.u32 x, stage, 8, empty;\n@leader mbarrier.arrive.shared::cta.b64 _, [x];\nfirstStep:"),
              "pingpong", {race, barrier, deadlock});
  expectFound(without({"until the stage is free"}), "pingpong", {barrier, race, inFlight});
  expectFound(with("[empty], 2; // both blocks", "[empty], 1;"), "multicast", {barrier, race, inFlight});
}

TEST(EmulatorPipeline, ParitiesThatAlias) {
  expectFound(with("mov.u32 phase, 0; // of the consumers", "mov.u32 phase, 1;"), "pingpong",
              {inFlight, race, "uninitialized read"});
  expectFound(with("mov.u32 phase, 1; // of the producer", "mov.u32 phase, 0;"), "pingpong", {deadlock});
  expectFound(with("@p xor.b32 phase, phase, 1; // on the wrap", ""), "pingpong", {inFlight, race, deadlock, barrier});
  expectFound(without({"until the stage is full"}), "pingpong", {inFlight, race, "uninitialized read"});
}

TEST(EmulatorPipeline, FencesAndBarriersOfTheStore) {
  expectFound(without({"before the store"}), "pingpong", {proxy}, "fence.proxy.async is missing");
  expectFound(without({"all have written"}), "pingpong", {race, "uninitialized read"});
  expectFound(without({"staging is read"}), "pingpong", {race}, "an asynchronous instruction may still be reading");
  expectFound(without({"before the end"}), "pingpong", {inFlight}, "cp.async.bulk.wait_group.read is missing");
}

TEST(EmulatorPipeline, WaitsAndFencesOfProducts) {
  expectFound(without({"before the accumulators"}), "pingpong", {registers}, "wgmma.fence");
  // Without the last wait the accumulators are read too early, or the last stage is given back.
  expectFound(without({"all steps"}), "pingpong", {registers, race});
}

TEST(EmulatorPipeline, MbarriersAreThereBeforeTheirUse) {
  expectFound(without({"all see the mbarriers"}), "pingpong", {race, barrier});
}

TEST(EmulatorPipeline, RegistersThatAreNotThere) {
  expectFound(without({"gives registers"}), "pingpong", {deadlock}, "setmaxnreg for 232 registers that nobody gives back");
}

TEST(EmulatorPipeline, BlocksOfACluster) {
  expectFound(without({"at the beginning"}), "multicast", {peer, barrier, race}, "");
  expectFound(without({"at the end"}), "multicast", {peer, inFlight});
  expectFound(without({"for the cluster"}), "multicast", {barrier, proxy}, "fence.mbarrier_init");
  expectFound(with("mov.u16 both, 3; // targets", "mov.u16 both, 1;"), "multicast", {deadlock, race, inFlight, barrier});
  expectFound(without({"in both blocks"}), "multicast", {deadlock});
}

TEST(EmulatorPipeline, DamagedPipelinesEndInAReport) {
  std::mt19937 random(3);
  const std::string text = programText("pipeline.ptx");
  Matrices matrices(128, 32, 264);
  size_t faults = 0;
  for (int round = 0; round < 300; ++round) {
    std::string damaged = text;
    for (unsigned count = random() % 3 + 1; count > 0;) {
      size_t at = random() % damaged.size();
      char &character = damaged[at];
      // Directives stay, so that the launch is allowed.
      if (character < '0' || character > '9' || damaged[damaged.rfind('\n', at) + 1] == '.')
        continue;
      character = static_cast<char>('0' + random() % 10);
      --count;
    }
    if (!Device().load("damaged", damaged).ok())
      continue;
    for (const char *kernel : {"pingpong", "multicast"})
      faults += run(damaged, kernel, matrices, random() % 3).fault != "none";
  }
  EXPECT_GT(faults, 30u);
}
