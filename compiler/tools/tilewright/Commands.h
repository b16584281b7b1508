// The commands. Each function adds one to the program: its options, its help, and what it does (a callback that throws
// CommandError, or sets `exitCode`).
#pragma once

#include "compiler/tools/tilewright/CommandError.h"

#include <CLI/CLI.hpp>

namespace tilewright::tools {

void addCheckCommand(CLI::App &program, ExitCode &exitCode);
void addCompileCommand(CLI::App &program);
void addRunCommand(CLI::App &program);
void addInfoCommand(CLI::App &program);
void addFormatCommand(CLI::App &program, ExitCode &exitCode);
void addCacheCommand(CLI::App &program);

} // namespace tilewright::tools
