// Conversions that NVIDIA's GPUs have an instruction for. The instruction `cvt` (PTX ISA, "Data Movement and Conversion
// Instructions") follows the language's rules but for this:
//
//  - To an integer it saturates, and NaN gives 0; but from f64, and to 64 bits, NaN gives the least integer.
//  - f8 comes in pairs: two f32 to two f8, two f8 to two f16. `.satfinite` makes the largest number of what is too large,
//  infinity
//    included, and NaN stays NaN. A single f8 is the low half of a pair.
//
// Vectors of an even number of elements are converted by pairs.

#include "compiler/transforms/CastFormulas.h"
#include "compiler/transforms/NvidiaIntrinsics.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tilewright {

namespace vector = mlir::vector;

Expr nvidiaFloatToInteger(const Expr &value, unsigned width) {
  bool fromF64 = value.getWidth() == 64;
  llvm::StringRef intrinsic =
      width == 32 ? (fromF64 ? "llvm.nvvm.d2i.rz" : "llvm.nvvm.f2i.rz") : (fromF64 ? "llvm.nvvm.d2ll.rz" : "llvm.nvvm.f2ll.rz");
  Expr converted = callNvidia(intrinsic, value.getBuilder().getIntegerType(width), value);
  return fromF64 || width == 64 ? select(isNaN(value), 0, converted) : converted;
}

Expr nvidiaHighProduct(const Expr &word, uint32_t factor) {
  return callNvidia("llvm.nvvm.mulhi.ui", word.getBuilder().getI32Type(), {word, word.constant(factor)});
}

namespace {

llvm::StringRef pairName(mlir::Type f8) {
  return mlir::isa<mlir::Float8E5M2Type>(f8) ? "e5m2x2" : "e4m3x2";
}

bool hasPairs(const Expr &value) {
  auto type = mlir::dyn_cast<mlir::VectorType>(value.get().getType());
  return type && type.getRank() == 1 && !type.isScalable() && type.getNumElements() % 2 == 0;
}

int64_t countPairs(const Expr &value) {
  return mlir::cast<mlir::VectorType>(value.get().getType()).getNumElements() / 2;
}

mlir::Value element(const Expr &value, int64_t position) {
  return vector::ExtractOp::create(value.getBuilder(), value.getLoc(), value.get(), position);
}

/// An i16 of two f8, the first in the low half.
mlir::Value packPair(const Expr &like, mlir::FloatType f8, mlir::Value first, mlir::Value second) {
  std::string name = ("llvm.nvvm.ff.to." + pairName(f8) + ".rn").str();
  return callIntrinsic(like.getBuilder(), like.getLoc(), name, like.getBuilder().getI16Type(), {second, first});
}

/// Two f16 of an i16 of two f8.
mlir::Value unpackPair(const Expr &like, mlir::Type f8, mlir::Value pair) {
  std::string name = ("llvm.nvvm." + pairName(f8) + ".to.f16x2.rn").str();
  auto halves = mlir::VectorType::get({2}, like.getBuilder().getF16Type());
  return callIntrinsic(like.getBuilder(), like.getLoc(), name, halves, pair);
}

/// The bits of a vector with elements of another width.
Expr bitsAs(const Expr &value, mlir::Type element, int64_t count) {
  auto type = mlir::VectorType::get({count}, element);
  return value.with(vector::BitCastOp::create(value.getBuilder(), value.getLoc(), type, value.get()).getResult());
}

Expr fromElements(const Expr &like, mlir::Type element, llvm::ArrayRef<mlir::Value> elements) {
  auto type = mlir::VectorType::get({static_cast<int64_t>(elements.size())}, element);
  return like.with(vector::FromElementsOp::create(like.getBuilder(), like.getLoc(), type, elements).getResult());
}

} // namespace

Expr nvidiaNarrowToF8(const Expr &value, mlir::FloatType type) {
  mlir::OpBuilder &builder = value.getBuilder();
  if (!hasPairs(value)) {
    return forEachElement(builder.getI8Type(), value,
                          [&](llvm::ArrayRef<mlir::Value> scalar) -> mlir::Value {
                            Expr zero = value.with(scalar[0]).constant(0.0);
                            return value.with(packPair(value, type, scalar[0], zero)).zeroExtended(8);
                          })
        .asFloat(type);
  }
  llvm::SmallVector<mlir::Value> pairs;
  for (int64_t i = 0; i < countPairs(value); ++i)
    pairs.push_back(packPair(value, type, element(value, 2 * i), element(value, 2 * i + 1)));
  Expr packed = fromElements(value, builder.getI16Type(), pairs);
  return bitsAs(packed, builder.getI8Type(), 2 * countPairs(value)).asFloat(type);
}

Expr nvidiaWidenF8(const Expr &value) {
  mlir::OpBuilder &builder = value.getBuilder();
  mlir::Type type = value.getElementType(), f16 = builder.getF16Type();
  if (!hasPairs(value)) {
    return forEachElement(f16, value.bits(),
                          [&](llvm::ArrayRef<mlir::Value> scalar) {
                            Expr pair = value.with(scalar[0]).zeroExtended(16);
                            return element(value.with(unpackPair(value, type, pair)), 0);
                          })
        .convert<mlir::arith::ExtFOp>(builder.getF32Type());
  }
  Expr pairs = bitsAs(value.bits(), builder.getI16Type(), countPairs(value));
  llvm::SmallVector<mlir::Value> halves;
  for (int64_t i = 0; i < countPairs(value); ++i) {
    Expr unpacked = value.with(unpackPair(value, type, element(pairs, i)));
    halves.append({element(unpacked, 0), element(unpacked, 1)});
  }
  return fromElements(value, f16, halves).convert<mlir::arith::ExtFOp>(builder.getF32Type());
}

} // namespace tilewright
