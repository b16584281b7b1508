// The products of a kernel: what counting its multiply-adds needs to know.
#pragma once

#include "compiler/frontend/TypedTree.h"

#include <vector>

namespace tilewright::frontend {

/// A `dot` where it is evaluated; one in a function is a site for each call.
struct DotSite {
  enum class Runs {
    Always,  ///< once for each combination of the pieces of `inside`
    Perhaps, ///< at most so often: an `if` that is decided while the kernel runs is around it
    Unknown  ///< a `while` is around it
  };
  const typed::Expr *dot;
  std::vector<const typed::Axis *>
      tile; ///< the result's axes, then those that are summed: one multiply-add for each combination
  std::vector<const typed::Axis *> inside; ///< the grid and loop variables around it, outermost first
  Runs runs;
};

/// In order of evaluation.
std::vector<DotSite> collectDots(const typed::Kernel &kernel);

} // namespace tilewright::frontend
