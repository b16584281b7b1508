// 32 threads that run in lock step where they are together.
//
// Each lane has its own program counter. The lanes with the deepest call and, among those, the least program counter go on
// together; as compilers lay code out in order, lanes that took different ways meet again where the ways join. An instruction
// that needs lanes which are not there
// (.aligned, or a member mask) parks the lanes that are; when no other lane of the warp can go on, they are a divergence fault.
// Every so often the choice is made the other way, so that a lane that waits in a loop for another lane of its warp does not
// wait for ever.
#pragma once

#include "runtime/emulator/Launch.h"
#include "runtime/emulator/Program.h"
#include "runtime/emulator/Shadow.h"

#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

namespace tilewright::runtime::emulator {

class Block;
class Cluster;
struct NamedBarrier;
struct Mbarrier;

/// Shared memory of the executing block, or of another one of its cluster.
struct SharedPlace {
  Block *block = nullptr;
  uint32_t address = 0; // in that block, from sharedBase on
  std::byte *data = nullptr;

  uint32_t offset() const { return address - sharedBase; }
};

/// Bits that describe a memory access.
enum AccessBits : uint8_t { ReadAccess = 1, WriteAccess = 2, StrongAccess = 4 };

/// Lanes that wait for something that other warps do.
struct Wait {
  enum class Kind : uint8_t { Barrier, Mbarrier, ClusterBarrier, Registers, Warpgroup } kind;
  uint32_t id; // the barrier's number, the mbarrier's address, or 0
  uint32_t lanes;
  uint32_t pc;
  uint64_t phase; // Mbarrier: that must be over
};

/// The lanes of a mask, least first: for (unsigned lane : lanesOf(mask)).
struct LaneRange {
  uint32_t mask;
  struct Iterator {
    uint32_t mask;
    unsigned operator*() const { return static_cast<unsigned>(std::countr_zero(mask)); }
    Iterator &operator++() {
      mask &= mask - 1;
      return *this;
    }
    bool operator!=(const Iterator &other) const { return mask != other.mask; }
  };
  Iterator begin() const { return {mask}; }
  Iterator end() const { return {0}; }
};
inline LaneRange lanesOf(uint32_t mask) {
  return {mask};
}

/// Writes the result of a barrier with reduction (bar.red) that has completed; nothing for other barriers. In BarrierOps.cpp.
void deliverReduction(Warp &warp, const Instruction &instruction, uint32_t lanes, const NamedBarrier &barrier);

/// What a warp knows of a register that a wgmma of the kernel uses.
struct MatrixRegister {
  uint64_t wgmma = 0; // the number of the last one that did, from 1 on
  bool isAccumulator = false;
  const Instruction *user = nullptr;
  uint64_t accessStep = 0; // of the last other instruction
  const Instruction *accessedBy = nullptr;
};

/// The mbarrier at a place, or null after a fault: it must have been initialized before, for all the warp knows. In
/// BarrierOps.cpp.
Mbarrier *findMbarrier(Warp &warp, const Instruction &instruction, unsigned lane, const SharedPlace &place);

class Warp {
public:
  Warp(Block &block, unsigned number, uint16_t party, uint32_t lanes);

  /// Runs until nothing can go on, or for so many instructions.
  void run(uint64_t quantum);
  bool isDone() const { return live == 0; }
  bool canRun() const { return (live & ~waiting & ~parked) != 0; }

  // Operands.
  template <typename T> const T *in(const Operand &operand) const {
    return reinterpret_cast<const T *>(banks[static_cast<unsigned>(operand.bank)] + operand.offset);
  }
  template <typename T> T *out(const Operand &operand) { return reinterpret_cast<T *>(registers.data() + operand.offset); }
  uint32_t predicate(const Operand &operand) const {
    uint32_t mask;
    memcpy(&mask, banks[static_cast<unsigned>(operand.bank)] + operand.offset, 4);
    return operand.negated ? ~mask : mask;
  }
  void setPredicate(const Operand &operand, uint32_t value, uint32_t lanes) {
    uint32_t mask;
    memcpy(&mask, registers.data() + operand.offset, 4);
    mask = (mask & ~lanes) | (value & lanes);
    memcpy(registers.data() + operand.offset, &mask, 4);
  }
  /// A lane's value of an operand of up to 8 bytes, zero-extended.
  uint64_t value(const Operand &operand, unsigned lane) const;
  void setValue(const Operand &operand, unsigned lane, uint64_t value);
  uint64_t address(const Operand &operand, unsigned lane) const {
    return value(operand, lane) + static_cast<uint64_t>(operand.value);
  }

