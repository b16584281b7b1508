// The CPU target against OpenBLAS and memcpy, in one run, as a table and JSON lines.
//
//   tilewright-benchmarks [--threads N] [--json FILE] [--quick]
//
// What is timed alternates (ours, yardstick, ours, …) and the best of the repeats counts, so that a busy neighbour on the machine
// disturbs both alike.

#include "OpenBlas.h"

#include "tilewright/tilewright.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using tilewright::Argument;
using tilewright::View;

double seconds(const std::function<void()> &work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double bestOf(int repeats, const std::function<void()> &work) {
  double best = 1e9;
  for (int repeat = 0; repeat < repeats; ++repeat)
    best = std::min(best, seconds(work));
  return best;
}

[[noreturn]] void fail(const tilewright::Error &error) {
  std::fprintf(stderr, "error: %s\n%s", std::string(error.message()).c_str(), std::string(error.diagnostics()).c_str());
  std::exit(1);
}

std::vector<float> randomValues(int64_t count) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(static_cast<size_t>(count));
  for (float &value : values)
    value = uniform(generator);
  return values;
}

/// One line of the result.
struct Row {
  std::string name;
  double ours;
  std::optional<double> yardstick; ///< nothing where it is not installed
  std::string unit;
  std::string against;
};

class Suite {
public:
  Suite(tilewright::Context &context, std::string program, int threads, bool quick)
      : context(context), program(std::move(program)), threads(threads), quick(quick) {}

  std::vector<Row> rows;

  void linear(int64_t size, const char *schedule) {
    std::vector<float> x = randomValues(size * size), w = randomValues(size * size), b = randomValues(size), y(x.size(), NAN);
    tilewright::Launchable launchable = prepare("linear.tile", "linear",
                                                {{"x", View(x.data(), {size, size})},
                                                 {"w", View(w.data(), {size, size})},
                                                 {"b", View(b.data(), {size})},
                                                 {"y", View(y.data(), {size, size})}},
                                                {.bindings = {{"act", "gelu"}}, .schedule = schedule});
    bool reference = *schedule != 0;
    double best = 1e9;
    std::optional<benchmarks::BlasRate> blas;
    for (int round = 0; round < (reference ? 1 : 2); ++round) {
      best = std::min(best, bestOf(reference ? 1 : quick ? 8 : 25, [&] { launch(launchable); }));
      auto rate = benchmarks::bestBlasRate(program, static_cast<int>(size), threads);
      if (rate && (!blas || rate->gflops > blas->gflops))
        blas = rate;
    }
    double gflops = 2e-9 * static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(size) / best;
    std::string name = std::string("linear, bias, GELU ") + std::to_string(size) + "³ f32" + (reference ? " (reference)" : "");
    if (blas)
      rows.push_back({name, gflops, blas->gflops, "GFLOP/s", "OpenBLAS sgemm (" + blas->core + ")"});
    else
      rows.push_back({name, gflops, std::nullopt, "GFLOP/s", "OpenBLAS, which is not installed (libopenblas.so.0)"});
  }

  void memoryBound(const char *file, const char *kernel, const std::string &normWeight, int64_t rowCount, int64_t columns) {
    std::vector<float> x = randomValues(rowCount * columns), y(x.size(), 0), g = randomValues(columns);
    std::vector<Argument> arguments = {{"x", View(x.data(), {rowCount, columns})}, {"y", View(y.data(), {rowCount, columns})}};
    if (!normWeight.empty())
      arguments.emplace_back(normWeight, View(g.data(), {columns}));
    tilewright::Launchable launchable = prepare(file, kernel, arguments, {});
    std::vector<float> target(x.size(), 0);
    double ours = 1e9, copy = 1e9;
    for (int round = 0; round < (quick ? 3 : 6); ++round) {
      ours = std::min(ours, bestOf(4, [&] { launch(launchable); }));
      copy = std::min(copy, bestOf(4, [&] { parallelCopy(target.data(), x.data(), x.size()); }));
    }
    double gigabytes = 2e-9 * static_cast<double>(x.size() * sizeof(float));
    rows.push_back({std::string(kernel) + " " + std::to_string(rowCount) + " x " + std::to_string(columns) + " f32", gigabytes / ours,
                    gigabytes / copy, "GB/s", "parallel memcpy"});
  }

  /// A prepared launch of a kernel with nothing to do, on one thread.
  void launchOverhead() {
    auto module = context.parse("empty.tile", "kernel empty(x: f32[N], y: out f32[N]) over (n in N by 64) { y[n] = x[n]; }");
    if (!module)
      fail(module.error());
    float x = 0, y = 0;
    auto kernel = module->kernel();
    auto launchable = kernel->prepare({{"x", View(&x, {0})}, {"y", View(&y, {0})}});
    if (!launchable)
      fail(launchable.error());
    constexpr int count = 100000;
    double best = bestOf(5, [&] {
      for (int index = 0; index < count; ++index)
        launch(*launchable);
    });
    rows.push_back({"prepared launch of an empty kernel", 2e-6 * count / best, 1, "x the bar of 2 us", std::to_string(best / count * 1e9) + " ns"});
  }

private:
  tilewright::Context &context;
  std::string program;
  int threads;
  bool quick;

