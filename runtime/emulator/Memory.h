// Global memory: the ranges that kernels may touch.
//
// Device addresses are our own numbers, not the host's: they are the same in every run, so reports can be compared; ranges are
// far apart, so that running over the end of one never lands in another; and none is used twice, so an access to freed memory
// is known as such. A host's buffer can be registered under its own address instead.
//
// A generic address is a global one, or a window's tag in its top byte and an address of that space below.
#pragma once

#include "runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>

namespace tilewright::runtime::emulator {

inline constexpr uint64_t sharedWindow = uint64_t(1) << 56;
inline constexpr uint64_t localWindow = uint64_t(2) << 56;
inline constexpr uint64_t parameterWindow = uint64_t(3) << 56;
inline constexpr uint64_t windowMask = uint64_t(0xff) << 56;

struct Range {
  uint64_t begin = 0;
  uint64_t bytes = 0;
  std::byte *host = nullptr;
  std::string name;
  bool isReadOnly = false;
  std::unique_ptr<std::byte[]> owned;

  bool contains(uint64_t address, uint64_t count) const {
    return address - begin < bytes && count <= bytes - (address - begin);
  }
};

/// Not changed while a kernel runs.
class GlobalMemory {
public:
  /// Zero bytes are allowed, as cudaMalloc allows them.
  Result<uint64_t> allocate(uint64_t bytes, std::string name, bool isReadOnly = false);
  Status registerHost(void *host, uint64_t bytes, std::string name);
  Status remove(uint64_t address);

  /// The range that has this address, or null.
  const Range *find(uint64_t address) const;
  /// The host's bytes behind a device range that lies in one allocation.
  Result<std::byte *> host(uint64_t address, uint64_t bytes) const;
  /// "12 bytes behind the end of x (0x10000000000, 4096 bytes)".
  std::string describe(uint64_t address, uint64_t bytes) const;

private:
  std::map<uint64_t, Range> ranges;
  std::map<uint64_t, std::pair<uint64_t, std::string>> freed; // begin → bytes, name
  uint64_t next = uint64_t(1) << 40;
  uint64_t count = 0;
};

} // namespace tilewright::runtime::emulator
