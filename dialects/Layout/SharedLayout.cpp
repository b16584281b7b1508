#include "dialects/Layout/SharedLayout.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

namespace tilewright::layout {

namespace {

constexpr int64_t bankCount = 32, bankBytes = 4, chunkBytes = 16, mostVectorBytes = 16;

} // namespace

int64_t chunksOf(Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::None:
    return 1;
  case Swizzle::Bytes32:
    return 2;
  case Swizzle::Bytes64:
    return 4;
  case Swizzle::Bytes128:
    return 8;
  }
  return 1;
}

std::optional<SharedLayout> SharedLayout::create(int64_t rows, int64_t columns, int64_t elementBytes, StorageOrder order,
                                                 Swizzle swizzle, std::string *why) {
  auto refuse = [&](std::string reason) -> std::optional<SharedLayout> {
    if (why)
      *why = std::move(reason);
    return std::nullopt;
  };
  if (rows < 1 || columns < 1)
    return refuse("a tile has at least one row and column, found " + std::to_string(rows) + " x " + std::to_string(columns));
  if (elementBytes != 1 && elementBytes != 2 && elementBytes != 4 && elementBytes != 8)
    return refuse("elements have 1, 2, 4 or 8 bytes, found " + std::to_string(elementBytes));
  int64_t contiguous = (order == StorageOrder::RowMajor ? columns : rows) * elementBytes;
  int64_t panel = chunksOf(swizzle) * chunkBytes;
  if (swizzle != Swizzle::None && contiguous % panel != 0)
    return refuse("the contiguous dimension has " + std::to_string(contiguous) + " bytes, which are no whole panels of " +
                  std::to_string(panel));
  SharedLayout layout;
  layout.rowCount = rows;
  layout.columnCount = columns;
  layout.bytes = elementBytes;
  layout.storage = order;
  layout.pattern = swizzle;
  return layout;
}

int64_t SharedLayout::offsetOf(int64_t row, int64_t column) const {
  bool isRowMajor = storage == StorageOrder::RowMajor;
  int64_t line = isRowMajor ? row : column, lines = isRowMajor ? rowCount : columnCount;
  int64_t place = (isRowMajor ? column : row) * bytes;
  if (pattern == Swizzle::None)
    return line * (isRowMajor ? columnCount : rowCount) * bytes + place;
  int64_t chunks = chunksOf(pattern), panelBytes = chunks * chunkBytes;
  int64_t offset = (place / panelBytes * lines + line) * panelBytes + place % panelBytes;
  return offset ^ (offset / 128 % chunks) * chunkBytes;
}

