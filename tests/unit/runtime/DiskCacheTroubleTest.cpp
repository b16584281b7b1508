// Whatever is wrong with the disk: a miss, one warning, and a cache that works again as soon as it can.
#include "tests/unit/runtime/DiskCacheSupport.h"

#include <sqlite3.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilewright::runtime;
using namespace tilewright::runtime::test;

static std::string databaseIn(const TemporaryFolder &folder) {
  return folder / "artifacts-1.sqlite";
}

static std::string readAll(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

static void writeAll(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Runs the body in a process of its own; whether it returned true.
static bool inChild(const std::function<bool()> &body) {
  pid_t child = fork();
  if (child == 0)
    _exit(body() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The blob is long enough to fill most of the file: nearly every flip hits it, some hit SQLite's own structures.
TEST(DiskCacheTrouble, AFlippedByteIsNeverServed) {
  TemporaryFolder folder;
  std::string code;
  for (int index = 0; index < 20000; ++index)
    code.push_back(static_cast<char>(index * 7 + index / 256));
  TestCache(folder.path).store("add", code);
  const std::string intact = readAll(databaseIn(folder));
  int misses = 0, hits = 0;
  for (size_t at = 0; at < intact.size(); at += 331) {
    std::string damaged = intact;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    writeAll(databaseIn(folder), damaged);
    TestCache test(folder.path);
    std::string found = test.found("add");
    ASSERT_TRUE(found == code || found == "(nothing)") << "byte " << at;
    ASSERT_LE(test.warnings.size(), 1u) << "byte " << at;
    (found == code ? hits : misses) += 1;
    if (found != code && at % 5 == 0) {
      test.store("add", code);
      ASSERT_EQ(test.found("add"), code) << "byte " << at << ": it works again";
      ASSERT_LE(test.warnings.size(), 1u) << "byte " << at;
    }
  }
  EXPECT_GT(misses, static_cast<int>(20000 / 331) - 5);
  EXPECT_GT(hits, 0) << "bytes that nobody reads";
}

TEST(DiskCacheTrouble, ADamagedBlobIsThrownAwayWithAWarning) {
  TemporaryFolder folder;
  TestCache(folder.path).store("add", std::string(3000, 'c'));
  std::string bytes = readAll(databaseIn(folder));
  bytes[bytes.find("cccccccc") + 500] = 'x';
  writeAll(databaseIn(folder), bytes);
  TestCache test(folder.path);
  EXPECT_EQ(test.found("add"), "(nothing)");
  ASSERT_EQ(test.warnings.size(), 1u);
  EXPECT_NE(test.warnings[0].find("the blob of artifact add does not have its hash: removed"), std::string::npos);
  EXPECT_TRUE(test.cache.list()->empty());
}

TEST(DiskCacheTrouble, ATruncatedFileIsEmptied) {
  TemporaryFolder folder;
  TestCache(folder.path).store("add", std::string(30000, 'c'));
  const std::string intact = readAll(databaseIn(folder));
  for (size_t length :
       {size_t(0), size_t(1), size_t(50), size_t(100), size_t(4096), size_t(5000), size_t(12288), intact.size() - 1}) {
    writeAll(databaseIn(folder), intact.substr(0, length));
    TestCache test(folder.path);
    EXPECT_EQ(test.found("add"), "(nothing)") << length;
    test.store("add", "new");
    EXPECT_EQ(test.found("add"), "new") << length;
    EXPECT_LE(test.warnings.size(), 1u) << length;
  }
}

TEST(DiskCacheTrouble, AFileThatIsNoDatabaseIsEmptied) {
  TemporaryFolder folder;
  for (const std::string &content : {std::string(5000, 'x'), std::string("hello"), std::string(100, '\0')}) {
    writeAll(databaseIn(folder), content);
    TestCache test(folder.path);
    test.found("add");
    test.store("add", "code");
    EXPECT_EQ(test.found("add"), "code") << content.substr(0, 5);
    EXPECT_EQ(test.warnings.size(), 1u) << content.substr(0, 5);
  }
}

TEST(DiskCacheTrouble, AFolderInTheFilesPlace) {
  TemporaryFolder folder;
  std::filesystem::create_directory(databaseIn(folder));
  TestCache test(folder.path);
  for (int round = 0; round < 4; ++round) {
    EXPECT_EQ(test.found("add"), "(nothing)");
    test.store("add", "code");
  }
  ASSERT_EQ(test.warnings.size(), 1u);
  EXPECT_NE(test.warnings[0].find(folder.path), std::string::npos);
  EXPECT_FALSE(test.cache.list().ok());
  EXPECT_TRUE(std::filesystem::is_directory(databaseIn(folder))) << "it is left alone";
}

TEST(DiskCacheTrouble, AFileInTheFoldersPlace) {
  TemporaryFolder folder;
  writeAll(folder / "file", "mine");
  TestCache test(folder / "file");
  test.store("add", "code");
  EXPECT_EQ(test.found("add"), "(nothing)");
  EXPECT_EQ(test.warnings.size(), 1u);
  EXPECT_EQ(readAll(folder / "file"), "mine");
}

TEST(DiskCacheTrouble, AFolderThatOthersMayWriteIsNotRead) {
  TemporaryFolder folder;
  TestCache(folder.path).store("add", "code");
  chmod(folder.path.c_str(), 0777);
  TestCache test(folder.path);
  EXPECT_EQ(test.found("add"), "(nothing)");
  ASSERT_EQ(test.warnings.size(), 1u);
  EXPECT_NE(test.warnings[0].find("chmod 700"), std::string::npos);
  chmod(folder.path.c_str(), 0700);
  EXPECT_EQ(test.found("add"), "code");
}

// Root may write everywhere, so the child is somebody else.
TEST(DiskCacheTrouble, AReadOnlyFolderIsReadAndNotWritten) {
  TemporaryFolder folder;
  TestCache(folder.path).store("add", "code");
  constexpr uid_t nobody = 65534;
  if (geteuid() == 0) {
    ASSERT_EQ(chown(folder.path.c_str(), nobody, nobody), 0);
    ASSERT_EQ(chown(databaseIn(folder).c_str(), nobody, nobody), 0);
  }
  chmod(folder.path.c_str(), 0500);
  EXPECT_TRUE(inChild([&] {
    if (geteuid() == 0 && setuid(nobody) != 0)
      return false;
    TestCache test(folder.path);
    test.time += 10 * 3600; // the use cannot be noted
    bool isRead = test.found("add") == "code" && test.warnings.empty();
    bool isLocked = test.cache.lockForProduction(sha256("sub")).isHeld();
    test.store("sub", "code");
    return isRead && !isLocked && test.found("sub") == "(nothing)" && test.warnings.size() == 1 && test.found("add") == "code";
  }));
  chmod(folder.path.c_str(), 0700);
}

// A limit on the size of files is the closest to a full disk that a process can make for itself.
TEST(DiskCacheTrouble, NoRoomIsAMiss) {
  TemporaryFolder folder;
  TestCache(folder.path).store("add", "code");
  EXPECT_TRUE(inChild([&] {
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit = {40000, 40000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
      return false;
    TestCache test(folder.path);
    test.store("large", std::string(100000, 'x'));
    return test.warnings.size() == 1 && test.found("large") == "(nothing)" && test.found("add") == "code";
  }));
  EXPECT_EQ(TestCache(folder.path).found("add"), "code") << "what was there before is intact";
}

TEST(DiskCacheTrouble, AWriterThatDiesLeavesTheRest) {
  TemporaryFolder folder;
  TestCache(folder.path).store("add", "code");
  for (int delay = 0; delay < 8; ++delay) {
    pid_t child = fork();
    if (child == 0) {
      TestCache test(folder.path);
      for (int index = 0;; ++index)
        test.store(std::to_string(index), std::string(200000, 'x'));
    }
    usleep(static_cast<useconds_t>(3000 + delay * 4000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    TestCache test(folder.path);
    ASSERT_EQ(test.found("add"), "code") << delay;
    ASSERT_TRUE(test.warnings.empty()) << test.warnings[0];
  }
}

TEST(DiskCacheTrouble, ALockThatIsHeldForTooLongIsAMiss) {
  TemporaryFolder folder;
  TestCache test(folder.path);
  test.store("add", "code");
  sqlite3 *other = nullptr;
  ASSERT_EQ(sqlite3_open(databaseIn(folder).c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(test.found("add"), "(nothing)");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  ASSERT_EQ(test.warnings.size(), 1u);
  EXPECT_NE(test.warnings[0].find("locked"), std::string::npos) << test.warnings[0];
  sqlite3_close(other);
  EXPECT_EQ(test.found("add"), "code") << "nothing was thrown away";
}

TEST(DiskCacheTrouble, ARemovedFolderIsMadeAgain) {
  TemporaryFolder folder;
  TestCache test(folder / "cache");
  test.store("add", "code");
  std::filesystem::remove_all(folder / "cache");
  EXPECT_EQ(test.found("add"), "(nothing)");
  test.store("add", "code");
  EXPECT_EQ(test.found("add"), "code");
  EXPECT_TRUE(test.warnings.empty());
}

TEST(DiskCacheTrouble, ClearEmptiesADamagedFile) {
  TemporaryFolder folder;
  writeAll(databaseIn(folder), std::string(9000, 'x'));
  TestCache test(folder.path);
  EXPECT_FALSE(test.cache.list().ok());
  EXPECT_TRUE(test.cache.clear().ok());
  EXPECT_TRUE(test.cache.list()->empty());
}
