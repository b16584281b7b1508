// Random numbers in device memory whose values the host knows again: what a kernel made of them can be checked element by
// element.
//
// Numbers are drawn, by a hash of seed and index, from 65,536 samples of a normal distribution, each rounded to the dtype once.
// So an array of any dtype is made at the speed of the hash, and none is kept.
#pragma once

#include "tilewright/runtime_c.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace benchmarks {

class RandomArray {
public:
  /// deviation: of the distribution. Integers are rounded, and saturate.
  RandomArray(uint64_t seed, tw_dtype dtype, int64_t count, double deviation);

  int64_t count() const { return elements; }
  tw_dtype dtype() const { return type; }
  double value(int64_t index) const { return values[draw(index)]; }
  /// All of it, as it lies in memory.
  std::vector<std::byte> bytes() const;

private:
  uint16_t draw(int64_t index) const;
  template <typename Code> void fill(std::vector<std::byte> &memory) const;

  uint64_t seed;
  tw_dtype type;
  int64_t elements;
  std::vector<double> values;  // of the samples, as rounded
  std::vector<uint32_t> codes; // their bits
};

/// The bits of a value rounded to a dtype, in the low bytes. f32, f16, bf16, f8e4m3, f8e5m2, i8, i32.
uint32_t encodeAs(tw_dtype dtype, double value);
double decodeAs(tw_dtype dtype, uint32_t bits);

} // namespace benchmarks
