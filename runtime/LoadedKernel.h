// An artifact whose code is in memory and can be called.
#pragma once

#include "runtime/Artifact.h"
#include "runtime/SharedObject.h"
#include "runtime/gpu/GpuKernel.h"
#include "tilewright/compiler_c.h"

#include <memory>

namespace tilewright::runtime {

struct LoadedKernel {
  Artifact artifact;              ///< without its code
  SharedObject object;            ///< for the CPU
  tw_cpu_entry_points entry = {}; ///< likewise
  std::unique_ptr<GpuKernel> gpu; ///< for a GPU; else null
  size_t artifactBytes = 0;
  int64_t compileNanoseconds = 0; ///< of the compilation that made it, in whatever process
  bool isFromDisk = false;

  /// device: null if there is none.
  static Result<std::shared_ptr<LoadedKernel>>
  load(std::span<const std::byte> bytes, std::shared_ptr<GpuDevice> device = nullptr, const GpuLoading &loading = {});
};

} // namespace tilewright::runtime
