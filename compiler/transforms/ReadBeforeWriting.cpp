#include "compiler/transforms/ReadBeforeWriting.h"

#include "compiler/transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_READBEFOREWRITING
#include "compiler/transforms/Passes.h.inc"

namespace {

/// Whether `op`, or what it holds, writes the view.
bool writes(Operation *op, Value view) {
  return op
      ->walk([&](Operation *inner) {
        bool isWrite = isa<tile::StoreOp, tile::AccumulateOp, tile::AtomicRMWOp>(inner);
        return isWrite && llvm::is_contained(inner->getOperands(), view) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The first operation that stands before `load`, in its block or around it, and writes its view; or null.
Operation *firstWriteBefore(tile::LoadOp load) {
  Operation *first = nullptr;
  for (Operation *around = load; !isa<tile::KernelOp>(around); around = around->getParentOp())
    for (Operation *op = around->getPrevNode(); op; op = op->getPrevNode())
      if (writes(op, load.getView()))
        first = op;
  return first;
}

/// Whether a value is, or can be, computed before `place`; collects what must be moved for that, operands first.
bool canPrecede(Value value, Operation *place, llvm::SmallSetVector<Operation *, 8> &moved) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return value.getParentBlock()->findAncestorOpInBlock(*place) != nullptr;
  Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*place);
  if (moved.contains(op) || (ancestor && op->isBeforeInBlock(ancestor)))
    return true;
  bool canMove = op->getNumRegions() == 0 && (isMemoryEffectFree(op) || isa<tile::LoadOp>(op)) &&
                 llvm::all_of(op->getOperands(), [&](Value operand) { return canPrecede(operand, place, moved); });
  if (canMove)
    moved.insert(op);
  return canMove;
}

} // namespace

void readBeforeWriting(tile::KernelOp kernel) {
  SmallVector<tile::LoadOp> loads;
  kernel.walk([&](tile::LoadOp load) { loads.push_back(load); });
  for (tile::LoadOp load : loads) {
    Operation *write = load.getView().getType().isWritten() ? firstWriteBefore(load) : nullptr;
    llvm::SmallSetVector<Operation *, 8> moved;
    if (write && canPrecede(load.getResult(), write, moved))
      for (Operation *op : moved)
        op->moveBefore(write);
  }
}

namespace {

struct ReadBeforeWriting : impl::ReadBeforeWritingBase<ReadBeforeWriting> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getOps<tile::KernelOp>())
      readBeforeWriting(kernel);
  }
};

} // namespace
} // namespace tilewright
