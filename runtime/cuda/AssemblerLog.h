// What ptxas, or the driver's assembler, says that costs speed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime::cuda {

/// The lines that tell of wgmma products that were serialized or register counts that were ignored (C7504 to C7519, C7602),
/// each once.
std::vector<std::string> warningsIn(std::string_view log);

} // namespace tilewright::runtime::cuda
