# Writes BuildId.h: the hash of the sources listed in SOURCES and of LLVM's version.
file(STRINGS "${SOURCES}" sources)
list(SORT sources)
set(hashes "${LLVM}")
foreach(source IN LISTS sources)
  file(SHA256 "${source}" hash)
  string(APPEND hashes "${hash}")
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING "${hash}" 0 16 hash)
file(WRITE "${OUTPUT}" "// Generated: what identifies this build of the compiler in cache keys.
#pragma once

#define TILEWRIGHT_VERSION \"${VERSION}\"
#define TILEWRIGHT_BUILD_ID \"${hash}\"
")
