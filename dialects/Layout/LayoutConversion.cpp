#include "dialects/Layout/LayoutConversion.h"

#include <algorithm>
#include <cassert>
#include <set>

namespace tilewright::layout {

namespace {

// What the instructions cost a warp, in cycles between two of a kind (throughput; the latency of a chain counts once).
constexpr int64_t shuffleCycles = 2, selectCycles = 1, accessCycles = 2, turnCycles = 1, barrierCycles = 30;

uint64_t mask(unsigned bits) {
  return (uint64_t(1) << bits) - 1;
}

/// Where each place of `to` finds its element in `from`, for one warp's places: register and lane bits of both.
struct Relation {
  LinearMap ofThreads;           ///< register and lane bits of `to` to those of `from`
  std::vector<uint64_t> ofWarps; ///< what a warp bit adds
  unsigned fromRegisters = 0, toRegisters = 0;

  uint64_t place(uint64_t registerIndex, uint64_t lane, uint64_t warp) const {
    return ofThreads(registerIndex | lane << toRegisters) ^ LinearMap(ofWarps)(warp);
  }
  uint64_t registerPart(uint64_t place) const { return place & mask(fromRegisters); }
  uint64_t lanePart(uint64_t place) const { return place >> fromRegisters; }
};

bool areOfOneTile(const DistributedLayout &from, const DistributedLayout &to) {
  return from.shape() == to.shape() && from.warpBits() == to.warpBits();
}

/// The relation, if no element changes its warp.
std::optional<Relation> relate(const DistributedLayout &from, const DistributedLayout &to) {
  Relation relation;
  relation.fromRegisters = from.atomRegisterBits();
  relation.toRegisters = to.atomRegisterBits();
  const std::vector<uint64_t> &source = from.atom().bases(), &wanted = to.atom().bases();
  unsigned sourceThreadBits = relation.fromRegisters + laneBits, wantedThreadBits = relation.toRegisters + laneBits;

  // Replicas leave a choice: an element is preferably read from the same lane, else from the fewest late lanes.
  std::vector<uint64_t> threads(source.begin(), source.begin() + sourceThreadBits);
  LinearMap ofSource(threads);
  auto find = [&](uint64_t image, uint64_t preferredLane) -> std::optional<uint64_t> {
    LinearMap registersOnly(std::vector<uint64_t>(threads.begin(), threads.begin() + relation.fromRegisters));
    uint64_t lane = preferredLane << relation.fromRegisters;
    if (std::optional<uint64_t> inLane = registersOnly.solve(image ^ ofSource(lane)))
      return *inLane | lane;
    return ofSource.solve(image);
  };
  std::vector<uint64_t> bases;
  for (unsigned bit = 0; bit < wantedThreadBits; ++bit) {
    uint64_t lane = bit < relation.toRegisters ? 0 : uint64_t(1) << (bit - relation.toRegisters);
    std::optional<uint64_t> place = find(wanted[bit], lane);
    if (!place)
      return std::nullopt;
    bases.push_back(*place);
  }
  relation.ofThreads = LinearMap(std::move(bases));
  for (unsigned bit = 0; bit < to.warpBits(); ++bit) {
    std::optional<uint64_t> place = find(wanted[wantedThreadBits + bit] ^ source[sourceThreadBits + bit], 0);
    if (!place)
      return std::nullopt;
    relation.ofWarps.push_back(*place);
  }
  return relation;
}

/// K of the essay: which register lane l receives in round 0.
LinearMap chooseSkew(const Relation &relation) {
  std::vector<uint64_t> ofRegisters, ofLanes;
  for (unsigned bit = 0; bit < relation.toRegisters + laneBits; ++bit)
    (bit < relation.toRegisters ? ofRegisters : ofLanes).push_back(relation.lanePart(relation.ofThreads.bases()[bit]));
  LinearMap lanes(ofLanes);

  // Registers whose images are independent modulo the image of the lanes.
  std::vector<uint64_t> independent = ofLanes, chosen;
  unsigned rank = rankOf(independent);
  for (unsigned bit = 0; bit < relation.toRegisters; ++bit) {
    independent.push_back(ofRegisters[bit]);
    if (rankOf(independent) == rank + 1) {
      chosen.push_back(uint64_t(1) << bit);
      ++rank;
    } else {
      independent.pop_back();
    }
  }
  // A kernel vector has a last bit that no other has (it is one that depends on those before): give K there, and 0 at all other
  // bits.
  std::vector<uint64_t> skew(laneBits, 0);
  std::vector<uint64_t> kernel = lanes.kernel();
  for (size_t index = 0; index < std::min(kernel.size(), chosen.size()); ++index) {
    unsigned last = laneBits - 1;
    while (!(kernel[index] >> last & 1))
      --last;
    skew[last] = chosen[index];
  }
  return LinearMap(std::move(skew));
}

/// The shuffles that fill register round ^ K(l) of each lane l: one, if each lane is asked for one register.
std::vector<Shuffle> shufflesOfRound(const Relation &relation, const LinearMap &skew, uint64_t round, int64_t warps) {
  std::vector<Shuffle> shuffles;
  for (int64_t warp = 0; warp < warps; ++warp) {
    std::vector<std::vector<int64_t>> asked(lanesOfWarp); // of each source lane, in the order of shuffles
    for (uint64_t lane = 0; lane < lanesOfWarp; ++lane) {
      uint64_t into = round ^ skew(lane), place = relation.place(into, lane, static_cast<uint64_t>(warp));
      uint64_t from = relation.lanePart(place);
      int64_t given = static_cast<int64_t>(relation.registerPart(place));
      std::vector<int64_t> &already = asked[from];
      size_t number = static_cast<size_t>(std::find(already.begin(), already.end(), given) - already.begin());
      if (number == already.size())
        already.push_back(given);
      while (number >= shuffles.size()) {
        std::vector<std::vector<int64_t>> nothing(static_cast<size_t>(warps), std::vector<int64_t>(lanesOfWarp, -1));
        std::vector<std::vector<int64_t>> zero(static_cast<size_t>(warps), std::vector<int64_t>(lanesOfWarp, 0));
        shuffles.push_back({nothing, zero, nothing, false});
      }
      Shuffle &shuffle = shuffles[number];
      size_t w = static_cast<size_t>(warp);
      shuffle.given[w][from] = given;
      shuffle.from[w][lane] = static_cast<int64_t>(from);
      shuffle.into[w][lane] = static_cast<int64_t>(into);
      shuffle.movesBetweenLanes |= from != lane;
    }
  }
  return shuffles;
}

/// How many different registers the lanes name: one is an operand, several are a selection among so many.
int64_t namedRegisters(const std::vector<std::vector<int64_t>> &table) {
  std::set<int64_t> names;
  for (const std::vector<int64_t> &warp : table)
    names.insert(warp.begin(), warp.end());
  names.erase(-1);
  return static_cast<int64_t>(names.size());
}

int64_t repetitionCount(const DistributedLayout &layout) {
  return layout.registers() >> layout.atomRegisterBits();
}

/// An element wider than a register moves in parts.
int64_t wordsOf(int64_t elementBytes) {
  return std::max<int64_t>(1, elementBytes / 4);
}

} // namespace

bool canRename(const DistributedLayout &from, const DistributedLayout &to) {
  return planRenaming(from, to).has_value();
}

bool canShuffle(const DistributedLayout &from, const DistributedLayout &to) {
  return areOfOneTile(from, to) && relate(from, to).has_value();
}

std::optional<ConversionPlan> planRenaming(const DistributedLayout &from, const DistributedLayout &to) {
  if (!areOfOneTile(from, to))
    return std::nullopt;
  const std::vector<uint64_t> &source = from.atom().bases(), &wanted = to.atom().bases();
  if (!std::equal(source.begin() + from.atomRegisterBits(), source.end(), wanted.begin() + to.atomRegisterBits(), wanted.end()))
    return std::nullopt;
  LinearMap registers(std::vector<uint64_t>(source.begin(), source.begin() + from.atomRegisterBits()));
  std::vector<uint64_t> renamed;
  for (unsigned bit = 0; bit < to.atomRegisterBits(); ++bit) {
    std::optional<uint64_t> place = registers.solve(wanted[bit]);
    if (!place)
      return std::nullopt;
    renamed.push_back(*place);
  }
  ConversionPlan plan;
  plan.kind = from == to ? ConversionKind::None : ConversionKind::RegisterRenaming;
  LinearMap ofAtom(std::move(renamed));
  for (int64_t registerIndex = 0; registerIndex < to.registers(); ++registerIndex)
    plan.renaming.push_back(static_cast<int64_t>(ofAtom(static_cast<uint64_t>(registerIndex) & mask(to.atomRegisterBits()))) |
                            registerIndex >> to.atomRegisterBits() << from.atomRegisterBits());
  return plan;
}

std::optional<ConversionPlan> planShuffles(const DistributedLayout &from, const DistributedLayout &to, int64_t elementBytes) {
  if (!areOfOneTile(from, to))
    return std::nullopt;
  std::optional<Relation> relation = relate(from, to);
  if (!relation)
    return std::nullopt;
  ConversionPlan plan;
  plan.kind = ConversionKind::WarpShuffles;
  LinearMap skew = chooseSkew(*relation);
  int64_t cycles = 0;
  for (uint64_t round = 0; round <= mask(to.atomRegisterBits()); ++round)
    for (Shuffle &shuffle : shufflesOfRound(*relation, skew, round, to.warps())) {
      // Given: n - 1 selects make one operand. Received: each of n registers may be the one.
      int64_t given = namedRegisters(shuffle.given), into = namedRegisters(shuffle.into);
      cycles += shuffle.movesBetweenLanes ? shuffleCycles : 0;
      cycles += selectCycles * (given - 1 + (into > 1 ? into : 0));
      plan.shuffles.push_back(std::move(shuffle));
    }
  plan.cost = cycles * repetitionCount(to) * wordsOf(elementBytes);
  return plan;
}

std::optional<ConversionPlan> planSharedMemory(const DistributedLayout &from, const DistributedLayout &to,
                                               int64_t elementBytes) {
  if (!areOfOneTile(from, to) || from.rank() != 2)
    return std::nullopt;
  std::optional<ConversionPlan> best;
  for (StorageOrder order : {StorageOrder::RowMajor, StorageOrder::ColumnMajor})
    for (Swizzle swizzle : {Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128}) {
      std::optional<SharedLayout> buffer = SharedLayout::create(from.shape()[0], from.shape()[1], elementBytes, order, swizzle);
      if (!buffer)
        continue;
      ConversionPlan plan;
      plan.kind = ConversionKind::SharedMemory;
      plan.buffer = buffer;
      plan.write = sharedAccess(from, *buffer);
      plan.read = sharedAccess(to, *buffer);
      plan.cost = barrierCycles + accessCycles * (plan.write.accesses + plan.read.accesses) +
                  turnCycles * (plan.write.turns + plan.read.turns) * from.warps();
      if (!best || plan.cost < best->cost)
        best = std::move(plan);
    }
  return best;
}

std::optional<ConversionPlan> planConversion(const DistributedLayout &from, const DistributedLayout &to, int64_t elementBytes) {
  assert(areOfOneTile(from, to) && "layouts of one tile over one number of warps");
  if (std::optional<ConversionPlan> plan = planRenaming(from, to))
    return plan;
  std::optional<ConversionPlan> shuffles = planShuffles(from, to, elementBytes),
                                shared = planSharedMemory(from, to, elementBytes);
  if (!shared || (shuffles && shuffles->cost <= shared->cost))
    return shuffles;
  return shared;
}

} // namespace tilewright::layout
