// Makes generated functions as short as written ones.
#pragma once

#include "compiler/frontend/TreeBuilder.h"

namespace tilewright::frontend {

/// Removes statements that no result needs, and replaces names that are used once by their values (not into loops, where they
/// would be computed again, and not past assignments to variables they read).
void simplifyFunction(typed::Function &function, TreeBuilder &tree);

} // namespace tilewright::frontend
