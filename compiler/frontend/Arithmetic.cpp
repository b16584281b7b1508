#include "compiler/frontend/Arithmetic.h"

namespace tilewright::frontend {

using namespace typed;
using ast::BinaryOperator;

namespace {

struct OperatorFacts {
  std::string_view spelling;
  Op op;
};

OperatorFacts factsOf(BinaryOperator op) {
  switch (op) {
  case BinaryOperator::Or:
    return {"or", Op::Or};
  case BinaryOperator::And:
    return {"and", Op::And};
  case BinaryOperator::Equal:
    return {"==", Op::Equal};
  case BinaryOperator::NotEqual:
    return {"!=", Op::NotEqual};
  case BinaryOperator::Less:
    return {"<", Op::Less};
  case BinaryOperator::LessEqual:
    return {"<=", Op::LessEqual};
  case BinaryOperator::Greater:
    return {">", Op::Greater};
  case BinaryOperator::GreaterEqual:
    return {">=", Op::GreaterEqual};
  case BinaryOperator::BitOr:
    return {"|", Op::Or};
  case BinaryOperator::BitXor:
    return {"^", Op::Xor};
  case BinaryOperator::BitAnd:
    return {"&", Op::And};
  case BinaryOperator::ShiftLeft:
    return {"<<", Op::ShiftLeft};
  case BinaryOperator::ShiftRight:
    return {">>", Op::ShiftRight};
  case BinaryOperator::Add:
    return {"+", Op::Add};
  case BinaryOperator::Subtract:
    return {"-", Op::Subtract};
  case BinaryOperator::Multiply:
    return {"*", Op::Multiply};
  case BinaryOperator::Divide:
    return {"/", Op::Divide};
  case BinaryOperator::Remainder:
    return {"%", Op::Remainder};
  }
  return {"?", Op::Add};
}

bool isLogical(BinaryOperator op) {
  return op == BinaryOperator::Or || op == BinaryOperator::And;
}
bool isBitwise(BinaryOperator op) {
  return op >= BinaryOperator::BitOr && op <= BinaryOperator::ShiftRight;
}
bool isEquality(BinaryOperator op) {
  return op == BinaryOperator::Equal || op == BinaryOperator::NotEqual;
}

std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}

} // namespace

std::string_view spelling(BinaryOperator op) {
  return factsOf(op).spelling;
}

std::string Arithmetic::describe(const Value &value) {
  switch (value.kind) {
  case Value::Kind::Integer:
    return "the literal " + toText(value.integer);
  case Value::Kind::Real:
    return "the literal " + toText(value.real);
  case Value::Kind::Tile:
    return toString(value.tile->type);
  case Value::Kind::DType:
    return "the dtype " + std::string(name(value.dtype));
  case Value::Kind::Function:
    return "the function " + quoted(value.function->name);
  case Value::Kind::Choice:
    return "a choice of literals";
  case Value::Kind::Error:
    break;
  }
  return "an error";
}

bool Arithmetic::isNumber(const Value &value) {
  if (value.isUntyped() || value.kind == Value::Kind::Tile)
    return true;
  if (!value.isError())
    diagnostics.error(value.where, "expected a value, found " + describe(value))
        .help(value.kind == Value::Kind::Function
                  ? "call it: " + quoted(value.function->name + "(…)")
                  : "a dtype converts a value, " + quoted(std::string(name(value.dtype)) + "(x)") +
                        ", and is compared with a dtype, `T == f32`");
  return false;
}

// --------------------------------------------------------------------------------------------------------------------
// Conversions
// --------------------------------------------------------------------------------------------------------------------

bool Arithmetic::converts(const Value &value, DType dtype) const {
  switch (value.kind) {
  case Value::Kind::Integer:
    return isFloat(dtype) ? fitsFloatExactly(value.integer, dtype) : isInteger(dtype) && fitsInteger(value.integer, dtype);
  case Value::Kind::Real:
    return isFloat(dtype) && fitsFloat(value.real, dtype);
  case Value::Kind::Choice:
    return converts(value.choice->first, dtype) && converts(value.choice->second, dtype);
  case Value::Kind::Tile:
    return convertsImplicitly(value.tile->type.dtype, dtype);
  default:
    return false;
  }
}

