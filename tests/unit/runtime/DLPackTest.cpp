#include "tests/unit/runtime/TestSupport.h"

using namespace tilewright::runtime::test;

// The structures as dlpack.h has them, written down once more.
struct Tensor {
  void *data;
  int32_t deviceType, deviceId;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};
struct Versioned {
  uint32_t major, minor;
  void *context;
  void *deleter;
  uint64_t flags;
  Tensor tensor;
};

static float memory[64];
static int64_t shape[] = {3, 4}, strides[] = {1, 3};

static Tensor tensor() {
  return {memory, 1, 0, 2, 2, 32, 1, shape, strides, 8};
}

TEST(DLPack, ATensorIsAView) {
  Tensor from = tensor();
  tw_argument view;
  ASSERT_EQ(tw_view_from_dlpack("x", &from, &view, nullptr), TW_OK);
  EXPECT_EQ(view.data, memory + 2);
  EXPECT_EQ(view.dtype, TW_F32);
  EXPECT_EQ(view.rank, 2);
  EXPECT_EQ(view.shape[1], 4);
  EXPECT_EQ(view.strides[1], 3);
  from.strides = nullptr;
  ASSERT_EQ(tw_view_from_dlpack("x", &from, &view, nullptr), TW_OK);
  EXPECT_EQ(view.strides[0], 4);
}

TEST(DLPack, EveryDtypeIsKnown) {
  struct {
    uint8_t code, bits;
    tw_dtype dtype;
  } table[] = {{2, 64, TW_F64}, {2, 16, TW_F16}, {4, 16, TW_BF16}, {10, 8, TW_F8E4M3}, {12, 8, TW_F8E5M2}, {0, 64, TW_I64},
               {0, 32, TW_I32}, {0, 16, TW_I16}, {0, 8, TW_I8},    {1, 8, TW_U8},      {6, 8, TW_BOOL}};
  for (auto [code, bits, dtype] : table) {
    Tensor from = tensor();
    from.code = code;
    from.bits = bits;
    tw_argument view;
    ASSERT_EQ(tw_view_from_dlpack("x", &from, &view, nullptr), TW_OK);
    EXPECT_EQ(view.dtype, dtype);
  }
}

TEST(DLPack, OtherTensorsAreRefused) {
  auto message = [](void (*change)(Tensor &)) {
    Tensor from = tensor();
    change(from);
    tw_argument view;
    tw_error *error = nullptr;
    tw_view_from_dlpack("x", &from, &view, &error);
    std::string text = tw_error_message(error);
    tw_error_release(error);
    return text;
  };
  EXPECT_EQ(message([](Tensor &from) { from.deviceType = 7; }),
            "the tensor is on DLPack device type 7, expected the memory of the CPU or of CUDA");
  EXPECT_EQ(message([](Tensor &from) { from.code = 5; }),
            "the tensor has DLPack type code 5 of 32 bits and 1 lanes, which is no dtype of the language");
  EXPECT_EQ(message([](Tensor &from) { from.lanes = 4; }),
            "the tensor has DLPack type code 2 of 32 bits and 4 lanes, which is no dtype of the language");
  EXPECT_EQ(message([](Tensor &from) { from.ndim = 0; }), "the tensor has rank 0, expected 1 to 5");
  EXPECT_EQ(message([](Tensor &from) { from.shape = nullptr; }), "the tensor has rank 2, and its shape is null");
}

TEST(DLPack, TheMemoryIsKnown) {
  for (auto [deviceType, expected] : {std::pair(1, TW_MEMORY_HOST),
                                      {2, TW_MEMORY_CUDA + 3},
                                      {3, TW_MEMORY_UNKNOWN},
                                      {11, TW_MEMORY_UNKNOWN},
                                      {13, TW_MEMORY_UNKNOWN}}) {
    Tensor from = tensor();
    from.deviceType = deviceType;
    from.deviceId = 3;
    tw_argument view;
    ASSERT_EQ(tw_view_from_dlpack("x", &from, &view, nullptr), TW_OK);
    EXPECT_EQ(view.memory, expected) << deviceType;
  }
}

TEST(DLPack, VersionedTensors) {
  Versioned from = {1, 1, nullptr, nullptr, 0, tensor()};
  tw_argument view;
  EXPECT_EQ(tw_view_from_dlpack_versioned("x", &from, &view, nullptr), TW_OK);
  EXPECT_EQ(view.data, memory + 2);
  from.major = 2;
  EXPECT_EQ(tw_view_from_dlpack_versioned("x", &from, &view, nullptr), TW_UNSUPPORTED);
}

TEST(DLPack, TheCppView) {
  Tensor from = tensor();
  tilewright::Result<tilewright::View> view = tilewright::View::fromDLPack(&from);
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(view->shape()[1], 4);
  EXPECT_EQ(view->dtype(), TW_F32);
}
