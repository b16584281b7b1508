// Instructions between lanes, divergence, memory of all spaces, atomics.
#include "Machine.h"

#include <bit>
#include <cmath>
#include <numeric>

using namespace tilewright::runtime::emulator;

namespace {

std::vector<uint32_t> lanes() {
  std::vector<uint32_t> values(32);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

/// What each lane of one warp gets for inputs 0…31 times 3 plus 1.
template <typename F> void expectLanes(const std::string &instruction, F function) {
  std::vector<uint32_t> a = lanes();
  for (uint32_t &value : a)
    value = value * 3 + 1;
  auto result = evaluate<uint32_t>("mov.u32 %r7, %laneid;\n" + instruction, a);
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(result[lane], uint32_t(function(lane))) << instruction << " in lane " << lane;
}

} // namespace

TEST(EmulatorWarp, Shuffles) {
  expectLanes("shfl.sync.idx.b32 %d, %a, 5, 31, -1;", [](uint32_t) { return 16; });
  expectLanes("shfl.sync.bfly.b32 %d, %a, 3, 31, -1;", [](uint32_t lane) { return (lane ^ 3) * 3 + 1; });
  expectLanes("shfl.sync.up.b32 %d|%p1, %a, 4, 0, -1; @!%p1 mov.u32 %d, 99;",
              [](uint32_t lane) { return lane < 4 ? 99 : (lane - 4) * 3 + 1; });
  expectLanes("shfl.sync.down.b32 %d|%p1, %a, 4, 31, -1; @!%p1 mov.u32 %d, 99;",
              [](uint32_t lane) { return lane > 27 ? 99 : (lane + 4) * 3 + 1; });
  // Segments of 8: c = clamp 31, mask 0x18.
  expectLanes("shfl.sync.down.b32 %d, %a, 4, 0x181f, -1;",
              [](uint32_t lane) { return (lane % 8 < 4 ? lane + 4 : lane) * 3 + 1; });
  expectLanes("shfl.sync.idx.b32 %d, %a, 2, 0x181f, -1;", [](uint32_t lane) { return (lane / 8 * 8 + 2) * 3 + 1; });
}

TEST(EmulatorWarp, VotesMatchesReductions) {
  expectLanes("setp.lt.u32 %p1, %r7, 5; vote.sync.ballot.b32 %d, %p1, -1;", [](uint32_t) { return 31; });
  expectLanes("setp.lt.u32 %p1, %r7, 5; vote.sync.any.pred %p2, %p1, -1; vote.sync.all.pred %p3, %p1, -1; selp.u32 %r3, 1, 0, "
              "%p2; selp.u32 %r4, 2, 0, %p3; or.b32 %d, %r3, %r4;",
              [](uint32_t) { return 1; });
  expectLanes("setp.lt.u32 %p1, %r7, 5; vote.sync.uni.pred %p2, !%p1, -1; selp.u32 %d, 1, 0, %p2;", [](uint32_t) { return 0; });
  expectLanes("and.b32 %r3, %r7, 3; match.any.sync.b32 %d, %r3, -1;", [](uint32_t lane) { return 0x11111111u << lane % 4; });
  expectLanes("match.all.sync.b32 %d|%p1, 7, -1; @!%p1 mov.u32 %d, 0;", [](uint32_t) { return ~0u; });
  expectLanes("redux.sync.add.u32 %d, %a, -1;", [](uint32_t) { return 31 * 32 / 2 * 3 + 32; });
  expectLanes("sub.u32 %r3, 3, %a; redux.sync.min.s32 %d, %r3, -1;", [](uint32_t) { return -91; });
  expectLanes("activemask.b32 %d;", [](uint32_t) { return ~0u; });
  expectLanes("elect.sync %d|%p1, -1; @%p1 mov.u32 %d, 77;", [](uint32_t lane) { return lane == 0 ? 77 : 0; });
}

TEST(EmulatorWarp, GroupsWithTheirOwnMasks) {
  expectLanes("and.b32 %r3, %r7, 1; setp.eq.u32 %p1, %r3, 0; selp.b32 %r4, 0x55555555, 0xaaaaaaaa, %p1; redux.sync.max.u32 %d, "
              "%a, %r4;",
              [](uint32_t lane) { return (lane % 2 ? 31 : 30) * 3 + 1; });
  expectLanes("setp.lt.u32 %p1, %r7, 8; mov.u32 %d, 0; @!%p1 bra out; redux.sync.add.u32 %d, 1, 0xff; out:",
              [](uint32_t lane) { return lane < 8 ? 8 : 0; });
}

TEST(EmulatorWarp, LanesMeetAgain) {
  // After the branch all lanes vote together, however far apart they were.
  expectLanes(
      "mov.u32 %r3, 0; loop: setp.ge.u32 %p1, %r3, %r7; @%p1 bra out; add.u32 %r3, %r3, 1; bra loop; out: activemask.b32 %d;",
      [](uint32_t) { return ~0u; });
}

TEST(EmulatorWarp, ALaneMayWaitForAnotherOfItsWarp) {
  Machine machine("spin", kernelText(".param .u64 p", R"(
.reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<3>;
ld.param.u64 %rd0, [p]; mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 31; @%p0 bra open;
wait: ld.acquire.gpu.global.u32 %r1, [%rd0]; setp.eq.u32 %p1, %r1, 0; @%p1 bra wait;
bra out;
open: st.release.gpu.global.u32 [%rd0], 5;
out:)"));
  uint64_t flag = machine.upload(std::vector<uint32_t>{0});
  machine.runCleanly("test", {.block = {32}}, flag);
  EXPECT_EQ(machine.download<uint32_t>(flag, 1)[0], 5u);
}

TEST(EmulatorWarp, CallsAndBranchTables) {
  Machine machine("calls", R"(
.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 result) triple(.param .b32 x)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [x];
  mul.lo.u32 %r2, %r1, 3;
  st.param.b32 [result], %r2;
  ret;
}
.visible .entry test(.param .u64 out)
{
  .reg .b32 %r<8>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 3;
  ts: .branchtargets L0, L1, L2, L0;
  brx.idx %r2, ts;
L0: mov.u32 %r3, 100; bra.uni done;
L1: {
    .param .b32 argument; .param .b32 back;
    st.param.b32 [argument], %r1;
    call.uni (back), triple, (argument);
    ld.param.b32 %r3, [back];
  }
  bra done;
L2: mov.u32 %r3, 200;
done:
  ld.param.u64 %rd1, [out];
  mad.wide.u32 %rd2, %r1, 4, %rd1;
  st.global.u32 [%rd2], %r3;
}
)");
  uint64_t out = machine.upload(std::vector<uint32_t>(32));
  machine.runCleanly("test", {.block = {32}}, out);
  auto found = machine.download<uint32_t>(out, 32);
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(found[lane], lane % 4 == 1 ? 3 * lane : lane % 4 == 2 ? 200 : 100) << lane;
}

