// Layouts of many kinds for one tile and number of warps: those that its extents allow.
#pragma once

#include "dialects/Layout/MatrixLayouts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::layout::test {

using Named = std::pair<std::string, DistributedLayout>;

inline std::string nameOf(const Holder &holder) {
  return "register " + std::to_string(holder.registerIndex) + ", lane " + std::to_string(holder.lane) + ", warp " +
         std::to_string(holder.warp);
}

inline std::vector<Named> samples(int64_t rows, int64_t columns, int64_t warps) {
  std::vector<Named> result;
  auto add = [&](const std::string &name, const std::optional<DistributedLayout> &layout) {
    if (layout)
      result.emplace_back(name, *layout);
  };
  auto blocked = [&](std::vector<int64_t> elements, std::vector<int64_t> lanes, std::vector<int64_t> warpsThere,
                     std::vector<unsigned> order) {
    add("blocked", blockedLayout({rows, columns}, {elements, lanes, warpsThere, order}));
  };
  blocked({1, 4}, {4, 8}, {warps, 1}, {1, 0});
  blocked({1, 8}, {8, 4}, {1, warps}, {1, 0});
  blocked({4, 1}, {8, 4}, {warps, 1}, {0, 1});
  blocked({1, 1}, {1, 32}, {warps, 1}, {1, 0});
  blocked({2, 2}, {32, 1}, {1, warps}, {0, 1});
  add("mma", mmaAccumulatorLayout(rows, columns, {warps, 1}));
  add("mma across", mmaAccumulatorLayout(rows, columns, {1, warps}));
  if (std::optional<DistributedLayout> mma = mmaAccumulatorLayout(rows, columns, {warps, 1})) {
    DistributedLayout::Bases bases = mma->bases();
    std::reverse(bases.registers.begin(), bases.registers.end());
    add("mma, registers reversed", DistributedLayout::create({rows, columns}, bases));
    std::swap(bases.lanes[0], bases.lanes[3]);
    add("mma, lanes swapped", DistributedLayout::create({rows, columns}, bases));
    std::swap(bases.lanes[1], bases.registers[0]);
    add("mma, a lane for a register", DistributedLayout::create({rows, columns}, bases));
  }
  if (warps == 4)
    add("wgmma", wgmmaAccumulatorLayout(rows, columns));
  for (unsigned bits : {8u, 16u, 32u}) {
    add("A" + std::to_string(bits), dotOperandALayout(rows, columns, bits, {warps, 1}));
    add("A replicated" + std::to_string(bits), dotOperandALayout(rows, columns, bits, {1, warps}));
    add("B" + std::to_string(bits), dotOperandBLayout(rows, columns, bits, {1, warps}));
    add("B replicated" + std::to_string(bits), dotOperandBLayout(rows, columns, bits, {warps, 1}));
  }
  add("ldmatrix", ldmatrixLayout(rows, columns, false, {warps, 1}));
  add("ldmatrix transposed", ldmatrixLayout(rows, columns, true, {warps, 1}));
  return result;
}

} // namespace tilewright::layout::test
