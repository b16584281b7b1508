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
  int64_t columns = layout.shape()[1], width = sliceRowBytes / bytesOf(getElementTypeOrSelf(tile));
  for (int64_t first = 0; first < columns; first += 64)
    for (auto [place, number] : registers)
      if (place.second == 0 && place.first % sliceRows == 0)
        for (int64_t column = first; column < std::min(first + 64, columns); column += width)
          all.push_back({place.first, number, column, std::min(width, columns - column)});
}

SmallVector<SlicePart> partsOf(const Slice &slice, int64_t elementBytes) {
  SmallVector<SlicePart> parts;
  int64_t first = 0, offset = 0, whole = sliceRowBytes / elementBytes;
  for (int64_t width : {whole, whole / 2, whole / 4})
    if (width == whole ? slice.width == whole : slice.width < whole && (slice.width & width) != 0) {
      parts.push_back({width, first, offset});
      first += width;
      offset += sliceRows * elementBytes * width;
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

Value pairAddress(Emitter &emitter, Value part, int64_t width, int64_t column) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto masked = [&](Value value, int64_t mask) { return builder.createOrFold<arith::AndIOp>(value, emitter.constant32(mask)); };
  auto shifted = [&](Value value, int64_t bits) { return builder.createOrFold<arith::ShRUIOp>(value, emitter.constant32(bits)); };
  // Lane l has row l / 4 and columns 2 (l mod 4): half of chunk (l mod 4) / 2. Rows of 64 bytes turn their chunks every second row.
  Value row = shifted(emitter.lane(), 2), turn = width == 32 ? row : masked(shifted(row, 1), 3);
  Value base = emitter.advance(part, emitter.add(emitter.mul(row, emitter.constant32(4 * width)), emitter.mul(masked(emitter.lane(), 1), emitter.constant32(8))));
  Value chunk = builder.createOrFold<arith::XOrIOp>(emitter.add(masked(shifted(emitter.lane(), 1), 1), emitter.constant32(column / 4)), turn);
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
