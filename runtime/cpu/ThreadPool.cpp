#include "runtime/cpu/ThreadPool.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <optional>
#include <sched.h>
#include <thread>

using namespace tilewright::runtime;

struct ThreadPool::Arena {
  explicit Arena(int threads) : tasks(threads) {
    // More threads than processors is what tests want; oneTBB has to be told that it is meant.
    if (threads > tbb::info::default_concurrency())
      limit.emplace(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads));
  }

  std::optional<tbb::global_control> limit;
  tbb::task_arena tasks;
};

ThreadPool::ThreadPool(int threads) : threadCount(threads), arena(std::make_unique<Arena>(threads)) {}
ThreadPool::~ThreadPool() = default;

void ThreadPool::run(int64_t count, int64_t grain, Call call, const void *self) {
  arena->tasks.execute([&] {
    // The caller of a kernel may be a task of the host: a cancellation of the host's group must not stop ours half way.
    tbb::task_group_context isolated(tbb::task_group_context::isolated);
    tbb::parallel_for(
        tbb::blocked_range<int64_t>(0, count, static_cast<size_t>(std::max<int64_t>(grain, 1))),
        [&](const tbb::blocked_range<int64_t> &range) {
          call(self, range.begin(), range.end(), tbb::this_task_arena::current_thread_index());
        },
        isolated);
  });
}

int tilewright::runtime::availableThreads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}
