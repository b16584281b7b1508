#include "compiler/codegen/SpecializeCommon.h"

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::roles {

SmallVector<tile::ParallelOp> nestOf(tile::KernelOp kernel) {
  SmallVector<tile::ParallelOp> nest;
  for (Block *block = &kernel.getBlock();;) {
    auto inner = block->getOps<tile::ParallelOp>();
    if (inner.empty())
      return nest;
    nest.push_back(*inner.begin());
    block = &nest.back().getBody().front();
  }
}

Value constant(ImplicitLocOpBuilder &builder, int64_t value) {
  return arith::ConstantOp::create(builder, builder.getI64IntegerAttr(value));
}
Value add(ImplicitLocOpBuilder &builder, Value lhs, Value rhs) {
  return builder.createOrFold<arith::AddIOp>(lhs, rhs);
}
Value multiply(ImplicitLocOpBuilder &builder, Value lhs, Value rhs) {
  return builder.createOrFold<arith::MulIOp>(lhs, rhs);
}

Value makeMap(ImplicitLocOpBuilder &builder, Value view, const TensorAccess &access,
              llvm::function_ref<int64_t(const TensorAccess::Dimension &)> extent, int64_t swizzle) {
  SmallVector<int64_t> order, box;
  for (const TensorAccess::Dimension &dimension : access.dimensions) {
    order.push_back(dimension.number);
    box.push_back(extent(dimension));
  }
  return tilegpu::TensorMapOp::create(builder, view, order, box, static_cast<uint64_t>(swizzle));
}

Value makeMap(ImplicitLocOpBuilder &builder, tile::LoadOp load, const TensorAccess &access, tilegpu::BufferType buffer) {
  SmallVector<int64_t> shape = buffer.getPaddedShape();
  ArrayRef<StringAttr> axes = tile::axesOf(buffer.getTile());
  int64_t contiguous = buffer.getContiguous();
  auto extent = [&](const TensorAccess::Dimension &dimension) -> int64_t {
    if (!dimension.axis)
      return 1;
    return dimension.axis == axes[contiguous] ? buffer.getSwizzle() / buffer.getElementBytes() : shape[1 - contiguous];
  };
  return makeMap(builder, load.getView(), access, extent, buffer.getSwizzle());
}

static Value startOf(ImplicitLocOpBuilder &builder, StringAttr axis, ValueRange spans, const IRMapping &mapping, Value loopSpan,
                     Value start) {
  for (Value span : spans)
    if (cast<tile::SpanType>(span.getType()).getAxis() == axis)
      return start && span == loopSpan
                 ? start
                 : tile::SpanStartOp::create(builder, builder.getI64Type(), mapping.lookupOrDefault(span)).getResult();
  llvm_unreachable("an index takes the indices of one of the access's spans");
}

SmallVector<Value> coordinatesOf(ImplicitLocOpBuilder &builder, const TensorAccess &access, ValueRange spans,
                                 const IRMapping &mapping, Value loopSpan, Value start) {
  SmallVector<Value> coordinates;
  for (const TensorAccess::Dimension &dimension : access.dimensions) {
    Value sum = constant(builder, 0);
    for (const Monomial &term : dimension.index) {
      Value product = constant(builder, term.factor);
      for (Value scalar : term.scalars)
        product = multiply(builder, product, mapping.lookupOrDefault(scalar));
      if (term.axis)
        product = multiply(builder, product, startOf(builder, term.axis, spans, mapping, loopSpan, start));
      sum = add(builder, sum, product);
    }
    coordinates.push_back(sum);
  }
  return coordinates;
}

/// Scalars that every role can compute again: pure ones, and elements of inputs.
static bool isRepeatable(Operation &op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  bool hasEffect = load ? load.getView().getType().getAccess() != tile::Access::In : !isPure(&op);
  return !hasEffect && op.getNumRegions() == 0 && op.getNumResults() > 0 && llvm::none_of(op.getOperandTypes(), tile::isTile) &&
         llvm::none_of(op.getResultTypes(), tile::isTile);
}

void copyNest(ImplicitLocOpBuilder &builder, ArrayRef<tile::ParallelOp> nest, IRMapping &mapping,
              llvm::function_ref<void(IRMapping &)> makeBody) {
  OpBuilder::InsertionGuard guard(builder);
  tile::ParallelOp from = nest.front();
  auto copy = tile::ParallelOp::create(builder, mapping.lookupOrDefault(from.getLow()), mapping.lookupOrDefault(from.getHigh()),
                                       from.getAxis());
  Block &body = copy.getBody().emplaceBlock();
  mapping.map(from.getInductionVariable(), body.addArgument(from.getInductionVariable().getType(), from.getLoc()));
  builder.setInsertionPointToEnd(&body);
  // Results of loops are not there: what depends on them is no scalar that a role needs.
  for (Operation &op : from.getBody().front()) {
    bool isKnown = llvm::all_of(op.getOperands(), [&](Value operand) {
      return operand.getParentRegion()->isProperAncestor(&from.getBody()) || mapping.contains(operand);
    });
    if (isRepeatable(op) && isKnown)
      builder.clone(op, mapping);
  }
  if (nest.size() > 1)
    copyNest(builder, nest.drop_front(), mapping, makeBody);
  else
    makeBody(mapping);
  tile::YieldOp::create(builder);
}

// --------------------------------------------------------------------------------------------------------------------
// Stores
// --------------------------------------------------------------------------------------------------------------------

tilegpu::BufferType stagingType(Type element, int64_t warps) {
  constexpr int64_t stages = 2;
  MLIRContext *context = element.getContext();
  auto axes = tile::AxesAttr::get(context, {StringAttr::get(context, "row"), StringAttr::get(context, "column")});
  auto tile = RankedTensorType::get({16 * warps, 64}, element, axes);
  return tilegpu::BufferType::get(context, tile, 1, 128, stages);
}

int64_t bytesOfGroup(Operation *nest, int64_t warps) {
  int64_t scratch = 0, staging = 0;
  llvm::SmallDenseSet<Type> staged;
  nest->walk([&](Operation *op) {
    scratch = std::max(scratch, gpu::scratchBytes(op));
    if (!op->hasAttr(tilegpu::tensorCopyName))
      return;
    Type element = cast<tile::StoreOp>(op).getView().getType().getElement();
    if (staged.insert(element).second)
      staging += stagingType(element, warps).getBytes();
  });
  return static_cast<int64_t>(llvm::alignTo(scratch + staging, 1024));
}

static void storeByCopies(ImplicitLocOpBuilder &builder, tile::StoreOp store, Value staging, tilegpu::RolesOp roles) {
  std::string why;
  TensorAccess access = *tensorAccess(store.getView().getType(), store.getIndices(), store.getCompare(), why);
  ArrayRef<StringAttr> axes = tile::axesOf(store.getValue().getType());
  int64_t width = tilegpu::paddedExtent(cast<RankedTensorType>(store.getValue().getType()).getDimSize(1));
  SmallVector<Value> maps;
  int64_t rowDimension = access.along(axes[0]) - access.dimensions.begin();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(roles);
  builder.setLoc(store.getLoc());
  for (int64_t part : {64, 32, 16})
    if (part == 64 ? width >= 64 : (width % 64 & part) != 0)
      maps.push_back(makeMap(
          builder, store.getView(), access,
          [&](const TensorAccess::Dimension &dimension) -> int64_t {
            return dimension.axis == axes[1] ? part : dimension.axis == axes[0] ? 16 : 1;
          },
          2 * part));
  builder.setInsertionPoint(store);
  SmallVector<Value> coordinates = coordinatesOf(builder, access, store.getSpans(), IRMapping(), {}, {});
  tilegpu::TmaStoreOp::create(builder, store.getValue(), staging, maps, coordinates, static_cast<uint64_t>(rowDimension),
                              /*add=*/false);
  store.erase();
}

void storeByCopies(ImplicitLocOpBuilder &builder, Block &consumers, tilegpu::RolesOp roles, int64_t warps) {
  SmallVector<tile::StoreOp> stores;
  consumers.walk([&](tile::StoreOp store) {
    if (store->hasAttr(tilegpu::tensorCopyName))
      stores.push_back(store);
  });
  if (stores.empty())
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&consumers);
  llvm::MapVector<Type, Value> staging;
  for (tile::StoreOp store : stores) {
    Type element = store.getView().getType().getElement();
    Value &buffer = staging[element];
    if (!buffer)
      buffer = tilegpu::AllocOp::create(builder, stagingType(element, warps), IntegerAttr());
  }
  for (tile::StoreOp store : stores)
    storeByCopies(builder, store, staging[store.getView().getType().getElement()], roles);
  builder.setInsertionPointToEnd(&consumers);
  tilegpu::TmaStoreWaitOp::create(builder);
}

} // namespace tilewright::roles
