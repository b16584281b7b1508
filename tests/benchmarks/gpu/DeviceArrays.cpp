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
template <typename Code> std::pair<int64_t, int64_t> countPoison(std::span<const std::byte> memory, tw_dtype dtype) {
  Code poison;
  std::memset(&poison, poisonOf(dtype), sizeof(poison));
  std::span elements(reinterpret_cast<const Code *>(memory.data()), memory.size() / sizeof(Code));
  return {std::count(elements.begin(), elements.end(), poison),
          std::find(elements.begin(), elements.end(), poison) - elements.begin()};
}

std::pair<int64_t, int64_t> findPoison(std::span<const std::byte> memory, tw_dtype dtype) {
  size_t size = tw_dtype_bytes(dtype);
  return size == 1   ? countPoison<uint8_t>(memory, dtype)
         : size == 2 ? countPoison<uint16_t>(memory, dtype)
                     : countPoison<uint32_t>(memory, dtype);
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
  return memory->as<std::byte>() + bytesOf(random.dtype(), offset);
}

void *Output::data() const {
  if (!memory)
    memory = get(context.allocate(bytesOf(type, offset + elements)));
  return memory->as<std::byte>() + bytesOf(type, offset);
}

void Output::receive(const Gpu &gpu, const std::function<void()> &work) {
  data();
  get(memory->fill(poisonOf(type), gpu.stream));
  work();
  gpu.synchronize();
  received.resize(memory->bytes());
  get(memory->download(received.data(), gpu.stream));
  std::span whole(received);
  if (findPoison(whole.first(bytesOf(type, offset)), type).first != offset)
    throw Failure("something was written before the beginning of the output");
  auto [missing, first] = findPoison(whole.subspan(bytesOf(type, offset)), type);
  if (missing > 0)
    throw Failure(std::to_string(missing) + " of " + std::to_string(elements) +
                  " elements of the output were not written, or are NaN; the first is number " + std::to_string(first));
}

double Output::value(int64_t index) const {
  uint32_t bits = 0;
  std::memcpy(&bits, received.data() + bytesOf(type, offset + index), tw_dtype_bytes(type));
  return decodeAs(type, bits);
}

} // namespace benchmarks
