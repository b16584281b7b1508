// Intervals of 64-bit integers, with the origin of each bound.
//
// The range rule (language §3.6) asks two things of an index: which values can it have, and who can tell? `i + 1` has an upper
// bound that the host knows once N is known; `len[b]` has the bounds of its dtype, but only memory knows more; `min(len[b], S)`
// has an upper bound from the launch and a lower one from memory. So each bound carries where it came from, and an operation
// passes that on side by side.
//
// Integers wrap in the language, hence a result that does not fit its dtype can be anything: the interval becomes the dtype's
// whole range. There is no infinity besides: no view has more than 2^61 elements (the host refuses larger ones), which is what
// keeps `i + 1` from wrapping before N is known.
#pragma once

#include "compiler/frontend/TypedTree.h"

#include <cstdint>
#include <limits>

namespace tilewright::frontend {

/// Where a bound comes from, in the order in which one spoils another.
enum class BoundOrigin : uint8_t {
  Constant,  ///< the same number for every launch
  Launch,    ///< the host computes it from dimensions, scalars and span ranges; the number here holds for all launches
  Operation, ///< an operation that intervals do not follow
  Loop,      ///< a variable that a loop changes
  Memory     ///< a value from memory: no more is known than its dtype
};
inline bool knownAtLaunch(BoundOrigin origin) {
  return origin <= BoundOrigin::Launch;
}

struct Interval {
  static constexpr int64_t least = std::numeric_limits<int64_t>::min();
  static constexpr int64_t greatest = std::numeric_limits<int64_t>::max();
  static constexpr int64_t largestExtent = int64_t{1} << 61;

  int64_t low = least;
  int64_t high = greatest;
  BoundOrigin lowOrigin = BoundOrigin::Constant;
  BoundOrigin highOrigin = BoundOrigin::Constant;

  static Interval point(int64_t value) { return {value, value}; }
  /// Every value of a dtype. The zero below u8 and the bounds of bool are facts; the other bounds have the given origin.
  static Interval of(DType dtype, BoundOrigin origin);
  static Interval extent() { return {0, largestExtent, BoundOrigin::Launch, BoundOrigin::Launch}; }
  /// No value at all: what is computed from the indices of an empty span.
  static Interval empty() { return {greatest, least}; }

  bool isEmpty() const { return low > high; }
  bool isPoint() const { return low == high; }
  bool contains(int64_t value) const { return low <= value && value <= high; }
  BoundOrigin worstOrigin() const { return lowOrigin < highOrigin ? highOrigin : lowOrigin; }
  friend bool operator==(const Interval &, const Interval &) = default;
};

Interval add(const Interval &a, const Interval &b);
Interval subtract(const Interval &a, const Interval &b);
Interval multiply(const Interval &a, const Interval &b);
Interval divide(const Interval &a, const Interval &b);    ///< rounds down; x / 0 = 0
Interval remainder(const Interval &a, const Interval &b); ///< sign of the divisor; x % 0 = 0
Interval negate(const Interval &a);
Interval absolute(const Interval &a);
Interval maximum(const Interval &a, const Interval &b);
Interval minimum(const Interval &a, const Interval &b);
/// Either of two values: the branches of a `where`, the assignments of a variable. An empty one adds nothing.
Interval unite(const Interval &a, const Interval &b);
/// The value modulo 2ⁿ as another integer type: itself if it fits, else anything.
Interval convert(const Interval &a, DType dtype);
/// The indices of a span over low..high; empty if there can be none.
Interval indices(const Interval &low, const Interval &high);

/// The language's integer division and remainder on numbers.
int64_t floorDivide(int64_t a, int64_t b);
int64_t floorRemainder(int64_t a, int64_t b);

} // namespace tilewright::frontend
