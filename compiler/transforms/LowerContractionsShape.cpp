#include "compiler/transforms/LowerContractionsShape.h"

#include "dialects/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/STLExtras.h"

namespace tilewright::contraction {

namespace arith = mlir::arith;
namespace linalg = mlir::linalg;
namespace memref = mlir::memref;

bool Operand::isContiguousAlong(unsigned dim) const {
  llvm::SmallVector<int64_t> strides;
  int64_t offset;
  if (mlir::failed(getType().getStridesAndOffset(strides, offset)))
    return false;
  const auto *position = llvm::find(dims, dim);
  return position != dims.end() && llvm::count(dims, dim) == 1 && strides[position - dims.begin()] == 1;
}

namespace {

// --------------------------------------------------------------------------------------------------------------------
// The body
// --------------------------------------------------------------------------------------------------------------------

struct Body {
  mlir::Value lhs, rhs, sum;
};

std::optional<std::pair<mlir::Value, mlir::Value>> productOf(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  if (!mlir::isa_and_nonnull<arith::MulFOp, arith::MulIOp>(op))
    return std::nullopt;
  return std::pair(op->getOperand(0), op->getOperand(1));
}

/// yield(lhs * rhs + sum), in any spelling.
std::optional<Body> matchBody(mlir::Block &block) {
  mlir::Operation *yield = block.getTerminator();
  mlir::Operation *root = yield->getNumOperands() == 1 ? yield->getOperand(0).getDefiningOp() : nullptr;
  if (auto fma = mlir::dyn_cast_or_null<mlir::math::FmaOp>(root))
    return Body{fma.getA(), fma.getB(), fma.getC()};
  if (!mlir::isa_and_nonnull<arith::AddFOp, arith::AddIOp>(root))
    return std::nullopt;
  for (unsigned i : {0u, 1u})
    if (auto product = productOf(root->getOperand(i)))
      return Body{product->first, product->second, root->getOperand(1 - i)};
  return std::nullopt;
}

bool isConversion(mlir::Operation *op) {
  return mlir::isa_and_nonnull<tile::CastOp, arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
                               arith::SIToFPOp, arith::UIToFPOp>(op);
}

llvm::SmallVector<unsigned> dimsOf(mlir::AffineMap map) {
  llvm::SmallVector<unsigned> dims;
  for (mlir::AffineExpr expr : map.getResults())
    dims.push_back(mlir::cast<mlir::AffineDimExpr>(expr).getPosition());
  return dims;
}

/// The memref behind a factor of the product, through conversions.
std::optional<Operand> findOperand(linalg::GenericOp op, mlir::Value factor) {
  Operand operand;
  while (mlir::Operation *definition = factor.getDefiningOp()) {
    if (!isConversion(definition))
      return std::nullopt;
    operand.conversions.insert(operand.conversions.begin(), definition);
    factor = definition->getOperand(0);
  }
  auto argument = mlir::cast<mlir::BlockArgument>(factor);
  if (argument.getOwner() != op.getBody() || argument.getArgNumber() >= op.getNumDpsInputs())
    return std::nullopt;
  mlir::OpOperand *input = op.getDpsInputOperand(argument.getArgNumber());
  operand.memref = input->get();
  operand.dims = dimsOf(op.getMatchingIndexingMap(input));
  return operand;
}

// --------------------------------------------------------------------------------------------------------------------
// Extents
// --------------------------------------------------------------------------------------------------------------------

/// A constant that an extent never exceeds: extents of spans are min(capacity, what is left).
int64_t upperBound(mlir::Value extent) {
  if (std::optional<int64_t> constant = mlir::getConstantIntValue(extent))
    return *constant;
  mlir::Operation *op = extent.getDefiningOp();
  if (auto cast = mlir::dyn_cast_or_null<arith::IndexCastOp>(op))
    return upperBound(cast.getIn());
  if (!mlir::isa_and_nonnull<arith::MinSIOp, arith::MinUIOp>(op))
    return unknown;
  int64_t a = upperBound(op->getOperand(0)), b = upperBound(op->getOperand(1));
  return a == unknown ? b : b == unknown ? a : std::min(a, b);
}

/// The buffer that a memref is the first part of, if it has a static shape.
mlir::Value staticRoot(mlir::Value value) {
  while (auto part = value.getDefiningOp<memref::SubViewOp>()) {
    auto areAll = [](mlir::ArrayRef<mlir::OpFoldResult> values, int64_t expected) {
      return llvm::all_of(values, [&](mlir::OpFoldResult v) { return mlir::getConstantIntValue(v) == expected; });
    };
    if (!areAll(part.getMixedOffsets(), 0) || !areAll(part.getMixedStrides(), 1) ||
        part.getType().getRank() != part.getSourceType().getRank())
      return {};
    value = part.getSource();
  }
  auto type = mlir::cast<mlir::MemRefType>(value.getType());
  return type.hasStaticShape() && type.getLayout().isIdentity() ? value : mlir::Value();
}

/// Finds each loop dimension's extent and capacity from some operand that it indexes.
void findExtents(Contraction &contraction) {
  linalg::GenericOp op = contraction.op;
  mlir::OpBuilder builder(op);
  unsigned loops = op.getNumLoops();
  contraction.extents.assign(loops, {});
  contraction.capacities.assign(loops, unknown);
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    mlir::Value root = staticRoot(operand.get());
    for (auto [position, dim] : llvm::enumerate(dimsOf(op.getMatchingIndexingMap(&operand)))) {
      if (!contraction.extents[dim])
        contraction.extents[dim] = builder.createOrFold<memref::DimOp>(op.getLoc(), operand.get(), position);
      int64_t &capacity = contraction.capacities[dim];
      if (capacity == unknown)
        capacity = upperBound(contraction.extents[dim]);
      if (root && capacity == unknown)
        capacity = mlir::cast<mlir::MemRefType>(root.getType()).getDimSize(position);
    }
  }
  // A column or row block may be written whole where the accumulator's buffer has room for it.
  for (auto [position, dim] : llvm::enumerate(contraction.out.dims))
    contraction.capacities[dim] = contraction.out.getType().getDimSize(position);
}

// --------------------------------------------------------------------------------------------------------------------
// Kinds of dimensions
// --------------------------------------------------------------------------------------------------------------------

/// Takes the dimension with the largest capacity out of a list; an unknown one counts as large.
unsigned takeLargest(llvm::SmallVectorImpl<unsigned> &dims, llvm::ArrayRef<int64_t> capacities, const Operand &preferred) {
  auto size = [&](unsigned dim) {
    int64_t capacity = capacities[dim] == unknown ? std::numeric_limits<int64_t>::max() : capacities[dim];
    return std::pair(capacity, preferred.isContiguousAlong(dim));
  };
  auto *largest = llvm::max_element(dims, [&](unsigned a, unsigned b) { return size(a) < size(b); });
  unsigned dim = *largest;
  dims.erase(largest);
  return dim;
}

/// Sorts the loop dimensions by who is indexed by them. False if one fits no kind.
bool classify(Contraction &contraction) {
  for (auto [index, kind] : llvm::enumerate(contraction.op.getIteratorTypesArray())) {
    unsigned dim = static_cast<unsigned>(index);
    bool inRows = llvm::is_contained(contraction.rows.dims, dim), inColumns = llvm::is_contained(contraction.columns.dims, dim);
    if (kind == mlir::utils::IteratorType::reduction)
      contraction.outerSums.push_back(dim);
    else if (inRows && inColumns)
      contraction.batch.push_back(dim);
    else if (inRows)
      contraction.outerRows.push_back(dim);
    else if (inColumns)
      contraction.outerColumns.push_back(dim);
    else
      return false;
  }
  return true;
}

} // namespace

