#include "dialects/Layout/SharedLayout.h"
#include "tests/unit/layout/LayoutSamples.h"

#include <set>
#include <tuple>

using namespace tilewright::layout;
using namespace tilewright::layout::test;

static const Swizzle swizzles[] = {Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128};

// Each element has a place of its own, aligned to itself, and together they fill the buffer.
TEST(SharedLayout, IsOneToOne) {
  int layouts = 0;
  for (auto [rows, columns] :
       std::vector<std::pair<int64_t, int64_t>>{{8, 64}, {64, 64}, {96, 144}, {176, 192}, {208, 96}, {7, 13}})
    for (int64_t elementBytes : {1, 2, 4, 8})
      for (StorageOrder order : {StorageOrder::RowMajor, StorageOrder::ColumnMajor})
        for (Swizzle swizzle : swizzles) {
          std::optional<SharedLayout> layout = SharedLayout::create(rows, columns, elementBytes, order, swizzle);
          if (!layout)
            continue;
          ++layouts;
          std::set<int64_t> offsets;
          for (int64_t row = 0; row < rows; ++row)
            for (int64_t column = 0; column < columns; ++column) {
              int64_t offset = layout->offsetOf(row, column);
              ASSERT_TRUE(offset >= 0 && offset < layout->sizeBytes() && offset % elementBytes == 0);
              ASSERT_TRUE(offsets.insert(offset).second);
            }
        }
  EXPECT_GT(layouts, 80);
}

// The definition of the swizzles, said the other way: by rows and 16-byte chunks of a panel, as TMA writes them.
TEST(SharedLayout, SwizzlesPermuteTheChunksOfARow) {
  for (auto [swizzle, chunks, rowsPerStep] : std::vector<std::tuple<Swizzle, int64_t, int64_t>>{
           {Swizzle::Bytes128, 8, 1}, {Swizzle::Bytes64, 4, 2}, {Swizzle::Bytes32, 2, 4}}) {
    EXPECT_EQ(chunksOf(swizzle), chunks);
    int64_t panelColumns = chunks * 8, rows = 24, columns = 3 * panelColumns; // bf16
    SharedLayout layout = *SharedLayout::create(rows, columns, 2, StorageOrder::RowMajor, swizzle);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column) {
        int64_t panel = column / panelColumns, chunk = column % panelColumns / 8;
        int64_t permuted = chunk ^ (row / rowsPerStep % chunks);
        ASSERT_EQ(layout.offsetOf(row, column),
                  panel * rows * panelColumns * 2 + row * panelColumns * 2 + permuted * 16 + column % 8 * 2);
      }
  }
}

TEST(SharedLayout, ColumnMajorIsTheTransposedRowMajor) {
  for (Swizzle swizzle : swizzles) {
    SharedLayout rowMajor = *SharedLayout::create(96, 64, 2, StorageOrder::RowMajor, swizzle),
                 columnMajor = *SharedLayout::create(64, 96, 2, StorageOrder::ColumnMajor, swizzle);
    for (int64_t row = 0; row < 96; ++row)
      for (int64_t column = 0; column < 64; ++column)
        ASSERT_EQ(rowMajor.offsetOf(row, column), columnMajor.offsetOf(column, row));
  }
}

TEST(SharedLayout, WhatIsNoneIsRefusedWithTheReason) {
  std::string why;
  EXPECT_FALSE(SharedLayout::create(64, 96, 2, StorageOrder::RowMajor, Swizzle::Bytes128, &why));
  EXPECT_EQ(why, "the contiguous dimension has 192 bytes, which are no whole panels of 128");
  EXPECT_TRUE(SharedLayout::create(64, 96, 2, StorageOrder::RowMajor, Swizzle::Bytes64));
  EXPECT_TRUE(SharedLayout::create(64, 96, 2, StorageOrder::ColumnMajor, Swizzle::Bytes128));
  EXPECT_FALSE(SharedLayout::create(64, 64, 3, StorageOrder::RowMajor, Swizzle::None, &why));
  EXPECT_EQ(why, "elements have 1, 2, 4 or 8 bytes, found 3");
}

// The width is right: groups of so many registers hold neighbours, aligned, in every thread; and twice as many do not.
TEST(SharedLayout, VectorWidthIsTheWidest) {
  auto isPossible = [](const DistributedLayout &layout, unsigned dimension, int64_t width) {
    for (int64_t lane = 0; lane < lanesOfWarp; ++lane)
      for (int64_t warp = 0; warp < layout.warps(); ++warp) {
        std::set<Coordinates> held;
        for (int64_t registerIndex = 0; registerIndex < layout.registers(); ++registerIndex)
          held.insert(layout.elementAt({registerIndex, lane, warp}));
        for (Coordinates element : held) {
          element[dimension] = element[dimension] / width * width;
          for (int64_t step = 0; step < width; ++step, ++element[dimension])
            if (!held.contains(element))
              return false;
        }
      }
    return true;
  };
  for (auto [rows, columns, warps] : std::vector<std::tuple<int64_t, int64_t, int64_t>>{{64, 96, 4}, {32, 144, 2}, {16, 16, 1}})
    for (const auto &[name, layout] : samples(rows, columns, warps))
      for (unsigned dimension : {0u, 1u}) {
        int64_t width = vectorWidth(layout, dimension, 8);
        EXPECT_TRUE(isPossible(layout, dimension, width)) << name << ", " << width;
        if (width < 8) {
          EXPECT_FALSE(isPossible(layout, dimension, 2 * width)) << name << ": " << layout.str() << ", " << width;
        }
        std::set<int64_t> grouped;
        for (const std::vector<int64_t> &group : vectorRegisters(layout, dimension, width))
          for (size_t step = 0; step < group.size(); ++step) {
            grouped.insert(group[step]);
            for (int64_t lane = 0; lane < lanesOfWarp; ++lane) {
              Coordinates first = layout.elementAt({group[0], lane, warps - 1});
              ASSERT_EQ(first[dimension] % width, 0) << name;
              first[dimension] += static_cast<int64_t>(step);
              ASSERT_EQ(layout.elementAt({group[step], lane, warps - 1}), first) << name;
            }
          }
        EXPECT_EQ(grouped.size(), static_cast<size_t>(layout.registers())) << name << ": each register once";
      }
}

TEST(SharedLayout, WidthsThatAreKnown) {
  EXPECT_EQ(vectorWidth(*mmaAccumulatorLayout(16, 64, {1, 1}), 1, 8), 2);
  EXPECT_EQ(vectorWidth(*mmaAccumulatorLayout(16, 64, {1, 1}), 0, 8), 1);
  EXPECT_EQ(vectorWidth(*blockedLayout({64, 64}, {{1, 8}, {4, 8}, {1, 1}, {1, 0}}), 1, 8), 8);
  EXPECT_EQ(vectorWidth(*blockedLayout({64, 64}, {{1, 8}, {4, 8}, {1, 1}, {1, 0}}), 1, 4), 4);
  EXPECT_EQ(vectorWidth(*blockedLayout({64, 12}, {{1, 8}, {32, 1}, {1, 1}, {1, 0}}), 1, 8), 4) << "12 = 4 · 3";
}
