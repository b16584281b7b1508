// One kernel of a GPU module while it is written: where a thread's part of each value is. What each operation becomes stands in
// a file for each topic: Grid, Access, Calls, Control, Conversions, Dots, Reductions, Sums, Reports.
//
// A tile is as many scalars as its layout has registers. All threads run the same code on their own lane and warp numbers; what
// a register of them holds follows from the layout (coordinate), and whether that exists from the spans (existence).
#pragma once

#include "dialects/TileGPU/TileGPU.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/MapVector.h"

namespace tilewright {
class SumPlan;
}

namespace tilewright::gpu {

using Registers = llvm::SmallVector<mlir::Value>;

/// The indices of a span.
struct Axis {
  mlir::Value start;  ///< i64
  mlir::Value length; ///< i32, at most the capacity
  int64_t capacity;
  bool isFull;        ///< the length is the capacity
};

/// Strided memory. The dimensions of an access and those of memory differ if a pack has strides that do not merge: it is
/// `split`.
struct View {
  mlir::Value base;                                ///< ptr<1>: element 0
  llvm::SmallVector<mlir::Value> extents, strides; ///< i64, for each dimension of memory
  int64_t unitStride;                              ///< the dimension of an access with stride 1, or -1
  int64_t split, splitRank;                        ///< this dimension of an access (or -1) is splitRank dimensions of memory
  tile::ViewType type;

  int64_t firstMemoryDimension(int64_t dimension) const {
    return dimension + (split >= 0 && dimension > split ? splitRank - 1 : 0);
  }
  int64_t lastMemoryDimension(int64_t dimension) const {
    return dimension + (split >= 0 && dimension >= split ? splitRank - 1 : 0);
  }
  mlir::Type element() const { return type.getElement(); }
};

/// The slots before the parameters (compiler_c.h).
enum Slot : int64_t { MessageBuffer = 0, MessageWords = 1, TileCount = 2, PartialSums = 3, ChunkCount = 4, FirstParameter = 6 };

class DeferredLoad;
class FetchedTile;

class Emitter {
public:
  /// Binds the kernel's arguments at the start of an entry point's function.
  Emitter(tile::KernelOp kernel, mlir::LLVM::LLVMFuncOp function, const SumPlan &sums);

  tile::KernelOp kernel;
  mlir::LLVM::LLVMFuncOp function;
  const SumPlan &sums;
  mlir::ImplicitLocOpBuilder builder;

  // Values of the tile IR ---------------------------------------------------------------------------------------------

  /// The scalar that stands for a scalar of the kernel.
  mlir::Value scalar(mlir::Value value) { return scalars.lookup(value); }
  void setScalar(mlir::Value value, mlir::Value replacement) { scalars.map(value, replacement); }
  /// A thread's part of a tile; of a scalar, the scalar alone.
  Registers registers(mlir::Value value);
  void setRegisters(mlir::Value value, Registers registers);
  /// One of them. In groups, elementwise operations and loads of inputs are written when they are asked for.
  mlir::Value element(mlir::Value value, int64_t registerNumber);
  /// Binds a span, or without one an i64 variable. `divisor` divides `first`; `isFull`: the
  /// span has as many indices as its capacity.
  void setVariable(mlir::Value variable, mlir::Value first, mlir::Value end, int64_t divisor, bool isFull = false);
  const Axis &axis(mlir::Value span) const { return axes.find(span)->second; }
  /// The span over an axis among some.
  const Axis &axis(mlir::StringAttr name, mlir::ValueRange spans) const;
  /// A power of two that divides the start of every span over an axis.
  int64_t divisorOfStart(mlir::StringAttr name) const { return divisors.lookup(name); }
  const View &view(mlir::Value view) const { return views.find(view)->second; }
  /// The partial sums of this block's chunk, by output; bindPartialSums fills it.
  llvm::DenseMap<mlir::Value, View> partialSums;

  // Threads -------------------------------------------------------------------------------------------------------------

  mlir::Value lane() { return laneNumber; } ///< i32
  mlir::Value warp() { return warpNumber; } ///< i32
  mlir::Value thread() { return threadNumber; } ///< i32, in the block, or in its group if the warps have roles
  mlir::Value threadOfBlock() { return blockThreadNumber; } ///< i32
  int64_t warps() const { return warpCount; } ///< of the block, or of a group

  // Roles -------------------------------------------------------------------------------------------------------------

  tilegpu::RolesOp roles; ///< of the kernel, or null
  mlir::Value group;      ///< i32: which group this thread is in, while code of groups is written; else null
  bool isPreparer = false; ///< code of the preparing warp is written
  mlir::Value tileOrdinal; ///< i64: how many tiles the block had begun before
  mlir::Value stepOrdinal, nextStepOrdinal; ///< i64: how many steps the role had counted at the start of the tile, and has now
  /// The hardware's barriers: 0 is the block's, then one of each group, then those of the groups' turns.
  static constexpr int64_t firstGroupBarrier = 1, firstTurnBarrier = 8;
  void arriveAt(mlir::Value barrier, mlir::Value threads);

