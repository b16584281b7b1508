// Formulas as C++ expressions that emit arith operations.
//
// The casts and the math functions of a kernel become fifty operations each. Written with OpBuilder they cannot be read; with
// an `Expr`, a value that carries the builder, they look like the formulas they are:
//
//   Expr r = x - n * 0x1.62e4p-1 - n * 0x1.7f7d1cf8p-20;   // arith.mulf, arith.subf …
//   Expr y = select(x < -104.0, 0.0, p * pow2(n));
//
// A number takes the type of what it meets: `bits & 0x7fff` is an integer mask, `x * 0.5` a float product, on scalars and
// vectors alike. Nothing is contracted or reassociated unless it says so: `mulAdd` may round once or twice, the rest is IEEE.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

#include <type_traits>

namespace tilewright {

template <typename T>
concept Number = std::is_arithmetic_v<T>;

/// A scalar or vector value in a formula.
class Expr {
public:
  Expr(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value) : builder(&builder), loc(loc), value(value) {}

  operator mlir::Value() const { return value; }
  mlir::Value get() const { return value; }
  mlir::OpBuilder &getBuilder() const { return *builder; }
  mlir::Location getLoc() const { return loc; }
  mlir::Type getElementType() const { return mlir::getElementTypeOrSelf(value.getType()); }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(getElementType()); }
  unsigned getWidth() const { return getElementType().getIntOrFloatBitWidth(); }

  /// Another value of the same formula.
  Expr with(mlir::Value other) const { return {*builder, loc, other}; }
  /// This value's type with another element type.
  mlir::Type typeWith(mlir::Type element) const {
    auto vector = mlir::dyn_cast<mlir::VectorType>(value.getType());
    return vector ? mlir::Type(vector.clone(element)) : element;
  }

  /// A constant of this value's type.
  template <Number T> Expr constant(T number) const {
    if (auto type = mlir::dyn_cast<mlir::FloatType>(getElementType()))
      return constantOf(builder->getFloatAttr(type, static_cast<double>(number)));
    if (mlir::isa<mlir::IndexType>(getElementType()))
      return constantOf(builder->getIndexAttr(static_cast<int64_t>(number)));
    auto bits = static_cast<uint64_t>(static_cast<int64_t>(number));
    llvm::APInt integer(getWidth(), bits, /*isSigned=*/false, /*implicitTrunc=*/true);
    return constantOf(builder->getIntegerAttr(getElementType(), integer));
  }

  /// An operation; constants fold.
  template <typename Op, typename... Arguments> Expr emit(Arguments &&...arguments) const {
    return with(builder->createOrFold<Op>(loc, std::forward<Arguments>(arguments)...));
  }
  /// A conversion to another element type.
  template <typename Op> Expr convert(mlir::Type element) const {
    return emit<Op>(mlir::TypeRange(typeWith(element)), mlir::ValueRange(value));
  }

  /// The same bits as an integer, or an integer's bits as a float.
  Expr bits() const { return convert<mlir::arith::BitcastOp>(builder->getIntegerType(getWidth())); }
  Expr asFloat(mlir::FloatType type) const { return convert<mlir::arith::BitcastOp>(type); }
  Expr asF32() const { return asFloat(builder->getF32Type()); }
  Expr asF64() const { return asFloat(builder->getF64Type()); }

  /// Integers of another width: truncated, or extended by zeros or by the sign.
  Expr zeroExtended(unsigned width) const { return resized<mlir::arith::ExtUIOp>(width); }
  Expr signExtended(unsigned width) const { return resized<mlir::arith::ExtSIOp>(width); }

  /// The next wider and narrower native floats: exact, and to nearest even.
  Expr toF64() const { return convert<mlir::arith::ExtFOp>(builder->getF64Type()); }
  Expr toF32() const { return convert<mlir::arith::TruncFOp>(builder->getF32Type()); }
  /// A signed integer as a float.
  Expr toFloat(mlir::FloatType type) const { return convert<mlir::arith::SIToFPOp>(type); }

private:
  Expr constantOf(mlir::TypedAttr attribute) const {
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(value.getType()))
      attribute = mlir::DenseElementsAttr::get(vector, mlir::Attribute(attribute));
    return with(mlir::arith::ConstantOp::create(*builder, loc, attribute));
  }
  template <typename Extend> Expr resized(unsigned width) const {
    if (width == getWidth())
      return *this;
    mlir::Type type = builder->getIntegerType(width);
    return width < getWidth() ? convert<mlir::arith::TruncIOp>(type) : convert<Extend>(type);
  }

  mlir::OpBuilder *builder;
  mlir::Location loc;
  mlir::Value value;
};

/// A number beside an Expr becomes a constant of its type.
inline Expr lift(const Expr &, const Expr &value) {
  return value;
}
template <Number T> Expr lift(const Expr &like, T number) {
  return like.constant(number);
}

template <typename L, typename R>
concept Formula = (std::is_same_v<L, Expr> && (std::is_same_v<R, Expr> || Number<R>)) || (Number<L> && std::is_same_v<R, Expr>);

template <typename L, typename R> const Expr &exprOf(const L &lhs, const R &rhs) {
  if constexpr (std::is_same_v<L, Expr>)
    return lhs;
  else
    return rhs;
}

