#include "tests/benchmarks/gpu/DeviceArrays.h"

#include <cstring>

namespace benchmarks {

namespace {

/// No kernel writes it: NaN in every float format here, and an i32 that products of i8 do not reach.
uint8_t poisonOf(tw_dtype dtype) {
  return dtype == TW_I32 ? 0x80 : 0xff;
}

size_t bytesOf(tw_dtype dtype, int64_t count) {
  return static_cast<size_t>(count) * tw_dtype_bytes(dtype);
}

} // namespace

Input::Input(const tilewright::Context &context, uint64_t seed, tw_dtype dtype, int64_t count, double deviation)
    : random(seed, dtype, count, deviation), memory(get(context.allocate(bytesOf(dtype, count)))) {
  get(memory.upload(random.bytes().data()));
}

Output::Output(const tilewright::Context &context, tw_dtype dtype, int64_t count)
    : type(dtype), elements(count), memory(get(context.allocate(bytesOf(dtype, count)))) {}

void Output::receive(const Gpu &gpu, const std::function<void()> &work) {
  get(memory.fill(poisonOf(type), gpu.stream));
  work();
  gpu.synchronize();
  received.resize(memory.bytes());
  get(memory.download(received.data(), gpu.stream));
  size_t size = tw_dtype_bytes(type);
  std::vector<uint8_t> poison(size, poisonOf(type));
  int64_t missing = 0, first = 0;
  for (int64_t index = 0; index < elements; ++index)
    if (!std::memcmp(received.data() + bytesOf(type, index), poison.data(), size) && missing++ == 0)
      first = index;
  if (missing > 0)
    throw Failure(std::to_string(missing) + " of " + std::to_string(elements) +
                  " elements of the output were not written, or are NaN; the first is number " + std::to_string(first));
}

double Output::value(int64_t index) const {
  uint32_t bits = 0;
  std::memcpy(&bits, received.data() + bytesOf(type, index), tw_dtype_bytes(type));
  return decodeAs(type, bits);
}

} // namespace benchmarks
