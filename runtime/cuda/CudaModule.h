// Code on a GPU: assembled, loaded, and unloaded with its last owner.
#pragma once

#include "runtime/cuda/CudaContext.h"

#include <string>

namespace tilewright::runtime::cuda {

struct CudaFunction : GpuFunction {
  explicit CudaFunction(Function handle) : handle(handle) {}

  Function handle;
};

class CudaModule : public GpuModule {
public:
  /// By ptxas if there is one, whose code is kept on disk, else by the driver, which has a cache of its own.
  static Result<std::shared_ptr<GpuModule>> load(std::shared_ptr<const CudaContext> context, const std::string &kernel,
                                                 std::string_view ptx, const std::string &architecture,
                                                 const GpuLoading &loading);

  CudaModule(std::shared_ptr<const CudaContext> context, Module handle, std::string kernel)
      : context(std::move(context)), handle(handle), kernel(std::move(kernel)) {}
  ~CudaModule() override;

  Result<std::unique_ptr<GpuFunction>> function(const std::string &name, uint32_t sharedBytes) override;

private:
  std::shared_ptr<const CudaContext> context;
  Module handle;
  std::string kernel;
};

} // namespace tilewright::runtime::cuda
