// Which instructions a .target and .version have.
#pragma once

#include "runtime/emulator/Mnemonic.h"

#include <string>

namespace tilewright::runtime::emulator {

/// What of a module's target and version an instruction lacks, as a message; "" if it may be there.
std::string missingFor(const Mnemonic &mnemonic, const Program &program);

} // namespace tilewright::runtime::emulator
