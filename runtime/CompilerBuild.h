// Which build of the compiler a library is, without loading it: cache keys need it, and loading LLVM takes longer than all the
// rest of a start from the cache.
#pragma once

#include <optional>
#include <string>

namespace tilewright::runtime {

/// The build id in the ELF note of a file (compiler_c.h); nothing if there is no file, or no note of ours in it.
std::optional<std::string> readBuildNote(const std::string &file);

/// The build id of the compiler that was built together with this library; "": none was.
std::string ownBuildId();

} // namespace tilewright::runtime
