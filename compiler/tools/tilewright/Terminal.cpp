#include "compiler/tools/tilewright/Terminal.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewright::tools {

bool wantsColour(std::FILE *stream) {
  const char *refused = std::getenv("NO_COLOR");
  const char *terminal = std::getenv("TERM");
  return !(refused && *refused) && terminal && std::string_view(terminal) != "dumb" && ::isatty(::fileno(stream));
}

void printError(const CommandError &error) {
  if (!*error.what())
    return; // what there was to say has been printed
  bool colour = wantsColour(stderr);
  std::fprintf(stderr, "tilewright: %serror:%s %s\n", colour ? "\033[1;31m" : "", colour ? "\033[0m" : "", error.what());
  if (!error.hint.empty())
    std::fprintf(stderr, "  %shint:%s %s\n", colour ? "\033[1;36m" : "", colour ? "\033[0m" : "", error.hint.c_str());
}

void printRendered(const std::string &text) {
  if (text.empty())
    return;
  std::fputs(text.c_str(), stderr);
  if (text.back() != '\n')
    std::fputc('\n', stderr);
}

std::string readFile(const std::string &path) {
  if (path.empty())
    throw usageError("the name of a file is empty");
  bool isStdin = path == "-";
  struct stat status;
  if (!isStdin && ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    throw usageError(path + " is a directory");
  std::FILE *file = isStdin ? stdin : std::fopen(path.c_str(), "rb");
  if (!file)
    throw usageError("cannot open " + path + ": " + std::strerror(errno));
  std::string contents;
  char block[65536];
  for (size_t got; (got = std::fread(block, 1, sizeof block, file)) > 0;)
    contents.append(block, got);
  bool failed = std::ferror(file);
  if (!isStdin)
    std::fclose(file);
  if (failed)
    throw failure("cannot read " + path + ": " + std::strerror(errno));
  return contents;
}

void writeFile(const std::string &path, const std::string &contents) {
  auto writeTo = [&](std::FILE *file) {
    return std::fwrite(contents.data(), 1, contents.size(), file) == contents.size() && std::fflush(file) == 0;
  };
  if (path == "-") {
    if (!writeTo(stdout))
      throw failure(std::string("cannot write to the standard output: ") + std::strerror(errno));
    return;
  }

  // Devices and pipes cannot be replaced by a rename; a file keeps its permissions, and a symbolic link stays one.
  struct stat status;
  bool exists = ::stat(path.c_str(), &status) == 0;
  std::string place = path;
  if (char *resolved = exists ? ::realpath(path.c_str(), nullptr) : nullptr) {
    place = resolved;
    std::free(resolved);
  }
  bool isSpecial = exists && !S_ISREG(status.st_mode);
  std::string target = isSpecial ? place : place + ".part" + std::to_string(::getpid());
  std::FILE *file = std::fopen(target.c_str(), "wb");
  if (!file)
    throw failure("cannot write " + path + ": " + std::strerror(errno));
  if (exists && !isSpecial)
    ::fchmod(::fileno(file), status.st_mode & 07777);
  bool written = writeTo(file);
  written = std::fclose(file) == 0 && written;
  if (written && !isSpecial)
    written = std::rename(target.c_str(), place.c_str()) == 0;
  if (!written) {
    CommandError error = failure("cannot write " + path + ": " + std::strerror(errno));
    if (!isSpecial)
      ::unlink(target.c_str());
    throw error;
  }
}

} // namespace tilewright::tools
