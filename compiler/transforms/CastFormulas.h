// The language's conversions between numbers (§3.2) as integer arithmetic; CastFormulas.cpp is the essay.
#pragma once

#include "compiler/transforms/ArithExpr.h"

namespace tilewright {

/// What the processor converts by itself.
struct NativeCasts {
  bool f16 = false;    ///< f16 <-> f32 (F16C)
  bool nvidia = false; ///< a GPU of NVIDIA's: `cvt` rounds to f16 and bf16, and saturates to integers
  bool f8 = false;     ///< the same to and from f8
};

/// f16, bf16 or an f8: a type of memory, on which nothing is computed.
bool isNarrowFloat(mlir::Type element);

/// `value` as an `element`, by the language's rules. `sourceUnsigned` and `resultUnsigned` mark u8.
Expr castTo(const Expr &value, mlir::Type element, const NativeCasts &native, bool sourceUnsigned = false,
            bool resultUnsigned = false);

/// The quotient rounded down and the remainder with the divisor's sign; 0 where the divisor is 0.
Expr floorDivide(const Expr &dividend, const Expr &divisor);
Expr floorModulo(const Expr &dividend, const Expr &divisor);

/// Word n mod 4 of Philox 4x32-10 with the 64-bit key `seed` and the counter n / 4, as i32.
Expr philox(const Expr &seed, const Expr &n, const NativeCasts &native);

// --------------------------------------------------------------------------------------------------------------------
// By NVIDIA's instructions (CastFormulasNvidia.cpp)
// --------------------------------------------------------------------------------------------------------------------

/// f32 or f64 to a signed i32 or i64: toward zero, saturating, NaN to 0.
Expr nvidiaFloatToInteger(const Expr &value, unsigned width);
/// The high half of a product of unsigned i32.
Expr nvidiaHighProduct(const Expr &word, uint32_t factor);
/// f32 <-> f8.
Expr nvidiaNarrowToF8(const Expr &value, mlir::FloatType type);
Expr nvidiaWidenF8(const Expr &value);

} // namespace tilewright