  /// All lanes' addresses of an address operand.
  void addresses(const Operand &operand, uint64_t (&to)[warpSize]) const;

  // Control.
  Outcome jump(uint32_t lanes, uint32_t target);
  Outcome jumpEach(uint32_t lanes, const std::array<uint32_t, warpSize> &targets);
  Outcome callFunction(const Instruction &instruction, uint32_t lanes);
  Outcome returnFrom(uint32_t lanes);
  Outcome exitLanes(uint32_t lanes);
  Outcome waitFor(Wait::Kind kind, uint32_t id, uint64_t phase, uint32_t lanes);
  /// All lanes waiting there go on: behind the instruction, or at it.
  void wake(Wait::Kind kind, uint32_t id, bool behind, const NamedBarrier *completed = nullptr);
  void yield() { mustYield = true; }
  bool isAllAt(uint32_t barrier) const;

  // Order (Clocks.h). What the warp has done so far is known to who acquires what it releases.
  void release(Knowledge &into);
  void acquire(const Knowledge &from);
  /// The warp's lanes are ordered: what any has done is before what any does from now on.
  void orderLanes();
  /// fence.proxy.async by these lanes.
  void fenceProxy(uint32_t lanes);

  // wgmma (WgmmaOps.cpp).
  MatrixRegister &matrixRegister(const Operand &operand) { return matrixRegisters[operand.offset / 64]; }
  void beginMatrix() {
    matrixRegisters.resize(registers.size() / 64 + 1);
    matrixFence = steps;
  }
  /// False: the instruction accesses a register in flight, and a fault was reported.
  bool checkMatrixRegisters(const Instruction &instruction);

  // Memory. Null: a fault was reported.
  std::byte *access(const Instruction &instruction, unsigned lane, Space space, uint64_t address, uint32_t bytes, uint8_t bits,
                    const void *data = nullptr);
  std::byte *sharedAccess(const Instruction &instruction, unsigned lane, Space space, uint64_t address, uint32_t bytes,
                          uint8_t bits, const void *data);
  /// Of any size and alignment.
  std::byte *globalAccess(const Instruction &instruction, unsigned lane, uint64_t address, uint32_t bytes, uint8_t bits);
  /// The same for global memory in the range that was last used: a few instructions, null if it is not that simple.
  std::byte *quickGlobal(const Instruction &instruction, Space space, uint64_t address, uint32_t bytes, uint8_t bits) const {
    bool isSimple = (space == Space::Global || space == Space::Generic || space == Space::Const) && lastRange &&
                    lastRange->contains(address, bytes) && !(address & (bytes - 1)) &&
                    !(lastRange->isReadOnly && (bits & WriteAccess));
    if (!isSimple || (lastShadow && noteGlobal(instruction, address, bytes, bits).isFound))
      return nullptr;
    return lastRange->host + (address - lastRange->begin);
  }
  /// Notes an access to the range that was last used, which is watched; or the other block's that it races with.
  RangeShadow::Earlier noteGlobal(const Instruction &instruction, uint64_t address, uint32_t bytes, uint8_t bits) const;
  /// Weak loads of shared memory by all lanes of a mask; false: a fault was reported.
  bool sharedReads(const Instruction &instruction, uint32_t lanes, const uint64_t (&addresses)[warpSize], uint32_t bytes,
                   const std::byte *(&places)[warpSize]);
  /// Bounds of shared memory without the shadow; another block's if the space is the cluster's. False: a fault was reported.
  bool sharedBytes(const Instruction &instruction, unsigned lane, Space space, uint64_t address, uint32_t bytes,
                   SharedPlace &place);
  /// The same for an address in the instruction's space that must be shared memory's, aligned to a power of two.
  bool sharedAddress(const Instruction &instruction, unsigned lane, uint64_t address, uint32_t bytes, uint32_t alignment,
                     SharedPlace &place);
  /// Notes an access to another block's shared memory; false: the block may not be there, and a fault was reported.
  bool visit(const Instruction &instruction, unsigned lane, uint64_t address, Block &other);
  std::byte *local(unsigned lane, uint32_t offset) {
    return localMemory.data() + static_cast<size_t>(lane) * localBytes + offset;
  }
  Accessor accessor(const Instruction &instruction, unsigned lane, uint8_t bits) const;
  Actor actor(const Accessor &as, unsigned lane) const {
    return {as, known, party, static_cast<uint8_t>(lane), lastSync, ownFence[lane]};
  }
  /// Always false.
  bool reportConflict(const Instruction &instruction, unsigned lane, uint64_t address, const Conflict &conflict, bool isWrite);

