// At most one holder for each key, over all threads and processes that name the same file: so a kernel that many processes want
// at once is compiled by one.
//
// A key is a byte of one file, locked by an open file description lock (fcntl, F_OFD_SETLK): the kernel releases it when its
// holder dies, two openings of one process exclude each other (other than with POSIX locks), and it works on network file
// systems. One file for each key would do as well, but would have to be removed some day, under those who are about to lock it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace tilewright::runtime {

class KeyLock {
public:
  KeyLock() = default; ///< holds nothing
  KeyLock(KeyLock &&other) noexcept : descriptor(other.descriptor) { other.descriptor = -1; }
  KeyLock &operator=(KeyLock &&) = delete;
  ~KeyLock();

  /// Waits until the key is free, at most for so long. On failure holds nothing and tells why in errno; ETIMEDOUT: somebody
  /// else has it still. key: any bytes, at least 8, evenly spread (a hash).
  static KeyLock acquire(const std::string &file, std::string_view key, std::chrono::milliseconds atMost);

  bool isHeld() const { return descriptor >= 0; }

private:
  int descriptor = -1;
};

} // namespace tilewright::runtime
