// The threads that tiles run on. oneTBB's, which a host that uses it too shares instead of doubling (docs/decisions/0003).
#pragma once

#include <cstdint>
#include <memory>

namespace tilewright::runtime {

class ThreadPool {
public:
  /// threads: the caller of a loop included. No thread starts before the first parallel loop.
  explicit ThreadPool(int threads);
  ~ThreadPool();

  int threads() const { return threadCount; }

  /// Calls body(first, last, thread) for parts of 0..count that together are all of it, none smaller than `grain` unless the
  /// rest is; `thread` is below threads(), and no two calls run at once with the same one. Returns when all have. May be called
  /// from several threads at once.
  template <typename Body> void forEach(int64_t count, int64_t grain, const Body &body) {
    run(
        count, grain,
        [](const void *self, int64_t first, int64_t last, int thread) {
          (*static_cast<const Body *>(self))(first, last, thread);
        },
        &body);
  }

private:
  using Call = void (*)(const void *self, int64_t first, int64_t last, int thread);
  void run(int64_t count, int64_t grain, Call call, const void *self);

  struct Arena;
  int threadCount;
  std::unique_ptr<Arena> arena;
};

/// As many threads as this process may run at once.
int availableThreads();

} // namespace tilewright::runtime
