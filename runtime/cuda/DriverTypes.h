// The types of the CUDA driver that are used here, as its ABI has them: Tilewright is built without a CUDA toolkit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewright::runtime::cuda {

using Code = int;
using Device = int;
using Address = unsigned long long;
using Context = struct ContextTag *;
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
using Event = struct EventTag *;

constexpr Code success = 0, outOfMemory = 2, invalidPtx = 218, unsupportedPtxVersion = 222;

// CUdevice_attribute
constexpr int multiprocessorCount = 16, maxThreadsPerMultiprocessor = 39, capabilityMajor = 75, capabilityMinor = 76,
              maxSharedMemoryPerBlockOptin = 97;
// CUfunction_attribute
constexpr int maxDynamicSharedBytes = 8;
// CUjit_option
constexpr int infoLog = 3, infoLogBytes = 4, errorLog = 5, errorLogBytes = 6, logVerbose = 12, generateLineInfo = 13;
// CUtensorMapDataType, of the elements' dtypes; CUtensorMapInterleave, CUtensorMapL2promotion, CUtensorMapFloatOOBfill
constexpr int tensorU8 = 0, tensorU16 = 1, tensorI32 = 3, tensorI64 = 5, tensorF16 = 6, tensorF32 = 7, tensorF64 = 8,
              tensorBF16 = 9, tensorTF32 = 11;
constexpr int interleaveNone = 0, promoteTo128Bytes = 2, promoteTo256Bytes = 3, fillZeros = 0;
// CUlaunchAttributeID
constexpr int clusterDimension = 4;

struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } cluster;
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72);

struct LaunchConfiguration {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchConfiguration) == 56);

} // namespace tilewright::runtime::cuda
