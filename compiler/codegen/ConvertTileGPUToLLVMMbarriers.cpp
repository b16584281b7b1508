// Barriers in shared memory, and the turns of groups.

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::gpu {

Value mbarrierAddress(Emitter &emitter, Value barriers, Value number) {
  Value offset = emitter.mul(emitter.toI32(emitter.scalar(number)), emitter.constant32(8));
  return emitter.advance(emitter.scalar(barriers), offset);
}

static constexpr int64_t threadsOfWarpgroup = 128;

int64_t feedingThread(Emitter &emitter) {
  return emitter.roles ? static_cast<int64_t>(emitter.roles.getGroups()) * emitter.warps() * layout::lanesOfWarp : 0;
}

void emitMbarriers(Emitter &emitter, tilegpu::MbarriersOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value first = emitter.sharedMemory(static_cast<int64_t>(*op.getOffset()));
  emitter.setScalar(op.getBarriers(), first);
  Value isFirst = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, emitter.threadOfBlock(), emitter.constant32(feedingThread(emitter)));
  emitter.when(isFirst, [&] {
    for (int64_t number = 0; number < op.getBarriers().getType().getCount(); ++number)
      NVVM::MBarrierInitOp::create(builder, emitter.advance(first, 8 * number), emitter.constant32(static_cast<int64_t>(op.getArrivals())), Value());
  });
}

/// The thread that feeds made them, and goes on: its first copies are what the others wait for longest. (A hand-written kernel's first product
/// began 850 cycles after the start so, 1150 when it waited.)
void emitMbarriersReady(Emitter &emitter) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  if (!emitter.roles) {
    NVVM::FenceMbarrierInitOp::create(builder);
    NVVM::Barrier0Op::create(builder);
    return;
  }
  Value warp = builder.createOrFold<arith::ShRUIOp>(emitter.threadOfBlock(), emitter.constant32(5));
  Value feeds = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, warp, emitter.constant32(feedingThread(emitter) / layout::lanesOfWarp));
  Value all = emitter.constant32(0), threads = emitter.constant32(feedingThread(emitter) + threadsOfWarpgroup);
  auto branch = scf::IfOp::create(builder, feeds, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  NVVM::FenceMbarrierInitOp::create(builder);
  NVVM::SyncWarpOp::create(builder, emitter.constant32(-1));
  emitter.arriveAt(all, threads);
  builder.setInsertionPointToStart(branch.elseBlock());
  NVVM::BarrierOp::create(builder, Type(), all, threads, NVVM::BarrierReductionAttr(), Value());
  builder.setInsertionPointAfter(branch);
  if (blocksOfCluster(emitter.kernel) > 1)
    meetCluster(emitter);
}

void emitMbarrierWait(Emitter &emitter, tilegpu::MbarrierWaitOp op) {
  bool ofCluster = llvm::any_of(op.getBarriers().getUsers(), [](Operation *user) { return isa<tilegpu::ClusterSumOp>(user); });
  waitForPhase(emitter, mbarrierAddress(emitter, op.getBarriers(), op.getNumber()), emitter.toI32(emitter.scalar(op.getParity())), ofCluster);
}

/// The hardware suspends the thread for a while; whether the phase is over must then be asked again.
void waitForPhase(Emitter &emitter, Value address, Value parity, bool ofCluster) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto loop = scf::WhileOp::create(builder, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&loop.getBefore());
  Value isOver = NVVM::MBarrierTryWaitOp::create(builder, builder.getI1Type(), address, parity, Value(), ofCluster ? NVVM::MemScopeKind::CLUSTER : NVVM::MemScopeKind::CTA);
  Value again = arith::XOrIOp::create(builder, isOver, emitter.constant(builder.getBoolAttr(true)));
  scf::ConditionOp::create(builder, again, ValueRange());
  builder.createBlock(&loop.getAfter());
  scf::YieldOp::create(builder);
}

void emitMbarrierArrive(Emitter &emitter, tilegpu::MbarrierArriveOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value address = mbarrierAddress(emitter, op.getBarriers(), op.getNumber());
  Value isFirst;
  if (emitter.isPreparer || op.getEachWarp()) {
    NVVM::SyncWarpOp::create(builder, emitter.constant32(-1));
    isFirst = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, emitter.lane(), emitter.constant32(0));
  } else if (emitter.group) {
    Value within = builder.createOrFold<arith::AndIOp>(emitter.thread(), emitter.constant32(threadsOfWarpgroup - 1));
    isFirst = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, within, emitter.constant32(0));
  }
  emitter.when(isFirst, [&] {
    if (op.getBytes())
      NVVM::MBarrierArriveExpectTxOp::create(builder, Type(), address, emitter.constant32(static_cast<int64_t>(*op.getBytes())), NVVM::MemScopeKind::CTA,
                                             /*relaxed=*/false, Value());
    else
      NVVM::MBarrierArriveOp::create(builder, Type(), address, Value());
  });
}

void emitTurn(Emitter &emitter, bool isWait, bool ofWarpgroups, bool isFirst) {
  constexpr int64_t parties = 2, warpsOfWarpgroup = 4;
  bool areThere = ofWarpgroups ? emitter.warps() == parties * warpsOfWarpgroup : emitter.roles.getGroups() == parties;
  if (!emitter.group || !areThere)
    return;
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value party = ofWarpgroups ? builder.createOrFold<arith::ShRUIOp>(emitter.warp(), emitter.constant32(2)) : emitter.group;
  Value threads = emitter.constant32((ofWarpgroups ? 1 : parties) * emitter.warps() * layout::lanesOfWarp);
  // A barrier for each party's turn: it waits there, the other only arrives.
  Value own = emitter.add(party, emitter.constant32(Emitter::firstTurnBarrier));
  auto pass = [&] { emitter.arriveAt(emitter.sub(emitter.constant32(2 * Emitter::firstTurnBarrier + 1), own), threads); };
  if (isWait)
    NVVM::BarrierOp::create(builder, Type(), own, threads, NVVM::BarrierReductionAttr(), Value());
  else if (isFirst)
    emitter.when(arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, party, emitter.constant32(parties - 1)), pass);
  else
    pass();
}

} // namespace tilewright::gpu
