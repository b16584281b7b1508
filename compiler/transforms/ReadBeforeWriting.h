// A load of an inout view reads what was there before the kernel's own store.
#pragma once

#include "dialects/Tile/Tile.h"

namespace tilewright {

/// Moves each load of a view that the kernel writes before the first write that stands in front of it, with what its indices need,
/// if that can be computed there.
void readBeforeWriting(tile::KernelOp kernel);

} // namespace tilewright
