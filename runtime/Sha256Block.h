// The step of SHA-256 that takes a block of 64 bytes into the state of 8 words, in two ways.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewright::runtime {

using Sha256Blocks = void (*)(uint32_t *state, const unsigned char *blocks, size_t count);

void takeSha256Blocks(uint32_t *state, const unsigned char *blocks, size_t count);

/// With the processor's instructions for it (x86's SHA extensions); null if there are none. A kernel for a GPU is hashed as PTX
/// and as code, half a megabyte in all; with them, finding it in the disk cache takes 2.9 ms instead of 4.7.
Sha256Blocks sha256BlocksInHardware();

} // namespace tilewright::runtime
