// What ends a compilation must not end the process, and the next compilation must not notice.

#include "compiler/driver/CompileThread.h"
#include "tests/unit/codegen/LoadedText.h"

#include "llvm/Support/ErrorHandling.h"

#include "gtest/gtest.h"

#include <stdexcept>
#include <thread>
#include <vector>

namespace tilewright::test {
namespace {

// An instruction that only another processor has: the verifiers let it pass, and no x86 instruction can be selected for it.
constexpr const char *unselectable = R"(
  llvm.func @negated(%a: vector<4xi32>) -> vector<4xi32> {
    %r = llvm.call_intrinsic "llvm.aarch64.neon.sqneg.v4i32"(%a) : (vector<4xi32>) -> vector<4xi32>
    llvm.return %r : vector<4xi32>
  })";

constexpr const char *good = R"(
  llvm.func @_mlir_ciface_negated(%a: i32, %to: !llvm.ptr) {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %r = llvm.sub %c0, %a : i32
    llvm.store %r, %to : i32, !llvm.ptr
    llvm.return
  })";

std::string compileUnselectable() {
  return compiler::runOnCompileThread([] {
    std::string error;
    LoadedText::compile(unselectable, error);
    ADD_FAILURE() << "LLVM should have given up, but went on: " << error;
  });
}

void expectGoodCompiles() {
  int result = 0;
  std::string fatal = compiler::runOnCompileThread([&] {
    std::string error;
    std::unique_ptr<LoadedText> loaded = LoadedText::compile(good, error);
    ASSERT_TRUE(loaded) << error;
    loaded->call("negated", 5, &result);
  });
  EXPECT_EQ(fatal, "");
  EXPECT_EQ(result, -5);
}

} // namespace

TEST(CompileThread, AnInstructionThatCannotBeSelectedIsAMessage) {
  std::string message = compileUnselectable();
  EXPECT_NE(message.find("Cannot select: intrinsic %llvm.aarch64.neon.sqneg"), std::string::npos) << message;
  expectGoodCompiles();
}

TEST(CompileThread, ManyMayFailAtOnce) {
  std::vector<std::thread> hosts;
  for (int host = 0; host < 4; ++host)
    hosts.emplace_back([] {
      for (int round = 0; round < 3; ++round) {
        EXPECT_NE(compileUnselectable(), "");
        expectGoodCompiles();
      }
    });
  for (std::thread &host : hosts)
    host.join();
}

TEST(CompileThread, ExhaustedMemoryIsAMessage) {
  EXPECT_EQ(compiler::runOnCompileThread([] { llvm::report_bad_alloc_error("no more"); }), "no more");
  EXPECT_EQ(compiler::runOnCompileThread([] { throw std::bad_alloc(); }), std::bad_alloc().what());
  expectGoodCompiles();
}

TEST(CompileThread, AnExceptionIsAMessage) {
  EXPECT_EQ(compiler::runOnCompileThread([] { throw std::runtime_error("unexpected"); }), "unexpected");
  EXPECT_EQ(compiler::runOnCompileThread([] { throw 1; }), "an unknown exception");
}

TEST(CompileThread, AMessageWithoutTextIsNoSuccess) {
  EXPECT_NE(compiler::runOnCompileThread([] { llvm::report_fatal_error("", /*gen_crash_diag=*/false); }), "");
}

} // namespace tilewright::test
