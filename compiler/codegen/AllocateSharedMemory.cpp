// allocate-shared-memory: places for buffers and scratch memory.
//
// Things are numbered in the order of the program. A buffer lives from its allocation to its last use; a use in a loop that the
// allocation stands outside of lasts as long as the loop. Scratch lives for one operation. The largest are placed first, each at the
// lowest offset where nothing that lives at the same time is.
//
// Groups of warps each have their own copy of what stands in their program: that is laid out by itself, and the groups' copies are one
// thing of the block, as alive as the groups.

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
  explicit Allocator(Operation *root) : root(root) {}

  /// Returns the bytes that are needed; offsets begin at `base`.
  int64_t run(int64_t base) {
    collect();
    // Stable: equal sizes stay in the order of the program.
    SmallVector<Interval *> bySize = llvm::map_to_vector(intervals, [](Interval &interval) { return &interval; });
    llvm::stable_sort(bySize, [](const Interval *a, const Interval *b) { return a->bytes > b->bytes; });
    int64_t total = 0;
    for (Interval *interval : bySize) {
      place(*interval);
      total = std::max(total, interval->offset + interval->bytes);
    }
    Builder builder(root->getContext());
    for (const Interval &interval : intervals) {
      IntegerAttr offset = builder.getI64IntegerAttr(base + interval.offset);
      if (auto alloc = dyn_cast<tilegpu::AllocOp>(interval.op))
        alloc.setOffsetAttr(offset);
      else if (auto barriers = dyn_cast<tilegpu::MbarriersOp>(interval.op))
        barriers.setOffsetAttr(offset);
      else if (auto roles = dyn_cast<tilegpu::RolesOp>(interval.op))
        allocateGroups(roles, base + interval.offset);
      else
        interval.op->setAttr(tilegpu::scratchOffsetName, offset);
    }
    return total;
  }

private:
  Operation *root;
  llvm::DenseMap<Operation *, int64_t> firstNumber, lastNumber; ///< of an operation and all in it
  SmallVector<Interval> intervals;

  int64_t number(Operation *op, int64_t next) {
    firstNumber[op] = next++;
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        next = number(&inner, next);
    return (lastNumber[op] = next) + 1;
  }

  static constexpr int64_t groupAlignment = 1024;

  static int64_t bytesOfGroup(tilegpu::RolesOp roles) { return static_cast<int64_t>(llvm::alignTo(Allocator(roles).run(0), groupAlignment)); }

  static void allocateGroups(tilegpu::RolesOp roles, int64_t offset) {
    roles->setAttr(tilegpu::groupBytesName, Builder(roles.getContext()).getI64IntegerAttr(bytesOfGroup(roles)));
    Allocator(roles).run(offset);
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
    number(root, 0);
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto roles = dyn_cast<tilegpu::RolesOp>(op);
      if (roles && op != root) {
        intervals.push_back({op, bytesOfGroup(roles) * static_cast<int64_t>(roles.getGroups()), groupAlignment, firstNumber[op], lastNumber[op]});
        return WalkResult::skip();
      }
      if (auto barriers = dyn_cast<tilegpu::MbarriersOp>(op)) {
        int64_t bytes = 8 * barriers.getBarriers().getType().getCount();
        intervals.push_back({op, bytes, 8, firstNumber[op], lastUse(barriers.getBarriers(), op->getBlock())});
      } else if (auto alloc = dyn_cast<tilegpu::AllocOp>(op)) {
        tilegpu::BufferType type = alloc.getBuffer().getType();
        intervals.push_back({op, type.getBytes(), type.getAlignment(), firstNumber[op], lastUse(alloc.getBuffer(), op->getBlock())});
      } else if (int64_t bytes = gpu::scratchBytes(op)) {
        intervals.push_back({op, bytes, 1024, firstNumber[op], lastNumber[op]});
      }
      return WalkResult::advance();
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
    for (tile::KernelOp kernel : getOperation().getOps<tile::KernelOp>()) {
      int64_t bytes = Allocator(kernel).run(0);
      kernel->setAttr(tilegpu::sharedBytesName, Builder(kernel.getContext()).getI64IntegerAttr(static_cast<int64_t>(llvm::alignTo(bytes, 16))));
    }
  }
};

} // namespace
} // namespace tilewright
