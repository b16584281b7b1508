#include "runtime/Overlap.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

using namespace tilewright::runtime;

namespace {

using Wide = __int128;
constexpr int maxTerms = 2 * (TW_MAX_RANK + 1) + 2;
constexpr int64_t budgetOfNodes = 20'000;

/// Insertion sort: for a handful.
template <typename T, typename Less> void sortFew(T *first, T *last, Less less) {
  for (T *next = first; next != last; ++next)
    std::rotate(std::upper_bound(first, next, *next, less), next, next + 1);
}

/// coefficient · x with 0 <= x <= bound.
struct Term {
  int64_t coefficient;
  int64_t bound;
};

/// Σ terms = target, terms sorted by falling coefficient.
class Equation {
public:
  /// Negative coefficients are mirrored: c · x = −|c| · x' … with x' = bound − x.
  void add(int64_t coefficient, int64_t bound) {
    if (coefficient == 0 || bound == 0)
      return;
    if (coefficient < 0)
      target += Wide(-coefficient) * bound;
    terms[count++] = {std::abs(coefficient), bound};
  }

  Answer solve(Wide sum) {
    target += sum;
    prepare();
    budget = budgetOfNodes;
    return search(0, target);
  }

  Wide target = 0;

private:
  void prepare() {
    sortFew(terms, terms + count, [](const Term &a, const Term &b) { return a.coefficient > b.coefficient; });
    // Equal coefficients are one variable.
    int merged = 0;
    for (int index = 1; index < count; ++index)
      if (terms[index].coefficient == terms[merged].coefficient)
        terms[merged].bound += terms[index].bound;
      else
        terms[++merged] = terms[index];
    count = count ? merged + 1 : 0;
    reach[count] = 0;
    divisor[count] = 0;
    for (int index = count - 1; index >= 0; --index) {
      reach[index] = reach[index + 1] + Wide(terms[index].coefficient) * terms[index].bound;
      divisor[index] = std::gcd(divisor[index + 1], terms[index].coefficient);
    }
  }

  /// Can terms from `index` on make `rest`?
  Answer search(int index, Wide rest) {
    if (rest < 0 || rest > reach[index])
      return Answer::No;
    if (rest == 0)
      return Answer::Yes;
    if (rest % divisor[index] != 0)
      return Answer::No;
    if (--budget < 0)
      return Answer::Unknown;
    const Term &term = terms[index];
    Wide most = std::min<Wide>(term.bound, rest / term.coefficient);
    Wide least = rest > reach[index + 1] ? (rest - reach[index + 1] + term.coefficient - 1) / term.coefficient : 0;
    for (Wide x = most; x >= least; --x)
      if (Answer answer = search(index + 1, rest - x * term.coefficient); answer != Answer::No)
        return answer;
    return Answer::No;
  }

  Term terms[maxTerms];
  int count = 0;
  Wide reach[maxTerms + 1];
  int64_t divisor[maxTerms + 1];
  int64_t budget = 0;
};

} // namespace

ByteRange tilewright::runtime::byteRange(const BoundView &view) {
  ByteRange range = {0, view.elementBytes};
  for (int axis = 0; axis < view.rank; ++axis) {
    if (view.extents[axis] == 0)
      return {0, 0};
    int64_t reach = view.strides[axis] * (view.extents[axis] - 1) * view.elementBytes;
    (reach < 0 ? range.first : range.last) += reach;
  }
  return range;
}

Answer tilewright::runtime::overlaps(const BoundView &a, const void *aData, const BoundView &b, const void *bData) {
  ByteRange aRange = byteRange(a), bRange = byteRange(b);
  if (aRange.first == aRange.last || bRange.first == bRange.last)
    return Answer::No;
  Wide distance = static_cast<Wide>(reinterpret_cast<uintptr_t>(bData)) - static_cast<Wide>(reinterpret_cast<uintptr_t>(aData));
  if (aRange.last <= distance + bRange.first || distance + bRange.last <= aRange.first)
    return Answer::No;
  // a + Σ strides · i + byte in element = b + Σ strides · j + byte in element
  Equation equation;
  for (int axis = 0; axis < a.rank; ++axis)
    equation.add(a.strides[axis] * a.elementBytes, a.extents[axis] - 1);
  for (int axis = 0; axis < b.rank; ++axis)
    equation.add(-b.strides[axis] * b.elementBytes, b.extents[axis] - 1);
  equation.add(1, a.elementBytes - 1);
  equation.add(-1, b.elementBytes - 1);
  return equation.solve(distance);
}

Answer tilewright::runtime::overlapsItself(const BoundView &view) {
  struct Axis {
    int64_t stride, last;
  } axes[TW_MAX_RANK + 1];
  int count = 0;
  for (int axis = 0; axis < view.rank; ++axis) {
    if (view.extents[axis] == 0)
      return Answer::No;
    if (view.extents[axis] > 1)
      axes[count++] = {std::abs(view.strides[axis]), view.extents[axis] - 1};
  }
  sortFew(axes, axes + count, [](const Axis &a, const Axis &b) { return a.stride < b.stride; });
  Wide reach = 0;
  bool nested = true;
  for (int axis = 0; axis < count; ++axis) {
    nested &= axes[axis].stride > reach;
    reach += Wide(axes[axis].stride) * axes[axis].last;
  }
  if (nested)
    return Answer::No;
  // Σ stride · d = 0 with |d| <= last and some d positive. Let axis `first` be that one: its d is 1 + x.
  Answer result = Answer::No;
  for (int first = 0; first < count; ++first) {
    if (axes[first].stride == 0)
      return Answer::Yes;
    Equation equation;
    Wide sum = -Wide(axes[first].stride);
    equation.add(axes[first].stride, axes[first].last - 1);
    for (int axis = 0; axis < count; ++axis)
      if (axis != first) { // d = x − last
        equation.add(axes[axis].stride, 2 * axes[axis].last);
        sum += Wide(axes[axis].stride) * axes[axis].last;
      }
    Answer answer = equation.solve(sum);
    if (answer == Answer::Yes)
      return answer;
    if (answer == Answer::Unknown)
      result = answer;
  }
  return result;
}