TEST(EmulatorMemory, SpacesAndGenericAddresses) {
  std::string body = R"(
.shared .align 8 .b8 s[256]; .local .align 8 .b8 l[16]; .const .align 4 .b8 c[8] = {1, 0, 0, 0, 2, 0, 0, 0};
mov.u32 %r2, s; mad.lo.u32 %r3, %r0, 4, %r2; st.shared.u32 [%r3], %a;
cvt.u64.u32 %rd1, %r3; cvta.shared.u64 %rd2, %rd1; ld.u32 %r4, [%rd2];
isspacep.shared %p1, %rd2; isspacep.global %p2, %rd2;
mov.u64 %rd3, l; cvta.local.u64 %rd4, %rd3; st.u32 [%rd4+4], %r4; ld.local.u32 %r5, [l+4];
ld.const.u32 %r6, [c+4]; add.u32 %d, %r5, %r6; @!%p1 mov.u32 %d, 0; @%p2 mov.u32 %d, 0;
cvta.to.local.u64 %rd5, %rd4; st.local.v2.u16 [%rd5+8], {%h1, %h2};)";
  auto result = evaluate<uint32_t>(body, lanes());
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(result[lane], lane + 2);
}

TEST(EmulatorMemory, WidthsAndExtensions) {
  std::vector<uint64_t> a{0x8091a2b3c4d5e6f7, 0x0102030405060708};
  auto load = [&](const std::string &instruction) {
    return evaluate<uint64_t>("ld.param.u64 %rd2, [in_a]; " + instruction, a)[0];
  };
  EXPECT_EQ(load("ld.global.u8 %d, [%rd2+7];"), 0x80u);
  EXPECT_EQ(load("ld.global.s8 %d, [%rd2+7];"), 0xffffffffffffff80u);
  EXPECT_EQ(load("ld.global.s16 %r3, [%rd2+6]; cvt.s64.s32 %d, %r3;"), 0xffffffffffff8091u);
  EXPECT_EQ(load("ld.global.v2.b64 {%rd3, %d}, [%rd2];"), a[1]);
  EXPECT_EQ(load("ld.global.v4.b32 {_, %r3, %r4, _}, [%rd2]; mov.b64 %d, {%r4, %r3};"), 0x8091a2b305060708u);
  EXPECT_EQ(load("ld.global.v4.u16 {%h0, %h1, %h2, %h3}, [%rd2]; mov.b64 %d, {%h3, %h2, %h1, %h0};"), 0xe6f7c4d5a2b38091u);
  EXPECT_EQ(load(".reg .b128 %q; ld.global.b128 %q, [%rd2]; mov.b128 {%rd3, %d}, %q;"), a[1]);
}

