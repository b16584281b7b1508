#include "tests/benchmarks/gpu/LinearShapes.h"

#include "tests/benchmarks/gpu/Failure.h"

#include <algorithm>
#include <cstdio>

namespace benchmarks {

std::string LinearShape::text() const {
  std::string sizes = std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
  if (inner)
    sizes += " rows innermost";
  return name.empty() ? sizes : name + " " + sizes;
}

std::string LinearTile::text() const {
  return rows ? std::to_string(rows) + "x" + std::to_string(columns) + "x" + std::to_string(depth) : "";
}

const std::vector<LinearShape> &knownShapes() {
  static const std::vector<LinearShape> shapes = {{"xf256", 4096, 1024, 256},
                                                  {"xf512", 4096, 2048, 512},
                                                  {"xf1024", 2048, 4096, 1024},
                                                  {"xf2048", 1024, 8192, 2048},
                                                  {"xf4096", 1024, 16'384, 4096},
                                                  {"bert_up", 16'384, 3072, 768},
                                                  {"bert_down", 16'384, 768, 3072},
                                                  {"bert_qkv", 16'384, 2304, 768},
                                                  {"llama_qkv", 8192, 6144, 4096},
                                                  {"sq4096", 4096, 4096, 4096},
                                                  {"sq8192", 8192, 8192, 8192},
                                                  {"decode16", 16, 14'336, 4096},
                                                  {"walrus", 24 * 1024, 9856, 1408, 1024}};
  return shapes;
}

LinearShape parseShape(const std::string &text) {
  std::string names;
  for (const LinearShape &shape : knownShapes()) {
    if (shape.name == text)
      return shape;
    names += (names.empty() ? "" : ", ") + shape.name;
  }
  LinearShape shape;
  long m = 0, n = 0, k = 0, inner = 0;
  char rest = 0;
  int found = std::sscanf(text.c_str(), "%ldx%ldx%ld%c", &m, &n, &k, &rest);
  if (found == 4 && rest == '/')
    found =
        std::sscanf(text.c_str(), "%ldx%ldx%ld/%ld%c", &m, &n, &k, &inner, &rest) == 4 && inner > 0 && m % inner == 0 ? 3 : 0;
  if (found != 3 || m < 1 || n < 1 || k < 1)
    throw Failure("there is no shape " + text + ": expected MxNxK, MxNxK/INNER where INNER divides M, or one of " + names);
  shape.m = m;
  shape.n = n;
  shape.k = k;
  shape.inner = inner;
  return shape;
}

LinearTile parseTile(const std::string &text) {
  if (text == "chosen")
    return {};
  long rows = 0, columns = 0, depth = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%ldx%ldx%ld%c", &rows, &columns, &depth, &rest) != 3 || std::min({rows, columns, depth}) < 1)
    throw Failure("there is no tile " + text + ": expected ROWSxCOLUMNSxDEPTH, as in 128x192x64, or chosen");
  return {rows, columns, depth};
}

} // namespace benchmarks
