// What a kernel is told of packs whose dimensions of memory do not merge (`!tile.view`, pack_rank).
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tilewright {

/// On a kernel, a number for each of its arguments: the largest power of two up to 128 that divides the last dimension of memory of its pack.
/// So many indices, from a multiple of it on, are one distance apart. 1 if nothing is known, and for all that is no such pack.
inline constexpr llvm::StringLiteral packRunsName = "tile.pack_runs";

} // namespace tilewright
