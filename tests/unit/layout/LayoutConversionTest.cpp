// Plans, carried out on registers with numbered elements, against moving element by element.
#include "dialects/Layout/LayoutConversion.h"
#include "tests/unit/layout/LayoutSamples.h"

#include <random>
#include <tuple>

using namespace tilewright::layout;
using namespace tilewright::layout::test;

namespace {

/// What each thread holds: [warp][lane][register].
using Registers = std::vector<std::vector<std::vector<int64_t>>>;

constexpr int64_t nothing = -1;

Registers emptyRegisters(const DistributedLayout &layout) {
  return Registers(static_cast<size_t>(layout.warps()),
                   std::vector(lanesOfWarp, std::vector(static_cast<size_t>(layout.registers()), nothing)));
}

/// Each element is its own number in the tile.
Registers filled(const DistributedLayout &layout) {
  Registers result = emptyRegisters(layout);
  for (int64_t warp = 0; warp < layout.warps(); ++warp)
    for (int64_t lane = 0; lane < lanesOfWarp; ++lane)
      for (int64_t registerIndex = 0; registerIndex < layout.registers(); ++registerIndex) {
        Coordinates element = layout.elementAt({registerIndex, lane, warp});
        int64_t number = 0;
        for (unsigned dimension = 0; dimension < layout.rank(); ++dimension)
          number = number * layout.shape()[dimension] + element[dimension];
        result[static_cast<size_t>(warp)][static_cast<size_t>(lane)][static_cast<size_t>(registerIndex)] = number;
      }
  return result;
}

/// As a GPU would.
Registers carryOut(const ConversionPlan &plan, const DistributedLayout &from, const DistributedLayout &to, Registers source) {
  Registers result = emptyRegisters(to);
  auto at = [](Registers &registers, int64_t warp, int64_t lane, int64_t registerIndex) -> int64_t & {
    return registers.at(static_cast<size_t>(warp)).at(static_cast<size_t>(lane)).at(static_cast<size_t>(registerIndex));
  };
  int64_t fromAtom = int64_t(1) << from.atomRegisterBits(), toAtom = int64_t(1) << to.atomRegisterBits();
  switch (plan.kind) {
  case ConversionKind::None:
  case ConversionKind::RegisterRenaming:
    for (int64_t warp = 0; warp < to.warps(); ++warp)
      for (int64_t lane = 0; lane < lanesOfWarp; ++lane)
        for (int64_t registerIndex = 0; registerIndex < to.registers(); ++registerIndex)
          at(result, warp, lane, registerIndex) = at(source, warp, lane, plan.renaming.at(static_cast<size_t>(registerIndex)));
    break;
  case ConversionKind::WarpShuffles:
    for (int64_t repetition = 0; repetition < to.registers() / toAtom; ++repetition)
      for (const Shuffle &shuffle : plan.shuffles)
        for (size_t warp = 0; warp < static_cast<size_t>(to.warps()); ++warp)
          for (size_t lane = 0; lane < lanesOfWarp; ++lane) {
            int64_t into = shuffle.into[warp][lane], other = shuffle.from[warp][lane];
            if (into < 0)
              continue;
            int64_t given = shuffle.given[warp][static_cast<size_t>(other)]; // the source lane's choice, not the reader's
            at(result, static_cast<int64_t>(warp), static_cast<int64_t>(lane), repetition * toAtom + into) =
                at(source, static_cast<int64_t>(warp), other, repetition * fromAtom + given);
          }
    break;
  case ConversionKind::SharedMemory: {
    std::vector<int64_t> memory(static_cast<size_t>(plan.buffer->sizeBytes()), nothing);
    unsigned dimension = plan.buffer->contiguousDimension();
    auto eachAccess = [&](const DistributedLayout &layout, const SharedAccess &access, auto move) {
      for (const std::vector<int64_t> &group : vectorRegisters(layout, dimension, access.vectorElements))
        for (int64_t warp = 0; warp < layout.warps(); ++warp)
          for (int64_t lane = 0; lane < lanesOfWarp; ++lane) {
            int64_t address = plan.buffer->offsetOf(layout.elementAt({group[0], lane, warp}));
            EXPECT_EQ(address % (access.vectorElements * plan.buffer->elementBytes()), 0) << "misaligned";
            for (size_t step = 0; step < group.size(); ++step)
              move(memory[static_cast<size_t>(address + static_cast<int64_t>(step) * plan.buffer->elementBytes())], warp, lane,
                   group[step]);
          }
    };
    eachAccess(from, plan.write, [&](int64_t &place, int64_t warp, int64_t lane, int64_t registerIndex) {
      place = at(source, warp, lane, registerIndex);
    });
    eachAccess(to, plan.read, [&](int64_t &place, int64_t warp, int64_t lane, int64_t registerIndex) {
      at(result, warp, lane, registerIndex) = place;
    });
    break;
  }
  }
  return result;
}

/// Whether some renaming, the same for all threads, would do: by trying.
bool renamingExists(const Registers &source, const Registers &wanted) {
  for (size_t registerIndex = 0; registerIndex < wanted[0][0].size(); ++registerIndex) {
    bool isFound = false;
    for (size_t candidate = 0; !isFound && candidate < source[0][0].size(); ++candidate) {
      isFound = true;
      for (size_t warp = 0; isFound && warp < wanted.size(); ++warp)
        for (size_t lane = 0; isFound && lane < lanesOfWarp; ++lane)
          isFound = wanted[warp][lane][registerIndex] == source[warp][lane][candidate];
    }
    if (!isFound)
      return false;
  }
  return true;
}

/// Whether each warp already has every element that it wants.
bool staysInWarps(const Registers &source, const Registers &wanted, int64_t elements) {
  for (size_t warp = 0; warp < wanted.size(); ++warp) {
    std::vector<bool> has(static_cast<size_t>(elements));
    for (const std::vector<int64_t> &lane : source[warp])
      for (int64_t element : lane)
        has[static_cast<size_t>(element)] = true;
    for (const std::vector<int64_t> &lane : wanted[warp])
      for (int64_t element : lane)
        if (!has[static_cast<size_t>(element)])
          return false;
  }
  return true;
}

struct Tile {
  int64_t rows, columns, warps;
};

} // namespace

