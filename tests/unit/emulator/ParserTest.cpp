#include "Machine.h"

#include "runtime/emulator/Mnemonic.h"
#include "runtime/emulator/Parser.h"

#include <random>
#include <set>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

std::string failure(const std::string &text) {
  Result<Program> program = parse("bad.ptx", text);
  return program.ok() ? "" : program.status().message();
}

std::string failureOf(const std::string &body) {
  return failure(kernelText("", body));
}

} // namespace

TEST(EmulatorParser, ProgramsOfNvccAreRead) {
  for (const char *name :
       {"vector_add.ptx", "matmul_tiled.ptx", "reduce.ptx", "divergent.ptx", "matmul_mma.ptx", "messages.ptx"}) {
    Result<Program> program = parse(name, programText(name));
    ASSERT_TRUE(program.ok()) << program.status().message();
    EXPECT_EQ(program->target, "sm_80");
    EXPECT_EQ(program->version, 90u);
  }
}

TEST(EmulatorParser, DirectivesOfAKernel) {
  Result<Program> program = parse("kernel.ptx", R"(
.version 8.0
.target sm_90a, debug
.address_size 64
.global .align 4 .b8 table[12] = {1, 0, 0, 0, 2, 0, 0, 0, 0xff};
.global .u64 pointer = generic(table)+4;
.const .f32 half = 0f3F000000;
.extern .shared .align 128 .b8 dynamic[];
.visible .entry kernel(.param .u64 .ptr .global .align 16 a, .param .u32 b, .param .align 8 .b8 c[24])
.maxntid 128, 2, 1
.minnctapersm 2
.maxnreg 64
{
  .pragma "nounroll";
  .shared .align 16 .f32 buffer[33];
  .local .align 8 .b8 frame[24];
  .reg .b32 %r<3>, x;
  .loc 1 7 3
  mov.u32 %r1, buffer;
  mov.u32 %r2, dynamic;
}
)");
  ASSERT_TRUE(program.ok()) << program.status().message();
  const Function &kernel = *program->entry("kernel");
  EXPECT_EQ(program->capability, 90u);
  EXPECT_EQ(kernel.minBlocks, 2u);
  EXPECT_EQ(kernel.maxRegisters, 64u);
  EXPECT_EQ(program->code[kernel.begin].line, 7u);
  EXPECT_EQ(program->variables[0].initial[8], std::byte(0xff));
  EXPECT_EQ(program->variables[2].space, Space::Const);
  EXPECT_EQ(program->relocations.size(), 1u); // the pointer's
}

TEST(EmulatorParser, PlacesOfParametersAndSharedMemory) {
  Result<Program> parsed = parse("kernel.ptx", R"(
.version 8.0
.target sm_90a
.address_size 64
.extern .shared .align 128 .b8 dynamic[];
.visible .entry kernel(.param .u32 a, .param .u64 .ptr .global .align 16 b, .param .align 8 .b8 c[20], .param .u8 d)
.maxntid 128, 2, 1
.reqnctapercluster 2
{
  .shared .align 16 .f32 buffer[33];
  .reg .b32 %r<3>;
  mov.u32 %r1, buffer+8;
  mov.u32 %r2, dynamic;
}
.visible .entry other()
{
  .shared .align 4 .b8 own[100];
  .reg .b32 %r<3>;
  mov.u32 %r1, own;
}
)");
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  const Function &kernel = *parsed->entry("kernel");
  EXPECT_EQ(kernel.parameters[1].offset, 8u);
  EXPECT_EQ(kernel.parameters[2].offset, 16u);
  EXPECT_EQ(kernel.parameters[3].offset, 36u);
  EXPECT_EQ(kernel.parameterBytes, 37u);
  EXPECT_EQ(kernel.maxThreads, (Index3{128, 2, 1}));
  EXPECT_EQ(kernel.requiredCluster, (Index3{2, 1, 1}));
  EXPECT_EQ(kernel.sharedBytes, 132u);
  EXPECT_EQ(kernel.dynamicOffset, sharedBase + 256);
  // Another kernel's variables take no place of this one's.
  EXPECT_EQ(parsed->entry("other")->sharedBytes, 100u);
  EXPECT_EQ(parsed->entry("neither"), nullptr);
}

TEST(EmulatorParser, ErrorsNameLineAndText) {
  std::string message = failureOf(".reg .b32 %r<2>;\nadd.s32 %r0, %r1, %r7;");
  EXPECT_EQ(message, "bad.ptx:9: add.s32: '%r7' is no register declared here, nor a special register the emulator has\n  "
                     "add.s32 %r0, %r1, %r7;");
}

