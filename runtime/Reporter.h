// Receives the prints and failed asserts of one launch, and says how it ended.
#pragma once

#include "runtime/Artifact.h"
#include "runtime/Context.h"

#include <atomic>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace tilewright::runtime {

class Reporter {
public:
  Reporter(Context &context, const Artifact &artifact) : context(context), artifact(artifact) {}

  /// From any thread. values: the message's, each in the low bytes of a slot.
  void take(int64_t message, std::span<const int64_t> values);

  bool hasFailures() const { return failed.load(std::memory_order_relaxed); }
  Status outcome() const;

private:
  struct Failure {
    int64_t message;
    std::vector<int64_t> values; ///< those of the position first
    std::string text;

    friend auto operator<=>(const Failure &, const Failure &) = default;
  };
  static constexpr size_t mostFailures = 16;

  void keep(Failure failure);

  Context &context;
  const Artifact &artifact;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::vector<Failure> failures; ///< in order
};

} // namespace tilewright::runtime
