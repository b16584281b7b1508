// From prepare to results, with hand-written code (fake/*.c) behind a compiler that says what it is told.
#include "tests/unit/runtime/TestSupport.h"
#include "tilewright/compiler_c.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace tilewright::runtime::test;
using tilewright::Argument;
using tilewright::Context;
using tilewright::Kernel;
using tilewright::Launchable;

static tilewright::Result<Launchable> prepareAdd(const Kernel &kernel, float *a, float *b, float *c, int64_t n) {
  return kernel.prepare({{"a", {a, {n}}}, {"b", {b, {n}}}, {"c", {c, {n}}}});
}

static std::string failure(const tilewright::Result<Launchable> &result) {
  return result ? std::string() : std::string(result.error().message());
}
static std::string failure(const tilewright::Result<void> &result) {
  return result ? std::string() : std::string(result.error().message());
}

TEST(Launch, ComputesForEverySize) {
  Context context = makeContext();
  Kernel kernel = makeKernel(context, addSource());
  for (int64_t n : {0, 1, 3, 4, 5, 1000, 100'003}) {
    std::vector<float> a(n + 1, 1), b(n + 1, 2), c(n + 1, -1);
    std::iota(a.begin(), a.end(), 0.f);
    tilewright::Result<Launchable> add = prepareAdd(kernel, a.data(), b.data(), c.data(), n);
    ASSERT_TRUE(add.ok()) << failure(add);
    ASSERT_EQ(failure(add->launch()), "");
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(c[i], a[i] + 2);
    EXPECT_EQ(c[n], -1);
    EXPECT_EQ(add->info().tile_count, (n + 3) / 4);
  }
}

TEST(Launch, TakesOtherAddresses) {
  Context context = makeContext();
  Kernel kernel = makeKernel(context, addSource());
  alignas(64) float a[16] = {1}, b[16] = {2}, c[16], d[16];
  tilewright::Result<Launchable> add = prepareAdd(kernel, a, b, c, 16);
  tw_value values[3] = {{a}, {a}, {d}};
  ASSERT_EQ(failure(add->launch(values)), "");
  EXPECT_EQ(d[0], 2);
  ASSERT_EQ(failure(add->launch()), ""); // the addresses of prepare again
  EXPECT_EQ(c[0], 3);
}

TEST(Launch, CanBePreparedWithoutAddresses) {
  Context context = makeContext();
  Kernel kernel = makeKernel(context, addSource());
  tilewright::Result<Launchable> add = prepareAdd(kernel, nullptr, nullptr, nullptr, 4);
  ASSERT_TRUE(add.ok()) << failure(add);
  EXPECT_EQ(failure(add->launch()), "parameter a: the address is null, and the view has 4 elements");
  float a[5] = {0, 1}, c[4];
  tw_value values[3] = {{a + 1}, {a + 1}, {c}}; // aligned to elements is enough
  ASSERT_EQ(failure(add->launch(values)), "");
  EXPECT_EQ(c[0], 2);
  EXPECT_EQ(failure(add->launch(std::span(values, 2))), "a launch of kernel add takes 3 values, and was given 2");
}

TEST(Launch, PromisedAlignmentIsKept) {
  Context context = makeContext();
  Kernel kernel = makeKernel(context, addSource());
  alignas(64) float a[32] = {}, b[32] = {}, c[32];
  tw_value values[3] = {{a + 1}, {b}, {c}};
  tilewright::Result<Launchable> add = prepareAdd(kernel, a, b, c, 16);
  EXPECT_EQ(failure(add->launch(values)), "");
  tilewright::View promised(a, {16});
  add = kernel.prepare({{"a", promised.aligned(64)}, {"b", {b, {16}}}, {"c", {c, {16}}}});
  EXPECT_EQ(failure(add->launch(values)),
            "parameter a: the address is not a multiple of 64, which was promised when the launch was prepared");
}

TEST(Launch, WrittenViewsShareNothing) {
  Context context = makeContext();
  Kernel kernel = makeKernel(context, addSource());
  alignas(64) float a[64] = {}, b[64] = {};
  EXPECT_EQ(failure(prepareAdd(kernel, a, b, a, 16)), "parameters c and a: share memory, and c is written");
  EXPECT_EQ(failure(prepareAdd(kernel, a, b, b + 15, 16)), "parameters c and b: share memory, and c is written");
  EXPECT_EQ(failure(prepareAdd(kernel, a, a, b, 16)), ""); // inputs may
  tilewright::Result<Launchable> add = prepareAdd(kernel, a, b, b + 16, 16);
  ASSERT_TRUE(add.ok());
  tw_value values[3] = {{a}, {b}, {b}};
  EXPECT_EQ(failure(add->launch(values)), "parameters c and b: share memory, and c is written");
  // Interleaved halves of one array.
  EXPECT_EQ(failure(kernel.prepare({{"a", {a, {16}, {2}}}, {"b", {b, {16}}}, {"c", {a + 1, {16}, {2}}}})), "");
}

TEST(Launch, AnOutputDoesNotOverlapItself) {
  Context context = makeContext();
  Kernel kernel = makeKernel(context, addSource());
  float a[16] = {}, c[16];
  EXPECT_EQ(failure(kernel.prepare({{"a", {a, {4}, {0}}}, {"b", {a, {4}}}, {"c", {c, {4}, {0}}}})),
            "parameter c: is written, and has several elements at one address (check its strides)");
  EXPECT_EQ(failure(kernel.prepare({{"a", {a, {4}, {0}}}, {"b", {a, {4}}}, {"c", {c, {4}}}})), "");
}

TEST(Launch, ShapesMustAgree) {
  Context context = makeContext();
  Kernel kernel = makeKernel(context, addSource());
  float a[16], c[16];
  tilewright::Result<Launchable> add = kernel.prepare({{"a", {a, {4}}}, {"b", {a, {5}}}, {"c", {c, {4}}}});
  EXPECT_EQ(failure(add), "parameter b: dimension N... is 5, expected 4 (bound by a)");
  EXPECT_EQ(add.error().status(), TW_INVALID_SHAPE);
}

// ---- Sums, threads ----------------------------------------------------------------------------------------------------------

static std::vector<float> columnSum(int threads, const std::vector<float> &x, int64_t m, int64_t n, double scale = 1) {
  Context context = makeContext(threads);
  Kernel kernel = makeKernel(context, sumSource());
  std::vector<float> s(n, NAN);
  tilewright::Result<Launchable> sum = kernel.prepare({{"x", {x.data(), {m, n}}}, {"s", {s.data(), {n}}}, {"scale", scale}});
  EXPECT_TRUE(sum.ok()) << failure(sum);
  EXPECT_EQ(failure(sum->launch()), "");
  return s;
}

TEST(Launch, SumsDoNotDependOnTheThreads) {
  int64_t m = 1001, n = 37;
  std::vector<float> x(m * n);
  std::mt19937 random(5);
  for (float &value : x)
    value = std::ldexp(static_cast<float>(random()), static_cast<int>(random() % 40) - 20);
  std::vector<float> one = columnSum(1, x, m, n);
  for (int threads : {2, 3, 8})
    EXPECT_EQ(std::memcmp(columnSum(threads, x, m, n).data(), one.data(), n * sizeof(float)), 0) << threads;
}

TEST(Launch, SumsOfNothingAreZero) {
  std::vector<float> x(1);
  EXPECT_EQ(columnSum(2, x, 0, 3), (std::vector<float>{0, 0, 0}));
}

TEST(Launch, ChunksFollowFromTheShapes) {
  for (int threads : {1, 8}) {
    Context context = makeContext(threads);
    Kernel kernel = makeKernel(context, sumSource());
    auto chunks = [&](int64_t m, int64_t n) {
      tilewright::Result<Launchable> sum =
          kernel.prepare({{"x", {static_cast<float *>(nullptr), {m, n}}}, {"s", {static_cast<float *>(nullptr), {n}}}});
      return sum->info().chunk_count;
    };
    EXPECT_EQ(chunks(5, 10), 5);
    EXPECT_EQ(chunks(1000, 10), 16);
    EXPECT_EQ(chunks(0, 10), 1);
    EXPECT_EQ(chunks(1000, 16 << 20), 4); // 64 MiB each
    EXPECT_EQ(chunks(1000, 0), 1);
  }
}

TEST(Launch, ScalarsMayChange) {
  Context context = makeContext();
  Kernel kernel = makeKernel(context, sumSource());
  float x[6] = {1, 2, 3, 4, 5, 6}, s[2];
  tilewright::Result<Launchable> sum = kernel.prepare({{"x", {x, {3, 2}}}, {"s", {s, {2}}}, {"scale", 2}});
  ASSERT_EQ(failure(sum->launch()), "");
  EXPECT_EQ(s[0], 18);
  tw_value values[3] = {{x}, {s}, {}};
  values[2].real = 10;
  ASSERT_EQ(failure(sum->launch(values)), "");
  EXPECT_EQ(s[1], 120);
  ASSERT_EQ(failure(sum->launch()), "");
  EXPECT_EQ(s[0], 18);
}

TEST(Launch, OneLaunchableServesManyThreads) {
  Context context = makeContext(2);
  Kernel kernel = makeKernel(context, sumSource());
  int64_t m = 200, n = 16;
  std::vector<float> x(m * n, 1);
  tilewright::Result<Launchable> sum = kernel.prepare({{"x", {x.data(), {m, n}}}, {"s", {static_cast<float *>(nullptr), {n}}}});
  ASSERT_TRUE(sum.ok());
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 12; ++thread)
    threads.emplace_back([&, thread] {
      std::vector<float> s(n);
      for (int round = 0; round < 100; ++round) {
        tw_value values[3] = {{x.data()}, {s.data()}, {}};
        values[2].real = thread + round;
        wrong += !sum->launch(values).ok() || s[n - 1] != static_cast<float>(m * (thread + round));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

#if defined(__x86_64__)
TEST(Launch, DenormalsAreKeptWhateverTheCallerSets) {
  unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040); // flush to zero, denormals are zero
  std::vector<float> s = columnSum(1, {1e-40f, 1e-40f}, 2, 1);
  unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_GT(s[0], 0);
  EXPECT_EQ(after & 0x8040, 0x8040u);
}
#endif

TEST(Launch, GridsCanBeReadFromMemory) {
  Context context = makeContext();
  json ranges =
      source(kernel("ranges", {}, {view("first", "in", "i64", {"E"}), view("y", "out", "i64", {"N"})}), "Listed", {"E", "N"},
             {{"grid", "listed"},
              {"grid_variables", 2},
              {"axes",
               {{{"name", "e"}, {"low", 0}, {"high", op("subtract", {dim("E"), 1})}, {"span", false}, {"parent", nullptr}},
                {{"name", "i"},
                 {"low", {{"unknown", "i64"}}},
                 {"high", {{"unknown", "i64"}}},
                 {"span", true},
                 {"parent", nullptr}}}}});
  Kernel kernel = makeKernel(context, ranges);
  std::vector<int64_t> y(1000, -1), first = {0, 4, 4, 11};
  tilewright::Result<Launchable> run = kernel.prepare({{"first", {first.data(), {4}}}, {"y", {y.data(), {1000}}}});
  ASSERT_TRUE(run.ok()) << failure(run);
  EXPECT_EQ(run->info().tile_count, -1);
  for (int64_t last : {11, 1000, 5}) { // the list grows
    first[3] = last;
    std::fill(y.begin(), y.end(), -1);
    ASSERT_EQ(failure(run->launch()), "");
    for (int64_t i = 0; i < 1000; ++i)
      ASSERT_EQ(y[i], i < 4 ? 0 : i < last ? 2 : -1) << i;
  }
}

// ---- Reports ----------------------------------------------------------------------------------------------------------------

static json reportSource(const char *firstKind = "print", int position = 0) {
  return source(kernel("talk", {}, {scalar("limit", "i32", 100), view("x", "in", "i32", {"N"})}), "Report", {"N"},
                {{"messages",
                  {{{"kind", firstKind},
                    {"parts", {{{"text", "tile "}}, {{"dtype", "i64"}}, {{"text", " "}}, {{"dtype", "i32"}}}},
                    {"position", position},
                    {"where", "t.tile:2:3"}},
                   {{"kind", "assert"}, {"parts", {{{"text", "too far: "}}, {{"dtype", "i64"}}}}, {"where", "t.tile:3:3"}}}}});
}

TEST(Launch, PrintsComeInOrderAndAssertsFail) {
  std::vector<std::string> lines;
  tilewright::ContextOptions options;
  options.reportUser = &lines;
  options.report = [](void *user, const tw_report *report) {
    static_cast<std::vector<std::string> *>(user)->push_back(std::string(report->where) + ": " + report->text);
  };
  Context context = makeContext(4, options);
  Kernel kernel = makeKernel(context, reportSource());
  std::vector<int32_t> x(50);
  std::iota(x.begin(), x.end(), -1);
  tilewright::Result<Launchable> talk = kernel.prepare({{"x", {x.data(), {50}}}});
  ASSERT_EQ(failure(talk->launch()), "");
  ASSERT_EQ(lines.size(), 50u);
  for (int tile = 0; tile < 50; ++tile)
    EXPECT_EQ(lines[tile], "t.tile:2:3: tile " + std::to_string(tile) + " " + std::to_string(tile - 1));

  tw_value values[2] = {};
  values[0].integer = 48;
  values[1].pointer = x.data();
  tilewright::Result<void> result = talk->launch(values);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().status(), TW_ASSERTION_FAILED);
  EXPECT_EQ(result.error().message(), "t.tile:3:3: assertion failed: too far: 48");
  EXPECT_EQ(result.error().diagnostics(),
            "t.tile:3:3: assertion failed: too far: 48\nt.tile:3:3: assertion failed: too far: 49\n");
}

// Reports come from several threads; which failures are told does not depend on their order.
TEST(Launch, TheFirstFailuresAreTold) {
  Context context = makeContext(4);
  Kernel kernel = makeKernel(context, reportSource("assert")); // no print, so the tiles run in parallel
  std::vector<int32_t> x(3000);
  tilewright::Result<void> result = kernel.run({{"x", {x.data(), {3000}}}});
  ASSERT_FALSE(result.ok());
  std::string expected;
  for (int tile = 0; tile < 16; ++tile)
    expected += "t.tile:2:3: assertion failed: tile " + std::to_string(tile) + " 0\n";
  EXPECT_EQ(result.error().diagnostics(), expected);

  // If the second value is the position, it counts first.
  std::iota(x.rbegin(), x.rend(), 0);
  expected.clear();
  for (int position = 0; position < 16; ++position)
    expected += "t.tile:2:3: assertion failed: tile " + std::to_string(2999 - position) + " " + std::to_string(position) + "\n";
  result = makeKernel(context, reportSource("assert", 1)).run({{"x", {x.data(), {3000}}}});
  EXPECT_EQ(result.error().diagnostics(), expected);
}

TEST(Launch, PrintsGoToStandardOutput) {
  Context context = makeContext();
  Kernel kernel = makeKernel(context, reportSource());
  int32_t x[1] = {7};
  testing::internal::CaptureStdout();
  EXPECT_EQ(failure(kernel.run({{"x", {x, {1}}}})), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "t.tile:2:3: tile 0 7\n");
}

// ---- Compilation ------------------------------------------------------------------------------------------------------------

TEST(Launch, OneSpecializationIsCompiledOnce) {
  Context context = makeContext();
  json slow = addSource();
  slow["delay"] = 50;
  Kernel kernel = makeKernel(context, slow), again = makeKernel(context, slow); // the same text is the same module
  int before = FakeCompiler().compilations();
  std::atomic<int> failures = 0, compiled = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      alignas(64) float a[8] = {1}, b[8] = {2}, c[8];
      tilewright::Result<Launchable> add = prepareAdd(thread % 2 ? kernel : again, a, b, c, 8);
      failures += !add.ok() || !add->launch().ok() || c[0] != 3;
      compiled += add.ok() && !add->info().from_cache;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(compiled, 1);
  EXPECT_EQ(FakeCompiler().compilations(), before + 1);
  EXPECT_EQ(context.statistics().compilations, 1u);
  EXPECT_EQ(context.statistics().cache_hits, 7u);
  EXPECT_EQ(context.statistics().cached_kernels, 1u);
}

TEST(Launch, TheCompilerIsToldEverything) {
  Context context = makeContext();
  json tunable = addSource();
  tunable["kernels"][0]["tunables"] = {"BN"};
  Kernel kernel = makeKernel(context, tunable);
  alignas(64) float a[8] = {}, b[9] = {}, c[8];
  tilewright::Result<Launchable> add = kernel.prepare({{"a", {a, {8}}}, {"b", {b + 1, {2, 4}}}, {"c", {c, {4}, {2}}}});
  EXPECT_FALSE(add.ok()); // shapes
  add = kernel.prepare({{"a", {a, {8}}}, {"b", {b + 1, {2, 4}}}, {"c", {c, {8}}}}, {.schedule = "reference", .checked = true});
  ASSERT_TRUE(add.ok()) << failure(add);
  json options = FakeCompiler().lastOptions();
  EXPECT_EQ(options["statics"], json({{"T", "f32"}}));
  EXPECT_EQ(options["views"]["a"], json({0, 1, 4, 1}));
  EXPECT_EQ(options["views"]["b"], json({0, 1, 4, 1}));
  EXPECT_EQ(options["hints"], json({{"N", "8"}}));
  EXPECT_EQ(options["schedule"], "reference");
  EXPECT_EQ(options["checked"], 1);
  EXPECT_EQ(options["target"], "cpu");
  EXPECT_STREQ(add->info().tunables[0].name, "BN");
  EXPECT_EQ(add->info().tunables[0].value, 64);
  EXPECT_STREQ(add->info().dimensions[0].name, "N");
  EXPECT_EQ(add->info().dimensions[0].extent, 8);
  EXPECT_EQ(add->info().checked, 1);
}

TEST(Launch, WhatTheCompilerCannotDoIsAStatus) {
  Context context = makeContext();
  float a[8], b[8], c[8];
  for (auto [status, expected] : {std::pair(TW_COMPILER_INVALID_OPTIONS, TW_INVALID_ARGUMENT),
                                  {TW_COMPILER_UNSUPPORTED, TW_UNSUPPORTED},
                                  {TW_COMPILER_FAILED, TW_COMPILATION_FAILED}}) {
    json failing = addSource();
    failing["fail"] = status;
    failing["diagnostic"] = "add.tile:1:1: error: no legal tunables\nnote: why\n";
    tilewright::Result<Launchable> add = prepareAdd(makeKernel(context, failing), a, b, c, 8);
    ASSERT_FALSE(add.ok());
    EXPECT_EQ(add.error().status(), expected);
    EXPECT_EQ(add.error().message(), "add.tile:1:1: error: no legal tunables");
    EXPECT_NE(add.error().diagnostics().find("note: why"), std::string_view::npos);
  }
  json damaged = addSource();
  damaged["truncate"] = 100;
  EXPECT_EQ(prepareAdd(makeKernel(context, damaged), a, b, c, 8).error().status(), TW_DAMAGED_ARTIFACT);
  EXPECT_TRUE(prepareAdd(makeKernel(context, addSource()), a, b, c, 8).ok()); // and the next works
}

TEST(Launch, ChecksRunWhenALaunchIsPrepared) {
  Context context = makeContext();
  json checked = addSource();
  checked["metadata"]["require"] = {
      {{"condition", op("less", {dim("N"), 10})}, {"text", "small only"}, {"where", "add.tile:3:3"}}};
  Kernel kernel = makeKernel(context, checked);
  float a[16], b[16], c[16];
  EXPECT_EQ(failure(prepareAdd(kernel, a, b, c, 16)), "add.tile:3:3: require N < 10 does not hold: small only");
  EXPECT_EQ(failure(prepareAdd(kernel, a, b, c, 9)), "");
}

TEST(Launch, ChecksOfScalarsRunWhenTheyChange) {
  Context context = makeContext();
  json checked = sumSource();
  checked["metadata"]["require"] = {
      {{"condition", op("greater", {json{{"scalar", "scale"}}, 0.0})}, {"text", ""}, {"where", ""}}};
  Kernel kernel = makeKernel(context, checked);
  float x[6] = {}, s[2];
  tilewright::Result<Launchable> sum = kernel.prepare({{"x", {x, {3, 2}}}, {"s", {s, {2}}}});
  ASSERT_TRUE(sum.ok()) << failure(sum);
  tw_value values[3] = {{x}, {s}, {}};
  values[2].real = -1;
  EXPECT_EQ(failure(sum->launch(values)), "require scale > 0 does not hold");
}

TEST(Launch, AllocatesNothing) {
  for (int threads : {1, 2}) {
    Context context = makeContext(threads);
    Kernel kernel = makeKernel(context, sumSource());
    std::vector<float> x(100 * 40, 1), s(40);
    tilewright::Result<Launchable> sum = kernel.prepare({{"x", {x.data(), {100, 40}}}, {"s", {s.data(), {40}}}});
    tw_value values[3] = {{x.data()}, {s.data()}, {}};
    values[2].real = 2;
    ASSERT_EQ(failure(sum->launch(values)), ""); // the pool starts
    int before = allocationsOfThisThread();
    for (int launch = 0; launch < 10; ++launch)
      tw_launch(sum->raw(), values, 3, nullptr);
    EXPECT_EQ(allocationsOfThisThread(), before) << threads << " threads";
  }
}

// ---- Cost -------------------------------------------------------------------------------------------------------------------

TEST(Launch, OfOneTileIsCheap) {
  Context context = makeContext();
  Kernel kernel = makeKernel(context, addSource());
  alignas(64) float a[4] = {}, b[4] = {}, c[4];
  tilewright::Result<Launchable> add = prepareAdd(kernel, a, b, c, 4);
  tw_value values[3] = {{a}, {b}, {c}};
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    auto begin = std::chrono::steady_clock::now();
    for (int launch = 0; launch < 1000; ++launch)
      tw_launch(add->raw(), values, 3, nullptr);
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / 1000);
  }
  RecordProperty("nanoseconds", std::to_string(best));
  std::printf("a launch of one tile takes %.0f ns\n", best);
  EXPECT_LT(best, 2000);
}
