#include "tests/benchmarks/gpu/DeviceArrays.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace benchmarks {

namespace {

/// No kernel writes it: NaN in every float format here, and an i32 that products of i8 do not reach.
uint8_t poisonOf(tw_dtype dtype) {
  return dtype == TW_I32 ? 0x80 : 0xff;
}

/// How many elements are poison, and which is the first.
template <typename Code> std::pair<size_t, size_t> countPoison(const std::vector<std::byte> &memory, tw_dtype dtype) {
  Code poison;
  std::memset(&poison, poisonOf(dtype), sizeof(poison));
  std::span elements(reinterpret_cast<const Code *>(memory.data()), memory.size() / sizeof(Code));
  return {std::count(elements.begin(), elements.end(), poison),
          std::find(elements.begin(), elements.end(), poison) - elements.begin()};
}

size_t bytesOf(tw_dtype dtype, int64_t count) {
  return static_cast<size_t>(count) * tw_dtype_bytes(dtype);
}

} // namespace

void *Input::data() const {
  if (!memory) {
    memory = get(context.allocate(bytesOf(random.dtype(), random.count())));
    get(memory->upload(random.bytes().data()));
  }
  return memory->data();
}

void *Output::data() const {
  if (!memory)
    memory = get(context.allocate(bytesOf(type, elements)));
  return memory->data();
}

void Output::receive(const Gpu &gpu, const std::function<void()> &work) {
  data();
  get(memory->fill(poisonOf(type), gpu.stream));
  work();
  gpu.synchronize();
  received.resize(memory->bytes());
  get(memory->download(received.data(), gpu.stream));
  size_t size = tw_dtype_bytes(type);
  auto [missing, first] = size == 1   ? countPoison<uint8_t>(received, type)
                          : size == 2 ? countPoison<uint16_t>(received, type)
                                      : countPoison<uint32_t>(received, type);
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
