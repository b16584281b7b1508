// Inputs that are filled and outputs that are checked: arrays in the GPU's memory, which they take when they are used first.
#pragma once

#include "tests/benchmarks/gpu/Gpu.h"
#include "tests/benchmarks/gpu/RandomArray.h"

#include <optional>

namespace benchmarks {

class Input {
public:
  /// Random numbers of this standard deviation. offset: elements before the first, without which it has an address aligned to
  /// 256 bytes.
  Input(const tilewright::Context &context, uint64_t seed, tw_dtype dtype, int64_t count, double deviation = 1,
        int64_t offset = 0)
      : context(context), random(seed, dtype, count + offset, deviation), offset(offset) {}

  void *data() const;
  tw_dtype dtype() const { return random.dtype(); }
  double value(int64_t index) const { return random.value(offset + index); }

private:
  const tilewright::Context &context;
  RandomArray random;
  int64_t offset;
  mutable std::optional<tilewright::DeviceMemory> memory;
};

class Output {
public:
  Output(const tilewright::Context &context, tw_dtype dtype, int64_t count, int64_t offset = 0)
      : context(context), type(dtype), elements(count), offset(offset) {}

  void *data() const;

  /// Poisons the output, lets `work` write it and reads it back. Throws a Failure if an element was not written, or one before
  /// them was.
  void receive(const Gpu &gpu, const std::function<void()> &work);
  /// What was received, and what lies before it.
  const std::vector<std::byte> &bytes() const { return received; }
  /// Of what was received.
  double value(int64_t index) const;

private:
  const tilewright::Context &context;
  tw_dtype type;
  int64_t elements, offset;
  mutable std::optional<tilewright::DeviceMemory> memory;
  std::vector<std::byte> received;
};

} // namespace benchmarks
