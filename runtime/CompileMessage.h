// What the runtime and tilewright-compile say to each other: a request, all of what decides an artifact, and its answer.
#pragma once

#include "runtime/Specialization.h"
#include "tilewright/compiler_c.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

/// A module's text and all that it imports.
struct SourceTexts {
  struct Import {
    std::string path, importer; ///< as the compiler asked for it
    std::string text;
  };
  std::string name, text;
  std::vector<Import> imports;

  /// Equal for equal texts only.
  std::string key() const;
};

struct CompileRequest {
  SourceTexts source;
  Specialization specialization;
  std::string stage = {}; ///< for people, of tw_compiler_emit; "": the artifact
};

struct CompileAnswer {
  tw_compiler_status status = TW_COMPILER_FAILED;
  std::string output, diagnostics; ///< output: the artifact or the stage
};

std::string encode(const CompileRequest &request);
std::string encode(const CompileAnswer &answer);
/// Nothing if the bytes are not whole, or not of this release.
std::optional<CompileRequest> decodeRequest(std::string_view bytes);
std::optional<CompileAnswer> decodeAnswer(std::string_view bytes);

} // namespace tilewright::runtime
