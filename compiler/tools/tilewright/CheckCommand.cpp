// `tilewright check`: the diagnostics of source files, without compiling anything.
#include "compiler/tools/tilewright/Commands.h"
#include "compiler/tools/tilewright/CompilerLibrary.h"
#include "compiler/tools/tilewright/Terminal.h"

#include <memory>
#include <vector>

namespace tilewright::tools {

void addCheckCommand(CLI::App &program, ExitCode &exitCode) {
  auto files = std::make_shared<std::vector<std::string>>();
  CLI::App *command = program.add_subcommand("check", "Check source files and print what is wrong with them");
  command->add_option("FILE", *files, "Source files; - is the standard input")->required()->type_name("");
  command->footer("Exits with 0 if there are no errors, 1 if there are, 2 for wrong usage.\n"
                  "Example:\n  tilewright check linear.tile softmax.tile");
  command->callback([files, &exitCode] {
    std::vector<std::string> texts; // all are read first, so that a misspelt name is told before anything else
    for (const std::string &file : *files)
      texts.push_back(readFile(file));
    for (size_t n = 0; n < files->size(); ++n)
      if (!CheckedModule((*files)[n], texts[n]).get())
        exitCode = exitFailure;
  });
}

} // namespace tilewright::tools
