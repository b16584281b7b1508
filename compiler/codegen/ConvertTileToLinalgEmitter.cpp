#include "compiler/codegen/ConvertTileToLinalgEmitter.h"

#include "compiler/analysis/LinearForm.h"
#include "compiler/codegen/ConvertTileToLinalgPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::cpu {

Emitter::Emitter(tile::KernelOp kernel, func::FuncOp function, const SumPlan &sums, Settings settings)
    : kernel(kernel), function(function), sums(sums), settings(settings), builder(kernel.getLoc(), function.getContext()) {
  builder.setInsertionPointToStart(&function.getBody().front());
  bindArguments();
}

// --------------------------------------------------------------------------------------------------------------------
// Arithmetic
// --------------------------------------------------------------------------------------------------------------------

Value Emitter::constant(TypedAttr value) {
  Value &known = constants[value];
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  return known = arith::ConstantOp::create(builder, value);
}

Value Emitter::constant(int64_t value) {
  return constant(builder.getI64IntegerAttr(value));
}
Value Emitter::constantIndex(int64_t value) {
  return constant(builder.getIndexAttr(value));
}
Value Emitter::add(Value lhs, Value rhs) {
  return builder.createOrFold<arith::AddIOp>(lhs, rhs);
}
Value Emitter::sub(Value lhs, Value rhs) {
  return builder.createOrFold<arith::SubIOp>(lhs, rhs);
}
Value Emitter::mul(Value lhs, Value rhs) {
  return builder.createOrFold<arith::MulIOp>(lhs, rhs);
}
Value Emitter::min(Value lhs, Value rhs) {
  return builder.createOrFold<arith::MinSIOp>(lhs, rhs);
}
Value Emitter::max(Value lhs, Value rhs) {
  return builder.createOrFold<arith::MaxSIOp>(lhs, rhs);
}
Value Emitter::toIndex(Value value) {
  return builder.createOrFold<arith::IndexCastOp>(builder.getIndexType(), value);
}
Value Emitter::fromIndex(Value value) {
  return builder.createOrFold<arith::IndexCastOp>(builder.getI64Type(), value);
}

Value Emitter::ceilDiv(Value low, Value high, int64_t step) {
  Value length = sub(max(high, low), low); // high - low may wrap where the range is empty
  if (step == 1)
    return length;
  return builder.createOrFold<arith::DivUIOp>(add(length, constant(step - 1)), constant(step));
}

Value Emitter::asIndexValue(OpFoldResult value) {
  auto attribute = dyn_cast<Attribute>(value);
  return attribute ? constantIndex(cast<IntegerAttr>(attribute).getInt()) : cast<Value>(value);
}

// --------------------------------------------------------------------------------------------------------------------
// Arguments (compiler_c.h has the slots)
// --------------------------------------------------------------------------------------------------------------------

static constexpr int64_t firstParameterSlot = 4;

Value Emitter::loadSlot(int64_t slot) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value address = LLVM::GEPOp::create(builder, pointer, builder.getI64Type(), argumentSlots(),
                                      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(slot)});
  return LLVM::LoadOp::create(builder, builder.getI64Type(), address);
}

Value Emitter::memoryAt(Value address, Type element) {
  MLIRContext *context = builder.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context), i64 = builder.getI64Type(), one = LLVM::LLVMArrayType::get(i64, 1);
  Value base = LLVM::IntToPtrOp::create(builder, pointer, address);
  Value descriptor =
      LLVM::PoisonOp::create(builder, LLVM::LLVMStructType::getLiteral(context, {pointer, pointer, i64, one, one}));
  auto insert = [&](Value value, ArrayRef<int64_t> position) {
    descriptor = LLVM::InsertValueOp::create(builder, descriptor, value, position);
  };
  insert(base, {0});
  insert(base, {1});
  insert(constant(0), {2});
  insert(constant(std::numeric_limits<int64_t>::max()), {3, 0});
  insert(constant(1), {4, 0});
  auto type = MemRefType::get({ShapedType::kDynamic}, element);
  return UnrealizedConversionCastOp::create(builder, type, descriptor).getResult(0);
}

