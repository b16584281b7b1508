#include "runtime/cpu/TileCost.h"

#include <gtest/gtest.h>

using namespace tilewright::runtime;

TEST(TileCost, FewLargeProductsAreWorthThreads) {
  TileCost cost;
  cost.begin(/*operations=*/0, 4);
  EXPECT_FALSE(cost.areWorthThreads(4));
  cost.begin(4 * 1e9, 4); // four tiles of 10 ms each
  EXPECT_TRUE(cost.areWorthThreads(4));
  EXPECT_EQ(cost.tilesOfOnePart(), 1);
}

TEST(TileCost, SmallProductsAndUnknownGridsChangeNothing) {
  TileCost usual, small, unknown;
  small.begin(1000, 4);
  unknown.begin(1e12, -1);
  EXPECT_EQ(small.nanoseconds(), usual.nanoseconds());
  EXPECT_EQ(unknown.nanoseconds(), usual.nanoseconds());
}

TEST(TileCost, OneTileIsNeverWorthThreads) {
  TileCost cost;
  cost.begin(1e12, 1);
  EXPECT_FALSE(cost.areWorthThreads(1));
}
