#include "compiler/codegen/SpecializeCommon.h"

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

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

TensorAccess accessOf(tile::LoadOp load) {
  std::string why;
  return *tensorAccess(load.getView().getType(), load.getIndices(), load.getCompare(), why, packRun(load.getView()));
}

TensorAccess accessOf(tile::StoreOp store) {
  std::string why;
  SmallVector<bool> notCompared(store.getCompare().size(), false);
  return *tensorAccess(store.getView().getType(), store.getIndices(), notCompared, why, packRun(store.getView()));
}

Value makeMap(ImplicitLocOpBuilder &builder, TypedValue<tile::ViewType> view, const TensorAccess &access,
              llvm::function_ref<int64_t(const TensorAccess::Dimension &)> extent, int64_t swizzle, bool isRounded) {
  SmallVector<int64_t> order, box;
  int64_t pack = view.getType().getPackDimension(), more = view.getType().getPackRank() - 1;
  for (const TensorAccess::Dimension &dimension : access.dimensions) {
    bool isSplit = more > 0 && dimension.number == pack;
    int64_t last = dimension.number + (more > 0 && dimension.number >= pack ? more : 0);
    order.push_back(last);
    box.push_back(isSplit ? std::gcd(extent(dimension), dimension.run) : extent(dimension));
    for (int64_t part = 1; isSplit && part <= more; ++part) {
      order.push_back(last - part);
      box.push_back(1);
    }
  }
  return tilegpu::TensorMapOp::create(builder, view, order, box, static_cast<uint64_t>(swizzle), isRounded);
}

Value makeMap(ImplicitLocOpBuilder &builder, tile::LoadOp load, const TensorAccess &access, tilegpu::BufferType buffer, bool isRounded) {
  SmallVector<int64_t> shape = buffer.getPaddedShape();
  ArrayRef<StringAttr> axes = tile::axesOf(buffer.getTile());
  int64_t contiguous = buffer.getContiguous();
  auto extent = [&](const TensorAccess::Dimension &dimension) -> int64_t {
    if (!dimension.axis)
      return 1;
    return dimension.axis == axes[contiguous] ? buffer.getSwizzle() / buffer.getElementBytes() : shape[1 - contiguous];
  };
  return makeMap(builder, load.getView(), access, extent, buffer.getSwizzle(), isRounded);
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

tilegpu::BufferType stagingType(Type element, int64_t warps, int64_t stages) {
  MLIRContext *context = element.getContext();
  auto axes = tile::AxesAttr::get(context, {StringAttr::get(context, "row"), StringAttr::get(context, "column")});
  auto tile = RankedTensorType::get({16 * warps, 1024 / element.getIntOrFloatBitWidth()}, element, axes);
  return tilegpu::BufferType::get(context, tile, 1, 128, stages);
}

int64_t bytesOfGroup(Operation *nest, int64_t warps, int64_t others) {
  int64_t scratch = 0, staging = 0;
  llvm::SmallDenseSet<Type> staged;
  nest->walk([&](Operation *op) {
    scratch = std::max(scratch, gpu::scratchBytes(op));
    auto store = dyn_cast<tile::StoreOp>(op);
    if (!store || !store->hasAttr(tilegpu::tensorCopyName))
      return;
    Type element = store.getView().getType().getElement();
    if (staged.insert(element).second)
      staging += stagingType(element, warps).getBytes();
  });
  return static_cast<int64_t>(llvm::alignTo(scratch + staging + others, 1024));
}

SmallVector<Value> makeMapsOfSlices(ImplicitLocOpBuilder &builder, TypedValue<tile::ViewType> view, const TensorAccess &access, Type tile) {
  ArrayRef<StringAttr> axes = tile::axesOf(tile);
  int64_t width = tilegpu::paddedExtent(cast<RankedTensorType>(tile).getDimSize(1));
  int64_t bytes = view.getType().getElement().getIntOrFloatBitWidth() / 8, whole = 128 / bytes;
  SmallVector<Value> maps;
  for (int64_t part : {whole, whole / 2, whole / 4}) {
    auto extent = [&](const TensorAccess::Dimension &dimension) -> int64_t { return dimension.axis == axes[1] ? part : dimension.axis == axes[0] ? 16 : 1; };
    if (part == whole ? width >= whole : (width % whole & part) != 0)
      maps.push_back(makeMap(builder, view, access, extent, bytes * part));
  }
  return maps;
}

uint64_t rowDimensionOf(const TensorAccess &access, Type tile) {
  return static_cast<uint64_t>(access.along(tile::axesOf(tile)[0]) - access.dimensions.begin());
}

static void storeByCopies(ImplicitLocOpBuilder &builder, tile::StoreOp store, Value staging, Operation *mapsBefore) {
  TensorAccess access = accessOf(store);
  Type tile = store.getValue().getType();
  OpBuilder::InsertionGuard guard(builder);
  builder.setLoc(store.getLoc());
  builder.setInsertionPoint(mapsBefore);
  SmallVector<Value> maps = makeMapsOfSlices(builder, store.getView(), access, tile);
  builder.setInsertionPoint(store);
  SmallVector<Value> coordinates = coordinatesOf(builder, access, store.getSpans(), IRMapping(), {}, {});
  tilegpu::TmaStoreOp::create(builder, store.getValue(), staging, maps, coordinates, rowDimensionOf(access, tile), /*add=*/false,
                              /*may_miss=*/llvm::is_contained(store.getCompare(), true));
  store.erase();
}

void storeByCopies(ImplicitLocOpBuilder &builder, Block &consumers, Operation *mapsBefore, int64_t warps, TypedValue<tilegpu::BufferType> given) {
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
  if (given)
    staging[given.getType().getTile().getElementType()] = given;
  for (tile::StoreOp store : stores) {
    Type element = store.getView().getType().getElement();
    Value &buffer = staging[element];
    if (!buffer)
      buffer = tilegpu::AllocOp::create(builder, stagingType(element, warps), IntegerAttr());
  }
  for (tile::StoreOp store : stores)
    storeByCopies(builder, store, staging[store.getView().getType().getElement()], mapsBefore);
  builder.setInsertionPointToEnd(&consumers);
  tilegpu::TmaStoreWaitOp::create(builder);
}

} // namespace tilewright::roles
