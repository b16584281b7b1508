// assign-layouts: who holds which element.
//
// Two steps. First each value says what layout it would have by its own nature (`wish`): a product that of its fragments, a load
// that in which memory is best read, a reduction that of what it reduces, an elementwise result that of its operands, a carried
// value that of what the loop yields. Indices, constants, broadcasts and one-dimensional loads have no wish.
//
// Then the operations are gone through in order. Each needs its operands in certain layouts; an operand that is there in another
// one is computed again if that costs nothing, else converted. What nobody needs in its first form is erased at the end.

#include "compiler/analysis/ComputedOperand.h"
#include "compiler/transforms/LayoutRules.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Transforms/RegionUtils.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "compiler/transforms/Passes.h.inc"

namespace {

using layout::DistributedLayout;
using tilegpu::DistributedAttr;
using tilegpu::LayoutRules;

int64_t rankOf(Type type) {
  return static_cast<int64_t>(tile::axesOf(type).size());
}

/// The tile of all elements that an access names.
Type placeOf(ValueRange spans, Type element) {
  return tile::tileType(element,
                        llvm::map_to_vector(spans, [](Value span) { return cast<tile::SpanType>(span.getType()); }));
}

bool isElementwise(Operation *op) {
  return op->getNumRegions() == 0 && op->getNumResults() == 1 &&
         (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
          isa<tile::CastOp, tile::FloorDivOp, tile::FloorModOp, tile::RandomBitsOp>(op)) &&
         !isa<arith::ConstantOp>(op);
}

class LayoutAssigner {
public:
  LayoutAssigner(tile::KernelOp kernel, int64_t capability)
      : kernel(kernel), rules(kernel, capability), builder(kernel.getContext()) {}

  void run() {
    Builder attributes(kernel.getContext());
    kernel->setAttr(tilegpu::warpsName, attributes.getI64IntegerAttr(rules.warps()));
    if (int64_t blocks = rules.blocks())
      kernel->setAttr(tilegpu::blocksName, attributes.getI64IntegerAttr(blocks));
    assignBlock(kernel.getBlock());
    eraseUnused();
  }

private:
  tile::KernelOp kernel;
  LayoutRules rules;
  OpBuilder builder;
  llvm::DenseMap<Value, std::optional<DistributedLayout>> wishes;
  /// What was made of a value in other layouts.
  llvm::DenseMap<std::pair<Value, Attribute>, SmallVector<Value>> copies;

  // ------------------------------------------------------------------------------------------------------------------
  // Wishes
  // ------------------------------------------------------------------------------------------------------------------

  std::optional<DistributedLayout> wish(Value value) {
    if (!tile::isTile(value.getType()))
      return std::nullopt;
    if (Attribute has = tile::layoutOf(value.getType()))
      return cast<DistributedAttr>(has).getValue();
    auto [entry, isNew] = wishes.try_emplace(value, std::nullopt); // none while it is asked for: a loop asks for its own values
    if (!isNew)
      return entry->second;
    std::optional<DistributedLayout> result = computeWish(value);
    wishes[value] = result;
    return result;
  }

  DistributedLayout wishOrDefault(Value value) {
    std::optional<DistributedLayout> wished = wish(value);
    return wished ? *wished : rules.byDefault(value.getType());
  }

  std::optional<DistributedLayout> firstWish(ValueRange values, Type type) {
    for (Value value : values)
      if (tile::isTile(value.getType()) && rankOf(value.getType()) == rankOf(type))
        if (std::optional<DistributedLayout> wished = wish(value))
          return wished;
    return std::nullopt;
  }

