// Compiling in a process of its own ($TILEWRIGHT_COMPILE=process), so that nothing the compiler does can end the host's.
#pragma once

#include "runtime/CompileMessage.h"
#include "runtime/Status.h"

#include <string>

namespace tilewright::runtime {

/// Starts tilewright-compile, which is looked for beside the compiler's library and beside this one, gives it the request, and
/// waits for its answer. If it ends without one, the status says by which signal.
Result<CompileAnswer> compileInProcess(const std::string &compilerLibrary, const CompileRequest &request);

} // namespace tilewright::runtime
