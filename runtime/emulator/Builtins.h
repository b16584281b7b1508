// Functions that PTX calls and the driver provides: vprintf and __assertfail.
#pragma once

#include "runtime/emulator/Warp.h"

namespace tilewright::runtime::emulator {

/// A fault if there is none of the callee's name.
Outcome callBuiltin(Warp &warp, const Instruction &instruction, const Function &callee, uint32_t lanes);

} // namespace tilewright::runtime::emulator
