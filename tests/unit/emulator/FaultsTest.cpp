// Each kind of fault, planted, is found and named; the right program beside it gives no report.
#include "Machine.h"

#include <random>

using namespace tilewright::runtime::emulator;

namespace {

/// The one fault of a kernel `test` with the given body, run by these threads; shared memory is `buffer`, 1024 bytes.
LaunchReport runBody(const std::string &body, uint32_t threads = 64, LaunchOptions options = {}) {
  Machine machine("faults.ptx", kernelText(".param .u64 global", R"(
.shared .align 16 .b8 buffer[1024];
.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .f32 %f<8>;
mov.u32 %r0, %tid.x; mov.u32 %r1, buffer; ld.param.u64 %rd0, [global];
mad.lo.u32 %r2, %r0, 4, %r1;      // this thread's word
mad.wide.u32 %rd1, %r0, 4, %rd0;
xor.b32 %r3, %r0, 32; mad.lo.u32 %r3, %r3, 4, %r1; // that of a thread of another warp
xor.b32 %r4, %r0, 1; mad.lo.u32 %r4, %r4, 4, %r1;  // that of a thread of this warp
.loc 1 100 1
)" + body));
  machine.options = options;
  uint64_t global = machine.upload(std::vector<uint32_t>(64), "data");
  return machine.run("test", {.block = {threads}}, global);
}

void expectClean(const std::string &body, uint32_t threads = 64) {
  for (std::optional<uint64_t> seed : {std::optional<uint64_t>(), std::optional<uint64_t>(1), std::optional<uint64_t>(2)}) {
    LaunchReport report = runBody(body, threads, {.seed = seed});
    EXPECT_TRUE(report.ok()) << body << '\n' << report.text();
  }
}

/// The fault of this kind, with these words in its text.
Fault expectFault(FaultKind kind, const std::string &body, std::vector<std::string> words, uint32_t threads = 64) {
  LaunchReport report = runBody(body, threads);
  if (report.faults.size() != 1) {
    ADD_FAILURE() << "no fault in " << body;
    return {};
  }
  Fault fault = report.faults[0];
  EXPECT_EQ(nameOf(fault.kind), nameOf(kind)) << report.text();
  EXPECT_EQ(fault.kernel, "test");
  for (const std::string &word : words)
    EXPECT_NE(report.text().find(word), std::string::npos) << word << " is not in\n" << report.text();
  return fault;
}

} // namespace

TEST(EmulatorFaults, GlobalOutOfBounds) {
  expectClean("st.global.u32 [%rd1], %r0; ld.global.u32 %r5, [%rd1];");
  Fault fault = expectFault(FaultKind::OutOfBounds, "add.u64 %rd1, %rd1, 4;\n.loc 1 7 3\nst.global.u32 [%rd1], %r0;",
                            {"test.tile:7, block (0, 0, 0), thread (63, 0, 0)", "a store of 4 bytes",
                             "0 bytes behind the end of data", "st.global.u32 [%rd1], %r0;"});
  EXPECT_EQ(fault.place.line, 7u);
  EXPECT_EQ(fault.place.thread, (Index3{63, 0, 0}));
  expectFault(FaultKind::OutOfBounds, "ld.global.u32 %r5, [%rd0+-4];", {"a load of 4 bytes", "4 bytes before data"});
  expectFault(FaultKind::OutOfBounds, "ld.global.v4.u32 {%r5,%r6,%r7,%r8}, [%rd0+256];", {"16 bytes", "0 bytes behind"});
  expectFault(FaultKind::OutOfBounds, "mov.b64 %rd2, 0; ld.global.u32 %r5, [%rd2];", {"address 0x0"});
  expectFault(FaultKind::OutOfBounds, "mov.b64 %rd2, 0; ld.u32 %r5, [%rd2];", {"address 0x0"});
  expectFault(FaultKind::OutOfBounds, "atom.global.add.u32 %r5, [%rd0+256], 1;", {"behind the end of data"});
}

TEST(EmulatorFaults, FreedMemory) {
  Machine machine("freed.ptx",
                  kernelText(".param .u64 p", ".reg .b64 %rd; .reg .b32 %r; ld.param.u64 %rd, [p]; ld.global.u32 %r, [%rd];"));
  uint64_t memory = machine.upload(std::vector<int>(4), "old");
  machine.runCleanly("test", {}, memory);
  ASSERT_TRUE(machine.device.free(memory).ok());
  LaunchReport report = machine.run("test", {}, memory);
  EXPECT_NE(report.text().find("0 bytes into old (0x10000000000, 16 bytes), which was freed"), std::string::npos)
      << report.text();
  EXPECT_FALSE(machine.device.free(memory).ok());
}

TEST(EmulatorFaults, Misaligned) {
  expectClean("ld.global.v2.u32 {%r5, %r6}, [%rd0+8];");
  expectFault(FaultKind::Misaligned, "ld.global.v2.u32 {%r5, %r6}, [%rd0+4];",
              {"8 bytes at an address that 8 does not divide"});
  expectFault(FaultKind::Misaligned, "st.shared.u32 [%r1+2], %r0;", {"4 bytes"});
}

TEST(EmulatorFaults, SharedOutOfBounds) {
  expectClean("st.shared.u32 [%r2+768], %r0;");
  expectFault(FaultKind::OutOfBounds, "st.shared.u32 [%r2+772], %r0;",
              {"4 bytes of shared memory", "the block has 1024 bytes", "thread (63, 0, 0)"});
  expectFault(FaultKind::OutOfBounds, "mov.u32 %r5, 0; ld.shared.u32 %r5, [%r5];", {"shared memory at 0"});
}

TEST(EmulatorFaults, LocalAndParameterOutOfBounds) {
  expectClean(".local .align 4 .b8 frame[16]; st.local.u32 [frame+12], %r0;");
  expectFault(FaultKind::OutOfBounds, ".local .align 4 .b8 frame[16]; st.local.u32 [frame+16], %r0;", {"local memory"});
  expectFault(FaultKind::OutOfBounds, "ld.param.u64 %rd3, [global+8];", {"parameters"});
}

TEST(EmulatorFaults, ConstantMemoryIsReadOnly) {
  expectClean(".const .u32 c = 5; mov.u64 %rd2, c; cvta.const.u64 %rd3, %rd2; ld.u32 %r5, [%rd3]; ld.const.u32 %r6, [c];");
  expectFault(FaultKind::ReadOnly, ".const .u32 c = 5; mov.u64 %rd2, c; cvta.const.u64 %rd3, %rd2; st.u32 [%rd3], %r0;",
              {"variable c"});
}

TEST(EmulatorFaults, UninitializedSharedMemory) {
  expectClean("st.shared.u16 [%r2+2], %h1; ld.shared.u16 %h2, [%r2+2];");
  expectFault(FaultKind::Uninitialized, "ld.shared.u32 %r5, [%r2];",
              {"no thread of the block has written", "thread (0, 0, 0)"});
  expectFault(FaultKind::Uninitialized, "st.shared.u16 [%r2+2], %h1; ld.shared.u32 %r5, [%r2];", {});
  EXPECT_TRUE(runBody("ld.shared.u32 %r5, [%r2];", 64, {.findUninitialized = false}).ok());
}

TEST(EmulatorFaults, RacesBetweenWarps) {
  expectClean("st.shared.u32 [%r2], %r0; bar.sync 0; ld.shared.u32 %r5, [%r3]; bar.sync 0; st.shared.u32 [%r2], %r5;");
  Fault fault = expectFault(
      FaultKind::Race,
      "st.shared.u32 [%r2], 0; bar.sync 0;\n.loc 1 5 1\nst.shared.u32 [%r2], %r0;\n.loc 1 6 1\nld.shared.u32 %r5, [%r3];",
      {"a write to shared memory that another thread reads", "the earlier read: test.tile:6"});
  ASSERT_EQ(fault.parties.size(), 1u);
  EXPECT_NE(fault.parties[0].place.thread, fault.place.thread);
  EXPECT_EQ(fault.place.line, 5u);
  expectFault(FaultKind::Race, "st.shared.u32 [%r2], %r0; bar.sync 0; ld.shared.u32 %r5, [%r3]; st.shared.u32 [%r2], %r5;",
              {"a read of shared memory that another thread writes", "the earlier write"});
  expectFault(FaultKind::Race, "st.shared.u32 [%r2], %r0; st.shared.u32 [%r3], %r0;", {"a write to", "another thread writes"});
}

TEST(EmulatorFaults, RacesWithinAWarp) {
  expectClean("st.shared.u32 [%r2], %r0; bar.warp.sync -1; ld.shared.u32 %r5, [%r4];");
  expectFault(FaultKind::Race, "st.shared.u32 [%r2], %r0; ld.shared.u32 %r5, [%r4];", {"bar.warp.sync", "thread (1, 0, 0)"});
  // One value from all lanes of an instruction is no race, different ones are.
  expectClean("mov.u32 %r5, 9; @%p0 bra out; setp.lt.u32 %p1, %r0, 32; @%p1 st.shared.u32 [%r1], %r5; out:");
  expectFault(FaultKind::Race, "st.shared.u32 [%r1], %r0;", {"another thread writes"}, 32);
}

TEST(EmulatorFaults, NeighboursInOneWordAreNoRace) {
  expectClean("add.u32 %r5, %r1, %r0; cvt.u16.u32 %h1, %r0; st.shared.u8 [%r5], %h1; bar.sync 0; xor.b32 %r6, %r0, 33; add.u32 "
              "%r6, %r1, %r6;"
              "ld.shared.u8 %h2, [%r6]; bar.sync 0; st.shared.u8 [%r6], %h1;");
  expectFault(FaultKind::Race,
              "add.u32 %r5, %r1, %r0; st.shared.u8 [%r5], %h1; bar.sync 0; st.shared.u8 [%r5], %h1; xor.b32 %r6, %r0, 33; "
              "add.u32 %r6, %r1, %r6; ld.shared.u8 %h2, [%r6];",
              {});
}

TEST(EmulatorFaults, NamedBarriersOrderTheirWarpsOnly) {
  std::string produce = "setp.lt.u32 %p1, %r0, 32; setp.lt.u32 %p2, %r0, 64;";
  // Warp 0 produces, warp 1 consumes.
  expectClean(
      produce +
      "@%p1 st.shared.u32 [%r2], %r0; @%p1 bar.arrive 1, 64; @%p1 bra out; bar.sync 1, 64; ld.shared.u32 %r5, [%r3]; out:");
  expectFault(
      FaultKind::Race,
      produce +
          "@%p1 bar.arrive 1, 64; @%p1 st.shared.u32 [%r2], %r0; @%p1 bra out; bar.sync 1, 64; ld.shared.u32 %r5, [%r3]; out:",
      {});
  expectFault(FaultKind::Race,
              produce + "setp.lt.u32 %p3, %r0, 64; st.shared.u32 [%r2], 0; bar.sync 0; st.shared.u32 [%r2], %r0; @%p3 bar.sync "
                        "1, 64; xor.b32 %r5, %r0, 64;"
                        "mad.lo.u32 %r5, %r5, 4, %r1; ld.shared.u32 %r6, [%r5];",
              {}, 128);
}

TEST(EmulatorFaults, AtomicsAndFlags) {
  expectClean("setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [%r1], %r0; bar.sync 0; atom.shared.add.u32 %r5, [%r1], 1; bar.sync "
              "0; ld.shared.u32 %r6, [%r1];");
  expectFault(FaultKind::Race,
              "setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [%r1], %r0; bar.sync 0; atom.shared.add.u32 %r5, [%r1], 1; "
              "ld.shared.u32 %r6, [%r1];",
              {});
  // A flag in shared memory orders what was written before it.
  std::string flag =
      "setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [%r1], 0; bar.sync 0; setp.ne.u32 %p2, %r0, 0; setp.eq.u32 %p3, %r0, 32;"
      "@%p1 st.shared.u32 [%r1+4], 7; @%p1 st.release.cta.shared.u32 [%r1], 1; @!%p3 bra out;"
      "again: ld.acquire.cta.shared.u32 %r5, [%r1]; setp.eq.u32 %p2, %r5, 0; @%p2 bra again; ld.shared.u32 %r6, [%r1+4]; out:";
  expectClean(flag);
}

TEST(EmulatorFaults, BarrierDivergence) {
  expectClean("setp.lt.u32 %p1, %r0, 32; @%p1 bra out; nanosleep.u32 5; out: bar.sync 0;");
  // Threads that have ended are not waited for.
  expectClean("setp.lt.u32 %p1, %r0, 40; @%p1 ret; bar.sync 0;");
  Fault fault = expectFault(FaultKind::Divergence,
                            ".loc 1 11 1\nsetp.lt.u32 %p1, %r0, 7; @%p1 bra out;\n.loc 1 12 1\nbar.sync 0;\nout:\n.loc 1 13 "
                            "1\nshfl.sync.bfly.b32 %r5, %r0, 1, 31, -1;",
                            {"must be executed by all threads of the warp together", "test.tile:12", "test.tile:13"}, 32);
  EXPECT_EQ(fault.place.thread, (Index3{7, 0, 0}));
  expectFault(FaultKind::Divergence, "setp.lt.u32 %p1, %r0, 7; @%p1 bar.sync 0;", {"its guard is false"}, 32);
}

TEST(EmulatorFaults, MemberMasks) {
  expectClean("setp.lt.u32 %p1, %r0, 8; @!%p1 bra out; shfl.sync.bfly.b32 %r5, %r0, 1, 31, 0xff; out:", 32);
  expectFault(FaultKind::Divergence,
              "setp.lt.u32 %p1, %r0, 8; @!%p1 bra out; shfl.sync.bfly.b32 %r5, %r0, 1, 31, 0xfff; out: ret;", {}, 32);
  expectFault(FaultKind::Divergence, "shfl.sync.bfly.b32 %r5, %r0, 1, 31, 0xff;", {"does not name the lane itself"}, 32);
}

TEST(EmulatorFaults, Deadlock) {
  expectFault(
      FaultKind::Deadlock, ".loc 1 21 1\nsetp.lt.u32 %p1, %r0, 32; @%p1 bra out; bar.sync 1, 64; out:",
      {"1 of 2 warps have not ended and none can go on", "warp 1, 32 threads wait at barrier 1", "barrier 1 has 1 warps of 2"});
  expectFault(FaultKind::Deadlock,
              "setp.lt.u32 %p1, %r0, 32; @%p1 bra first; bar.sync 1, 64; bar.sync 2, 64; bra out; first: bar.sync 2, 64; "
              "bar.sync 1, 64; out:",
              {"warp 0, 32 threads wait at barrier 2", "warp 1, 32 threads wait at barrier 1"});
}

TEST(EmulatorFaults, WrongBarriers) {
  expectFault(FaultKind::Barrier, "bar.sync 16;", {"barrier 16"});
  expectFault(FaultKind::Barrier, "setp.lt.u32 %p1, %r0, 32; @%p1 bar.arrive 1, 64; @%p1 bar.arrive 1, 64;",
              {"warp 0 arrives at barrier 1 a second time", "1 warps of 2 have arrived"});
  expectFault(FaultKind::Barrier, "bar.sync 1, 48;", {"48 threads, which is no positive multiple of 32"});
  expectFault(FaultKind::Barrier, "bar.sync 1, 96;", {"96 threads, and the block has 64"});
  expectFault(FaultKind::Barrier, "setp.lt.u32 %p1, %r0, 32; @%p1 bar.sync 1, 64; @!%p1 bar.sync 1, 32;",
              {"with 32 threads here and 64 elsewhere"});
}

TEST(EmulatorFaults, EndlessLoops) {
  LaunchReport report = runBody("again: bra again;", 32, {.stepLimit = 1'000'000});
  ASSERT_EQ(report.faults.size(), 1u);
  EXPECT_EQ(report.faults[0].kind, FaultKind::StepLimit);
}

TEST(EmulatorFaults, TrapAndUndefinedFunction) {
  expectFault(FaultKind::Trap, "trap;", {});
  expectFault(FaultKind::Illegal,
              ".reg .b32 %i; mov.u32 %i, 2; t: .branchtargets a, b; brx.idx %i, t; a: b:", {"index 2 into a table of 2"});
}

TEST(EmulatorFaults, RacesOfNvccsPrograms) {
  Machine machine = Machine::program("matmul_tiled.ptx");
  uint64_t a = machine.upload(std::vector<float>(64 * 64)), c = machine.upload(std::vector<float>(64 * 64));
  machine.runCleanly("matmul_tiled", {.grid = {4, 4}, .block = {16, 16}}, a, a, c, 64, 64, 64);
  LaunchReport report = machine.run("matmul_missing_barrier", {.grid = {4, 4}, .block = {16, 16}}, a, a, c, 64, 64, 64);
  ASSERT_EQ(report.faults.size(), 1u);
  EXPECT_EQ(report.faults[0].kind, FaultKind::Race);
  EXPECT_EQ(report.faults[0].place.file, "matmul_tiled.cu");
  EXPECT_EQ(report.faults[0].place.line, 8u) << report.text(); // a store
  EXPECT_EQ(report.faults[0].parties[0].place.line, 12u);      // the read in the loop
}

TEST(EmulatorFaults, ShortWaitForACopy) {
  Machine machine = Machine::program("matmul_mma.ptx");
  uint64_t a = machine.upload(std::vector<uint16_t>(64 * 96)), c = machine.upload(std::vector<float>(64 * 64));
  LaunchReport report = machine.run("matmul_mma_short_wait", {.block = {128}}, a, a, c, 64, 64, 96);
  ASSERT_EQ(report.faults.size(), 1u);
  EXPECT_EQ(report.faults[0].kind, FaultKind::InFlight);
  EXPECT_NE(report.text().find("the copy in flight: matmul_mma.cu:"), std::string::npos) << report.text();
}

/// Whatever a text that still parses does, the launch ends and hands back a report.
TEST(EmulatorFaults, DamagedProgramsEndInAReport) {
  std::mt19937 random(2);
  size_t launches = 0, faults = 0;
  for (const char *name :
       {"vector_add.ptx", "matmul_tiled.ptx", "reduce.ptx", "divergent.ptx", "messages.ptx", "from_llvm.ptx"}) {
    const std::string text = programText(name);
    for (int round = 0; round < 100; ++round) {
      std::string damaged = text;
      // Digits and letters only: most damaged texts are still programs, and wrong ones.
      for (unsigned count = random() % 3 + 1; count > 0;) {
        char &character = damaged[random() % damaged.size()];
        if (character < '0' || character > '9')
          continue;
        character = static_cast<char>('0' + random() % 10);
        --count;
      }
      Device device;
      auto module = device.load(name, std::move(damaged));
      if (!module.ok())
        continue;
      LaunchOptions options{.seed = random() % 2 ? std::optional<uint64_t>(random()) : std::nullopt, .stepLimit = 20'000};
      options.print = [](std::string_view) {};
      uint64_t memory = *device.allocate(4096);
      ASSERT_TRUE(device.fill(memory, 0, 4096).ok());
      for (const std::string &kernel : (*module)->kernels()) {
        std::vector<uint64_t> parameters(16, memory);
        parameters[3] = 0x0000001000000010; // sizes, for the kernels that have them there
        auto report = device.launch(**module, kernel, {.block = {64}, .dynamicSharedBytes = 64},
                                    std::as_bytes(std::span(parameters)), options);
        if (!report.ok())
          continue;
        ++launches;
        faults += !report->ok();
      }
    }
  }
  EXPECT_GT(launches, 500u);
  EXPECT_GT(faults, 50u);
}

TEST(EmulatorFaults, EarlyOrLateTheFaultIsFound) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    LaunchReport report = runBody("st.shared.u32 [%r2], %r0; ld.shared.u32 %r5, [%r3];", 64, {.seed = seed});
    EXPECT_EQ(report.faults.size(), 1u) << seed;
  }
}

