#include "dialects/Layout/DistributedLayout.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace tilewright::layout {

namespace {

constexpr int64_t largestExtent = int64_t(1) << 20;
constexpr size_t largestRank = 8;

std::string text(const std::vector<int64_t> &numbers, const char *separator) {
  std::string result;
  for (int64_t number : numbers)
    result += (result.empty() ? "" : separator) + std::to_string(number);
  return result;
}

std::optional<DistributedLayout> refuse(std::string *why, std::string reason) {
  if (why)
    *why = std::move(reason);
  return std::nullopt;
}

} // namespace

SplitExtent splitExtent(int64_t extent) {
  unsigned bits = static_cast<unsigned>(std::countr_zero(static_cast<uint64_t>(extent)));
  return {bits, extent >> bits};
}

std::optional<DistributedLayout> DistributedLayout::create(std::vector<int64_t> shape, const Bases &bases, std::string *why) {
  if (shape.empty() || shape.size() > largestRank)
    return refuse(why, "a tile has 1 to 8 dimensions, found " + std::to_string(shape.size()));
  unsigned outputBits = 0;
  for (int64_t extent : shape) {
    if (extent < 1 || extent > largestExtent)
      return refuse(why, "an extent is 1 to 1048576, found " + std::to_string(extent));
    outputBits += splitExtent(extent).bits;
  }
  if (bases.lanes.size() != laneBits)
    return refuse(why, "a warp has 5 lane bits, found " + std::to_string(bases.lanes.size()));
  if (bases.registers.size() + laneBits + bases.warps.size() > 63 || outputBits > 63)
    return refuse(why, "the layout has more than 63 bits");

  DistributedLayout layout;
  layout.extents = std::move(shape);
  layout.registerBits = static_cast<unsigned>(bases.registers.size());
  std::vector<int64_t> atom = layout.atomShape();
  std::vector<uint64_t> columns;
  for (const std::vector<Basis> *list : {&bases.registers, &bases.lanes, &bases.warps})
    for (const Basis &basis : *list) {
      bool fits = basis.size() == atom.size();
      for (size_t dimension = 0; fits && dimension < atom.size(); ++dimension)
        fits = basis[dimension] >= 0 && basis[dimension] < atom[dimension];
      if (!fits)
        return refuse(why, "the basis (" + text(basis, ",") + ") lies outside the atom " + text(atom, "x"));
      columns.push_back(layout.pack(basis));
      if (list == &bases.registers && rankOf(columns) < columns.size())
        return refuse(why, "the register basis (" + text(basis, ",") +
                               ") is zero or a combination of earlier ones: a thread keeps one copy of what it holds");
    }
  layout.map = LinearMap(std::move(columns));
  if (layout.map.rank() != outputBits)
    return refuse(why, "not every element of the atom " + text(atom, "x") + " is held");
  return layout;
}

std::vector<int64_t> DistributedLayout::atomShape() const {
  std::vector<int64_t> shape;
  for (int64_t extent : extents)
    shape.push_back(int64_t(1) << splitExtent(extent).bits);
  return shape;
}

std::vector<int64_t> DistributedLayout::repetitions() const {
  std::vector<int64_t> counts;
  for (int64_t extent : extents)
    counts.push_back(splitExtent(extent).odd);
  return counts;
}

int64_t DistributedLayout::registers() const {
  int64_t count = int64_t(1) << registerBits;
  for (int64_t repetition : repetitions())
    count *= repetition;
  return count;
}

uint64_t DistributedLayout::pack(const Coordinates &withinAtom) const {
  uint64_t bits = 0;
  for (size_t dimension = 0; dimension < extents.size(); ++dimension)
    bits = bits << splitExtent(extents[dimension]).bits | static_cast<uint64_t>(withinAtom[dimension]);
  return bits;
}

Coordinates DistributedLayout::unpack(uint64_t bits) const {
  Coordinates result(extents.size());
  for (size_t dimension = extents.size(); dimension-- > 0;) {
    unsigned width = splitExtent(extents[dimension]).bits;
    result[dimension] = static_cast<int64_t>(bits & ((uint64_t(1) << width) - 1));
    bits >>= width;
  }
  return result;
}

Coordinates DistributedLayout::elementAt(const Holder &holder) const {
  assert(holder.registerIndex >= 0 && holder.registerIndex < registers() && "there is no such register");
  assert(holder.lane >= 0 && holder.lane < lanesOfWarp && holder.warp >= 0 && holder.warp < warps() &&
         "there is no such thread");
  uint64_t ofAtom = static_cast<uint64_t>(holder.registerIndex) & ((uint64_t(1) << registerBits) - 1);
  int64_t repetition = holder.registerIndex >> registerBits;
  Coordinates element = unpack(map(ofAtom | static_cast<uint64_t>(holder.lane) << registerBits |
                                   static_cast<uint64_t>(holder.warp) << (registerBits + laneBits)));
  for (size_t dimension = extents.size(); dimension-- > 0;) {
    SplitExtent extent = splitExtent(extents[dimension]);
    element[dimension] += repetition % extent.odd << extent.bits;
    repetition /= extent.odd;
  }
  return element;
}

