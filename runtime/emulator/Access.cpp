// What a warp's loads and stores may touch: bounds, alignment, and for shared memory the shadow. Every access of every executor
// comes through here.
#include "runtime/Text.h"
#include "runtime/emulator/Cluster.h"
#include "runtime/emulator/Warp.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

std::byte *Warp::access(const Instruction &instruction, unsigned lane, Space space, uint64_t address, uint32_t bytes,
                        uint8_t bits, const void *data) {
  if (space == Space::Generic) {
    uint64_t window = address & windowMask;
    space = window == 0                 ? Space::Global
            : window == sharedWindow    ? Space::SharedCluster
            : window == localWindow     ? Space::Local
            : window == parameterWindow ? Space::Parameter
                                        : Space::Global;
    if (space != Space::Global)
      address &= ~windowMask;
  }
  if (address & (bytes - 1)) {
    fault(FaultKind::Misaligned, instruction, lane,
          concat("an access of ", bytes, " bytes at an address that ", bytes, " does not divide"), address);
    return nullptr;
  }
  switch (space) {
  case Space::Shared:
  case Space::SharedCluster:
    return sharedAccess(instruction, lane, space, address, bytes, bits, data);
  case Space::Local:
    return localAccess(instruction, lane, address, bytes);
  case Space::Parameter:
    return parameterAccess(instruction, lane, address, bytes);
  default:
    return globalAccess(instruction, lane, address, bytes, bits);
  }
}

std::byte *Warp::globalAccess(const Instruction &instruction, unsigned lane, uint64_t address, uint32_t bytes, uint8_t bits) {
  if (!lastRange || !lastRange->contains(address, bytes)) {
    const Range *range = block.launch.memory.find(address);
    if (!range || !range->contains(address, bytes)) {
      fault(FaultKind::OutOfBounds, instruction, lane,
            concat(bits & WriteAccess ? "a store of " : "a load of ", bytes,
                   " bytes of global memory: ", block.launch.memory.describe(address, bytes)),
            address);
      return nullptr;
    }
    lastRange = range;
    lastShadow = block.launch.shadowOf(range);
  }
  if (lastRange->isReadOnly && (bits & WriteAccess)) {
    fault(FaultKind::ReadOnly, instruction, lane, concat("a store to ", lastRange->name), address);
    return nullptr;
  }
  if (lastShadow)
    if (RangeShadow::Earlier earlier = noteGlobal(instruction, address, bytes, bits); earlier.isFound) {
      reportBlocks(instruction, lane, address, earlier, bits & WriteAccess);
      return nullptr;
    }
  return lastRange->host + (address - lastRange->begin);
}

RangeShadow::Earlier Warp::noteGlobal(const Instruction &instruction, uint64_t address, uint32_t bytes, uint8_t bits) const {
  Cluster &cluster = block.cluster;
  cluster.isSynchronized |= (bits & StrongAccess) != 0;
  if (cluster.isSynchronized)
    return {};
  uint64_t offset = address - lastRange->begin;
  uint32_t number = static_cast<uint32_t>(&instruction - program.code.data());
  uint32_t its = static_cast<uint32_t>(cluster.number);
  return bits & WriteAccess ? lastShadow->write(offset, bytes, its, number) : lastShadow->read(offset, bytes, its, number);
}

void Warp::reportBlocks(const Instruction &instruction, unsigned lane, uint64_t address, const RangeShadow::Earlier &earlier,
                        bool isWrite) {
  Place other = place(program.code[earlier.instruction], 0);
  bool isSeveral = earlier.cluster == RangeShadow::several;
  const LaunchShape &shape = block.launch.shape;
  Extent3 clusters{shape.grid.x / shape.cluster.x, shape.grid.y / shape.cluster.y, shape.grid.z / shape.cluster.z};
  Index3 first = indexIn(clusters, isSeveral ? 0 : earlier.cluster);
  other.block = {first.x * shape.cluster.x, first.y * shape.cluster.y, first.z * shape.cluster.z};
  std::string role = earlier.isWrite ? "the other block's write" : "the other block's read";
  role += isSeveral ? " (several blocks', and the thread is not known)"
                    : " (of its cluster's first block, and the thread is not known)";
  fault(FaultKind::Race, instruction, lane,
        concat(isWrite ? "a write to" : "a read of", " global memory that another block ", earlier.isWrite ? "writes" : "reads",
               ", and blocks are ordered by atomics and flags only: ", lastRange->name),
        address, {{other, role}});
}

