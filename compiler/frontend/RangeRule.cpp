// Each index of each access gets one verdict: in range for every launch, in range unless the host says otherwise, or an error.
//
//   x[i, j + 1]      i runs over x's first dimension: in range. j + 1 reaches N for certain: an error that suggests `else`.
//   x[i, 2 * j]      the host computes 2 * (N - 1) and compares it with the extent: a LaunchAccess.
//   x[ids[t], d]     memory may hold anything: an error. `else 0` makes the device compare that index, and no other.
//
// A span that stands alone is judged by names before it is judged by numbers (rule 1): sizes that happen to agree today do not
// make `x[j, i]` right.
#include "compiler/frontend/RangeRule.h"

#include "compiler/frontend/AffineIndex.h"
#include "compiler/frontend/TreeBuilder.h"

#include <algorithm>

namespace tilewright::frontend {

using Kind = IndexValue::Kind;
using typed::Op;

namespace {

/// The `require M <= N;` of a kernel, as a relation on names.
class Requirements {
public:
  explicit Requirements(const typed::Kernel &kernel) : constants(kernel.constants) {
    for (const typed::Requirement &requirement : kernel.requirements)
      add(*requirement.condition);
  }

  bool isAtMost(const std::string &smaller, const std::string &larger) const {
    // Constants have lost their names in the conditions; those conditions that tie two of them were decided when they were
    // bound.
    auto low = constants.find(smaller), high = constants.find(larger);
    if (low != constants.end() && high != constants.end())
      return low->second <= high->second;
    std::set<std::string> seen;
    return reaches(smaller, larger, seen);
  }

private:
  void add(const typed::Expr &condition) {
    if (condition.kind != typed::ExprKind::Elementwise || condition.operands.size() != 2)
      return;
    const typed::Expr &left = *condition.operands[0], &right = *condition.operands[1];
    if (condition.op == Op::And) {
      add(left);
      add(right);
    }
    if (condition.op == Op::Less || condition.op == Op::LessEqual || condition.op == Op::Equal)
      addPair(left, right);
    if (condition.op == Op::Greater || condition.op == Op::GreaterEqual || condition.op == Op::Equal)
      addPair(right, left);
  }

  void addPair(const typed::Expr &smaller, const typed::Expr &larger) {
    for (const std::string &low : namesOf(smaller))
      for (const std::string &high : namesOf(larger))
        above[low].insert(high);
  }

  std::vector<std::string> namesOf(const typed::Expr &side) const {
    if (side.kind == typed::ExprKind::Dimension)
      return {side.name};
    std::vector<std::string> names;
    for (const auto &[name, value] : constants)
      if (isConstant(side) && side.integer == value)
        names.push_back(name);
    return names;
  }

  bool reaches(const std::string &from, const std::string &to, std::set<std::string> &seen) const {
    if (from == to)
      return true;
    auto next = above.find(from);
    if (next == above.end() || !seen.insert(from).second)
      return false;
    return std::any_of(next->second.begin(), next->second.end(),
                       [&](const std::string &name) { return reaches(name, to, seen); });
  }

  const std::map<std::string, int64_t> &constants;
  std::map<std::string, std::set<std::string>> above;
};

class RangeRule {
public:
  RangeRule(const typed::Kernel &kernel, Diagnostics &diagnostics)
      : diagnostics(diagnostics), requirements(kernel), indices(collectIndices(kernel)), bounds(indices) {}

  std::vector<LaunchAccess> apply() {
    for (const AccessSite &site : indices.sites)
      check(site);
    return std::move(launch);
  }

private:
  /// One index of an access.
  struct Place {
    const AccessSite &site;
    unsigned dimension;

    const IndexValue *index() const { return site.indices[dimension]; }
    SourceRange where() const { return site.indexExpression(dimension)->where; }
    /// `index 2 of `x``
    std::string text() const { return "index " + std::to_string(dimension + 1) + " of `" + site.view->name + "`"; }
  };

  void check(const AccessSite &site) {
    std::vector<bool> compare(site.indices.size(), false);
    for (unsigned dimension = 0; dimension < site.indices.size(); ++dimension) {
      Place place{site, dimension};
      if (!hasElse(site))
        judgeWithoutElse(place);
      else
        compare[dimension] = !isInRange(place);
    }
    (site.load ? site.load->compare : site.store->compare) = std::move(compare);
  }

  static bool hasElse(const AccessSite &site) { return site.load ? site.load->otherwise != nullptr : site.store->dropOutside; }

  void judgeWithoutElse(const Place &place) {
    if (isInRange(place))
      return;
    if (!reportForeignSpan(place) && !reportOutside(place) && !reportUnknown(place))
      launch.push_back({place.site.view, place.dimension, place.site.indexExpression(place.dimension), place.where(),
                        place.site.store != nullptr});
  }

  // Names (rule 1)
  const IndexValue *extent(const Place &place) { return indices.extents.at(place.site.view)[place.dimension]; }
  static const std::string &dimensionName(const Place &place) { return place.site.view->dimensions[place.dimension].name; }
  /// The dimension that an index runs over as a whole, if it is a span or loop variable and nothing else.
  static std::string spannedDimension(const IndexValue *index) {
    if (index->kind != Kind::Axis)
      return {};
    const typed::Axis *axis = index->axis;
    while (axis->dimension.empty() && axis->parent)
      axis = axis->parent;
    return axis->dimension;
  }
  bool isNamedAlike(const Place &place) const {
    std::string spanned = spannedDimension(place.index());
    return !spanned.empty() && !dimensionName(place).empty() && requirements.isAtMost(spanned, dimensionName(place));
  }

