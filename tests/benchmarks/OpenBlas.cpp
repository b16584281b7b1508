#include "OpenBlas.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <vector>

namespace benchmarks {

namespace {
using Sgemm = void (*)(int order, int transA, int transB, int m, int n, int k, float alpha, const float *a, int lda, const float *b,
                       int ldb, float beta, float *c, int ldc);
constexpr int rowMajor = 101, noTranspose = 111, transpose = 112;
} // namespace

int runBlasChild(int size, int threads) {
  void *library = dlopen("libopenblas.so.0", RTLD_NOW);
  if (!library)
    return 1;
  auto sgemm = reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm"));
  auto setThreads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"));
  auto coreName = reinterpret_cast<char *(*)()>(dlsym(library, "openblas_get_corename"));
  if (!sgemm || !setThreads || !coreName)
    return 1;
  setThreads(threads);
  std::vector<float> a(static_cast<size_t>(size) * size, 0.5f), b(a.size(), 0.25f), c(a.size());
  double best = 1e9;
  for (int repeat = 0; repeat < 25; ++repeat) {
    auto start = std::chrono::steady_clock::now();
    sgemm(rowMajor, noTranspose, transpose, size, size, size, 1, a.data(), size, b.data(), size, 0, c.data(), size);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::printf("%s %.2f\n", coreName(), 2e-9 * size * size * size / best);
  return 0;
}

/// Whether this processor has the instructions of a core type; a wrong one would end the child.
static bool canRun(const std::string &coreType) {
  if (coreType == "SkylakeX")
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
  if (coreType == "Haswell")
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return true;
}

std::optional<BlasRate> bestBlasRate(const std::string &program, int size, int threads) {
  std::optional<BlasRate> best;
  for (std::string coreType : {"", "Haswell", "SkylakeX"}) {
    if (!canRun(coreType))
      continue;
    std::string command = coreType.empty() ? "env -u OPENBLAS_CORETYPE" : "env OPENBLAS_CORETYPE=" + coreType;
    command += " '" + program + "' --blas-child " + std::to_string(size) + " " + std::to_string(threads);
    std::FILE *pipe = popen(command.c_str(), "r");
    if (!pipe)
      continue;
    char core[64];
    double gflops = 0;
    int found = std::fscanf(pipe, "%63s %lf", core, &gflops);
    if (pclose(pipe) == 0 && found == 2 && (!best || gflops > best->gflops))
      best = BlasRate{core, gflops};
  }
  return best;
}

} // namespace benchmarks
