// lower-linalg-to-loops: linalg.generic on memrefs becomes scf.for, memref.load and memref.store.
//
// Why not upstream's convert-linalg-to-loops: it loads and stores the accumulator in every iteration and evaluates the whole
// body in the innermost loop, and LLVM cannot repair either where it does not know that an operand and the result are different
// memory (in-place updates). Here
//   - a value of the body stands in the outermost loop that has all indices it depends on: `a[i] * b[i, j]` loads a[i] once a
//     row;
//   - if the innermost loops are reductions, they carry the accumulators in registers, and sums may be reassociated, which is
//     what LLVM's loop vectorizer needs to use vectors for them.
//
// A nest that stores long rows (`tilewright.streamed`, see convert-tile-to-linalg) computes them in strips, which
// StripStore.cpp copies to memory. A nest with `tilewright.later` goes in strips too, and fetches what that names before each.
//
// Precondition: every extent is at least 1 (a span is never empty), since what is hoisted out of a loop is computed even if the
// loop runs nothing.

#include "compiler/transforms/Passes.h"
#include "compiler/transforms/StripStore.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_LOWERLINALGTOLOOPS
#include "compiler/transforms/Passes.h.inc"

namespace {

constexpr int64_t stripBytes = 4096, lineBytes = 64;
/// More misses than a core can have outstanding would stop the computation until some have come.
constexpr int64_t fetchedLines = 16;

class NestLowering {
public:
  NestLowering(linalg::GenericOp op, bool reference)
      : op(op), reference(reference), builder(op.getLoc(), op), depth(op.getNumLoops()), variables(depth) {
    for (utils::IteratorType kind : llvm::reverse(op.getIteratorTypesArray())) {
      if (kind != utils::IteratorType::reduction)
        break;
      ++carryingLoops;
    }
    if (auto large = op->getAttrOfType<IntegerAttr>("tilewright.large"))
      isLarge = op.getInputs()[large.getInt()];
    if (auto later = op->getAttrOfType<DenseI64ArrayAttr>("tilewright.later"))
      for (int64_t number : later.asArrayRef())
        fetched.push_back(&op->getOpOperand(static_cast<unsigned>(number)));
  }

  void run() {
    placeBody();
    zero = arith::ConstantIndexOp::create(builder, 0);
    one = arith::ConstantIndexOp::create(builder, 1);
    for (unsigned loop = 0; loop < depth; ++loop)
      extents.push_back(extentOf(loop));
    if (op->hasAttr("tilewright.streamed"))
      strip = allocateStrip();
    emitLevel(0, {});
    op.erase();
  }

private:
  // The level of a value is the number of loops that it is computed in ---------------------------------------------------

  unsigned levelOf(AffineMap map) {
    unsigned level = 0;
    for (unsigned loop = 0; loop < depth; ++loop)
      if (map.isFunctionOfDim(loop))
        level = loop + 1;
    return level;
  }

  void placeBody() {
    for (OpOperand *input : op.getDpsInputOperands())
      levels[op.getMatchingBlockArgument(input)] = levelOf(op.getMatchingIndexingMap(input));
    for (BlockArgument output : op.getRegionOutputArgs())
      levels[output] = depth;
    for (Operation &inner : op.getBody()->without_terminator()) {
      unsigned level = isMovable(inner) ? levelOfOperands(inner) : depth;
      for (Value result : inner.getResults())
        levels[result] = level;
      placed[&inner] = level;
    }
  }

  unsigned levelOfOperands(Operation &inner) {
    unsigned level = 0;
    inner.walk([&](Operation *nested) {
      if (auto index = dyn_cast<linalg::IndexOp>(nested))
        level = std::max(level, static_cast<unsigned>(index.getDim()) + 1);
      for (Value operand : nested->getOperands())
        level = std::max(level, levels.lookup(operand)); // 0 for what is defined outside
    });
    return level;
  }

