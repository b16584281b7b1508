// split-loops: of a loop whose steps are computed by warps with roles, first the steps in which every index exists and every
// comparison of indices is known, then the others.
//
// A step of 128 keys has 64 elements of a warpgroup's rows in a thread. Where the last keys may not exist, or rows see only
// keys before them
// (`t <= i + shift`), each element costs comparisons and selections, as many instructions as the rest of the softmax. They
// matter in one or two steps of a tile.
//
// A comparison of linear indices, t + a <= i + b, holds for a whole step [t, t + BN) of a tile [i, i + BM) if it holds for the
// last t and the first i; so for all steps that end at or before i.start + b - a + 1.

#include "compiler/transforms/Passes.h"

#include "compiler/analysis/LinearForm.h"
#include "dialects/TileGPU/TileGPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_SPLITLOOPS
#include "compiler/transforms/Passes.h.inc"

namespace {

class LoopSplitter {
public:
  explicit LoopSplitter(tile::ForOp loop)
      : loop(loop), span(cast<tile::SpanType>(loop.getInductionVariable().getType())), builder(loop.getLoc(), loop) {}

  void run() {
    Value middle = wholeSteps(loop.getHigh());
    SmallVector<arith::CmpIOp> known;
    for (auto comparison : loop.getBody().front().getOps<arith::CmpIOp>())
      if (Value end = whereItHolds(comparison)) {
        middle = arith::MinSIOp::create(builder, middle, wholeSteps(end));
        known.push_back(comparison);
      }
    IRMapping mapping;
    auto whole = cast<tile::ForOp>(builder.clone(*loop, mapping));
    whole.getHighMutable().assign(middle);
    whole->setAttr(tilegpu::wholeSpansName, builder.getUnitAttr());
    for (arith::CmpIOp comparison : known) {
      Operation *copy = mapping.lookup(comparison.getResult()).getDefiningOp();
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(copy);
      auto type = cast<ShapedType>(comparison.getType());
      copy->replaceAllUsesWith(arith::ConstantOp::create(builder, type, DenseElementsAttr::get(type, true))->getResults());
    }
    loop.getLowMutable().assign(middle);
    loop.getInitialMutable().assign(whole.getResults());
  }

private:
  tile::ForOp loop;
  tile::SpanType span;
  ImplicitLocOpBuilder builder;

  Value constant(int64_t value) { return arith::ConstantOp::create(builder, builder.getI64IntegerAttr(value)); }

  /// Where the last step ends that ends at or before `end`.
  Value wholeSteps(Value end) {
    Value length = arith::MaxSIOp::create(builder, arith::SubIOp::create(builder, end, loop.getLow()), constant(0));
    Value steps = arith::DivUIOp::create(builder, length, constant(span.getCapacity()));
    return builder.createOrFold<arith::AddIOp>(loop.getLow(),
                                               arith::MulIOp::create(builder, steps, constant(span.getCapacity())));
  }

  tile::ParallelOp variableOf(StringAttr axis) {
    for (Operation *around = loop->getParentOp(); around; around = around->getParentOp())
      if (auto variable = dyn_cast<tile::ParallelOp>(around); variable && variable.getAxisAttr() == axis)
        return variable;
    return {};
  }

  /// `end` such that the comparison holds for all elements of a step that ends at or before it; null: not known.
  Value whereItHolds(arith::CmpIOp comparison) {
    Value smaller = comparison.getLhs(), larger = comparison.getRhs();
    auto predicate = comparison.getPredicate();
    if (predicate == arith::CmpIPredicate::sge || predicate == arith::CmpIPredicate::sgt) {
      std::swap(smaller, larger);
      predicate = predicate == arith::CmpIPredicate::sge ? arith::CmpIPredicate::sle : arith::CmpIPredicate::slt;
    }
    bool isStrict = predicate == arith::CmpIPredicate::slt;
    if (!tile::isTile(comparison.getType()) || (!isStrict && predicate != arith::CmpIPredicate::sle))
      return {};
    std::optional<LinearForm> left = linearForm(smaller), right = linearForm(larger);
    if (!left || !right)
      return {};
    // The loop's index alone on the smaller side; what is left of both is at least what the first index of each span makes it.
    SmallVector<std::pair<int64_t, Monomial>> terms; ///< signs
    int64_t ofLoop = 0;
    for (auto [sign, form] : {std::pair(int64_t(-1), *left), std::pair(int64_t(1), *right)})
      for (const Monomial &term : form) {
        if (term.axis == span.getAxis() && term.scalars.empty())
          ofLoop += sign * term.factor;
        else
          terms.push_back({sign * term.factor, term});
      }
    if (ofLoop != -1)
      return {};
    for (auto &[factor, term] : terms) {
      tile::ParallelOp variable = term.axis ? variableOf(term.axis) : tile::ParallelOp();
      bool isKnown =
          llvm::none_of(term.scalars, [&](Value scalar) { return loop.getBody().isAncestor(scalar.getParentRegion()); });
      if (!isKnown || (term.axis && (!variable || !variable.isSpan() || factor < 0 || !term.scalars.empty())))
        return {};
    }
    Value end = constant(isStrict ? 0 : 1);
    for (auto &[factor, term] : terms) {
      Value product = constant(factor);
      for (Value scalar : term.scalars)
        product = builder.createOrFold<arith::MulIOp>(product, scalar);
      if (term.axis) {
        Value first = tile::SpanStartOp::create(builder, builder.getI64Type(), variableOf(term.axis).getInductionVariable());
        product = builder.createOrFold<arith::MulIOp>(product, first);
      }
      end = builder.createOrFold<arith::AddIOp>(end, product);
    }
    return end;
  }
};

struct SplitLoops : impl::SplitLoopsBase<SplitLoops> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getOps<tile::KernelOp>()) {
      if (!kernel->hasAttr(tilegpu::loopsName))
        continue;
      SmallVector<tile::ForOp> loops;
      kernel.walk([&](tile::ForOp loop) { loops.push_back(loop); });
      for (tile::ForOp loop : loops)
        LoopSplitter(loop).run();
      // Selections by what is known, and what only they used.
      (void)applyPatternsGreedily(kernel, RewritePatternSet(&getContext()));
    }
  }
};

} // namespace
} // namespace tilewright
