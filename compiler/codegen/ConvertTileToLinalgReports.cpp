// What a kernel has to say it says by the function in slot 0 (tw_cpu_report in compiler_c.h).

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

void emitReport(Emitter &emitter, int64_t message, ValueRange values, Value slots) {
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
static Value isTrueEverywhere(Emitter &emitter, Value condition) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  if (!tile::isTile(condition.getType()))
    return emitter.scalar(condition);
  Buffer result = emitter.allocate(builder.getI1Type());
  memref::StoreOp::create(builder, identity(emitter, tile::Reduction::And, builder.getI8Type()), result.memref);
  Axes axes(tile::axesOf(condition.getType()));
  emitGeneric(emitter, axes, axes, condition, NestOutput{result.memref, {}},
              [&](Point &point, ValueRange old) -> SmallVector<Value> {
                Value element = toStorage(builder, builder.getLoc(), point.at(condition), builder.getI8Type());
                return {combine(emitter, tile::Reduction::And, old.front(), element)};
              });
  Point nowhere(emitter, [](StringAttr) { return Value(); });
  return loadElement(emitter, result, nowhere);
}

static Value negated(Emitter &emitter, Value condition) {
  return arith::XOrIOp::create(emitter.builder, condition, emitter.constant(emitter.builder.getBoolAttr(true)));
}

/// Reports the first element where the condition is false. There is one.
static void emitFailure(Emitter &emitter, tile::AssertOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  int64_t count = std::max<int64_t>(1, static_cast<int64_t>(op.getValues().size()));
  Value slots = emitter.allocateOnStack(builder.getI64Type(), count);
  auto report = [&](Point &point) {
    emitReport(emitter, static_cast<int64_t>(op.getMessage()), point.at(op.getValues()), slots);
  };
  if (op.getSpans().empty())
    return emitLoops(emitter, {}, report);
  Value isDone = emitter.allocateOnStack(builder.getI1Type(), 1);
  Value no = emitter.constant(builder.getBoolAttr(false)), yes = emitter.constant(builder.getBoolAttr(true));
  LLVM::StoreOp::create(builder, no, isDone);
  emitLoops(emitter, axesOfSpans(op.getSpans()), [&](Point &point) {
    Value isTrue = point.at(op.getCondition());
    Value isOther = arith::OrIOp::create(builder, isTrue, LLVM::LoadOp::create(builder, builder.getI1Type(), isDone));
    auto branch = scf::IfOp::create(builder, negated(emitter, isOther), /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    report(point);
    LLVM::StoreOp::create(builder, yes, isDone);
  });
}

void emitAssert(Emitter &emitter, tile::AssertOp op) {
  if (!emitter.kernel.getChecked())
    return;
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value isFalse = negated(emitter, isTrueEverywhere(emitter, op.getCondition()));
  auto branch = scf::IfOp::create(builder, isFalse, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitFailure(emitter, op);
}

} // namespace tilewright::cpu
