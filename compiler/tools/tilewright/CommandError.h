// How a command ends early. Nothing here crosses a library's boundary: `main` catches it.
#pragma once

#include <stdexcept>
#include <string>

namespace tilewright::tools {

/// The process's exit codes, which scripts rely on.
enum ExitCode : int {
  exitSuccess = 0,
  exitFailure = 1, ///< errors in a kernel, in data, or at launch
  exitUsage = 2    ///< the command line itself is wrong
};

/// A message for the user (lower case, no final period) and the exit code that goes with it.
class CommandError : public std::runtime_error {
public:
  CommandError(ExitCode code, const std::string &message, std::string hint = {})
      : std::runtime_error(message), code(code), hint(std::move(hint)) {}

  ExitCode code;
  std::string hint; ///< a remedy, or empty
};

inline CommandError failure(const std::string &message, std::string hint = {}) {
  return CommandError(exitFailure, message, std::move(hint));
}
inline CommandError usageError(const std::string &message, std::string hint = {}) {
  return CommandError(exitUsage, message, std::move(hint));
}

} // namespace tilewright::tools
