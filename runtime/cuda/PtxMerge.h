// One PTX module of two, as text: assembled as a whole program (a linker
// would compile relocatably, under which ptxas ignores setmaxnreg).
#pragma once

#include "runtime/Status.h"

#include <string>
#include <string_view>

namespace tilewright::runtime::cuda {

/// `module` with the functions of `functions` in place of its .extern .func declarations. kernel: for messages.
Result<std::string> mergePtx(const std::string &kernel, std::string_view module, std::string_view functions);

} // namespace tilewright::runtime::cuda
