// Kernels on the GPU at hand, against NVIDIA's own libraries and driver: one process, one table, JSON lines last.
//
//   tilewright-benchmarks-gpu [PART…] [OPTION…]      (--help lists them)
//
// What is compared takes turns, each launch finds a flushed L2 cache, inputs are random, outputs are poisoned before and
// checked against a reference after. Times are medians, and minima beside them: of the GPU's events, or of the host's clock
// where that is what counts. Clocks move with the load: compare within one run, and quote ratios.
//
// Nothing of CUDA is needed to build it. Without a GPU it says so.

#include "tests/benchmarks/gpu/Session.h"

#include <algorithm>

namespace {

using namespace benchmarks;

struct Part {
  const char *name;
  const char *about;
  void (*measure)(Session &);
};

constexpr Part parts[] = {
    {"bandwidth", "add, softmax and norms against the driver's copy", measureBandwidth},
    {"linear", "linear layers with fused epilogues against cuBLASLt", measureLinear},
    {"attention", "attention forward, causal and not, by itself", measureAttention},
    {"streams", "launches back to back on two streams, which must all give the same bits", measureStreams},
    {"gradient", "dx and dw of linear layers with the derivative formed on the way, against the plain products", measureGradients},
    {"launch", "the host's time for a prepared launch against a bare cuLaunchKernelEx", measureLaunches},
    {"cold", "the first launch of a process, from text and from the disk cache", measureColdStart},
};

void printMachine(const Gpu &gpu, const tilewright::Context &context) {
  const tw_device_info &device = context.device();
  std::printf("%s, %s, %d multiprocessors; the driver does CUDA %d.%d; Tilewright %s\n\n", device.name, device.architecture,
              device.multiprocessors, gpu.version() / 1000, gpu.version() % 1000 / 10, tw_version());
}

/// Returns the exit code.
int measure(const Options &options) {
  Gpu gpu(static_cast<size_t>(options.flushMegabytes) << 20);
  tilewright::Context context = get(tilewright::Context::create({.target = "cuda"}));
  printMachine(gpu, context);
  Session session(options, gpu, context);
  for (const Part &part : parts)
    if (options.parts.empty() || std::count(options.parts.begin(), options.parts.end(), part.name))
      part.measure(session);
  printTable(session.rows(), stdout);
  std::printf("\n");
  bool isWrong = false;
  for (const Row &row : session.rows()) {
    std::printf("%s\n", jsonLine(row).c_str());
    isWrong |= row.isWrong;
  }
  return isWrong ? 1 : 0;
}

} // namespace

int main(int count, char **arguments) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const Part &part : parts)
    names.emplace_back(part.name, part.about);
  int exitCode = 0;
  std::optional<Options> options = parseOptions(count, arguments, names, &exitCode);
  if (!options)
    return exitCode;
  try {
    return options->childCache ? runColdChild(*options->childCache, options->coldSize) : measure(*options);
  } catch (const Failure &failure) {
    std::fprintf(stderr, "tilewright-benchmarks-gpu: %s\n", failure.what());
    return 2;
  }
}
