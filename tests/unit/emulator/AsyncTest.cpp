// cp.async with its groups, mbarriers, barriers with a reduction.
#include "Machine.h"

#include <numeric>

using namespace tilewright::runtime::emulator;

namespace {

struct Outcome {
  std::string fault; // kind, or "none"
  std::vector<uint32_t> result;
  std::string text;
};

/// A kernel of 64 threads (or so) with a source `in` of 64 words, result `out`, and 1024 bytes of shared memory: a buffer and,
/// at its end, mbarriers.
Outcome runBody(const std::string &body, std::optional<uint64_t> seed = {}, uint32_t threads = 64) {
  Machine machine("async.ptx", kernelText(".param .u64 in, .param .u64 out", R"(
.shared .align 16 .b8 buffer[1024];
.reg .pred %p<6>; .reg .b32 %r<16>; .reg .b64 %rd<8>;
mov.u32 %r0, %tid.x; mov.u32 %r1, buffer; add.u32 %r8, %r1, 1000; // %r8: an mbarrier
mad.lo.u32 %r2, %r0, 4, %r1; xor.b32 %r3, %r0, 33; mad.lo.u32 %r3, %r3, 4, %r1;
ld.param.u64 %rd0, [in]; mad.wide.u32 %rd0, %r0, 4, %rd0; ld.param.u64 %rd1, [out]; mad.wide.u32 %rd1, %r0, 4, %rd1;
setp.eq.u32 %p0, %r0, 0; setp.lt.u32 %p1, %r0, 32; mov.u32 %r5, 0;
)" + body + "\nst.global.u32 [%rd1], %r5;"));
  machine.options.seed = seed;
  std::vector<uint32_t> in(64);
  std::iota(in.begin(), in.end(), 100);
  uint64_t source = machine.upload(in), result = machine.upload(std::vector<uint32_t>(64));
  LaunchReport report = machine.run("test", {.block = {threads}}, source, result);
  return {report.ok() ? "none" : std::string(nameOf(report.faults[0].kind)), machine.download<uint32_t>(result, 64),
          report.text()};
}

template <typename F> void expectClean(const std::string &body, F expected, uint32_t threads = 64) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Outcome outcome = runBody(body, seed ? std::optional<uint64_t>(seed) : std::nullopt, threads);
    ASSERT_EQ(outcome.fault, "none") << body << '\n' << outcome.text;
    for (uint32_t thread = 0; thread < threads; ++thread)
      ASSERT_EQ(outcome.result[thread], uint32_t(expected(thread))) << body << " in thread " << thread << " by seed " << seed;
  }
}

/// With seeds: in any order of the warps.
void expectFault(const std::string &body, const std::string &fault, const std::string &word = {}, uint64_t seeds = 3) {
  for (uint64_t seed = 0; seed <= seeds; ++seed) {
    Outcome outcome = runBody(body, seed ? std::optional<uint64_t>(seed) : std::nullopt);
    EXPECT_EQ(outcome.fault, fault) << body << '\n' << outcome.text;
    EXPECT_NE(outcome.text.find(word), std::string::npos) << word << " is not in\n" << outcome.text;
  }
}

const std::string copy = "cp.async.ca.shared.global [%r2], [%rd0], 4; ";
const std::string init = "@%p0 mbarrier.init.shared.b64 [%r8], 64; bar.sync 0; ";

} // namespace

TEST(EmulatorAsync, CopiesAndGroups) {
  expectClean(copy + "cp.async.commit_group; cp.async.wait_group 0; ld.shared.u32 %r5, [%r2];",
              [](uint32_t t) { return 100 + t; });
  expectClean(copy + "cp.async.wait_all; bar.sync 0; ld.shared.u32 %r5, [%r3];", [](uint32_t t) { return 100 + (t ^ 33); });
  expectClean(
      copy +
          "cp.async.commit_group; cp.async.ca.shared.global [%r2+256], [%rd0], 4; cp.async.commit_group; cp.async.wait_group 1;"
          "ld.shared.u32 %r5, [%r2]; cp.async.wait_group 0; ld.shared.u32 %r6, [%r2+256]; add.u32 %r5, %r5, %r6;",
      [](uint32_t t) { return 200 + 2 * t; });
  // Fewer source bytes: the rest is zeros, and the source is not read.
  expectClean("mov.u32 %r6, 0; @%p1 mov.u32 %r6, 4; add.u64 %rd2, %rd0, 0; @!%p1 mov.b64 %rd2, 16; cp.async.ca.shared.global "
              "[%r2], [%rd2], 4, %r6;"
              "cp.async.wait_all; ld.shared.u32 %r5, [%r2];",
              [](uint32_t t) { return t < 32 ? 100 + t : 0; });
}