  // Faults.
  Outcome fault(FaultKind kind, const Instruction &instruction, unsigned lane, std::string message,
                std::optional<uint64_t> address = std::nullopt, std::vector<Party> parties = {});
  Place place(const Instruction &instruction, unsigned lane) const;
  /// Where the lanes that have not exited stand, for a deadlock.
  void describeWaits(std::vector<Party> &parties) const;
  void refreshClock();

  Block &block;
  const Program &program;
  const unsigned number; // in the block
  const uint16_t party;  // in the cluster
  Knowledge known;
  uint32_t lastSync = 0;
  std::array<uint32_t, warpSize> ownFence{};
  // barrier.cluster: lanes that have arrived, and lanes whose phase is over and which have not waited for it yet.
  uint32_t clusterArrived = 0, clusterPassed = 0;
  const Instruction *lastTry = nullptr; // the mbarrier.try_wait that has given up last
  uint64_t matrixFence = 0;             // the step of the last wgmma.fence
  uint32_t registersPerThread;          // 0: not known, and setmaxnreg does nothing
  uint32_t registerStep = 0;            // how many setmaxnreg it has executed
  uint32_t carry = 0;                   // .cc
  uint64_t steps = 0;
  uint64_t laneSteps = 0;

  uint32_t live;
  uint32_t group = 0; // the lanes that run
  uint32_t pc = 0;    // of the group

private:
  bool select();
  bool isComplete(const Instruction &instruction, uint32_t lanes, bool &isFault);
  void flush();
  void advance();
  std::byte *localAccess(const Instruction &instruction, unsigned lane, uint64_t address, uint32_t bytes);
  std::byte *parameterAccess(const Instruction &instruction, unsigned lane, uint64_t address, uint32_t bytes);
  void reportDivergence();
  void reportBlocks(const Instruction &instruction, unsigned lane, uint64_t address, const RangeShadow::Earlier &earlier,
                    bool isWrite);
  void fillSpecials();

  const std::byte *banks[4];
  std::vector<std::byte> registers;
  std::vector<std::byte> specials;
  std::vector<std::byte> localMemory;
  std::vector<MatrixRegister> matrixRegisters; // by 64 bytes of registers; empty before the first wgmma.fence
  uint32_t localBytes;
  const Range *lastRange = nullptr;
  RangeShadow *lastShadow = nullptr; // of lastRange; null: it is not watched

  uint32_t waiting = 0;
  uint32_t parked = 0;
  uint32_t nextOther = ~0u; // least program counter above pc of the lanes that are not in the group
  std::array<uint32_t, warpSize> pcs{};
  std::array<uint8_t, warpSize> depth{};
  std::vector<std::array<uint32_t, warpSize>> callers; // by depth: where the call was
  std::vector<Wait> waits;
  uint64_t selections = 0;
  bool mustYield = false;
};

} // namespace tilewright::runtime::emulator
