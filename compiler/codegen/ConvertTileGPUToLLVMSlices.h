// What a warp has of a tile that lies in registers as wgmma leaves it, in slices of 16 rows and at most 64 columns: the pieces in which tensor
// copies move such a tile between registers and memory, through shared memory.
#pragma once

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

#include <map>

namespace tilewright::gpu {

constexpr int64_t sliceRows = 16, sliceColumns = 64, sliceBytes = sliceRows * sliceColumns * 2;

struct Slice {
  int64_t row, registerNumber; ///< what its registers add to the warp's rows, and one of them
  int64_t firstColumn, width;
};

/// 64 columns, or for what is left of a width 32 and 16, one after another: each width has a tensor map of its own.
struct SlicePart {
  int64_t width, firstColumn; ///< in the slice
  int64_t offset;             ///< bytes, in the slice's place in shared memory
};

class Slices {
public:
  explicit Slices(mlir::Type tile);

  llvm::SmallVector<Slice> all; ///< in the order in which they are moved

  /// The register of an element; places are those of the first lane of the first warp.
  int64_t registerAt(int64_t row, int64_t column) const { return registers.at({row, column}); }

private:
  std::map<std::pair<int64_t, int64_t>, int64_t> registers;
};

llvm::SmallVector<SlicePart> partsOf(const Slice &slice);

/// Where this lane points stmatrix.x4 and ldmatrix.x4 for 16 rows and the 16 columns from `column` on of a part of a slice, which begins at
/// `part`: ptr<3>. The four words are rows 0 and 8 of the first 8 columns, then of the next.
mlir::Value matrixAddress(Emitter &emitter, mlir::Value part, int64_t width, int64_t column);

/// Where a part of a slice is in the view, for the hardware, from where the tile is.
llvm::SmallVector<mlir::Value> sliceCoordinates(Emitter &emitter, tilegpu::TensorMapOp map, mlir::ValueRange tileCoordinates, uint64_t rowDimension, mlir::Type tile, const Slice &slice,
                                                const SlicePart &part);

/// The map among some whose box has a width.
tilegpu::TensorMapOp mapOfWidth(mlir::ValueRange maps, int64_t width);

mlir::Value laneIsFirst(Emitter &emitter);

/// A copy's coordinates as numbers, i32.
llvm::SmallVector<mlir::Value> coordinatesOf(Emitter &emitter, mlir::ValueRange coordinates);
/// Such coordinates for the hardware: the index of a pack in parts is taken apart.
llvm::SmallVector<mlir::Value> hardwareCoordinates(Emitter &emitter, tilegpu::TensorMapOp map, llvm::ArrayRef<mlir::Value> coordinates);

/// One copy of a box of a view to shared memory; its bytes arrive at a barrier.
void copyBox(Emitter &emitter, mlir::Value address, mlir::Value map, mlir::ValueRange coordinates, mlir::Value barrier);

} // namespace tilewright::gpu
