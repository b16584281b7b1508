// A kernel after semantic analysis for one specialization: every name resolved, every conversion explicit, every tile's axes
// known, statics gone. EmitTile turns it into the tile dialect; RangeRule, PlaceRule and LaunchProgram read it.
//
// Nodes live in the TypedKernel's arena and refer to each other by plain pointers. Expressions have no effects and are trees
// (a value used twice is bound by a Let), so they may be evaluated anywhere in the scope of their symbols.
//
// What is already gone here: literals without a type, implicit conversions (Cast nodes instead), `-=` (Add of the negated value),
// clamp, mean's division, `for a, b` (nested Fors), branches decided by statics, absent views, aliases of imports.
#pragma once

#include "compiler/frontend/AST.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::frontend {

struct ExternalFile;

// --------------------------------------------------------------------------------------------------------------------
// Dtypes (DType itself is in AST.h)
// --------------------------------------------------------------------------------------------------------------------

std::string_view name(DType dtype);                    ///< "f32"
std::optional<DType> dtypeNamed(std::string_view text);
bool isFloat(DType dtype);
bool isInteger(DType dtype);                           ///< bool is not one
unsigned byteWidth(DType dtype);                       ///< in memory; bool is 1
DType arithmeticType(DType dtype);                     ///< what operands widen to: f32, f64, i32, i64 or bool
DType accumulatorType(DType dtype);                    ///< accum(T)
bool convertsImplicitly(DType from, DType to);         ///< loses nothing (true for equal types)

namespace typed {

struct Expr;
struct Statement;
struct Function;

// --------------------------------------------------------------------------------------------------------------------
// Axes and types
// --------------------------------------------------------------------------------------------------------------------

/// A variable of a grid, a `for` or `let d = span(n)`. With `by` (or span(n)) it is a *span*: an axis that tiles have, and as a
/// value the tile of its indices. Without, it is an i64 scalar that takes each index in turn.
struct Axis {
  enum class Origin { Grid, Loop, WholeSpan };
  Origin origin;
  std::string name;       ///< as written
  std::string uniqueName; ///< unique in the kernel: `i`, `i_1`
  SourceRange where;
  bool isSpan = false;
  /// The indices it runs over: i64 scalars, evaluated where it is declared.
  const Expr *low = nullptr;
  const Expr *high = nullptr;
  const Axis *parent = nullptr;          ///< sub-spans of this span (`for kk in k by 32`)
  std::string dimension;                 ///< it runs over exactly 0..N of the dimension (or `require`d equal) with this name
  std::string tunable;                   ///< `by BM`
  std::optional<int64_t> capacity;       ///< `by 128`, span(128), or the tunable's value if the specialization gives one
  /// The range is `v[e]..v[e + 1]`, consecutive entries of a view by this grid or loop variable (language §3.12 rule 1).
  const Axis *partitionOf = nullptr;
};

/// A dtype and axes. The order of axes has no meaning in the language; it is the order of the tensor in the IR: a load has its
/// view's dimension order, dot the shared axes, then its first operand's, then its second's, anything elementwise the order of
/// its operand with the most axes, followed by what the others add. No axes: a scalar.
struct TileType {
  DType dtype = DType::F32;
  std::vector<const Axis *> axes;

  bool isScalar() const { return axes.empty(); }
  bool has(const Axis *axis) const;
  friend bool operator==(const TileType &, const TileType &) = default;
};
std::string toString(const TileType &type); ///< `f32[i, j]`

// --------------------------------------------------------------------------------------------------------------------
// Parameters and symbols
// --------------------------------------------------------------------------------------------------------------------

/// One dimension of a view as declared.
struct ViewDimension {
  ast::Dimension::Kind kind;
  std::string name;            ///< all but Expression
  const Expr *value = nullptr; ///< Expression, Definition: an i64 scalar of dimensions and constants; null in an absent view
  SourceRange where;
};

struct View {
  std::string name;
  unsigned parameter = 0; ///< its position among the kernel's parameters
  ast::Parameter::Access access = ast::Parameter::Access::In;
  DType dtype = DType::F32;
  std::vector<ViewDimension> dimensions; ///< `M...` counts as one
  bool optional = false;
  /// Decided by the specialization; when a kernel is only checked an optional view is `Unknown`, and `if v` is kept.
  enum class Presence { Present, Absent, Unknown } presence = Presence::Present;
  /// A branch that the statics have decided away stores to it: it is an output, though not of this specialization.
  bool isStoredInDroppedBranch = false;
  SourceRange where;

