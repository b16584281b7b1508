// The cluster's barrier, and addresses of another block's shared memory.
#include "runtime/Text.h"
#include "runtime/emulator/Cluster.h"
#include "runtime/emulator/Execute.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

Outcome clusterArrive(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  if (uint32_t twice = lanes & (warp.clusterArrived | warp.clusterPassed))
    return warp.fault(FaultKind::Barrier, instruction, static_cast<unsigned>(std::countr_zero(twice)),
                      "a second arrival at the cluster's barrier without barrier.cluster.wait between the two");
  warp.clusterArrived |= lanes;
  if (instruction.detail)
    warp.block.publishMbarriers(warp.party, true, false);
  warp.lastSync = warp.known.clocks[warp.party];
  warp.release(warp.block.cluster.barrier.arrivals);
  warp.block.cluster.completeBarrier();
  return Outcome::Next;
}

Outcome clusterWait(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  if (uint32_t never = lanes & ~(warp.clusterArrived | warp.clusterPassed))
    return warp.fault(FaultKind::Barrier, instruction, static_cast<unsigned>(std::countr_zero(never)),
                      "barrier.cluster.wait by a thread that has not arrived");
  Cluster &cluster = warp.block.cluster;
  if (uint32_t waiting = lanes & warp.clusterArrived)
    return warp.waitFor(Wait::Kind::ClusterBarrier, 0, cluster.barrier.phase, waiting);
  warp.clusterPassed &= ~lanes;
  warp.acquire(cluster.barrier.completed);
  return Outcome::Next;
}

Outcome mapAddress(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  for (unsigned lane : lanesOf(lanes)) {
    uint64_t address = warp.value(instruction.operand(1), lane), rank = warp.value(instruction.operand(2), lane);
    if (rank >= warp.block.cluster.blockCount())
      return warp.fault(FaultKind::Illegal, instruction, lane,
                        concat("mapa to block ", rank, " of a cluster of ", warp.block.cluster.blockCount()));
    uint64_t inBlock = (uint64_t(1) << rankShift) - 1;
    warp.setValue(instruction.operand(0), lane,
                  (address & windowMask) | (rank + 1) << rankShift | (address & ~windowMask & inBlock));
  }
  return Outcome::Next;
}

Outcome rankOfAddress(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  for (unsigned lane : lanesOf(lanes)) {
    uint64_t rank = (warp.value(instruction.operand(1), lane) & ~windowMask) >> rankShift;
    warp.setValue(instruction.operand(0), lane, rank ? rank - 1 : warp.block.rank);
  }
  return Outcome::Next;
}

} // namespace

namespace tilewright::runtime::emulator {

Executor bindClusterArrive(const Mnemonic &mnemonic, Instruction &instruction) {
  instruction.convergence = mnemonic.has("aligned") ? Convergence::Aligned : Convergence::None;
  instruction.detail = !mnemonic.has("relaxed");
  return &clusterArrive;
}
Executor bindClusterWait(const Mnemonic &mnemonic, Instruction &instruction) {
  instruction.convergence = mnemonic.has("aligned") ? Convergence::Aligned : Convergence::None;
  return &clusterWait;
}
Executor bindMapAddress(const Mnemonic &mnemonic, Instruction &) {
  return mnemonic.has("shared::cluster") || mnemonic.type() == Type::U64 ? &mapAddress : nullptr;
}
Executor bindRankOfAddress(const Mnemonic &, Instruction &) {
  return &rankOfAddress;
}

} // namespace tilewright::runtime::emulator