TEST(EmulatorFaults, RacesOfBlocks) {
  // Four blocks of 32 threads; %r3: the thread's number in the grid, %rd1: its word.
  auto run = [](const std::string &body, uint64_t seed = 0) {
    Machine machine("blocks.ptx", kernelText(".param .u64 x, .param .u64 y", R"(
.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r3, %r1, 32, %r0; mov.u32 %r4, 7; mov.u16 %h0, 7;
ld.param.u64 %rd0, [x]; mad.wide.u32 %rd1, %r3, 4, %rd0; ld.param.u64 %rd2, [y];
)" + body));
    if (seed)
      machine.options.seed = seed;
    uint64_t x = machine.upload(std::vector<uint32_t>(256), "x"), y = machine.upload(std::vector<uint32_t>(256), "y");
    return machine.run("test", {.grid = {4}, .block = {32}}, x, y);
  };
  auto expectRace = [&](const std::string &body, const std::string &word) {
    LaunchReport report = run(body);
    ASSERT_FALSE(report.ok()) << body;
    EXPECT_EQ(report.faults[0].kind, FaultKind::Race) << report.text();
    EXPECT_NE(report.text().find(word), std::string::npos) << word << " is not in\n" << report.text();
  };
  EXPECT_TRUE(run("ld.global.u32 %r5, [%rd0]; st.global.u32 [%rd1+512], %r5;").ok());
  EXPECT_TRUE(run("ld.global.u32 %r5, [%rd1]; st.global.u32 [%rd1], %r5;").ok());
  expectRace("st.global.u32 [%rd0], %r4;",
             "a write to global memory that another block writes, and blocks are ordered by atomics and flags only: x");
  expectRace("st.global.u32 [%rd1], %r4; ld.global.u32 %r5, [%rd0];", "a read of global memory that another block writes");
  expectRace("ld.global.u32 %r5, [%rd0+384]; st.global.u32 [%rd1], %r4;", "a write to global memory that another block reads");
  expectRace("rem.u32 %r5, %r3, 100; mad.wide.u32 %rd3, %r5, 4, %rd0; st.global.u32 [%rd3], %r4;", "the other block's write");
  // Neighbours in one word, and in sixteen bytes, are no race.
  EXPECT_TRUE(run("mad.wide.u32 %rd3, %r1, 2, %rd0; setp.eq.u32 %p0, %r0, 0; @%p0 st.global.u16 [%rd3], %h0;").ok());
  EXPECT_TRUE(
      run("mad.wide.u32 %rd3, %r1, 4, %rd0; setp.eq.u32 %p0, %r0, 0; @%p0 ld.global.u32 %r5, [%rd3]; @%p0 st.global.u32 "
          "[%rd3], %r4;")
          .ok());
  // Atomics are none, and who has made one may know what others did.
  EXPECT_TRUE(run("red.global.add.u32 [%rd0], 1;").ok());
  EXPECT_TRUE(run("setp.eq.u32 %p0, %r1, 0; @!%p0 bra read; st.global.u32 [%rd0], 1; st.release.gpu.global.u32 [%rd2], 1; bra "
                  "out; read: "
                  "ld.acquire.gpu.global.u32 %r5, [%rd2]; ld.global.u32 %r6, [%rd0]; out: ")
                  .ok());
}