TEST(LayoutConversion, EveryPlanMovesEveryElement) {
  std::map<ConversionKind, int> plans;
  int pairs = 0;
  for (auto [rows, columns, warps] : {Tile{16, 16, 1}, Tile{32, 32, 2}, Tile{16, 96, 1}, Tile{64, 96, 4}, Tile{32, 144, 2},
                                      Tile{16, 176, 1}, Tile{64, 192, 4}, Tile{16, 208, 1}, Tile{8, 8, 1}}) {
    std::vector<Named> all = samples(rows, columns, warps);
    for (const auto &[fromName, from] : all)
      for (const auto &[toName, to] : all) {
        if (rows * columns > 1024 && ++pairs % 11 != 0)
          continue; // of the large tiles every eleventh pair
        Registers source = filled(from), wanted = filled(to);
        std::string what = fromName + " to " + toName + " of " + std::to_string(rows) + "x" + std::to_string(columns);
        auto check = [&](const std::optional<ConversionPlan> &plan) {
          if (plan)
            ASSERT_EQ(carryOut(*plan, from, to, source), wanted) << what << ", kind " << static_cast<int>(plan->kind);
        };
        check(planRenaming(from, to));
        check(planShuffles(from, to, 2));
        check(planSharedMemory(from, to, 2));
        std::optional<ConversionPlan> chosen = planConversion(from, to, 4);
        ASSERT_TRUE(chosen) << what;
        check(chosen);
        ++plans[chosen->kind];
        EXPECT_EQ(chosen->kind == ConversionKind::None, from == to) << what;
        EXPECT_EQ(canRename(from, to), renamingExists(source, wanted)) << what << ": " << from.str() << "\n" << to.str();
        EXPECT_EQ(canShuffle(from, to), staysInWarps(source, wanted, rows * columns)) << what;
      }
  }
  for (ConversionKind kind :
       {ConversionKind::None, ConversionKind::RegisterRenaming, ConversionKind::WarpShuffles, ConversionKind::SharedMemory})
    EXPECT_GT(plans[kind], 10) << static_cast<int>(kind);
}

// No lane is asked twice: as many shuffles as registers, if no element is held twice.
TEST(LayoutConversion, ShufflesAreAsManyAsRegisters) {
  std::mt19937 random(6);
  for (int round = 0; round < 300; ++round) {
    // Two layouts whose register and lane bits are random bases of one 16 x 16 tile.
    auto randomLayout = [&]() {
      for (;;) {
        DistributedLayout::Bases bases;
        auto any = [&] {
          return DistributedLayout::Basis{static_cast<int64_t>(random() % 16), static_cast<int64_t>(random() % 16)};
        };
        for (int bit = 0; bit < 3; ++bit)
          bases.registers.push_back(any());
        for (int bit = 0; bit < 5; ++bit)
          bases.lanes.push_back(any());
        if (std::optional<DistributedLayout> layout = DistributedLayout::create({16, 16}, bases))
          return *layout;
      }
    };
    DistributedLayout from = randomLayout(), to = randomLayout();
    std::optional<ConversionPlan> plan = planShuffles(from, to, 4);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->shuffles.size(), 8u) << from.str() << "\n" << to.str();
    ASSERT_EQ(carryOut(*plan, from, to, filled(from)), filled(to));
  }
}

