// How many instructions an element of an expression takes on NVIDIA's GPUs, about: before anything is compiled.
#pragma once

#include "compiler/frontend/TypedTree.h"

#include <functional>

namespace tilewright::compiler {

/// Of 16-bit elements that lie in shared memory to one of 16 bits. `valueOf` says what a `let` stands for.
double instructionsPerElement(const frontend::typed::Expr &expr,
                              const std::function<const frontend::typed::Expr *(const frontend::typed::Expr *)> &valueOf);

} // namespace tilewright::compiler
