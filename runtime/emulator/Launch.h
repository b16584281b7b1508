// One launch of a kernel: what its blocks share.
#pragma once

#include "runtime/emulator/GlobalShadow.h"
#include "runtime/emulator/Memory.h"
#include "runtime/emulator/Program.h"

#include <atomic>
#include <functional>
#include <map>
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
  bool checkRaces = true;        // races, copies in flight, proxies, peers
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
  Launch(const Program &program, const Function &kernel, const GlobalMemory &memory, const LaunchShape &shape,
         const LaunchOptions &options, std::span<const std::byte> parameters, uint64_t gridId)
      : program(program), kernel(kernel), memory(memory), shape(shape), options(options), parameters(parameters),
        gridId(gridId) {}

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

  /// Of a range that the launch accesses; null if it is not watched.
  RangeShadow *shadowOf(const Range *range) {
    uint64_t blocks = uint64_t(shape.grid.x) * shape.grid.y * shape.grid.z;
    if (!options.checkRaces || range->isReadOnly || blocks == 1 || blocks >= RangeShadow::several)
      return nullptr;
    std::lock_guard lock(shadowing);
    auto [place, isNew] = shadows.try_emplace(range);
    if (isNew)
      place->second = RangeShadow::make(range->bytes);
    return place->second.get();
  }

private:
  std::mutex shadowing;
  std::map<const Range *, std::unique_ptr<RangeShadow>> shadows;
};

} // namespace tilewright::runtime::emulator
