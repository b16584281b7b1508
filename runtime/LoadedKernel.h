// An artifact whose code is in memory and can be called.
#pragma once

#include "runtime/Artifact.h"
#include "runtime/SharedObject.h"
#include "tilewright/compiler_c.h"

#include <memory>

namespace tilewright::runtime {

struct LoadedKernel {
  Artifact artifact; ///< without its code
  SharedObject object;
  tw_cpu_entry_points entry = {};
  size_t artifactBytes = 0;
  int64_t compileNanoseconds = 0; ///< of the compilation that made it, in whatever process
  bool isFromDisk = false;

  static Result<std::shared_ptr<LoadedKernel>> load(std::span<const std::byte> bytes);
};

} // namespace tilewright::runtime
