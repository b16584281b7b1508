// What the host pays: reading a source file, compiling a kernel, preparing it again, launching it.
//
//   tilewright-host-benchmarks [--benchmark_filter=…]       (Google Benchmark's flags)
//
// Throughput of kernels against other libraries is main.cpp's business.

#include "tilewright/tilewright.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

#include "KernelTexts.inc"

using tilewright::Context;
using tilewright::Launchable;
using tilewright::View;

template <typename T> T get(benchmark::State &state, tilewright::Result<T> result) {
  if (!result) {
    state.SkipWithError(std::string(result.error().message()).c_str());
    std::fprintf(stderr, "error: %s\n%s", std::string(result.error().message()).c_str(),
                 std::string(result.error().diagnostics()).c_str());
    std::exit(1);
  }
  return std::move(*result);
}

Context oneThread(benchmark::State &state) {
  tw_context_options options = {};
  options.threads = 1;
  options.cache_directory = ""; // what is measured is compiled
  return get(state, Context::create(options));
}

/// Lexer, parser and checks of the language reference's 36 kernels; the rate is in lines.
void checkSource(benchmark::State &state) {
  std::string source = kernelsText;
  Context context = oneThread(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(get(state, context.parse("kernels.tile", source)));
  state.SetItemsProcessed(state.iterations() * std::count(source.begin(), source.end(), '\n'));
}
BENCHMARK(checkSource)->Unit(benchmark::kMillisecond);

struct Linear {
  std::vector<float> x = std::vector<float>(64 * 64), w = x, y = x;

  Launchable prepare(benchmark::State &state, const tilewright::Kernel &kernel) {
    return get(state, kernel.prepare(
                          {{"x", View(x.data(), {64, 64})}, {"w", View(w.data(), {64, 64})}, {"y", View(y.data(), {64, 64})}},
                          {.bindings = {{"act", "gelu"}}}));
  }
};

/// From text to the first result. The compiler's library is loaded already, nothing else is known.
void linearFromText(benchmark::State &state) {
  std::string source = linearText;
  Linear data;
  for (auto _ : state) {
    Context context = oneThread(state); // with an empty cache
    auto module = get(state, context.parse("linear.tile", source));
    Launchable launchable = data.prepare(state, get(state, module.kernel("linear")));
    benchmark::DoNotOptimize(launchable.launch());
  }
}
BENCHMARK(linearFromText)->Unit(benchmark::kMillisecond);

/// The specialization is compiled; shapes are bound and checked again.
void prepareAgain(benchmark::State &state) {
  Context context = oneThread(state);
  auto module = get(state, context.parse("linear.tile", linearText));
  auto kernel = get(state, module.kernel("linear"));
  Linear data;
  Launchable first = data.prepare(state, kernel);
  for (auto _ : state)
    benchmark::DoNotOptimize(data.prepare(state, kernel));
}
BENCHMARK(prepareAgain)->Unit(benchmark::kMicrosecond);

/// A prepared launch with nothing to do.
void launchEmpty(benchmark::State &state) {
  Context context = oneThread(state);
  auto module =
      get(state, context.parse("empty.tile", "kernel empty(x: f32[N], y: out f32[N]) over (n in N by 64) { y[n] = x[n]; }"));
  float x = 0, y = 0;
  auto kernel = get(state, module.kernel());
  Launchable launchable = get(state, kernel.prepare({{"x", View(&x, {0})}, {"y", View(&y, {0})}}));
  for (auto _ : state)
    benchmark::DoNotOptimize(launchable.launch());
}
BENCHMARK(launchEmpty);

} // namespace

BENCHMARK_MAIN();
