// Outputs that are added to, and how often outputs are written (compiler_c.h: partial sums, begin, finish).
#pragma once

#include "compiler/analysis/SumPlan.h"
#include "compiler/codegen/ConvertTileToLinalgEmitter.h"

namespace tilewright::cpu {

/// Binds the partial sums of a chunk, so that tile.accumulate and counted stores find them.
void bindPartialSums(Emitter &emitter, mlir::Value chunk);

/// Counts a store to each of its elements, if the view's are counted.
void emitStoreCount(Emitter &emitter, tile::StoreOp op);

/// The bodies of tw_cpu_begin and tw_cpu_finish.
void emitBegin(Emitter &emitter);
void emitFinish(Emitter &emitter);

} // namespace tilewright::cpu
