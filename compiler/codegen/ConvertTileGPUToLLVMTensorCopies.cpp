// Copies by the tensor memory accelerator.
//
// Loads. One thread asks; the bytes arrive at a barrier. A box is no wider than the swizzle, so a wider tile is several boxes side by
// side, which is how panels lie in the buffer.
//
// Stores. A warp's slice of 16 rows and 64 columns of a 16-bit accumulator tile is eight stmatrix of four 8 × 8 matrices into its own
// rows of the staging buffer: no other warp touches them, so the warps need not meet. Those writes are made visible to the tensor
// copy by a proxy fence of every lane (one for a slice: it costs a memory barrier), then one lane starts the copy. The same lane waits,
// before the stage is written again, until the copy has read it. A slice may instead be written where a fetched piece was that it has been computed of
// (ConvertTileGPUToLLVMFetches.cpp); then nothing is waited for before.
//
// Order. All of a slice is computed before the wait for its stage, and the stmatrix follow one another: interleaved with arithmetic they
// cost a tenth more (hand-written kernel, 128 × 192).

#include "compiler/codegen/ConvertTileGPUToLLVMSlices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::gpu {

using tilegpu::BufferType;

/// Whether a dimension of memory is the last of a pack in parts.
static bool isLastPart(const View &view, int64_t memory) {
  return view.split >= 0 && memory == view.lastMemoryDimension(view.split);
}

SmallVector<Value> coordinatesOf(Emitter &emitter, ValueRange coordinates) {
  return llvm::map_to_vector(coordinates, [&](Value coordinate) { return emitter.toI32(emitter.scalar(coordinate)); });
}

/// Moves a value's computation out of a loop, if nothing of it changes there.
static bool leave(scf::ForOp loop, Value value) {
  Operation *op = value.getDefiningOp();
  if (!loop->isAncestor(value.getParentBlock()->getParentOp()))
    return true;
  if (!op || !isPure(op) || op->getNumRegions() != 0 || !llvm::all_of(op->getOperands(), [&](Value operand) { return leave(loop, operand); }))
    return false;
  op->moveBefore(loop);
  return true;
}

/// Puts the builder before the loops in which a value does not change. LLVM leaves divisions in them, which the thread that feeds would repeat
/// for each step: a thousand cycles beside a step's seven hundred.
static void leaveLoops(ImplicitLocOpBuilder &builder, Value value) {
  while (auto loop = dyn_cast_or_null<scf::ForOp>(builder.getInsertionBlock()->getParentOp())) {
    if (!leave(loop, value))
      return;
    builder.setInsertionPoint(loop);
  }
}

// A pack in parts has fewer than 2³¹ indices (compiler_c.h: pack_run); divisions of 64 bits would need more registers than the feeding thread has.
SmallVector<Value> hardwareCoordinates(Emitter &emitter, tilegpu::TensorMapOp map, ArrayRef<Value> coordinates) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  const View &view = emitter.view(map.getView());
  SmallVector<Value> parts(map.getOrder().size());
  auto place = [&](int64_t memory) -> Value & { return parts[llvm::find(map.getOrder(), memory) - map.getOrder().begin()]; };
  for (auto [coordinate, position] : llvm::zip(coordinates, map.getPositions())) {
    if (!isLastPart(view, map.getOrder()[position])) {
      parts[position] = coordinate;
      continue;
    }
    Value index = coordinate;
    OpBuilder::InsertionGuard guard(builder);
    leaveLoops(builder, index);
    for (int64_t memory = view.lastMemoryDimension(view.split); memory > view.firstMemoryDimension(view.split); --memory) {
      Value extent = emitter.max(emitter.toI32(view.extents[memory]), emitter.constant32(1)); // nothing divides by 0
      place(memory) = builder.createOrFold<arith::RemUIOp>(index, extent);
      index = builder.createOrFold<arith::DivUIOp>(index, extent);
    }
    place(view.firstMemoryDimension(view.split)) = index;
  }
  return parts;
}

void copyBox(Emitter &emitter, Value address, Value map, ValueRange coordinates, Value barrier) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Type cluster = LLVM::LLVMPointerType::get(builder.getContext(), 7);
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(builder, LLVM::AddrSpaceCastOp::create(builder, cluster, address), map, coordinates, barrier,
                                                         /*im2colOffsets=*/ValueRange(), /*multicastMask=*/Value(), /*l2CacheHint=*/Value(),
                                                         NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
}

