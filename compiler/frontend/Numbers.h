// The numbers that a dtype can hold: for literals, which must fit, and for folding.
#pragma once

#include "compiler/frontend/AST.h"

#include <cstdint>
#include <string>

namespace tilewright::frontend {

/// Integer literals are folded exactly; this holds every product of two 64-bit numbers.
using WideInteger = __int128;
std::string toText(WideInteger value);
/// The shortest text that reads back as the same number; `inf`, `-inf`, `nan`.
std::string toText(double value);
std::string toText(float value);

/// Is it a value of the integer dtype?
bool fitsInteger(WideInteger value, DType dtype);
/// The low bits as a value of the integer dtype (integers wrap).
int64_t wrapInteger(WideInteger value, DType dtype);

/// The nearest value of the float dtype, ties to even, by the rules of casts: beyond the largest number f16 and bf16 give inf,
/// f8 saturates (inf included), NaN stays NaN.
double roundToFloat(double value, DType dtype);
/// A float literal fits if rounding it does not turn a finite number into inf or a smaller one, or lose an infinity.
bool fitsFloat(double value, DType dtype);
/// An integer literal fits a float dtype if it is one of its values.
bool fitsFloatExactly(WideInteger value, DType dtype);
/// Toward zero, saturating, NaN to 0: the cast of a float to an integer dtype.
int64_t truncateToInteger(double value, DType dtype);

} // namespace tilewright::frontend
