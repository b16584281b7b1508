// Which tiles get a buffer.
//
// The problem. A kernel is a graph of tiles; a loop nest computes one tile, or stores one. If every value had a buffer,
// `T(act(acc))` would pass three times over memory; if none had, `exp(s - top)`, used by a sum and by a product, would be
// computed twice.
//
// An example, one step of attention:
//
//   p = exp2(s - base)        used by a sum and by a dot       buffer: expensive, evaluated twice
//   l = l * a + sum(p)        carried                          written in place at the end of the iteration
//   T(p)                      operand of a dot                 buffer: a product reads its operands many times
//   acc = acc * a + dot(…)    carried                          the dot's buffer is acc's own
//   s - base, acc * a         cheap                            no buffer: part of the loops that use them
//
// The decisions, in this order:
//  0. a load of a view that the kernel has written before stands before that: it reads what the view held at launch (§3.12);
//  1. results of reductions, scans, products, atomics, loops and branches always have buffers;
//  2. a dot's operand that is not a plain part of a view has one;
//  3. so does a load that a later store may overwrite before its last use;
//  4. so does what is expensive and would be evaluated more than once for each element;
//  5. a value that a loop carries on may be written into the carried buffer at once, if nobody reads the old value afterwards.
//
// Names make in-place updates easy to judge: an expression over axes i, j reads every buffer at its own (i, j), since only the
// operations of rule 1 move data along an axis. Limits: nothing is fused across two nests, and rule 4 counts uses, not bytes.

#include "compiler/codegen/ConvertTileToLinalgPlan.h"

#include "compiler/analysis/LinearForm.h"
#include "compiler/transforms/ReadBeforeWriting.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::cpu {

namespace {

bool alwaysHasBuffer(Operation *op) {
  return isa<tile::ReduceOp, tile::ArgReduceOp, tile::FoldOp, tile::ScanOp, tile::DotOp, tile::AtomicRMWOp>(op) ||
         op->getNumRegions() > 0;
}

/// A tile that needs no buffer: one value, computed element by element.
bool isExpression(Operation *op) {
  return op->getNumResults() == 1 && tile::isTile(op->getResult(0).getType()) && !alwaysHasBuffer(op);
}

constexpr llvm::StringLiteral reusedReason = "reused";

void mark(Operation *op, StringRef reason) {
  if (!op->hasAttr(materializeName))
    op->setAttr(materializeName, StringAttr::get(op->getContext(), reason));
}

} // namespace

bool hasBuffer(Value tile) {
  if (!tile::isTile(tile.getType()))
    return false;
  Operation *op = tile.getDefiningOp();
  return !op || alwaysHasBuffer(op) || op->hasAttr(materializeName);
}

int64_t destinationOf(OpResult result) {
  auto into = result.getOwner()->getAttrOfType<DenseI64ArrayAttr>(intoName);
  return into ? into[result.getResultNumber()] : -1;
}

void collectBuffersRead(Value value, TileSet &buffers) {
  if (!tile::isTile(value.getType()))
    return;
  if (hasBuffer(value)) {
    buffers.insert(value);
    return;
  }
  for (Value operand : value.getDefiningOp()->getOperands())
    collectBuffersRead(operand, buffers);
}

namespace {

// --------------------------------------------------------------------------------------------------------------------
// Where an expression is evaluated
// --------------------------------------------------------------------------------------------------------------------

/// An operation that evaluates `operand` over all elements of a nest with `rank` loops.
struct Evaluation {
  Operation *op;
  int64_t rank;
};

int64_t rankOf(Value value) {
  return static_cast<int64_t>(tile::axesOf(value.getType()).size());
}

/// The number of axes over which an operation evaluates one of its operands.
int64_t nestRank(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<tile::StoreOp, tile::AccumulateOp, tile::AtomicRMWOp, tile::PrintOp>(op))
    return llvm::count_if(op->getOperandTypes(), [](Type type) { return isa<tile::SpanType>(type); });
  if (isExpression(op))
    return rankOf(op->getResult(0));
  return rankOf(use.get());
}

/// Calls `visit` for each operation that evaluates `value`, through the expressions it is part of.
void forEachEvaluation(Value value, llvm::function_ref<void(Evaluation)> visit) {
  for (OpOperand &use : value.getUses()) {
    Operation *op = use.getOwner();
    if (isExpression(op) && !hasBuffer(op->getResult(0)))
      forEachEvaluation(op->getResult(0), visit);
    else
      visit({op, nestRank(use)});
  }
}

/// Whether `op` lies in a loop that does not hold `definition`.
bool isInDeeperLoop(Operation *op, Operation *definition) {
  for (Operation *parent = op->getParentOp(); parent && !parent->isAncestor(definition); parent = parent->getParentOp())
    if (isa<tile::ForOp, scf::WhileOp>(parent))
      return true;
  return false;
}

