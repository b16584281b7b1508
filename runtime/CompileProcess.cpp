// How a child is made safely in a process whose threads we do not know:
//
//   - posix_spawn of another program, never fork: a copy of one thread of many would own the locks of the others.
//   - Request and answer lie in two files in memory, which the child has as its standard input and output. No pipe can fill up
//   and
//     stop both, and the host gets no SIGPIPE if the child dies.
//   - The child inherits these, stderr, and nothing else: no descriptor of the host, no blocked or ignored signal.
//   - A host that collects all children, or ignores SIGCHLD, takes the exit status away; the answer is in the file all the
//   same.

#include "runtime/CompileProcess.h"

#include "runtime/CompilerLibrary.h"
#include "runtime/Text.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilewright::runtime;

namespace {

constexpr const char *programName = "tilewright-compile";

/// A file in memory.
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

/// 0, or an errno.
int spawn(const std::string &program, const std::string &compilerLibrary, int input, int output, pid_t &child) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const char *arguments[] = {program.c_str(), compilerLibrary.c_str(), nullptr};
  int error = posix_spawn(&child, program.c_str(), &files, &attributes, const_cast<char *const *>(arguments), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

/// "was ended by SIGKILL"
std::string waitFor(pid_t child) {
  int status = 0;
  pid_t waited;
  do {
    waited = waitpid(child, &status, 0);
  } while (waited < 0 && errno == EINTR);
  if (waited < 0)
    return "ended (how is unknown: the host collects its children)";
  if (!WIFSIGNALED(status))
    return concat("ended with exit status ", WEXITSTATUS(status));
  const char *name = sigabbrev_np(WTERMSIG(status));
  return name ? concat("was ended by SIG", name) : concat("was ended by signal ", WTERMSIG(status));
}

} // namespace

Result<CompileAnswer> tilewright::runtime::compileInProcess(const std::string &compilerLibrary, const CompileRequest &request) {
  Result<std::string> program = findProgram(compilerLibrary);
  if (!program.ok())
    return program.takeStatus();
  MemoryFile input, output;
  if (input.descriptor() < 0 || output.descriptor() < 0 || !input.write(encode(request)))
    return Status(TW_OUT_OF_MEMORY, concat("cannot create files in memory for ", programName, ": ", std::strerror(errno)));
  pid_t child = 0;
  if (int error = spawn(*program, compilerLibrary, input.descriptor(), output.descriptor(), child); error != 0)
    return Status(TW_COMPILER_UNAVAILABLE, concat("cannot start ", *program, ": ", std::strerror(error)));
  std::string end = waitFor(child);
  if (std::optional<CompileAnswer> answer = decodeAnswer(output.read()))
    return std::move(*answer);
  return Status(TW_COMPILATION_FAILED,
                concat("the compiler's process ", end, " while it compiled kernel ", request.specialization.kernel));
}
