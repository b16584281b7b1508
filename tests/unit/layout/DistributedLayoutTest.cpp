#include "dialects/Layout/DistributedLayout.h"
#include "tests/unit/layout/LayoutSamples.h"

#include <algorithm>
#include <set>

using namespace tilewright::layout;
using namespace tilewright::layout::test;

namespace {

struct Tile {
  int64_t rows, columns, warps;
};
const Tile tiles[] = {{16, 16, 1},  {64, 64, 4}, {128, 64, 4}, {64, 96, 4},   {64, 144, 4}, {64, 176, 4}, {128, 192, 4},
                      {64, 208, 4}, {96, 96, 2}, {192, 32, 4}, {176, 144, 1}, {8, 8, 1},    {1, 128, 4},  {2, 2, 2}};

DistributedLayout fragment() {
  return *DistributedLayout::create({16, 8}, {{{0, 1}, {8, 0}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {}});
}

} // namespace

// The example of the header.
TEST(DistributedLayout, Lane13Register3OfTheFragmentIsRow11Column3) {
  DistributedLayout layout = fragment();
  EXPECT_EQ(layout.elementAt({3, 13, 0}), (Coordinates{11, 3}));
  EXPECT_EQ(layout.holderOf({11, 3}), (Holder{3, 13, 0}));
  EXPECT_EQ(layout.str(),
            "16x8 = atom 16x8 x repetitions 1x1; registers (0,1) (8,0); lanes (0,2) (0,4) (1,0) (2,0) (4,0); warps");
}

TEST(DistributedLayout, TheInverseFindsExactlyTheHolders) {
  int layouts = 0;
  for (auto [rows, columns, warps] : tiles)
    for (const auto &[name, layout] : samples(rows, columns, warps)) {
      std::vector<std::vector<Holder>> holders(static_cast<size_t>(rows * columns)); // in order
      for (int64_t registerIndex = 0; registerIndex < layout.registers(); ++registerIndex)
        for (int64_t lane = 0; lane < lanesOfWarp; ++lane)
          for (int64_t warp = 0; warp < layout.warps(); ++warp) {
            Coordinates element = layout.elementAt({registerIndex, lane, warp});
            ASSERT_TRUE(element[0] >= 0 && element[0] < rows && element[1] >= 0 && element[1] < columns);
            holders[static_cast<size_t>(element[0] * columns + element[1])].push_back({registerIndex, lane, warp});
          }
      bool isReplicated = false;
      for (size_t number = 0; number < holders.size(); ++number) {
        Coordinates element = {static_cast<int64_t>(number) / columns, static_cast<int64_t>(number) % columns};
        ASSERT_FALSE(holders[number].empty()) << name << ": " << layout.str();
        ASSERT_EQ(layout.elementAt(layout.holderOf(element)), element);
        if (number % 5 == 0) {
          ASSERT_EQ(layout.holdersOf(element), holders[number]) << name << ": " << layout.str();
        }
        isReplicated |= holders[number].size() > 1;
      }
      EXPECT_EQ(layout.hasReplicas(), isReplicated) << name;
      ++layouts;
    }
  EXPECT_GT(layouts, 100);
}

// register = repetition · (registers of the atom) + register of the atom.
TEST(DistributedLayout, RepetitionsAreTheOutermostRegisters) {
  for (int64_t columns : {96, 144, 176, 192, 208}) {
    DistributedLayout whole = *mmaAccumulatorLayout(48, columns, {1, 1});
    std::vector<int64_t> atom = whole.atomShape(), repetitions = whole.repetitions();
    EXPECT_EQ(atom[0], 16);
    EXPECT_EQ(repetitions[0], 3);
    EXPECT_EQ(atom[1] * repetitions[1], columns);
    EXPECT_EQ(repetitions[1] % 2, 1);
    DistributedLayout part = *mmaAccumulatorLayout(16, atom[1], {1, 1});
    for (int64_t registerIndex = 0; registerIndex < whole.registers(); ++registerIndex)
      for (int64_t lane = 0; lane < lanesOfWarp; ++lane) {
        Coordinates within = part.elementAt({registerIndex % part.registers(), lane, 0});
        int64_t repetition = registerIndex / part.registers();
        EXPECT_EQ(whole.elementAt({registerIndex, lane, 0}), (Coordinates{within[0] + repetition / repetitions[1] * 16,
                                                                          within[1] + repetition % repetitions[1] * atom[1]}));
      }
  }
}

TEST(DistributedLayout, EqualLayoutsHoldTheSameEverywhere) {
  for (auto [rows, columns, warps] : {Tile{64, 96, 4}, Tile{32, 32, 1}}) {
    std::vector<Named> all = samples(rows, columns, warps);
    for (const auto &[name, first] : all)
      for (const auto &[otherName, second] : all) {
        bool isSame = first.registers() == second.registers();
        for (int64_t registerIndex = 0; isSame && registerIndex < first.registers(); ++registerIndex)
          for (int64_t lane = 0; isSame && lane < lanesOfWarp; ++lane)
            for (int64_t warp = 0; isSame && warp < warps; ++warp)
              isSame = first.elementAt({registerIndex, lane, warp}) == second.elementAt({registerIndex, lane, warp});
        EXPECT_EQ(first == second, isSame) << name << " and " << otherName;
      }
  }
}

// The inverse of one layout after another, against looking elements up.
TEST(DistributedLayout, PlacesInAnotherLayoutHoldTheSame) {
  for (const auto &[name, first] : samples(32, 96, 2))
    for (const auto &[otherName, second] : samples(32, 96, 2)) {
      LinearMap places = first.placesIn(second);
      EXPECT_EQ(second.atom().after(places), first.atom()) << name << " in " << otherName;
      unsigned bits = first.atom().inputBits(), registerBits = second.atomRegisterBits();
      for (uint64_t place = 0; place < uint64_t(1) << bits; place += 3) {
        auto holder = [](uint64_t of, unsigned width) {
          return Holder{static_cast<int64_t>(of & ((uint64_t(1) << width) - 1)), static_cast<int64_t>(of >> width & 31),
                        static_cast<int64_t>(of >> (width + laneBits))};
        };
        ASSERT_EQ(second.elementAt(holder(places(place), registerBits)),
                  first.elementAt(holder(place, first.atomRegisterBits())));
      }
    }
}

TEST(DistributedLayout, TransposedSwapsCoordinates) {
  for (const auto &[name, layout] : samples(64, 96, 4)) {
    DistributedLayout turned = layout.transposed({1, 0});
    EXPECT_EQ(turned.shape(), (std::vector<int64_t>{96, 64}));
    for (int64_t registerIndex = 0; registerIndex < layout.registers(); ++registerIndex)
      for (int64_t lane = 0; lane < lanesOfWarp; lane += 3) {
        Coordinates element = layout.elementAt({registerIndex, lane, 2});
        if (layout.repetitions() == std::vector<int64_t>{1, 3}) { // one repeated dimension: its order has no choice
          ASSERT_EQ(turned.elementAt({registerIndex, lane, 2}), (Coordinates{element[1], element[0]})) << name;
        }
      }
    EXPECT_EQ(turned.transposed({1, 0}), layout);
  }
}

// After a reduction along an axis each thread holds, once, every row that it had a part of, and nothing else.
TEST(DistributedLayout, SlicedHoldsWhatAThreadHadAPartOf) {
  for (auto [rows, columns, warps] : tiles)
    for (const auto &[name, layout] : samples(rows, columns, warps))
      for (unsigned axis : {0u, 1u}) {
        DistributedLayout slice = layout.sliced(axis);
        ASSERT_EQ(slice.rank(), 1u);
        for (int64_t lane = 0; lane < lanesOfWarp; ++lane)
          for (int64_t warp = 0; warp < warps; ++warp) {
            std::set<int64_t> parts;
            for (int64_t registerIndex = 0; registerIndex < layout.registers(); ++registerIndex)
              parts.insert(layout.elementAt({registerIndex, lane, warp})[1 - axis]);
            std::set<int64_t> held;
            for (int64_t registerIndex = 0; registerIndex < slice.registers(); ++registerIndex)
              ASSERT_TRUE(held.insert(slice.elementAt({registerIndex, lane, warp})[0]).second) << name << ": held twice";
            ASSERT_EQ(held, parts) << name << ": " << layout.str() << " without " << axis;
          }
      }
}

TEST(DistributedLayout, WhatIsNoLayoutIsRefusedWithTheReason) {
  DistributedLayout::Bases good = {{{0, 1}, {8, 0}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {}};
  auto reason = [](std::vector<int64_t> shape, const DistributedLayout::Bases &bases) {
    std::string why;
    EXPECT_FALSE(DistributedLayout::create(std::move(shape), bases, &why));
    return why;
  };
  EXPECT_EQ(reason({}, good), "a tile has 1 to 8 dimensions, found 0");
  EXPECT_EQ(reason({16, 0}, good), "an extent is 1 to 1048576, found 0");
  EXPECT_EQ(reason({16, 24}, {{{0, 8}}, good.lanes, {}}), "the basis (0,8) lies outside the atom 16x8");
  EXPECT_EQ(reason({16, 16}, good), "not every element of the atom 16x16 is held");
  DistributedLayout::Bases twice = good;
  twice.registers.push_back({8, 1});
  EXPECT_EQ(reason({16, 8}, twice),
            "the register basis (8,1) is zero or a combination of earlier ones: a thread keeps one copy of what it holds");
  DistributedLayout::Bases narrow = good;
  narrow.lanes.pop_back();
  EXPECT_EQ(reason({16, 8}, narrow), "a warp has 5 lane bits, found 4");
}
