// `tilewright fmt`: the canonical formatting of source files.
#include "compiler/tools/tilewright/Commands.h"
#include "compiler/tools/tilewright/CompilerLibrary.h"
#include "compiler/tools/tilewright/Terminal.h"

#include <memory>
#include <optional>
#include <vector>

namespace tilewright::tools {
namespace {

/// The formatted text, or nothing where the source has errors, which are printed.
std::optional<std::string> format(const std::string &path, const std::string &text) {
  CompilerText formatted, diagnostics;
  tw_compiler_status status = compilerLibrary().format(path == "-" ? "<stdin>" : path.c_str(), text.data(), text.size(),
                                                       wantsColour(stderr), &formatted.handle, &diagnostics.handle);
  printRendered(diagnostics.str());
  if (status != TW_COMPILER_OK && status != TW_COMPILER_INVALID_SOURCE)
    throw failure("the compiler failed on " + path);
  return status == TW_COMPILER_OK ? std::optional(formatted.str()) : std::nullopt;
}

} // namespace

void addFormatCommand(CLI::App &program, ExitCode &exitCode) {
  struct Options {
    std::vector<std::string> files;
    bool check = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App *command = program.add_subcommand("fmt", "Rewrite source files in the one canonical formatting");
  command->add_option("FILE", options->files, "Source files; - formats the standard input to the standard output")
      ->required()
      ->type_name("");
  command->add_flag("--check", options->check,
                    "Change nothing: name the files that would change, and exit with 1 if any would");
  command->footer("Comments, blank lines and the meaning are kept. Files with syntax errors are left as they are.\n"
                  "Example:\n  tilewright fmt linear.tile\n  tilewright fmt --check kernels/*.tile");
  command->callback([options, &exitCode] {
    std::vector<std::string> texts; // all are read before any is written
    for (const std::string &file : options->files)
      texts.push_back(readFile(file));
    for (size_t n = 0; n < texts.size(); ++n) {
      const std::string &file = options->files[n], &text = texts[n];
      std::optional<std::string> formatted = format(file, text);
      if (!formatted) {
        exitCode = exitFailure;
      } else if (options->check) {
        if (*formatted != text) {
          std::printf("%s\n", file.c_str());
          exitCode = exitFailure;
        }
      } else if (file == "-" || *formatted != text) {
        writeFile(file, *formatted);
      }
    }
  });
}

} // namespace tilewright::tools
