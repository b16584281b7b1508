// The operations of atom, red and the reducing bulk copies.
#pragma once

#include "runtime/emulator/Mnemonic.h"

#include <cstddef>
#include <optional>

namespace tilewright::runtime::emulator {

enum class AtomicOperation : uint8_t { And, Or, Xor, Exchange, CompareSwap, Add, Increment, Decrement, Min, Max };

/// The one that a mnemonic's modifiers name.
std::optional<AtomicOperation> atomicOperationOf(const Mnemonic &mnemonic);

/// Combines `value` with what is at a place of the type's size, atomically.
void atomicUpdate(std::byte *place, AtomicOperation operation, Type type, uint64_t value);

} // namespace tilewright::runtime::emulator
