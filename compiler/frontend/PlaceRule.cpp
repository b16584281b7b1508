// Who writes which element.
//
// A store's place is its index list. `y[i, h * D + d] = t` is sound because different tiles and passes of loops give different
// places: every grid and loop variable occurs in the place (rule 1), and an index names each combination of its variables by a
// number of its own (rule 2). The numbers h * D + d are like two-digit numbers: d < D is the low digit, so nothing carries into
// the next h. In general the terms, in some order, must each have a coefficient larger than all that the terms before it can
// reach, the sum of |coefficient| · (length − 1): mixed radix. Coefficients are polynomials in dimensions; what cannot be
// decided for all sizes the host decides for the actual ones (LaunchPlace).
//
// Two stores to one view must be apart in some index (rule 3): by their ranges, or by a remainder (2 * j and 2 * j + 1).
//
// A place from memory is the author's promise (rule 4); what remains to check is that it depends on every variable at all.
#include "compiler/frontend/PlaceRule.h"

#include "compiler/frontend/AffineIndex.h"

#include <algorithm>
#include <numeric>

namespace tilewright::frontend {

using Kind = IndexValue::Kind;
using typed::StoreKind;

namespace {

using Sites = std::vector<const AccessSite *>;

std::string quoted(const std::string &text) {
  return "`" + text + "`";
}

bool isSet(const AccessSite &site) {
  return site.store->store == StoreKind::Set;
}

bool dependsOnData(const AccessSite &site) {
  return std::any_of(site.indices.begin(), site.indices.end(), [](const IndexValue *index) { return index->hasData; });
}

/// Is the place, or the partition one of its spans stands for, a matter of memory?
bool isPromised(const AccessSite &site) {
  return std::any_of(site.indices.begin(), site.indices.end(),
                     [](const IndexValue *index) { return index->hasData || index->hasPartition; });
}

/// Presence of views is fixed when a kernel is specialized, so only one of the two branches will ever exist.
bool isOnPresence(const typed::Expr &condition) {
  return condition.kind == typed::ExprKind::Presence ||
         (condition.kind == typed::ExprKind::Elementwise && !condition.operands.empty() &&
          std::all_of(condition.operands.begin(), condition.operands.end(),
                      [](const typed::Expr *operand) { return isOnPresence(*operand); }));
}

/// Do the two stand in different branches of one `if` (one decided by presence, if so asked)?
bool inDifferentBranches(const AccessSite &a, const AccessSite &b, bool ofPresence) {
  for (const BranchStep &step : a.branches)
    for (const BranchStep &other : b.branches)
      if (step.branch == other.branch && step.taken != other.taken && (!ofPresence || isOnPresence(*step.branch->value)))
        return true;
  return false;
}

enum class Answer { Yes, No, AtLaunch };

class PlaceRule {
public:
  PlaceRule(const typed::Kernel &kernel, Diagnostics &diagnostics)
      : kernel(kernel), diagnostics(diagnostics), indices(collectIndices(kernel)), bounds(indices) {}

  LaunchPlaces apply() {
    for (const std::unique_ptr<typed::View> &view : kernel.views)
      if (view->isWritten() && view->presence != typed::View::Presence::Absent)
        checkView(*view);
    return std::move(launch);
  }

private:
  void checkView(const typed::View &view);
  void checkMixture(const Sites &stores);

  // Rules 1 and 2: one store with `=`
  void checkAssignment(const AccessSite &site);
  bool checkWhile(const AccessSite &site);
  bool checkCovered(const AccessSite &site, const typed::Axis *axis);
  void checkIndex(const AccessSite &site, unsigned dimension);
  bool covers(const AccessSite &site, const typed::Axis *axis);
  bool covers(const IndexValue *index, const typed::Axis *axis);
  const typed::Axis *coveredDependent(const AccessSite &site, const typed::Axis *axis);

  // Rule 2: mixed radix
  Answer isInjective(const AffineIndex &sum);
  bool isProvedInjective(std::vector<AffineTerm> rest, const Polynomial &reach);
  std::optional<Polynomial> magnitude(const Polynomial &coefficient);
  std::optional<Polynomial> reachOf(const AffineTerm &term, const Polynomial &magnitude);
  bool isConstantSum(const AffineIndex &sum);

