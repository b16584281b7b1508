#include "runtime/CompileProcess.h"

#include "runtime/ChildProcess.h"
#include "runtime/CompilerLibrary.h"
#include "runtime/Text.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tilewright::runtime;

namespace {

constexpr const char *programName = "tilewright-compile";

/// A file in memory: request and answer lie in two.
class MemoryFile {
public:
  MemoryFile() {
    int any = memfd_create(programName, MFD_CLOEXEC);
    if (any >= 0) {
      number = fcntl(any, F_DUPFD_CLOEXEC, 3); // a host may have closed its standard streams, whose numbers the child needs
      close(any);
    }
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  ~MemoryFile() {
    if (number >= 0)
      close(number);
  }

  int descriptor() const { return number; }

  /// Leaves the position, which the child inherits, at the begin.
  bool write(std::string_view bytes) const {
    for (off_t at = 0; static_cast<size_t>(at) < bytes.size();) {
      ssize_t count = pwrite(number, bytes.data() + at, bytes.size() - static_cast<size_t>(at), at);
      if (count <= 0)
        return false;
      at += count;
    }
    return true;
  }

  std::string read() const {
    struct stat status = {};
    std::string bytes(fstat(number, &status) == 0 ? static_cast<size_t>(status.st_size) : 0, '\0');
    for (size_t at = 0; at < bytes.size();) {
      ssize_t count = pread(number, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
      if (count <= 0)
        return {};
      at += static_cast<size_t>(count);
    }
    return bytes;
  }

private:
  int number = -1;
};

std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

Result<std::string> findProgram(const std::string &compilerLibrary) {
  for (const std::string &folder : {folderOf(compilerLibrary), ownFolder()})
    if (std::string path = folder + programName; !folder.empty() && access(path.c_str(), X_OK) == 0)
      return path;
  return Status(TW_COMPILER_UNAVAILABLE,
                concat("$TILEWRIGHT_COMPILE is process, but ", programName, " is neither in ", folderOf(compilerLibrary),
                       " nor in ", ownFolder(), ": install it, or unset the variable to compile in this process"));
}

} // namespace

Result<CompileAnswer> tilewright::runtime::compileInProcess(const std::string &compilerLibrary, const CompileRequest &request) {
  Result<std::string> program = findProgram(compilerLibrary);
  if (!program.ok())
    return program.takeStatus();
  MemoryFile input, output;
  if (input.descriptor() < 0 || output.descriptor() < 0 || !input.write(encode(request)))
    return Status(TW_OUT_OF_MEMORY, concat("cannot create files in memory for ", programName, ": ", std::strerror(errno)));
  ChildEnd end = runChild(*program, {compilerLibrary}, {input.descriptor(), output.descriptor()});
  if (end.spawnError != 0)
    return Status(TW_COMPILER_UNAVAILABLE, concat("cannot start ", *program, ": ", std::strerror(end.spawnError)));
  if (std::optional<CompileAnswer> answer = decodeAnswer(output.read()))
    return std::move(*answer);
  return Status(TW_COMPILATION_FAILED,
                concat("the compiler's process ", end.text, " while it compiled kernel ", request.specialization.kernel));
}
