// Expressions but the elementwise ones: leaves, loads, what goes along an axis, calls.
#include "compiler/frontend/EmitTileEmitter.h"

#include "compiler/frontend/TreeBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::frontend {

using namespace typed;

// --------------------------------------------------------------------------------------------------------------------
// Dispatch
// --------------------------------------------------------------------------------------------------------------------

TileEmitter::Values TileEmitter::emitResults(const Expr &expr) {
  Location outer = where;
  where = location(expr.where);
  Values results;
  if (expr.kind == ExprKind::Call)
    results = emitCall(expr);
  else if (expr.kind == ExprKind::Fold || expr.kind == ExprKind::Scan)
    results = emitCombine(expr);
  where = outer;
  return results.empty() ? Values{emit(expr)} : results;
}

Value TileEmitter::emit(const Expr &expr) {
  Location outer = where;
  where = location(expr.where);
  Value value = [&]() -> Value {
    switch (expr.kind) {
    case ExprKind::Constant:
      return emitConstant(expr);
    case ExprKind::Dimension:
      return emitDimension(expr);
    case ExprKind::Scalar:
      return scalars.lookup(expr.scalar);
    case ExprKind::Symbol:
      return values.lookup(expr.symbol);
    case ExprKind::AxisIndex:
      return expr.axis->isSpan ? tile::IndexOp::create(builder, where, typeOf(expr.type), axisValue(*expr.axis)).getResult()
                               : axisValue(*expr.axis);
    case ExprKind::AxisStart:
    case ExprKind::AxisEnd:
      return emitSpanBound(expr);
    case ExprKind::Elementwise:
      return emitElementwise(expr);
    case ExprKind::Cast:
      return emitCast(emit(*expr.operands[0]), expr.operands[0]->type.dtype, expr.type.dtype);
    case ExprKind::Load:
      return emitLoad(expr);
    case ExprKind::Reduce:
    case ExprKind::ArgReduce:
      return emitReduce(expr);
    case ExprKind::CumulativeSum:
      return emitCumulativeSum(expr);
    case ExprKind::Dot:
      return emitDot(expr);
    case ExprKind::Fold:
    case ExprKind::Scan:
    case ExprKind::Call: {
      Values results = emitResults(expr);
      return results.empty() ? Value() : results.front();
    }
    case ExprKind::RandomBits: {
      Value seed = emitIndex(*expr.operands[0]), n = emitIndex(*expr.operands[1]);
      return tile::RandomBitsOp::create(builder, where, typeOf({expr.type.dtype, expr.operands[1]->type.axes}), seed, n);
    }
    case ExprKind::Presence:
      break;
    }
    return {};
  }();
  if (!value) {
    fail(expr.where, "the compiler cannot emit this expression");
    value = constant(typeOf(expr.type), int64_t{0});
  }
  value = broadcast(value, expr.type);
  where = outer;
  return value;
}

TileEmitter::Values TileEmitter::emitAll(const std::vector<const Expr *> &expressions) {
  return llvm::map_to_vector(expressions, [&](const Expr *expr) { return emit(*expr); });
}

/// An integer expression as i64.
Value TileEmitter::emitIndex(const Expr &expr) {
  return emitCast(emit(expr), expr.type.dtype, DType::I64);
}

// --------------------------------------------------------------------------------------------------------------------
// Leaves
// --------------------------------------------------------------------------------------------------------------------

Value TileEmitter::emitConstant(const Expr &expr) {
  Type type = typeOf(expr.type);
  return isFloat(expr.type.dtype) ? constant(type, expr.real) : constant(type, expr.integer);
}

Value TileEmitter::emitDimension(const Expr &expr) {
  if (Value extent = dimensions.lookup(expr.name))
    return extent;
  auto fixed = kernel.constants.find(expr.name);
  return fixed == kernel.constants.end() ? Value() : constant(builder.getI64Type(), fixed->second);
}

/// A span, or the i64 of a variable without `by`. The span of a `span(n)` stands at the kernel's start, where all can see it.
Value TileEmitter::axisValue(const Axis &axis) {
  Value &value = axes[&axis];
  if (!value && axis.origin == Axis::Origin::WholeSpan) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&kernelOp.getBlock());
    value = tile::SpanOp::create(builder, location(axis.where), spanType(axis));
  }
  return value;
}

TileEmitter::Values TileEmitter::spansOf(const Axes &all) {
  return llvm::map_to_vector(all, [&](const Axis *axis) { return axisValue(*axis); });
}