TEST(EmulatorParser, WrongPrograms) {
  struct Wrong {
    const char *body, *message;
  };
  const Wrong wrong[] = {
      {".reg .b32 %r<2>;\nfrobnicate.s32 %r0, %r1;", "unknown opcode frobnicate"},
      {".reg .b32 %r<2>;\nadd.frob.s32 %r0, %r1, 1;", "unknown suffix .frob of add"},
      {".reg .b32 %r<2>;\nadd.s32 %r0, %r1;", "expected more than 2 operands"},
      {".reg .b32 %r<2>;\nadd.s32 %r0, %r1, 1, 2;", "expected 3 operands, found 4"},
      {".reg .b32 %r<2>;\n.reg .b64 %rd<2>;\nadd.s32 %r0, %r1, %rd1;", "'%rd1' has 64 bits, expected 32 bits"},
      {".reg .b32 %r<2>;\nadd.s32 5, %r1, %r0;", "expected a register to write"},
      {".reg .b32 %r<2>;\nadd.s32 %r0, %r1, _;", "'_' can only be written"},
      {".reg .b32 %r<2>;\n@%r1 add.s32 %r0, %r1, 1;", "'%r1' is no predicate"},
      {"bra nowhere;", "label 'nowhere' is not declared"},
      {"here:\nhere:", "label 'here' is declared twice"},
      {".reg .b32 %r<2>;\n.reg .b32 %r<3>;", "'%r' is declared twice"},
      {".reg .b32 %r<2>;\nmov.u32 %tid.x, %r1;", "%tid.x cannot be written"},
      {".reg .b32 %r<2>;\nadd.s32 %r0, %r1, 1", "expected ';'"},
      {"call missing;", "'missing' is no function declared here"},
      {".reg .f64 %f<2>;\nadd.f64 %f0, %f1, 0f3F800000;", "a float constant does not fit"},
      {".reg .b32 %r<2>;\nadd.s32 %r0, %r1, #;", "unexpected character '#'"},
      {".reg .b32 %r<8>;\nmma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%r6,%r7}, "
       "{%r0,%r1,%r2,%r3};",
       "is not supported for these types, modifiers or operands"},
      {".reg .b32 %r<2>;\nst.const.u32 [%r0], %r1;", "unknown suffix .const"},
      {"\"open", "a string is not closed"},
      {".reg .b32 %r<2>;\nmov.b32 %r0, {{{{%r1}}}};", "too many brackets"},
      {".global .b8 a[4] = {{{{{{{{{{{{{{{{{{{{1}}}}}}}}}}}}}}}}}}}};", "too many braces"},
      {".reg .b32 %r<100000000>;", "more than any GPU"},
      {".local .align 4 .b8 a[1000000];", "more than any GPU"},
      {".shared .align 3 .b8 a[16];", "an alignment of 3"},
      {".shared .b8 a[5000000000];", "'a' has too many elements"},
  };
  for (const Wrong &one : wrong) {
    std::string message = failureOf(one.body);
    EXPECT_NE(message.find(one.message), std::string::npos) << one.body << "\n-> " << message;
  }
}

TEST(EmulatorParser, DamagedTextIsReadOrRefused) {
  std::mt19937 random(1);
  for (const char *name : {"reduce.ptx", "divergent.ptx", "from_llvm.ptx"}) {
    const std::string text = programText(name);
    size_t refused = 0;
    for (int round = 0; round < 300; ++round) {
      std::string damaged = text;
      for (unsigned count = random() % 4 + 1; count > 0; --count) {
        size_t at = random() % damaged.size(), length = random() % 12;
        if (random() % 3 == 0)
          damaged.erase(at, length);
        else
          damaged.replace(at, random() % 3, damaged.substr(random() % damaged.size(), length));
      }
      Result<Program> program = parse(name, std::move(damaged));
      refused += !program.ok();
      if (!program.ok())
        EXPECT_NE(program.status().message(), "");
    }
    EXPECT_GT(refused, 100u);
  }
}

TEST(EmulatorParser, RecursionIsRefused) {
  std::string message = failure(R"(
.version 8.0
.target sm_80
.address_size 64
.func f();
.func g() { call f; }
.func f() { call g; }
)");
  EXPECT_NE(message.find("calls itself"), std::string::npos) << message;
}

