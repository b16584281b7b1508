// From a source text to its syntax tree, by the grammar of docs/language.md.
#pragma once

#include "compiler/frontend/AST.h"
#include "compiler/frontend/Diagnostics.h"
#include "compiler/frontend/Source.h"

#include <cstddef>

namespace tilewright::frontend {

// What a source may have. The limits keep every recursion over a tree (the parser's, the checker's, the destructors') far from
// the end of the stack, whatever a source holds; beyond one of them parsing ends with an error that names it.

/// Bytes of a source: 1 MiB.
inline constexpr size_t maxSourceSize = size_t{1} << 20;
/// Tokens of a source, without comments.
inline constexpr size_t maxTokenCount = size_t{1} << 20;
/// Brackets, blocks, prefix operators, `accum(` and `else if` inside each other.
inline constexpr unsigned maxNesting = 200;
/// The height of an expression's tree. Brackets count towards maxNesting; what this bounds is operators, calls and members in
/// a row (`1 + 1 + …`, `f(1)(1)…`), each of which is the left operand of the next.
inline constexpr unsigned maxExpressionHeight = 1000;

/// Parses one file. After an error it goes on at the next statement or declaration, so that one run reports many faults; a
/// statement with a fault is left out of the tree, which thus has every part that AST.h promises. A tree from a source with
/// errors is good for tools that only look; checking it would report what is missing because of them.
ast::File parse(const Source &source, Diagnostics &diagnostics);

} // namespace tilewright::frontend
