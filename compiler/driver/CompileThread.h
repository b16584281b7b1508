// Compiling without ending the host's process.
#pragma once

#include <functional>
#include <string>

namespace tilewright::compiler {

/// Runs `work` on a thread with a 64 MiB stack, so that deep IR cannot overflow the caller's, and waits for it. If LLVM reports a
/// fatal error (`Cannot select`, out of memory) the thread leaves by longjmp and the result is LLVM's message; otherwise the result
/// is empty. What `work` had allocated is then leaked: this is the last line of defence, after our verifiers.
std::string runOnCompileThread(const std::function<void()> &work);

} // namespace tilewright::compiler
