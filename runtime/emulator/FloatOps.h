// Floating-point division, which shares an opcode with the integers'.
#pragma once

#include "runtime/emulator/Execute.h"

namespace tilewright::runtime::emulator {

Executor bindFloatDivide(const Mnemonic &mnemonic, Instruction &instruction);

} // namespace tilewright::runtime::emulator
