#include "runtime/KeyLock.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

using namespace tilewright::runtime;

KeyLock KeyLock::acquire(const std::string &file, std::string_view key, std::chrono::milliseconds atMost) {
  KeyLock lock;
  int opened = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (opened < 0)
    return lock;
  // Keys that share their first 63 bits wait for each other without need; nothing else happens to them.
  uint64_t place = 0;
  std::memcpy(&place, key.data(), std::min(sizeof(place), key.size()));
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(place & (~uint64_t(0) >> 2));
  range.l_len = 1;
  auto end = std::chrono::steady_clock::now() + atMost;
  auto pause = std::chrono::milliseconds(1);
  while (fcntl(opened, F_OFD_SETLK, &range) != 0) { // there is no waiting form with a limit
    bool isTaken = errno == EAGAIN || errno == EACCES;
    bool isLate = std::chrono::steady_clock::now() >= end;
    if (!isTaken || isLate) {
      int reason = isTaken ? ETIMEDOUT : errno;
      close(opened);
      errno = reason;
      return lock;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(20));
  }
  lock.descriptor = opened;
  return lock;
}

KeyLock::~KeyLock() {
  if (descriptor < 0)
    return;
  // A child that the host forked meanwhile has the description too: closing ours would leave the lock to it.
  struct flock range = {};
  range.l_type = F_UNLCK;
  range.l_whence = SEEK_SET;
  fcntl(descriptor, F_OFD_SETLK, &range);
  close(descriptor);
}
