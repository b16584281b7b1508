// Makes the nodes of a typed tree: aligns axes by name and folds scalar constants. It knows no source rules and reports
// nothing; Arithmetic does.
#pragma once

#include "compiler/frontend/Numbers.h"
#include "compiler/frontend/TypedTree.h"

namespace tilewright::frontend {

class TreeBuilder {
public:
  using Expr = typed::Expr;
  using Axes = std::vector<const typed::Axis *>;

  explicit TreeBuilder(typed::Kernel &kernel) : kernel(kernel) {}

  Expr &make(typed::ExprKind kind, typed::TileType type, SourceRange where);
  typed::Statement &makeStatement(typed::StatementKind kind, SourceRange where);
  typed::Symbol &makeSymbol(typed::Symbol::Kind kind, std::string name, typed::TileType type, SourceRange where);

  const Expr *integer(int64_t value, DType dtype, SourceRange where);
  const Expr *real(double value, DType dtype, SourceRange where);
  const Expr *boolean(bool value, SourceRange where) { return integer(value, DType::Bool, where); }
  const Expr *dimension(const std::string &name, SourceRange where);
  const Expr *symbol(const typed::Symbol &symbol, SourceRange where);
  const Expr *axisIndex(const typed::Axis &axis, SourceRange where);
  const Expr *axisBound(typed::ExprKind kind, const typed::Axis &axis, SourceRange where);
  /// end - start
  const Expr *axisLength(const typed::Axis &axis, SourceRange where);

  /// The same expression if it already has the dtype.
  const Expr *cast(const Expr *operand, DType dtype, SourceRange where);
  /// Operands have one dtype (a Select's last two); the result has it too, or bool for comparisons.
  const Expr *elementwise(typed::Op op, std::vector<const Expr *> operands, SourceRange where,
                          typed::Precision precision = typed::Precision::Default);
  const Expr *negate(const Expr *operand, SourceRange where) { return elementwise(typed::Op::Negate, {operand}, where); }
  const Expr *callOf(const typed::Function &callee, std::vector<const Expr *> operands, std::vector<typed::TileType> results,
                     SourceRange where);

  /// Those of the operand with the most axes, followed by what the others add.
  static Axes alignedAxes(const std::vector<const Expr *> &operands);
  static Axes without(const Axes &axes, const Axes &removed);
  /// Appends the axes that are not yet there.
  static void addAxes(Axes &axes, const Axes &more);

  typed::Kernel &tree() { return kernel; }

private:
  const Expr *folded(typed::Op op, const std::vector<const Expr *> &operands, SourceRange where);
  const Expr *foldedCast(const Expr &operand, DType dtype, SourceRange where);

  typed::Kernel &kernel;
};

bool isComparison(typed::Op op);
bool isConstant(const typed::Expr &expr);
/// The same computation, by structure (where it is written does not matter).
bool sameExpression(const typed::Expr &a, const typed::Expr &b);
/// Below casts.
const typed::Expr &stripCasts(const typed::Expr &expr);

} // namespace tilewright::frontend
