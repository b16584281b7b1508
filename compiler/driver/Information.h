// What this build of the compiler can do, for `tilewright info`.
#pragma once

#include <string>

namespace tilewright::compiler {

/// The JSON of tw_compiler_information.
std::string informationJson();

} // namespace tilewright::compiler
