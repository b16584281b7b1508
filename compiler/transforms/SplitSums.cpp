// split-sums: what is done with a sum that a cluster's blocks have parts of.
//
// Each block adds up the sums of a share of the tile's columns, and does with it what the kernel does with the whole: the epilogue's work, its stores and
// what blocks read of one another are divided evenly. So everything behind the loop, and what is loaded for it, has fewer columns. ScheduleRules
// has found that nothing there depends on more columns than its own.

#include "compiler/transforms/Passes.h"
#include "dialects/TileGPU/TileGPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_SPLITSUMS
#include "compiler/transforms/Passes.h.inc"

namespace {

class SumSplitter {
public:
  SumSplitter(tile::KernelOp kernel, int64_t split) : split(split), builder(kernel.getLoc(), kernel.getContext()) {
    kernel.walk([&](tile::DotOp op) { dot = op; });
    loop = cast<tile::ForOp>(dot->getParentOp());
    axis = tile::axesOf(dot.getType())[1];
    for (Operation *around = loop->getParentOp(); !variable; around = around->getParentOp())
      if (auto parallel = dyn_cast<tile::ParallelOp>(around); parallel && parallel.getAxis() == axis)
        variable = parallel;
  }

  void run() {
    keepForLoop();
    SmallVector<Operation *> epilogue;
    for (Operation &op : *loop->getBlock())
      if (&op != loop && !ofLoop.contains(&op))
        op.walk([&](Operation *inner) { epilogue.push_back(inner); });
    builder.setInsertionPointToStart(loop->getBlock());
    Value share = makeShare();
    builder.setInsertionPointAfter(loop);
    Value sum = loop.getResult(0);
    auto shareOfSum = tilegpu::ClusterSumOp::create(builder, shareOf(sum.getType()), sum, Value(), ValueRange(), Value(), Value(), Value());
    sum.replaceAllUsesExcept(shareOfSum.getResult(), shareOfSum);
    for (Operation *op : epilogue) {
      op->replaceUsesOfWith(variable.getInductionVariable(), share);
      takeConstants(op);
      if (op->hasTrait<OpTrait::ConstantLike>())
        continue; // others may have it whole
      for (Value result : op->getResults())
        result.setType(shareOf(result.getType()));
      for (Region &region : op->getRegions())
        for (Value argument : region.getArguments())
          argument.setType(shareOf(argument.getType()));
    }
  }

private:
  int64_t split;
  ImplicitLocOpBuilder builder;
  tile::DotOp dot;
  tile::ForOp loop;
  StringAttr axis;
  tile::ParallelOp variable; ///< of the columns
  llvm::SetVector<Operation *> ofLoop; ///< what stands before it and what it needs whole

  bool isOfColumns(Type type) { return shareOf(type) != type || type == variable.getInductionVariable().getType(); }

  void addNeeded(Operation *op) {
    for (Value operand : op->getOperands()) {
      Operation *needed = operand.getDefiningOp();
      if (!needed || needed->getBlock() != loop->getBlock() || needed == loop || needed->hasTrait<OpTrait::ConstantLike>())
        continue;
      auto isWhole = [&](Type type) { return isOfColumns(type); };
      bool hasColumns = llvm::any_of(needed->getOperandTypes(), isWhole) || llvm::any_of(needed->getResultTypes(), isWhole);
      if (hasColumns && ofLoop.insert(needed))
        addNeeded(needed);
    }
  }

  /// Others of what the loop needs (indices of its operands) get copies of their own.
  void keepForLoop() {
    loop->walk([&](Operation *op) { addNeeded(op); });
    IRMapping copies;
    SmallVector<Operation *> inOrder = llvm::to_vector(ofLoop);
    llvm::sort(inOrder, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op : inOrder) {
      builder.setInsertionPointAfter(op);
      Operation *copy = builder.clone(*op, copies);
      op->replaceUsesWithIf(copy->getResults(), [&](OpOperand &use) { return !loop->isAncestor(use.getOwner()) && !ofLoop.contains(use.getOwner()); });
    }
  }

  /// The columns of this block.
  Value makeShare() {
    auto whole = cast<tile::SpanType>(variable.getInductionVariable().getType());
    auto type = tile::SpanType::get(builder.getContext(), axis, whole.getCapacity() / split);
    Value rank = tilegpu::ClusterRankOp::create(builder), columns = arith::ConstantOp::create(builder, builder.getI64IntegerAttr(type.getCapacity()));
    Value start = tile::SpanStartOp::create(builder, builder.getI64Type(), variable.getInductionVariable());
    Value first = arith::AddIOp::create(builder, start, arith::MulIOp::create(builder, rank, columns));
    return tilegpu::SpanAtOp::create(builder, type, first, variable.getHigh());
  }

  Type shareOf(Type type) {
    if (!tile::isTile(type) || tile::positionOfAxis(type, axis) < 0)
      return type;
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    shape[tile::positionOfAxis(type, axis)] /= split;
    return RankedTensorType::get(shape, tensor.getElementType(), tensor.getEncoding());
  }

  /// Constants that it takes, for a share.
  void takeConstants(Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      auto constant = operand.get().getDefiningOp<arith::ConstantOp>();
      Type type = operand.get().getType();
      if (!constant || shareOf(type) == type)
        continue;
      builder.setInsertionPoint(op);
      auto splat = cast<DenseElementsAttr>(constant.getValue());
      operand.set(arith::ConstantOp::create(builder, DenseElementsAttr::get(cast<ShapedType>(shareOf(type)), splat.getSplatValue<Attribute>())));
    }
  }
};

struct SplitSums : impl::SplitSumsBase<SplitSums> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getOps<tile::KernelOp>())
      if (auto schedule = kernel->getAttrOfType<tilegpu::ScheduleAttr>(tilegpu::scheduleName); schedule && schedule.getSplit() > 1)
        SumSplitter(kernel, schedule.getSplit()).run();
  }
};

} // namespace
} // namespace tilewright
