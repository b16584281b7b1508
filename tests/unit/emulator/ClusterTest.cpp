// Blocks that run together: their registers, barrier and shared memory of one another.
#include "Machine.h"

using namespace tilewright::runtime::emulator;

namespace {

struct Finding {
  std::string fault; // kind, or "none"
  std::vector<uint32_t> result;
  std::string text;
};

const std::string prologue = R"(
.shared .align 16 .b8 buffer[1024];
.reg .pred %p<6>; .reg .b32 %r<16>; .reg .b64 %rd<8>;
mov.u32 %r0, %tid.x; mov.u32 %r7, %cluster_ctarank; mov.u32 %r1, buffer; add.u32 %r8, %r1, 1000; // %r8: an mbarrier
mad.lo.u32 %r2, %r0, 4, %r1; setp.eq.u32 %p0, %r0, 0; setp.eq.u32 %p1, %r7, 0; mov.u32 %r5, 0;
xor.b32 %r6, %r7, 1; mapa.shared::cluster.u32 %r3, %r2, %r6; mapa.shared::cluster.u32 %r9, %r8, %r6; // the other block's
mov.u32 %r10, %ctaid.x; shl.b32 %r10, %r10, 6; add.u32 %r10, %r10, %r0;
ld.param.u64 %rd1, [out]; mad.wide.u32 %rd1, %r10, 4, %rd1;
)";

/// Two clusters of two blocks of 64 threads; %r5 is each thread's result.
Finding runBody(const std::string &body, std::optional<uint64_t> seed = {}) {
  Machine machine("cluster.ptx", kernelText(".param .u64 out", prologue + body + "\nst.global.u32 [%rd1], %r5;"));
  machine.options.seed = seed;
  uint64_t result = machine.upload(std::vector<uint32_t>(256));
  LaunchReport report = machine.run("test", {.grid = {4}, .block = {64}, .cluster = {2, 1, 1}}, result);
  return {report.ok() ? "none" : std::string(nameOf(report.faults[0].kind)), machine.download<uint32_t>(result, 256),
          report.text()};
}

template <typename F> void expectClean(const std::string &body, F expected) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Finding outcome = runBody(body, seed ? std::optional<uint64_t>(seed) : std::nullopt);
    ASSERT_EQ(outcome.fault, "none") << body << '\n' << outcome.text;
    for (uint32_t thread = 0; thread < 256; ++thread)
      ASSERT_EQ(outcome.result[thread], uint32_t(expected(thread))) << body << " in thread " << thread << " by seed " << seed;
  }
}

void expectFault(const std::string &body, const std::string &fault, const std::string &word) {
  for (uint64_t seed = 0; seed <= 3; ++seed) {
    Finding outcome = runBody(body, seed ? std::optional<uint64_t>(seed) : std::nullopt);
    EXPECT_EQ(outcome.fault, fault) << body << '\n' << outcome.text;
    EXPECT_NE(outcome.text.find(word), std::string::npos) << word << " is not in\n" << outcome.text;
  }
}

const std::string meet = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ";
const std::string relaxedMeet = "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned; ";
const std::string initOne = "@%p0 mbarrier.init.shared.b64 [%r8], 1; ";
const std::string publish = "@%p0 fence.mbarrier_init.release.cluster; ";
const std::string waitPhase = "w: mbarrier.try_wait.parity.shared.b64 %p2, [%r8], 0; @!%p2 bra w; ";

} // namespace

