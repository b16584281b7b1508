// Instructions of NVIDIA's GPUs in formulas: they are of scalars, formulas of scalars or vectors.
#pragma once

#include "compiler/transforms/ArithExpr.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace tilewright {

/// What `compute` makes of each element of the operands.
Expr forEachElement(mlir::Type resultElement, llvm::ArrayRef<Expr> operands,
                    llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>)> compute);

/// An intrinsic of LLVM on each element of the operands.
Expr callNvidia(llvm::StringRef intrinsic, mlir::Type resultElement, llvm::ArrayRef<Expr> operands);

/// An intrinsic of LLVM on scalars.
mlir::Value callIntrinsic(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef intrinsic, mlir::Type result,
                          mlir::ValueRange operands);

} // namespace tilewright
