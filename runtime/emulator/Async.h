// cp.async: copies that are under way.
//
// The hardware may finish one at any time between its issue and the wait that covers it. Here it happens as late as it can:
// source bytes are read and destination bytes appear at the wait, and until then every access to the destination is a fault.
// With a seed, a copy may also happen early; its destination stays in flight, because no wait has covered it. A
// cp.async.mbarrier.arrive happens when nothing else can go on, or by seed before.
#pragma once

#include "runtime/emulator/Shadow.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilewright::runtime::emulator {

class Block;
struct Range;

struct Copy {
  Accessor who;
  uint32_t destination = 0; // in shared memory
  uint32_t bytes = 0;
  uint32_t sourceBytes = 0; // the rest is zeros
  const std::byte *source = nullptr;
  bool hasLanded = false; // the bytes are there
  bool isDone = false;    // and a wait has covered them
};

struct AsyncArrive {
  uint32_t mbarrier = 0;
  Accessor who;
  std::vector<std::shared_ptr<Copy>> copies;
};

class Async {
public:
  explicit Async(unsigned threads) : threads(threads) {}

  void issue(Block &block, unsigned thread, const Copy &copy);
  void commit(unsigned thread);
  /// Completes all but the newest `left` groups of a thread.
  void wait(Block &block, unsigned thread, uint32_t left);
  void waitAll(Block &block, unsigned thread);
  /// When all copies the thread has issued are done, an arrival at an mbarrier follows.
  void arriveAfter(unsigned thread, uint32_t mbarrier, const Accessor &who);

  /// Lets the `index`-th pending arrival happen.
  void fire(Block &block, size_t index);
  size_t pendingArrives() const { return arrives.size(); }

private:
  struct Thread {
    std::vector<std::shared_ptr<Copy>> open;
    std::vector<std::vector<std::shared_ptr<Copy>>> groups; // committed, the oldest first
  };
  void land(Block &block, Copy &copy);
  void complete(Block &block, Copy &copy);

  /// Most kernels copy nothing: threads are made when the first copy is.
  Thread &ofThread(unsigned thread) {
    if (lanes.empty())
      lanes.resize(threads);
    return lanes[thread];
  }

  unsigned threads;
  std::vector<Thread> lanes;
  std::vector<AsyncArrive> arrives;
};

} // namespace tilewright::runtime::emulator
