#include "dialects/Layout/LinearMap.h"

#include <bit>

namespace tilewright::layout {

namespace {

/// Independent vectors in echelon form, each with the combination of the given ones that makes it.
class Echelon {
public:
  /// The rest of a vector after reduction; `combination` becomes that of the vectors that were subtracted.
  uint64_t reduce(uint64_t vector, uint64_t &combination) const {
    for (const Row &row : rows)
      if (vector >> row.leading & 1) {
        vector ^= row.vector;
        combination ^= row.combination;
      }
    return vector;
  }

  /// Adds the vector of number `index`. False if it depends on those before; then `combination` is one of 0 with it.
  bool add(uint64_t vector, unsigned index, uint64_t &combination) {
    combination = uint64_t(1) << index;
    uint64_t rest = reduce(vector, combination);
    if (rest == 0)
      return false;
    rows.push_back({rest, combination, static_cast<unsigned>(63 - std::countl_zero(rest))});
    return true;
  }

  unsigned size() const { return static_cast<unsigned>(rows.size()); }

private:
  struct Row {
    uint64_t vector, combination;
    unsigned leading;
  };
  std::vector<Row> rows; ///< no row has a one at the leading place of one before it
};

} // namespace

uint64_t LinearMap::operator()(uint64_t input) const {
  uint64_t image = 0;
  for (; input != 0; input &= input - 1)
    image ^= columns[static_cast<size_t>(std::countr_zero(input))];
  return image;
}

LinearMap LinearMap::after(const LinearMap &first) const {
  std::vector<uint64_t> bases;
  for (uint64_t basis : first.columns)
    bases.push_back((*this)(basis));
  return LinearMap(std::move(bases));
}

unsigned rankOf(const std::vector<uint64_t> &vectors) {
  Echelon echelon;
  uint64_t unused;
  for (uint64_t vector : vectors)
    echelon.add(vector, 0, unused);
  return echelon.size();
}

unsigned LinearMap::rank() const {
  return rankOf(columns);
}

std::vector<uint64_t> LinearMap::kernel() const {
  Echelon echelon;
  std::vector<uint64_t> kernel;
  for (unsigned index = 0; index < columns.size(); ++index)
    if (uint64_t combination; !echelon.add(columns[index], index, combination))
      kernel.push_back(combination);
  return kernel;
}

std::optional<uint64_t> LinearMap::solve(uint64_t image) const {
  // Bases join in order, and those that depend on earlier ones never do: so the answer has no late bit that it can do without.
  Echelon echelon;
  uint64_t unused;
  for (unsigned index = 0; index < columns.size(); ++index)
    echelon.add(columns[index], index, unused);
  uint64_t combination = 0;
  if (echelon.reduce(image, combination) != 0)
    return std::nullopt;
  return combination;
}

std::optional<LinearMap> LinearMap::inverse(unsigned outputBits) const {
  std::vector<uint64_t> bases;
  for (unsigned bit = 0; bit < outputBits; ++bit) {
    std::optional<uint64_t> input = solve(uint64_t(1) << bit);
    if (!input)
      return std::nullopt;
    bases.push_back(*input);
  }
  return LinearMap(std::move(bases));
}

} // namespace tilewright::layout