const Expr *Arithmetic::literal(const Value &value, DType dtype, const std::string &what) {
  bool isInteger = value.kind == Value::Kind::Integer;
  if (converts(value, dtype)) {
    if (!isInteger)
      return tree.real(value.real, dtype, value.where);
    return isFloat(dtype) ? tree.real(static_cast<double>(value.integer), dtype, value.where)
                          : tree.integer(static_cast<int64_t>(value.integer), dtype, value.where);
  }
  std::string type(name(dtype));
  std::string subject = what.empty() ? std::string() : what + ": ";
  bool kindsAgree = isInteger ? dtype != DType::Bool : isFloat(dtype);
  if (kindsAgree)
    diagnostics.error(value.where, subject + describe(value) + " is not a value of " + type)
        .help((isFloat(dtype) ? "to round it, write " : "to keep its low bits, write ") +
              quoted(type + "(" + (isInteger ? toText(value.integer) : toText(value.real)) + ")"));
  else if (dtype == DType::Bool)
    diagnostics.error(value.where, subject + "expected bool, found " + describe(value))
        .help("write `true`, `false` or a comparison");
  else
    diagnostics.error(value.where, subject + "expected " + type + ", found " + describe(value))
        .help("an integer literal may become a float, not the reverse; convert explicitly: " + quoted(type + "(…)"));
  return nullptr;
}

const Expr *Arithmetic::tile(const Value &value) {
  if (!isNumber(value))
    return nullptr;
  if (value.kind == Value::Kind::Tile)
    return value.tile;
  return convert(value, value.hasReal() ? DType::F32 : DType::I64, "");
}

const Expr *Arithmetic::convert(const Value &value, DType dtype, const std::string &what, std::string_view written) {
  if (!isNumber(value))
    return nullptr;
  if (value.isLiteral())
    return literal(value, dtype, what);
  if (value.kind == Value::Kind::Choice) {
    const Expr *chosen = convert(value.choice->first, dtype, what, written);
    const Expr *other = convert(value.choice->second, dtype, what, written);
    return chosen && other ? tree.elementwise(Op::Select, {value.tile, chosen, other}, value.where) : nullptr;
  }
  if (converts(value, dtype))
    return tree.cast(value.tile, dtype, value.where);
  DType found = value.tile->type.dtype;
  std::string type(name(dtype));
  std::string cast = written.empty() ? type : std::string(written);
  std::string shown = cast == type ? type : cast + " = " + type;
  Diagnostic &error = diagnostics.error(value.where, (what.empty() ? "" : what + ": ") + "expected " + shown + ", found " +
                                                         toString(value.tile->type));
  if (dtype == DType::Bool)
    error.help("compare it: `x != 0`");
  else
    error.help(
        std::string(found == DType::Bool || isFloat(found) != isFloat(dtype) ? "" : "this conversion may lose something; ") +
        "convert explicitly: " + quoted(cast + "(…)"));
  return nullptr;
}

Value Arithmetic::cast(const Value &operand, DType dtype, SourceRange where) {
  if (!isNumber(operand))
    return Value::error(where);
  if (operand.kind == Value::Kind::Choice)
    return cast(Value::ofTile(tile(operand), operand.where), dtype, where);
  bool isBoolean = isBool(operand);
  if (dtype == DType::Bool && !isBoolean) {
    diagnostics.error(where, "nothing converts to bool, found " + describe(operand)).help("compare it: `x != 0`");
    return Value::error(where);
  }
  switch (operand.kind) {
  case Value::Kind::Integer:
    if (!isFloat(dtype))
      return Value::ofTile(tree.integer(wrapInteger(operand.integer, dtype), dtype, where), where);
    return Value::ofTile(tree.real(static_cast<double>(operand.integer), dtype, where), where);
  case Value::Kind::Real:
    if (!isFloat(dtype))
      return Value::ofTile(tree.integer(truncateToInteger(operand.real, dtype), dtype, where), where);
    return Value::ofTile(tree.real(operand.real, dtype, where), where);
  default:
    return Value::ofTile(tree.cast(operand.tile, dtype, where), where);
  }
}

// --------------------------------------------------------------------------------------------------------------------
// Meeting dtypes
// --------------------------------------------------------------------------------------------------------------------

std::optional<DType> Arithmetic::commonType(const std::vector<const Value *> &values) {
  std::optional<DType> common;
  for (const Value *value : values) {
    if (value->kind != Value::Kind::Tile)
      continue;
    DType dtype = arithmeticType(value->tile->type.dtype);
    if (!common || convertsImplicitly(*common, dtype))
      common = dtype;
    else if (!convertsImplicitly(dtype, *common))
      return std::nullopt;
  }
  return common;
}

void Arithmetic::reportMix(std::string_view function, const std::vector<const Value *> &values, SourceRange where) {
  std::string found;
  bool integers = false, booleans = false;
  for (const Value *value : values) {
    if (value->kind != Value::Kind::Tile)
      continue;
    found += (found.empty() ? "" : " and ") + toString(value->tile->type);
    integers |= isInteger(value->tile->type.dtype);
    booleans |= isBool(*value);
  }
  Diagnostic &error = diagnostics.error(where, quoted(function) + " cannot mix " + found);
  error.help(booleans && !integers ? "convert explicitly: `f32(flag)`"
             : booleans            ? "convert explicitly: `i32(flag)`"
                                   : "nothing converts between integers and floats implicitly; convert explicitly: `f32(…)`");
}

