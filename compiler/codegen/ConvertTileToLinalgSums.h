// Outputs that are added to (compiler_c.h: partial sums, begin, finish).
#pragma once

#include "compiler/codegen/ConvertTileToLinalgEmitter.h"

namespace tilewright::cpu {

/// An output that tiles add to, or take the maximum or minimum with.
struct Sum {
  mlir::Value view;
  tile::Reduction kind;
  mlir::Type type; ///< the accumulator
  bool isUnsigned; ///< the view's elements are

  tile::ViewType getViewType() const { return mlir::cast<tile::ViewType>(view.getType()); }
};

/// How each accumulated view is summed.
class SumPlan {
public:
  /// Reports views that are accumulated in different ways.
  static mlir::FailureOr<SumPlan> create(tile::KernelOp kernel);

  llvm::SmallVector<Sum> partial; ///< by partial sums for each chunk of tiles, which finish combines
  llvm::SmallVector<Sum> direct;  ///< in place: each element belongs to one tile, or to atomic operations

  bool isPartial(mlir::Value view) const;
  /// What the artifact's metadata says: [{view, kind, dtype}].
  mlir::ArrayAttr describe(tile::KernelOp kernel) const;
};

/// Binds the partial sums of a chunk, so that tile.accumulate finds them.
void bindPartialSums(Emitter &emitter, mlir::Value chunk);

/// The bodies of tw_cpu_begin and tw_cpu_finish.
void emitBegin(Emitter &emitter);
void emitFinish(Emitter &emitter);

} // namespace tilewright::cpu
