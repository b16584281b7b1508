// Launches back to back on two streams, in turns: all of them must give the bits of the first. Blocks of different launches then run beside one
// another on a multiprocessor, and find what others left in its shared memory.
#include "tests/benchmarks/gpu/DeviceArrays.h"
#include "tests/benchmarks/gpu/Session.h"

#include <algorithm>
#include <chrono>

namespace benchmarks {

namespace {

using tilewright::Argument;
using tilewright::View;

constexpr int mostBatches = 10; ///< results are compared behind each

/// What is launched: a kernel, by the output that it is to write.
struct Problem {
  std::string name;
  tw_dtype dtype;
  int64_t elements;
  std::function<tilewright::Launchable(void *output)> prepared;
};

class Streams {
public:
  explicit Streams(Session &session) : session(session) {
    constexpr unsigned nonBlocking = 1;
    session.gpu.driver.check(session.gpu.driver.streamCreate(&second, nonBlocking), "cuStreamCreate");
  }

  void measure(const Problem &problem) {
    session.measure("streams", problem.name, [&](Row &row) {
      Output here(session.context, problem.dtype, problem.elements), there(session.context, problem.dtype, problem.elements);
      tilewright::Launchable first = problem.prepared(here.data()), other = problem.prepared(there.data());
      here.receive(session.gpu, [&] { get(first.launch({}, session.gpu.stream)); });
      std::vector<std::byte> expected = here.bytes();
      int pairs = std::max(1, session.options.launches / 2), batches = std::min(mostBatches, pairs), launches = pairs / batches;
      auto start = std::chrono::steady_clock::now();
      for (int batch = 0; batch < batches; ++batch) {
        here.receive(session.gpu, [&] {
          there.receive(session.gpu, [&] {
            session.gpu.synchronize(); // both outputs are poisoned now
            for (int launch = 0; launch < launches; ++launch) {
              get(first.launch({}, session.gpu.stream));
              get(other.launch({}, second));
            }
            session.gpu.driver.check(session.gpu.driver.streamSynchronize(second), "cuStreamSynchronize");
          });
        });
        if (here.bytes() != expected || there.bytes() != expected)
          throw Failure("of " + std::to_string(2 * launches) + " launches on two streams the last of " +
                        (here.bytes() != expected ? "the first" : "the second") + " did not give the bits of a launch alone, in batch " +
                        std::to_string(batch + 1) + " of " + std::to_string(batches));
      }
      double elapsed = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
      double each = elapsed / (2 * launches * batches);
      row.ours = Times{.median = each, .minimum = each};
      row.remark = std::to_string(2 * launches * batches) + " launches on two streams, all with the same bits";
    });
  }

private:
  Session &session;
  Stream second = nullptr;
};

} // namespace

void measureStreams(Session &session) {
  const tilewright::Context &context = session.context;
  // Sizes that tiles do not divide; rows of whole 16 bytes, which tensor copies want.
  constexpr int64_t rows = 520, columns = 264, depth = 136, positions = 136, channels = 64, heads = 4;
  Input x(context, 1, TW_BF16, rows * depth), w(context, 2, TW_BF16, columns * depth, 0.04), b(context, 3, TW_BF16, columns),
      r(context, 4, TW_BF16, rows * columns), dy(context, 5, TW_BF16, rows * columns), q(context, 6, TW_BF16, heads * positions * channels);
  tilewright::Module linear = get(context.readyKernels("linear.tile")), softmax = get(context.readyKernels("softmax.tile")),
                     attention = get(context.readyKernels("attention.tile"));
  View xs(x.data(), TW_BF16, {rows, depth}), ws(w.data(), TW_BF16, {columns, depth}), bs(b.data(), TW_BF16, {columns}),
      rs(r.data(), TW_BF16, {rows, columns}), dys(dy.data(), TW_BF16, {rows, columns}),
      qs(q.data(), TW_BF16, {1, heads, positions, channels});
  auto layer = [&](std::vector<Argument> more, tilewright::Specialization specialization) {
    return [&, more, specialization](void *y) {
      std::vector<Argument> arguments = {{"x", xs}, {"w", ws}, {"b", bs}, {"y", View(y, TW_BF16, {rows, columns})}};
      arguments.insert(arguments.end(), more.begin(), more.end());
      return prepare(linear, "linear", arguments, specialization);
    };
  };
  Streams streams(session);
  for (const Problem &problem : {
           Problem{"linear, bias, GELU bf16", TW_BF16, rows * columns, layer({}, {.bindings = {{"act", "gelu"}}})},
           Problem{"linear, bias, residual bf16", TW_BF16, rows * columns, layer({{"r", rs}}, {})},
           Problem{"linear, bias bf16 by mma.sync", TW_BF16, rows * columns, layer({}, {.schedule = "plain"})},
           Problem{"linear_dx, GELU bf16", TW_BF16, rows * depth,
                   [&](void *dx) {
                     return prepare(linear, "linear_dx",
                                    {{"dy", dys}, {"z", rs}, {"w", ws}, {"dx", View(dx, TW_BF16, {rows, depth})}},
                                    {.bindings = {{"act", "gelu"}}});
                   }},
           Problem{"linear_dw, GELU bf16", TW_F32, columns * depth,
                   [&](void *dw) {
                     return prepare(linear, "linear_dw",
                                    {{"dy", dys}, {"z", rs}, {"x", xs}, {"dw", View(dw, TW_F32, {columns, depth})}},
                                    {.bindings = {{"act", "gelu"}}});
                   }},
           Problem{"softmax bf16", TW_BF16, rows * columns,
                   [&](void *y) { return prepare(softmax, "softmax", {{"x", rs}, {"y", View(y, TW_BF16, {rows, columns})}}); }},
           Problem{"attention bf16, causal", TW_BF16, heads * positions * channels,
                   [&](void *o) {
                     return prepare(attention, "attention",
                                    {{"q", qs}, {"k", qs}, {"v", qs}, {"o", View(o, TW_BF16, {1, heads, positions, channels})}, {"scale", 0.125}},
                                    {.bindings = {{"causal", "true"}}});
                   }},
       })
    streams.measure(problem);
}

} // namespace benchmarks
