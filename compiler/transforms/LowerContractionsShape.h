// What a product marked `tilewright.dot` multiplies, and whether the register-blocked path may take it.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace tilewright::contraction {

constexpr int64_t unknown = -1;

/// One side of the product. `dims[i]` is the loop dimension that indexes dimension i of the memref.
struct Operand {
  mlir::Value memref;
  llvm::SmallVector<unsigned> dims;
  llvm::SmallVector<mlir::Operation *> conversions; ///< from the element to the accumulator's type, first one first

  mlir::MemRefType getType() const { return llvm::cast<mlir::MemRefType>(memref.getType()); }
  /// Whether a step along a loop dimension is a step to the next element.
  bool isContiguousAlong(unsigned dim) const;
};

/// out[row, column] += sum over k of rows[row, k] * columns[k, column], with more dimensions of each kind as loops around it.
/// Columns are the side along which the accumulator is contiguous: they fill the vectors.
struct Contraction {
  mlir::linalg::GenericOp op;
  Operand rows, columns, out; ///< out.memref is the whole buffer, of a static shape
  llvm::SmallVector<unsigned> batch, outerSums, outerRows, outerColumns;
  unsigned row, column, sum;
  llvm::SmallVector<mlir::Value> extents; ///< of each loop dimension
  llvm::SmallVector<int64_t> capacities;  ///< of each loop dimension, or `unknown`
  mlir::Type element;                     ///< of the accumulator
};

/// Whether the product has the form above; otherwise why not.
std::optional<Contraction> findContraction(mlir::linalg::GenericOp op, std::string &whyNot);

/// How the product is cut: rows x columns accumulators in registers, over at most `depth` of the sum at a time.
struct Blocking {
  int64_t rows, columns, lanes, depth;
  int64_t vectors() const { return columns / lanes; }
};

/// Whether blocking is worth it; otherwise why not.
std::optional<Blocking> chooseBlocking(const Contraction &contraction, unsigned vectorBits, std::string &whyNot);

} // namespace tilewright::contraction
