#include "compiler/frontend/ConstantFolding.h"

#include "compiler/frontend/Numbers.h"
#include "compiler/frontend/TreeBuilder.h"

#include <cmath>

namespace tilewright::frontend {

using namespace typed;

namespace {

WideInteger floorDivide(WideInteger a, WideInteger b) {
  if (b == 0)
    return 0;
  WideInteger quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::optional<WideInteger> foldInteger(Op op, WideInteger a, WideInteger b, unsigned bits) {
  auto count = static_cast<unsigned>(b) & (bits - 1);
  switch (op) {
  case Op::Add:
    return a + b;
  case Op::Subtract:
    return a - b;
  case Op::Multiply:
    return a * b;
  case Op::Divide:
    return floorDivide(a, b);
  case Op::Remainder:
    return b == 0 ? 0 : a - floorDivide(a, b) * b;
  case Op::Negate:
    return -a;
  case Op::Absolute:
    return a < 0 ? -a : a;
  case Op::Max:
    return a > b ? a : b;
  case Op::Min:
    return a < b ? a : b;
  case Op::And:
    return a & b;
  case Op::Or:
    return a | b;
  case Op::Xor:
    return a ^ b;
  case Op::Not:
    return ~a;
  case Op::ShiftLeft:
    return static_cast<WideInteger>(static_cast<unsigned __int128>(a) << count);
  case Op::ShiftRight:
    return a >> count;
  default:
    return std::nullopt;
  }
}

std::optional<double> foldReal(Op op, double a, double b) {
  switch (op) {
  case Op::Add:
    return a + b;
  case Op::Subtract:
    return a - b;
  case Op::Multiply:
    return a * b;
  case Op::Divide:
    return a / b;
  case Op::Negate:
    return -a;
  case Op::Absolute:
    return std::abs(a);
  case Op::Max:
    return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
  case Op::Min:
    return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
  default:
    return std::nullopt;
  }
}

std::optional<FoldedConstant> foldComparison(Op op, const Expr &a, const Expr &b) {
  std::optional<bool> result = isFloat(a.type.dtype) ? compare(op, a.real, b.real) : compare(op, a.integer, b.integer);
  return result ? std::optional(FoldedConstant{DType::Bool, *result}) : std::nullopt;
}

std::optional<FoldedConstant> foldBoolean(Op op, const Expr &a, const Expr &b) {
  switch (op) {
  case Op::And:
    return FoldedConstant{DType::Bool, a.integer & b.integer};
  case Op::Or:
    return FoldedConstant{DType::Bool, a.integer | b.integer};
  case Op::Not:
    return FoldedConstant{DType::Bool, !a.integer};
  default:
    return std::nullopt;
  }
}

} // namespace

std::optional<FoldedConstant> foldConstants(Op op, const std::vector<const Expr *> &operands) {
  if (operands.size() > 2)
    return std::nullopt;
  const Expr &a = *operands.front();
  const Expr &b = *operands.back(); // of one operand: itself
  DType dtype = a.type.dtype;
  if (isComparison(op))
    return foldComparison(op, a, b);
  if (dtype == DType::Bool)
    return foldBoolean(op, a, b);
  if (isFloat(dtype)) {
    // Rounding a double to f32 after one operation gives what f32 arithmetic gives: a double has more than twice the bits.
    std::optional<double> value = foldReal(op, a.real, b.real);
    return value ? std::optional(FoldedConstant{dtype, 0, roundToFloat(*value, dtype)}) : std::nullopt;
  }
  std::optional<WideInteger> value = foldInteger(op, a.integer, b.integer, byteWidth(dtype) * 8);
  return value ? std::optional(FoldedConstant{dtype, wrapInteger(*value, dtype)}) : std::nullopt;
}

const Expr *foldLogical(Op op, const std::vector<const Expr *> &operands) {
  if (op == Op::Select) {
    const Expr &condition = *operands[0];
    if (isConstant(condition) && operands[1]->type.isScalar() && operands[2]->type.isScalar())
      return condition.integer ? operands[1] : operands[2];
    return nullptr;
  }
  if ((op != Op::And && op != Op::Or) || operands[0]->type.dtype != DType::Bool)
    return nullptr;
  for (unsigned i = 0; i < 2; ++i) {
    const Expr *constant = operands[i];
    const Expr *other = operands[1 - i];
    if (!isConstant(*constant))
      continue;
    bool decides = (op == Op::Or) == (constant->integer != 0);
    if (!decides)
      return other;
    if (other->type.isScalar())
      return constant;
  }
  return nullptr;
}

} // namespace tilewright::frontend
