// Forward mode. With x' = 1 for the chosen parameter and 0 for all others, every value v of the function gets a tangent v', and
// the result's tangent is the derivative:
//
//   fn silu(x) = x * sigmoid(x)      let value = sigmoid(x)
//                                    result: value + x * (value * (1 - value))
//
// A tangent that is zero for certain is a null pointer and leaves no code, one that is 1 leaves no multiplication. What a
// tangent needs of the original (`sigmoid(x)` above) is bound to a name, so that trees stay trees and nothing is computed
// twice; at the end unused statements go, and names that are used once are replaced by their values.
//
// Tangents have arithmetic dtypes (f32, f64): a cast to bf16 rounds the value, not the tangent.
#include "compiler/frontend/Derivative.h"

#include "compiler/frontend/SimplifyFunction.h"

#include <algorithm>
#include <map>
#include <numbers>
#include <set>
#include <utility>

namespace tilewright::frontend {

using namespace typed;

namespace {

bool isNumber(const Expr *expr, double value) {
  return isConstant(*expr) && isFloat(expr->type.dtype) && expr->real == value;
}

/// What a value is called that differentiation cannot go through; empty if it can.
std::string obstacle(const Expr &expr) {
  switch (expr.kind) {
  case ExprKind::Constant:
  case ExprKind::Symbol:
  case ExprKind::Cast:
  case ExprKind::Elementwise:
  case ExprKind::Call:
  case ExprKind::Dimension:
  case ExprKind::Scalar:
    return {};
  case ExprKind::AxisIndex:
    return expr.axis->isSpan ? "the indices of a span" : "";
  case ExprKind::Load:
    return "a load";
  case ExprKind::Reduce:
    return "a reduction over an axis";
  case ExprKind::ArgReduce:
    return expr.reduction == Reduction::Min ? "`argmin`" : "`argmax`";
  case ExprKind::CumulativeSum:
    return "`cumsum`";
  case ExprKind::Dot:
    return "`dot`";
  case ExprKind::Fold:
    return "`reduce`";
  case ExprKind::Scan:
    return "`scan`";
  case ExprKind::RandomBits:
    return "a random number";
  case ExprKind::AxisStart:
  case ExprKind::AxisEnd:
    return "the bounds of a span";
  case ExprKind::Presence:
    return "the presence of a view";
  }
  return {};
}

/// Is the derivative of the operation zero wherever it exists?
bool isStepwise(Op op) {
  return isComparison(op) || op == Op::Floor || op == Op::Ceil || op == Op::Round || op == Op::And || op == Op::Or ||
         op == Op::Xor || op == Op::Not || op == Op::ShiftLeft || op == Op::ShiftRight;
}

template <typename Visit> void forEachStatement(const Block &block, const Visit &visit) {
  for (const Statement *statement : block) {
    visit(*statement);
    forEachStatement(statement->body, visit);
  }
}

class Differentiation {
public:
  Differentiation(const Function &function, unsigned parameter, SourceRange where, const DerivativeContext &context)
      : function(function), parameter(parameter), where(where), context(context), tree(context.kernel) {}

  const Function *run();

private:
  // Legal?
  bool isLegal();
  bool checkSignature();
  bool checkBody();
  bool checkValue(const Expr &expr);
  bool refuse(const std::string &reason, SourceRange place);
  std::string name() const;

  // Which symbols have a tangent that is not zero for certain?
  void findActive();
  bool isActive(const Expr &expr) const;

  // Statements
  void emit(const Block &original);
  void emitDefinition(const Statement &original);
  void emitAssignment(const Statement &original);
  void emitLoop(const Statement &original);
  void append(StatementKind kind, const Symbol &symbol, const Expr *value,
              ast::AssignOperator assignment = ast::AssignOperator::Set);
  const Symbol &copySymbol(const Symbol &original);
  const Axis &copyAxis(const Axis &original);

  // Values of the original
  const Expr *value(const Expr &original);
  const Expr *wideValue(const Expr &original) { return tree.cast(value(original), arithmeticType(original.type.dtype), where); }
  const Expr *copyNode(const Expr &original);