void emitTmaLoad(Emitter &emitter, tilegpu::TmaLoadOp op) {
  auto map = op.getMap().getDefiningOp<tilegpu::TensorMapOp>();
  BufferType buffer = op.getBuffer().getType();
  SmallVector<int64_t> shape = buffer.getPaddedShape(), box = map.getExtents();
  int64_t width = shape[buffer.getContiguous()], boxWidth = box[0];
  // Boxes of a pack in parts follow one another along the dimension that is not the contiguous one; of others one goes all along it.
  int64_t panelBytes = buffer.getStageBytes() / (width / boxWidth), boxRows = 1, rows = 1;
  for (size_t dimension = 0; dimension < shape.size(); ++dimension)
    if (static_cast<int64_t>(dimension) != buffer.getContiguous())
      rows *= shape[dimension];
  for (int64_t extent : ArrayRef(box).drop_front())
    boxRows *= extent;
  size_t rowPosition = 0;
  for (size_t position = 1; position < box.size(); ++position)
    if (box[position] > 1)
      rowPosition = position;
  Value barrier = mbarrierAddress(emitter, op.getBarriers(), op.getNumber());
  SmallVector<Value> coordinates = coordinatesOf(emitter, op.getCoordinates());
  for (int64_t first = 0; first < width; first += boxWidth)
    for (int64_t row = 0; row < rows; row += boxRows) {
      Value address = emitter.advance(bufferAddress(emitter, op.getBuffer()), first / boxWidth * panelBytes + panelBytes / rows * row);
      SmallVector<Value> at(coordinates);
      for (auto [position, offset] : {std::pair(size_t(0), first), std::pair(rowPosition, row)}) {
        OpBuilder::InsertionGuard guard(emitter.builder);
        leaveLoops(emitter.builder, at[position]);
        at[position] = emitter.add(at[position], emitter.constant32(offset));
      }
      copyBox(emitter, address, emitter.scalar(op.getMap()), hardwareCoordinates(emitter, map, at), barrier);
    }
}

namespace {

class TmaStoreEmitter {
public:
  TmaStoreEmitter(Emitter &emitter, tilegpu::TmaStoreOp op)
      : emitter(emitter), op(op), builder(emitter.builder), type(cast<RankedTensorType>(op.getValue().getType())), staging(op.getStaging().getType()),
        slices(type) {
    for (Operation *user : op.getStaging().getUsers())
      if (auto fetch = dyn_cast<tilegpu::TmaFetchOp>(user))
        fetched = &emitter.fetchedTile(fetch);
  }

  void run() {
    if (!op.getMayMiss())
      return storeSlices();
    // A tile that may miss a view usually does: there are others. If LLVM thought both as likely, it would form what several such stores have in
    // common before all of them (MachineCSE), which spills: 96 packed words beside 192 accumulators.
    Value isExpected = LLVM::ExpectWithProbabilityOp::create(builder, meetsView(), emitter.constant(builder.getBoolAttr(false)), builder.getF64FloatAttr(0.8));
    emitter.whenAlone(isExpected, [&] { storeSlices(); });
  }

private:
  /// Whether some index of the tile is one of the view's, in each dimension: the same for all threads of a group.
  Value meetsView() {
    auto map = op.getMaps().front().getDefiningOp<tilegpu::TensorMapOp>();
    const View &view = emitter.view(map.getView());
    int64_t rowDimension = static_cast<int64_t>(op.getRowDimension());
    Value result;
    for (auto [number, coordinate, position] : llvm::enumerate(op.getCoordinates(), map.getPositions())) {
      if (isLastPart(view, map.getOrder()[position]))
        continue; // spans from 0 index it
      int64_t extent = number == 0 ? layoutAttr(type).getValue().shape()[1] : static_cast<int64_t>(number) == rowDimension ? layoutAttr(type).getValue().shape()[0] : 1;
      Value first = emitter.scalar(coordinate), end = emitter.add(first, emitter.constant(extent));
      auto compare = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) { return builder.createOrFold<arith::CmpIOp>(predicate, lhs, rhs); };
      result = emitter.logicalAnd(result, compare(arith::CmpIPredicate::sgt, end, emitter.constant(0)));
      result = emitter.logicalAnd(result, compare(arith::CmpIPredicate::slt, first, view.extents[map.getOrder()[position]]));
    }
    return result;
  }

  void storeSlices() {
    for (auto [number, slice] : llvm::enumerate(slices.all))
      store(slice, static_cast<int64_t>(number));
  }

  Emitter &emitter;
  tilegpu::TmaStoreOp op;
  ImplicitLocOpBuilder &builder;
  RankedTensorType type;
  BufferType staging;
  Slices slices;
  FetchedTile *fetched = nullptr; ///< whose pieces' places are the staging

  /// Two neighbours as one word, the first in its low half.
  Value pair(int64_t row, int64_t column) { return packedPair(emitter, op.getValue(), slices.registerAt(row, column), slices.registerAt(row, column + 1)); }

  /// Copies that may still read: those of the other stages. If a tile's slices do not fill whole rounds of stages, its first ones follow on
  /// any stage.
  int64_t pendingBefore(int64_t number) {
    int64_t others = staging.getStages() - 1;
    return slices.all.size() % staging.getStages() == 0 ? others : std::min(number, others);
  }

