// The dtypes of the language and how they convert. See docs/language.md §3.2.
#include "compiler/frontend/TypedTree.h"

#include <array>

namespace tilewright::frontend {

namespace {

struct DTypeFacts {
  std::string_view name;
  unsigned bytes;
  enum Family { Float, Integer, Boolean } family;
  DType arithmetic;
};

/// In the order of DType.
constexpr std::array<DTypeFacts, 12> facts = {{
    {"f64", 8, DTypeFacts::Float, DType::F64},
    {"f32", 4, DTypeFacts::Float, DType::F32},
    {"f16", 2, DTypeFacts::Float, DType::F32},
    {"bf16", 2, DTypeFacts::Float, DType::F32},
    {"f8e4m3", 1, DTypeFacts::Float, DType::F32},
    {"f8e5m2", 1, DTypeFacts::Float, DType::F32},
    {"i64", 8, DTypeFacts::Integer, DType::I64},
    {"i32", 4, DTypeFacts::Integer, DType::I32},
    {"i16", 2, DTypeFacts::Integer, DType::I32},
    {"i8", 1, DTypeFacts::Integer, DType::I32},
    {"u8", 1, DTypeFacts::Integer, DType::I32},
    {"bool", 1, DTypeFacts::Boolean, DType::Bool},
}};

const DTypeFacts &of(DType dtype) {
  return facts[static_cast<size_t>(dtype)];
}

} // namespace

std::string_view name(DType dtype) {
  return of(dtype).name;
}

std::optional<DType> dtypeNamed(std::string_view text) {
  for (size_t i = 0; i < facts.size(); ++i)
    if (facts[i].name == text)
      return static_cast<DType>(i);
  return std::nullopt;
}

bool isFloat(DType dtype) {
  return of(dtype).family == DTypeFacts::Float;
}
bool isInteger(DType dtype) {
  return of(dtype).family == DTypeFacts::Integer;
}
unsigned byteWidth(DType dtype) {
  return of(dtype).bytes;
}
DType arithmeticType(DType dtype) {
  return of(dtype).arithmetic;
}

// Sums are formed in the type that arithmetic widens to.
DType accumulatorType(DType dtype) {
  return of(dtype).arithmetic;
}

bool convertsImplicitly(DType from, DType to) {
  if (from == to)
    return true;
  if (of(from).family != of(to).family || of(from).family == DTypeFacts::Boolean)
    return false;
  return byteWidth(from) < byteWidth(to); // equal widths (f16 and bf16, i8 and u8) hold different numbers
}

} // namespace tilewright::frontend
