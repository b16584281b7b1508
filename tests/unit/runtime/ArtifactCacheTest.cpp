#include "runtime/ArtifactCache.h"

#include "runtime/LoadedKernel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

using namespace tilewright::runtime;

TEST(ArtifactCache, OneKeyIsProducedOnce) {
  ArtifactCache cache;
  std::atomic<int> produced = 0, hits = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&] {
      bool hit = false;
      auto produce = [&]() -> Result<ArtifactCache::Entry> {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ++produced;
        return ArtifactCache::Entry(std::make_shared<LoadedKernel>());
      };
      EXPECT_TRUE(cache.findOrProduce("key", produce, hit).ok());
      hits += hit;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(produced, 1);
  EXPECT_EQ(hits, 7);
  EXPECT_EQ(cache.size(), 1u);
}

TEST(ArtifactCache, AnErrorReachesAllWhoWaitAndIsNotKept) {
  ArtifactCache cache;
  std::atomic<int> produced = 0, failures = 0;
  auto fail = [&]() -> Result<ArtifactCache::Entry> {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ++produced;
    return Status(TW_COMPILATION_FAILED, "no");
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      bool hit;
      failures += cache.findOrProduce("key", fail, hit).status().message() == "no";
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 4);
  int before = produced;
  bool hit;
  EXPECT_FALSE(cache.findOrProduce("key", fail, hit).ok());
  EXPECT_EQ(produced, before + 1);
}

TEST(ArtifactCache, AnExceptionDoesNotLeaveWaitersBehind) {
  ArtifactCache cache;
  bool hit;
  auto thrower = []() -> Result<ArtifactCache::Entry> { throw std::bad_alloc(); };
  EXPECT_THROW(cache.findOrProduce("key", thrower, hit).ok(), std::bad_alloc);
  EXPECT_EQ(cache.size(), 0u);
}
