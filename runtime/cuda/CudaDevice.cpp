#include "runtime/cuda/CudaDevice.h"

#include "runtime/Text.h"
#include "runtime/cuda/CudaModule.h"

#include <algorithm>
#include <cassert>
#include <charconv>

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

namespace {

/// From Hopper on the architecture's own instructions are used: sm_90a.
std::string architectureOf(int major, int minor) {
  return concat("sm_", major * 10 + minor, major >= 9 ? "a" : "");
}

Result<GpuProperties> propertiesOf(const Driver &driver, Device device) {
  GpuProperties properties;
  properties.target = concat("cuda:", device);
  char name[256] = {};
  if (Status status = driver.check(driver.deviceName(name, sizeof(name) - 1, device), "cuDeviceGetName"); !status.ok())
    return status;
  properties.name = name;
  size_t bytes = 0;
  if (Status status = driver.check(driver.deviceMemory(&bytes, device), "cuDeviceTotalMem"); !status.ok())
    return status;
  properties.memoryBytes = static_cast<int64_t>(bytes);
  int major = 0, minor = 0, shared = 0;
  for (auto [attribute, to] : {std::pair(capabilityMajor, &major),
                               {capabilityMinor, &minor},
                               {multiprocessorCount, &properties.multiprocessors},
                               {maxThreadsPerMultiprocessor, &properties.threadsPerMultiprocessor},
                               {maxSharedMemoryPerBlockOptin, &shared}})
    if (Status status = driver.check(driver.deviceAttribute(to, attribute, device), "cuDeviceGetAttribute"); !status.ok())
      return status;
  properties.architecture = architectureOf(major, minor);
  properties.sharedBytesPerBlock = shared;
  return properties;
}

/// Copies move bits, so what has no type of its own is a number of its size.
int tensorTypeOf(const GpuTensor &tensor) {
  if (tensor.roundsToTF32)
    return tensorTF32;
  switch (tensor.dtype) {
  case TW_F64:
    return tensorF64;
  case TW_F32:
    return tensorF32;
  case TW_F16:
    return tensorF16;
  case TW_BF16:
    return tensorBF16;
  case TW_I64:
    return tensorI64;
  case TW_I32:
    return tensorI32;
  case TW_I16:
    return tensorU16;
  default:
    return tensorU8;
  }
}

/// CUtensorMapSwizzle
int tensorSwizzleOf(unsigned bytes) {
  return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0;
}

void *pointerTo(GpuAddress address) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(address)); // NOLINT(performance-no-int-to-ptr): the driver's type
}

class CudaDevice : public GpuDevice {
public:
  CudaDevice(std::shared_ptr<const CudaContext> context, GpuProperties properties)
      : context(std::move(context)), driver(*this->context->driver), known(std::move(properties)) {}

  const GpuProperties &properties() const override { return known; }

  Result<GpuAddress> allocate(int64_t bytes) override {
    Address address = 0;
    Status status = call("cuMemAlloc", [&] { return driver.allocate(&address, bytes ? static_cast<size_t>(bytes) : 1); });
    if (status.code() == TW_OUT_OF_MEMORY)
      return Status(TW_OUT_OF_MEMORY, concat(known.target, " has no ", bytes, " bytes of memory left: ", status.message()));
    if (!status.ok())
      return status;
    return GpuAddress(address);
  }
  Status free(GpuAddress address) override {
    return call("cuMemFree", [&] { return driver.free(address); });
  }
  /// Waits: pinned memory would otherwise be read later.
  Status copyToDevice(GpuAddress to, const void *from, int64_t bytes, void *stream) override {
    return callAndWait("cuMemcpyHtoDAsync", stream, bytes,
                       [&] { return driver.copyToDevice(to, from, static_cast<size_t>(bytes), static_cast<Stream>(stream)); });
  }
  Status copyToHost(void *to, GpuAddress from, int64_t bytes, void *stream) override {
    return callAndWait("cuMemcpyDtoHAsync", stream, bytes,
                       [&] { return driver.copyToHost(to, from, static_cast<size_t>(bytes), static_cast<Stream>(stream)); });
  }
  Status fill(GpuAddress to, uint8_t value, int64_t bytes, void *stream) override {
    if (bytes == 0)
      return {};
    return call("cuMemsetD8Async",
                [&] { return driver.fill(to, value, static_cast<size_t>(bytes), static_cast<Stream>(stream)); });
  }

