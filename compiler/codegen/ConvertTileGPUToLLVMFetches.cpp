// Tiles of views that tensor copies bring while the products are formed which they are to meet (a residual).
//
// A piece is a slice of the warp that reads it: no other warp touches its place or its barrier, so warps need not meet. The warp's first lane
// starts the copies, all lanes wait for the bytes and read them by ldmatrix (elements of four bytes: two at a time), which gives each the elements that its
// accumulators are combined with. When all lanes have read a piece (__syncwarp), the first starts the copy of a later one to its place: the bytes come while what was read is
// computed and stored. A wait for loads would instead stand in the way of each slice.
//
// Where the result is stored from the places of pieces, the store starts the copies of the later ones (copyBehindStore): a place is free when the tensor copy of
// its slice has read it. That is waited for when the next slice has been started, so the wait is short, and with four places a piece has two slices' time to come.
// The next tile's first pieces wait for the last slices.
//
// Parities. With P places, piece s of a tile lies in place s mod P, whichever tile it is. A place is used u times in a tile, u = ⌈(S - s mod P) / P⌉ of S
// pieces, so in the group's t-th tile its barrier completes phase t · u + s / P, whose parity needs t only where u is odd.

#include "compiler/codegen/ConvertTileGPUToLLVMSlices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::gpu {

class FetchedTile {
public:
  FetchedTile(Emitter &emitter, tilegpu::TmaFetchOp op)
      : emitter(emitter), op(op), builder(emitter.builder), type(op.getResult().getType()), pieces(op.getPieces().getType()),
        elementBytes(bytesOf(getElementTypeOrSelf(type))), isStoredInPlace(llvm::any_of(op.getPieces().getUsers(), llvm::IsaPred<tilegpu::TmaStoreOp>)), slices(type) {
    elements.resize(layoutAttr(type).getValue().registers());
    for (size_t piece = 0; piece < slices.all.size(); ++piece)
      for (const SlicePart &part : partsOf(slices.all[piece], elementBytes))
        for (int64_t column = 0; column < part.width; column += 16) {
          Block block{piece, part, column, {}};
          const Slice &slice = slices.all[piece];
          for (int64_t of8 : {0, 8})
            for (int64_t half : {0, 8})
              for (int64_t next : {0, 1})
                block.registers.push_back(slices.registerAt(slice.row + half, slice.firstColumn + part.firstColumn + column + of8 + next));
          for (int64_t number : block.registers)
            blockOf[number] = blocks.size();
          blocks.push_back(std::move(block));
        }
  }

  void start() {
    Value warp = emitter.warp();
    if (emitter.group)
      warp = emitter.add(emitter.mul(emitter.group, emitter.constant32(emitter.warps())), warp);
    barriers = emitter.advance(emitter.scalar(op.getBarriers()), emitter.mul(warp, emitter.constant32(8 * places())));
    region = emitter.advance(bufferAddress(emitter, op.getPieces()), emitter.mul(emitter.warp(), emitter.constant32(sliceBytes)));
    // All lanes have read what the tile before has left there.
    NVVM::SyncWarpOp::create(builder, emitter.constant32(-1));
    emitter.when(laneIsFirst(emitter), [&] {
      if (isStoredInPlace)
        waitForStores(0);
      for (int64_t piece = 0; piece < std::min(places(), count()); ++piece)
        copy(piece);
    });
  }

  /// By the lane that has just started the store of a slice: the slice before it makes room, or with one place this one.
  void copyBehindStore(int64_t slice) {
    int64_t behind = std::min<int64_t>(1, places() - 1), piece = slice - behind + places();
    if (slice < behind || piece >= count())
      return;
    waitForStores(static_cast<uint32_t>(behind));
    copy(piece);
  }

  Value element(int64_t number) {
    while (next <= blockOf[number])
      readNext();
    return elements[number];
  }

  void finish() {
    while (next < blocks.size())
      readNext();
  }

private:
  /// 16 columns of a piece: what one ldmatrix reads, if elements have two bytes.
  struct Block {
    size_t piece;
    SlicePart part;
    int64_t column; ///< in the part
    SmallVector<int64_t> registers;
  };

  Emitter &emitter;
  tilegpu::TmaFetchOp op;
  ImplicitLocOpBuilder &builder;
  Type type;
  tilegpu::BufferType pieces;
  int64_t elementBytes;
  bool isStoredInPlace;
  Slices slices;
  SmallVector<Block> blocks; ///< in the order in which they are read
  llvm::DenseMap<int64_t, size_t> blockOf;
  size_t next = 0;
  Registers elements;
  Value barriers, region; ///< the warp's own