  /// Whether it may run fewer times than the body does.
  static bool isMovable(Operation &inner) {
    return !inner
                .walk([](Operation *nested) {
                  bool isHarmless = isa<memref::LoadOp>(nested) || nested->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                                    isMemoryEffectFree(nested);
                  return isHarmless ? WalkResult::advance() : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  // Loops ----------------------------------------------------------------------------------------------------------------

  /// The extent of a loop, from any operand's dimension that it runs over.
  Value extentOf(unsigned loop) {
    AffineExpr dimension = getAffineDimExpr(loop, op.getContext());
    for (OpOperand &operand : op->getOpOperands())
      for (auto [position, expression] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (expression == dimension)
          return extentOf(operand.get(), position);
    llvm_unreachable("verified: every loop has an extent");
  }

  Value extentOf(Value memory, unsigned position) {
    if (auto part = memory.getDefiningOp<OffsetSizeAndStrideOpInterface>())
      return getValueOrCreateConstantIndexOp(builder, builder.getLoc(), part.getMixedSizes()[position]);
    return builder.createOrFold<memref::DimOp>(memory, static_cast<int64_t>(position));
  }

  SmallVector<Value> indicesOf(OpOperand &operand) {
    return llvm::map_to_vector(op.getMatchingIndexingMap(&operand).getResults(), [&](AffineExpr expression) -> Value {
      return variables[cast<AffineDimExpr>(expression).getPosition()];
    });
  }

  Value load(OpOperand &operand) {
    if (!isa<MemRefType>(operand.get().getType()))
      return operand.get();
    return memref::LoadOp::create(builder, operand.get(), indicesOf(operand));
  }

  SmallVector<Value> loadOutputs() {
    SmallVector<Value> values;
    for (OpOperand &output : op.getDpsInitsMutable())
      values.push_back(load(output));
    return values;
  }

  void storeOutputs(ValueRange values) {
    if (strip) {
      memref::StoreOp::create(builder, values.front(), strip, stripPosition);
      return;
    }
    for (auto [output, value] : llvm::zip(op.getDpsInitsMutable(), values))
      memref::StoreOp::create(builder, value, output.get(), indicesOf(output));
  }

  /// Emits what stands inside `level` loops; gives the accumulators after it, if they are carried there.
  SmallVector<Value> emitLevel(unsigned level, SmallVector<Value> accumulators) {
    bool carries = carryingLoops > 0, isCarrying = carries && level > depth - carryingLoops;
    if (level == depth && !carries)
      bindOutputs(loadUsedOutputs());
    if (level == depth && isCarrying)
      bindOutputs(accumulators);
    emitBodyAt(level);
    if (level == depth) {
      auto results = llvm::map_to_vector(op.getBody()->getTerminator()->getOperands(),
                                         [&](Value value) { return mapping.lookupOrDefault(value); });
      if (!carries)
        storeOutputs(results);
      return results;
    }
    bool startsCarrying = carries && level == depth - carryingLoops;
    if (startsCarrying)
      accumulators = loadOutputs();
    if ((strip || !fetched.empty()) && level + 1 == depth)
      emitStrips();
    else
      accumulators = emitLoop(level, accumulators);
    if (startsCarrying)
      storeOutputs(accumulators);
    return accumulators;
  }

  SmallVector<Value> emitLoop(unsigned level, ValueRange initial) {
    auto loop = scf::ForOp::create(builder, zero, extents[level], one, initial);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    variables[level] = loop.getInductionVar();
    SmallVector<Value> next = emitLevel(level + 1, llvm::to_vector(ValueRange(loop.getRegionIterArgs())));
    if (!initial.empty())
      scf::YieldOp::create(builder, next);
    return llvm::to_vector(ValueRange(loop.getResults()));
  }

  // Strips of the innermost loop --------------------------------------------------------------------------------------------

  Value allocateStrip() {
    Type element = cast<MemRefType>(op.getOutputs().front().getType()).getElementType();
    int64_t count = stripBytes * 8 / element.getIntOrFloatBitWidth();
    return memref::AllocOp::create(builder, MemRefType::get({count}, element));
  }

  void emitStrips() {
    unsigned innermost = depth - 1;
    if (!strip) {
      emitGroups(zero, extents[innermost]);
      return;
    }
    OpOperand &output = *op.getDpsInitsMutable().begin();
    // Strips start at line boundaries: the first as if the row began at one.
    variables[innermost] = zero;
    Value sinceLine = emitElementsSinceLine(builder, output.get(), indicesOf(output));
    Value length = constantIndex(cast<MemRefType>(strip.getType()).getDimSize(0));
    Value start = arith::SubIOp::create(builder, zero, sinceLine);
    auto strips = scf::ForOp::create(builder, start, extents[innermost], length);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(strips.getBody());
    Value first = arith::MaxSIOp::create(builder, strips.getInductionVar(), zero);
    Value end = atMost(arith::AddIOp::create(builder, strips.getInductionVar(), length), extents[innermost]);
    Value count = arith::SubIOp::create(builder, end, first);
    emitGroups(first, count);
    variables[innermost] = first;
    emitStripStore(builder, {strip, count, output.get(), indicesOf(output), isLarge});
  }

  /// Elements [first, first + count) of the innermost loop: as many at a time as are fetched at once.
  void emitGroups(Value first, Value count) {
    if (fetched.empty()) {
      emitElements(first, zero, count);
      return;
    }
    Value length = constantIndex(fetchedLines * elementsPerLine(*fetched.front()));
    auto groups = scf::ForOp::create(builder, zero, count, length);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(groups.getBody());
    Value begin = groups.getInductionVar();
    Value size = atMost(length, arith::SubIOp::create(builder, count, begin));
    emitFetches(arith::AddIOp::create(builder, first, begin), size);
    emitElements(first, begin, arith::AddIOp::create(builder, begin, size));
  }

  void emitElements(Value first, Value begin, Value end) {
    auto loop = scf::ForOp::create(builder, begin, end, one);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    stripPosition = loop.getInductionVar();
    variables[depth - 1] = builder.createOrFold<arith::AddIOp>(first, stripPosition);
    emitLevel(depth, {});
  }

  /// Fetches the lines of what will be read later, along [first, first + count) of the innermost loop.
  void emitFetches(Value first, Value count) {
    auto branch = scf::IfOp::create(builder, isLarge, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    for (OpOperand *operand : fetched) {
      auto loop = scf::ForOp::create(builder, zero, count, constantIndex(elementsPerLine(*operand)));
      OpBuilder::InsertionGuard inner(builder);
      builder.setInsertionPointToStart(loop.getBody());
      variables[depth - 1] = arith::AddIOp::create(builder, first, loop.getInductionVar());
      memref::PrefetchOp::create(builder, operand->get(), indicesOf(*operand), /*isWrite=*/builder.getBoolAttr(false),
                                 /*localityHint=*/builder.getI32IntegerAttr(2), /*isDataCache=*/builder.getBoolAttr(true));
    }
  }

  static int64_t elementsPerLine(OpOperand &operand) {
    return lineBytes * 8 / cast<MemRefType>(operand.get().getType()).getElementTypeBitWidth();
  }
  Value constantIndex(int64_t value) { return arith::ConstantIndexOp::create(builder, value); }
  Value atMost(Value bound, Value value) { return arith::MinUIOp::create(builder, value, bound); }

  /// The old values of the outputs that the body reads (null for others).
  SmallVector<Value> loadUsedOutputs() {
    SmallVector<Value> values;
    for (auto [output, argument] : llvm::zip(op.getDpsInitsMutable(), op.getRegionOutputArgs()))
      values.push_back(argument.use_empty() ? Value() : load(output));
    return values;
  }

  void bindOutputs(ArrayRef<Value> values) {
    for (auto [argument, value] : llvm::zip(op.getRegionOutputArgs(), values))
      if (value)
        mapping.map(argument, value);
  }

  void emitBodyAt(unsigned level) {
    for (OpOperand *input : op.getDpsInputOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(input);
      if (levels.lookup(argument) == level && !argument.use_empty())
        mapping.map(argument, load(*input));
    }
    for (Operation &inner : op.getBody()->without_terminator())
      if (placed.lookup(&inner) == level)
        emit(inner);
  }

  void emit(Operation &inner) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(index.getResult(), variables[index.getDim()]);
      return;
    }
    Operation *clone = builder.clone(inner, mapping);
    clone->walk([&](linalg::IndexOp index) {
      index.replaceAllUsesWith(variables[index.getDim()]);
      index.erase();
    });
    if (carryingLoops > 0 && !reference && isCombiner(inner))
      allowReassociation(cast<arith::AddFOp>(clone));
  }

  /// An addition to an accumulator.
  bool isCombiner(Operation &inner) {
    return isa<arith::AddFOp>(inner) && llvm::any_of(inner.getOperands(), [&](Value operand) {
             return llvm::is_contained(op.getRegionOutputArgs(), operand);
           });
  }

  static void allowReassociation(arith::AddFOp add) {
    add.setFastmath(add.getFastmath() | arith::FastMathFlags::reassoc | arith::FastMathFlags::contract);
  }

  linalg::GenericOp op;
  bool reference;
  ImplicitLocOpBuilder builder;
  unsigned depth;
  unsigned carryingLoops = 0; ///< the innermost loops that carry the accumulators
  SmallVector<Value> variables;
  SmallVector<Value> extents;
  Value zero, one;
  Value isLarge;              ///< an i1: whether to bypass the caches and to fetch; null if there is nothing of the kind
  Value strip, stripPosition; ///< null if nothing is streamed
  SmallVector<OpOperand *> fetched;
  IRMapping mapping;
  llvm::DenseMap<Value, unsigned> levels;
  llvm::DenseMap<Operation *, unsigned> placed;
};

/// Whether the nest is of the kind that this pass knows.
LogicalResult verifySupported(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics())
    return op.emitOpError("has tensors; only memrefs become loops");
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return op.emitOpError() << "has indexing map " << AffineMapAttr::get(map) << ", not a projected permutation";
  return success();
}

struct LowerLinalgToLoops : impl::LowerLinalgToLoopsBase<LowerLinalgToLoops> {
  using LowerLinalgToLoopsBase::LowerLinalgToLoopsBase;

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> nests;
    getOperation().walk([&](linalg::GenericOp op) { nests.push_back(op); });
    for (linalg::GenericOp op : nests) {
      if (failed(verifySupported(op)))
        return signalPassFailure();
      NestLowering(op, reference).run();
    }
  }
};

} // namespace
} // namespace tilewright
