// Each constructor against the formula by which its instruction is defined (PTX ISA, sections of mma, wgmma and ldmatrix), or,
// for blocked layouts, against the formula of the header.
#include "dialects/Layout/MatrixLayouts.h"
#include "tests/unit/layout/LayoutSamples.h"

#include <functional>

using namespace tilewright::layout;
using namespace tilewright::layout::test;

namespace {

const int64_t oddExtents[] = {96, 144, 176, 192, 208};

/// Checks that the holder of every element is (among) what `place` says.
void expectHeld(const DistributedLayout &layout,
                const std::function<bool(const Holder &, int64_t row, int64_t column)> &place) {
  for (int64_t registerIndex = 0; registerIndex < layout.registers(); ++registerIndex)
    for (int64_t lane = 0; lane < lanesOfWarp; ++lane)
      for (int64_t warp = 0; warp < layout.warps(); ++warp) {
        Holder holder = {registerIndex, lane, warp};
        Coordinates element = layout.elementAt(holder);
        ASSERT_TRUE(place(holder, element[0], element[1]))
            << nameOf(holder) << " holds " << element[0] << ", " << element[1] << " of " << layout.str();
      }
}

} // namespace

TEST(MatrixLayouts, MmaAccumulator) {
  for (int64_t columns : {int64_t(8), int64_t(64), oddExtents[0], oddExtents[1], oddExtents[2], oddExtents[3], oddExtents[4]}) {
    DistributedLayout layout = *mmaAccumulatorLayout(16, columns, {1, 1});
    ASSERT_EQ(layout.registers(), columns / 2);
    // c0 … c3 of instruction n: PTX, "Matrix fragments for mma.m16n8k16".
    expectHeld(layout, [](const Holder &at, int64_t row, int64_t column) {
      int64_t i = at.registerIndex % 4, instruction = at.registerIndex / 4;
      return row == at.lane / 4 + (i < 2 ? 0 : 8) && column == 8 * instruction + at.lane % 4 * 2 + (i & 1);
    });
  }
}

TEST(MatrixLayouts, MmaAccumulatorOverWarps) {
  DistributedLayout layout = *mmaAccumulatorLayout(96, 144, {2, 2});
  expectHeld(layout, [](const Holder &at, int64_t row, int64_t column) {
    return row / 16 % 2 == at.warp % 2 && column / 8 % 2 == at.warp / 2 && row % 8 == at.lane / 4 &&
           column % 8 / 2 == at.lane % 4;
  });
  std::string why;
  EXPECT_FALSE(mmaAccumulatorLayout(96, 144, {4, 1}, &why));
  EXPECT_EQ(why, "96 rows are not a multiple of 64, a power of two that the fragments and warps along them need");
  EXPECT_FALSE(mmaAccumulatorLayout(16, 20, {1, 1}, &why));
  EXPECT_FALSE(mmaAccumulatorLayout(64, 64, {3, 1}, &why));
}

TEST(MatrixLayouts, WgmmaAccumulator) {
  for (int64_t columns = 8; columns <= 256; columns += 8) {
    DistributedLayout layout = *wgmmaAccumulatorLayout(64, columns);
    ASSERT_EQ(layout.registers(), columns / 2);
    // d[i]: PTX, "WGMMA .m64nNk16 register fragment layout for accumulator matrix D".
    expectHeld(layout, [](const Holder &at, int64_t row, int64_t column) {
      int64_t i = at.registerIndex;
      return row == 16 * at.warp + at.lane / 4 + 8 * (i / 2 % 2) && column == 8 * (i / 4) + at.lane % 4 * 2 + i % 2;
    });
  }
  EXPECT_EQ(wgmmaAccumulatorLayout(128, 192)->registers(), 192);
  EXPECT_FALSE(wgmmaAccumulatorLayout(96, 64));
}

TEST(MatrixLayouts, DotOperandA) {
  for (unsigned bits : {8u, 16u, 32u}) {
    int64_t packed = 32 / bits;
    DistributedLayout layout = *dotOperandALayout(16, 8 * packed, bits, {1, 1});
    ASSERT_EQ(layout.registers(), 4 * packed);
    // a_i: PTX, "Matrix fragments for mma.m16n8k8 (tf32), k16 (bf16), k32 (s8, e4m3)".
    expectHeld(layout, [=](const Holder &at, int64_t row, int64_t depth) {
      int64_t word = at.registerIndex / packed;
      return row == at.lane / 4 + (word % 2 ? 8 : 0) &&
             depth == at.lane % 4 * packed + at.registerIndex % packed + (word >= 2 ? 4 * packed : 0);
    });
  }
}

