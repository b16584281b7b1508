// Device memory that is freed with its owner.
#pragma once

#include "runtime/gpu/GpuDevice.h"

#include <utility>

namespace tilewright::runtime {

class DeviceBuffer {
public:
  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer &&other) noexcept { *this = std::move(other); }
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept {
    std::swap(device, other.device);
    std::swap(start, other.start);
    std::swap(bytes, other.bytes);
    return *this;
  }
  ~DeviceBuffer() {
    if (device)
      (void)device->free(start); // nobody is left to be told
  }

  /// No bytes: no memory, and the address 0.
  static Result<DeviceBuffer> allocate(std::shared_ptr<GpuDevice> device, int64_t bytes) {
    DeviceBuffer buffer;
    if (bytes == 0)
      return buffer;
    Result<GpuAddress> address = device->allocate(bytes);
    if (!address.ok())
      return address.takeStatus();
    buffer.device = std::move(device);
    buffer.start = *address;
    buffer.bytes = bytes;
    return buffer;
  }

  GpuAddress address() const { return start; }
  int64_t size() const { return bytes; }

private:
  std::shared_ptr<GpuDevice> device;
  GpuAddress start = 0;
  int64_t bytes = 0;
};

} // namespace tilewright::runtime
