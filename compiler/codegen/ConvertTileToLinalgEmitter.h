// One function of a kernel while it is written: where its values are. What each operation becomes stands in a file for each
// topic: Nests, Reductions, Dots, Control, Sums, Reports.
#pragma once

#include "dialects/Tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {
class SumPlan;
}

namespace tilewright::cpu {

/// The indices of a span: an i64, and how many as an index.
struct Axis {
  mlir::Value start;
  mlir::OpFoldResult length;
  int64_t capacity;
};

/// Strided memory. The dimensions of an access and those of memory differ if a pack has strides that do not merge: it is
/// `split`.
struct View {
  mlir::Value flat;                                ///< memref<?xT>: element 0 and all that follow
  llvm::SmallVector<mlir::Value> extents, strides; ///< i64, for each dimension of memory
  int64_t unitStride;                              ///< the dimension of an access with stride 1, or -1
  int64_t split, splitRank;                        ///< this dimension of an access (or -1) is splitRank dimensions of memory
  mlir::Type element;

  int64_t firstMemoryDimension(int64_t dimension) const {
    return dimension + (split >= 0 && dimension > split ? splitRank - 1 : 0);
  }
  int64_t lastMemoryDimension(int64_t dimension) const {
    return dimension + (split >= 0 && dimension >= split ? splitRank - 1 : 0);
  }
};

/// A tile's memory: a memref of its capacities, row-major. Elements i1 are stored as i8, and some narrow floats as f32.
struct Buffer {
  mlir::Value memref;
  mlir::Type element;
  llvm::SmallVector<mlir::StringAttr> axes;
};

struct Settings {
  bool reference = false;       ///< dots are summed in f64
  bool fuseMultiplyAdd = false; ///< a * b + c rounds once
  int64_t streamedBytes = 0;    ///< larger outputs are written past the caches; 0: none
};

class Emitter {
public:
  Emitter(tile::KernelOp kernel, mlir::func::FuncOp function, const SumPlan &sums, Settings settings);

  tile::KernelOp kernel;
  mlir::func::FuncOp function;
  const SumPlan &sums;
  Settings settings;
  mlir::ImplicitLocOpBuilder builder;

  // Values of the tile IR ---------------------------------------------------------------------------------------------

  /// The scalar that stands for a scalar of the kernel.
  mlir::Value scalar(mlir::Value value) { return scalars.lookup(value); }
  void setScalar(mlir::Value value, mlir::Value replacement) { scalars.map(value, replacement); }
  /// Binds a span, or without one an i64 variable.
  void setVariable(mlir::Value variable, mlir::Value first, mlir::Value end);
  const Axis &axis(mlir::StringAttr name) const { return axes.find(name)->second; }
  void setAxis(mlir::StringAttr name, Axis axis) { axes[name] = axis; }
  const View &view(mlir::Value view) const { return views.find(view)->second; }
  const Buffer &buffer(mlir::Value tile) const { return buffers.find(tile)->second; }
  void setBuffer(mlir::Value tile, Buffer buffer) { buffers[tile] = std::move(buffer); }

  /// New memory for a tile.
  Buffer allocate(mlir::Type tile);
  Buffer allocate(mlir::Type storage, mlir::Type tile);
  /// The memory that an operation's result goes to: a destination that the plan chose, or new memory. Binds the result to it.
  Buffer resultBuffer(mlir::OpResult result);
  /// The part of a buffer that exists.
  mlir::Value existing(const Buffer &buffer);

  /// Where tile.accumulate adds to, by view (Sums).
  llvm::DenseMap<mlir::Value, View> partialSums;

  mlir::StringAttr fastestVariable; ///< the span of the grid that changes from one tile to the next, or null
  bool streams = false;             ///< some store may bypass the caches

  /// The destinations of the block that is being written, by operand of its terminator.
  llvm::SmallVector<Buffer> destinations;

  // Code --------------------------------------------------------------------------------------------------------------