TEST(MatrixLayouts, DotOperandB) {
  for (unsigned bits : {8u, 16u, 32u}) {
    int64_t packed = 32 / bits;
    DistributedLayout layout = *dotOperandBLayout(8 * packed, 8, bits, {1, 1});
    ASSERT_EQ(layout.registers(), 2 * packed);
    expectHeld(layout, [=](const Holder &at, int64_t depth, int64_t column) {
      return column == at.lane / 4 &&
             depth == at.lane % 4 * packed + at.registerIndex % packed + (at.registerIndex >= packed ? 4 * packed : 0);
    });
  }
}

// Each instruction of a larger operand is a fragment, and warps that share rows or columns share the operand.
TEST(MatrixLayouts, DotOperandsOfManyInstructions) {
  for (int64_t depth : {int64_t(16), int64_t(64), int64_t(96), int64_t(144), int64_t(208)}) {
    DistributedLayout a = *dotOperandALayout(96, depth, 16, {2, 2});
    expectHeld(a, [](const Holder &at, int64_t row, int64_t k) {
      return row % 8 == at.lane / 4 && row / 16 % 2 == at.warp % 2 && k % 8 / 2 == at.lane % 4;
    });
    EXPECT_EQ(a.holdersOf({17, 3}).size(), 2u);
    DistributedLayout b = *dotOperandBLayout(depth, 176, 16, {2, 2});
    expectHeld(b, [](const Holder &at, int64_t k, int64_t column) {
      return column % 8 == at.lane / 4 && column / 8 % 2 == at.warp / 2 && k % 8 / 2 == at.lane % 4;
    });
  }
}

// What mma of these fragments needs: a product of rows and columns in one lane group has all its depth in the group's lanes.
TEST(MatrixLayouts, ADepthIsSplitOverTheSameLanesInAAndB) {
  for (unsigned bits : {8u, 16u, 32u}) {
    int64_t packed = 32 / bits;
    DistributedLayout a = *dotOperandALayout(16, 8 * packed, bits, {1, 1}), b = *dotOperandBLayout(8 * packed, 8, bits, {1, 1});
    for (int64_t k = 0; k < 8 * packed; ++k)
      EXPECT_EQ(a.holderOf({0, k}).lane % 4, b.holderOf({k, 0}).lane % 4) << k;
  }
}

TEST(MatrixLayouts, Ldmatrix) {
  for (bool transposed : {false, true})
    for (int64_t columns : {16, 96, 144, 176, 208}) {
      DistributedLayout layout = *ldmatrixLayout(16, columns, transposed, {1, 1});
      // Register pair m holds matrix m; the thread's elements of an 8 x 8 matrix: PTX, ldmatrix, "fragment layout".
      expectHeld(layout, [=](const Holder &at, int64_t row, int64_t column) {
        int64_t matrix = at.registerIndex / 2 % 4, pair = at.lane % 4 * 2 + at.registerIndex % 2, other = at.lane / 4;
        int64_t matrixRow = transposed ? pair : other, matrixColumn = transposed ? other : pair;
        return row == 8 * (matrix % 2) + matrixRow && column == 16 * (at.registerIndex / 8) + 8 * (matrix / 2) + matrixColumn;
      });
    }
  EXPECT_EQ(*ldmatrixLayout(16, 16, false, {1, 1}), *dotOperandALayout(16, 16, 16, {1, 1}));
}

TEST(MatrixLayouts, LdmatrixRowsAreTheMatricesOfItsLayout) {
  DistributedLayout layout = *ldmatrixLayout(16, 16, false, {1, 1});
  for (int64_t lane = 0; lane < lanesOfWarp; ++lane) {
    // Lane l points at row l mod 8 of matrix l / 8, whose first element lands in register pair l / 8 of lane 4 · (l mod 8).
    MatrixRow row = ldmatrixRowOfLane(lane);
    EXPECT_EQ(layout.elementAt({lane / 8 * 2, lane % 8 * 4, 0}), (Coordinates{row.row, row.column}));
  }
}