/// Whether `op`, or what it holds, writes the view.
bool writes(Operation *op, Value view) {
  return op
      ->walk([&](Operation *inner) {
        bool isWrite = isa<tile::StoreOp, tile::AccumulateOp, tile::AtomicRMWOp>(inner);
        return isWrite && llvm::is_contained(inner->getOperands(), view) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

// --------------------------------------------------------------------------------------------------------------------
// Rules 2 and 3
// --------------------------------------------------------------------------------------------------------------------

/// A constant stands at the top of the kernel, before the spans whose axes it has; its buffer is filled where the dot is.
void moveConstantsTo(tile::DotOp dot) {
  for (OpOperand *operand : {&dot.getLhsMutable(), &dot.getRhsMutable()})
    if (auto constant = operand->get().getDefiningOp<arith::ConstantOp>())
      operand->set(OpBuilder(dot).clone(*constant)->getResult(0));
}

void markDotOperands(tile::KernelOp kernel) {
  kernel.walk([](tile::DotOp dot) {
    moveConstantsTo(dot);
    for (Value operand : {dot.getLhs(), dot.getRhs()}) {
      auto load = operand.getDefiningOp<tile::LoadOp>();
      if (!hasBuffer(operand) && !(load && isPlain(load)))
        mark(operand.getDefiningOp(), "dot operand");
    }
  });
}

/// Whether the view certainly still holds what it held at `load` when `evaluation` runs. A store reads the elements it is about
/// to write, one by one, so the store that ends the wait is harmless.
bool isStillValid(tile::LoadOp load, Operation *evaluation) {
  if (evaluation->getBlock() != load->getBlock())
    return false;
  for (Operation *op = load->getNextNode(); op != evaluation; op = op->getNextNode())
    if (writes(op, load.getView()))
      return false;
  return evaluation->getNumRegions() == 0;
}

void markOverwrittenLoads(tile::KernelOp kernel) {
  kernel.walk([&](tile::LoadOp load) {
    if (!isExpression(load) || !load.getView().getType().isWritten() || !writes(kernel, load.getView()))
      return;
    bool valid = true;
    forEachEvaluation(load.getResult(), [&](Evaluation evaluation) { valid &= isStillValid(load, evaluation.op); });
    if (!valid)
      mark(load, "overwritten");
  });
}

// --------------------------------------------------------------------------------------------------------------------
// Rule 4
// --------------------------------------------------------------------------------------------------------------------

bool isCheapMath(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::FloorOp, math::CeilOp, math::TruncOp, math::RoundEvenOp,
             math::FmaOp>(op);
}

/// Whether one application costs as much as many additions.
bool isExpensiveAlone(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return !isPlain(load);
  if (isa<tile::FloorDivOp, tile::FloorModOp>(op))
    return !matchPattern(op->getOperand(1), m_Constant());
  if (isa<math::MathDialect>(op->getDialect()))
    return !isCheapMath(op);
  return isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, tile::RandomBitsOp>(
      op);
}

class ReusePlan {
public:
  explicit ReusePlan(tile::KernelOp kernel) : kernel(kernel) {}

  void run() {
    // Users first: whether a value has a buffer decides how often its operands are evaluated.
    kernel.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      if (isCandidate(op) && isExpensive(op->getResult(0)) && isEvaluatedAgain(op))
        mark(op, reusedReason);
    });
    // A buffer among the operands may have made an expression cheap.
    costs.clear();
    kernel.walk([&](Operation *op) {
      if (isReused(op) && !isExpensiveHere(op))
        op->removeAttr(materializeName);
    });
  }

private:
  /// A broadcast's own buffer would hold repetitions; its operand is the candidate.
  static bool isCandidate(Operation *op) {
    return isExpression(op) && !op->hasAttr(materializeName) && !isa<tile::BroadcastOp, tile::IndexOp, arith::ConstantOp>(op);
  }

  bool isExpensiveHere(Operation *op) {
    return isExpensiveAlone(op) || llvm::any_of(op->getOperands(), [&](Value operand) { return isExpensive(operand); });
  }

  bool isExpensive(Value value) {
    if (!tile::isTile(value.getType()) || hasBuffer(value))
      return false;
    auto [known, isNew] = costs.try_emplace(value, false);
    if (!isNew)
      return known->second;
    bool result = isExpensiveHere(value.getDefiningOp());
    return costs[value] = result;
  }

  /// More than once for each element.
  static bool isEvaluatedAgain(Operation *op) {
    int64_t times = 0, rank = rankOf(op->getResult(0));
    forEachEvaluation(op->getResult(0), [&](Evaluation evaluation) {
      times += evaluation.rank > rank || isInDeeperLoop(evaluation.op, op) ? 2 : 1;
    });
    return times > 1;
  }

  tile::KernelOp kernel;
  llvm::DenseMap<Value, bool> costs;
};

// --------------------------------------------------------------------------------------------------------------------
// Rule 5
// --------------------------------------------------------------------------------------------------------------------

/// What an operation reads when it runs (an expression does not run; its uses do).
void collectBuffersReadBy(Operation *op, TileSet &buffers) {
  op->walk([&](Operation *inner) {
    if (isExpression(inner) && !hasBuffer(inner->getResult(0)))
      return;
    for (Value operand : inner->getOperands())
      collectBuffersRead(operand, buffers);
  });
}

bool readsBuffer(Operation *op, Value buffer) {
  TileSet buffers;
  collectBuffersReadBy(op, buffers);
  return buffers.contains(buffer);
}

bool readsBuffer(Value value, Value buffer) {
  TileSet buffers;
  collectBuffersRead(value, buffers);
  return buffers.contains(buffer);
}

/// For each operand of a block's terminator, the tile that its destination holds while the block runs (null: none that
/// matters). Operands without a destination are absent.
using Destinations = llvm::SmallVector<std::optional<Value>>;

/// Whether `op` may write its result over `old` while it runs.
bool canOverwrite(Operation *op, Value old) {
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return !readsBuffer(dot.getLhs(), old) && !readsBuffer(dot.getRhs(), old);
  if (auto loop = dyn_cast<tile::ForOp>(op)) {
    TileSet buffers;
    for (Operation &inner : loop.getBody().front())
      collectBuffersReadBy(&inner, buffers);
    return !buffers.contains(old);
  }
  return true; // an expression reads its own element; a branch writes at its end
}

bool isReadAfter(Operation *op, Value buffer) {
  for (Operation *later = op->getNextNode(); later; later = later->getNextNode())
    if (readsBuffer(later, buffer))
      return true;
  return false;
}

bool canBeWrittenAhead(Operation *op) {
  return op && (isa<tile::DotOp, tile::ForOp, scf::IfOp>(op) || isExpression(op));
}

class InPlacePlan {
public:
  void plan(Block &block, const Destinations &destinations) {
    for (OpOperand &operand : block.getTerminator()->getOpOperands())
      if (std::optional<Value> old = destinations[operand.getOperandNumber()])
        writeAhead(operand, *old, block);
    planInside(block, destinations);
  }

  void planInside(Block &block, const Destinations &destinations) {
    for (Operation &op : block) {
      if (auto parallel = dyn_cast<tile::ParallelOp>(op))
        planInside(parallel.getBody().front(), {});
      if (auto loop = dyn_cast<tile::ForOp>(op))
        plan(loop.getBody().front(), Destinations(loop.getCarried().begin(), loop.getCarried().end()));
      if (auto branch = dyn_cast<scf::IfOp>(op))
        planBranch(branch, destinations);
      if (auto loop = dyn_cast<scf::WhileOp>(op))
        planWhile(loop);
    }
  }

private:
  void writeAhead(OpOperand &operand, Value old, Block &block) {
    Operation *op = operand.get().getDefiningOp();
    if (!tile::isTile(operand.get().getType()) || !canBeWrittenAhead(op) || op->getBlock() != &block ||
        !hasBuffer(operand.get()))
      return;
    if (old && (!canOverwrite(op, old) || isReadAfter(op, old)))
      return;
    auto previous = op->getAttrOfType<DenseI64ArrayAttr>(intoName);
    SmallVector<int64_t> into =
        previous ? llvm::to_vector(previous.asArrayRef()) : SmallVector<int64_t>(op->getNumResults(), -1);
    int64_t &position = into[cast<OpResult>(operand.get()).getResultNumber()];
    if (position < 0)
      position = operand.getOperandNumber();
    op->setAttr(intoName, DenseI64ArrayAttr::get(op->getContext(), into));
  }

  void planBranch(scf::IfOp branch, const Destinations &outer) {
    Destinations destinations;
    for (OpResult result : branch.getResults()) {
      int64_t into = destinationOf(result);
      destinations.push_back(into < 0 ? Value() : outer[into].value_or(Value()));
    }
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
      if (!region->empty())
        plan(region->front(), destinations);
  }

  void planWhile(scf::WhileOp loop) {
    planInside(loop.getBefore().front(), {});
    Destinations destinations;
    for (BlockArgument argument : loop.getBeforeArguments())
      destinations.push_back(forwardedArgument(loop, argument));
    plan(loop.getAfter().front(), destinations);
  }

  /// The argument of the after region that shares the buffer of one of the before region, or null.
  static Value forwardedArgument(scf::WhileOp loop, BlockArgument argument) {
    auto args = loop.getConditionOp().getArgs();
    auto found = llvm::find(args, argument);
    return found == args.end() ? Value() : Value(loop.getAfterArguments()[std::distance(args.begin(), found)]);
  }
};

} // namespace

bool isReused(Operation *op) {
  auto reason = op->getAttrOfType<StringAttr>(materializeName);
  return reason && reason.getValue() == reusedReason;
}

bool isReadAgain(tile::LoadOp load) {
  int64_t evaluations = 0;
  forEachEvaluation(load.getResult(), [&](Evaluation) { ++evaluations; });
  auto isLoad = [](Operation *user) { return isa<tile::LoadOp>(user); };
  return evaluations > 1 || llvm::count_if(load.getView().getUsers(), isLoad) > 1;
}

void planBuffers(tile::KernelOp kernel) {
  readBeforeWriting(kernel);
  markDotOperands(kernel);
  markOverwrittenLoads(kernel);
  ReusePlan(kernel).run();
  InPlacePlan().planInside(kernel.getBlock(), {});
}

} // namespace tilewright::cpu
