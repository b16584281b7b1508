// The options that `compile` and `run` share: which kernel, and how it is specialized.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tilewright::tools {

struct KernelOptions {
  std::string file;
  std::string kernel; ///< empty: the file's only one
  std::string target = "cpu";
  std::string schedule;
  bool checked = false;
  bool remarks = false;
  std::vector<std::string> bindTexts, dimensionTexts; ///< as given

  /// Adds the options to a command.
  void addTo(CLI::App &command);
  /// `--bind`'s statics and tunables, and `--dim`'s sizes, in order. Throws CommandError where a text is wrong.
  std::vector<std::pair<std::string, std::string>> bindings() const;
  std::vector<std::pair<std::string, int64_t>> dimensions() const;
};

/// Throws CommandError if the value of a tunable is no block size.
void checkTunable(const std::string &name, const std::string &value);

/// "NAME is no static or tunable of kernel K": with the names that there are, for a hint.
[[noreturn]] void reportUnknownName(const std::string &option, const std::string &name, const std::string &what,
                                    const std::string &kernel, const std::vector<std::string> &known);

} // namespace tilewright::tools