// With replicas on either side, and over several warps.
TEST(LayoutConversion, ReplicasAreReadFromWhoeverHasThem) {
  std::mt19937 random(7);
  int shuffled = 0, throughMemory = 0;
  for (int round = 0; round < 400; ++round) {
    auto randomLayout = [&]() {
      for (;;) {
        DistributedLayout::Bases bases;
        auto any = [&](bool mayRepeat) {
          if (mayRepeat && random() % 3 == 0)
            return DistributedLayout::Basis{0, 0};
          return DistributedLayout::Basis{static_cast<int64_t>(random() % 8), static_cast<int64_t>(random() % 8)};
        };
        for (unsigned bit = 0; bit < 2 + random() % 3; ++bit)
          bases.registers.push_back(any(false));
        for (int bit = 0; bit < 5; ++bit)
          bases.lanes.push_back(any(true));
        bases.warps.push_back(any(true));
        if (std::optional<DistributedLayout> layout = DistributedLayout::create({8, 24}, bases))
          return *layout;
      }
    };
    DistributedLayout from = randomLayout(), to = randomLayout();
    EXPECT_EQ(canShuffle(from, to), staysInWarps(filled(from), filled(to), 8 * 24)) << from.str() << "\n" << to.str();
    for (const std::optional<ConversionPlan> &plan : {planShuffles(from, to, 4), planSharedMemory(from, to, 4)})
      if (plan) {
        (plan->kind == ConversionKind::WarpShuffles ? shuffled : throughMemory) += 1;
        ASSERT_EQ(carryOut(*plan, from, to, filled(from)), filled(to)) << from.str() << "\n" << to.str();
      }
  }
  EXPECT_GT(shuffled, 50);
  EXPECT_EQ(throughMemory, 400);
}

// The accumulator of a first product is the A operand of a second, in bf16: attention needs no shuffle between them.
TEST(LayoutConversion, AnAccumulatorIsAnOperandByRenaming) {
  for (int64_t columns : {64, 96, 128, 144, 176, 192, 208}) {
    DistributedLayout accumulator = *wgmmaAccumulatorLayout(64, columns), operand = *dotOperandALayout(64, columns, 16, {4, 1});
    std::optional<ConversionPlan> plan = planConversion(accumulator, operand, 2);
    ASSERT_TRUE(plan);
    EXPECT_TRUE(plan->kind == ConversionKind::None || plan->kind == ConversionKind::RegisterRenaming) << columns;
    EXPECT_EQ(carryOut(*plan, accumulator, operand, filled(accumulator)), filled(operand));
  }
}

// Fewer registers than before: the rest is held by other lanes.
TEST(LayoutConversion, RegistersThatOtherLanesHoldTooAreLeftBehind) {
  DistributedLayout::Bases lean = {{{0, 1}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {}}, rich = lean;
  rich.registers = {{1, 0}, {0, 1}, {2, 0}};
  DistributedLayout from = *DistributedLayout::create({8, 24}, rich), to = *DistributedLayout::create({8, 24}, lean);
  std::optional<ConversionPlan> plan = planConversion(from, to, 4);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->kind, ConversionKind::RegisterRenaming);
  EXPECT_EQ(carryOut(*plan, from, to, filled(from)), filled(to));
  std::optional<ConversionPlan> back = planConversion(to, from, 4);
  ASSERT_TRUE(back);
  EXPECT_EQ(carryOut(*back, to, from, filled(to)), filled(from));
}

TEST(LayoutConversion, ATransposeAcrossWarpsGoesThroughSharedMemory) {
  DistributedLayout rows = *blockedLayout({64, 64}, {{1, 4}, {2, 16}, {4, 1}, {1, 0}}),
                    columns = *blockedLayout({64, 64}, {{4, 1}, {16, 2}, {1, 4}, {0, 1}});
  std::optional<ConversionPlan> plan = planConversion(rows, columns, 4);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->kind, ConversionKind::SharedMemory);
  // The swizzle pays: both without it cost more.
  auto turns = [&](StorageOrder order, Swizzle swizzle) {
    SharedLayout buffer = *SharedLayout::create(64, 64, 4, order, swizzle);
    return sharedAccess(rows, buffer).turns + sharedAccess(columns, buffer).turns;
  };
  EXPECT_NE(plan->buffer->swizzle(), Swizzle::None);
  EXPECT_LT(plan->write.turns + plan->read.turns, turns(plan->buffer->order(), Swizzle::None));
}

TEST(LayoutConversion, OfOneDimension) {
  DistributedLayout rows = mmaAccumulatorLayout(64, 64, {4, 1})->sliced(1), all = *blockedLayout({64}, {{1}, {32}, {4}, {0}});
  EXPECT_FALSE(planConversion(rows, all, 4)) << "another warp's rows, and no buffer of one dimension";
  std::optional<ConversionPlan> back =
      planConversion(*blockedLayout({64}, {{2}, {32}, {1}, {0}}), *blockedLayout({64}, {{1}, {32}, {1}, {0}}), 4);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->kind, ConversionKind::WarpShuffles);
}
