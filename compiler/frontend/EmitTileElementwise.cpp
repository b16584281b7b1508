// Elementwise operations: alignment by name, then arith and math on equal types.
//
// A float sum or product may be contracted with its neighbour (`a * b + c` may round once or twice); nothing else may be
// reassociated or assumed. `precision = fast` allows approximations of one function's value.
#include "compiler/frontend/EmitTileEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilewright::frontend {

using namespace typed;

// --------------------------------------------------------------------------------------------------------------------
// Alignment, constants, casts
// --------------------------------------------------------------------------------------------------------------------

Value TileEmitter::broadcast(Value value, const TileType &type) {
  if (type.isScalar())
    return value;
  Type wanted = tile::withElement(typeOf(type), getElementTypeOrSelf(value.getType()));
  return value.getType() == wanted ? value : tile::BroadcastOp::create(builder, where, wanted, value).getResult();
}

Value TileEmitter::constant(Type type, int64_t value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr number = isa<FloatType>(element)
                         ? TypedAttr(builder.getFloatAttr(element, static_cast<double>(value)))
                         : builder.getIntegerAttr(element, llvm::APInt(element.getIntOrFloatBitWidth(), value,
                                                                       /*isSigned=*/true, /*implicitTrunc=*/true));
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return arith::ConstantOp::create(builder, where, DenseElementsAttr::get(tensor, Attribute(number)));
  return arith::ConstantOp::create(builder, where, number);
}

Value TileEmitter::constant(Type type, double value) {
  TypedAttr number = builder.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return arith::ConstantOp::create(builder, where, DenseElementsAttr::get(tensor, Attribute(number)));
  return arith::ConstantOp::create(builder, where, number);
}

Value TileEmitter::emitCast(Value value, DType from, DType to) {
  Type wanted = tile::withElement(value.getType(), elementType(to));
  if (value.getType() == wanted) // u8 and i8 have the same bits
    return value;
  return tile::CastOp::create(builder, where, wanted, value, from == DType::U8, to == DType::U8);
}

// --------------------------------------------------------------------------------------------------------------------
// Dispatch
// --------------------------------------------------------------------------------------------------------------------

namespace {

bool isComparison(Op op) {
  return op >= Op::Equal && op <= Op::GreaterEqual;
}

bool canDivideByZero(const Expr &expr) {
  return (expr.op == Op::Divide || expr.op == Op::Remainder) && !isFloat(expr.type.dtype);
}

} // namespace

Value TileEmitter::emitElementwise(const Expr &expr) {
  Values operands = emitAll(expr.operands);
  if (canDivideByZero(expr))
    checkDivisor(*expr.operands[1], operands[1]);
  for (auto [operand, value] : llvm::zip(expr.operands, operands))
    value = broadcast(value, {operand->type.dtype, expr.type.axes});
  if (expr.op == Op::Select)
    return arith::SelectOp::create(builder, where, operands[0], operands[1], operands[2]);
  if (isComparison(expr.op))
    return emitComparison(expr.op, expr.operands[0]->type.dtype, operands[0], operands[1]);
  return isFloat(expr.type.dtype) ? emitFloat(expr, operands) : emitInteger(expr, operands);
}

// --------------------------------------------------------------------------------------------------------------------
// Floats
// --------------------------------------------------------------------------------------------------------------------

Value TileEmitter::emitFloat(const Expr &expr, ArrayRef<Value> operands) {
  constexpr auto contract = arith::FastMathFlags::contract;
  Value a = operands[0];
  switch (expr.op) {
  case Op::Add:
    return arith::AddFOp::create(builder, where, a, operands[1], contract);
  case Op::Subtract:
    return arith::SubFOp::create(builder, where, a, operands[1], contract);
  case Op::Multiply:
    return arith::MulFOp::create(builder, where, a, operands[1], contract);
  case Op::Divide:
    return arith::DivFOp::create(builder, where, a, operands[1]);
  case Op::Negate:
    return arith::NegFOp::create(builder, where, a);
  case Op::Max:
    return arith::MaximumFOp::create(builder, where, a, operands[1]);
  case Op::Min:
    return arith::MinimumFOp::create(builder, where, a, operands[1]);
  case Op::FusedMultiplyAdd:
    return math::FmaOp::create(builder, where, a, operands[1], operands[2]);
  case Op::Power:
    return math::PowFOp::create(builder, where, a, operands[1]);
  default:
    return operands.size() == 1 ? emitFloatFunction(expr, a) : Value();
  }
}

Value TileEmitter::emitFloatFunction(const Expr &expr, Value a) {
  bool fast = expr.precision == Precision::Fast;
  auto flags = fast ? arith::FastMathFlags::afn : arith::FastMathFlags::none;
  switch (expr.op) {
  case Op::Absolute:
    return math::AbsFOp::create(builder, where, a);
  case Op::Floor:
    return math::FloorOp::create(builder, where, a);
  case Op::Ceil:
    return math::CeilOp::create(builder, where, a);
  case Op::Round:
    return math::RoundEvenOp::create(builder, where, a);
  case Op::Exp:
    return math::ExpOp::create(builder, where, a, flags);
  case Op::Exp2:
    return math::Exp2Op::create(builder, where, a, flags);
  case Op::Log:
    return math::LogOp::create(builder, where, a, flags);
  case Op::Log2:
    return math::Log2Op::create(builder, where, a, flags);
  case Op::Log1p:
    return math::Log1pOp::create(builder, where, a, flags);
  case Op::SquareRoot:
    return math::SqrtOp::create(builder, where, a, flags);
  case Op::ReciprocalSquareRoot:
    return math::RsqrtOp::create(builder, where, a, flags);
  case Op::Sin:
    return math::SinOp::create(builder, where, a, flags);
  case Op::Cos:
    return math::CosOp::create(builder, where, a, flags);
  case Op::Tanh:
    return math::TanhOp::create(builder, where, a, flags);
  case Op::Erf:
    return math::ErfOp::create(builder, where, a, flags);
  case Op::Sigmoid:
    return emitSigmoid(a, fast);
  default:
    return {};
  }
}

