// OpenBLAS's sgemm as a yardstick, in a process of its own.
//
// OpenBLAS reads OPENBLAS_CORETYPE when it is loaded, and Debian's build picks slow kernels on processors that it does not know.
// So each core type is measured in a child process: this program, started again with the variable set.
#pragma once

#include <optional>
#include <string>

namespace benchmarks {

struct BlasRate {
  std::string core;      ///< what OpenBLAS calls the kernels it chose
  double gflops = 0;     ///< best of the repeats
};

/// The child's whole work: times c = a · bᵀ for size³ and prints "CORE GFLOPS". Returns the exit code.
int runBlasChild(int size, int threads);

/// The best rate of the core types unset, Haswell and SkylakeX that this processor can run; nothing without OpenBLAS.
std::optional<BlasRate> bestBlasRate(const std::string &program, int size, int threads);

} // namespace benchmarks
