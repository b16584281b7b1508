#include "runtime/LaunchProgram.h"

#include "runtime/Text.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace tilewright::runtime;
using nlohmann::json;

// ---- Reading ----------------------------------------------------------------------------------------------------------------

static Status damaged(std::string message) {
  return Status(TW_DAMAGED_ARTIFACT, std::move(message));
}

class LaunchProgram::Reader {
public:
  Reader(const json &metadata, const Signature &signature, const std::map<std::string, int64_t> &constants,
         LaunchProgram &program)
      : metadata(metadata), signature(signature), program(program), scope(signature.scope()) {
    scope.constants = constants;
  }

  Status read() {
    for (const Parameter &parameter : signature.parameters) {
      program.parameterNames.push_back(parameter.name);
      std::vector<std::string> &texts = program.dimensionTexts.emplace_back();
      for (const Dimension &dimension : parameter.dimensions)
        texts.push_back(dimension.text);
    }
    if (const json *axes = findArray(metadata, "axes"))
      for (const json &axis : *axes) {
        std::string name;
        if (Status status = readText(axis, "name", name); !status.ok())
          return status;
        scope.axes.push_back(name);
      }
    const json *values = findArray(metadata, "values");
    scope.values = values ? values->size() : 0;

    if (values)
      for (const json &value : *values) {
        if (!compile(value, program.values.emplace_back()))
          return failure();
        scope.valueTexts.push_back(program.values.back().text());
      }
    if (const json *axes = findArray(metadata, "axes"))
      for (const json &axis : *axes) {
        Axis &result = program.axes.emplace_back();
        result.name = axis["name"].get<std::string>();
        if (!compileMember(axis, "low", result.low) || !compileMember(axis, "high", result.high) ||
            !keep(readBoolean(axis, "span", result.isSpan)) || !readPieces(axis, result.by))
          return failure();
      }
    if (Status status = orderSteps(); !status.ok())
      return status;
    if (!readAll("require", [this](const json &tree) { return readCondition(tree); }) ||
        !readAll("accesses", [this](const json &tree) { return readAccess(tree); }) ||
        !readAll("places", [this](const json &tree) { return readPlace(tree); }) ||
        !readAll("disjoint", [this](const json &tree) { return readDisjoint(tree); }) ||
        !readAll("dots", [this](const json &tree) { return readDot(tree); }) ||
        !readAxes(metadata, "grid_axes", program.gridAxes))
      return failure();
    for (size_t axis : program.gridAxes)
      program.gridScalar |= axisScalar[axis];
    return {};
  }

private:
  Status failure() { return damaged(concat("in the launch checks: ", message)); }
  bool fail(std::string text) {
    message = std::move(text);
    return false;
  }
  bool keep(Status status) { return status.ok() || fail(status.message()); }

  template <typename Read> bool readAll(const char *key, Read readOne) {
    const json *list = findArray(metadata, key);
    if (!list)
      return true;
    return std::all_of(list->begin(), list->end(), readOne);
  }

  bool compile(const json &tree, Expression &to) {
    Result<Expression> result = Expression::compile(tree, scope);
    if (!result.ok())
      return fail(result.status().message());
    to = std::move(*result);
    return true;
  }
  bool compileMember(const json &tree, const char *key, Expression &to) {
    auto found = tree.is_object() ? tree.find(key) : tree.end();
    return found == tree.end() ? fail(concat("an entry lacks \"", key, '"')) : compile(*found, to);
  }

  bool axisNamed(const json &name, size_t &axis) {
    auto found = name.is_string() ? std::find(scope.axes.begin(), scope.axes.end(), name.get<std::string>()) : scope.axes.end();
    axis = static_cast<size_t>(found - scope.axes.begin());
    return found != scope.axes.end() ||
           fail(concat("there is no axis ", name.is_primitive() ? name.dump() : std::string("with a tree for its name")));
  }

