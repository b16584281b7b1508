// A kernel's module with the functions in CUDA C++ that it calls.
#pragma once

#include "runtime/cuda/CudaSource.h"
#include "runtime/gpu/GpuDevice.h"

#include <string>
#include <string_view>

namespace tilewright::runtime::cuda {

/// The functions are compiled by NVRTC, or found on the disk.
Result<std::string> withCudaFunctions(const std::string &kernel, std::string_view module, const CudaSource &functions,
                                      const std::string &architecture, const GpuLoading &loading);

} // namespace tilewright::runtime::cuda
