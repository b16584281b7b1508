// The tests of this program compile with the compiler under test, or the fake one, and must leave the user's disk cache alone.
// Those of the cache itself name a folder.
#include <gtest/gtest.h>

#include <cstdlib>

namespace {

class WithoutUserCache : public testing::Environment {
  void SetUp() override { setenv("TILEWRIGHT_CACHE_DIR", "off", 1); }
};

const testing::Environment *const withoutUserCache = testing::AddGlobalTestEnvironment(new WithoutUserCache);

} // namespace
