// Inputs that are filled and outputs that are checked: arrays in the GPU's memory.
#pragma once

#include "tests/benchmarks/gpu/Gpu.h"
#include "tests/benchmarks/gpu/RandomArray.h"

#include <string>

namespace benchmarks {

class Input {
public:
  /// Random numbers of this standard deviation, uploaded.
  Input(const tilewright::Context &context, uint64_t seed, tw_dtype dtype, int64_t count, double deviation = 1);

  void *data() const { return memory.data(); }
  tw_dtype dtype() const { return random.dtype(); }
  double value(int64_t index) const { return random.value(index); }

private:
  RandomArray random;
  tilewright::DeviceMemory memory;
};

class Output {
public:
  Output(const tilewright::Context &context, tw_dtype dtype, int64_t count);

  void *data() const { return memory.data(); }
  tw_dtype dtype() const { return type; }

  /// Poisons the output, lets `work` write it and reads it back. Throws a Failure if an element was not written.
  void receive(const Gpu &gpu, const std::function<void()> &work);
  /// Of what was received.
  double value(int64_t index) const;

private:
  tw_dtype type;
  int64_t elements;
  tilewright::DeviceMemory memory;
  std::vector<std::byte> received;
};

} // namespace benchmarks
