// The CUDA C++ that a kernel's external functions are compiled from.
#pragma once

#include "compiler/frontend/Diagnostics.h"
#include "compiler/frontend/EmitTile.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <vector>

namespace tilewright::compiler {

/// The translation unit and its headers, as the artifact has them ("cuda" in compiler_c.h); null without functions. It includes
/// the files of the functions and defines for each its callee, which calls it. Nothing, with errors, if a file is missing or
/// two different ones have one name.
std::optional<nlohmann::ordered_json> cudaSource(const std::vector<frontend::ExternalCallee> &callees,
                                                 frontend::Diagnostics &diagnostics);

} // namespace tilewright::compiler
