// What the command line asks for.
#pragma once

#include "tests/benchmarks/gpu/LinearShapes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace benchmarks {

struct MatrixSize {
  int64_t rows = 0, columns = 0;
};

/// Of attention: the same for queries, keys and values.
struct AttentionShape {
  int64_t batch = 0, heads = 0, positions = 0, channels = 0;

  std::string text() const {
    return std::to_string(batch) + " x " + std::to_string(heads) + " x " + std::to_string(positions) + " x " + std::to_string(channels);
  }
};

/// Of a linear layer whose gradients are formed.
struct LayerSize {
  int64_t rows = 0, columns = 0, depth = 0;

  std::string text() const { return std::to_string(rows) + " x " + std::to_string(columns) + " x " + std::to_string(depth); }
};

struct Options {
  std::vector<std::string> parts; ///< none: all
  std::string cases;              ///< a part of their names
  int rounds = 31;
  int flushMegabytes = 256;
  double limitSeconds = 0; ///< no case begins later; 0: there is no limit
  std::string json;        ///< a file that lines are added to as they are known; "": none
  std::vector<MatrixSize> sizes = {{16'384, 4096}, {65'536, 1024}};
  int launches = 10'000;
  int processes = 7;
  int64_t coldSize = 4096;
  std::vector<LinearShape> shapes = knownShapes(); ///< of linear layers
  int64_t offset = 0;                              ///< elements by which arrays of layers begin beyond an aligned address
  std::vector<std::string> kinds = {"bf16"};       ///< none: all
  std::vector<std::string> epilogues;              ///< none: all
  std::vector<std::string> schedules = {""};       ///< "": the compiler's
  std::vector<LinearTile> tiles = {LinearTile()};  ///< the compiler's
  std::vector<AttentionShape> attentionShapes = {{4, 16, 4096, 128}, {2, 16, 8192, 128}, {1, 16, 16'384, 128}, {4, 32, 4096, 64}, {2, 32, 8192, 64}, {1, 32, 16'384, 64}};
  std::vector<std::pair<std::string, std::string>> attentionTile; ///< sizes in place of the compiler's
  std::vector<LayerSize> layers = {{4096, 4096, 4096}, {16'384, 3072, 768}, {16'384, 1024, 4096}, {8192, 8192, 8192}};
  std::vector<std::pair<std::string, std::string>> gradientTile; ///< sizes in place of the compiler's
  std::optional<std::string> childCache;           ///< this process is one of ColdPart.cpp's
};

/// parts: their names, and what they are about. Nothing: help was printed, or, to stderr, what is wrong; *exitCode says how to
/// end.
std::optional<Options> parseOptions(int count, char **arguments, const std::vector<std::pair<std::string, std::string>> &parts,
                                    int *exitCode);

} // namespace benchmarks
