#include "runtime/cuda/CudaFunctions.h"

#include "runtime/Text.h"
#include "runtime/cuda/Nvrtc.h"
#include "runtime/cuda/PtxMerge.h"

#include <chrono>
#include <vector>

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

Result<std::string> tilewright::runtime::cuda::withCudaFunctions(const std::string &kernel, std::string_view module,
                                                                 const CudaSource &functions, const std::string &architecture,
                                                                 const GpuLoading &loading) {
  Result<const Nvrtc *> nvrtc = Nvrtc::load();
  if (!nvrtc.ok())
    return Status(nvrtc.status().code(), concat("kernel ", kernel, " calls CUDA functions: ", nvrtc.status().message()));
  std::vector<std::string_view> parts = {"cuda functions", (*nvrtc)->version(), architecture, functions.text};
  for (const auto &[name, text] : functions.headers)
    parts.insert(parts.end(), {name, text});
  std::string key = loading.keyOf(parts);
  if (std::optional<DiskCacheEntry> known = loading.find(key)) {
    if (!known->warnings.empty())
      loading.warn(known->warnings);
    return mergePtx(kernel, module, known->bytes);
  }
  auto begin = std::chrono::steady_clock::now();
  Result<cuda::CudaFunctions> compiled = (*nvrtc)->compile(kernel, functions, architecture);
  if (!compiled.ok())
    return compiled.takeStatus();
  if (!compiled->log.empty())
    loading.warn(compiled->log);
  int64_t nanoseconds = (std::chrono::steady_clock::now() - begin) / std::chrono::nanoseconds(1);
  loading.store(key, {"ptx", kernel, architecture, (*nvrtc)->version(), compiled->log, nanoseconds, compiled->ptx});
  return mergePtx(kernel, module, compiled->ptx);
}
