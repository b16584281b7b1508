// The pieces of a register-blocked product: packing panels, and the micro-kernel.
#pragma once

#include "compiler/transforms/ArithExpr.h"
#include "compiler/transforms/LowerContractionsShape.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::contraction {

/// A place in the iteration space: an index for each loop dimension that is known so far.
using Point = llvm::SmallVector<mlir::Value>;

/// Index arithmetic and loops at one place of the program.
class Code {
public:
  Code(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  Expr index(int64_t value) { return wrap(mlir::arith::ConstantIndexOp::create(builder, loc, value)); }
  Expr wrap(mlir::Value value) { return {builder, loc, value}; }

  /// for (i = 0; i < end; i += step) body(i)
  void forEach(mlir::Value end, int64_t step, llvm::function_ref<void(Expr)> body);
  /// A loop for each of the dimensions, which binds it in `point`.
  void forEach(llvm::ArrayRef<unsigned> dims, const Contraction &contraction, Point &point, llvm::function_ref<void()> body);
  void ifElse(mlir::Value condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// The part of the sum that is being added: `length` of it from `start`.
struct Depth {
  Expr start, length;
};

/// Copies an operand's elements, converted to the accumulator's type, so that the micro-kernel reads them in order.
class Packer {
public:
  Packer(Code &code, const Contraction &contraction, const Blocking &blocking, Operand operand, unsigned free);

  /// Where a panel goes.
  struct Panel {
    mlir::Value memref;
    llvm::SmallVector<mlir::Value> prefix; ///< the first indices
    bool isDepthMajor;                     ///< then [depth][lane], else [lane][depth]
  };
  /// `width` positions of the free dimension from `first`, over the whole depth. Positions beyond the extent repeat the last
  /// one: their results are never seen.
  void pack(const Panel &panel, Point point, Expr first, int64_t width, Depth depth);

  bool isContiguousAlongFree() const { return alongFree; }

private:
  void packVectorsAlongFree(const Panel &panel, Point &point, Expr first, int64_t width, Depth depth);
  void packTransposed(const Panel &panel, Point &point, Expr first, int64_t width, Depth depth);
  void packRows(const Panel &panel, Point &point, Expr first, int64_t width, Depth depth);
  void packScalars(const Panel &panel, Point &point, Expr first, int64_t width, Depth depth);
  /// Calls body(k) for vectors of `lanes` that cover the depth; the last one may overlap its predecessor.
  void forEachVector(Depth depth, llvm::function_ref<void(Expr)> body);

  Expr clampedFree(Expr position);
  llvm::SmallVector<mlir::Value> operandIndices(const Point &point) const;
  Expr convert(mlir::Value element);
  Expr loadVector(const Point &point);
  void store(const Panel &panel, Expr depth, Expr lane, Expr value);

  Code &code;
  const Contraction &contraction;
  const Blocking &blocking;
  Operand operand; ///< with its contiguous dimension last
  unsigned free;
  bool alongFree, alongSum;
};

/// Square transposition in registers by log2(n) rounds of two-operand shuffles.
llvm::SmallVector<Expr> transpose(llvm::SmallVector<Expr> rows);

/// out[row ..., column ...] += panel of rows * panel of columns, one block of registers.
void emitMicroKernel(Code &code, const Contraction &contraction, const Blocking &blocking, const Packer::Panel &rows,
                     mlir::Value columns, const Point &point, Expr firstRow, Expr firstColumn, Expr depth);

} // namespace tilewright::contraction
