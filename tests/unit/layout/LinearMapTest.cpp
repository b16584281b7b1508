#include "dialects/Layout/LinearMap.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <set>

using namespace tilewright::layout;

static LinearMap randomMap(std::mt19937 &random, unsigned inputs, unsigned outputs) {
  std::vector<uint64_t> bases;
  for (unsigned bit = 0; bit < inputs; ++bit)
    bases.push_back(random() & ((1u << outputs) - 1));
  return LinearMap(bases);
}

TEST(LinearMap, IsLinear) {
  std::mt19937 random(1);
  LinearMap map = randomMap(random, 8, 6);
  for (uint64_t a = 0; a < 256; ++a)
    for (uint64_t b = 0; b < 256; ++b)
      ASSERT_EQ(map(a ^ b), map(a) ^ map(b));
}

// Rank, kernel, solutions and inverse against enumeration of all inputs.
TEST(LinearMap, AlgebraAgreesWithEnumeration) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    unsigned inputs = 1 + random() % 8, outputs = 1 + random() % 7;
    LinearMap map = randomMap(random, inputs, outputs);
    std::set<uint64_t> image, zeros, spanned;
    for (uint64_t input = 0; input < uint64_t(1) << inputs; ++input) {
      image.insert(map(input));
      if (map(input) == 0)
        zeros.insert(input);
    }
    EXPECT_EQ(image.size(), size_t(1) << map.rank());
    std::vector<uint64_t> kernel = map.kernel();
    for (uint64_t choice = 0; choice < uint64_t(1) << kernel.size(); ++choice)
      spanned.insert(LinearMap(kernel)(choice));
    EXPECT_EQ(spanned, zeros);
    EXPECT_EQ(size_t(1) << kernel.size(), zeros.size()) << "independent";
    for (uint64_t value = 0; value < uint64_t(1) << outputs; ++value) {
      std::optional<uint64_t> solution = map.solve(value);
      ASSERT_EQ(solution.has_value(), image.contains(value));
      if (solution) {
        EXPECT_EQ(map(*solution), value);
      }
    }
    std::optional<LinearMap> inverse = map.inverse(outputs);
    ASSERT_EQ(inverse.has_value(), image.size() == size_t(1) << outputs);
    for (uint64_t value = 0; inverse && value < uint64_t(1) << outputs; ++value)
      ASSERT_EQ(map((*inverse)(value)), value);
  }
}

TEST(LinearMap, ASolutionUsesNoLateBitThatItCanDoWithout) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    LinearMap map = randomMap(random, 7, 4);
    for (uint64_t input = 0; input < 128; ++input) {
      uint64_t found = *map.solve(map(input));
      for (uint64_t other = 0; other < 128; ++other)
        if (map(other) == map(input)) {
          ASSERT_GE(std::bit_width(other), std::bit_width(found));
        }
    }
  }
}

TEST(LinearMap, Composes) {
  std::mt19937 random(4);
  LinearMap inner = randomMap(random, 7, 5), outer = randomMap(random, 5, 6), both = outer.after(inner);
  for (uint64_t input = 0; input < 128; ++input)
    EXPECT_EQ(both(input), outer(inner(input)));
}
