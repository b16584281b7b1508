// A schedule that somebody asks for, as text: `plain` (no roles: mma.sync), or fields to set in place of the default's.
//
//   groups=1|2            groups that take turns; with one its warpgroups share a tile
//   warps=4|8             of a group
//   stages=N              of the ring, 2 to 16
//   registers=24/240      of a thread that feeds, and of the others: no more in all than the block begins with (168 for each of 384 threads)
//   vectors=prepared|loaded   a bias is left in shared memory by a warp of its own, or loaded in the epilogue
//   overlap=none|delayed|turns   of a loop with several products: each is waited for in its place, the last one of a step beside the next step's
//                         computations, or so with warpgroups that start theirs in turn
//   split=2|4|8           blocks, a cluster, that have one tile, each a part of the summed axis
//   raster=N              rows of tiles in a group, 1 to 64: what runs at one time is nearly square
//   store=tensor|registers    results are stored by tensor copies where they can be, or from registers
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tilewright {

struct ScheduleRequest {
  bool isPlain = false;
  std::optional<int64_t> groups, warps, stages;
  std::optional<std::pair<int64_t, int64_t>> registers;
  std::optional<bool> preparesVectors;
  std::optional<std::string> overlap;
  std::optional<int64_t> split, raster;
  std::optional<bool> storesFromRegisters;

  bool isEmpty() const { return !isPlain && !groups && !warps && !stages && !registers && !preparesVectors && !overlap && !split && !raster && !storesFromRegisters; }

  /// Fields are separated by commas, each at most once. Nothing, and why, if the text is not understood.
  static std::optional<ScheduleRequest> parse(std::string_view text, std::string &why);
};

} // namespace tilewright
