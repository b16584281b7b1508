// A device that executes PTX on the CPU, in the manner of the CUDA driver: memory, modules, launches.
//
//   Device device;
//   auto module = device.load("add.ptx", text);
//   auto x = device.allocate(4096, "x");
//   device.copyToDevice(*x, host, 4096);
//   ParameterBuffer parameters;
//   parameters.add(*x);
//   auto report = device.launch(**module, "add", {.grid = {8}, .block = {128}}, parameters);
//   if (report.ok() && !report->ok()) puts(report->text().c_str());
//
// A kernel's tensor maps are made by encodeTensorMap and passed as parameters, or copied to memory.
//
// A launch returns when the grid has ended. A fault of the kernel is part of the report; a status says that the call itself was
// wrong. Not to be used by two threads at once.
#pragma once

#include "runtime/emulator/Launch.h"
#include "runtime/emulator/TensorMap.h"

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tilewright::runtime::emulator {

/// A kernel's parameters, each at its natural alignment, as PTX lays them out.
class ParameterBuffer {
public:
  template <typename T> void add(const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    addBytes(&value, sizeof(T), alignof(T));
  }
  void addBytes(const void *data, size_t size, size_t alignment) {
    size_t offset = (bytes.size() + alignment - 1) / alignment * alignment;
    bytes.resize(offset + size);
    memcpy(bytes.data() + offset, data, size);
  }
  std::span<const std::byte> get() const { return bytes; }

private:
  std::vector<std::byte> bytes;
};

class Module {
public:
  const Program &program() const { return *content; }
  std::vector<std::string> kernels() const;

private:
  friend class Device;
  std::shared_ptr<Program> content;
  std::vector<uint64_t> variables; // addresses
};

struct DeviceLimits {
  uint32_t sharedBytesPerBlock = 227 * 1024;
  uint32_t threadsPerBlock = 1024;
  uint32_t blocksPerCluster = 16; // 8 are portable
  unsigned capability = 120;      // modules for later targets are refused
};

class Device {
public:
  explicit Device(DeviceLimits limits = {}) : limits(limits) {}

  Result<uint64_t> allocate(uint64_t bytes, std::string name = {}) { return memory.allocate(bytes, std::move(name)); }
  Status free(uint64_t address) { return memory.remove(address); }
  /// Host memory that kernels may use under its own address.
  Status registerHost(void *host, uint64_t bytes, std::string name = {}) {
    return memory.registerHost(host, bytes, std::move(name));
  }
  Status unregisterHost(void *host) { return memory.remove(reinterpret_cast<uintptr_t>(host)); }
  Status copyToDevice(uint64_t to, const void *from, uint64_t bytes);
  Status copyToHost(void *to, uint64_t from, uint64_t bytes);
  Status fill(uint64_t to, uint8_t value, uint64_t bytes);

  Result<std::shared_ptr<Module>> load(std::string name, std::string text);
  Status unload(Module &module);
  /// Address and size of a module's .global or .const variable.
  Result<std::pair<uint64_t, uint64_t>> variable(const Module &module, std::string_view name) const;

  Result<LaunchReport> launch(const Module &module, std::string_view kernel, const LaunchShape &shape,
                              std::span<const std::byte> parameters, const LaunchOptions &options = {});

private:
  Status checkCluster(const Function &kernel, const LaunchShape &shape) const;
  Status checkLaunch(const Function &kernel, const LaunchShape &shape, std::span<const std::byte> parameters) const;

  DeviceLimits limits;
  GlobalMemory memory;
  uint64_t launches = 0;
};

} // namespace tilewright::runtime::emulator
