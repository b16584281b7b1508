// cp.async.bulk without a tensor map, its groups, and cache policies (Bulk.h says when a copy happens).
#include "runtime/emulator/BulkAccess.h"

#include "runtime/Text.h"
#include "runtime/emulator/Atomic.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

/// A size or address that a bulk copy takes.
bool isSixteenth(const Issuer &issuer, std::string_view what, uint64_t value) {
  if (value % 16 == 0)
    return true;
  issuer.warp->fault(FaultKind::Misaligned, *issuer.instruction, issuer.lane,
                     concat("a bulk copy whose ", what, " is ", value, ", which is not a multiple of 16"));
  return false;
}

std::byte *globalBytes(const Issuer &issuer, unsigned operand, uint32_t bytes, uint8_t bits) {
  uint64_t address = issuer.warp->address(issuer.instruction->operand(operand), issuer.lane);
  if (!isSixteenth(issuer, "address", address))
    return nullptr;
  return issuer.warp->globalAccess(*issuer.instruction, issuer.lane, address, bytes, bits);
}

/// Blocks that a copy with .multicast::cluster goes to: operand 4's bits.
uint32_t targetMask(const Issuer &issuer) {
  const Instruction &instruction = *issuer.instruction;
  return static_cast<uint32_t>(issuer.warp->value(instruction.operand(4), issuer.lane));
}

bool copyFromGlobal(const Issuer &issuer, uint32_t bytes) {
  const std::byte *from = globalBytes(issuer, 1, bytes, ReadAccess);
  BulkTarget first;
  if (!from || !findTarget(issuer, 0, 3, bytes, 16, first))
    return false;
  auto copyTo = [&](const BulkTarget &target) {
    if (!beginWrite(issuer, target, bytes))
      return false;
    issueLoad(issuer, target, bytes, [to = target.place.data, from, bytes] { memcpy(to, from, bytes); });
    return true;
  };
  if (!issuer.instruction->detail2)
    return copyTo(first);
  return forEachTarget(issuer, targetMask(issuer), bytes, first, copyTo);
}

bool copyToPeer(const Issuer &issuer, uint32_t bytes) {
  BulkTarget target;
  SharedPlace source;
  Warp &warp = *issuer.warp;
  uint64_t from = warp.address(issuer.instruction->operand(1), issuer.lane);
  if (!findTarget(issuer, 0, 3, bytes, 16, target) || !isSixteenth(issuer, "address", from) ||
      !warp.sharedBytes(*issuer.instruction, issuer.lane, Space::Shared, from, bytes, source))
    return false;
  if (!beginRead(issuer, source, bytes, accessorOf(issuer, *target.mbarrier)) || !beginWrite(issuer, target, bytes))
    return false;
  issueLoad(issuer, target, bytes, [to = target.place.data, from = source.data, bytes] { memcpy(to, from, bytes); });
  return true;
}

/// detail: 1 + the operation of a reducing copy, 0 of a plain one; its type is in operand bytes' detail2.
bool copyToGlobal(const Issuer &issuer, uint32_t bytes) {
  const Instruction &instruction = *issuer.instruction;
  Warp &warp = *issuer.warp;
  SharedPlace source;
  uint64_t from = warp.address(instruction.operand(1), issuer.lane);
  if (!isSixteenth(issuer, "address", from) || !warp.sharedBytes(instruction, issuer.lane, Space::Shared, from, bytes, source))
    return false;
  std::byte *to = globalBytes(issuer, 0, bytes, instruction.detail ? WriteAccess | StrongAccess : WriteAccess);
  Bulk &bulk = warp.block.cluster.bulk;
  if (!to || !beginRead(issuer, source, bytes, bulk.readerOf(issuer)))
    return false;
  auto held = std::make_shared<std::vector<std::byte>>(bytes);
  auto read = [held, from = source.data, bytes] { memcpy(held->data(), from, bytes); };
  std::function<void()> write = [held, to, bytes] { memcpy(to, held->data(), bytes); };
  if (instruction.detail)
    write = [held, to, bytes, operation = static_cast<AtomicOperation>(instruction.detail - 1),
             type = static_cast<Type>(instruction.detail2)] {
      for (uint32_t at = 0; at < bytes; at += bytesOf(type)) {
        uint64_t value = 0;
        memcpy(&value, held->data() + at, bytesOf(type));
        atomicUpdate(to + at, operation, type, value);
      }
    };
  bulk.issue(BulkStore{issuer, std::move(read), std::move(write)});
  return true;
}