  // Numbers
  bool isInRange(const Place &place) {
    if (isNamedAlike(place))
      return true;
    Interval interval = bounds.interval(place.index());
    if (interval.isEmpty())
      return true;
    const std::optional<AffineIndex> &size = affine(extent(place), indices);
    std::optional<Polynomial> last = size && size->terms.empty() ? size->constant - Polynomial(1) : std::nullopt;
    return interval.low >= 0 && last && bounds.isAtMost(place.index(), *last);
  }

  bool reportForeignSpan(const Place &place);
  bool reportOutside(const Place &place);
  bool reportUnknown(const Place &place);
  std::set<const IndexValue *> nonEmptyDimensions(const Place &place);
  void report(const Place &place, const std::string &message);

  Diagnostics &diagnostics;
  Requirements requirements;
  KernelIndices indices;
  IndexBounds bounds;
  std::vector<LaunchAccess> launch;
};

bool RangeRule::reportForeignSpan(const Place &place) {
  std::string spanned = spannedDimension(place.index());
  const std::string &own = dimensionName(place);
  if (spanned.empty() || own.empty())
    return false;
  diagnostics
      .error(place.where(), "`" + place.index()->axis->name + "` runs over `" + spanned + "`, but dimension " +
                                std::to_string(place.dimension + 1) + " of `" + place.site.view->name + "` is `" + own +
                                "`: write `require " + spanned + " <= " + own + ";` if that is meant")
      .note(place.index()->axis->where, "`" + place.index()->axis->name + "` is declared here");
  return true;
}

/// The dimensions that are at least 1 wherever the access happens: spans are never empty.
std::set<const IndexValue *> RangeRule::nonEmptyDimensions(const Place &place) {
  std::set<const IndexValue *> found;
  auto add = [&](const typed::Axis *axis) {
    const AxisRange &range = indices.ranges.at(axis);
    if (range.low->isInteger(0) && range.high->kind == Kind::Dimension)
      found.insert(range.high);
  };
  for (const typed::Axis *axis : place.site.inside)
    add(axis);
  if (const std::optional<AffineIndex> &sum = affine(place.index(), indices))
    for (const AffineTerm &term : sum->terms)
      add(term.axis);
  return found;
}

void RangeRule::report(const Place &place, const std::string &message) {
  std::string otherwise = place.site.store ? "`else drop`" : "`else …`";
  diagnostics.error(place.where(), message)
      .help("say what happens outside with " + otherwise + ", or bound the index with `min` and `max`");
}

/// Certainly below 0, or certainly beyond the extent?
bool RangeRule::reportOutside(const Place &place) {
  Interval interval = bounds.interval(place.index());
  std::set<const IndexValue *> positive = nonEmptyDimensions(place);
  auto isCertain = [&](const std::optional<Polynomial> &excess) { return excess && bounds.isNonNegative(*excess, positive); };
  std::string size = "dimension " + std::to_string(place.dimension + 1) + " has the indices ";

  const std::optional<AffineIndex> &extentSum = affine(extent(place), indices);
  std::optional<Polynomial> last = extentSum ? extentSum->constant - Polynomial(1) : std::nullopt;
  if (last)
    size += "0 to " + toString(*last);

  std::optional<Polynomial> lowest = bounds.attained(place.index(), IndexBounds::Side::Low);
  if (!lowest && interval.lowOrigin == BoundOrigin::Constant)
    lowest = Polynomial(interval.low);
  std::optional<Polynomial> below = lowest ? Polynomial(-1) - *lowest : std::nullopt;
  if (isCertain(below)) {
    report(place, place.text() + " reaches " + toString(*lowest) + ", but " + size);
    return true;
  }
  std::optional<Polynomial> highest = bounds.attained(place.index(), IndexBounds::Side::High);
  if (!highest && interval.highOrigin == BoundOrigin::Constant)
    highest = Polynomial(interval.high);
  std::optional<Polynomial> excess = highest && last ? *highest - *last : std::nullopt;
  std::optional<Polynomial> beyond = excess ? *excess - Polynomial(1) : std::nullopt;
  if (isCertain(beyond)) {
    report(place, place.text() + " reaches " + toString(*highest) + ", but " + size);
    return true;
  }
  return false;
}

bool RangeRule::reportUnknown(const Place &place) {
  switch (bounds.interval(place.index()).worstOrigin()) {
  case BoundOrigin::Constant:
  case BoundOrigin::Launch:
    return false;
  case BoundOrigin::Memory:
    report(place, place.text() + " comes from memory, so it may lie outside");
    return true;
  case BoundOrigin::Loop:
    report(place, place.text() + " is changed by a loop, so it may lie outside");
    return true;
  case BoundOrigin::Operation:
    report(place, place.text() + " has no bounds that the host can compute");
    return true;
  }
  return false;
}

} // namespace

std::vector<LaunchAccess> applyRangeRule(const typed::Kernel &kernel, Diagnostics &diagnostics) {
  return RangeRule(kernel, diagnostics).apply();
}

} // namespace tilewright::frontend