Arithmetic::Operands Arithmetic::unify(const std::vector<const Value *> &values, std::string_view function, SourceRange where,
                                       bool floats) {
  bool anyTile = false, anyReal = floats, failed = false;
  for (const Value *value : values) {
    failed |= !isNumber(*value);
    anyTile |= value->kind == Value::Kind::Tile;
    anyReal |= value->hasReal();
  }
  if (failed)
    return {};
  std::optional<DType> dtype = anyTile ? commonType(values) : anyReal ? DType::F32 : DType::I64;
  if (!dtype) {
    reportMix(function, values, where);
    return {};
  }
  Operands operands;
  for (const Value *value : values) {
    const Expr *operand = convert(*value, *dtype, quoted(function));
    failed |= !operand;
    operands.push_back(operand);
  }
  return failed ? Operands{} : operands;
}

// --------------------------------------------------------------------------------------------------------------------
// Operators
// --------------------------------------------------------------------------------------------------------------------

Value Arithmetic::binary(BinaryOperator op, SourceRange operatorWhere, const Value &left, const Value &right,
                         SourceRange where) {
  if (left.isError() || right.isError())
    return Value::error(where);
  OperatorFacts facts = factsOf(op);
  if (isEquality(op) && left.kind == right.kind && (left.kind == Value::Kind::DType || left.kind == Value::Kind::Function))
    return compareStatics(op, left, right, where);
  if (isLogical(op) || (isEquality(op) && isBool(left) && isBool(right)))
    return logical(facts.op, facts.spelling, left, right, where);
  if (left.isLiteral() && right.isLiteral())
    return foldLiterals(op, left, right, operatorWhere, where);
  auto isFloatTile = [](const Value &value) { return value.kind == Value::Kind::Tile && isFloat(value.tile->type.dtype); };
  if ((isBitwise(op) || op == BinaryOperator::Remainder) && (isFloatTile(left) || isFloatTile(right)) && isNumber(left) &&
      isNumber(right)) {
    diagnostics
        .error(operatorWhere, quoted(facts.spelling) + " needs integers, found " + describe(left) + " and " + describe(right))
        .help(op == BinaryOperator::Remainder ? "for floats write `x - floor(x / y) * y`"
              : op == BinaryOperator::BitXor  ? "a power is `pow(x, y)`"
              : op == BinaryOperator::BitAnd  ? "on conditions write `and`"
              : op == BinaryOperator::BitOr   ? "on conditions write `or`"
                                              : "");
    return Value::error(where);
  }
  Operands operands = unify({&left, &right}, facts.spelling, operatorWhere);
  if (operands.empty())
    return Value::error(where);
  DType dtype = operands[0]->type.dtype;
  if (dtype == DType::Bool) {
    diagnostics.error(operatorWhere, quoted(facts.spelling) + " does not take bool")
        .help(isBitwise(op) ? "write `and`, `or` or `!=`" : "convert explicitly: `i32(flag)`");
    return Value::error(where);
  }
  return Value::ofTile(tree.elementwise(facts.op, operands, where), where);
}

Value Arithmetic::compareStatics(BinaryOperator op, const Value &left, const Value &right, SourceRange where) {
  bool equal =
      left.kind == Value::Kind::DType ? left.dtype == right.dtype : left.function->identity() == right.function->identity();
  return Value::ofTile(tree.boolean(equal == (op == BinaryOperator::Equal), where), where);
}

Value Arithmetic::logical(Op op, std::string_view function, const Value &left, const Value &right, SourceRange where) {
  for (const Value *value : {&left, &right}) {
    if (!isNumber(*value))
      return Value::error(where);
    if (!isBool(*value)) {
      diagnostics.error(value->where, quoted(function) + " needs bool, found " + describe(*value))
          .help("compare it: `x != 0`; on bits write `&` and `|`");
      return Value::error(where);
    }
  }
  return Value::ofTile(tree.elementwise(op, {left.tile, right.tile}, where), where);
}

Value Arithmetic::unary(ast::UnaryOperator op, const Value &operand, SourceRange where) {
  if (!isNumber(operand))
    return Value::error(where);
  if (op == ast::UnaryOperator::Not) {
    if (isBool(operand))
      return Value::ofTile(tree.elementwise(Op::Not, {operand.tile}, where), where);
    diagnostics.error(operand.where, "`not` needs bool, found " + describe(operand)).help("compare it: `x == 0`");
    return Value::error(where);
  }
  if (operand.kind == Value::Kind::Integer)
    return Value::ofInteger(-operand.integer, where);
  if (operand.kind == Value::Kind::Real)
    return Value::ofReal(-operand.real, where);
  const Expr *single = tile(operand);
  if (!single)
    return Value::error(where);
  DType dtype = arithmeticType(single->type.dtype);
  if (dtype == DType::Bool) {
    diagnostics.error(operand.where, "`-` needs a number, found " + describe(operand)).help("convert explicitly: `i32(flag)`");
    return Value::error(where);
  }
  return Value::ofTile(tree.negate(tree.cast(single, dtype, operand.where), where), where);
}