  /// Absent: none.
  bool readAxes(const json &tree, const char *key, std::vector<size_t> &to) {
    if (const json *names = findArray(tree, key))
      for (const json &name : *names)
        if (!axisNamed(name, to.emplace_back()))
          return false;
    return true;
  }

  bool readPieces(const json &axis, int64_t &by) {
    auto found = axis.find("by");
    if (found == axis.end() || found->is_null())
      return true;
    return (keep(readInteger(axis, "by", by)) && by > 0) || fail("an axis has pieces of no index");
  }

  bool viewNamed(const json &tree, size_t &parameter) {
    std::string name;
    if (!keep(readText(tree, "view", name)))
      return false;
    const Parameter *found = signature.findParameter(name);
    if (!found || !found->isView())
      return fail(concat("there is no view ", name));
    parameter = static_cast<size_t>(found - signature.parameters.data());
    return true;
  }

  bool viewDimension(const json &tree, size_t &parameter, size_t &dimension) {
    int64_t number = -1;
    if (!viewNamed(tree, parameter) || !keep(readInteger(tree, "dimension", number)))
      return false;
    if (number < 0 || static_cast<size_t>(number) >= signature.parameters[parameter].dimensions.size())
      return fail(concat("view ", signature.parameters[parameter].name, " has no dimension ", number));
    dimension = static_cast<size_t>(number);
    return true;
  }

  /// Depth first, so that each axis and shared value comes after what it uses; one that needs itself is an error.
  Status orderSteps() {
    enum State { New, Open, Done };
    std::vector<State> axisState(program.axes.size(), New), valueState(program.values.size(), New);
    // The nodes that are open, and whether what they use has been looked at.
    std::vector<Step> stack;
    auto push = [&](bool isAxis, size_t index) {
      State &state = (isAxis ? axisState : valueState)[index];
      if (state == Open)
        return false;
      if (state == New)
        stack.push_back({isAxis, index});
      return true;
    };
    auto pushUses = [&](const Expression &expression) {
      for (size_t axis : expression.axes())
        if (!push(true, axis))
          return false;
      for (size_t value : expression.values())
        if (!push(false, value))
          return false;
      return true;
    };
    auto visitAll = [&](bool isAxis, size_t count) {
      for (size_t root = 0; root < count; ++root) {
        push(isAxis, root);
        while (!stack.empty()) {
          Step step = stack.back();
          State &state = (step.isAxis ? axisState : valueState)[step.index];
          if (state == Done) { // pushed twice, and finished in between
            stack.pop_back();
          } else if (state == Open) {
            state = Done;
            program.steps.push_back(step);
            stack.pop_back();
          } else {
            state = Open;
            bool fine = step.isAxis ? pushUses(program.axes[step.index].low) && pushUses(program.axes[step.index].high)
                                    : pushUses(program.values[step.index]);
            if (!fine)
              return false;
          }
        }
      }
      return true;
    };
    if (!visitAll(true, program.axes.size()) || !visitAll(false, program.values.size()))
      return damaged("in the launch checks: an axis or a shared value depends on itself");

    axisScalar.resize(program.axes.size());
    valueScalar.resize(program.values.size());
    for (const Step &step : program.steps) {
      if (step.isAxis)
        axisScalar[step.index] = usesScalars(program.axes[step.index].low) || usesScalars(program.axes[step.index].high);
      else
        valueScalar[step.index] = usesScalars(program.values[step.index]);
    }
    return {};
  }

  /// Directly, or through an axis or a shared value.
  bool usesScalars(const Expression &expression) const {
    auto axis = [&](size_t index) { return axisScalar[index]; };
    auto value = [&](size_t index) { return valueScalar[index]; };
    return !expression.scalars().empty() || std::any_of(expression.axes().begin(), expression.axes().end(), axis) ||
           std::any_of(expression.values().begin(), expression.values().end(), value);
  }

