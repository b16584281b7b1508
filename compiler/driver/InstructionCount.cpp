// Counted in what ptxas makes of linear_dx's operand (sm_90a; beside them are some 70 for each step of 64):
//
//   act         counted here   instructions an element
//   silu           8.25           9
//   gelu          15             13.5
//   gelu_erf      15.75          13.5
//   relu           4.5            0.5
//   squared_relu   4.5            1
//
// The last two are formed in pairs (ConvertTileGPUToLLVMPairs.cpp), which is not known here: beside products even so many are hidden.

#include "compiler/driver/InstructionCount.h"

#include "compiler/frontend/Numbers.h"

#include <set>

namespace tilewright::compiler {

using namespace frontend;
using typed::Expr;
using typed::ExprKind;
using typed::Op;

namespace {

/// With the approximations that are allowed before a rounding to 16 bits.
double costOf(Op op) {
  switch (op) {
  case Op::Negate:
  case Op::Absolute:
  case Op::Not:
    return 0; // modifiers of an operand
  case Op::Add:
  case Op::Subtract:
    return 0.5; // every other one is part of a fused multiply-add
  case Op::Divide:
  case Op::Remainder:
  case Op::Exp:
  case Op::Log:
  case Op::Log2:
  case Op::SquareRoot:
  case Op::Sin:
  case Op::Cos:
    return 2;
  case Op::Log1p:
    return 4;
  case Op::Sigmoid:
    return 4;
  case Op::Erf:
    return 7;
  case Op::Power:
    return 10;
  default:
    return 1;
  }
}

class Counter {
public:
  explicit Counter(const std::function<const Expr *(const Expr *)> &valueOf) : valueOf(valueOf) {}

  double count(const Expr *expr) {
    expr = valueOf(expr);
    if (!seen.insert(expr).second)
      return 0;
    double operands = 0;
    for (const Expr *operand : expr->operands)
      if (expr->kind != ExprKind::Load) // indices
        operands += count(operand);
    return operands + own(*expr);
  }

private:
  const std::function<const Expr *(const Expr *)> &valueOf;
  std::set<const Expr *> seen;

  double own(const Expr &expr) {
    constexpr double loadOfFour = 0.25, conversionOfTwo = 0.5;
    switch (expr.kind) {
    case ExprKind::Elementwise:
      return costOf(expr.op);
    case ExprKind::Cast:
      return byteWidth(expr.type.dtype) == 2 ? conversionOfTwo : 1;
    case ExprKind::Load:
      return loadOfFour;
    case ExprKind::Call:
      return expr.callee ? countOf(*expr.callee) : 0;
    default:
      return 0;
    }
  }

  double countOf(const typed::Function &function) {
    double sum = countOf(function.body);
    for (const Expr *result : function.results)
      sum += count(result);
    return sum;
  }

  double countOf(const typed::Block &block) {
    double sum = 0;
    for (const typed::Statement *statement : block)
      sum += (statement->value ? count(statement->value) : 0) + countOf(statement->body) + countOf(statement->elseBody);
    return sum;
  }
};

} // namespace

double instructionsPerElement(const Expr &expr, const std::function<const Expr *(const Expr *)> &valueOf) {
  constexpr double left = 0.75; // by folding, and by what is recognized as a whole
  return left * Counter(valueOf).count(&expr);
}

} // namespace tilewright::compiler
