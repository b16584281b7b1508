// The table of built-in functions.
#pragma once

#include "compiler/frontend/TypedTree.h"

#include <span>
#include <string_view>

namespace tilewright::frontend {

enum class BuiltinKind {
  Elementwise, ///< operands of one arithmetic dtype
  Where,
  Clamp,
  CeilDivide,
  Sum,
  Mean,
  AnyAll,
  ArgReduce,
  CumulativeSum,
  Dot,
  Fold, ///< reduce and scan
  Random,
  Span,
  Derivative
};

struct Builtin {
  std::string_view name;
  BuiltinKind kind;
  unsigned arity;
  typed::Op op;
  bool integers;
  bool fast;

  /// Elementwise functions are function values too: `act = tanh`.
  bool isFunctionValue() const { return kind <= BuiltinKind::CeilDivide; }
};

std::span<const Builtin> builtins();
const Builtin *findBuiltin(std::string_view name);

} // namespace tilewright::frontend
