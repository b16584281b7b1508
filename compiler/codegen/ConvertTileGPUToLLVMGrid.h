// How the tiles of a kernel are given to blocks.
#pragma once

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

namespace tilewright::gpu {

/// The variables of a grid, from the outermost in.
struct Grid {
  /// Of a kernel; if its warps have roles, as the groups have it.
  explicit Grid(tile::KernelOp kernel);
  /// Of the nest that stands in a block of the kernel.
  Grid(tile::KernelOp kernel, mlir::Block &block);

  llvm::SmallVector<tile::ParallelOp> numbered; ///< ranges that the host can compute: their tiles are numbered
  llvm::SmallVector<tile::ParallelOp> nested;   ///< the others, from the first that depends on memory or on a tile
};

} // namespace tilewright::gpu
