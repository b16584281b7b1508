// What a device may use while it loads code.
#pragma once

#include "runtime/DiskCache.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilewright::runtime {

struct GpuLoading {
  std::function<void(std::string)> warn = [](const std::string &) {}; ///< what an assembler says that somebody should know
  DiskCache *disk = nullptr;                                          ///< where what was made here may be kept

  bool keeps() const; ///< what was made here
  /// Of what is made of these parts; "": nothing is kept.
  std::string keyOf(std::span<const std::string_view> parts) const;
  std::optional<DiskCacheEntry> find(const std::string &key) const;
  void store(const std::string &key, const DiskCacheEntry &entry) const;
};

} // namespace tilewright::runtime
