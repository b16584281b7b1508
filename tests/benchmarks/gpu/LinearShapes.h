// The sizes of the linear layers that are measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace benchmarks {

/// y[m, n] = x[m, k] · w[n, k]ᵀ.
struct LinearShape {
  std::string name;
  int64_t m = 0, n = 0, k = 0;
  int64_t inner = 0; ///< not 0: x lies as [m / inner, k, inner], as images do whose channels come first

  /// "bert_up 16384 x 3072 x 768", "77 x 130 x 264".
  std::string text() const;
  /// Where x[row, depth] lies.
  int64_t xIndex(int64_t row, int64_t depth) const {
    return inner ? (row / inner * k + depth) * inner + row % inner : row * k + depth;
  }
};

/// Of a layer's block sizes.
struct LinearTile {
  int64_t rows = 0, columns = 0, depth = 0; ///< 0: the compiler's

  /// "128x192x64"; the compiler's: "".
  std::string text() const;
};

/// Layers of transformers, small and large, and an image model's projection.
const std::vector<LinearShape> &knownShapes();

/// A known name, "MxNxK", or "MxNxK/INNER". Throws a Failure that lists what is possible.
LinearShape parseShape(const std::string &text);

/// "chosen", or "ROWSxCOLUMNSxDEPTH". Throws a Failure that says so.
LinearTile parseTile(const std::string &text);

} // namespace benchmarks
