#include "compiler/codegen/ConvertTileGPUToLLVMPlaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::gpu {

Value extentOf(Emitter &emitter, const View &view, int64_t dimension) {
  Value extent;
  for (int64_t memory = view.firstMemoryDimension(dimension); memory <= view.lastMemoryDimension(dimension); ++memory)
    extent = extent ? emitter.mul(extent, view.extents[memory]) : view.extents[memory];
  return extent;
}

/// Σ stride · position over the dimensions of memory that a split dimension stands for; index is their row-major number.
static Value splitOffset(Emitter &emitter, const View &view, int64_t dimension, Value index) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value offset = emitter.constant(0);
  for (int64_t memory = view.lastMemoryDimension(dimension); memory > view.firstMemoryDimension(dimension); --memory) {
    Value extent = emitter.max(view.extents[memory], emitter.constant(1)); // nothing divides by 0
    offset = emitter.add(offset, emitter.mul(builder.createOrFold<arith::RemUIOp>(index, extent), view.strides[memory]));
    index = builder.createOrFold<arith::DivUIOp>(index, extent);
  }
  return emitter.add(offset, emitter.mul(index, view.strides[view.firstMemoryDimension(dimension)]));
}

static Value offsetOf(Emitter &emitter, const View &view, int64_t dimension, Value index) {
  if (dimension == view.split)
    return splitOffset(emitter, view, dimension, index);
  return emitter.mul(index, view.strides[view.firstMemoryDimension(dimension)]);
}

static Value addressAt(Emitter &emitter, const View &view, Value offset) {
  return LLVM::GEPOp::create(emitter.builder, view.base.getType(), storageOf(view.element()), view.base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

Value addressOf(Emitter &emitter, const View &view, ValueRange indices) {
  Value offset = emitter.constant(0);
  for (auto [dimension, index] : llvm::enumerate(indices))
    offset = emitter.add(offset, offsetOf(emitter, view, static_cast<int64_t>(dimension), index));
  return addressAt(emitter, view, offset);
}

static Value isIndexInside(Emitter &emitter, const View &view, int64_t dimension, Value index) {
  // A negative index is a large unsigned one.
  return arith::CmpIOp::create(emitter.builder, arith::CmpIPredicate::ult, index, extentOf(emitter, view, dimension));
}

Value isInside(Emitter &emitter, const View &view, ValueRange indices, ArrayRef<bool> compare) {
  Value inside;
  for (auto [dimension, index, marked] : llvm::enumerate(indices, compare))
    if (marked)
      inside = emitter.logicalAnd(inside, isIndexInside(emitter, view, static_cast<int64_t>(dimension), index));
  return inside;
}

Places::Places(Emitter &emitter, const View &view, Type place, ValueRange indices, ValueRange spans, ArrayRef<bool> compare)
    : emitter(emitter), view(view), place(place), spans(spans) {
  for (auto [dimension, index] : llvm::enumerate(indices)) {
    Dimension &here = dimensions.emplace_back();
    here.isCompared = compare[dimension];
    here.indices = emitter.registers(index);
    here.offsets.resize(here.indices.size());
    here.inside.resize(here.indices.size());
    if (tile::isTile(index.getType()))
      here.map = emitter.registerMap(index.getType(), place);
  }
}

Value Places::address(int64_t number) {
  Value offset;
  for (auto [position, dimension] : llvm::enumerate(dimensions)) {
    int64_t index = dimension.indexOf(number);
    if (!dimension.offsets[index])
      dimension.offsets[index] = offsetOf(emitter, view, static_cast<int64_t>(position), dimension.indices[index]);
    offset = offset ? emitter.add(offset, dimension.offsets[index]) : dimension.offsets[index];
  }
  return addressAt(emitter, view, offset);
}

Value Places::inside(int64_t number) {
  Value result;
  for (auto [position, dimension] : llvm::enumerate(dimensions)) {
    if (!dimension.isCompared)
      continue;
    int64_t index = dimension.indexOf(number);
    if (!dimension.inside[index])
      dimension.inside[index] = isIndexInside(emitter, view, static_cast<int64_t>(position), dimension.indices[index]);
    result = emitter.logicalAnd(result, dimension.inside[index]);
  }
  return result;
}

Value Places::exists(int64_t number) {
  return tile::isTile(place) ? emitter.existence(place, number, spans) : Value();
}

void Places::forget() {
  for (Dimension &dimension : dimensions) {
    std::fill(dimension.offsets.begin(), dimension.offsets.end(), Value());
    std::fill(dimension.inside.begin(), dimension.inside.end(), Value());
  }
}

Value speaksFor(Emitter &emitter, Type place) {
  if (tile::isTile(place))
    return emitter.isOwner(layoutAttr(place));
  return arith::CmpIOp::create(emitter.builder, arith::CmpIPredicate::eq, emitter.thread(), emitter.constant32(0));
}

} // namespace tilewright::gpu
