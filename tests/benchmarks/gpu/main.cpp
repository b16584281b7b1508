// Kernels on the GPU at hand, against NVIDIA's own libraries and driver: one process, one table, JSON lines last.
//
//   tilewright-benchmarks-gpu [PART…] [OPTION…]      (--help lists them)
//
// What is compared takes turns, each launch finds a flushed L2 cache, inputs are random, outputs are poisoned before and
// checked against a reference after. Times are medians, and minima beside them: of the GPU's events, or of the host's clock
// where that is what counts. Clocks move with the load: compare within one run, and quote ratios.
//
// Nothing of CUDA is needed to build it. Without a GPU it says so.

#include "tests/benchmarks/gpu/LinearPart.h"
#include "tests/benchmarks/gpu/LinearShapes.h"
#include "tests/benchmarks/gpu/Session.h"

#include <CLI/CLI.hpp>

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
    {"launch", "the host's time for a prepared launch against a bare cuLaunchKernelEx", measureLaunches},
    {"cold", "the first launch of a process, from text and from the disk cache", measureColdStart},
};

MatrixSize parseSize(const std::string &text) {
  MatrixSize size;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%ldx%ld%c", &size.rows, &size.columns, &rest) != 2 || size.rows < 1 || size.columns < 1)
    throw CLI::ValidationError("--sizes", "expected ROWSxCOLUMNS, as in 16384x4096, found " + text);
  return size;
}

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
  Options options;
  std::vector<std::string> sizes;
  std::string childCache;
  std::vector<std::string> names;
  std::string about = "Measures kernels on the GPU at hand against NVIDIA's libraries and driver.\n\nParts:\n";
  for (const Part &part : parts) {
    names.emplace_back(part.name);
    about += "  " + std::string(part.name) + ": " + part.about + "\n";
  }
  std::string shapeNames;
  for (const LinearShape &shape : knownShapes())
    shapeNames += (shapeNames.empty() ? "" : ", ") + shape.name;
  CLI::App program(about, "tilewright-benchmarks-gpu");
  program.add_option("PART", options.parts, "What is measured; without any, everything")->check(CLI::IsMember(names));
  program.add_option("--cases", options.cases, "Only cases whose name, `PART: CASE`, contains this")->type_name("TEXT");
  program.add_option("--rounds", options.rounds, "How often each launch is timed")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  program.add_option("--flush", options.flushMegabytes, "MiB that are written before each timed launch; 0: caches stay warm")
      ->check(CLI::Range(0, 16'384))
      ->capture_default_str();
  program.add_option("--limit", options.limitSeconds, "Seconds after which no further case begins")->check(CLI::PositiveNumber);
  program.add_option("--json", options.json, "A file that each case's line is added to as soon as it is known")
      ->type_name("FILE");
  program.add_option("--sizes", sizes, "bandwidth: ROWSxCOLUMNS,…")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->default_str("16384x4096,65536x1024");
  program
      .add_option("--shapes", options.shapes, "linear: MxNxK, MxNxK/INNER (x lies as [M / INNER, K, INNER]), or " + shapeNames)
      ->allow_extra_args(false)
      ->delimiter(',');
  program.add_option("--dtypes", options.kinds, "linear: of the operands")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->check(CLI::IsMember(linearKinds()))
      ->capture_default_str();
  program.add_option("--epilogues", options.epilogues, "linear: all but none and residual follow a bias")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->check(CLI::IsMember(linearEpilogues()));
  program
      .add_option("--schedule", options.schedules, "linear: a schedule in place of the compiler's; may be given several times")
      ->allow_extra_args(false)
      ->type_name("TEXT")
      ->default_str("the compiler's");
  program.add_option("--launches", options.launches, "launch: how many")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  program.add_option("--processes", options.processes, "cold: how many")->check(CLI::Range(1, 1000))->capture_default_str();
  program.add_option("--cold-size", options.coldSize, "cold: rows, columns and depth of the layer")
      ->check(CLI::Range(1, 65'536))
      ->capture_default_str();
  CLI::Option *child = program.add_option("--cold-child", childCache)->group("");
  program.footer("Exits with 0 if all results are right, 1 if one is wrong or could not be had, 2 if it cannot run at all. A "
                 "bar that is missed "
                 "is no failure.\n");
  try {
    program.parse(count, arguments);
    if (!sizes.empty())
      options.sizes.clear();
    for (const std::string &size : sizes)
      options.sizes.push_back(parseSize(size));
    for (const std::string &shape : options.shapes)
      parseShape(shape);
  } catch (const CLI::ParseError &error) {
    return program.exit(error) ? 2 : 0;
  } catch (const Failure &failure) {
    std::fprintf(stderr, "--shapes: %s\n", failure.what());
    return 2;
  }
  try {
    return *child ? runColdChild(childCache, options.coldSize) : measure(options);
  } catch (const Failure &failure) {
    std::fprintf(stderr, "tilewright-benchmarks-gpu: %s\n", failure.what());
    return 2;
  }
}
