// What a warp has of a tile that lies in registers as wgmma leaves it, in slices of 16 rows and at most 128 bytes: the pieces in which tensor
// copies move such a tile between registers and memory, through shared memory.
#pragma once

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

#include <map>

namespace tilewright::gpu {

constexpr int64_t sliceRows = 16, sliceRowBytes = 128, sliceBytes = sliceRows * sliceRowBytes;

struct Slice {
  int64_t row, registerNumber; ///< what its registers add to the warp's rows, and one of them
  int64_t firstColumn, width;
};

/// As many columns as are 128 bytes, or for what is left of a width a half and a quarter of them, one after another: each width has a tensor map of its own.
struct SlicePart {
  int64_t width, firstColumn; ///< in the slice
  int64_t offset;             ///< bytes, in the slice's place in shared memory
};

class Slices {
public:
  explicit Slices(mlir::Type tile);

  /// In the order in which they are moved: 64 columns of all rows, then the next. The columns of 4-byte elements are two slices, side by side.
  llvm::SmallVector<Slice> all;

  /// The register of an element; places are those of the first lane of the first warp.
  int64_t registerAt(int64_t row, int64_t column) const { return registers.at({row, column}); }

private:
  std::map<std::pair<int64_t, int64_t>, int64_t> registers;
};

llvm::SmallVector<SlicePart> partsOf(const Slice &slice, int64_t elementBytes);

/// Where this lane points stmatrix.x4 and ldmatrix.x4 for 16 rows and the 16 columns of 2-byte elements from `column` on of a part of a slice, which
/// begins at `part`: ptr<3>. The four words are rows 0 and 8 of the first 8 columns, then of the next.
mlir::Value matrixAddress(Emitter &emitter, mlir::Value part, int64_t width, int64_t column);

/// Where this lane has its two neighbours of 4-byte elements of row 0 and the 8 columns from `column` on of a part of a slice, which begins at `part`: ptr<3>.
/// Those of row 8 are eight rows further.
mlir::Value pairAddress(Emitter &emitter, mlir::Value part, int64_t width, int64_t column);

/// Where a part of a slice is in the view, for the hardware, from where the tile is.
llvm::SmallVector<mlir::Value> sliceCoordinates(Emitter &emitter, tilegpu::TensorMapOp map, mlir::ValueRange tileCoordinates, uint64_t rowDimension, mlir::Type tile, const Slice &slice,
                                                const SlicePart &part);

/// The map among some whose box has a width.
tilegpu::TensorMapOp mapOfWidth(mlir::ValueRange maps, int64_t width);

mlir::Value laneIsFirst(Emitter &emitter);

/// Of a tile whose pieces' places the results are stored from: the store of a slice has been started, by this lane.
void copyBehindStore(FetchedTile &tile, int64_t slice);

/// A copy's coordinates as numbers, i32.
llvm::SmallVector<mlir::Value> coordinatesOf(Emitter &emitter, mlir::ValueRange coordinates);
/// Such coordinates for the hardware: the index of a pack in parts is taken apart.
llvm::SmallVector<mlir::Value> hardwareCoordinates(Emitter &emitter, tilegpu::TensorMapOp map, llvm::ArrayRef<mlir::Value> coordinates);

/// One copy of a box of a view to shared memory; its bytes arrive at a barrier.
void copyBox(Emitter &emitter, mlir::Value address, mlir::Value map, mlir::ValueRange coordinates, mlir::Value barrier);

} // namespace tilewright::gpu