int64_t bankTurns(const std::vector<int64_t> &addresses, int64_t width) {
  assert(width >= 1 && width <= mostVectorBytes && std::has_single_bit(static_cast<uint64_t>(width)));
  size_t group = static_cast<size_t>(width <= bankBytes ? lanesOfWarp : lanesOfWarp * bankBytes / width);
  int64_t turns = 0;
  for (size_t first = 0; first < addresses.size(); first += group) {
    std::vector<int64_t> words;
    for (size_t lane = first; lane < std::min(first + group, addresses.size()); ++lane) {
      assert((addresses[lane] < 0 || addresses[lane] % width == 0) && "a misaligned access");
      for (int64_t byte = 0; addresses[lane] >= 0 && byte < width; byte += bankBytes)
        words.push_back((addresses[lane] + byte) / bankBytes);
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::array<int64_t, bankCount> ofBank = {};
    for (int64_t word : words)
      ++ofBank[static_cast<size_t>(word % bankCount)];
    turns += *std::max_element(ofBank.begin(), ofBank.end());
  }
  return turns;
}

int64_t bankConflicts(const std::vector<int64_t> &addresses, int64_t width) {
  size_t group = static_cast<size_t>(width <= bankBytes ? lanesOfWarp : lanesOfWarp * bankBytes / width);
  int64_t fewest = 0;
  for (size_t first = 0; first < addresses.size(); first += group)
    fewest += std::any_of(addresses.begin() + static_cast<ptrdiff_t>(first),
                          addresses.begin() + static_cast<ptrdiff_t>(std::min(first + group, addresses.size())),
                          [](int64_t address) { return address >= 0; });
  return bankTurns(addresses, width) - fewest;
}

int64_t vectorWidth(const DistributedLayout &layout, unsigned dimension, int64_t most) {
  // With bits 1, 2, …, w/2 of the dimension among the registers and w dividing that coordinate of every other basis, each group
  // of 2^(those bits) registers is w elements side by side, aligned. Repetitions step by the atom's extent, which w divides.
  DistributedLayout::Bases bases = layout.bases();
  auto isStep = [&](const DistributedLayout::Basis &basis, int64_t step) {
    for (unsigned other = 0; other < basis.size(); ++other)
      if (basis[other] != (other == dimension ? step : 0))
        return false;
    return true;
  };
  int64_t width = 1;
  for (; width * 2 <= most; width *= 2) {
    bool hasStep = std::any_of(bases.registers.begin(), bases.registers.end(),
                               [&](const DistributedLayout::Basis &basis) { return isStep(basis, width); });
    if (!hasStep)
      break;
  }
  auto divides = [&](int64_t candidate) {
    for (const std::vector<DistributedLayout::Basis> *list : {&bases.registers, &bases.lanes, &bases.warps})
      for (const DistributedLayout::Basis &basis : *list) {
        bool isStepBelow = list == &bases.registers && basis[dimension] < candidate && isStep(basis, basis[dimension]);
        if (!isStepBelow && basis[dimension] % candidate != 0)
          return false;
      }
    return true;
  };
  while (width > 1 && !divides(width))
    width /= 2;
  return width;
}

std::vector<std::vector<int64_t>> vectorRegisters(const DistributedLayout &layout, unsigned dimension, int64_t vectorElements) {
  // Thread 0 of warp 0 stands for all: what others hold differs by multiples of the width.
  std::vector<std::pair<Coordinates, int64_t>> held;
  for (int64_t registerIndex = 0; registerIndex < layout.registers(); ++registerIndex)
    held.emplace_back(layout.elementAt({registerIndex, 0, 0}), registerIndex);
  std::vector<std::vector<int64_t>> groups;
  for (auto &[element, first] : held) {
    if (element[dimension] % vectorElements != 0)
      continue;
    std::vector<int64_t> &group = groups.emplace_back();
    for (int64_t step = 0; step < vectorElements; ++step) {
      Coordinates wanted = element;
      wanted[dimension] += step;
      for (auto &[other, registerIndex] : held)
        if (other == wanted)
          group.push_back(registerIndex);
    }
    assert(group.size() == static_cast<size_t>(vectorElements) && "the width is not vectorWidth's");
  }
  return groups;
}

SharedAccess sharedAccess(const DistributedLayout &layout, const SharedLayout &shared) {
  unsigned dimension = shared.contiguousDimension();
  SharedAccess result;
  int64_t most = std::max<int64_t>(1, mostVectorBytes / shared.elementBytes());
  // Without a swizzle, lines need not begin at multiples of 16 bytes.
  int64_t line = dimension == 1 ? shared.columns() : shared.rows();
  if (shared.swizzle() == Swizzle::None)
    most = std::min(most, line & -line);
  result.vectorElements = vectorWidth(layout, dimension, most);
  std::vector<std::vector<int64_t>> groups = vectorRegisters(layout, dimension, result.vectorElements);
  result.accesses = static_cast<int64_t>(groups.size());
  for (int64_t warp = 0; warp < layout.warps(); ++warp) {
    int64_t turns = 0;
    for (const std::vector<int64_t> &group : groups) {
      std::vector<int64_t> addresses;
      for (int64_t lane = 0; lane < lanesOfWarp; ++lane)
        addresses.push_back(shared.offsetOf(layout.elementAt({group[0], lane, warp})));
      turns += bankTurns(addresses, result.vectorElements * shared.elementBytes());
    }
    result.turns = std::max(result.turns, turns);
  }
  return result;
}

} // namespace tilewright::layout
