// Compiling without ending the host's process.
#pragma once

#include <functional>
#include <string>

namespace tilewright::compiler {

/// Runs `work` on a thread with a 64 MiB stack, so that deep IR cannot overflow the caller's, and waits for it. The result is empty,
/// or says why `work` did not end. If LLVM reports a fatal error (`Cannot select`, out of memory) the thread leaves by longjmp, and
/// what `work` had allocated is leaked: this is the last line of defence, after our verifiers. An exception is a message too.
std::string runOnCompileThread(const std::function<void()> &work);

} // namespace tilewright::compiler
