// Attention forward, bf16: o = softmax(q · kᵀ / √d) · v for each head. Nothing is measured against: TFLOP/s count what both
// products are of the keys that a row sees.
#include "tests/benchmarks/gpu/Deviation.h"
#include "tests/benchmarks/gpu/DeviceArrays.h"
#include "tests/benchmarks/gpu/Session.h"

#include <algorithm>
#include <cmath>

namespace benchmarks {

namespace {

using tilewright::View;

constexpr double mostDeviation = 1e-2; // weights are rounded to 8 bits before their product, results after it
constexpr int64_t checkedRows = 12;

class Attention {
public:
  Attention(Session &session, const AttentionShape &shape)
      : session(session), shape(shape), q(session.context, 1, TW_BF16, elements()), k(session.context, 2, TW_BF16, elements()),
        v(session.context, 3, TW_BF16, elements()), o(session.context, TW_BF16, elements()) {}

  void measure(bool isCausal, const std::string &schedule) {
    std::string name = shape.text() + (isCausal ? " causal" : "") + (schedule.empty() ? "" : " [" + schedule + "]");
    session.measure("attention", name, [&](Row &row) {
      auto products = static_cast<double>(shape.batch * shape.heads) * static_cast<double>(shape.positions) *
                      static_cast<double>(shape.positions);
      row.work = 4.0 * products * static_cast<double>(shape.channels) * (isCausal ? 0.5 : 1);
      row.rateUnit = "TFLOP/s";
      tilewright::Launchable launchable = prepared(isCausal, schedule);
      auto launch = [&] { get(launchable.launch({}, session.gpu.stream)); };
      o.receive(session.gpu, launch);
      row.deviation = deviation(isCausal);
      expectWithin(*row.deviation, mostDeviation, "ours");
      std::function<double()> contenders[] = {session.timed(launch)};
      row.ours = interleave(contenders, session.options.rounds)[0];
    });
  }

private:
  Session &session;
  AttentionShape shape;
  Input q, k, v;
  Output o;

  int64_t elements() const { return shape.batch * shape.heads * shape.positions * shape.channels; }
  double scale() const { return 1 / std::sqrt(static_cast<double>(shape.channels)); }
  View view(void *data) const { return {data, TW_BF16, {shape.batch, shape.heads, shape.positions, shape.channels}}; }

  tilewright::Launchable prepared(bool isCausal, const std::string &schedule) const {
    tilewright::Specialization specialization = {.schedule = schedule};
    specialization.bindings = {{"causal", isCausal ? "true" : "false"}};
    for (const auto &[name, size] : session.options.attentionTile)
      specialization.bindings.push_back({name, size});
    return prepare(
        get(session.context.readyKernels("attention.tile")), "attention",
        {{"q", view(q.data())}, {"k", view(k.data())}, {"v", view(v.data())}, {"o", view(o.data())}, {"scale", scale()}},
        specialization);
  }

  /// Of some rows, over all heads.
  double deviation(bool isCausal) const {
    Deviation deviation;
    int64_t rows = shape.batch * shape.heads * shape.positions, checked = std::min(checkedRows, rows);
    for (int64_t index = 0; index < checked; ++index)
      addRow(deviation, index * (rows - 1) / std::max<int64_t>(1, checked - 1), isCausal);
    return deviation.relative();
  }

  void addRow(Deviation &deviation, int64_t row, bool isCausal) const {
    int64_t position = row % shape.positions, firstKey = row - position, keys = isCausal ? position + 1 : shape.positions;
    std::vector<double> weights(static_cast<size_t>(keys));
    for (int64_t key = 0; key < keys; ++key)
      for (int64_t channel = 0; channel < shape.channels; ++channel)
        weights[static_cast<size_t>(key)] += at(q, row, channel) * at(k, firstKey + key, channel) * scale();
    double top = *std::max_element(weights.begin(), weights.end()), sum = 0;
    for (double &weight : weights)
      sum += weight = std::exp(weight - top);
    for (int64_t channel = 0; channel < shape.channels; ++channel) {
      double expected = 0;
      for (int64_t key = 0; key < keys; ++key)
        expected += weights[static_cast<size_t>(key)] / sum * at(v, firstKey + key, channel);
      deviation.add(o.value(row * shape.channels + channel), expected);
    }
  }

  double at(const Input &input, int64_t row, int64_t channel) const { return input.value(row * shape.channels + channel); }
};

} // namespace

void measureAttention(Session &session) {
  for (const AttentionShape &shape : session.options.attentionShapes) {
    Attention attention(session, shape);
    for (bool isCausal : {false, true})
      for (const std::string &schedule : session.options.schedules)
        attention.measure(isCausal, schedule);
  }
}

} // namespace benchmarks