TEST(EmulatorAsync, FaultsOfCopies) {
  expectFault(copy + "cp.async.commit_group; ld.shared.u32 %r5, [%r2];", "access to a copy in flight",
              "no wait has covered it");
  expectFault(copy + "cp.async.wait_group 0; ld.shared.u32 %r5, [%r2];", "access to a copy in flight"); // never committed
  expectFault(copy + "cp.async.commit_group; " + copy + "cp.async.commit_group;", "access to a copy in flight");
  expectFault(copy + "cp.async.wait_all; st.shared.u32 [%r3], 5;", "data race");
  expectFault(
      "st.shared.u32 [%r2], 0; bar.sync 0; @!%p1 ld.shared.u32 %r5, [%r3]; @%p1 cp.async.ca.shared.global [%r2], [%rd0], 4;",
      "data race", "the earlier read", 0);
  expectFault("cp.async.ca.shared.global [%r2+1020], [%rd0], 4;", "out of bounds");
  expectFault("cp.async.ca.shared.global [%r2], [%rd0+4], 4; cp.async.wait_all;", "out of bounds", "a load of");
  expectFault("cp.async.ca.shared.global [%r2], [%rd0+2], 4;", "misaligned");
}

TEST(EmulatorAsync, Mbarriers) {
  std::string wait =
      "mbarrier.arrive.shared.b64 %rd3, [%r8]; again: mbarrier.test_wait.shared.b64 %p2, [%r8], %rd3; @!%p2 bra again; ";
  expectClean(init + "st.shared.u32 [%r2], %r0; " + wait + "ld.shared.u32 %r5, [%r3];", [](uint32_t t) { return t ^ 33; });
  // An mbarrier orders the lanes of one warp too.
  std::string neighbour = "xor.b32 %r3, %r0, 1; mad.lo.u32 %r3, %r3, 4, %r1; st.shared.u32 [%r2], %r0; ";
  expectClean(init + neighbour + wait + "ld.shared.u32 %r5, [%r3];", [](uint32_t t) { return t ^ 1; });
  expectFault(init + neighbour + "mbarrier.arrive.shared.b64 %rd3, [%r8]; ld.shared.u32 %r5, [%r3];", "data race",
              "bar.warp.sync", 0);
  // Parities of two phases.
  std::string phase = "mbarrier.arrive.shared::cta.b64 _, [%r8]; wait_: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r8], "
                      "_; @!%p2 bra wait_; ";
  auto parity = [&](const std::string &p) {
    std::string text = phase;
    for (size_t at; (at = text.find("wait_: ")) != std::string::npos;)
      text.replace(at, 7, "wait" + p + ": ");
    text.replace(text.find("wait_;"), 6, "wait" + p + ";");
    text.replace(text.find("], _;"), 5, "], " + p + ";");
    return text;
  };
  expectClean(init + "st.shared.u32 [%r2], %r0; " + parity("0") + "ld.shared.u32 %r5, [%r3]; " + parity("1") +
                  "st.shared.u32 [%r2], 0;",
              [](uint32_t t) { return t ^ 33; });
  // Without the second phase the store races with the other's read.
  expectFault(init + "st.shared.u32 [%r2], %r0; " + parity("0") + "ld.shared.u32 %r5, [%r3]; st.shared.u32 [%r2], 0;",
              "data race");
  expectClean(init + "mbarrier.arrive.shared.b64 %rd3, [%r8]; mbarrier.pending_count.b64 %r5, %rd3; @!%p0 mov.u32 %r5, 1; "
                     "min.u32 %r5, %r5, 64; max.u32 %r5, %r5, 1;"
                     "@%p0 mov.u32 %r5, 1;",
              [](uint32_t) { return 1; });
}

