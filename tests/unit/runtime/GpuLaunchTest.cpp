// From prepare to results on the emulator, with hand-written PTX (fake/Kernels.cu) behind a compiler that says what it is told.
#include "runtime/gpu/GpuKernel.h"
#include "tests/unit/runtime/GpuTestSupport.h"
#include "tests/unit/runtime/TemporaryFolder.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

using namespace tilewright::runtime::test;
using tilewright::Argument;
using tilewright::Context;
using tilewright::DeviceMemory;
using tilewright::Kernel;
using tilewright::Launchable;
using tilewright::View;

namespace {

/// Three arrays of n elements and what adds them.
struct Add {
  explicit Add(const Context &context, int64_t n, const std::string &entry = "add_tiles")
      : Add(context, gpuAddSource(entry), n) {}
  Add(const Context &context, const json &source, int64_t n)
      : kernel(makeKernel(context, source)), a(upload(context, std::vector<float>(n, 1))),
        b(upload(context, std::vector<float>(n, 2))), c(upload(context, std::vector<float>(n, -1))),
        launchable(kernel.prepare(
            {{"a", View(a.as<float>(), {n})}, {"b", View(b.as<float>(), {n})}, {"c", View(c.as<float>(), {n})}})) {}

  Kernel kernel;
  DeviceMemory a, b, c;
  tilewright::Result<Launchable> launchable;
};

std::vector<float> columnSum(const std::vector<float> &x, int64_t m, int64_t n) {
  Context context = makeGpuContext();
  Kernel kernel = makeKernel(context, gpuSumSource());
  DeviceMemory xs = upload(context, x), s = upload(context, std::vector<float>(n, NAN));
  tilewright::Result<Launchable> sum = kernel.prepare({{"x", View(xs.as<float>(), {m, n})}, {"s", View(s.as<float>(), {n})}});
  EXPECT_TRUE(sum.ok()) << failureOf(sum);
  EXPECT_EQ(failureOf(sum->launch()), "");
  return download<float>(s);
}

} // namespace

// ---- Grids ------------------------------------------------------------------------------------------------------------------

