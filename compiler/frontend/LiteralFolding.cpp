// Operators between literals: exact on integers, in double on floats, and still literals afterwards.
#include "compiler/frontend/Arithmetic.h"

#include <cmath>

namespace tilewright::frontend {

using ast::BinaryOperator;

namespace {

double realOf(const Value &value) {
  return value.kind == Value::Kind::Real ? value.real : static_cast<double>(value.integer);
}

bool compares(BinaryOperator op) {
  return op >= BinaryOperator::Equal && op <= BinaryOperator::GreaterEqual;
}

template <typename Number> bool compare(BinaryOperator op, Number a, Number b) {
  switch (op) {
  case BinaryOperator::Equal:
    return a == b;
  case BinaryOperator::NotEqual:
    return a != b;
  case BinaryOperator::Less:
    return a < b;
  case BinaryOperator::LessEqual:
    return a <= b;
  case BinaryOperator::Greater:
    return a > b;
  default:
    return a >= b;
  }
}

WideInteger floorDivide(WideInteger a, WideInteger b) {
  WideInteger quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// Nothing on overflow or for shift counts that make no sense. The divisor is not 0.
std::optional<WideInteger> foldIntegers(BinaryOperator op, WideInteger a, WideInteger b) {
  WideInteger result = 0;
  bool isShift = op == BinaryOperator::ShiftLeft || op == BinaryOperator::ShiftRight;
  if (isShift && (b < 0 || b > 63))
    return std::nullopt;
  switch (op) {
  case BinaryOperator::Add:
    return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case BinaryOperator::Subtract:
    return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case BinaryOperator::Multiply:
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case BinaryOperator::ShiftLeft:
    return __builtin_mul_overflow(a, WideInteger{1} << static_cast<int>(b), &result) ? std::nullopt : std::optional(result);
  case BinaryOperator::ShiftRight:
    return a >> static_cast<int>(b);
  case BinaryOperator::Divide:
    return floorDivide(a, b);
  case BinaryOperator::Remainder:
    return a - floorDivide(a, b) * b;
  case BinaryOperator::BitOr:
    return a | b;
  case BinaryOperator::BitXor:
    return a ^ b;
  default:
    return a & b;
  }
}

/// The magnitude of integer literals is bounded, so that no fold can overflow the type it is done in.
bool isTooLarge(WideInteger value) {
  return value > (WideInteger{1} << 100) || value < -(WideInteger{1} << 100);
}

} // namespace

Value Arithmetic::foldLiterals(BinaryOperator op, const Value &left, const Value &right, SourceRange operatorWhere,
                               SourceRange where) {
  bool integers = left.kind == Value::Kind::Integer && right.kind == Value::Kind::Integer;
  if (compares(op)) {
    bool result = integers ? compare(op, left.integer, right.integer) : compare(op, realOf(left), realOf(right));
    return Value::ofTile(tree.boolean(result, where), where);
  }
  bool divides = op == BinaryOperator::Divide || op == BinaryOperator::Remainder;
  if (integers) {
    if (divides && right.integer == 0) {
      diagnostics.error(right.where, "division by zero");
      return Value::error(where);
    }
    std::optional<WideInteger> result = foldIntegers(op, left.integer, right.integer);
    if (result && !isTooLarge(*result))
      return Value::ofInteger(*result, where);
    diagnostics.error(operatorWhere, "the result of `" + std::string(spelling(op)) + "` is not a 64-bit integer");
    return Value::error(where);
  }
  double a = realOf(left), b = realOf(right);
  switch (op) {
  case BinaryOperator::Add:
    return Value::ofReal(a + b, where);
  case BinaryOperator::Subtract:
    return Value::ofReal(a - b, where);
  case BinaryOperator::Multiply:
    return Value::ofReal(a * b, where);
  case BinaryOperator::Divide:
    return Value::ofReal(a / b, where);
  default:
    diagnostics.error(operatorWhere, "`" + std::string(spelling(op)) + "` needs integers, found " + describe(left) + " and " +
                                         describe(right));
    return Value::error(where);
  }
}

/// `max(0, 1)`, `abs(-1)`, `clamp`, `ceildiv` of literals. An error value (nothing reported) for everything else.
Value Arithmetic::foldLiterals(const Builtin &builtin, const std::vector<Value> &operands, SourceRange where) {
  bool integers = true;
  for (const Value &operand : operands) {
    if (!operand.isLiteral())
      return Value::error(where);
    integers &= operand.kind == Value::Kind::Integer;
  }
  auto larger = [&](const Value &a, const Value &b) {
    if (integers)
      return Value::ofInteger(std::max(a.integer, b.integer), where);
    return Value::ofReal(std::isnan(realOf(a)) || std::isnan(realOf(b)) ? NAN : std::max(realOf(a), realOf(b)), where);
  };
  auto smaller = [&](const Value &a, const Value &b) {
    if (integers)
      return Value::ofInteger(std::min(a.integer, b.integer), where);
    return Value::ofReal(std::isnan(realOf(a)) || std::isnan(realOf(b)) ? NAN : std::min(realOf(a), realOf(b)), where);
  };
  if (builtin.kind == BuiltinKind::Clamp)
    return smaller(larger(operands[0], operands[1]), operands[2]);
  if (builtin.kind == BuiltinKind::CeilDivide && integers && operands[1].integer != 0)
    return Value::ofInteger(-floorDivide(-operands[0].integer, operands[1].integer), where);
  if (builtin.op == typed::Op::Absolute && builtin.kind == BuiltinKind::Elementwise)
    return integers ? Value::ofInteger(operands[0].integer < 0 ? -operands[0].integer : operands[0].integer, where)
                    : Value::ofReal(std::abs(operands[0].real), where);
  if (builtin.kind == BuiltinKind::Elementwise && builtin.op == typed::Op::Max)
    return larger(operands[0], operands[1]);
  if (builtin.kind == BuiltinKind::Elementwise && builtin.op == typed::Op::Min)
    return smaller(operands[0], operands[1]);
  return Value::error(where);
}

} // namespace tilewright::frontend
