#include "compiler/frontend/AffineIndex.h"

#include "compiler/frontend/ConstantFolding.h"
#include "compiler/frontend/Numbers.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace tilewright::frontend {

using Kind = IndexValue::Kind;
using typed::Op;

// --------------------------------------------------------------------------------------------------------------------
// Values
// --------------------------------------------------------------------------------------------------------------------

/// Deeper values are of no use to anyone, and everything here recurses.
static constexpr unsigned deepest = 500;

static void describe(IndexValue &value) {
  bool isUnknown = value.kind == Kind::Unknown || value.kind == Kind::Carried;
  value.hasData =
      value.kind == Kind::Load || value.kind == Kind::ArgReduce || (isUnknown && value.origin == BoundOrigin::Memory);
  value.hasPartition = value.axis && value.axis->partitionOf;
  value.isClosed = !value.axis && !value.hasData && !isUnknown && value.kind != Kind::Union;
  for (const IndexValue *operand : value.operands) {
    value.hasData |= operand->hasData;
    value.hasPartition |= operand->hasPartition;
    value.isClosed &= operand->isClosed;
    value.depth = std::max(value.depth, operand->depth + 1);
  }
}

const IndexValue *IndexValues::make(IndexValue value) {
  describe(value);
  if (value.depth > deepest)
    return unknown(value.dtype, value.hasData ? BoundOrigin::Memory : BoundOrigin::Operation, value.operands.front());
  const void *symbolOrView = value.symbol ? static_cast<const void *>(value.symbol) : value.view;
  const void *axisOrScalar = value.axis ? static_cast<const void *>(value.axis) : value.scalar;
  Key key{value.kind,     value.dtype,  value.integer, std::bit_cast<uint64_t>(value.real),
          value.name,     symbolOrView, axisOrScalar,  value.op,
          value.operands, value.origin, value.identity};
  auto [position, isNew] = known.try_emplace(std::move(key), nullptr);
  if (isNew)
    position->second = &values.emplace_back(std::move(value));
  return position->second;
}

const IndexValue *IndexValues::integer(int64_t value, DType dtype) {
  IndexValue made{Kind::Integer, dtype};
  made.integer = value;
  return make(std::move(made));
}

const IndexValue *IndexValues::dimension(const std::string &name) {
  IndexValue made{Kind::Dimension};
  made.name = name;
  return make(std::move(made));
}

const IndexValue *IndexValues::ofAxis(Kind kind, const typed::Axis *axis) {
  IndexValue made{kind};
  made.axis = axis;
  return make(std::move(made));
}

const IndexValue *IndexValues::unknown(DType dtype, BoundOrigin origin, const void *identity, const typed::Symbol *symbol) {
  IndexValue made{Kind::Unknown, dtype};
  made.origin = origin;
  made.identity = identity;
  made.symbol = symbol;
  return make(std::move(made));
}

const IndexValue *IndexValues::convert(const IndexValue *value, DType dtype) {
  bool integers = isInteger(value->dtype) && isInteger(dtype);
  if (value->dtype == dtype || (integers && convertsImplicitly(value->dtype, dtype)))
    return value;
  if (value->kind == Kind::Integer && isInteger(dtype))
    return integer(wrapInteger(value->integer, dtype), dtype);
  IndexValue made{Kind::Convert, dtype};
  made.operands = {value};
  return make(std::move(made));
}

const IndexValue *IndexValues::either(const IndexValue *a, const IndexValue *b) {
  if (a == b)
    return a;
  IndexValue made{Kind::Union, a->dtype};
  made.operands = {a, b};
  return make(std::move(made));
}