  bool isWritten() const { return access != ast::Parameter::Access::In; }
};

struct ScalarParameter {
  std::string name;
  unsigned parameter = 0;
  DType dtype = DType::F32;
  std::optional<double> realDefault;     ///< of a float
  std::optional<int64_t> integerDefault; ///< of an integer or bool
  SourceRange where;
};

/// What a `let`, a `var` or a function's parameter names.
struct Symbol {
  enum class Kind { Let, Var, Parameter };
  Kind kind;
  std::string name;
  TileType type;
  SourceRange where;
};

// --------------------------------------------------------------------------------------------------------------------
// Expressions
// --------------------------------------------------------------------------------------------------------------------

enum class ExprKind {
  Constant,     ///< `integer` (integers, bool) or `real` (floats), by type.dtype
  Dimension,    ///< i64 scalar: the extent named `name`. Also, in a Requirement, the tunable `name` whose value is not given; and
                ///< in a kernel that is only checked, the constant static `name` whose value is not known
  Scalar,       ///< the scalar parameter `scalar`
  Presence,     ///< bool scalar: is `view` present? Only in a kernel that is checked without a specialization
  Symbol,       ///< the value of `symbol`
  AxisIndex,    ///< `axis`: the tile of a span's indices (i64[axis]), or a scalar variable's value
  AxisStart,    ///< `axis`.start, i64 scalar
  AxisEnd,      ///< `axis`.end
  Elementwise,  ///< `op` of operands of one dtype (see Op); axes align by name, missing ones repeat
  Cast,         ///< operand to type.dtype by the rules of language §3.2
  Load,         ///< `view` at `operands` (one integer expression for each dimension); `otherwise` is the else value
  Reduce,       ///< `reduction` of operands[0] over `axes`
  ArgReduce,    ///< index of the Max or Min of operands[0] over the one axis; i64
  CumulativeSum,///< of operands[0] over the one axis
  Dot,          ///< operands[0] · operands[1] over `axes`, type.dtype = accum; operands keep their memory dtypes
  Fold,         ///< reduce(callee, operands…, over axis): the state is one value for each operand
  Scan,         ///< scan(callee, operands…, over axis)
  Call,         ///< callee(operands…)
  RandomBits    ///< operands[0] seed (i64 scalar), operands[1] index tile (i64); i32: Philox word, language §3.15
};

/// Elementwise operations. Comparisons give bool; Select takes (bool, T, T); And Or Not also serve bool; the rest keep the dtype.
/// Arithmetic dtypes are f32 f64 i32 i64, except that Select, Max and Min may keep a memory dtype.
enum class Op {
  Add, Subtract, Multiply,
  Divide,    ///< floats: IEEE; integers: rounds down, x / 0 = 0
  Remainder, ///< sign of the divisor, x % 0 = 0
  Negate, Absolute,
  Max, Min, ///< NaN propagates
  And, Or, Xor, Not, ShiftLeft, ShiftRight, ///< shift counts are taken modulo the width; ShiftRight is arithmetic
  Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual,
  Select, FusedMultiplyAdd,
  Floor, Ceil, Round, Power, Exp, Exp2, Log, Log2, Log1p, SquareRoot, ReciprocalSquareRoot,
  Sin, Cos, Tanh, Erf, Sigmoid
};

enum class Reduction { Sum, Max, Min, Any, All };
enum class Precision { Default, Fast, TF32, TF32x3 };

struct Expr {
  ExprKind kind;
  TileType type; ///< of result 0
  SourceRange where;
  std::vector<const Expr *> operands;

  int64_t integer = 0;
  double real = 0;
  std::string name;
  const Axis *axis = nullptr;
  std::vector<const Axis *> axes;
  const Symbol *symbol = nullptr;
  const ScalarParameter *scalar = nullptr;
  const View *view = nullptr;
  const Expr *otherwise = nullptr;
  Op op = Op::Add;
  Reduction reduction = Reduction::Sum;
  Precision precision = Precision::Default;
  const Function *callee = nullptr;
  /// Call, Fold, Scan: the types of all results (one for most).
  std::vector<TileType> resultTypes;

