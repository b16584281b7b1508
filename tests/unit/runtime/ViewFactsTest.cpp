#include "runtime/ViewFacts.h"

#include "tests/unit/runtime/TestSupport.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::test;

/// x: T[M..., K]
static const Parameter &rows() {
  static const Signature signature = signatureOf(kernel("k", {}, {view("x", "in", "f32", {"M...", "K"})}));
  return signature.parameters[0];
}

/// x: T[A, B]
static const Parameter &matrix() {
  static const Signature signature = signatureOf(kernel("k", {}, {view("x", "in", "f32", {"A", "B"})}));
  return signature.parameters[0];
}

static BoundView bound(const Parameter &parameter, std::vector<int64_t> shape, std::vector<int64_t> strides,
                       uintptr_t address = 64, int32_t alignment = 0) {
  ViewArgument argument;
  argument.data = reinterpret_cast<void *>(address);
  argument.dtype = TW_F32;
  argument.rank = static_cast<int>(shape.size());
  argument.alignment = alignment;
  std::copy(shape.begin(), shape.end(), argument.shape);
  std::copy(strides.begin(), strides.end(), argument.strides);
  return bindView(parameter, argument);
}

TEST(ViewFacts, ContiguousRowsAreMerged) {
  BoundView view = bound(rows(), {2, 5, 64}, {320, 64, 1});
  EXPECT_EQ(view.facts.packRank, 1);
  EXPECT_EQ(view.rank, 2);
  EXPECT_EQ(view.extents[0], 10);
  EXPECT_EQ(view.strides[0], 64);
  EXPECT_EQ(view.facts.unitStrideDimension, 1);
}

TEST(ViewFacts, RowsOfASliceAreNotMerged) {
  BoundView view = bound(rows(), {2, 3, 64}, {320, 64, 1}); // three of five tokens
  EXPECT_EQ(view.facts.packRank, 2);
  EXPECT_EQ(view.rank, 3);
  EXPECT_EQ(view.declaredExtents[0], 6);
}

TEST(ViewFacts, DimensionsOfExtentOneMergeWithAnything) {
  BoundView view = bound(rows(), {1, 5, 1, 64}, {999, 64, 777, 1});
  EXPECT_EQ(view.facts.packRank, 1);
  EXPECT_EQ(view.extents[0], 5);
  EXPECT_EQ(view.strides[0], 64);
}

TEST(ViewFacts, NoRowsAndOneRowAreOneDimension) {
  EXPECT_EQ(bound(rows(), {64}, {1}).extents[0], 1);
  EXPECT_EQ(bound(rows(), {3, 0, 64}, {0, 64, 1}).extents[0], 0);
}

TEST(ViewFacts, TheUnitStrideIsTheLastOneThatMatters) {
  EXPECT_EQ(bound(matrix(), {8, 16}, {16, 1}).facts.unitStrideDimension, 1);
  EXPECT_EQ(bound(matrix(), {8, 16}, {1, 8}).facts.unitStrideDimension, 0);
  EXPECT_EQ(bound(matrix(), {8, 16}, {32, 2}).facts.unitStrideDimension, -1);
  EXPECT_EQ(bound(matrix(), {8, 1}, {1, 1}).facts.unitStrideDimension, 0); // not the column of one
  EXPECT_EQ(bound(matrix(), {8, 8}, {1, 1}).facts.unitStrideDimension, 1);
}

TEST(ViewFacts, AStrideThatIsNotUsedFits) {
  BoundView column = bound(matrix(), {8, 1}, {7, 999});
  EXPECT_EQ(column.facts.unitStrideDimension, 1);
  EXPECT_EQ(column.strides[1], 1);
  BoundView row = bound(matrix(), {1, 8}, {999, 1}, 64, 64);
  EXPECT_EQ(row.strides[0], 0);
  EXPECT_EQ(row.facts.alignment, 64);
}

TEST(ViewFacts, AlignmentIsTheElementsOrAPromisedLine) {
  EXPECT_EQ(bound(matrix(), {8, 16}, {16, 1}, 64).facts.alignment, 4); // by chance
  EXPECT_EQ(bound(matrix(), {8, 16}, {16, 1}, 64, 64).facts.alignment, 64);
  EXPECT_EQ(bound(matrix(), {8, 16}, {16, 1}, 0, 64).facts.alignment, 64);
  EXPECT_EQ(bound(matrix(), {8, 16}, {16, 1}, 0, 32).facts.alignment, 4);
  EXPECT_EQ(bound(matrix(), {8, 16}, {17, 1}, 64, 64).facts.alignment, 4); // rows do not keep it
  EXPECT_EQ(bound(matrix(), {8, 16}, {16, 1}, 66).facts.alignment, 2);     // not even an element
  EXPECT_EQ(bound(matrix(), {8, 16}, {16, 1}, 0, 1).facts.alignment, 1);
}