namespace {

std::optional<WideInteger> foldBinary(Op op, int64_t a, int64_t b) {
  switch (op) {
  case Op::Add:
    return WideInteger{a} + b;
  case Op::Subtract:
    return WideInteger{a} - b;
  case Op::Multiply:
    return WideInteger{a} * b;
  case Op::Divide:
    return floorDivide(a, b);
  case Op::Remainder:
    return floorRemainder(a, b);
  case Op::Max:
    return std::max(a, b);
  case Op::Min:
    return std::min(a, b);
  case Op::And:
    return a & b;
  case Op::Or:
    return a | b;
  case Op::Xor:
    return a ^ b;
  default:
    std::optional<bool> result = compare(op, a, b);
    return result ? std::optional<WideInteger>(*result) : std::nullopt;
  }
}

std::optional<WideInteger> foldUnary(Op op, DType dtype, int64_t a) {
  switch (op) {
  case Op::Negate:
    return -WideInteger{a};
  case Op::Absolute:
    return a < 0 ? -WideInteger{a} : WideInteger{a};
  case Op::Not:
    return dtype == DType::Bool ? WideInteger{!a} : WideInteger{~a};
  default:
    return std::nullopt;
  }
}

bool allIntegers(const std::vector<const IndexValue *> &operands) {
  return std::all_of(operands.begin(), operands.end(),
                     [](const IndexValue *operand) { return operand->kind == Kind::Integer; });
}

std::optional<WideInteger> foldIntegers(Op op, DType dtype, const std::vector<const IndexValue *> &operands) {
  if (!allIntegers(operands))
    return std::nullopt;
  if (operands.size() == 1)
    return foldUnary(op, dtype, operands[0]->integer);
  if (operands.size() == 2)
    return foldBinary(op, operands[0]->integer, operands[1]->integer);
  return std::nullopt;
}

/// `a + 0`, `a * 1`, `where(true, a, b)`, …: the operand that is the result, or null.
const IndexValue *neutralOperand(Op op, const std::vector<const IndexValue *> &operands) {
  if (op == Op::Select)
    return operands[0]->kind == Kind::Integer ? operands[operands[0]->integer ? 1 : 2]
           : operands[1] == operands[2]       ? operands[1]
                                              : nullptr;
  if (operands.size() != 2)
    return nullptr;
  const IndexValue *a = operands[0], *b = operands[1];
  bool sum = op == Op::Add || op == Op::Subtract;
  bool product = op == Op::Multiply || op == Op::Divide;
  if ((sum && b->isInteger(0)) || (product && b->isInteger(1)) || ((op == Op::Max || op == Op::Min) && a == b))
    return a;
  if ((op == Op::Add && a->isInteger(0)) || (op == Op::Multiply && a->isInteger(1)))
    return b;
  return nullptr;
}

} // namespace

const IndexValue *IndexValues::operation(Op op, DType dtype, std::vector<const IndexValue *> operands) {
  bool wraps = isInteger(dtype) && dtype != DType::I64;
  if (isInteger(dtype) || dtype == DType::Bool) {
    if (std::optional<WideInteger> folded = foldIntegers(op, dtype, operands))
      return integer(dtype == DType::Bool ? *folded != 0 : wrapInteger(*folded, dtype), dtype);
    if (const IndexValue *operand = neutralOperand(op, operands))
      return operand;
  }
  IndexValue made{Kind::Operation, wraps ? DType::I64 : dtype};
  made.op = op;
  made.operands = std::move(operands);
  const IndexValue *exact = make(std::move(made));
  bool mayLeave = op != Op::Max && op != Op::Min && op != Op::Select && op != Op::Remainder;
  return wraps && mayLeave ? convert(exact, dtype) : exact;
}

bool standsFor(const typed::Axis *mentioned, const typed::Axis *axis) {
  return mentioned && (mentioned == axis || standsFor(mentioned->parent, axis) || standsFor(mentioned->partitionOf, axis));
}

static bool dependsOnAxis(const IndexValue *value, const typed::Axis *axis, std::set<const IndexValue *> &seen) {
  // What a loop or an atomic left behind (Unknown) may differ from pass to pass.
  if (standsFor(value->axis, axis) || value->kind == Kind::Unknown)
    return true;
  return std::any_of(value->operands.begin(), value->operands.end(), [&](const IndexValue *operand) {
    return seen.insert(operand).second && dependsOnAxis(operand, axis, seen);
  });
}

bool dependsOnAxis(const IndexValue *value, const typed::Axis *axis) {
  std::set<const IndexValue *> seen;
  return dependsOnAxis(value, axis, seen);
}

// --------------------------------------------------------------------------------------------------------------------
// Polynomials
// --------------------------------------------------------------------------------------------------------------------

Polynomial::Polynomial(int64_t constant) {
  if (constant != 0)
    factors[{}] = constant;
}

Polynomial Polynomial::atom(const IndexValue *value) {
  Polynomial made;
  made.factors[{value}] = 1;
  return made;
}

std::optional<int64_t> Polynomial::constant() const {
  if (factors.empty())
    return 0;
  if (factors.size() == 1 && factors.begin()->first.empty())
    return factors.begin()->second;
  return std::nullopt;
}