  /// All operations of a block but its terminator and tile.parallel.
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emit(mlir::Operation &op);
  /// Only what the given scalars need.
  mlir::LogicalResult emitSlice(mlir::ValueRange values);

  /// Removes what nothing uses: most slots of the arguments.
  void eraseUnused();

  // i64 arithmetic, folded where it can be ------------------------------------------------------------------------------

  /// Constants stand at the function's entry, each once.
  mlir::Value constant(mlir::TypedAttr value);
  mlir::Value constant(int64_t value);
  mlir::Value constantIndex(int64_t value);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  mlir::Value min(mlir::Value lhs, mlir::Value rhs);
  mlir::Value max(mlir::Value lhs, mlir::Value rhs);
  /// ⌈(high − low) / step⌉, 0 if there is nothing.
  mlir::Value ceilDiv(mlir::Value low, mlir::Value high, int64_t step);
  mlir::Value toIndex(mlir::Value value);
  mlir::Value fromIndex(mlir::Value value);
  mlir::Value asIndexValue(mlir::OpFoldResult value);

  // Arguments -----------------------------------------------------------------------------------------------------------

  mlir::Value loadSlot(int64_t slot);
  /// The function's argument `arguments`, an array of slots.
  mlir::Value argumentSlots() { return function.getArgument(0); }
  /// A memref of unknown extent at an address (an i64).
  mlir::Value memoryAt(mlir::Value address, mlir::Type element);
  /// At the entry of the function.
  mlir::Value allocateOnStack(mlir::Type element, int64_t count);

private:
  void bindArguments();
  View bindView(tile::ViewType type, int64_t &slot);
  mlir::Value bindScalar(mlir::Type type, int64_t slot);
  void bindSpan(tile::SpanOp span);
  void bindSpanEnd(tile::SpanEndOp end);
  mlir::LogicalResult emitExpression(mlir::Operation &op);

  mlir::IRMapping scalars;
  llvm::DenseMap<mlir::StringAttr, Axis> axes;
  llvm::DenseMap<mlir::Value, View> views;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  llvm::DenseSet<mlir::Operation *> emitted;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
};

/// How a tile's elements are stored: i1 as i8, and the results of max and min of narrow floats as f32, in which they are
/// formed.
mlir::Type storageOf(mlir::Value tile);
mlir::Value toStorage(mlir::OpBuilder &builder, mlir::Location location, mlir::Value element, mlir::Type storage);
mlir::Value fromStorage(mlir::OpBuilder &builder, mlir::Location location, mlir::Value stored, mlir::Type element);

// What each operation becomes, by topic ----------------------------------------------------------------------------------

// Nests
void emitMaterialization(Emitter &emitter, mlir::OpResult tile);
void emitScalarLoad(Emitter &emitter, tile::LoadOp op);
void emitStore(Emitter &emitter, tile::StoreOp op);
// Reductions
void emitReduce(Emitter &emitter, tile::ReduceOp op);
void emitArgReduce(Emitter &emitter, tile::ArgReduceOp op);
void emitFold(Emitter &emitter, tile::FoldOp op);
void emitScan(Emitter &emitter, tile::ScanOp op);
// Dots
void emitDot(Emitter &emitter, tile::DotOp op);
// Control
mlir::LogicalResult emitControl(Emitter &emitter, mlir::Operation &op);
// Sums
void emitAccumulate(Emitter &emitter, tile::AccumulateOp op);
void emitAtomicRMW(Emitter &emitter, tile::AtomicRMWOp op);
// Reports
/// Calls the host's report function. `slots` is memory on the stack for the values, at least one.
void emitReport(Emitter &emitter, int64_t message, mlir::ValueRange values, mlir::Value slots);
void emitPrint(Emitter &emitter, tile::PrintOp op);
void emitAssert(Emitter &emitter, tile::AssertOp op);

} // namespace tilewright::cpu
