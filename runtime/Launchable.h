// A kernel that is ready to be launched, on whatever target: what tw_launchable holds.
#pragma once

#include "runtime/BoundKernel.h"

#include <atomic>
#include <memory>
#include <span>

namespace tilewright::runtime {

/// What tw_launchable_info tells of a launch.
struct LaunchFigures {
  int64_t tiles = 0;  ///< -1: memory decides
  int64_t chunks = 1; ///< of unknown tiles: the most there can be
  int64_t scratchBytes = 0, partialSumBytes = 0, workspaceBytes = 0;
  int threads = 1;
};

class Launchable {
public:
  virtual ~Launchable() = default;

  /// values: empty, or one for each parameter. stream: of a GPU. Any number of threads at once.
  virtual Status launch(std::span<const tw_value> values, void *stream) = 0;
  /// How long so many launches one after another take, in all.
  virtual Result<int64_t> timeNanoseconds(std::span<const tw_value> values, int launches, void *stream) = 0;
  virtual LaunchFigures figures() const = 0;

  const BoundKernel &bound() const { return kernel; }
  /// Of the latest launch that was waited for.
  int64_t elapsedNanoseconds() const { return elapsed.load(std::memory_order_relaxed); }

protected:
  Status launchAll(std::span<const tw_value> values, int launches, void *stream) {
    for (int launchNumber = 0; launchNumber < launches; ++launchNumber)
      if (Status status = launch(values, stream); !status.ok())
        return status;
    return {};
  }

  explicit Launchable(BoundKernel kernel) : kernel(std::move(kernel)) {}

  BoundKernel kernel;
  std::atomic<int64_t> elapsed = 0;
};

} // namespace tilewright::runtime