  std::optional<DistributedLayout> computeWish(Value value) {
    using Wish = std::optional<DistributedLayout>;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return wishOfArgument(argument);
    auto result = cast<OpResult>(value);
    unsigned number = result.getResultNumber();
    return llvm::TypeSwitch<Operation *, Wish>(result.getOwner())
        .Case([&](tile::DotOp op) -> Wish { return rules.forDot(op).accumulator; })
        .Case([&](tile::LoadOp op) -> Wish { return wishOfLoad(op); })
        .Case([&](tile::BroadcastOp op) -> Wish { return wishOfBroadcast(op); })
        .Case([&](tile::ReduceOp op) -> Wish { return reduced(op.getOperand(), op.getResult()); })
        .Case([&](tile::ArgReduceOp op) -> Wish { return reduced(op.getOperand(), op.getResult()); })
        .Case([&](tile::FoldOp op) -> Wish { return reduced(op.getStates().front(), op.getResult(number)); })
        .Case([&](tile::ScanOp op) -> Wish { return firstWish(op.getStates(), value.getType()); })
        .Case([&](tile::AtomicRMWOp op) -> Wish { return placeLayout(op.getValue(), op); })
        .Case([&](tile::CallExternalOp op) -> Wish { return wishOfCall(op); })
        .Case([&](tilegpu::ClusterSumOp op) -> Wish { return rules.forAccumulator(op.getType()); })
        .Case([&](tile::ForOp op) -> Wish {
          return firstWish({op.getBody().front().getTerminator()->getOperand(number), op.getInitial()[number]}, value.getType());
        })
        .Case([&](scf::IfOp op) -> Wish {
          return firstWish({op.thenYield().getOperand(number), op.elseYield().getOperand(number)}, value.getType());
        })
        .Case([&](scf::WhileOp op) -> Wish { return wish(op.getConditionOp().getArgs()[number]); })
        .Default([&](Operation *op) -> Wish {
          return isElementwise(op) ? firstWish(op->getOperands(), value.getType()) : std::nullopt;
        });
  }

