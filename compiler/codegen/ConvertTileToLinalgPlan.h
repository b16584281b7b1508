// Which tiles get a buffer, and which of them share one.
#pragma once

#include "compiler/analysis/LinearForm.h"
#include "dialects/Tile/Tile.h"

#include "llvm/ADT/SetVector.h"

namespace tilewright::cpu {

// On an elementwise operation or load `tilewright.materialize` (materializeName in LinearForm.h) says that its result is computed
// once into a buffer.

/// On an operation with tile results: for each result the operand number of the block's terminator whose destination (a carried
/// value's buffer) the result is written into, or -1.
inline constexpr llvm::StringLiteral intoName = "tilewright.into";

/// Decides, and writes the decisions as these two attributes.
void planBuffers(tile::KernelOp kernel);

/// Whether a tile lives in a buffer. Otherwise it is an expression that every use evaluates again.
bool hasBuffer(mlir::Value tile);

/// The terminator's operand that a result is written for ahead of time, or -1.
int64_t destinationOf(mlir::OpResult result);

/// Whether an operation's result has a buffer because it is expensive and evaluated more than once.
bool isReused(mlir::Operation *op);

/// Whether what a load reads is read by other nests too.
bool isReadAgain(tile::LoadOp load);

using TileSet = llvm::SmallSetVector<mlir::Value, 8>;

/// The tiles with a buffer that evaluating `value` reads.
void collectBuffersRead(mlir::Value value, TileSet &buffers);

} // namespace tilewright::cpu