std::set<const IndexValue *> Polynomial::atoms() const {
  std::set<const IndexValue *> found;
  for (const auto &[monomial, factor] : factors)
    found.insert(monomial.begin(), monomial.end());
  return found;
}

namespace {

using Factors = std::map<Polynomial::Monomial, int64_t>;

/// Adds factor · scale to a term; false if that leaves 64 bits.
bool accumulate(int64_t &into, int64_t factor, int64_t scale) {
  int64_t product = 0;
  return !__builtin_mul_overflow(factor, scale, &product) && !__builtin_add_overflow(into, product, &into);
}

std::optional<Factors> weightedSum(const Factors &a, const Factors &b, int64_t scale) {
  Factors total = a;
  for (const auto &[monomial, factor] : b)
    if (!accumulate(total[monomial], factor, scale))
      return std::nullopt;
  std::erase_if(total, [](const auto &term) { return term.second == 0; });
  return total;
}

/// More terms, or longer ones, than any index has.
constexpr size_t mostTerms = 64, mostAtoms = 8;

std::optional<Polynomial> fromFactors(std::optional<Factors> factors) {
  bool isOfUse = factors && factors->size() <= mostTerms &&
                 std::all_of(factors->begin(), factors->end(), [](const auto &term) { return term.first.size() <= mostAtoms; });
  return isOfUse ? std::optional(Polynomial(std::move(*factors))) : std::nullopt;
}

} // namespace

std::optional<Polynomial> operator+(const Polynomial &a, const Polynomial &b) {
  return fromFactors(weightedSum(a.factors, b.factors, 1));
}

std::optional<Polynomial> operator-(const Polynomial &a, const Polynomial &b) {
  return fromFactors(weightedSum(a.factors, b.factors, -1));
}

std::optional<Polynomial> operator*(const Polynomial &a, const Polynomial &b) {
  Factors made;
  for (const auto &[left, leftFactor] : a.factors)
    for (const auto &[right, rightFactor] : b.factors) {
      Polynomial::Monomial monomial;
      std::merge(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(monomial));
      if (!accumulate(made[monomial], leftFactor, rightFactor))
        return std::nullopt;
    }
  std::erase_if(made, [](const auto &term) { return term.second == 0; });
  return fromFactors(std::move(made));
}

namespace {

std::string closedText(const IndexValue *value);

std::string nameOf(const IndexValue *atom) {
  switch (atom->kind) {
  case Kind::Dimension:
    return atom->name;
  case Kind::Scalar:
    return atom->scalar->name;
  case Kind::Operation:
    if (atom->op == Op::Divide || atom->op == Op::Remainder)
      return "(" + closedText(atom->operands[0]) + (atom->op == Op::Divide ? " / " : " % ") + closedText(atom->operands[1]) +
             ")";
    return "(…)";
  default:
    return "(…)";
  }
}

std::string closedText(const IndexValue *value) {
  return value->kind == Kind::Integer ? std::to_string(value->integer) : nameOf(value);
}

/// `2*N` without its sign.
std::string termText(const Polynomial::Monomial &monomial, uint64_t magnitude) {
  std::vector<std::string> names;
  for (const IndexValue *atom : monomial)
    names.push_back(nameOf(atom));
  std::sort(names.begin(), names.end());
  std::string text = magnitude != 1 || names.empty() ? std::to_string(magnitude) : "";
  for (const std::string &name : names)
    text += (text.empty() ? "" : "*") + name;
  return text;
}

} // namespace

std::string toString(const Polynomial &polynomial) {
  std::vector<std::pair<std::string, bool>> parts; // the constant comes last
  for (const auto &[monomial, factor] : polynomial.terms()) {
    uint64_t magnitude = factor < 0 ? 0 - static_cast<uint64_t>(factor) : static_cast<uint64_t>(factor);
    parts.emplace_back(termText(monomial, magnitude), factor < 0);
  }
  std::sort(parts.begin(), parts.end(), [](const auto &a, const auto &b) {
    bool aIsNumber = a.first.find_first_not_of("0123456789") == std::string::npos;
    bool bIsNumber = b.first.find_first_not_of("0123456789") == std::string::npos;
    return std::tuple(aIsNumber, a.second, a.first) < std::tuple(bIsNumber, b.second, b.first);
  });
  std::string text;
  for (const auto &[part, isNegative] : parts)
    text += text.empty() ? (isNegative ? "-" : "") + part : (isNegative ? " - " : " + ") + part;
  return text.empty() ? "0" : text;
}

