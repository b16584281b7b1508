#include "runtime/emulator/Memory.h"

#include "runtime/Text.h"

#include <cstdio>
#include <new>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

/// Between two allocations: more than any stride that a wrong index is likely to jump.
constexpr uint64_t redZone = uint64_t(1) << 32;
constexpr uint64_t alignment = 512;

std::string hexadecimal(uint64_t value) {
  char buffer[24];
  snprintf(buffer, sizeof(buffer), "0x%llx", static_cast<unsigned long long>(value));
  return buffer;
}

std::string nameOf(uint64_t begin, uint64_t bytes, const std::string &name) {
  return concat(name, " (", hexadecimal(begin), ", ", bytes, " bytes)");
}

} // namespace

Result<uint64_t> GlobalMemory::allocate(uint64_t bytes, std::string name, bool isReadOnly) {
  Range range;
  range.owned.reset(new (std::nothrow) std::byte[bytes]);
  if (!range.owned)
    return Status(TW_OUT_OF_MEMORY, concat("no memory for an allocation of ", bytes, " bytes"));
  range.begin = next;
  range.bytes = bytes;
  range.host = range.owned.get();
  range.isReadOnly = isReadOnly;
  range.name = name.empty() ? concat("allocation ", count) : std::move(name);
  ++count;
  next += (bytes + redZone + alignment - 1) / alignment * alignment;
  uint64_t begin = range.begin;
  ranges.emplace(begin, std::move(range));
  return begin;
}

Status GlobalMemory::registerHost(void *host, uint64_t bytes, std::string name) {
  uint64_t begin = reinterpret_cast<uintptr_t>(host);
  auto after = ranges.lower_bound(begin);
  bool overlaps = after != ranges.end() && after->first < begin + bytes;
  if (after != ranges.begin())
    overlaps |= std::prev(after)->second.contains(begin, 1);
  if (overlaps)
    return Status(TW_INVALID_ARGUMENT, concat("memory at ", hexadecimal(begin), " overlaps memory that is already registered"));
  Range range;
  range.begin = begin;
  range.bytes = bytes;
  range.host = static_cast<std::byte *>(host);
  range.name = name.empty() ? concat("host memory ", count) : std::move(name);
  ++count;
  ranges.emplace(begin, std::move(range));
  return {};
}

Status GlobalMemory::remove(uint64_t address) {
  auto found = ranges.find(address);
  if (found == ranges.end())
    return Status(TW_INVALID_ARGUMENT, concat(hexadecimal(address), " is not the address of an allocation"));
  freed[address] = {found->second.bytes, found->second.name};
  ranges.erase(found);
  return {};
}

const Range *GlobalMemory::find(uint64_t address) const {
  auto after = ranges.upper_bound(address);
  if (after == ranges.begin())
    return nullptr;
  const Range &range = std::prev(after)->second;
  return range.contains(address, 1) ? &range : nullptr;
}

Result<std::byte *> GlobalMemory::host(uint64_t address, uint64_t bytes) const {
  auto after = ranges.upper_bound(address);
  if (after != ranges.begin()) {
    const Range &range = std::prev(after)->second;
    if (range.contains(address, bytes) || (bytes == 0 && address == range.begin))
      return range.host + (address - range.begin);
  }
  return Status(TW_INVALID_ARGUMENT,
                concat(bytes, " bytes at ", hexadecimal(address), " are not in one allocation: ", describe(address, bytes)));
}

std::string GlobalMemory::describe(uint64_t address, uint64_t bytes) const {
  auto gone = freed.upper_bound(address);
  if (gone != freed.begin()) {
    --gone;
    if (address - gone->first < gone->second.first)
      return concat(address - gone->first, " bytes into ", nameOf(gone->first, gone->second.first, gone->second.second),
                    ", which was freed");
  }
  auto after = ranges.upper_bound(address);
  const Range *below = after == ranges.begin() ? nullptr : &std::prev(after)->second;
  const Range *above = after == ranges.end() ? nullptr : &after->second;
  if (!below && !above)
    return "there are no allocations";
  uint64_t behind = below ? address - below->begin : 0; // from its beginning
  if (below && behind < below->bytes)
    return concat("the last ", behind + bytes - below->bytes, " of ", bytes, " bytes are behind the end of ",
                  nameOf(below->begin, below->bytes, below->name));
  if (below && (!above || behind - below->bytes <= above->begin - address))
    return concat(behind - below->bytes, " bytes behind the end of ", nameOf(below->begin, below->bytes, below->name));
  return concat(above->begin - address, " bytes before ", nameOf(above->begin, above->bytes, above->name));
}