  Result<std::shared_ptr<GpuModule>> load(const std::string &name, std::string_view ptx, const GpuLoading &loading) override {
    return CudaModule::load(context, name, ptx, known.architecture, loading);
  }

  /// How much is fetched to L2 at a time. Where rows begin within 256 bytes, as much more would be fetched for each as lies beside it: rows of 2,000
  /// bytes took 12 % longer.
  static int promotionOf(const GpuTensor &tensor) {
    constexpr uint64_t most = 256;
    auto isWhole = [&](uint64_t stride) { return stride % most == 0; };
    return std::all_of(tensor.strides.begin(), tensor.strides.begin() + (tensor.rank - 1), isWhole) ? promoteTo256Bytes : promoteTo128Bytes;
  }

  Status encodeTensorMap(const GpuTensor &tensor, GpuTensorMap &map) override {
    if (!driver.tensorMapEncodeTiled)
      return Status(TW_UNSUPPORTED, "the CUDA driver has no cuTensorMapEncodeTiled: install one of CUDA 12.0 or later");
    constexpr uint32_t ones[GpuTensor::mostDimensions] = {1, 1, 1, 1, 1};
    return call("cuTensorMapEncodeTiled", [&] {
      return driver.tensorMapEncodeTiled(map.bytes.data(), tensorTypeOf(tensor), tensor.rank, pointerTo(tensor.address),
                                         tensor.extents.data(), tensor.strides.data(), tensor.box.data(), ones, interleaveNone,
                                         tensorSwizzleOf(tensor.swizzleBytes), promotionOf(tensor), fillZeros);
    });
  }
  Status moveTensorMap(const GpuTensor &tensor, GpuTensorMap &map) override {
    if (!driver.tensorMapReplaceAddress)
      return encodeTensorMap(tensor, map);
    return call("cuTensorMapReplaceAddress",
                [&] { return driver.tensorMapReplaceAddress(map.bytes.data(), pointerTo(tensor.address)); });
  }

  Status launch(const GpuFunction &function, const GpuLaunchShape &shape, std::span<const GpuParameter> parameters,
                void *stream) override {
    void *addresses[mostGpuParameters];
    assert(parameters.size() <= mostGpuParameters);
    for (size_t index = 0; index < parameters.size(); ++index)
      addresses[index] = const_cast<std::byte *>(parameters[index].data());
    LaunchAttribute cluster = {clusterDimension, {}, {}};
    cluster.value.cluster = {shape.clusterBlocks, 1, 1};
    LaunchConfiguration configuration = {shape.grid.x,
                                         shape.grid.y,
                                         shape.grid.z,
                                         shape.threads,
                                         1,
                                         1,
                                         shape.sharedBytes,
                                         static_cast<Stream>(stream),
                                         &cluster,
                                         shape.clusterBlocks > 1 ? 1u : 0u};
    return call("cuLaunchKernelEx", [&] {
      return driver.launch(&configuration, static_cast<const CudaFunction &>(function).handle, addresses, nullptr);
    });
  }

  Status synchronize(void *stream) override {
    return call("cuStreamSynchronize", [&] { return driver.streamSynchronize(static_cast<Stream>(stream)); });
  }

