// drop-unit-axes: a grid's axis of one index a tile becomes a scalar.
//
// Tensor cores take one axis of rows and one of columns. A tile of `g in G by 1, i in M by 128` has two axes of rows, one of
// which has one index; what a product makes of it is the product of the other axis alone. The element always exists: a grid
// runs no empty tile.
//
// Only where a product has several axes on one side. An operation that needs the axis as such (a scan along it) keeps it
// everywhere.

#include "compiler/transforms/Passes.h"

#include "dialects/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_DROPUNITAXES
#include "compiler/transforms/Passes.h.inc"

namespace {

/// Whether tensor cores would take a product but for its having several axes on one side.
bool hasCrowdedSide(tile::DotOp dot) {
  int64_t rows = 0, columns = 0;
  for (StringAttr axis : tile::axesOf(dot.getType())) {
    bool inLhs = tile::positionOfAxis(dot.getLhs().getType(), axis) >= 0,
         inRhs = tile::positionOfAxis(dot.getRhs().getType(), axis) >= 0;
    rows += inLhs && !inRhs;
    columns += inRhs && !inLhs;
  }
  return rows > 1 || columns > 1;
}

class AxisDropper {
public:
  AxisDropper(tile::KernelOp kernel, tile::ParallelOp variable)
      : kernel(kernel), variable(variable), axis(variable.getAxisAttr()) {}

  bool canDrop() {
    auto span = dyn_cast<tile::SpanType>(variable.getInductionVariable().getType());
    if (!span || span.getCapacity() != 1)
      return false;
    return !kernel
                .walk([&](Operation *op) {
                  return !names(op) || isUnderstood(op) ? WalkResult::advance() : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  void drop() {
    BlockArgument span = variable.getInductionVariable();
    OpBuilder builder = OpBuilder::atBlockBegin(span.getOwner());
    span.setType(builder.getI64Type());
    for (Operation *user : llvm::make_early_inc_range(span.getUsers()))
      replaceUse(user, span, builder);
    kernel.walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            argument.setType(without(argument.getType()));
      for (OpResult result : op->getResults())
        result.setType(without(result.getType()));
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        retype(constant);
    });
    // What repeated along the axis alone repeats nothing now.
    kernel.walk([&](tile::BroadcastOp op) {
      if (op.getOperand().getType() != op.getType())
        return;
      op.getResult().replaceAllUsesWith(op.getOperand());
      op.erase();
    });
  }

private:
  tile::KernelOp kernel;
  tile::ParallelOp variable;
  StringAttr axis;

  bool isNamed(Type type) const {
    auto span = dyn_cast<tile::SpanType>(type);
    return span ? span.getAxis() == axis : tile::isTile(type) && tile::positionOfAxis(type, axis) >= 0;
  }

  bool names(Operation *op) const {
    return llvm::any_of(op->getOperandTypes(), [&](Type type) { return isNamed(type); }) ||
           llvm::any_of(op->getResultTypes(), [&](Type type) { return isNamed(type); });
  }

  bool isUnderstood(Operation *op) const {
    if (auto dot = dyn_cast<tile::DotOp>(op)) // a batch of one is left to whoever wants batches; a sum over one index as well
      return (tile::positionOfAxis(dot.getLhs().getType(), axis) < 0) !=
             (tile::positionOfAxis(dot.getRhs().getType(), axis) < 0);
    if (isa<tile::IndexOp, tile::SpanStartOp, tile::SpanEndOp, tile::LoadOp, tile::StoreOp, tile::AccumulateOp,
            tile::BroadcastOp, tile::CastOp, tile::FloorDivOp, tile::FloorModOp, tile::ReduceOp, tile::ForOp, tile::YieldOp,
            scf::IfOp, scf::YieldOp>(op))
      return true;
    return isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
  }

  Type without(Type type) const { return tile::isTile(type) && isNamed(type) ? tile::withoutAxes(type, axis) : type; }

  void replaceUse(Operation *user, Value span, OpBuilder &builder) {
    llvm::TypeSwitch<Operation *>(user)
        .Case<tile::IndexOp, tile::SpanStartOp>([&](auto op) {
          op.getResult().replaceAllUsesWith(span);
          op.erase();
        })
        .Case([&](tile::SpanEndOp op) {
          Value one = arith::ConstantOp::create(builder, op.getLoc(), builder.getI64IntegerAttr(1));
          op.getResult().replaceAllUsesWith(arith::AddIOp::create(builder, op.getLoc(), span, one));
          op.erase();
        })
        .Case<tile::LoadOp, tile::StoreOp, tile::AccumulateOp>([&](auto op) { eraseSpan(op.getSpansMutable(), span); })
        .Case([&](tile::ReduceOp op) {
          eraseSpan(op.getSpansMutable(), span);
          if (!op.getSpans().empty())
            return;
          op.getResult().replaceAllUsesWith(op.getOperand());
          op.erase();
        })
        .Default([](Operation *) { llvm_unreachable("isUnderstood knows which operations take the span"); });
  }

  static void eraseSpan(MutableOperandRange spans, Value span) {
    for (unsigned number = spans.size(); number-- > 0;)
      if (spans[number].get() == span)
        spans.erase(number);
  }

  static void retype(arith::ConstantOp constant) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    Type type = constant.getType();
    if (!elements || elements.getType() == type)
      return;
    constant.setValueAttr(tile::isTile(type)
                              ? TypedAttr(DenseElementsAttr::get(cast<ShapedType>(type), elements.getSplatValue<Attribute>()))
                              : elements.getSplatValue<TypedAttr>());
  }
};

struct DropUnitAxes : impl::DropUnitAxesBase<DropUnitAxes> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getOps<tile::KernelOp>()) {
      bool isWorthIt = false;
      kernel.walk([&](tile::DotOp dot) { isWorthIt = isWorthIt || hasCrowdedSide(dot); });
      SmallVector<tile::ParallelOp> variables;
      kernel.walk([&](tile::ParallelOp variable) { variables.push_back(variable); });
      for (tile::ParallelOp variable : variables)
        if (AxisDropper dropper(kernel, variable); isWorthIt && dropper.canDrop())
          dropper.drop();
    }
  }
};

} // namespace
} // namespace tilewright
