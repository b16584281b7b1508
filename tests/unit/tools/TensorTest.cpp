#include "compiler/tools/tilewright/Tensor.h"

#include "compiler/tools/tilewright/CommandError.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <numeric>
#include <unistd.h>

using namespace tilewright::tools;

namespace {

/// 0, 1, 2, … in C order.
Tensor counting(const std::vector<int64_t> &shape) {
  Tensor tensor(DType::I32, shape);
  auto *data = reinterpret_cast<int32_t *>(tensor.memory.data());
  std::iota(data, data + tensor.elementCount(), 0);
  return tensor;
}

int32_t at(Tensor &tensor, const std::vector<int64_t> &index) {
  return static_cast<int32_t *>(
      tensor.viewData())[std::inner_product(index.begin(), index.end(), tensor.strides.begin(), int64_t{0})];
}

TEST(Tensor, ASliceIsWhatNumPyMakesOfIt) {
  Tensor tensor = counting({6, 10});
  tensor.slice(parseSlices("1:5:2,::-3"), "x");
  EXPECT_EQ(tensor.shape, (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(tensor.strides, (std::vector<int64_t>{20, -3}));
  EXPECT_EQ(at(tensor, {0, 0}), 19);
  EXPECT_EQ(at(tensor, {1, 3}), 30);
}

TEST(Tensor, SliceBoundsAreMovedIntoTheArray) {
  Tensor tensor = counting({5});
  tensor.slice(parseSlices("-2:100"), "x");
  EXPECT_EQ(tensor.shape, std::vector<int64_t>{2});
  EXPECT_EQ(at(tensor, {0}), 3);
  tensor.slice(parseSlices("2:1"), "x");
  EXPECT_EQ(tensor.shape, std::vector<int64_t>{0});
}

TEST(Tensor, ATransposedViewKeepsItsElements) {
  Tensor tensor = counting({2, 3, 4});
  tensor.transpose({2, 0, 1}, "x");
  EXPECT_EQ(tensor.shape, (std::vector<int64_t>{4, 2, 3}));
  EXPECT_EQ(at(tensor, {3, 1, 2}), 23);
  EXPECT_EQ(at(tensor, {1, 0, 2}), 9);
}

TEST(Tensor, ViewsMustMatchTheArraysRank) {
  Tensor tensor = counting({2, 3});
  EXPECT_THROW(tensor.slice(parseSlices(":,:,:"), "x"), CommandError);
  EXPECT_THROW(tensor.transpose({0}, "x"), CommandError);
}

TEST(Tensor, GuardsTellOfWritesOutside) {
  Buffer buffer(100);
  EXPECT_TRUE(buffer.guardsAreIntact());
  buffer.data()[99] = std::byte{1};
  EXPECT_TRUE(buffer.guardsAreIntact());
  buffer.data()[100] = std::byte{1};
  EXPECT_FALSE(buffer.guardsAreIntact());
  Buffer other(100);
  other.data()[-1] = std::byte{1};
  EXPECT_FALSE(other.guardsAreIntact());
}

TEST(Tensor, ImpossibleSizesAreErrors) {
  EXPECT_THROW(Tensor(DType::F32, {int64_t{1} << 62, 4}), CommandError);
  EXPECT_THROW(Tensor(DType::F32, {int64_t{1} << 55}), CommandError);
  EXPECT_EQ(Tensor(DType::F32, {int64_t{1} << 62, 4, 0}).memory.size(), 0u);
}

TEST(Tensor, PoisonIsNaN) {
  Tensor tensor(DType::F32, {3});
  tensor.poison();
  EXPECT_TRUE(std::isnan(static_cast<float *>(tensor.viewData())[2]));
  Tensor flags(DType::Bool, {3});
  flags.poison();
  EXPECT_EQ(static_cast<uint8_t *>(flags.viewData())[0], 1);
}

TEST(Tensor, RandomNumbersFollowFromTheSeed) {
  RandomSpec spec{"x", DType::F32, {1000}, 7};
  Tensor first = randomTensor(spec), again = randomTensor(spec);
  EXPECT_EQ(std::memcmp(first.viewData(), again.viewData(), 4000), 0);
  spec.seed = 8;
  EXPECT_NE(std::memcmp(first.viewData(), randomTensor(spec).viewData(), 4000), 0);

  auto *values = static_cast<float *>(first.viewData());
  double sum = std::accumulate(values, values + 1000, 0.0);
  EXPECT_NEAR(sum / 1000, 0, 0.1);
  for (int n = 0; n < 1000; ++n)
    EXPECT_TRUE(values[n] >= -1 && values[n] < 1);
}

class TensorFile : public testing::Test {
protected:
  void SetUp() override {
    path = std::filesystem::temp_directory_path() / ("tensor-test-" + std::to_string(::getpid()) + ".npy");
  }
  void TearDown() override { std::filesystem::remove(path); }

  std::string path;
};

TEST_F(TensorFile, BfloatIsRawOnlyIfThatIsSaidOrKnown) {
  std::vector<uint16_t> raw = {0x3f80, 0xc000};
  writeNpy(path, {NpyKind::Unsigned, 2}, {2}, raw.data());
  EXPECT_EQ(loadTensor({path, DType::BF16}, std::nullopt, "x").dtype, DType::BF16);
  EXPECT_EQ(loadTensor({path, std::nullopt}, DType::BF16, "x").dtype, DType::BF16);
  EXPECT_THROW(loadTensor({path, std::nullopt}, std::nullopt, "x"), CommandError);
  EXPECT_THROW(loadTensor({path, std::nullopt}, DType::F32, "x"), CommandError);
}

TEST_F(TensorFile, ASuffixConvertsFloats) {
  std::vector<float> values = {1.0f, -2.0f};
  writeNpy(path, {NpyKind::Float, 4}, {2}, values.data());
  Tensor tensor = loadTensor({path, DType::BF16}, std::nullopt, "x");
  EXPECT_EQ(static_cast<uint16_t *>(tensor.viewData())[1], 0xc000);
  EXPECT_THROW(loadTensor({path, DType::I32}, std::nullopt, "x"), CommandError);
}

TEST_F(TensorFile, AnArrayInAnyOrderIsSavedInCOrder) {
  Tensor tensor(DType::I32, {2, 3}, {1, 2});
  std::vector<int32_t> columns = {0, 3, 1, 4, 2, 5};
  std::memcpy(tensor.memory.data(), columns.data(), 24);
  saveTensor(tensor, {path, std::nullopt});
  Tensor read = loadTensor({path, std::nullopt}, std::nullopt, "x");
  for (int32_t n = 0; n < 6; ++n)
    EXPECT_EQ(at(read, {n / 3, n % 3}), n);
}

TEST_F(TensorFile, AnOutputIsConvertedByItsSuffix) {
  Tensor tensor(DType::BF16, {1});
  *static_cast<uint16_t *>(tensor.viewData()) = 0x3fc0;
  saveTensor(tensor, {path, DType::F32});
  Tensor read = loadTensor({path, std::nullopt}, std::nullopt, "x");
  EXPECT_EQ(read.dtype, DType::F32);
  EXPECT_EQ(*static_cast<float *>(read.viewData()), 1.5f);
}

// A sliced output is written with what is around it.
TEST_F(TensorFile, TheWholeArrayIsSaved) {
  Tensor tensor = counting({4});
  tensor.slice(parseSlices("1:3"), "x");
  saveTensor(tensor, {path, std::nullopt});
  EXPECT_EQ(loadTensor({path, std::nullopt}, std::nullopt, "x").shape, std::vector<int64_t>{4});
}

} // namespace
