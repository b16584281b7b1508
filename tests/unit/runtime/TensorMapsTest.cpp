// Tensor maps and resident blocks on the emulator, with hand-written PTX (fake/TensorMaps.cu).
#include "tests/unit/runtime/GpuTestSupport.h"

#include <cstring>
#include <numeric>
#include <thread>

using namespace tilewright::runtime::test;
using tilewright::Context;
using tilewright::DeviceMemory;
using tilewright::Kernel;
using tilewright::Launchable;
using tilewright::View;

namespace {

/// One box for each n, as kernel boxes loads them, of which the first is at (c, 0), the next at (c, r) or (c, r, 1).
std::vector<std::vector<float>> boxesOf(const Context &context, const json &source, const View &x, int64_t count,
                                        int64_t elements, int32_t c = 0, int32_t r = 0) {
  DeviceMemory y = upload(context, std::vector<float>(count * elements, NAN));
  tilewright::Result<void> done =
      makeKernel(context, source).run({{"x", x}, {"y", View(y.as<int8_t>(), {count, elements * 4})}, {"c", c}, {"r", r}});
  EXPECT_EQ(failureOf(done), "");
  std::vector<float> all = download<float>(y);
  std::vector<std::vector<float>> boxes;
  for (auto from = all.begin(); from != all.end(); from += elements)
    boxes.emplace_back(from, from + elements);
  return boxes;
}

std::vector<float> numbers(int64_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

} // namespace

TEST(TensorMaps, BoxesOfAMatrix) {
  Context context = makeGpuContext();
  DeviceMemory memory = upload(context, numbers(12 * 24));
  json source = gpuBoxesSource(tensorMap(0, {1, 0}, {4, 2}));
  // [5, 10] of rows of 24, from the element (2, 4) on.
  View x(memory.as<float>() + 2 * 24 + 4, {5, 10}, {24, 1});
  auto at = [](int row, int column) { return static_cast<float>((2 + row) * 24 + 4 + column + 1); };
  EXPECT_EQ(boxesOf(context, source, x, 3, 8, /*c=*/4, /*r=*/2),
            (std::vector<std::vector<float>>{{at(0, 4), at(0, 5), at(0, 6), at(0, 7), at(1, 4), at(1, 5), at(1, 6), at(1, 7)},
                                             {at(2, 4), at(2, 5), at(2, 6), at(2, 7), at(3, 4), at(3, 5), at(3, 6), at(3, 7)},
                                             {at(4, 4), at(4, 5), at(4, 6), at(4, 7), 0, 0, 0, 0}}));
  EXPECT_EQ(boxesOf(context, source, x, 1, 8, /*c=*/-2),
            (std::vector<std::vector<float>>{{0, 0, at(0, 0), at(0, 1), 0, 0, at(1, 0), at(1, 1)}}));
  EXPECT_EQ(boxesOf(context, source, x, 1, 8, /*c=*/8),
            (std::vector<std::vector<float>>{{at(0, 8), at(0, 9), 0, 0, at(1, 8), at(1, 9), 0, 0}}));
  // One row: its stride is of no use, and need not be a multiple of anything.
  EXPECT_EQ(boxesOf(context, source, View(memory.as<float>(), {1, 3}, {17, 1}), 1, 8),
            (std::vector<std::vector<float>>{{1, 2, 3, 0, 0, 0, 0, 0}}));
}

TEST(TensorMaps, AnyDimensionMayBeTheFastest) {
  Context context = makeGpuContext();
  DeviceMemory memory = upload(context, numbers(8 * 12));
  // x[r, c] is element (c, r) of rows of 12.
  View x(memory.as<float>(), {12, 8}, {1, 12});
  EXPECT_EQ(boxesOf(context, gpuBoxesSource(tensorMap(0, {0, 1}, {4, 2})), x, 1, 8, /*c=*/8),
            (std::vector<std::vector<float>>{{9, 10, 11, 12, 21, 22, 23, 24}}));
}

TEST(TensorMaps, PacksHaveTheDimensionsThatDoNotMerge) {
  Context context = makeGpuContext();
  DeviceMemory memory = upload(context, numbers(3 * 5 * 8));
  json source = gpuBoxesSource(tensorMap(0, {2, 1, 0}, {4, 2, 1}), /*isPacked=*/true);
  // Of three batches of five rows of 8 elements the first three rows each.
  View x(memory.as<float>(), {3, 3, 6}, {40, 8, 1});
  EXPECT_EQ(
      boxesOf(context, source, x, 3, 8, /*c=*/4, /*r=*/2),
      (std::vector<std::vector<float>>{{21, 22, 0, 0, 0, 0, 0, 0}, {61, 62, 0, 0, 0, 0, 0, 0}, {101, 102, 0, 0, 0, 0, 0, 0}}));
}

TEST(TensorMaps, AreSwizzled) {
  Context context = makeGpuContext();
  DeviceMemory memory = upload(context, numbers(4 * 32));
  for (int64_t swizzle : {32, 64, 128}) {
    int64_t width = swizzle / 4, rows = 4;
    View x(memory.as<float>(), {4, 32});
    std::vector<float> box =
        boxesOf(context, gpuBoxesSource(tensorMap(0, {1, 0}, {width, rows}, swizzle)), x, 1, rows * width)[0];
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < width; ++column) {
        int64_t line = row * swizzle / 128, piece = (column / 4) ^ (line % (swizzle / 16));
        EXPECT_EQ(box[row * width + piece * 4 + column % 4], static_cast<float>(row * 32 + column + 1))
            << swizzle << ": " << row << ", " << column;
      }
  }
}

