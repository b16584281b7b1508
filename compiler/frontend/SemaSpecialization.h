// From a specialization's texts (`T` → `bf16`, `act` → `gelu`) to what an elaboration binds.
#pragma once

#include "compiler/frontend/Elaborator.h"

#include <optional>

namespace tilewright::frontend {

/// Checks names, values, presence and tunables against the kernel. Nothing after errors, which list what is allowed.
std::optional<KernelBinding> bindSpecialization(const ModuleData &module, const KernelInfo &kernel,
                                                const Specialization &specialization, Diagnostics &diagnostics);

} // namespace tilewright::frontend
