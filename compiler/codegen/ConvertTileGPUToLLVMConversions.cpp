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

/// The axis of a tile's rows if it is an operand of wgmma whose fragments ldmatrix takes from the buffer; else null.
static StringAttr rowsOfFragments(tilegpu::LoadSharedOp op) {
  BufferType type = op.getBuffer().getType();
  if (type.getElementBytes() != 2 || type.getSwizzle() == 0)
    return {};
  for (StringAttr axis : tile::axesOf(op.getType()))
    if (tilegpu::isWgmmaOperand(op.getType(), axis))
      return axis;
  return {};
}

/// The fragment of 16 × 16 that a register belongs to, by one ldmatrix: 8 rows and places along the summed axis each, first down the rows.
/// Matrices whose memory runs along the rows are transposed on the way.
static void loadFragment(Emitter &emitter, tilegpu::LoadSharedOp op, StringAttr rowAxis, int64_t registerNumber, Registers &registers) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  BufferType type = op.getBuffer().getType();
  DistributedLayout layout = layoutAttr(op.getType()).getValue();
  auto rowDimension = static_cast<unsigned>(tile::positionOfAxis(op.getType(), rowAxis)), depthDimension = 1 - rowDimension;
  bool isTransposed = tile::axesOf(type.getTile())[type.getContiguous()] == rowAxis;
  constexpr int64_t extent = 16, half = 8, matrices = 4;
  auto placeOf = [&](int64_t number) {
    layout::Coordinates element = layout.elementAt({number, 0, 0});
    return std::pair(element[rowDimension], element[depthDimension]);
  };
  auto [row, depth] = placeOf(registerNumber);
  std::pair<int64_t, int64_t> first{row / extent * extent, depth / extent * extent};
  std::map<std::pair<int64_t, int64_t>, int64_t> numberAt; // within the fragment
  for (int64_t number = 0; number < layout.registers(); ++number)
    if (auto [r, d] = placeOf(number); r / extent * extent == first.first && d / extent * extent == first.second)
      numberAt[{r - first.first, d - first.second}] = number;
  // Lane l points at row l mod 8 of matrix l / 8.
  auto laneBits = [&](int64_t shift, int64_t mask) {
    return builder.createOrFold<arith::AndIOp>(builder.createOrFold<arith::ShRUIOp>(emitter.lane(), emitter.constant32(shift)), emitter.constant32(mask));
  };
  Value within = laneBits(0, 7), down = emitter.mul(laneBits(3, 1), emitter.constant32(half)), along = emitter.mul(laneBits(4, 1), emitter.constant32(half));
  Value rowIndex = emitter.add(emitter.coordinateOfWarp(layoutAttr(op.getType()), numberAt.at({0, 0}), rowDimension), isTransposed ? down : emitter.add(within, down));
  Value depthIndex = emitter.add(emitter.constant32(first.second), isTransposed ? emitter.add(within, along) : along);
  SmallVector<Value> coordinates;
  for (StringAttr axis : tile::axesOf(type.getTile()))
    coordinates.push_back(axis == rowAxis ? rowIndex : depthIndex);
  Value address = emitter.advance(bufferAddress(emitter, op.getBuffer()), bufferOffset(emitter, type, coordinates));
  auto words = LLVM::LLVMStructType::getLiteral(builder.getContext(), SmallVector<Type>(matrices, builder.getI32Type()));
  Value loaded = NVVM::LdMatrixOp::create(builder, words, address, static_cast<uint32_t>(matrices), isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
                                          NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8), NVVM::LdStMatrixEltType::B16);
  Type element = getElementTypeOrSelf(op.getType()), pair = VectorType::get({2}, element);
  for (int64_t matrix = 0; matrix < matrices; ++matrix) {
    Value word = LLVM::BitcastOp::create(builder, pair, LLVM::ExtractValueOp::create(builder, loaded, matrix));
    for (int64_t next : {0, 1})
      registers[numberAt.at({matrix % 2 * half, matrix / 2 * half + next})] = LLVM::ExtractElementOp::create(builder, word, emitter.constant32(next));
  }
}

/// Two neighbours of bf16 as one word, whose halves become f32 by a shift and by a mask. Loaded as a vector the second would be selected, then shifted.
static void loadPairOfBf16(Emitter &emitter, ArrayRef<int64_t> pair, Value address, Registers &registers) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Type i16 = builder.getI16Type(), element = builder.getBF16Type();
  Value word = LLVM::LoadOp::create(builder, builder.getI32Type(), address, /*alignment=*/4);
  Value high = arith::ShRUIOp::create(builder, word, emitter.constant32(16));
  registers[pair[0]] = LLVM::BitcastOp::create(builder, element, arith::TruncIOp::create(builder, i16, word));
  registers[pair[1]] = LLVM::BitcastOp::create(builder, element, arith::TruncIOp::create(builder, i16, high));
}

void loadSharedElements(Emitter &emitter, tilegpu::LoadSharedOp op, int64_t registerNumber, Registers &registers) {
  if (StringAttr rowAxis = rowsOfFragments(op))
    return loadFragment(emitter, op, rowAxis, registerNumber, registers);
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
    if (group.size() == 2 && element.isBF16()) {
      loadPairOfBf16(emitter, group, address, registers);
      continue;
    }
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
    if (Value product = productOfPairs(emitter, cast.getOperand(), element, low, high))
      return LLVM::BitcastOp::create(builder, i32, product);
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

/// For each register of a tile of pairs those of the tile's elements.
static SmallVector<std::pair<int64_t, int64_t>> registersOfPairs(Type pairs, Type tile) {
  layout::DistributedLayout packed = layoutAttr(pairs).getValue(), whole = layoutAttr(tile).getValue();
  std::map<std::pair<int64_t, int64_t>, int64_t> registerAt;
  for (int64_t number = 0; number < whole.registers(); ++number) {
    layout::Coordinates element = whole.elementAt({number, 0, 0});
    registerAt[{element[0], element[1]}] = number;
  }
  SmallVector<std::pair<int64_t, int64_t>> result;
  for (int64_t number = 0; number < packed.registers(); ++number) {
    layout::Coordinates element = packed.elementAt({number, 0, 0});
    result.push_back({registerAt.at({element[0], 2 * element[1]}), registerAt.at({element[0], 2 * element[1] + 1})});
  }
  return result;
}

void emitPackPairs(Emitter &emitter, tilegpu::PackPairsOp op) {
  Registers words;
  for (auto [low, high] : registersOfPairs(op.getType(), op.getOperand().getType()))
    words.push_back(packedPair(emitter, op.getOperand(), low, high));
  emitter.setRegisters(op.getResult(), std::move(words));
}

void emitUnpackPairs(Emitter &emitter, tilegpu::UnpackPairsOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Registers words = emitter.registers(op.getOperand());
  Registers elements(layoutAttr(op.getType()).getValue().registers());
  Type pair = VectorType::get({2}, getElementTypeOrSelf(op.getType()));
  for (auto [places, word] : llvm::zip(registersOfPairs(op.getOperand().getType(), op.getType()), words)) {
    Value both = LLVM::BitcastOp::create(builder, pair, word);
    elements[places.first] = LLVM::ExtractElementOp::create(builder, both, emitter.constant32(0));
    elements[places.second] = LLVM::ExtractElementOp::create(builder, both, emitter.constant32(1));
  }
  emitter.setRegisters(op.getResult(), std::move(elements));
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
