// Loop nests over axes, and the value of a tile at one point of them.
#pragma once

#include "compiler/codegen/ConvertTileToLinalgEmitter.h"

#include <functional>

namespace tilewright::cpu {

/// Computes elements of tiles at one point of a nest. Common parts of what it is asked for are computed once.
class Point {
public:
  /// `lane` gives the position along an axis, an index from 0.
  Point(Emitter &emitter, std::function<mlir::Value(mlir::StringAttr)> lane) : emitter(emitter), lane(std::move(lane)) {}

  /// The element of a tile of the kernel; a scalar is its own element.
  mlir::Value at(mlir::Value tile);
  llvm::SmallVector<mlir::Value> at(mlir::ValueRange tiles);
  void set(mlir::Value tile, mlir::Value element) { known[tile] = element; }
  /// The same point at another position along one axis.
  Point moved(mlir::StringAttr axis, mlir::Value position);
  mlir::Value load(tile::LoadOp op);
  /// The position along an axis, and the index there (an i64).
  mlir::Value position(mlir::StringAttr axis);
  mlir::Value index(mlir::StringAttr axis);

private:
  mlir::Value compute(mlir::Operation *op);
  mlir::Value read(const Buffer &buffer);
  mlir::Value elementwise(mlir::Operation *op);
  /// a · b ± c with one rounding, or null.
  mlir::Value fused(mlir::Operation *op);

  Emitter &emitter;
  std::function<mlir::Value(mlir::StringAttr)> lane;
  llvm::DenseMap<mlir::StringAttr, mlir::Value> lanes;
  llvm::DenseMap<mlir::Value, mlir::Value> known;
};

using Axes = llvm::SmallVector<mlir::StringAttr>;

/// Memory that a nest writes, with an axis for each dimension.
struct NestOutput {
  mlir::Value memory;
  Axes axes;
};

/// Inputs of a nest that its body does not read.
struct NestHints {
  mlir::Value large;                   ///< an i1, or null: whether what the kernel writes is larger than the caches
  bool isStreamed = false;             ///< if it is, the nest writes past the caches
  llvm::SmallVector<NestOutput> later; ///< what a later tile will read, to be fetched meanwhile
};

/// The axes with one of them moved to the end (null: unchanged).
Axes withInnermost(llvm::ArrayRef<mlir::StringAttr> axes, mlir::StringAttr innermost);

/// The axis along which most of what the expressions read is contiguous, or null.
mlir::StringAttr contiguousAxis(mlir::ValueRange expressions);

/// A linalg.generic over `axes`, outermost first. Plain loads and buffers that `expressions` read become its inputs. `body`
/// gives the new elements of the outputs, from the old ones. Hints become the attributes `tilewright.large`,
/// `tilewright.later` (numbers of inputs) and `tilewright.streamed`.
mlir::Operation *emitGeneric(Emitter &emitter, llvm::ArrayRef<mlir::StringAttr> axes, llvm::ArrayRef<mlir::StringAttr> reduced,
                             mlir::ValueRange expressions, llvm::ArrayRef<NestOutput> outputs,
                             llvm::function_ref<llvm::SmallVector<mlir::Value>(Point &, mlir::ValueRange)> body,
                             const NestHints &hints = {});

/// scf.for loops over `axes`, outermost first, in order.
void emitLoops(Emitter &emitter, llvm::ArrayRef<mlir::StringAttr> axes, llvm::function_ref<void(Point &)> body);

/// Evaluates an expression into a buffer.
void emitCopy(Emitter &emitter, mlir::Value expression, const Buffer &destination, const NestHints &hints = {});

/// The spans' axes.
Axes axesOfSpans(mlir::ValueRange spans);

/// Reads and writes an element of a buffer at a point.
mlir::Value loadElement(Emitter &emitter, const Buffer &buffer, Point &point);
void storeElement(Emitter &emitter, mlir::Value element, const Buffer &buffer, Point &point);

} // namespace tilewright::cpu
