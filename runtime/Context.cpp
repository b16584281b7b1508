#include "runtime/Context.h"

#include "runtime/CacheDirectory.h"
#include "runtime/Target.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace tilewright::runtime;

static constexpr int mostThreads = 1024;

static int chooseThreads(int32_t wanted) {
  if (wanted <= 0)
    if (const char *variable = std::getenv("TILEWRIGHT_THREADS"))
      wanted = std::atoi(variable);
  return std::min(wanted > 0 ? wanted : availableThreads(), mostThreads);
}

/// $TILEWRIGHT_COMPILE: whether to compile in a process of its own.
static Result<bool> chooseCompilation() {
  const char *variable = std::getenv("TILEWRIGHT_COMPILE");
  std::string_view wanted = variable ? variable : "";
  if (wanted.empty() || wanted == "process")
    return !wanted.empty();
  return Status(TW_INVALID_ARGUMENT, concat("$TILEWRIGHT_COMPILE is `", wanted,
                                            "`, expected `process` (compile in a process of its own) or nothing"));
}

Context::Context(const tw_context_options &options, int threads, bool compilesInProcess, std::string target,
                 std::shared_ptr<GpuDevice> device)
    : target(std::move(target)), device(std::move(device)), log(options.log, options.log_user, options.log_level),
      compiler(options.compiler_library ? options.compiler_library : "", log),
      disk({chooseCacheDirectory(options.cache_directory),
            options.cache_bytes > 0 ? options.cache_bytes : DiskCacheOptions::defaultBytes},
           log),
      pool(threads), colour(options.colour != 0), compilesInProcess(compilesInProcess), reportFunction(options.report),
      reportUser(options.report_user) {}

Result<std::shared_ptr<Context>> Context::create(const tw_context_options *options) {
  tw_context_options known = {};
  if (options) {
    if (options->struct_size < sizeof(size_t) || options->struct_size > 4096)
      return Status(TW_INVALID_ARGUMENT, "tw_context_options::struct_size is not set");
    std::copy_n(reinterpret_cast<const char *>(options), std::min(options->struct_size, sizeof(known)),
                reinterpret_cast<char *>(&known));
  }
  Result<bool> compilesInProcess = chooseCompilation();
  if (!compilesInProcess.ok())
    return compilesInProcess.takeStatus();
  std::string target = known.target && *known.target ? known.target : "cpu";
  int threads = chooseThreads(known.threads);
  Result<std::shared_ptr<GpuDevice>> device = openDevice(target, threads);
  if (!device.ok())
    return device.takeStatus();
  return std::make_shared<Context>(known, threads, *compilesInProcess, std::move(target), std::move(*device));
}

uint64_t Context::identityOf(const std::string &texts) {
  std::lock_guard lock(identityMutex);
  return identities.try_emplace(texts, identities.size()).first->second;
}

void Context::report(const tw_report &report) {
  std::lock_guard lock(reportMutex);
  if (reportFunction) {
    reportFunction(reportUser, &report);
  } else if (report.kind == TW_REPORT_PRINT) {
    std::printf("%s: %s\n", report.where, report.text);
    std::fflush(stdout);
  }
}

tw_context_statistics Context::statistics() const {
  tw_context_statistics result = {};
  result.struct_size = sizeof(result);
  result.compilations = compilations;
  result.cache_hits = cacheHits;
  result.cached_kernels = cache.size();
  result.compile_nanoseconds = compileNanoseconds;
  result.disk_hits = diskHits;
  return result;
}
