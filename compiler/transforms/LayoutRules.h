// Where the elements of tiles should be on a GPU: the decisions of assign-layouts. Facts of the kernel go in, layouts come out;
// nothing is changed here.
#pragma once

#include "dialects/TileGPU/TileGPU.h"

#include "llvm/ADT/DenseSet.h"

#include <map>

namespace tilewright::tilegpu {

/// How a product is formed, where its accumulator is, and how its operands lie in shared memory.
struct DotPlan {
  DotKind kind = DotKind::Fma;
  layout::DistributedLayout accumulator;
  BufferType lhs, rhs;    ///< of one stage
  std::string whyNotMma;  ///< if kind is Fma
  /// Of the rows' operand, if kind is Wgmma and it is computed on the way: it is needed in registers.
  std::optional<layout::DistributedLayout> computed;
};

class LayoutRules {
public:
  /// capability: 80 for sm_80, 90 for sm_90a.
  LayoutRules(tile::KernelOp kernel, int64_t capability);

  /// Warps of a block, or of a group if they have roles.
  int64_t warps() const { return warpCount; }

  /// Blocks that a multiprocessor should hold, for which registers are limited; 0: no wish.
  int64_t blocks() const;

  /// The layout in which a tile with these axes meets memory: neighbours along the axis that is contiguous there are neighbours
  /// in a thread, then in a warp. Tiles with the same axes and the same contiguous axis have the same layout.
  layout::DistributedLayout forMemory(mlir::Type tile, mlir::StringAttr contiguousAxis) const;
  /// For a tile that no operation has a wish for.
  layout::DistributedLayout byDefault(mlir::Type tile) const;

  /// As an accumulator of wgmma would have a tile, if there is one such.
  std::optional<layout::DistributedLayout> forAccumulator(mlir::Type tile) const;

  const DotPlan &forDot(tile::DotOp dot) const { return dots.find(dot)->second; }

private:
  /// What the kernel's accesses want of tiles with certain axes.
  using Access = std::pair<std::vector<std::string>, std::string>; ///< sorted axes, the contiguous one (or none)
  static Access accessOf(mlir::Type tile, mlir::StringAttr contiguousAxis);
  void noteAccess(mlir::Type place, tile::ViewType view, mlir::ValueRange indices);
  void planDot(tile::DotOp dot);
  void planScheduledDot(tile::DotOp dot);

  int64_t capability;
  int64_t warpCount = 4;
  bool isScheduled = false; ///< warps with roles form its product
  llvm::DenseSet<mlir::Value> largeViews; ///< loaded in tiles of which a thread has eight elements or more
  int64_t epilogueTiles = 0; ///< large tiles that are loaded beside a product's operands, or stored
  int64_t wordsOfThread = 0; ///< of 4 bytes, that a thread holds of the largest tile
  std::map<Access, int64_t> vectorElements; ///< the most elements of a vector access
  llvm::DenseMap<mlir::Operation *, DotPlan> dots;
};

/// A buffer as tensor copies fill it: panels of up to 128 bytes along the contiguous dimension of memory.
BufferType bufferForCopies(tile::LoadOp load);

/// The axis along which an access's neighbours are neighbours in memory, or null.
mlir::StringAttr contiguousAxisOf(tile::ViewType view, mlir::ValueRange indices);

/// The layout of a tile of some of the axes of another one: what each thread needs of it to work on its part of the other.
layout::DistributedLayout projected(const layout::DistributedLayout &layout, mlir::Type from, mlir::Type to);

/// Whether a warp's store (or load) of a tile in this layout touches whole sectors of 32 bytes.
bool fillsSectors(const layout::DistributedLayout &layout, unsigned dimension, int64_t elementBytes);

} // namespace tilewright::tilegpu
