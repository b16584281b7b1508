// How to get a tile from one distributed layout into another, in the cheapest way that does it.
//
// Both layouts are of one tile, so their atoms have one extent and their repetitions are the same (DistributedLayout.h): the
// question is about the atoms. Let A be the source's matrix, B the destination's. Each bit of B's places (a register, lane or
// warp bit) is asked where its element lies in A: a solution g of A·g = B·bit. From the cheapest to the dearest:
//
//   none                A and B are the same.
//   register renaming   lanes and warps agree, and B's registers are combinations of A's. Registers have names, not numbers: so
//                       the same renaming must serve all threads, and it costs nothing.
//   warp shuffles       no element changes its warp. In one shuffle each lane gives one register and reads one other lane, so a
//                       lane can receive but one register, and be asked for but one.
//   shared memory       everything else: all is written, a barrier, all is read; in the buffer whose swizzle costs the fewest
//                       turns of the banks.
//
// Shuffles without waste. Destination register r of lane l comes from register S(r, l) and lane Q(r, l) of the source, both
// linear. In general Q(r, ·) maps several lanes to one, whose wanted registers differ: a naive plan shuffles once for each of
// them. Instead round ρ fills register ρ ^ K(l) in lane l, another one in each lane, with K so chosen that l ↦ Q(ρ ^ K(l), l)
// is one to one: then each lane is asked once, and as many shuffles do as there are registers.
//
// Such a K exists if no element is held twice. Write Q(r, l) = P·r + L·l. Let k₁ … kₘ be a basis of the kernel of L. [P L] has
// full rank, so there are registers ρ₁ … ρₘ whose P·ρᵢ are independent modulo the image of L. Let K(kᵢ) = ρᵢ, and K = 0 on a
// complement of the kernel. Take any y of the complement with (P·K + L)(y + Σ cᵢ·kᵢ) = 0: then L·y + Σ cᵢ·P·ρᵢ = 0, so all cᵢ
// are 0 by independence, so L·y = 0, so y = 0.
//
// With replicas K may not exist for all kernel vectors; then a round is split into as many shuffles as the most wanted lane is
// asked for.
#pragma once

#include "dialects/Layout/SharedLayout.h"

namespace tilewright::layout {

enum class ConversionKind { None, RegisterRenaming, WarpShuffles, SharedMemory };

/// One shfl.sync.idx and what stands around it, in warp w: lane l gives its register given[w][l] (-1: nobody reads it), reads
/// what lane from[w][l] gave, and puts that into its new register into[w][l] (-1: it keeps nothing).
struct Shuffle {
  std::vector<std::vector<int64_t>> given, from, into;
  bool movesBetweenLanes = false; ///< else each lane reads itself: selections among registers do, without a shuffle
};

struct ConversionPlan {
  ConversionKind kind = ConversionKind::None;
  /// None, renaming: new register r is old register renaming[r].
  std::vector<int64_t> renaming;
  /// Shuffles: in order. For one repetition of the atom, whose registers they name; the others are the same.
  std::vector<Shuffle> shuffles;
  /// Shared memory: the buffer, how it is written and how read.
  std::optional<SharedLayout> buffer;
  SharedAccess write, read;
  /// An estimate, in cycles of a warp: what the choice went by.
  int64_t cost = 0;
};

/// Whether a conversion of a kind is possible at all.
bool canRename(const DistributedLayout &from, const DistributedLayout &to);
bool canShuffle(const DistributedLayout &from, const DistributedLayout &to);

/// The plan of a kind; nothing if it is not possible. Shared memory needs two dimensions.
std::optional<ConversionPlan> planRenaming(const DistributedLayout &from, const DistributedLayout &to);
std::optional<ConversionPlan> planShuffles(const DistributedLayout &from, const DistributedLayout &to, int64_t elementBytes);
std::optional<ConversionPlan> planSharedMemory(const DistributedLayout &from, const DistributedLayout &to,
                                               int64_t elementBytes);

/// The cheapest plan. from and to: layouts of one tile over equally many warps. Nothing if only shared memory could do it, and
/// the tile does not have two dimensions.
std::optional<ConversionPlan> planConversion(const DistributedLayout &from, const DistributedLayout &to, int64_t elementBytes);

} // namespace tilewright::layout
