// The syntax tree: what the parser saw, before any name has a meaning. docs/language.md has the grammar.
//
// Nodes are plain structs owned by std::unique_ptr; `kind` tells which struct it is (`as<T>` casts). Every node has the range
// of its source text.
#pragma once

#include "compiler/frontend/Source.h"

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::frontend {

/// The dtypes of the language, by their own names.
enum class DType : uint8_t { F64, F32, F16, BF16, F8E4M3, F8E5M2, I64, I32, I16, I8, U8, Bool };

namespace ast {

struct Name {
  std::string text;
  SourceRange where;
};

struct StringLiteral {
  std::string value; ///< escapes resolved
  SourceRange where;
};

// --------------------------------------------------------------------------------------------------------------------
// Types
// --------------------------------------------------------------------------------------------------------------------

/// `f32`, `T`, `accum(T)`.
struct DTypeReference {
  SourceRange where;
  std::optional<DType> builtin;            ///< one of the dtypes by its own name
  std::string name;                        ///< else a type static's name
  std::shared_ptr<DTypeReference> accumOf; ///< else accum(…)
};

/// `f32[i, j]` in a body.
struct TileTypeReference {
  SourceRange where;
  DTypeReference dtype;
  std::vector<Name> axes;
};

// --------------------------------------------------------------------------------------------------------------------
// Expressions
// --------------------------------------------------------------------------------------------------------------------

struct Expression {
  enum class Kind { Integer, Float, Boolean, Name, DType, Unary, Binary, Call, Index, Member, Tuple };
  Kind kind;
  SourceRange where;
  virtual ~Expression() = default;

protected:
  Expression(Kind kind, SourceRange where) : kind(kind), where(where) {}
};
using ExpressionPtr = std::unique_ptr<Expression>;

template <typename T> const T &as(const Expression &expression) {
  assert(expression.kind == T::nodeKind);
  return static_cast<const T &>(expression);
}
template <typename T> const T *dynAs(const Expression *expression) {
  return expression && expression->kind == T::nodeKind ? static_cast<const T *>(expression) : nullptr;
}

/// `42`, `0x2a`. A value above 2⁶⁴ - 1 is the lexer's error.
struct IntegerExpression : Expression {
  static constexpr Kind nodeKind = Kind::Integer;
  uint64_t value;
  IntegerExpression(SourceRange where, uint64_t value) : Expression(nodeKind, where), value(value) {}
};

/// `1.5`, `1e-5`, `inf`, `nan`.
struct FloatExpression : Expression {
  static constexpr Kind nodeKind = Kind::Float;
  double value;
  FloatExpression(SourceRange where, double value) : Expression(nodeKind, where), value(value) {}
};

struct BooleanExpression : Expression {
  static constexpr Kind nodeKind = Kind::Boolean;
  bool value;
  BooleanExpression(SourceRange where, bool value) : Expression(nodeKind, where), value(value) {}
};

/// Any name, `act.gelu`'s parts included (see Member); also the words `span` and `deriv` where they are called.
struct NameExpression : Expression {
  static constexpr Kind nodeKind = Kind::Name;
  std::string name;
  NameExpression(SourceRange where, std::string name) : Expression(nodeKind, where), name(std::move(name)) {}
};

/// A dtype as a value: the callee of a cast, a side of `T == f32`. (A type static is a NameExpression.)
struct DTypeExpression : Expression {
  static constexpr Kind nodeKind = Kind::DType;
  DTypeReference dtype;
  DTypeExpression(SourceRange where, DTypeReference dtype) : Expression(nodeKind, where), dtype(std::move(dtype)) {}
};

enum class UnaryOperator { Negate, Not };
struct UnaryExpression : Expression {
  static constexpr Kind nodeKind = Kind::Unary;
  UnaryOperator op;
  ExpressionPtr operand;
  UnaryExpression(SourceRange where, UnaryOperator op, ExpressionPtr operand)
      : Expression(nodeKind, where), op(op), operand(std::move(operand)) {}
};

enum class BinaryOperator {
  Or, And, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual,
  BitOr, BitXor, BitAnd, ShiftLeft, ShiftRight, Add, Subtract, Multiply, Divide, Remainder
};
struct BinaryExpression : Expression {
  static constexpr Kind nodeKind = Kind::Binary;
  BinaryOperator op;
  SourceRange operatorWhere;
  ExpressionPtr left, right;
  BinaryExpression(SourceRange where, BinaryOperator op, SourceRange operatorWhere, ExpressionPtr left, ExpressionPtr right)
      : Expression(nodeKind, where), op(op), operatorWhere(operatorWhere), left(std::move(left)), right(std::move(right)) {}
};

/// `f(a, b, over k, m, precision = fast)`.
struct CallExpression : Expression {
  static constexpr Kind nodeKind = Kind::Call;
  ExpressionPtr callee;
  std::vector<ExpressionPtr> arguments;
  std::vector<Name> over;
  std::vector<std::pair<Name, Name>> options; ///< `precision = fast`
  CallExpression(SourceRange where, ExpressionPtr callee) : Expression(nodeKind, where), callee(std::move(callee)) {}
};

/// The bracketed part of an access: `[i, k + 1, else 0]`.
struct Places {
  SourceRange where; ///< from `[` to `]`
  std::vector<ExpressionPtr> indices;
  enum class Else { None, Value, Drop } elseKind = Else::None;
  ExpressionPtr elseValue; ///< with Else::Value
  SourceRange elseWhere;
};

struct IndexExpression : Expression {
  static constexpr Kind nodeKind = Kind::Index;
  ExpressionPtr base;
  Places places;
  IndexExpression(SourceRange where, ExpressionPtr base, Places places)
      : Expression(nodeKind, where), base(std::move(base)), places(std::move(places)) {}
};

/// `i.start`, `i.end`, `act.gelu`.
struct MemberExpression : Expression {
  static constexpr Kind nodeKind = Kind::Member;
  ExpressionPtr base;
  Name member;
  MemberExpression(SourceRange where, ExpressionPtr base, Name member)
      : Expression(nodeKind, where), base(std::move(base)), member(std::move(member)) {}
};

/// `(m, s)`: the whole value of a `return`, `fn … =` or `deriv … =`.
struct TupleExpression : Expression {
  static constexpr Kind nodeKind = Kind::Tuple;
  std::vector<ExpressionPtr> elements;
  TupleExpression(SourceRange where, std::vector<ExpressionPtr> elements)
      : Expression(nodeKind, where), elements(std::move(elements)) {}
};

// --------------------------------------------------------------------------------------------------------------------
// Statements
// --------------------------------------------------------------------------------------------------------------------

/// `i in lo..hi by B`. Without `hi` the range is `0..lo`, or the span that `lo` names.
struct AxisDeclaration {
  SourceRange where;
  Name name;
  ExpressionPtr low;
  ExpressionPtr high; ///< null without `..`
  ExpressionPtr by;   ///< null without `by`
};

struct Statement {
  enum class Kind { Let, LetTuple, Var, Assign, If, For, While, Require, Tune, Print, Assert, Return };
  Kind kind;
  SourceRange where;
  bool faulty = false; ///< it was misspelt, but read as what it was meant to be
  virtual ~Statement() = default;

protected:
  Statement(Kind kind, SourceRange where) : kind(kind), where(where) {}
};
using StatementPtr = std::unique_ptr<Statement>;

struct Block {
  SourceRange where; ///< from `{` to `}`
  std::vector<StatementPtr> statements;
};

template <typename T> const T &as(const Statement &statement) {
  assert(statement.kind == T::nodeKind);
  return static_cast<const T &>(statement);
}

enum class AssignOperator { Set, Add, Subtract, Multiply, Divide, Max, Min };

/// `n = e;`, `n += e;`, `v[i, j] = e;`, `atomic v[i] += e;`.
struct AssignStatement : Statement {
  static constexpr Kind nodeKind = Kind::Assign;
  bool atomic = false;
  Name target;
  std::optional<Places> places; ///< absent for a variable
  AssignOperator op = AssignOperator::Set;
  SourceRange operatorWhere;
  ExpressionPtr value;
  explicit AssignStatement(SourceRange where) : Statement(nodeKind, where) {}
};

/// `let n: f32[i] = e;` or `let old = atomic v[e] += 1;`.
struct LetStatement : Statement {
  static constexpr Kind nodeKind = Kind::Let;
  Name name;
  std::optional<TileTypeReference> type;
  ExpressionPtr value;                          ///< null with `atomicStore`
  std::unique_ptr<AssignStatement> atomicStore; ///< null with `value`
  explicit LetStatement(SourceRange where) : Statement(nodeKind, where) {}
};

struct LetTupleStatement : Statement {
  static constexpr Kind nodeKind = Kind::LetTuple;
  std::vector<Name> names;
  ExpressionPtr value;
  explicit LetTupleStatement(SourceRange where) : Statement(nodeKind, where) {}
};

struct VarStatement : Statement {
  static constexpr Kind nodeKind = Kind::Var;
  Name name;
  std::optional<TileTypeReference> type;
  ExpressionPtr value;
  explicit VarStatement(SourceRange where) : Statement(nodeKind, where) {}
};

struct IfStatement : Statement {
  static constexpr Kind nodeKind = Kind::If;
  ExpressionPtr condition;
  Block thenBlock;
  std::optional<Block> elseBlock; ///< `else if` is a block of one IfStatement
  explicit IfStatement(SourceRange where) : Statement(nodeKind, where) {}
};

struct ForStatement : Statement {
  static constexpr Kind nodeKind = Kind::For;
  std::vector<AxisDeclaration> axes;
  Block body;
  explicit ForStatement(SourceRange where) : Statement(nodeKind, where) {}
};

struct WhileStatement : Statement {
  static constexpr Kind nodeKind = Kind::While;
  ExpressionPtr condition;
  Block body;
  explicit WhileStatement(SourceRange where) : Statement(nodeKind, where) {}
};

struct RequireStatement : Statement {
  static constexpr Kind nodeKind = Kind::Require;
  ExpressionPtr condition;
  std::optional<StringLiteral> text;
  explicit RequireStatement(SourceRange where) : Statement(nodeKind, where) {}
};

struct TuneStatement : Statement {
  static constexpr Kind nodeKind = Kind::Tune;
  Name name;
  std::vector<ExpressionPtr> values;
  explicit TuneStatement(SourceRange where) : Statement(nodeKind, where) {}
};

/// An argument of `print` or `assert`: exactly one of the two is set.
struct PrintArgument {
  std::optional<StringLiteral> text;
  ExpressionPtr value;
};

struct PrintStatement : Statement {
  static constexpr Kind nodeKind = Kind::Print;
  std::vector<PrintArgument> arguments;
  explicit PrintStatement(SourceRange where) : Statement(nodeKind, where) {}
};

struct AssertStatement : Statement {
  static constexpr Kind nodeKind = Kind::Assert;
  std::vector<PrintArgument> arguments; ///< the condition first
  explicit AssertStatement(SourceRange where) : Statement(nodeKind, where) {}
};

struct ReturnStatement : Statement {
  static constexpr Kind nodeKind = Kind::Return;
  ExpressionPtr value; ///< a TupleExpression for several results
  explicit ReturnStatement(SourceRange where) : Statement(nodeKind, where) {}
};

// --------------------------------------------------------------------------------------------------------------------
// Declarations
// --------------------------------------------------------------------------------------------------------------------

struct Declaration {
  enum class Kind { Import, Constant, Function, Derivative, Extern, Kernel };
  Kind kind;
  SourceRange where;
  std::string documentation; ///< the `///` lines before it, joined by line breaks
  bool faulty = false;       ///< parts of it could not be read, and are left out
  virtual ~Declaration() = default;

protected:
  Declaration(Kind kind, SourceRange where) : kind(kind), where(where) {}
};
using DeclarationPtr = std::unique_ptr<Declaration>;

template <typename T> const T &as(const Declaration &declaration) {
  assert(declaration.kind == T::nodeKind);
  return static_cast<const T &>(declaration);
}

struct ImportDeclaration : Declaration {
  static constexpr Kind nodeKind = Kind::Import;
  StringLiteral path;
  std::optional<Name> alias;
  explicit ImportDeclaration(SourceRange where) : Declaration(nodeKind, where) {}
};

struct ConstantDeclaration : Declaration {
  static constexpr Kind nodeKind = Kind::Constant;
  Name name;
  ExpressionPtr value;
  explicit ConstantDeclaration(SourceRange where) : Declaration(nodeKind, where) {}
};

/// One alternative of a type static: a class (`float`, `real`, `integer`, `number`) or a dtype.
struct TypeClass {
  SourceRange where;
  enum class Kind { Float, Real, Integer, Number, DType } kind;
  DTypeReference dtype; ///< with Kind::DType
};

/// A static between `<` and `>`.
struct StaticParameter {
  enum class Kind { Type, Function, Constant };
  SourceRange where;
  Name name;
  Kind kind;
  std::vector<TypeClass> classes;                  ///< Type: the alternatives
  std::vector<DTypeReference> functionParameters;  ///< Function
  std::optional<DTypeReference> functionResult;    ///< Function
  std::optional<DTypeReference> constantType;      ///< Constant
  ExpressionPtr defaultValue;                      ///< may be null
};

struct FunctionParameter {
  bool over = false; ///< `over k`: an axis, no dtype
  Name name;
  std::optional<DTypeReference> dtype;
};

struct FunctionDeclaration : Declaration {
  static constexpr Kind nodeKind = Kind::Function;
  Name name;
  std::vector<StaticParameter> statics;
  std::vector<FunctionParameter> parameters;
  std::vector<DTypeReference> results;
  ExpressionPtr expression;   ///< `= e;` (a TupleExpression for several results), or
  std::optional<Block> body;  ///< `{ … return e; }`
  explicit FunctionDeclaration(SourceRange where) : Declaration(nodeKind, where) {}
};

/// `deriv softplus(x) = sigmoid(x);`
struct DerivativeDeclaration : Declaration {
  static constexpr Kind nodeKind = Kind::Derivative;
  Name name;
  std::vector<Name> parameters;
  ExpressionPtr value; ///< a TupleExpression with one element for each parameter if there are several
  explicit DerivativeDeclaration(SourceRange where) : Declaration(nodeKind, where) {}
};

/// `extern "cuda" fn hash(x: i32) -> i32 from "hash.cuh";`
struct ExternDeclaration : Declaration {
  static constexpr Kind nodeKind = Kind::Extern;
  StringLiteral language;
  Name name;
  std::vector<FunctionParameter> parameters;
  std::vector<DTypeReference> results;
  StringLiteral path;
  explicit ExternDeclaration(SourceRange where) : Declaration(nodeKind, where) {}
};

/// A dimension of a view parameter.
struct Dimension {
  SourceRange where;
  enum class Kind {
    Name,       ///< `K`: bound by its first plain occurrence, checked at every other
    Pack,       ///< `M...`
    Expression, ///< `2 * F`: checked
    Definition  ///< `P = (H - R) / stride + 1`: checked, and gives it a name
  } kind;
  std::optional<frontend::ast::Name> name; ///< all but Expression
  ExpressionPtr value;      ///< Expression and Definition
};

/// A view, an optional view, or a scalar.
struct Parameter {
  enum class Access { In, Out, InOut };
  SourceRange where;
  Name name;
  Access access = Access::In;
  DTypeReference dtype;
  bool isView = false;
  std::vector<Dimension> dimensions; ///< of a view
  bool optional = false;             ///< `?`
  ExpressionPtr defaultValue;        ///< of a scalar; may be null
};

struct KernelDeclaration : Declaration {
  static constexpr Kind nodeKind = Kind::Kernel;
  Name name;
  std::vector<StaticParameter> statics;
  std::vector<Parameter> parameters;
  SourceRange overWhere; ///< `over ( … )`
  std::vector<AxisDeclaration> grid;
  Block body;
  explicit KernelDeclaration(SourceRange where) : Declaration(nodeKind, where) {}
};

struct File {
  const Source *source = nullptr;
  std::vector<DeclarationPtr> declarations;
  std::set<std::string> unreadNames; ///< those in what could not be read: they may be declared there
};

} // namespace ast
} // namespace tilewright::frontend
