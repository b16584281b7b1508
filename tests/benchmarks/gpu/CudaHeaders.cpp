// What is declared here of CUDA, compared with NVIDIA's headers: compiled where these are installed.
#include "tests/benchmarks/gpu/CublasLtTypes.h"
#include "tests/benchmarks/gpu/Gpu.h"

#include <cstddef>
#include <cublasLt.h>
#include <cuda.h>

namespace {

using namespace benchmarks;

template <typename Ours, typename Theirs> constexpr bool alike(size_t ours, size_t theirs) {
  return ours == theirs && sizeof(Ours) == sizeof(Theirs);
}
#define SAME_FIELD(ours, field, theirs, name)                                                                                  \
  static_assert(alike<decltype(ours::field), decltype(theirs::name)>(offsetof(ours, field), offsetof(theirs, name)))

static_assert(sizeof(KernelNode) == sizeof(CUDA_KERNEL_NODE_PARAMS_v2));
SAME_FIELD(KernelNode, function, CUDA_KERNEL_NODE_PARAMS_v2, func);
SAME_FIELD(KernelNode, gridX, CUDA_KERNEL_NODE_PARAMS_v2, gridDimX);
SAME_FIELD(KernelNode, blockZ, CUDA_KERNEL_NODE_PARAMS_v2, blockDimZ);
SAME_FIELD(KernelNode, sharedBytes, CUDA_KERNEL_NODE_PARAMS_v2, sharedMemBytes);
SAME_FIELD(KernelNode, parameters, CUDA_KERNEL_NODE_PARAMS_v2, kernelParams);
SAME_FIELD(KernelNode, kernel, CUDA_KERNEL_NODE_PARAMS_v2, kern);

static_assert(sizeof(LaunchConfiguration) == sizeof(CUlaunchConfig));
SAME_FIELD(LaunchConfiguration, sharedBytes, CUlaunchConfig, sharedMemBytes);
SAME_FIELD(LaunchConfiguration, stream, CUlaunchConfig, hStream);
SAME_FIELD(LaunchConfiguration, attributes, CUlaunchConfig, attrs);
SAME_FIELD(LaunchConfiguration, attributeCount, CUlaunchConfig, numAttrs);
static_assert(sizeof(LaunchAttribute::value) == sizeof(CUkernelNodeAttrValue));
static_assert(clusterDimension == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);

static_assert(sizeof(cublaslt::Algorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(cublaslt::Candidate) == sizeof(cublasLtMatmulHeuristicResult_t));
SAME_FIELD(cublaslt::Candidate, algorithm, cublasLtMatmulHeuristicResult_t, algo);
SAME_FIELD(cublaslt::Candidate, workspaceBytes, cublasLtMatmulHeuristicResult_t, workspaceSize);
SAME_FIELD(cublaslt::Candidate, state, cublasLtMatmulHeuristicResult_t, state);
SAME_FIELD(cublaslt::Candidate, waves, cublasLtMatmulHeuristicResult_t, wavesCount);

#define SAME(ours, theirs) static_assert(cublaslt::ours == static_cast<int>(theirs))
SAME(real32F, CUDA_R_32F);
SAME(real16F, CUDA_R_16F);
SAME(real8I, CUDA_R_8I);
SAME(real32I, CUDA_R_32I);
SAME(real16BF, CUDA_R_16BF);
SAME(real8E4M3, CUDA_R_8F_E4M3);
SAME(compute32F, CUBLAS_COMPUTE_32F);
SAME(compute32FPedantic, CUBLAS_COMPUTE_32F_PEDANTIC);
SAME(compute32I, CUBLAS_COMPUTE_32I);
SAME(compute32FFastTF32, CUBLAS_COMPUTE_32F_FAST_TF32);
SAME(asItIs, CUBLAS_OP_N);
SAME(transposed, CUBLAS_OP_T);
SAME(epilogueNone, CUBLASLT_EPILOGUE_DEFAULT);
SAME(epilogueRelu, CUBLASLT_EPILOGUE_RELU);
SAME(epilogueBias, CUBLASLT_EPILOGUE_BIAS);
SAME(epilogueReluBias, CUBLASLT_EPILOGUE_RELU_BIAS);
SAME(epilogueGeluBias, CUBLASLT_EPILOGUE_GELU_BIAS);
SAME(operationTransA, CUBLASLT_MATMUL_DESC_TRANSA);
SAME(operationTransB, CUBLASLT_MATMUL_DESC_TRANSB);
SAME(operationEpilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
SAME(operationBias, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
SAME(operationScaleA, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER);
SAME(operationScaleB, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER);
SAME(operationFastAccumulation, CUBLASLT_MATMUL_DESC_FAST_ACCUM);
SAME(layoutBatches, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
SAME(layoutBatchStride, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
SAME(preferenceWorkspaceBytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
SAME(preferenceAlignmentA, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
SAME(preferenceAlignmentB, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
SAME(preferenceAlignmentC, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
SAME(preferenceAlignmentD, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
SAME(algorithmId, CUBLASLT_ALGO_CONFIG_ID);
SAME(algorithmTile, CUBLASLT_ALGO_CONFIG_TILE_ID);
SAME(algorithmSplitK, CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
SAME(algorithmStages, CUBLASLT_ALGO_CONFIG_STAGES_ID);
SAME(algorithmCluster, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID);

} // namespace
