// The runtime's handles with owners, and its errors as CommandErrors.
#pragma once

#include "tilewright/runtime_c.h"

#include <memory>

namespace tilewright::tools {

template <auto release> struct Release {
  template <typename T> void operator()(T *handle) const { release(handle); }
};
using ContextHandle = std::unique_ptr<tw_context, Release<tw_context_release>>;
using ModuleHandle = std::unique_ptr<tw_module, Release<tw_module_release>>;
using KernelHandle = std::unique_ptr<tw_kernel, Release<tw_kernel_release>>;
using LaunchableHandle = std::unique_ptr<tw_launchable, Release<tw_launchable_release>>;

/// Prints an error's diagnostics, releases it, and throws what remains to be said.
[[noreturn]] void report(tw_status status, tw_error *error);

/// Calls a function of the runtime with a place for its error. On failure prints the diagnostics, if there are any, and throws.
///
///   call([&](tw_error **error) { return tw_launch(launchable, nullptr, 0, error); });
template <typename Function> void call(Function function) {
  tw_error *error = nullptr;
  if (tw_status status = function(&error); status != TW_OK)
    report(status, error);
}

} // namespace tilewright::tools