  int64_t places() { return pieces.getStages(); }
  int64_t count() { return static_cast<int64_t>(slices.all.size()); }
  Value placeOf(int64_t piece) { return emitter.advance(region, piece % places() * pieces.getStageBytes()); }
  Value barrierOf(int64_t piece) { return emitter.advance(barriers, piece % places() * 8); }

  /// Until at most so many of the lane's stores still read what they store.
  void waitForStores(uint32_t pending) { NVVM::CpAsyncBulkWaitGroupOp::create(builder, pending, builder.getUnitAttr()); }

  /// By one lane.
  void copy(int64_t piece) {
    const Slice &slice = slices.all[piece];
    Value barrier = barrierOf(piece);
    NVVM::MBarrierArriveExpectTxOp::create(builder, Type(), barrier, emitter.constant32(sliceRows * elementBytes * slice.width), NVVM::MemScopeKind::CTA,
                                           /*relaxed=*/false, Value());
    for (const SlicePart &part : partsOf(slice, elementBytes)) {
      tilegpu::TensorMapOp map = mapOfWidth(op.getMaps(), part.width);
      copyBox(emitter, emitter.advance(placeOf(piece), part.offset), emitter.scalar(map.getMap()),
              sliceCoordinates(emitter, map, op.getCoordinates(), op.getRowDimension(), type, slice, part), barrier);
    }
  }

  void wait(int64_t piece) {
    int64_t uses = (count() - piece % places() + places() - 1) / places(), round = piece / places();
    Value parity = emitter.constant32(round % 2);
    if (uses % 2 != 0) {
      Value tile = emitter.toI32(emitter.tileOrdinal);
      if (emitter.roles.getGroups() > 1)
        tile = arith::ShRUIOp::create(builder, tile, emitter.constant32(1));
      parity = builder.createOrFold<arith::AndIOp>(emitter.add(tile, parity), emitter.constant32(1));
    }
    waitForPhase(emitter, barrierOf(piece), parity);
  }

  Value partOf(const Block &block) { return emitter.advance(placeOf(static_cast<int64_t>(block.piece)), block.part.offset); }
  VectorType pairType() { return VectorType::get({2}, getElementTypeOrSelf(type)); }

  /// Rows 0 and 8 of the first 8 columns, then of the others.
  SmallVector<Value> pairsOfWords(const Block &block) {
    auto words = LLVM::LLVMStructType::getLiteral(builder.getContext(), SmallVector<Type>(4, builder.getI32Type()));
    Value loaded = NVVM::LdMatrixOp::create(builder, words, matrixAddress(emitter, partOf(block), block.part.width, block.column), 4u, NVVM::MMALayout::row,
                                            NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8), NVVM::LdStMatrixEltType::B16);
    return llvm::map_to_vector(ArrayRef<int64_t>{0, 1, 2, 3}, [&](int64_t word) -> Value {
      return LLVM::BitcastOp::create(builder, pairType(), LLVM::ExtractValueOp::create(builder, loaded, word));
    });
  }

  SmallVector<Value> pairsOfElements(const Block &block) {
    SmallVector<Value> pairs;
    for (int64_t of8 : {0, 8}) {
      Value address = pairAddress(emitter, partOf(block), block.part.width, block.column + of8);
      for (int64_t half : {0, 8})
        pairs.push_back(LLVM::LoadOp::create(builder, pairType(), emitter.advance(address, half * elementBytes * block.part.width), /*alignment=*/8));
    }
    return pairs;
  }

  void readNext() {
    const Block &block = blocks[next];
    auto piece = static_cast<int64_t>(block.piece);
    if (next == 0 || blocks[next - 1].piece != block.piece)
      wait(piece);
    for (auto [number, both] : llvm::enumerate(elementBytes == 2 ? pairsOfWords(block) : pairsOfElements(block)))
      for (size_t half : {0, 1})
        elements[block.registers[2 * number + half]] = LLVM::ExtractElementOp::create(builder, both, emitter.constant32(static_cast<int64_t>(half)));
    bool isLast = ++next == blocks.size() || blocks[next].piece != block.piece;
    if (!isLast || isStoredInPlace || piece + places() >= count())
      return;
    NVVM::SyncWarpOp::create(builder, emitter.constant32(-1));
    emitter.when(laneIsFirst(emitter), [&] { copy(piece + places()); });
  }
};

std::shared_ptr<FetchedTile> startFetch(Emitter &emitter, tilegpu::TmaFetchOp op) {
  auto tile = std::make_shared<FetchedTile>(emitter, op);
  tile->start();
  return tile;
}

Value fetchedElement(FetchedTile &tile, int64_t registerNumber) {
  return tile.element(registerNumber);
}

void finishFetch(FetchedTile &tile) {
  tile.finish();
}

void copyBehindStore(FetchedTile &tile, int64_t slice) {
  tile.copyBehindStore(slice);
}

} // namespace tilewright::gpu
