// insert-barriers: which accesses could meet, and a barrier between those that may not.
//
// The program is walked in its order with a list of pending accesses, those since the last barrier. An operation that conflicts
// with one of them gets a barrier in front of it, which empties the list. Bodies of loops are first walked to see what one iteration
// leaves to the next, then with that.
//
// Scratch memory is written, and after a barrier of the operation's own read: before the operation it is a write, after it only the
// reads are pending.
//
// Stages. A pipelined loop reads stage t mod S in iteration t and writes stage (t + S - 1) mod S. tilegpu.stage says so by the attribute
// `tilegpu.step` (0 and S - 1): accesses of one buffer with different steps do not meet. In the next iteration what was step s is
// step s - 1.
//
// Asynchronous copies have written when an async_wait has covered them; a barrier before that does not end them.
//
// Views. An element of an output is stored once, so stores do not meet. But a tile may read an inout view, in one layout, before
// it stores it in another: the store waits for the reads. Sums read and write their places.

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_INSERTBARRIERS
#include "compiler/transforms/Passes.h.inc"

namespace {

struct Access {
  int64_t begin = 0, end = 0;  ///< bytes of shared memory; empty: a view
  Value view;
  Value buffer;                ///< the allocation
  std::optional<int64_t> step; ///< of the stage, relative to the iteration
  int64_t stages = 1;
  bool isWrite = false;
  bool isCopy = false; ///< asynchronous, and no wait has covered it

  friend bool operator==(const Access &, const Access &) = default;
};

bool areDifferentStages(const Access &a, const Access &b) {
  return a.buffer && a.buffer == b.buffer && a.step && b.step && (*a.step - *b.step) % a.stages != 0;
}

bool conflict(const Access &a, const Access &b) {
  if (!a.isWrite && !b.isWrite)
    return false;
  if (a.view || b.view)
    return a.view == b.view;
  return a.begin < b.end && b.begin < a.end && !areDifferentStages(a, b);
}

using Accesses = SmallVector<Access>;

class BarrierInserter {
public:
  explicit BarrierInserter(tile::KernelOp kernel) : kernel(kernel) {}

  LogicalResult run() {
    Accesses pending;
    return walk(kernel.getBlock(), pending);
  }

private:
  tile::KernelOp kernel;

  /// What an operation accesses, before a barrier of its own (if it has one) and after it.
  struct Effects {
    Accesses before, after;
    bool hasBarrier = false;
  };

  Access ofBuffer(Value buffer, bool isWrite) {
    Access access;
    access.isWrite = isWrite;
    if (auto stage = buffer.getDefiningOp<tilegpu::StageOp>()) {
      if (auto step = stage->getAttrOfType<IntegerAttr>(tilegpu::stepName))
        access.step = step.getInt();
      buffer = stage.getBuffer();
    }
    auto alloc = buffer.getDefiningOp<tilegpu::AllocOp>();
    tilegpu::BufferType type = alloc.getBuffer().getType();
    access.buffer = buffer;
    access.begin = static_cast<int64_t>(*alloc.getOffset());
    access.end = access.begin + type.getBytes();
    access.stages = type.getStages();
    return access;
  }

  static Access ofView(Value view, bool isWrite) {
    Access access;
    access.view = view;
    access.isWrite = isWrite;
    return access;
  }

