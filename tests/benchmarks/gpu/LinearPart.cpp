// Linear layers with fused epilogues, against cuBLASLt's: y = act(scale · x · wᵀ + b) + r.
//
// cuBLASLt has the epilogues bias, bias and GELU, bias and ReLU. Others are measured against our own layer with a bias alone:
// what they cost.
#include "tests/benchmarks/gpu/CublasLt.h"
#include "tests/benchmarks/gpu/Deviation.h"
#include "tests/benchmarks/gpu/DeviceArrays.h"
#include "tests/benchmarks/gpu/LinearKinds.h"
#include "tests/benchmarks/gpu/Session.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

namespace benchmarks {

namespace {

using tilewright::View;

constexpr double leastMean = 1.04;
constexpr double mostCostOfEpilogue = 1.04; // over a bias alone, from this depth on
constexpr int64_t leastDepthToHide = 768;
constexpr double mostGeluDeviation = 1e-3; // of cuBLASLt, whose tanh is approximate in all dtypes
constexpr size_t scaleBytes = 16, floatsOfScale = scaleBytes / sizeof(float); // cuBLASLt has no algorithm for scales that are not aligned so
constexpr int roundsOfChoice = 5;
constexpr int64_t largestCheckedTile = 64, leastChecked = 1024, mostChecked = 8192;

/// In place of what the compiler chooses.
struct Variant {
  std::string schedule;
  LinearTile tile;

  /// " [128x192x64, stages=4]"; nothing if the compiler chooses all.
  std::string text() const {
    std::string both = tile.text() + (schedule.empty() || !tile.rows ? "" : ", ") + schedule;
    return both.empty() ? "" : " [" + both + "]";
  }
};

// ---- One shape, one kind ----------------------------------------------------------------------------------------------------

class Layer {
public:
  Layer(Session &session, const LinearShape &shape, const Kind &kind)
      : shape(shape), kind(kind), session(session), scaleX(kind.isScaled() ? 1.0 / 16 : 1), scaleW(scaleX),
        x(input(1, kind.operand, shape.m * shape.k, kind.inputDeviation)),
        w(input(2, kind.operand, shape.n * shape.k, weightDeviation())), b(input(3, kind.result, shape.n, 0.5)),
        r(input(4, kind.result, shape.m * shape.n, 1)),
        y(session.context, kind.result, shape.m * shape.n, session.options.offset),
        scales(get(session.context.allocate(2 * scaleBytes))) {
    if (kind.isScaled())
      scaleW /= std::sqrt(static_cast<double>(shape.k));
    float numbers[2 * floatsOfScale] = {};
    numbers[0] = static_cast<float>(scaleX), numbers[floatsOfScale] = static_cast<float>(scaleW);
    get(scales.upload(numbers));
  }

  const LinearShape shape;
  const Kind &kind;

  bool has(const Epilogue &epilogue) const { return !kind.isWhole() || !epilogue.hasBias; }

  tilewright::Launchable prepareOurs(const Epilogue &epilogue, const Variant &variant) const {
    View rows(x.data(), kind.operand, {shape.m, shape.k});
    if (shape.inner)
      rows =
          View(x.data(), kind.operand, {shape.m / shape.inner, shape.inner, shape.k}, {shape.inner * shape.k, 1, shape.inner});
    std::vector<tilewright::Argument> arguments = {{"x", rows},
                                                   {"w", View(w.data(), kind.operand, {shape.n, shape.k})},
                                                   {"y", View(y.data(), kind.result, {shape.m, shape.n})}};
    if (epilogue.hasBias)
      arguments.emplace_back("b", View(b.data(), kind.result, {shape.n}));
    if (epilogue.hasResidual)
      arguments.emplace_back("r", View(r.data(), kind.result, {shape.m, shape.n}));
    if (kind.isScaled())
      arguments.emplace_back("scale", scale());
    tilewright::Specialization specialization = {.schedule = variant.schedule};
    if (!kind.isWhole())
      specialization.bindings.emplace_back("act", epilogue.act);
    if (variant.tile.rows) {
      specialization.bindings.emplace_back("BM", std::to_string(variant.tile.rows));
      specialization.bindings.emplace_back("BN", std::to_string(variant.tile.columns));
      specialization.bindings.emplace_back("BK", std::to_string(variant.tile.depth));
    }
    const tilewright::Context &context = session.context;
    return prepare(kind.text ? get(context.parse(std::string("linear_") + kind.name + ".tile", kind.text))
                             : get(context.readyKernels("linear.tile")),
                   "linear", arguments, specialization);
  }