TEST(GpuLaunch, ComputesForEverySize) {
  Context context = makeGpuContext();
  for (int64_t n : {1, 63, 64, 65, 1000, 20'003}) {
    Add add(context, n);
    ASSERT_TRUE(add.launchable.ok()) << failureOf(add.launchable);
    EXPECT_EQ(add.launchable->info().tile_count, (n + 63) / 64);
    ASSERT_EQ(failureOf(add.launchable->launch()), "");
    EXPECT_EQ(download<float>(add.c), std::vector<float>(n, 3)) << n;
  }
}

TEST(GpuLaunch, SizesWithOneChoiceOfTunablesShareTheirCode) {
  TemporaryFolder folder;
  json source = gpuAddSource();
  source["kernels"][0]["tunables"] = {"BN"};
  std::string log = folder.path + "/log";
  source["log"] = log;
  auto compilations = [&](Context &context) {
    for (int64_t n : {1, 63, 99, 100, 163, 20'003, 7}) { // the fake compiler chooses by hundreds
      Add add(context, source, n);
      EXPECT_TRUE(add.launchable.ok()) << failureOf(add.launchable);
      EXPECT_EQ(failureOf(add.launchable->launch()), "");
      EXPECT_EQ(download<float>(add.c), std::vector<float>(n, 3)) << n;
    }
    return context.statistics().compilations;
  };
  tilewright::ContextOptions options;
  options.cacheDirectory = folder.path + "/cache";
  Context context = makeGpuContext("emulator", options);
  EXPECT_EQ(compilations(context), 3u);
  EXPECT_EQ(readFile(log), "tctttcttct"); // every size is asked for once
  Context later = makeGpuContext("emulator", options);
  EXPECT_EQ(compilations(later), 0u);
  EXPECT_EQ(readFile(log), "tctttcttct"); // choices lie on the disk too

  source["kernels"][0]["tunables"] = json::array(); // nothing is open
  Context fixed = makeGpuContext();
  EXPECT_EQ(compilations(fixed), 1u);
  EXPECT_EQ(readFile(log), "tctttcttctc");
}

TEST(GpuLaunch, ThereMayBeNothingToDo) {
  Context context = makeGpuContext();
  Add add(context, 0);
  ASSERT_TRUE(add.launchable.ok()) << failureOf(add.launchable);
  EXPECT_EQ(add.launchable->info().tile_count, 0);
  EXPECT_EQ(failureOf(add.launchable->launch()), "");
  EXPECT_EQ(columnSum({}, 0, 3), (std::vector<float>{0, 0, 0})); // begin and finish all the same
}

TEST(GpuLaunch, GridsMayBeNested) {
  Context context = makeGpuContext();
  Kernel kernel = makeKernel(context, gpuRangesSource());
  DeviceMemory y = upload(context, std::vector<int64_t>(1000, -1)),
               first = upload(context, std::vector<int64_t>{0, 4, 4, 11, 900});
  tilewright::Result<Launchable> run =
      kernel.prepare({{"first", View(first.as<int64_t>(), {5})}, {"y", View(y.as<int64_t>(), {1000})}});
  ASSERT_TRUE(run.ok()) << failureOf(run);
  EXPECT_EQ(run->info().tile_count, -1);
  ASSERT_EQ(failureOf(run->launch()), "");
  std::vector<int64_t> result = download<int64_t>(y);
  for (int64_t i = 0; i < 1000; ++i)
    ASSERT_EQ(result[i], i < 4 ? 0 : i < 11 ? 2 : i < 900 ? 3 : -1) << i;
}

TEST(GpuLaunch, TooManyTilesAreAStatus) {
  Context context = makeGpuContext();
  Kernel kernel = makeKernel(context, gpuAddSource());
  float *none = nullptr;
  int64_t n = int64_t(64) * (int64_t(1) << 31);
  auto prepare = [&](int64_t size) {
    return kernel.prepare({{"a", View(none, {size})}, {"b", View(none, {size})}, {"c", View(none, {size})}});
  };
  EXPECT_EQ(failureOf(prepare(n)),
            "kernel add has 2147483648 tiles for these shapes, and a launch on a GPU 2147483647 at most: "
            "bind larger tunables");
  EXPECT_EQ(failureOf(prepare(n - 64)), "");
}

TEST(GpuLaunch, AGridOfUnknownRangesIsDamaged) {
  Context context = makeGpuContext();
  json wrong = gpuRangesSource();
  wrong["metadata"]["grid_axes"] = {"e", "i"};
  int64_t *none = nullptr;
  tilewright::Result<Launchable> run =
      makeKernel(context, wrong).prepare({{"first", View(none, {5})}, {"y", View(none, {10})}});
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().status(), TW_DAMAGED_ARTIFACT);
}

// ---- Sums -------------------------------------------------------------------------------------------------------------------

TEST(GpuLaunch, SumsAreFormedInChunks) {
  int64_t m = 2003, n = 37;
  std::vector<float> x(m * n);
  std::mt19937 random(5);
  for (float &value : x)
    value = std::ldexp(static_cast<float>(random()), static_cast<int>(random() % 40) - 20);
  std::vector<float> expected(n);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t chunk = 0; chunk < 1024; ++chunk) {
      float part = 0;
      for (int64_t i = m * chunk / 1024; i < m * (chunk + 1) / 1024; ++i)
        part += x[i * n + j];
      expected[j] += part;
    }
  EXPECT_EQ(columnSum(x, m, n), expected);
}

