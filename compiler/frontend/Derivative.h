// deriv(f, n): forward-mode differentiation on the typed tree. See docs/language.md §3.14.
#pragma once

#include "compiler/frontend/Diagnostics.h"
#include "compiler/frontend/TypedTree.h"

#include <functional>

namespace tilewright::frontend {

/// What differentiation needs from semantic analysis.
struct DerivativeContext {
  typed::Kernel &kernel; ///< whose arena the new function lives in
  Diagnostics &diagnostics;
  /// The derivative of a called function by its n-th parameter, for the same argument types: from the author's `deriv` rule, or
  /// by differentiating it. Null after an error was reported.
  std::function<const typed::Function *(const typed::Function &callee, unsigned parameter, SourceRange where)> derivativeOf;
};

/// A function with the parameters of `function` whose value is the partial derivative of its one result by parameter
/// `parameter` (from 0). The function must be elementwise, with float parameters and result. Null after an error was reported
/// at `where`.
///
/// floor, ceil, round and comparisons have derivative 0; select takes the chosen branch's; max(a, b) that of a if a > b, else
/// of b; min(a, b) that of a if a < b, else of b; abs 0 at 0. Variables and constant-range loops are differentiated with their
/// statements; a derivative that is zero for certain leaves no code.
const typed::Function *differentiate(const typed::Function &function, unsigned parameter, SourceRange where,
                                     const DerivativeContext &context);

} // namespace tilewright::frontend
