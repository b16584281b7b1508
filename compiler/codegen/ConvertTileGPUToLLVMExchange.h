// What threads give one another on the way to a combined value: which bits of a coordinate are where, shuffles within a warp,
// and passages through shared memory between warps.
#pragma once

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace tilewright::gpu {

/// One value for each state of a fold or scan, at one place.
using States = llvm::SmallVector<mlir::Value, 2>;

/// Which bit of which number a bit of a coordinate is.
enum class Level { Register, Lane, Warp };
struct BitPlace {
  Level level;
  unsigned bit;
};

/// Layouts in which combinations take place give each bit of each coordinate to exactly one bit of a register's, lane's or
/// warp's number, and nothing to the others: so the bits of an axis can be gone through one by one. (Loads, products and their
/// reductions are in such layouts; a swizzle would not be one.)
class CoordinateBits {
public:
  explicit CoordinateBits(const layout::DistributedLayout &layout);

  /// From the lowest bit up, of the part of the extent that is a power of two.
  llvm::ArrayRef<BitPlace> along(unsigned dimension) const { return places[dimension]; }
  /// Bits of lanes and warps that add nothing: those who differ in them hold the same.
  uint64_t idle(Level level) const { return level == Level::Lane ? idleLanes : idleWarps; }

private:
  llvm::SmallVector<llvm::SmallVector<BitPlace>> places;
  uint64_t idleLanes = 0, idleWarps = 0;
};

/// The value of another lane: `operand` is what lanes differ in (bfly) or the lane itself (idx). An element of any type.
mlir::Value shuffle(Emitter &emitter, mlir::NVVM::ShflKind kind, mlir::Value element, mlir::Value operand);
States shuffle(Emitter &emitter, mlir::NVVM::ShflKind kind, const States &states, mlir::Value operand);

/// States that some threads leave in shared memory for others. A place for each combination of the bits of `lanes` and `warps`
/// and each of the registers; those whose other bits are `laneValue` and `warpValue` write.
class Passage {
public:
  /// Some of the registers: `count` from the number `first` on, which may differ between warps.
  struct Part {
    mlir::Value first;
    int64_t count;
  };

  Passage(uint64_t lanes, uint64_t laneValue, uint64_t warps, uint64_t warpValue, int64_t registers,
          llvm::ArrayRef<mlir::Type> elements);

  int64_t bytes() const { return byteCount; }
  /// Whether each register has a place and there are no others: then registers can be passed in parts.
  bool isDense() const;

  void write(Emitter &emitter, mlir::Value address, llvm::ArrayRef<States> values) const;
  /// What the warp with this thread's bits, but those of `changed`, which are `bits`, left: all registers.
  llvm::SmallVector<States> read(Emitter &emitter, mlir::Value address, uint64_t changed = 0, uint64_t bits = 0) const;

  /// The same of a part of the registers. `writers` are bits of warps that write different parts.
  void write(Emitter &emitter, mlir::Value address, llvm::ArrayRef<States> values, const Part &part, uint64_t writers) const;
  llvm::SmallVector<States> read(Emitter &emitter, mlir::Value address, const Part &part, uint64_t changed, uint64_t bits) const;

private:
  /// The address of the first register's place, for each state.
  States places(Emitter &emitter, mlir::Value address, uint64_t changed, uint64_t bits) const;
  States startsOf(Emitter &emitter, const Part &part, const States &all) const;
  /// Whether this thread writes, if warps that differ in the bits of `writers` do.
  mlir::Value isWriter(Emitter &emitter, uint64_t writers) const;
  void store(Emitter &emitter, mlir::Value value, mlir::Value first, int64_t place) const;
  llvm::SmallVector<States> load(Emitter &emitter, const States &first, int64_t count) const;

  struct State {
    mlir::Type element;
    int64_t offset;
    int64_t registers; ///< that have a place for each lane and warp
  };
  uint64_t lanes, laneValue, warps, warpValue;
  int64_t registers;
  llvm::SmallVector<State> states;
  int64_t byteCount = 0;
};

/// The combiner of a fold or scan on two states. Without `mayContract` none of it is contracted with what formed the states.
States inlined(Emitter &emitter, mlir::Block &combiner, const States &earlier, const States &later, bool mayContract);

} // namespace tilewright::gpu
