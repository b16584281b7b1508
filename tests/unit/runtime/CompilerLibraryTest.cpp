#include "runtime/CompilerLibrary.h"

#include "tests/unit/runtime/TestSupport.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::test;

static Log quiet(nullptr, nullptr, TW_LOG_OFF);

TEST(CompilerLibrary, OfAnotherInterfaceVersionIsRefused) {
  CompilerLibrary library(fakeFile("CompilerOfTomorrow"), quiet);
  Result<const CompilerSymbols *> symbols = library.get();
  EXPECT_EQ(symbols.status().code(), TW_COMPILER_UNAVAILABLE);
  EXPECT_NE(symbols.status().message().find("has interface version 999, expected " +
                                             std::to_string(TW_COMPILER_INTERFACE_VERSION)), std::string::npos)
      << symbols.status().message();
}

TEST(CompilerLibrary, ThatIsNoneIsRefused) {
  EXPECT_EQ(CompilerLibrary("/nowhere/libtilewright-compiler.so", quiet).get().status().code(), TW_COMPILER_UNAVAILABLE);
  EXPECT_EQ(CompilerLibrary(fakeFile("Add"), quiet).get().status().message(),
            "the compiler's library has no tw_compiler_interface_version: it is not libtilewright-compiler");
}

TEST(CompilerLibrary, IsLookedForInTheEnvironment) {
  setenv("TILEWRIGHT_COMPILER_LIBRARY", fakeFile("Compiler").c_str(), 1);
  CompilerLibrary library("", quiet);
  Result<const CompilerSymbols *> symbols = library.get();
  unsetenv("TILEWRIGHT_COMPILER_LIBRARY");
  ASSERT_TRUE(symbols.ok()) << symbols.status().message();
  EXPECT_STREQ((*symbols)->build_id(), "fake");
}

TEST(CompilerLibrary, AFailureIsTriedAgain) {
  setenv("TILEWRIGHT_COMPILER_LIBRARY", "/nowhere", 1);
  CompilerLibrary library("", quiet);
  EXPECT_FALSE(library.get().ok());
  setenv("TILEWRIGHT_COMPILER_LIBRARY", fakeFile("Compiler").c_str(), 1);
  EXPECT_TRUE(library.get().ok());
  unsetenv("TILEWRIGHT_COMPILER_LIBRARY");
}
