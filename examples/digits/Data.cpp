#include "Data.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

namespace digits {

std::optional<Examples> readExamples(const std::string &folder) {
  Examples examples;
  for (int32_t label = 0; label < classes; ++label) {
    std::string path = folder + "/" + std::to_string(label) + ".json";
    std::ifstream file(path);
    nlohmann::json json = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json["data"].is_array() || json["data"].size() % pixels != 0) {
      std::fprintf(stderr, "%s: expected {\"data\": [784 numbers for each picture]}\n", path.c_str());
      return std::nullopt;
    }
    for (const auto &value : json["data"])
      examples.images.push_back(value.is_number() ? value.get<float>() : 0.0f);
    examples.labels.resize(examples.images.size() / pixels, label);
  }
  return examples;
}

std::pair<Examples, Examples> split(const Examples &examples, int64_t trainCount, uint64_t seed) {
  std::vector<int64_t> order(static_cast<size_t>(examples.count()));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 generator(seed);
  // std::shuffle's use of the generator is not specified; this is the same everywhere.
  for (size_t last = order.size(); last > 1; --last)
    std::swap(order[last - 1], order[generator() % last]);

  std::pair<Examples, Examples> parts;
  for (size_t position = 0; position < order.size(); ++position) {
    Examples &part = static_cast<int64_t>(position) < trainCount ? parts.first : parts.second;
    const float *image = examples.images.data() + order[position] * pixels;
    part.images.insert(part.images.end(), image, image + pixels);
    part.labels.push_back(examples.labels[static_cast<size_t>(order[position])]);
  }
  return parts;
}

std::string draw(const Examples &examples, int64_t index) {
  static const char shades[] = " .:-=+*#%@";
  const float *image = examples.images.data() + index * pixels;
  std::string text;
  for (int64_t row = 0; row < side; row += 2) {
    for (int64_t column = 0; column < side; ++column) {
      float ink = 0.5f * (image[row * side + column] + image[(row + 1) * side + column]);
      text += shades[std::clamp(static_cast<int>(ink * 9.99f), 0, 9)];
    }
    text += '\n';
  }
  return text;
}

} // namespace digits
