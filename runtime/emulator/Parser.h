// PTX text to a Program.
#pragma once

#include "runtime/Status.h"
#include "runtime/emulator/Program.h"

#include <string>
#include <string_view>

namespace tilewright::runtime::emulator {

/// A module of `source`, or TW_INVALID_SOURCE (TW_UNSUPPORTED for PTX that is right but not executed) with "name:line: what"
/// and the line. Addresses of global variables are not yet filled in: relocations say where they go.
Result<Program> parse(std::string name, std::string source);

} // namespace tilewright::runtime::emulator