Value Arithmetic::elementwise(const Builtin &builtin, const std::vector<Value> &operands, SourceRange where,
                              Precision precision) {
  for (const Value &operand : operands)
    if (!isNumber(operand))
      return Value::error(where);
  if (Value folded = foldLiterals(builtin, operands, where); !folded.isError())
    return folded;
  switch (builtin.kind) {
  case BuiltinKind::Where:
    return select(operands, where);
  case BuiltinKind::Clamp:
    return clamp(operands, where);
  case BuiltinKind::CeilDivide:
    return ceilDivide(operands, where);
  default:
    break;
  }
  std::vector<const Value *> pointers;
  for (const Value &operand : operands)
    pointers.push_back(&operand);
  Operands unified = unify(pointers, builtin.name, where, !builtin.integers);
  if (unified.empty())
    return Value::error(where);
  DType dtype = unified[0]->type.dtype;
  if (dtype == DType::Bool || (isInteger(dtype) && !builtin.integers)) {
    const Value *culprit = pointers[0];
    diagnostics
        .error(culprit->where,
               quoted(builtin.name) + " needs " + (builtin.integers ? "numbers" : "floats") + ", found " + describe(*culprit))
        .help("convert explicitly: `f32(…)`");
    return Value::error(where);
  }
  return Value::ofTile(tree.elementwise(builtin.op, unified, where, precision), where);
}

Value Arithmetic::select(const std::vector<Value> &operands, SourceRange where) {
  const Value &condition = operands[0], &chosen = operands[1], &other = operands[2];
  if (!isBool(condition)) {
    diagnostics.error(condition.where, "the condition of `where` must be bool, found " + describe(condition))
        .help("compare it: `x != 0`");
    return Value::error(where);
  }
  if (chosen.isUntyped() && other.isUntyped())
    return Value::ofChoice(condition.tile, chosen, other, where);
  // One type is kept, also when it meets a literal that is one of its values.
  std::optional<DType> kept;
  if (chosen.kind == Value::Kind::Tile)
    kept = chosen.tile->type.dtype;
  else if (other.kind == Value::Kind::Tile)
    kept = other.tile->type.dtype;
  auto keeps = [&](const Value &value) {
    if (value.kind == Value::Kind::Real)
      return isFloat(*kept) && fitsFloat(value.real, *kept) &&
             (roundToFloat(value.real, *kept) == value.real || arithmeticType(*kept) == *kept || value.real != value.real);
    return value.isUntyped() ? converts(value, *kept) : value.tile->type.dtype == *kept;
  };
  Operands branches;
  if (kept && keeps(chosen) && keeps(other))
    branches = {convert(chosen, *kept, ""), convert(other, *kept, "")};
  else
    branches = unify({&chosen, &other}, "where", where);
  if (branches.empty())
    return Value::error(where);
  return Value::ofTile(tree.elementwise(Op::Select, {condition.tile, branches[0], branches[1]}, where), where);
}

Value Arithmetic::clamp(const std::vector<Value> &operands, SourceRange where) {
  Operands unified = unify({&operands[0], &operands[1], &operands[2]}, "clamp", where);
  if (unified.empty())
    return Value::error(where);
  if (unified[0]->type.dtype == DType::Bool) {
    diagnostics.error(where, "`clamp` needs numbers, found " + toString(unified[0]->type))
        .help("convert explicitly: `i32(flag)`");
    return Value::error(where);
  }
  const Expr *raised = tree.elementwise(Op::Max, {unified[0], unified[1]}, where);
  return Value::ofTile(tree.elementwise(Op::Min, {raised, unified[2]}, where), where);
}

// -floor(-a / b): right for every sign, and never overflows where the quotient fits.
Value Arithmetic::ceilDivide(const std::vector<Value> &operands, SourceRange where) {
  Operands unified = unify({&operands[0], &operands[1]}, "ceildiv", where);
  if (unified.empty())
    return Value::error(where);
  if (!isInteger(unified[0]->type.dtype)) {
    diagnostics.error(where, "`ceildiv` needs integers, found " + toString(unified[0]->type)).help("write `ceil(a / b)`");
    return Value::error(where);
  }
  const Expr *quotient = tree.elementwise(Op::Divide, {tree.negate(unified[0], where), unified[1]}, where);
  return Value::ofTile(tree.negate(quotient, where), where);
}

} // namespace tilewright::frontend
