// Where the elements of an access are: as a memref for plain accesses, as offsets for all others.
#pragma once

#include "compiler/codegen/ConvertTileToLinalgEmitter.h"

namespace tilewright::cpu {

/// The elements of a plain access, as a memref with one dimension for each of `axes`. `indices` are index tiles of the kernel.
mlir::Value plainMemory(Emitter &emitter, const View &view, mlir::ValueRange indices, llvm::ArrayRef<mlir::StringAttr> axes);

/// The position in `view.flat`, an index, of the element with the given i64 indices. All of them are in range.
mlir::Value flatPosition(Emitter &emitter, const View &view, mlir::ValueRange indices);

/// Whether the marked indices are in range (an i1), or null if none is marked.
mlir::Value isInside(Emitter &emitter, const View &view, mlir::ValueRange indices, llvm::ArrayRef<bool> compare);

/// The extent of a dimension of an access.
mlir::Value extentOf(Emitter &emitter, const View &view, int64_t dimension);

} // namespace tilewright::cpu
