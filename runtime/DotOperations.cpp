// How many operations the products of a launch are: the exact number where dimensions and scalars decide it, also for a loop
// whose end follows the grid (`0..i.end`): then the pieces of that grid variable are gone through one by one.
#include "runtime/LaunchProgram.h"

#include <algorithm>
#include <cmath>

using namespace tilewright::runtime;

namespace {

/// Going through more pieces takes milliseconds of prepare; then the number is an upper bound.
constexpr int64_t mostPieces = 20'000;
/// A range that is as long as an i32 allows comes from memory, and says nothing.
constexpr double noLimit = 2147483647.0;

struct Count {
  double total = 0;
  tw_operation_count_kind kind = TW_OPERATIONS_EXACT;
};

} // namespace

/// Counts the multiply-adds of one product.
class LaunchProgram::DotCounter {
public:
  DotCounter(const LaunchProgram &program, std::span<const int64_t> dimensions, std::span<const Interval> scalars)
      : program(program), workspace(program.makeWorkspace()), isPiece(program.axes.size()),
        environment{dimensions.data(),         scalars.data(),          workspace.axisLow.data(),
                    workspace.axisHigh.data(), workspace.values.data(), isPiece.data()} {}

  Count count(const Dot &dot) {
    if (dot.kind == TW_OPERATIONS_UNKNOWN)
      return {0, TW_OPERATIONS_UNKNOWN};
    findParts(dot);
    piecesLeft = mostPieces;
    Count result = countFrom(0);
    if (piecesLeft < 0) {
      stepped.clear();
      result = countFrom(0);
    }
    result.kind = std::max(result.kind, dot.kind);
    return result.kind == TW_OPERATIONS_UNKNOWN ? Count{0, TW_OPERATIONS_UNKNOWN} : result;
  }

private:
  static bool contains(const std::vector<size_t> &list, size_t axis) {
    return std::find(list.begin(), list.end(), axis) != list.end();
  }

  /// The axes that take part, those of them that others' ranges follow piece by piece, and what must be evaluated.
  void findParts(const Dot &dot) {
    readAxes.clear();
    tile = dot.tile;
    parts = dot.inside;
    for (size_t axis : tile)
      if (!contains(parts, axis))
        parts.push_back(axis);
    std::vector<size_t> usedAxes = parts, usedValues;
    for (size_t next = 0; next < usedAxes.size(); ++next) {
      addUses(program.axes[usedAxes[next]].low, usedAxes, usedValues);
      addUses(program.axes[usedAxes[next]].high, usedAxes, usedValues);
    }
    stepped.clear();
    for (size_t axis : dot.inside)
      if (contains(readAxes, axis))
        stepped.push_back(axis);
    steps.clear();
    for (const Step &step : program.steps)
      if (contains(step.isAxis ? usedAxes : usedValues, step.index))
        steps.push_back(step);
  }

  void addUses(const Expression &expression, std::vector<size_t> &usedAxes, std::vector<size_t> &usedValues) {
    for (size_t axis : expression.axes()) {
      readAxes.push_back(axis);
      if (!contains(usedAxes, axis))
        usedAxes.push_back(axis);
    }
    for (size_t value : expression.values())
      if (!contains(usedValues, value)) {
        usedValues.push_back(value);
        addUses(program.values[value], usedAxes, usedValues);
      }
  }

  void evaluate() {
    for (const Step &step : steps) {
      if (!step.isAxis) {
        workspace.values[step.index] = program.values[step.index].evaluate(environment);
      } else if (!isPiece[step.index]) {
        workspace.axisLow[step.index] = program.axes[step.index].low.evaluate(environment);
        workspace.axisHigh[step.index] = program.axes[step.index].high.evaluate(environment);
      }
    }
  }

  /// Sums over the pieces of the stepped axes from `level` on; the pieces of those before are fixed.
  Count countFrom(size_t level) {
    evaluate();
    if (level == stepped.size())
      return countHere();
    size_t axis = stepped[level];
    Interval low = workspace.axisLow[axis], high = workspace.axisHigh[axis];
    if (!low.isExact()) // other starts, other pieces
      return {0, TW_OPERATIONS_UNKNOWN};
    Count sum = {0, certainty(low, high)};
    int64_t by = program.axes[axis].isSpan ? program.axes[axis].by : 1;
    isPiece[axis] = 1;
    for (int64_t start = low.low; start < high.low;) {
      int64_t end = by > 0 && high.low - start > by ? start + by : high.low;
      workspace.axisLow[axis] = Interval::integer(start);
      workspace.axisHigh[axis] = Interval::integer(end);
      start = end;
      if (--piecesLeft < 0)
        break;
      Count piece = countFrom(level + 1);
      sum.total += piece.total;
      sum.kind = std::max(sum.kind, piece.kind);
    }
    isPiece[axis] = 0;
    return sum;
  }

  Count countHere() const {
    Count product = {1, TW_OPERATIONS_EXACT};
    for (size_t axis : parts) {
      Interval low = workspace.axisLow[axis], high = workspace.axisHigh[axis];
      product.kind = std::max(product.kind, certainty(low, high));
      product.total *= contains(tile, axis) ? longest(low, high) : passes(axis, longest(low, high));
    }
    return product;
  }

  static double longest(const Interval &low, const Interval &high) {
    return std::max(0.0, static_cast<double>(high.high) - static_cast<double>(low.low));
  }

  static tw_operation_count_kind certainty(const Interval &low, const Interval &high) {
    if (low.isExact() && high.isExact())
      return TW_OPERATIONS_EXACT;
    return longest(low, high) < noLimit ? TW_OPERATIONS_AT_MOST : TW_OPERATIONS_UNKNOWN;
  }

  /// How often what is inside an axis runs.
  double passes(size_t axis, double length) const {
    const Axis &of = program.axes[axis];
    if (!of.isSpan)
      return length;
    if (isPiece[axis] || of.by == 0)
      return length > 0;
    return std::ceil(length / static_cast<double>(of.by));
  }

  const LaunchProgram &program;
  Workspace workspace;
  std::vector<char> isPiece;
  Environment environment;
  std::vector<size_t> tile, parts, stepped, readAxes;
  std::vector<Step> steps;
  int64_t piecesLeft = 0;
};

DotOperations LaunchProgram::dotOperations(std::span<const int64_t> dimensions, std::span<const Interval> scalars) const {
  DotOperations all;
  if (dots.empty())
    return all;
  DotCounter counter(*this, dimensions, scalars);
  for (const Dot &dot : dots) {
    Count one = counter.count(dot);
    all.count += 2 * one.total;
    all.kind = std::max(all.kind, one.kind);
  }
  if (all.kind == TW_OPERATIONS_UNKNOWN)
    all.count = 0;
  return all;
}
