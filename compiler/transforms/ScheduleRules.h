// Which products can be formed by warps with roles, and how: the decisions of plan-schedule. Facts of the kernel go in, a schedule or the
// reason why there is none come out; nothing is changed here.
#pragma once

#include "compiler/transforms/ScheduleRequest.h"
#include "dialects/TileGPU/TileGPU.h"

#include "llvm/ADT/SmallVector.h"

#include <string>

namespace tilewright::tilegpu {

/// The product of a kernel, in a loop that does nothing else.
struct ScheduledProduct {
  tile::ForOp loop;
  tile::DotOp dot;
  bool isSwapped;                         ///< the result's rows are those of the dot's right operand
  bool isComputed;                        ///< the rows' operand is computed of tiles on its way to registers
  llvm::SmallVector<tile::LoadOp> rows;   ///< the rows' operand, or those tiles; loaded in the loop
  tile::LoadOp columns;                   ///< the other operand
  bool isPromoted;                        ///< the units keep too few bits: steps are added to sums in registers
};

/// What a kernel is that can have a schedule.
struct ScheduleFacts {
  ScheduledProduct product;
  /// The stores that tensor copies can make of the accumulator's layout.
  llvm::SmallVector<tile::StoreOp> tensorStores;
  /// The loads around the product that tensor copies can make: of tiles like its result, and of vectors along its columns.
  llvm::SmallVector<tile::LoadOp> tensorLoads;
  ScheduleAttr schedule; ///< the default one for its tile
};

/// Why a kernel has no schedule, and where.
struct NoSchedule {
  mlir::Location where;
  std::string why;
  bool isWorthTelling = false; ///< it has a product that could have one
};

/// The facts, or why there are none. `sharedBytes`: what a block may have; `request`: what is asked for in place of the default.
std::optional<ScheduleFacts> scheduleFacts(tile::KernelOp kernel, int64_t sharedBytes, const ScheduleRequest &request, NoSchedule &no);

/// Why a schedule cannot be had by a product whose tile is rows × columns, with so many sums for each element; empty if it can. `depth`: of an
/// operand that is in registers a thread holds so many steps beside the accumulators; else 0.
std::string whyNotSchedule(ScheduleAttr schedule, int64_t rows, int64_t columns, int64_t sums = 1, int64_t depth = 0);

} // namespace tilewright::tilegpu
