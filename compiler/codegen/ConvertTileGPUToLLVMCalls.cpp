// Functions that are no part of the kernel: those in CUDA C++, which the runtime puts into the module (compiler_c.h, "GPU
// code"). They know no tiles: a call is made for each register whose element exists. As a scalar tile.call_external it goes the
// way of all scalars, also into the combination of a fold; when a function is complete, such calls become calls of LLVM's.
//
// What is passed has 32 or 64 bits: narrower elements are in the low bits of an i32, the others without meaning. So the
// function's side needs to agree about no rule of alignment or extension.

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"
#include "compiler/codegen/PTXRequirements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::gpu {

// --------------------------------------------------------------------------------------------------------------------
// Calls for the elements of tiles
// --------------------------------------------------------------------------------------------------------------------

static SmallVector<Value> callScalar(Emitter &emitter, tile::CallExternalOp op, ValueRange arguments) {
  SmallVector<Type> elements = llvm::map_to_vector(op.getResultTypes(), [](Type type) { return getElementTypeOrSelf(type); });
  auto call = tile::CallExternalOp::create(emitter.builder, elements, op.getCallee(), arguments, ValueRange());
  return call.getResults();
}

/// What is computed of elements that do not exist must be a number, whichever: zeros.
static SmallVector<Value> callIfExists(Emitter &emitter, tile::CallExternalOp op, ValueRange arguments, Value exists) {
  if (!exists)
    return callScalar(emitter, op, arguments);
  ImplicitLocOpBuilder &builder = emitter.builder;
  SmallVector<Value> zeros;
  for (Type type : op.getResultTypes())
    zeros.push_back(emitter.constant(cast<TypedAttr>(builder.getZeroAttr(getElementTypeOrSelf(type)))));
  auto branch = scf::IfOp::create(builder, TypeRange(ValueRange(zeros)), exists, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, callScalar(emitter, op, arguments));
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, zeros);
  return branch.getResults();
}

void emitCallExternal(Emitter &emitter, tile::CallExternalOp op) {
  SmallVector<Registers> arguments =
      llvm::map_to_vector(op.getArguments(), [&](Value value) { return emitter.registers(value); });
  Type first = op.getResultTypes().front();
  int64_t count = tile::isTile(first) ? layoutAttr(first).getValue().registers() : 1;
  SmallVector<Registers> results(op->getNumResults());
  for (int64_t number = 0; number < count; ++number) {
    SmallVector<Value> elements = llvm::map_to_vector(arguments, [&](Registers &registers) { return registers[number]; });
    Value exists = tile::isTile(first) ? emitter.existence(first, number, op.getSpans()) : Value();
    for (auto [registers, value] : llvm::zip(results, callIfExists(emitter, op, elements, exists)))
      registers.push_back(value);
  }
  for (auto [result, registers] : llvm::zip(op.getResults(), results))
    emitter.setRegisters(result, std::move(registers));
}

// --------------------------------------------------------------------------------------------------------------------
// Calls of LLVM's
// --------------------------------------------------------------------------------------------------------------------

namespace {

bool isPassedAsWord(Type element) {
  return element.getIntOrFloatBitWidth() < 32;
}

Type passedType(Type element) {
  return isPassedAsWord(element) ? Type(IntegerType::get(element.getContext(), 32)) : element;
}

Value toPassed(OpBuilder &builder, Location location, Value element) {
  if (!isPassedAsWord(element.getType()))
    return element;
  Type bits = builder.getIntegerType(element.getType().getIntOrFloatBitWidth());
  if (bits != element.getType())
    element = arith::BitcastOp::create(builder, location, bits, element);
  return arith::ExtUIOp::create(builder, location, builder.getI32Type(), element);
}

Value fromPassed(OpBuilder &builder, Location location, Value passed, Type element) {
  if (!isPassedAsWord(element))
    return passed;
  Type bits = builder.getIntegerType(element.getIntOrFloatBitWidth());
  Value value = arith::TruncIOp::create(builder, location, bits, passed);
  return bits == element ? value : arith::BitcastOp::create(builder, location, element, value).getResult();
}

LLVM::LLVMFunctionType functionTypeOf(tile::CallExternalOp call) {
  SmallVector<Type> arguments = llvm::map_to_vector(call.getArguments().getTypes(), passedType);
  SmallVector<Type> results = llvm::map_to_vector(call.getResultTypes(), passedType);
  Type result = results.size() == 1 ? results[0] : LLVM::LLVMStructType::getLiteral(call.getContext(), results);
  return LLVM::LLVMFunctionType::get(result, arguments);
}

/// The declaration of a callee; null, and an error, if the name is another thing's.
LLVM::LLVMFuncOp declaredIn(ModuleOp module, tile::CallExternalOp call) {
  LLVM::LLVMFunctionType type = functionTypeOf(call);
  if (Operation *known = module.lookupSymbol(call.getCallee())) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(known);
    if (function && function.isExternal() && function.getFunctionType() == type)
      return function;
    call.emitOpError() << "calls \"" << call.getCallee() << "\" as " << type << ", but that name is already another thing's";
    return nullptr;
  }
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(builder, call.getLoc(), call.getCallee(), type);
  constexpr auto none = LLVM::ModRefInfo::NoModRef;
  function.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(call.getContext(), {none, none, none, none, none, none}));
  function.setNoUnwindAttr(builder.getUnitAttr());
  function.setWillReturnAttr(builder.getUnitAttr());
  function.setPassthroughAttr(builder.getStrArrayAttr({compiler::externalFunctionAttribute}));
  return function;
}

LogicalResult lowerCall(tile::CallExternalOp call, ModuleOp module) {
  LLVM::LLVMFuncOp function = declaredIn(module, call);
  if (!function)
    return failure();
  ImplicitLocOpBuilder builder(call.getLoc(), call);
  SmallVector<Value> arguments =
      llvm::map_to_vector(call.getArguments(), [&](Value argument) { return toPassed(builder, call.getLoc(), argument); });
  auto made = LLVM::CallOp::create(builder, function, arguments);
  made.setMemoryEffectsAttr(function.getMemoryEffectsAttr());
  for (OpResult result : call->getOpResults()) {
    Value passed = made.getResult();
    if (call->getNumResults() > 1)
      passed = LLVM::ExtractValueOp::create(builder, passed, result.getResultNumber());
    result.replaceAllUsesWith(fromPassed(builder, call.getLoc(), passed, result.getType()));
  }
  call.erase();
  return success();
}

} // namespace

LogicalResult lowerExternalCalls(LLVM::LLVMFuncOp function) {
  SmallVector<tile::CallExternalOp> calls;
  function.walk([&](tile::CallExternalOp call) { calls.push_back(call); });
  auto module = function->getParentOfType<ModuleOp>();
  for (tile::CallExternalOp call : calls)
    if (failed(lowerCall(call, module)))
      return failure();
  return success();
}

} // namespace tilewright::gpu