std::optional<Contraction> findContraction(linalg::GenericOp op, std::string &whyNot) {
  auto refuse = [&](const char *reason) {
    whyNot = reason;
    return std::nullopt;
  };
  std::optional<Body> body = matchBody(*op.getBody());
  if (!body || op.getNumDpsInits() != 1 || body->sum != op.getBody()->getArguments().back())
    return refuse("the body is not lhs * rhs + accumulator");
  auto isPlain = [](mlir::AffineMap map) { return map.isProjectedPermutation(); };
  if (!llvm::all_of(op.getIndexingMapsArray(), isPlain))
    return refuse("an operand is not indexed by loop dimensions alone");
  std::optional<Operand> lhs = findOperand(op, body->lhs), rhs = findOperand(op, body->rhs);
  if (!lhs || !rhs)
    return refuse("a factor is not an operand's element, converted");

  mlir::OpOperand *init = op.getDpsInitOperand(0);
  Contraction contraction{.op = op, .rows = *lhs, .columns = *rhs, .row = 0, .column = 0, .sum = 0};
  contraction.out = {staticRoot(init->get()), dimsOf(op.getMatchingIndexingMap(init)), {}};
  if (!contraction.out.memref)
    return refuse("the accumulator is not the first part of a buffer of static shape");
  contraction.element = contraction.out.getType().getElementType();
  if (contraction.out.dims.size() < 2)
    return refuse("it is a product of vectors, or of a matrix and a vector");

  // The accumulator's innermost dimension is the columns': exchange the factors if it is the left one's.
  unsigned innermost = contraction.out.dims.back();
  if (llvm::is_contained(contraction.rows.dims, innermost))
    std::swap(contraction.rows, contraction.columns);
  if (!classify(contraction))
    return refuse("an axis of the result is in neither factor");
  auto *column = llvm::find(contraction.outerColumns, innermost);
  if (column == contraction.outerColumns.end())
    return refuse("the accumulator's innermost axis is in both factors");
  if (contraction.outerRows.empty() || contraction.outerSums.empty())
    return refuse("it is a product of a matrix and a vector");
  findExtents(contraction);
  contraction.outerColumns.erase(column);
  contraction.column = innermost;
  contraction.row = takeLargest(contraction.outerRows, contraction.capacities, contraction.rows);
  contraction.sum = takeLargest(contraction.outerSums, contraction.capacities, contraction.columns);
  return contraction;
}