  /// Load: for each index, whether the device must compare it with the extent (only with `otherwise`; set by RangeRule, which may
  /// find an index in range although the author wrote `else`).
  mutable std::vector<bool> compare;
};

// --------------------------------------------------------------------------------------------------------------------
// Statements
// --------------------------------------------------------------------------------------------------------------------

using Block = std::vector<const Statement *>;

enum class StatementKind {
  Let,    ///< `symbols` = `value` (several symbols: a Call, Fold or Scan with as many results)
  Var,    ///< declares symbols[0], starting from `value` (repeated along the axes that the symbol's type adds); a `let` with a
          ///< type that adds axes is one, too
  Assign, ///< symbols[0] = `value`; the whole new value (for `n += e` an Elementwise of the symbol and e)
  Store,  ///< `view`[`indices`] `store`= `value`
  For,    ///< for `axis` `body`
  While,  ///< while { `condition`; `value` } `body`
  If,     ///< if `value` `body` else `elseBody`; `value` is a bool scalar
  Print,  ///< `message` of texts and values
  Assert  ///< `value` (bool, any axes) must hold; checked mode only
};

enum class StoreKind { Set, Add, Max, Min };

/// A piece of a print: a text, or a value with its expression.
struct PrintPart {
  std::string text;
  const Expr *value = nullptr;
};

struct Statement {
  StatementKind kind;
  SourceRange where;
  std::vector<const Symbol *> symbols;
  const Expr *value = nullptr;

  // Assign: which assignment it was written as (`+=` is Add), for recognizing reductions.
  ast::AssignOperator assignment = ast::AssignOperator::Set;

  // Store. `value` has the view's dtype for Set and its accumulator dtype otherwise, and may have fewer axes than the place.
  const View *view = nullptr;
  std::vector<const Expr *> indices;
  std::vector<const Axis *> placeAxes; ///< the union of the indices' axes, in the order of the view's dimensions
  StoreKind store = StoreKind::Set;
  bool dropOutside = false; ///< `else drop`
  bool atomic = false;
  const Symbol *fetched = nullptr; ///< `let old = atomic …`
  mutable std::vector<bool> compare; ///< as in a Load; only with dropOutside
  /// Set by PlaceRule: several tiles of the grid add to one element, so partial sums and a final combination are needed.
  mutable bool sharedByTiles = false;
  /// Set by PlaceRule: uniqueness is the author's promise (places or partitions from memory); checked mode verifies it.
  mutable bool promisedUnique = false;

  // For, While, If
  const Axis *axis = nullptr;
  Block condition; ///< While: statements that its condition needs
  Block body;
  Block elseBody;

  std::vector<PrintPart> parts; ///< Print, Assert (its texts)
};

/// `extern "cuda" fn hash(x: i32) -> i32 from "hash.cuh";`
struct External {
  SourceRange declared; ///< the name in the declaration; another declaration has another one
  std::string path;
  SourceRange pathWhere;
  const ExternalFile *file = nullptr; ///< null: it was not found
  std::vector<DType> parameters, results;
};

/// A function for one choice of argument types (axes included): a pure body and its results.
struct Function {
  std::string name; ///< `gelu`, `deriv(gelu)`
  std::vector<const Symbol *> parameters;
  Block body; ///< Let, Var, Assign, For only
  std::vector<const Expr *> results; ///< none in an external or opaque one: a Call's resultTypes tell what it gives
  SourceRange where;
  std::optional<External> external; ///< no body
  bool opaque = false; ///< a function static that is not bound, while a kernel is only checked
};

// --------------------------------------------------------------------------------------------------------------------
// The kernel
// --------------------------------------------------------------------------------------------------------------------

/// A grid variable and what must be computed before its range (calls of functions in it).
struct GridLevel {
  Block prelude;
  const Axis *axis = nullptr;
};

/// `require c, "text";` on dimensions, scalars, constants and tunables: decided at launch, or when tunables are chosen.
struct Requirement {
  const Expr *condition = nullptr;
  std::string text;
  SourceRange where;
  bool onTunables = false;
};

/// A name after `by` that nothing declares.
struct Tunable {
  std::string name;
  SourceRange where;
  std::vector<int64_t> allowed; ///< `tune`; empty: any
  std::optional<int64_t> value; ///< given by the specialization
};

struct Kernel {
  std::string name;
  SourceRange where;
  std::vector<std::unique_ptr<View>> views;
  std::vector<std::unique_ptr<ScalarParameter>> scalars;
  std::vector<std::string> dimensions;        ///< run-time extents in order of first binding (constants are not among them)
  std::map<std::string, int64_t> constants;   ///< i64 statics with their values, dimensions in `<…>` included
  std::map<std::string, std::string> statics; ///< every static as text: `T` → `f32`, `act` → `gelu`
  std::vector<std::unique_ptr<Tunable>> tunables;
  std::vector<GridLevel> grid;
  Block body;
  std::vector<Requirement> requirements;
  bool checkedMode = false;

  // The arena.
  std::deque<Axis> axes;
  std::deque<Symbol> symbols;
  std::deque<Expr> expressions;
  std::deque<Statement> statements;
  std::deque<Function> functions;

  const View *findView(std::string_view viewName) const;
};

/// A readable, stable dump (for tests and `--emit ast` of a specialized kernel).
std::string print(const Kernel &kernel);

} // namespace typed
} // namespace tilewright::frontend
