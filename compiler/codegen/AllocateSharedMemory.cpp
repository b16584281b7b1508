// allocate-shared-memory: places for buffers and scratch memory.
//
// Things are numbered in the order of the program. A buffer lives from its allocation to its last use; a use in a loop that the
// allocation stands outside of lasts as long as the loop. Scratch lives for one operation. The largest are placed first, each at the
// lowest offset where nothing that lives at the same time is.

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"
#include "compiler/transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_ALLOCATESHAREDMEMORY
#include "compiler/transforms/Passes.h.inc"

namespace {

struct Interval {
  Operation *op;
  int64_t bytes, alignment;
  int64_t first, last; ///< in the order of the program
  int64_t offset = -1;
};

class Allocator {
public:
  explicit Allocator(tile::KernelOp kernel) : kernel(kernel) {}

  void run() {
    collect();
    // Stable: equal sizes stay in the order of the program.
    SmallVector<Interval *> bySize = llvm::map_to_vector(intervals, [](Interval &interval) { return &interval; });
    llvm::stable_sort(bySize, [](const Interval *a, const Interval *b) { return a->bytes > b->bytes; });
    int64_t total = 0;
    for (Interval *interval : bySize) {
      place(*interval);
      total = std::max(total, interval->offset + interval->bytes);
    }
    Builder builder(kernel.getContext());
    for (const Interval &interval : intervals) {
      IntegerAttr offset = builder.getI64IntegerAttr(interval.offset);
      if (auto alloc = dyn_cast<tilegpu::AllocOp>(interval.op))
        alloc.setOffsetAttr(offset);
      else
        interval.op->setAttr(tilegpu::scratchOffsetName, offset);
    }
    kernel->setAttr(tilegpu::sharedBytesName, builder.getI64IntegerAttr(llvm::alignTo(total, 16)));
  }

private:
  tile::KernelOp kernel;
  llvm::DenseMap<Operation *, int64_t> firstNumber, lastNumber; ///< of an operation and all in it
  SmallVector<Interval> intervals;

  int64_t number(Operation *op, int64_t next) {
    firstNumber[op] = next++;
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        next = number(&inner, next);
    return (lastNumber[op] = next) + 1;
  }

  int64_t lastUse(Value buffer, Block *home) {
    int64_t last = 0;
    for (Operation *user : buffer.getUsers()) {
      last = std::max(last, lastNumber[home->findAncestorOpInBlock(*user)]);
      if (auto stage = dyn_cast<tilegpu::StageOp>(user))
        last = std::max(last, lastUse(stage.getStage(), home));
    }
    return last;
  }

  void collect() {
    number(kernel, 0);
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto alloc = dyn_cast<tilegpu::AllocOp>(op)) {
        tilegpu::BufferType type = alloc.getBuffer().getType();
        intervals.push_back({op, type.getBytes(), type.getAlignment(), firstNumber[op], lastUse(alloc.getBuffer(), op->getBlock())});
      } else if (int64_t bytes = gpu::scratchBytes(op)) {
        intervals.push_back({op, bytes, 1024, firstNumber[op], lastNumber[op]});
      }
    });
  }

  void place(Interval &interval) {
    SmallVector<std::pair<int64_t, int64_t>> taken;
    for (const Interval &other : intervals)
      if (other.offset >= 0 && other.first <= interval.last && interval.first <= other.last)
        taken.push_back({other.offset, other.offset + other.bytes});
    llvm::sort(taken);
    int64_t offset = 0;
    for (auto [begin, end] : taken) {
      if (offset + interval.bytes <= begin)
        break;
      offset = std::max(offset, static_cast<int64_t>(llvm::alignTo(end, interval.alignment)));
    }
    interval.offset = offset;
  }
};

struct AllocateSharedMemory : impl::AllocateSharedMemoryBase<AllocateSharedMemory> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getOps<tile::KernelOp>())
      Allocator(kernel).run();
  }
};

} // namespace
} // namespace tilewright