/// Emits the float or the integer operation of two operands of one type.
template <typename FloatOp, typename IntegerOp> Expr emitArithmetic(const Expr &a, const Expr &b) {
  return a.isFloat() ? a.emit<FloatOp>(a, b) : a.emit<IntegerOp>(a, b);
}
inline Expr emitCompare(mlir::arith::CmpFPredicate onFloats, mlir::arith::CmpIPredicate onIntegers, const Expr &a,
                        const Expr &b) {
  return a.isFloat() ? a.emit<mlir::arith::CmpFOp>(onFloats, a, b) : a.emit<mlir::arith::CmpIOp>(onIntegers, a, b);
}

#define TILEWRIGHT_OPERATOR(symbol, emission)                                                                                  \
  template <typename L, typename R>                                                                                            \
    requires Formula<L, R>                                                                                                     \
  Expr operator symbol(const L &lhs, const R &rhs) {                                                                           \
    const Expr a = lift(exprOf(lhs, rhs), lhs), b = lift(exprOf(lhs, rhs), rhs);                                               \
    return emission;                                                                                                           \
  }
TILEWRIGHT_OPERATOR(+, (emitArithmetic<mlir::arith::AddFOp, mlir::arith::AddIOp>(a, b)))
TILEWRIGHT_OPERATOR(-, (emitArithmetic<mlir::arith::SubFOp, mlir::arith::SubIOp>(a, b)))
TILEWRIGHT_OPERATOR(*, (emitArithmetic<mlir::arith::MulFOp, mlir::arith::MulIOp>(a, b)))
TILEWRIGHT_OPERATOR(/, (emitArithmetic<mlir::arith::DivFOp, mlir::arith::DivSIOp>(a, b)))
TILEWRIGHT_OPERATOR(&, (a.emit<mlir::arith::AndIOp>(a, b)))
TILEWRIGHT_OPERATOR(|, (a.emit<mlir::arith::OrIOp>(a, b)))
TILEWRIGHT_OPERATOR(^, (a.emit<mlir::arith::XOrIOp>(a, b)))
TILEWRIGHT_OPERATOR(<<, (a.emit<mlir::arith::ShLIOp>(a, b)))
/// Shifts zeros in; arithmeticShift the sign.
TILEWRIGHT_OPERATOR(>>, (a.emit<mlir::arith::ShRUIOp>(a, b)))
/// Comparisons are signed on integers; on floats NaN is unequal to all and neither below nor above.
TILEWRIGHT_OPERATOR(<, emitCompare(mlir::arith::CmpFPredicate::OLT, mlir::arith::CmpIPredicate::slt, a, b))
TILEWRIGHT_OPERATOR(<=, emitCompare(mlir::arith::CmpFPredicate::OLE, mlir::arith::CmpIPredicate::sle, a, b))
TILEWRIGHT_OPERATOR(>, emitCompare(mlir::arith::CmpFPredicate::OGT, mlir::arith::CmpIPredicate::sgt, a, b))
TILEWRIGHT_OPERATOR(>=, emitCompare(mlir::arith::CmpFPredicate::OGE, mlir::arith::CmpIPredicate::sge, a, b))
TILEWRIGHT_OPERATOR(==, emitCompare(mlir::arith::CmpFPredicate::OEQ, mlir::arith::CmpIPredicate::eq, a, b))
TILEWRIGHT_OPERATOR(!=, emitCompare(mlir::arith::CmpFPredicate::UNE, mlir::arith::CmpIPredicate::ne, a, b))
#undef TILEWRIGHT_OPERATOR

inline Expr operator-(const Expr &a) {
  return a.isFloat() ? a.emit<mlir::arith::NegFOp>(a) : 0 - a;
}
/// Of indices, which are not negative.
inline Expr minimum(const Expr &a, const Expr &b) {
  return a.emit<mlir::arith::MinSIOp>(a, b);
}
inline Expr quotientUp(const Expr &a, int64_t b) {
  return a.emit<mlir::arith::DivUIOp>(a + (b - 1), a.constant(b));
}
inline Expr arithmeticShift(const Expr &a, int64_t count) {
  return a.emit<mlir::arith::ShRSIOp>(a, a.constant(count));
}
inline Expr isNaN(const Expr &a) {
  return a.emit<mlir::arith::CmpFOp>(mlir::arith::CmpFPredicate::UNO, a, a);
}

/// condition ? a : b, where one of them may be a number.
template <typename L, typename R>
  requires Formula<L, R>
Expr select(const Expr &condition, const L &lhs, const R &rhs) {
  const Expr a = lift(exprOf(lhs, rhs), lhs), b = lift(exprOf(lhs, rhs), rhs);
  return a.emit<mlir::arith::SelectOp>(condition, a, b);
}

/// The smaller or larger of two, by one comparison: signed on integers; a NaN in `a` stays.
template <Number T> Expr atMost(const Expr &a, T bound) {
  return select(a > bound, bound, a);
}
template <Number T> Expr atLeast(const Expr &a, T bound) {
  return select(a < bound, bound, a);
}
template <Number T> Expr unsignedAtMost(const Expr &a, T bound) {
  return a.emit<mlir::arith::MinUIOp>(a, a.constant(bound));
}

/// a * b + c, rounded once where the processor multiplies and adds in one instruction.
inline Expr mulAdd(const Expr &a, const Expr &b, const Expr &c) {
  auto contract = mlir::arith::FastMathFlags::contract;
  Expr product = a.emit<mlir::arith::MulFOp>(a, b, contract);
  return a.emit<mlir::arith::AddFOp>(product, c, contract);
}
template <Number B> Expr mulAdd(const Expr &a, B b, const Expr &c) {
  return mulAdd(a, a.constant(b), c);
}
template <Number C> Expr mulAdd(const Expr &a, const Expr &b, C c) {
  return mulAdd(a, b, a.constant(c));
}

} // namespace tilewright