  LtProblem problem(const Epilogue &epilogue) const {
    LtProblem problem = {.shape = shape,
                         .operandType = kind.operandType,
                         .resultType = kind.resultType,
                         .computeType = kind.computeType,
                         .scaleType = kind.scaleType,
                         .isFast = kind.isScaled(),
                         .epilogue = epilogue.cublasLt,
                         .x = x.data(),
                         .w = w.data(),
                         .bias = epilogue.hasBias ? b.data() : nullptr,
                         .y = y.data()};
    if (kind.isScaled()) {
      problem.scaleX = scales.data();
      problem.scaleW = scales.as<float>() + floatsOfScale;
    }
    return problem;
  }

  /// Of what `work` writes: one element of every tile of 64 × 64, of smaller ones where the array is small, of some where it is
  /// large.
  double deviation(const Epilogue &epilogue, const std::function<void()> &work) {
    y.receive(session.gpu, work);
    int64_t size = largestCheckedTile;
    auto along = [&](int64_t extent) { return (extent + size - 1) / size; };
    while (size > 1 && along(shape.m) * along(shape.n) < leastChecked)
      size /= 2;
    Deviation deviation;
    int64_t tiles = along(shape.m) * along(shape.n), step = std::max<int64_t>(1, tiles / mostChecked);
    for (int64_t tile = 0; tile < tiles; tile += step) { // at another place in each
      int64_t row = std::min(tile / along(shape.n) * size + tile * 37 % size, shape.m - 1);
      int64_t column = std::min(tile % along(shape.n) * size + tile * 23 % size, shape.n - 1);
      deviation.add(y.value(row * shape.n + column), reference(epilogue, row, column));
    }
    return deviation.relative();
  }

private:
  Session &session;
  double scaleX, scaleW; ///< f8: numbers are stored 16 times as large, where there are most of them
  Input x, w, b, r;
  Output y;
  tilewright::DeviceMemory scales;

  Input input(uint64_t seed, tw_dtype dtype, int64_t count, double deviation) const {
    return {session.context, seed, dtype, count, deviation, session.options.offset};
  }
  double scale() const {
    return static_cast<double>(static_cast<float>(scaleX)) * static_cast<double>(static_cast<float>(scaleW));
  }
  double weightDeviation() const {
    return kind.isWhole() || kind.isScaled() ? kind.inputDeviation
                                             : kind.inputDeviation / std::sqrt(static_cast<double>(shape.k));
  }

  double reference(const Epilogue &epilogue, int64_t row, int64_t column) const {
    double sum = 0;
    for (int64_t depth = 0; depth < shape.k; ++depth)
      sum += x.value(shape.xIndex(row, depth)) * w.value(column * shape.k + depth);
    sum = epilogue.reference(sum * scale() + (epilogue.hasBias ? b.value(column) : 0));
    return sum + (epilogue.hasResidual ? r.value(row * shape.n + column) : 0);
  }
};

// ---- Measuring --------------------------------------------------------------------------------------------------------------

class Linear {
public:
  explicit Linear(Session &session) : session(session) {
    try {
      library.emplace(session.gpu);
      std::printf("%s\n\n", library->describe().c_str());
    } catch (const Failure &failure) {
      missing = failure.what();
      std::printf("%s\n\n", missing.c_str());
      missing.erase(std::min(missing.find('\n'), missing.size())); // what was tried is told once
    }
  }

  void measure(Layer &layer) {
    for (const Epilogue &epilogue : linearEpilogues()) {
      if (!isWanted(session.options.epilogues, epilogue.name) || !layer.has(epilogue))
        continue;
      std::unique_ptr<LtProduct> theirs;
      for (const LinearTile &tile : session.options.tiles)
        for (const std::string &schedule : session.options.schedules) {
          Variant variant = {schedule, tile};
          std::string name = layer.shape.text() + " " + layer.kind.name + " " + epilogue.name + variant.text();
          session.measure("linear", name, [&](Row &row) { measureCase(layer, epilogue, variant, theirs, row); });
        }
    }
  }

