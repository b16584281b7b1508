// The types and numbers of cuBLASLt that are used here, as its documentation and ABI have them, the same in its releases 12
// and 13.
#pragma once

#include "runtime/cuda/DriverTypes.h"

#include <cstddef>
#include <cstdint>

namespace benchmarks::cublaslt {

using Code = int;
using Stream = tilewright::runtime::cuda::Stream;
using Handle = struct HandleTag *;
using Operation = struct OperationTag *;   // cublasLtMatmulDesc_t
using Layout = struct LayoutTag *;         // cublasLtMatrixLayout_t
using Preference = struct PreferenceTag *; // cublasLtMatmulPreference_t

struct Algorithm {
  uint64_t data[8];
};
/// cublasLtMatmulHeuristicResult_t.
struct Candidate {
  Algorithm algorithm;
  size_t workspaceBytes;
  Code state; ///< 0: it can be used
  float waves;
  int reserved[4];
};
static_assert(sizeof(Candidate) == 96);

// cudaDataType
constexpr int real32F = 0, real16F = 2, real8I = 3, real32I = 10, real16BF = 14, real8E4M3 = 28, real8E5M2 = 29;
// cublasComputeType_t
constexpr int compute32F = 68, compute32FPedantic = 69, compute32I = 72, compute32FFastTF32 = 77;
// cublasOperation_t
constexpr int asItIs = 0, transposed = 1;
// cublasLtEpilogue_t
constexpr int epilogueNone = 1, epilogueRelu = 2, epilogueBias = 4, epilogueReluBias = 6, epilogueGeluBias = 36;
// cublasLtMatmulDescAttributes_t
constexpr int operationTransA = 3, operationTransB = 4, operationEpilogue = 7, operationBias = 8, operationScaleA = 17,
              operationScaleB = 18, operationFastAccumulation = 25;
// cublasLtMatrixLayoutAttribute_t
constexpr int layoutBatches = 5, layoutBatchStride = 6;
// cublasLtMatmulPreferenceAttributes_t
constexpr int preferenceWorkspaceBytes = 1, preferenceAlignmentA = 5, preferenceAlignmentB = 6, preferenceAlignmentC = 7,
              preferenceAlignmentD = 8;
// cublasLtMatmulAlgoConfigAttributes_t
constexpr int algorithmId = 0, algorithmTile = 1, algorithmSplitK = 2, algorithmStages = 6, algorithmCluster = 8;

} // namespace benchmarks::cublaslt
