#include "compiler/tools/tilewright/ArgumentSpecs.h"

#include "compiler/tools/tilewright/CommandError.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

using namespace tilewright::tools;

namespace {

/// The message of the usage error that a call ends with.
std::string usageMessage(const std::function<void()> &call) {
  try {
    call();
  } catch (const CommandError &error) {
    EXPECT_EQ(error.code, exitUsage);
    return error.what();
  }
  return "(no error)";
}

TEST(ArgumentSpecs, AnAssignmentEndsItsNameAtTheFirstEqualsSign) {
  auto [name, value] = parseAssignment("--in", "x=a=b.npy");
  EXPECT_EQ(name, "x");
  EXPECT_EQ(value, "a=b.npy");
}

TEST(ArgumentSpecs, AnAssignmentNeedsNameAndValue) {
  for (const char *text : {"x", "=x.npy", "x=", "3x=y", "x y=z", ""})
    EXPECT_EQ(usageMessage([&] { parseAssignment("--in", text); }),
              "--in expects NAME=VALUE, found '" + std::string(text) + "'");
}

TEST(ArgumentSpecs, BindingsAreSeparatedByCommas) {
  auto bindings = parseAssignments("--bind", "T=f32,act=gelu,BM=64");
  ASSERT_EQ(bindings.size(), 3u);
  EXPECT_EQ(bindings[1].first, "act");
  EXPECT_EQ(bindings[2].second, "64");
  EXPECT_EQ(usageMessage([] { parseAssignments("--bind", "T=f32,"); }), "--bind expects NAME=VALUE, found ''");
}

TEST(ArgumentSpecs, AFileMayHaveADTypeSuffix) {
  FileSpec file = parseFileSpec("data/x.npy:bf16");
  EXPECT_EQ(file.path, "data/x.npy");
  EXPECT_EQ(file.dtype, DType::BF16);
  EXPECT_EQ(parseFileSpec("x.npy").dtype, std::nullopt);
}

TEST(ArgumentSpecs, AColonInAPathIsNoSuffix) {
  EXPECT_EQ(parseFileSpec("run:3/x.npy").path, "run:3/x.npy");
  EXPECT_EQ(usageMessage([] { parseFileSpec("x.npy:f33"); }), "unknown dtype 'f33' in 'x.npy:f33'");
}

TEST(ArgumentSpecs, Random) {
  RandomSpec spec = parseRandomSpec("x=f32[512,256]:7");
  EXPECT_EQ(spec.name, "x");
  EXPECT_EQ(spec.dtype, DType::F32);
  EXPECT_EQ(spec.shape, (std::vector<int64_t>{512, 256}));
  EXPECT_EQ(spec.seed, 7u);
  EXPECT_EQ(parseRandomSpec("x=i8[0]").shape, std::vector<int64_t>{0});
  EXPECT_EQ(parseRandomSpec("x=i8[0]").seed, 0u);
}

TEST(ArgumentSpecs, RandomIsRefusedWhereItMakesNoArray) {
  EXPECT_EQ(usageMessage([] { parseRandomSpec("x=f32:7"); }), "--random expects NAME=DTYPE[SIZE,…]:SEED, found 'x=f32:7'");
  EXPECT_EQ(usageMessage([] { parseRandomSpec("x=f33[2]"); }), "unknown dtype 'f33' in --random 'x=f33[2]'");
  EXPECT_EQ(usageMessage([] { parseRandomSpec("x=f32[-2]"); }), "--random x has a negative size, -2");
  EXPECT_EQ(usageMessage([] { parseRandomSpec("x=f32[2]7"); }), "--random expects `:SEED` after `]`, found '7'");
  EXPECT_EQ(usageMessage([] { parseRandomSpec("x=f32[2,]"); }), "--random x expects a whole number, found ''");
  EXPECT_NE(usageMessage([] { parseRandomSpec("x=f32[9999999999,9999999999]"); }), "(no error)");
}

TEST(ArgumentSpecs, Scalars) {
  EXPECT_EQ(parseScalar("s", "-42").integer, -42);
  EXPECT_EQ(parseScalar("s", "0x2a").integer, 42);
  EXPECT_EQ(parseScalar("s", "true").integer, 1);
  EXPECT_TRUE(parseScalar("s", "9223372036854775807").isInteger);
  EXPECT_FALSE(parseScalar("s", "3.5").isInteger);
  EXPECT_EQ(parseScalar("s", "1e-5").real, 1e-5);
  EXPECT_TRUE(std::isinf(parseScalar("s", "-inf").real));
  EXPECT_TRUE(std::isnan(parseScalar("s", "nan").real));
}

TEST(ArgumentSpecs, AScalarMustBeANumber) {
  EXPECT_EQ(usageMessage([] { parseScalar("s", "x.npy"); }), "`s` is a scalar, and 'x.npy' is no number");
  EXPECT_EQ(usageMessage([] { parseScalar("s", "3.5kg"); }), "`s` is a scalar, and '3.5kg' is no number");
  EXPECT_EQ(usageMessage([] { parseScalar("s", "9223372036854775808"); }),
            "`s` is a scalar, and '9223372036854775808' is no i64");
}

TEST(ArgumentSpecs, Slices) {
  std::vector<Slice> slices = parseSlices("1:9:2,:,::-1,-3:");
  ASSERT_EQ(slices.size(), 4u);
  EXPECT_EQ(slices[0].start, 1);
  EXPECT_EQ(slices[0].stop, 9);
  EXPECT_EQ(slices[0].step, 2);
  EXPECT_EQ(slices[1].start, std::nullopt);
  EXPECT_EQ(slices[2].step, -1);
  EXPECT_EQ(slices[3].start, -3);
  EXPECT_EQ(usageMessage([] { parseSlices("3"); }), "--slice expects START:STOP:STEP for each dimension, found '3'");
  EXPECT_EQ(usageMessage([] { parseSlices("::0"); }), "--slice has a step of 0 in '::0'");
}

TEST(ArgumentSpecs, APermutationHasEachDimensionOnce) {
  EXPECT_EQ(parsePermutation("2,0,1"), (std::vector<int64_t>{2, 0, 1}));
  for (const char *text : {"0,0", "1,2", "-1,0"})
    EXPECT_EQ(usageMessage([&] { parsePermutation(text); }),
              "--transpose expects each dimension once, from 0, found '" + std::string(text) + "'");
}

} // namespace