Holder DistributedLayout::holderOf(const Coordinates &element) const {
  Coordinates withinAtom = element;
  int64_t repetition = 0;
  for (size_t dimension = 0; dimension < extents.size(); ++dimension) {
    SplitExtent extent = splitExtent(extents[dimension]);
    assert(element[dimension] >= 0 && element[dimension] < extents[dimension] && "the element lies outside the tile");
    repetition = repetition * extent.odd + (element[dimension] >> extent.bits);
    withinAtom[dimension] = element[dimension] & ((int64_t(1) << extent.bits) - 1);
  }
  std::optional<uint64_t> place = map.solve(pack(withinAtom));
  assert(place && "every element is held");
  return {static_cast<int64_t>(*place & ((uint64_t(1) << registerBits) - 1)) + (repetition << registerBits),
          static_cast<int64_t>(*place >> registerBits & (lanesOfWarp - 1)),
          static_cast<int64_t>(*place >> (registerBits + laneBits))};
}

std::vector<Holder> DistributedLayout::holdersOf(const Coordinates &element) const {
  Holder first = holderOf(element);
  std::vector<uint64_t> kernel = map.kernel();
  std::vector<Holder> holders;
  for (uint64_t choice = 0; choice < uint64_t(1) << kernel.size(); ++choice) {
    uint64_t difference = LinearMap(kernel)(choice);
    holders.push_back({first.registerIndex ^ static_cast<int64_t>(difference & ((uint64_t(1) << registerBits) - 1)),
                       first.lane ^ static_cast<int64_t>(difference >> registerBits & (lanesOfWarp - 1)),
                       first.warp ^ static_cast<int64_t>(difference >> (registerBits + laneBits))});
  }
  std::sort(holders.begin(), holders.end());
  return holders;
}

DistributedLayout::Bases DistributedLayout::bases() const {
  Bases result;
  for (unsigned bit = 0; bit < map.inputBits(); ++bit) {
    std::vector<Basis> &list = bit < registerBits              ? result.registers
                               : bit < registerBits + laneBits ? result.lanes
                                                               : result.warps;
    list.push_back(unpack(map.bases()[bit]));
  }
  return result;
}

LinearMap DistributedLayout::placesIn(const DistributedLayout &other) const {
  assert(extents == other.extents && "layouts of one tile");
  unsigned outputBits = other.map.rank(); // every element of the atom is held
  return other.map.inverse(outputBits)->after(map);
}

DistributedLayout DistributedLayout::transposed(const std::vector<unsigned> &order) const {
  assert(order.size() == extents.size() && "an order of all dimensions");
  auto permuted = [&](const std::vector<int64_t> &numbers) {
    std::vector<int64_t> result;
    for (unsigned dimension : order)
      result.push_back(numbers[dimension]);
    return result;
  };
  Bases permutedBases = bases();
  for (std::vector<Basis> *list : {&permutedBases.registers, &permutedBases.lanes, &permutedBases.warps})
    for (Basis &basis : *list)
      basis = permuted(basis);
  return *create(permuted(extents), permutedBases);
}

DistributedLayout DistributedLayout::sliced(unsigned axis) const {
  assert(axis < extents.size() && extents.size() > 1 && "a dimension of several");
  auto without = [&](std::vector<int64_t> numbers) {
    numbers.erase(numbers.begin() + axis);
    return numbers;
  };
  Bases rest = bases();
  for (std::vector<Basis> *list : {&rest.registers, &rest.lanes, &rest.warps})
    for (Basis &basis : *list)
      basis = without(basis);
  // Registers that are combinations of earlier ones hold nothing new either.
  std::vector<Basis> kept;
  std::vector<uint64_t> images;
  DistributedLayout packer;
  packer.extents = without(extents);
  for (const Basis &basis : rest.registers) {
    images.push_back(packer.pack(basis));
    if (rankOf(images) == images.size())
      kept.push_back(basis);
    else
      images.pop_back();
  }
  rest.registers = std::move(kept);
  return *create(packer.extents, rest);
}

std::string DistributedLayout::str() const {
  std::string result = text(extents, "x") + " = atom " + text(atomShape(), "x") + " x repetitions " + text(repetitions(), "x");
  Bases all = bases();
  auto append = [&](const char *name, const std::vector<Basis> &list) {
    result += std::string("; ") + name;
    for (const Basis &basis : list)
      result += " (" + text(basis, ",") + ")";
  };
  append("registers", all.registers);
  append("lanes", all.lanes);
  append("warps", all.warps);
  return result;
}

} // namespace tilewright::layout