TEST(EmulatorCluster, SpecialRegisters) {
  Machine machine("specials", kernelText(".param .u64 out", R"(
.reg .pred %p<2>; .reg .b32 %r<20>; .reg .b64 %rd<4>;
mov.u32 %r0, %clusterid.x; mov.u32 %r1, %clusterid.y; mov.u32 %r2, %nclusterid.x; mov.u32 %r3, %nclusterid.y;
mov.u32 %r4, %cluster_ctaid.x; mov.u32 %r5, %cluster_ctaid.y; mov.u32 %r6, %cluster_nctaid.x; mov.u32 %r7, %cluster_nctaid.y;
mov.u32 %r8, %cluster_ctarank; mov.u32 %r9, %cluster_nctarank; mov.pred %p0, %is_explicit_cluster; selp.u32 %r10, 1, 0, %p0;
mov.u32 %r11, %ctaid.x; mov.u32 %r12, %ctaid.y; mov.u32 %r13, %nctaid.x; mad.lo.u32 %r12, %r12, %r13, %r11;
ld.param.u64 %rd0, [out]; mad.wide.u32 %rd0, %r12, 64, %rd0;
st.global.v4.u32 [%rd0], {%r0, %r1, %r2, %r3}; st.global.v4.u32 [%rd0+16], {%r4, %r5, %r6, %r7};
st.global.v4.u32 [%rd0+32], {%r8, %r9, %r10, %r10};)"));
  uint64_t out = machine.upload(std::vector<uint32_t>(16 * 32));
  machine.runCleanly("test", {.grid = {8, 4}, .block = {1}, .cluster = {4, 2, 1}}, out);
  std::vector<uint32_t> found = machine.download<uint32_t>(out, 16 * 32);
  for (uint32_t y = 0; y < 4; ++y)
    for (uint32_t x = 0; x < 8; ++x) {
      std::vector<uint32_t> its(found.begin() + (y * 8 + x) * 16, found.begin() + (y * 8 + x) * 16 + 11);
      EXPECT_EQ(its, (std::vector<uint32_t>{x / 4, y / 2, 2, 2, x % 4, y % 2, 4, 2, y % 2 * 4 + x % 4, 8, 1})) << x << ' ' << y;
    }
}

TEST(EmulatorCluster, ShapesAreChecked) {
  std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry two() .explicitcluster .reqnctapercluster 2, "
      "1, 1 { ret; }\n.visible .entry any() .maxclusterrank 4 { ret; }";
  Machine machine("shapes", text);
  auto refusal = [&](const std::string &kernel, const LaunchShape &shape) {
    auto report = machine.device.launch(*machine.module, kernel, shape, {});
    return report.ok() ? "" : report.status().message();
  };
  EXPECT_EQ(refusal("two", {.grid = {4}}), "");
  EXPECT_EQ(refusal("two", {.grid = {4}, .cluster = {2, 1, 1}}), "");
  EXPECT_NE(refusal("two", {.grid = {4}, .cluster = {4, 1, 1}}).find(".reqnctapercluster is (2, 1, 1)"), std::string::npos);
  EXPECT_NE(refusal("two", {.grid = {3}}).find("a grid of (3, 1, 1) blocks is not a whole number of clusters of (2, 1, 1)"),
            std::string::npos);
  EXPECT_EQ(refusal("any", {.grid = {8}, .cluster = {4, 1, 1}}), "");
  EXPECT_NE(refusal("any", {.grid = {8}, .cluster = {8, 1, 1}}).find(".maxclusterrank is 4"), std::string::npos);
  EXPECT_NE(refusal("any", {.grid = {32}, .cluster = {32, 1, 1}}).find("the device allows 1 to 16"), std::string::npos);
}

TEST(EmulatorCluster, SharedMemoryOfTheOther) {
  // Each block reads what the other wrote, by 32-bit addresses, generic ones, and an atomic.
  std::string own = "mov.u32 %r11, %ctaid.x; mad.lo.u32 %r11, %r11, 100, %r0; st.shared.u32 [%r2], %r11; ";
  auto other = [](uint32_t t) { return (t / 64 ^ 1) * 100 + t % 64; };
  expectClean(own + meet + "ld.shared::cluster.u32 %r5, [%r3]; " + meet, other);
  expectClean(own + meet +
                  "cvt.u64.u32 %rd2, %r2; cvta.shared.u64 %rd2, %rd2; mapa.u64 %rd3, %rd2, %r6; ld.u32 %r5, [%rd3]; "
                  "getctarank.u64 %r11, %rd3; setp.ne.u32 %p3, %r11, %r6; @%p3 mov.u32 %r5, 7; " +
                  meet,
              other);
  expectClean("st.shared.u32 [%r2], 0; " + meet + "st.shared::cluster.u32 [%r3], %r0; " + meet + "ld.shared.u32 %r5, [%r2];",
              [](uint32_t t) { return t % 64; });
  expectClean("st.shared.u32 [%r2], 5; " + meet + "red.relaxed.cluster.shared::cluster.add.u32 [%r3], %r0; " + meet +
                  "ld.shared.u32 %r5, [%r2];",
              [](uint32_t t) { return t % 64 + 5; });
  // The address of one's own block, mapped, is one's own.
  expectClean("mapa.shared::cluster.u32 %r11, %r2, %r7; st.shared::cluster.u32 [%r11], 9; ld.shared.u32 %r5, [%r2]; "
              "getctarank.shared::cluster.u32 %r12, %r11; setp.ne.u32 %p3, %r12, %r7; @%p3 mov.u32 %r5, 7; " +
                  meet + meet,
              [](uint32_t) { return 9; });
}

TEST(EmulatorCluster, FaultsOfSharedMemory) {
  expectFault("st.shared.u32 [%r2], %r0; " + meet +
                  "xor.b32 %r3, %r3, 4; ld.shared::cluster.u32 %r5, [%r3]; st.shared.u32 [%r2], "
                  "1; " +
                  meet,
              "data race", "no barrier orders the two");
  expectFault("st.shared::cluster.u32 [%r3], %r0; " + meet, "access to a block that is not there", "may not have begun");
  expectFault(meet + "st.shared::cluster.u32 [%r3+1024], %r0; " + meet, "out of bounds", "the block has 1024 bytes");
  expectFault(meet + "st.shared.u32 [%r3], %r0; " + meet, "out of bounds", "bytes of shared memory");
  expectFault("mapa.shared::cluster.u32 %r3, %r2, 2;", "illegal instruction", "mapa to block 2 of a cluster of 2");
}

TEST(EmulatorCluster, ABlockMayNotEndBeforeItsPeers) {
  std::string write = "st.shared.u32 [%r2], %r0; " + meet + "ld.shared::cluster.u32 %r5, [%r3]; ";
  expectClean(write + relaxedMeet, [](uint32_t t) { return t % 64; });
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Finding outcome = runBody(write, seed);
    EXPECT_EQ(outcome.fault, "access to a block that is not there") << seed << '\n' << outcome.text;
  }
  Finding outcome = runBody(write);
  EXPECT_NE(outcome.text.find("barrier.cluster"), std::string::npos) << outcome.text;
}