std::byte *Warp::localAccess(const Instruction &instruction, unsigned lane, uint64_t address, uint32_t bytes) {
  if (address <= localBytes && bytes <= localBytes - address)
    return local(lane, static_cast<uint32_t>(address));
  fault(FaultKind::OutOfBounds, instruction, lane, concat(bytes, " bytes of local memory, of which a thread has ", localBytes),
        address);
  return nullptr;
}

std::byte *Warp::parameterAccess(const Instruction &instruction, unsigned lane, uint64_t address, uint32_t bytes) {
  std::span<const std::byte> parameters = block.launch.parameters;
  if (address <= parameters.size() && bytes <= parameters.size() - address)
    return const_cast<std::byte *>(parameters.data()) + address; // nothing stores to this space
  fault(FaultKind::OutOfBounds, instruction, lane,
        concat(bytes, " bytes of the kernel's parameters, which have ", parameters.size()), address);
  return nullptr;
}

bool Warp::sharedBytes(const Instruction &instruction, unsigned lane, Space space, uint64_t address, uint32_t bytes,
                       SharedPlace &place) {
  place.block = &block;
  uint64_t inBlock = address;
  if (uint64_t rank = address >> rankShift; rank != 0 && space == Space::SharedCluster && rank <= block.cluster.blockCount()) {
    place.block = &block.cluster.block(static_cast<unsigned>(rank - 1));
    inBlock = address & ((uint64_t(1) << rankShift) - 1);
  }
  uint64_t offset = inBlock - sharedBase, size = place.block->shared.size();
  if (offset > size || bytes > size - offset) {
    fault(FaultKind::OutOfBounds, instruction, lane,
          concat(bytes, " bytes of shared memory at ", inBlock, "; the block has ", size, " bytes, from ", sharedBase, " on"),
          address);
    return false;
  }
  place.address = static_cast<uint32_t>(inBlock);
  place.data = place.block->shared.data() + offset;
  return place.block == &block || visit(instruction, lane, address, *place.block);
}

bool Warp::sharedAddress(const Instruction &instruction, unsigned lane, uint64_t address, uint32_t bytes, uint32_t alignment,
                         SharedPlace &place) {
  Space space = instruction.space;
  if (space == Space::Generic) {
    if ((address & windowMask) != sharedWindow) {
      fault(FaultKind::OutOfBounds, instruction, lane, "an address that is not shared memory's", address);
      return false;
    }
    address &= ~windowMask;
    space = Space::SharedCluster;
  }
  if (address & (alignment - 1)) {
    fault(FaultKind::Misaligned, instruction, lane, concat("an address that ", alignment, " does not divide"), address);
    return false;
  }
  return sharedBytes(instruction, lane, space, address, bytes, place);
}

bool Warp::visit(const Instruction &instruction, unsigned lane, uint64_t address, Block &other) {
  auto refuse = [&](std::string message) {
    fault(FaultKind::Peer, instruction, lane, std::move(message), address);
    return false;
  };
  if (other.isDone())
    return refuse(concat("shared memory of block ", other.rank,
                         " of the cluster, which has ended: a barrier.cluster before its end "
                         "is missing"));
  bool hasMet = false;
  for (uint16_t its = 0; its < other.warpCount(); ++its)
    hasMet |= known.clocks[other.firstParty + its] != 0;
  if (!hasMet && block.launch.options.checkRaces)
    return refuse(concat("shared memory of block ", other.rank,
                         " of the cluster, which may not have begun: a barrier.cluster is missing "
                         "before this"));
  other.noteVisitor(accessor(instruction, lane, 0));
  return true;
}

Accessor Warp::accessor(const Instruction &instruction, unsigned lane, uint8_t bits) const {
  Accessor who;
  who.party = party;
  who.lane = static_cast<uint8_t>(lane);
  who.isStrong = bits & StrongAccess;
  who.clock = known.clocks[party];
  who.instruction = static_cast<uint32_t>(&instruction - program.code.data());
  who.step = static_cast<uint32_t>(steps);
  return who;
}

