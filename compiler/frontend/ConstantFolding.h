// Elementwise operations on constants, with the results a device would compute (integers wrap, x / 0 = 0, f32 rounds).
#pragma once

#include "compiler/frontend/TypedTree.h"

#include <optional>
#include <vector>

namespace tilewright::frontend {

struct FoldedConstant {
  DType dtype;
  int64_t integer = 0;
  double real = 0;
};

/// The value of a comparison; nothing for other operations.
template <typename Number> std::optional<bool> compare(typed::Op op, Number a, Number b) {
  switch (op) {
  case typed::Op::Equal:
    return a == b;
  case typed::Op::NotEqual:
    return a != b;
  case typed::Op::Less:
    return a < b;
  case typed::Op::LessEqual:
    return a <= b;
  case typed::Op::Greater:
    return a > b;
  case typed::Op::GreaterEqual:
    return a >= b;
  default:
    return std::nullopt;
  }
}

/// Nothing for operations that are not folded (math functions: their results are the target's).
std::optional<FoldedConstant> foldConstants(typed::Op op, const std::vector<const typed::Expr *> &operands);

/// `and`, `or` with one constant operand, and a Select with a constant condition and scalar branches: the operand that is the
/// result, or null.
const typed::Expr *foldLogical(typed::Op op, const std::vector<const typed::Expr *> &operands);

} // namespace tilewright::frontend
