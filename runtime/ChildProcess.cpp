#include "runtime/ChildProcess.h"

#include "runtime/Text.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilewright::runtime;

namespace {

/// 0, or an errno.
int spawn(const std::string &program, const std::vector<std::string> &arguments, const ChildStreams &streams, pid_t &child) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&files, streams.input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, streams.output, STDOUT_FILENO);
  if (streams.error >= 0)
    posix_spawn_file_actions_adddup2(&files, streams.error, STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<const char *> list = {program.c_str()};
  for (const std::string &argument : arguments)
    list.push_back(argument.c_str());
  list.push_back(nullptr);
  int error = posix_spawn(&child, program.c_str(), &files, &attributes, const_cast<char *const *>(list.data()), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

ChildEnd waitFor(pid_t child) {
  int status = 0;
  pid_t waited;
  do {
    waited = waitpid(child, &status, 0);
  } while (waited < 0 && errno == EINTR);
  if (waited < 0)
    return {0, std::nullopt, "ended (how is unknown: the host collects its children)"};
  if (!WIFSIGNALED(status))
    return {0, WEXITSTATUS(status), concat("ended with exit status ", WEXITSTATUS(status))};
  const char *name = sigabbrev_np(WTERMSIG(status));
  return {0, std::nullopt, name ? concat("was ended by SIG", name) : concat("was ended by signal ", WTERMSIG(status))};
}

} // namespace

ChildEnd tilewright::runtime::runChild(const std::string &program, const std::vector<std::string> &arguments,
                                       const ChildStreams &streams) {
  pid_t child = 0;
  if (int error = spawn(program, arguments, streams, child); error != 0)
    return {error, std::nullopt, concat("could not be started: ", std::strerror(error))};
  return waitFor(child);
}
