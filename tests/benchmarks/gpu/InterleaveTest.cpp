#include "tests/benchmarks/gpu/Interleave.h"

#include <gtest/gtest.h>
#include <string>

using namespace benchmarks;

TEST(Interleave, ContendersTakeTurns) {
  std::string order;
  double slow = 100;
  std::function<double()> contenders[] = {[&] {
                                            order += 'a';
                                            return slow /= 2; // 50 does not count
                                          },
                                          [&] {
                                            order += 'b';
                                            return 7;
                                          }};
  std::vector<Times> times = interleave(contenders, 3);
  EXPECT_EQ(order, "abababab");
  EXPECT_EQ(times[0].median, 12.5);
  EXPECT_EQ(times[0].minimum, 6.25);
  EXPECT_EQ(times[1].median, 7);
}

TEST(Interleave, TheMedianOfAnEvenNumberLiesBetween) {
  EXPECT_EQ(timesOf({4, 1, 3, 9}).median, 3.5);
  EXPECT_EQ(timesOf({4, 1, 3, 9}).minimum, 1);
  EXPECT_EQ(timesOf({5}).median, 5);
}
