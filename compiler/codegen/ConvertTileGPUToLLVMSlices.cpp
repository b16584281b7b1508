#include "compiler/codegen/ConvertTileGPUToLLVMSlices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::gpu {

Slices::Slices(Type tile) {
  layout::DistributedLayout layout = layoutAttr(tile).getValue();
  for (int64_t number = 0; number < layout.registers(); ++number) {
    layout::Coordinates element = layout.elementAt({number, 0, 0});
    registers[{element[0], element[1]}] = number;
  }
  int64_t columns = layout.shape()[1];
  for (int64_t first = 0; first < columns; first += sliceColumns)
    for (auto [place, number] : registers)
      if (place.second == 0 && place.first % sliceRows == 0)
        all.push_back({place.first, number, first, std::min<int64_t>(sliceColumns, columns - first)});
}

SmallVector<SlicePart> partsOf(const Slice &slice) {
  SmallVector<SlicePart> parts;
  int64_t first = 0, offset = 0;
  for (int64_t width : {64, 32, 16})
    if (width == 64 ? slice.width == 64 : slice.width < 64 && (slice.width & width) != 0) {
      parts.push_back({width, first, offset});
      first += width;
      offset += sliceRows * 2 * width;
    }
  return parts;
}

Value matrixAddress(Emitter &emitter, Value part, int64_t width, int64_t column) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto masked = [&](Value value, int64_t mask) { return builder.createOrFold<arith::AndIOp>(value, emitter.constant32(mask)); };
  auto shifted = [&](Value value, int64_t bits) { return builder.createOrFold<arith::ShRUIOp>(value, emitter.constant32(bits)); };
  // Lane l gives the address of row l mod 16, chunk 2q + l / 16, of 16 columns q.
  Value row = masked(emitter.lane(), 15), half = shifted(emitter.lane(), 4);
  // The chunk's bits that the swizzle changes are those of the row counted in whole 128 bytes.
  Value turn = width == 64 ? masked(row, 7) : width == 32 ? masked(shifted(row, 1), 3) : masked(shifted(row, 2), 1);
  Value base = emitter.advance(part, emitter.mul(row, emitter.constant32(2 * width)));
  Value chunk = builder.createOrFold<arith::XOrIOp>(emitter.add(half, emitter.constant32(column / 8)), turn);
  return emitter.advance(base, emitter.mul(chunk, emitter.constant32(16)));
}

SmallVector<Value> sliceCoordinates(Emitter &emitter, tilegpu::TensorMapOp map, ValueRange tileCoordinates, uint64_t rowDimension, Type tile, const Slice &slice,
                                    const SlicePart &part) {
  SmallVector<Value> at = coordinatesOf(emitter, tileCoordinates);
  at[0] = emitter.add(at[0], emitter.constant32(slice.firstColumn + part.firstColumn));
  at[rowDimension] = emitter.add(at[rowDimension], emitter.coordinateOfWarp(layoutAttr(tile), slice.registerNumber, 0));
  return hardwareCoordinates(emitter, map, at);
}

tilegpu::TensorMapOp mapOfWidth(ValueRange maps, int64_t width) {
  auto found = llvm::find_if(maps, [&](Value map) { return map.getDefiningOp<tilegpu::TensorMapOp>().getBox()[0] == width; });
  return (*found).getDefiningOp<tilegpu::TensorMapOp>();
}

Value laneIsFirst(Emitter &emitter) {
  return arith::CmpIOp::create(emitter.builder, arith::CmpIPredicate::eq, emitter.lane(), emitter.constant32(0));
}

} // namespace tilewright::gpu
