#include "runtime/cpu/FreeList.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

using namespace tilewright::runtime;

TEST(FreeList, LendsEachObjectOnce) {
  struct Object {
    std::atomic<int> users = 0;
  };
  static std::atomic<int> made = 0;
  FreeList<Object, 4> list;
  std::atomic<bool> shared = false;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&] {
      for (int round = 0; round < 20'000; ++round) {
        std::unique_ptr<Object> object = list.take();
        if (!object) {
          object = std::make_unique<Object>();
          ++made;
        }
        if (++object->users != 1)
          shared = true;
        --object->users;
        list.giveBack(std::move(object));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_FALSE(shared);
  EXPECT_GT(made, 0);
}
