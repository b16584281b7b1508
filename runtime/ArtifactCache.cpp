#include "runtime/ArtifactCache.h"

using namespace tilewright::runtime;

Result<ArtifactCache::Entry> ArtifactCache::findOrProduce(const std::string &key, const Produce &produce, bool &hit) {
  std::promise<Outcome> promise;
  std::shared_future<Outcome> future;
  {
    std::lock_guard lock(mutex);
    auto [found, isNew] = outcomes.try_emplace(key);
    hit = !isNew;
    if (isNew)
      found->second = promise.get_future().share();
    future = found->second;
  }
  if (!hit) {
    Outcome outcome;
    try {
      Result<Entry> result = produce();
      if (result.ok())
        outcome.entry = std::move(*result);
      else
        outcome.failure = std::make_shared<Status>(result.takeStatus());
    } catch (...) { // out of memory: whoever waits must hear of it
      {
        std::lock_guard lock(mutex);
        outcomes.erase(key);
      }
      promise.set_exception(std::current_exception());
      throw;
    }
    if (outcome.failure) {
      std::lock_guard lock(mutex);
      outcomes.erase(key);
    }
    promise.set_value(std::move(outcome));
  }
  const Outcome &outcome = future.get();
  if (outcome.failure)
    return outcome.failure->copy();
  return outcome.entry;
}

size_t ArtifactCache::size() const {
  std::lock_guard lock(mutex);
  return outcomes.size();
}
