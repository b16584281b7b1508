// The bytes that the runtime loads: metadata and code. compiler_c.h documents the format.
#pragma once

#include "compiler/driver/Compiler.h"
#include "compiler/frontend/EmitTile.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace tilewright::compiler {

struct CpuTarget;
struct GpuTarget;

/// What the metadata says besides the launch program.
struct ArtifactFacts {
  const Options &options;
  const CpuTarget *cpu; ///< or
  const GpuTarget *gpu; ///< one of the two
  const std::map<std::string, int64_t> &capacities;
  const std::vector<frontend::Message> &messages;
  const nlohmann::ordered_json &cuda; ///< for a GPU: cudaSource
};

/// The metadata as JSON. `lowered` carries what the lowering decided as `tilewright.*` attributes: grid kind, sums, scratch.
std::string artifactMetadata(const frontend::Module &module, const frontend::typed::Kernel &kernel, const ArtifactFacts &facts, mlir::ModuleOp lowered);

std::string packArtifact(const std::string &metadata, const std::string &code);

} // namespace tilewright::compiler
