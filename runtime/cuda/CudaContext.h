// What modules, functions and the device share: the driver and the CUDA context.
#pragma once

#include "runtime/cuda/Driver.h"
#include "runtime/gpu/GpuDevice.h"

#include <memory>
#include <utility>

namespace tilewright::runtime::cuda {

class CudaContext {
public:
  CudaContext(std::shared_ptr<const Driver> driver, Device device, Context context, bool isRetained)
      : driver(std::move(driver)), device(device), context(context), isRetained(isRetained) {}
  ~CudaContext() {
    if (isRetained)
      driver->primaryContextRelease(device);
  }
  CudaContext(const CudaContext &) = delete;
  CudaContext &operator=(const CudaContext &) = delete;

  const std::shared_ptr<const Driver> driver;
  const Device device;
  const Context context;

private:
  bool isRetained;
};

/// Makes a context the thread's current one, for a scope.
class CurrentContext {
public:
  explicit CurrentContext(const CudaContext &of) : driver(*of.driver) {
    Context current = nullptr;
    if (driver.currentContext(&current) == success && current == of.context)
      return;
    status = driver.check(driver.pushContext(of.context), "cuCtxPushCurrent");
    isPushed = status.ok();
  }
  ~CurrentContext() {
    Context popped = nullptr;
    if (isPushed)
      driver.popContext(&popped);
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

  Status status;

private:
  const Driver &driver;
  bool isPushed = false;
};

} // namespace tilewright::runtime::cuda