std::byte *Warp::sharedAccess(const Instruction &instruction, unsigned lane, Space space, uint64_t address, uint32_t bytes,
                              uint8_t bits, const void *data) {
  SharedPlace place;
  if (!sharedBytes(instruction, lane, space, address, bytes, place))
    return nullptr;
  if (!block.launch.options.checkRaces)
    return place.data;
  Block &owner = *place.block;
  uint32_t offset = place.offset();
  // A flag: who reads it knows what its writer knew.
  if ((bits & StrongAccess) && (bits & ReadAccess))
    if (auto flag = owner.flags.find(offset); flag != owner.flags.end())
      acquire(flag->second);
  Actor who = actor(accessor(instruction, lane, bits), lane);
  std::optional<Conflict> conflict;
  if (bits & ReadAccess)
    conflict = owner.shadow.read(offset, bytes, who);
  if (!conflict && (bits & WriteAccess))
    conflict = owner.shadow.write(offset, bytes, who, data && memcmp(place.data, data, bytes) == 0);
  if (conflict) {
    reportConflict(instruction, lane, address, *conflict, bits & WriteAccess);
    return nullptr;
  }
  if ((bits & StrongAccess) && (bits & WriteAccess))
    release(owner.flags[offset]);
  return place.data;
}

bool Warp::sharedReads(const Instruction &instruction, uint32_t lanes, const uint64_t (&addresses)[warpSize], uint32_t bytes,
                       const std::byte *(&places)[warpSize]) {
  bool checks = block.launch.options.checkRaces;
  Actor who = actor(accessor(instruction, 0, ReadAccess), 0);
  uint64_t size = block.shared.size();
  for (unsigned lane : lanesOf(lanes)) {
    uint64_t offset = addresses[lane] - sharedBase;
    if ((offset & (bytes - 1)) || offset > size || bytes > size - offset)
      return access(instruction, lane, Space::Shared, addresses[lane], bytes, ReadAccess) != nullptr;
    places[lane] = block.shared.data() + offset;
    if (!checks)
      continue;
    who.as.lane = who.lane = static_cast<uint8_t>(lane);
    if (auto conflict = block.shadow.read(static_cast<uint32_t>(offset), bytes, who))
      return reportConflict(instruction, lane, addresses[lane], *conflict, false);
  }
  return true;
}

bool Warp::reportConflict(const Instruction &instruction, unsigned lane, uint64_t address, const Conflict &conflict,
                          bool isWrite) {
  if (conflict.kind == Conflict::Kind::Uninitialized) {
    fault(FaultKind::Uninitialized, instruction, lane,
          "a read of shared memory that no thread of the block has written: the write is missing, or what makes this read wait "
          "for it",
          address);
    return false;
  }
  const Accessor &earlier = conflict.other;
  uint16_t otherParty = earlier.isAsync ? static_cast<uint16_t>(earlier.step) : earlier.party;
  Warp &otherWarp = block.cluster.warp(otherParty);
  bool several = earlier.lane == Accessor::severalLanes && !earlier.isAsync;
  unsigned otherLane = several ? (lane == 0 ? 1 : 0) : earlier.lane == Accessor::severalLanes ? 0 : earlier.lane;
  Party other{otherWarp.place(program.code[earlier.instruction], otherLane),
              conflict.kind == Conflict::Kind::AfterRead  ? "the earlier read"
              : conflict.kind == Conflict::Kind::InFlight ? "the copy in flight"
                                                          : "the earlier write"};
  if (several)
    other.role += " (by several threads of the warp)";
  if (conflict.kind == Conflict::Kind::InFlight) {
    fault(FaultKind::InFlight, instruction, lane,
          concat(isWrite ? "a write to" : "a read of",
                 " shared memory that an asynchronous copy may still be writing: no wait has covered it"),
          address, {other});
    return false;
  }
  if (conflict.kind == Conflict::Kind::Unfenced) {
    fault(FaultKind::Proxy, instruction, lane,
          concat("an asynchronous ", isWrite ? "write to" : "read of",
                 " shared memory that a thread has written before: fence.proxy.async is missing between the two"),
          address, {other});
    return false;
  }
  if (conflict.kind == Conflict::Kind::AfterRead && earlier.isAsync) {
    fault(FaultKind::Race, instruction, lane,
          "a write to shared memory that an asynchronous instruction may still be reading: nothing has waited for it, and told "
          "this "
          "thread",
          address, {other});
    return false;
  }
  fault(FaultKind::Race, instruction, lane,
        concat(isWrite ? "a write to" : "a read of", " shared memory that another thread ",
               conflict.kind == Conflict::Kind::AfterRead ? "reads" : "writes", ", and no barrier orders the two",
               otherParty == party ? " (threads of one warp are ordered by bar.warp.sync or a barrier, not by running together)"
                                   : ""),
        address, {other});
  return false;
}