TEST(MatrixLayouts, Blocked) {
  struct Case {
    std::vector<int64_t> shape;
    Blocked blocked;
  };
  const Case cases[] = {{{64, 64}, {{1, 4}, {4, 8}, {4, 1}, {1, 0}}},
                        {{96, 96}, {{2, 4}, {8, 4}, {2, 1}, {1, 0}}},
                        {{144, 176}, {{1, 4}, {8, 4}, {2, 1}, {1, 0}}},
                        {{192, 208}, {{4, 1}, {8, 4}, {2, 4}, {0, 1}}},
                        {{128}, {{4}, {32}, {4}, {0}}},
                        {{8, 16}, {{1, 4}, {4, 8}, {4, 1}, {1, 0}}},
                        {{4, 8, 24}, {{1, 1, 2}, {2, 4, 4}, {1, 2, 1}, {2, 1, 0}}}};
  for (const auto &[shape, blocked] : cases) {
    std::string why;
    std::optional<DistributedLayout> layout = blockedLayout(shape, blocked, &why);
    ASSERT_TRUE(layout) << why;
    for (int64_t registerIndex = 0; registerIndex < layout->registers(); ++registerIndex)
      for (int64_t lane = 0; lane < lanesOfWarp; ++lane)
        for (int64_t warp = 0; warp < layout->warps(); ++warp) {
          Coordinates element = layout->elementAt({registerIndex, lane, warp});
          // The digits of lane and warp: lanes run along the order, warps along dimension 0 first.
          std::vector<int64_t> laneOf(shape.size()), warpOf(shape.size());
          int64_t restOfLane = lane, restOfWarp = warp;
          for (unsigned dimension : blocked.order) {
            laneOf[dimension] = restOfLane % blocked.lanesPerDimension[dimension];
            restOfLane /= blocked.lanesPerDimension[dimension];
          }
          for (size_t dimension = 0; dimension < shape.size(); ++dimension) {
            warpOf[dimension] = restOfWarp % blocked.warpsPerDimension[dimension];
            restOfWarp /= blocked.warpsPerDimension[dimension];
          }
          for (size_t dimension = 0; dimension < shape.size(); ++dimension) {
            // x = (e + E·(l + L·(w + W·n))) mod 2^a: e and n are free, the rest is not.
            int64_t atom = layout->atomShape()[dimension], each = blocked.elementsPerThread[dimension];
            int64_t expected = each * (laneOf[dimension] + blocked.lanesPerDimension[dimension] * warpOf[dimension]);
            int64_t period = each * blocked.lanesPerDimension[dimension] * blocked.warpsPerDimension[dimension];
            int64_t fixed = element[dimension] % std::min(atom, period) / each * each;
            ASSERT_EQ(fixed % std::min(atom, period), expected % std::min(atom, period) / each * each)
                << layout->str() << " register " << registerIndex << " lane " << lane << " warp " << warp;
          }
        }
  }
}

TEST(MatrixLayouts, BlockedRegistersRunAlongTheOrder) {
  DistributedLayout layout = *blockedLayout({16, 96}, {{2, 4}, {4, 8}, {1, 1}, {1, 0}});
  EXPECT_EQ(layout.elementAt({1, 0, 0}), (Coordinates{0, 1}));
  EXPECT_EQ(layout.elementAt({3, 0, 0}), (Coordinates{0, 3}));
  EXPECT_EQ(layout.elementAt({4, 0, 0}), (Coordinates{1, 0}));
  EXPECT_EQ(layout.elementAt({8, 0, 0}), (Coordinates{8, 0}));
  EXPECT_EQ(layout.elementAt({16, 0, 0}), (Coordinates{0, 32})) << "the first repetition";
}

TEST(MatrixLayouts, BlockedIsRefusedWithTheReason) {
  std::string why;
  EXPECT_FALSE(blockedLayout({64, 64}, {{1, 3}, {4, 8}, {1, 1}, {1, 0}}, &why));
  EXPECT_EQ(why, "counts of a blocked layout are powers of two, found 3");
  EXPECT_FALSE(blockedLayout({64, 64}, {{1, 1}, {4, 4}, {1, 1}, {1, 0}}, &why));
  EXPECT_EQ(why, "a warp has 32 lanes, found 16");
  EXPECT_FALSE(blockedLayout({64, 64}, {{1, 1}, {4, 8}, {1, 1}, {1, 1}}, &why));
  EXPECT_EQ(why, "the order names each dimension once");
}
