// What the executors of bulk copies share (BulkOps.cpp, TensorOps.cpp): who issues, where to, and the checks of shared memory.
#pragma once

#include "runtime/emulator/Cluster.h"
#include "runtime/emulator/Mnemonic.h"

namespace tilewright::runtime::emulator {

/// Where a copy goes: shared memory of a block, and the mbarrier there that counts its bytes.
struct BulkTarget {
  SharedPlace place;
  SharedPlace counter;
  Mbarrier *mbarrier = nullptr;
};

/// Destination and mbarrier by their operands; false: a fault was reported.
bool findTarget(const Issuer &issuer, unsigned destination, unsigned mbarrier, uint32_t bytes, uint32_t alignment,
                BulkTarget &target);
/// The same places in each block that a multicast's mask names.
bool forEachTarget(const Issuer &issuer, uint32_t mask, uint32_t bytes, const BulkTarget &like,
                   const std::function<bool(const BulkTarget &)> &visit);

/// A write by a copy whose bytes `mbarrier` counts has begun. False: a fault was reported.
bool beginWrite(const Issuer &issuer, const BulkTarget &target, uint32_t bytes);
/// A read of one's own shared memory has begun, which ends when `reader`'s clock is known. False: a fault was reported.
bool beginRead(const Issuer &issuer, const SharedPlace &source, uint32_t bytes, const Accessor &reader);

/// How the accesses of a copy are noted whose bytes this mbarrier counts.
Accessor accessorOf(const Issuer &issuer, const Mbarrier &mbarrier);

void issueLoad(const Issuer &issuer, const BulkTarget &target, uint32_t bytes, std::function<void()> move);

/// Which of a mnemonic's state spaces is the destination's: the first.
Space destinationOf(const Mnemonic &mnemonic);

} // namespace tilewright::runtime::emulator
