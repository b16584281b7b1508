// What the host and the compiler know of an index: values, intervals, and sums of coefficient · axis.
//
// An index such as `h * (HQ / HK) + g` is written with names: of lets and variables, of functions that it calls. The rules of
// language §3.6 and §3.12 speak of what it *is*: a value computed from dimensions, constants, scalars and axes, and perhaps
// from memory. Three steps lead there:
//
//   1. `collectIndices` walks the kernel once, in order, and gives every access its indices as IndexValues: names replaced by
//      what they stand for at that point, calls by their results. `var n = SK; if c { n = min(len[b], SK); }` makes n
//      union(SK, min(len[b], SK)). Equal values are one object, so two places are the same if their pointers are.
//   2. `IndexBounds` encloses a value: by an Interval (numbers, for every launch), or by a Polynomial in dimensions, which is
//   how
//      `e` below `D / 2` and `e + D / 2` from there on are known to be apart whatever D is.
//   3. `affine` takes a value apart into constant + Σ coefficient · axis, with Polynomials for the constant and coefficients.
//
// Loops: a variable that a loop changes has at its head every value that some pass left behind. Where passes only choose among
// values (`where(c, t, best)`, max, min) that is the union of those and the start; otherwise it is unknown.
#pragma once

#include "compiler/frontend/Interval.h"
#include "compiler/frontend/TypedTree.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tilewright::frontend {

// --------------------------------------------------------------------------------------------------------------------
// Values
// --------------------------------------------------------------------------------------------------------------------

struct IndexValue {
  enum class Kind {
    Integer,   ///< `integer`; bool too
    Real,      ///< `real`
    Dimension, ///< the extent `name`
    Scalar,    ///< `scalar`
    Axis,      ///< any index of `axis`
    Start,     ///< the first index of a piece of `axis`
    End,       ///< one past its last
    Operation, ///< `op` of operands, exact in 64 bits for integers (narrower ones stand below a Convert)
    Convert,   ///< operands[0] cast to dtype
    Union,     ///< either of operands: a variable after an `if`
    ArgReduce, ///< an index of `axis` that depends on data (`identity`)
    Load,      ///< `view` at operands
    Unknown,   ///< anything of dtype; `origin` says why, `identity` (an expression or a statement) tells two apart
    Carried    ///< while a loop is analysed: the variable `symbol` at the head of the loop `identity`
  };
  Kind kind;
  DType dtype = DType::I64;
  int64_t integer = 0;
  double real = 0;
  std::string name;
  const typed::ScalarParameter *scalar = nullptr;
  const typed::Axis *axis = nullptr;
  const typed::View *view = nullptr;
  const typed::Symbol *symbol = nullptr;
  typed::Op op = typed::Op::Add;
  std::vector<const IndexValue *> operands;
  BoundOrigin origin = BoundOrigin::Constant;
  const void *identity = nullptr;

  // Of the value and everything in it; set by IndexValues.
  bool hasData = false;      ///< it depends on memory, so two places may coincide whatever the indices are
  bool hasPartition = false; ///< it mentions a span over a partition
  bool isClosed = false;     ///< the host can evaluate it: no axis, no data, no branch
  unsigned depth = 0;

  bool isInteger(int64_t value) const { return kind == Kind::Integer && integer == value; }
};

/// Makes values; equal ones are the same object. Folds constants, and sums and products with neutral elements. A value that is
/// nested too deeply to be followed becomes Unknown.
class IndexValues {
public:
  const IndexValue *integer(int64_t value, DType dtype = DType::I64);
  const IndexValue *dimension(const std::string &name);
  const IndexValue *ofAxis(IndexValue::Kind kind, const typed::Axis *axis);
  const IndexValue *operation(typed::Op op, DType dtype, std::vector<const IndexValue *> operands);
  const IndexValue *convert(const IndexValue *value, DType dtype);
  const IndexValue *either(const IndexValue *a, const IndexValue *b);
  const IndexValue *unknown(DType dtype, BoundOrigin origin, const void *identity, const typed::Symbol *symbol = nullptr);
  const IndexValue *make(IndexValue value); ///< any other

private:
  using Key = std::tuple<IndexValue::Kind, DType, int64_t, uint64_t, std::string, const void *, const void *, typed::Op,
                         std::vector<const IndexValue *>, BoundOrigin, const void *>;
  std::deque<IndexValue> values;
  std::map<Key, const IndexValue *> known;
};

/// Is `mentioned` the axis, a sub-span of it or a span over its partition, so that it names the axis's pass (§3.12 rule 1)?
bool standsFor(const typed::Axis *mentioned, const typed::Axis *axis);
/// Does the value change with the axis, as far as can be seen?
bool dependsOnAxis(const IndexValue *value, const typed::Axis *axis);

// --------------------------------------------------------------------------------------------------------------------
// Polynomials in dimensions
// --------------------------------------------------------------------------------------------------------------------

/// Σ factor · product of atoms, where an atom is a dimension, a scalar, or something else the host can evaluate (`HQ / HK`).
/// Arithmetic that leaves 64 bits, or grows too long to be of use, gives nothing.
class Polynomial {
public:
  using Monomial = std::vector<const IndexValue *>; ///< sorted; empty for the constant
  Polynomial() = default;
  explicit Polynomial(int64_t constant);
  explicit Polynomial(std::map<Monomial, int64_t> factors) : factors(std::move(factors)) {}
  static Polynomial atom(const IndexValue *value);

