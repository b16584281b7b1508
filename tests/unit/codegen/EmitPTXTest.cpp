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
        parse("declare float @llvm.exp2.f32(float)\ndefine ptx_kernel void @k(ptr addrspace(1) %p, float %a) {\n" + body +
                  "store float %r, ptr addrspace(1) %p\nret void\n}",
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
  EXPECT_NE(emit("%r = call afn float @llvm.exp2.f32(float %a)\n", error).find("ex2.approx.f32"), std::string::npos);
}

} // namespace
} // namespace tilewright::test