  /// Over the shapes, of each kind, epilogue and schedule.
  void addMeans() {
    for (const auto &[name, values] : ratios) {
      double sum = 0;
      for (double ratio : values)
        sum += std::log(ratio);
      if (values.size() > 1)
        session.measure("linear", "geometric mean of " + std::to_string(values.size()) + " shapes, " + name, [&](Row &row) {
          row.mean = std::exp(sum / static_cast<double>(values.size()));
          if (name == "bf16 gelu" || name == "f16 gelu")
            row.bar = atLeastRatio(*row.mean, leastMean);
        });
    }
  }

  static bool isWanted(const std::vector<std::string> &names, const std::string &name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  }

private:
  Session &session;
  std::optional<CublasLt> library;
  std::string missing; ///< why there is no library
  std::map<std::string, std::vector<double>> ratios;

  void measureCase(Layer &layer, const Epilogue &epilogue, const Variant &variant, std::unique_ptr<LtProduct> &theirs, Row &row) {
    Gpu &gpu = session.gpu;
    const LinearShape &shape = layer.shape;
    row.work = 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
    row.rateUnit = "TFLOP/s";
    tilewright::Launchable ours = layer.prepareOurs(epilogue, variant);
    auto launchOurs = [&] { get(ours.launch({}, gpu.stream)); };
    row.deviation = layer.deviation(epilogue, launchOurs);
    expectWithin(*row.deviation, layer.kind.mostDeviation, "ours");
    std::vector<std::function<double()>> contenders = {session.timed(launchOurs)};

    std::optional<tilewright::Launchable> biasOnly;
    if (!epilogue.cublasLt) {
      biasOnly = layer.prepareOurs(biasAlone(), variant);
      contenders.push_back(session.timed([&] { get(biasOnly->launch({}, gpu.stream)); }));
      row.against = "ours with a bias alone";
    } else if (prepareTheirs(layer, epilogue, theirs, row)) {
      contenders.push_back(session.timed([&] { theirs->launch(); }));
      row.against = std::string("cuBLASLt ") + (epilogue.cublasLt == cublaslt::epilogueNone ? "plain" : epilogue.name);
    }
    std::vector<Times> times = interleave(contenders, session.options.rounds);
    row.ours = times[0];
    if (times.size() < 2)
      return;
    row.yardstick = times[1];
    if (epilogue.cublasLt) {
      row.bar = atLeastRatio(*row.ratio(), layer.kind.leastRatio);
      ratios[std::string(layer.kind.name) + " " + epilogue.name + variant.text()].push_back(*row.ratio());
    } else if (shape.k >= leastDepthToHide) {
      row.bar = atLeastRatio(*row.ratio(), 1 / mostCostOfEpilogue);
    }
  }

  /// The yardstick, its results checked, its algorithm chosen; once for all schedules. Whether there is one: else the row says
  /// why not.
  bool prepareTheirs(Layer &layer, const Epilogue &epilogue, std::unique_ptr<LtProduct> &theirs, Row &row) {
    if (!library) {
      row.remark = "no yardstick: " + missing;
      return false;
    }
    if (!theirs) {
      auto product = std::make_unique<LtProduct>(*library, layer.problem(epilogue));
      if (!product->chooseByMeasurement(session.gpu, roundsOfChoice)) {
        row.remark = "no yardstick: cuBLASLt has no algorithm for it";
        return false;
      }
      double bound = epilogue.cublasLt == cublaslt::epilogueGeluBias ? std::max(mostGeluDeviation, layer.kind.mostDeviation)
                                                                     : layer.kind.mostDeviation;
      expectWithin(layer.deviation(epilogue, [&] { product->launch(); }), bound, "cuBLASLt");
      theirs = std::move(product);
    }
    row.remark = "cuBLASLt: " + theirs->describe();
    return true;
  }
};

} // namespace

void measureLinear(Session &session) {
  Linear linear(session);
  for (const Kind &kind : linearKinds())
    if (Linear::isWanted(session.options.kinds, kind.name))
      for (const LinearShape &shape : session.options.shapes) {
        Layer layer(session, shape, kind);
        linear.measure(layer);
      }
  linear.addMeans();
}

} // namespace benchmarks
