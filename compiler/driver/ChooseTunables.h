// The block sizes of a kernel that nobody has tuned.
#pragma once

#include "compiler/frontend/Diagnostics.h"
#include "compiler/frontend/TypedTree.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tilewright::compiler {

/// A capacity for every tunable of the kernel: the value that the specialization gives, or one chosen for a CPU with 1 MiB of L2
/// per core. `extents` are sizes that the launch will have, where known; capacities are not made larger than they are worth.
/// `tune … in [...]` and `require` on tunables are obeyed; if no choice obeys them, an error says which and nothing is returned.
/// No tile gets too large by a chosen size. (By given sizes and constants it may; that is checked when the kernel is specialized.)
std::optional<std::map<std::string, int64_t>> chooseTunables(const frontend::typed::Kernel &kernel,
                                                             const std::map<std::string, int64_t> &extents,
                                                             frontend::Diagnostics &diagnostics);

} // namespace tilewright::compiler