// --------------------------------------------------------------------------------------------------------------------
// Sums of axes
// --------------------------------------------------------------------------------------------------------------------

const AffineTerm *AffineIndex::termOf(const typed::Axis *axis) const {
  for (const AffineTerm &term : terms)
    if (term.axis == axis)
      return &term;
  return nullptr;
}

namespace {

/// a + scale · b. Two terms of one axis become one; an index and a piece number of one axis do not add.
std::optional<AffineIndex> addScaled(AffineIndex a, const AffineIndex &b, const Polynomial &scale) {
  auto addTo = [&scale](Polynomial &into, const Polynomial &amount) {
    std::optional<Polynomial> product = amount * scale;
    std::optional<Polynomial> total = product ? into + *product : std::nullopt;
    if (total)
      into = std::move(*total);
    return total.has_value();
  };
  if (!addTo(a.constant, b.constant))
    return std::nullopt;
  for (const AffineTerm &term : b.terms) {
    auto same = std::find_if(a.terms.begin(), a.terms.end(), [&](const AffineTerm &other) { return other.axis == term.axis; });
    if (same == a.terms.end())
      same = a.terms.insert(a.terms.end(), {term.axis, Polynomial(), term.ofPieces});
    if (same->ofPieces != term.ofPieces || !addTo(same->coefficient, term.coefficient))
      return std::nullopt;
  }
  std::erase_if(a.terms, [](const AffineTerm &term) { return term.coefficient.isZero(); });
  return a;
}

std::optional<AffineIndex> product(const AffineIndex &a, const AffineIndex &b) {
  if (a.terms.empty())
    return addScaled({}, b, a.constant);
  if (b.terms.empty())
    return addScaled({}, a, b.constant);
  return std::nullopt;
}

/// `k.start / 128` where k starts at a multiple of 128 and its pieces have 128 indices: the number of the piece.
std::optional<AffineIndex> pieceNumber(const IndexValue *value, const KernelIndices &indices) {
  const IndexValue *start = value->operands[0], *size = value->operands[1];
  if (start->kind != Kind::Start || size->kind != Kind::Integer || start->axis->capacity != size->integer)
    return std::nullopt;
  const AxisRange &range = indices.ranges.at(start->axis);
  if (range.low->kind != Kind::Integer || size->integer <= 0 || range.low->integer % size->integer != 0)
    return std::nullopt;
  return AffineIndex{Polynomial(), {{start->axis, Polynomial(1), /*ofPieces=*/true}}};
}

std::optional<AffineIndex> affineOperation(const IndexValue *value, const KernelIndices &indices) {
  if (value->op == Op::Divide)
    return pieceNumber(value, indices);
  if (value->op != Op::Add && value->op != Op::Subtract && value->op != Op::Multiply && value->op != Op::Negate)
    return std::nullopt;
  std::optional<AffineIndex> first = affine(value->operands[0], indices);
  if (!first || value->op == Op::Negate)
    return first ? addScaled({}, *first, Polynomial(-1)) : std::nullopt;
  std::optional<AffineIndex> second = affine(value->operands[1], indices);
  if (!second)
    return std::nullopt;
  return value->op == Op::Multiply ? product(*first, *second)
                                   : addScaled(std::move(*first), *second, Polynomial(value->op == Op::Add ? 1 : -1));
}

} // namespace

static std::optional<AffineIndex> findSum(const IndexValue *value, const KernelIndices &indices) {
  if (value->kind == Kind::Integer)
    return AffineIndex{Polynomial(value->integer), {}};
  if (value->kind == Kind::Axis)
    return AffineIndex{Polynomial(), {{value->axis, Polynomial(1)}}};
  if (value->kind == Kind::Operation)
    if (std::optional<AffineIndex> sum = affineOperation(value, indices))
      return sum;
  if (!isInteger(value->dtype) || !value->isClosed)
    return std::nullopt;
  return AffineIndex{Polynomial::atom(value), {}};
}

const std::optional<AffineIndex> &affine(const IndexValue *value, const KernelIndices &indices) {
  auto known = indices.sums.find(value);
  return known != indices.sums.end() ? known->second : indices.sums.emplace(value, findSum(value, indices)).first->second;
}

// --------------------------------------------------------------------------------------------------------------------
// Bounds
// --------------------------------------------------------------------------------------------------------------------

