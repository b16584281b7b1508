// The launch checks of an artifact (language §3.6, §3.12, §3.17): a small integer program that the compiler wrote beside the
// code. It runs on the host when a launch is prepared, and again for those checks that read a scalar which a launch changes.
//
//   require   a condition on dimensions and scalars is true
//   accesses  the interval of an index lies in its dimension
//   places    every combination of tiles and indices names its own element: mixed radix
//   disjoint  two stores to one view do not meet
//
// It also says how many multiply-adds the kernel's products are (DotOperations.cpp).
//
// The checks are decided by interval arithmetic over the ranges of the axes. A check inside an axis that is certainly empty is
// skipped: nothing there runs.
#pragma once

#include "runtime/Signature.h"
#include "runtime/ViewFacts.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilewright::runtime {

/// What the products (`dot`) of one launch are: a multiplication and an addition for each pair of elements.
struct DotOperations {
  double count = 0;
  tw_operation_count_kind kind = TW_OPERATIONS_NONE; ///< TW_OPERATIONS_UNKNOWN: count is 0
};

class LaunchProgram {
public:
  /// The numbers that one check works with; made once for each thread that checks.
  struct Workspace {
    std::vector<Interval> axisLow, axisHigh, values;
  };

  /// `signature` is the artifact's, `constants` the values of its constants.
  static Result<LaunchProgram> parse(const nlohmann::json &metadata, const Signature &signature,
                                     const std::map<std::string, int64_t> &constants);

  Workspace makeWorkspace() const;

  /// dimensions: by slot. scalars: by position. views: by parameter; those that are absent are never asked for.
  Status check(std::span<const int64_t> dimensions, std::span<const Interval> scalars, std::span<const BoundView> views,
               Workspace &workspace, bool onlyWhatScalarsDecide) const;

  DotOperations dotOperations(std::span<const int64_t> dimensions, std::span<const Interval> scalars) const;

  bool dependsOnScalars() const { return anyScalar; }

  /// T of "GPU code" in compiler_c.h: the product of the numbers of pieces of the grid axes. Nothing: an axis has no exact
  /// range.
  std::optional<int64_t> gridTiles(std::span<const int64_t> dimensions, std::span<const Interval> scalars,
                                   Workspace &workspace) const;
  bool gridDependsOnScalars() const { return gridScalar; }

private:
  struct Condition {
    Expression condition;
    std::string text, where;
    bool usesScalars = false;
  };
  struct Access {
    size_t parameter, dimension;
    Expression index;
    bool store = false, usesScalars = false;
    std::vector<size_t> inside;
    std::string where;
  };
  struct PlaceTerm {
    size_t axis;
    Expression coefficient;
  };
  struct Place {
    size_t parameter, dimension;
    std::vector<PlaceTerm> terms;
    std::vector<size_t> inside;
    std::string where;
    bool usesScalars = false;
  };
  struct Disjoint {
    size_t parameter;
    std::vector<std::pair<Expression, Expression>> dimensions;
    std::vector<size_t> inside; ///< the axes of both places
    std::string where, other;
    bool usesScalars = false;
  };
  struct Axis {
    std::string name;
    Expression low, high;
    bool isSpan = false;
    int64_t by = 0; ///< how many indices a piece of a span has; 0: all
  };
  struct Dot {
    std::vector<size_t> tile, inside;
    tw_operation_count_kind kind = TW_OPERATIONS_EXACT;
  };
  /// A step of the evaluation before the checks: axes and shared values in an order in which each uses only earlier ones.
  struct Step {
    bool isAxis;
    size_t index;
  };
  class Reader;
  class DotCounter;

  Environment evaluateSteps(std::span<const int64_t> dimensions, std::span<const Interval> scalars, Workspace &workspace) const;
  bool isEmpty(size_t axis, const Environment &environment) const;
  Status checkAccess(const Access &access, const Environment &environment, std::span<const BoundView> views) const;
  Status checkPlace(const Place &place, const Environment &environment) const;
  Status checkDisjoint(const Disjoint &disjoint, const Environment &environment) const;

  std::vector<std::string> parameterNames;
  std::vector<std::vector<std::string>> dimensionTexts; ///< by parameter, as declared
  std::vector<Axis> axes;
  std::vector<Expression> values;
  std::vector<Step> steps;
  std::vector<Condition> conditions;
  std::vector<Access> accesses;
  std::vector<Place> places;
  std::vector<Disjoint> disjoints;
  std::vector<Dot> dots;
  std::vector<size_t> gridAxes;
  bool anyScalar = false, gridScalar = false;
};

} // namespace tilewright::runtime
