// A cuBLASLt that computes on the CPU what it is asked for, by its documentation: column-major matrices, batches, epilogues.
// For tests of how the benchmark asks. Arrays are in the memory of the driver that $TILEWRIGHT_CUDA_DRIVER names.
//
// It has three algorithms: one that is refused when it is run, a slow one, and one.
#include "tests/benchmarks/gpu/CublasLtTypes.h"
#include "tests/benchmarks/gpu/RandomArray.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <thread>
#include <vector>

using namespace benchmarks;
using namespace benchmarks::cublaslt;

namespace {

constexpr Code invalidValue = 7, notSupported = 15;
constexpr uint64_t refused = 1, slow = 2, good = 3;

struct FakeOperation {
  int computeType = 0, scaleType = 0, transA = 0, transB = 0, epilogue = epilogueNone;
  void *bias = nullptr, *scaleA = nullptr, *scaleB = nullptr;
  int8_t isFast = 0;
};
struct FakePreference {
  size_t workspaceBytes = 0;
  uint32_t alignments[4] = {256, 256, 256, 256}; ///< of a, b, c and d: an algorithm may rely on them
};
struct FakeLayout {
  int type = 0;
  int64_t rows = 0, columns = 0, leading = 0;
  int32_t batches = 1;
  int64_t stride = 0;
};

tw_dtype dtypeOf(int type) {
  static const std::map<int, tw_dtype> dtypes = {{real32F, TW_F32}, {real16F, TW_F16},      {real16BF, TW_BF16},
                                                 {real8I, TW_I8},   {real8E4M3, TW_F8E4M3}, {real32I, TW_I32}};
  return dtypes.at(type);
}

template <typename Function> Function *driverFunction(const char *symbol) {
  void *library = dlopen(std::getenv("TILEWRIGHT_CUDA_DRIVER"), RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function *>(dlsym(library, symbol));
}
int copyToHost(void *to, const void *from, size_t bytes) {
  using Address = unsigned long long;
  static auto *copy = driverFunction<int(void *, Address, size_t, Stream)>("cuMemcpyDtoHAsync_v2");
  return copy(to, reinterpret_cast<Address>(from), bytes, nullptr);
}
int copyToDevice(void *to, const void *from, size_t bytes) {
  using Address = unsigned long long;
  static auto *copy = driverFunction<int(Address, const void *, size_t, Stream)>("cuMemcpyHtoDAsync_v2");
  return copy(reinterpret_cast<Address>(to), from, bytes, nullptr);
}

/// All batches of a matrix, or a vector, on the host.
class Array {
public:
  Array(const FakeLayout &layout, void *data) : layout(layout), data(data), dtype(dtypeOf(layout.type)) {
    bytes.resize(
        static_cast<size_t>((layout.batches - 1) * layout.stride + (layout.columns - 1) * layout.leading + layout.rows) *
        tw_dtype_bytes(dtype));
  }
  bool load() { return copyToHost(bytes.data(), data, bytes.size()) == 0; }
  bool store() { return copyToDevice(data, bytes.data(), bytes.size()) == 0; }

  double get(int64_t batch, int64_t row, int64_t column) const {
    uint32_t bits = 0;
    std::memcpy(&bits, bytes.data() + place(batch, row, column), tw_dtype_bytes(dtype));
    return decodeAs(dtype, bits);
  }
  void set(int64_t batch, int64_t row, int64_t column, double value) {
    uint32_t bits = encodeAs(dtype, value);
    std::memcpy(bytes.data() + place(batch, row, column), &bits, tw_dtype_bytes(dtype));
  }

private:
  FakeLayout layout;
  void *data;
  tw_dtype dtype;
  std::vector<std::byte> bytes;

  size_t place(int64_t batch, int64_t row, int64_t column) const {
    return static_cast<size_t>(batch * layout.stride + column * layout.leading + row) * tw_dtype_bytes(dtype);
  }
};

double scaleOf(void *number) {
  float scale = 1;
  if (number)
    copyToHost(&scale, number, sizeof(scale));
  return static_cast<double>(scale);
}

double applied(int epilogue, double value) {
  if (epilogue & epilogueRelu)
    return value > 0 ? value : 0;
  if (epilogue & 32)
    return 0.5 * value * (1 + std::tanh(0.7978845608028654 * (value + 0.044715 * value * value * value)));
  return value;
}

template <typename T> Code set(T &to, const void *value, size_t size) {
  if (size != sizeof(T))
    return invalidValue;
  std::memcpy(&to, value, size);
  return 0;
}

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT Code cublasLtCreate(Handle *handle) {
  *handle = reinterpret_cast<Handle>(new char);
  return 0;
}
EXPORT size_t cublasLtGetVersion(void) {
  return 130'100;
}
EXPORT Code cublasLtMatmulDescCreate(FakeOperation **operation, int computeType, int scaleType) {
  *operation = new FakeOperation{computeType, scaleType};
  return 0;
}
EXPORT Code cublasLtMatmulDescDestroy(FakeOperation *operation) {
  delete operation;
  return 0;
}
EXPORT Code cublasLtMatmulDescSetAttribute(FakeOperation *operation, int attribute, const void *value, size_t size) {
  switch (attribute) {
  case operationTransA:
    return set(operation->transA, value, size);
  case operationTransB:
    return set(operation->transB, value, size);
  case operationEpilogue:
    return set(operation->epilogue, value, size);
  case operationBias:
    return set(operation->bias, value, size);
  case operationScaleA:
    return set(operation->scaleA, value, size);
  case operationScaleB:
    return set(operation->scaleB, value, size);
  case operationFastAccumulation:
    return set(operation->isFast, value, size);
  default:
    return invalidValue;
  }
}
EXPORT Code cublasLtMatrixLayoutCreate(FakeLayout **layout, int type, uint64_t rows, uint64_t columns, int64_t leading) {
  *layout = new FakeLayout{type, static_cast<int64_t>(rows), static_cast<int64_t>(columns), leading};
  return 0;
}
EXPORT Code cublasLtMatrixLayoutDestroy(FakeLayout *layout) {
  delete layout;
  return 0;
}
EXPORT Code cublasLtMatrixLayoutSetAttribute(FakeLayout *layout, int attribute, const void *value, size_t size) {
  return attribute == layoutBatches       ? set(layout->batches, value, size)
         : attribute == layoutBatchStride ? set(layout->stride, value, size)
                                          : invalidValue;
}
EXPORT Code cublasLtMatmulPreferenceCreate(FakePreference **preference) {
  *preference = new FakePreference;
  return 0;
}
EXPORT Code cublasLtMatmulPreferenceDestroy(FakePreference *preference) {
  delete preference;
  return 0;
}
EXPORT Code cublasLtMatmulPreferenceSetAttribute(FakePreference *preference, int attribute, const void *value, size_t size) {
  if (attribute == preferenceWorkspaceBytes)
    return set(preference->workspaceBytes, value, size);
  if (attribute < preferenceAlignmentA || attribute > preferenceAlignmentD)
    return invalidValue;
  return set(preference->alignments[attribute - preferenceAlignmentA], value, size);
}
EXPORT Code cublasLtMatmulAlgoGetHeuristic(Handle, FakeOperation *operation, FakeLayout *a, FakeLayout *, FakeLayout *, FakeLayout *,
                                           FakePreference *preference, int wanted, Candidate *candidates, int *found) {
  // The library has none for products of whole numbers whose rows are not aligned to 4 bytes, nor for scales that are not to 16.
  *found = 0;
  constexpr uintptr_t alignmentOfScale = 16;
  auto isAligned = [](const void *address) { return reinterpret_cast<uintptr_t>(address) % alignmentOfScale == 0; };
  if ((a->type == real8I && a->leading % 4 != 0) || !isAligned(operation->scaleA) || !isAligned(operation->scaleB))
    return notSupported;
  for (uint64_t algorithm : {refused, slow, good})
    if (*found < wanted) {
      Candidate &candidate = candidates[(*found)++];
      candidate.algorithm.data[0] = algorithm;
      std::memcpy(&candidate.algorithm.data[1], preference->alignments, sizeof(preference->alignments));
    }
  candidates[*found] = {};
  candidates[*found].state = notSupported;
  ++*found;
  return 0;
}
EXPORT Code cublasLtMatmulAlgoConfigGetAttribute(const Algorithm *algorithm, int attribute, void *to, size_t size,
                                                 size_t *written) {
  if (attribute != algorithmId || size != sizeof(int))
    return invalidValue;
  int id = static_cast<int>(algorithm->data[0]);
  std::memcpy(to, &id, sizeof(id));
  *written = sizeof(id);
  return 0;
}
EXPORT Code cublasLtMatmul(Handle, FakeOperation *operation, const void *alpha, void *aData, FakeLayout *aLayout, void *bData,
                           FakeLayout *bLayout, const void *beta, void *, FakeLayout *, void *dData, FakeLayout *dLayout,
                           const Algorithm *algorithm, void *, size_t, Stream) {
  if (algorithm->data[0] == refused)
    return notSupported;
  if (algorithm->data[0] == slow)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  uint32_t alignments[4];
  std::memcpy(alignments, &algorithm->data[1], sizeof(alignments));
  const void *addresses[4] = {aData, bData, dData, dData};
  for (int index = 0; index < 4; ++index)
    if (alignments[index] == 0 || reinterpret_cast<uintptr_t>(addresses[index]) % alignments[index] != 0)
      return invalidValue;
  bool isWhole = operation->scaleType == real32I;
  if ((isWhole ? *static_cast<const int *>(alpha) != 1 : *static_cast<const float *>(alpha) != 1) ||
      (isWhole ? *static_cast<const int *>(beta) != 0 : *static_cast<const float *>(beta) != 0))
    return invalidValue;
  bool isF8 = aLayout->type == real8E4M3;
  if (isF8 != (operation->isFast != 0) || isWhole != (operation->computeType == compute32I) ||
      aLayout->batches != dLayout->batches)
    return invalidValue;
  int64_t depth = operation->transA ? aLayout->rows : aLayout->columns;
  if (depth != (operation->transB ? bLayout->columns : bLayout->rows) ||
      dLayout->rows != (operation->transA ? aLayout->columns : aLayout->rows) ||
      dLayout->columns != (operation->transB ? bLayout->rows : bLayout->columns))
    return invalidValue;
  bool hasBias = operation->epilogue & epilogueBias;
  Array a(*aLayout, aData), b(*bLayout, bData), d(*dLayout, dData);
  Array bias(FakeLayout{dLayout->type, dLayout->rows, 1, dLayout->rows}, operation->bias);
  if (!a.load() || !b.load() || (hasBias && !bias.load()))
    return invalidValue;
  double scale = scaleOf(operation->scaleA) * scaleOf(operation->scaleB);
  for (int64_t batch = 0; batch < dLayout->batches; ++batch)
    for (int64_t column = 0; column < dLayout->columns; ++column)
      for (int64_t row = 0; row < dLayout->rows; ++row) {
        double sum = 0;
        for (int64_t k = 0; k < depth; ++k)
          sum += (operation->transA ? a.get(batch, k, row) : a.get(batch, row, k)) *
                 (operation->transB ? b.get(batch, column, k) : b.get(batch, k, column));
        double value = sum * scale + (hasBias ? bias.get(0, row, 0) : 0);
        d.set(batch, row, column, applied(operation->epilogue, value));
      }
  return d.store() ? 0 : invalidValue;
}
