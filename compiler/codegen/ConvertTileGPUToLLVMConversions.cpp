// Moving tiles: between layouts, from registers to shared memory, and from a view to shared memory.

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

#include "dialects/Layout/LayoutConversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::gpu {

using layout::DistributedLayout;
using tilegpu::BufferType;

// --------------------------------------------------------------------------------------------------------------------
// Buffers
// --------------------------------------------------------------------------------------------------------------------

Value bufferAddress(Emitter &emitter, Value buffer) {
  return emitter.scalar(buffer);
}

/// Panels of `swizzle` bytes, each with all rows; within a panel the 16-byte chunk c of row r lies at c ^ (r mod 8, 4 or 2, of
/// panels of 128, 64 and 32 bytes every first, second and fourth row counted): layout::SharedLayout.
static Value swizzledOffset(Emitter &emitter, BufferType type, Value row, Value column) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  int64_t swizzle = type.getSwizzle(), bytes = type.getElementBytes();
  int64_t rows = type.getPaddedShape()[1 - type.getContiguous()];
  auto shiftLeft = [&](Value value, int64_t bits) { return emitter.mul(value, emitter.constant32(int64_t(1) << bits)); };
  auto shiftRight = [&](Value value, int64_t bits) {
    return builder.createOrFold<arith::ShRUIOp>(value, emitter.constant32(bits));
  };
  auto masked = [&](Value value, int64_t mask) { return builder.createOrFold<arith::AndIOp>(value, emitter.constant32(mask)); };
  Value byteColumn = emitter.mul(column, emitter.constant32(bytes));
  int64_t panelBits = llvm::Log2_64(swizzle);
  Value panel = shiftRight(byteColumn, panelBits), within = masked(byteColumn, swizzle - 1);
  // Bits 7.. of the offset in the panel, which the hardware takes from the address: row · swizzle.
  int64_t chunks = swizzle / 16;
  Value turn = masked(shiftRight(row, 7 - panelBits), chunks - 1);
  within = builder.createOrFold<arith::XOrIOp>(within, shiftLeft(turn, 4));
  Value offset = emitter.add(shiftLeft(row, panelBits), within);
  return emitter.add(offset, emitter.mul(panel, emitter.constant32(rows * swizzle)));
}

Value bufferOffset(Emitter &emitter, BufferType type, ValueRange coordinates) {
  SmallVector<int64_t> shape = type.getPaddedShape();
  if (type.getSwizzle() != 0)
    return swizzledOffset(emitter, type, coordinates[1 - type.getContiguous()], coordinates[type.getContiguous()]);
  Value offset = emitter.constant32(0);
  for (auto [coordinate, extent] : llvm::zip(coordinates, shape))
    offset = emitter.add(emitter.mul(offset, emitter.constant32(extent)), coordinate);
  return emitter.mul(offset, emitter.constant32(type.getElementBytes()));
}

namespace {

/// Elements that one access can take: neighbours along the contiguous dimension, within 16 bytes.
int64_t accessWidth(const DistributedLayout &layout, unsigned dimension, BufferType type) {
  int64_t most = std::max<int64_t>(1, 16 / type.getElementBytes());
  if (type.getSwizzle() == 0) { // rows need not begin at multiples of 16 bytes
    int64_t row = type.getPaddedShape().back();
    most = std::min(most, row & -row);
  }
  return layout::vectorWidth(layout, dimension, most);
}

Value packed(Emitter &emitter, ArrayRef<int64_t> group, ArrayRef<Value> values) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto element = [&](int64_t number) { return toStorage(builder, builder.getLoc(), values[number]); };
  if (group.size() == 1)
    return element(group.front());
  Type type = VectorType::get({static_cast<int64_t>(group.size())}, storageOf(values[group.front()].getType()));
  Value vector = LLVM::PoisonOp::create(builder, type);
  for (auto [position, number] : llvm::enumerate(group))
    vector = LLVM::InsertElementOp::create(builder, vector, element(number), emitter.constant32(static_cast<int64_t>(position)));
  return vector;
}

void unpack(Emitter &emitter, ArrayRef<int64_t> group, Value loaded, Type element, Registers &results) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  for (auto [position, number] : llvm::enumerate(group)) {
    Value value = loaded;
    if (group.size() > 1)
      value = LLVM::ExtractElementOp::create(builder, loaded, emitter.constant32(static_cast<int64_t>(position)));
    results[number] = fromStorage(builder, builder.getLoc(), value, element);
  }
}