  void store(const Slice &slice, int64_t number) {
    SmallVector<Value> words;
    for (int64_t column = 0; column < slice.width; column += 16)
      for (int64_t block : {0, 8})
        for (int64_t half : {0, 8})
          words.push_back(pair(slice.row + half, slice.firstColumn + column + block));
    if (!fetched)
      emitter.when(laneIsFirst(emitter), [&] {
        NVVM::CpAsyncBulkWaitGroupOp::create(builder, static_cast<uint32_t>(pendingBefore(number)), builder.getUnitAttr());
      });
    NVVM::SyncWarpOp::create(builder, emitter.constant32(-1));
    Value region = emitter.advance(bufferAddress(emitter, op.getStaging()), number % staging.getStages() * staging.getStageBytes());
    region = emitter.advance(region, emitter.mul(emitter.warp(), emitter.constant32(sliceBytes)));
    SmallVector<SlicePart> parts = partsOf(slice, 2);
    for (const SlicePart &part : parts)
      writePart(emitter.advance(region, part.offset), part.width,
                ArrayRef(words).slice(static_cast<size_t>(part.firstColumn / 4), static_cast<size_t>(part.width / 4)));
    NVVM::FenceProxyOp::create(builder, NVVM::ProxyKind::async_shared, NVVM::SharedSpaceAttr::get(builder.getContext(), NVVM::SharedSpace::shared_cta));
    NVVM::SyncWarpOp::create(builder, emitter.constant32(-1));
    SmallVector<Value> begins;
    for (const SlicePart &part : parts)
      begins.push_back(op.getMayMiss() ? beginsInView(slice, part) : Value());
    emitter.when(laneIsFirst(emitter), [&] {
      for (auto [part, isThere] : llvm::zip(parts, begins))
        emitter.when(isThere, [&] { copy(emitter.advance(region, part.offset), slice, part); });
      NVVM::CpAsyncBulkCommitGroupOp::create(builder);
      if (fetched)
        copyBehindStore(*fetched, number);
    });
    for (auto [part, isThere] : llvm::zip(parts, begins))
      if (isThere)
        emitter.when(arith::XOrIOp::create(builder, isThere, emitter.constant(builder.getBoolAttr(true))),
                     [&] { storePieces(emitter.advance(region, part.offset), slice, part); });
  }

  /// Coordinates of a part of a slice, with a lane's own row and column in it.
  SmallVector<Value> placeOf(const Slice &slice, const SlicePart &part, Value row, Value column) {
    SmallVector<Value> at = coordinatesOf(emitter, op.getCoordinates());
    at[0] = emitter.add(emitter.add(at[0], emitter.constant32(slice.firstColumn + part.firstColumn)), column);
    Value first = emitter.coordinateOfWarp(layoutAttr(type), slice.registerNumber, 0);
    at[op.getRowDimension()] = emitter.add(emitter.add(at[op.getRowDimension()], first), row);
    return at;
  }

