// What a GPU's code needs of LLVM, on LLVM IR.

#include "compiler/codegen/EmitPTX.h"
#include "compiler/pipeline/GpuTarget.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

namespace tilewright::test {
namespace {

using compiler::GpuTarget;

std::unique_ptr<llvm::Module> parse(const std::string &text, llvm::LLVMContext &context) {
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  return module;
}

TEST(GpuTarget, AreFoundByName) {
  for (const char *name : {"sm_80", "sm_86", "sm_87", "sm_89", "sm_90a", "sm_100a", "sm_120a"}) {
    std::optional<GpuTarget> target = GpuTarget::named(name);
    ASSERT_TRUE(target) << name;
    EXPECT_EQ(target->name, name);
    EXPECT_NE(GpuTarget::names().find(name), std::string::npos);
  }
  EXPECT_EQ(GpuTarget::named("sm_90")->name, "sm_90a");
  EXPECT_EQ(GpuTarget::named("sm_100")->name, "sm_100a");
  for (const char *name : {"sm_75", "sm_80a", "sm_9", "sm_90aa", "90a", ""})
    EXPECT_FALSE(GpuTarget::named(name)) << name;
}

TEST(GpuTarget, FollowFromTheCapability) {
  EXPECT_FALSE(GpuTarget::named("sm_86")->convertsF8);
  EXPECT_TRUE(GpuTarget::named("sm_89")->convertsF8);
  EXPECT_EQ(GpuTarget::named("sm_90a")->sharedBytesPerBlock, 232448u);
  EXPECT_TRUE(GpuTarget::named("sm_90a")->multipliesFromShared);
  EXPECT_FALSE(GpuTarget::named("sm_100a")->multipliesFromShared);
}

TEST(EmitPTX, IsForTheTargetAndItsLowestVersion) {
  for (auto [name, version] : {std::pair("sm_80", ".version 7.0"), std::pair("sm_89", ".version 7.8"),
                               std::pair("sm_90a", ".version 8.0"), std::pair("sm_120a", ".version 8.7")}) {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module = parse("define ptx_kernel void @k() { ret void }", context);
    std::string error;
    std::optional<std::string> text = compiler::emitPTX(*module, *GpuTarget::named(name), error);
    ASSERT_TRUE(text) << error;
    EXPECT_NE(text->find(version), std::string::npos) << *text;
    EXPECT_NE(text->find(std::string(".target ") + name + "\n"), std::string::npos) << *text;
  }
}

// Jump threading would copy what a warp executes together into both arms of a branch.
TEST(EmitPTX, WhatAWarpExecutesTogetherIsConvergent) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = parse(R"(
    define ptx_kernel void @k(ptr addrspace(1) %p, i32 %a, float %c) {
      call void asm sideeffect "bar.sync 0;", ""()
      %s = call i32 asm "mov.u32 $0, %laneid;", "=r"()
      %d = call {float, float, float, float} @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32 %a, i32 %a, i32 %a, i32 %a, i32 %a, i32 %a, float %c, float %c, float %c, float %c)
      %e = extractvalue {float, float, float, float} %d, 0
      store i32 %s, ptr addrspace(1) %p
      store float %e, ptr addrspace(1) %p
      ret void
    }
    declare {float, float, float, float} @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32, i32, i32, i32, i32, i32, float, float, float, float)
  )",
                                               context);
  std::string error;
  ASSERT_TRUE(compiler::optimizeForGpu(*module, *GpuTarget::named("sm_80"), error)) << error;
  int convergent = 0;
  for (llvm::Instruction &instruction : llvm::instructions(*module->getFunction("k")))
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      convergent += call->isConvergent();
  EXPECT_EQ(convergent, 2);
}