template <bool (*copy)(const Issuer &, uint32_t bytes)>
Outcome bulkCopy(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  for (unsigned lane : lanesOf(lanes)) {
    Issuer issuer{&warp, &instruction, lane};
    uint32_t bytes = static_cast<uint32_t>(warp.value(instruction.operand(2), lane));
    if (!isSixteenth(issuer, "size", bytes) || !copy(issuer, bytes))
      return Outcome::Fault;
  }
  return Outcome::Next;
}

Outcome bulkCommit(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  for (unsigned lane : lanesOf(lanes))
    warp.block.cluster.bulk.commit({&warp, &instruction, lane});
  return Outcome::Next;
}

Outcome bulkWait(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  for (unsigned lane : lanesOf(lanes))
    warp.block.cluster.bulk.wait({&warp, &instruction, lane}, static_cast<uint32_t>(instruction.operand(0).value),
                                 instruction.detail);
  return Outcome::Next;
}

/// Caches are not modelled, and a policy has no meaning.
Outcome makePolicy(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  for (unsigned lane : lanesOf(lanes))
    warp.setValue(instruction.operand(0), lane, 0);
  return Outcome::Next;
}

/// The target's mbarrier, whose initialization the copy must see.
bool findCounter(const Issuer &issuer, BulkTarget &target) {
  Warp &warp = *issuer.warp;
  target.mbarrier = findMbarrier(warp, *issuer.instruction, issuer.lane, target.counter);
  if (!target.mbarrier || target.mbarrier->isAsyncVisible || !warp.block.launch.options.checkRaces)
    return target.mbarrier != nullptr;
  const Accessor &first = target.mbarrier->initialized;
  warp.fault(
      FaultKind::Proxy, *issuer.instruction, issuer.lane,
      "a bulk copy with an mbarrier whose initialization it may not see: fence.mbarrier_init or fence.proxy.async is missing "
      "after it",
      target.counter.address,
      {{warp.block.cluster.warp(first.party).place(warp.program.code[first.instruction], first.lane), "the initialization"}});
  return false;
}

/// The same places in another block of the cluster.
bool findTargetIn(const Issuer &issuer, Block &block, uint32_t bytes, const BulkTarget &like, BulkTarget &target) {
  Warp &warp = *issuer.warp;
  const Instruction &instruction = *issuer.instruction;
  auto same = [&](const SharedPlace &place, uint32_t count, SharedPlace &to) {
    uint64_t address = uint64_t(block.rank + 1) << rankShift | place.address;
    return warp.sharedBytes(instruction, issuer.lane, Space::SharedCluster, address, count, to);
  };
  if (!same(like.place, bytes, target.place) || !same(like.counter, 8, target.counter))
    return false;
  return findCounter(issuer, target);
}

} // namespace