  /// Every axis that an expression reads, directly or not. (orderSteps has shown that there are no cycles.)
  void collectAxes(const Expression &expression, std::vector<size_t> &to) const {
    for (size_t axis : expression.axes())
      if (std::find(to.begin(), to.end(), axis) == to.end())
        to.push_back(axis);
    for (size_t value : expression.values())
      collectAxes(program.values[value], to);
  }

  bool note(bool uses) {
    program.anyScalar |= uses;
    return uses;
  }

  bool readCondition(const json &tree) {
    Condition result;
    if (!compileMember(tree, "condition", result.condition) || !keep(readOptionalText(tree, "text", result.text)) ||
        !keep(readOptionalText(tree, "where", result.where)))
      return false;
    result.usesScalars = note(usesScalars(result.condition));
    program.conditions.push_back(std::move(result));
    return true;
  }

  bool readAccess(const json &tree) {
    Access result;
    if (!viewDimension(tree, result.parameter, result.dimension) || !compileMember(tree, "index", result.index) ||
        !keep(readBoolean(tree, "store", result.store)) || !keep(readOptionalText(tree, "where", result.where)))
      return false;
    result.usesScalars = usesScalars(result.index);
    if (!readAxes(tree, "inside", result.inside))
      return false;
    for (size_t axis : result.inside)
      result.usesScalars |= axisScalar[axis];
    note(result.usesScalars);
    program.accesses.push_back(std::move(result));
    return true;
  }

  bool readPlace(const json &tree) {
    Place result;
    if (!viewDimension(tree, result.parameter, result.dimension) || !keep(readOptionalText(tree, "where", result.where)))
      return false;
    const json *terms = findArray(tree, "terms");
    if (!terms)
      return fail("a place lacks its terms");
    if (!readAxes(tree, "inside", result.inside))
      return false;
    for (size_t axis : result.inside)
      result.usesScalars |= axisScalar[axis];
    for (const json &term : *terms) {
      PlaceTerm &to = result.terms.emplace_back();
      auto axis = term.is_object() ? term.find("axis") : term.end();
      if (axis == term.end() || !axisNamed(*axis, to.axis) || !compileMember(term, "coefficient", to.coefficient))
        return message.empty() ? fail("a place has a damaged term") : false;
      result.usesScalars |= axisScalar[to.axis] || usesScalars(to.coefficient);
    }
    note(result.usesScalars);
    program.places.push_back(std::move(result));
    return true;
  }

  bool readDisjoint(const json &tree) {
    Disjoint result;
    if (!viewNamed(tree, result.parameter) || !keep(readOptionalText(tree, "where", result.where)) ||
        !keep(readOptionalText(tree, "other", result.other)))
      return false;
    const json *dimensions = findArray(tree, "dimensions");
    if (!dimensions || dimensions->size() != signature.parameters[result.parameter].dimensions.size())
      return fail("two stores that must be disjoint lack an index for some dimension");
    for (const json &pair : *dimensions) {
      auto &[first, second] = result.dimensions.emplace_back();
      if (!compileMember(pair, "first", first) || !compileMember(pair, "second", second))
        return false;
      result.usesScalars |= usesScalars(first) || usesScalars(second);
      collectAxes(first, result.inside);
      collectAxes(second, result.inside);
    }
    note(result.usesScalars);
    program.disjoints.push_back(std::move(result));
    return true;
  }

  bool readDot(const json &tree) {
    Dot result;
    std::string runs;
    if (!readAxes(tree, "tile", result.tile) || !readAxes(tree, "inside", result.inside) || !keep(readText(tree, "runs", runs)))
      return false;
    if (runs != "always" && runs != "perhaps" && runs != "unknown")
      return fail(concat("a product runs neither always nor perhaps nor an unknown number of times, but ", runs));
    result.kind = runs == "always" ? TW_OPERATIONS_EXACT : runs == "perhaps" ? TW_OPERATIONS_AT_MOST : TW_OPERATIONS_UNKNOWN;
    program.dots.push_back(std::move(result));
    return true;
  }

