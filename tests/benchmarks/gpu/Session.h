// What the parts of the benchmark share. A part is a file that measures cases: a function declared here, and a line in
// main.cpp's table.
#pragma once

#include "tests/benchmarks/gpu/Gpu.h"
#include "tests/benchmarks/gpu/Table.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace benchmarks {

struct MatrixSize {
  int64_t rows = 0, columns = 0;
};

struct Options {
  std::vector<std::string> parts; ///< none: all
  std::string cases;              ///< a part of their names
  int rounds = 31;
  int flushMegabytes = 256;
  double limitSeconds = 0; ///< no case begins later; 0: there is no limit
  std::string json;        ///< a file that lines are added to as they are known; "": none
  std::vector<MatrixSize> sizes = {{16'384, 4096}, {65'536, 1024}};
  int launches = 10'000;
  int processes = 7;
  int64_t coldSize = 4096;
  std::vector<std::string> shapes;           ///< of linear layers; none: the known ones
  std::vector<std::string> kinds = {"bf16"}; ///< none: all
  std::vector<std::string> epilogues;        ///< none: all
  std::vector<std::string> schedules = {""}; ///< "": the compiler's
};

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

void measureBandwidth(Session &session); // BandwidthPart.cpp
void measureLaunches(Session &session);  // LaunchPart.cpp
void measureColdStart(Session &session); // ColdPart.cpp
void measureLinear(Session &session);    // LinearPart.cpp

/// What ColdPart.cpp starts this program again for. Returns the exit code.
/// size: rows, columns and depth of the layer.
int runColdChild(const std::string &cacheDirectory, int64_t size);

} // namespace benchmarks
