// Where the disk cache is, and whether the folder may be trusted.
#pragma once

#include "runtime/Status.h"

#include <string>

namespace tilewright::runtime {

/// The folder's absolute path; "": no disk cache is wanted. wanted: a host's choice ("" for none), or null for the user's:
/// $TILEWRIGHT_CACHE_DIR ("off" for none), $XDG_CACHE_HOME/tilewright, ~/.cache/tilewright.
std::string chooseCacheDirectory(const char *wanted);

/// Whether what lies in the folder may be run as code: it is a folder, the user's own, and nobody else may enter it. Says what
/// to do if not. A folder that is not there is fine.
Status checkCacheDirectory(const std::string &directory);

/// Makes the folder (mode 0700, and what is missing above it) if it is not there, and checks it.
Status createCacheDirectory(const std::string &directory);

} // namespace tilewright::runtime