Interval IndexBounds::interval(const IndexValue *value) {
  // The entry stands while the value is computed, so that a range that leads back to itself ends there.
  auto [position, isNew] = computed.try_emplace(value, Interval::of(value->dtype, BoundOrigin::Loop));
  if (isNew)
    position->second = compute(value);
  return computed.at(value);
}

Interval IndexBounds::compute(const IndexValue *value) {
  switch (value->kind) {
  case Kind::Integer:
    return Interval::point(value->integer);
  case Kind::Dimension:
    return Interval::extent();
  case Kind::Real:
  case Kind::Scalar:
    return Interval::of(value->dtype, BoundOrigin::Launch);
  case Kind::Axis:
  case Kind::ArgReduce:
  case Kind::Start:
  case Kind::End: {
    const AxisRange &range = indices.ranges.at(value->axis);
    Interval all = frontend::indices(interval(range.low), interval(range.high));
    return value->kind == Kind::End ? add(all, Interval::point(1)) : all;
  }
  case Kind::Operation:
    return computeOperation(value);
  case Kind::Convert: {
    const IndexValue *operand = value->operands[0];
    if (isInteger(operand->dtype) || operand->dtype == DType::Bool)
      return convert(interval(operand), value->dtype);
    return Interval::of(value->dtype, std::max(interval(operand).worstOrigin(), BoundOrigin::Launch));
  }
  case Kind::Union:
    return unite(interval(value->operands[0]), interval(value->operands[1]));
  case Kind::Load:
    return Interval::of(value->dtype, BoundOrigin::Memory);
  case Kind::Unknown:
  case Kind::Carried:
    return Interval::of(value->dtype, value->origin);
  }
  return Interval::of(value->dtype, BoundOrigin::Operation);
}

Interval IndexBounds::computeOperation(const IndexValue *value) {
  if (!isInteger(value->dtype)) {
    BoundOrigin worst = BoundOrigin::Launch;
    for (const IndexValue *operand : value->operands)
      worst = std::max(worst, interval(operand).worstOrigin());
    return Interval::of(value->dtype, worst);
  }
  auto operand = [&](size_t number) { return interval(value->operands[number]); };
  switch (value->op) {
  case Op::Add:
    return add(operand(0), operand(1));
  case Op::Subtract:
    return subtract(operand(0), operand(1));
  case Op::Multiply:
    return multiply(operand(0), operand(1));
  case Op::Divide:
    return divide(operand(0), operand(1));
  case Op::Remainder:
    return remainder(operand(0), operand(1));
  case Op::Negate:
    return negate(operand(0));
  case Op::Absolute:
    return absolute(operand(0));
  case Op::Max:
    return maximum(operand(0), operand(1));
  case Op::Min:
    return minimum(operand(0), operand(1));
  case Op::Select:
    return unite(operand(1), operand(2));
  default:
    return Interval::of(value->dtype, BoundOrigin::Operation);
  }
}

std::optional<Polynomial> IndexBounds::axisBound(const typed::Axis *axis, Side side) {
  const AxisRange &range = indices.ranges.at(axis);
  if (side == Side::Low)
    return findBound(range.low, Side::Low);
  std::optional<Polynomial> end = findBound(range.high, Side::High);
  return end ? *end - Polynomial(1) : std::nullopt;
}

std::optional<Polynomial> IndexBounds::length(const typed::Axis *axis) {
  steps = stepLimit;
  std::optional<Polynomial> low = axisBound(axis, Side::Low), last = axisBound(axis, Side::High);
  std::optional<Polynomial> reach = low && last ? *last - *low : std::nullopt;
  return reach ? *reach + Polynomial(1) : std::nullopt;
}

std::optional<Polynomial> IndexBounds::boundOfSum(const AffineIndex &sum, Side side, bool mustAttain) {
  std::optional<Polynomial> total = sum.constant;
  for (const AffineTerm &term : sum.terms) {
    const AxisRange &range = indices.ranges.at(term.axis);
    bool isExact = range.low->isClosed && range.high->isClosed;
    bool rises = isNonNegative(term.coefficient);
    std::optional<Polynomial> falling = Polynomial() - term.coefficient;
    if (term.ofPieces || (mustAttain && !isExact) || (!rises && !(falling && isNonNegative(*falling))))
      return std::nullopt;
    std::optional<Polynomial> extreme = axisBound(term.axis, rises == (side == Side::High) ? Side::High : Side::Low);
    std::optional<Polynomial> amount = extreme ? *extreme * term.coefficient : std::nullopt;
    total = total && amount ? *total + *amount : std::nullopt;
    if (!total)
      return std::nullopt;
  }
  return total;
}