/// The coordinates of a register's element, in the order of the buffer's dimensions.
SmallVector<Value> coordinatesIn(Emitter &emitter, BufferType type, Type tile, int64_t number) {
  SmallVector<Value> coordinates;
  for (StringAttr axis : tile::axesOf(type.getTile()))
    coordinates.push_back(emitter.coordinate(layoutAttr(tile), number, static_cast<unsigned>(tile::positionOfAxis(tile, axis))));
  return coordinates;
}

unsigned contiguousDimension(BufferType type, Type tile) {
  return static_cast<unsigned>(tile::positionOfAxis(tile, tile::axesOf(type.getTile())[type.getContiguous()]));
}

void writeTile(Emitter &emitter, Type tile, ArrayRef<Value> values, BufferType type, Value address) {
  DistributedLayout layout = layoutAttr(tile).getValue();
  unsigned dimension = contiguousDimension(type, tile);
  int64_t width = accessWidth(layout, dimension, type);
  emitter.when(emitter.isOwner(layoutAttr(tile)), [&] {
    for (const std::vector<int64_t> &group : layout::vectorRegisters(layout, dimension, width)) {
      Value offset = bufferOffset(emitter, type, coordinatesIn(emitter, type, tile, group.front()));
      LLVM::StoreOp::create(emitter.builder, packed(emitter, group, values), emitter.advance(address, offset),
                            static_cast<unsigned>(width * type.getElementBytes()));
    }
  });
}

Registers readTile(Emitter &emitter, Type tile, BufferType type, Value address) {
  DistributedLayout layout = layoutAttr(tile).getValue();
  unsigned dimension = contiguousDimension(type, tile);
  int64_t width = accessWidth(layout, dimension, type);
  Type element = getElementTypeOrSelf(tile), storage = storageOf(element);
  Type access = width == 1 ? storage : Type(VectorType::get({width}, storage));
  Registers results(layout.registers());
  for (const std::vector<int64_t> &group : layout::vectorRegisters(layout, dimension, width)) {
    Value offset = bufferOffset(emitter, type, coordinatesIn(emitter, type, tile, group.front()));
    Value loaded = LLVM::LoadOp::create(emitter.builder, access, emitter.advance(address, offset),
                                        static_cast<unsigned>(width * type.getElementBytes()));
    unpack(emitter, group, loaded, element, results);
  }
  return results;
}

} // namespace

/// Each access's elements are computed just before it: for a thread of few registers.
static void writeStepwise(Emitter &emitter, tilegpu::StoreSharedOp op) {
  Type tile = op.getValue().getType();
  BufferType type = op.getBuffer().getType();
  DistributedLayout layout = layoutAttr(tile).getValue();
  unsigned dimension = contiguousDimension(type, tile);
  int64_t width = accessWidth(layout, dimension, type);
  Value owner = emitter.isOwner(layoutAttr(tile));
  for (const std::vector<int64_t> &group : layout::vectorRegisters(layout, dimension, width)) {
    Registers values(layout.registers());
    for (int64_t number : group)
      values[number] = emitter.element(op.getValue(), number);
    Value vector = packed(emitter, group, values);
    Value offset = bufferOffset(emitter, type, coordinatesIn(emitter, type, tile, group.front()));
    Value address = emitter.advance(bufferAddress(emitter, op.getBuffer()), offset);
    emitter.when(owner, [&] { LLVM::StoreOp::create(emitter.builder, vector, address, static_cast<unsigned>(width * type.getElementBytes())); });
  }
}

void emitStoreShared(Emitter &emitter, tilegpu::StoreSharedOp op) {
  if (emitter.isPreparer)
    return writeStepwise(emitter, op);
  writeTile(emitter, op.getValue().getType(), emitter.registers(op.getValue()), op.getBuffer().getType(),
            bufferAddress(emitter, op.getBuffer()));
}