Value TileEmitter::emitSpanBound(const Expr &expr) {
  Value value = axisValue(*expr.axis);
  bool isStart = expr.kind == ExprKind::AxisStart;
  if (!expr.axis->isSpan) // one index: itself, and the one after it
    return isStart ? value : arith::AddIOp::create(builder, where, value, constant(builder.getI64Type(), int64_t{1}));
  return isStart ? tile::SpanStartOp::create(builder, where, value).getResult()
                 : tile::SpanEndOp::create(builder, where, value).getResult();
}

// --------------------------------------------------------------------------------------------------------------------
// Loads
// --------------------------------------------------------------------------------------------------------------------

Value TileEmitter::emitLoad(const Expr &expr) {
  Values indices = llvm::map_to_vector(expr.operands, [&](const Expr *index) { return emitIndex(*index); });
  SmallVector<bool> compare(expr.operands.size(), false);
  Value otherwise;
  if (expr.otherwise && llvm::is_contained(expr.compare, true)) {
    std::copy(expr.compare.begin(), expr.compare.end(), compare.begin());
    otherwise = emit(*expr.otherwise);
  }
  return tile::LoadOp::create(builder, where, typeOf(expr.type), views.lookup(expr.view), indices, spansOf(expr.type.axes),
                              otherwise, compare);
}

// --------------------------------------------------------------------------------------------------------------------
// Along an axis
// --------------------------------------------------------------------------------------------------------------------

namespace {

tile::Reduction reductionOf(Reduction reduction, DType dtype) {
  switch (reduction) {
  case Reduction::Sum:
    return tile::Reduction::Add;
  case Reduction::Max:
    return dtype == DType::U8 ? tile::Reduction::UMax : tile::Reduction::Max;
  case Reduction::Min:
    return dtype == DType::U8 ? tile::Reduction::UMin : tile::Reduction::Min;
  case Reduction::Any:
    return tile::Reduction::Or;
  case Reduction::All:
    return tile::Reduction::And;
  }
  return tile::Reduction::Add;
}

std::vector<const Axis *> without(const std::vector<const Axis *> &all, const std::vector<const Axis *> &removed) {
  std::vector<const Axis *> rest;
  llvm::copy_if(all, std::back_inserter(rest), [&](const Axis *axis) { return !llvm::is_contained(removed, axis); });
  return rest;
}

} // namespace

Value TileEmitter::emitReduce(const Expr &expr) {
  const TileType &operand = expr.operands[0]->type;
  tile::Reduction kind = reductionOf(expr.reduction, operand.dtype);
  Value value = emit(*expr.operands[0]);
  Values spans = spansOf(expr.axes);
  Type type = typeOf({expr.type.dtype, without(operand.axes, expr.axes)});
  if (expr.kind == ExprKind::ArgReduce)
    return tile::ArgReduceOp::create(builder, where, type, value, spans.front(), kind);
  return tile::ReduceOp::create(builder, where, type, value, spans, kind);
}

Value TileEmitter::emitCumulativeSum(const Expr &expr) {
  Value operand = emit(*expr.operands[0]);
  auto scan = tile::ScanOp::create(builder, where, TypeRange(operand.getType()), operand, axisValue(*expr.axes.front()));
  Type element = elementType(expr.type.dtype);
  OpBuilder::InsertionGuard guard(builder);
  mlir::Block *block = builder.createBlock(&scan.getCombiner(), {}, {element, element}, {where, where});
  Value sum = isFloat(expr.type.dtype)
                  ? arith::AddFOp::create(builder, where, block->getArgument(0), block->getArgument(1)).getResult()
                  : arith::AddIOp::create(builder, where, block->getArgument(0), block->getArgument(1)).getResult();
  tile::YieldOp::create(builder, where, sum);
  return scan.getResult(0);
}

namespace {

/// tf32 is a way to multiply f32; products of narrower operands are exact without it.
tile::DotPrecision precisionOf(const Expr &dot) {
  auto has = [&](DType dtype) {
    return llvm::any_of(dot.operands, [&](const Expr *operand) { return operand->type.dtype == dtype; });
  };
  bool allowsTF32 = has(DType::F32) && !has(DType::F64);
  switch (dot.precision) {
  case Precision::Default:
    return tile::DotPrecision::Default;
  case Precision::Fast:
    return tile::DotPrecision::Fast;
  case Precision::TF32:
    return allowsTF32 ? tile::DotPrecision::TF32 : tile::DotPrecision::Default;
  case Precision::TF32x3:
    return allowsTF32 ? tile::DotPrecision::TF32x3 : tile::DotPrecision::Default;
  }
  return tile::DotPrecision::Default;
}

} // namespace

