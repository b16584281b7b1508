// The syntax tree as text, for `tilewright compile --emit ast`.
#pragma once

#include "compiler/frontend/AST.h"

#include <string>

namespace tilewright::frontend {

/// One node a line, each child two spaces further in than its parent, each line ended by a line break. The order is that of
/// the source, and the text depends on nothing but the tree (neither on positions nor on the file's name):
///
///   /// Adds.
///   kernel add
///     static T: float
///     parameter c: out T view
///       dimension N...
///     over
///       axis n
///         in: name N
///         by: name BN
///     body
///       assign = c
///         place: name n
///         value: call
///           callee: name T
std::string printAST(const ast::File &file);

} // namespace tilewright::frontend
