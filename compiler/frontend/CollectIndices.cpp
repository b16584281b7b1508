// The walk over a kernel that finds out what its indices are worth; see AffineIndex.h.
#include "compiler/frontend/AffineIndex.h"

#include <algorithm>

namespace tilewright::frontend {

using Kind = IndexValue::Kind;
using typed::Expr;
using typed::ExprKind;
using typed::Op;
using typed::Statement;
using typed::StatementKind;
using typed::Symbol;

namespace {

using Environment = std::map<const Symbol *, const IndexValue *>;
using Values = std::vector<const IndexValue *>;

/// Symbols that the statements assign, declared in them or not.
void findAssigned(const typed::Block &block, std::set<const Symbol *> &assigned) {
  for (const Statement *statement : block) {
    if (statement->kind == StatementKind::Assign)
      assigned.insert(statement->symbols[0]);
    findAssigned(statement->condition, assigned);
    findAssigned(statement->body, assigned);
    findAssigned(statement->elseBody, assigned);
  }
}

class Collector {
public:
  Collector(const typed::Kernel &kernel, KernelIndices &result) : kernel(kernel), result(result), values(result.values) {}

  void collect() {
    collectExtents();
    for (const typed::Requirement &requirement : kernel.requirements)
      result.requirements.push_back(evaluate(*requirement.condition));
    for (const typed::GridLevel &level : kernel.grid) {
      walk(level.prelude);
      declare(*level.axis);
      inside.push_back(level.axis);
    }
    walk(kernel.body);
  }

private:
  // Extents and axes
  void collectExtents();
  const IndexValue *extentNamed(const std::string &name);
  void declare(const typed::Axis &axis);

  // Expressions: records the loads in them
  const IndexValue *evaluate(const Expr &expr) { return evaluateAll(expr).front(); }
  Values evaluateAll(const Expr &expr);
  const IndexValue *evaluateOne(const Expr &expr, Values operands);
  const IndexValue *evaluateLoad(const Expr &expr, Values indices);
  Values evaluateCall(const Expr &expr, const Values &arguments);
  const IndexValue *opaque(const Expr &expr, DType dtype) { return values.unknown(dtype, BoundOrigin::Memory, &expr); }

  // Statements
  void walk(const typed::Block &block) {
    for (const Statement *statement : block)
      walk(*statement);
  }
  void walk(const Statement &statement);
  void walkStore(const Statement &store);
  void walkIf(const Statement &branch);
  void walkLoop(const Statement &loop);
  void tryLoop(const Statement &loop, const std::set<const Symbol *> &changed);
  void walkPass(const Statement &loop);

  // Variables that a loop changes
  const IndexValue *atLoopHead(const Statement &loop, const Symbol *symbol, const Environment &before,
                               const Environment &after);
  bool gatherChoices(const Statement &loop, const IndexValue *value, const Environment &before, const Environment &after,
                     std::set<const IndexValue *> &seen, Values &choices);
  bool isCarried(const IndexValue *value, const Statement &loop, std::set<const IndexValue *> &seen);