TEST(TensorMaps, CopiesMayRoundToTF32) {
  Context context = makeGpuContext();
  DeviceMemory memory = upload(context, std::vector<float>{1 + 0x1p-11F, -1 - 0x1p-11F - 0x1p-20F, 1 + 0x1p-11F - 0x1p-20F, INFINITY});
  json map = tensorMap(0, {1, 0}, {4, 1});
  map["tf32"] = true;
  EXPECT_EQ(boxesOf(context, gpuBoxesSource(map), View(memory.as<float>(), {1, 4}), 1, 4),
            (std::vector<std::vector<float>>{{1 + 0x1p-10F, -1 - 0x1p-10F, 1, INFINITY}}));
}

TEST(TensorMaps, ElementsOfEverySize) {
  Context context = makeGpuContext();
  std::vector<int8_t> bytes(64 * 32);
  std::iota(bytes.begin(), bytes.end(), 1);
  DeviceMemory memory = upload(context, bytes);
  for (tw_dtype dtype :
       {TW_F64, TW_F32, TW_F16, TW_BF16, TW_F8E4M3, TW_F8E5M2, TW_I64, TW_I32, TW_I16, TW_I8, TW_U8, TW_BOOL}) {
    auto size = static_cast<int64_t>(tw_dtype_bytes(dtype));
    DeviceMemory y = upload(context, std::vector<int8_t>(64));
    View x(memory.data(), dtype, {4, 64 / size});
    json source = gpuBoxesSource(tensorMap(0, {1, 0}, {32 / size, 2}), false, tw_dtype_name(dtype));
    EXPECT_EQ(
        failureOf(makeKernel(context, source)
                      .run({{"x", x}, {"y", View(y.as<int8_t>(), {1, 64})}, {"c", 16 / static_cast<int32_t>(size)}, {"r", 0}})),
        "");
    std::vector<int8_t> expected(bytes.begin() + 16, bytes.begin() + 48);
    expected.insert(expected.end(), bytes.begin() + 80, bytes.begin() + 112);
    EXPECT_EQ(download<int8_t>(y), expected) << tw_dtype_name(dtype);
  }
}

TEST(TensorMaps, OfNothingLoadZeros) {
  Context context = makeGpuContext();
  DeviceMemory memory = upload(context, numbers(64));
  json source = gpuBoxesSource(tensorMap(0, {1, 0}, {4, 2}));
  std::vector<std::vector<float>> zeros(2, std::vector<float>(8));
  EXPECT_EQ(boxesOf(context, source, View(memory.as<float>(), {0, 8}), 2, 8), zeros);
  EXPECT_EQ(boxesOf(context, source, View(memory.as<float>(), {8, 0}, {4, 1}), 2, 8), zeros);
  EXPECT_EQ(boxesOf(context, source, View(static_cast<float *>(nullptr), {0, 0}), 2, 8), zeros);
}

TEST(TensorMaps, StoresToNothingAreLost) {
  Context context = makeGpuContext();
  DeviceMemory memory = upload(context, numbers(64)), target = upload(context, std::vector<float>(64, -1));
  Kernel kernel = makeKernel(context, gpuCopySource());
  ASSERT_EQ(failureOf(kernel.run({{"x", View(memory.as<float>(), {3, 8})}, {"y", View(target.as<float>(), {3, 8})}})), "");
  std::vector<float> copied(64, -1);
  for (int n : {0, 1, 2, 3, 8, 9, 10, 11})
    copied[n] = static_cast<float>(n + 1);
  EXPECT_EQ(download<float>(target), copied);
  ASSERT_EQ(
      failureOf(kernel.run({{"x", View(memory.as<float>(), {3, 0}, {8, 1})}, {"y", View(target.as<float>(), {3, 0}, {8, 1})}})),
      "");
  EXPECT_EQ(download<float>(target), copied);
}