void loadSharedElements(Emitter &emitter, tilegpu::LoadSharedOp op, int64_t registerNumber, Registers &registers) {
  BufferType type = op.getBuffer().getType();
  Type tile = op.getType();
  DistributedLayout layout = layoutAttr(tile).getValue();
  unsigned dimension = contiguousDimension(type, tile);
  int64_t width = accessWidth(layout, dimension, type);
  for (const std::vector<int64_t> &group : layout::vectorRegisters(layout, dimension, width)) {
    if (!llvm::is_contained(group, registerNumber))
      continue;
    Value address = emitter.advance(bufferAddress(emitter, op.getBuffer()), bufferOffset(emitter, type, coordinatesIn(emitter, type, tile, group.front())));
    Type element = getElementTypeOrSelf(tile), storage = storageOf(element);
    Type access = group.size() == 1 ? storage : Type(VectorType::get({static_cast<int64_t>(group.size())}, storage));
    auto alignment = static_cast<unsigned>(type.getElementBytes() * static_cast<int64_t>(group.size()));
    unpack(emitter, group, LLVM::LoadOp::create(emitter.builder, access, address, alignment), element, registers);
  }
}

// --------------------------------------------------------------------------------------------------------------------
// Words
// --------------------------------------------------------------------------------------------------------------------

Value packedPair(Emitter &emitter, Value tile, int64_t low, int64_t high) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Type element = getElementTypeOrSelf(tile), i32 = builder.getI32Type(), pair = VectorType::get({2}, element);
  // Before the last conversion, which is made of two at a time.
  if (auto cast = tile.getDefiningOp<tile::CastOp>(); cast && getElementTypeOrSelf(cast.getOperand()).isF32() && (element.isBF16() || element.isF16())) {
    Value first = emitter.element(cast.getOperand(), low), second = emitter.element(cast.getOperand(), high);
    StringRef conversion = element.isBF16() ? "llvm.nvvm.ff2bf16x2.rn" : "llvm.nvvm.ff2f16x2.rn";
    Value both = LLVM::CallIntrinsicOp::create(builder, pair, builder.getStringAttr(conversion), ValueRange{second, first}).getResult(0);
    return LLVM::BitcastOp::create(builder, i32, both);
  }
  Value both = LLVM::PoisonOp::create(builder, pair);
  both = LLVM::InsertElementOp::create(builder, both, emitter.element(tile, low), emitter.constant32(0));
  both = LLVM::InsertElementOp::create(builder, both, emitter.element(tile, high), emitter.constant32(1));
  return LLVM::BitcastOp::create(builder, i32, both);
}

// --------------------------------------------------------------------------------------------------------------------
// Layouts
// --------------------------------------------------------------------------------------------------------------------

/// The buffer that a conversion through shared memory uses: swizzled where there are two dimensions, so that writing along one
/// and reading along the other do not meet in a bank.
static BufferType scratchBuffer(Type tile) {
  auto tensor = cast<RankedTensorType>(tile::withLayout(tile, {}));
  int64_t contiguous = tensor.getRank() - 1, swizzle = 0;
  if (tensor.getRank() == 2) {
    int64_t bytes = tilegpu::paddedExtent(tensor.getDimSize(contiguous)) * bytesOf(tensor);
    for (int64_t candidate : {32, 64, 128})
      swizzle = bytes % candidate == 0 ? candidate : swizzle;
  }
  return BufferType::get(tile.getContext(), tensor, contiguous, swizzle, 1);
}

/// For each new register the old one, if renaming does it.
static std::optional<layout::ConversionPlan> renaming(Type from, Type to) {
  return layout::planRenaming(layoutAttr(from).getValue(), layoutAttr(to).getValue());
}

int64_t convertLayoutScratchBytes(tilegpu::ConvertLayoutOp op) {
  return renaming(op.getOperand().getType(), op.getType()) ? 0 : scratchBuffer(op.getType()).getBytes();
}

void emitConvertLayout(Emitter &emitter, tilegpu::ConvertLayoutOp op) {
  Registers values = emitter.registers(op.getOperand());
  Type from = op.getOperand().getType(), to = op.getType();
  if (auto plan = renaming(from, to)) {
    Registers results;
    for (int64_t number : plan->renaming)
      results.push_back(values[number]);
    return emitter.setRegisters(op.getResult(), std::move(results));
  }
  BufferType buffer = scratchBuffer(to);
  Value address = emitter.scratch(op);
  writeTile(emitter, from, values, buffer, address);
  emitter.barrier();
  emitter.setRegisters(op.getResult(), readTile(emitter, to, buffer, address));
}

} // namespace tilewright::gpu
