#include "tests/unit/runtime/DiskCacheSupport.h"

#include <atomic>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

using namespace tilewright::runtime;
using namespace tilewright::runtime::test;

TEST(DiskCache, FindsWhatAnotherStored) {
  TemporaryFolder folder;
  std::string bytes("code\0code", 9);
  TestCache writer(folder.path), reader(folder.path);
  EXPECT_EQ(writer.found("add"), "(nothing)");
  writer.cache.store(sha256("add"), {"artifact", "add", "cpu", "build 7", "slow", 123, bytes});
  std::optional<DiskCacheEntry> entry = reader.cache.find(sha256("add"));
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->bytes, bytes);
  EXPECT_EQ(entry->kind + entry->name + entry->target + entry->build + entry->warnings, "artifactaddcpubuild 7slow");
  EXPECT_EQ(entry->compileNanoseconds, 123);
  EXPECT_EQ(reader.found("sub"), "(nothing)");
  EXPECT_TRUE(writer.warnings.empty() && reader.warnings.empty());
}

TEST(DiskCache, TheFolderIsMadeWhenSomethingIsStored) {
  TemporaryFolder folder;
  TestCache test(folder / "deep/er");
  EXPECT_EQ(test.found("add"), "(nothing)");
  EXPECT_FALSE(std::filesystem::exists(folder / "deep")) << "looking makes nothing";
  test.store("add", "code");
  struct stat found;
  ASSERT_EQ(stat((folder / "deep/er").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0700u);
  EXPECT_EQ(test.found("add"), "code");
}

TEST(DiskCache, OffHoldsNothing) {
  TestCache test("");
  test.store("add", "code");
  EXPECT_EQ(test.found("add"), "(nothing)");
  EXPECT_FALSE(test.cache.lockForProduction(sha256("add")).isHeld());
  EXPECT_TRUE(test.warnings.empty());
}

TEST(DiskCache, StoringAgainReplaces) {
  TemporaryFolder folder;
  TestCache test(folder.path);
  test.store("add", "old");
  test.store("add", "new");
  EXPECT_EQ(test.found("add"), "new");
  EXPECT_EQ(test.cache.list()->size(), 1u);
}

TEST(DiskCache, TheLeastRecentlyUsedGoFirst) {
  TemporaryFolder folder;
  TestCache test(folder.path, 1000);
  for (const char *name : {"a", "b", "c"}) {
    test.time += 10;
    test.store(name, std::string(300, *name));
  }
  test.time += 2 * 3600; // a use is noted once an hour
  EXPECT_EQ(test.found("a").size(), 300u);
  test.time += 10;
  test.store("d", std::string(300, 'd'));
  EXPECT_EQ(test.found("b"), "(nothing)");
  for (const char *name : {"a", "c", "d"})
    EXPECT_EQ(test.found(name), std::string(300, *name));
  test.store("large", std::string(900, 'l'));
  EXPECT_EQ(test.found("large").size(), 900u);
  EXPECT_EQ(test.cache.list()->size(), 1u);
  test.store("too large", std::string(1001, 't'));
  EXPECT_EQ(test.found("too large"), "(nothing)");
  EXPECT_EQ(test.found("large").size(), 900u) << "what never fits pushes nothing out";
  EXPECT_TRUE(test.warnings.empty());
}

TEST(DiskCache, UsesWithinAnHourAreNotWritten) {
  TemporaryFolder folder;
  TestCache test(folder.path);
  test.store("a", "code");
  test.time += 3600;
  test.found("a");
  EXPECT_EQ((*test.cache.list())[0].used, 1'000'000);
  test.time += 1;
  test.found("a");
  EXPECT_EQ((*test.cache.list())[0].used, 1'003'601);
}

TEST(DiskCache, ListShowsEverythingAndPruneMakesRoom) {
  TemporaryFolder folder;
  TestCache test(folder.path);
  EXPECT_TRUE(test.cache.list()->empty());
  EXPECT_EQ(*test.cache.prune(0), 0);
  for (int index = 0; index < 20; ++index) {
    test.time += 1;
    test.store(std::to_string(index), std::string(10000, 'x'));
  }
  Result<std::vector<DiskCacheRow>> rows = test.cache.list();
  ASSERT_EQ(rows->size(), 20u);
  const DiskCacheRow &latest = (*rows)[0];
  EXPECT_EQ(latest.key, hexadecimal(sha256("19")));
  EXPECT_EQ(latest.bytes, 10000);
  EXPECT_EQ(latest.created, 1'000'020);
  EXPECT_EQ(test.cache.list(latest.key.substr(0, 10))->size(), 1u);
  EXPECT_EQ(test.cache.list("x")->size(), 0u);
  EXPECT_EQ((**test.cache.read(latest)).bytes.size(), 10000u);
  int64_t before = test.cache.fileBytes();
  EXPECT_EQ(*test.cache.prune(55'000), 15);
  EXPECT_LT(test.cache.fileBytes(), before / 2);
  EXPECT_EQ(test.found("14"), "(nothing)");
  EXPECT_EQ(test.found("15").size(), 10000u);
  EXPECT_TRUE(test.cache.clear().ok());
  EXPECT_TRUE(test.cache.list()->empty());
}

TEST(DiskCache, ManyThreadsShareIt) {
  TemporaryFolder folder;
  TestCache test(folder.path);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int round = 0; round < 10; ++round) {
        std::string name = std::to_string(thread) + "/" + std::to_string(round);
        test.store(name, name);
        wrong += test.found(name) != name;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(test.cache.list()->size(), 40u);
  EXPECT_TRUE(test.warnings.empty());
}
