// The build id as an ELF note of the library (compiler_c.h says why).
#include "compiler/driver/BuildId.h"
#include "tilewright/compiler_c.h"

#include <cstdint>

namespace {

struct BuildNote {
  uint32_t nameBytes, descriptionBytes, type;
  alignas(4) char name[sizeof(TW_COMPILER_NOTE_NAME)];
  alignas(4) char description[sizeof(TILEWRIGHT_BUILD_ID)];
};

[[gnu::used, gnu::retain, gnu::section(".note.tilewright")]] constexpr BuildNote note = {
    sizeof(TW_COMPILER_NOTE_NAME), sizeof(TILEWRIGHT_BUILD_ID), TW_COMPILER_NOTE_BUILD_ID, TW_COMPILER_NOTE_NAME,
    TILEWRIGHT_BUILD_ID};

} // namespace
