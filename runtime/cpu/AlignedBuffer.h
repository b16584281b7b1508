// Memory that is aligned to a cache line, not initialized, and freed with its owner.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace tilewright::runtime {

class AlignedBuffer {
public:
  static constexpr size_t alignment = 64;
  static constexpr size_t rounded(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

  AlignedBuffer() = default;
  explicit AlignedBuffer(size_t bytes) : bytes(rounded(bytes)) {
    if (this->bytes == 0)
      return;
    memory.reset(static_cast<std::byte *>(std::aligned_alloc(alignment, this->bytes)));
    if (!memory)
      throw std::bad_alloc();
  }

  std::byte *data() const { return memory.get(); }
  size_t size() const { return bytes; }

private:
  struct Free {
    void operator()(std::byte *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<std::byte, Free> memory;
  size_t bytes = 0;
};

} // namespace tilewright::runtime
