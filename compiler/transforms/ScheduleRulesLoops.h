// Which loops with products of their steps (attention) can be formed by warps with roles, and how: decisions of plan-schedule
// beside those of ScheduleRules.h. Facts of the kernel go in, a schedule or the reason why there is none come out; nothing is
// changed here.
#pragma once

#include "compiler/transforms/ScheduleRules.h"

namespace tilewright::tilegpu {

/// What a kernel is whose loops can have a schedule.
struct LoopFacts {
  llvm::SmallVector<tile::ForOp> loops; ///< all that the kernel has, in order
  /// Operands that bring, in the last step, what lies beyond the loop's end and inside of their view: it must become zero.
  llvm::SmallVector<tile::LoadOp> cleared;
  /// The stores that tensor copies can make of an accumulator's layout.
  llvm::SmallVector<tile::StoreOp> tensorStores;
  ScheduleAttr schedule;
  bool growsAlongGrid = false; ///< loops end the later the further along the innermost grid axis a tile lies (causal)
  llvm::StringRef overlap; ///< when products are formed (loopsName)
};

/// Whether a kernel is of this family, schedule or not: a product is used in the step that forms it.
bool usesProductsInSteps(tile::KernelOp kernel);

/// The facts, or why there are none.
std::optional<LoopFacts> loopFacts(tile::KernelOp kernel, int64_t sharedBytes, const ScheduleRequest &request, NoSchedule &no);

} // namespace tilewright::tilegpu
