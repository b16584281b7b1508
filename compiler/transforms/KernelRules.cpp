#include "compiler/transforms/KernelRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::tilegpu {

int64_t extentOf(Type tile, StringAttr axis) {
  return paddedExtent(cast<RankedTensorType>(tile).getDimSize(tile::positionOfAxis(tile, axis)));
}

int64_t mapsOfSlices(int64_t columns, int64_t bits) {
  int64_t whole = 1024 / bits, count = columns >= whole ? 1 : 0;
  for (int64_t width : {whole / 2, whole / 4})
    count += (columns & width) != 0 ? 1 : 0;
  return count;
}

bool KernelRules::refuse(Location where, std::string why) {
  no = {where, std::move(why), no.isWorthTelling};
  return false;
}

bool KernelRules::checkGrid(ArrayRef<tile::ForOp> loops) {
  if (kernel.getChecked())
    return refuse(kernel.getLoc(), "the kernel is checked");
  for (Block *block = &kernel.getBlock();;) {
    auto inner = block->getOps<tile::ParallelOp>();
    if (inner.empty())
      break;
    nest.push_back(*inner.begin());
    block = &nest.back().getBody().front();
  }
  for (tile::ForOp loop : loops)
    if (nest.empty() || !isInnermost(loop))
      return refuse(loop.getLoc(), "its loop does not stand directly in the grid");
  for (tile::ParallelOp variable : nest)
    for (Value bound : {variable.getLow(), variable.getHigh()})
      if (!isKnownFromSizes(bound))
        return refuse(variable.getLoc(), "the grid's range depends on memory or on another variable");
  Operation *other = nullptr;
  kernel.walk([&](Operation *op) {
    auto loop = dyn_cast<tile::ForOp>(op);
    bool isOther = isa<scf::WhileOp, tile::AccumulateOp, tile::AtomicRMWOp, tile::PrintOp, tile::AssertOp>(op) ||
                   (loop && !llvm::is_contained(loops, loop));
    if (isOther && !other)
      other = op;
  });
  if (!other)
    return true;
  bool isLoop = isa<tile::ForOp, scf::WhileOp>(other);
  return refuse(other->getLoc(), isLoop ? "the kernel has another loop" : "the kernel adds to an output, prints or asserts");
}

bool KernelRules::isKnownFromSizes(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return cast<BlockArgument>(value).getOwner() == &kernel.getBlock();
  return !isa<tile::LoadOp, tile::CallExternalOp>(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isKnownFromSizes(operand); });
}

std::string KernelRules::nameOf(Value view) {
  return cast<StringAttr>(kernel.getNames()[cast<BlockArgument>(view).getArgNumber()]).getValue().str();
}

std::optional<TensorAccess> KernelRules::accessOfOperand(tile::LoadOp load, int64_t run) {
  tile::ViewType view = load.getView().getType();
  std::string name = nameOf(load.getView()), why;
  std::optional<TensorAccess> access;
  if (view.getAccess() != tile::Access::In || load.getOtherwise())
    refuse(load.getLoc(), "`" + name + "` is written by the kernel, or loaded with `else`");
  else if (!(access = tensorAccess(view, load.getIndices(), load.getCompare(), why, run)))
    refuse(load.getLoc(), "tensor copies cannot take `" + name + "`: " + why);
  return access;
}

} // namespace tilewright::tilegpu
