// The language's dtypes as the command line needs them: their names, their sizes, and how a number becomes one.
#pragma once

#include "compiler/tools/tilewright/Npy.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::tools {

enum class DType { F64, F32, F16, BF16, F8E4M3, F8E5M2, I64, I32, I16, I8, U8, Bool };

std::string name(DType dtype);
std::optional<DType> dtypeNamed(std::string_view text);
const std::vector<DType> &allDTypes();
unsigned byteWidth(DType dtype);
bool isFloat(DType dtype);

/// How a dtype is kept in a .npy file. bf16 and f8, which NumPy lacks, are raw uint16 and uint8.
NpyType npyType(DType dtype);
/// The dtype that a .npy file holds by itself: none for uint16, uint32 and uint64. uint8 is u8.
std::optional<DType> dtypeOf(NpyType type);
/// Do the file's elements have the bits of this dtype's (bf16 in uint16, f8 in uint8)?
bool holdsRaw(NpyType type, DType dtype);

/// Converts `count` elements between dtypes by the language's rules for casts (language reference, "Types and numbers").
/// `to` may not be the same memory as `from`.
void convert(DType fromType, const void *from, DType toType, void *to, size_t count);

} // namespace tilewright::tools
