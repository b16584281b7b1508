// Quotients of many dividends by one divisor: a row divided by its sum.
//
// IEEE division of f32 is ten instructions and a branch on a GPU. With y = 1 / b, rounded to nearest, a / b is three:
//
//   q = a y        r = a - q b        result = q + r y
//
// (r and the result each rounded once). That is the quotient rounded to nearest where nothing overflows or becomes subnormal and r is
// exact: P. Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", 1990, for q within one unit of
// a / b. Here q can be off by one and a half, where r may lose its last bit; all pairs of significands of 4 to 14 bits, and of 24 bits
// the 8 * 10^7 whose quotients are nearest to midpoints, give no wrong result.
//
// It is taken where the divisor and all dividends are of ordinary size: with |b| in [2^-20, 2^20] and |a| in [2^-100, 2^100] the
// quotient is in [2^-120, 2^120], and r, a multiple of 2^-146 or more, is a float. Otherwise all are divided one by one; so is a row
// with a 0 in it.

#include "compiler/transforms/ExpandMathFormulas.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

namespace tilewright {

using namespace math_formulas;
namespace arith = mlir::arith;

namespace {

using Quotients = llvm::SmallVector<arith::DivFOp>;

/// Fewer than this do not pay for the reciprocal and the branch.
constexpr size_t fewest = 4;

/// Whether LLVM makes a product of the quotient.
bool hasExactReciprocal(mlir::Value divisor) {
  llvm::APFloat constant(0.0f);
  return mlir::matchPattern(divisor, mlir::m_ConstantFloat(&constant)) && constant.getExactInverse(nullptr);
}

bool isOrdinaryQuotient(arith::DivFOp quotient) {
  return !hasExactReciprocal(quotient.getRhs()) && quotient.getType().isF32() && !mlir::arith::bitEnumContainsAny(quotient.getFastmath(), arith::FastMathFlags::afn) &&
         !mlir::matchPattern(quotient.getLhs(), mlir::m_Constant());
}

/// Whether nothing uses the quotients before the last of them.
bool areUsedAfterLast(const Quotients &quotients) {
  arith::DivFOp last = quotients.back();
  return llvm::all_of(quotients, [&](arith::DivFOp quotient) {
    return llvm::all_of(quotient->getUsers(), [&](mlir::Operation *user) {
      mlir::Operation *here = last->getBlock()->findAncestorOpInBlock(*user);
      return here && last->isBeforeInBlock(here);
    });
  });
}

Expr isBetween(const Expr &x, double low, double high) {
  Expr size = magnitude(x);
  return (size >= low) & (size <= high);
}

void expandTogether(Quotients &quotients) {
  mlir::OpBuilder builder(quotients.back());
  mlir::Location loc = quotients.back().getLoc();
  Expr b(builder, loc, quotients.front().getRhs());
  Expr y = 1.0 / b; // outside of the branch, and so of the loop around it
  Expr isFine = isBetween(b, 0x1p-20, 0x1p20);
  for (arith::DivFOp quotient : quotients)
    isFine = isFine & isBetween(Expr(builder, loc, quotient.getLhs()), 0x1p-100, 0x1p100);
  llvm::SmallVector<mlir::Type> types(quotients.size(), quotients.front().getType());
  auto branch = mlir::scf::IfOp::create(builder, loc, types, isFine.get(), /*addThenBlock=*/true, /*addElseBlock=*/true);
  auto fill = [&](mlir::Block *block, llvm::function_ref<mlir::Value(mlir::Value)> divide) {
    builder.setInsertionPointToStart(block);
    llvm::SmallVector<mlir::Value> values =
        llvm::map_to_vector(quotients, [&](arith::DivFOp quotient) { return divide(quotient.getLhs()); });
    mlir::scf::YieldOp::create(builder, loc, values);
  };
  fill(branch.thenBlock(), [&](mlir::Value dividend) -> mlir::Value {
    Expr a(builder, loc, dividend), q = a * y;
    Expr r = a.emit<mlir::math::FmaOp>(-q, b, a);
    return a.emit<mlir::math::FmaOp>(r, y, q);
  });
  fill(branch.elseBlock(), [&](mlir::Value dividend) -> mlir::Value { return Expr(builder, loc, dividend) / b; });
  for (auto [quotient, value] : llvm::zip(quotients, branch.getResults())) {
    quotient.getResult().replaceAllUsesWith(value);
    quotient.erase();
  }
}

} // namespace

void expandSharedQuotients(mlir::Operation *root) {
  llvm::MapVector<std::pair<mlir::Block *, mlir::Value>, Quotients> groups;
  root->walk([&](arith::DivFOp quotient) {
    if (isOrdinaryQuotient(quotient))
      groups[{quotient->getBlock(), quotient.getRhs()}].push_back(quotient);
  });
  for (auto &[key, quotients] : groups)
    if (quotients.size() >= fewest && areUsedAfterLast(quotients))
      expandTogether(quotients);
}

} // namespace tilewright