TEST(EmulatorMemory, Atomics) {
  Machine machine("atomics", kernelText(".param .u64 p", R"(
.reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<3>; .reg .b16 %h<3>; .reg .f64 %d<2>;
ld.param.u64 %rd0, [p]; mov.u32 %r0, %tid.x;
atom.global.add.u32 %r1, [%rd0], %r0;
red.global.max.s32 [%rd0+4], %r0;
atom.global.inc.u32 %r1, [%rd0+8], 5;
red.global.or.b32 [%rd0+12], %r0;
red.global.add.f32 [%rd0+16], 0f3F000000;
mov.u32 %r2, 0x3c003c00; red.global.add.noftz.f16x2 [%rd0+20], %r2;
mov.u32 %r2, 0x3f803f80; red.relaxed.gpu.global.add.noftz.bf16x2 [%rd0+24], %r2;
atom.global.cas.b32 %r3, [%rd0+28], 0, 7;
atom.global.exch.b32 %r4, [%rd0+32], %r0;
atom.global.add.u64 %rd1, [%rd0+40], 1;
red.global.add.f64 [%rd0+48], 0d3FD0000000000000;
atom.global.min.u64 %rd1, [%rd0+56], 3;
)"));
  std::vector<uint32_t> start(16, 0);
  start[14] = start[15] = ~0u;
  uint64_t memory = machine.upload(start);
  machine.runCleanly("test", {.grid = {2}, .block = {64}}, memory);
  auto found = machine.download<uint32_t>(memory, 16);
  EXPECT_EQ(found[0], 2u * 63 * 32);
  EXPECT_EQ(found[1], 63u);
  EXPECT_EQ(found[2], 128u % 6);
  EXPECT_EQ(found[3], 63u);
  EXPECT_EQ(std::bit_cast<float>(found[4]), 64);
  EXPECT_EQ(found[5], 0x58005800u); // 128 as f16
  EXPECT_EQ(found[6], 0x43004300u); // 128 as bf16
  EXPECT_EQ(found[7], 7u);
  EXPECT_EQ(found[8], 63u);
  EXPECT_EQ(found[10], 128u);
  auto doubles = machine.download<double>(memory, 8);
  EXPECT_EQ(doubles[6], 32);
  EXPECT_EQ(found[14], 3u);
}

/// What an H200 gave.
TEST(EmulatorMemory, SumsOfF32FlushInGlobalMemoryAlone) {
  Machine machine("flushing", kernelText(".param .u64 p", R"(
.reg .b64 %rd; .reg .f32 %f<2>; .shared .b32 s;
ld.param.u64 %rd, [p];
atom.global.add.f32 %f0, [%rd], 0f00000005;
red.global.add.f32 [%rd+4], 0f00000005;
red.global.add.f32 [%rd+8], 0f80800001;
red.global.add.f32 [%rd+12], 0f3F800000;
red.global.add.f32 [%rd+16], 0f80000003;
atom.add.f32 %f1, [%rd+20], 0f00000005;
st.global.f32 [%rd+24], %f0;
st.shared.b32 [s], 7; red.shared.add.f32 [s], 0f00000005;
ld.shared.f32 %f0, [s]; st.global.f32 [%rd+28], %f0;
)"));
  uint64_t memory = machine.upload(std::vector<uint32_t>{7, 7, 0x00800000, 9, 0, 7, 0, 0});
  machine.runCleanly("test", {.block = {1}}, memory);
  EXPECT_EQ(machine.download<uint32_t>(memory, 8),
            (std::vector<uint32_t>{0, 0, 0x80000000, 0x3f800000, 0, 0, /*before the first*/ 7, /*in shared memory*/ 12}));
}

TEST(EmulatorMemory, HostMemoryAndCopies) {
  Machine machine(
      "host", kernelText(".param .u64 p",
                         ".reg .b64 %rd; .reg .b32 %r; ld.param.u64 %rd, [p]; mov.u32 %r, %tid.x; mad.wide.u32 %rd, %r, 4, %rd;"
                         "st.global.u32 [%rd], %r;"));
  std::vector<uint32_t> host(32);
  ASSERT_TRUE(machine.device.registerHost(host.data(), 128, "host").ok());
  EXPECT_FALSE(machine.device.registerHost(host.data() + 1, 4).ok());
  machine.runCleanly("test", {.block = {32}}, reinterpret_cast<uint64_t>(host.data()));
  EXPECT_EQ(host, lanes());
  ASSERT_TRUE(machine.device.unregisterHost(host.data()).ok());
  EXPECT_FALSE(machine.run("test", {.block = {32}}, reinterpret_cast<uint64_t>(host.data())).ok());
  uint64_t memory = *machine.device.allocate(8);
  char bytes[16];
  EXPECT_FALSE(machine.device.copyToHost(bytes, memory, 9).ok());
  EXPECT_TRUE(machine.device.copyToHost(bytes, memory, 8).ok());
}

TEST(EmulatorDevice, WrongLaunches) {
  Machine machine("wrong", "\n.version 8.0\n.target sm_80\n.address_size 64\n.entry test(.param .u64 p) .maxntid 64 { ret; }"
                           ".entry exact() .reqntid 32, 2 { ret; } .entry clustered() .reqnctapercluster 2 { ret; }");
  auto message = [&](const std::string &kernel, LaunchShape shape, size_t bytes) {
    std::vector<std::byte> parameters(bytes);
    auto report = machine.device.launch(*machine.module, kernel, shape, parameters);
    return report.ok() ? "" : report.status().message();
  };
  EXPECT_EQ(message("test", {.block = {64}}, 8), "");
  EXPECT_NE(message("tests", {.block = {64}}, 8).find("has no kernel tests (did you mean test?)"), std::string::npos);
  EXPECT_NE(message("test", {.block = {65}}, 8).find(".maxntid is (64, 1, 1)"), std::string::npos);
  EXPECT_NE(message("test", {.block = {64}}, 4).find("4 bytes of parameters, it takes 8"), std::string::npos);
  EXPECT_NE(message("test", {.grid = {0}, .block = {64}}, 8).find("has no thread"), std::string::npos);
  EXPECT_NE(message("test", {.block = {64}, .dynamicSharedBytes = 300'000}, 8).find("the device allows 232448"),
            std::string::npos);
  EXPECT_NE(message("exact", {.block = {64}}, 0).find(".reqntid is (32, 2, 1)"), std::string::npos);
  EXPECT_EQ(message("exact", {.block = {32, 2}}, 0), "");
  EXPECT_NE(message("clustered", {.block = {64}}, 0).find("not a whole number of clusters of (2, 1, 1)"), std::string::npos);
}

TEST(EmulatorDevice, VariablesOfAModule) {
  Machine machine("variables", "\n.version 8.0\n.target sm_80\n.address_size 64\n.global .align 4 .b8 data[8] = {1, "
                               "2};\n.global .u64 pointer = data+4;\n"
                               ".entry test() { .reg .b64 %rd; ld.global.u64 %rd, [pointer]; st.global.u32 [%rd], 9; }");
  auto data = machine.device.variable(*machine.module, "data");
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->second, 8u);
  machine.runCleanly("test", {});
  EXPECT_EQ(machine.download<uint32_t>(data->first, 2), (std::vector<uint32_t>{0x201, 9}));
  EXPECT_FALSE(machine.device.variable(*machine.module, "other").ok());
  EXPECT_TRUE(machine.device.unload(*machine.module).ok());
}
