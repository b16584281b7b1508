// What a warp's loads and stores may touch: bounds, alignment, and for shared memory the shadow. Every access of every executor
// comes through here.
#include "runtime/Text.h"
#include "runtime/emulator/Block.h"
#include "runtime/emulator/Warp.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

std::byte *Warp::access(const Instruction &instruction, unsigned lane, Space space, uint64_t address, uint32_t bytes,
                        uint8_t bits, const void *data) {
  if (space == Space::Generic) {
    uint64_t window = address & windowMask;
    space = window == 0                 ? Space::Global
            : window == sharedWindow    ? Space::Shared
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
    return sharedAccess(instruction, lane, address, bytes, bits, data);
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
  }
  if (lastRange->isReadOnly && (bits & WriteAccess)) {
    fault(FaultKind::ReadOnly, instruction, lane, concat("a store to ", lastRange->name), address);
    return nullptr;
  }
  return lastRange->host + (address - lastRange->begin);
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

std::byte *Warp::sharedBytes(const Instruction &instruction, unsigned lane, uint64_t address, uint32_t bytes) {
  uint64_t offset = address - sharedBase;
  if (offset <= block.shared.size() && bytes <= block.shared.size() - offset)
    return block.shared.data() + offset;
  fault(FaultKind::OutOfBounds, instruction, lane,
        concat(bytes, " bytes of shared memory at ", address, "; the block has ", block.shared.size(), " bytes, from ",
               sharedBase, " on"),
        address);
  return nullptr;
}

bool Warp::sharedAddress(const Instruction &instruction, unsigned lane, uint64_t &address, uint32_t bytes) {
  if (instruction.space == Space::Generic) {
    if ((address & windowMask) != sharedWindow) {
      fault(FaultKind::OutOfBounds, instruction, lane, "an address that is not shared memory's", address);
      return false;
    }
    address &= ~windowMask;
  }
  if (address & (bytes - 1)) {
    fault(FaultKind::Misaligned, instruction, lane, concat("an address that ", bytes, " does not divide"), address);
    return false;
  }
  return sharedBytes(instruction, lane, address, bytes) != nullptr;
}

Accessor Warp::accessor(const Instruction &instruction, unsigned lane, uint8_t bits) const {
  Accessor who;
  who.warp = static_cast<uint8_t>(number);
  who.lane = static_cast<uint8_t>(lane);
  who.isStrong = bits & StrongAccess;
  who.clock = block.clocks[number][number];
  who.instruction = static_cast<uint32_t>(&instruction - program.code.data());
  who.step = static_cast<uint32_t>(steps);
  return who;
}

std::byte *Warp::sharedAccess(const Instruction &instruction, unsigned lane, uint64_t address, uint32_t bytes, uint8_t bits,
                              const void *data) {
  std::byte *place = sharedBytes(instruction, lane, address, bytes);
  if (!place || !block.launch.options.checkRaces)
    return place;
  uint32_t offset = static_cast<uint32_t>(address - sharedBase);
  Clocks &known = block.clocks[number];
  // A flag: who reads it knows what its writer knew.
  if ((bits & StrongAccess) && (bits & ReadAccess))
    if (auto flag = block.flags.find(offset); flag != block.flags.end())
      block.acquire(number, flag->second);
  Accessor who = accessor(instruction, lane, bits);
  std::optional<Conflict> conflict;
  if (bits & ReadAccess)
    conflict = block.shadow.read(offset, bytes, who, known, block.lastSync[number]);
  if (!conflict && (bits & WriteAccess))
    conflict = block.shadow.write(offset, bytes, who, known, block.lastSync[number], data && memcmp(place, data, bytes) == 0);
  if (conflict) {
    reportConflict(instruction, lane, address, *conflict, bits & WriteAccess);
    return nullptr;
  }
  if ((bits & StrongAccess) && (bits & WriteAccess))
    block.release(number, block.flags[offset]);
  return place;
}

bool Warp::sharedReads(const Instruction &instruction, uint32_t lanes, const uint64_t (&addresses)[warpSize], uint32_t bytes,
                       const std::byte *(&places)[warpSize]) {
  bool checks = block.launch.options.checkRaces;
  Accessor who = accessor(instruction, 0, ReadAccess);
  const Clocks &known = block.clocks[number];
  uint32_t lastSync = block.lastSync[number];
  uint64_t size = block.shared.size();
  for (unsigned lane : lanesOf(lanes)) {
    uint64_t offset = addresses[lane] - sharedBase;
    if ((offset & (bytes - 1)) || offset > size || bytes > size - offset)
      return access(instruction, lane, Space::Shared, addresses[lane], bytes, ReadAccess) != nullptr;
    places[lane] = block.shared.data() + offset;
    if (!checks)
      continue;
    who.lane = static_cast<uint8_t>(lane);
    if (auto conflict = block.shadow.read(static_cast<uint32_t>(offset), bytes, who, known, lastSync))
      return reportConflict(instruction, lane, addresses[lane], *conflict, false);
  }
  return true;
}

/// Always false.
bool Warp::reportConflict(const Instruction &instruction, unsigned lane, uint64_t address, const Conflict &conflict,
                          bool isWrite) {
  if (conflict.kind == Conflict::Kind::Uninitialized) {
    fault(FaultKind::Uninitialized, instruction, lane,
          "a read of shared memory that no thread of the block has written: the write is missing, or what makes this read wait "
          "for it",
          address);
    return false;
  }
  const Instruction &earlier = program.code[conflict.other.instruction];
  bool several = conflict.other.lane == Accessor::severalLanes;
  unsigned otherLane = several ? (lane == 0 ? 1 : 0) : conflict.other.lane;
  Place other = place(earlier, 0);
  other.thread = block.threadIndex(conflict.other.warp * warpSize + otherLane);
  std::string role = conflict.kind == Conflict::Kind::AfterRead  ? "the earlier read"
                     : conflict.kind == Conflict::Kind::InFlight ? "the copy in flight"
                                                                 : "the earlier write";
  if (several)
    role += " (by several threads of the warp)";
  if (conflict.kind == Conflict::Kind::InFlight) {
    fault(FaultKind::InFlight, instruction, lane,
          concat(isWrite ? "a write to" : "a read of",
                 " shared memory that an asynchronous copy may still be writing: no wait has covered it"),
          address, {{other, role}});
    return false;
  }
  bool sameWarp = conflict.other.warp == number;
  fault(FaultKind::Race, instruction, lane,
        concat(isWrite ? "a write to" : "a read of", " shared memory that another thread ",
               conflict.kind == Conflict::Kind::AfterRead ? "reads" : "writes", ", and no barrier orders the two",
               sameWarp ? " (threads of one warp are ordered by bar.warp.sync or a barrier, not by running together)" : ""),
        address, {{other, role}});
  return false;
}
