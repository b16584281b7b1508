#include "runtime/gpu/GpuLoading.h"

#include "runtime/Sha256.h"
#include "runtime/Text.h"

using namespace tilewright::runtime;

bool GpuLoading::keeps() const {
  return disk && disk->isWanted();
}

std::string GpuLoading::keyOf(std::span<const std::string_view> parts) const {
  if (!keeps())
    return {};
  Sha256 hash;
  for (std::string_view part : parts)
    hash.update(concat(part.size(), ':')).update(part);
  return hash.digest();
}

std::optional<DiskCacheEntry> GpuLoading::find(const std::string &key) const {
  return key.empty() ? std::nullopt : disk->find(key);
}

void GpuLoading::store(const std::string &key, const DiskCacheEntry &entry) const {
  if (!key.empty())
    disk->store(key, entry);
}
