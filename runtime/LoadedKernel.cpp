#include "runtime/LoadedKernel.h"

#include "runtime/CpuFeatures.h"
#include "runtime/Text.h"

using namespace tilewright::runtime;

namespace {

template <typename Function> bool resolve(const SharedObject &object, const char *symbol, Function &to) {
  to = reinterpret_cast<Function>(object.find(symbol));
  return to != nullptr;
}

} // namespace

Result<std::shared_ptr<LoadedKernel>> LoadedKernel::load(std::span<const std::byte> bytes) {
  Result<Artifact> artifact = Artifact::parse(bytes);
  if (!artifact.ok())
    return artifact.takeStatus();
  const std::string &name = artifact->signature.name;
  if (artifact->target != "cpu")
    return Status(TW_UNSUPPORTED,
                  concat("kernel ", name, " is compiled for ", artifact->target, ", which this runtime cannot launch"));
  if (std::vector<std::string> absent = featuresAbsentHere(artifact->features); !absent.empty())
    return Status(TW_UNSUPPORTED,
                  concat("kernel ", name, " is compiled for the processor ", artifact->processor, ", and this one lacks ",
                         joined(absent), ": compile it for \"cpu\", which is the processor at hand"));
  Result<SharedObject> object = SharedObject::load(artifact->code, name);
  if (!object.ok())
    return object.takeStatus();

  auto loaded = std::make_shared<LoadedKernel>();
  loaded->artifact = std::move(*artifact);
  loaded->artifact.code = {};
  loaded->object = std::move(*object);
  loaded->artifactBytes = bytes.size();
  const char *missing = nullptr;
  auto need = [&](const char *symbol, auto &to, bool isNeeded) {
    if (!resolve(loaded->object, symbol, to) && isNeeded)
      missing = symbol;
  };
  need("tw_cpu_count", loaded->entry.count, true);
  need("tw_cpu_list", loaded->entry.list, loaded->artifact.isListed);
  need("tw_cpu_begin", loaded->entry.begin, true);
  need("tw_cpu_tiles", loaded->entry.tiles, true);
  need("tw_cpu_finish", loaded->entry.finish, !loaded->artifact.sums.empty());
  if (missing)
    return Status(TW_DAMAGED_ARTIFACT, concat("the code of kernel ", loaded->artifact.signature.name, " has no ", missing));
  return loaded;
}
