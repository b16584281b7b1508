// How an access names elements of a view: which accesses are plain, and the addresses of all others.
#pragma once

#include "dialects/Tile/PackRuns.h"
#include "dialects/Tile/Tile.h"

#include <optional>

namespace tilewright {

/// On an operation whose result a target keeps in memory: an index that is read from there is not taken apart. The value says why.
inline constexpr llvm::StringLiteral materializeName = "tilewright.materialize";

/// factor · Π scalars · (index along `axis`); without an axis a constant.
struct Monomial {
  int64_t factor = 1;
  llvm::SmallVector<mlir::Value, 2> scalars; ///< i64 scalars of the tile IR
  mlir::StringAttr axis;
};

/// An index as a sum.
using LinearForm = llvm::SmallVector<Monomial, 4>;

/// The index tile (or scalar) as a sum of products of constants, scalars and at most one span each, or nothing if it is not
/// one: `2 * p + r`, `h * D + e`, but not `ids[t]` or `j / 128`.
std::optional<LinearForm> linearForm(mlir::Value index);

/// The dimension of a view that stands for several dimensions of memory (a pack whose strides do not merge), or -1.
int64_t splitDimension(tile::ViewType view);

/// What divides the last part of a pack in parts (packRunsName); 1 for others.
int64_t packRun(mlir::Value view);

/// The dimension of an access whose stride is 1, or -1.
int64_t unitDimension(tile::ViewType view);

/// Whether the elements are a strided part of the view (nothing to compare, all indices linear), so that a memref can name
/// them.
bool isPlain(mlir::ValueRange indices, llvm::ArrayRef<bool> compare, int64_t splitDimension);
bool isPlain(tile::LoadOp load);

/// Whether no two combinations of indices of the spans name one element, as far as the form of the indices shows.
bool namesElementsOnce(mlir::ValueRange indices, mlir::ValueRange spans);

/// The axis along which consecutive elements are neighbours in memory, or null. `unitDimension` has stride 1, or is -1.
mlir::StringAttr unitStrideAxis(int64_t unitDimension, mlir::ValueRange indices);

} // namespace tilewright
