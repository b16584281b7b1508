// arc4random for LLVM's Support library, which was built where the C library has one: that is since glibc 2.36, and Ubuntu 22.04 has
// 2.35. It is the only function that LLVM needs of a version above 2.34. LLVM names temporary files with it.
#include <cstdint>
#include <cstdlib>
#include <sys/random.h>

extern "C" uint32_t arc4random() noexcept {
  uint32_t bits = 0;
  // Interrupted by a signal only while the system has not gathered its first random bits; the request is too small for a part of it.
  while (getrandom(&bits, sizeof bits, 0) != sizeof bits) {
  }
  return bits;
}