  // Tangents; null is zero
  const Expr *tangent(const Expr &original);
  const Expr *tangentOfSymbol(const Symbol &symbol);
  const Expr *tangentOfCall(const Expr &call);
  const Expr *tangentOfOperation(const Expr &operation);
  const Expr *tangentOfChoice(const Expr &operation);
  const Expr *tangentOfProduct(const Expr &operation);
  const Expr *tangentOfQuotient(const Expr &operation);
  const Expr *tangentOfPower(const Expr &operation);
  const Expr *slope(const Expr &operation);

  // Arithmetic that drops zeros and ones
  const Expr *number(double value, DType dtype) { return tree.real(value, dtype, where); }
  const Expr *compute(Op op, std::vector<const Expr *> operands, Precision precision = Precision::Default) {
    return tree.elementwise(op, std::move(operands), where, precision);
  }
  const Expr *plus(const Expr *a, const Expr *b);
  const Expr *minus(const Expr *a, const Expr *b);
  const Expr *times(const Expr *factor, const Expr *tangent);

  const Function &function;
  unsigned parameter;
  SourceRange where;
  const DerivativeContext &context;
  TreeBuilder tree;
  bool failed = false;

  Block *block = nullptr;
  std::set<const Symbol *> active;
  std::map<const Symbol *, const Symbol *> copies;
  std::map<const Axis *, const Axis *> axisCopies;
  std::map<const Symbol *, const Expr *> tangents; ///< of the original's symbols: a constant or a symbol
  std::map<const Expr *, const Symbol *> bound;    ///< values of the original that have a name
};

// --------------------------------------------------------------------------------------------------------------------
// Legal?
// --------------------------------------------------------------------------------------------------------------------

std::string Differentiation::name() const {
  std::string which = function.parameters.size() > 1 ? ", " + std::to_string(parameter) : "";
  return "deriv(" + function.name + which + ")";
}

bool Differentiation::refuse(const std::string &reason, SourceRange place) {
  Diagnostic &error = context.diagnostics.error(where, "cannot differentiate `" + function.name + "`: " + reason);
  if (place.valid() && !(place == where))
    error.note(place, "it is here");
  return false;
}

bool Differentiation::checkSignature() {
  if (function.external)
    return refuse("it is an `extern` function; state its derivative with `deriv " + function.name + "(…) = …;`",
                  function.where);
  for (const Symbol *symbol : function.parameters)
    if (!isFloat(symbol->type.dtype))
      return refuse("its parameter `" + symbol->name + "` is " + std::string(frontend::name(symbol->type.dtype)) +
                        ", not a float",
                    symbol->where);
  if (parameter >= function.parameters.size())
    return refuse("it has " + std::to_string(function.parameters.size()) + " parameters, counted from 0", function.where);
  if (function.opaque)
    return true;
  if (function.results.size() != 1)
    return refuse("it has " + std::to_string(function.results.size()) + " results", function.where);
  if (!isFloat(function.results[0]->type.dtype))
    return refuse("its result is " + std::string(frontend::name(function.results[0]->type.dtype)) + ", not a float",
                  function.where);
  return true;
}

bool Differentiation::checkValue(const Expr &expr) {
  if (std::string what = obstacle(expr); !what.empty())
    return refuse(what + (expr.kind == ExprKind::RandomBits ? " has no derivative" : " is not elementwise"), expr.where);
  return std::all_of(expr.operands.begin(), expr.operands.end(), [this](const Expr *operand) { return checkValue(*operand); });
}

bool Differentiation::checkBody() {
  bool isFine = true;
  forEachStatement(function.body, [&](const Statement &statement) {
    if (!isFine)
      return;
    if (statement.value)
      isFine = checkValue(*statement.value);
    bool isConstantLoop = statement.kind == StatementKind::For && !statement.axis->isSpan && statement.axis->low &&
                          statement.axis->high && isConstant(*statement.axis->low) && isConstant(*statement.axis->high);
    if (isFine && statement.kind == StatementKind::For && !isConstantLoop)
      isFine = refuse("the range of the loop over `" + statement.axis->name + "` is not constant", statement.where);
  });
  return isFine && checkValue(*function.results[0]);
}

bool Differentiation::isLegal() {
  return checkSignature() && (function.opaque || checkBody());
}

// --------------------------------------------------------------------------------------------------------------------
// Activity
// --------------------------------------------------------------------------------------------------------------------

bool Differentiation::isActive(const Expr &expr) const {
  if (!isFloat(expr.type.dtype) && expr.kind != ExprKind::Call)
    return false;
  if (expr.kind == ExprKind::Symbol)
    return active.contains(expr.symbol);
  if (expr.kind == ExprKind::Elementwise && isStepwise(expr.op))
    return false;
  return std::any_of(expr.operands.begin(), expr.operands.end(), [this](const Expr *operand) { return isActive(*operand); });
}

void Differentiation::findActive() {
  active.insert(function.parameters[parameter]);
  for (size_t before = 0; before != active.size();) {
    before = active.size();
    forEachStatement(function.body, [this](const Statement &statement) {
      if (statement.value && isActive(*statement.value))
        active.insert(statement.symbols.begin(), statement.symbols.end());
    });
  }
}

// --------------------------------------------------------------------------------------------------------------------
// Statements
// --------------------------------------------------------------------------------------------------------------------

void Differentiation::append(StatementKind kind, const Symbol &symbol, const Expr *value, ast::AssignOperator assignment) {
  Statement &statement = tree.makeStatement(kind, where);
  statement.symbols = {&symbol};
  statement.value = value;
  statement.assignment = assignment;
  block->push_back(&statement);
}

const Symbol &Differentiation::copySymbol(const Symbol &original) {
  const Symbol *&copy = copies[&original];
  if (!copy)
    copy = &tree.makeSymbol(original.kind, original.name, original.type, original.where);
  return *copy;
}

const Axis &Differentiation::copyAxis(const Axis &original) {
  auto isTaken = [this](const std::string &name) {
    return std::any_of(context.kernel.axes.begin(), context.kernel.axes.end(),
                       [&](const Axis &axis) { return axis.uniqueName == name; });
  };
  Axis copy = original;
  for (unsigned number = 1; isTaken(copy.uniqueName); ++number)
    copy.uniqueName = original.name + "_" + std::to_string(number);
  copy.low = copyNode(*original.low);
  copy.high = copyNode(*original.high);
  return *(axisCopies[&original] = &context.kernel.axes.emplace_back(std::move(copy)));
}

void Differentiation::emit(const Block &original) {
  for (const Statement *statement : original) {
    if (statement->kind == StatementKind::For)
      emitLoop(*statement);
    else if (statement->kind == StatementKind::Assign)
      emitAssignment(*statement);
    else
      emitDefinition(*statement);
  }
}

void Differentiation::emitDefinition(const Statement &original) {
  if (original.symbols.size() != 1) {
    if (isActive(*original.value))
      failed = !refuse("`" + original.value->callee->name + "` has several results", original.where);
    Statement &copy = tree.makeStatement(original.kind, where);
    for (const Symbol *symbol : original.symbols)
      copy.symbols.push_back(&copySymbol(*symbol));
    copy.value = copyNode(*original.value);
    block->push_back(&copy);
    return;
  }
  const Symbol &symbol = *original.symbols[0];
  const Expr *copied = copyNode(*original.value);
  append(original.kind, copySymbol(symbol), copied);
  bool isNamed = original.kind == StatementKind::Let || symbol.type == original.value->type;
  if (isNamed)
    bound[original.value] = &copySymbol(symbol);
  const Expr *change = tangent(*original.value);
  bound.erase(original.value);
  if (!active.contains(&symbol))
    return;
  DType dtype = arithmeticType(symbol.type.dtype);
  bool isVariable = original.kind == StatementKind::Var;
  if (!isVariable && (!change || isConstant(*change))) {
    tangents[&symbol] = change;
    return;
  }
  TileType type = isVariable ? TileType{dtype, symbol.type.axes} : change->type;
  const Symbol &made = tree.makeSymbol(symbol.kind, "d_" + symbol.name, type, symbol.where);
  append(original.kind, made, change ? change : number(0, dtype));
  tangents[&symbol] = tree.symbol(made, where);
}

void Differentiation::emitAssignment(const Statement &original) {
  const Symbol &symbol = *original.symbols[0];
  if (active.contains(&symbol)) { // first, since it speaks of the old value
    const Symbol &changing = *tangents.at(&symbol)->symbol;
    const Expr *change = tangent(*original.value);
    if (!change)
      change = number(0, changing.type.dtype);
    bool isUnchanged = change->kind == ExprKind::Symbol && change->symbol == &changing;
    bool isSum = change->kind == ExprKind::Elementwise && (change->op == Op::Add || change->op == Op::Subtract) &&
                 change->operands[0]->kind == ExprKind::Symbol && change->operands[0]->symbol == &changing;
    if (!isUnchanged)
      append(StatementKind::Assign, changing, change, isSum ? original.assignment : ast::AssignOperator::Set);
  }
  auto named = bound.find(original.value);
  const Expr *copied = named != bound.end() ? tree.symbol(*named->second, where) : copyNode(*original.value);
  append(StatementKind::Assign, copySymbol(symbol), copied,
         named != bound.end() ? ast::AssignOperator::Set : original.assignment);
}

void Differentiation::emitLoop(const Statement &original) {
  Block body;
  Block *outer = std::exchange(block, &body);
  const Axis &axis = copyAxis(*original.axis);
  emit(original.body);
  block = outer;
  Statement &loop = tree.makeStatement(StatementKind::For, where);
  loop.axis = &axis;
  loop.body = std::move(body);
  block->push_back(&loop);
}

// --------------------------------------------------------------------------------------------------------------------
// Values of the original
// --------------------------------------------------------------------------------------------------------------------

/// The node with its operands' values.
const Expr *Differentiation::copyNode(const Expr &original) {
  if (original.kind == ExprKind::Symbol)
    return tree.symbol(copySymbol(*original.symbol), original.where);
  Expr &copy = tree.make(original.kind, original.type, original.where);
  copy = original;
  if (auto axis = axisCopies.find(original.axis); axis != axisCopies.end())
    copy.axis = axis->second;
  for (const Expr *&operand : copy.operands)
    operand = value(*operand);
  return &copy;
}

/// A leaf that has the value: what is computed gets a name, once.
const Expr *Differentiation::value(const Expr &original) {
  if (auto named = bound.find(&original); named != bound.end())
    return tree.symbol(*named->second, where);
  if (original.operands.empty())
    return copyNode(original);
  const Expr *copy = copyNode(original);
  const Symbol &symbol =
      tree.makeSymbol(Symbol::Kind::Let, "value" + std::to_string(bound.size() + 1), original.type, original.where);
  append(StatementKind::Let, symbol, copy);
  bound[&original] = &symbol;
  return tree.symbol(symbol, where);
}

// --------------------------------------------------------------------------------------------------------------------
// Tangents
// --------------------------------------------------------------------------------------------------------------------

const Expr *Differentiation::plus(const Expr *a, const Expr *b) {
  if (!a || !b)
    return a ? a : b;
  return compute(Op::Add, {a, b});
}

const Expr *Differentiation::minus(const Expr *a, const Expr *b) {
  if (!b)
    return a;
  return a ? compute(Op::Subtract, {a, b}) : compute(Op::Negate, {b});
}

const Expr *Differentiation::times(const Expr *factor, const Expr *tangent) {
  if (!tangent || isNumber(factor, 0))
    return nullptr;
  if (isNumber(tangent, 1))
    return factor;
  if (isNumber(factor, 1))
    return tangent;
  return isNumber(tangent, -1) ? compute(Op::Negate, {factor}) : compute(Op::Multiply, {factor, tangent});
}

const Expr *Differentiation::tangent(const Expr &original) {
  if (failed || !isActive(original))
    return nullptr;
  switch (original.kind) {
  case ExprKind::Symbol:
    return tangentOfSymbol(*original.symbol);
  case ExprKind::Cast: {
    const Expr *change = tangent(*original.operands[0]);
    return change ? tree.cast(change, arithmeticType(original.type.dtype), where) : nullptr;
  }
  case ExprKind::Call:
    return tangentOfCall(original);
  default:
    return tangentOfOperation(original);
  }
}

const Expr *Differentiation::tangentOfSymbol(const Symbol &symbol) {
  if (&symbol == function.parameters[parameter])
    return number(1, arithmeticType(symbol.type.dtype));
  auto known = tangents.find(&symbol);
  if (known == tangents.end() || !known->second)
    return nullptr;
  const Expr &change = *known->second;
  return isConstant(change) ? number(change.real, change.type.dtype) : tree.symbol(*change.symbol, where);
}

const Expr *Differentiation::tangentOfCall(const Expr &call) {
  const Expr *total = nullptr;
  for (unsigned position = 0; position < call.operands.size(); ++position) {
    const Expr *change = tangent(*call.operands[position]);
    if (!change)
      continue;
    const Function *partial = context.derivativeOf(*call.callee, position, where);
    if (!partial) {
      failed = true;
      return nullptr;
    }
    DType dtype = arithmeticType(call.type.dtype);
    bool isKnown = partial->results.size() == 1;
    if (isKnown && isConstant(*partial->results[0])) {
      total = plus(total, times(number(partial->results[0]->real, dtype), change));
      continue;
    }
    std::vector<const Expr *> arguments;
    for (const Expr *operand : call.operands)
      arguments.push_back(value(*operand));
    TileType type = isKnown ? partial->results[0]->type : call.type;
    const Expr *factor = tree.callOf(*partial, std::move(arguments), {type}, where);
    total = plus(total, times(tree.cast(factor, dtype, where), change));
  }
  return total;
}

const Expr *Differentiation::tangentOfOperation(const Expr &operation) {
  auto change = [&](size_t number) { return tangent(*operation.operands[number]); };
  switch (operation.op) {
  case Op::Add:
    return plus(change(0), change(1));
  case Op::Subtract:
    return minus(change(0), change(1));
  case Op::Negate:
    return minus(nullptr, change(0));
  case Op::Multiply:
    return tangentOfProduct(operation);
  case Op::FusedMultiplyAdd:
    return plus(tangentOfProduct(operation), change(2));
  case Op::Divide:
  case Op::Remainder:
    return tangentOfQuotient(operation);
  case Op::Select:
  case Op::Max:
  case Op::Min:
    return tangentOfChoice(operation);
  case Op::Power:
    return tangentOfPower(operation);
  default:
    const Expr *inner = change(0);
    return inner ? times(slope(operation), inner) : nullptr;
  }
}

const Expr *Differentiation::tangentOfProduct(const Expr &operation) {
  const Expr &a = *operation.operands[0], &b = *operation.operands[1];
  const Expr *aChange = tangent(a), *bChange = tangent(b);
  const Expr *left = aChange ? times(value(b), aChange) : nullptr;
  return plus(left, bChange ? times(value(a), bChange) : nullptr);
}

/// (a / b)' = a' / b - (a / b) / b · b'; a % b is a - floor(a / b) · b.
const Expr *Differentiation::tangentOfQuotient(const Expr &operation) {
  const Expr &a = *operation.operands[0], &b = *operation.operands[1];
  const Expr *aChange = tangent(a), *bChange = tangent(b);
  if (operation.op == Op::Remainder) {
    const Expr *whole = bChange ? compute(Op::Floor, {compute(Op::Divide, {value(a), value(b)})}) : nullptr;
    return minus(aChange, whole ? times(whole, bChange) : nullptr);
  }
  const Expr *left = aChange ? compute(Op::Divide, {aChange, value(b)}) : nullptr;
  return minus(left, bChange ? times(compute(Op::Divide, {value(operation), value(b)}), bChange) : nullptr);
}

const Expr *Differentiation::tangentOfChoice(const Expr &operation) {
  size_t first = operation.op == Op::Select ? 1 : 0;
  const Expr &a = *operation.operands[first], &b = *operation.operands[first + 1];
  const Expr *aChange = tangent(a), *bChange = tangent(b);
  if (!aChange && !bChange)
    return nullptr;
  DType dtype = arithmeticType(operation.type.dtype);
  aChange = aChange ? aChange : number(0, dtype);
  bChange = bChange ? bChange : number(0, dtype);
  if (isConstant(*aChange) && isConstant(*bChange) && aChange->real == bChange->real)
    return aChange;
  const Expr *condition = operation.op == Op::Select
                              ? value(*operation.operands[0])
                              : compute(operation.op == Op::Max ? Op::Greater : Op::Less, {wideValue(a), wideValue(b)});
  return compute(Op::Select, {condition, aChange, bChange});
}

/// b · aᵇ⁻¹ · a' + aᵇ · log a · b', with 0 in place of 0 · inf where b = 0 or a = 0.
const Expr *Differentiation::tangentOfPower(const Expr &operation) {
  const Expr &a = *operation.operands[0], &b = *operation.operands[1];
  DType dtype = operation.type.dtype;
  const Expr *aChange = tangent(a), *bChange = tangent(b);
  const Expr *total = nullptr;
  if (aChange && isConstant(b)) {
    const Expr *rest = b.real == 1   ? number(1, dtype)
                       : b.real == 2 ? value(a)
                                     : compute(Op::Power, {value(a), number(b.real - 1, dtype)});
    total = b.real == 0 ? nullptr : times(times(number(b.real, dtype), rest), aChange);
  } else if (aChange) {
    const Expr *lower = compute(Op::Power, {value(a), compute(Op::Subtract, {value(b), number(1, dtype)})});
    const Expr *isZero = compute(Op::Equal, {value(b), number(0, dtype)});
    total = times(compute(Op::Select, {isZero, number(0, dtype), compute(Op::Multiply, {value(b), lower})}), aChange);
  }
  if (!bChange)
    return total;
  const Expr *isZero = compute(Op::Equal, {value(a), number(0, dtype)});
  const Expr *growth = compute(Op::Multiply, {value(operation), compute(Op::Log, {value(a)})});
  return plus(total, times(compute(Op::Select, {isZero, number(0, dtype), growth}), bChange));
}

/// The derivative of a function of one operand.
const Expr *Differentiation::slope(const Expr &operation) {
  const Expr &operand = *operation.operands[0];
  DType dtype = operation.type.dtype;
  auto constant = [&](double real) { return number(real, dtype); };
  auto a = [&] { return value(operand); };
  auto y = [&] { return value(operation); };
  auto product = [&](const Expr *left, const Expr *right) { return compute(Op::Multiply, {left, right}); };
  switch (operation.op) {
  case Op::Absolute: {
    const Expr *rest = compute(Op::Select, {compute(Op::Less, {a(), constant(0)}), constant(-1), constant(0)});
    return compute(Op::Select, {compute(Op::Greater, {a(), constant(0)}), constant(1), rest});
  }
  case Op::Exp:
    return y();
  case Op::Exp2:
    return product(constant(std::numbers::ln2), y());
  case Op::Log:
    return compute(Op::Divide, {constant(1), a()});
  case Op::Log2:
    return compute(Op::Divide, {constant(std::numbers::log2e), a()});
  case Op::Log1p:
    return compute(Op::Divide, {constant(1), compute(Op::Add, {constant(1), a()})});
  case Op::SquareRoot:
    return compute(Op::Divide, {constant(0.5), y()});
  case Op::ReciprocalSquareRoot:
    return product(product(constant(-0.5), y()), product(y(), y()));
  case Op::Sin:
    return compute(Op::Cos, {a()}, operation.precision);
  case Op::Cos:
    return compute(Op::Negate, {compute(Op::Sin, {a()}, operation.precision)});
  case Op::Tanh:
    return compute(Op::Subtract, {constant(1), product(y(), y())});
  case Op::Erf:
    return product(constant(2 * std::numbers::inv_sqrtpi), compute(Op::Exp, {compute(Op::Negate, {product(a(), a())})}));
  case Op::Sigmoid:
    return product(y(), compute(Op::Subtract, {constant(1), y()}));
  default:
    assert(false && "no slope");
    return constant(0);
  }
}

const Function *Differentiation::run() {
  if (!isLegal())
    return nullptr;
  Function made;
  made.name = name();
  made.where = where;
  made.opaque = function.opaque;
  for (const Symbol *symbol : function.parameters)
    made.parameters.push_back(&copySymbol(*symbol));
  if (!function.opaque) {
    findActive();
    block = &made.body;
    emit(function.body);
    const Expr &result = *function.results[0];
    const Expr *change = tangent(result);
    if (failed)
      return nullptr;
    change = change ? change : number(0, arithmeticType(result.type.dtype));
    made.results = {tree.cast(change, result.type.dtype, where)};
    simplifyFunction(made, tree);
  }
  return &context.kernel.functions.emplace_back(std::move(made));
}

} // namespace

const Function *differentiate(const Function &function, unsigned parameter, SourceRange where,
                              const DerivativeContext &context) {
  return Differentiation(function, parameter, where, context).run();
}

} // namespace tilewright::frontend
