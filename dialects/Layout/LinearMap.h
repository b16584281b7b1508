// Linear maps over GF(2), the field of one bit: addition is exclusive or, multiplication is and.
//
// A map of n bits to m bits is the list of what its n input bits give, its bases: the image of a number is the exclusive or of
// the bases of its one bits. So map(a ^ b) = map(a) ^ map(b), and map(0) = 0. Bits 0 to 63 of a word, no more.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright::layout {

class LinearMap {
public:
  LinearMap() = default;
  explicit LinearMap(std::vector<uint64_t> bases) : columns(std::move(bases)) {}

  unsigned inputBits() const { return static_cast<unsigned>(columns.size()); }
  const std::vector<uint64_t> &bases() const { return columns; }

  uint64_t operator()(uint64_t input) const;

  /// This map after `first`: (outer.after(inner))(x) = outer(inner(x)).
  LinearMap after(const LinearMap &first) const;

  /// The dimension of the image.
  unsigned rank() const;
  /// Numbers whose combinations are exactly the inputs with image 0.
  std::vector<uint64_t> kernel() const;

  /// An input that gives `image`, or nothing. It uses as few late bits as possible: a combination of bits 0 … i is preferred
  /// to any with a later bit.
  std::optional<uint64_t> solve(uint64_t image) const;

  /// A right inverse: operator()(inverse(y)) = y for each y of `outputBits` bits; nothing if some y is no image.
  std::optional<LinearMap> inverse(unsigned outputBits) const;

  friend bool operator==(const LinearMap &, const LinearMap &) = default;

private:
  std::vector<uint64_t> columns;
};

/// How many of the vectors are independent.
unsigned rankOf(const std::vector<uint64_t> &vectors);

} // namespace tilewright::layout
