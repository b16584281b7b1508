// Two 16-bit numbers in a word.
//
// A product of two numbers of 16 bits is exact in f32, so rounding it is one rounding: the product of pairs gives the same (of bf16, but where f32 itself
// has to round, below 2⁻¹²⁶). With factors that are loaded, constants, or chosen by a comparison of such numbers (relu's slope) nothing is unpacked: an element of a product's computed
// operand takes one instruction and not four and a half.

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::gpu {

namespace {

class PairEmitter {
public:
  PairEmitter(Emitter &emitter, Type element, int64_t low, int64_t high)
      : emitter(emitter), builder(emitter.builder), element(element), pair(VectorType::get({2}, element)), low(low), high(high) {}

  /// The rounded product, or null if a factor is none of those numbers.
  Value product(Value tile) {
    auto op = tile.getDefiningOp<arith::MulFOp>();
    if (!op || !isExact(op.getLhs()) || !isExact(op.getRhs()))
      return {};
    return multiply(exact(op.getLhs()), exact(op.getRhs()));
  }

private:
  Emitter &emitter;
  ImplicitLocOpBuilder &builder;
  Type element;
  VectorType pair;
  int64_t low, high;

  static std::optional<APFloat> constantOf(Value tile) {
    APFloat constant(0.0f);
    return matchPattern(tile, m_ConstantFloat(&constant)) ? std::optional(constant) : std::nullopt;
  }

  /// As a number of 16 bits, if it is one.
  std::optional<APFloat> narrowed(Value tile) const {
    std::optional<APFloat> constant = constantOf(tile);
    bool losesBits = true;
    if (constant)
      constant->convert(cast<FloatType>(element).getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesBits);
    return losesBits ? std::nullopt : constant;
  }

  /// The comparison of a choice between 1 and 0.
  static arith::CmpFOp comparisonOf(arith::SelectOp op) {
    std::optional<APFloat> one = constantOf(op.getTrueValue()), zero = constantOf(op.getFalseValue());
    auto comparison = op.getCondition().getDefiningOp<arith::CmpFOp>();
    bool isOrdered = comparison && comparison.getPredicate() == arith::CmpFPredicate::OGT;
    return one && zero && one->isExactlyValue(1) && zero->isPosZero() && isOrdered ? comparison : arith::CmpFOp();
  }

  /// Whether a tile of f32 has numbers of 16 bits alone.
  bool isExact(Value tile) const {
    if (narrowed(tile))
      return true;
    Operation *op = tile.getDefiningOp();
    if (auto cast = dyn_cast_or_null<tile::CastOp>(op))
      return getElementTypeOrSelf(cast.getOperand()) == element;
    if (auto select = dyn_cast_or_null<arith::SelectOp>(op)) {
      arith::CmpFOp comparison = comparisonOf(select);
      return comparison && isExact(comparison.getLhs()) && isExact(comparison.getRhs());
    }
    if (auto product = dyn_cast_or_null<arith::MulFOp>(op)) // twice a number of bf16, which has f32's exponents
      return element.isBF16() && ((isTwo(product.getLhs()) && isExact(product.getRhs())) || (isTwo(product.getRhs()) && isExact(product.getLhs())));
    return isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp>(op) && isExact(op->getOperand(0)) && isExact(op->getOperand(1));
  }

  static bool isTwo(Value tile) {
    std::optional<APFloat> constant = constantOf(tile);
    return constant && constant->isExactlyValue(2);
  }

  Value exact(Value tile) {
    if (std::optional<APFloat> constant = narrowed(tile))
      return arith::ConstantOp::create(builder, DenseElementsAttr::get(pair, *constant));
    Operation *op = tile.getDefiningOp();
    if (auto cast = dyn_cast<tile::CastOp>(op))
      return loaded(cast.getOperand());
    if (auto select = dyn_cast<arith::SelectOp>(op)) {
      arith::CmpFOp comparison = comparisonOf(select);
      return isGreater(exact(comparison.getLhs()), exact(comparison.getRhs()));
    }
    Value lhs = exact(op->getOperand(0)), rhs = exact(op->getOperand(1));
    if (isa<arith::MulFOp>(op))
      return multiply(lhs, rhs);
    return isa<arith::MaximumFOp>(op) ? LLVM::MaximumOp::create(builder, lhs, rhs).getResult() : LLVM::MinimumOp::create(builder, lhs, rhs).getResult();
  }

  /// arith's operations on bf16 are made of f32's (expand-casts).
  Value multiply(Value lhs, Value rhs) { return LLVM::FMulOp::create(builder, lhs, rhs); }

  Value loaded(Value tile) {
    Value both = LLVM::PoisonOp::create(builder, pair);
    both = LLVM::InsertElementOp::create(builder, both, emitter.element(tile, low), emitter.constant32(0));
    return LLVM::InsertElementOp::create(builder, both, emitter.element(tile, high), emitter.constant32(1));
  }

  /// 1 or 0, by one instruction, for which there is no other operation.
  Value isGreater(Value lhs, Value rhs) {
    Type i32 = builder.getI32Type();
    std::string type = element.isBF16() ? "bf16x2" : "f16x2";
    SmallVector<Value> operands{LLVM::BitcastOp::create(builder, i32, lhs), LLVM::BitcastOp::create(builder, i32, rhs)};
    Value result = LLVM::InlineAsmOp::create(builder, i32, operands, "set.gt." + type + "." + type + " $0, $1, $2;", "=r,r,r", /*has_side_effects=*/false,
                                             /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                             LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr())
                       .getRes();
    return LLVM::BitcastOp::create(builder, pair, result);
  }
};

} // namespace

Value productOfPairs(Emitter &emitter, Value product, Type element, int64_t low, int64_t high) {
  return PairEmitter(emitter, element, low, high).product(product);
}

} // namespace tilewright::gpu
