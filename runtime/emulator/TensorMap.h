// Tensor maps: what the bulk tensor copies are told about a tensor in global memory.
//
// The real structure is made by the driver, opaque, and 128 bytes; this one is the emulator's own, of the same size, and passes
// through kernels the same way. The request has the parameters of cuTensorMapEncodeTiled and is checked as the driver does;
// interleaved layouts and the im2col mode are not there.
#pragma once

#include "runtime/Status.h"
#include "runtime/emulator/Types.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tilewright::runtime::emulator {

inline constexpr unsigned mostDimensions = 5;

enum class Swizzle : uint8_t { None, Bytes32, Bytes64, Bytes128 };

/// The bytes after which a swizzle's rows repeat their order: 16 (none), 32, 64, 128.
constexpr uint32_t spanOf(Swizzle swizzle) {
  return 16u << static_cast<unsigned>(swizzle);
}

/// Where the hardware keeps the byte of an address: its 16-byte piece changes places with others of the same span, by bits 7
/// to 9.
constexpr uint32_t swizzled(uint32_t address, Swizzle swizzle) {
  uint32_t mask = (spanOf(swizzle) >> 4) - 1;
  return address ^ ((address >> 7 & mask) << 4);
}

/// Dimension 0 is the innermost; its stride is the element's size. Strides and the address are in bytes.
struct TensorMapRequest {
  Type type = Type::F32; // U8 U16 U32 S32 U64 S64 F16 F32 F64 BF16 TF32
  unsigned rank = 0;
  uint64_t address = 0;
  std::array<uint64_t, mostDimensions> extents{};
  std::array<uint64_t, mostDimensions - 1> strides{}; // of dimensions 1 …
  std::array<uint32_t, mostDimensions> box{};
  std::array<uint32_t, mostDimensions> elementStrides{1, 1, 1, 1, 1};
  Swizzle swizzle = Swizzle::None;
  bool fillsNaN = false; // what lies outside: NaN or zero
};

struct alignas(64) TensorMap {
  std::array<std::byte, 128> bytes{};
};

Result<TensorMap> encodeTensorMap(const TensorMapRequest &request);
/// Sets another address, as cuTensorMapReplaceAddress does.
Status replaceTensorMapAddress(TensorMap &map, uint64_t address);
/// What encodeTensorMap was asked for, or nothing if this is no tensor map.
std::optional<TensorMapRequest> decodeTensorMap(const TensorMap &map);

} // namespace tilewright::runtime::emulator
