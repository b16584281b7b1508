// NVIDIA's library of matrix products with fused epilogues, as a yardstick.
#pragma once

#include "tests/benchmarks/gpu/CublasLtTypes.h"
#include "tests/benchmarks/gpu/Gpu.h"
#include "tests/benchmarks/gpu/LinearShapes.h"

namespace benchmarks {

namespace cublaslt {

struct Functions {
#define SYMBOL(result, name, symbol, parameters) result(*name) parameters = nullptr;
#include "tests/benchmarks/gpu/CublasLtSymbols.def"
#undef SYMBOL
};

} // namespace cublaslt

class CublasLt {
public:
  /// $TILEWRIGHT_CUBLASLT, else libcublasLt.so.13 or .12: what the loader finds, or what a CUDA toolkit or NVIDIA's Python
  /// package has.
  explicit CublasLt(const Gpu &gpu);

  /// "cuBLASLt 130100, libcublasLt.so.13".
  std::string describe() const;
  /// Throws a Failure unless the code is success.
  void check(cublaslt::Code code, const char *what) const;

  const Gpu &gpu;
  cublaslt::Functions functions;
  cublaslt::Handle handle = nullptr;
  static constexpr size_t workspaceBytes = size_t(64) << 20;
  Address workspace = 0;

private:
  Library library;
};

/// y = epilogue(x · wᵀ), row-major.
struct LtProblem {
  LinearShape shape;
  int operandType = 0, resultType = 0, computeType = 0, scaleType = 0; ///< cudaDataType, cublasComputeType_t
  bool isFast = false;                                                 ///< f8: sums are not promoted to f32 on the way
  int epilogue = cublaslt::epilogueNone;
  void *x = nullptr, *w = nullptr, *bias = nullptr, *y = nullptr;
  void *scaleX = nullptr, *scaleW = nullptr; ///< f32 numbers in the GPU's memory, which f8 operands are multiplied by; or null
};

class LtProduct {
public:
  /// Asks for up to 16 algorithms.
  LtProduct(const CublasLt &library, const LtProblem &problem);
  ~LtProduct();
  LtProduct(const LtProduct &) = delete;
  LtProduct &operator=(const LtProduct &) = delete;

  /// Keeps those that run, and of them the fastest: each is timed `rounds` times in turns. Whether there is one.
  bool chooseByMeasurement(Gpu &gpu, int rounds);
  /// With the chosen algorithm.
  void launch() const;
  /// "8 algorithms, chosen: id 66, tile 20, stages 36, split 1, cluster 2".
  std::string describe() const;

private:
  cublaslt::Code tryLaunch(const cublaslt::Algorithm &algorithm) const;

  const CublasLt &library;
  LtProblem problem;
  cublaslt::Operation operation = nullptr;
  cublaslt::Layout w = nullptr, x = nullptr, y = nullptr;
  std::vector<cublaslt::Algorithm> algorithms;
  size_t chosen = 0;
};

} // namespace benchmarks
