#include "tests/benchmarks/gpu/RandomArray.h"

#include "compiler/tools/tilewright/FloatFormats.h"
#include "tests/benchmarks/gpu/Failure.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace benchmarks {

namespace {

constexpr size_t samples = 65'536;

const tilewright::tools::FloatFormat *formatOf(tw_dtype dtype) {
  switch (dtype) {
  case TW_F16:
    return &tilewright::tools::float16;
  case TW_BF16:
    return &tilewright::tools::bfloat16;
  case TW_F8E4M3:
    return &tilewright::tools::float8e4m3;
  case TW_F8E5M2:
    return &tilewright::tools::float8e5m2;
  default:
    return nullptr;
  }
}

/// Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators".
uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

} // namespace

uint32_t encodeAs(tw_dtype dtype, double value) {
  if (const auto *format = formatOf(dtype))
    return tilewright::tools::encode(*format, value);
  if (dtype == TW_F32)
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (dtype == TW_I8)
    return static_cast<uint8_t>(static_cast<int8_t>(std::clamp(std::nearbyint(value), -128.0, 127.0)));
  if (dtype == TW_I32)
    return static_cast<uint32_t>(static_cast<int32_t>(std::nearbyint(value)));
  throw Failure(std::string("no benchmark has elements of dtype ") + tw_dtype_name(dtype));
}

double decodeAs(tw_dtype dtype, uint32_t bits) {
  if (const auto *format = formatOf(dtype))
    return tilewright::tools::decode(*format, static_cast<uint16_t>(bits));
  if (dtype == TW_F32)
    return static_cast<double>(std::bit_cast<float>(bits));
  if (dtype == TW_I8)
    return static_cast<int8_t>(bits);
  if (dtype == TW_I32)
    return static_cast<int32_t>(bits);
  throw Failure(std::string("no benchmark has elements of dtype ") + tw_dtype_name(dtype));
}

RandomArray::RandomArray(uint64_t seed, tw_dtype dtype, int64_t count, double deviation)
    : seed(mix(seed + 0x9e3779b97f4a7c15u)), type(dtype), elements(count), values(samples), codes(samples) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal(0, deviation);
  for (size_t index = 0; index < samples; ++index) {
    codes[index] = encodeAs(dtype, normal(generator));
    values[index] = decodeAs(dtype, codes[index]);
  }
}

uint16_t RandomArray::draw(int64_t index) const {
  auto place = static_cast<uint64_t>(index);
  return static_cast<uint16_t>(mix(seed + (place >> 2) * 0x9e3779b97f4a7c15u) >> (16 * (place & 3)));
}

template <typename Code> void RandomArray::fill(std::vector<std::byte> &memory) const {
  auto *to = reinterpret_cast<Code *>(memory.data());
  for (int64_t index = 0; index < elements; ++index)
    to[index] = static_cast<Code>(codes[draw(index)]);
}

std::vector<std::byte> RandomArray::bytes() const {
  size_t size = tw_dtype_bytes(type);
  std::vector<std::byte> memory(static_cast<size_t>(elements) * size);
  size == 1 ? fill<uint8_t>(memory) : size == 2 ? fill<uint16_t>(memory) : fill<uint32_t>(memory);
  return memory;
}

} // namespace benchmarks
