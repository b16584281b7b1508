// What the modifiers of a memory instruction say.
#pragma once

#include "runtime/emulator/Mnemonic.h"

namespace tilewright::runtime::emulator {

/// The state space; Generic if none is named.
Space spaceOf(const Mnemonic &mnemonic);

/// StrongAccess for volatile, relaxed, acquire, release and mmio accesses, else 0.
uint8_t strengthOf(const Mnemonic &mnemonic);

} // namespace tilewright::runtime::emulator
