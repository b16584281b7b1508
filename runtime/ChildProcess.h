// Another program, run to its end, from a process whose threads we do not know:
//
//   - posix_spawn of another program, never fork: a copy of one thread of many would own the locks of the others.
//   - Its standard streams are files, so no pipe can fill up and stop both, and the host gets no SIGPIPE if the child dies.
//   - The child inherits these and nothing else: no descriptor of the host, no blocked or ignored signal.
//   - A host that collects all children, or ignores SIGCHLD, takes the exit status away; what the child wrote is there all the
//   same.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tilewright::runtime {

struct ChildStreams {
  int input = -1, output = -1; ///< descriptors above 2
  int error = -1;              ///< -1: ours
};

struct ChildEnd {
  int spawnError = 0;            ///< an errno: it could not be started
  std::optional<int> exitStatus; ///< nothing: a signal, or the host has collected it
  std::string text;              ///< "was ended by SIGKILL"
};

/// arguments: without the program's name.
ChildEnd runChild(const std::string &program, const std::vector<std::string> &arguments, const ChildStreams &streams);

} // namespace tilewright::runtime
