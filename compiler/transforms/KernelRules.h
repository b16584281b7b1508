// What the rules of plan-schedule ask of a kernel whatever its products are: its grid, what stands beside its loops, and whether tensor copies can
// take what it loads. The reason why not is left where the rules' caller finds it.
#pragma once

#include "compiler/analysis/TensorAccess.h"
#include "compiler/transforms/ScheduleRules.h"

namespace tilewright::tilegpu {

/// Rows of tiles in a group (ScheduleAttr), if nobody asks for another number.
constexpr int64_t defaultRaster = 8;

/// Of an axis in a tile, as registers and buffers have it.
int64_t extentOf(mlir::Type tile, mlir::StringAttr axis);

/// That a store or load of so many columns in slices needs (tma_store): one for slices of 128 bytes, and for those of a row's end.
int64_t mapsOfSlices(int64_t columns, int64_t bits);

class KernelRules {
protected:
  KernelRules(tile::KernelOp kernel, int64_t sharedBytes, const ScheduleRequest &request, NoSchedule &no)
      : kernel(kernel), sharedBytes(sharedBytes), request(request), no(no) {}

  tile::KernelOp kernel;
  int64_t sharedBytes;
  const ScheduleRequest &request;
  NoSchedule &no;
  llvm::SmallVector<tile::ParallelOp> nest; ///< the grid's variables, the outermost first; checkGrid finds them

  static constexpr int64_t mostTensorMaps = 24; // compiler_c.h

  bool refuse(mlir::Location where, std::string why);
  /// Whether the loops, all that the kernel has, stand in a grid that is known from sizes, and nothing does what roles cannot.
  bool checkGrid(llvm::ArrayRef<tile::ForOp> loops);
  bool isKnownFromSizes(mlir::Value value);
  bool isInnermost(mlir::Operation *op) { return op->getParentOp() == nest.back(); }

  std::string nameOf(mlir::Value view);
  /// An operand's load as a tensor copy; nothing if it is refused. `run`: as in tensorAccess.
  std::optional<TensorAccess> accessOfOperand(tile::LoadOp load, int64_t run);
};

} // namespace tilewright::tilegpu
