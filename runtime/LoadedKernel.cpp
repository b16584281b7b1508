#include "runtime/LoadedKernel.h"

#include "runtime/CpuFeatures.h"
#include "runtime/Text.h"

using namespace tilewright::runtime;

namespace {

template <typename Function> bool resolve(const SharedObject &object, const char *symbol, Function &to) {
  to = reinterpret_cast<Function>(object.find(symbol));
  return to != nullptr;
}

Status loadObject(LoadedKernel &to) {
  const std::string &name = to.artifact.signature.name;
  if (std::vector<std::string> absent = featuresAbsentHere(to.artifact.features); !absent.empty())
    return Status(TW_UNSUPPORTED,
                  concat("kernel ", name, " is compiled for the processor ", to.artifact.processor, ", and this one lacks ",
                         joined(absent), ": compile it for \"cpu\", which is the processor at hand"));
  Result<SharedObject> object = SharedObject::load(to.artifact.code, name);
  if (!object.ok())
    return object.takeStatus();
  to.object = std::move(*object);
  const char *missing = nullptr;
  auto need = [&](const char *symbol, auto &entry, bool isNeeded) {
    if (!resolve(to.object, symbol, entry) && isNeeded)
      missing = symbol;
  };
  need("tw_cpu_count", to.entry.count, true);
  need("tw_cpu_list", to.entry.list, to.artifact.isListed);
  need("tw_cpu_begin", to.entry.begin, true);
  need("tw_cpu_tiles", to.entry.tiles, true);
  need("tw_cpu_finish", to.entry.finish, !to.artifact.sums.empty());
  if (missing)
    return Status(TW_DAMAGED_ARTIFACT, concat("the code of kernel ", name, " has no ", missing));
  return {};
}

} // namespace

Result<std::shared_ptr<LoadedKernel>> LoadedKernel::load(std::span<const std::byte> bytes, std::shared_ptr<GpuDevice> device,
                                                         const GpuLoading &loading) {
  Result<Artifact> artifact = Artifact::parse(bytes);
  if (!artifact.ok())
    return artifact.takeStatus();
  auto loaded = std::make_shared<LoadedKernel>();
  loaded->artifact = std::move(*artifact);
  loaded->artifactBytes = bytes.size();
  if (loaded->artifact.target == "cpu") {
    if (Status status = loadObject(*loaded); !status.ok())
      return status;
  } else if (loaded->artifact.isForGpu() && device) {
    Result<std::unique_ptr<GpuKernel>> gpu = GpuKernel::load(loaded->artifact, std::move(device), loading);
    if (!gpu.ok())
      return gpu.takeStatus();
    loaded->gpu = std::move(*gpu);
  } else {
    return Status(TW_UNSUPPORTED,
                  concat("kernel ", loaded->artifact.signature.name, " is compiled for ", loaded->artifact.target,
                         loaded->artifact.isForGpu() ? ", and this context has no GPU: create one for \"cuda\" or \"emulator\""
                                                     : ", which this runtime cannot launch"));
  }
  loaded->artifact.code = {};
  return loaded;
}