  static void launch(tilewright::Launchable &launchable) {
    if (auto done = launchable.launch(); !done)
      fail(done.error());
  }

  tilewright::Launchable prepare(const std::string &file, const char *name, std::span<const Argument> arguments,
                                 const tilewright::Specialization &specialization) {
    auto module = context.readyKernels(file);
    if (!module)
      fail(module.error());
    auto kernel = module->kernel(name);
    if (!kernel)
      fail(kernel.error());
    auto launchable = kernel->prepare(arguments, specialization);
    if (!launchable)
      fail(launchable.error());
    return std::move(*launchable);
  }
  tilewright::Launchable prepare(const std::string &file, const char *name, std::initializer_list<Argument> arguments,
                                 const tilewright::Specialization &specialization) {
    return prepare(file, name, std::span<const Argument>(arguments.begin(), arguments.size()), specialization);
  }

  void parallelCopy(float *to, const float *from, size_t count) {
    std::vector<std::thread> workers;
    auto part = [&](int index) {
      size_t first = count * static_cast<size_t>(index) / static_cast<size_t>(threads);
      size_t last = count * static_cast<size_t>(index + 1) / static_cast<size_t>(threads);
      std::memcpy(to + first, from + first, (last - first) * sizeof(float));
    };
    for (int index = 1; index < threads; ++index)
      workers.emplace_back(part, index);
    part(0);
    for (std::thread &worker : workers)
      worker.join();
  }
};

void print(const std::vector<Row> &rows, const std::string &jsonPath) {
  std::printf("\n%-48s %10s %10s  %-8s %6s  %s\n", "case", "ours", "yardstick", "unit", "ratio", "against");
  for (const Row &row : rows)
    if (row.yardstick)
      std::printf("%-48s %10.2f %10.2f  %-8s %6.2f  %s\n", row.name.c_str(), row.ours, *row.yardstick, row.unit.c_str(),
                  row.ours / *row.yardstick, row.against.c_str());
    else
      std::printf("%-48s %10.2f %10s  %-8s %6s  %s\n", row.name.c_str(), row.ours, "-", row.unit.c_str(), "-", row.against.c_str());
  if (jsonPath.empty())
    return;
  std::FILE *file = std::fopen(jsonPath.c_str(), "a");
  if (!file) {
    std::fprintf(stderr, "error: cannot write %s\n", jsonPath.c_str());
    std::exit(1);
  }
  for (const Row &row : rows) {
    std::string yardstick = row.yardstick ? std::to_string(*row.yardstick) : "null";
    std::string ratio = row.yardstick ? std::to_string(row.ours / *row.yardstick) : "null";
    std::fprintf(file, "{\"case\": \"%s\", \"ours\": %.4f, \"yardstick\": %s, \"unit\": \"%s\", \"ratio\": %s, \"against\": \"%s\"}\n",
                 row.name.c_str(), row.ours, yardstick.c_str(), row.unit.c_str(), ratio.c_str(), row.against.c_str());
  }
  std::fclose(file);
}

} // namespace

int main(int count, char **arguments) {
  if (count == 4 && !std::strcmp(arguments[1], "--blas-child"))
    return benchmarks::runBlasChild(std::atoi(arguments[2]), std::atoi(arguments[3]));
  int threads = static_cast<int>(std::thread::hardware_concurrency());
  std::string json;
  bool quick = false;
  for (int index = 1; index < count; ++index) {
    std::string name = arguments[index];
    if (name == "--quick")
      quick = true;
    else if (name == "--threads" && index + 1 < count)
      threads = std::atoi(arguments[++index]);
    else if (name == "--json" && index + 1 < count)
      json = arguments[++index];
    else {
      std::fprintf(stderr, "usage: tilewright-benchmarks [--threads N] [--json FILE] [--quick]\n");
      return 2;
    }
  }
  tw_context_options options = {};
  options.threads = threads;
  auto context = tilewright::Context::create(options);
  if (!context)
    fail(context.error());
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  Suite measured(*context, length > 0 ? std::string(path, static_cast<size_t>(length)) : arguments[0], threads, quick);
  measured.linear(1024, "");
  measured.linear(quick ? 256 : 1024, "reference");
  measured.memoryBound("softmax.tile", "softmax", "", 4096, 4096);
  measured.memoryBound("norm.tile", "rms_norm", "g", 4096, 4096);
  measured.launchOverhead();
  print(measured.rows, json);
  return 0;
}
