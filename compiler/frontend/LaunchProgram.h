// What the host must know of a kernel: its signature, and the checks of a launch as expressions that it evaluates when sizes
// and scalars are known. The format is written down in compiler/include/tilewright/compiler_c.h ("Artifact").
#pragma once

#include "compiler/frontend/PlaceRule.h"
#include "compiler/frontend/RangeRule.h"
#include "compiler/frontend/Sema.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace tilewright::frontend {

/// The front end's part of an artifact's metadata: SIGNATURE with every dtype resolved, "constants", "dimensions", "values",
/// "axes", "require", "accesses", "places", "disjoint" and "dots".
nlohmann::ordered_json launchProgram(const typed::Kernel &kernel, const KernelSignature &signature,
                                     const std::vector<LaunchAccess> &accesses, const LaunchPlaces &places);

/// {"kernels": [SIGNATURE…]} of a module, with dtypes as written. The names in dimensions' expressions, constants included, are
/// {"dim": name}.
nlohmann::ordered_json signatures(const Module &module);

/// "file:line:column"
std::string whereText(SourceRange where);

} // namespace tilewright::frontend
