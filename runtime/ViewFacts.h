// What a kernel is compiled to know of a view, and the extents and strides that it is then given.
//
// A view's strides are launch values, but four facts about them decide what code is good, so each combination is its own
// specialization: which dimension is contiguous, how many dimensions M... really is, what divides the last of them, and to what every row is aligned. To keep
// the number of specializations small the facts are made as alike as can be:
//   - M... is merged: x[batch, tokens, K] has one row stride whenever stride[batch] = tokens · stride[tokens]. Dimensions of
//     extent 1 merge with anything, since their stride is never used.
//   - An unused stride is replaced by one that fits: 1 in the contiguous dimension, 0 elsewhere.
//   - Alignment for the CPU is the element's size, or 64 bytes (a cache line, and the widest vector) where the host promises that
//     much and the strides keep it; nothing between. An address that happens to be aligned promises nothing of the next launch's.
//   - Alignment for a GPU is 16, 8 or 4 bytes, or the element's size: what one instruction moves, and what a bulk copy needs, so
//     that it decides the speed. Device memory is allocated in 256 bytes, so the address given to prepare stands for all; without
//     one, and without a promise, 16 is assumed. Of a view that is
//     written it also says that rows are whole pieces of 16 bytes: a tensor copy writes no less. A launch with an address that is aligned less is refused. 16 also promises
//     that a tensor map can describe the view, as cuTensorMapEncodeTiled wants it: every extent is at most 2^32; every stride of
//     a dimension with more than one index, but for the contiguous one, is positive and below 2^40 bytes; or the view has no
//     elements. Else the alignment is at most 8.
//   - A pack in parts has on a GPU the largest power of two up to 128 that divides its last part, from 16 on: tensor copies take boxes of it,
//     and a box must not go over a part's end. 1 if it has 2^31 indices or more: copies count in 32 bits.
//   - Less than the element's size only if the host's memory is that odd.
#pragma once

#include "runtime/Arguments.h"

#include <cstdint>

namespace tilewright::runtime {

struct ViewFacts {
  int32_t unitStrideDimension = -1; ///< a declared dimension (M... counts once), or -1
  int32_t packRank = 1;
  int32_t alignment = 1; ///< bytes
  static constexpr int32_t shortestPackRun = 16, longestPackRun = 128;
  int32_t packRun = 1; ///< of a pack in parts: divides the last one
};

/// A view as the kernel sees it: one extent and stride for each declared dimension, packRank of them for M....
struct BoundView {
  ViewFacts facts;
  void *data = nullptr;
  int64_t elementBytes = 1;
  bool alignmentIsPromised = true; ///< by the host; else its address, or none, let it be assumed
  int rank = 0; ///< of the arrays
  int64_t extents[TW_MAX_RANK + 1] = {};
  int64_t strides[TW_MAX_RANK + 1] = {};
  int declaredRank = 0;
  int64_t declaredExtents[TW_MAX_RANK + 1] = {}; ///< M... as one

  int64_t elements() const;
};

enum class AlignmentClasses { Cpu, Gpu };

BoundView bindView(const Parameter &parameter, const ViewArgument &argument,
                   AlignmentClasses classes = AlignmentClasses::Cpu);

} // namespace tilewright::runtime
