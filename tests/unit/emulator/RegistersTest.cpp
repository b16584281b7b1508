// setmaxnreg: the block's pool of registers.
#include "Machine.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

/// Three warpgroups; `body` gets its number in %r1.
LaunchReport runBody(const std::string &body, const std::string &tuning, std::optional<uint64_t> seed = {}) {
  Machine machine("registers.ptx", ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry test() " + tuning +
                                       " {\n.reg .pred %p<4>; .reg .b32 %r<4>;\nmov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 7; "
                                       "setp.eq.u32 %p0, %r1, 0;\n" +
                                       body + "\n}\n");
  machine.options.seed = seed;
  return machine.run("test", {.block = {384}});
}

std::string kindOf(const LaunchReport &report) {
  return report.ok() ? "none" : std::string(nameOf(report.faults[0].kind));
}

std::string roles(const std::string &producer, const std::string &consumer) {
  return "@%p0 bra first; setmaxnreg.inc.sync.aligned.u32 " + consumer + "; ret; first: setmaxnreg.dec.sync.aligned.u32 " +
         producer + ";";
}

} // namespace

TEST(EmulatorRegisters, ConsumersTakeWhatTheProducerGives) {
  const std::string one = ".maxntid 384, 1, 1 .minnctapersm 1"; // 168 at entry: 3 · 168 = 24 + 2 · 240
  for (uint64_t seed = 0; seed < 6; ++seed) {
    EXPECT_EQ(kindOf(runBody(roles("24", "240"), one, seed)), "none");
    EXPECT_EQ(kindOf(runBody(roles("40", "232"), one, seed)), "none");
    LaunchReport report = runBody(roles("32", "240"), one, seed);
    EXPECT_EQ(kindOf(report), "deadlock");
    EXPECT_NE(report.text().find("setmaxnreg for 240 registers that nobody gives back"), std::string::npos) << report.text();
  }
  EXPECT_EQ(kindOf(runBody(roles("24", "152"), ".maxntid 384, 1, 1 .maxnreg 112", 1)), "none");
  EXPECT_EQ(kindOf(runBody(roles("24", "160"), ".maxntid 384, 1, 1 .maxnreg 112", 1)), "deadlock");
  // Without either, ptxas ignores the instruction.
  EXPECT_EQ(kindOf(runBody(roles("24", "256"), ".reqntid 384, 1, 1")), "none");
}

TEST(EmulatorRegisters, WrongUse) {
  const std::string one = ".maxntid 384, 1, 1 .minnctapersm 1";
  LaunchReport report = runBody("setmaxnreg.dec.sync.aligned.u32 176;", one);
  EXPECT_EQ(kindOf(report), "illegal instruction");
  EXPECT_NE(report.text().find("setmaxnreg.dec to 176 registers by a warp that has 168"), std::string::npos) << report.text();
  EXPECT_EQ(kindOf(runBody("setmaxnreg.inc.sync.aligned.u32 160;", one)), "illegal instruction");
  EXPECT_EQ(kindOf(runBody("setp.lt.u32 %p1, %r0, 7; @%p1 ret; @%p1 setmaxnreg.dec.sync.aligned.u32 40;", one)), "none");
  EXPECT_EQ(kindOf(runBody("setp.lt.u32 %p1, %r0, 7; @%p1 setmaxnreg.dec.sync.aligned.u32 40;", one)), "divergence");
  // Half of a warpgroup keeps what it has.
  report = runBody("setp.lt.u32 %p1, %r0, 64; @%p1 bra half; setmaxnreg.dec.sync.aligned.u32 40; ret; half: "
                   "setmaxnreg.dec.sync.aligned.u32 40;",
                   one);
  EXPECT_EQ(kindOf(report), "divergence");
  EXPECT_NE(report.text().find("the warps of a warpgroup execute different setmaxnreg"), std::string::npos) << report.text();
}

TEST(EmulatorRegisters, CountsAreCheckedWhenTheModuleIsLoaded) {
  for (const char *count : {"20", "16", "264", "100"}) {
    Device device;
    auto module = device.load("registers", std::string(".version 8.0\n.target sm_90a\n.address_size 64\n.entry test() { "
                                                       "setmaxnreg.inc.sync.aligned.u32 ") +
                                               count + "; }");
    EXPECT_FALSE(module.ok()) << count;
  }
}
