#include "tests/benchmarks/gpu/LinearShapes.h"

#include "tests/benchmarks/gpu/Failure.h"

#include <gtest/gtest.h>
#include <set>

using namespace benchmarks;

TEST(LinearShapes, AreNamedOrWrittenOut) {
  EXPECT_EQ(parseShape("bert_up").text(), "bert_up 16384 x 3072 x 768");
  EXPECT_EQ(parseShape("7x8x9").text(), "7 x 8 x 9");
  LinearShape images = parseShape("48x8x9/16");
  EXPECT_EQ(images.text(), "48 x 8 x 9 rows innermost");
  EXPECT_EQ(images.inner, 16);
  for (const char *wrong : {"", "bert", "7x8", "7x8x9x", "7x8x9/2", "7x8x0", "8x8x8/0"})
    EXPECT_THROW(parseShape(wrong), Failure) << wrong;
}

TEST(LinearShapes, TilesAreChosenOrWrittenOut) {
  EXPECT_EQ(parseTile("chosen").text(), "");
  EXPECT_EQ(parseTile("128x192x64").text(), "128x192x64");
  for (const char *wrong : {"", "128", "128x192", "128x192x64x", "0x1x1", "8x8x-1"})
    EXPECT_THROW(parseTile(wrong), Failure) << wrong;
}

TEST(LinearShapes, EveryElementOfXHasItsPlace) {
  for (const char *text : {"6x1x5", "6x1x5/3", "6x1x5/6"}) {
    LinearShape shape = parseShape(text);
    std::set<int64_t> places;
    for (int64_t row = 0; row < shape.m; ++row)
      for (int64_t depth = 0; depth < shape.k; ++depth)
        places.insert(shape.xIndex(row, depth));
    EXPECT_EQ(places.size(), 30u) << text;
    EXPECT_EQ(*places.rbegin(), 29) << text;
  }
  EXPECT_EQ(parseShape("6x1x5/3").xIndex(4, 2), 15 + 2 * 3 + 1); // image 1, channel 2, place 1
}
