#include "compiler/transforms/NvidiaIntrinsics.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tilewright {

Expr forEachElement(mlir::Type resultElement, llvm::ArrayRef<Expr> operands,
                    llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>)> compute) {
  const Expr &first = operands.front();
  mlir::OpBuilder &builder = first.getBuilder();
  auto vector = mlir::dyn_cast<mlir::VectorType>(first.get().getType());
  if (!vector)
    return first.with(compute(llvm::to_vector_of<mlir::Value>(operands)));
  llvm::SmallVector<mlir::Value> results;
  for (int64_t i = 0; i < vector.getNumElements(); ++i) {
    llvm::SmallVector<mlir::Value> scalars;
    for (const Expr &operand : operands)
      scalars.push_back(mlir::vector::ExtractOp::create(builder, first.getLoc(), operand.get(), i));
    results.push_back(compute(scalars));
  }
  return first.with(
      mlir::vector::FromElementsOp::create(builder, first.getLoc(), vector.clone(resultElement), results).getResult());
}

mlir::Value callIntrinsic(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef intrinsic, mlir::Type result,
                          mlir::ValueRange operands) {
  return mlir::LLVM::CallIntrinsicOp::create(builder, loc, result, builder.getStringAttr(intrinsic), operands).getResult(0);
}

Expr callNvidia(llvm::StringRef intrinsic, mlir::Type resultElement, llvm::ArrayRef<Expr> operands) {
  mlir::OpBuilder &builder = operands.front().getBuilder();
  mlir::Location loc = operands.front().getLoc();
  return forEachElement(resultElement, operands, [&](llvm::ArrayRef<mlir::Value> scalars) {
    return callIntrinsic(builder, loc, intrinsic, resultElement, scalars);
  });
}

} // namespace tilewright
