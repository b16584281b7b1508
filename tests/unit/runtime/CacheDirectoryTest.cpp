#include "runtime/CacheDirectory.h"

#include "tests/unit/runtime/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace tilewright::runtime;
using namespace tilewright::runtime::test;

namespace {

/// Sets a variable of the environment (null: removes it), and puts it back.
class Variable {
public:
  Variable(const char *name, const char *value) : name(name) {
    if (const char *before = getenv(name))
      kept = before, wasSet = true;
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;
  ~Variable() { wasSet ? setenv(name, kept.c_str(), 1) : unsetenv(name); }

private:
  const char *name;
  std::string kept;
  bool wasSet = false;
};

} // namespace

TEST(CacheDirectory, IsChosen) {
  Variable own("TILEWRIGHT_CACHE_DIR", nullptr), user("XDG_CACHE_HOME", nullptr), home("HOME", "/h");
  EXPECT_EQ(chooseCacheDirectory(nullptr), "/h/.cache/tilewright");
  EXPECT_EQ(chooseCacheDirectory("/of/the/host"), "/of/the/host");
  EXPECT_EQ(chooseCacheDirectory(""), "") << "the host wants none";
  Variable set("XDG_CACHE_HOME", "/x");
  EXPECT_EQ(chooseCacheDirectory(nullptr), "/x/tilewright");
  Variable relative("XDG_CACHE_HOME", "x");
  EXPECT_EQ(chooseCacheDirectory(nullptr), "/h/.cache/tilewright") << "the specification: relative paths are ignored";
  Variable wanted("TILEWRIGHT_CACHE_DIR", "/mine");
  EXPECT_EQ(chooseCacheDirectory(nullptr), "/mine");
  Variable off("TILEWRIGHT_CACHE_DIR", "off");
  EXPECT_EQ(chooseCacheDirectory(nullptr), "");
  Variable beside("TILEWRIGHT_CACHE_DIR", "here");
  EXPECT_EQ(chooseCacheDirectory(nullptr).front(), '/') << "chdir must not move it";
  Variable empty("TILEWRIGHT_CACHE_DIR", "");
  EXPECT_EQ(chooseCacheDirectory(nullptr), "/h/.cache/tilewright");
  Variable noHome("HOME", nullptr);
  EXPECT_EQ(chooseCacheDirectory(nullptr), "");
}

TEST(CacheDirectory, IsMadeForTheUserAlone) {
  TemporaryFolder folder;
  std::string path = folder / "a/b/c";
  ASSERT_TRUE(createCacheDirectory(path).ok());
  for (const char *part : {"a", "a/b", "a/b/c"}) {
    struct stat found;
    ASSERT_EQ(stat((folder / part).c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777, 0700u) << part;
  }
  EXPECT_TRUE(createCacheDirectory(path).ok()) << "again";
}

TEST(CacheDirectory, ThatOthersMayEnterIsNotTrusted) {
  TemporaryFolder folder;
  for (mode_t mode : {0755, 0770, 0701, 01777}) {
    chmod(folder.path.c_str(), mode);
    Status status = checkCacheDirectory(folder.path);
    ASSERT_FALSE(status.ok()) << mode;
    EXPECT_NE(status.message().find("chmod 700"), std::string::npos) << status.message();
  }
  chmod(folder.path.c_str(), 0700);
  EXPECT_TRUE(checkCacheDirectory(folder.path).ok());
}

TEST(CacheDirectory, OfAnotherUserIsNotTrusted) {
  TemporaryFolder folder;
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root, to give a folder away";
  ASSERT_EQ(chown(folder.path.c_str(), 12345, 0), 0);
  Status status = checkCacheDirectory(folder.path);
  EXPECT_NE(status.message().find("belongs to another user (12345, and this process is 0)"), std::string::npos);
}

TEST(CacheDirectory, ThatIsAFileIsRefused) {
  TemporaryFolder folder;
  std::ofstream(folder / "file") << "x";
  EXPECT_EQ(checkCacheDirectory(folder / "file").message(), folder / "file" + " is not a folder");
  EXPECT_FALSE(createCacheDirectory(folder / "file/below").ok());
}
