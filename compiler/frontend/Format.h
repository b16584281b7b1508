// The canonical formatter, for `tilewright format`.
#pragma once

#include "compiler/frontend/Diagnostics.h"
#include "compiler/frontend/Source.h"

#include <optional>
#include <string>

namespace tilewright::frontend {

/// The source in the language's style: two spaces, 100 columns, one statement a line; comments and single blank lines are
/// kept. Formatting its own result changes nothing, and no token or comment is ever changed, added or lost. Empty, with errors
/// in `diagnostics`, for a source that does not parse.
std::optional<std::string> format(const Source &source, Diagnostics &diagnostics);

} // namespace tilewright::frontend
