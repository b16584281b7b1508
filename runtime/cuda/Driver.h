// libcuda, loaded at run time: the same library runs with and without a GPU.
#pragma once

#include "runtime/Status.h"
#include "runtime/cuda/DriverTypes.h"

#include <memory>

namespace tilewright::runtime::cuda {

class Driver {
public:
#define SYMBOL(name, symbol, parameters) Code(*name) parameters = nullptr;
#include "runtime/cuda/DriverSymbols.def"
#undef SYMBOL

  /// libcuda.so.1, or what $TILEWRIGHT_CUDA_DRIVER names; loaded and initialized once. Never unloaded: neither can libcuda be.
  static Result<std::shared_ptr<const Driver>> load();

  /// "cuMemAlloc: out of memory (CUDA_ERROR_OUT_OF_MEMORY)", or success.
  Status check(Code code, const char *what) const;
};

} // namespace tilewright::runtime::cuda
