// Copies by the tensor memory accelerator.
//
// Loads. One thread asks; the bytes arrive at a barrier. A box is no wider than the swizzle, so a wider tile is several boxes side by
// side, which is how panels lie in the buffer.
//
// Stores. A warp's slice of 16 rows and 64 columns of a 16-bit accumulator tile is eight stmatrix of four 8 × 8 matrices into its own
// rows of the staging buffer: no other warp touches them, so the warps need not meet. Those writes are made visible to the tensor
// copy by a proxy fence of every lane (one for a slice: it costs a memory barrier), then one lane starts the copy. The same lane waits,
// before the stage is written again, until the copy has read it.
//
// Order. All of a slice is computed before the wait for its stage, and the stmatrix follow one another: interleaved with arithmetic they
// cost a tenth more (hand-written kernel, 128 × 192).

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::gpu {

using tilegpu::BufferType;

void emitTmaLoad(Emitter &emitter, tilegpu::TmaLoadOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto map = op.getMap().getDefiningOp<tilegpu::TensorMapOp>();
  BufferType buffer = op.getBuffer().getType();
  int64_t width = buffer.getPaddedShape()[buffer.getContiguous()], boxWidth = map.getBox()[0];
  int64_t boxBytes = buffer.getStageBytes() / (width / boxWidth);
  Value barrier = mbarrierAddress(emitter, op.getBarriers(), op.getNumber());
  SmallVector<Value> coordinates;
  for (Value coordinate : op.getCoordinates())
    coordinates.push_back(emitter.toI32(emitter.scalar(coordinate)));
  Type cluster = LLVM::LLVMPointerType::get(builder.getContext(), 7);
  for (int64_t first = 0; first < width; first += boxWidth) {
    Value address = emitter.advance(bufferAddress(emitter, op.getBuffer()), first / boxWidth * boxBytes);
    SmallVector<Value> at(coordinates);
    at[0] = emitter.add(at[0], emitter.constant32(first));
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(builder, LLVM::AddrSpaceCastOp::create(builder, cluster, address), emitter.scalar(op.getMap()), at,
                                                           barrier, /*im2colOffsets=*/ValueRange(), /*multicastMask=*/Value(), /*l2CacheHint=*/Value(),
                                                           NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
  }
}

namespace {

class TmaStoreEmitter {
public:
  TmaStoreEmitter(Emitter &emitter, tilegpu::TmaStoreOp op)
      : emitter(emitter), op(op), builder(emitter.builder), type(cast<RankedTensorType>(op.getValue().getType())), staging(op.getStaging().getType()) {
    layout::DistributedLayout layout = layoutAttr(type).getValue();
    columns = layout.shape()[1];
    for (int64_t number = 0; number < layout.registers(); ++number) {
      layout::Coordinates element = layout.elementAt({number, 0, 0});
      registerAt[{element[0], element[1]}] = number;
    }
  }

  void run() {
    for (int64_t first = 0; first < columns; first += 64)
      for (auto [place, number] : registerAt)
        if (place.second == 0 && place.first % 16 == 0)
          slices.push_back({place.first, number, first, std::min<int64_t>(64, columns - first)});
    for (auto [number, slice] : llvm::enumerate(slices))
      store(slice, static_cast<int64_t>(number));
  }

private:
  struct Slice {
    int64_t row, registerNumber, firstColumn, width;
  };

  Emitter &emitter;
  tilegpu::TmaStoreOp op;
  ImplicitLocOpBuilder &builder;
  RankedTensorType type;
  BufferType staging;
  int64_t columns = 0;
  std::map<std::pair<int64_t, int64_t>, int64_t> registerAt;
  SmallVector<Slice> slices;

  /// Two neighbours as one word, the first in its low half.
  Value pair(int64_t row, int64_t column) { return packedPair(emitter, op.getValue(), registerAt.at({row, column}), registerAt.at({row, column + 1})); }

  Value laneIsFirst() { return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, emitter.lane(), emitter.constant32(0)); }

  /// Copies that may still read: those of the other stages. If a tile's slices do not fill whole rounds of stages, its first ones follow on
  /// any stage.
  int64_t pendingBefore(int64_t number) {
    int64_t others = staging.getStages() - 1;
    return slices.size() % staging.getStages() == 0 ? others : std::min(number, others);
  }

  void store(const Slice &slice, int64_t number) {
    SmallVector<Value> words;
    for (int64_t column = 0; column < slice.width; column += 16)
      for (int64_t block : {0, 8})
        for (int64_t half : {0, 8})
          words.push_back(pair(slice.row + half, slice.firstColumn + column + block));
    emitter.when(laneIsFirst(), [&] {
      NVVM::CpAsyncBulkWaitGroupOp::create(builder, static_cast<uint32_t>(pendingBefore(number)), builder.getUnitAttr());
    });
    NVVM::SyncWarpOp::create(builder, emitter.constant32(-1));
    constexpr int64_t warpBytes = 16 * 128;
    Value region = emitter.advance(bufferAddress(emitter, op.getStaging()), number % staging.getStages() * staging.getStageBytes());
    region = emitter.advance(region, emitter.mul(emitter.warp(), emitter.constant32(warpBytes)));
    // 64 columns, then for what is left 32 and 16, one after another.
    int64_t first = 0, bytes = 0;
    SmallVector<std::pair<int64_t, int64_t>> parts; ///< width and its first column
    for (int64_t width : {64, 32, 16})
      if (width == 64 ? slice.width == 64 : slice.width < 64 && (slice.width & width) != 0) {
        writePart(emitter.advance(region, bytes), width, ArrayRef(words).slice(static_cast<size_t>(first / 4), static_cast<size_t>(width / 4)));
        parts.push_back({width, first});
        first += width;
        bytes += 16 * 2 * width;
      }
    NVVM::FenceProxyOp::create(builder, NVVM::ProxyKind::async_shared, NVVM::SharedSpaceAttr::get(builder.getContext(), NVVM::SharedSpace::shared_cta));
    NVVM::SyncWarpOp::create(builder, emitter.constant32(-1));
    emitter.when(laneIsFirst(), [&] {
      int64_t bytes = 0;
      for (auto [width, column] : parts) {
        copy(emitter.advance(region, bytes), width, slice, slice.firstColumn + column);
        bytes += 16 * 2 * width;
      }
      NVVM::CpAsyncBulkCommitGroupOp::create(builder);
    });
  }

  /// 16 rows of `width` columns: lane l gives the address of row l mod 16, chunk 2q + l / 16, of 16 columns q.
  void writePart(Value region, int64_t width, ArrayRef<Value> words) {
    auto masked = [&](Value value, int64_t mask) { return builder.createOrFold<arith::AndIOp>(value, emitter.constant32(mask)); };
    auto shifted = [&](Value value, int64_t bits) { return builder.createOrFold<arith::ShRUIOp>(value, emitter.constant32(bits)); };
    Value row = masked(emitter.lane(), 15), half = shifted(emitter.lane(), 4);
    // The chunk's bits that the swizzle changes are those of the row counted in whole 128 bytes.
    Value turn = width == 64 ? masked(row, 7) : width == 32 ? masked(shifted(row, 1), 3) : masked(shifted(row, 2), 1);
    Value base = emitter.advance(region, emitter.mul(row, emitter.constant32(2 * width)));
    auto shape = NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8);
    for (int64_t column = 0; column < width; column += 16) {
      Value chunk = builder.createOrFold<arith::XOrIOp>(emitter.add(half, emitter.constant32(column / 8)), turn);
      Value address = emitter.advance(base, emitter.mul(chunk, emitter.constant32(16)));
      NVVM::StMatrixOp::create(builder, address, ValueRange(words.slice(static_cast<size_t>(column / 4), 4)), NVVM::MMALayout::row, shape, NVVM::LdStMatrixEltType::B16);
    }
  }

  void copy(Value region, int64_t width, const Slice &slice, int64_t column) {
    Value map;
    for (Value candidate : op.getMaps())
      if (candidate.getDefiningOp<tilegpu::TensorMapOp>().getBox()[0] == width)
        map = candidate;
    SmallVector<Value> coordinates;
    for (auto [position, coordinate] : llvm::enumerate(op.getCoordinates())) {
      Value at = emitter.toI32(emitter.scalar(coordinate));
      if (position == 0)
        at = emitter.add(at, emitter.constant32(column));
      if (position == op.getRowDimension())
        at = emitter.add(at, emitter.coordinateOfWarp(layoutAttr(type), slice.registerNumber, 0));
      coordinates.push_back(at);
    }
    if (op.getAdd())
      NVVM::CpAsyncBulkTensorReduceOp::create(builder, emitter.scalar(map), region, NVVM::TMAReduxKind::ADD, NVVM::TMAStoreMode::TILE, coordinates, Value());
    else
      NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(builder, emitter.scalar(map), region, coordinates, Value(), NVVM::TMAStoreMode::TILE, Value());
  }
};

} // namespace

void emitTmaStore(Emitter &emitter, tilegpu::TmaStoreOp op) {
  TmaStoreEmitter(emitter, op).run();
}

void emitTmaStoreWait(Emitter &emitter) {
  NVVM::CpAsyncBulkWaitGroupOp::create(emitter.builder, uint32_t(0), emitter.builder.getUnitAttr());
}

} // namespace tilewright::gpu
