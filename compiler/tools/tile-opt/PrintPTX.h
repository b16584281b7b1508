// The last phase of the GPU compiler by itself.
#pragma once

#include <string_view>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tilewright {

/// The pipeline `--gpu-to-llvm=target=sm_90a`: addGpuToLLVMPasses.
void registerGpuToLLVM();

/// Lowers a file ("-": standard input) by that pipeline, and prints the PTX. What main returns: 1 if anything was wrong.
int printPTX(std::string_view path, std::string_view target, mlir::DialectRegistry &registry);

} // namespace tilewright
