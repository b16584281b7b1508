// print and assert call the function in slot 0 (tw_cpu_report in compiler_c.h).

#include "compiler/codegen/ConvertTileToLinalgNests.h"
#include "compiler/codegen/ConvertTileToLinalgReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::cpu {

static constexpr int64_t reportSlot = 0, contextSlot = 1;

/// A value in the low bytes of a slot.
static Value toSlot(ImplicitLocOpBuilder &builder, Value value) {
  Type type = value.getType();
  if (isa<FloatType>(type))
    value = arith::BitcastOp::create(builder, builder.getIntegerType(type.getIntOrFloatBitWidth()), value);
  return builder.createOrFold<arith::ExtUIOp>(builder.getI64Type(), value);
}

static void emitReport(Emitter &emitter, int64_t message, ValueRange values, Value slots) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext()), i64 = builder.getI64Type();
  for (auto [number, value] : llvm::enumerate(values)) {
    Value address = LLVM::GEPOp::create(builder, pointer, i64, slots, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number)});
    bool isSlot = value.getType().isInteger(64);
    LLVM::StoreOp::create(builder, isSlot ? value : toSlot(builder, value), address);
  }
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()), {pointer, i64, pointer, i64});
  Value report = LLVM::IntToPtrOp::create(builder, pointer, emitter.loadSlot(reportSlot));
  Value context = LLVM::IntToPtrOp::create(builder, pointer, emitter.loadSlot(contextSlot));
  Value count = emitter.constant(static_cast<int64_t>(values.size()));
  LLVM::CallOp::create(builder, type, ValueRange{report, context, emitter.constant(message), slots, count});
}

void emitPrint(Emitter &emitter, tile::PrintOp op) {
  int64_t count = std::max<int64_t>(1, static_cast<int64_t>(op.getValues().size()));
  Value slots = emitter.allocateOnStack(emitter.builder.getI64Type(), count);
  emitLoops(emitter, axesOfSpans(op.getSpans()),
            [&](Point &point) { emitReport(emitter, static_cast<int64_t>(op.getMessage()), point.at(op.getValues()), slots); });
}

/// Whether all existing elements of a condition are true.
static Value isTrueEverywhere(Emitter &emitter, tile::AssertOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  if (!tile::isTile(op.getCondition().getType()))
    return emitter.scalar(op.getCondition());
  Buffer result = emitter.allocate(builder.getI1Type());
  memref::StoreOp::create(builder, identity(emitter, tile::Reduction::And, builder.getI8Type()), result.memref);
  Axes axes = axesOfSpans(op.getSpans());
  emitGeneric(emitter, axes, axes, op.getCondition(), NestOutput{result.memref, {}},
              [&](Point &point, ValueRange old) -> SmallVector<Value> {
                Value element = toStorage(builder, builder.getLoc(), point.at(op.getCondition()), builder.getI8Type());
                return {combine(emitter, tile::Reduction::And, old.front(), element)};
              });
  Point nowhere(emitter, [](StringAttr) { return Value(); });
  return loadElement(emitter, result, nowhere);
}

void emitAssert(Emitter &emitter, tile::AssertOp op) {
  if (!emitter.kernel.getChecked())
    return;
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value slots = emitter.allocateOnStack(builder.getI64Type(), 1);
  Value isFalse = arith::XOrIOp::create(builder, isTrueEverywhere(emitter, op), emitter.constant(builder.getBoolAttr(true)));
  auto branch = scf::IfOp::create(builder, isFalse, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitReport(emitter, static_cast<int64_t>(op.getMessage()), {}, slots);
}

} // namespace tilewright::cpu