std::optional<Polynomial> IndexBounds::bound(const IndexValue *value, Side side) {
  steps = stepLimit;
  return findBound(value, side);
}

std::optional<Polynomial> IndexBounds::findBound(const IndexValue *value, Side side) {
  if (steps == 0)
    return std::nullopt;
  --steps;
  if (std::optional<AffineIndex> sum = affine(value, indices))
    return boundOfSum(*sum, side, /*mustAttain=*/false);
  if (value->kind == Kind::Start)
    return axisBound(value->axis, side);
  if (value->kind == Kind::End) {
    std::optional<Polynomial> last = axisBound(value->axis, side);
    return last ? *last + Polynomial(1) : std::nullopt;
  }
  bool isMin = value->kind == Kind::Operation && value->op == Op::Min;
  bool isMax = value->kind == Kind::Operation && value->op == Op::Max;
  if ((isMin && side == Side::High) || (isMax && side == Side::Low)) {
    std::optional<Polynomial> first = findBound(value->operands[0], side);
    return first ? first : findBound(value->operands[1], side);
  }
  return std::nullopt;
}

std::optional<Polynomial> IndexBounds::attained(const IndexValue *value, Side side) {
  steps = stepLimit;
  std::optional<AffineIndex> sum = affine(value, indices);
  return sum ? boundOfSum(*sum, side, /*mustAttain=*/true) : std::nullopt;
}

bool IndexBounds::isAtMost(const IndexValue *value, const Polynomial &limit) {
  steps = stepLimit;
  return proveAtMost(value, limit);
}

bool IndexBounds::proveAtMost(const IndexValue *value, const Polynomial &limit) {
  if (steps == 0)
    return false;
  --steps;
  auto operandIsAtMost = [&](size_t number) { return proveAtMost(value->operands[number], limit); };
  if (value->kind == Kind::Union || (value->kind == Kind::Operation && value->op == Op::Max))
    return operandIsAtMost(0) && operandIsAtMost(1);
  if (value->kind == Kind::Operation && value->op == Op::Select)
    return operandIsAtMost(1) && operandIsAtMost(2);
  if (value->kind == Kind::Operation && value->op == Op::Min && (operandIsAtMost(0) || operandIsAtMost(1)))
    return true;
  if (value->kind == Kind::Axis || value->kind == Kind::ArgReduce || value->kind == Kind::Start) {
    std::optional<Polynomial> end = limit + Polynomial(1);
    return end && proveAtMost(indices.ranges.at(value->axis).high, *end);
  }
  if (value->kind == Kind::End)
    return proveAtMost(indices.ranges.at(value->axis).high, limit);
  auto isBelowLimit = [&](const Polynomial &upper) {
    std::optional<Polynomial> room = limit - upper;
    return room && isNonNegative(*room);
  };
  Interval numbers = interval(value);
  if (isBelowLimit(Polynomial(numbers.high)))
    return true;
  // Polynomials do not wrap, so they speak of the value only if it does not either.
  std::optional<Polynomial> upper = numbers.low != Interval::least ? findBound(value, Side::High) : std::nullopt;
  return upper && isBelowLimit(*upper);
}

bool IndexBounds::isNonNegative(const Polynomial &polynomial, const std::set<const IndexValue *> &positive) {
  // With n = n' + 1 for every positive n, coefficients that are all ≥ 0 over atoms that are all ≥ 0 prove it.
  Polynomial shifted;
  for (const auto &[monomial, factor] : polynomial.terms()) {
    std::optional<Polynomial> term = Polynomial(factor);
    for (const IndexValue *atom : monomial) {
      std::optional<Polynomial> value = Polynomial::atom(atom) + Polynomial(positive.contains(atom) ? 1 : 0);
      term = term && value ? *term * *value : std::nullopt;
    }
    std::optional<Polynomial> total = term ? shifted + *term : std::nullopt;
    if (!total)
      return false;
    shifted = std::move(*total);
  }
  std::set<const IndexValue *> atoms = shifted.atoms();
  return std::all_of(shifted.terms().begin(), shifted.terms().end(), [](const auto &term) { return term.second >= 0; }) &&
         std::all_of(atoms.begin(), atoms.end(), [this](const IndexValue *atom) { return interval(atom).low >= 0; });
}

} // namespace tilewright::frontend