  /// Where in its tile a register's element is, along a dimension: i32.
  mlir::Value coordinate(tilegpu::DistributedAttr layout, int64_t registerNumber, unsigned dimension);
  /// The same without what the lane adds: where lane 0's element is.
  mlir::Value coordinateOfWarp(tilegpu::DistributedAttr layout, int64_t registerNumber, unsigned dimension);
  /// Whether the element of a register exists: its coordinates are below the lengths of the spans over its axes. Axes without a
  /// span among `spans` do not matter. Null: always.
  mlir::Value existence(mlir::Type tile, int64_t registerNumber, mlir::ValueRange spans);
  /// Whether this thread is the one that speaks for its elements: others with the same are silent. Null: all are.
  mlir::Value isOwner(tilegpu::DistributedAttr layout);
  /// For each register of `to` the register of `from`, a tile of some of its axes, that holds its part. Layouts must fit
  /// (tilegpu::projected).
  llvm::SmallVector<int64_t> registerMap(mlir::Type from, mlir::Type to);

  // Code --------------------------------------------------------------------------------------------------------------

  /// All operations of a block but its terminator and tile.parallel.
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emit(mlir::Operation &op);
  /// At the end of a group's tile: reads what nobody has asked for of what was fetched, so that every tile counts the same copies.
  void finishFetches();
  FetchedTile &fetchedTile(tilegpu::TmaFetchOp op) { return *fetches.find(op)->second; }
  /// Only what the given scalars need of the operations outside of the innermost tile.parallel.
  mlir::LogicalResult emitSlice(mlir::ValueRange values);

  mlir::Value constant(mlir::TypedAttr value);
  mlir::Value constant(int64_t value); ///< i64
  mlir::Value constant32(int64_t value);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  mlir::Value min(mlir::Value lhs, mlir::Value rhs); ///< signed
  mlir::Value max(mlir::Value lhs, mlir::Value rhs);
  mlir::Value logicalAnd(mlir::Value lhs, mlir::Value rhs); ///< of two conditions; null stands for true
  mlir::Value toI64(mlir::Value value);                     ///< of an i32 that is not negative
  mlir::Value toI32(mlir::Value value);
  /// ⌈(high − low) / step⌉, 0 if there is nothing.
  mlir::Value ceilDiv(mlir::Value low, mlir::Value high, int64_t step);
  /// Runs `body` where the condition holds (null: always).
  void when(mlir::Value condition, llvm::function_ref<void()> body);
  /// The same where elements are asked for (`element`): those that are written there are not known behind it.
  void whenAlone(mlir::Value condition, llvm::function_ref<void()> body);

  // Memory --------------------------------------------------------------------------------------------------------------

  mlir::Value loadSlot(int64_t slot);
  /// The block's shared memory at an offset: ptr<3>.
  mlir::Value sharedMemory(int64_t offset);
  mlir::Value advance(mlir::Value pointer, mlir::Value bytes);
  mlir::Value advance(mlir::Value pointer, int64_t bytes);
  /// Sixteen bytes of zeros in global memory, for what does not exist to be read from: a load needs no branch then.
  mlir::Value zeros();
  /// The same for what each group has of its own, while code of groups is written.
  mlir::Value ownSharedMemory(int64_t offset);
  /// Of the block, or of the group.
  void barrier();
  /// Shared memory for the duration of an operation, as allocate-shared-memory gave it.
  mlir::Value scratch(mlir::Operation *op);

private:
  void bindThread();
  void bindArguments();
  View bindView(tile::ViewType type, int64_t &slot);
  void bindTensorMap(tilegpu::TensorMapOp map);
  mlir::LogicalResult emitExpression(mlir::Operation &op);
  /// At the start of the function, after what stands there already.
  void atEntry(llvm::function_ref<void()> body);

  /// Whether an operation's registers may be written one by one, later: nothing else depends on when.
  bool isDeferrable(mlir::Operation &op);
  /// Writes what operations have deferred and this one needs, in its regions too.
  void force(mlir::Operation &op);
  mlir::Value computeElement(mlir::Operation *op, int64_t registerNumber);