  const json &metadata;
  const Signature &signature;
  LaunchProgram &program;
  Scope scope;
  std::string message;
  std::vector<bool> axisScalar, valueScalar;
};

Result<LaunchProgram> LaunchProgram::parse(const json &metadata, const Signature &signature,
                                           const std::map<std::string, int64_t> &constants) {
  LaunchProgram program;
  if (Status status = Reader(metadata, signature, constants, program).read(); !status.ok())
    return status;
  return program;
}

// ---- Checking ---------------------------------------------------------------------------------------------------------------

static Status refused(const std::string &where, std::string message) {
  return Status(TW_CHECK_FAILED, where.empty() ? std::move(message) : concat(where, ": ", message));
}

static std::string numbers(const Interval &interval) {
  if (interval.isReal)
    return interval.isExact() ? concat(interval.realLow) : concat(interval.realLow, " to ", interval.realHigh);
  return interval.isExact() ? std::to_string(interval.low) : concat(interval.low, " to ", interval.high);
}

LaunchProgram::Workspace LaunchProgram::makeWorkspace() const {
  return {std::vector<Interval>(axes.size()), std::vector<Interval>(axes.size()), std::vector<Interval>(values.size())};
}

bool LaunchProgram::isEmpty(size_t axis, const Environment &environment) const {
  return environment.axisHigh[axis].high <= environment.axisLow[axis].low;
}

Environment LaunchProgram::evaluateSteps(std::span<const int64_t> dimensions, std::span<const Interval> scalars,
                                         Workspace &workspace) const {
  Environment environment = {dimensions.data(), scalars.data(), workspace.axisLow.data(), workspace.axisHigh.data(),
                             workspace.values.data()};
  for (const Step &step : steps) {
    if (step.isAxis) {
      workspace.axisLow[step.index] = axes[step.index].low.evaluate(environment);
      workspace.axisHigh[step.index] = axes[step.index].high.evaluate(environment);
    } else {
      workspace.values[step.index] = values[step.index].evaluate(environment);
    }
  }
  return environment;
}

std::optional<int64_t> LaunchProgram::gridTiles(std::span<const int64_t> dimensions, std::span<const Interval> scalars,
                                                Workspace &workspace) const {
  evaluateSteps(dimensions, scalars, workspace);
  int64_t tiles = 1;
  bool isTooLarge = false, isEmpty = false;
  for (size_t index : gridAxes) {
    const Axis &axis = axes[index];
    const Interval &low = workspace.axisLow[index], &high = workspace.axisHigh[index];
    if (!low.isExact() || !high.isExact())
      return std::nullopt;
    int64_t length = high.low > low.low ? high.low - low.low : 0;
    int64_t pieces = !axis.isSpan ? length : axis.by == 0 ? length > 0 : length / axis.by + (length % axis.by != 0);
    isEmpty |= pieces == 0;
    isTooLarge |= __builtin_mul_overflow(tiles, pieces, &tiles);
  }
  return isEmpty ? 0 : isTooLarge ? INT64_MAX : tiles;
}

Status LaunchProgram::check(std::span<const int64_t> dimensions, std::span<const Interval> scalars,
                            std::span<const BoundView> views, Workspace &workspace, bool onlyWhatScalarsDecide) const {
  Environment environment = evaluateSteps(dimensions, scalars, workspace);
  auto skipped = [&](bool usesScalars) { return onlyWhatScalarsDecide && !usesScalars; };
  for (const Condition &condition : conditions) {
    if (skipped(condition.usesScalars) || condition.condition.evaluate(environment).isCertainly(true))
      continue;
    return refused(condition.where, concat("require ", condition.condition.text(), " does not hold",
                                           condition.text.empty() ? "" : ": ", condition.text));
  }
  for (const Access &access : accesses)
    if (!skipped(access.usesScalars))
      if (Status status = checkAccess(access, environment, views); !status.ok())
        return status;
  for (const Place &place : places)
    if (!skipped(place.usesScalars))
      if (Status status = checkPlace(place, environment); !status.ok())
        return status;
  for (const Disjoint &disjoint : disjoints)
    if (!skipped(disjoint.usesScalars))
      if (Status status = checkDisjoint(disjoint, environment); !status.ok())
        return status;
  return {};
}