  const typed::Kernel &kernel;
  KernelIndices &result;
  IndexValues &values;
  Environment environment;
  std::vector<const typed::Axis *> inside;
  std::vector<BranchStep> branches;
  unsigned whileDepth = 0;
  bool recording = true;
  unsigned trials = 0; ///< loops around this one that change variables
  std::map<std::pair<const typed::Function *, Values>, Values> calls;
};

// --------------------------------------------------------------------------------------------------------------------
// Extents and axes
// --------------------------------------------------------------------------------------------------------------------

const IndexValue *Collector::extentNamed(const std::string &name) {
  auto constant = kernel.constants.find(name);
  return constant != kernel.constants.end() ? values.integer(constant->second) : values.dimension(name);
}

void Collector::collectExtents() {
  for (const std::unique_ptr<typed::View> &view : kernel.views) {
    Values &extents = result.extents[view.get()];
    for (const typed::ViewDimension &dimension : view->dimensions) {
      const IndexValue *value = dimension.value ? evaluate(*dimension.value) : nullptr;
      result.declared[view.get()].push_back(value);
      bool isNamed = dimension.kind != ast::Dimension::Kind::Expression;
      extents.push_back(isNamed && !(value && value->kind == Kind::Integer) ? extentNamed(dimension.name) : value);
    }
  }
}

void Collector::declare(const typed::Axis &axis) {
  AxisRange range;
  if (axis.low && axis.high)
    range = {evaluate(*axis.low), evaluate(*axis.high)};
  else if (axis.parent)
    range = {values.ofAxis(Kind::Start, axis.parent), values.ofAxis(Kind::End, axis.parent)};
  else
    range = {values.integer(0), axis.high ? evaluate(*axis.high) : extentNamed(axis.dimension)};
  if (result.ranges.emplace(&axis, range).second)
    result.axes.push_back(&axis);
  result.ranges[&axis] = range; // the second look at a loop knows more
}

// --------------------------------------------------------------------------------------------------------------------
// Expressions
// --------------------------------------------------------------------------------------------------------------------

/// Values of float tiles never reach an index but by way of a cast, which makes them data.
bool isFollowed(const Expr &expr) {
  return !isFloat(expr.type.dtype) || expr.type.isScalar();
}

Values Collector::evaluateAll(const Expr &expr) {
  Values operands;
  for (const Expr *operand : expr.operands)
    operands.push_back(evaluate(*operand));
  if (expr.otherwise)
    evaluate(*expr.otherwise);
  if (expr.kind == ExprKind::Call)
    return evaluateCall(expr, operands);
  if (expr.kind == ExprKind::Fold || expr.kind == ExprKind::Scan) {
    Values results;
    for (size_t i = 0; i < std::max<size_t>(expr.resultTypes.size(), 1); ++i)
      results.push_back(opaque(expr, i < expr.resultTypes.size() ? expr.resultTypes[i].dtype : expr.type.dtype));
    return results;
  }
  if (expr.kind == ExprKind::Load)
    return {evaluateLoad(expr, std::move(operands))};
  return {isFollowed(expr) ? evaluateOne(expr, std::move(operands)) : opaque(expr, expr.type.dtype)};
}

const IndexValue *Collector::evaluateLoad(const Expr &expr, Values indices) {
  if (recording) {
    AccessSite site{expr.view, &expr, nullptr, indices, inside, branches, whileDepth > 0};
    result.sites.push_back(std::move(site));
  }
  // Two loads of one place of an input are one value; a written view may have changed between them.
  IndexValue value{Kind::Load, expr.type.dtype};
  value.view = expr.view;
  value.operands = std::move(indices);
  value.identity = expr.otherwise || expr.view->isWritten() ? &expr : nullptr;
  return values.make(std::move(value));
}

const IndexValue *Collector::evaluateOne(const Expr &expr, Values operands) {
  IndexValue value{Kind::Integer, expr.type.dtype};
  switch (expr.kind) {
  case ExprKind::Constant:
    if (!isFloat(expr.type.dtype))
      return values.integer(expr.integer, expr.type.dtype);
    value.kind = Kind::Real;
    value.real = expr.real;
    return values.make(std::move(value));
  case ExprKind::Dimension:
    return extentNamed(expr.name);
  case ExprKind::Scalar:
    value.kind = Kind::Scalar;
    value.scalar = expr.scalar;
    return values.make(std::move(value));
  case ExprKind::Symbol: {
    auto bound = environment.find(expr.symbol);
    return bound != environment.end() ? bound->second : opaque(expr, expr.type.dtype);
  }
  case ExprKind::AxisIndex:
  case ExprKind::AxisStart:
  case ExprKind::AxisEnd:
    if (!result.ranges.contains(expr.axis))
      declare(*expr.axis); // span(n) stands where it is first used
    return values.ofAxis(expr.kind == ExprKind::AxisIndex   ? Kind::Axis
                         : expr.kind == ExprKind::AxisStart ? Kind::Start
                                                            : Kind::End,
                         expr.axis);
  case ExprKind::Elementwise:
    return values.operation(expr.op, expr.type.dtype, std::move(operands));
  case ExprKind::Cast:
    return values.convert(operands[0], expr.type.dtype);
  case ExprKind::ArgReduce:
    if (!result.ranges.contains(expr.axes[0]))
      declare(*expr.axes[0]);
    value.kind = Kind::ArgReduce;
    value.axis = expr.axes[0];
    value.identity = &expr;
    return values.make(std::move(value));
  default:
    return opaque(expr, expr.type.dtype);
  }
}

Values Collector::evaluateCall(const Expr &expr, const Values &arguments) {
  const typed::Function &callee = *expr.callee;
  bool isKnown = !callee.external && !callee.opaque;
  bool isOfUse =
      std::any_of(callee.results.begin(), callee.results.end(), [](const Expr *value) { return isFollowed(*value); });
  if (!isKnown || !isOfUse) {
    Values unknown;
    for (size_t i = 0; i < std::max<size_t>(expr.resultTypes.size(), 1); ++i)
      unknown.push_back(opaque(expr, i < expr.resultTypes.size() ? expr.resultTypes[i].dtype : expr.type.dtype));
    return unknown;
  }
  auto [known, isNew] = calls.try_emplace({&callee, arguments});
  if (!isNew)
    return known->second;
  for (size_t i = 0; i < arguments.size() && i < callee.parameters.size(); ++i)
    environment[callee.parameters[i]] = arguments[i];
  walk(callee.body); // has no loads: functions see only their parameters
  Values results;
  for (const Expr *value : callee.results)
    results.push_back(evaluate(*value));
  return known->second = std::move(results);
}

// --------------------------------------------------------------------------------------------------------------------
// Statements
// --------------------------------------------------------------------------------------------------------------------

void Collector::walk(const Statement &statement) {
  switch (statement.kind) {
  case StatementKind::Let:
  case StatementKind::Var:
  case StatementKind::Assign: {
    Values results = evaluateAll(*statement.value);
    for (size_t i = 0; i < statement.symbols.size() && i < results.size(); ++i)
      environment[statement.symbols[i]] = results[i];
    return;
  }
  case StatementKind::Store:
    return walkStore(statement);
  case StatementKind::If:
    return walkIf(statement);
  case StatementKind::For:
    declare(*statement.axis);
    return walkLoop(statement);
  case StatementKind::While:
    return walkLoop(statement);
  case StatementKind::Print:
  case StatementKind::Assert:
    if (statement.value)
      evaluate(*statement.value);
    for (const typed::PrintPart &part : statement.parts)
      if (part.value)
        evaluate(*part.value);
    return;
  }
}

void Collector::walkStore(const Statement &store) {
  Values indices;
  for (const Expr *index : store.indices)
    indices.push_back(evaluate(*index));
  evaluate(*store.value);
  if (recording) {
    AccessSite site{store.view, nullptr, &store, std::move(indices), inside, branches, whileDepth > 0};
    result.sites.push_back(std::move(site));
  }
  if (store.fetched)
    environment[store.fetched] = values.unknown(store.fetched->type.dtype, BoundOrigin::Memory, &store);
}

void Collector::walkIf(const Statement &branch) {
  evaluate(*branch.value);
  Environment before = environment;
  branches.push_back({&branch, true});
  walk(branch.body);
  Environment afterThen = std::exchange(environment, std::move(before));
  branches.back().taken = false;
  walk(branch.elseBody);
  branches.pop_back();
  for (auto &[symbol, value] : environment)
    if (auto other = afterThen.find(symbol); other != afterThen.end())
      value = values.either(other->second, value);
}

void Collector::walkPass(const Statement &loop) {
  bool isWhile = loop.kind == StatementKind::While;
  whileDepth += isWhile;
  if (!isWhile)
    inside.push_back(loop.axis);
  walk(loop.condition);
  if (isWhile)
    evaluate(*loop.value);
  walk(loop.body);
  if (!isWhile)
    inside.pop_back();
  whileDepth -= isWhile;
}

/// Each level of nested loops doubles the work of looking twice.
constexpr unsigned mostTrials = 6;

void Collector::walkLoop(const Statement &loop) {
  std::set<const Symbol *> changed;
  findAssigned(loop.condition, changed);
  findAssigned(loop.body, changed);
  std::erase_if(changed, [this](const Symbol *symbol) { return !environment.contains(symbol); });
  trials += !changed.empty();
  if (trials > mostTrials)
    for (const Symbol *symbol : changed)
      environment[symbol] = values.unknown(symbol->type.dtype, BoundOrigin::Loop, &loop, symbol);
  else if (!changed.empty())
    tryLoop(loop, changed);
  Environment head = environment;
  walkPass(loop);
  environment = std::move(head); // what holds at the head holds after the last pass
  trials -= !changed.empty();
}

/// A pass on trial, with the changed variables left open, tells how they change.
void Collector::tryLoop(const Statement &loop, const std::set<const Symbol *> &changed) {
  Environment before = environment;
  for (const Symbol *symbol : changed) {
    IndexValue carried{Kind::Carried, symbol->type.dtype};
    carried.symbol = symbol;
    carried.identity = &loop;
    carried.origin = BoundOrigin::Loop;
    environment[symbol] = values.make(std::move(carried));
  }
  bool wasRecording = std::exchange(recording, false);
  walkPass(loop);
  recording = wasRecording;
  Environment after = std::exchange(environment, before);
  for (const Symbol *symbol : changed)
    environment[symbol] = atLoopHead(loop, symbol, before, after);
}

// --------------------------------------------------------------------------------------------------------------------
// Variables that a loop changes
// --------------------------------------------------------------------------------------------------------------------

bool Collector::isCarried(const IndexValue *value, const Statement &loop, std::set<const IndexValue *> &seen) {
  if (value->kind == Kind::Carried && value->identity == &loop)
    return true;
  auto isPartCarried = [&](const IndexValue *part) { return seen.insert(part).second && isCarried(part, loop, seen); };
  if (value->axis) {
    const AxisRange &range = result.ranges.at(value->axis);
    if (isPartCarried(range.low) || isPartCarried(range.high))
      return true;
  }
  return std::any_of(value->operands.begin(), value->operands.end(), isPartCarried);
}

/// Takes apart what a pass leaves in a variable into the values it chooses from; false if it computes with what it found.
bool Collector::gatherChoices(const Statement &loop, const IndexValue *value, const Environment &before,
                              const Environment &after, std::set<const IndexValue *> &seen, Values &choices) {
  if (!seen.insert(value).second)
    return true;
  auto gather = [&](const IndexValue *choice) { return gatherChoices(loop, choice, before, after, seen, choices); };
  if (value->kind == Kind::Carried && value->identity == &loop)
    return gather(before.at(value->symbol)) && gather(after.at(value->symbol));
  std::set<const IndexValue *> visited;
  if (!isCarried(value, loop, visited)) {
    choices.push_back(value);
    return true;
  }
  bool isOperation = value->kind == Kind::Operation;
  bool picks = value->kind == Kind::Union || (isOperation && (value->op == Op::Max || value->op == Op::Min));
  if (picks)
    return gather(value->operands[0]) && gather(value->operands[1]);
  return isOperation && value->op == Op::Select && gather(value->operands[1]) && gather(value->operands[2]);
}

const IndexValue *Collector::atLoopHead(const Statement &loop, const Symbol *symbol, const Environment &before,
                                        const Environment &after) {
  std::set<const IndexValue *> seen;
  Values choices;
  const IndexValue *start = before.at(symbol), *left = after.at(symbol);
  if (gatherChoices(loop, start, before, after, seen, choices) && gatherChoices(loop, left, before, after, seen, choices)) {
    const IndexValue *all = choices.front();
    for (const IndexValue *choice : choices)
      all = values.either(all, choice);
    return all;
  }
  bool fromMemory = start->hasData || left->hasData;
  return values.unknown(symbol->type.dtype, fromMemory ? BoundOrigin::Memory : BoundOrigin::Loop, &loop, symbol);
}

} // namespace

KernelIndices collectIndices(const typed::Kernel &kernel) {
  KernelIndices result;
  Collector(kernel, result).collect();
  return result;
}

} // namespace tilewright::frontend