TEST(ViewFacts, AlignmentOnAGpuIsWhatTheAddressAndTheStridesKeep) {
  auto alignment = [](int64_t rowStride, uintptr_t address, int32_t promise = 0, tw_dtype dtype = TW_F32) {
    ViewArgument argument;
    argument.data = reinterpret_cast<void *>(address);
    argument.dtype = dtype;
    argument.rank = 2;
    argument.alignment = promise;
    argument.shape[0] = argument.shape[1] = 64;
    argument.strides[0] = rowStride;
    argument.strides[1] = 1;
    return bindView(matrix(), argument, AlignmentClasses::Gpu).facts.alignment;
  };
  EXPECT_EQ(alignment(64, 4096), 16);
  EXPECT_EQ(alignment(64, 4096 + 8), 8);
  EXPECT_EQ(alignment(64, 4096 + 4), 4);
  EXPECT_EQ(alignment(66, 4096), 8);
  EXPECT_EQ(alignment(67, 4096), 4);
  EXPECT_EQ(alignment(64, 0), 16); // not known yet
  EXPECT_EQ(alignment(66, 0), 8);
  EXPECT_EQ(alignment(64, 4096, 4), 4);
  EXPECT_EQ(alignment(64, 4096, 64), 16);
  EXPECT_EQ(alignment(64, 4096 + 2, 0, TW_F16), 2);
  EXPECT_EQ(alignment(65, 4096, 0, TW_F16), 2);
  EXPECT_EQ(alignment(65, 4096, 0, TW_F64), 8);
  EXPECT_EQ(alignment(67, 4096, 0, TW_I8), 1);
  EXPECT_EQ(alignment(66, 4096, 0, TW_I8), 1); // no class of 2 bytes
  EXPECT_EQ(alignment(64, 4096 + 2), 2);       // odd memory
}

TEST(ViewFacts, RowsThatEndWithin16BytesAreAlignedLessWhereAGpuWritesThem) {
  auto alignment = [](int access, int64_t columns) {
    Parameter parameter = matrix();
    parameter.access = static_cast<decltype(parameter.access)>(access);
    ViewArgument argument;
    argument.data = reinterpret_cast<void *>(4096);
    argument.dtype = TW_F16;
    argument.rank = 2;
    argument.shape[0] = 8, argument.shape[1] = columns;
    argument.strides[0] = 320, argument.strides[1] = 1;
    return bindView(parameter, argument, AlignmentClasses::Gpu).facts.alignment;
  };
  EXPECT_EQ(alignment(TW_ACCESS_OUT, 296), 16);
  EXPECT_EQ(alignment(TW_ACCESS_OUT, 300), 8); // a tensor copy would write four elements behind the row
  EXPECT_EQ(alignment(TW_ACCESS_INOUT, 300), 8);
  EXPECT_EQ(alignment(TW_ACCESS_IN, 300), 16);
}

TEST(ViewFacts, RunsOfAPackInPartsAreWhatDividesItsLastPart) {
  auto run = [](int64_t part, int64_t stride, AlignmentClasses classes = AlignmentClasses::Gpu) {
    ViewArgument argument;
    argument.dtype = TW_F16;
    argument.rank = 3;
    argument.shape[0] = 2, argument.shape[1] = part, argument.shape[2] = 64;
    argument.strides[0] = stride, argument.strides[1] = 64, argument.strides[2] = 1;
    return bindView(rows(), argument, classes).facts.packRun;
  };
  EXPECT_EQ(run(48, 6400), 16);
  EXPECT_EQ(run(96, 6400), 32);
  EXPECT_EQ(run(64, 6400), 64);
  EXPECT_EQ(run(1024, 64 * 2048), 128);
  EXPECT_EQ(run(24, 6400), 1); // too few for a box
  EXPECT_EQ(run(65, 6400), 1);
  EXPECT_EQ(run(64, 64 * 64), 1); // one part
  EXPECT_EQ(run((int64_t(1) << 30) - 128, int64_t(1) << 37), 128);
  EXPECT_EQ(run(int64_t(1) << 30, int64_t(1) << 37), 1); // 2^31 in all
  EXPECT_EQ(run(64, 6400, AlignmentClasses::Cpu), 1);
}

TEST(ViewFacts, WhatNoTensorMapDescribesIsAlignedLessOnAGpu) {
  auto alignment = [](std::vector<int64_t> shape, std::vector<int64_t> strides, tw_dtype dtype = TW_F32) {
    ViewArgument argument;
    argument.data = reinterpret_cast<void *>(4096);
    argument.dtype = dtype;
    argument.rank = 2;
    std::copy(shape.begin(), shape.end(), argument.shape);
    std::copy(strides.begin(), strides.end(), argument.strides);
    return bindView(matrix(), argument, AlignmentClasses::Gpu).facts.alignment;
  };
  int64_t extents = int64_t(1) << 32, bytes = int64_t(1) << 40;
  EXPECT_EQ(alignment({8, 64}, {0, 1}), 8);
  EXPECT_EQ(alignment({8, 64}, {-64, 1}), 8);
  EXPECT_EQ(alignment({1, 64}, {-64, 1}), 16); // the stride is of no use
  EXPECT_EQ(alignment({8, 0}, {0, 1}), 16); // nor are those of nothing
  EXPECT_EQ(alignment({0, extents + 4}, {-64, 1}), 16);
  EXPECT_EQ(alignment({2, 64}, {bytes / 4, 1}), 8);
  EXPECT_EQ(alignment({2, 64}, {bytes / 4 - 4, 1}), 16);
  EXPECT_EQ(alignment({2, 64}, {bytes / 4, 1}, TW_I8), 16);
  EXPECT_EQ(alignment({2, 64}, {bytes, 1}, TW_I8), 8);
  EXPECT_EQ(alignment({2, extents}, {extents + 4, 1}), 16);
  EXPECT_EQ(alignment({2, extents + 4}, {extents + 4, 1}), 8);
  EXPECT_EQ(alignment({extents + 4, 64}, {64, 1}), 8);
  EXPECT_EQ(alignment({8, 64}, {64, 4}), 16); // no dimension is contiguous: both strides must fit
  EXPECT_EQ(alignment({8, 64}, {64, -4}), 8);
}
