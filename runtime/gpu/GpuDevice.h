// A GPU, as much of it as launching kernels needs: the CUDA driver's (runtime/cuda) or the emulator's (runtime/emulator).
//
// Streams are the caller's (CUstream as void *; null: the default one). What takes a stream is done in its order, and may be
// under way when the call returns; a copy to the host has been done. A device may be used by any number of threads at once.
#pragma once

#include "runtime/Status.h"
#include "runtime/gpu/GpuLoading.h"
#include "runtime/gpu/GpuTensorMap.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tilewright::runtime {

struct GpuProperties {
  std::string target;       ///< "cuda:0", "emulator": what a context was created for
  std::string name;         ///< of the product
  std::string architecture; ///< what the compiler is asked for: "sm_90a"
  int multiprocessors = 1;
  int threadsPerMultiprocessor = 2048;
  int64_t sharedBytesPerBlock = 0; ///< the most that a kernel may ask for
  int64_t memoryBytes = 0;
};

struct GpuGrid {
  uint32_t x = 1, y = 1, z = 1;
};

struct GpuLaunchShape {
  GpuGrid grid;
  uint32_t threads = 1; ///< of a block
  uint32_t sharedBytes = 0;
  uint32_t clusterBlocks = 1; ///< consecutive in x
};

/// The bytes of one of an entry's parameters.
using GpuParameter = std::span<const std::byte>;
constexpr size_t mostGpuParameters = 32;

/// An entry of a module, ready to be launched with as much dynamic shared memory as was said when it was asked for. Lives no
/// longer than its module.
class GpuFunction {
public:
  virtual ~GpuFunction() = default;
};

/// Loaded code. Keeps what it needs of its device.
class GpuModule {
public:
  virtual ~GpuModule() = default;
  virtual Result<std::unique_ptr<GpuFunction>> function(const std::string &name, uint32_t sharedBytes) = 0;
};

class GpuDevice {
public:
  virtual ~GpuDevice() = default;

  virtual const GpuProperties &properties() const = 0;

  /// Aligned to 256 bytes at least. Nothing for 0 bytes, too, has an address.
  virtual Result<GpuAddress> allocate(int64_t bytes) = 0;
  virtual Status free(GpuAddress address) = 0;
  virtual Status copyToDevice(GpuAddress to, const void *from, int64_t bytes, void *stream) = 0;
  virtual Status copyToHost(void *to, GpuAddress from, int64_t bytes, void *stream) = 0;
  virtual Status fill(GpuAddress to, uint8_t value, int64_t bytes, void *stream) = 0;

  /// The text of a PTX module. name: of the kernel.
  virtual Result<std::shared_ptr<GpuModule>> load(const std::string &name, std::string_view ptx, const GpuLoading &loading) = 0;

  /// TW_UNSUPPORTED: the driver knows no tensor maps.
  virtual Status encodeTensorMap(const GpuTensor &tensor, GpuTensorMap &map) = 0;
  /// tensor: what the map was made of, but for the address.
  virtual Status moveTensorMap(const GpuTensor &tensor, GpuTensorMap &map) = 0;

  /// Parameters are copied before this returns.
  virtual Status launch(const GpuFunction &function, const GpuLaunchShape &shape, std::span<const GpuParameter> parameters,
                        void *stream) = 0;
  virtual Status synchronize(void *stream) = 0;

  /// How long what `work` puts into the stream takes there; waits for it.
  virtual Result<int64_t> timeNanoseconds(void *stream, const std::function<Status()> &work) = 0;
};

} // namespace tilewright::runtime
