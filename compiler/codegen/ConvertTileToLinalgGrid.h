// The grid: how many tiles there are, and which indices each of them has.
#pragma once

#include "compiler/codegen/ConvertTileToLinalgEmitter.h"

namespace tilewright::cpu {

/// The nest of tile.parallel of a kernel, outermost first; none for `over ()`.
struct Grid {
  explicit Grid(tile::KernelOp kernel);

  llvm::SmallVector<tile::ParallelOp> variables;
  /// No range depends on memory or on another variable: a tile's number says which it is. Otherwise tiles are listed first.
  bool isProduct = true;
};

/// The bodies of tw_cpu_count, tw_cpu_list and tw_cpu_tiles.
mlir::LogicalResult emitCount(Emitter &emitter, const Grid &grid);
mlir::LogicalResult emitList(Emitter &emitter, const Grid &grid);
mlir::LogicalResult emitTiles(Emitter &emitter, const Grid &grid);

} // namespace tilewright::cpu