  // Rule 3: two stores with `=`
  void checkPair(const AccessSite &first, const AccessSite &second);
  bool nameSameElements(const AccessSite &first, const AccessSite &second);
  bool nameSameElements(const IndexValue *a, const IndexValue *b);
  bool areApart(const IndexValue *a, const IndexValue *b);
  bool haveDifferentRemainders(const IndexValue *a, const IndexValue *b);
  bool hostCanCompare(const IndexValue *a, const IndexValue *b);

  // Sums
  void checkSum(const AccessSite &site);
  bool isShared(const AccessSite &site);
  bool tilesMeetAcross(const AccessSite &first, const AccessSite &second);

  const typed::Kernel &kernel;
  Diagnostics &diagnostics;
  KernelIndices indices;
  IndexBounds bounds;
  LaunchPlaces launch;
};

// --------------------------------------------------------------------------------------------------------------------
// One view
// --------------------------------------------------------------------------------------------------------------------

void PlaceRule::checkView(const typed::View &view) {
  Sites assignments, sums;
  for (const AccessSite &site : indices.sites)
    if (site.store && site.view == &view)
      (isSet(site) ? assignments : sums).push_back(&site);
  if (assignments.empty() && sums.empty()) {
    if (!view.isStoredInDroppedBranch)
      diagnostics.error(view.where, quoted(view.name) + " is never written").help("store to it, or remove it");
    return;
  }
  Sites all = assignments;
  all.insert(all.end(), sums.begin(), sums.end());
  checkMixture(all);
  for (const AccessSite *site : assignments)
    checkAssignment(*site);
  for (size_t second = 1; second < assignments.size(); ++second)
    for (size_t first = 0; first < second; ++first)
      checkPair(*assignments[first], *assignments[second]);
  for (const AccessSite *site : sums)
    checkSum(*site);
  bool isAnyShared = std::any_of(sums.begin(), sums.end(), [&](const AccessSite *site) { return isShared(*site); });
  for (const AccessSite *first : sums)
    isAnyShared |=
        std::any_of(sums.begin(), sums.end(), [&](const AccessSite *second) { return tilesMeetAcross(*first, *second); });
  for (const AccessSite *site : sums)
    site->store->sharedByTiles = isAnyShared && !site->store->atomic;
}

/// One view is either assigned or accumulated, and accumulated in one way. (A sum formed from the tiles' parts and one formed
/// in place by `atomic` would overwrite each other.)
void PlaceRule::checkMixture(const Sites &stores) {
  for (const AccessSite *other : stores) {
    const AccessSite *first = stores.front();
    bool isSameKind = other->store->store == first->store->store;
    bool isSameWay = isSameKind && other->store->atomic == first->store->atomic;
    if (isSameWay || inDifferentBranches(*first, *other, /*ofPresence=*/true))
      continue;
    std::string name = quoted(first->view->name);
    std::string message = isSameKind      ? name + " is accumulated with `atomic` and without: one of the two for each view"
                          : isSet(*first) ? name + " is assigned with `=`, so it cannot be accumulated too"
                                          : name + " is accumulated in two ways: one of `+=`, `max=` and `min=` for each view";
    diagnostics.error(other->where(), message).note(first->where(), "the other store is here");
    return;
  }
}

// --------------------------------------------------------------------------------------------------------------------
// Rules 1 and 2
// --------------------------------------------------------------------------------------------------------------------

void PlaceRule::checkAssignment(const AccessSite &site) {
  site.store->promisedUnique = isPromised(site);
  if (!checkWhile(site))
    return;
  for (const typed::Axis *axis : site.inside)
    if (!checkCovered(site, axis))
      return;
  for (unsigned dimension = 0; dimension < site.indices.size(); ++dimension)
    checkIndex(site, dimension);
}

bool PlaceRule::checkWhile(const AccessSite &site) {
  if (!site.underWhile || dependsOnData(site))
    return true;
  diagnostics.error(site.where(), "a `while` may write the same elements of " + quoted(site.view->name) +
                                      " in every pass: store after it, or accumulate with `+=`");
  return false;
}

bool PlaceRule::checkCovered(const AccessSite &site, const typed::Axis *axis) {
  if (covers(site, axis))
    return true;
  bool isGrid = axis->origin == typed::Axis::Origin::Grid;
  std::string who = isGrid ? "all tiles along " : "all passes of the loop along ";
  std::string name = quoted(axis->name);
  if (const typed::Axis *dependent = coveredDependent(site, axis)) {
    diagnostics
        .error(site.where(), "tiles of different " + name + " may write the same elements of " + quoted(site.view->name) +
                                 ": the ranges of " + quoted(dependent->name) + " may overlap")
        .help("ranges between consecutive entries of a view never do: `first[" + axis->name + "]..first[" + axis->name +
              " + 1]`");
    return false;
  }
  diagnostics.error(site.where(), who + name + " write the same elements of " + quoted(site.view->name) + ": reduce over " +
                                      name + ", or accumulate with `+=`");
  return false;
}

/// A variable that occurs in the place and whose range depends on `axis`.
const typed::Axis *PlaceRule::coveredDependent(const AccessSite &site, const typed::Axis *axis) {
  for (const typed::Axis *other : site.inside) {
    const AxisRange &range = indices.ranges.at(other);
    if (other != axis && covers(site, other) && (dependsOnAxis(range.low, axis) || dependsOnAxis(range.high, axis)))
      return other;
  }
  return nullptr;
}

bool PlaceRule::covers(const AccessSite &site, const typed::Axis *axis) {
  return std::any_of(site.indices.begin(), site.indices.end(), [&](const IndexValue *index) { return covers(index, axis); });
}

bool PlaceRule::covers(const IndexValue *index, const typed::Axis *axis) {
  const std::optional<AffineIndex> &sum = affine(index, indices);
  if (!sum) // from memory, or an error of rule 2
    return dependsOnAxis(index, axis);
  return std::any_of(sum->terms.begin(), sum->terms.end(),
                     [axis](const AffineTerm &term) { return standsFor(term.axis, axis); });
}

void PlaceRule::checkIndex(const AccessSite &site, unsigned dimension) {
  const IndexValue *index = site.indices[dimension];
  if (index->hasData)
    return;
  SourceRange where = site.store->indices[dimension]->where;
  std::string text = "index " + std::to_string(dimension + 1) + " of " + quoted(site.view->name);
  const std::optional<AffineIndex> &sum = affine(index, indices);
  if (!sum) {
    diagnostics.error(where,
                      text + " may name an element twice: only sums of spans and integers times constants are known not to");
    return;
  }
  switch (isInjective(*sum)) {
  case Answer::Yes:
    return;
  case Answer::No:
    diagnostics.error(where, text + " names some elements twice");
    return;
  case Answer::AtLaunch:
    if (!isPromised(site))
      launch.places.push_back({site.store, dimension, site.store->indices[dimension]});
    return;
  }
}

// --------------------------------------------------------------------------------------------------------------------
// Rule 2: mixed radix
// --------------------------------------------------------------------------------------------------------------------

std::optional<Polynomial> PlaceRule::magnitude(const Polynomial &coefficient) {
  if (bounds.isNonNegative(coefficient))
    return coefficient;
  std::optional<Polynomial> negated = Polynomial() - coefficient;
  return negated && bounds.isNonNegative(*negated) ? negated : std::nullopt;
}

std::optional<Polynomial> PlaceRule::reachOf(const AffineTerm &term, const Polynomial &magnitude) {
  std::optional<Polynomial> length = bounds.length(term.axis);
  std::optional<Polynomial> steps = length ? *length - Polynomial(1) : std::nullopt;
  return steps ? *steps * magnitude : std::nullopt;
}

/// Is there an order of the terms in which each exceeds the reach of those before it?
bool PlaceRule::isProvedInjective(std::vector<AffineTerm> rest, const Polynomial &reach) {
  if (rest.empty())
    return true;
  for (size_t next = 0; next < rest.size(); ++next) {
    std::optional<Polynomial> size = magnitude(rest[next].coefficient);
    std::optional<Polynomial> above = size ? *size - reach : std::nullopt;
    std::optional<Polynomial> room = above ? *above - Polynomial(1) : std::nullopt;
    if (!room || !bounds.isNonNegative(*room))
      continue;
    if (rest.size() == 1) // the length of the largest term does not matter
      return true;
    std::optional<Polynomial> own = reachOf(rest[next], *size);
    std::optional<Polynomial> total = own ? reach + *own : std::nullopt;
    std::vector<AffineTerm> others = rest;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(next));
    if (total && isProvedInjective(std::move(others), *total))
      return true;
  }
  return false;
}

/// Are the coefficients, and the lengths of all axes, known now?
bool PlaceRule::isConstantSum(const AffineIndex &sum) {
  return std::all_of(sum.terms.begin(), sum.terms.end(), [this](const AffineTerm &term) {
    std::optional<Polynomial> length = bounds.length(term.axis);
    return term.coefficient.constant() && length && length->constant();
  });
}

Answer PlaceRule::isInjective(const AffineIndex &sum) {
  bool hasPieces = std::any_of(sum.terms.begin(), sum.terms.end(), [](const AffineTerm &term) { return term.ofPieces; });
  if (hasPieces)
    return sum.terms.size() == 1 ? Answer::Yes : Answer::No;
  if (isProvedInjective(sum.terms, Polynomial()))
    return Answer::Yes;
  return isConstantSum(sum) ? Answer::No : Answer::AtLaunch;
}

// --------------------------------------------------------------------------------------------------------------------
// Rule 3
// --------------------------------------------------------------------------------------------------------------------

void PlaceRule::checkPair(const AccessSite &first, const AccessSite &second) {
  if (inDifferentBranches(first, second, /*ofPresence=*/true))
    return;
  bool isSamePlace = nameSameElements(first, second);
  if (isSamePlace && inDifferentBranches(first, second, /*ofPresence=*/false))
    return;
  std::string name = quoted(first.view->name);
  if (isSamePlace) {
    diagnostics.error(second.where(), "two stores write the same elements of " + name)
        .note(first.where(), "the other store is here");
    return;
  }
  bool isComparable = false;
  for (size_t dimension = 0; dimension < first.indices.size(); ++dimension) {
    if (areApart(first.indices[dimension], second.indices[dimension]))
      return;
    isComparable |= hostCanCompare(first.indices[dimension], second.indices[dimension]);
  }
  if (isPromised(first) || isPromised(second))
    return;
  if (isComparable) {
    launch.disjoint.push_back({first.store, second.store});
    return;
  }
  diagnostics.error(second.where(), "two stores may write the same elements of " + name)
      .note(first.where(), "the other store is here")
      .help("some index of the two must have ranges that never meet, such as `e` and `e + D / 2` for e in D / 2");
}

/// The same place, perhaps with other loop variables over the same ranges.
bool PlaceRule::nameSameElements(const AccessSite &first, const AccessSite &second) {
  return std::equal(first.indices.begin(), first.indices.end(), second.indices.begin(),
                    [this](const IndexValue *a, const IndexValue *b) { return a == b || nameSameElements(a, b); });
}

bool PlaceRule::nameSameElements(const IndexValue *a, const IndexValue *b) {
  const std::optional<AffineIndex> &first = affine(a, indices), &second = affine(b, indices);
  auto isSameTerm = [this](const AffineTerm &x, const AffineTerm &y) {
    auto isGrid = [](const AffineTerm &term) { return term.axis->origin == typed::Axis::Origin::Grid; };
    bool isRenamed = !isGrid(x) && !isGrid(y) && indices.ranges.at(x.axis) == indices.ranges.at(y.axis);
    return (x.axis == y.axis || isRenamed) && x.coefficient == y.coefficient && x.ofPieces == y.ofPieces;
  };
  return first && second && first->constant == second->constant && first->terms.size() == second->terms.size() &&
         std::is_permutation(first->terms.begin(), first->terms.end(), second->terms.begin(), isSameTerm);
}

bool PlaceRule::areApart(const IndexValue *a, const IndexValue *b) {
  using Side = IndexBounds::Side;
  auto isBelow = [this](const IndexValue *lower, const IndexValue *upper) {
    std::optional<Polynomial> last = bounds.bound(lower, Side::High), first = bounds.bound(upper, Side::Low);
    std::optional<Polynomial> gap = last && first ? *first - *last : std::nullopt;
    std::optional<Polynomial> room = gap ? *gap - Polynomial(1) : std::nullopt;
    return (room && bounds.isNonNegative(*room)) || bounds.interval(lower).high < bounds.interval(upper).low;
  };
  return isBelow(a, b) || isBelow(b, a) || haveDifferentRemainders(a, b);
}

/// Both are constant + multiples of one number, with constants that differ by no multiple of it.
bool PlaceRule::haveDifferentRemainders(const IndexValue *a, const IndexValue *b) {
  const std::optional<AffineIndex> &first = affine(a, indices), &second = affine(b, indices);
  std::optional<Polynomial> difference = first && second ? first->constant - second->constant : std::nullopt;
  if (!difference || !difference->constant())
    return false;
  int64_t divisor = 0;
  for (const AffineIndex *sum : {&*first, &*second})
    for (const AffineTerm &term : sum->terms) {
      std::optional<int64_t> coefficient = term.coefficient.constant();
      if (!coefficient || *coefficient == Interval::least)
        return false;
      divisor = std::gcd(divisor, *coefficient);
    }
  return divisor == 0 ? *difference->constant() != 0 : *difference->constant() % divisor != 0;
}

/// May the launch's numbers show two ranges to be apart that are not so for certain? Not those of one index, nor constant ones.
bool PlaceRule::hostCanCompare(const IndexValue *a, const IndexValue *b) {
  Interval first = bounds.interval(a), second = bounds.interval(b);
  bool areConstant = first.worstOrigin() == BoundOrigin::Constant && second.worstOrigin() == BoundOrigin::Constant;
  if (areConstant || a == b || nameSameElements(a, b))
    return false;
  return (knownAtLaunch(first.highOrigin) && knownAtLaunch(second.lowOrigin)) ||
         (knownAtLaunch(second.highOrigin) && knownAtLaunch(first.lowOrigin));
}

// --------------------------------------------------------------------------------------------------------------------
// Sums
// --------------------------------------------------------------------------------------------------------------------

void PlaceRule::checkSum(const AccessSite &site) {
  const typed::Statement &store = *site.store;
  if (store.atomic || store.store != StoreKind::Add || !isFloat(store.view->dtype) || !dependsOnData(site))
    return;
  diagnostics.error(site.where(),
                    "a float sum at places from memory has no fixed order: write `atomic " + store.view->name + "[…] += …`");
}

/// May several tiles add to one element? No, if the grid's variables all occur in indices that tell them apart for certain.
bool PlaceRule::isShared(const AccessSite &site) {
  if (kernel.grid.empty())
    return false;
  if (isPromised(site)) // a sum is right even if two tiles meet
    return true;
  for (const IndexValue *index : site.indices) {
    const std::optional<AffineIndex> &sum = affine(index, indices);
    if (!sum || isInjective(*sum) != Answer::Yes)
      return true;
  }
  return std::any_of(site.inside.begin(), site.inside.end(),
                     [&](const typed::Axis *axis) { return axis->origin == typed::Axis::Origin::Grid && !covers(site, axis); });
}

/// May one tile's first store meet another tile's second one?
bool PlaceRule::tilesMeetAcross(const AccessSite &first, const AccessSite &second) {
  if (kernel.grid.empty() || first.indices == second.indices)
    return false;
  for (size_t dimension = 0; dimension < first.indices.size(); ++dimension)
    if (areApart(first.indices[dimension], second.indices[dimension]))
      return false;
  return true;
}

} // namespace

LaunchPlaces applyPlaceRule(const typed::Kernel &kernel, Diagnostics &diagnostics) {
  return PlaceRule(kernel, diagnostics).apply();
}

} // namespace tilewright::frontend
