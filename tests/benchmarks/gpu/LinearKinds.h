// What kinds of linear layers are measured: how numbers are stored and multiplied, and what is done with the sums.
#pragma once

#include "tilewright/runtime_c.h"

#include <span>
#include <string>
#include <vector>

namespace benchmarks {

/// How numbers are stored and multiplied.
struct Kind {
  const char *name;
  tw_dtype operand, result;
  double inputDeviation;                               ///< of x; w's is this over √k but for i8
  double mostDeviation;                                ///< of results: what rounding explains, and a half more
  double leastRatio;                                   ///< the bar
  int operandType, resultType, computeType, scaleType; ///< cuBLASLt's
  const char *text;                                    ///< of its kernel `linear`; null: the ready one

  /// Sums of whole numbers, which have no epilogue.
  bool isWhole() const { return result == TW_I32; }
  /// f8: operands are stored larger than they are, and sums multiplied by a scale.
  bool isScaled() const { return operand == TW_F8E4M3; }
};

struct Epilogue {
  const char *name;
  const char *act; ///< in activations.tile
  double (*reference)(double);
  bool hasBias, hasResidual;
  int cublasLt; ///< 0: it has none
};

std::span<const Kind> linearKinds();
std::span<const Epilogue> linearEpilogues();
/// What epilogues that cuBLASLt lacks are measured against.
const Epilogue &biasAlone();

template <typename Table> std::vector<std::string> namesOf(const Table &table) {
  std::vector<std::string> names;
  for (const auto &entry : table)
    names.emplace_back(entry.name);
  return names;
}

} // namespace benchmarks
