#include "compiler/transforms/LowerContractionsBlocks.h"

#include "compiler/transforms/CastFormulas.h"

#include "dialects/Tile/Tile.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tilewright::contraction {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

// --------------------------------------------------------------------------------------------------------------------
// Loops
// --------------------------------------------------------------------------------------------------------------------

void Code::forEach(mlir::Value end, int64_t step, llvm::function_ref<void(Expr)> body) {
  auto loop = scf::ForOp::create(builder, loc, index(0), end, index(step));
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(wrap(loop.getInductionVar()));
}

void Code::forEach(llvm::ArrayRef<unsigned> dims, const Contraction &contraction, Point &point,
                   llvm::function_ref<void()> body) {
  if (dims.empty())
    return body();
  forEach(contraction.extents[dims.front()], 1, [&](Expr i) {
    point[dims.front()] = i;
    forEach(dims.drop_front(), contraction, point, body);
  });
}

void Code::ifElse(mlir::Value condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  then();
  builder.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

// --------------------------------------------------------------------------------------------------------------------
// Panels
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// The same memory with one dimension moved to the end, where vector.load wants the contiguous one.
Operand withLast(Code &code, Operand operand, unsigned dim) {
  auto *position = llvm::find(operand.dims, dim);
  auto index = static_cast<unsigned>(position - operand.dims.begin());
  if (index + 1 == operand.dims.size())
    return operand;
  llvm::SmallVector<unsigned> order;
  for (unsigned i = 0; i < operand.dims.size(); ++i)
    if (i != index)
      order.push_back(i);
  order.push_back(index);
  auto map = mlir::AffineMapAttr::get(mlir::AffineMap::getPermutationMap(order, code.builder.getContext()));
  operand.memref = memref::TransposeOp::create(code.builder, code.loc, operand.memref, map);
  operand.dims.erase(position);
  operand.dims.push_back(dim);
  return operand;
}

} // namespace

Packer::Packer(Code &code, const Contraction &contraction, const Blocking &blocking, Operand operand, unsigned free)
    : code(code), contraction(contraction), blocking(blocking), operand(std::move(operand)), free(free) {
  alongFree = this->operand.isContiguousAlong(free);
  alongSum = !alongFree && this->operand.isContiguousAlong(contraction.sum);
  if (alongFree || alongSum)
    this->operand = withLast(code, this->operand, alongFree ? free : contraction.sum);
}

void Packer::pack(const Panel &panel, Point point, Expr first, int64_t width, Depth depth) {
  if (alongFree && panel.isDepthMajor) {
    Expr isWhole = first + width <= code.wrap(contraction.extents[free]);
    return code.ifElse(
        isWhole, [&] { packVectorsAlongFree(panel, point, first, width, depth); },
        [&] { packScalars(panel, point, first, width, depth); });
  }
  if (!alongSum)
    return packScalars(panel, point, first, width, depth);
  code.ifElse(
      depth.length >= blocking.lanes,
      [&] {
        if (panel.isDepthMajor)
          packTransposed(panel, point, first, width, depth);
        else
          packRows(panel, point, first, width, depth);
      },
      [&] { packScalars(panel, point, first, width, depth); });
}

void Packer::packVectorsAlongFree(const Panel &panel, Point &point, Expr first, int64_t width, Depth depth) {
  int64_t lanes = std::min(width, blocking.lanes);
  code.forEach(depth.length, 1, [&](Expr k) {
    point[contraction.sum] = depth.start + k;
    int64_t lane = 0;
    for (; lane + lanes <= width; lane += lanes) {
      point[free] = first + lane;
      auto type = mlir::VectorType::get({lanes}, operand.getType().getElementType());
      mlir::Value loaded = vector::LoadOp::create(code.builder, code.loc, type, operand.memref, operandIndices(point));
      store(panel, k, code.index(lane), convert(loaded));
    }
    for (; lane < width; ++lane) {
      point[free] = first + lane;
      mlir::Value loaded = memref::LoadOp::create(code.builder, code.loc, operand.memref, operandIndices(point));
      store(panel, k, code.index(lane), convert(loaded));
    }
  });
}

void Packer::packTransposed(const Panel &panel, Point &point, Expr first, int64_t width, Depth depth) {
  llvm::SmallVector<Expr> positions;
  for (int64_t lane = 0; lane < width; ++lane)
    positions.push_back(clampedFree(first + lane));
  forEachVector(depth, [&](Expr k) {
    point[contraction.sum] = depth.start + k;
    for (int64_t group = 0; group < width; group += blocking.lanes) {
      llvm::SmallVector<Expr> rows;
      for (int64_t lane = 0; lane < blocking.lanes; ++lane) {
        point[free] = positions[group + lane];
        rows.push_back(loadVector(point));
      }
      for (auto [i, column] : llvm::enumerate(transpose(rows)))
        store(panel, k + int64_t(i), code.index(group), column);
    }
  });
}

