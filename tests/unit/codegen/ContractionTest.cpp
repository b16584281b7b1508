// Products of tiles through the whole lowering against sums written down: layouts, dtypes, tails, further axes, special values.

#include "tests/unit/codegen/LoadedText.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

namespace tilewright::test {
namespace {

/// "mk,nk->mn": a letter is an axis; the letters of an operand are its memory's dimensions, the last one contiguous.
struct Product {
  std::string lhs, rhs, out;
  std::map<char, int64_t> capacities, extents;
  std::string type = "f32", accumulator = "f32";

  std::string axes() const {
    std::string all = out;
    for (char axis : lhs)
      if (out.find(axis) == std::string::npos)
        all += axis;
    return all;
  }
  std::vector<int64_t> sizes(const std::string &of) const {
    std::vector<int64_t> result;
    for (char axis : of)
      result.push_back(extents.at(axis));
    return result;
  }
};

int64_t count(const std::vector<int64_t> &sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
}

// --------------------------------------------------------------------------------------------------------------------
// The kernel
// --------------------------------------------------------------------------------------------------------------------

std::string join(const std::string &axes, const std::function<std::string(char)> &text, const char *separator = ", ") {
  std::string result;
  for (size_t i = 0; i < axes.size(); ++i)
    result += (i ? separator : "") + text(axes[i]);
  return result;
}

std::string viewType(const std::string &axes, const std::string &element) {
  std::string dimensions, strides;
  for (size_t i = 0; i < axes.size(); ++i) {
    dimensions += "?x";
    strides += i + 1 < axes.size() ? "?, " : "1";
  }
  return "memref<" + dimensions + element + ", strided<[" + strides + "]>>";
}

std::string map(const Product &product, const std::string &axes) {
  auto name = [](char axis) { return std::string(1, axis); };
  return "affine_map<(" + join(product.axes(), name) + ") -> (" + join(axes, name) + ")>";
}

/// The kernel's text: y += product, through a buffer of the capacities.
std::string kernel(const Product &product) {
  const std::string &acc = product.accumulator, &type = product.type;
  bool isFloat = acc[0] == 'f';
  std::string x = viewType(product.lhs, type), w = viewType(product.rhs, type), y = viewType(product.out, acc);
  std::string text = "func.func @tw_cpu_tiles(%x: " + x + ", %w: " + w + ", %y: " + y;
  for (char axis : product.axes())
    text += std::string(", %length_") + axis + ": index";
  text += ", %scratch: !llvm.ptr) attributes {llvm.emit_c_interface} {\n";
  // Extents as spans have them: at most the capacity.
  for (char axis : product.axes())
    text += std::string("  %c") + axis + " = arith.constant " + std::to_string(product.capacities.at(axis)) + " : index\n  %e" +
            axis + " = arith.minsi %length_" + axis + ", %c" + axis + " : index\n";
  auto part = [&](const char *name, const std::string &axes, const std::string &from, const std::string &to,
                  const std::string &source) {
    text += std::string("  %") + name + " = memref.subview %" + source + "[" + join(axes, [](char) { return "0"; }) + "] [" +
            join(axes, [](char axis) { return std::string("%e") + axis; }) + "] [" + join(axes, [](char) { return "1"; }) +
            "] : " + from + " to " + to + "\n";
  };
  std::string buffer =
      "memref<" +
      join(product.out, [&](char axis) { return std::to_string(product.capacities.at(axis)); }, "x") + "x" + acc + ">";
  std::string strides;
  int64_t stride = 1;
  for (size_t i = product.out.size(); i-- > 0; stride *= product.capacities.at(product.out[i]))
    strides = std::to_string(stride) + (strides.empty() ? "" : ", ") + strides;
  std::string used = "memref<" + join(product.out, [](char) { return "?"; }, "x") + "x" + acc + ", strided<[" + strides + "]>>";
  text += "  %buffer = memref.alloc() : " + buffer + "\n";
  part("acc", product.out, buffer, used, "buffer");
  part("xe", product.lhs, x, x, "x");
  part("we", product.rhs, w, w, "w");
  part("ye", product.out, y, y, "y");
  auto copy = [&](const std::string &from, const std::string &fromType, const std::string &to, const std::string &toType) {
    std::string same = "affine_map<(" + join(product.out, [](char axis) { return std::string(1, axis); }) + ") -> (" +
                       join(product.out, [](char axis) { return std::string(1, axis); }) + ")>";
    text += "  linalg.generic {indexing_maps = [" + same + ", " + same + "], iterator_types = [" +
            join(product.out, [](char) { return "\"parallel\""; }) + "]} ins(%" + from + " : " + fromType + ") outs(%" + to +
            " : " + toType + ") {\n  ^bb0(%a: " + acc + ", %b: " + acc + "):\n    linalg.yield %a : " + acc + "\n  }\n";
  };
  copy("ye", y, "acc", used);
  std::string kinds = join(product.axes(), [&](char axis) {
    return product.out.find(axis) == std::string::npos ? std::string("\"reduction\"") : std::string("\"parallel\"");
  });
  std::string a = type == acc ? "%a" : "%aw", b = type == acc ? "%b" : "%bw";
  text += "  linalg.generic {indexing_maps = [" + map(product, product.lhs) + ", " + map(product, product.rhs) + ", " +
          map(product, product.out) + "], iterator_types = [" + kinds + "]}\n    ins(%xe, %we : " + x + ", " + w +
          ") outs(%acc : " + used + ") attrs = {tilewright.dot} {\n  ^bb0(%a: " + type + ", %b: " + type + ", %s: " + acc +
          "):\n";
  if (type != acc)
    text += "    %aw = tile.cast %a : " + type + " -> " + acc + "\n    %bw = tile.cast %b : " + type + " -> " + acc + "\n";
  std::string flags = isFloat ? " fastmath<contract>" : "", kind = isFloat ? "f" : "i";
  text += "    %p = arith.mul" + kind + " " + a + ", " + b + flags + " : " + acc + "\n    %r = arith.add" + kind + " %s, %p" +
          flags + " : " + acc + "\n    linalg.yield %r : " + acc + "\n  }\n";
  copy("acc", used, "ye", y);
  return text + "  return\n}\n";
}

// --------------------------------------------------------------------------------------------------------------------
// Running it
// --------------------------------------------------------------------------------------------------------------------

template <typename T, typename Acc> struct Operands {
  std::vector<T> x, w;
  std::vector<Acc> y;
};

/// Calls with up to six extents (MLIR passes each index as an argument).
template <typename T, typename Acc> std::vector<Acc> run(const Product &product, Operands<T, Acc> data) {
  std::string error;
  std::unique_ptr<LoadedText> code = LoadedText::compile(kernel(product), error);
  EXPECT_TRUE(code) << error << "\n" << kernel(product);
  if (!code)
    return {};
  StridedView x(data.x.data(), product.sizes(product.lhs)), w(data.w.data(), product.sizes(product.rhs)),
      y(data.y.data(), product.sizes(product.out));
  std::vector<int64_t> e = product.sizes(product.axes());
  // NaN in what nobody may read.
  std::vector<char> memory(static_cast<size_t>(code->getScratchBytes()) + 64, char(0xff));
  auto *scratch = reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(memory.data()) + 63) & ~uintptr_t(63));
  switch (e.size()) {
  case 3:
    code->call("tw_cpu_tiles", x.get(), w.get(), y.get(), e[0], e[1], e[2], scratch);
    break;
  case 4:
    code->call("tw_cpu_tiles", x.get(), w.get(), y.get(), e[0], e[1], e[2], e[3], scratch);
    break;
  default:
    code->call("tw_cpu_tiles", x.get(), w.get(), y.get(), e[0], e[1], e[2], e[3], e[4], scratch);
  }
  return data.y;
}