TEST(EmulatorParser, BracesHaveNamesOfTheirOwn) {
  Machine machine("scopes", kernelText(".param .u64 out", R"(
.reg .b32 %r<4>;
.reg .b64 %rd;
.reg .pred p;
mov.u32 %r0, 0;
{ .reg .pred p; .reg .b32 n; mov.u32 n, 0;
again: add.u32 n, n, 1; add.u32 %r0, %r0, 1; setp.lt.u32 p, n, 3; @p bra again; }
{ .reg .pred p; .reg .b32 n; mov.u32 n, 0;
again: add.u32 n, n, 1; add.u32 %r0, %r0, 10; setp.lt.u32 p, n, 2; @p bra again; bra out_of_here; }
add.u32 %r0, %r0, 1000;
out_of_here:
ld.param.u64 %rd, [out];
st.global.u32 [%rd], %r0;)"));
  uint64_t out = machine.upload(std::vector<uint32_t>{0});
  machine.runCleanly("test", {}, out);
  EXPECT_EQ(machine.download<uint32_t>(out, 1)[0], 23u);
}

TEST(EmulatorParser, OpcodesAreExecutableOrNot) {
  for (const char *yes :
       {"add.rn.ftz.f32", "mul.wide.u16", "cvt.rn.satfinite.e4m3x2.f32", "ld.global.nc.L1::no_allocate.L2::128B.v4.b32",
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64",
        "cp.async.wait_group", "atom.global.add.noftz.bf16x2", "bar.sync", "setp.le.or.f16x2", "redux.sync.max.s32"})
    EXPECT_TRUE(isExecutable(yes)) << yes;
  for (const char *no :
       {"add.f16x3", "wgmma.mma_async.sync.aligned.m64n8k16.f16.bf16.bf16", "mul.wide.s64", "popc.b16", "atom.global.add.s64",
        "mma.sync.aligned.m16n8k4.row.col.f32.f16.f16.f32", "setp.s32", "tex.2d.v4.f32.f32"})
    EXPECT_FALSE(isExecutable(no)) << no;
}

TEST(EmulatorParser, TheTableHasEachOpcodeOnce) {
  std::set<std::string_view> names;
  for (const Opcode &opcode : opcodes())
    EXPECT_TRUE(names.insert(opcode.name).second) << opcode.name;
  EXPECT_GT(names.size(), 90u);
}

TEST(EmulatorParser, TargetsHaveTheirInstructions) {
  auto load = [](const std::string &target, const std::string &version, const std::string &instruction) {
    Result<Program> program = parse("target", concat(".version ", version, "\n.target ", target,
                                                     "\n.address_size 64\n.entry test() {\n.reg .b32 %r<8>; "
                                                     ".reg .b16 %h<4>; .reg .pred %p; .reg .b64 %rd<4>; .reg .f32 %f<8>;\n",
                                                     instruction, "\n}\n"));
    return program.ok() ? std::string() : program.status().message();
  };
  struct Case {
    std::string target, version, instruction, message; // "" message: it is there
  };
  const std::string product =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd0, %rd1, 1, 1, 1, 0, 0;";
  const Case cases[] = {
      {"sm_90a", "8.0", product, ""},
      {"sm_90", "8.0", product, "needs .target sm_90a, the module is for sm_90"},
      {"sm_100a", "8.6", product, "needs .target sm_90a, the module is for sm_100a"},
      {"sm_90a", "7.8", product, "needs .version 8.0 or later, the module has 7.8"},
      {"sm_90", "8.0", "setmaxnreg.dec.sync.aligned.u32 40;", "needs .target sm_90a"},
      {"sm_80", "8.0", "mbarrier.inval.shared.b64 [%r0];", ""},
      {"sm_80", "8.0", "mbarrier.try_wait.parity.shared.b64 %p, [%r0], 0;",
       "needs .target sm_90 or later, the module is for sm_80"},
      {"sm_80", "8.0", "add.bf16 %h0, %h1, %h2;", "needs .target sm_90 or later"},
      {"sm_80", "8.0", "fma.rn.bf16 %h0, %h1, %h2, %h3;", ""},
      {"sm_75", "8.0", "cp.async.wait_all;", "needs .target sm_80 or later"},
      {"sm_80", "8.0", "cp.async.wait_all;", ""},
      {"sm_80", "8.0", "cp.async.bulk.commit_group;", "needs .target sm_90 or later"},
      {"sm_120", "8.7", "cp.async.bulk.commit_group;", ""},
      {"sm_80", "8.0", "ld.shared::cluster.u32 %r0, [%r1];", "needs .target sm_90 or later"},
      {"sm_70", "6.4", "add.f32 %f0, %f1, %f2;", ""},
  };
  for (const Case &one : cases) {
    std::string message = load(one.target, one.version, one.instruction);
    if (one.message.empty())
      EXPECT_EQ(message, "") << one.instruction;
    else
      EXPECT_NE(message.find(one.message), std::string::npos) << one.instruction << "\n-> " << message;
  }
}
