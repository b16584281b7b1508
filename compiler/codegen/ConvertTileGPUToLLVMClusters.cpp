// Clusters: blocks that form parts of a tile's sum, and read one another's.

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;

namespace tilewright::gpu {

int64_t blocksOfCluster(tile::KernelOp kernel) {
  auto schedule = kernel->getAttrOfType<tilegpu::ScheduleAttr>(tilegpu::scheduleName);
  return schedule ? schedule.getSplit() : 1;
}

static Value rankInCluster(Emitter &emitter) {
  return NVVM::BlockInClusterIdXOp::create(emitter.builder, emitter.builder.getI32Type());
}

void emitClusterRank(Emitter &emitter, tilegpu::ClusterRankOp op) {
  emitter.setScalar(op.getRank(), emitter.toI64(rankInCluster(emitter)));
}

/// The fence of those who made barriers (mbarriers_ready) stands before it.
void meetCluster(Emitter &emitter) {
  auto aligned = emitter.builder.getUnitAttr();
  NVVM::ClusterArriveRelaxedOp::create(emitter.builder, aligned);
  NVVM::ClusterWaitOp::create(emitter.builder, aligned);
}

namespace {

class SumEmitter {
public:
  SumEmitter(Emitter &emitter, tilegpu::ClusterSumOp op) : emitter(emitter), builder(emitter.builder), op(op), pieces(op.getPieces()) {}

  void run() {
    // Both warpgroups have waited for their products, so nothing reads the ring.
    emitter.barrier();
    leave();
    arriveAtAll(op.getReady());
    waitForPhase(emitter, emitter.scalar(op.getReady()), emitter.toI32(emitter.scalar(op.getParity())), /*ofCluster=*/true);
    addUp();
    // Before tensor copies write there.
    NVVM::FenceProxyOp::create(builder, NVVM::ProxyKind::async_shared, NVVM::SharedSpaceAttr::get(builder.getContext(), NVVM::SharedSpace::shared_cta));
    arriveAtAll(op.getFree());
  }

private:
  Emitter &emitter;
  ImplicitLocOpBuilder &builder;
  tilegpu::ClusterSumOp op;
  SmallVector<int64_t> pieces; ///< of each share, in each buffer

  static constexpr int64_t piece = 4, pieceBytes = 16;
  int64_t rowBytes() { return pieceBytes * layout::lanesOfWarp * emitter.warps(); } ///< a piece of each thread
  VectorType pieceType() { return VectorType::get({piece}, getElementTypeOrSelf(op.getType())); }
  Type inCluster() { return LLVM::LLVMPointerType::get(builder.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster)); }

  /// For each share, the accumulators in the order of the result's registers.
  SmallVector<SmallVector<int64_t>> registersOfShares() {
    auto whole = layoutAttr(op.getAccumulator().getType()).getValue(), share = layoutAttr(op.getType()).getValue();
    std::map<layout::Coordinates, int64_t> numbers;
    for (int64_t number = 0; number < whole.registers(); ++number)
      numbers[whole.elementAt({number, 0, 0})] = number;
    SmallVector<SmallVector<int64_t>> shares(op.getSplit());
    for (int64_t rank = 0; rank < op.getSplit(); ++rank)
      for (int64_t number = 0; number < share.registers(); ++number) {
        layout::Coordinates element = share.elementAt({number, 0, 0});
        element[1] += rank * share.shape()[1];
        shares[rank].push_back(numbers.at(element));
      }
    return shares;
  }

  /// The thread's place in the first row of a buffer.
  Value placeIn(Value buffer) { return emitter.advance(emitter.scalar(buffer), emitter.mul(emitter.thread(), emitter.constant32(pieceBytes))); }

  void leave() {
    Registers sums = emitter.registers(op.getAccumulator());
    SmallVector<SmallVector<int64_t>> shares = registersOfShares();
    int64_t before = 0; // pieces of a share in other buffers
    for (auto [buffer, count] : llvm::zip(op.getBuffers(), pieces)) {
      Value place = placeIn(buffer);
      for (int64_t rank = 0; rank < op.getSplit(); ++rank)
        for (int64_t number = 0; number < count; ++number) {
          Value four = LLVM::PoisonOp::create(builder, pieceType());
          for (int64_t part = 0; part < piece; ++part)
            four = LLVM::InsertElementOp::create(builder, four, sums[shares[rank][piece * (before + number) + part]], emitter.constant32(part));
          LLVM::StoreOp::create(builder, four, emitter.advance(place, (rank * count + number) * rowBytes()), pieceBytes);
        }
      before += count;
    }
  }

  /// Every warp at the barrier of every block: a lane for each.
  void arriveAtAll(Value barrier) {
    NVVM::SyncWarpOp::create(builder, emitter.constant32(-1));
    // A block that there is, for all lanes: LLVM computes the address for each.
    Value block = arith::AndIOp::create(builder, emitter.lane(), emitter.constant32(op.getSplit() - 1));
    emitter.when(arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, emitter.lane(), emitter.constant32(op.getSplit())), [&] {
      Value there = NVVM::MapaOp::create(builder, inCluster(), emitter.scalar(barrier), block);
      NVVM::MBarrierArriveOp::create(builder, Type(), there, Value(), NVVM::MemScopeKind::CLUSTER);
    });
  }

  /// What a block has left of this block's share.
  Registers partOf(Value block, Value rank) {
    Registers part;
    for (auto [buffer, count] : llvm::zip(op.getBuffers(), pieces)) {
      if (count == 0)
        continue;
      Value own = emitter.advance(placeIn(buffer), emitter.mul(rank, emitter.constant32(count * rowBytes())));
      Value there = NVVM::MapaOp::create(builder, inCluster(), own, block);
      for (int64_t number = 0; number < count; ++number) {
        Value address = LLVM::GEPOp::create(builder, there.getType(), builder.getI8Type(), there, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number * rowBytes())});
        Value four = LLVM::LoadOp::create(builder, pieceType(), address, pieceBytes);
        for (int64_t element = 0; element < piece; ++element)
          part.push_back(LLVM::ExtractElementOp::create(builder, four, emitter.constant32(element)));
      }
    }
    return part;
  }

  void addUp() {
    Value rank = rankInCluster(emitter);
    Registers first = partOf(emitter.constant32(0), rank);
    Value blocks = emitter.toI32(emitter.scalar(op.getParts()));
    auto loop = scf::ForOp::create(builder, emitter.constant32(1), blocks, emitter.constant32(1), first);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      Registers sums;
      for (auto [sum, part] : llvm::zip(loop.getRegionIterArgs(), partOf(loop.getInductionVar(), rank)))
        sums.push_back(isa<FloatType>(part.getType()) ? arith::AddFOp::create(builder, sum, part).getResult() : arith::AddIOp::create(builder, sum, part).getResult());
      scf::YieldOp::create(builder, sums);
    }
    emitter.setRegisters(op.getResult(), Registers(loop.getResults()));
  }
};

} // namespace

void emitClusterSum(Emitter &emitter, tilegpu::ClusterSumOp op) {
  SumEmitter(emitter, op).run();
}

} // namespace tilewright::gpu
