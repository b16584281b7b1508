// expand-casts: the scalar ops of the tile dialect, and arith on narrow floats, become arithmetic that every processor has.
// The formulas, and why they are what they are: CastFormulas.cpp.

#include "compiler/transforms/CastFormulas.h"
#include "compiler/transforms/Passes.h"

#include "dialects/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/TypeSwitch.h"

namespace tilewright {

#define GEN_PASS_DEF_EXPANDCASTS
#include "compiler/transforms/Passes.h.inc"

namespace arith = mlir::arith;

namespace {

bool hasTile(mlir::Operation *op) {
  return llvm::any_of(op->getResultTypes(), [](mlir::Type type) { return tile::isTile(type); });
}

bool isNarrow(mlir::Value value) {
  return isNarrowFloat(mlir::getElementTypeOrSelf(value.getType()));
}

bool hasNarrow(mlir::Operation *op) {
  return llvm::any_of(op->getOperands(), isNarrow) || llvm::any_of(op->getResults(), isNarrow);
}

/// Replaces one operation at a time; null where an operation is not this pass's business.
class Expander {
public:
  Expander(mlir::Operation *op, const NativeCasts &native) : builder(op), loc(op->getLoc()), native(native) {}

  mlir::Value expand(mlir::Operation *op) {
    return llvm::TypeSwitch<mlir::Operation *, mlir::Value>(op)
        .Case([&](tile::CastOp cast) {
          return castResult(cast, cast.getOperand(), cast.getSourceUnsigned(), cast.getResultUnsigned());
        })
        .Case([&](tile::FloorDivOp division) { return floorDivide(expr(division.getLhs()), expr(division.getRhs())); })
        .Case([&](tile::FloorModOp modulo) { return floorModulo(expr(modulo.getLhs()), expr(modulo.getRhs())); })
        .Case([&](tile::RandomBitsOp random) { return randomBits(random); })
        .Default([&](mlir::Operation *other) { return expandNarrowArithmetic(other); });
  }

private:
  Expr expr(mlir::Value value) { return {builder, loc, value}; }

  mlir::Value castResult(mlir::Operation *op, mlir::Value operand, bool sourceUnsigned, bool resultUnsigned) {
    mlir::Type element = mlir::getElementTypeOrSelf(op->getResult(0).getType());
    return castTo(expr(operand), element, native, sourceUnsigned, resultUnsigned);
  }

  mlir::Value randomBits(tile::RandomBitsOp op) { return philox(expr(op.getSeed()), expr(op.getN()), native); }

  /// arith and math on narrow floats: conversions by the language's rules, all else in f32.
  mlir::Value expandNarrowArithmetic(mlir::Operation *op) {
    if (op->getNumResults() != 1 || !hasNarrow(op))
      return {};
    if (mlir::isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::FPToSIOp>(op))
      return castResult(op, op->getOperand(0), false, false);
    if (mlir::isa<arith::UIToFPOp, arith::FPToUIOp>(op))
      return castResult(op, op->getOperand(0), true, true);
    if (!op->hasTrait<mlir::OpTrait::Elementwise>() || mlir::isa<arith::SelectOp, arith::BitcastOp>(op))
      return {};
    return computeInF32(op);
  }

  mlir::Value computeInF32(mlir::Operation *op) {
    mlir::Type f32 = builder.getF32Type();
    auto widened = [&](mlir::Value value) { return isNarrow(value) ? castTo(expr(value), f32, native).get() : value; };
    mlir::OperationState state(loc, op->getName());
    for (mlir::Value operand : op->getOperands())
      state.operands.push_back(widened(operand));
    mlir::Value result = op->getResult(0);
    state.addTypes(isNarrow(result) ? expr(result).typeWith(f32) : result.getType());
    state.attributes = op->getAttrs();
    Expr computed = expr(builder.create(state)->getResult(0));
    return castTo(computed, mlir::getElementTypeOrSelf(result.getType()), native);
  }

  mlir::OpBuilder builder;
  mlir::Location loc;
  const NativeCasts &native;
};

/// f16 <-> f32 stays for the processor that has it, and f32 -> bf16.
bool isNative(mlir::Operation *op, const NativeCasts &native) {
  if (!mlir::isa<arith::ExtFOp, arith::TruncFOp>(op))
    return false;
  mlir::Type from = mlir::getElementTypeOrSelf(op->getOperand(0).getType());
  mlir::Type to = mlir::getElementTypeOrSelf(op->getResult(0).getType());
  bool ofF16 = (from.isF16() && to.isF32()) || (from.isF32() && to.isF16());
  return (native.f16 && ofF16) || (native.nvidia && from.isF32() && to.isBF16());
}

struct ExpandCasts : impl::ExpandCastsBase<ExpandCasts> {
  using ExpandCastsBase::ExpandCastsBase;

  void runOnOperation() override {
    NativeCasts native{f16c || nvidia, nvidia, nvidia && f8};
    llvm::SmallVector<mlir::Operation *> candidates;
    getOperation().walk([&](mlir::Operation *op) {
      if (!hasTile(op) && !isNative(op, native))
        candidates.push_back(op);
    });
    for (mlir::Operation *op : candidates) {
      mlir::Value replacement = Expander(op, native).expand(op);
      if (!replacement)
        continue;
      op->getResult(0).replaceAllUsesWith(replacement);
      op->erase();
    }
  }
};

} // namespace
} // namespace tilewright
