// The gradients of a linear layer in bf16, dx = (dy ⊙ act′(z)) · w and dw = (dy ⊙ act′(z))ᵀ · x, whose derivative is formed on the way into the product, against
// the same products of dy itself, by the same compiler.
#include "tests/benchmarks/gpu/Deviation.h"
#include "tests/benchmarks/gpu/DeviceArrays.h"
#include "tests/benchmarks/gpu/Session.h"

#include <algorithm>
#include <cmath>

namespace benchmarks {

namespace {

using tilewright::View;

constexpr double mostDeviation = 5e-3; // dz and results are rounded to 8 bits
constexpr double slowest = 1.15;       ///< what forming the derivative may cost, in times of the plain product
constexpr int64_t longContraction = 1024, checkedRows = 12, checkedColumns = 24;

constexpr const char *plainProducts = R"(
kernel plain_dx<T: float>(dy: T[M, N], w: T[N, K], dx: out T[M, K]) over (i in M by BM, k in K by BK) {
  var acc: f32[i, k] = 0;
  for j in N by BN { acc += dot(dy[i, j], w[j, k], over j); }
  dx[i, k] = T(acc);
}
kernel plain_dw<T: float>(dy: T[M, N], x: T[M, K], dw: out T[N, K]) over (j in N by BN, k in K by BK) {
  var acc: f32[j, k] = 0;
  for i in M by BM { acc += dot(dy[i, j], x[i, k], over i); }
  dw[j, k] = T(acc);
}
)";

struct Slope {
  const char *name;
  double (*value)(double z);
};

double sigmoid(double z) {
  return 1 / (1 + std::exp(-z));
}

constexpr Slope slopes[] = {
    {"relu", [](double z) { return z > 0 ? 1.0 : 0.0; }},
    {"silu", [](double z) { return sigmoid(z) * (1 + z * sigmoid(-z)); }},
    {"gelu",
     [](double z) {
       double cubic = 0.07135481627260025 * z * z, s = sigmoid(z * (1.5957691216057308 + cubic));
       return s + z * s * (1 - s) * (1.5957691216057308 + 3 * cubic);
     }},
};

class Gradient {
public:
  Gradient(Session &session, const LayerSize &size)
      : session(session), size(size), dy(session.context, 1, TW_BF16, size.rows * size.columns), z(session.context, 2, TW_BF16, size.rows * size.columns),
        w(session.context, 3, TW_BF16, size.columns * size.depth), x(session.context, 4, TW_BF16, size.rows * size.depth),
        dx(session.context, TW_BF16, size.rows * size.depth), dw(session.context, TW_BF16, size.columns * size.depth) {}

  void measure(bool isOfInput, const Slope &slope, const std::string &schedule) {
    std::string name = std::string(isOfInput ? "dx " : "dw ") + size.text() + " " + slope.name + (schedule.empty() ? "" : " [" + schedule + "]");
    session.measure("gradient", name, [&](Row &row) {
      row.work = 2.0 * static_cast<double>(size.rows) * static_cast<double>(size.columns) * static_cast<double>(size.depth);
      row.rateUnit = "TFLOP/s";
      row.against = "ours without act′";
      tilewright::Launchable whole = prepared(isOfInput, slope.name, schedule), plain = preparedPlain(isOfInput);
      auto launch = [&] { get(whole.launch({}, session.gpu.stream)); };
      Output &result = isOfInput ? dx : dw;
      result.receive(session.gpu, launch);
      row.deviation = deviation(isOfInput, slope);
      expectWithin(*row.deviation, mostDeviation, "ours");
      std::function<double()> contenders[] = {session.timed(launch), session.timed([&] { get(plain.launch({}, session.gpu.stream)); })};
      std::vector<Times> times = interleave(contenders, session.options.rounds);
      row.ours = times[0];
      row.yardstick = times[1];
      if ((isOfInput ? size.columns : size.rows) >= longContraction)
        row.bar = atLeastRatio(*row.ratio(), 1 / slowest);
    });
  }

private:
  Session &session;
  LayerSize size;
  Input dy, z, w, x;
  Output dx, dw;

  static View view(void *data, int64_t rows, int64_t columns) { return {data, TW_BF16, {rows, columns}}; }

  /// Of either product.
  std::vector<tilewright::Argument> operands(bool isOfInput) const {
    if (isOfInput)
      return {{"dy", view(dy.data(), size.rows, size.columns)}, {"w", view(w.data(), size.columns, size.depth)}, {"dx", view(dx.data(), size.rows, size.depth)}};
    return {{"dy", view(dy.data(), size.rows, size.columns)}, {"x", view(x.data(), size.rows, size.depth)}, {"dw", view(dw.data(), size.columns, size.depth)}};
  }

  tilewright::Launchable prepared(bool isOfInput, const char *act, const std::string &schedule) const {
    tilewright::Specialization specialization = {.schedule = schedule};
    specialization.bindings = {{"act", act}};
    for (const auto &[name, value] : session.options.gradientTile)
      specialization.bindings.push_back({name, value});
    std::vector<tilewright::Argument> arguments = operands(isOfInput);
    arguments.push_back({"z", view(z.data(), size.rows, size.columns)});
    return prepare(get(session.context.readyKernels("linear.tile")), isOfInput ? "linear_dx" : "linear_dw", arguments, specialization);
  }

  tilewright::Launchable preparedPlain(bool isOfInput) const {
    return prepare(get(session.context.parse("plain.tile", plainProducts)), isOfInput ? "plain_dx" : "plain_dw", operands(isOfInput));
  }

  double slopeTimesGradient(const Slope &slope, int64_t row, int64_t column) const {
    int64_t place = row * size.columns + column;
    return dy.value(place) * slope.value(z.value(place));
  }

  /// Of some rows and columns.
  double deviation(bool isOfInput, const Slope &slope) const {
    Deviation deviation;
    int64_t rows = isOfInput ? size.rows : size.columns;
    for (int64_t row : some(rows, checkedRows))
      for (int64_t column : some(size.depth, checkedColumns)) {
        double expected = 0;
        if (isOfInput)
          for (int64_t term = 0; term < size.columns; ++term)
            expected += slopeTimesGradient(slope, row, term) * w.value(term * size.depth + column);
        else
          for (int64_t term = 0; term < size.rows; ++term)
            expected += slopeTimesGradient(slope, term, row) * x.value(term * size.depth + column);
        deviation.add((isOfInput ? dx : dw).value(row * size.depth + column), expected);
      }
    return deviation.relative();
  }

  static std::vector<int64_t> some(int64_t count, int64_t most) {
    std::vector<int64_t> indices;
    int64_t taken = std::min(count, most);
    for (int64_t index = 0; index < taken; ++index)
      indices.push_back(index * (count - 1) / std::max<int64_t>(1, taken - 1));
    return indices;
  }
};

} // namespace

void measureGradients(Session &session) {
  for (const LayerSize &size : session.options.layers) {
    Gradient gradient(session, size);
    for (bool isOfInput : {true, false})
      for (const Slope &slope : slopes)
        for (const std::string &schedule : session.options.schedules)
          gradient.measure(isOfInput, slope, schedule);
  }
}

} // namespace benchmarks