  int64_t warpCount;
  mlir::Value laneNumber, warpNumber, threadNumber, blockThreadNumber;
  llvm::DenseSet<mlir::Value> deferred;
  llvm::DenseMap<mlir::Operation *, std::shared_ptr<llvm::SmallVector<int64_t>>> registerMaps;  ///< of deferred broadcasts
  llvm::DenseMap<mlir::Operation *, std::shared_ptr<DeferredLoad>> loads;
  llvm::MapVector<mlir::Operation *, std::shared_ptr<FetchedTile>> fetches;
  mlir::IRMapping scalars;
  llvm::DenseMap<mlir::Value, Registers> tiles;
  void setAxis(mlir::Value span, Axis axis);
  llvm::DenseMap<mlir::Value, Axis> axes; ///< by span
  llvm::DenseMap<mlir::StringAttr, int64_t> divisors;
  llvm::DenseMap<mlir::Value, View> views;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  /// By layout and dimension: what lanes and warps add, and the coordinate for each constant that registers add.
  struct Coordinate {
    mlir::Value base;
    uint64_t baseBits = 0; ///< that may be set in it
    llvm::DenseMap<int64_t, mlir::Value> withRegister;
  };
  llvm::DenseMap<mlir::Attribute, llvm::SmallVector<Coordinate>> coordinates;
  llvm::DenseMap<mlir::Attribute, std::shared_ptr<layout::DistributedLayout>> layouts;
  const layout::DistributedLayout &layoutOf(tilegpu::DistributedAttr attribute);
  mlir::Operation *entryMark; ///< what stands before it is computed once, at the start
  llvm::DenseSet<mlir::Operation *> emitted;
};

// Types ---------------------------------------------------------------------------------------------------------------------

int64_t bytesOf(mlir::Type element); ///< in memory
/// An element as memory holds it: i8 for i1 and for floats of 8 bits.
mlir::Type storageOf(mlir::Type element);
mlir::Value toStorage(mlir::OpBuilder &builder, mlir::Location location, mlir::Value element);
mlir::Value fromStorage(mlir::OpBuilder &builder, mlir::Location location, mlir::Value stored, mlir::Type element);
tilegpu::DistributedAttr layoutAttr(mlir::Type tile);

// What each operation becomes, by topic ----------------------------------------------------------------------------------

// Access
/// The address of an element: ptr<1>. One index for each dimension of the view.
mlir::Value addressOf(Emitter &emitter, const View &view, mlir::ValueRange indices);
mlir::Value extentOf(Emitter &emitter, const View &view, int64_t dimension);
/// Whether the indices of the marked dimensions are inside the view; null: none is marked.
mlir::Value isInside(Emitter &emitter, const View &view, mlir::ValueRange indices, llvm::ArrayRef<bool> compare);
void emitLoad(Emitter &emitter, tile::LoadOp op);
/// A load whose elements are read when they are asked for, one access at a time.
std::shared_ptr<DeferredLoad> deferLoad(Emitter &emitter, tile::LoadOp op);
mlir::Value loadElement(DeferredLoad &load, int64_t registerNumber);
std::shared_ptr<DeferredLoad> copyOf(const DeferredLoad &load);
void emitStore(Emitter &emitter, tile::StoreOp op);
// Control
mlir::LogicalResult emitControl(Emitter &emitter, mlir::Operation &op);
/// A power of two that divides every value of a variable that begins at `low` and steps by `step`.
int64_t divisorOfSteps(mlir::Value low, int64_t step);
// Grid
mlir::LogicalResult emitTiles(Emitter &emitter);
// Calls
void emitCallExternal(Emitter &emitter, tile::CallExternalOp op);
/// Makes calls of LLVM's of the scalar ones in a complete function, and declares what they call.
mlir::LogicalResult lowerExternalCalls(mlir::LLVM::LLVMFuncOp function);
// Conversions
void emitConvertLayout(Emitter &emitter, tilegpu::ConvertLayoutOp op);
/// Two registers of a tile of 16-bit floats as one word, the first in its low half. Of a tile that is converted from f32 both are converted by
/// one instruction.
mlir::Value packedPair(Emitter &emitter, mlir::Value tile, int64_t low, int64_t high);
/// The same of a product of f32 that is rounded to `element`, by products of pairs; null unless that gives the same.
mlir::Value productOfPairs(Emitter &emitter, mlir::Value product, mlir::Type element, int64_t low, int64_t high);
void emitPackPairs(Emitter &emitter, tilegpu::PackPairsOp op);
void emitUnpackPairs(Emitter &emitter, tilegpu::UnpackPairsOp op);
void emitStoreShared(Emitter &emitter, tilegpu::StoreSharedOp op);
/// Reads the elements of one access, of which one is a register's: into all of its places in `registers`.
void loadSharedElements(Emitter &emitter, tilegpu::LoadSharedOp op, int64_t registerNumber, Registers &registers);
void emitAsyncLoad(Emitter &emitter, tilegpu::AsyncLoadOp op);
/// The address of a buffer's first byte, and of an element: ptr<3>.
mlir::Value bufferAddress(Emitter &emitter, mlir::Value buffer);
/// The byte at which an element of a stage begins, as an i32; one coordinate (i32) for each dimension of the buffer's tile.
mlir::Value bufferOffset(Emitter &emitter, tilegpu::BufferType type, mlir::ValueRange coordinates);
// Mbarriers
mlir::Value mbarrierAddress(Emitter &emitter, mlir::Value barriers, mlir::Value number);
void emitMbarriers(Emitter &emitter, tilegpu::MbarriersOp op);
void emitMbarriersReady(Emitter &emitter);
/// The first of the warp that feeds, which makes the barriers; of a kernel without roles the block's first.
int64_t feedingThread(Emitter &emitter);
void emitMbarrierWait(Emitter &emitter, tilegpu::MbarrierWaitOp op);
/// Waits at a barrier until the phase of a parity (i32) has completed; what other blocks of the cluster did before it is then known, too.
void waitForPhase(Emitter &emitter, mlir::Value address, mlir::Value parity, bool ofCluster = false);
void emitMbarrierArrive(Emitter &emitter, tilegpu::MbarrierArriveOp op);
void emitTurn(Emitter &emitter, bool isWait, bool ofWarpgroups, bool isFirst);
// Clusters
/// How many blocks have a tile together; 1 unless a schedule splits tiles.
int64_t blocksOfCluster(tile::KernelOp kernel);
void emitClusterRank(Emitter &emitter, tilegpu::ClusterRankOp op);
void emitClusterSum(Emitter &emitter, tilegpu::ClusterSumOp op);
/// All threads of the cluster meet, and know of the barriers that its blocks have made.
void meetCluster(Emitter &emitter);
// TensorCopies
void emitTmaLoad(Emitter &emitter, tilegpu::TmaLoadOp op);
void emitTmaStore(Emitter &emitter, tilegpu::TmaStoreOp op);
void emitTmaStoreWait(Emitter &emitter);
// Fetches
/// Starts the first copies; elements are read when they are asked for.
std::shared_ptr<FetchedTile> startFetch(Emitter &emitter, tilegpu::TmaFetchOp op);
mlir::Value fetchedElement(FetchedTile &tile, int64_t registerNumber);
void finishFetch(FetchedTile &tile);
void emitClearAbsent(Emitter &emitter, tilegpu::ClearAbsentOp op);
// Wgmma
void emitWgmma(Emitter &emitter, tilegpu::WgmmaOp op);
void emitWgmmaRegisters(Emitter &emitter, tilegpu::WgmmaRegistersOp op);
void emitWgmmaWait(Emitter &emitter, tilegpu::WgmmaWaitOp op);
// Dots
void emitDot(Emitter &emitter, tilegpu::DotOp op);
// Reductions
/// Of two scalars, as a reduction does. Sums may be contracted with a product.
mlir::Value combine(Emitter &emitter, tile::Reduction kind, mlir::Value lhs, mlir::Value rhs);
/// What changes nothing when it is combined: a constant.
mlir::Value identity(Emitter &emitter, tile::Reduction kind, mlir::Type type);
void emitReduce(Emitter &emitter, tile::ReduceOp op);
void emitArgReduce(Emitter &emitter, tile::ArgReduceOp op);
void emitFold(Emitter &emitter, tile::FoldOp op);
// Scans
void emitScan(Emitter &emitter, tile::ScanOp op);
// Sums
void emitAccumulate(Emitter &emitter, tile::AccumulateOp op);
void emitAtomicRMW(Emitter &emitter, tile::AtomicRMWOp op);
/// Counts what a store writes, if the view's stores are counted.
void emitStoreCount(Emitter &emitter, tile::StoreOp op);
void bindPartialSums(Emitter &emitter, mlir::Value chunk);
void emitBegin(Emitter &emitter);
void emitFinish(Emitter &emitter);
/// An operation that needs scratch memory has a barrier between its first and its last access of it; all threads come there.
int64_t sumScratchBytes(mlir::Operation *op);
// Reports
void emitPrint(Emitter &emitter, tile::PrintOp op);
void emitAssert(Emitter &emitter, tile::AssertOp op);
/// Reports a message from the thread that comes here.
void emitReport(Emitter &emitter, int64_t message, mlir::ValueRange values);
int64_t reportScratchBytes(mlir::Operation *op);
/// The largest number of words that one tile reports at once; 0: the kernel reports nothing.
int64_t messageWords(tile::KernelOp kernel, const SumPlan &sums);

// Scratch
/// The shared memory that an operation needs while it runs, in bytes; each topic says how much its operations use.
int64_t scratchBytes(mlir::Operation *op);
int64_t convertLayoutScratchBytes(tilegpu::ConvertLayoutOp op);
int64_t reductionScratchBytes(mlir::Operation *op);
int64_t scanScratchBytes(tile::ScanOp op);

} // namespace tilewright::gpu
