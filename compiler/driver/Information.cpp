#include "compiler/driver/Information.h"

#include "compiler/driver/BuildId.h"
#include "compiler/frontend/Limits.h"
#include "compiler/frontend/Parser.h"
#include "compiler/pipeline/Target.h"

#include "llvm/Config/llvm-config.h"

#include <nlohmann/json.hpp>

namespace tilewright::compiler {

std::string informationJson() {
  CpuTarget host = CpuTarget::host();
  nlohmann::json target = {{"name", "cpu"},
                           {"processor", host.processor},
                           {"triple", host.triple},
                           {"vector_bits", host.vectorBits},
                           {"features", host.features}};
  nlohmann::json limits = {{"source_bytes", frontend::maxSourceSize},
                           {"nesting_depth", frontend::maxNesting},
                           {"tile_elements", frontend::maxTileElements},
                           {"inlined_operations", frontend::maxInlinedOperations},
                           {"view_rank", frontend::maxViewRank}};
  nlohmann::json information = {{"version", TILEWRIGHT_VERSION},
                                {"build", TILEWRIGHT_BUILD_ID},
                                {"llvm", LLVM_VERSION_STRING},
                                {"targets", nlohmann::json::array({target})},
                                {"limits", limits}};
  return information.dump();
}

} // namespace tilewright::compiler