/// Visits all points of the axes' extents; `offset(axes)` is the position in memory with those dimensions.
void forEachPoint(const Product &product,
                  const std::function<void(const std::function<size_t(const std::string &)> &)> &visit) {
  std::map<char, int64_t> point;
  std::function<size_t(const std::string &)> offset = [&](const std::string &axes) {
    int64_t position = 0;
    for (char axis : axes)
      position = position * product.extents.at(axis) + point[axis];
    return static_cast<size_t>(position);
  };
  std::string axes = product.axes();
  std::function<void(size_t)> loop = [&](size_t depth) {
    if (depth == axes.size())
      return visit(offset);
    for (point[axes[depth]] = 0; point[axes[depth]] < product.extents.at(axes[depth]); ++point[axes[depth]])
      loop(depth + 1);
  };
  loop(0);
}

float valueOf(float code) {
  return code;
}
double valueOf(double code) {
  return code;
}
double valueOf(uint16_t bf16) {
  uint32_t bits = uint32_t(bf16) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
int64_t valueOf(int8_t code) {
  return code;
}
int64_t valueOf(int32_t code) {
  return code;
}

float next(uint32_t &state) {
  state = state * 1664525 + 1013904223;
  return static_cast<float>(int32_t(state >> 8) - (1 << 23)) / (1 << 23);
}
void draw(uint32_t &state, float &value) {
  value = next(state);
}
void draw(uint32_t &state, double &value) {
  value = next(state);
}
void draw(uint32_t &state, int8_t &value) {
  value = static_cast<int8_t>(next(state) * 127);
}
void draw(uint32_t &state, int32_t &value) {
  value = static_cast<int32_t>(next(state) * 1e9f);
}
void draw(uint32_t &state, uint16_t &value) { // bf16
  float wide = next(state);
  uint32_t bits;
  std::memcpy(&bits, &wide, sizeof bits);
  value = static_cast<uint16_t>(bits >> 16);
}

template <typename T, typename Acc> Operands<T, Acc> randomOperands(const Product &product) {
  Operands<T, Acc> data;
  data.x.resize(count(product.sizes(product.lhs)));
  data.w.resize(count(product.sizes(product.rhs)));
  data.y.resize(count(product.sizes(product.out)));
  uint32_t state = 1;
  for (T &value : data.x)
    draw(state, value);
  for (T &value : data.w)
    draw(state, value);
  for (Acc &value : data.y)
    draw(state, value);
  return data;
}

/// |found - exact| <= 2 (k 2^-24) Σ|a||b| for f32, with 2^-53 for f64.
template <typename T, typename Acc> void testFloats(const Product &product) {
  Operands<T, Acc> data = randomOperands<T, Acc>(product);
  std::vector<Acc> found = run(product, data);
  std::vector<double> exact(data.y.begin(), data.y.end()), size(data.y.size());
  forEachPoint(product, [&](auto &offset) {
    double term = double(valueOf(data.x[offset(product.lhs)])) * double(valueOf(data.w[offset(product.rhs)]));
    exact[offset(product.out)] += term;
    size[offset(product.out)] += std::fabs(term);
  });
  int64_t terms = count(product.sizes(product.axes())) / int64_t(exact.size());
  double unit = sizeof(Acc) == 4 ? 0x1p-24 : 0x1p-53;
  size_t wrong = 0;
  for (size_t i = 0; i < found.size(); ++i)
    wrong += !(std::fabs(found[i] - exact[i]) <= 2 * (double(terms) + 1) * unit * (size[i] + std::fabs(data.y[i])));
  EXPECT_EQ(wrong, 0u) << product.lhs << "," << product.rhs << "->" << product.out << " of " << found.size();
  EXPECT_EQ(found.size(), exact.size());
}

template <typename T, typename Acc> void testIntegers(const Product &product) {
  Operands<T, Acc> data = randomOperands<T, Acc>(product);
  std::vector<Acc> found = run(product, data);
  std::vector<uint64_t> exact(data.y.begin(), data.y.end());
  forEachPoint(product, [&](auto &offset) {
    exact[offset(product.out)] +=
        uint64_t(valueOf(data.x[offset(product.lhs)])) * uint64_t(valueOf(data.w[offset(product.rhs)]));
  });
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_EQ(found[i], static_cast<Acc>(exact[i])) << i;
}

// --------------------------------------------------------------------------------------------------------------------
// The cases
// --------------------------------------------------------------------------------------------------------------------

Product matrix(const std::string &lhs, const std::string &rhs, const std::string &out, int64_t m, int64_t n, int64_t k) {
  return {lhs, rhs, out, {{'m', 64}, {'n', 96}, {'k', 80}}, {{'m', m}, {'n', n}, {'k', k}}};
}

TEST(Contraction, AllLayouts) {
  for (const char *lhs : {"mk", "km"})
    for (const char *rhs : {"nk", "kn"})
      for (const char *out : {"mn", "nm"})
        testFloats<float, float>(matrix(lhs, rhs, out, 64, 96, 80));
}

TEST(Contraction, TailsInEveryAxis) {
  for (const char *lhs : {"mk", "km"})
    for (const char *rhs : {"nk", "kn"})
      for (auto [m, n, k] :
           {std::array<int64_t, 3>{1, 1, 1}, {7, 95, 79}, {63, 33, 15}, {9, 31, 17}, {64, 65, 16}, {2, 96, 80}})
        testFloats<float, float>(matrix(lhs, rhs, "mn", m, n, k));
}

TEST(Contraction, NoDtypeIsSpecial) {
  Product product = matrix("mk", "nk", "mn", 50, 90, 77);
  product.type = product.accumulator = "f64";
  testFloats<double, double>(product);
  product.accumulator = "f32", product.type = "bf16";
  testFloats<uint16_t, float>(product);
  product.lhs = "km", product.rhs = "kn";
  testFloats<uint16_t, float>(product);
  product.accumulator = "i32", product.type = "i8";
  testIntegers<int8_t, int32_t>(product);
  product.type = "i32"; // wraps
  testIntegers<int32_t, int32_t>(product);
}

TEST(Contraction, CapacitiesThatBlocksDoNotDivide) {
  for (auto [m, n] : {std::pair<int64_t, int64_t>{19, 40}, {5, 33}, {100, 48}, {64, 16}, {8, 4}, {6, 100}}) {
    Product product = matrix("mk", "nk", "mn", m, n, 80);
    product.capacities['m'] = m, product.capacities['n'] = n;
    testFloats<float, float>(product);
    product.extents['m'] = m - 1, product.extents['n'] = n - 1;
    testFloats<float, float>(product);
  }
}

TEST(Contraction, ALongSumIsCut) {
  Product product = matrix("mk", "nk", "mn", 40, 40, 777);
  product.capacities['k'] = 1024;
  testFloats<float, float>(product);
}

TEST(Contraction, FurtherAxes) {
  // A batch; rows of two axes; columns of two axes; a sum over two axes.
  testFloats<float, float>(
      {"bmk", "bnk", "bmn", {{'b', 4}, {'m', 32}, {'n', 32}, {'k', 32}}, {{'b', 3}, {'m', 31}, {'n', 30}, {'k', 29}}});
  testFloats<float, float>(
      {"pqk", "nk", "pqn", {{'p', 4}, {'q', 32}, {'n', 32}, {'k', 32}}, {{'p', 3}, {'q', 31}, {'n', 30}, {'k', 29}}});
  testFloats<float, float>(
      {"mk", "hdk", "mhd", {{'m', 32}, {'h', 4}, {'d', 32}, {'k', 32}}, {{'m', 31}, {'h', 3}, {'d', 32}, {'k', 29}}});
  testFloats<float, float>(
      {"mrk", "nrk", "mn", {{'m', 32}, {'n', 32}, {'r', 3}, {'k', 32}}, {{'m', 31}, {'n', 30}, {'r', 3}, {'k', 29}}});
  testFloats<float, float>(
      {"kmb", "bkn", "nbm", {{'b', 4}, {'m', 32}, {'n', 32}, {'k', 32}}, {{'b', 3}, {'m', 31}, {'n', 30}, {'k', 29}}});
}

TEST(Contraction, SmallAndThinProductsAreRightToo) {
  testFloats<float, float>({"mk", "nk", "mn", {{'m', 1}, {'n', 64}, {'k', 64}}, {{'m', 1}, {'n', 63}, {'k', 61}}});
  testFloats<float, float>({"mk", "nk", "mn", {{'m', 4}, {'n', 64}, {'k', 4}}, {{'m', 3}, {'n', 63}, {'k', 4}}});
  testFloats<float, float>({"mk", "nk", "mn", {{'m', 4}, {'n', 64}, {'k', 64}}, {{'m', 3}, {'n', 63}, {'k', 61}}});
}

TEST(Contraction, NaNAndInfinityReachTheirRowsAndColumnsOnly) {
  Product product = matrix("mk", "nk", "mn", 33, 41, 37);
  Operands<float, float> data = randomOperands<float, float>(product);
  data.x[5 * 37 + 36] = NAN;
  data.w[40 * 37 + 3] = INFINITY;
  std::vector<float> found = run(product, data);
  for (int64_t m = 0; m < 33; ++m)
    for (int64_t n = 0; n < 41; ++n) {
      float value = found[m * 41 + n];
      EXPECT_EQ(std::isnan(value), m == 5) << m << ", " << n;
      EXPECT_EQ(std::isinf(value), m != 5 && n == 40) << m << ", " << n;
    }
}

} // namespace
} // namespace tilewright::test
