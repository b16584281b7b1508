// The model against what was measured, and its behaviour at the ends of its range.
#include "compiler/pipeline/ScheduleModel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>

using namespace tilewright::compiler;

namespace {

constexpr int64_t multiprocessors = 132;

double cycles(const ProductShape &shape, const ProductTile &tile) {
  return estimatedCycles(shape, tile, multiprocessors);
}

ProductTile best(const ProductShape &shape) {
  return bestTile(shape, multiprocessors);
}

/// Rows, columns and steps of the products of common networks, and the tile that was the fastest by measurement (one H200, a
/// hand-written kernel with every tile that it can have).
struct Measured {
  const char *name;
  ProductShape shape;
  ProductTile fastest;
};

constexpr Measured measured[] = {
    {"transformer, width 256", {4096, 1024, 256}, {128, 128}},
    {"transformer, width 512", {4096, 2048, 512}, {128, 128}},
    {"transformer, width 1024", {2048, 4096, 1024}, {128, 128}},
    {"transformer, width 2048", {1024, 8192, 2048}, {128, 128}},
    {"transformer, width 4096", {1024, 16384, 4096}, {128, 144}},
    {"768 to 3072", {16384, 3072, 768}, {128, 192}},
    {"3072 to 768", {16384, 768, 3072}, {128, 192}},
    {"768 to 3 x 768", {16384, 2304, 768}, {128, 192}},
    {"4096 to 6144", {8192, 6144, 4096}, {128, 176}},
    {"square, 4096", {4096, 4096, 4096}, {128, 128}},
    {"square, 8192", {8192, 8192, 8192}, {128, 192}},
    {"16 rows", {16, 14336, 4096}, {64, 112}},
    {"24 images of 1024", {24576, 9856, 1408}, {128, 176}},
    {"little and deep", {1024, 1024, 8192}, {64, 128}},
    {"256 rows", {256, 4096, 4096}, {64, 128}},
    {"512 rows", {512, 4096, 1024}, {128, 128}},
    {"rows that begin within sectors", {2000, 2000, 1000}, {128, 256}},
    {"rows that begin with sectors", {2000, 2000, 1008}, {128, 128}},
};

} // namespace

TEST(ScheduleModel, WhatWasMeasuredToBeTheFastestIsNearlyThatInTheModel) {
  for (const Measured &product : measured) {
    ProductTile picked = best(product.shape);
    EXPECT_LE(cycles(product.shape, product.fastest), 1.03 * cycles(product.shape, picked))
        << product.name << ": picks " << picked.rows << " x " << picked.columns;
  }
}

TEST(ScheduleModel, FewTilesWithLongSumsAreSplit) {
  // A gradient of weights: 32 tiles of 128 × 256 for 132 multiprocessors.
  ProductShape gradient{1024, 1024, 16384, 1, 0, 64};
  EXPECT_EQ(best(gradient), (ProductTile{128, 128, 2})); // four blocks for a tile were slower than one
  EXPECT_LT(cycles(gradient, {128, 128, 2}), 0.9 * cycles(gradient, {64, 128}));
  gradient.computedOf = 2;
  EXPECT_EQ(best(gradient), (ProductTile{128, 128, 2}));
  // Short sums, many tiles, one round that is full already: not split.
  for (const ProductShape &shape : {ProductShape{1024, 1024, 1024}, ProductShape{16384, 3072, 16384}, ProductShape{1024, 1024, 8192}, ProductShape{16, 14336, 4096}})
    EXPECT_EQ(best(shape).split, 1) << shape.rows << ", " << shape.columns << ", " << shape.depth;
}

TEST(ScheduleModel, ASplitThatIsAskedForIsHad) {
  for (int64_t split : {2, 4, 8})
    for (const ProductShape &shape : {ProductShape{0, 0, 0}, ProductShape{1024, 1024, 64}, ProductShape{1 << 20, 4096, 4096}, ProductShape{64, 64, 0, 1, 2, 64}}) {
      ProductTile tile = bestTile(shape, multiprocessors, split);
      EXPECT_EQ(tile.split, split);
      EXPECT_EQ(tile.rows, 128);
      EXPECT_EQ(tile.columns % (16 * split), 0) << tile.columns;
    }
  for (const Measured &product : measured)
    EXPECT_EQ(bestTile(product.shape, multiprocessors, 1).split, 1) << product.name;
}

