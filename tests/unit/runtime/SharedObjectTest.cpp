#include "runtime/SharedObject.h"

#include "tests/unit/runtime/TestSupport.h"

#include <filesystem>

using namespace tilewright::runtime;
using namespace tilewright::runtime::test;

static Result<SharedObject> load(const std::string &bytes) {
  return SharedObject::load(std::as_bytes(std::span(bytes.data(), bytes.size())), "kernel");
}

static size_t openDescriptors() {
  size_t count = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

TEST(SharedObject, TwoAreNotOne) {
  // The second load gets the number of the first one's closed descriptor: a loader that goes by the path would return the
  // first.
  Result<SharedObject> add = load(readFile(fakeFile("Add"))), sum = load(readFile(fakeFile("Sum")));
  ASSERT_TRUE(add.ok() && sum.ok());
  EXPECT_EQ(add->find("tw_cpu_finish"), nullptr);
  EXPECT_NE(sum->find("tw_cpu_finish"), nullptr);
  EXPECT_NE(add->find("tw_cpu_tiles"), sum->find("tw_cpu_tiles"));
}

TEST(SharedObject, ManyLeaveNoDescriptorBehind) {
  std::string bytes = readFile(fakeFile("Add"));
  size_t before = openDescriptors();
  std::vector<SharedObject> kept;
  for (int count = 0; count < 300; ++count) {
    Result<SharedObject> object = load(bytes);
    ASSERT_TRUE(object.ok()) << object.status().message();
    kept.push_back(std::move(*object));
  }
  EXPECT_EQ(openDescriptors(), before);
}

TEST(SharedObject, WhatIsNoObjectIsDamaged) {
  for (const std::string &bytes : {std::string(),
                                   std::string("\x7f"
                                               "ELF"),
                                   std::string(500, '\0'), readFile(TILEWRIGHT_SOURCE_DIR "/CMakeLists.txt")})
    EXPECT_EQ(load(bytes).status().code(), TW_DAMAGED_ARTIFACT);
  std::string other = readFile(fakeFile("Add"));
  other[18] = 8; // MIPS
  EXPECT_EQ(load(other).status().message(), "the code of kernel kernel cannot be loaded: it is for another machine");
}