void Packer::packRows(const Panel &panel, Point &point, Expr first, int64_t width, Depth depth) {
  code.forEach(code.index(width), 1, [&](Expr lane) {
    point[free] = clampedFree(first + lane);
    forEachVector(depth, [&](Expr k) {
      point[contraction.sum] = depth.start + k;
      store(panel, k, lane, loadVector(point));
    });
  });
}

void Packer::packScalars(const Panel &panel, Point &point, Expr first, int64_t width, Depth depth) {
  code.forEach(depth.length, 1, [&](Expr k) {
    point[contraction.sum] = depth.start + k;
    code.forEach(code.index(width), 1, [&](Expr lane) {
      point[free] = clampedFree(first + lane);
      mlir::Value loaded = memref::LoadOp::create(code.builder, code.loc, operand.memref, operandIndices(point));
      store(panel, k, lane, convert(loaded));
    });
  });
}

void Packer::forEachVector(Depth depth, llvm::function_ref<void(Expr)> body) {
  Expr last = depth.length - blocking.lanes;
  code.forEach(depth.length, blocking.lanes, [&](Expr k) { body(minimum(k, last)); });
}

Expr Packer::clampedFree(Expr position) {
  return minimum(position, code.wrap(contraction.extents[free]) - 1);
}

llvm::SmallVector<mlir::Value> Packer::operandIndices(const Point &point) const {
  return llvm::map_to_vector(operand.dims, [&](unsigned dim) { return point[dim]; });
}

Expr Packer::convert(mlir::Value element) {
  Expr value = code.wrap(element);
  for (mlir::Operation *op : operand.conversions) {
    mlir::Type type = op->getResult(0).getType();
    bool sourceUnsigned = mlir::isa<arith::ExtUIOp, arith::UIToFPOp>(op), resultUnsigned = false;
    if (auto cast = mlir::dyn_cast<tile::CastOp>(op))
      sourceUnsigned = cast.getSourceUnsigned(), resultUnsigned = cast.getResultUnsigned();
    // f16 is left to expand-casts, which knows the processor.
    value = castTo(value, type, NativeCasts{.f16 = true}, sourceUnsigned, resultUnsigned);
  }
  return value;
}

Expr Packer::loadVector(const Point &point) {
  auto type = mlir::VectorType::get({blocking.lanes}, operand.getType().getElementType());
  return convert(vector::LoadOp::create(code.builder, code.loc, type, operand.memref, operandIndices(point)));
}

void Packer::store(const Panel &panel, Expr depth, Expr lane, Expr value) {
  llvm::SmallVector<mlir::Value> indices = panel.prefix;
  indices.push_back(panel.isDepthMajor ? depth : lane);
  indices.push_back(panel.isDepthMajor ? lane : depth);
  if (mlir::isa<mlir::VectorType>(value.get().getType()))
    vector::StoreOp::create(code.builder, code.loc, value, panel.memref, indices);
  else
    memref::StoreOp::create(code.builder, code.loc, value, panel.memref, indices);
}

llvm::SmallVector<Expr> transpose(llvm::SmallVector<Expr> rows) {
  auto count = static_cast<int64_t>(rows.size());
  // In each round, pairs of rows at a distance exchange their off-diagonal blocks of that size.
  for (int64_t distance = count / 2; distance >= 1; distance /= 2) {
    llvm::SmallVector<int64_t> upper, lower;
    for (int64_t lane = 0; lane < count; ++lane) {
      bool isSecond = lane & distance;
      upper.push_back(isSecond ? count + lane - distance : lane);
      lower.push_back(isSecond ? count + lane : lane + distance);
    }
    for (int64_t row = 0; row < count; ++row) {
      if (row & distance)
        continue;
      Expr a = rows[row], b = rows[row + distance];
      rows[row] = a.emit<vector::ShuffleOp>(a.get(), b.get(), upper);
      rows[row + distance] = a.emit<vector::ShuffleOp>(a.get(), b.get(), lower);
    }
  }
  return rows;
}

// --------------------------------------------------------------------------------------------------------------------
// The micro-kernel
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// A block of the accumulator, in memory: the indices of its (row, column).
struct Block {
  mlir::Value memref;
  llvm::function_ref<llvm::SmallVector<mlir::Value>(Expr row, Expr column)> indices;
};

Expr multiplyAdd(Expr a, Expr b, Expr c) {
  return a.isFloat() ? mulAdd(a, b, c) : a * b + c;
}

class MicroKernel {
public:
  MicroKernel(Code &code, const Blocking &blocking, mlir::Type element, const Packer::Panel &rows, mlir::Value columns)
      : code(code), blocking(blocking), type(mlir::VectorType::get({blocking.lanes}, element)), rows(rows), columns(columns) {}