namespace tilewright::runtime::emulator {

Space destinationOf(const Mnemonic &mnemonic) {
  std::string_view first = mnemonic.oneOf("shared::cluster shared::cta global");
  return first == "global" ? Space::Global : first == "shared::cta" ? Space::Shared : Space::SharedCluster;
}

bool findTarget(const Issuer &issuer, unsigned destination, unsigned mbarrier, uint32_t bytes, uint32_t alignment,
                BulkTarget &target) {
  Warp &warp = *issuer.warp;
  const Instruction &instruction = *issuer.instruction;
  uint64_t to = warp.address(instruction.operand(destination), issuer.lane);
  uint64_t counter = warp.address(instruction.operand(mbarrier), issuer.lane);
  if (!warp.sharedAddress(instruction, issuer.lane, to, bytes, alignment, target.place) ||
      !warp.sharedAddress(instruction, issuer.lane, counter, 8, 8, target.counter))
    return false;
  if (target.place.block != target.counter.block) {
    warp.fault(FaultKind::Illegal, instruction, issuer.lane,
               "a bulk copy whose mbarrier is in another block than its destination", counter);
    return false;
  }
  // Of a multicast, this block need not be one of the targets.
  if (instruction.detail2)
    return true;
  return findCounter(issuer, target);
}

bool forEachTarget(const Issuer &issuer, uint32_t mask, uint32_t bytes, const BulkTarget &like,
                   const std::function<bool(const BulkTarget &)> &visit) {
  Warp &warp = *issuer.warp;
  Cluster &cluster = warp.block.cluster;
  if (mask >> cluster.blockCount()) {
    warp.fault(FaultKind::Illegal, *issuer.instruction, issuer.lane,
               concat("a multicast to blocks ", mask, " (a mask), and the cluster has ", cluster.blockCount()));
    return false;
  }
  for (unsigned rank : lanesOf(mask)) {
    BulkTarget target;
    if (!findTargetIn(issuer, cluster.block(rank), bytes, like, target) || !visit(target))
      return false;
  }
  return true;
}

Accessor accessorOf(const Issuer &issuer, const Mbarrier &mbarrier) {
  Accessor who = issuer.warp->accessor(*issuer.instruction, issuer.lane, 0);
  who.party = mbarrier.party;
  who.clock = mbarrier.copyClock();
  who.isAsync = true;
  who.step = issuer.warp->party;
  return who;
}

bool beginWrite(const Issuer &issuer, const BulkTarget &target, uint32_t bytes) {
  Warp &warp = *issuer.warp;
  if (!warp.block.launch.options.checkRaces)
    return true;
  Actor who = warp.actor(accessorOf(issuer, *target.mbarrier), issuer.lane);
  auto conflict = target.place.block->shadow.write(target.place.offset(), bytes, who, false);
  return !conflict || warp.reportConflict(*issuer.instruction, issuer.lane, conflict->offset + sharedBase, *conflict, true);
}

bool beginRead(const Issuer &issuer, const SharedPlace &source, uint32_t bytes, const Accessor &reader) {
  Warp &warp = *issuer.warp;
  if (!warp.block.launch.options.checkRaces)
    return true;
  auto conflict = source.block->shadow.read(source.offset(), bytes, warp.actor(reader, issuer.lane));
  return !conflict || warp.reportConflict(*issuer.instruction, issuer.lane, conflict->offset + sharedBase, *conflict, false);
}

void issueLoad(const Issuer &issuer, const BulkTarget &target, uint32_t bytes, std::function<void()> move) {
  target.place.block->noteVisitor(accessorOf(issuer, *target.mbarrier));
  issuer.warp->block.cluster.bulk.issue(
      BulkLoad{issuer, target.place.block, target.counter.address, bytes, target.mbarrier->phase, std::move(move)});
}

Executor bindBulkCopy(const Mnemonic &mnemonic, Instruction &instruction) {
  instruction.space = destinationOf(mnemonic);
  instruction.detail2 = mnemonic.has("multicast::cluster");
  bool toGlobal = instruction.space == Space::Global;
  unsigned operands = (toGlobal ? 3 : 4) + instruction.detail2 + mnemonic.has("L2::cache_hint");
  if (instruction.operandCount && instruction.operandCount != operands)
    return nullptr;
  if (mnemonic.has("bulk_group") != toGlobal || mnemonic.has("mbarrier::complete_tx::bytes") == toGlobal)
    return nullptr;
  if (toGlobal)
    return mnemonic.has("shared::cta") && !instruction.detail2 ? &bulkCopy<copyToGlobal> : nullptr;
  if (mnemonic.has("global"))
    return &bulkCopy<copyFromGlobal>;
  return mnemonic.has("shared::cta") && mnemonic.has("shared::cluster") && !instruction.detail2 ? &bulkCopy<copyToPeer>
                                                                                                : nullptr;
}

Executor bindBulkReduce(const Mnemonic &mnemonic, Instruction &instruction) {
  std::optional<AtomicOperation> operation = atomicOperationOf(mnemonic);
  instruction.space = destinationOf(mnemonic);
  if (!operation || instruction.space != Space::Global || !mnemonic.has("bulk_group") || bytesOf(mnemonic.type()) < 2)
    return nullptr;
  instruction.detail = static_cast<uint32_t>(*operation) + 1;
  instruction.detail2 = static_cast<uint32_t>(mnemonic.type());
  return &bulkCopy<copyToGlobal>;
}

Executor bindBulkCommit(const Mnemonic &, Instruction &) {
  return &bulkCommit;
}
Executor bindBulkWait(const Mnemonic &mnemonic, Instruction &instruction) {
  instruction.detail = mnemonic.has("read");
  return &bulkWait;
}
Executor bindPolicy(const Mnemonic &mnemonic, Instruction &) {
  return mnemonic.type() == Type::B64 ? &makePolicy : nullptr;
}

} // namespace tilewright::runtime::emulator
