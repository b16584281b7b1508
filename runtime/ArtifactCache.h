// Compiled kernels by key, and one compilation for each key.
//
// The first thread that asks for a key produces it; others that ask meanwhile wait for that, and get the same result or the
// same error. An error is not kept: the next to ask tries again. What is produced stays until the cache dies, since launchables
// of any age may use it.
//
// This is the memory half; the disk half (DiskCache.h) stands behind `produce`, between a miss here and the compiler.
#pragma once

#include "runtime/Status.h"

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tilewright::runtime {

struct LoadedKernel;

class ArtifactCache {
public:
  using Entry = std::shared_ptr<const LoadedKernel>;
  using Produce = std::function<Result<Entry>()>;

  /// hit: whether somebody else's production served.
  Result<Entry> findOrProduce(const std::string &key, const Produce &produce, bool &hit);

  size_t size() const;

private:
  /// An entry, or why there is none.
  struct Outcome {
    Entry entry;
    std::shared_ptr<const Status> failure;
  };

  mutable std::mutex mutex;
  std::unordered_map<std::string, std::shared_future<Outcome>> outcomes;
};

} // namespace tilewright::runtime