View Emitter::bindView(tile::ViewType type, int64_t &slot) {
  int64_t split = splitDimension(type), memoryRank = type.getRank() + type.getPackRank() - 1;
  View view{nullptr, {}, {}, unitDimension(type), split, type.getPackRank(), type.getElement()};
  view.flat = memoryAt(loadSlot(slot++), type.getElement());
  for (int64_t dimension = 0; dimension < memoryRank; ++dimension)
    view.extents.push_back(loadSlot(slot++));
  for (int64_t dimension = 0; dimension < memoryRank; ++dimension)
    view.strides.push_back(loadSlot(slot++));
  if (type.getUnitStride() >= 0) // worth more as a constant
    view.strides[view.lastMemoryDimension(type.getUnitStride())] = constant(1);
  return view;
}

Value Emitter::bindScalar(Type type, int64_t slot) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value address = LLVM::GEPOp::create(builder, pointer, builder.getI64Type(), argumentSlots(),
                                      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(slot)});
  Type stored = type.isInteger(1) ? builder.getI8Type() : type;
  bool isSmallFloat = isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8; // the LLVM dialect has no such type
  if (isSmallFloat)
    stored = builder.getI8Type();
  Value value = LLVM::LoadOp::create(builder, stored, address);
  if (isSmallFloat)
    return arith::BitcastOp::create(builder, type, value);
  return fromStorage(builder, builder.getLoc(), value, type);
}

void Emitter::bindArguments() {
  int64_t slot = firstParameterSlot;
  for (BlockArgument argument : kernel.getBlock().getArguments()) {
    if (auto type = dyn_cast<tile::ViewType>(argument.getType()))
      views[argument] = bindView(type, slot);
    else
      setScalar(argument, bindScalar(argument.getType(), slot++));
  }
}

Value Emitter::allocateOnStack(Type element, int64_t count) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  Value size = arith::ConstantOp::create(builder, builder.getI64IntegerAttr(count)); // constants stand after this place
  return LLVM::AllocaOp::create(builder, LLVM::LLVMPointerType::get(builder.getContext()), element, size);
}

// --------------------------------------------------------------------------------------------------------------------
// Spans and buffers
// --------------------------------------------------------------------------------------------------------------------

void Emitter::setVariable(Value variable, Value first, Value end) {
  auto span = dyn_cast<tile::SpanType>(variable.getType());
  if (!span)
    return setScalar(variable, first);
  Value length = min(sub(end, first), constant(span.getCapacity()));
  axes[span.getAxis()] = Axis{first, toIndex(length), span.getCapacity()};
}

Type storageOf(Value tile) {
  Type element = getElementTypeOrSelf(tile.getType());
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  bool isNarrowFloat = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  return isNarrowFloat && tile.getDefiningOp<tile::ReduceOp>() ? Type(Float32Type::get(element.getContext())) : element;
}

Value toStorage(OpBuilder &builder, Location location, Value element, Type storage) {
  if (element.getType() == storage)
    return element;
  if (element.getType().isInteger(1))
    return arith::ExtUIOp::create(builder, location, storage, element);
  return tile::CastOp::create(builder, location, storage, element);
}

Value fromStorage(OpBuilder &builder, Location location, Value stored, Type element) {
  if (stored.getType() == element)
    return stored;
  if (!element.isInteger(1))
    return tile::CastOp::create(builder, location, element, stored);
  Value zero = arith::ConstantIntOp::create(builder, location, stored.getType(), 0);
  return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, stored, zero);
}

Buffer Emitter::allocate(Type storage, Type tile) {
  SmallVector<int64_t> shape;
  if (auto tensor = dyn_cast<RankedTensorType>(tile))
    llvm::append_range(shape, tensor.getShape());
  auto type = MemRefType::get(shape, storage);
  Buffer buffer{nullptr, getElementTypeOrSelf(tile), llvm::to_vector(tile::axesOf(tile))};
  if (function.getName() == "tw_cpu_tiles") { // allocate-scratch gives it a place
    buffer.memref = memref::AllocOp::create(builder, type);
    return buffer;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  buffer.memref = memref::AllocaOp::create(builder, type);
  return buffer;
}

Buffer Emitter::allocate(Type tile) {
  Type element = getElementTypeOrSelf(tile);
  return allocate(element.isInteger(1) ? builder.getI8Type() : element, tile);
}

Buffer Emitter::resultBuffer(OpResult result) {
  int64_t into = destinationOf(result);
  Buffer chosen = into < 0 ? allocate(storageOf(result), result.getType()) : destinations[into];
  setBuffer(result, chosen);
  return chosen;
}

Value Emitter::existing(const Buffer &buffer) {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  bool isWhole = true;
  for (StringAttr name : buffer.axes) {
    offsets.push_back(builder.getIndexAttr(0));
    strides.push_back(builder.getIndexAttr(1));
    sizes.push_back(axis(name).length);
    isWhole &= isa<Attribute>(sizes.back());
  }
  return isWhole ? buffer.memref : memref::SubViewOp::create(builder, buffer.memref, offsets, sizes, strides).getResult();
}

void Emitter::eraseUnused() {
  function.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

// --------------------------------------------------------------------------------------------------------------------
// Operations
// --------------------------------------------------------------------------------------------------------------------

LogicalResult Emitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>() && !isa<tile::ParallelOp>(op) && failed(emit(op)))
      return failure();
  return success();
}

