// A plain access, `w[h * D + e, c]` over axes h, e, c, is strided memory whatever its indices are: each axis steps by the sum
// of (coefficient · stride) over the dimensions it occurs in. So one memref.reinterpret_cast serves slices, shifts, strides,
// diagonals, and merged dimensions, where memref.subview would serve only the first two:
//
//   offset   (h.start · D + e.start) · stride0 + c.start · stride1
//   strides  h: D · stride0    e: stride0    c: stride1 (a constant 1 if the view's facts say so)

#include "compiler/codegen/ConvertTileToLinalgAddresses.h"

#include "compiler/analysis/LinearForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::cpu {

// --------------------------------------------------------------------------------------------------------------------
// Dimensions of an access, dimensions of memory
// --------------------------------------------------------------------------------------------------------------------

Value extentOf(Emitter &emitter, const View &view, int64_t dimension) {
  Value extent = emitter.constant(1);
  for (int64_t memory = view.firstMemoryDimension(dimension); memory <= view.lastMemoryDimension(dimension); ++memory)
    extent = emitter.mul(extent, view.extents[memory]);
  return extent;
}

/// Σ stride · position over the dimensions of memory that a split dimension stands for; index is their row-major number.
static Value splitOffset(Emitter &emitter, const View &view, int64_t dimension, Value index) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value offset = emitter.constant(0);
  for (int64_t memory = view.lastMemoryDimension(dimension); memory > view.firstMemoryDimension(dimension); --memory) {
    Value extent = emitter.max(view.extents[memory], emitter.constant(1)); // nothing divides by 0
    offset = emitter.add(offset, emitter.mul(builder.createOrFold<arith::RemUIOp>(index, extent), view.strides[memory]));
    index = builder.createOrFold<arith::DivUIOp>(index, extent);
  }
  return emitter.add(offset, emitter.mul(index, view.strides[view.firstMemoryDimension(dimension)]));
}

static Value offsetOf(Emitter &emitter, const View &view, int64_t dimension, Value index) {
  if (dimension == view.split)
    return splitOffset(emitter, view, dimension, index);
  return emitter.mul(index, view.strides[view.firstMemoryDimension(dimension)]);
}

Value flatPosition(Emitter &emitter, const View &view, ValueRange indices) {
  Value offset = emitter.constant(0);
  for (auto [dimension, index] : llvm::enumerate(indices))
    offset = emitter.add(offset, offsetOf(emitter, view, static_cast<int64_t>(dimension), index));
  return emitter.toIndex(offset);
}

Value isInside(Emitter &emitter, const View &view, ValueRange indices, ArrayRef<bool> compare) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value inside;
  for (auto [dimension, index, marked] : llvm::enumerate(indices, compare)) {
    if (!marked)
      continue;
    // A negative index is a large unsigned one.
    Value extent = extentOf(emitter, view, static_cast<int64_t>(dimension));
    Value here = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, index, extent);
    inside = inside ? arith::AndIOp::create(builder, inside, here).getResult() : here;
  }
  return inside;
}

// --------------------------------------------------------------------------------------------------------------------
// Plain accesses
// --------------------------------------------------------------------------------------------------------------------

static Value evaluate(Emitter &emitter, const Monomial &term) {
  Value result = emitter.constant(term.factor);
  for (Value scalar : term.scalars)
    result = emitter.mul(result, emitter.scalar(scalar));
  return result;
}

/// The sum of a form's coefficients at an axis (null: its constant part), or null if there are none.
static Value coefficient(Emitter &emitter, const LinearForm &form, StringAttr axis) {
  Value sum;
  for (const Monomial &term : form)
    if (term.axis == axis)
      sum = sum ? emitter.add(sum, evaluate(emitter, term)) : evaluate(emitter, term);
  return sum;
}

/// The index of the access's first element in a dimension.
static Value firstIndex(Emitter &emitter, const LinearForm &form) {
  Value sum = emitter.constant(0);
  for (const Monomial &term : form) {
    Value value = evaluate(emitter, term);
    sum = emitter.add(sum, term.axis ? emitter.mul(value, emitter.axis(term.axis).start) : value);
  }
  return sum;
}

static OpFoldResult strideOf(Emitter &emitter, const View &view, ArrayRef<LinearForm> forms, StringAttr axis) {
  Value stride = emitter.constant(0);
  for (auto [dimension, form] : llvm::enumerate(forms))
    if (Value factor = coefficient(emitter, form, axis))
      stride = emitter.add(stride, offsetOf(emitter, view, static_cast<int64_t>(dimension), factor));
  return getAsOpFoldResult(emitter.toIndex(stride));
}

Value plainMemory(Emitter &emitter, const View &view, ValueRange indices, ArrayRef<StringAttr> axes) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto forms = llvm::map_to_vector(indices, [](Value index) { return *linearForm(index); });
  Value offset = emitter.constant(0);
  for (auto [dimension, form] : llvm::enumerate(forms))
    offset = emitter.add(offset, offsetOf(emitter, view, static_cast<int64_t>(dimension), firstIndex(emitter, form)));

  StringAttr unitAxis = unitStrideAxis(view.unitStride, indices);
  SmallVector<OpFoldResult> sizes, strides;
  for (StringAttr axis : axes) {
    sizes.push_back(emitter.axis(axis).length);
    strides.push_back(axis == unitAxis ? OpFoldResult(builder.getIndexAttr(1)) : strideOf(emitter, view, forms, axis));
  }
  return memref::ReinterpretCastOp::create(builder, view.flat, getAsOpFoldResult(emitter.toIndex(offset)), sizes, strides);
}

} // namespace tilewright::cpu
