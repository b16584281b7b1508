#include "Generated.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace digits {

static int report(const tilewright::Error &error) {
  std::fprintf(stderr, "error: %s\n%s", std::string(error.message()).c_str(), std::string(error.diagnostics()).c_str());
  return 1;
}

static double gelu(double x) { return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }

int runOnGeneratedData(tilewright::Context &context) {
  constexpr int64_t M = 500, N = 300, K = 784;
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  auto random = [&](int64_t size) {
    std::vector<float> values(static_cast<size_t>(size));
    std::generate(values.begin(), values.end(), [&] { return normal(generator) / 28; });
    return values;
  };
  std::vector<float> x = random(M * K), w = random(N * K), b = random(N), y(M * N, NAN);

  auto module = context.load(TILEWRIGHT_KERNELS "/linear.tile");
  if (!module)
    return report(module.error());
  auto kernel = module->kernel("linear");
  if (!kernel)
    return report(kernel.error());
  using tilewright::View;
  auto linear = kernel->prepare({{"x", View(x.data(), {M, K})},
                                 {"w", View(w.data(), {N, K})},
                                 {"b", View(b.data(), {N})},
                                 {"y", View(y.data(), {M, N})}},
                                {.bindings = {{"act", "gelu"}}});
  if (!linear)
    return report(linear.error());
  if (auto done = linear->launch(); !done)
    return report(done.error());
  if (auto done = linear->launch(); !done) // the second one is timed: memory is warm
    return report(done.error());

  double worst = 0;
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < N; ++j) {
      double sum = b[static_cast<size_t>(j)];
      for (int64_t k = 0; k < K; ++k)
        sum += static_cast<double>(x[static_cast<size_t>(i * K + k)]) * w[static_cast<size_t>(j * K + k)];
      double difference = std::abs(y[static_cast<size_t>(i * N + j)] - gelu(sum));
      worst = difference <= worst ? worst : difference; // NaN counts
    }
  double seconds = static_cast<double>(linear->elapsedNanoseconds()) * 1e-9;
  std::printf("gelu(x · wᵀ + b), %lld × %lld × %lld: compiled in %.0f ms, runs in %.2f ms (%.1f GFLOP/s), largest error %.1e\n",
              static_cast<long long>(M), static_cast<long long>(N), static_cast<long long>(K),
              static_cast<double>(linear->info().compile_nanoseconds) * 1e-6, seconds * 1e3, 2e-9 * M * N * K / seconds, worst);
  if (!(worst < 1e-5)) {
    std::fprintf(stderr, "error: the result differs from plain loops by %g\n", worst);
    return 1;
  }
  return 0;
}

} // namespace digits
