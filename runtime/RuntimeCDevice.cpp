// The part of runtime_c.h about devices and their memory.

#include "runtime/RuntimeCErrors.h"
#include "runtime/RuntimeCHandles.h"
#include "runtime/Target.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>

using namespace tilewright::runtime;

namespace {

GpuAddress toDevice(const void *address) {
  return reinterpret_cast<uintptr_t>(address);
}

constexpr size_t hostAlignment = 256;

/// onHost without a device, else onDevice(device). Both return a Status.
template <typename OnHost, typename OnDevice>
tw_status onMemory(tw_context *context, bool isComplete, tw_error **error, OnHost onHost, OnDevice onDevice) {
  return guarded(error, [&]() -> Status {
    if (!context || !isComplete)
      return isNull("context or an address");
    if (context->context->device)
      return onDevice(*context->context->device);
    onHost();
    return {};
  });
}

} // namespace

const tw_device_info *tw_context_device(const tw_context *context) {
  return context ? &context->device : nullptr;
}

tw_status tw_devices(char **json, tw_error **error) {
  return guarded(error, [&]() -> Status {
    if (!json)
      return isNull("json");
    std::string cudaTrouble;
    nlohmann::json list = nlohmann::json::array();
    for (const GpuProperties &device : devices(cudaTrouble))
      list.push_back({{"target", device.target},
                      {"name", device.name},
                      {"architecture", device.architecture},
                      {"multiprocessors", device.multiprocessors},
                      {"shared_bytes_per_block", device.sharedBytesPerBlock},
                      {"memory_bytes", device.memoryBytes}});
    return copyText(nlohmann::json{{"devices", list}, {"cuda", cudaTrouble}}.dump(), json);
  });
}

tw_status tw_memory_allocate(tw_context *context, size_t bytes, void **address, tw_error **error) {
  return guarded(error, [&]() -> Status {
    if (!context || !address)
      return isNull("context or address");
    if (bytes > PTRDIFF_MAX - hostAlignment)
      return Status(TW_OUT_OF_MEMORY, concat("there are no ", bytes, " bytes of memory"));
    if (const std::shared_ptr<GpuDevice> &device = context->context->device) {
      Result<GpuAddress> result = device->allocate(static_cast<int64_t>(bytes));
      if (result.ok())
        *address = reinterpret_cast<void *>(*result); // NOLINT(performance-no-int-to-ptr): views hold addresses as pointers
      return result.takeStatus();
    }
    size_t rounded = (bytes + hostAlignment - 1) / hostAlignment * hostAlignment;
    void *memory = std::aligned_alloc(hostAlignment, rounded ? rounded : hostAlignment);
    if (!memory)
      return Status(TW_OUT_OF_MEMORY, concat("there are no ", bytes, " bytes of memory"));
    *address = memory;
    return {};
  });
}

tw_status tw_memory_free(tw_context *context, void *address, tw_error **error) {
  return onMemory(
      context, true, error, [&] { std::free(address); },
      [&](GpuDevice &device) { return address ? device.free(toDevice(address)) : Status(); });
}

tw_status tw_memory_copy_to_device(tw_context *context, void *to, const void *from, size_t bytes, void *stream,
                                   tw_error **error) {
  return onMemory(
      context, !bytes || (to && from), error,
      [&] { std::copy_n(static_cast<const char *>(from), bytes, static_cast<char *>(to)); },
      [&](GpuDevice &device) { return device.copyToDevice(toDevice(to), from, static_cast<int64_t>(bytes), stream); });
}

tw_status tw_memory_copy_to_host(tw_context *context, void *to, const void *from, size_t bytes, void *stream,
                                 tw_error **error) {
  return onMemory(
      context, !bytes || (to && from), error,
      [&] { std::copy_n(static_cast<const char *>(from), bytes, static_cast<char *>(to)); },
      [&](GpuDevice &device) { return device.copyToHost(to, toDevice(from), static_cast<int64_t>(bytes), stream); });
}

tw_status tw_memory_fill(tw_context *context, void *to, uint8_t value, size_t bytes, void *stream, tw_error **error) {
  return onMemory(
      context, !bytes || to, error, [&] { std::fill_n(static_cast<uint8_t *>(to), bytes, value); },
      [&](GpuDevice &device) { return device.fill(toDevice(to), value, static_cast<int64_t>(bytes), stream); });
}

tw_status tw_synchronize(tw_context *context, void *stream, tw_error **error) {
  return onMemory(context, true, error, [] {}, [&](GpuDevice &device) { return device.synchronize(stream); });
}
