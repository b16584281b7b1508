// Operators and conversions on values: which dtypes meet, what literals become, which conversions are implicit
// (docs/language.md §3.2), with the errors that say so.
#pragma once

#include "compiler/frontend/Diagnostics.h"
#include "compiler/frontend/Scope.h"
#include "compiler/frontend/TreeBuilder.h"

namespace tilewright::frontend {

class Arithmetic {
public:
  using Expr = typed::Expr;

  Arithmetic(TreeBuilder &tree, Diagnostics &diagnostics) : tree(tree), diagnostics(diagnostics) {}

  /// `a op b` of the language.
  Value binary(ast::BinaryOperator op, SourceRange operatorWhere, const Value &left, const Value &right, SourceRange where);
  Value unary(ast::UnaryOperator op, const Value &operand, SourceRange where);
  /// An elementwise built-in function on its operands' common arithmetic dtype.
  Value elementwise(const Builtin &builtin, const std::vector<Value> &operands, SourceRange where,
                    typed::Precision precision = typed::Precision::Default);
  /// An explicit cast, `T(x)`.
  Value cast(const Value &operand, DType dtype, SourceRange where);
  /// The value as a tile by itself: literals alone are i64 and f32. Null after an error.
  const Expr *tile(const Value &value);
  /// The value as a tile of the dtype, by an implicit conversion. `what` begins the error ("argument `x` of `f`"); `written` is
  /// how the source calls the dtype (`T`). Null after an error.
  const Expr *convert(const Value &value, DType dtype, const std::string &what, std::string_view written = {});
  /// Without the error.
  bool converts(const Value &value, DType dtype) const;
  /// The dtype that arithmetic on the values is done in; none if they do not mix (not reported). Only literals: none.
  static std::optional<DType> commonType(const std::vector<const Value *> &values);
  /// For messages: `f32[i, j]`, `the literal 3`.
  static std::string describe(const Value &value);

private:
  using Operands = std::vector<const Expr *>;

  /// All operands in their common arithmetic dtype; empty after an error. `name` is the operator or function; `floats` makes
  /// literals alone floats.
  Operands unify(const std::vector<const Value *> &values, std::string_view name, SourceRange where, bool floats = false);
  /// False after an error: a dtype or a function where a number is needed.
  bool isNumber(const Value &value);
  bool isBool(const Value &value) const { return value.kind == Value::Kind::Tile && value.tile->type.dtype == DType::Bool; }
  Value foldLiterals(ast::BinaryOperator op, const Value &left, const Value &right, SourceRange operatorWhere,
                     SourceRange where);
  Value foldLiterals(const Builtin &builtin, const std::vector<Value> &operands, SourceRange where);
  Value compareStatics(ast::BinaryOperator op, const Value &left, const Value &right, SourceRange where);
  Value logical(typed::Op op, std::string_view name, const Value &left, const Value &right, SourceRange where);
  Value select(const std::vector<Value> &operands, SourceRange where);
  Value clamp(const std::vector<Value> &operands, SourceRange where);
  Value ceilDivide(const std::vector<Value> &operands, SourceRange where);
  const Expr *literal(const Value &value, DType dtype, const std::string &what);
  void reportMix(std::string_view name, const std::vector<const Value *> &values, SourceRange where);

  TreeBuilder &tree;
  Diagnostics &diagnostics;
};

std::string_view spelling(ast::BinaryOperator op);

} // namespace tilewright::frontend
