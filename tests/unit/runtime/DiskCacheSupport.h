// A cache in a folder of its own, with a clock that stands and a log that is kept.
#pragma once

#include "runtime/DiskCache.h"
#include "runtime/Sha256.h"
#include "tests/unit/runtime/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilewright::runtime::test {

struct TestCache {
  explicit TestCache(const std::string &folder, int64_t mostBytes = DiskCacheOptions::defaultBytes)
      : log(&TestCache::record, this, TW_LOG_WARNING), cache({folder, mostBytes, [this] { return time; }}, log) {}

  static void record(void *self, tw_log_level, const char *message) {
    static_cast<TestCache *>(self)->warnings.emplace_back(message);
  }
  std::string found(const std::string &name) {
    std::optional<DiskCacheEntry> entry = cache.find(sha256(name));
    return entry ? entry->bytes : "(nothing)";
  }
  void store(const std::string &name, const std::string &bytes) {
    cache.store(sha256(name), {"artifact", name, "cpu", "build", "", 5, bytes});
  }

  std::vector<std::string> warnings;
  int64_t time = 1'000'000;
  Log log;
  DiskCache cache;
};

} // namespace tilewright::runtime::test