TEST(ScheduleModel, MoreBlocksForATileTakeShorterButMeet) {
  ProductShape shape{1024, 1024, 16384}, shallow{1024, 1024, 64};
  for (int64_t split : {2, 4}) {
    EXPECT_LT(cycles(shape, {128, 256, split}), cycles(shape, {128, 256, split / 2})) << split;
    EXPECT_GT(cycles(shallow, {128, 256, split}), cycles(shallow, {128, 256})) << split;
  }
}

TEST(ScheduleModel, AComputedOperandWantsWideTiles) {
  // An element is computed once for each tile of columns.
  for (int64_t columns : {768, 1024, 4096}) {
    ProductShape shape{16384, columns, 3072, 1, 2, 64, 13.5};
    EXPECT_EQ(best(shape), (ProductTile{128, 256})) << columns;
    EXPECT_LT(cycles({16384, columns, 3072}, {128, 256}), cycles(shape, {128, 256})) << columns;
    EXPECT_LT(cycles(shape, {128, 256}), cycles(shape, {128, 128})) << columns;
  }
  EXPECT_EQ(best({0, 0, 0, 1, 2, 64}), (ProductTile{128, 256}));
}

TEST(ScheduleModel, WhatAnOperandTakesIsHiddenBehindItsProducts_UpToAPoint) {
  auto takes = [](double instructions) { return cycles({16384, 4096, 3072, 1, 2, 64, instructions}, {128, 256}); };
  EXPECT_EQ(takes(1), takes(4));
  EXPECT_LT(takes(4), takes(13.5));
  EXPECT_GT(takes(27) / takes(13.5), 1.6);
}

TEST(ScheduleModel, ContiguousColumnsAreWholePanels) {
  for (int64_t columns : {9, 100, 176, 1000, 6144})
    for (int64_t rows : {16, 1000, 16384}) {
      EXPECT_EQ(best({rows, columns, 4096, 1, 0, 64}).columns % 64, 0) << rows << " x " << columns;
      EXPECT_EQ(best({rows, columns, 4096, 1, 1, 64}).columns % 64, 0) << rows << " x " << columns;
    }
}

TEST(ScheduleModel, ManyProductsTakeAsLongAsOneOfAsManyRows) {
  ProductShape one{24 * 1024, 9856, 1408}, many{1024, 9856, 1408, 24};
  for (ProductTile tile : {ProductTile{128, 128}, ProductTile{128, 176}, ProductTile{128, 256}})
    EXPECT_NEAR(cycles(many, tile), cycles(one, tile), 0.01 * cycles(one, tile));
  EXPECT_EQ(best(many), best(one));
}

TEST(ScheduleModel, WhatStoresPartsHasRegistersForThem) {
  ProductShape shape{16384, 2080, 4096};
  ASSERT_EQ(best(shape), (ProductTile{128, 208}));
  for (int64_t columns : {208, 1040, 2080, 2912, 9984})
    for (int64_t rows : {64, 1000, 16384, 65536}) {
      shape = {rows, columns, 4096};
      shape.storesParts = true;
      EXPECT_NE(best(shape), (ProductTile{128, 208})) << rows << " x " << columns;
    }
}

TEST(ScheduleModel, TheEffectsThatWereMeasuredAreThere) {
  // Between 12 and 25 % were lost by two warpgroups on one tile of 128 x 256 where the epilogue weighs, 9 % on a square by a
  // tile that does not fill the last round of multiprocessors.
  ProductShape epilogue{16384, 3072, 768}, square{4096, 4096, 4096};
  EXPECT_GT(cycles(epilogue, {128, 256}), 1.12 * cycles(epilogue, {128, 192}));
  EXPECT_GT(cycles(square, {128, 192}), 1.05 * cycles(square, {128, 128}));
  // In time, with the clock that long runs have: within 15 % of 583 µs and 108 µs.
  EXPECT_NEAR(cycles({8192, 6144, 4096}, {128, 176}) / 1420, 583, 0.15 * 583);
  EXPECT_NEAR(cycles({16384, 768, 3072}, {128, 192}) / 1420, 108, 0.15 * 108);
}