  /// A store by a tensor copy that begins at a negative coordinate is an illegal instruction (seen on an H200; loads may).
  Value beginsInView(const Slice &slice, const SlicePart &part) {
    Value result;
    for (Value coordinate : placeOf(slice, part, emitter.constant32(0), emitter.constant32(0)))
      result = emitter.logicalAnd(result, builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, coordinate, emitter.constant32(0)));
    return result;
  }

  /// What of a part is in the view, by all lanes: pieces of 16 bytes, which are inside or outside as a whole (ScheduleRules: beginsWithPieces).
  void storePieces(Value region, const Slice &slice, const SlicePart &part) {
    tilegpu::TensorMapOp map = mapOfWidth(op.getMaps(), part.width);
    const View &view = emitter.view(map.getView());
    constexpr int64_t pieceColumns = 8, pieceBytes = 16;
    int64_t ofRow = part.width / pieceColumns;
    auto masked = [&](Value value, int64_t mask) { return builder.createOrFold<arith::AndIOp>(value, emitter.constant32(mask)); };
    auto shifted = [&](Value value, int64_t bits) { return builder.createOrFold<arith::ShRUIOp>(value, emitter.constant32(bits)); };
    // A loop: few tiles come here, and unrolled it would take registers from all.
    auto loop = scf::ForOp::create(builder, emitter.lane(), emitter.constant32(sliceRows * ofRow), emitter.constant32(layout::lanesOfWarp));
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      Value number = loop.getInductionVar(), row = shifted(number, llvm::Log2_64(static_cast<uint64_t>(ofRow))), piece = masked(number, ofRow - 1);
      Value turn = part.width == 64 ? masked(row, 7) : part.width == 32 ? masked(shifted(row, 1), 3) : masked(shifted(row, 2), 1);
      Value from = emitter.advance(region, emitter.add(emitter.mul(row, emitter.constant32(2 * part.width)),
                                                       emitter.mul(builder.createOrFold<arith::XOrIOp>(piece, turn), emitter.constant32(pieceBytes))));
      Value exists, elements = emitter.constant(0);
      SmallVector<Value> place = hardwareCoordinates(emitter, map, placeOf(slice, part, row, emitter.mul(piece, emitter.constant32(pieceColumns))));
      for (auto [coordinate, memory] : llvm::zip(place, map.getOrder())) {
        Value wide = builder.createOrFold<arith::ExtSIOp>(builder.getI64Type(), coordinate);
        exists = emitter.logicalAnd(exists, builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, wide, view.extents[memory]));
        elements = emitter.add(elements, emitter.mul(wide, view.strides[memory]));
      }
      emitter.when(exists, [&] {
        Type words = VectorType::get({4}, builder.getI32Type());
        Value loaded = LLVM::LoadOp::create(builder, words, from, /*alignment=*/static_cast<unsigned>(pieceBytes));
        LLVM::StoreOp::create(builder, loaded, emitter.advance(view.base, emitter.mul(elements, emitter.constant(2))), /*alignment=*/static_cast<unsigned>(pieceBytes));
      });
    }
  }

  /// 16 rows of `width` columns.
  void writePart(Value region, int64_t width, ArrayRef<Value> words) {
    auto shape = NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8);
    for (int64_t column = 0; column < width; column += 16)
      NVVM::StMatrixOp::create(builder, matrixAddress(emitter, region, width, column), ValueRange(words.slice(static_cast<size_t>(column / 4), 4)),
                               NVVM::MMALayout::row, shape, NVVM::LdStMatrixEltType::B16);
  }

  void copy(Value region, const Slice &slice, const SlicePart &part) {
    tilegpu::TensorMapOp mapOp = mapOfWidth(op.getMaps(), part.width);
    Value map = emitter.scalar(mapOp.getMap());
    SmallVector<Value> coordinates = sliceCoordinates(emitter, mapOp, op.getCoordinates(), op.getRowDimension(), type, slice, part);
    if (op.getAdd())
      NVVM::CpAsyncBulkTensorReduceOp::create(builder, map, region, NVVM::TMAReduxKind::ADD, NVVM::TMAStoreMode::TILE, coordinates, Value());
    else
      NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(builder, map, region, coordinates, Value(), NVVM::TMAStoreMode::TILE, Value());
  }
};

} // namespace

/// A row of a panel is 128 bytes (or the swizzle's), so what is beyond the end is one piece of each panel.
void emitClearAbsent(Emitter &emitter, tilegpu::ClearAbsentOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  const Axis &axis = emitter.axis(op.getSpan());
  if (axis.isFull)
    return;
  BufferType buffer = op.getBuffer().getType();
  int64_t rows = buffer.getPaddedShape()[1 - buffer.getContiguous()], bytes = buffer.getPaddedShape()[buffer.getContiguous()] * buffer.getElementBytes();
  int64_t rowBytes = buffer.getSwizzle() ? buffer.getSwizzle() : bytes;
  constexpr int64_t pieceBytes = 16;
  Value isPartial = arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, axis.length, emitter.constant32(rows));
  emitter.when(isPartial, [&] {
    Type word = VectorType::get({4}, builder.getI32Type());
    Value zeros = LLVM::ZeroOp::create(builder, word), base = bufferAddress(emitter, op.getBuffer());
    Value first = emitter.add(emitter.mul(axis.length, emitter.constant32(rowBytes)), emitter.mul(emitter.thread(), emitter.constant32(pieceBytes)));
    Value step = emitter.constant32(emitter.warps() * layout::lanesOfWarp * pieceBytes);
    auto loop = scf::ForOp::create(builder, first, emitter.constant32(rows * rowBytes), step);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      for (int64_t panel = 0; panel < bytes / rowBytes; ++panel)
        LLVM::StoreOp::create(builder, zeros, emitter.advance(emitter.advance(base, panel * rows * rowBytes), loop.getInductionVar()), pieceBytes);
    }
    NVVM::FenceProxyOp::create(builder, NVVM::ProxyKind::async_shared, NVVM::SharedSpaceAttr::get(builder.getContext(), NVVM::SharedSpace::shared_cta));
    emitter.barrier();
  });
}

void emitTmaStore(Emitter &emitter, tilegpu::TmaStoreOp op) {
  TmaStoreEmitter(emitter, op).run();
}

void emitTmaStoreWait(Emitter &emitter) {
  NVVM::CpAsyncBulkWaitGroupOp::create(emitter.builder, uint32_t(0), emitter.builder.getUnitAttr());
}

} // namespace tilewright::gpu
