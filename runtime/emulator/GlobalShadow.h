// Who has accessed each place of global memory in a launch, to find blocks that race.
//
// Clusters run one after another here, in any order or at once on a GPU: nothing orders their accesses but strong ones
// (atomics, flags). So a place that one cluster has written, and another reads or writes, is a race, as is one that one has
// read and another writes. A cluster that has made a strong access to global memory may know what others did, and is not
// watched from then on; this hides races, and never invents one.
//
// Of writes, the last is known for each word of four bytes; of reads, which are more, for each sixteen. An entry has the bytes
// of the place that it speaks of; where clusters access different bytes of a place, only the last is known. Ranges of more than
// mostBytes are not watched.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace tilewright::runtime::emulator {

class RangeShadow {
public:
  /// An access that another cluster's earlier one is not ordered before.
  struct Earlier {
    bool isFound = false;
    bool isWrite = false;
    uint32_t cluster = several;
    uint32_t instruction = 0;
  };
  static constexpr uint32_t several = (1u << 24) - 2;
  static constexpr uint64_t mostBytes = uint64_t(1) << 30;

  /// Null if the range is too large, or there is no memory.
  static std::unique_ptr<RangeShadow> make(uint64_t bytes) {
    auto shadow = std::unique_ptr<RangeShadow>(new RangeShadow);
    if (bytes > mostBytes || !(shadow->writers = allocate(bytes / writeBytes)) ||
        !(shadow->readers = allocate(bytes / readBytes)))
      return nullptr;
    return shadow;
  }

  Earlier read(uint64_t offset, uint32_t bytes, uint32_t cluster, uint32_t instruction) {
    if (hasWrites.load(std::memory_order_relaxed))
      if (Earlier found = findOther<writeBytes>(writers, offset, bytes, cluster, true); found.isFound)
        return found;
    forEachPlace<readBytes>(offset, bytes, [&](uint64_t place, uint64_t mask) {
      uint64_t before = load(readers, place);
      uint64_t common = maskOf(before) & mask;
      if (!before || before >> 40 == cluster + 1)
        store(readers, place, entry(cluster, maskOf(before) | mask, instruction));
      else
        store(readers, place, common ? entry(several, common, instruction) : entry(cluster, mask, instruction));
      return false;
    });
    return {};
  }

  Earlier write(uint64_t offset, uint32_t bytes, uint32_t cluster, uint32_t instruction) {
    if (Earlier found = findOther<writeBytes>(writers, offset, bytes, cluster, true); found.isFound)
      return found;
    if (Earlier found = findOther<readBytes>(readers, offset, bytes, cluster, false); found.isFound)
      return found;
    hasWrites.store(true, std::memory_order_relaxed);
    forEachPlace<writeBytes>(offset, bytes, [&](uint64_t place, uint64_t mask) {
      uint64_t before = load(writers, place);
      store(writers, place, entry(cluster, mask | (before >> 40 == cluster + 1 ? maskOf(before) : 0), instruction));
      return false;
    });
    return {};
  }

private:
  struct Free {
    void operator()(void *memory) const { free(memory); }
  };
  using Entries = std::unique_ptr<uint64_t[], Free>;
  static constexpr uint64_t writeBytes = 4, readBytes = 16;

  /// Zeros that take memory only where they are touched.
  static Entries allocate(uint64_t places) {
    return Entries(static_cast<uint64_t *>(calloc(static_cast<size_t>(places + 1), sizeof(uint64_t))));
  }

  // An entry: 1 + the cluster, a bit for each byte, the instruction (24, 16 and 24 bits); 0: nobody.
  static uint64_t entry(uint64_t cluster, uint64_t mask, uint32_t instruction) {
    return (cluster + 1) << 40 | mask << 24 | (instruction & 0xffffff);
  }
  static uint64_t maskOf(uint64_t entry) { return entry >> 24 & 0xffff; }
  // Clusters may run on several host threads.
  static uint64_t load(const Entries &entries, uint64_t place) { return __atomic_load_n(&entries[place], __ATOMIC_RELAXED); }
  static void store(const Entries &entries, uint64_t place, uint64_t value) {
    __atomic_store_n(&entries[place], value, __ATOMIC_RELAXED);
  }

  /// visit(place, mask of its bytes) until it returns true.
  template <uint64_t size, typename Visit> static void forEachPlace(uint64_t offset, uint32_t bytes, Visit visit) {
    for (uint64_t at = offset, end = offset + bytes; at < end;) {
      uint64_t place = at / size, first = at % size, last = end - place * size < size ? end - place * size : size;
      if (visit(place, (uint64_t(1) << last) - (uint64_t(1) << first)))
        return;
      at = place * size + last;
    }
  }

  template <uint64_t size>
  static Earlier findOther(const Entries &entries, uint64_t offset, uint32_t bytes, uint32_t cluster, bool isWrite) {
    Earlier found;
    forEachPlace<size>(offset, bytes, [&](uint64_t place, uint64_t mask) {
      uint64_t before = load(entries, place);
      if (!(maskOf(before) & mask) || before >> 40 == cluster + 1)
        return false;
      found = {true, isWrite, static_cast<uint32_t>(before >> 40) - 1, static_cast<uint32_t>(before & 0xffffff)};
      return true;
    });
    return found;
  }

  Entries writers, readers;
  std::atomic<bool> hasWrites = false;
};

} // namespace tilewright::runtime::emulator
