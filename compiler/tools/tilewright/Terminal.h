// What the user sees besides a command's own output.
#pragma once

#include "compiler/tools/tilewright/CommandError.h"

#include <cstdio>
#include <string>

namespace tilewright::tools {

/// Colours only on a terminal that can show them, and not with $NO_COLOR (https://no-color.org).
bool wantsColour(std::FILE *stream);

/// Prints `tilewright: error: message`, and the hint if there is one, to stderr. An empty message prints nothing: the
/// diagnostics said it all.
void printError(const CommandError &error);
/// Prints text that is rendered already (diagnostics), ended by a line break.
void printRendered(const std::string &text);

/// The contents of a file; `-` is stdin. Throws CommandError: a file that is not there is wrong usage.
std::string readFile(const std::string &path);
/// Writes a file, whole or not at all; `-` is stdout.
void writeFile(const std::string &path, const std::string &contents);

} // namespace tilewright::tools
