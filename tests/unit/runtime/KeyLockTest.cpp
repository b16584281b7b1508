#include "runtime/KeyLock.h"

#include "tests/unit/runtime/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilewright::runtime;
using namespace tilewright::runtime::test;
using namespace std::chrono_literals;

TEST(KeyLock, HasOneHolderInOneProcess) {
  TemporaryFolder folder;
  KeyLock first = KeyLock::acquire(folder / "locks", "key one.", 0ms);
  ASSERT_TRUE(first.isHeld());
  EXPECT_FALSE(KeyLock::acquire(folder / "locks", "key one.", 5ms).isHeld());
  EXPECT_EQ(errno, ETIMEDOUT);
  EXPECT_TRUE(KeyLock::acquire(folder / "locks", "two keys", 0ms).isHeld()) << "another key";
  {
    KeyLock released = std::move(first);
  }
  EXPECT_TRUE(KeyLock::acquire(folder / "locks", "key one.", 0ms).isHeld());
}

TEST(KeyLock, IsReleasedByDeath) {
  TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  pid_t child = fork();
  if (child == 0) {
    KeyLock lock = KeyLock::acquire(folder / "locks", "key one.", 0ms);
    char held = lock.isHeld();
    [[maybe_unused]] ssize_t written = write(ready[1], &held, 1);
    pause();
    _exit(0);
  }
  char held = 0;
  ASSERT_EQ(read(ready[0], &held, 1), 1);
  EXPECT_TRUE(held);
  EXPECT_FALSE(KeyLock::acquire(folder / "locks", "key one.", 5ms).isHeld());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(KeyLock::acquire(folder / "locks", "key one.", 0ms).isHeld());
}

TEST(KeyLock, AFileThatCannotBeIsTold) {
  EXPECT_FALSE(KeyLock::acquire("/nowhere/locks", "key one.", 0ms).isHeld());
  EXPECT_EQ(errno, ENOENT);
}
