#include "compiler/analysis/SumPlan.h"

#include "compiler/analysis/LinearForm.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright {

static bool isInLoop(Operation *op) {
  for (Operation *parent = op->getParentOp(); !isa<tile::KernelOp>(parent); parent = parent->getParentOp())
    if (isa<tile::ForOp, scf::WhileOp>(parent))
      return true;
  return false;
}

/// Whether changing the view's elements in place would round one of them more than once.
static bool wouldRoundTwice(ArrayRef<tile::AccumulateOp> ops) {
  tile::AccumulateOp op = ops.front();
  Type element = op.getView().getType().getElement();
  bool isExact = !isa<FloatType>(element) || element.getIntOrFloatBitWidth() >= 32 || op.getKind() != tile::Reduction::Add;
  return !isExact && (ops.size() > 1 || isInLoop(op) || !namesElementsOnce(op.getIndices(), op.getSpans()));
}

FailureOr<SumPlan> SumPlan::create(tile::KernelOp kernel) {
  llvm::MapVector<Value, SmallVector<tile::AccumulateOp>> accumulated;
  llvm::MapVector<Value, tile::AtomicRMWOp> atomic;
  kernel.walk([&](tile::AccumulateOp op) { accumulated[op.getView()].push_back(op); });
  kernel.walk([&](tile::AtomicRMWOp op) { atomic.insert({op.getView(), op}); });

  llvm::MapVector<Value, int64_t> countMessages;
  kernel.walk([&](tile::StoreOp op) {
    if (std::optional<uint64_t> message = op.getMessage())
      countMessages.insert({op.getView(), static_cast<int64_t>(*message)});
  });

  SumPlan plan;
  for (auto [view, message] : countMessages)
    plan.partial.push_back({view, tile::Reduction::Add, IntegerType::get(kernel.getContext(), 32), false, message});
  for (auto &[view, ops] : accumulated) {
    tile::AccumulateOp first = ops.front();
    for (tile::AccumulateOp op : ops)
      if (op.getKind() != first.getKind())
        return op.emitOpError("combines a view's elements in another way than an operation before it"), failure();
    Sum sum{view, first.getKind(), getElementTypeOrSelf(first.getValue().getType()), first.getIsUnsigned()};
    bool isShared = llvm::any_of(ops, [](tile::AccumulateOp op) { return op.getShared(); });
    (isShared || wouldRoundTwice(ops) ? plan.partial : plan.direct).push_back(sum);
  }
  for (auto &[view, op] : atomic)
    plan.direct.push_back({view, op.getKind(), getElementTypeOrSelf(op.getValue().getType()), false});
  return plan;
}

bool SumPlan::isPartial(Value view) const {
  return llvm::any_of(partial, [&](const Sum &sum) { return sum.view == view; });
}

static StringRef kindName(tile::Reduction kind) {
  switch (kind) {
  case tile::Reduction::Max:
  case tile::Reduction::UMax:
    return "max";
  case tile::Reduction::Min:
  case tile::Reduction::UMin:
    return "min";
  default:
    return tile::stringifyReduction(kind);
  }
}

bool isMaximum(tile::Reduction kind) {
  return kindName(kind) == "max";
}

ArrayAttr SumPlan::describe(tile::KernelOp kernel) const {
  Builder builder(kernel.getContext());
  SmallVector<Attribute> entries;
  for (const Sum &sum : partial) {
    Attribute name = kernel.getNames()[cast<BlockArgument>(sum.view).getArgNumber()];
    std::string dtype = (isa<FloatType>(sum.type) ? "f" : "i") + std::to_string(sum.type.getIntOrFloatBitWidth());
    entries.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("view", name),
         builder.getNamedAttr("kind", builder.getStringAttr(sum.countMessage ? "count" : kindName(sum.kind))),
         builder.getNamedAttr("dtype", builder.getStringAttr(dtype))}));
  }
  return builder.getArrayAttr(entries);
}

} // namespace tilewright