TEST(ScheduleModel, NoTileOfTheSearchIsBetterThanThePick) {
  for (const Measured &product : measured)
    for (int64_t columns : {64, 96, 112, 128, 144, 160, 176, 192, 208, 256})
      if (product.shape.rows > 64)
        EXPECT_LE(cycles(product.shape, best(product.shape)), cycles(product.shape, {128, columns}))
            << product.name << ": " << columns;
}

TEST(ScheduleModel, APickCanBeScheduled) {
  // Whole blocks of 64 rows, whole slices of 16 columns, no more than 208 accumulators for each thread of one or two
  // warpgroups.
  for (int64_t rows : {1, 16, 64, 65, 128, 1000, 100000})
    for (int64_t columns : {1, 8, 64, 100, 1000, 100000})
      for (int64_t depth : {0, 1, 64, 1000, 100000}) {
        ProductTile tile = best({rows, columns, depth});
        EXPECT_EQ(tile.rows % 64, 0) << rows << " x " << columns;
        EXPECT_EQ(tile.columns % 16, 0) << rows << " x " << columns;
        int64_t warpgroups = tile.rows % 128 == 0 ? 2 : 1;
        EXPECT_LE(tile.rows * tile.columns / (128 * warpgroups), 208) << rows << " x " << columns;
        EXPECT_LE(tile.columns, 256) << rows << " x " << columns;
      }
}

TEST(ScheduleModel, FewRowsHaveTilesThatFillTheMultiprocessors) {
  // All that a product of 16 rows waits for is memory: no tile that leaves enough multiprocessors at work is better.
  ProductShape few{16, 14336, 4096};
  double bytes = 2.0 * (16 * 4096 + 14336.0 * 4096 + 16 * 14336), bytesPerCycle = 3900 / 1.72;
  EXPECT_NEAR(cycles(few, best(few)), 3700 + bytes / bytesPerCycle, 1);
  // 56 tiles of 256 columns do not saturate it.
  EXPECT_GT(cycles(few, {128, 256}), 1.3 * cycles(few, best(few)));
}

TEST(ScheduleModel, AProductThatIsBoundByMemoryTakesAsLongAsItsBytes) {
  // One step of 64 for each tile: 128 bytes of a row, 128 of its result.
  ProductShape thin{1 << 20, 64, 64};
  double bytes = 2.0 * ((1 << 20) * 64.0 + 64 * 64 + (1 << 20) * 64.0), bytesPerCycle = 3900 / 1.72;
  EXPECT_NEAR(cycles(thin, best(thin)), 3700 + bytes / bytesPerCycle, 1);
}

TEST(ScheduleModel, OfUnknownExtentsTheTileIsOneForMost) {
  EXPECT_EQ(best({0, 0, 0}), (ProductTile{128, 128}));
  EXPECT_EQ(best({0, 4096, 4096}), (ProductTile{128, 128}));
  EXPECT_EQ(best({4096, 0, 4096}), (ProductTile{128, 128}));
  EXPECT_EQ(best({-1, 4096, 4096}), (ProductTile{128, 128}));
}

TEST(ScheduleModel, AnUnknownDepthIsOneStep) {
  EXPECT_EQ(cycles({4096, 4096, 0}, {128, 128}) < cycles({4096, 4096, 128}, {128, 128}), true);
  EXPECT_EQ(best({4096, 4096, 0}), best({4096, 4096, 64}));
}

TEST(ScheduleModel, TwiceTheRowsAreTwiceTheWork) {
  ProductShape one{1 << 17, 8192, 4096}, two{1 << 18, 8192, 4096};
  EXPECT_NEAR(cycles(two, {128, 192}) / cycles(one, {128, 192}), 2, 0.02);
}

TEST(ScheduleModel, ExtentsThatNoMemoryHasAreEstimatedAtOnce) {
  auto start = std::chrono::steady_clock::now();
  for (int64_t extent : {int64_t(1) << 20, int64_t(1) << 31, int64_t(1) << 40, int64_t(1) << 62, INT64_MAX}) {
    ProductShape shape{extent, extent, 4096};
    double estimate = cycles(shape, best(shape));
    EXPECT_TRUE(std::isfinite(estimate) && estimate > 0) << extent;
    EXPECT_GT(estimate, cycles({extent / 2, extent, 4096}, best(shape))) << extent;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}
