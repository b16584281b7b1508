// What kernels share: the compiler, the cache, the threads, and where messages go.
#pragma once

#include "runtime/ArtifactCache.h"
#include "runtime/ChoiceCache.h"
#include "runtime/CompilerLibrary.h"
#include "runtime/DiskCache.h"
#include "runtime/Log.h"
#include "runtime/cpu/ThreadPool.h"
#include "runtime/gpu/GpuDevice.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace tilewright::runtime {

class Context {
public:
  static Result<std::shared_ptr<Context>> create(const tw_context_options *options);
  Context(const tw_context_options &options, int threads, bool compilesInProcess, std::string target,
          std::shared_ptr<GpuDevice> device);

  /// A number that stands for a module's texts: equal for equal texts only, so that modules loaded twice share compiled
  /// kernels.
  uint64_t identityOf(const std::string &texts);

  /// One at a time. A print without a host's function goes to stdout.
  void report(const tw_report &report);

  tw_context_statistics statistics() const;

  const std::string target;                ///< what kernels are compiled for unless they say otherwise
  const std::shared_ptr<GpuDevice> device; ///< null: the CPU
  Log log;
  CompilerLibrary compiler;
  ArtifactCache cache;
  ChoiceCache choices;
  DiskCache disk;
  ThreadPool pool;
  bool colour;
  bool compilesInProcess; ///< in one of its own
  std::atomic<uint64_t> compilations = 0, cacheHits = 0, diskHits = 0, compileNanoseconds = 0;

private:
  std::mutex identityMutex;
  std::unordered_map<std::string, uint64_t> identities;
  std::mutex reportMutex;
  tw_report_function reportFunction;
  void *reportUser;
};

} // namespace tilewright::runtime
