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

/// An access that ScheduleRules has found to be a tensor copy's.
TensorAccess accessOf(tile::LoadOp load);
/// What is outside of the view is dropped, as the indices that are compared ask for.
TensorAccess accessOf(tile::StoreOp store);

/// A map of a view whose boxes have `extent` indices along each dimension of an access; of a pack in parts no more than what the last one is
/// known to be a multiple of, and one index of each of the others. isRounded: f32 to tf32, as an operand; the units would cut its lower bits off.
mlir::Value makeMap(mlir::ImplicitLocOpBuilder &builder, mlir::TypedValue<tile::ViewType> view, const TensorAccess &access,
                    llvm::function_ref<int64_t(const TensorAccess::Dimension &)> extent, int64_t swizzle, bool isRounded = false);
/// A map for what is loaded to a buffer of two dimensions: boxes as wide as the swizzle.
mlir::Value makeMap(mlir::ImplicitLocOpBuilder &builder, tile::LoadOp load, const TensorAccess &access,
                    tilegpu::BufferType buffer, bool isRounded = false);
/// For slices of 16 rows and 128, 64 and 32 bytes of columns, as far as a tile has such.
llvm::SmallVector<mlir::Value> makeMapsOfSlices(mlir::ImplicitLocOpBuilder &builder, mlir::TypedValue<tile::ViewType> view,
                                                const TensorAccess &access, mlir::Type tile);
/// The coordinate of a tile's rows.
uint64_t rowDimensionOf(const TensorAccess &access, mlir::Type tile);

/// Of an access's first element, in the order of its map. `loopSpan` begins at `start` (both null: no loop has part in it).
llvm::SmallVector<mlir::Value> coordinatesOf(mlir::ImplicitLocOpBuilder &builder, const TensorAccess &access,
                                             mlir::ValueRange spans, const mlir::IRMapping &mapping, mlir::Value loopSpan,
                                             mlir::Value start);

/// The variables of a nest again, with the scalars that are computed in it; `makeBody` is called in the innermost.
void copyNest(mlir::ImplicitLocOpBuilder &builder, llvm::ArrayRef<tile::ParallelOp> nest, mlir::IRMapping &mapping,
              llvm::function_ref<void(mlir::IRMapping &)> makeBody);

/// Slices of elements of a type on their way, so many for each warp.
tilegpu::BufferType stagingType(mlir::Type element, int64_t warps, int64_t stages = 2);
/// Shared memory of a group: staging for each type that is stored by copies, scratch of one operation at a time, and others' bytes.
int64_t bytesOfGroup(mlir::Operation *nest, int64_t warps, int64_t others = 0);
/// Makes tensor copies of the stores in the groups' program that are marked; their maps are made before an operation. A buffer that there is already is the
/// staging of those with its elements.
void storeByCopies(mlir::ImplicitLocOpBuilder &builder, mlir::Block &consumers, mlir::Operation *mapsBefore, int64_t warps,
                   mlir::TypedValue<tilegpu::BufferType> given = {});

} // namespace tilewright::roles
