// IR that passes leave is verified, whether or not it is between them.

#include "compiler/pipeline/RunPhase.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

namespace tilewright::test {
namespace {

using compiler::Verification;

/// Says of every function that it returns so many values; its `return` has none.
class SetResults : public mlir::PassWrapper<SetResults, mlir::OperationPass<mlir::ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SetResults)
  explicit SetResults(size_t count) : count(count) {}

  void runOnOperation() override {
    mlir::Builder builder(&getContext());
    llvm::SmallVector<mlir::Type> results(count, builder.getI32Type());
    for (auto function : getOperation().getOps<mlir::func::FuncOp>())
      function.setFunctionType(builder.getFunctionType({}, results));
  }

private:
  size_t count;
};

/// Whether the phase of these passes is said to have succeeded.
bool run(std::initializer_list<size_t> counts, Verification verification) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::func::FuncDialect>();
  context.getDiagEngine().registerHandler([](mlir::Diagnostic &) { return mlir::success(); });
  auto module = mlir::parseSourceString<mlir::ModuleOp>("func.func @f() { return }", &context);
  return compiler::runPhase(
      *module,
      [&](mlir::OpPassManager &passes) {
        for (size_t count : counts)
          passes.addPass(std::make_unique<SetResults>(count));
      },
      verification);
}

TEST(RunPhase, WhatItLeavesIsVerified) {
  for (Verification verification : {Verification::AfterEachPass, Verification::AtTheEnd}) {
    EXPECT_TRUE(run({0}, verification));
    EXPECT_FALSE(run({1}, verification));
    EXPECT_FALSE(run({0, 1}, verification));
  }
}

TEST(RunPhase, BetweenPassesOnlyIfAsked) {
  EXPECT_FALSE(run({1, 0}, Verification::AfterEachPass));
  EXPECT_TRUE(run({1, 0}, Verification::AtTheEnd));
}

} // namespace
} // namespace tilewright::test
