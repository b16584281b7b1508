// Views of DLPack tensors. The few structures of the protocol are declared here (dlpack.h, version 1.1), so that hosts need no
// header of it for our sake, and may include any version for theirs.

#include "runtime/Status.h"
#include "runtime/Text.h"

#include <algorithm>
#include <optional>

namespace tilewright::runtime {

namespace {

struct DLDevice {
  int32_t deviceType;
  int32_t deviceId;
};

struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; ///< in elements; null: row-major
  uint64_t byteOffset;
};

struct DLManagedTensorVersioned {
  uint32_t majorVersion, minorVersion;
  void *managerContext;
  void (*deleter)(DLManagedTensorVersioned *);
  uint64_t flags;
  DLTensor tensor;
};

tw_dtype dtypeOf(DLDataType type) {
  enum Code { Int = 0, UInt = 1, Float = 2, BFloat = 4, Bool = 6, Float8E4M3FN = 10, Float8E5M2 = 12 };
  if (type.lanes != 1)
    return TW_NO_DTYPE;
  switch (type.code * 256 + type.bits) {
  case Float * 256 + 64:
    return TW_F64;
  case Float * 256 + 32:
    return TW_F32;
  case Float * 256 + 16:
    return TW_F16;
  case BFloat * 256 + 16:
    return TW_BF16;
  case Float8E4M3FN * 256 + 8:
    return TW_F8E4M3;
  case Float8E5M2 * 256 + 8:
    return TW_F8E5M2;
  case Int * 256 + 64:
    return TW_I64;
  case Int * 256 + 32:
    return TW_I32;
  case Int * 256 + 16:
    return TW_I16;
  case Int * 256 + 8:
    return TW_I8;
  case UInt * 256 + 8:
    return TW_U8;
  case Bool * 256 + 8:
    return TW_BOOL;
  default:
    return TW_NO_DTYPE;
  }
}

/// What CUDA or ROCm has pinned or shares serves the host and a device, so nothing is known.
std::optional<int32_t> memoryOf(DLDevice device) {
  constexpr int32_t cpu = 1, cuda = 2, cudaHost = 3, rocmHost = 11, cudaManaged = 13;
  switch (device.deviceType) {
  case cpu:
    return TW_MEMORY_HOST;
  case cuda:
    return TW_MEMORY_CUDA + device.deviceId;
  case cudaHost:
  case rocmHost:
  case cudaManaged:
    return TW_MEMORY_UNKNOWN;
  default:
    return std::nullopt;
  }
}

} // namespace

Status viewFromDLPack(const void *from, bool isVersioned, tw_argument &view) {
  const DLTensor *tensor = static_cast<const DLTensor *>(from);
  if (isVersioned) {
    auto *managed = static_cast<const DLManagedTensorVersioned *>(from);
    if (managed->majorVersion != 1)
      return Status(TW_UNSUPPORTED, concat("the tensor is of DLPack version ", managed->majorVersion, ", expected 1"));
    tensor = &managed->tensor;
  }
  std::optional<int32_t> memory = memoryOf(tensor->device);
  if (!memory)
    return Status(TW_UNSUPPORTED, concat("the tensor is on DLPack device type ", tensor->device.deviceType,
                                         ", expected the memory of the CPU or of CUDA"));
  view.dtype = dtypeOf(tensor->dtype);
  if (view.dtype == TW_NO_DTYPE)
    return Status(TW_UNSUPPORTED,
                  concat("the tensor has DLPack type code ", int(tensor->dtype.code), " of ", int(tensor->dtype.bits),
                         " bits and ", tensor->dtype.lanes, " lanes, which is no dtype of the language"));
  if (tensor->ndim < 1 || tensor->ndim > TW_MAX_RANK)
    return Status(TW_INVALID_SHAPE, concat("the tensor has rank ", tensor->ndim, ", expected 1 to ", TW_MAX_RANK));
  if (!tensor->shape)
    return Status(TW_INVALID_SHAPE, concat("the tensor has rank ", tensor->ndim, ", and its shape is null"));
  tw_argument shaped = tw_strided_view(view.parameter, nullptr, view.dtype, tensor->ndim, tensor->shape, tensor->strides);
  shaped.data = tensor->data ? static_cast<char *>(tensor->data) + tensor->byteOffset : nullptr;
  shaped.memory = *memory;
  view = shaped;
  return {};
}

} // namespace tilewright::runtime