LogicalResult Emitter::emitSlice(ValueRange values) {
  llvm::DenseSet<Operation *> needed;
  SmallVector<Value> pending(values.begin(), values.end());
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (op && needed.insert(op).second)
      op->walk([&](Operation *inner) { llvm::append_range(pending, inner->getOperands()); });
  }
  for (Block *block = &kernel.getBlock(); block;) {
    Block *inner = nullptr;
    for (Operation &op : *block) {
      if (auto parallel = dyn_cast<tile::ParallelOp>(op))
        inner = &parallel.getBody().front();
      else if (needed.contains(&op) && failed(emit(op)))
        return failure();
    }
    block = inner;
  }
  return success();
}

LogicalResult Emitter::emitExpression(Operation &op) {
  if (op.getNumRegions() > 0 || op.getNumResults() != 1)
    return op.emitOpError("has no lowering for the CPU");
  Value result = op.getResult(0);
  if (hasBuffer(result))
    emitMaterialization(*this, op.getResult(0));
  else if (!tile::isTile(result.getType()))
    builder.clone(op, scalars);
  return success(); // any other tile is evaluated where it is used
}

void Emitter::bindSpan(tile::SpanOp span) {
  tile::SpanType type = span.getType();
  axes[type.getAxis()] = Axis{constant(0), builder.getIndexAttr(type.getCapacity()), type.getCapacity()};
}

void Emitter::bindSpanEnd(tile::SpanEndOp end) {
  const Axis &span = axis(end.getSpan().getType().getAxis());
  setScalar(end, add(span.start, fromIndex(asIndexValue(span.length))));
}

LogicalResult Emitter::emit(Operation &op) {
  if (!emitted.insert(&op).second)
    return success();
  builder.setLoc(op.getLoc());
  if (isa<tile::ForOp, scf::IfOp, scf::WhileOp>(op))
    return emitControl(*this, op);
  auto load = dyn_cast<tile::LoadOp>(op);
  if (load && !tile::isTile(load.getType()))
    return emitScalarLoad(*this, load), success();
  bool isKnown = llvm::TypeSwitch<Operation *, bool>(&op)
                     .Case([&](tile::SpanOp span) { return bindSpan(span), true; })
                     .Case([&](tile::SpanStartOp start) {
                       return setScalar(start, axis(start.getSpan().getType().getAxis()).start), true;
                     })
                     .Case([&](tile::SpanEndOp end) { return bindSpanEnd(end), true; })
                     .Case([&](tile::StoreOp op) { return emitStore(*this, op), true; })
                     .Case([&](tile::AccumulateOp op) { return emitAccumulate(*this, op), true; })
                     .Case([&](tile::AtomicRMWOp op) { return emitAtomicRMW(*this, op), true; })
                     .Case([&](tile::ReduceOp op) { return emitReduce(*this, op), true; })
                     .Case([&](tile::ArgReduceOp op) { return emitArgReduce(*this, op), true; })
                     .Case([&](tile::FoldOp op) { return emitFold(*this, op), true; })
                     .Case([&](tile::ScanOp op) { return emitScan(*this, op), true; })
                     .Case([&](tile::DotOp op) { return emitDot(*this, op), true; })
                     .Case([&](tile::PrintOp op) { return emitPrint(*this, op), true; })
                     .Case([&](tile::AssertOp op) { return emitAssert(*this, op), true; })
                     .Default([](Operation *) { return false; });
  return isKnown ? success() : emitExpression(op);
}

} // namespace tilewright::cpu