/// 1 / (1 + e^-x), without an exponential that overflows: with t = e^-|x| it is 1 / (1 + t) for x >= 0 and t / (1 + t) below,
/// which keeps its relative accuracy down to the denormals. NaN goes through t.
Value TileEmitter::emitSigmoid(Value x, bool fast) {
  auto flags = fast ? arith::FastMathFlags::afn : arith::FastMathFlags::none;
  Value one = constant(x.getType(), 1.0), zero = constant(x.getType(), 0.0);
  Value magnitude = math::AbsFOp::create(builder, where, x);
  Value negated = arith::NegFOp::create(builder, where, magnitude);
  Value t = math::ExpOp::create(builder, where, negated, flags);
  Value isPositive = arith::CmpFOp::create(builder, where, arith::CmpFPredicate::OGE, x, zero);
  Value numerator = arith::SelectOp::create(builder, where, isPositive, one, t);
  Value denominator = arith::AddFOp::create(builder, where, one, t);
  return arith::DivFOp::create(builder, where, numerator, denominator, flags);
}

// --------------------------------------------------------------------------------------------------------------------
// Integers and bool
// --------------------------------------------------------------------------------------------------------------------

Value TileEmitter::emitInteger(const Expr &expr, ArrayRef<Value> operands) {
  Value a = operands[0], b = operands.size() > 1 ? operands[1] : Value();
  bool isUnsigned = expr.type.dtype == DType::U8;
  switch (expr.op) {
  case Op::Add:
    return arith::AddIOp::create(builder, where, a, b);
  case Op::Subtract:
    return arith::SubIOp::create(builder, where, a, b);
  case Op::Multiply:
    return arith::MulIOp::create(builder, where, a, b);
  case Op::Divide:
    return tile::FloorDivOp::create(builder, where, a, b);
  case Op::Remainder:
    return tile::FloorModOp::create(builder, where, a, b);
  case Op::Negate:
    return arith::SubIOp::create(builder, where, constant(a.getType(), int64_t{0}), a);
  case Op::Absolute:
    return math::AbsIOp::create(builder, where, a);
  case Op::Max:
    return isUnsigned ? arith::MaxUIOp::create(builder, where, a, b).getResult()
                      : arith::MaxSIOp::create(builder, where, a, b).getResult();
  case Op::Min:
    return isUnsigned ? arith::MinUIOp::create(builder, where, a, b).getResult()
                      : arith::MinSIOp::create(builder, where, a, b).getResult();
  case Op::And:
    return arith::AndIOp::create(builder, where, a, b);
  case Op::Or:
    return arith::OrIOp::create(builder, where, a, b);
  case Op::Xor:
    return arith::XOrIOp::create(builder, where, a, b);
  case Op::Not:
    return arith::XOrIOp::create(builder, where, a, constant(a.getType(), int64_t{-1}));
  case Op::ShiftLeft:
  case Op::ShiftRight:
    return emitShift(expr.op, a, b);
  case Op::FusedMultiplyAdd:
    return arith::AddIOp::create(builder, where, arith::MulIOp::create(builder, where, a, b), operands[2]);
  default:
    return {};
  }
}

/// The count is taken modulo the width.
Value TileEmitter::emitShift(Op op, Value operand, Value count) {
  int64_t mask = getElementTypeOrSelf(operand.getType()).getIntOrFloatBitWidth() - 1;
  Value masked = arith::AndIOp::create(builder, where, count, constant(count.getType(), mask));
  if (op == Op::ShiftLeft)
    return arith::ShLIOp::create(builder, where, operand, masked);
  return arith::ShRSIOp::create(builder, where, operand, masked);
}

namespace {

arith::CmpFPredicate floatPredicate(Op op) {
  switch (op) {
  case Op::Equal:
    return arith::CmpFPredicate::OEQ;
  case Op::NotEqual:
    return arith::CmpFPredicate::UNE; // NaN differs from everything
  case Op::Less:
    return arith::CmpFPredicate::OLT;
  case Op::LessEqual:
    return arith::CmpFPredicate::OLE;
  case Op::Greater:
    return arith::CmpFPredicate::OGT;
  default:
    return arith::CmpFPredicate::OGE;
  }
}

arith::CmpIPredicate integerPredicate(Op op, bool isUnsigned) {
  switch (op) {
  case Op::Equal:
    return arith::CmpIPredicate::eq;
  case Op::NotEqual:
    return arith::CmpIPredicate::ne;
  case Op::Less:
    return isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  case Op::LessEqual:
    return isUnsigned ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle;
  case Op::Greater:
    return isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
  default:
    return isUnsigned ? arith::CmpIPredicate::uge : arith::CmpIPredicate::sge;
  }
}

} // namespace

Value TileEmitter::emitComparison(Op op, DType dtype, Value lhs, Value rhs) {
  if (isFloat(dtype))
    return arith::CmpFOp::create(builder, where, floatPredicate(op), lhs, rhs);
  bool isUnsigned = dtype == DType::U8 || dtype == DType::Bool;
  return arith::CmpIOp::create(builder, where, integerPredicate(op, isUnsigned), lhs, rhs);
}

} // namespace tilewright::frontend
