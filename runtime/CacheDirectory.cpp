#include "runtime/CacheDirectory.h"

#include "runtime/Text.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace tilewright::runtime;

/// A later chdir of the host must not move the cache.
static std::string absolute(const std::string &path) {
  std::error_code failed;
  std::filesystem::path result = std::filesystem::absolute(path, failed);
  return failed ? path : result.lexically_normal().string();
}

std::string tilewright::runtime::chooseCacheDirectory(const char *wanted) {
  if (wanted)
    return *wanted ? absolute(wanted) : std::string();
  if (const char *own = std::getenv("TILEWRIGHT_CACHE_DIR"); own && *own)
    return std::strcmp(own, "off") == 0 ? std::string() : absolute(own);
  // The XDG specification: a relative path is to be ignored.
  if (const char *user = std::getenv("XDG_CACHE_HOME"); user && *user == '/')
    return concat(user, "/tilewright");
  if (const char *home = std::getenv("HOME"); home && *home == '/')
    return concat(home, "/.cache/tilewright");
  return {};
}

Status tilewright::runtime::checkCacheDirectory(const std::string &directory) {
  struct stat found;
  if (stat(directory.c_str(), &found) != 0) {
    if (errno == ENOENT)
      return {};
    return Status(TW_NOT_FOUND, concat(directory, ": ", std::strerror(errno)));
  }
  if (!S_ISDIR(found.st_mode))
    return Status(TW_INVALID_ARGUMENT, concat(directory, " is not a folder"));
  if (found.st_uid != geteuid())
    return Status(TW_INVALID_ARGUMENT, concat(directory, " belongs to another user (", found.st_uid, ", and this process is ",
                                              geteuid(), "): set TILEWRIGHT_CACHE_DIR to a folder of your own"));
  if (found.st_mode & 077) {
    char mode[8];
    std::snprintf(mode, sizeof(mode), "%04o", static_cast<unsigned>(found.st_mode & 07777));
    return Status(TW_INVALID_ARGUMENT, concat(directory, " is open to other users (mode ", mode,
                                              ", expected 0700), and it holds code: "
                                              "chmod 700 it, or set TILEWRIGHT_CACHE_DIR to another folder"));
  }
  return {};
}

/// mkdir -p; 0700 for all that is made, as the XDG specification wants it.
static bool createFolders(const std::string &path) {
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST)
    return true;
  size_t slash = path.rfind('/');
  if (errno != ENOENT || slash == std::string::npos || slash == 0)
    return false;
  return createFolders(path.substr(0, slash)) && (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST);
}

Status tilewright::runtime::createCacheDirectory(const std::string &directory) {
  if (!createFolders(directory))
    return Status(TW_NOT_FOUND, concat(directory, " cannot be made: ", std::strerror(errno)));
  return checkCacheDirectory(directory);
}
