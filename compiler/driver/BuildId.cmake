# Writes the header OUTPUT, and the same for the runtime as RUNTIME_OUTPUT: the hash of the sources listed in SOURCES and of LLVM's
# version.
file(STRINGS "${SOURCES}" sources)
list(SORT sources)
set(hashes "${LLVM}")
foreach(source IN LISTS sources)
  file(SHA256 "${source}" hash)
  string(APPEND hashes "${hash}")
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING "${hash}" 0 16 hash)
set(text "// Generated: what identifies this build of the compiler in cache keys.
#pragma once

#define TILEWRIGHT_VERSION \"${VERSION}\"
#define TILEWRIGHT_BUILD_ID \"${hash}\"
")
file(WRITE "${OUTPUT}" "${text}")
# The runtime is compiled again only if the id is another.
file(CONFIGURE OUTPUT "${RUNTIME_OUTPUT}" CONTENT "${text}" @ONLY)
