// How much shared memory sums and reports ask for while they run: none where there is no barrier to meet at.

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

namespace tilewright::test {
namespace {

constexpr const char *types = R"(
!si = !tile.span<"i", 16>
!sr = !tile.span<"r", 2>
!ii = tensor<16xi64, #tile.axes<"i">>
!ri = tensor<2xi64, #tile.axes<"r">>
!iri = tensor<16x2xi64, #tile.axes<"i", "r">>
!i = tensor<16xi32, #tile.axes<"i">>
!b = tensor<16xi1, #tile.axes<"i">>
!n8 = !tile.view<element = i8, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 1>
!n32 = !tile.view<element = i32, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>
!f32 = !tile.view<element = f32, dims = ["N"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 4>
)";

class ScratchTest : public ::testing::Test {
protected:
  ScratchTest() {
    context.loadDialect<tile::TileDialect, tilegpu::TileGPUDialect, mlir::arith::ArithDialect, mlir::scf::SCFDialect>();
  }

  /// What the last operation of a kernel's one tile asks for; a block has one warp.
  int64_t bytesOfLast(const std::string &operations, const std::string &mode = "") {
    std::string text = std::string(types) + "tile.kernel @k(%n8: !n8, %n32: !n32, %f32: !f32, %N: i64) dimensions = 1 " + mode +
                       R"( {
  %c0 = arith.constant 0 : i64
  %one = arith.constant 1 : i32
  %half = arith.constant 0.5 : f32
  %yes = arith.constant true
  %r = tile.span : !sr
  tile.parallel "i" %i : !si in %c0 to %N {
    %at = tile.index %i : !si -> !ii
    %rat = tile.index %r : !sr -> !ri
    %a = tile.broadcast %at : !ii -> !iri
    %b = tile.broadcast %rat : !ri -> !iri
    %met = arith.addi %a, %b : !iri
    %ok = arith.cmpi sge, %at, %at : !ii
)" + operations + "\n}}";
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    mlir::PassManager passes(&context);
    passes.addPass(createAssignLayouts());
    EXPECT_TRUE(mlir::succeeded(passes.run(*module)));
    mlir::Operation *last = nullptr;
    module->walk([&](tile::ParallelOp parallel) { last = parallel.getBody().front().getTerminator()->getPrevNode(); });
    EXPECT_EQ(tilegpu::warpsOf(last->getParentOfType<tile::KernelOp>()), 1);
    return gpu::sumScratchBytes(last) + gpu::reportScratchBytes(last);
  }

private:
  mlir::MLIRContext context;
};

TEST_F(ScratchTest, OwnedElementsNeedNone) {
  EXPECT_EQ(bytesOfLast("tile.accumulate add %half, %f32[%at] spans(%i) compare [false] : f32, !f32, (!ii), spans(!si)"), 0);
  EXPECT_EQ(bytesOfLast("tile.accumulate add %half, %f32[%c0] compare [false] shared : f32, !f32, (i64)"), 0);
}

TEST_F(ScratchTest, FloatsThatMeetAreShownWithTheirAddresses) {
  EXPECT_EQ(
      bytesOfLast(
          "tile.accumulate add %half, %f32[%met] spans(%i, %r) compare [false] shared : f32, !f32, (!iri), spans(!si, !sr)"),
      32 * (8 + 4));
}

TEST_F(ScratchTest, WhatAnyOrderGivesTheSameForNeedsNone) {
  EXPECT_EQ(
      bytesOfLast(
          "tile.accumulate max %half, %f32[%met] spans(%i, %r) compare [false] shared : f32, !f32, (!iri), spans(!si, !sr)"),
      0);
  EXPECT_EQ(
      bytesOfLast("tile.accumulate add %one, %n32[%met] spans(%i, %r) compare [false] : i32, !n32, (!iri), spans(!si, !sr)"),
      0);
}

// Atomic operations on partial sums of i32, but there are none on bytes in place.
TEST_F(ScratchTest, BytesThatMeetDependOnWhereTheyAreSummed) {
  EXPECT_EQ(bytesOfLast(
                "tile.accumulate add %one, %n8[%met] spans(%i, %r) compare [false] shared : i32, !n8, (!iri), spans(!si, !sr)"),
            0);
  EXPECT_EQ(
      bytesOfLast("tile.accumulate add %one, %n8[%met] spans(%i, %r) compare [false] : i32, !n8, (!iri), spans(!si, !sr)"),
      32 * (8 + 4));
}

TEST_F(ScratchTest, OldValuesArePassedOnToReplicas) {
  EXPECT_EQ(bytesOfLast("%old = tile.atomic_rmw add %one, %n32[%c0] compare [false] : i32, !n32, (i64) -> i32"), 4);
  EXPECT_EQ(bytesOfLast("tile.atomic_rmw add %one, %n32[%c0] compare [false] : i32, !n32, (i64)"), 0);
  EXPECT_EQ(
      bytesOfLast("%old = tile.atomic_rmw add %one, %n32[%at] spans(%i) compare [false] : i32, !n32, (!ii), spans(!si) -> !i"),
      16 * 4);
}

TEST_F(ScratchTest, ReportsOfTiles) {
  EXPECT_EQ(bytesOfLast("tile.print 0 (%at : !ii) spans(%i : !si) unsigned [false]"), 8);
  EXPECT_EQ(bytesOfLast("tile.print 0 (%c0 : i64) unsigned [false]"), 0);
  EXPECT_EQ(bytesOfLast("tile.assert 0 %ok (%at : !ii) spans(%i : !si) : !b", "checked"), 4);
  EXPECT_EQ(bytesOfLast("tile.assert 0 %ok (%at : !ii) spans(%i : !si) : !b"), 0);
  EXPECT_EQ(bytesOfLast("tile.assert 0 %yes : i1", "checked"), 0);
}

} // namespace
} // namespace tilewright::test
