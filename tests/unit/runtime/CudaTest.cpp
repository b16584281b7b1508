// The CUDA driver's half of runtime, on a driver that is none (fake/CudaDriver.cpp) and a ptxas that is none (fake/ptxas).
#include "runtime/cuda/AssemblerLog.h"
#include "tests/unit/runtime/GpuTestSupport.h"
#include "tests/unit/runtime/TemporaryFolder.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <sstream>
#include <thread>

using namespace tilewright::runtime::test;
using tilewright::Context;
using tilewright::ContextOptions;
using tilewright::DeviceMemory;
using tilewright::Kernel;
using tilewright::Launchable;
using tilewright::View;

namespace {

/// The fake driver and its controls; every test begins with a fresh one.
class Cuda : public testing::Test {
protected:
  void SetUp() override {
    setenv("TILEWRIGHT_PTXAS", "off", 1);
    use("CudaDriver");
  }
  /// Of the next context.
  void use(const std::string &library) {
    if (handle)
      dlclose(handle);
    setenv("TILEWRIGHT_CUDA_DRIVER", fakeFile(library).c_str(), 1);
    handle = dlopen(fakeFile(library).c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(handle, nullptr) << dlerror();
    find("fake_cuda_make_current", makeCurrent);
    find("fake_cuda_fail", fail);
    find("fake_cuda_say", say);
    find("fake_cuda_record", record);
    find("fake_cuda_open", open);
    find("fake_cuda_take_calls", takeCalls);
    makeCurrent(-1);
    say("");
    takeCalls();
  }
  void TearDown() override {
    makeCurrent(-1);
    for (const char *variable : {"TILEWRIGHT_CUDA_DRIVER", "TILEWRIGHT_PTXAS", "FAKE_PTXAS_LOG", "FAKE_PTXAS_VERSION"})
      unsetenv(variable);
    EXPECT_EQ(open(), 0) << "modules, memory, contexts: something is left";
    dlclose(handle);
  }

  std::vector<std::string> calls() {
    std::vector<std::string> lines;
    std::istringstream text(takeCalls());
    for (std::string line; std::getline(text, line);)
      lines.push_back(line);
    return lines;
  }

  template <typename F> void find(const char *name, F *&to) { to = reinterpret_cast<F *>(dlsym(handle, name)); }

  void *handle = nullptr;
  void (*makeCurrent)(int) = nullptr;
  void (*fail)(const char *, int) = nullptr;
  void (*say)(const char *) = nullptr;
  void (*record)(int) = nullptr;
  int (*open)() = nullptr;
  const char *(*takeCalls)() = nullptr;
};

struct KeptLog {
  ContextOptions options() {
    ContextOptions result;
    result.logUser = &lines;
    result.log = [](void *user, tw_log_level, const char *message) {
      static_cast<std::vector<std::string> *>(user)->push_back(message);
    };
    return result;
  }
  std::vector<std::string> lines;
};

tilewright::Result<Launchable> prepareAdd(const Kernel &kernel, const DeviceMemory &a, const DeviceMemory &b,
                                          const DeviceMemory &c) {
  auto n = static_cast<int64_t>(a.bytes() / sizeof(float));
  return kernel.prepare({{"a", View(a.as<float>(), {n})}, {"b", View(b.as<float>(), {n})}, {"c", View(c.as<float>(), {n})}});
}

/// Prepares add without memory; what went wrong.
std::string prepareOnly(const Context &context, const json &source = gpuAddSource()) {
  float *none = nullptr;
  tilewright::Result<Launchable> add =
      makeKernel(context, source).prepare({{"a", View(none, {8})}, {"b", View(none, {8})}, {"c", View(none, {8})}});
  return failureOf(add);
}

} // namespace

TEST_F(Cuda, AKernelIsOneLaunch) {
  Context context = makeGpuContext("cuda");
  EXPECT_STREQ(context.device().target, "cuda:0");
  EXPECT_STREQ(context.device().name, "Fake H200");
  EXPECT_STREQ(context.device().architecture, "sm_90a");
  EXPECT_EQ(context.device().multiprocessors, 132);
  EXPECT_EQ(context.device().shared_bytes_per_block, 232'448);
  Kernel kernel = makeKernel(context, gpuAddSource());
  DeviceMemory a = upload(context, std::vector<float>(1000, 1)), b = upload(context, std::vector<float>(1000, 2)),
               c = upload(context, std::vector<float>(1000, 0));
  tilewright::Result<Launchable> add = prepareAdd(kernel, a, b, c);
  ASSERT_TRUE(add.ok()) << failureOf(add);
  calls();
  makeCurrent(0);
  ASSERT_EQ(failureOf(add->launch({}, reinterpret_cast<void *>(77))), "");
  EXPECT_EQ(calls(), std::vector<std::string>{"cuLaunchKernelEx add_tiles (16, 1, 1) x 32, stream 77"});
  EXPECT_EQ(download<float>(c), std::vector<float>(1000, 3));
}

TEST_F(Cuda, AnyThreadMayLaunch) {
  Context context = makeGpuContext("cuda:1");
  EXPECT_STREQ(context.device().name, "Fake H200, the second");
  Kernel kernel = makeKernel(context, gpuAddSource());
  DeviceMemory a = upload(context, std::vector<float>(100, 1)), b = upload(context, std::vector<float>(100, 2)),
               c = upload(context, std::vector<float>(100, 0));
  tilewright::Result<Launchable> add = prepareAdd(kernel, a, b, c);
  ASSERT_TRUE(add.ok()) << failureOf(add);
  makeCurrent(0); // another device's
  calls();
  EXPECT_EQ(failureOf(add->launch()), "");
  std::thread([&] { EXPECT_EQ(failureOf(add->launch()), ""); }).join(); // none
  std::vector<std::string> made = calls();
  EXPECT_EQ(std::count(made.begin(), made.end(), "cuCtxPushCurrent"), 2);
  EXPECT_EQ(download<float>(c), std::vector<float>(100, 3));
}

TEST_F(Cuda, TheCallersContextIsUsed) {
  makeCurrent(1);
  Context context = makeGpuContext("cuda");
  EXPECT_STREQ(context.device().target, "cuda:1");
  EXPECT_EQ(open(), 0); // nothing is retained
  makeCurrent(-1);
  Context primary = makeGpuContext("cuda");
  EXPECT_STREQ(primary.device().target, "cuda:0");
  EXPECT_EQ(open(), 1);
}

TEST_F(Cuda, SumsAreThreeLaunchesInOneStream) {
  Context context = makeGpuContext("cuda");
  json shared = gpuSumSource();
  shared["metadata"]["shared_bytes"] = 100'000;
  Kernel kernel = makeKernel(context, shared);
  DeviceMemory x = upload(context, std::vector<float>(2000 * 3)), s = upload(context, std::vector<float>(3));
  calls();
  tilewright::Result<Launchable> sum = kernel.prepare({{"x", View(x.as<float>(), {2000, 3})}, {"s", View(s.as<float>(), {3})}});
  ASSERT_TRUE(sum.ok()) << failureOf(sum);
  std::vector<std::string> made = calls();
  EXPECT_EQ(std::count(made.begin(), made.end(), "cuFuncSetAttribute 100000"), 1);
  EXPECT_EQ(std::count(made.begin(), made.end(), "cuMemAlloc 65536"), 1);
  makeCurrent(0);
  ASSERT_EQ(failureOf(sum->launch()), "");
  EXPECT_EQ(calls(), (std::vector<std::string>{"cuLaunchKernelEx sum_begin (1, 1, 1) x 256",
                                               "cuLaunchKernelEx sum_tiles (1024, 1, 1) x 32, 100000 bytes",
                                               "cuLaunchKernelEx sum_finish (1, 1, 1) x 256"}));
}

TEST_F(Cuda, ANestedGridFillsTheDevice) {
  Context context = makeGpuContext("cuda");
  Kernel kernel = makeKernel(context, gpuRangesSource());
  DeviceMemory first = upload(context, std::vector<int64_t>(11)), y = upload(context, std::vector<int64_t>(100));
  auto launched = [&](int64_t extent) {
    tilewright::Result<Launchable> run =
        kernel.prepare({{"first", View(first.as<int64_t>(), {extent})}, {"y", View(y.as<int64_t>(), {100})}});
    EXPECT_TRUE(run.ok()) << failureOf(run);
    calls();
    EXPECT_EQ(failureOf(run->launch()), "");
    return calls().back();
  };
  EXPECT_EQ(launched(11), "cuLaunchKernelEx ranges_tiles (10, 3379, 1) x 32"); // 132 · 2048 / 32 · 4 blocks in all
  EXPECT_EQ(launched(2), "cuLaunchKernelEx ranges_tiles (1, 33792, 1) x 32");
}

TEST_F(Cuda, MessagesAreWaitedFor) {
  Context context = makeGpuContext("cuda");
  Kernel kernel = makeKernel(context, gpuTalkSource());
  DeviceMemory x = upload(context, std::vector<int32_t>(4));
  tilewright::Result<Launchable> talk = kernel.prepare({{"x", View(x.as<int32_t>(), {4})}});
  ASSERT_TRUE(talk.ok()) << failureOf(talk);
  makeCurrent(0);
  calls();
  EXPECT_EQ(failureOf(talk->launch()), "");
  std::vector<std::string> made = calls();
  EXPECT_EQ(std::count(made.begin(), made.end(), "cuStreamSynchronize"), 2); // and that of the copy
}

TEST_F(Cuda, LaunchesAreTimedByEvents) {
  Context context = makeGpuContext("cuda");
  Kernel kernel = makeKernel(context, gpuAddSource());
  DeviceMemory a = upload(context, std::vector<float>(8)), b = upload(context, std::vector<float>(8)),
               c = upload(context, std::vector<float>(8));
  tilewright::Result<Launchable> add = prepareAdd(kernel, a, b, c);
  ASSERT_TRUE(add.ok()) << failureOf(add);
  makeCurrent(0);
  calls();
  tilewright::Result<int64_t> time = add->time(2);
  ASSERT_TRUE(time.ok()) << failureOf(time);
  EXPECT_EQ(*time, 1'500'000);
  std::string launch = "cuLaunchKernelEx add_tiles (1, 1, 1) x 32";
  EXPECT_EQ(calls(), (std::vector<std::string>{"cuEventRecord", launch, launch, "cuEventRecord", "cuEventSynchronize"}));
}

// What a host pays for a launch beside the driver's part: measured, and nothing is allocated.
TEST_F(Cuda, ALaunchAllocatesNothing) {
  Context context = makeGpuContext("cuda");
  Kernel kernel = makeKernel(context, gpuAddSource());
  DeviceMemory a = upload(context, std::vector<float>(1000, 1)), b = upload(context, std::vector<float>(1000, 2)),
               c = upload(context, std::vector<float>(1000, 0));
  tilewright::Result<Launchable> add = prepareAdd(kernel, a, b, c);
  ASSERT_TRUE(add.ok()) << failureOf(add);
  makeCurrent(0);
  tw_value values[3] = {{a.data()}, {b.data()}, {c.data()}};
  record(0);
  int before = allocationsOfThisThread(), failures = 0, launches = 20'000;
  auto begin = std::chrono::steady_clock::now();
  for (int launch = 0; launch < launches; ++launch)
    failures += !add->launch(values).ok();
  double nanoseconds = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / launches;
  EXPECT_EQ(allocationsOfThisThread(), before);
  record(1);
  EXPECT_EQ(failures, 0);
  printf("a launch costs %.0f ns beside the driver\n", nanoseconds);
}

// ---- Tensor maps, resident blocks -------------------------------------------------------------------------------------------

namespace {

/// Kernel boxes with x at an address, [5, 10] of rows of 12 elements.
tilewright::Result<Launchable> prepareBoxes(const Context &context, float *x, const DeviceMemory &y, int64_t swizzle = 0) {
  Kernel kernel = makeKernel(context, gpuBoxesSource(tensorMap(0, {1, 0}, {8, 2}, swizzle)));
  return kernel.prepare({{"x", View(x, {5, 10}, {12, 1})}, {"y", View(y.as<int8_t>(), {3, 32})}});
}

std::string at(const void *address) {
  return std::to_string(reinterpret_cast<uintptr_t>(address));
}

} // namespace

TEST_F(Cuda, TensorMapsAreParametersOfTheTiles) {
  Context context = makeGpuContext("cuda");
  DeviceMemory x = upload(context, std::vector<float>(256)), y = upload(context, std::vector<int8_t>(96));
  makeCurrent(0);
  calls();
  tilewright::Result<Launchable> boxes = prepareBoxes(context, x.as<float>() + 4, y, 32);
  ASSERT_TRUE(boxes.ok()) << failureOf(boxes);
  EXPECT_EQ(calls().back(), "cuTensorMapEncodeTiled type 7 at " + at(x.as<float>() + 4) +
                                " (10, 5) strides (48) box (8, 2) each (1, 1) interleave 0 swizzle 1 promotion 2 fill 0");
  ASSERT_EQ(failureOf(boxes->launch()), "");
  EXPECT_EQ(calls(), std::vector<std::string>{"cuLaunchKernelEx boxes_tiles (3, 1, 1) x 32, 4096 bytes, maps at " +
                                              at(x.as<float>() + 4)});
  for (int64_t element : {16, 16, 4}) { // set once, and again for the address of before
    tw_value values[4] = {{x.as<float>() + element}, {y.data()}, {}, {}};
    values[2].integer = values[3].integer = 0;
    ASSERT_EQ(failureOf(boxes->launch(values)), "");
  }
  std::string launch = "cuLaunchKernelEx boxes_tiles (3, 1, 1) x 32, 4096 bytes, maps at ";
  EXPECT_EQ(calls(),
            (std::vector<std::string>{"cuTensorMapReplaceAddress " + at(x.as<float>() + 16), launch + at(x.as<float>() + 16),
                                      launch + at(x.as<float>() + 16), "cuTensorMapReplaceAddress " + at(x.as<float>() + 4),
                                      launch + at(x.as<float>() + 4)}));
}

TEST_F(Cuda, TensorMapsOfEveryDtype) {
  Context context = makeGpuContext("cuda");
  makeCurrent(0);
  DeviceMemory x = upload(context, std::vector<double>(256)), y = upload(context, std::vector<int8_t>(96));
  for (auto [dtype, type] : {std::pair(TW_F64, 8),
                             {TW_F32, 7},
                             {TW_F16, 6},
                             {TW_BF16, 9},
                             {TW_F8E4M3, 0},
                             {TW_F8E5M2, 0},
                             {TW_I64, 5},
                             {TW_I32, 3},
                             {TW_I16, 1},
                             {TW_I8, 0},
                             {TW_U8, 0},
                             {TW_BOOL, 0}}) {
    json source = gpuBoxesSource(tensorMap(0, {1, 0}, {16, 1}, 128), false, tw_dtype_name(dtype));
    calls();
    EXPECT_EQ(
        failureOf(
            makeKernel(context, source).prepare({{"x", View(x.data(), dtype, {1, 16})}, {"y", View(y.as<int8_t>(), {3, 32})}})),
        "");
    EXPECT_EQ(calls().back(), "cuTensorMapEncodeTiled type " + std::to_string(type) + " at " + at(x.data()) +
                                  " (16, 1) strides (" + std::to_string(16 * tw_dtype_bytes(dtype)) +
                                  ") box (16, 1) each (1, 1) interleave 0 swizzle 3 promotion 2 fill 0");
  }
}

TEST_F(Cuda, RowsThatBeginWithin256BytesAreFetchedByHalfAsMuch) {
  Context context = makeGpuContext("cuda");
  makeCurrent(0);
  DeviceMemory x = upload(context, std::vector<float>(1024)), y = upload(context, std::vector<int8_t>(96));
  for (auto [columns, promotion] : {std::pair<int64_t, int>{64, 3}, {68, 2}, {128, 3}, {96, 2}}) {
    calls();
    EXPECT_EQ(failureOf(makeKernel(context, gpuBoxesSource(tensorMap(0, {1, 0}, {16, 1})))
                            .prepare({{"x", View(x.data(), TW_F32, {2, columns})}, {"y", View(y.as<int8_t>(), {3, 32})}})),
              "");
    EXPECT_NE(calls().back().find("promotion " + std::to_string(promotion)), std::string::npos) << columns;
  }
}

TEST_F(Cuda, CopiesThatRoundToTF32HaveATypeOfTheirOwn) {
  Context context = makeGpuContext("cuda");
  makeCurrent(0);
  DeviceMemory x = upload(context, std::vector<float>(16)), y = upload(context, std::vector<int8_t>(96));
  json map = tensorMap(0, {1, 0}, {16, 1});
  map["tf32"] = true;
  calls();
  EXPECT_EQ(failureOf(makeKernel(context, gpuBoxesSource(map))
                          .prepare({{"x", View(x.data(), TW_F32, {1, 16})}, {"y", View(y.as<int8_t>(), {3, 32})}})),
            "");
  EXPECT_EQ(calls().back(), "cuTensorMapEncodeTiled type 11 at " + at(x.data()) +
                                " (16, 1) strides (64) box (16, 1) each (1, 1) interleave 0 swizzle 0 promotion 2 fill 0");
}

TEST_F(Cuda, ViewsWithoutElementsOrAddressHaveStandIns) {
  Context context = makeGpuContext("cuda");
  makeCurrent(0);
  DeviceMemory x = upload(context, std::vector<float>(256)), y = upload(context, std::vector<float>(256));
  Kernel kernel = makeKernel(context, gpuCopySource());
  auto prepare = [&](float *of, int64_t columns) {
    calls();
    tilewright::Result<Launchable> copy =
        kernel.prepare({{"x", View(of, {5, columns}, {8, 1})}, {"y", View(y.as<float>(), {5, columns}, {8, 1})}});
    EXPECT_TRUE(copy.ok()) << failureOf(copy);
    return std::move(*copy);
  };
  { // nothing: each map has 16 bytes of zeros, wherever the launch's views are
    Launchable copy = prepare(x.as<float>(), 0);
    std::vector<std::string> made = calls();
    ASSERT_GE(made.size(), 5u);
    auto from = made.end() - 5;
    EXPECT_EQ(from[0], "cuMemAlloc 32");
    EXPECT_EQ(from[1], "cuMemsetD8Async");
    EXPECT_EQ(from[2], "cuStreamSynchronize");
    std::string encode = "cuTensorMapEncodeTiled type 7 at ",
                rest = " (1, 1) strides (16) box (4, 2) each (1, 1) interleave 0 swizzle 0 promotion 2 fill 0";
    uintptr_t zeros = std::stoull(from[3].substr(encode.size()));
    EXPECT_EQ(from[3], encode + std::to_string(zeros) + rest);
    EXPECT_EQ(from[4], encode + std::to_string(zeros + 16) + rest);
    tw_value values[3] = {{x.as<float>() + 16}, {y.data()}, {}};
    values[2].integer = 32;
    ASSERT_EQ(failureOf(copy.launch(values)), "");
    EXPECT_EQ(calls(), std::vector<std::string>{"cuLaunchKernelEx copy_tiles (1, 1, 1) x 32, 4096 bytes, maps at " +
                                                std::to_string(zeros) + ", " + std::to_string(zeros + 16)});
  }
  // No address yet: the launch's.
  Launchable copy = prepare(nullptr, 8);
  calls();
  tw_value values[3] = {{x.data()}, {y.data()}, {}};
  values[2].integer = 32;
  ASSERT_EQ(failureOf(copy.launch(values)), "");
  EXPECT_EQ(calls(), (std::vector<std::string>{"cuTensorMapReplaceAddress " + at(x.data()),
                                               "cuLaunchKernelEx copy_tiles (1, 1, 1) x 32, 4096 bytes, maps at " +
                                                   at(y.data()) + ", " + at(x.data())}));
}

TEST_F(Cuda, TheStrideOfASingleIndexFits) {
  Context context = makeGpuContext("cuda");
  makeCurrent(0);
  DeviceMemory x = upload(context, std::vector<float>(1024)), y = upload(context, std::vector<int8_t>(96));
  json maps = json::array({tensorMap(0, {2, 1, 0}, {8, 2, 1})});
  Kernel kernel = makeKernel(
      context, gpuMapsSource(tilewright::runtime::test::kernel(
                                 "boxes", {}, {view("x", "in", "f32", {"A", "R", "C"}), view("y", "out", "i8", {"N", "B"})}),
                             "boxes3_tiles", {"A", "R", "C", "B", "N"}, {{"tensor_maps", maps}}));
  auto encoded = [&](int64_t a, int64_t r) {
    calls();
    tilewright::Result<Launchable> boxes =
        kernel.prepare({{"x", View(x.as<float>(), {a, r, 10}, {128, 20, 1})}, {"y", View(y.as<int8_t>(), {3, 32})}});
    EXPECT_TRUE(boxes.ok()) << failureOf(boxes);
    std::string call = calls().back();
    return call.substr(call.find('('), call.find(" box") - call.find('('));
  };
  EXPECT_EQ(encoded(3, 5), "(10, 5, 3) strides (80, 512)");
  EXPECT_EQ(encoded(3, 1), "(10, 1, 3) strides (48, 512)");
  EXPECT_EQ(encoded(1, 5), "(10, 5, 1) strides (80, 80)");
  EXPECT_EQ(encoded(1, 1), "(10, 1, 1) strides (48, 48)");
}

TEST_F(Cuda, AMapThatCouldNotBeSetIsSetAgain) {
  Context context = makeGpuContext("cuda");
  makeCurrent(0);
  DeviceMemory x = upload(context, std::vector<float>(256)), y = upload(context, std::vector<int8_t>(96));
  tilewright::Result<Launchable> boxes = prepareBoxes(context, x.as<float>(), y);
  ASSERT_TRUE(boxes.ok()) << failureOf(boxes);
  tw_value values[4] = {{x.as<float>() + 16}, {y.data()}, {}, {}};
  values[2].integer = values[3].integer = 0;
  fail("cuTensorMapReplaceAddress", 700);
  EXPECT_EQ(failureOf(boxes->launch(values)),
            "cuTensorMapReplaceAddress: an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)");
  fail("cuTensorMapReplaceAddress", 0);
  calls();
  EXPECT_EQ(failureOf(boxes->launch(values)), "");
  EXPECT_EQ(calls()[0], "cuTensorMapReplaceAddress " + at(x.as<float>() + 16));
}

TEST_F(Cuda, WhatTheDriverSaysAboutAMapIsToldWithTheMap) {
  Context context = makeGpuContext("cuda");
  DeviceMemory x = upload(context, std::vector<float>(256)), y = upload(context, std::vector<int8_t>(96));
  fail("cuTensorMapEncodeTiled", 1);
  tilewright::Result<Launchable> boxes = prepareBoxes(context, x.as<float>(), y, 32);
  fail("cuTensorMapEncodeTiled", 0);
  EXPECT_EQ(
      failureOf(boxes),
      "kernel boxes, parameter x: no tensor map of f32, (10, 5) elements, strides (48) bytes, boxes of (8, 2), swizzle 32: "
      "cuTensorMapEncodeTiled: unknown error (1)");
}

TEST_F(Cuda, ADriverWithoutReplacementEncodesAgain) {
  use("CudaDriverWithoutReplacement");
  {
    Context context = makeGpuContext("cuda");
    makeCurrent(0);
    DeviceMemory x = upload(context, std::vector<float>(256)), y = upload(context, std::vector<int8_t>(96));
    tilewright::Result<Launchable> boxes = prepareBoxes(context, x.as<float>(), y);
    ASSERT_TRUE(boxes.ok()) << failureOf(boxes);
    tw_value values[4] = {{x.as<float>() + 16}, {y.data()}, {}, {}};
    values[2].integer = values[3].integer = 0;
    calls();
    EXPECT_EQ(failureOf(boxes->launch(values)), "");
    std::vector<std::string> made = calls();
    ASSERT_EQ(made.size(), 2u);
    EXPECT_EQ(made[0], "cuTensorMapEncodeTiled type 7 at " + at(x.as<float>() + 16) +
                           " (10, 5) strides (48) box (8, 2) each (1, 1) interleave 0 swizzle 0 promotion 2 fill 0");
    EXPECT_EQ(made[1], "cuLaunchKernelEx boxes_tiles (3, 1, 1) x 32, 4096 bytes, maps at " + at(x.as<float>() + 16));
  }
  EXPECT_EQ(open(), 0);
}

TEST_F(Cuda, AnOldDriverRunsWhatNeedsNoTensorMaps) {
  use("CudaDriverOf11");
  {
    Context context = makeGpuContext("cuda");
    DeviceMemory x = upload(context, std::vector<float>(256)), y = upload(context, std::vector<int8_t>(96));
    EXPECT_EQ(prepareOnly(context), "");
    tilewright::Result<Launchable> boxes = prepareBoxes(context, x.as<float>(), y);
    ASSERT_FALSE(boxes.ok());
    EXPECT_EQ(boxes.error().status(), TW_UNSUPPORTED);
    EXPECT_EQ(
        failureOf(boxes),
        "kernel boxes, parameter x: no tensor map of f32, (10, 5) elements, strides (48) bytes, boxes of (8, 2), swizzle 0: "
        "the CUDA driver has no cuTensorMapEncodeTiled: install one of CUDA 12.0 or later");
  }
  EXPECT_EQ(open(), 0);
}

TEST_F(Cuda, ResidentBlocksFillTheDeviceOnce) {
  Context context = makeGpuContext("cuda");
  makeCurrent(0);
  DeviceMemory y = upload(context, std::vector<int64_t>(1000));
  auto launched = [&](int64_t blocks, int64_t tiles) {
    EXPECT_EQ(failureOf(makeKernel(context, gpuWhoSource(blocks)).run({{"y", View(y.as<int64_t>(), {tiles})}})), "");
    std::vector<std::string> made = calls();
    auto launch =
        std::find_if(made.begin(), made.end(), [](const std::string &call) { return call.starts_with("cuLaunchKernelEx"); });
    return launch == made.end() ? std::string() : *launch;
  };
  EXPECT_EQ(launched(1, 1000), "cuLaunchKernelEx who_tiles (132, 1, 1) x 32, 4096 bytes");
  EXPECT_EQ(launched(2, 1000), "cuLaunchKernelEx who_tiles (264, 1, 1) x 32, 4096 bytes");
  EXPECT_EQ(launched(2, 200), "cuLaunchKernelEx who_tiles (200, 1, 1) x 32, 4096 bytes");
  EXPECT_EQ(launched(0, 1000), "cuLaunchKernelEx who_tiles (1000, 1, 1) x 32, 4096 bytes");
  EXPECT_EQ(launched(1, 0), "");
}

TEST_F(Cuda, ALaunchWithTensorMapsAllocatesNothing) {
  Context context = makeGpuContext("cuda");
  DeviceMemory x = upload(context, std::vector<float>(256)), y = upload(context, std::vector<float>(256));
  tilewright::Result<Launchable> copy =
      makeKernel(context, gpuCopySource()).prepare({{"x", View(x.as<float>(), {5, 8})}, {"y", View(y.as<float>(), {5, 8})}});
  ASSERT_TRUE(copy.ok()) << failureOf(copy);
  makeCurrent(0);
  record(0);
  int before = allocationsOfThisThread(), failures = 0, launches = 20'000;
  for (bool isMoving : {false, true}) {
    auto begin = std::chrono::steady_clock::now();
    for (int launch = 0; launch < launches; ++launch) {
      int64_t shift = isMoving && launch % 2 ? 16 : 0;
      tw_value values[3] = {{x.as<float>() + shift}, {y.as<float>() + shift}, {}};
      values[2].integer = 32;
      failures += !copy->launch(values).ok();
    }
    double nanoseconds = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / launches;
    printf("a launch with two tensor maps%s costs %.0f ns beside the driver\n", isMoving ? " of other addresses" : "",
           nanoseconds);
  }
  EXPECT_EQ(allocationsOfThisThread(), before);
  record(1);
  EXPECT_EQ(failures, 0);
}

// ---- Trouble ----------------------------------------------------------------------------------------------------------------

TEST_F(Cuda, WithoutADriverThatIsSaid) {
  setenv("TILEWRIGHT_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1);
  tilewright::Result<Context> context = Context::create({.target = "cuda"});
  ASSERT_FALSE(context.ok());
  EXPECT_EQ(context.error().status(), TW_UNSUPPORTED);
  EXPECT_EQ(
      failureOf(context),
      "the CUDA driver cannot be loaded (/nowhere/libcuda.so.1: cannot open shared object file: No such file or directory): "
      "install NVIDIA's driver, or choose the target emulator or cpu");
  setenv("TILEWRIGHT_CUDA_DRIVER", fakeFile("Compiler").c_str(), 1); // some library
  EXPECT_EQ(failureOf(Context::create({.target = "cuda"})),
            "the CUDA driver " + fakeFile("Compiler") + " has no cuInit: install one of CUDA 11.8 or later");
  char *list = nullptr;
  ASSERT_EQ(tw_devices(&list, nullptr), TW_OK);
  EXPECT_NE(std::string(list).find("has no cuInit"), std::string::npos);
  tw_text_release(list);
}

TEST_F(Cuda, DevicesAreListed) {
  char *text = nullptr;
  ASSERT_EQ(tw_devices(&text, nullptr), TW_OK);
  json list = json::parse(text);
  tw_text_release(text);
  EXPECT_EQ(list["cuda"], "");
  ASSERT_EQ(list["devices"].size(), 3u);
  EXPECT_EQ(list["devices"][1], json({{"target", "cuda:1"},
                                      {"name", "Fake H200, the second"},
                                      {"architecture", "sm_90a"},
                                      {"multiprocessors", 132},
                                      {"shared_bytes_per_block", 232'448},
                                      {"memory_bytes", int64_t(1) << 37}}));
  EXPECT_EQ(failureOf(Context::create({.target = "cuda:2"})), "there is no device cuda:2: the CUDA driver knows 2 devices");
  EXPECT_EQ(failureOf(Context::create({.target = "cuda:x"})), "cuda:x does not name a device: expected cuda:0, cuda:1, …");
}

TEST_F(Cuda, FaultsOfTheDriverAreStatuses) {
  Context context = makeGpuContext("cuda");
  Kernel kernel = makeKernel(context, gpuAddSource());
  DeviceMemory a = upload(context, std::vector<float>(8)), b = upload(context, std::vector<float>(8)),
               c = upload(context, std::vector<float>(8));
  tilewright::Result<Launchable> add = prepareAdd(kernel, a, b, c);
  ASSERT_TRUE(add.ok()) << failureOf(add);
  fail("cuLaunchKernelEx", 700);
  tilewright::Result<void> result = add->launch();
  fail("cuLaunchKernelEx", 0);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().status(), TW_DEVICE_FAULT);
  EXPECT_EQ(result.error().message(),
            "cuLaunchKernelEx: an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)");
  fail("cuMemAlloc", 2);
  tilewright::Result<DeviceMemory> memory = context.allocate(1000);
  fail("cuMemAlloc", 0);
  ASSERT_FALSE(memory.ok());
  EXPECT_EQ(memory.error().status(), TW_OUT_OF_MEMORY);
  EXPECT_EQ(memory.error().message(),
            "cuda:0 has no 1000 bytes of memory left: cuMemAlloc: out of memory (CUDA_ERROR_OUT_OF_MEMORY)");
  json without = gpuAddSource("subtract_tiles");
  fail("cuModuleGetFunction", 500);
  EXPECT_EQ(prepareOnly(context, without),
            "the code of kernel add has no entry subtract_tiles: cuModuleGetFunction: unknown error (500)");
  fail("cuModuleGetFunction", 0);
}

TEST_F(Cuda, TooMuchSharedMemoryIsSaid) {
  Context context = makeGpuContext("cuda");
  json greedy = gpuAddSource();
  greedy["metadata"]["shared_bytes"] = 300'000;
  EXPECT_EQ(prepareOnly(context, greedy), "kernel add needs 300000 bytes of shared memory for a block, and cuda:0 has 232448: "
                                          "bind smaller tunables");
}

TEST_F(Cuda, MemoryOfSomeoneElseIsRefused) {
  Context context = makeGpuContext("cuda:1");
  Kernel onGpu = makeKernel(context, gpuAddSource()), onCpu = makeKernel(context, addSource());
  auto prepare = [&](const Kernel &kernel, int32_t memory, const char *target) {
    int64_t shape[1] = {8};
    alignas(16) static float array[24];
    tw_argument arguments[3] = {tw_view("a", array, TW_F32, 1, shape), tw_view("b", array + 8, TW_F32, 1, shape),
                                tw_view("c", array + 16, TW_F32, 1, shape)};
    arguments[1].memory = memory;
    tw_specialization specialization = {};
    specialization.struct_size = sizeof(specialization);
    specialization.target = target;
    tw_launchable *launchable = nullptr;
    tw_error *error = nullptr;
    tw_prepare(kernel.raw(), &specialization, arguments, 3, &launchable, &error);
    std::string text = tw_error_message(error);
    tw_error_release(error);
    tw_launchable_release(launchable);
    return text;
  };
  EXPECT_EQ(prepare(onGpu, TW_MEMORY_UNKNOWN, nullptr), "");
  EXPECT_EQ(prepare(onGpu, TW_MEMORY_CUDA + 1, nullptr), "");
  EXPECT_EQ(prepare(onGpu, TW_MEMORY_CUDA, nullptr),
            "parameter b: is in the memory of cuda:0, and the kernel runs on cuda:1: copy "
            "it, or prepare the kernel for cuda:0");
  EXPECT_EQ(prepare(onGpu, TW_MEMORY_HOST, nullptr),
            "parameter b: is in the memory of cpu, and the kernel runs on cuda:1: copy it, "
            "or prepare the kernel for cpu");
  EXPECT_EQ(prepare(onCpu, TW_MEMORY_HOST, "cpu"), "");
  EXPECT_EQ(prepare(onCpu, TW_MEMORY_CUDA + 1, "cpu"),
            "parameter b: is in the memory of cuda:1, and the kernel runs on cpu: copy "
            "it, or prepare the kernel for cuda:1");
  EXPECT_EQ(prepare(onGpu, -1, nullptr), "parameter b: there is no memory number -1 (TW_MEMORY_HOST, …)");
}

// ---- Assembling -------------------------------------------------------------------------------------------------------------

TEST_F(Cuda, TheDriverAssemblesWithoutPtxas) {
  KeptLog log;
  Context context = makeGpuContext("cuda", log.options());
  say("info    : (C7510) Potential Performance Loss: serialized\n");
  EXPECT_EQ(prepareOnly(context), "");
  EXPECT_EQ(log.lines,
            std::vector<std::string>{"kernel add: the assembler says (C7510) Potential Performance Loss: serialized"});
  fail("cuModuleLoadDataEx", 218);
  float *none = nullptr;
  tilewright::Result<Launchable> add = makeKernel(context, gpuAddSource("other_tiles"))
                                           .prepare({{"a", View(none, {8})}, {"b", View(none, {8})}, {"c", View(none, {8})}});
  fail("cuModuleLoadDataEx", 0);
  ASSERT_FALSE(add.ok());
  EXPECT_EQ(add.error().status(), TW_COMPILATION_FAILED);
  EXPECT_EQ(add.error().message(), "the CUDA driver cannot assemble kernel add: cuModuleLoadDataEx: unknown error (218)");
  EXPECT_EQ(add.error().diagnostics(), "ptxas application ptx input, line 3; fatal : no");
}

TEST_F(Cuda, PtxasAssemblesOnce) {
  TemporaryFolder folder;
  std::string runs = folder / "runs";
  setenv("TILEWRIGHT_PTXAS", TILEWRIGHT_FAKE_SOURCES "/ptxas", 1);
  setenv("FAKE_PTXAS_LOG", runs.c_str(), 1);
  auto prepare = [&](const std::string &entry = "add_tiles") {
    KeptLog log;
    ContextOptions options = log.options();
    options.cacheDirectory = folder / "cache";
    EXPECT_EQ(prepareOnly(makeGpuContext("cuda", options), gpuAddSource(entry)), "");
    EXPECT_EQ(log.lines.size(), 1u);
    EXPECT_EQ(log.lines.empty() ? "" : log.lines[0].substr(0, 43), "kernel add: the assembler says (C7510) Pote");
    std::vector<std::string> made = calls();
    EXPECT_EQ(std::count(made.begin(), made.end(), "cuModuleLoadDataEx CUBIN -arch=sm_90a"), 1);
    std::string text = readFile(runs);
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(prepare(), 1);
  EXPECT_EQ(prepare(), 1); // from the disk, with its warning
  EXPECT_EQ(readFile(runs), "-arch=sm_90a -lineinfo\n");
  EXPECT_EQ(prepare("other_tiles"), 1); // another artifact with the same code
  char *list = nullptr;
  ASSERT_EQ(tw_cache_list((folder / "cache").c_str(), &list, nullptr), TW_OK);
  json entries = json::parse(list)["entries"];
  tw_text_release(list);
  EXPECT_EQ(std::count_if(entries.begin(), entries.end(),
                          [](const json &entry) { return entry["kind"] == "cubin" && entry["name"] == "add"; }),
            1);
}

// What is asked once for a process is asked under several names here.
TEST_F(Cuda, TheVersionOfAPtxasIsKeptOnDisk) {
  TemporaryFolder folder;
  std::string runs = folder / "runs", program = folder / "program";
  setenv("FAKE_PTXAS_LOG", runs.c_str(), 1);
  auto install = [&] {
    std::filesystem::remove(program);
    std::filesystem::copy_file(std::filesystem::path(fakeFile("Compiler")).parent_path() / "ptxas", program);
  };
  auto prepare = [&](const char *name) {
    std::filesystem::create_symlink(program, folder / name);
    setenv("TILEWRIGHT_PTXAS", (folder / name).c_str(), 1);
    ContextOptions options;
    options.cacheDirectory = folder / "cache";
    EXPECT_EQ(prepareOnly(makeGpuContext("cuda", options), gpuAddSource()), "");
    return readFile(runs);
  };
  install();
  EXPECT_EQ(prepare("first"), "--version\n-arch=sm_90a\n");
  EXPECT_EQ(prepare("second"), "--version\n-arch=sm_90a\n"); // all is known
  install();
  EXPECT_EQ(prepare("third"), "--version\n-arch=sm_90a\n--version\n"); // another file, of the same version as it turns out
}

TEST_F(Cuda, WithoutADiskCacheNoPtxasIsAskedForItsVersion) {
  TemporaryFolder folder;
  std::string runs = folder / "runs";
  setenv("FAKE_PTXAS_LOG", runs.c_str(), 1);
  setenv("TILEWRIGHT_PTXAS", (std::filesystem::path(fakeFile("Compiler")).parent_path() / "ptxas").c_str(), 1);
  EXPECT_EQ(prepareOnly(makeGpuContext("cuda"), gpuAddSource()), "");
  EXPECT_EQ(readFile(runs), "-arch=sm_90a\n");
}

TEST_F(Cuda, WhatPtxasRefusesIsAStatus) {
  TemporaryFolder folder;
  setenv("TILEWRIGHT_PTXAS", TILEWRIGHT_FAKE_SOURCES "/ptxas", 1);
  Context context = makeGpuContext("cuda");
  auto prepare = [&](const char *word) {
    std::string path = folder / word;
    std::ofstream(path) << "// " << word << '\n';
    json wrong = gpuAddSource();
    wrong["object"] = path;
    float *none = nullptr;
    return makeKernel(context, wrong).prepare({{"a", View(none, {8})}, {"b", View(none, {8})}, {"c", View(none, {8})}});
  };
  tilewright::Result<Launchable> add = prepare("refused");
  ASSERT_FALSE(add.ok());
  EXPECT_EQ(add.error().status(), TW_COMPILATION_FAILED);
  EXPECT_EQ(failureOf(add), TILEWRIGHT_FAKE_SOURCES "/ptxas ended with exit status 255 while it assembled kernel add");
  EXPECT_NE(add.error().diagnostics().find("Parsing error near 'refused'"), std::string_view::npos);
  EXPECT_EQ(failureOf(prepare("killed")), TILEWRIGHT_FAKE_SOURCES "/ptxas was ended by SIGKILL while it assembled kernel add");
  setenv("TILEWRIGHT_PTXAS", "/nowhere/ptxas", 1);
  EXPECT_EQ(prepareOnly(context), "/nowhere/ptxas could not be started: No such file or directory while it assembled kernel add");
  ContextOptions keeping;
  keeping.cacheDirectory = folder / "cache";
  EXPECT_EQ(prepareOnly(makeGpuContext("cuda", keeping)), "/nowhere/ptxas --version could not be started: No such file or directory");
}

TEST(AssemblerLog, WhatCostsSpeedIsFound) {
  using tilewright::runtime::cuda::warningsIn;
  EXPECT_EQ(warningsIn("ptxas info    : (C7504) ignored\nptxas info : Used 168 registers\nptxas info : (C7504) ignored\n"
                       "ptxas warning : (C7602) slow\nptxas info : (C7503) fine\nptxas info : (C7520) fine\n(C7519) last"),
            (std::vector<std::string>{"(C7504) ignored", "(C7602) slow", "(C7519) last"}));
  EXPECT_TRUE(warningsIn("").empty());
}
