#include "runtime/Target.h"

#include "runtime/Text.h"
#include "runtime/cuda/CudaDevice.h"
#include "runtime/emulator/EmulatorDevice.h"

using namespace tilewright::runtime;

namespace {

bool isCpu(std::string_view target) {
  return target == "cpu" || target.starts_with("cpu:");
}

/// "cuda:1" → "cuda", "1".
std::pair<std::string, std::string> split(const std::string &target) {
  size_t colon = target.find(':');
  return colon == std::string::npos ? std::pair(target, std::string())
                                    : std::pair(target.substr(0, colon), target.substr(colon + 1));
}

} // namespace

Result<std::shared_ptr<GpuDevice>> tilewright::runtime::openDevice(const std::string &target, int threads) {
  if (isCpu(target))
    return std::shared_ptr<GpuDevice>();
  auto [kind, which] = split(target);
  if (kind == "emulator")
    return openEmulator(which, threads);
  if (kind == "cuda")
    return openCuda(which);
  return Status(TW_INVALID_ARGUMENT,
                concat("there is no target ", target,
                       ": expected cpu, cuda, cuda:<number of the device>, emulator or emulator:<architecture>"));
}

Status tilewright::runtime::chooseTarget(SpecializationRequest &request, const std::string &contextTarget,
                                         const GpuDevice *device) {
  if (request.target.empty())
    request.target = contextTarget;
  if (isCpu(request.target))
    return {};
  const std::string &asked = request.target;
  if (!device)
    return Status(TW_INVALID_ARGUMENT,
                  concat("a kernel for ", asked,
                         " needs a context that was created for it (tw_context_options::target), and this one is for ",
                         contextTarget));
  const GpuProperties &properties = device->properties();
  if (asked != contextTarget && asked != properties.target && asked != properties.architecture &&
      asked != split(properties.target).first)
    return Status(TW_INVALID_ARGUMENT, concat("a kernel for ", asked, " in a context for ", contextTarget, " (",
                                              properties.architecture, "): create one for ", asked));
  request.target = properties.architecture;
  request.isForGpu = true;
  return {};
}

Status tilewright::runtime::checkMemory(const Signature &signature, const Arguments &arguments, const GpuDevice *device) {
  std::string here = device ? device->properties().target : "cpu";
  for (size_t index = 0; index < signature.parameters.size(); ++index) {
    const std::optional<ViewArgument> &view = arguments.views[index];
    if (!view || view->memory == TW_MEMORY_UNKNOWN)
      continue;
    std::string there = view->memory == TW_MEMORY_HOST ? std::string("cpu") : concat("cuda:", view->memory - TW_MEMORY_CUDA);
    if (there != here)
      return Status(TW_INVALID_ARGUMENT,
                    concat("parameter ", signature.parameters[index].name, ": is in the memory of ", there,
                           ", and the kernel runs on ", here, ": copy it, or prepare the kernel for ", there));
  }
  return {};
}

std::vector<GpuProperties> tilewright::runtime::devices(std::string &cudaTrouble) {
  std::vector<GpuProperties> all;
  Result<std::vector<GpuProperties>> cuda = cudaDevices();
  if (cuda.ok())
    all = std::move(*cuda);
  else
    cudaTrouble = cuda.status().message();
  if (Result<std::shared_ptr<GpuDevice>> emulator = openEmulator("", 1); emulator.ok())
    all.push_back((*emulator)->properties());
  return all;
}