Value TileEmitter::emitDot(const Expr &expr) {
  Value lhs = emit(*expr.operands[0]), rhs = emit(*expr.operands[1]);
  Type type = typeOf(expr.type);
  Value zero = isFloat(expr.type.dtype) ? constant(type, 0.0) : constant(type, int64_t{0});
  return tile::DotOp::create(builder, where, type, lhs, rhs, zero, spansOf(expr.axes), precisionOf(expr),
                             expr.operands[0]->type.dtype == DType::U8, expr.operands[1]->type.dtype == DType::U8);
}

// --------------------------------------------------------------------------------------------------------------------
// Calls
// --------------------------------------------------------------------------------------------------------------------

TileEmitter::Values TileEmitter::emitCall(const Expr &expr) {
  if (expr.callee->opaque) {
    fail(expr.where, "no function was given for " + expr.callee->name);
    return {constant(typeOf(expr.type), int64_t{0})};
  }
  return emitCallOf(*expr.callee, emitAll(expr.operands));
}

TileEmitter::Values TileEmitter::emitCallOf(const Function &function, ValueRange arguments) {
  return function.external ? emitExternal(function, arguments) : emitInlined(function, arguments);
}

TileEmitter::Values TileEmitter::emitExternal(const Function &function, ValueRange arguments) {
  Axes all;
  for (const Symbol *parameter : function.parameters)
    TreeBuilder::addAxes(all, parameter->type.axes);
  Values operands;
  SmallVector<Type> results;
  for (auto [parameter, argument] : llvm::zip(function.parameters, arguments))
    operands.push_back(broadcast(argument, {parameter->type.dtype, all}));
  for (DType result : function.external->results)
    results.push_back(typeOf({result, all}));
  auto call = tile::CallExternalOp::create(builder, where, results, symbolOf(function), operands, spansOf(all));
  return llvm::to_vector_of<Value>(call.getResults());
}

/// `tw_cuda_hash`; a second declaration of the name, in a file that is imported under a name, has `tw_cuda2_hash`.
const std::string &TileEmitter::symbolOf(const Function &function) {
  size_t namesakes = 0;
  for (const ExternalCallee &known : result.externals) {
    if (known.function->external->declared == function.external->declared)
      return known.symbol;
    namesakes += known.function->name == function.name;
  }
  std::string number = namesakes ? std::to_string(namesakes + 1) : "";
  return result.externals.emplace_back(ExternalCallee{"tw_cuda" + number + "_" + function.name, &function}).symbol;
}

TileEmitter::Values TileEmitter::emitInlined(const Function &function, ValueRange arguments) {
  for (auto [parameter, argument] : llvm::zip(function.parameters, arguments))
    values[parameter] = broadcast(argument, parameter->type);
  emitBlock(function.body);
  return emitAll(function.results);
}

/// reduce(f, …, over k), scan(f, …, over k). The states are brought to the same axes; f is emitted on scalars.
TileEmitter::Values TileEmitter::emitCombine(const Expr &expr) {
  Axes all;
  for (const Expr *operand : expr.operands)
    if (operand->type.axes.size() > all.size())
      all = operand->type.axes;
  for (const Expr *operand : expr.operands)
    for (const Axis *axis : operand->type.axes)
      if (!llvm::is_contained(all, axis))
        all.push_back(axis);

  Values states;
  SmallVector<Type> elements, results;
  bool isScan = expr.kind == ExprKind::Scan;
  for (const Expr *operand : expr.operands) {
    states.push_back(broadcast(emit(*operand), {operand->type.dtype, all}));
    elements.push_back(elementType(operand->type.dtype));
    results.push_back(typeOf({operand->type.dtype, isScan ? all : without(all, expr.axes)}));
  }
  Value span = axisValue(*expr.axes.front());
  Operation *combine = isScan ? tile::ScanOp::create(builder, where, results, states, span).getOperation()
                              : tile::FoldOp::create(builder, where, results, states, span).getOperation();

  SmallVector<Type> twice(elements);
  twice.append(elements);
  {
    OpBuilder::InsertionGuard guard(builder);
    mlir::Block *block = builder.createBlock(&combine->getRegion(0), {}, twice, SmallVector<Location>(twice.size(), where));
    ++effectFreeDepth;
    Values combined = emitCallOf(*expr.callee, block->getArguments());
    --effectFreeDepth;
    tile::YieldOp::create(builder, where, combined);
  }
  Values values = llvm::to_vector_of<Value>(combine->getResults());
  for (auto [value, type] : llvm::zip(values, expr.resultTypes))
    value = broadcast(value, type);
  return values;
}

} // namespace tilewright::frontend
