// What the parts of the benchmark share. A part is a file that measures cases: a function declared here, and a line in
// main.cpp's table.
#pragma once

#include "tests/benchmarks/gpu/Gpu.h"
#include "tests/benchmarks/gpu/Options.h"
#include "tests/benchmarks/gpu/Table.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace benchmarks {

class Session {
public:
  Session(const Options &options, Gpu &gpu, const tilewright::Context &context)
      : options(options), gpu(gpu), context(context) {}

  const Options &options;
  Gpu &gpu;
  const tilewright::Context &context;

  /// One case, if it is wanted. `body` fills the row; what it throws as a Failure becomes the row's remark, and the row is
  /// wrong.
  void measure(const std::string &part, const std::string &name, const std::function<void(Row &)> &body);

  /// How long a launch takes on the GPU.
  std::function<double()> timed(std::function<void()> work);

  const std::vector<Row> &rows() const { return table; }

private:
  void keep(Row row);

  std::vector<Row> table;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

tilewright::Launchable prepare(const tilewright::Module &module, const std::string &kernel,
                               const std::vector<tilewright::Argument> &arguments,
                               const tilewright::Specialization &specialization = {});

void measureAttention(Session &session); // AttentionPart.cpp
void measureBandwidth(Session &session); // BandwidthPart.cpp
void measureGradients(Session &session); // GradientPart.cpp
void measureLaunches(Session &session);  // LaunchPart.cpp
void measureColdStart(Session &session); // ColdPart.cpp
void measureLinear(Session &session);    // LinearPart.cpp
void measureStreams(Session &session);   // StreamsPart.cpp

/// What ColdPart.cpp starts this program again for. Returns the exit code.
/// size: rows, columns and depth of the layer.
int runColdChild(const std::string &cacheDirectory, int64_t size);

} // namespace benchmarks
