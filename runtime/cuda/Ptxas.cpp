#include "runtime/cuda/Ptxas.h"

#include "runtime/ChildProcess.h"
#include "runtime/Importer.h"
#include "runtime/Text.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

namespace {

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

bool isProgram(const std::string &path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

/// A folder for one run, removed with what is in it.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string base = environment("TMPDIR");
    path = concat(base.empty() ? std::string("/tmp") : base, "/tilewright-XXXXXX");
    if (!mkdtemp(path.data()))
      path.clear();
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path.empty())
      std::filesystem::remove_all(path, error);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  bool isThere() const { return !path.empty(); }
  std::string file(const char *name) const { return concat(path, '/', name); }

private:
  std::string path;
};

/// A descriptor above 2, closed with its owner.
class File {
public:
  File(const std::string &path, int flags) {
    int any = open(path.c_str(), flags | O_CLOEXEC, 0600);
    if (any >= 0) {
      number = fcntl(any, F_DUPFD_CLOEXEC, 3); // a host may have closed its standard streams, whose numbers the child needs
      close(any);
    }
  }
  ~File() {
    if (number >= 0)
      close(number);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      ssize_t count = ::write(number, bytes.data(), bytes.size());
      if (count <= 0)
        return false;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return number >= 0;
  }

  int number = -1;
};

/// Runs the program in the folder; what it printed is in *printed.
ChildEnd run(const std::string &program, const std::vector<std::string> &arguments, const TemporaryFolder &folder,
             std::string *printed) {
  File nothing("/dev/null", O_RDONLY), output(folder.file("log"), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
  if (nothing.number < 0 || output.number < 0)
    return {errno, std::nullopt, concat("could not be started: ", std::strerror(errno))};
  ChildEnd end = runChild(program, arguments, {nothing.number, output.number, output.number});
  readFile(folder.file("log"), *printed);
  return end;
}

Status noFolder() {
  return Status(TW_COMPILATION_FAILED, concat("cannot make a temporary folder for ptxas: ", std::strerror(errno)));
}

} // namespace

std::optional<Ptxas> Ptxas::find() {
  std::string wanted = environment("TILEWRIGHT_PTXAS");
  if (wanted == "off")
    return std::nullopt;
  if (!wanted.empty())
    return Ptxas(wanted); // if it is wrong, that is said when it is run
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string home = environment(variable); !home.empty() && isProgram(home + "/bin/ptxas"))
      return Ptxas(home + "/bin/ptxas");
  std::istringstream folders(environment("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && isProgram(folder + "/ptxas"))
      return Ptxas(folder + "/ptxas");
  return std::nullopt;
}

Result<std::string> Ptxas::version() const {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  std::lock_guard lock(mutex);
  std::string &text = known[path];
  if (!text.empty())
    return text;
  TemporaryFolder folder;
  if (!folder.isThere())
    return noFolder();
  std::string printed;
  ChildEnd end = run(path, {"--version"}, folder, &printed);
  if (end.exitStatus != 0 || printed.empty())
    return Status(TW_COMPILATION_FAILED, concat(path, " --version ", end.text));
  return text = printed;
}

std::optional<std::string> Ptxas::identity() const {
  char magic[4] = {};
  std::ifstream(path, std::ios::binary).read(magic, sizeof(magic));
  struct stat file;
  if (std::memcmp(magic, ELFMAG, SELFMAG) != 0 || stat(path.c_str(), &file) != 0)
    return std::nullopt;
  return concat(file.st_dev, ' ', file.st_ino, ' ', file.st_size, ' ', file.st_mtim.tv_sec, '.', file.st_mtim.tv_nsec, ' ',
                file.st_ctim.tv_sec, '.', file.st_ctim.tv_nsec);
}

Result<Assembly> Ptxas::assemble(const std::string &kernel, std::string_view ptx, const std::string &architecture) const {
  TemporaryFolder folder;
  if (!folder.isThere())
    return noFolder();
  std::string source = folder.file("kernel.ptx"), target = folder.file("kernel.cubin");
  if (!File(source, O_WRONLY | O_CREAT | O_TRUNC).write(ptx))
    return Status(TW_COMPILATION_FAILED, concat("cannot write ", source, ": ", std::strerror(errno)));
  Assembly assembly;
  ChildEnd end = run(path, {concat("-arch=", architecture), "-lineinfo", source, "-o", target}, folder, &assembly.log);
  if (end.exitStatus == 0 && readFile(target, assembly.code) && !assembly.code.empty())
    return assembly;
  return Status(TW_COMPILATION_FAILED, concat(path, ' ', end.text, " while it assembled kernel ", kernel), assembly.log);
}
