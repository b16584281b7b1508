#include "compiler/tools/tilewright/ArrayText.h"

#include "compiler/tools/tilewright/CommandError.h"

#include <gtest/gtest.h>

using namespace tilewright::tools;

namespace {

std::string roundTrip(const std::string &text, std::optional<DType> dtype = DType::F32) {
  return textOfTensor(tensorOfText(text, dtype, "x"), "x");
}

std::string usageMessage(const std::string &text, std::optional<DType> dtype = DType::F32) {
  try {
    tensorOfText(text, dtype, "x");
  } catch (const CommandError &error) {
    EXPECT_EQ(error.code, exitUsage);
    return error.what();
  }
  return "accepted";
}

TEST(ArrayText, ListsHaveTheShapeOfTheirNesting) {
  EXPECT_EQ(tensorOfText("[1, 2, 3]", DType::F32, "x").shape, std::vector<int64_t>{3});
  EXPECT_EQ(tensorOfText("[[1,2],[3,4],[5,6]]", DType::I8, "x").shape, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(tensorOfText("[[[[[7]]]]]", DType::I8, "x").shape, (std::vector<int64_t>{1, 1, 1, 1, 1}));
  EXPECT_EQ(tensorOfText("[]", DType::I8, "x").shape, std::vector<int64_t>{0});
  EXPECT_EQ(tensorOfText("[[], []]", DType::I8, "x").shape, (std::vector<int64_t>{2, 0}));
}

TEST(ArrayText, WhatIsReadIsPrinted) {
  EXPECT_EQ(roundTrip("[1, -2.5, inf, -inf, nan, 1e-5, 0.1]"), "x = [1, -2.5, inf, -inf, nan, 1e-05, 0.1]\n");
  EXPECT_EQ(roundTrip(" [ [1,2] , [3,4] ] ", DType::I32), "x = [[1, 2],\n     [3, 4]]\n");
  EXPECT_EQ(roundTrip("[[[1], [2]], [[3], [4]]]", DType::U8), "x = [[[1],\n      [2]],\n     [[3],\n      [4]]]\n");
  EXPECT_EQ(roundTrip("[true, false, 1, 0]", DType::Bool), "x = [true, false, true, false]\n");
  EXPECT_EQ(roundTrip("[]", DType::F64), "x = []\n");
  EXPECT_EQ(roundTrip("[-9223372036854775808, 9223372036854775807]", DType::I64),
            "x = [-9223372036854775808, 9223372036854775807]\n");
}

TEST(ArrayText, FloatsAreRoundedToTheDType) {
  EXPECT_EQ(roundTrip("[1.01]:bf16", std::nullopt), "x = [1.0078125]\n");
  EXPECT_EQ(roundTrip("[500, 17]:f8e4m3", std::nullopt), "x = [448, 16]\n");
  EXPECT_EQ(roundTrip("[0.1]:f64", std::nullopt), "x = [0.1]\n");
}

TEST(ArrayText, AViewedArrayIsPrintedWhole) {
  Tensor tensor = tensorOfText("[[1, 2], [3, 4]]", DType::I32, "x");
  tensor.slice(parseSlices("1:,:"), "x");
  tensor.transpose({1, 0}, "x");
  EXPECT_EQ(textOfTensor(tensor, "x"), "x = [[1, 2],\n     [3, 4]]\n");
}

TEST(ArrayText, WrongTextsAreTold) {
  EXPECT_EQ(usageMessage("[1, 2"), "--in x: expected `,` or `]`, found the end of the text");
  EXPECT_EQ(usageMessage("[1, , 2]"), "--in x: expected a number, found ', 2]'");
  EXPECT_EQ(usageMessage("[1] 2]"), "--in x: expected nothing after the last `]`, found '2]'");
  EXPECT_EQ(usageMessage("[[1, 2], [3]]"), "--in x: lists of one depth have one length, here 2 and 1, found '[3]]'");
  EXPECT_EQ(usageMessage("[1, [2]]"), "--in x: expected a number beside numbers, found '[2]]'");
  EXPECT_EQ(usageMessage("[[1], 2]"), "--in x: expected numbers at one depth, found '2]'");
  EXPECT_EQ(usageMessage("[[], 2]"), "--in x: expected a list beside lists, found '2]'");
  EXPECT_EQ(usageMessage("[[[[[[1]]]]]]"), "--in x: a view has up to 5 dimensions, found '[1]]]]]]'");
  EXPECT_EQ(usageMessage("[one]"), "--in x: 'one' is no number");
  EXPECT_EQ(usageMessage("[1.5]", DType::I32), "--in x: 1.5 is not a value of i32");
  EXPECT_EQ(usageMessage("[300]", DType::U8), "--in x: 300 is not a value of u8");
  EXPECT_EQ(usageMessage("[2]", DType::Bool), "--in x: 2 is not a value of bool");
  EXPECT_EQ(usageMessage("[1]:f33"), "--in x: unknown dtype 'f33'");
  EXPECT_EQ(usageMessage("[1]", std::nullopt), "--in x: the kernel leaves the dtype of `x` open");
}

} // namespace
