// Functions in CUDA C++ that kernels call: an NVRTC that is none (fake/Nvrtc.cpp), and the real one where there is one.
#include "runtime/cuda/PtxMerge.h"
#include "runtime/cuda/Ptxas.h"
#include "tests/unit/runtime/GpuTestSupport.h"
#include "tests/unit/runtime/TemporaryFolder.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace tilewright::runtime::test;
using tilewright::Context;
using tilewright::ContextOptions;
using tilewright::DeviceMemory;
using tilewright::View;
using tilewright::runtime::cuda::Assembly;
using tilewright::runtime::cuda::mergePtx;
using tilewright::runtime::cuda::Ptxas;

namespace {

std::string fakeText(const std::string &name) {
  return readFile(TILEWRIGHT_FAKE_SOURCES "/" + name);
}

json hashedSource(const std::string &text, const json &headers) {
  json source = gpuSource(
      kernel("hashed", {}, {view("x", "in", "i32", {"N"}), view("y", "out", "i32", {"N"})}), "hashed_tiles", {"N"},
      {{"axes", {axis("n", 0, dim("N"), 64)}}, {"grid_axes", {"n"}}, {"cuda", {{"text", text}, {"headers", headers}}}});
  source["object"] = TILEWRIGHT_FAKE_SOURCES "/Calls.ptx";
  return source;
}

json answer() {
  return {{{"name", "answer.ptx"}, {"text", fakeText("Hash.ptx")}}};
}

/// Hashes a few numbers on the emulator; what went wrong.
std::string runHashed(const Context &context, const json &source, std::string *diagnostics = nullptr) {
  DeviceMemory x = upload(context, std::vector<int32_t>{1, 2, 300}), y = upload(context, std::vector<int32_t>(3));
  tilewright::Result<void> done =
      makeKernel(context, source).run({{"x", View(x.as<int32_t>(), {3})}, {"y", View(y.as<int32_t>(), {3})}});
  if (!done.ok()) {
    if (diagnostics)
      *diagnostics = done.error().diagnostics();
    return failureOf(done);
  }
  EXPECT_EQ(download<int32_t>(y), (std::vector<int32_t>{(31 + 7) ^ 5, (62 + 7) ^ 5, (9300 + 7) ^ 5}));
  return "";
}

class CudaFunctions : public testing::Test {
protected:
  void SetUp() override {
    setenv("TILEWRIGHT_NVRTC", fakeFile("Nvrtc").c_str(), 1);
    for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
      if (const char *value = getenv(variable)) {
        toolkit.emplace_back(variable, value);
        unsetenv(variable);
      }
  }
  void TearDown() override {
    unsetenv("TILEWRIGHT_NVRTC");
    for (const auto &[variable, value] : toolkit)
      setenv(variable.c_str(), value.c_str(), 1);
  }

private:
  std::vector<std::pair<std::string, std::string>> toolkit;
};

} // namespace

