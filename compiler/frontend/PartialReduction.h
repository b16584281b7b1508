// Language §3.4: what a kernel computes must not depend on its block sizes.
#pragma once

#include "compiler/frontend/Diagnostics.h"
#include "compiler/frontend/TypedTree.h"

namespace tilewright::frontend {

/// Warns of reductions over a span whose length is a tunable that are stored as they are: they go over one tile, not over the
/// dimension, so the result depends on the block size. (Summed up by `+=`, into an output or a variable outside of the loop,
/// they are parts of a sum.)
void warnOfPartialReductions(const typed::Kernel &kernel, Diagnostics &diagnostics);

} // namespace tilewright::frontend