Status LaunchProgram::checkAccess(const Access &access, const Environment &environment,
                                  std::span<const BoundView> views) const {
  for (size_t axis : access.inside)
    if (isEmpty(axis, environment))
      return {};
  Interval index = access.index.evaluate(environment);
  int64_t extent = views[access.parameter].declaredExtents[access.dimension];
  if (!index.isReal && index.low >= 0 && index.high < extent)
    return {};
  return refused(access.where, concat(access.store ? "a store to " : "a read of ", parameterNames[access.parameter], ": index ",
                                      access.index.text(), " is ", numbers(index), ", dimension ",
                                      dimensionTexts[access.parameter][access.dimension], " has the indices ",
                                      extent > 0 ? concat("0 to ", extent - 1) : std::string("of an empty range")));
}

Status LaunchProgram::checkPlace(const Place &place, const Environment &environment) const {
  struct Digit {
    __int128 least, most; ///< of |coefficient|
    __int128 last;        ///< the most by which the axis can move: its length − 1
    const PlaceTerm *term;
  };
  // Few, always: the terms of one index. More than fit would be a strange kernel, and is refused.
  constexpr size_t maxDigits = 16;
  Digit digits[maxDigits];
  size_t count = 0;
  for (size_t axis : place.inside)
    if (isEmpty(axis, environment))
      return {};
  for (const PlaceTerm &term : place.terms) {
    if (isEmpty(term.axis, environment))
      return {};
    __int128 length = static_cast<__int128>(environment.axisHigh[term.axis].high) - environment.axisLow[term.axis].low;
    if (length <= 1)
      continue;
    Interval coefficient = unary(Operation::Absolute, term.coefficient.evaluate(environment));
    if (count == maxDigits)
      return refused(place.where, "a store whose index has too many terms");
    digits[count++] = {coefficient.low, coefficient.high, length - 1, &term};
  }
  std::sort(digits, digits + count, [](const Digit &a, const Digit &b) { return a.least < b.least; });
  __int128 reach = 0;
  for (size_t index = 0; index < count; ++index) {
    const Digit &digit = digits[index];
    if (digit.least <= reach)
      return refused(place.where,
                     concat("a store to ", parameterNames[place.parameter], ": two indices name one element: in dimension ",
                            dimensionTexts[place.parameter][place.dimension], " ", axes[digit.term->axis].name, " moves by ",
                            digit.term->coefficient.text(), " = ", static_cast<int64_t>(digit.least),
                            index == 0 ? std::string()
                                       : concat(", which what moves by less (", axes[digits[index - 1].term->axis].name,
                                                ") reaches too: up to ", static_cast<int64_t>(reach))));
    reach += digit.most * digit.last;
  }
  return {};
}

Status LaunchProgram::checkDisjoint(const Disjoint &disjoint, const Environment &environment) const {
  for (size_t axis : disjoint.inside)
    if (isEmpty(axis, environment))
      return {}; // one of the stores never runs
  std::string details;
  for (size_t dimension = 0; dimension < disjoint.dimensions.size(); ++dimension) {
    const auto &[first, second] = disjoint.dimensions[dimension];
    Interval a = first.evaluate(environment), b = second.evaluate(environment);
    if (a.high < b.low || b.high < a.low)
      return {};
    details += concat(details.empty() ? "" : "; ", "dimension ", dimensionTexts[disjoint.parameter][dimension], ": ",
                      numbers(a), " and ", numbers(b));
  }
  return refused(disjoint.where, concat("two stores to ", parameterNames[disjoint.parameter],
                                        " can name one element (the other is at ", disjoint.other, "; ", details, ')'));
}
