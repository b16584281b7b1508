// CUDA C++ to PTX by NVRTC, for `extern "cuda"` functions. It is loaded when a kernel has one, and kernels without need it not.
#pragma once

#include "runtime/Status.h"
#include "runtime/cuda/CudaSource.h"

#include <string>

namespace tilewright::runtime::cuda {

struct CudaFunctions {
  std::string ptx; ///< a whole module
  std::string log;
};

class Nvrtc {
public:
  /// $TILEWRIGHT_NVRTC, else what the loader finds of any release from CUDA 11 on.
  static Result<const Nvrtc *> load();

  const std::string &version() const { return versionText; }
  /// kernel: for messages. architecture: "sm_90a".
  Result<CudaFunctions> compile(const std::string &kernel, const CudaSource &source, const std::string &architecture) const;

private:
  using Program = struct ProgramTag *;
#define SYMBOL(name, symbol, parameters) int(*name) parameters = nullptr;
#include "runtime/cuda/NvrtcSymbols.def"
#undef SYMBOL
  static Result<Nvrtc> open(const std::string &path);

  std::string versionText;
  std::string headerFolder; ///< of the toolkit that the library is part of; "": it has none
};

} // namespace tilewright::runtime::cuda