TEST(EmulatorCluster, RemoteArrivals) {
  std::string arrive = "@%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r9]; ";
  expectClean("st.shared.u32 [%r2], 0; " + initOne + publish + relaxedMeet + "st.shared::cluster.u32 [%r3], %r0; bar.sync 0; " +
                  arrive + waitPhase + "ld.shared.u32 %r5, [%r2]; " + meet,
              [](uint32_t t) { return t % 64; });
  // Not all of the other's threads have written when thread 0 arrives.
  expectFault("st.shared.u32 [%r2], 0; " + initOne + publish + relaxedMeet + arrive + "st.shared::cluster.u32 [%r3], %r0; " +
                  waitPhase + "ld.shared.u32 %r5, [%r2]; " + meet,
              "data race", "no barrier orders the two");
  expectFault(initOne + relaxedMeet + arrive + waitPhase + meet, "wrong use of a barrier", "fence.mbarrier_init is missing");
  expectFault(initOne + publish + relaxedMeet + waitPhase + meet, "deadlock", "the mbarrier at");
}

TEST(EmulatorCluster, WrongUseOfTheBarrier) {
  expectFault("barrier.cluster.arrive.aligned; barrier.cluster.arrive.aligned; ", "wrong use of a barrier", "a second arrival");
  expectFault("barrier.cluster.wait.aligned; ", "wrong use of a barrier", "has not arrived");
  expectFault("@%p1 bra other; bar.sync 1, 96; bra join; other: " + meet + "join: ", "wrong use of a barrier", "96 threads");
  expectFault("setp.lt.u32 %p3, %r0, 32; @%p3 bra out; " + meet + "bra join; out: bar.sync 1, 64; join: ", "deadlock",
              "the cluster's barrier");
  // Threads that have ended are not waited for.
  expectClean("mov.u32 %r5, 3; st.global.u32 [%rd1], %r5; setp.lt.u32 %p3, %r0, 32; @%p3 bra out; " + meet + "out: ",
              [](uint32_t) { return 3; });
}