  std::optional<DistributedLayout> wishOfArgument(BlockArgument argument) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<tile::ForOp>(parent))
      return wish(loop.getResult(argument.getArgNumber() - 1));
    auto loop = cast<scf::WhileOp>(parent);
    if (argument.getOwner() == loop.getAfterBody())
      return wish(loop.getResult(argument.getArgNumber()));
    return firstWish({loop.getYieldOp().getOperand(argument.getArgNumber()), loop.getInits()[argument.getArgNumber()]},
                     argument.getType());
  }

  /// Beside a product of warps with roles, a load is in whatever layout its use has: another would need shared memory that the ring has.
  bool followsUse(tile::LoadOp load) {
    bool isOperand = llvm::any_of(load->getUsers(), [](Operation *user) { return isa<tile::DotOp>(user); });
    return kernel->hasAttr(tilegpu::scheduleName) && !isOperand && load.getView().getType().getAccess() == tile::Access::In;
  }

  std::optional<DistributedLayout> wishOfLoad(tile::LoadOp load) {
    if (rankOf(load.getType()) < 2 || followsUse(load))
      return std::nullopt;
    return rules.forMemory(load.getType(), tilegpu::contiguousAxisOf(load.getView().getType(), load.getIndices()));
  }

  /// A call is not made again for another layout, so it has one even if no argument has.
  std::optional<DistributedLayout> wishOfCall(tile::CallExternalOp op) {
    Type type = op.getResults().front().getType();
    std::optional<DistributedLayout> wished = firstWish(op.getArguments(), type);
    return wished ? *wished : rules.byDefault(type);
  }

  /// A transposition keeps every element where it is.
  std::optional<DistributedLayout> wishOfBroadcast(tile::BroadcastOp op) {
    if (rankOf(op.getOperand().getType()) != rankOf(op.getType()))
      return std::nullopt;
    std::optional<DistributedLayout> wished = wish(op.getOperand());
    if (!wished)
      return std::nullopt;
    return tilegpu::projected(*wished, op.getOperand().getType(), op.getType());
  }

  std::optional<DistributedLayout> reduced(Value operand, Value result) {
    if (!tile::isTile(result.getType()))
      return std::nullopt;
    return tilegpu::projected(wishOrDefault(operand), operand.getType(), result.getType());
  }

  /// The layout of all places of a store: that of the value, unless warps would then touch parts of sectors.
  template <typename WriteOp> DistributedLayout placeLayout(Value value, WriteOp op) {
    tile::ViewType view = op.getView().getType();
    Type place = placeOf(op.getSpans(), view.getElement());
    if (op->hasAttr(tilegpu::tensorCopyName))
      return *rules.forAccumulator(place);
    StringAttr axis = tilegpu::contiguousAxisOf(view, op.getIndices());
    DistributedLayout forMemory = rules.forMemory(place, axis);
    std::optional<DistributedLayout> wished = rankOf(value.getType()) == rankOf(place) ? wish(value) : std::nullopt;
    if (!wished)
      return forMemory;
    DistributedLayout permuted = tilegpu::projected(*wished, value.getType(), place);
    unsigned position = axis ? tile::positionOfAxis(place, axis) : rankOf(place) - 1;
    int64_t bytes = std::max<int64_t>(1, view.getElement().getIntOrFloatBitWidth() / 8);
    return tilegpu::fillsSectors(permuted, position, bytes) || !tilegpu::fillsSectors(forMemory, position, bytes) ? permuted
                                                                                                                 : forMemory;
  }

  // ------------------------------------------------------------------------------------------------------------------
  // Values in a layout
  // ------------------------------------------------------------------------------------------------------------------

  /// Whether computing it again costs no more than a few instructions a register.
  bool isCheap(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !tile::isTile(value.getType()))
      return !tile::isTile(value.getType());
    if (isa<arith::ConstantOp, tile::IndexOp>(op))
      return true;
    if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
      return isCheap(broadcast.getOperand()) || rankOf(broadcast.getOperand().getType()) < rankOf(broadcast.getType());
    if (auto load = dyn_cast<tile::LoadOp>(op))
      return (rankOf(load.getType()) == 1 || followsUse(load)) && load.getView().getType().getAccess() == tile::Access::In &&
             llvm::all_of(load->getOperands(), [&](Value operand) { return isCheap(operand); });
    return isElementwise(op) && llvm::all_of(op->getOperands(), [&](Value operand) { return isCheap(operand); });
  }

  /// Whether a value stands before the builder's position in every execution.
  bool isVisible(Value value) {
    return value.getParentBlock()->findAncestorOpInBlock(*builder.getInsertionBlock()->getParentOp()) ||
           value.getParentBlock() == builder.getInsertionBlock();
  }

  Value inLayout(Value value, const DistributedLayout &layout) {
    if (!tile::isTile(value.getType()))
      return value;
    Attribute wanted = DistributedAttr::get(builder.getContext(), layout);
    if (tile::layoutOf(value.getType()) == wanted)
      return value;
    SmallVector<Value> &known = copies[{value, wanted}];
    for (Value copy : known)
      if (isVisible(copy))
        return copy;
    Value copy = isCheap(value) ? computedAgain(value, layout) : converted(value, layout);
    copies[{value, wanted}].push_back(copy);
    return copy;
  }

  Value converted(Value value, const DistributedLayout &layout) {
    if (!tile::layoutOf(value.getType())) // what had no wish of its own gets one for its first use
      value = computedAgain(value, rules.byDefault(value.getType()));
    return tilegpu::ConvertLayoutOp::create(builder, value.getLoc(), tilegpu::withLayout(value.getType(), layout), value);
  }

  Value computedAgain(Value value, const DistributedLayout &layout) {
    Operation *op = value.getDefiningOp();
    Type type = tilegpu::withLayout(value.getType(), layout);
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto splat = cast<DenseElementsAttr>(constant.getValue());
      auto typed = DenseElementsAttr::get(cast<ShapedType>(type), splat.getSplatValue<Attribute>());
      return arith::ConstantOp::create(builder, op->getLoc(), typed);
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(tile::isTile(operand.getType())
                             ? inLayout(operand, tilegpu::projected(layout, value.getType(), operand.getType()))
                             : operand);
    Operation *copy = op->clone(); // no regions: it is cheap
    copy->setOperands(operands);
    copy->getResult(0).setType(type);
    builder.insert(copy);
    return copy->getResult(0);
  }

  // ------------------------------------------------------------------------------------------------------------------
  // Operations
  // ------------------------------------------------------------------------------------------------------------------

  void setOperands(MutableOperandRange operands, Type space, const DistributedLayout &layout) {
    for (OpOperand &operand : operands)
      if (tile::isTile(operand.get().getType()))
        operand.set(inLayout(operand.get(), tilegpu::projected(layout, space, operand.get().getType())));
  }

  void setType(Value value, const DistributedLayout &layout) { value.setType(tilegpu::withLayout(value.getType(), layout)); }

  void assignBlock(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      builder.setInsertionPoint(&op);
      assign(&op);
    }
  }

  void assign(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](tile::ParallelOp op) { assignBlock(op.getBody().front()); })
        .Case([&](tile::ForOp op) { assignFor(op); })
        .Case([&](scf::IfOp op) { assignIf(op); })
        .Case([&](scf::WhileOp op) { assignWhile(op); })
        .Case([&](tile::DotOp op) { assignDot(op); })
        .Case([&](tile::LoadOp op) {
          if (std::optional<DistributedLayout> wished = wish(op.getResult()))
            assignAll(op, *wished);
          else if (tile::isTile(op.getType()) && !isCheap(op.getResult()))
            assignAll(op, rules.forMemory(op.getType(), tilegpu::contiguousAxisOf(op.getView().getType(), op.getIndices())));
        })
        .Case<tile::StoreOp, tile::AccumulateOp>([&](auto op) { assignWrite(op); })
        .Case([&](tile::AtomicRMWOp op) {
          DistributedLayout layout = assignWrite(op);
          if (op.getOld() && tile::isTile(op.getOld().getType()))
            setType(op.getOld(), layout);
        })
        .Case<tile::ReduceOp, tile::ArgReduceOp>([&](auto op) {
          assignAlongAxis(op, op.getOperandMutable(), op->getResults());
        })
        .Case([&](tilegpu::ClusterSumOp op) {
          op.getAccumulatorMutable().assign(inLayout(op.getAccumulator(), *rules.forAccumulator(op.getAccumulator().getType())));
          setType(op.getResult(), *rules.forAccumulator(op.getType()));
        })
        .Case([&](tile::FoldOp op) { assignAlongAxis(op, op.getStatesMutable(), op.getResults()); })
        .Case([&](tile::ScanOp op) {
          DistributedLayout layout = wishOrDefault(op.getStates().front());
          setOperands(op.getStatesMutable(), op.getStates().front().getType(), layout);
          for (Value result : op.getResults())
            setType(result, layout);
        })
        .Case([&](tile::CallExternalOp op) {
          Type type = op.getResults().front().getType();
          if (!tile::isTile(type))
            return;
          DistributedLayout layout = *wishOfCall(op);
          setOperands(op.getArgumentsMutable(), type, layout);
          for (Value result : op.getResults())
            setType(result, layout);
        })
        .Case<tile::PrintOp, tile::AssertOp>([&](auto op) { assignReport(op); })
        .Default([&](Operation *op) {
          if (op->getNumResults() == 1 && tile::isTile(op->getResult(0).getType()))
            if (std::optional<DistributedLayout> wished = wish(op->getResult(0)))
              assignAll(op, *wished);
        });
  }

  /// An operation all of whose tiles are part of its result's.
  void assignAll(Operation *op, const DistributedLayout &layout) {
    Value result = op->getResult(0);
    for (OpOperand &operand : op->getOpOperands())
      if (tile::isTile(operand.get().getType()))
        operand.set(inLayout(operand.get(), tilegpu::projected(layout, result.getType(), operand.get().getType())));
    setType(result, layout);
  }

  template <typename WriteOp> DistributedLayout assignWrite(WriteOp op) {
    Type place = placeOf(op.getSpans(), op.getView().getType().getElement());
    if (!tile::isTile(place))
      return rules.byDefault(RankedTensorType::get({1}, builder.getI8Type(), tile::AxesAttr::get(builder.getContext(), {builder.getStringAttr("-")})));
    DistributedLayout layout = placeLayout(op.getValue(), op);
    op->setAttr(tilegpu::placeLayoutName, DistributedAttr::get(builder.getContext(), layout));
    setOperands(op.getValueMutable(), place, layout);
    setOperands(op.getIndicesMutable(), place, layout);
    return layout;
  }

  template <typename Op> void assignAlongAxis(Op op, MutableOperandRange operands, ResultRange results) {
    Type type = operands[0].get().getType();
    DistributedLayout layout = wishOrDefault(operands[0].get());
    setOperands(operands, type, layout);
    for (Value result : results)
      if (tile::isTile(result.getType()))
        setType(result, tilegpu::projected(layout, type, result.getType()));
  }

  template <typename ReportOp> void assignReport(ReportOp op) {
    Type place = placeOf(op.getSpans(), builder.getI64Type());
    if (!tile::isTile(place))
      return;
    DistributedLayout layout = rules.byDefault(place);
    op->setAttr(tilegpu::placeLayoutName, DistributedAttr::get(builder.getContext(), layout));
    for (OpOperand &operand : op->getOpOperands())
      if (tile::isTile(operand.get().getType()))
        operand.set(inLayout(operand.get(), tilegpu::projected(layout, place, operand.get().getType())));
  }

  // Control ------------------------------------------------------------------------------------------------------------

  /// Carried values that have no wish get a layout all the same: they must have one.
  DistributedLayout carriedLayout(Value value) { return wishOrDefault(value); }

  void giveLayouts(ValueRange values, ArrayRef<std::optional<DistributedLayout>> layouts) {
    for (auto [value, layout] : llvm::zip(values, layouts))
      if (layout)
        setType(value, *layout);
  }

  void convertOperands(MutableOperandRange operands, ArrayRef<std::optional<DistributedLayout>> layouts) {
    builder.setInsertionPoint(operands.getOwner());
    for (auto [operand, layout] : llvm::zip(operands, layouts))
      if (layout)
        operand.set(inLayout(operand.get(), *layout));
  }

  using Layouts = SmallVector<std::optional<DistributedLayout>>;
  Layouts layoutsOf(ValueRange values) {
    Layouts layouts;
    for (Value value : values)
      layouts.push_back(tile::isTile(value.getType()) ? std::optional(carriedLayout(value)) : std::nullopt);
    return layouts;
  }

  void assignFor(tile::ForOp op) {
    Layouts layouts = layoutsOf(op.getResults());
    convertOperands(op.getInitialMutable(), layouts);
    giveLayouts(op.getResults(), layouts);
    giveLayouts(op.getCarried(), layouts);
    Block &body = op.getBody().front();
    assignBlock(body);
    convertOperands(MutableOperandRange(body.getTerminator()), layouts);
  }

  void assignIf(scf::IfOp op) {
    Layouts layouts = layoutsOf(op.getResults());
    giveLayouts(op.getResults(), layouts);
    for (Region &region : op->getRegions())
      if (!region.empty()) {
        assignBlock(region.front());
        convertOperands(MutableOperandRange(region.front().getTerminator()), layouts);
      }
  }

  void assignWhile(scf::WhileOp op) {
    Layouts before = layoutsOf(op.getBeforeArguments()), after = layoutsOf(op.getResults());
    convertOperands(op.getInitsMutable(), before);
    giveLayouts(op.getBeforeArguments(), before);
    giveLayouts(op.getResults(), after);
    giveLayouts(op.getAfterArguments(), after);
    assignBlock(*op.getBeforeBody());
    convertOperands(op.getConditionOp().getArgsMutable(), after);
    assignBlock(*op.getAfterBody());
    convertOperands(MutableOperandRange(op.getYieldOp()), before);
  }

  // Products -----------------------------------------------------------------------------------------------------------

  /// Zero where summed indices do not exist; before a conversion from f32, which is made of two elements at a time.
  Value withZeros(Value value, tile::DotOp dot) {
    auto cast = value.getDefiningOp<tile::CastOp>();
    if (!cast || !getElementTypeOrSelf(cast.getOperand()).isF32() || !isa<FloatType>(getElementTypeOrSelf(value)))
      return tilegpu::ZeroAbsentOp::create(builder, dot.getLoc(), value, dot.getSpans());
    Value zeroed = tilegpu::ZeroAbsentOp::create(builder, dot.getLoc(), cast.getOperand(), dot.getSpans());
    return tile::CastOp::create(builder, cast.getLoc(), value.getType(), zeroed, cast.getSourceUnsigned(), cast.getResultUnsigned());
  }

  /// An operand in a buffer, with zeros where summed indices do not exist. A load gives zeros there by itself.
  Value inBuffer(tile::DotOp dot, Value operand, tilegpu::BufferType type, const tilegpu::DotPlan &plan) {
    Location location = dot.getLoc();
    bool isComputed = plan.computed && !operand.getDefiningOp<tile::LoadOp>();
    Value value = inLayout(operand, isComputed ? *plan.computed : wishOrDefault(operand));
    auto load = value.getDefiningOp<tile::LoadOp>();
    bool isZero = load && !load.getOtherwise();
    // Nothing is added by what is finite where the other operand, which is loaded, has zeros. To ask costs instructions of each element.
    if (isComputed)
      isZero = isFiniteOfZeros(operand, cast<tile::SpanType>(dot.getSpans().front().getType()).getAxis());
    if (!isZero)
      value = isComputed ? withZeros(value, dot) : tilegpu::ZeroAbsentOp::create(builder, location, value, dot.getSpans()).getResult();
    Value buffer = tilegpu::AllocOp::create(builder, location, type, IntegerAttr());
    tilegpu::StoreSharedOp::create(builder, location, value, buffer);
    return buffer;
  }

  void assignDot(tile::DotOp op) {
    const tilegpu::DotPlan &plan = rules.forDot(op);
    Value accumulator = inLayout(op.getAccumulator(), plan.accumulator);
    Value lhs = inBuffer(op, op.getLhs(), plan.lhs, plan), rhs = inBuffer(op, op.getRhs(), plan.rhs, plan);
    SmallVector<Attribute> over;
    for (Value span : op.getSpans())
      over.push_back(cast<tile::SpanType>(span.getType()).getAxis());
    if (!plan.whyNotMma.empty())
      mlir::emitRemark(op.getLoc()) << "this product is formed by multiply-adds, not by tensor cores: " << plan.whyNotMma;
    auto dot = tilegpu::DotOp::create(builder, op.getLoc(), accumulator.getType(), lhs, rhs, accumulator, plan.kind,
                                      builder.getArrayAttr(over), op.getPrecision(), op.getLhsUnsigned(), op.getRhsUnsigned());
    op.getResult().replaceAllUsesWith(dot.getResult());
    wishes[dot.getResult()] = plan.accumulator;
    op.erase();
  }

  // ------------------------------------------------------------------------------------------------------------------
  // The end
  // ------------------------------------------------------------------------------------------------------------------

  /// What no operation needs in its first form: nothing of it has a layout.
  void eraseUnused() {
    kernel->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      bool isPure = isOpTriviallyDead(op);
      if (isPure && !isa<tile::KernelOp>(op))
        op->erase();
    });
  }
};

struct AssignLayouts : impl::AssignLayoutsBase<AssignLayouts> {
  using AssignLayoutsBase::AssignLayoutsBase;

  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getOps<tile::KernelOp>())
      LayoutAssigner(kernel, capability).run();
  }
};

} // namespace
} // namespace tilewright
