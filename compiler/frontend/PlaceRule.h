// Language §3.12: an element of an output is written by at most one tile, once, or is declared to be a sum.
#pragma once

#include "compiler/frontend/Diagnostics.h"
#include "compiler/frontend/TypedTree.h"

#include <vector>

namespace tilewright::frontend {

/// One index of a store as Σ coefficient · variable + constant, where coefficients are known only at launch; the host checks
/// the mixed-radix condition (rule 2) with numbers.
struct LaunchPlace {
  const typed::Statement *store;
  unsigned dimension;
  const typed::Expr *index;
};

/// Two `=` stores to one view that must not meet: some index of theirs must have disjoint ranges (rule 3).
struct LaunchDisjoint {
  const typed::Statement *first;
  const typed::Statement *second;
};

struct LaunchPlaces {
  std::vector<LaunchPlace> places;
  std::vector<LaunchDisjoint> disjoint;
};

/// Reports stores that certainly name an element twice, an output that is never written, `=` mixed with `+=`, and float sums at
/// places from memory without `atomic`. Sets sharedByTiles (never on atomic stores: they need no partial sums) and
/// promisedUnique. (What may be read is semantic analysis's matter.)
LaunchPlaces applyPlaceRule(const typed::Kernel &kernel, Diagnostics &diagnostics);

} // namespace tilewright::frontend