// `a * b + c` rounds once only where both are marked; `exp2` is an approximation, and so not for everybody.
TEST(EmitPTX, KeepsToIEEE) {
  auto emit = [](const std::string &body, std::string &error) {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module =
        parse("declare float @llvm.exp2.f32(float)\ndeclare float @llvm.log2.f32(float)\ndeclare float @llvm.sin.f32(float)\n"
              "declare float @llvm.cos.f32(float)\ndeclare float @llvm.tanh.f32(float)\ndefine ptx_kernel void @k(ptr "
              "addrspace(1) %p, float %a) {\n" +
                  body + "store float %r, ptr addrspace(1) %p\nret void\n}",
              context);
    return compiler::emitPTX(*module, *GpuTarget::named("sm_80"), error).value_or("");
  };
  std::string error;
  std::string separate = emit("%m = fmul float %a, %a\n%r = fadd float %m, 1.0\n", error);
  EXPECT_NE(separate.find("mul.rn.f32"), std::string::npos) << separate;
  EXPECT_EQ(separate.find("fma"), std::string::npos) << separate;
  std::string fused = emit("%m = fmul contract float %a, %a\n%r = fadd contract float %m, 1.0\n", error);
  EXPECT_NE(fused.find("fma.rn.f32"), std::string::npos) << fused;
  EXPECT_EQ(emit("%r = call float @llvm.exp2.f32(float %a)\n", error), "");
  EXPECT_NE(error.find("llvm.exp2.f32"), std::string::npos) << error;
  for (auto [function, instruction] :
       {std::pair("exp2", "ex2"), std::pair("sin", "sin"), std::pair("cos", "cos"), std::pair("tanh", "tanh")}) {
    std::string text = emit(std::string("%r = call afn float @llvm.") + function + ".f32(float %a)\n", error);
    EXPECT_NE(text.find(std::string(instruction) + ".approx.f32"), std::string::npos) << function;
  }
  // LLVM has no pattern for it.
  EXPECT_EQ(emit("%r = call afn float @llvm.log2.f32(float %a)\n", error), "");
}

/// A kernel that calls an intrinsic, and so whether the code generator can select it: if it cannot, it ends the process.
bool emitsCall(const std::string &name, const std::string &result, const std::string &operand, int count) {
  std::string parameters = "ptr addrspace(1) %p", arguments, types;
  for (int i = 0; i < count; ++i) {
    std::string argument = operand + " %a" + std::to_string(i);
    parameters += ", " + argument;
    arguments += (i ? ", " : "") + argument;
    types += (i ? ", " : "") + operand;
  }
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      parse("declare " + result + " @" + name + "(" + types + ")\ndefine ptx_kernel void @k(" + parameters + ") {\n%r = call " +
                result + " @" + name + "(" + arguments + ")\nstore " + result + " %r, ptr addrspace(1) %p\nret void\n}",
            context);
  std::string error;
  return module && compiler::emitPTX(*module, *GpuTarget::named("sm_80"), error).has_value();
}

TEST(EmitPTX, WhatIsCalledSelectableIs) {
  const std::pair<const char *, const char *> floats[] = {{"half", "f16"},   {"bfloat", "bf16"},      {"float", "f32"},
                                                          {"double", "f64"}, {"<2 x half>", "v2f16"}, {"<2 x float>", "v2f32"}};
  const std::pair<const char *, int> ofFloats[] = {{"ceil", 1},      {"floor", 1},    {"trunc", 1},     {"rint", 1},
                                                   {"nearbyint", 1}, {"round", 1},    {"roundeven", 1}, {"sqrt", 1},
                                                   {"fabs", 1},      {"copysign", 2}, {"maximum", 2},   {"minimum", 2},
                                                   {"maxnum", 2},    {"minnum", 2},   {"fma", 3},       {"fmuladd", 3}};
  for (auto [type, suffix] : floats)
    for (auto [function, count] : ofFloats)
      EXPECT_TRUE(emitsCall(std::string("llvm.") + function + "." + suffix, type, type, count)) << function << " " << type;
  for (auto [type, suffix] : {std::pair("half", "f16"), std::pair("float", "f32"), std::pair("double", "f64")})
    for (std::string integer : {"i8", "i32", "i64"})
      EXPECT_TRUE(emitsCall("llvm.fptosi.sat." + integer + "." + suffix, integer, type, 1)) << integer << " " << type;
  const std::pair<const char *, int> ofIntegers[] = {{"bitreverse", 1}, {"bswap", 1}, {"ctpop", 1}, {"smax", 2},
                                                     {"smin", 2},       {"umax", 2},  {"umin", 2},  {"uadd.sat", 2},
                                                     {"fshl", 3},       {"fshr", 3}};
  for (auto [type, suffix] :
       {std::pair("i16", "i16"), std::pair("i32", "i32"), std::pair("i64", "i64"), std::pair("<2 x i16>", "v2i16")})
    for (auto [function, count] : ofIntegers)
      EXPECT_TRUE(emitsCall(std::string("llvm.") + function + "." + suffix, type, type, count)) << function << " " << type;
}

TEST(EmitPTX, FunctionsOfALibraryAreRefused) {
  for (const char *name : {"llvm.exp.f32", "llvm.log2.f32", "llvm.log.f64", "llvm.sin.f64", "llvm.pow.f32", "llvm.tanh.f64"})
    EXPECT_FALSE(emitsCall(name, std::string(name).ends_with("f64") ? "double" : "float",
                           std::string(name).ends_with("f64") ? "double" : "float",
                           std::string(name) == "llvm.pow.f32" ? 2 : 1))
        << name;
}

} // namespace
} // namespace tilewright::test
