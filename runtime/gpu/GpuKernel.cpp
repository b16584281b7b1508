#include "runtime/gpu/GpuKernel.h"

#include "runtime/Text.h"
#include "runtime/cuda/CudaFunctions.h"

#include <charconv>

using namespace tilewright::runtime;

namespace {

/// The number of "sm_90a"; 0 if there is none.
int numberOf(std::string_view architecture) {
  int number = 0;
  if (architecture.starts_with("sm_"))
    std::from_chars(architecture.data() + 3, architecture.data() + architecture.size(), number);
  return number;
}

bool isSpecific(std::string_view architecture) {
  return architecture.ends_with('a') || architecture.ends_with('f');
}

} // namespace

bool tilewright::runtime::executes(std::string_view device, std::string_view code) {
  if (device == code)
    return true;
  return numberOf(code) > 0 && !isSpecific(code) && numberOf(code) <= numberOf(device);
}

Result<std::unique_ptr<GpuKernel>> GpuKernel::load(const Artifact &artifact, std::shared_ptr<GpuDevice> device,
                                                   const GpuLoading &loading) {
  const std::string &name = artifact.signature.name;
  const GpuProperties &properties = device->properties();
  if (!executes(properties.architecture, artifact.processor))
    return Status(TW_UNSUPPORTED, concat("kernel ", name, " is compiled for ", artifact.processor, ", and ", properties.target,
                                         " is an ", properties.architecture, ": compile it for the device at hand"));
  if (artifact.gpu.sharedBytes > properties.sharedBytesPerBlock)
    return Status(TW_UNSUPPORTED,
                  concat("kernel ", name, " needs ", artifact.gpu.sharedBytes, " bytes of shared memory for a block, and ",
                         properties.target, " has ", properties.sharedBytesPerBlock, ": bind smaller tunables"));
  auto kernel = std::make_unique<GpuKernel>();
  std::string_view text(reinterpret_cast<const char *>(artifact.code.data()), artifact.code.size());
  std::string complete;
  if (!artifact.gpu.functions.text.empty()) {
    Result<std::string> merged = cuda::withCudaFunctions(name, text, artifact.gpu.functions, properties.architecture, loading);
    if (!merged.ok())
      return merged.takeStatus();
    complete = std::move(*merged);
    text = complete;
  }
  Result<std::shared_ptr<GpuModule>> module = device->load(name, text, loading);
  if (!module.ok())
    return module.takeStatus();
  auto find = [&](const std::string &entry, int64_t sharedBytes, std::unique_ptr<GpuFunction> &to) -> Status {
    if (entry.empty())
      return {};
    Result<std::unique_ptr<GpuFunction>> function = (*module)->function(entry, static_cast<uint32_t>(sharedBytes));
    if (function.ok())
      to = std::move(*function);
    return function.takeStatus();
  };
  if (Status status = find(artifact.gpu.tiles, artifact.gpu.sharedBytes, kernel->tiles); !status.ok())
    return status;
  if (Status status = find(artifact.gpu.begin, 0, kernel->begin); !status.ok())
    return status;
  if (Status status = find(artifact.gpu.finish, 0, kernel->finish); !status.ok())
    return status;
  kernel->device = std::move(device);
  kernel->module = std::move(*module);
  return kernel;
}