TEST(GpuLaunch, ChunksFollowFromTheShapes) {
  Context context = makeGpuContext();
  Kernel kernel = makeKernel(context, gpuSumSource());
  float *none = nullptr;
  auto info = [&](int64_t m, int64_t n) {
    tilewright::Result<Launchable> sum = kernel.prepare({{"x", View(none, {m, n})}, {"s", View(none, {n})}});
    EXPECT_TRUE(sum.ok()) << failureOf(sum);
    return std::pair(sum->info().chunk_count, sum->info().partial_sum_bytes);
  };
  EXPECT_EQ(info(5, 10), std::pair(int64_t(5), int64_t(5 * 64)));
  EXPECT_EQ(info(0, 10), std::pair(int64_t(1), int64_t(64)));
  EXPECT_EQ(info(100'000, 10), std::pair(int64_t(1024), int64_t(1024 * 64)));
  EXPECT_EQ(info(100'000, 16 << 20), std::pair(int64_t(4), int64_t(256) << 20));
  EXPECT_EQ(info(100'000, 0), std::pair(int64_t(1), int64_t(0)));
}

TEST(GpuLaunch, OneLaunchableServesManyThreads) {
  Context context = makeGpuContext();
  Kernel kernel = makeKernel(context, gpuSumSource());
  int64_t m = 20, n = 16;
  DeviceMemory x = upload(context, std::vector<float>(m * n, 1));
  tilewright::Result<Launchable> sum =
      kernel.prepare({{"x", View(x.as<float>(), {m, n})}, {"s", View(static_cast<float *>(nullptr), {n})}});
  ASSERT_TRUE(sum.ok()) << failureOf(sum);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 6; ++thread)
    threads.emplace_back([&, thread] {
      DeviceMemory s = upload(context, std::vector<float>(n));
      for (int round = 0; round < 20; ++round) {
        tw_value values[3] = {{x.data()}, {s.data()}, {}};
        values[2].real = thread + round;
        wrong += !sum->launch(values).ok() || download<float>(s)[n - 1] != static_cast<float>(m * (thread + round));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(GpuLaunch, AScalarMayDecideTheGrid) {
  Context context = makeGpuContext();
  json growing = gpuSumSource(); // T = scale
  growing["metadata"]["axes"] = {axis("i", 0, op("i64", {json{{"scalar", "scale"}}}), 1)};
  Kernel kernel = makeKernel(context, growing);
  DeviceMemory x = upload(context, std::vector<float>(50 * 3, 1)), s = upload(context, std::vector<float>(3));
  tilewright::Result<Launchable> sum =
      kernel.prepare({{"x", View(x.as<float>(), {50, 3})}, {"s", View(s.as<float>(), {3})}, {"scale", 2}});
  ASSERT_TRUE(sum.ok()) << failureOf(sum);
  for (int rows : {2, 50, 0, 7}) {
    tw_value values[3] = {{x.data()}, {s.data()}, {}};
    values[2].real = rows;
    ASSERT_EQ(failureOf(sum->launch(values)), "");
    EXPECT_EQ(download<float>(s)[2], static_cast<float>(rows * rows)) << rows; // so many rows, each so many times
  }
}

// ---- Arguments --------------------------------------------------------------------------------------------------------------

TEST(GpuLaunch, TheCompilerIsAskedForTheDevice) {
  for (const char *architecture : {"sm_90a", "sm_80"}) {
    Context context = makeGpuContext(std::string("emulator:") + architecture);
    EXPECT_STREQ(context.device().architecture, architecture);
    Add add(context, 100);
    ASSERT_TRUE(add.launchable.ok()) << failureOf(add.launchable);
    EXPECT_EQ(FakeCompiler().lastOptions()["target"], architecture);
    EXPECT_EQ(FakeCompiler().lastOptions()["views"]["a"], json({0, 1, 16, 1}));
    EXPECT_STREQ(add.launchable->info().target, "cuda");
    EXPECT_STREQ(add.launchable->info().processor, architecture);
    EXPECT_EQ(add.launchable->info().threads, 32);
  }
}

TEST(GpuLaunch, AddressesAreAlignedAsCompiled) {
  Context context = makeGpuContext();
  Kernel kernel = makeKernel(context, gpuAddSource());
  DeviceMemory memory = upload(context, std::vector<float>(256, 1)), c = upload(context, std::vector<float>(64));
  float *x = memory.as<float>();
  auto prepare = [&](float *a, int32_t promise = 0) {
    View view(a, {64});
    return kernel.prepare({{"a", view.aligned(promise)}, {"b", View(x, {64})}, {"c", View(c.as<float>(), {64})}});
  };
  tilewright::Result<Launchable> add = prepare(x);
  ASSERT_TRUE(add.ok()) << failureOf(add);
  tw_value values[3] = {{x + 4}, {x}, {c.data()}};
  EXPECT_EQ(failureOf(add->launch(values)), "");
  values[0].pointer = x + 2;
  EXPECT_EQ(failureOf(add->launch(values)),
            "parameter a: the address is not a multiple of 16, which the code was compiled for: "
            "prepare with this address, or promise no more than it keeps (tw_argument::alignment)");
  // Both ways out.
  add = prepare(x + 2);
  EXPECT_EQ(FakeCompiler().lastOptions()["views"]["a"], json({0, 1, 8, 1}));
  EXPECT_EQ(failureOf(add->launch(values)), "");
  add = prepare(x, 4);
  EXPECT_EQ(FakeCompiler().lastOptions()["views"]["a"], json({0, 1, 4, 1}));
  EXPECT_EQ(failureOf(add->launch(values)), "");
  // Without an address the best is assumed.
  add = prepare(nullptr);
  values[0].pointer = x + 1;
  EXPECT_FALSE(add->launch(values).ok());
}

TEST(GpuLaunch, WrittenViewsShareNothing) {
  Context context = makeGpuContext();
  Kernel kernel = makeKernel(context, gpuAddSource());
  DeviceMemory memory = upload(context, std::vector<float>(256));
  float *x = memory.as<float>();
  EXPECT_EQ(failureOf(kernel.prepare({{"a", View(x, {64})}, {"b", View(x, {64})}, {"c", View(x + 60, {64})}})),
            "parameters c and a: share memory, and c is written");
}

TEST(GpuLaunch, HostMemoryIsFound) {
  Context context = makeGpuContext();
  Add add(context, 64);
  alignas(16) float host[64] = {};
  tw_value values[3] = {{host}, {add.b.data()}, {add.c.data()}};
  tilewright::Result<void> result = add.launchable->launch(values);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().status(), TW_DEVICE_FAULT);
  EXPECT_NE(result.error().message().find("out of bounds"), std::string::npos) << result.error().message();
}

// ---- Faults, messages -------------------------------------------------------------------------------------------------------

TEST(GpuLaunch, AFaultIsAStatusWithTheReport) {
  Context context = makeGpuContext();
  Add add(context, 64, "overrun_tiles");
  tilewright::Result<void> result = add.launchable->launch();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().status(), TW_DEVICE_FAULT);
  std::string message(result.error().message()), diagnostics(result.error().diagnostics());
  EXPECT_EQ(message.find("out of bounds: kernel overrun_tiles at Kernels.cu:"), 0u) << message;
  EXPECT_EQ(diagnostics.find(message + "\n  PTX line"), 0u) << diagnostics;
  EXPECT_EQ(failureOf(Add(context, 64).launchable->launch()), ""); // the device goes on
}

TEST(GpuLaunch, MessagesComeInTheOrderOfTheGrid) {
  std::vector<std::string> lines;
  tilewright::ContextOptions options;
  options.reportUser = &lines;
  options.report = [](void *user, const tw_report *report) {
    static_cast<std::vector<std::string> *>(user)->push_back(std::string(report->where) + ": " + report->text);
  };
  Context context = makeGpuContext("emulator", options);
  Kernel kernel = makeKernel(context, gpuTalkSource());
  std::vector<int32_t> x(50);
  std::iota(x.begin(), x.end(), -3);
  DeviceMemory memory = upload(context, x);
  tilewright::Result<Launchable> talk = kernel.prepare({{"x", View(memory.as<int32_t>(), {50})}});
  ASSERT_TRUE(talk.ok()) << failureOf(talk);
  EXPECT_EQ(failureOf(talk->launch()), "");
  ASSERT_EQ(lines.size(), 50u);
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(lines[i], "t.tile:2:3: x = " + std::to_string(i - 3) + " (i = " + std::to_string(i) + ")");
  EXPECT_GT(talk->elapsedNanoseconds(), 0);

  lines.clear(); // a tile's messages stay in their order
  tw_value values[2] = {};
  values[0].integer = 48;
  values[1].pointer = memory.data();
  tilewright::Result<void> result = talk->launch(values);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().status(), TW_ASSERTION_FAILED);
  EXPECT_EQ(result.error().message(), "t.tile:3:3: assertion failed: too far: 48");
  EXPECT_EQ(result.error().diagnostics(),
            "t.tile:3:3: assertion failed: too far: 48\nt.tile:3:3: assertion failed: too far: 49\n");
  ASSERT_EQ(lines.size(), 52u);
  EXPECT_EQ(lines[49], "t.tile:3:3: too far: 48");
  EXPECT_EQ(lines[50], "t.tile:2:3: x = 46 (i = 49)");

  lines.clear(); // nothing remains of the launch before
  EXPECT_EQ(failureOf(talk->launch()), "");
  EXPECT_EQ(lines.size(), 50u);
}

TEST(GpuLaunch, WhatWasPrintedBeforeAFaultIsTold) {
  std::string text;
  tilewright::ContextOptions options;
  options.reportUser = &text;
  options.report = [](void *user, const tw_report *report) { *static_cast<std::string *>(user) += report->text; };
  Context context = makeGpuContext("emulator", options);
  json stumbling = gpuTalkSource();
  stumbling["metadata"]["entries"]["tiles"] = "stumble_tiles";
  DeviceMemory memory = upload(context, std::vector<int32_t>(1));
  tilewright::Result<void> result = makeKernel(context, stumbling).run({{"x", View(memory.as<int32_t>(), {1})}});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().status(), TW_DEVICE_FAULT);
  EXPECT_EQ(text, "x = 5 (i = 0)");
}

TEST(GpuLaunch, LostMessagesAreTold) {
  std::vector<std::string> warnings;
  size_t reports = 0;
  tilewright::ContextOptions options;
  options.logUser = &warnings;
  options.log = [](void *user, tw_log_level, const char *message) {
    static_cast<std::vector<std::string> *>(user)->push_back(message);
  };
  options.reportUser = &reports;
  options.report = [](void *user, const tw_report *) { ++*static_cast<size_t *>(user); };
  Context context = makeGpuContext("emulator", options);
  json repeating = gpuTalkSource(), mayFail = repeating;
  repeating["metadata"]["entries"]["tiles"] = mayFail["metadata"]["entries"]["tiles"] = "repeat_tiles";
  repeating["metadata"]["messages"].erase(1);
  DeviceMemory memory = upload(context, std::vector<int32_t>(1));
  auto run = [&](const json &source, int64_t times) {
    return makeKernel(context, source).run({{"x", View(memory.as<int32_t>(), {1})}, {"limit", times}});
  };
  // There is room for 64 reports of the largest, 7 words; these have 4.
  EXPECT_EQ(failureOf(run(repeating, 112)), "");
  EXPECT_EQ(reports, 112u);
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(failureOf(run(repeating, 1000)), "");
  EXPECT_EQ(reports, 224u);
  std::string lost = "kernel talk reported more than its message buffer of 3600 bytes holds: 28416 bytes of messages are lost";
  EXPECT_EQ(warnings, std::vector<std::string>{lost});
  EXPECT_EQ(failureOf(run(mayFail, 1000)), lost + ", and a failed assertion may be among them");
}

TEST(GpuLaunch, WhatDidNotFitIsNotReadAsARecordOfBefore) {
  size_t reports = 0;
  tilewright::ContextOptions options;
  options.logLevel = TW_LOG_OFF;
  options.log = [](void *, tw_log_level, const char *) {};
  options.reportUser = &reports;
  options.report = [](void *user, const tw_report *) { ++*static_cast<size_t *>(user); };
  Context context = makeGpuContext("emulator", options);
  json repeating = gpuTalkSource();
  repeating["metadata"]["entries"]["tiles"] = "repeat_tiles";
  repeating["metadata"]["messages"].erase(1);
  DeviceMemory memory = upload(context, std::vector<int32_t>(1));
  tilewright::Result<Launchable> talk =
      makeKernel(context, repeating).prepare({{"x", View(memory.as<int32_t>(), {1})}, {"limit", 1000}});
  ASSERT_TRUE(talk.ok()) << failureOf(talk);
  for (int launch = 1; launch <= 3; ++launch) {
    EXPECT_EQ(failureOf(talk->launch()), "");
    EXPECT_EQ(reports, 112u * launch);
  }
}

// ---- Contexts, devices ------------------------------------------------------------------------------------------------------

TEST(GpuContext, TargetsAreNamed) {
  auto failure = [](const std::string &target) {
    tilewright::Result<Context> context = Context::create({.target = target});
    EXPECT_TRUE(context.ok() || context.error().status() == TW_INVALID_ARGUMENT);
    return failureOf(context);
  };
  EXPECT_EQ(failure("emulator"), "");
  EXPECT_EQ(failure("cpu"), "");
  EXPECT_EQ(failure("emulator:sm_95"), "the emulator has no architecture sm_95 (did you mean sm_90?)");
  EXPECT_EQ(failure("gpu"), "there is no target gpu: expected cpu, cuda, cuda:<number of the device>, emulator or "
                            "emulator:<architecture>");
}

TEST(GpuContext, TheEmulatorsSeedIsANumber) {
  setenv("TILEWRIGHT_EMULATOR_SEED", "x7", 1);
  tilewright::Result<Context> context = Context::create({.target = "emulator"});
  EXPECT_EQ(failureOf(context), "$TILEWRIGHT_EMULATOR_SEED is `x7`, expected a number");
  setenv("TILEWRIGHT_EMULATOR_SEED", "7", 1);
  EXPECT_EQ(columnSum(std::vector<float>(300, 1), 100, 3), std::vector<float>(3, 100));
  unsetenv("TILEWRIGHT_EMULATOR_SEED");
}

TEST(GpuContext, ASpecializationMayNameTheDeviceOrTheProcessor) {
  Context context = makeGpuContext("emulator:sm_80");
  Kernel onCpu = makeKernel(context, addSource()), onGpu = makeKernel(context, gpuAddSource());
  float a[16] = {1}, b[16] = {2}, c[16];
  EXPECT_EQ(failureOf(onCpu.run({{"a", {a, {16}}}, {"b", {b, {16}}}, {"c", {c, {16}}}}, {.target = "cpu"})), "");
  EXPECT_EQ(c[0], 3);
  float *none = nullptr;
  auto prepare = [&](const Kernel &kernel, const std::string &target) {
    return failureOf(
        kernel.prepare({{"a", View(none, {16})}, {"b", View(none, {16})}, {"c", View(none, {16})}}, {.target = target}));
  };
  for (const char *target : {"", "emulator", "emulator:sm_80", "sm_80"})
    EXPECT_EQ(prepare(onGpu, target), "") << target;
  EXPECT_EQ(prepare(onGpu, "sm_90a"), "a kernel for sm_90a in a context for emulator:sm_80 (sm_80): create one for sm_90a");
  Context ofCpu = makeContext();
  EXPECT_EQ(
      prepare(makeKernel(ofCpu, gpuAddSource()), "emulator"),
      "a kernel for emulator needs a context that was created for it (tw_context_options::target), and this one is for cpu");
}

TEST(GpuContext, CodeForTheArchitecturesBeforeIsExecuted) {
  using tilewright::runtime::executes;
  EXPECT_TRUE(executes("sm_90a", "sm_90a"));
  EXPECT_TRUE(executes("sm_90a", "sm_80"));
  EXPECT_TRUE(executes("sm_90a", "sm_90"));
  EXPECT_FALSE(executes("sm_80", "sm_90"));
  EXPECT_FALSE(executes("sm_100a", "sm_90a"));
  EXPECT_FALSE(executes("sm_90", "sm_90a"));
  EXPECT_FALSE(executes("sm_90", "fake"));
}

TEST(GpuContext, MemoryIsTheDevicesOrTheHosts) {
  for (const char *target : {"cpu", "emulator"}) {
    Context context = makeGpuContext(target);
    EXPECT_STREQ(context.device().target, target);
    DeviceMemory memory = upload(context, std::vector<int32_t>{1, 2, 3});
    EXPECT_EQ(memory.bytes(), 12u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % 256, 0u);
    EXPECT_EQ(download<int32_t>(memory), (std::vector<int32_t>{1, 2, 3}));
    EXPECT_TRUE(memory.fill(0xff).ok());
    EXPECT_EQ(download<int32_t>(memory), (std::vector<int32_t>{-1, -1, -1}));
    EXPECT_TRUE(context.synchronize().ok());
    EXPECT_EQ(upload(context, std::vector<int32_t>()).bytes(), 0u);
  }
  tilewright::Result<DeviceMemory> tooMuch = makeGpuContext().allocate(SIZE_MAX);
  ASSERT_FALSE(tooMuch.ok());
  EXPECT_EQ(tooMuch.error().status(), TW_OUT_OF_MEMORY);
}

TEST(GpuContext, MemoryKeepsItsContext) {
  std::optional<DeviceMemory> memory;
  {
    Context context = makeGpuContext();
    memory.emplace(upload(context, std::vector<int32_t>{7}));
  }
  EXPECT_EQ(download<int32_t>(*memory), std::vector<int32_t>{7});
}

TEST(GpuContext, LaunchesAreTimed) {
  int reports = 0;
  tilewright::ContextOptions options;
  options.reportUser = &reports;
  options.report = [](void *user, const tw_report *) { ++*static_cast<int *>(user); };
  Context context = makeGpuContext("emulator", options);
  DeviceMemory x = upload(context, std::vector<int32_t>(1));
  tilewright::Result<Launchable> talk =
      makeKernel(context, gpuTalkSource()).prepare({{"x", View(x.as<int32_t>(), {1})}, {"limit", 1}});
  ASSERT_TRUE(talk.ok()) << failureOf(talk);
  tilewright::Result<int64_t> time = talk->time(5);
  ASSERT_TRUE(time.ok()) << failureOf(time);
  EXPECT_GE(*time, talk->elapsedNanoseconds());
  EXPECT_EQ(reports, 5);
  talk = makeKernel(context, gpuTalkSource()).prepare({{"x", View(x.as<int32_t>(), {1})}, {"limit", 0}});
  EXPECT_EQ(failureOf(talk->time(5)), "t.tile:3:3: assertion failed: too far: 0"); // the first that fails is the last
  EXPECT_EQ(reports, 7);
}

TEST(GpuContext, DevicesAreListed) {
  char *text = nullptr;
  ASSERT_EQ(tw_devices(&text, nullptr), TW_OK);
  json list = json::parse(text);
  tw_text_release(text);
  json emulator = list["devices"].back();
  EXPECT_EQ(emulator["target"], "emulator");
  EXPECT_EQ(emulator["architecture"], "sm_90a");
  EXPECT_EQ(emulator["shared_bytes_per_block"], 227 * 1024);
}
