// The names that the linear part knows, for the command line.
#pragma once

#include <string>
#include <vector>

namespace benchmarks {

std::vector<std::string> linearKinds();     ///< "bf16", …
std::vector<std::string> linearEpilogues(); ///< "none", "bias", …

} // namespace benchmarks
