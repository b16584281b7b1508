#include "compiler/tools/tilewright/DTypes.h"

#include "compiler/tools/tilewright/FloatFormats.h"

#include <cmath>
#include <cstring>
#include <utility>

namespace tilewright::tools {
namespace {

struct DTypeRow {
  DType dtype;
  const char *name;
  NpyType npy;
  bool isFloat;
  const FloatFormat *format; ///< of the floats that C++ lacks
};

const DTypeRow table[] = {
    {DType::F64, "f64", {NpyKind::Float, 8}, true, nullptr},
    {DType::F32, "f32", {NpyKind::Float, 4}, true, nullptr},
    {DType::F16, "f16", {NpyKind::Float, 2}, true, &float16},
    {DType::BF16, "bf16", {NpyKind::Unsigned, 2}, true, &bfloat16},
    {DType::F8E4M3, "f8e4m3", {NpyKind::Unsigned, 1}, true, &float8e4m3},
    {DType::F8E5M2, "f8e5m2", {NpyKind::Unsigned, 1}, true, &float8e5m2},
    {DType::I64, "i64", {NpyKind::Signed, 8}, false, nullptr},
    {DType::I32, "i32", {NpyKind::Signed, 4}, false, nullptr},
    {DType::I16, "i16", {NpyKind::Signed, 2}, false, nullptr},
    {DType::I8, "i8", {NpyKind::Signed, 1}, false, nullptr},
    {DType::U8, "u8", {NpyKind::Unsigned, 1}, false, nullptr},
    {DType::Bool, "bool", {NpyKind::Boolean, 1}, false, nullptr},
};

const DTypeRow &row(DType dtype) {
  return table[static_cast<size_t>(dtype)];
}

template <typename T> T loadAs(const void *data, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + index * sizeof(T), sizeof(T));
  return value;
}
template <typename T> void storeAs(void *data, size_t index, T value) {
  std::memcpy(static_cast<char *>(data) + index * sizeof(T), &value, sizeof(T));
}

double loadFloat(const DTypeRow &type, const void *data, size_t index) {
  if (type.dtype == DType::F64)
    return loadAs<double>(data, index);
  if (type.dtype == DType::F32)
    return loadAs<float>(data, index);
  uint16_t bits = type.npy.bytes == 2 ? loadAs<uint16_t>(data, index) : loadAs<uint8_t>(data, index);
  return decode(*type.format, bits);
}

void storeFloat(const DTypeRow &type, void *data, size_t index, double value) {
  if (type.dtype == DType::F64)
    return storeAs(data, index, value);
  if (type.dtype == DType::F32)
    return storeAs(data, index, static_cast<float>(value));
  uint16_t bits = encode(*type.format, value);
  if (type.npy.bytes == 2)
    storeAs(data, index, bits);
  else
    storeAs(data, index, static_cast<uint8_t>(bits));
}

int64_t loadInteger(const DTypeRow &type, const void *data, size_t index) {
  switch (type.dtype) {
  case DType::I64:
    return loadAs<int64_t>(data, index);
  case DType::I32:
    return loadAs<int32_t>(data, index);
  case DType::I16:
    return loadAs<int16_t>(data, index);
  case DType::I8:
    return loadAs<int8_t>(data, index);
  case DType::Bool:
    return loadAs<uint8_t>(data, index) != 0;
  default:
    return loadAs<uint8_t>(data, index);
  }
}

/// Integers wrap; to bool, what is not 0 is true.
void storeInteger(const DTypeRow &type, void *data, size_t index, int64_t value) {
  if (type.dtype == DType::Bool)
    return storeAs(data, index, static_cast<uint8_t>(value != 0));
  std::memcpy(static_cast<char *>(data) + index * type.npy.bytes, &value, type.npy.bytes);
}

/// The least and the largest integer of a dtype.
std::pair<int64_t, int64_t> limits(const DTypeRow &type) {
  if (type.npy.kind != NpyKind::Signed)
    return {0, type.dtype == DType::Bool ? 1 : 255};
  int64_t most = static_cast<int64_t>(~uint64_t(0) >> (65 - 8 * type.npy.bytes));
  return {-most - 1, most};
}

/// Float to integer: toward zero, saturating, NaN to 0.
int64_t truncate(const DTypeRow &type, double value) {
  if (std::isnan(value))
    return 0;
  auto [least, most] = limits(type);
  if (value >= std::ldexp(1.0, 63) || value >= static_cast<double>(most))
    return most;
  if (value <= static_cast<double>(least))
    return least;
  return static_cast<int64_t>(value);
}

} // namespace

std::string name(DType dtype) {
  return row(dtype).name;
}

std::optional<DType> dtypeNamed(std::string_view text) {
  for (const DTypeRow &candidate : table)
    if (candidate.name == text)
      return candidate.dtype;
  return std::nullopt;
}

const std::vector<DType> &allDTypes() {
  static const std::vector<DType> all = [] {
    std::vector<DType> list;
    for (const DTypeRow &entry : table)
      list.push_back(entry.dtype);
    return list;
  }();
  return all;
}

unsigned byteWidth(DType dtype) {
  return row(dtype).npy.bytes;
}
bool isFloat(DType dtype) {
  return row(dtype).isFloat;
}
NpyType npyType(DType dtype) {
  return row(dtype).npy;
}

std::optional<DType> dtypeOf(NpyType type) {
  if (type == NpyType{NpyKind::Unsigned, 1})
    return DType::U8;
  for (const DTypeRow &candidate : table)
    if (candidate.npy == type && type.kind != NpyKind::Unsigned)
      return candidate.dtype;
  return std::nullopt;
}

bool holdsRaw(NpyType type, DType dtype) {
  return npyType(dtype) == type;
}

void convert(DType fromType, const void *from, DType toType, void *to, size_t count) {
  const DTypeRow &source = row(fromType), &target = row(toType);
  if (fromType == toType) {
    if (count)
      std::memcpy(to, from, count * source.npy.bytes);
    return;
  }
  for (size_t n = 0; n < count; ++n) {
    if (source.isFloat && target.isFloat)
      storeFloat(target, to, n, loadFloat(source, from, n));
    else if (source.isFloat && target.dtype == DType::Bool)
      storeInteger(target, to, n, loadFloat(source, from, n) != 0);
    else if (source.isFloat)
      storeInteger(target, to, n, truncate(target, loadFloat(source, from, n)));
    else if (target.isFloat)
      storeFloat(target, to, n, static_cast<double>(loadInteger(source, from, n)));
    else
      storeInteger(target, to, n, loadInteger(source, from, n));
  }
}

} // namespace tilewright::tools
