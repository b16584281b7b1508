// ptxas makes no call of a function of the same module inline, and a call costs what the kernel has in registers. So the text
// of a function takes the place of its calls.
#pragma once

#include <string>
#include <string_view>

namespace tilewright::runtime::cuda {

/// `module`, as LLVM writes it, with the bodies of `functions`, as NVRTC writes them, in place of their calls. A call stays a
/// call where the function has memory of its own, or passes its values in another way than whole registers; so do all once the
/// module would become too large to be assembled quickly.
std::string inlineCalls(std::string_view module, std::string_view functions);

} // namespace tilewright::runtime::cuda
