// What the passes have in common that give warps their roles: tensor maps and coordinates of accesses, the grid's nest again
// for another role, stores by tensor copies.
#pragma once

#include "compiler/analysis/TensorAccess.h"
#include "dialects/TileGPU/TileGPU.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright::roles {

/// The grid's variables, the outermost first.
llvm::SmallVector<tile::ParallelOp> nestOf(tile::KernelOp kernel);

mlir::Value constant(mlir::ImplicitLocOpBuilder &builder, int64_t value); ///< i64
mlir::Value add(mlir::ImplicitLocOpBuilder &builder, mlir::Value lhs, mlir::Value rhs);
mlir::Value multiply(mlir::ImplicitLocOpBuilder &builder, mlir::Value lhs, mlir::Value rhs);

/// A map of a view whose boxes have `extent` along each dimension of an access.
mlir::Value makeMap(mlir::ImplicitLocOpBuilder &builder, mlir::Value view, const TensorAccess &access,
                    llvm::function_ref<int64_t(const TensorAccess::Dimension &)> extent, int64_t swizzle);
/// A map for what is loaded to a buffer of two dimensions: boxes as wide as the swizzle.
mlir::Value makeMap(mlir::ImplicitLocOpBuilder &builder, tile::LoadOp load, const TensorAccess &access,
                    tilegpu::BufferType buffer);

/// Of an access's first element, in the order of its map. `loopSpan` begins at `start` (both null: no loop has part in it).
llvm::SmallVector<mlir::Value> coordinatesOf(mlir::ImplicitLocOpBuilder &builder, const TensorAccess &access,
                                             mlir::ValueRange spans, const mlir::IRMapping &mapping, mlir::Value loopSpan,
                                             mlir::Value start);

/// The variables of a nest again, with the scalars that are computed in it; `makeBody` is called in the innermost.
void copyNest(mlir::ImplicitLocOpBuilder &builder, llvm::ArrayRef<tile::ParallelOp> nest, mlir::IRMapping &mapping,
              llvm::function_ref<void(mlir::IRMapping &)> makeBody);

/// What a group needs to store elements of a type by tensor copies.
tilegpu::BufferType stagingType(mlir::Type element, int64_t warps);
/// Shared memory of a group: staging for each type that is stored by copies, and scratch of one operation at a time.
int64_t bytesOfGroup(mlir::Operation *nest, int64_t warps);
/// Makes tensor copies of the stores in the groups' program that are marked; their maps are made before `roles`.
void storeByCopies(mlir::ImplicitLocOpBuilder &builder, mlir::Block &consumers, tilegpu::RolesOp roles, int64_t warps);

} // namespace tilewright::roles