  void run(const Block &block, Expr depth) {
    llvm::SmallVector<mlir::Value> sums;
    forEachVector([&](int64_t row, int64_t column) {
      auto indices = block.indices(code.index(row), code.index(column));
      sums.push_back(vector::LoadOp::create(code.builder, code.loc, type, block.memref, indices));
    });
    auto loop = scf::ForOp::create(code.builder, code.loc, code.index(0), depth, code.index(1), sums,
                                   [&](mlir::OpBuilder &nested, mlir::Location, mlir::Value k, mlir::ValueRange carried) {
                                     mlir::OpBuilder::InsertionGuard guard(code.builder);
                                     code.builder.setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
                                     scf::YieldOp::create(code.builder, code.loc, step(code.wrap(k), carried));
                                   });
    unsigned next = 0;
    forEachVector([&](int64_t row, int64_t column) {
      auto indices = block.indices(code.index(row), code.index(column));
      vector::StoreOp::create(code.builder, code.loc, loop.getResult(next++), block.memref, indices);
    });
  }

private:
  void forEachVector(llvm::function_ref<void(int64_t row, int64_t column)> body) {
    for (int64_t row = 0; row < blocking.rows; ++row)
      for (int64_t column = 0; column < blocking.columns; column += blocking.lanes)
        body(row, column);
  }

  llvm::SmallVector<mlir::Value> step(Expr k, mlir::ValueRange sums) {
    llvm::SmallVector<Expr> right;
    for (int64_t column = 0; column < blocking.columns; column += blocking.lanes) {
      llvm::SmallVector<mlir::Value> indices{k, code.index(column)};
      right.push_back(code.wrap(vector::LoadOp::create(code.builder, code.loc, type, columns, indices)));
    }
    llvm::SmallVector<mlir::Value> next;
    for (int64_t row = 0; row < blocking.rows; ++row) {
      Expr left = broadcastRow(k, code.index(row));
      for (const Expr &factor : right)
        next.push_back(multiplyAdd(left, factor, code.wrap(sums[next.size()])));
    }
    return next;
  }

  Expr broadcastRow(Expr k, Expr row) {
    llvm::SmallVector<mlir::Value> indices = rows.prefix;
    indices.push_back(rows.isDepthMajor ? k : row);
    indices.push_back(rows.isDepthMajor ? row : k);
    mlir::Value scalar = memref::LoadOp::create(code.builder, code.loc, rows.memref, indices);
    return code.wrap(vector::BroadcastOp::create(code.builder, code.loc, type, scalar));
  }

  Code &code;
  const Blocking &blocking;
  mlir::VectorType type;
  const Packer::Panel &rows;
  mlir::Value columns;
};

} // namespace

void emitMicroKernel(Code &code, const Contraction &contraction, const Blocking &blocking, const Packer::Panel &rows,
                     mlir::Value columns, const Point &point, Expr firstRow, Expr firstColumn, Expr depth) {
  MicroKernel kernel(code, blocking, contraction.element, rows, columns);
  auto place = [&](Expr row, Expr column) {
    return llvm::map_to_vector(contraction.out.dims, [&](unsigned dim) -> mlir::Value {
      if (dim == contraction.row)
        return firstRow + row;
      return dim == contraction.column ? (firstColumn + column).get() : point[dim];
    });
  };
  bool alwaysFits = contraction.capacities[contraction.row] % blocking.rows == 0 &&
                    contraction.capacities[contraction.column] % blocking.columns == 0;
  if (alwaysFits)
    return kernel.run({contraction.out.memref, place}, depth);

  // The last blocks may stick out of the buffer: they are computed in a block of their own, and what exists is copied.
  Expr rowsLeft = code.wrap(contraction.extents[contraction.row]) - firstRow;
  Expr columnsLeft = code.wrap(contraction.extents[contraction.column]) - firstColumn;
  Expr fits = (rowsLeft >= blocking.rows) & (columnsLeft >= blocking.columns);
  auto copyExisting = [&](llvm::function_ref<void(Expr, Expr)> copy) {
    code.forEach(minimum(rowsLeft, code.index(blocking.rows)), 1, [&](Expr row) {
      code.forEach(minimum(columnsLeft, code.index(blocking.columns)), 1, [&](Expr column) { copy(row, column); });
    });
  };
  auto runApart = [&] {
    mlir::OpBuilder &builder = code.builder;
    auto type = mlir::MemRefType::get({blocking.rows, blocking.columns}, contraction.element);
    mlir::Value block = memref::AllocOp::create(builder, code.loc, type);
    copyExisting([&](Expr row, Expr column) {
      mlir::Value sum = memref::LoadOp::create(builder, code.loc, contraction.out.memref, place(row, column));
      memref::StoreOp::create(builder, code.loc, sum, block, mlir::ValueRange{row, column});
    });
    kernel.run({block, [](Expr row, Expr column) { return llvm::SmallVector<mlir::Value>{row, column}; }}, depth);
    copyExisting([&](Expr row, Expr column) {
      mlir::Value sum = memref::LoadOp::create(builder, code.loc, block, mlir::ValueRange{row, column});
      memref::StoreOp::create(builder, code.loc, sum, contraction.out.memref, place(row, column));
    });
  };
  code.ifElse(fits, [&] { kernel.run({contraction.out.memref, place}, depth); }, runApart);
}

} // namespace tilewright::contraction
