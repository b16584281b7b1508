// Kernels that only move memory, against the driver's copy of as many bytes.
#include "tests/benchmarks/gpu/Deviation.h"
#include "tests/benchmarks/gpu/DeviceArrays.h"
#include "tests/benchmarks/gpu/Session.h"

#include <algorithm>
#include <cmath>

namespace benchmarks {

namespace {

using tilewright::Argument;
using tilewright::View;

constexpr double leastRatio = 0.90;
constexpr double mostDeviation = 1e-5; // f32 sums of a row, and the GPU's exp and rsqrt
constexpr int64_t checkedRows = 64;
constexpr const char *addText = "kernel add(a: f32[N], b: f32[N], c: out f32[N]) over (n in N by BN) { c[n] = a[n] + b[n]; }";

/// A row of the result, in f64.
using Reference = std::function<void(int64_t row, std::vector<double> &to)>;

class Bandwidth {
public:
  Bandwidth(Session &session, MatrixSize size)
      : session(session), rows(size.rows), columns(size.columns), x(session.context, 1, TW_F32, rows * columns),
        second(session.context, 2, TW_F32, rows * columns), weight(session.context, 3, TW_F32, columns),
        bias(session.context, 4, TW_F32, columns), y(session.context, TW_F32, rows * columns) {}

  void measure() {
    auto add = [this](int64_t row, std::vector<double> &to) {
      for (int64_t column = 0; column < columns; ++column)
        to[static_cast<size_t>(column)] = at(x, row, column) + at(second, row, column);
    };
    measureCase("add", 3, add, [this] {
      return prepare(get(session.context.parse("add.tile", addText)), "add",
                     {{"a", flat(x.data())}, {"b", flat(second.data())}, {"c", flat(y.data())}});
    });
    auto softmax = [this](int64_t row, std::vector<double> &to) {
      loadRow(row, to);
      double most = *std::max_element(to.begin(), to.end()), sum = 0;
      for (double &value : to)
        sum += value = std::exp(value - most);
      for (double &value : to)
        value /= sum;
    };
    measureCase("softmax", 2, softmax, [this] { return ready("softmax.tile", "softmax", {}); });
    auto layerNorm = [this](int64_t row, std::vector<double> &to) {
      loadRow(row, to);
      double mean = 0;
      for (double value : to)
        mean += value / static_cast<double>(columns);
      for (double &value : to)
        value -= mean;
      normalize(to);
      for (int64_t column = 0; column < columns; ++column)
        to[static_cast<size_t>(column)] += bias.value(column);
    };
    measureCase("layer_norm", 2, layerNorm,
                [this] { return ready("norm.tile", "layer_norm", {{"g", vector(weight)}, {"b", vector(bias)}}); });
    auto rmsNorm = [this](int64_t row, std::vector<double> &to) {
      loadRow(row, to);
      normalize(to);
    };
    measureCase("rms_norm", 2, rmsNorm, [this] { return ready("norm.tile", "rms_norm", {{"g", vector(weight)}}); });
  }

private:
  Session &session;
  int64_t rows, columns;
  Input x, second, weight, bias;
  Output y;

  double at(const Input &input, int64_t row, int64_t column) const { return input.value(row * columns + column); }
  void loadRow(int64_t row, std::vector<double> &to) const {
    for (int64_t column = 0; column < columns; ++column)
      to[static_cast<size_t>(column)] = at(x, row, column);
  }
  /// Divides by the root of the mean square, and multiplies by the weight.
  void normalize(std::vector<double> &values) const {
    double squares = 0;
    for (double value : values)
      squares += value * value;
    double scale = 1 / std::sqrt(squares / static_cast<double>(columns) + 1e-5);
    for (int64_t column = 0; column < columns; ++column)
      values[static_cast<size_t>(column)] *= scale * weight.value(column);
  }

  View flat(void *data) const { return {data, TW_F32, {rows * columns}}; }
  View matrix(void *data) const { return {data, TW_F32, {rows, columns}}; }
  View vector(const Input &input) const { return {input.data(), TW_F32, {columns}}; }

  tilewright::Launchable ready(const std::string &file, const std::string &kernel, std::vector<Argument> arguments) const {
    arguments.emplace_back("x", matrix(x.data()));
    arguments.emplace_back("y", matrix(y.data()));
    return prepare(get(session.context.readyKernels(file)), kernel, arguments);
  }

  /// arrays: how many of them, of the size of x, the kernel reads and writes.
  void measureCase(const std::string &kernel, int arrays, const Reference &reference,
                   const std::function<tilewright::Launchable()> &prepared) {
    std::string name = kernel + " " + std::to_string(rows) + " x " + std::to_string(columns) + " f32";
    session.measure("bandwidth", name, [&](Row &row) {
      tilewright::Launchable launchable = prepared();
      auto launch = [&] { get(launchable.launch({}, session.gpu.stream)); };
      y.receive(session.gpu, launch);
      row.deviation = deviation(reference);
      expectWithin(*row.deviation, mostDeviation, "ours");

      size_t traffic = static_cast<size_t>(arrays * rows * columns) * sizeof(float), half = traffic / 2;
      tilewright::DeviceMemory from = get(session.context.allocate(half)), to = get(session.context.allocate(half));
      get(from.fill(1, session.gpu.stream));
      auto copy = [&] {
        const Driver &driver = session.gpu.driver;
        driver.check(driver.copyOnDevice(reinterpret_cast<Address>(to.data()), reinterpret_cast<Address>(from.data()), half,
                                         session.gpu.stream),
                     "cuMemcpyDtoDAsync");
      };
      std::function<double()> contenders[] = {session.timed(launch), session.timed(copy)};
      std::vector<Times> times = interleave(contenders, session.options.rounds);
      row.ours = times[0];
      row.yardstick = times[1];
      row.against = "cuMemcpyDtoDAsync of as many bytes";
      row.work = static_cast<double>(traffic);
      row.rateUnit = "GB/s";
      row.bar = atLeastRatio(*row.ratio(), leastRatio);
    });
  }

  double deviation(const Reference &reference) const {
    Deviation deviation;
    std::vector<double> expected(static_cast<size_t>(columns));
    for (int64_t index = 0; index < std::min(checkedRows, rows); ++index) {
      int64_t row =
          index * (rows - 1) / std::max<int64_t>(1, std::min(checkedRows, rows) - 1); // the first, the last, and between
      reference(row, expected);
      for (int64_t column = 0; column < columns; ++column)
        deviation.add(y.value(row * columns + column), expected[static_cast<size_t>(column)]);
    }
    return deviation.relative();
  }
};

} // namespace

void measureBandwidth(Session &session) {
  for (MatrixSize size : session.options.sizes)
    Bandwidth(session, size).measure();
}

} // namespace benchmarks
