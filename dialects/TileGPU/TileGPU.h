// The tilegpu dialect: everything a user of it includes. TileGPUOps.td is its manual.
#pragma once

#include "dialects/Layout/DistributedLayout.h"
#include "dialects/Layout/SharedLayout.h"
#include "dialects/Tile/Tile.h"

namespace tilewright::tilegpu {
/// The shared memory of a block, as what an operation reads or writes.
struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "shared memory"; }
};
} // namespace tilewright::tilegpu

#include "dialects/TileGPU/TileGPUDialect.h.inc"
#include "dialects/TileGPU/TileGPUEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/TileGPU/TileGPUAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/TileGPU/TileGPUTypes.h.inc"

namespace tilewright::tilegpu {

/// What layouts cover of an extent. Up to 16, the next power of two. Multiples of 16 up to 256 stay as they are (a product's
/// tile of 96, 144 or 208 columns must not grow). Others become a multiple of the eighth part of the next power of two, so that
/// lanes and warps find powers of two to divide, and at most an eighth is added.
int64_t paddedExtent(int64_t extent);
llvm::SmallVector<int64_t> paddedShape(mlir::Type tile);

/// The layout of a tile that has one.
layout::DistributedLayout distributedLayout(mlir::Type tile);
mlir::Type withLayout(mlir::Type tile, const layout::DistributedLayout &layout);

/// On a tile.kernel: how many warps a block has (i64), how many blocks a multiprocessor should hold (i64; none: as it comes), and the
/// shared memory of a block in bytes (i64).
inline constexpr llvm::StringLiteral warpsName = "tilegpu.warps";
inline constexpr llvm::StringLiteral blocksName = "tilegpu.blocks";
inline constexpr llvm::StringLiteral sharedBytesName = "tilegpu.shared_bytes";
/// On an operation that needs shared memory while it runs: where it is (i64, bytes).
inline constexpr llvm::StringLiteral scratchOffsetName = "tilegpu.scratch_offset";

/// On a tile.for: how many stages its loads have (i64); on a tile.load in it: that it is one of them (unit); on a tilegpu.stage: how many
/// iterations ahead of the loop's own its tile is (i64).
inline constexpr llvm::StringLiteral stagesName = "tilegpu.stages";
inline constexpr llvm::StringLiteral pipelinedName = "tilegpu.pipelined";
inline constexpr llvm::StringLiteral stepName = "tilegpu.step";
/// On a write, print or assert whose spans are not empty: the layout of the tile of all its places, of which the layouts of its
/// operands are parts.
inline constexpr llvm::StringLiteral placeLayoutName = "tilegpu.place_layout";

/// On tilegpu.roles: how much shared memory each group has of its own (i64); that of the first group begins where the offsets in `consumers`
/// say.
inline constexpr llvm::StringLiteral groupBytesName = "tilegpu.group_bytes";
/// On a tile.kernel whose product is to be formed by warps with roles: how (a ScheduleAttr).
inline constexpr llvm::StringLiteral scheduleName = "tilegpu.schedule";
/// On such a kernel, if it has loops with several products: when these are formed (a string: each in its place; the last one of a step beside the next
/// step's computations; so, and warpgroups start theirs in turn). On a tile.load of an operand in such a loop: what it brings beyond the loop's end
/// must be cleared (unit); on a tile.for: its spans all have their capacity (unit).
inline constexpr llvm::StringLiteral loopsName = "tilegpu.loops", loopsInPlace = "in_place", loopsDelayed = "delayed", loopsInTurns = "in_turns";
inline constexpr llvm::StringLiteral clearedName = "tilegpu.cleared";
inline constexpr llvm::StringLiteral wholeSpansName = "tilegpu.whole_spans";
/// On a tile.kernel of which tiles take the longer the further along the innermost grid axis they lie (unit): these come first, so that no block is
/// left with a long one at the end.
inline constexpr llvm::StringLiteral longestFirstName = "tilegpu.longest_first";
/// On a module: why the schedule that was asked for cannot be had (a string).
inline constexpr llvm::StringLiteral refusedScheduleName = "tilegpu.refused_schedule";
/// On a tile.store or tile.load that tensor copies are to make, of a value in the accumulator's layout (unit).
inline constexpr llvm::StringLiteral tensorCopyName = "tilegpu.tensor_copy";

/// The layout of an accumulator of wgmma over a group's warps: rows along dimension 0, over the warps. Nothing, and why, if there is none.
std::optional<layout::DistributedLayout> wgmmaAccumulator(int64_t rows, int64_t columns, int64_t warps, std::string *why = nullptr);
/// The units of wgmma add products of f8 with some 14 bits, so sums of at most 128 of them go into sums of f32, unless the precision is
/// `fast`.
bool isPromoted(mlir::Type operand, tile::DotPrecision precision);
constexpr int64_t mostUnpromotedSteps = 128;
/// Whether a tile has such a layout.
bool isWgmmaAccumulator(mlir::Type tile);
/// The layout of an operand of wgmma in registers: the result's rows along dimension 0, over a group's warps, the summed axis along dimension 1, a
/// multiple of 16. Nothing, and why, if there is none. It is that of an accumulator with `depth` columns.
std::optional<layout::DistributedLayout> wgmmaOperand(int64_t rows, int64_t depth, int64_t warps, std::string *why = nullptr);
/// Whether a tile of two axes has such a layout, with the result's rows along `rowAxis`.
bool isWgmmaOperand(mlir::Type tile, mlir::StringAttr rowAxis);
/// The tile of pairs of neighbouring columns of an operand of wgmma in registers (pack_pairs); nothing for other tiles.
std::optional<mlir::Type> pairsOf(mlir::Type tile);
/// Why a pair of register counts cannot be given to the roles of a block; empty if they can.
std::string whyNotRegisters(llvm::ArrayRef<int64_t> registers);
/// Why a block cannot be divided so (ScheduleAttr); empty if it can.
std::string whyNotScheduleFields(int64_t groups, int64_t warps, int64_t stages, llvm::ArrayRef<int64_t> registers, int64_t split = 1, int64_t raster = 8);

int64_t warpsOf(tile::KernelOp kernel);
/// Whether a buffer, or the ring that a stage is of, stands outside of the roles that use it: barriers in shared memory guard it.
bool isOfBlock(mlir::Value buffer);
/// The tile of all places of a write, print or assert, in its layout; `element` alone if there is one place.
mlir::Type placeType(mlir::Operation *op, mlir::ValueRange spans, mlir::Type element);

} // namespace tilewright::tilegpu

#define GET_OP_CLASSES
#include "dialects/TileGPU/TileGPUOps.h.inc"
