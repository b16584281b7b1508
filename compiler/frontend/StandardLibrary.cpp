#include "compiler/frontend/StandardLibrary.h"

namespace tilewright::frontend {

namespace {

struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};

constexpr EmbeddedFile embeddedFiles[] = {
// Lines `{"activations.tile", R"tile(…)tile"},`, written when the build is configured.
#include "compiler/frontend/StandardLibraryTexts.inc"
};

} // namespace

std::optional<std::string_view> standardLibraryFile(std::string_view path) {
  for (const EmbeddedFile &file : embeddedFiles)
    if (file.name == path)
      return file.text;
  return std::nullopt;
}

std::vector<std::string_view> standardLibraryNames() {
  std::vector<std::string_view> names;
  for (const EmbeddedFile &file : embeddedFiles)
    names.push_back(file.name);
  return names;
}

} // namespace tilewright::frontend
