// What the lessons share: stopping with a message, and comparing.
#pragma once

#include "tilewright/tilewright.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace lesson {

/// Ends the program with the error's message and the compiler's diagnostics, if the result is one.
template <typename T> T valueOf(tilewright::Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "error: %s\n%s", std::string(result.error().message()).c_str(),
                 std::string(result.error().diagnostics()).c_str());
    std::exit(1);
  }
  return std::move(*result);
}

inline void succeed(tilewright::Result<void> result) {
  if (result)
    return;
  std::fprintf(stderr, "error: %s\n%s", std::string(result.error().message()).c_str(),
               std::string(result.error().diagnostics()).c_str());
  std::exit(1);
}

inline std::vector<float> randomValues(int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<size_t>(count));
  for (float &value : values)
    value = normal(generator);
  return values;
}

/// Ends the program unless every element is near what plain loops give. NaN is not near anything.
inline void expectNear(const std::vector<float> &got, const std::vector<double> &want, double tolerance, const char *what) {
  for (size_t index = 0; index < want.size(); ++index)
    if (!(std::abs(got[index] - want[index]) <= tolerance * (1 + std::abs(want[index])))) {
      std::fprintf(stderr, "%s[%zu] is %g, expected %g\n", what, index, static_cast<double>(got[index]), want[index]);
      std::exit(1);
    }
  std::printf("%s: %zu elements as expected\n", what, want.size());
}

} // namespace lesson