  const std::map<Monomial, int64_t> &terms() const { return factors; }
  bool isZero() const { return factors.empty(); }
  std::optional<int64_t> constant() const; ///< if there are no atoms in it
  std::set<const IndexValue *> atoms() const;

  friend std::optional<Polynomial> operator+(const Polynomial &a, const Polynomial &b);
  friend std::optional<Polynomial> operator-(const Polynomial &a, const Polynomial &b);
  friend std::optional<Polynomial> operator*(const Polynomial &a, const Polynomial &b);
  friend bool operator==(const Polynomial &, const Polynomial &) = default;

private:
  std::map<Monomial, int64_t> factors; ///< none is zero
};

std::optional<Polynomial> operator+(const Polynomial &a, const Polynomial &b);
std::optional<Polynomial> operator-(const Polynomial &a, const Polynomial &b);
std::optional<Polynomial> operator*(const Polynomial &a, const Polynomial &b);
/// `2*N + 1`, as a reader would write it.
std::string toString(const Polynomial &polynomial);

// --------------------------------------------------------------------------------------------------------------------
// Sums of axes
// --------------------------------------------------------------------------------------------------------------------

struct AffineTerm {
  const typed::Axis *axis;
  Polynomial coefficient;
  /// The term is not the index itself but the number of the axis's piece, `k.start / 128` of a span by 128.
  bool ofPieces = false;
};

struct AffineIndex {
  Polynomial constant;
  std::vector<AffineTerm> terms; ///< one for each axis; coefficients are not zero

  const AffineTerm *termOf(const typed::Axis *axis) const;
};

// --------------------------------------------------------------------------------------------------------------------
// The accesses of a kernel
// --------------------------------------------------------------------------------------------------------------------

/// One branch of an `if` on the way to an access.
struct BranchStep {
  const typed::Statement *branch;
  bool taken;
  bool operator==(const BranchStep &) const = default;
};

/// A load or a store with what its indices are worth.
struct AccessSite {
  const typed::View *view;
  const typed::Expr *load = nullptr; ///< exactly one of these two
  const typed::Statement *store = nullptr;
  std::vector<const IndexValue *> indices;
  std::vector<const typed::Axis *> inside; ///< the grid and loop variables around it, outermost first
  std::vector<BranchStep> branches;
  bool underWhile = false;

  SourceRange where() const { return load ? load->where : store->where; }
  const typed::Expr *indexExpression(size_t dimension) const {
    return load ? load->operands[dimension] : store->indices[dimension];
  }
};

struct AxisRange {
  const IndexValue *low = nullptr;
  const IndexValue *high = nullptr;
  bool operator==(const AxisRange &) const = default;
};

struct KernelIndices {
  IndexValues values;
  std::vector<AccessSite> sites;         ///< in order of execution
  std::vector<const typed::Axis *> axes; ///< in order of declaration: a range mentions earlier ones only
  std::map<const typed::Axis *, AxisRange> ranges;
  std::map<const typed::View *, std::vector<const IndexValue *>> extents;  ///< dimension by dimension
  std::map<const typed::View *, std::vector<const IndexValue *>> declared; ///< the same as written: null for a plain name
  std::vector<const IndexValue *> requirements;                            ///< of kernel.requirements, in order
  mutable std::map<const IndexValue *, std::optional<AffineIndex>> sums;   ///< what `affine` has found
};

KernelIndices collectIndices(const typed::Kernel &kernel);

/// The value as a sum of axes; nothing if it is none.
const std::optional<AffineIndex> &affine(const IndexValue *value, const KernelIndices &indices);

// --------------------------------------------------------------------------------------------------------------------
// Bounds
// --------------------------------------------------------------------------------------------------------------------

class IndexBounds {
public:
  explicit IndexBounds(const KernelIndices &indices) : indices(indices) {}

  Interval interval(const IndexValue *value);

  /// A bound of the value that holds for every launch in which the axes it mentions are not empty.
  enum class Side { Low, High };
  std::optional<Polynomial> bound(const IndexValue *value, Side side);
  /// The same, but only if some tile reaches it.
  std::optional<Polynomial> attained(const IndexValue *value, Side side);
  /// An upper bound of the number of indices of an axis.
  std::optional<Polynomial> length(const typed::Axis *axis);

  /// Certainly value ≤ limit? Follows min, max and `where` besides sums.
  bool isAtMost(const IndexValue *value, const Polynomial &limit);
  /// Certainly ≥ 0, if the dimensions in `positive` are at least 1 and all others at least 0?
  bool isNonNegative(const Polynomial &polynomial, const std::set<const IndexValue *> &positive = {});

private:
  static constexpr unsigned stepLimit = 2000;

  Interval compute(const IndexValue *value);
  Interval computeOperation(const IndexValue *value);
  std::optional<Polynomial> findBound(const IndexValue *value, Side side);
  bool proveAtMost(const IndexValue *value, const Polynomial &limit);
  std::optional<Polynomial> axisBound(const typed::Axis *axis, Side side);
  std::optional<Polynomial> boundOfSum(const AffineIndex &sum, Side side, bool mustAttain);

  const KernelIndices &indices;
  std::map<const IndexValue *, Interval> computed;
  unsigned steps = 0; ///< that polynomial bounds may still take in this query
};

} // namespace tilewright::frontend