TEST_F(CudaFunctions, ArePartOfTheModule) {
  void *nvrtc = dlopen(fakeFile("Nvrtc").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(nvrtc, nullptr) << dlerror();
  EXPECT_EQ(runHashed(makeGpuContext("emulator:sm_80"), hashedSource("#include \"hash.cuh\"", answer())), "");
  EXPECT_STREQ(reinterpret_cast<const char *(*)()>(dlsym(nvrtc, "fake_nvrtc_options"))(),
               "--gpu-architecture=compute_80\n--relocatable-device-code=true\n--std=c++17\n");
  setenv("CUDA_HOME", "/toolkit", 1);
  EXPECT_EQ(runHashed(makeGpuContext(), hashedSource("#include \"hash.cuh\"", answer())), "");
  unsetenv("CUDA_HOME");
  EXPECT_STREQ(
      reinterpret_cast<const char *(*)()>(dlsym(nvrtc, "fake_nvrtc_options"))(),
      "--gpu-architecture=compute_90a\n--relocatable-device-code=true\n--std=c++17\n--include-path=/toolkit/include\n");
  dlclose(nvrtc);
}

TEST_F(CudaFunctions, AreKeptOnDisk) {
  void *nvrtc = dlopen(fakeFile("Nvrtc").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(nvrtc, nullptr) << dlerror();
  auto compilations = reinterpret_cast<int (*)()>(dlsym(nvrtc, "fake_nvrtc_compilations"));
  TemporaryFolder folder;
  int before = compilations();
  for (const char *text : {"one", "one", "two"}) {
    ContextOptions options;
    options.cacheDirectory = folder.path;
    EXPECT_EQ(runHashed(makeGpuContext("emulator", options), hashedSource(text, answer())), "");
  }
  EXPECT_EQ(compilations() - before, 2);
  dlclose(nvrtc);
}

TEST_F(CudaFunctions, ThatAreRefusedAreTheAuthorsFault) {
  std::string diagnostics;
  EXPECT_EQ(runHashed(makeGpuContext(), hashedSource("refused", answer()), &diagnostics),
            "NVRTC refuses the CUDA functions of kernel hashed");
  EXPECT_EQ(diagnostics, "hashed.cu(1): error: refused\n");
}

TEST_F(CudaFunctions, NeedNvrtc) {
  setenv("TILEWRIGHT_NVRTC", "/nowhere/libnvrtc.so", 1);
  Context context = makeGpuContext();
  EXPECT_EQ(
      runHashed(context, hashedSource("some", answer())),
      "kernel hashed calls CUDA functions: NVRTC cannot be loaded (/nowhere/libnvrtc.so: cannot open shared object file: No "
      "such file or directory): install libnvrtc of a CUDA toolkit, or name it in TILEWRIGHT_NVRTC");
}

TEST_F(CudaFunctions, OfTheRealNvrtc) {
  unsetenv("TILEWRIGHT_NVRTC");
  std::string text = "#include \"hash.cuh\"\nextern \"C\" __device__ int tw_cuda_hash(int x) { return hash(x); }\n";
  json headers = {{{"name", "hash.cuh"},
                   {"text", "template <typename T> __device__ T mixed(T x, T y) { return x * 31 + y; }\n"
                            "__device__ int hash(int x) { return mixed(x, 7) ^ 5; }\n"}}};
  std::string failure = runHashed(makeGpuContext(), hashedSource(text, headers));
  if (failure.find("NVRTC cannot be loaded") != std::string::npos)
    GTEST_SKIP() << failure;
  EXPECT_EQ(failure, "");
  std::string diagnostics;
  json wrong = {{{"name", "hash.cuh"}, {"text", "__device__ int hash(int x) { return y; }\n"}}};
  EXPECT_EQ(runHashed(makeGpuContext(), hashedSource(text, wrong), &diagnostics),
            "NVRTC refuses the CUDA functions of kernel hashed");
  EXPECT_NE(diagnostics.find("hash.cuh(1): error: identifier \"y\" is undefined"), std::string::npos) << diagnostics;
}

TEST(PtxMerge, FunctionsTakeThePlaceOfTheirDeclarations) {
  tilewright::runtime::Result<std::string> merged = mergePtx("hashed", fakeText("Calls.ptx"), fakeText("Hash.ptx"));
  ASSERT_TRUE(merged.ok()) << merged.status().message();
  EXPECT_EQ(merged->find(".extern .func"), std::string::npos);
  EXPECT_EQ(merged->find(".visible .func"), std::string::npos);
  EXPECT_NE(merged->find("\n.func  (.param .b32 func_retval0) tw_cuda_hash("), std::string::npos);
  EXPECT_NE(merged->find(".visible .entry hashed_tiles("), std::string::npos);
  EXPECT_EQ(merged->find(".address_size"), merged->rfind(".address_size"));
}

TEST(PtxMerge, WhatResultsIsAssembledAndCallsNothing) {
  std::string merged = *mergePtx("hashed", fakeText("Calls.ptx"), fakeText("Hash.ptx"));
  EXPECT_EQ(merged.find("call.uni"), std::string::npos);
  std::optional<Ptxas> ptxas = Ptxas::find();
  if (!ptxas)
    GTEST_SKIP() << "there is no ptxas";
  tilewright::runtime::Result<Assembly> assembled = ptxas->assemble("hashed", merged, "sm_80");
  EXPECT_TRUE(assembled.ok()) << assembled.status().message() << assembled.status().diagnostics();
}

TEST(PtxMerge, TheHigherVersionCounts) {
  auto version = [](const std::string &ours, const std::string &theirs) {
    auto text = [](const std::string &number) { return ".version " + number + "\n.target sm_80\n.address_size 64\n"; };
    std::string merged = *mergePtx("k", text(ours), text(theirs));
    return merged.substr(0, merged.find('\n'));
  };
  EXPECT_EQ(version("8.0", "9.0"), ".version 9.0");
  EXPECT_EQ(version("8.10", "8.9"), ".version 8.10");
  EXPECT_EQ(version("9.0", "8.7"), ".version 9.0");
}

TEST(PtxMerge, EveryFunctionMustBeThere) {
  std::string module =
      ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func (.param .b32 r) vprintf\n(.param .b64 a);\n"
      ".extern .func other\n(.param .b32 a);\n";
  tilewright::runtime::Result<std::string> merged = mergePtx("hashed", module, fakeText("Hash.ptx"));
  ASSERT_FALSE(merged.ok());
  EXPECT_EQ(merged.status().message(), "kernel hashed calls the CUDA function other, which its sources do not define");
  EXPECT_FALSE(mergePtx("hashed", "", fakeText("Hash.ptx")).ok());
}