  Result<int64_t> timeNanoseconds(void *stream, const std::function<Status()> &work) override {
    CurrentContext current(*context);
    if (!current.status.ok())
      return std::move(current.status);
    Event events[2] = {};
    Status status;
    auto also = [&](Code code, const char *what) {
      if (status.ok())
        status = driver.check(code, what);
    };
    for (Event &event : events)
      also(driver.eventCreate(&event, 0), "cuEventCreate");
    if (status.ok())
      also(driver.eventRecord(events[0], static_cast<Stream>(stream)), "cuEventRecord");
    if (status.ok())
      status = work();
    float milliseconds = 0;
    if (status.ok()) {
      also(driver.eventRecord(events[1], static_cast<Stream>(stream)), "cuEventRecord");
      also(driver.eventSynchronize(events[1]), "cuEventSynchronize");
      also(driver.eventElapsed(&milliseconds, events[0], events[1]), "cuEventElapsedTime");
    }
    for (Event event : events)
      if (event)
        driver.eventDestroy(event);
    if (!status.ok())
      return status;
    return static_cast<int64_t>(static_cast<double>(milliseconds) * 1e6);
  }

private:
  template <typename Body> Status call(const char *what, const Body &body) const {
    CurrentContext current(*context);
    return current.status.ok() ? driver.check(body(), what) : std::move(current.status);
  }
  template <typename Body> Status callAndWait(const char *what, void *stream, int64_t bytes, const Body &body) {
    if (bytes == 0)
      return {};
    Status status = call(what, body);
    return status.ok() ? synchronize(stream) : std::move(status);
  }

  std::shared_ptr<const CudaContext> context;
  const Driver &driver;
  GpuProperties known;
};

Result<Device> deviceNumbered(const Driver &driver, const std::string &ordinal) {
  int number = 0, count = 0;
  auto [end, error] = std::from_chars(ordinal.data(), ordinal.data() + ordinal.size(), number);
  if (!ordinal.empty() && (error != std::errc() || end != ordinal.data() + ordinal.size() || number < 0))
    return Status(TW_INVALID_ARGUMENT, concat("cuda:", ordinal, " does not name a device: expected cuda:0, cuda:1, …"));
  if (Status status = driver.check(driver.deviceCount(&count), "cuDeviceGetCount"); !status.ok())
    return status;
  if (number >= count)
    return Status(TW_UNSUPPORTED, concat("there is no device cuda:", number, ": the CUDA driver knows ", count,
                                         count == 1 ? " device" : " devices"));
  Device device = 0;
  if (Status status = driver.check(driver.deviceGet(&device, number), "cuDeviceGet"); !status.ok())
    return status;
  return device;
}

} // namespace

Result<std::shared_ptr<GpuDevice>> tilewright::runtime::openCuda(const std::string &ordinal) {
  Result<std::shared_ptr<const Driver>> loaded = Driver::load();
  if (!loaded.ok())
    return loaded.takeStatus();
  const Driver &driver = **loaded;
  Context context = nullptr;
  Device device = 0;
  if (ordinal.empty())
    if (Status status = driver.check(driver.currentContext(&context), "cuCtxGetCurrent"); !status.ok())
      return status;
  bool isCallers = context != nullptr;
  if (isCallers) {
    if (Status status = driver.check(driver.currentDevice(&device), "cuCtxGetDevice"); !status.ok())
      return status;
  } else {
    Result<Device> numbered = deviceNumbered(driver, ordinal);
    if (!numbered.ok())
      return numbered.takeStatus();
    device = *numbered;
    if (Status status = driver.check(driver.primaryContextRetain(&context, device), "cuDevicePrimaryCtxRetain"); !status.ok())
      return status;
  }
  auto shared = std::make_shared<const CudaContext>(*loaded, device, context, !isCallers);
  Result<GpuProperties> properties = propertiesOf(driver, device);
  if (!properties.ok())
    return properties.takeStatus();
  return std::shared_ptr<GpuDevice>(new CudaDevice(std::move(shared), std::move(*properties)));
}

Result<std::vector<GpuProperties>> tilewright::runtime::cudaDevices() {
  Result<std::shared_ptr<const Driver>> loaded = Driver::load();
  if (!loaded.ok())
    return loaded.takeStatus();
  const Driver &driver = **loaded;
  int count = 0;
  if (Status status = driver.check(driver.deviceCount(&count), "cuDeviceGetCount"); !status.ok())
    return status;
  std::vector<GpuProperties> all;
  for (int number = 0; number < count; ++number) {
    Device device = 0;
    if (Status status = driver.check(driver.deviceGet(&device, number), "cuDeviceGet"); !status.ok())
      return status;
    Result<GpuProperties> properties = propertiesOf(driver, device);
    if (!properties.ok())
      return properties.takeStatus();
    all.push_back(std::move(*properties));
  }
  return all;
}