  Effects effectsOf(Operation *op) {
    Effects effects;
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](tilegpu::StoreSharedOp op) { effects.before = {ofBuffer(op.getBuffer(), true)}; })
        .Case([&](tilegpu::LoadSharedOp op) { effects.before = {ofBuffer(op.getBuffer(), false)}; })
        .Case([&](tilegpu::AsyncLoadOp op) {
          effects.before = {ofBuffer(op.getBuffer(), true)};
          effects.before.front().isCopy = true;
        })
        .Case([&](tilegpu::DotOp op) { effects.before = {ofBuffer(op.getLhs(), false), ofBuffer(op.getRhs(), false)}; })
        .Case([&](tile::LoadOp op) {
          if (op.getView().getType().isWritten())
            effects.before = {ofView(op.getView(), false)};
        })
        .Case([&](tile::StoreOp op) { effects.before = {ofView(op.getView(), true)}; })
        .Case<tile::AccumulateOp, tile::AtomicRMWOp>([&](auto op) {
          effects.before = {ofView(op.getView(), false), ofView(op.getView(), true)};
        });
    // What roles share.
    llvm::erase_if(effects.before, [&](const Access &access) { return access.buffer && op->getParentOfType<tilegpu::RolesOp>() && tilegpu::isOfBlock(access.buffer); });
    if (auto offset = op->getAttrOfType<IntegerAttr>(tilegpu::scratchOffsetName)) {
      Access scratch;
      scratch.begin = offset.getInt();
      scratch.end = scratch.begin + gpu::scratchBytes(op);
      effects.after = effects.before; // it may touch its view on either side of its own barrier
      effects.after.push_back(scratch);
      scratch.isWrite = true;
      effects.before.push_back(scratch);
      effects.hasBarrier = true;
    }
    return effects;
  }

  static void endWithBarrier(Accesses &pending) {
    llvm::erase_if(pending, [](const Access &access) { return !access.isCopy; });
  }

  bool isTrial = false; ///< only the accesses that are pending at the end are wanted

  LogicalResult visit(Operation *op, Accesses &pending) {
    if (isa<tilegpu::BarrierOp>(op)) {
      endWithBarrier(pending);
      return success();
    }
    if (isa<tilegpu::AsyncWaitOp>(op)) {
      for (Access &access : pending)
        access.isCopy = false;
      return success();
    }
    Effects effects = effectsOf(op);
    bool isStore = isa<tile::StoreOp>(op);
    bool needsBarrier = false;
    for (const Access &access : effects.before)
      for (const Access &other : pending) {
        if (!conflict(access, other))
          continue;
        if (other.isCopy && !access.isCopy)
          return op->emitOpError("touches a buffer that is still being copied to: an async_wait is missing");
        needsBarrier = true;
      }
    if (needsBarrier) {
      OpBuilder builder(op);
      if (!isTrial)
        tilegpu::BarrierOp::create(builder, op->getLoc());
      endWithBarrier(pending);
    }
    if (effects.hasBarrier)
      endWithBarrier(pending);
    else if (!isStore)
      llvm::append_range(pending, effects.before);
    llvm::append_range(pending, effects.after);
    return success();
  }

  static void merge(Accesses &pending, const Accesses &other) {
    for (const Access &access : other)
      if (!llvm::is_contained(pending, access))
        pending.push_back(access);
  }

  /// What is pending at the start is what is pending before the loop, or at the end of an iteration. That is found in two trials;
  /// then barriers are put, and once more in case that they have changed what is pending. A loop with a condition, the first of two
  /// blocks, is left behind that.
  LogicalResult walkLoop(ArrayRef<Block *> blocks, Accesses &pending) {
    Accesses entry = pending, end, exit;
    bool hasCondition = blocks.size() == 2;
    for (bool trial : {true, true, isTrial, isTrial}) {
      bool outer = std::exchange(isTrial, trial);
      Accesses state = entry;
      merge(state, end);
      for (Block *block : blocks) {
        if (failed(walk(*block, state)))
          return failure();
        if (block == blocks.front())
          exit = state;
      }
      isTrial = outer;
      for (Access &access : state)
        if (access.step)
          --*access.step;
      end = std::move(state);
    }
    if (hasCondition)
      pending = std::move(exit);
    else
      merge(pending, end);
    for (Access &access : pending)
      access.step.reset();
    return success();
  }

  LogicalResult walk(Block &block, Accesses &pending) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto roles = dyn_cast<tilegpu::RolesOp>(op)) {
        // Each group by itself: what groups share is guarded by barriers in shared memory, and no operation here speaks of it.
        for (Region &region : roles->getRegions())
          if (Accesses none; !region.empty() && failed(walk(region.front(), none)))
            return failure();
      } else if (auto loop = dyn_cast<tile::ForOp>(op)) {
        if (failed(walkLoop({&loop.getBody().front()}, pending)))
          return failure();
      } else if (auto parallel = dyn_cast<tile::ParallelOp>(op)) {
        // A block may run several tiles.
        if (failed(walkLoop({&parallel.getBody().front()}, pending)))
          return failure();
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        if (failed(walkLoop({loop.getBeforeBody(), loop.getAfterBody()}, pending)))
          return failure();
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        Accesses before = pending;
        SmallVector<Accesses> ends;
        for (Region &region : branch->getRegions()) {
          Accesses end = before;
          if (!region.empty() && failed(walk(region.front(), end)))
            return failure();
          ends.push_back(std::move(end));
        }
        pending.clear();
        for (const Accesses &end : ends)
          merge(pending, end);
      } else if (failed(visit(&op, pending))) {
        return failure();
      }
    }
    return success();
  }
};

struct InsertBarriers : impl::InsertBarriersBase<InsertBarriers> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getOps<tile::KernelOp>())
      if (failed(BarrierInserter(kernel).run()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace tilewright
