#include "runtime/Text.h"

#include <gtest/gtest.h>

#include <vector>

using namespace tilewright::runtime;

TEST(Text, ConcatenatesTextsAndNumbers) {
  EXPECT_EQ(concat("K is ", 77, ", eps ", 0.1f, '!'), "K is 77, eps 0.1!");
}

TEST(Text, SuggestsTheNearestName) {
  std::vector<std::string> names = {"linear", "softmax"};
  EXPECT_EQ(suggestion("linaer", names), " (did you mean linear?)");
  EXPECT_EQ(suggestion("attention", names), " (there are linear, softmax)");
  EXPECT_EQ(suggestion("x", {}), " (there are none)");
}

TEST(Text, DoesNotSuggestForOneLetter) {
  std::vector<std::string> names = {"a", "b"};
  EXPECT_EQ(nearest("x", names), "");
}
