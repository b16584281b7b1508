// Do two strided views share memory? Does one overlap itself?
//
// Both are one question: has  Σ cₖ · xₖ = t  a solution with 0 <= xₖ <= nₖ? For two views the variables are the indices of both
// and the byte within an element; for one view, the differences of two index lists, not all zero. In general that is NP-hard,
// but strides are nested in practice (a row is longer than its elements), and then a search from the largest coefficient down
// has one or two candidates at each level. The search is given a budget, and no memory but the stack: it also runs in launches.
//
// Column blocks of one matrix are the case that address ranges alone would refuse: a[:, :8] and a[:, 8:] interleave and share
// nothing.
#pragma once

#include "runtime/ViewFacts.h"

namespace tilewright::runtime {

enum class Answer { No, Yes, Unknown };

/// The bytes that a view touches, relative to its element 0: from `first` up to, not including, `last`. Empty views touch none.
struct ByteRange {
  int64_t first = 0;
  int64_t last = 0;
};
ByteRange byteRange(const BoundView &view);

/// Unknown if the budget ran out.
Answer overlaps(const BoundView &a, const void *aData, const BoundView &b, const void *bData);
Answer overlapsItself(const BoundView &view);

} // namespace tilewright::runtime
