// The GPU at hand, by its driver: a current context, a stream, a clock.
#pragma once

#include "runtime/cuda/DriverTypes.h"
#include "tests/benchmarks/gpu/Library.h"

#include <functional>

namespace benchmarks {

using namespace tilewright::runtime::cuda;

using Graph = struct GraphTag *;
using GraphNode = struct GraphNodeTag *;

/// CUDA_KERNEL_NODE_PARAMS_v2.
struct KernelNode {
  Function function;
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  void **parameters; ///< the graph's memory
  void **extra;
  Function kernel; ///< a CUkernel, which launches as a function does; set if function is null
  Context context;
};
static_assert(sizeof(KernelNode) == 72);

/// libcuda: $TILEWRIGHT_CUDA_DRIVER, else what the loader finds.
struct Driver {
  Driver();

  Library library;
#define SYMBOL(name, symbol, parameters) Code(*name) parameters = nullptr;
#include "tests/benchmarks/gpu/DriverSymbols.def"
#undef SYMBOL

  /// Throws a Failure, "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY", unless the code is success.
  void check(Code code, const char *what) const;
};

class Gpu {
public:
  /// Initializes the driver, makes the primary context of device 0 current, and a stream in it.
  /// flushBytes: how much is written before each timed launch, so that it finds nothing of its own in the L2 cache.
  explicit Gpu(size_t flushBytes);

  const Driver driver;
  Stream stream = nullptr;
  double initializeMilliseconds = 0, contextMilliseconds = 0; ///< of cuInit and of retaining the context

  int version() const; ///< 13000: the driver does CUDA 13.0

  /// How long what `work` puts into the stream takes there.
  double microseconds(const std::function<void()> &work);
  void synchronize() const { driver.check(driver.streamSynchronize(stream), "cuStreamSynchronize"); }

private:
  void flush();

  Event begin = nullptr, end = nullptr;
  size_t flushBytes;
  Address flushed = 0;
  unsigned char pattern = 0;
};

} // namespace benchmarks
