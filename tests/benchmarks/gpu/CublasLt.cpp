#include "tests/benchmarks/gpu/CublasLt.h"

#include "tests/benchmarks/gpu/Interleave.h"

#include <algorithm>
#include <cstdlib>
#include <glob.h>

namespace benchmarks {

using namespace cublaslt;

namespace {

constexpr int mostAlgorithms = 16;

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> libraryPaths() {
  if (std::string named = environment("TILEWRIGHT_CUBLASLT"); !named.empty())
    return {named};
  std::vector<std::string> paths = {"libcublasLt.so.13", "libcublasLt.so.12"}, patterns;
  for (const std::string &toolkit : {environment("CUDA_HOME"), environment("CUDA_PATH"), std::string("/usr/local/cuda")})
    if (!toolkit.empty())
      patterns.push_back(toolkit + "/lib64/libcublasLt.so.1[23]");
  // Where pip puts nvidia-cublas, which PyTorch brings along.
  for (const std::string &prefix : {environment("VIRTUAL_ENV"), environment("CONDA_PREFIX"), environment("HOME") + "/.local",
                                    std::string("/usr"), std::string("/usr/local"), std::string("/opt/conda")})
    for (const char *folder : {"site-packages", "dist-packages"})
      for (const char *package : {"cublas", "cu13"})
        if (!prefix.empty())
          patterns.push_back(prefix + "/lib/python3*/" + folder + "/nvidia/" + package + "/lib/libcublasLt.so.1[23]");
  for (const std::string &pattern : patterns) {
    glob_t found = {};
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
      paths.insert(paths.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
    globfree(&found);
  }
  return paths;
}

/// Of an address, in bytes, as far as it matters.
uint32_t alignmentOf(const void *address) {
  auto number = reinterpret_cast<uintptr_t>(address) | 256;
  return static_cast<uint32_t>(number & (~number + 1));
}

} // namespace

CublasLt::CublasLt(const Gpu &gpu)
    : gpu(gpu),
      library(libraryPaths(), "there is no cuBLASLt: set TILEWRIGHT_CUBLASLT to the path of libcublasLt.so.12 or later") {
#define SYMBOL(result, name, symbol, parameters) library.resolve(symbol, functions.name);
#include "tests/benchmarks/gpu/CublasLtSymbols.def"
#undef SYMBOL
  check(functions.create(&handle), "cublasLtCreate");
  gpu.driver.check(gpu.driver.allocate(&workspace, workspaceBytes), "cuMemAlloc");
}

std::string CublasLt::describe() const {
  return "cuBLASLt " + std::to_string(functions.version()) + ", " + library.path();
}

void CublasLt::check(Code code, const char *what) const {
  if (code != 0)
    throw Failure(std::string(what) + ": cuBLAS status " + std::to_string(code));
}

// cuBLASLt's matrices are column-major: yᵀ[n, m] = wᵀ[k, n]ᵀ · xᵀ[k, m], and each of these lies as the row-major one does.
LtProduct::LtProduct(const CublasLt &library, const LtProblem &problem) : library(library), problem(problem) {
  const Functions &call = library.functions;
  auto set = [&](int attribute, const auto &value) {
    library.check(call.operationSet(operation, attribute, &value, sizeof(value)), "cublasLtMatmulDescSetAttribute");
  };
  library.check(call.operationCreate(&operation, problem.computeType, problem.scaleType), "cublasLtMatmulDescCreate");
  set(operationTransA, transposed);
  set(operationTransB, problem.shape.inner ? transposed : asItIs);
  set(operationEpilogue, problem.epilogue);
  if (problem.epilogue & epilogueBias)
    set(operationBias, problem.bias);
  if (problem.scaleX) {
    set(operationScaleA, problem.scaleW);
    set(operationScaleB, problem.scaleX);
  }
  if (problem.isFast)
    set(operationFastAccumulation, int8_t(1));

  auto [name, m, n, k, inner] = problem.shape;
  auto layout = [&](Layout &to, int type, int64_t rows, int64_t columns, int64_t batchStride) {
    library.check(call.layoutCreate(&to, type, static_cast<uint64_t>(rows), static_cast<uint64_t>(columns), rows),
                  "cublasLtMatrixLayoutCreate");
    if (!problem.shape.inner)
      return;
    auto batches = static_cast<int32_t>(problem.shape.m / problem.shape.inner);
    library.check(call.layoutSet(to, layoutBatches, &batches, sizeof(batches)), "cublasLtMatrixLayoutSetAttribute");
    library.check(call.layoutSet(to, layoutBatchStride, &batchStride, sizeof(batchStride)), "cublasLtMatrixLayoutSetAttribute");
  };
  layout(w, problem.operandType, k, n, 0);
  if (inner) {
    layout(x, problem.operandType, inner, k, inner * k);
    layout(y, problem.resultType, n, inner, inner * n);
  } else {
    layout(x, problem.operandType, k, m, 0);
    layout(y, problem.resultType, n, m, 0);
  }

  Preference preference = nullptr;
  library.check(call.preferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  Code code = 0;
  auto prefer = [&](int attribute, const auto &value) {
    if (code == 0)
      code = call.preferenceSet(preference, attribute, &value, sizeof(value));
  };
  prefer(preferenceWorkspaceBytes, CublasLt::workspaceBytes);
  prefer(preferenceAlignmentA, alignmentOf(problem.w));
  prefer(preferenceAlignmentB, alignmentOf(problem.x));
  prefer(preferenceAlignmentC, alignmentOf(problem.y));
  prefer(preferenceAlignmentD, alignmentOf(problem.y));
  Candidate candidates[mostAlgorithms] = {};
  int found = 0;
  // What it has no algorithm for is no failure: it says so by a status, or by none of them.
  if (code == 0 && call.heuristic(library.handle, operation, w, x, y, y, preference, mostAlgorithms, candidates, &found) != 0)
    found = 0;
  call.preferenceDestroy(preference);
  library.check(code, "cublasLtMatmulPreferenceSetAttribute");
  for (int index = 0; index < found; ++index)
    if (candidates[index].state == 0)
      algorithms.push_back(candidates[index].algorithm);
}

LtProduct::~LtProduct() {
  for (Layout layout : {w, x, y})
    if (layout)
      library.functions.layoutDestroy(layout);
  if (operation)
    library.functions.operationDestroy(operation);
}

Code LtProduct::tryLaunch(const Algorithm &algorithm) const {
  const float one = 1, zero = 0;
  const int32_t wholeOne = 1, wholeZero = 0;
  bool isWhole = problem.scaleType == real32I;
  const void *alpha = isWhole ? static_cast<const void *>(&wholeOne) : &one;
  const void *beta = isWhole ? static_cast<const void *>(&wholeZero) : &zero;
  return library.functions.multiply(library.handle, operation, alpha, problem.w, w, problem.x, x, beta, problem.y, y, problem.y,
                                    y, &algorithm, reinterpret_cast<void *>(library.workspace), CublasLt::workspaceBytes,
                                    library.gpu.stream);
}

bool LtProduct::chooseByMeasurement(Gpu &gpu, int rounds) {
  std::erase_if(algorithms, [&](const Algorithm &algorithm) { return tryLaunch(algorithm) != 0; });
  gpu.synchronize();
  if (algorithms.empty())
    return false;
  std::vector<std::function<double()>> contenders;
  for (const Algorithm &algorithm : algorithms)
    contenders.emplace_back([&] { return gpu.microseconds([&] { library.check(tryLaunch(algorithm), "cublasLtMatmul"); }); });
  std::vector<Times> times = interleave(contenders, rounds);
  auto isFaster = [](const Times &left, const Times &right) { return left.median < right.median; };
  chosen = static_cast<size_t>(std::min_element(times.begin(), times.end(), isFaster) - times.begin());
  return true;
}

void LtProduct::launch() const {
  library.check(tryLaunch(algorithms[chosen]), "cublasLtMatmul");
}

std::string LtProduct::describe() const {
  std::string text = std::to_string(algorithms.size()) + (algorithms.size() == 1 ? " algorithm" : " algorithms") + ", chosen:";
  for (auto [attribute, name] : {std::pair(algorithmId, " id "),
                                 {algorithmTile, ", tile "},
                                 {algorithmStages, ", stages "},
                                 {algorithmSplitK, ", split "},
                                 {algorithmCluster, ", cluster "}}) {
    int value = 0; // the cluster has 16 bits
    size_t written = 0, size = attribute == algorithmCluster ? sizeof(uint16_t) : sizeof(int);
    if (library.functions.algorithmGet(&algorithms[chosen], attribute, &value, size, &written) == 0)
      text += name + std::to_string(value);
  }
  return text;
}

} // namespace benchmarks
