// The search against counting every byte.
#include "runtime/Overlap.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

using namespace tilewright::runtime;

static BoundView strided(std::vector<int64_t> extents, std::vector<int64_t> strides, int64_t elementBytes = 4) {
  BoundView view;
  view.elementBytes = elementBytes;
  view.rank = static_cast<int>(extents.size());
  std::copy(extents.begin(), extents.end(), view.extents);
  std::copy(strides.begin(), strides.end(), view.strides);
  return view;
}

static std::vector<int64_t> addresses(const BoundView &view, int64_t base) {
  std::vector<int64_t> result = {base};
  for (int axis = 0; axis < view.rank; ++axis) {
    std::vector<int64_t> next;
    for (int64_t address : result)
      for (int64_t index = 0; index < view.extents[axis]; ++index)
        next.push_back(address + index * view.strides[axis] * view.elementBytes);
    result = next;
  }
  return result;
}

static void *at(int64_t address) {
  return reinterpret_cast<void *>(address);
}

TEST(Overlap, ColumnBlocksOfOneMatrixShareNothing) {
  BoundView left = strided({100, 8}, {24, 1}), right = strided({100, 16}, {24, 1});
  EXPECT_EQ(overlaps(left, at(0x1000), right, at(0x1000 + 8 * 4)), Answer::No);
  EXPECT_EQ(overlaps(left, at(0x1000), right, at(0x1000 + 7 * 4)), Answer::Yes);
}

TEST(Overlap, EvenAndOddElementsShareNothing) {
  EXPECT_EQ(overlaps(strided({1000}, {2}), at(0x1000), strided({1000}, {2}), at(0x1004)), Answer::No);
  EXPECT_EQ(overlaps(strided({1000}, {2}), at(0x1000), strided({1000}, {2}), at(0x1002)), Answer::Yes); // halves of elements
}

TEST(Overlap, EmptyViewsShareNothing) {
  EXPECT_EQ(overlaps(strided({0}, {1}), at(0x1000), strided({8}, {1}), at(0x1000)), Answer::No);
}

TEST(Overlap, AgreesWithCounting) {
  std::mt19937 random(7);
  auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int met = 0, apart = 0;
  for (int round = 0; round < 4000; ++round) {
    auto make = [&] {
      std::vector<int64_t> extents, strides;
      for (int axis = pick(1, 3); axis-- > 0;) {
        extents.push_back(pick(1, 5));
        strides.push_back(pick(-12, 12));
      }
      return strided(extents, strides, 1 << pick(0, 2));
    };
    BoundView a = make(), b = make();
    int64_t aBase = 1000, bBase = 1000 + pick(-60, 60);
    std::set<int64_t> bytes;
    for (int64_t address : addresses(a, aBase))
      for (int64_t byte = 0; byte < a.elementBytes; ++byte)
        bytes.insert(address + byte);
    bool expected = false;
    for (int64_t address : addresses(b, bBase))
      for (int64_t byte = 0; byte < b.elementBytes; ++byte)
        expected |= bytes.count(address + byte) != 0;
    ASSERT_EQ(overlaps(a, at(aBase), b, at(bBase)), expected ? Answer::Yes : Answer::No) << "round " << round;
    (expected ? met : apart) += 1;
  }
  EXPECT_GT(met, 100);
  EXPECT_GT(apart, 100);
}

TEST(Overlap, ItselfAgreesWithCounting) {
  std::mt19937 random(11);
  auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int injective = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<int64_t> extents, strides;
    for (int axis = pick(1, 4); axis-- > 0;) {
      extents.push_back(pick(1, 4));
      strides.push_back(pick(-9, 20));
    }
    BoundView view = strided(extents, strides);
    std::vector<int64_t> all = addresses(view, 0);
    bool expected = std::set<int64_t>(all.begin(), all.end()).size() != all.size();
    ASSERT_EQ(overlapsItself(view), expected ? Answer::Yes : Answer::No) << "round " << round;
    injective += !expected;
  }
  EXPECT_GT(injective, 100);
}

TEST(Overlap, StridesThatAreNotNestedCanStillBeApart) {
  EXPECT_EQ(overlapsItself(strided({2, 3}, {3, 2})), Answer::No);  // 0 2 4 3 5 7
  EXPECT_EQ(overlapsItself(strided({3, 4}, {3, 2})), Answer::Yes); // 6 twice
  EXPECT_EQ(overlapsItself(strided({5}, {0})), Answer::Yes);
  EXPECT_EQ(overlapsItself(strided({0, 5}, {1, 0})), Answer::No);
}
