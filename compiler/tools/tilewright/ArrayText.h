// Arrays as text, for small ones: `[[1, 2], [3, 4]]:bf16` on the command line, and the same notation printed.
#pragma once

#include "compiler/tools/tilewright/Tensor.h"

#include <optional>
#include <string>

namespace tilewright::tools {

/// Does the value of an option hold an array itself, rather than name a file?
bool isArrayText(const std::string &text);

/// `[1, 2.5, -inf]`, nested for more dimensions, `[]` for none of something; a dtype may follow after a colon. `wanted` is the
/// dtype of the parameter, if that is known. Throws a usage error where the text is wrong, or tells no dtype.
Tensor tensorOfText(const std::string &text, std::optional<DType> wanted, const std::string &name);

/// The whole array, `name = [[1, 2],` and so on: floats with the fewest digits that tell them from their neighbours.
std::string textOfTensor(const Tensor &tensor, const std::string &name);

} // namespace tilewright::tools
