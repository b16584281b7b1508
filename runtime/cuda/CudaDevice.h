// A GPU by the CUDA driver.
//
// The CUDA context is the caller's: the one that is current on the thread that opens the device, else the device's primary one,
// which frameworks and the CUDA runtime use as well. Every call makes it current for its own duration, so any thread may come.
#pragma once

#include "runtime/gpu/GpuDevice.h"

#include <vector>

namespace tilewright::runtime {

/// ordinal: "0", "1" …: the primary context of that device; "": the current context, else the primary one of device 0.
Result<std::shared_ptr<GpuDevice>> openCuda(const std::string &ordinal);

/// Asks without making a context.
Result<std::vector<GpuProperties>> cudaDevices();

} // namespace tilewright::runtime
