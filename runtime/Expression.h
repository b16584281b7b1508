// EXPR of an artifact or a signature (see compiler_c.h): what the host computes about dimensions, scalars and index ranges.
//
// The JSON tree is turned into a flat postfix program when it is loaded, with every name resolved to a position; evaluating it
// then touches no heap. `2 * F` becomes  constant 2 · dimension 0 · multiply.
#pragma once

#include "runtime/Interval.h"
#include "runtime/Status.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>
#include <vector>

namespace tilewright::runtime {

/// What the names in an expression mean.
struct Scope {
  std::vector<std::string> dimensions;
  std::map<std::string, int64_t> constants;
  std::vector<std::string> scalars; ///< in the order of the scalar parameters
  std::vector<std::string> axes;
  size_t values = 0;
  std::vector<std::string> valueTexts; ///< how the first of the shared values are spelled, for messages
};

/// The values that the names have.
struct Environment {
  const int64_t *dimensions = nullptr;
  const Interval *scalars = nullptr;
  const Interval *axisLow = nullptr;  ///< first index, inclusive
  const Interval *axisHigh = nullptr; ///< last index, exclusive
  const Interval *values = nullptr;
  /// Of which axes the range above is that of one piece, so that its start and end are known. Null: of none.
  const char *isPiece = nullptr;
};

class Expression {
public:
  /// A tree that is not an EXPR, or names something that `scope` does not have, gives TW_DAMAGED_ARTIFACT.
  static Result<Expression> compile(const nlohmann::json &tree, const Scope &scope);

  Interval evaluate(const Environment &environment) const;

  /// As a person would write it: `(H - R) / 2 + 1`.
  const std::string &text() const { return spelling; }

  /// What it reads directly.
  const std::vector<size_t> &dimensions() const { return usedDimensions; }
  const std::vector<size_t> &axes() const { return usedAxes; }
  const std::vector<size_t> &values() const { return usedValues; }
  const std::vector<size_t> &scalars() const { return usedScalars; }

private:
  enum class Code : uint8_t { Constant, Dimension, Scalar, Axis, Start, End, Value, Unary, Binary, Select, Cast };
  struct Instruction {
    Code code;
    Operation operation = Operation::Add;
    tw_dtype dtype = TW_NO_DTYPE;
    size_t index = 0; ///< of what is read; of a constant in `constants`
  };
  class Builder;
  static constexpr size_t maxStack = 32;

  std::vector<Instruction> instructions;
  std::vector<Interval> constants;
  std::string spelling;
  std::vector<size_t> usedDimensions, usedAxes, usedValues, usedScalars;
};

} // namespace tilewright::runtime
