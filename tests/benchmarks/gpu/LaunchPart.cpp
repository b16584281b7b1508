// What the host pays for a prepared launch, against the driver's launch of the same kernel with the same parameter alone.
//
// The kernel, its grid and its parameter are those that a launch of ours puts into a CUDA graph. Launches are timed in batches
// that fit in the driver's queue, and each batch is waited for outside of the time.
#include "tests/benchmarks/gpu/DeviceArrays.h"
#include "tests/benchmarks/gpu/Session.h"

#include <algorithm>

namespace benchmarks {

namespace {

using tilewright::View;

constexpr int launchesOfABatch = 200;                       // a stream's queue holds about a thousand
constexpr double mostExtra = 0.5, mostExtraOfChanged = 1.0; // microseconds

/// A kernel as a launch of ours would launch it.
class BareLaunch {
public:
  BareLaunch(const Gpu &gpu, const std::function<void()> &launch) : driver(gpu.driver) {
    constexpr int relaxed = 2; // other threads may do as they like
    driver.check(driver.beginCapture(gpu.stream, relaxed), "cuStreamBeginCapture");
    launch();
    driver.check(driver.endCapture(gpu.stream, &graph), "cuStreamEndCapture");
    size_t count = 0;
    driver.check(driver.graphNodes(graph, nullptr, &count), "cuGraphGetNodes");
    if (count != 1)
      throw Failure("a launch is " + std::to_string(count) + " nodes of a graph, expected one kernel");
    GraphNode node = nullptr;
    driver.check(driver.graphNodes(graph, &node, &count), "cuGraphGetNodes");
    KernelNode kernel = {};
    driver.check(driver.kernelNode(node, &kernel), "cuGraphKernelNodeGetParams");
    function = kernel.function ? kernel.function : kernel.kernel;
    parameters = kernel.parameters;
    cluster.id = clusterDimension;
    driver.check(driver.nodeAttribute(node, clusterDimension, &cluster.value), "cuGraphKernelNodeGetAttribute");
    configuration = {kernel.gridX,  kernel.gridY,       kernel.gridZ, kernel.blockX, kernel.blockY,
                     kernel.blockZ, kernel.sharedBytes, gpu.stream,   &cluster,      cluster.value.cluster.x > 1 ? 1u : 0u};
  }
  ~BareLaunch() {
    if (graph)
      driver.graphDestroy(graph);
  }
  BareLaunch(const BareLaunch &) = delete;
  BareLaunch &operator=(const BareLaunch &) = delete;

  void launch() const { driver.check(driver.launch(&configuration, function, parameters, nullptr), "cuLaunchKernelEx"); }

private:
  const Driver &driver;
  Graph graph = nullptr;
  Function function = nullptr;
  void **parameters = nullptr;
  LaunchAttribute cluster = {};
  LaunchConfiguration configuration = {};
};

/// Microseconds of one launch, as an average over a batch.
template <typename Launch> std::function<double()> batch(const Gpu &gpu, int launches, const Launch &launch) {
  return [&gpu, launches, &launch] {
    auto start = std::chrono::steady_clock::now();
    for (int index = 0; index < launches; ++index)
      launch(index);
    auto end = std::chrono::steady_clock::now();
    gpu.synchronize();
    return std::chrono::duration<double, std::micro>(end - start).count() / launches;
  };
}

/// Two sets of arguments that take turns where all pointers change.
struct Problem {
  std::string name;
  tilewright::Launchable launchable;
  std::vector<tw_value> values[2];
};

void measureProblem(Session &session, const std::string &name, const std::function<Problem()> &make) {
  const Gpu &gpu = session.gpu;
  auto measure = [&](bool changes, Row &row) {
    Problem problem = make();
    BareLaunch bare(gpu, [&] { get(problem.launchable.launch({}, gpu.stream)); });
    int launches = std::min(launchesOfABatch, session.options.launches);
    auto ours = [&](int index) {
      if (changes)
        get(problem.launchable.launch(problem.values[index & 1], gpu.stream));
      else
        get(problem.launchable.launch({}, gpu.stream));
    };
    auto theirs = [&](int) { bare.launch(); };
    std::function<double()> contenders[] = {batch(gpu, launches, ours), batch(gpu, launches, theirs)};
    std::vector<Times> times = interleave(contenders, std::max(1, session.options.launches / launches));
    row.ours = times[0];
    row.yardstick = times[1];
    row.against = "cuLaunchKernelEx of the same kernel and parameter";
    double extra = times[0].median - times[1].median, bound = changes ? mostExtraOfChanged : mostExtra;
    row.bar = atMost(extra, bound, changes ? "<= 1.0 us above" : "<= 0.5 us above");
    row.remark = std::to_string(session.options.launches) + " launches, ours takes " + timeText(extra) + " of the host longer";
  };
  session.measure("launch", name + ", same pointers", [&](Row &row) { measure(false, row); });
  session.measure("launch", name + ", all pointers changed", [&](Row &row) { measure(true, row); });
}

} // namespace

void measureLaunches(Session &session) {
  constexpr int64_t count = 1024, rows = 64, width = 128;
  const tilewright::Context &context = session.context;
  Input a(context, 1, TW_F32, count), b(context, 2, TW_F32, count), a2(context, 3, TW_F32, count),
      b2(context, 4, TW_F32, count);
  Output c(context, TW_F32, count), c2(context, TW_F32, count);
  measureProblem(session, "add, 3 views", [&] {
    tilewright::Module module = get(context.parse(
        "add.tile", "kernel add(a: f32[N], b: f32[N], c: out f32[N]) over (n in N by BN) { c[n] = a[n] + b[n]; }"));
    auto view = [&](void *data) { return View(data, TW_F32, {count}); };
    return Problem{"add",
                   prepare(module, "add", {{"a", view(a.data())}, {"b", view(b.data())}, {"c", view(c.data())}}),
                   {{{a.data()}, {b.data()}, {c.data()}}, {{a2.data()}, {b2.data()}, {c2.data()}}}};
  });
  Input x(context, 5, TW_BF16, rows * width), w(context, 6, TW_BF16, width * width), v(context, 7, TW_BF16, width);
  Input x2(context, 8, TW_BF16, rows * width), w2(context, 9, TW_BF16, width * width), v2(context, 10, TW_BF16, width);
  Output y(context, TW_BF16, rows * width), y2(context, TW_BF16, rows * width);
  measureProblem(session, "linear, bias, GELU bf16, 4 views", [&] {
    std::vector<tilewright::Argument> arguments = {{"x", View(x.data(), TW_BF16, {rows, width})},
                                                   {"w", View(w.data(), TW_BF16, {width, width})},
                                                   {"b", View(v.data(), TW_BF16, {width})},
                                                   {"y", View(y.data(), TW_BF16, {rows, width})}};
    // In the order of the kernel's parameters; r and z are absent.
    return Problem{"linear",
                   prepare(get(context.readyKernels("linear.tile")), "linear", arguments, {.bindings = {{"act", "gelu"}}}),
                   {{{x.data()}, {w.data()}, {v.data()}, {nullptr}, {y.data()}, {nullptr}},
                    {{x2.data()}, {w2.data()}, {v2.data()}, {nullptr}, {y2.data()}, {nullptr}}}};
  });
}

} // namespace benchmarks
