// What the operations demand of their operands. Each demand has the label of TileGPUOps.td.
#include "dialects/TileGPU/TileGPU.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/TileGPU/TileGPUOps.cpp.inc"

namespace tilewright::tilegpu {

LogicalResult ConvertLayoutOp::verify() {
  // convert_layout_c1
  Type from = getOperand().getType(), to = getResult().getType();
  if (tile::withLayout(from, {}) != tile::withLayout(to, {}))
    return emitOpError() << "expects operand and result to differ in nothing but the layout, but they are " << from << " and " << to;
  if (!isa_and_nonnull<DistributedAttr>(tile::layoutOf(from)) || !isa_and_nonnull<DistributedAttr>(tile::layoutOf(to)))
    return emitOpError("expects operand and result to have layouts");
  return success();
}

LogicalResult ZeroAbsentOp::verify() {
  // zero_absent_c1
  for (Value span : getSpans()) {
    StringAttr axis = cast<tile::SpanType>(span.getType()).getAxis();
    if (tile::positionOfAxis(getOperand().getType(), axis) < 0)
      return emitOpError() << "has a span over axis " << axis << ", which its operand lacks";
  }
  return success();
}

static BufferType oneStage(BufferType type) {
  return BufferType::get(type.getContext(), type.getTile(), type.getContiguous(), type.getSwizzle(), 1);
}

LogicalResult StageOp::verify() {
  // stage_c1
  BufferType ring = oneStage(getBuffer().getType()), stage = getStage().getType();
  RankedTensorType tile = stage.getTile();
  bool hasShape = tile.getShape() == ring.getTile().getShape() && tile.getElementType() == ring.getTile().getElementType();
  if (hasShape && stage == BufferType::get(getContext(), tile, ring.getContiguous(), ring.getSwizzle(), 1))
    return success();
  return emitOpError() << "expects a result of type " << oneStage(getBuffer().getType()) << ", not " << getStage().getType();
}

static LogicalResult verifyOneStage(Operation *op, BufferType type) {
  if (type.getStages() == 1)
    return success();
  return op->emitOpError() << "expects a buffer of one stage (take it by tilegpu.stage), not of " << type.getStages();
}

/// Whether a tile has a buffer's axes, extents and elements, the axes in any order.
static bool isTileOf(Type type, BufferType buffer) {
  auto value = cast<RankedTensorType>(type);
  RankedTensorType tile = buffer.getTile();
  bool fits = value.getElementType() == tile.getElementType() && value.getRank() == tile.getRank();
  for (auto [axis, extent] : llvm::zip(tile::axesOf(value), value.getShape())) {
    int64_t position = tile::positionOfAxis(tile, axis);
    fits = fits && position >= 0 && tile.getDimSize(position) == extent;
  }
  return fits;
}

LogicalResult StoreSharedOp::verify() {
  // store_shared_c1
  BufferType buffer = getBuffer().getType();
  if (failed(verifyOneStage(*this, buffer)))
    return failure();
  if (!isTileOf(getValue().getType(), buffer))
    return emitOpError() << "expects a value with the axes and elements of the buffer's " << buffer.getTile() << ", not " << getValue().getType();
  return success();
}

LogicalResult LoadSharedOp::verify() {
  // load_shared_c1
  BufferType buffer = getBuffer().getType();
  if (failed(verifyOneStage(*this, buffer)))
    return failure();
  if (!isTileOf(getResult().getType(), buffer) || !tile::layoutOf(getResult().getType()))
    return emitOpError() << "expects a result with a layout and the axes and elements of the buffer's " << buffer.getTile() << ", not " << getResult().getType();
  return success();
}

LogicalResult AsyncLoadOp::verify() {
  // async_load_c1
  if (failed(verifyOneStage(*this, getBuffer().getType())))
    return failure();
  RankedTensorType tile = getBuffer().getType().getTile();
  SmallVector<tile::SpanType> spans =
      llvm::map_to_vector(getSpans(), [](Value span) { return cast<tile::SpanType>(span.getType()); });
  Type expected = tile::tileType(getView().getType().getElement(), spans);
  if (expected != tile)
    return emitOpError() << "expects a buffer of " << expected << ", not of " << tile;
  return success();
}

LogicalResult DotOp::verify() {
  // dot_c1
  BufferType lhs = getLhs().getType(), rhs = getRhs().getType();
  if (failed(verifyOneStage(*this, lhs)) || failed(verifyOneStage(*this, rhs)))
    return failure();
  // dot_c2
  auto over = getOver().getAsRange<StringAttr>();
  for (StringAttr axis : over)
    if (tile::positionOfAxis(lhs.getTile(), axis) < 0 || tile::positionOfAxis(rhs.getTile(), axis) < 0)
      return emitOpError() << "sums over axis " << axis << ", which is not one of both operands";
  for (Type operand : {Type(lhs.getTile()), Type(rhs.getTile())})
    for (StringAttr axis : tile::axesOf(operand))
      if (!llvm::is_contained(over, axis) && tile::positionOfAxis(getResult().getType(), axis) < 0)
        return emitOpError() << "keeps axis " << axis << ", which the result lacks";
  return success();
}

} // namespace tilewright::tilegpu
