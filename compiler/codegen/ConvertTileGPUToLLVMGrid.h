// How the tiles of a kernel are given to blocks.
#pragma once

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

namespace tilewright::gpu {

/// The variables of a grid, from the outermost in.
struct Grid {
  explicit Grid(tile::KernelOp kernel);

  llvm::SmallVector<tile::ParallelOp> numbered; ///< ranges that the host can compute: their tiles are numbered
  llvm::SmallVector<tile::ParallelOp> nested;   ///< the others, from the first that depends on memory or on a tile
};

} // namespace tilewright::gpu
