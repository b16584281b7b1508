// From a checked module and options to an artifact, or to one stage of the lowering for people to read.
#pragma once

#include "compiler/frontend/EmitTile.h"
#include "compiler/frontend/Sema.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace tilewright::compiler {

/// Everything that decides an artifact besides the source.
struct Options {
  std::string kernel;
  std::string target = "cpu";
  std::map<std::string, std::string> statics;
  std::map<std::string, int64_t> tunables;
  std::set<std::string> presentViews;
  std::map<std::string, frontend::ViewFacts> views;
  std::map<std::string, int64_t> dimensionHints;
  std::string schedule;
  bool checkedMode = false;
  bool remarks = false; ///< diagnostics also say what the target runs slower than it could
};

enum class Stage { AST, Tunables, Tile, Linalg, TileGPU, LLVM, Assembly, Object, Artifact };
std::optional<Stage> stageNamed(const std::string &name); ///< ast tunables tile linalg tilegpu llvm asm ptx object

/// Whose fault a failure is; mirrors tw_compiler_status.
enum class Outcome { Done, InvalidSource, InvalidOptions, Unsupported, Failed };

struct Result {
  Outcome outcome = Outcome::Done;
  std::string output;      ///< the stage's text or bytes
  std::string diagnostics; ///< rendered; also warnings after success
};

/// Lowers one kernel up to a stage. Runs on a thread of its own with a large stack; a fatal error of LLVM gives Outcome::Failed
/// and leaves the process usable. May be called from several threads.
Result compile(const frontend::Module &module, const Options &options, Stage stage, bool colour);

} // namespace tilewright::compiler
