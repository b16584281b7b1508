// operator new, counted. Apart from its users, so that the compiler does not see through it.
#include "tests/unit/runtime/TestSupport.h"

#include <cstdlib>
#include <new>

static thread_local int allocations = 0;

int tilewright::runtime::test::allocationsOfThisThread() {
  return allocations;
}

void *operator new(size_t bytes) {
  ++allocations;
  if (void *memory = std::malloc(bytes))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept {
  std::free(memory);
}
void operator delete(void *memory, size_t) noexcept {
  std::free(memory);
}
