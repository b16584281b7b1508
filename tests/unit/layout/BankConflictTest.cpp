// Turns of the banks against a simulation of them.
#include "dialects/Layout/SharedLayout.h"
#include "tests/unit/layout/LayoutSamples.h"

#include <algorithm>
#include <random>
#include <tuple>

using namespace tilewright::layout;
using namespace tilewright::layout::test;

namespace {

/// Turn by turn: lanes of a group wait with their words; in each turn each bank picks the word that the first waiting lane
/// wants of it, and all lanes that want that word have it.
int64_t simulate(const std::vector<int64_t> &addresses, int64_t width) {
  int64_t turns = 0;
  size_t group = width == 16 ? 8 : width == 8 ? 16 : 32;
  for (size_t first = 0; first < addresses.size(); first += group) {
    std::vector<std::vector<int64_t>> waiting;
    for (size_t lane = first; lane < first + group && lane < addresses.size(); ++lane) {
      std::vector<int64_t> words;
      for (int64_t byte = 0; addresses[lane] >= 0 && byte < width; byte += 4)
        words.push_back((addresses[lane] + byte) / 4);
      waiting.push_back(words);
    }
    for (bool isAnyLeft = true; isAnyLeft;) {
      std::vector<int64_t> served(32, -1);
      isAnyLeft = false;
      for (std::vector<int64_t> &words : waiting)
        for (int64_t word : words)
          if (served[static_cast<size_t>(word % 32)] < 0) {
            served[static_cast<size_t>(word % 32)] = word;
            isAnyLeft = true;
          }
      for (std::vector<int64_t> &words : waiting)
        std::erase_if(words, [&](int64_t word) { return served[static_cast<size_t>(word % 32)] == word; });
      turns += isAnyLeft;
    }
  }
  return turns;
}

std::vector<int64_t> strided(int64_t stride) {
  std::vector<int64_t> addresses;
  for (int64_t lane = 0; lane < lanesOfWarp; ++lane)
    addresses.push_back(lane * stride);
  return addresses;
}

} // namespace

TEST(BankConflicts, RandomAccessesTakeTheTurnsOfTheSimulation) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    int64_t width = int64_t(1) << random() % 5;
    int64_t range = int64_t(64) << random() % 8;
    std::vector<int64_t> addresses;
    for (int64_t lane = 0; lane < lanesOfWarp; ++lane)
      addresses.push_back(random() % 10 == 0 ? -1 : static_cast<int64_t>(random()) % range * width);
    ASSERT_EQ(bankTurns(addresses, width), simulate(addresses, width)) << width;
  }
}

TEST(BankConflicts, KnownAccesses) {
  EXPECT_EQ(bankTurns(strided(4), 4), 1);
  EXPECT_EQ(bankConflicts(strided(4), 4), 0);
  EXPECT_EQ(bankTurns(strided(0), 4), 1) << "one word for all";
  EXPECT_EQ(bankTurns(strided(8), 4), 2);
  EXPECT_EQ(bankTurns(strided(128), 4), 32);
  EXPECT_EQ(bankConflicts(strided(128), 4), 31);
  EXPECT_EQ(bankTurns(strided(132), 4), 1) << "a padded column";
  EXPECT_EQ(bankTurns(strided(2), 2), 1) << "two lanes in a word";
  EXPECT_EQ(bankTurns(strided(8), 8), 2);
  EXPECT_EQ(bankConflicts(strided(8), 8), 0);
  EXPECT_EQ(bankTurns(strided(16), 16), 4);
  EXPECT_EQ(bankConflicts(strided(16), 16), 0);
  EXPECT_EQ(bankConflicts(std::vector<int64_t>(32, -1), 4), 0);
}

// What the swizzles are for: ldmatrix's rows, eight at one column of a tile of 64 bf16 a row.
TEST(BankConflicts, SwizzlesFreeLdmatrixOfConflicts) {
  auto conflicts = [](int64_t columns, Swizzle swizzle) {
    SharedLayout layout = *SharedLayout::create(64, columns, 2, StorageOrder::RowMajor, swizzle);
    int64_t total = 0;
    for (int64_t row = 0; row < 64; row += 16)
      for (int64_t column = 0; column < columns; column += 16) {
        std::vector<int64_t> addresses;
        for (int64_t lane = 0; lane < lanesOfWarp; ++lane) {
          MatrixRow of = ldmatrixRowOfLane(lane);
          addresses.push_back(layout.offsetOf(row + of.row, column + of.column));
        }
        EXPECT_EQ(bankTurns(addresses, 16), simulate(addresses, 16));
        total += bankConflicts(addresses, 16);
      }
    return total;
  };
  EXPECT_EQ(conflicts(64, Swizzle::Bytes128), 0);
  EXPECT_EQ(conflicts(192, Swizzle::Bytes128), 0);
  EXPECT_EQ(conflicts(32, Swizzle::Bytes64), 0);
  EXPECT_EQ(conflicts(96, Swizzle::Bytes64), 0);
  EXPECT_EQ(conflicts(16, Swizzle::Bytes32), 0);
  EXPECT_EQ(conflicts(64, Swizzle::None), 4 * 4 * 4 * 7) << "eight rows in the same four banks";
}

TEST(BankConflicts, AllAccessesOfATileAreCounted) {
  for (auto [rows, columns, warps] : std::vector<std::tuple<int64_t, int64_t, int64_t>>{{64, 64, 4}, {64, 192, 4}, {96, 96, 2}})
    for (const auto &[name, layout] : samples(rows, columns, warps))
      for (StorageOrder order : {StorageOrder::RowMajor, StorageOrder::ColumnMajor})
        for (Swizzle swizzle : {Swizzle::None, Swizzle::Bytes64}) {
          SharedLayout shared = *SharedLayout::create(rows, columns, 2, order, swizzle);
          SharedAccess access = sharedAccess(layout, shared);
          ASSERT_EQ(access.accesses * access.vectorElements, layout.registers());
          int64_t most = 0;
          for (int64_t warp = 0; warp < warps; ++warp) {
            int64_t turns = 0;
            for (const std::vector<int64_t> &group :
                 vectorRegisters(layout, shared.contiguousDimension(), access.vectorElements)) {
              std::vector<int64_t> addresses;
              for (int64_t lane = 0; lane < lanesOfWarp; ++lane) {
                addresses.push_back(shared.offsetOf(layout.elementAt({group[0], lane, warp})));
                for (size_t step = 0; step < group.size(); ++step)
                  ASSERT_EQ(shared.offsetOf(layout.elementAt({group[step], lane, warp})),
                            addresses.back() + 2 * static_cast<int64_t>(step));
              }
              turns += simulate(addresses, 2 * access.vectorElements);
            }
            most = std::max(most, turns);
          }
          ASSERT_EQ(access.turns, most) << name;
        }
}
