// Bodies in place of calls, text for text. That what results means the same is tried on the emulator, by CudaFunctionsTest and
// by tests/semantics.
#include "runtime/cuda/PtxInline.h"

#include <gtest/gtest.h>

#include <string>

using tilewright::runtime::cuda::inlineCalls;

namespace {

std::string functionOf(const std::string &body, const std::string &result = ".param .b32 func_retval0",
                       const std::string &parameters = "\n\t.param .b32 f_param_0\n") {
  return ".func  (" + result + ") f(" + parameters + ")\n{\n" + body + "}\n";
}

const std::string square =
    functionOf("\t.reg .b32 \t%r<3>;\n\tld.param.u32 \t%r1, [f_param_0];\n\tmul.lo.s32 \t%r2, %r1, %r1;\n"
               "\tst.param.b32 \t[func_retval0+0], %r2;\n\tret;\n");

std::string callOf(const std::string &results = "\tld.param.b32 \t%r22, [retval0];\n") {
  return "\tadd.s32 \t%r21, %r20, 1;\n\t{ // callseq 0, 0\n\t.param .b32 \tparam0;\n\t.param .b32 \tretval0;\n"
         "\tst.param.b32 \t[param0], %r21;\n\tcall.uni (retval0), f, (param0);\n" +
         results + "\t} // callseq 0\n\tret;\n";
}

void expectCall(const std::string &module, const std::string &functions) {
  EXPECT_EQ(inlineCalls(module, functions), module);
}

} // namespace

TEST(PtxInline, TheBodyTakesThePlaceOfTheCall) {
  EXPECT_EQ(inlineCalls(callOf(), square), "\tadd.s32 \t%r21, %r20, 1;\n"
                                           "\t{ // f\n"
                                           "\t.reg .b32 %tw_in0;\n"
                                           "\tmov.b32 %tw_in0, %r21;\n"
                                           "\t.reg .b32 %tw_out0;\n"
                                           "\t{\n"
                                           "\t\n"
                                           "\t.reg .b32 \t%r<3>;\n"
                                           "\tmov.u32 %r1, %tw_in0;\n"
                                           "\tmul.lo.s32 \t%r2, %r1, %r1;\n"
                                           "\tmov.b32 %tw_out0, %r2;\n"
                                           "\tbra $tw_returned;\n"
                                           "\t}\n"
                                           "$tw_returned:\n"
                                           "\tmov.b32 %r22, %tw_out0;\n"
                                           "\t}\n"
                                           "\tret;\n");
}

TEST(PtxInline, AReturnUnderAPredicateLeavesTheBodyAlone) {
  std::string text = inlineCalls(callOf(), functionOf("\tst.param.b32 \t[func_retval0+0], 5;\n\t@%p1 ret;\n\tret;\n"));
  EXPECT_NE(text.find("\t@%p1 bra $tw_returned;\n\tbra $tw_returned;\n"), std::string::npos) << text;
  expectCall(callOf(), functionOf("\tst.param.b32 \t[func_retval0+0], 5;\n\tret.uni;\n"));
}

TEST(PtxInline, ResultsOfAStructureAreRegistersEach) {
  std::string functions =
      functionOf("\tst.param.f32 \t[func_retval0+0], %f1;\n\tst.param.b64 \t[func_retval0+8], %rd1;\n\tret;\n",
                 ".param .align 8 .b8 func_retval0[16]");
  std::string text =
      inlineCalls(callOf("\tld.param.b64 \t%rd22, [retval0+8];\n\tld.param.b32 \t%r22, [retval0];\n"), functions);
  EXPECT_NE(text.find("\t.reg .b64 %tw_out8;\n\t.reg .b32 %tw_out0;\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\tmov.f32 %tw_out0, %f1;\n\tmov.b64 %tw_out8, %rd1;\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\tmov.b64 %rd22, %tw_out8;\n\tmov.b32 %r22, %tw_out0;\n"), std::string::npos) << text;
  // The caller looks at one of them; or at a part of one, which no register is.
  text = inlineCalls(callOf(), functions);
  EXPECT_NE(text.find("mov.f32 %tw_out0, %f1;\n\tbra"), std::string::npos) << text;
  expectCall(callOf("\tld.param.b32 \t%r22, [retval0+12];\n"), functions);
}

TEST(PtxInline, ANarrowLoadIsOfTheLowBits) {
  auto loading = [](const std::string &load) {
    return functionOf("\t.reg .b16 \t%rs<4>;\n\t.reg .b32 \t%r<4>;\n\t" + load +
                      "\n\tst.param.b32 \t[func_retval0+0], %r1;\n\tret;\n");
  };
  EXPECT_NE(inlineCalls(callOf(), loading("ld.param.s8 \t%rs1, [f_param_0];")).find("\tcvt.s16.s8 %rs1, %tw_in0;\n"),
            std::string::npos);
  EXPECT_NE(inlineCalls(callOf(), loading("ld.param.u8 \t%r1, [f_param_0];")).find("\tcvt.u32.u8 %r1, %tw_in0;\n"),
            std::string::npos);
  EXPECT_NE(inlineCalls(callOf(), loading("ld.param.b16 \t%rs1, [f_param_0];")).find("\tcvt.u16.u16 %rs1, %tw_in0;\n"),
            std::string::npos);
  expectCall(callOf(), loading("ld.param.u8 \t%r1, [f_param_0+1];"));
  expectCall(callOf(), loading("ld.param.v2.u16 \t{%rs1, %rs2}, [f_param_0];"));
  expectCall(callOf(), loading("mov.u32 \t%r1, f_param_0;"));
}

TEST(PtxInline, WhatHasMemoryOrIsUnknownStaysACall) {
  expectCall(callOf(), functionOf("\t.local .align 4 .b8 \t__local_depot0[16];\n\tret;\n"));
  expectCall(callOf(), ".func  (.param .b32 func_retval0) g()\n{\n\tret;\n}\n");
  expectCall(callOf(), ".func  (.param .b32 func_retval0) f\n(.param .b32 f_param_0)\n;\n");         // declared alone
  expectCall(callOf(), functionOf("\tret;\n", ".param .b32 func_retval0", ".param .b64 f_param_0")); // of another type
  expectCall(callOf(), functionOf("\tret;\n", ".param .b32 func_retval0", ".param .align 4 .b8 f_param_0[4]"));
  std::string other = callOf();
  other.replace(other.find("\tst.param"), 1, "\tfence.acq_rel.gpu;\n\t");
  expectCall(other, square);
}

TEST(PtxInline, AModuleDoesNotBecomeTooLarge) {
  std::string body = "\tld.param.u32 \t%r1, [f_param_0];\n";
  for (int count = 0; count < 3000; ++count)
    body += "\tmul.lo.s32 \t%r1, %r1, %r1;\n";
  std::string functions = functionOf(body + "\tst.param.b32 \t[func_retval0+0], %r1;\n\tret;\n"), module;
  for (int count = 0; count < 8; ++count)
    module += callOf();
  std::string text = inlineCalls(module, functions);
  size_t calls = 0;
  for (size_t at = text.find("call.uni"); at != std::string::npos; at = text.find("call.uni", at + 1))
    ++calls;
  EXPECT_EQ(calls, 3u);
}
