// Language §3.6: every access is in range by proof, by one check at launch, or says what happens (`else`).
#pragma once

#include "compiler/frontend/Diagnostics.h"
#include "compiler/frontend/TypedTree.h"

#include <vector>

namespace tilewright::frontend {

/// An access whose index the host bounds by interval arithmetic when the dimensions and scalars are known.
struct LaunchAccess {
  const typed::View *view;
  unsigned dimension;
  const typed::Expr *index;
  SourceRange where;
  bool isStore;
};

/// Reports accesses that are out of range for certain, that need an `else`, or that use a bare span over another dimension.
/// Fills `compare` of loads and stores. What only the launch can tell is returned.
std::vector<LaunchAccess> applyRangeRule(const typed::Kernel &kernel, Diagnostics &diagnostics);

} // namespace tilewright::frontend