// --------------------------------------------------------------------------------------------------------------------
// Block sizes
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// The sum is cut at this depth: a panel of 32 f32 columns then has the size of an L1 cache.
constexpr int64_t largestDepth = 256;
/// All panels of rows together: half of an L2 cache.
constexpr int64_t largestRowPanels = 512 << 10;

/// The number of rows: a divisor of the capacity if one is near the best number.
int64_t chooseRows(int64_t capacity, llvm::ArrayRef<int64_t> candidates) {
  for (int64_t rows : candidates)
    if (capacity != unknown && capacity % rows == 0)
      return rows;
  return candidates.front();
}

/// By number of vectors in a row, best first: enough accumulators to hide the latency of fma, few enough for the registers.
llvm::ArrayRef<int64_t> rowCandidates(unsigned vectorBits, int64_t vectors) {
  static constexpr int64_t wide1[] = {16, 12, 14, 10, 8, 20}, wide2[] = {8, 12, 10, 9, 11, 7, 6}, wide3[] = {8, 6, 7, 5};
  static constexpr int64_t narrow1[] = {8, 12, 10, 9, 7, 6}, narrow2[] = {6, 4, 5}, narrow3[] = {4, 3};
  using Candidates = llvm::ArrayRef<int64_t>;
  if (vectorBits >= 512)
    return vectors == 1 ? Candidates(wide1) : vectors == 2 ? Candidates(wide2) : Candidates(wide3);
  return vectors == 1 ? Candidates(narrow1) : vectors == 2 ? Candidates(narrow2) : Candidates(narrow3);
}

} // namespace

std::optional<Blocking> chooseBlocking(const Contraction &contraction, unsigned vectorBits, std::string &whyNot) {
  int64_t rows = contraction.capacities[contraction.row], columns = contraction.capacities[contraction.column];
  int64_t depth = contraction.capacities[contraction.sum];
  if (rows < 4 || columns < 4 || (depth != unknown && depth < 8)) {
    whyNot = "blocks of " + std::to_string(rows) + " x " + std::to_string(columns) + " x " + std::to_string(depth) +
             " are too small to be packed";
    return std::nullopt;
  }
  Blocking blocking{};
  blocking.lanes = vectorBits / contraction.element.getIntOrFloatBitWidth();
  while (blocking.lanes > columns)
    blocking.lanes /= 2;
  int64_t vectors = columns < 2 * blocking.lanes || columns % (2 * blocking.lanes) == blocking.lanes ? 1 : 2;
  if (columns % (3 * blocking.lanes) == 0 && columns % (2 * blocking.lanes) != 0)
    vectors = 3;
  blocking.columns = vectors * blocking.lanes;
  blocking.rows = std::min(rows, chooseRows(rows, rowCandidates(vectorBits, vectors)));
  blocking.depth = depth == unknown ? largestDepth : std::min(depth, largestDepth);
  int64_t allRows = rows, bytes = contraction.element.getIntOrFloatBitWidth() / 8;
  for (unsigned dim : contraction.outerRows)
    allRows *= contraction.capacities[dim];
  while (blocking.depth > 32 && allRows * blocking.depth * bytes > largestRowPanels)
    blocking.depth /= 2;
  return blocking;
}

} // namespace tilewright::contraction
