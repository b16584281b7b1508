// Where the elements of a tile are in a view.
#pragma once

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

namespace tilewright::gpu {

/// The places of a tile in a view: each register's address and whether it exists. What registers have in common, rows and
/// columns, is computed once.
class Places {
public:
  /// `place` is the tile of all places (tilegpu::placeType), or a scalar type.
  Places(Emitter &emitter, const View &view, mlir::Type place, mlir::ValueRange indices, mlir::ValueRange spans,
         llvm::ArrayRef<bool> compare);

  mlir::Value address(int64_t number);
  /// Whether the compared indices are inside the view; null: all are.
  mlir::Value inside(int64_t number);
  mlir::Value exists(int64_t number);
  /// What was computed so far stands in a region that is left.
  void forget();

private:
  struct Dimension {
    Registers indices, offsets, inside;
    llvm::SmallVector<int64_t> map; ///< empty: a scalar
    bool isCompared = false;
    int64_t indexOf(int64_t number) const { return map.empty() ? 0 : map[number]; }
  };

  Emitter &emitter;
  const View &view;
  mlir::Type place;
  mlir::ValueRange spans;
  std::vector<Dimension> dimensions;
};

/// Whether this thread speaks for the elements of `place` that it holds; of a scalar that is thread 0. Null: all do.
mlir::Value speaksFor(Emitter &emitter, mlir::Type place);

} // namespace tilewright::gpu
