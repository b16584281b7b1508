// plan-pipeline: which loads run ahead, and how far.
//
// A product's operands take a microsecond from DRAM; a step of the loop takes a fraction of one. So what a step needs is asked for
// two or three steps before, into a ring of buffers. How many: enough that a second block still fits on the multiprocessor, since
// one block's epilogue hides behind the other's products; at most four, beyond which measurements show nothing.

#include "compiler/analysis/LinearForm.h"
#include "compiler/transforms/Passes.h"
#include "dialects/TileGPU/TileGPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_PLANPIPELINE
#include "compiler/transforms/Passes.h.inc"

namespace {

constexpr int64_t mostStages = 4, fewestStages = 2;
constexpr int64_t reservedBytes = 1024; // of each resident block

/// Whether an index can be computed for another iteration: from spans and scalars of outside, without reading memory.
bool isComputable(Value value, Block &body) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return value == body.getArgument(0) || cast<BlockArgument>(value).getOwner() != &body;
  if (op->getBlock() != &body)
    return !body.findAncestorOpInBlock(*op);
  return !isa<tile::LoadOp>(op) && isPure(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isComputable(operand, body); });
}

/// The buffer that is all a load is for, or null.
tilegpu::AllocOp onlyBuffer(tile::LoadOp load) {
  if (!load->hasOneUse())
    return {};
  auto store = dyn_cast<tilegpu::StoreSharedOp>(*load->user_begin());
  return store && store->getBlock() == load->getBlock() ? store.getBuffer().getDefiningOp<tilegpu::AllocOp>() : tilegpu::AllocOp();
}

bool canCopy(tile::LoadOp load, tilegpu::BufferType buffer) {
  tile::ViewType view = load.getView().getType();
  StringAttr axis = unitStrideAxis(unitDimension(view), load.getIndices());
  if (view.getAccess() != tile::Access::In || load.getOtherwise() || !axis)
    return false;
  if (tile::withLayout(load.getType(), {}) != buffer.getTile() || view.getElement() != buffer.getTile().getElementType())
    return false;
  int64_t dimension = tile::positionOfAxis(load.getType(), axis);
  if (dimension != buffer.getContiguous())
    return false;
  // The index along the contiguous dimension begins where a span does, and those begin at multiples of what they step by.
  std::optional<LinearForm> form = linearForm(load.getIndices()[unitDimension(view)]);
  int64_t bytes = buffer.getElementBytes();
  int64_t width = layout::vectorWidth(tilegpu::distributedLayout(load.getType()), static_cast<unsigned>(dimension), 16 / bytes);
  for (const Monomial &term : *form)
    if (!term.axis && (!term.scalars.empty() || term.factor % width != 0))
      return false;
  int64_t capacity = cast<RankedTensorType>(load.getType()).getDimSize(dimension);
  return capacity % width == 0 && width * bytes >= 4 && view.getAlignment() >= width * bytes;
}

class PipelinePlanner {
public:
  PipelinePlanner(int64_t sharedBytes, int64_t multiprocessorBytes) : sharedBytes(sharedBytes), multiprocessorBytes(multiprocessorBytes) {}

  void plan(tile::ForOp loop) {
    Block &body = loop.getBody().front();
    bool isInnermost = loop.isSpan() && !body.walk([](tile::ForOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (!isInnermost || !startsAtMultiples(loop))
      return;
    SmallVector<tile::LoadOp> loads;
    int64_t stageBytes = 0;
    for (auto load : body.getOps<tile::LoadOp>()) {
      tilegpu::AllocOp buffer = onlyBuffer(load);
      bool isComputed = llvm::all_of(load.getIndices(), [&](Value index) { return isComputable(index, body); });
      if (!buffer || !isComputed || !spansAreKnown(load, body) || !canCopy(load, buffer.getBuffer().getType()))
        continue;
      loads.push_back(load);
      stageBytes += buffer.getBuffer().getType().getStageBytes();
    }
    if (loads.empty())
      return;
    int64_t stages = std::clamp((multiprocessorBytes / 2 - reservedBytes) / stageBytes, fewestStages, mostStages);
    if (stages * stageBytes > sharedBytes)
      return;
    Builder builder(loop.getContext());
    loop->setAttr(tilegpu::stagesName, builder.getI64IntegerAttr(stages));
    for (tile::LoadOp load : loads)
      load->setAttr(tilegpu::pipelinedName, builder.getUnitAttr());
  }

private:
  int64_t sharedBytes, multiprocessorBytes;

  /// The loop's span begins at multiples of its capacity: only then is a vector of its elements aligned.
  static bool startsAtMultiples(tile::ForOp loop) {
    APInt low;
    return matchPattern(loop.getLow(), m_ConstantInt(&low)) && low == 0;
  }

  /// Every span is the loop's own, or of outside.
  static bool spansAreKnown(tile::LoadOp load, Block &body) {
    return llvm::all_of(load.getSpans(), [&](Value span) { return span == body.getArgument(0) || span.getParentBlock() != &body; });
  }
};

struct PlanPipeline : impl::PlanPipelineBase<PlanPipeline> {
  using PlanPipelineBase::PlanPipelineBase;

  void runOnOperation() override {
    PipelinePlanner planner(sharedBytes, multiprocessorBytes);
    getOperation().walk([&](tile::ForOp loop) { planner.plan(loop); });
  }
};

} // namespace
} // namespace tilewright
