// One launch of a kernel: what its blocks share.
#pragma once

#include "runtime/emulator/Memory.h"
#include "runtime/emulator/Program.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>

namespace tilewright::runtime::emulator {

struct Extent3 {
  uint32_t x = 1, y = 1, z = 1;
};

/// The `number`-th index of an extent, x first.
inline Index3 indexIn(const Extent3 &extent, uint64_t number) {
  return {static_cast<uint32_t>(number % extent.x), static_cast<uint32_t>(number / extent.x % extent.y),
          static_cast<uint32_t>(number / extent.x / extent.y)};
}

struct LaunchShape {
  Extent3 grid;
  Extent3 block;
  uint32_t dynamicSharedBytes = 0;
  Extent3 cluster{0, 0, 0}; // blocks; zeros: as the kernel's .reqnctapercluster says, else one
};

struct LaunchOptions {
  int threads = 1;               // clusters that run at once, over cores
  std::optional<uint64_t> seed;  // who runs next and when copies land, at random; none: in order, as late as possible
  bool checkRaces = true;        // the shadow of shared memory: races, copies in flight, proxies, peers
  bool findUninitialized = true; // with the races: reads of shared memory that nobody wrote; some kernels drop what they read
  uint64_t stepLimit = uint64_t(1) << 32;      // instructions of warps
  std::function<void(std::string_view)> print; // vprintf; null: stdout
};

struct LaunchReport {
  std::vector<Fault> faults; // of the first blocks that had one, in the order of the grid
  uint64_t warpInstructions = 0;
  uint64_t laneInstructions = 0;

  bool ok() const { return faults.empty(); }
  /// All faults' texts.
  std::string text() const;
};

struct Launch {
  const Program &program;
  const Function &kernel;
  const GlobalMemory &memory;
  LaunchShape shape;
  LaunchOptions options;
  std::span<const std::byte> parameters;
  uint64_t gridId = 0;

  std::atomic<uint64_t> steps = 0;
  std::atomic<uint64_t> laneSteps = 0;
  std::atomic<bool> stop = false;
  std::mutex printing;
};

} // namespace tilewright::runtime::emulator
