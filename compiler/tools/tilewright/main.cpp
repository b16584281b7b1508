// The command line. Its commands stand in a file each: CheckCommand.cpp, CompileCommand.cpp, RunCommand.cpp, InfoCommand.cpp,
// FormatCommand.cpp, CacheCommand.cpp.
#include "compiler/tools/tilewright/Commands.h"
#include "compiler/tools/tilewright/Terminal.h"
#include "tilewright/runtime_c.h"

using namespace tilewright::tools;

namespace {

/// CLI11's message and a way to the help, or the help itself.
int reportParseError(CLI::App &program, const CLI::ParseError &error, const char *firstArgument) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
    return program.exit(error); // --help, --version
  if (program.get_subcommands().empty() && firstArgument) {
    std::string commands;
    for (const CLI::App *command : program.get_subcommands({}))
      commands += (commands.empty() ? "" : " ") + command->get_name();
    std::string what = *firstArgument == '-' ? "option" : "command";
    printError(usageError("there is no " + what + " '" + firstArgument + "'",
                          "the commands are " + commands + "; see tilewright --help"));
    return exitUsage;
  }
  std::string command;
  for (const CLI::App *chosen = &program; !chosen->get_subcommands().empty();) {
    chosen = chosen->get_subcommands()[0];
    command += " " + chosen->get_name();
  }
  printError(usageError(error.what(), "see tilewright" + command + " --help"));
  return exitUsage;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App program("Compiles and runs tile kernels.", "tilewright");
  ExitCode exitCode = exitSuccess;
  program.set_version_flag("--version", std::string("tilewright ") + tw_version());
  program.require_subcommand(1);
  program.footer("Every command has --help with an example.\n"
                 "Example:\n  tilewright run add.tile --random a=f32[1000]:1 --random b=f32[1000]:2 --out c=c.npy");
  addCheckCommand(program, exitCode);
  addCompileCommand(program);
  addRunCommand(program);
  addInfoCommand(program);
  addFormatCommand(program, exitCode);
  addCacheCommand(program);

  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return reportParseError(program, error, argc > 1 ? argv[1] : nullptr);
  } catch (const CommandError &error) {
    printError(error);
    return error.code;
  } catch (const std::bad_alloc &) {
    printError(failure("there is not enough memory"));
    return exitFailure;
  }
  return exitCode;
}