TEST(EmulatorAsync, TransactionBytes) {
  std::string one = "@%p0 mbarrier.init.shared.b64 [%r8], 1; bar.sync 0; ";
  expectClean(
      one +
          "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 256; mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r8], 4;"
          "w: mbarrier.try_wait.parity.shared.b64 %p2, [%r8], 0; @!%p2 bra w; mov.u32 %r5, 3;",
      [](uint32_t) { return 3; });
  expectFault(one + "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 256; w: mbarrier.try_wait.parity.shared.b64 %p2, "
                    "[%r8], 0; @!%p2 bra w;",
              "deadlock", "256 bytes pending");
}

TEST(EmulatorAsync, ArrivalsOfCopies) {
  std::string noinc =
      init + copy +
      "cp.async.mbarrier.arrive.noinc.shared.b64 [%r8]; w: mbarrier.try_wait.parity.shared.b64 %p2, [%r8], 0; @!%p2 bra w;"
      "ld.shared.u32 %r5, [%r3];";
  expectClean(noinc, [](uint32_t t) { return 100 + (t ^ 33); });
  expectClean(init + copy +
                  "cp.async.mbarrier.arrive.shared.b64 [%r8]; mbarrier.arrive.shared.b64 %rd3, [%r8];"
                  "w: mbarrier.test_wait.shared.b64 %p2, [%r8], %rd3; @!%p2 bra w; ld.shared.u32 %r5, [%r3];",
              [](uint32_t t) { return 100 + (t ^ 33); });
}

TEST(EmulatorAsync, FaultsOfMbarriers) {
  expectFault("mbarrier.arrive.shared.b64 %rd3, [%r8];", "wrong use of a barrier", "nobody has initialized it");
  expectFault("@%p0 mbarrier.init.shared.b64 [%r8], 64; @%p0 bra out; nanosleep.u32 1; @%p1 bra out; w: "
              "mbarrier.try_wait.parity.shared.b64 %p2, [%r8], 1; out: ",
              "data race", "the earlier write", 0);
  expectFault(init + "@%p0 mbarrier.init.shared.b64 [%r8], 64;", "wrong use of a barrier", "which was not invalidated");
  expectFault(init + "mbarrier.arrive.shared.b64 %rd3, [%r8], 65;", "wrong use of a barrier",
              "65 arrivals at an mbarrier that waits for 64 more");
  expectFault(init + "mbarrier.arrive.shared.b64 %rd3, [%r8+4];", "misaligned");
  expectFault(
      init + "@%p1 mbarrier.arrive.shared.b64 %rd3, [%r8]; w: mbarrier.try_wait.parity.shared.b64 %p2, [%r8], 0; @!%p2 bra w;",
      "deadlock", "wait at the mbarrier");
  expectFault(
      init + "@%p1 mbarrier.arrive.shared.b64 %rd3, [%r8]; w: mbarrier.test_wait.parity.shared.b64 %p2, [%r8], 0; @!%p2 bra w;",
      "deadlock", "32 arrivals of 64");
}

TEST(EmulatorAsync, BarriersWithReduction) {
  expectClean("setp.lt.u32 %p2, %r0, 40; bar.red.popc.u32 %r5, 0, %p2;", [](uint32_t) { return 40; });
  expectClean("setp.lt.u32 %p2, %r0, 40; barrier.cta.red.or.aligned.pred %p3, 0, %p2; bar.red.and.pred %p4, 1, 64, %p2; "
              "selp.u32 %r5, 1, 0, %p3; @%p4 add.u32 %r5, %r5, 2;",
              [](uint32_t) { return 1; });
}

TEST(EmulatorAsync, UnalignedBarriersMeetAtDifferentInstructions) {
  expectClean("st.shared.u32 [%r2], %r0; and.b32 %r6, %r0, 1; setp.eq.u32 %p2, %r6, 0; @%p2 bra even; barrier.sync 0; bra "
              "join; even: barrier.sync 0; join:"
              "ld.shared.u32 %r5, [%r3];",
              [](uint32_t t) { return t ^ 33; });
}
