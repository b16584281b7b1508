// Tensor maps: what a GPU's bulk tensor copies are told about a tensor in its memory.
//
// 128 bytes that only the device's driver makes and reads; kernels take them as parameters.
#pragma once

#include "tilewright/runtime_c.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tilewright::runtime {

using GpuAddress = uint64_t;

/// What a map is made of. Dimension 0 is the innermost: its elements stand side by side. What a copy reads outside is zero.
struct GpuTensor {
  static constexpr unsigned mostDimensions = 5;

  tw_dtype dtype = TW_NO_DTYPE;
  unsigned rank = 0;
  GpuAddress address = 0;                                ///< a multiple of 16
  std::array<uint64_t, mostDimensions> extents = {};     ///< 1 to 2^32
  std::array<uint64_t, mostDimensions - 1> strides = {}; ///< of dimensions 1 …, in bytes: multiples of 16 below 2^40
  std::array<uint32_t, mostDimensions> box = {};         ///< elements that one copy moves: 1 to 256
  unsigned swizzleBytes = 0;                             ///< 0, 32, 64, 128
  bool roundsToTF32 = false;                             ///< what f32 is copied to shared memory
};

struct alignas(64) GpuTensorMap {
  std::array<std::byte, 128> bytes = {};
};

} // namespace tilewright::runtime