TEST(TensorMaps, FollowTheAddresses) {
  Context context = makeGpuContext();
  Kernel kernel = makeKernel(context, gpuBoxesSource(tensorMap(0, {1, 0}, {4, 2})));
  DeviceMemory memory = upload(context, numbers(256));
  float *none = nullptr;
  int8_t *noBytes = nullptr;
  for (float *prepared : {none, memory.as<float>()}) {
    tilewright::Result<Launchable> boxes = kernel.prepare({{"x", View(prepared, {2, 8})}, {"y", View(noBytes, {1, 32})}});
    ASSERT_TRUE(boxes.ok()) << failureOf(boxes);
    for (int64_t at : {64, 0, 0, 128}) {
      DeviceMemory y = upload(context, std::vector<float>(8));
      tw_value values[4] = {{memory.as<float>() + at}, {y.data()}, {}, {}};
      values[2].integer = values[3].integer = 0;
      ASSERT_EQ(failureOf(boxes->launch(values)), "");
      auto first = static_cast<float>(at + 1);
      EXPECT_EQ(download<float>(y),
                (std::vector<float>{first, first + 1, first + 2, first + 3, first + 8, first + 9, first + 10, first + 11}));
    }
    tw_value values[4] = {{memory.as<float>() + 2}, {memory.data()}, {}, {}};
    EXPECT_EQ(failureOf(boxes->launch(values)).substr(0, 50), "parameter x: the address is not a multiple of 16, ");
  }
}

TEST(TensorMaps, EveryThreadHasItsOwn) {
  Context context = makeGpuContext();
  Kernel kernel = makeKernel(context, gpuBoxesSource(tensorMap(0, {1, 0}, {4, 2})));
  DeviceMemory memory = upload(context, numbers(1024));
  tilewright::Result<Launchable> boxes =
      kernel.prepare({{"x", View(memory.as<float>(), {2, 4})}, {"y", View(static_cast<int8_t *>(nullptr), {1, 32})}});
  ASSERT_TRUE(boxes.ok()) << failureOf(boxes);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 12; ++thread) // more than there are workspaces to be lent
    threads.emplace_back([&, thread] {
      DeviceMemory y = upload(context, std::vector<float>(8));
      for (int round = 0; round < 20; ++round) {
        int64_t at = 8 * (thread + round);
        tw_value values[4] = {{memory.as<float>() + at}, {y.data()}, {}, {}};
        values[2].integer = values[3].integer = 0;
        wrong += !boxes->launch(values).ok() || download<float>(y)[7] != static_cast<float>(at + 8);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

// ---- Resident blocks --------------------------------------------------------------------------------------------------------

TEST(ResidentBlocks, AreNoMoreThanTheDeviceHasRoomFor) {
  Context context = makeGpuContext();
  ASSERT_EQ(context.device().multiprocessors, 4);
  for (int64_t tiles : {1, 3, 8, 9, 100})
    for (int64_t blocks : {0, 1, 2}) {
      DeviceMemory y = upload(context, std::vector<int64_t>(tiles, -1));
      tilewright::Result<Launchable> who =
          makeKernel(context, gpuWhoSource(blocks)).prepare({{"y", View(y.as<int64_t>(), {tiles})}});
      ASSERT_TRUE(who.ok()) << failureOf(who);
      EXPECT_EQ(who->info().tile_count, tiles);
      ASSERT_EQ(failureOf(who->launch()), "");
      std::vector<int64_t> expected(tiles);
      for (int64_t n = 0; n < tiles; ++n)
        expected[n] = n % (blocks ? std::min(tiles, 4 * blocks) : tiles);
      EXPECT_EQ(download<int64_t>(y), expected) << tiles << ", " << blocks;
    }
  EXPECT_EQ(failureOf(makeKernel(context, gpuWhoSource(1)).run({{"y", View(static_cast<int64_t *>(nullptr), {0})}})), "");
}

TEST(ResidentBlocks, AreWholeClusters) {
  Context context = makeGpuContext();
  for (int64_t tiles : {1, 3, 9})
    for (int64_t cluster : {2, 4, 8}) {
      DeviceMemory y = upload(context, std::vector<int64_t>(100, -1));
      json source = gpuWhoSource(1);
      source["metadata"]["cluster_blocks"] = cluster;
      ASSERT_EQ(failureOf(makeKernel(context, source).run({{"y", View(y.as<int64_t>(), {tiles})}})), "");
      std::vector<int64_t> expected(100, -1);
      int64_t clusters = std::min(tiles, std::max<int64_t>(1, 4 / cluster)); // of 4 multiprocessors
      for (int64_t n = 0; n < tiles; ++n)
        expected[n] = n % (clusters * cluster);
      EXPECT_EQ(download<int64_t>(y), expected) << tiles << ", " << cluster;
    }
}

TEST(ResidentBlocks, ReportForAllTheirTiles) {
  size_t reports = 0;
  tilewright::ContextOptions options;
  options.reportUser = &reports;
  options.report = [](void *user, const tw_report *) { ++*static_cast<size_t *>(user); };
  Context context = makeGpuContext("emulator", options);
  json source = gpuWhoSource(1);
  source["metadata"]["message_words"] = 3;
  source["metadata"]["messages"] = {
      {{"kind", "print"}, {"parts", {{{"dtype", "i64"}}}}, {"position", 1}, {"where", "w.tile:1:1"}}};
  int64_t tiles = 1000; // 64 reports of a tile, of 4 blocks, would find no room for them
  DeviceMemory y = upload(context, std::vector<int64_t>(tiles));
  EXPECT_EQ(failureOf(makeKernel(context, source).run({{"y", View(y.as<int64_t>(), {tiles})}})), "");
  EXPECT_EQ(reports, 1000u);
}
