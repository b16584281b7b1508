// What the compiler said about a source text, as it lies in the disk cache: with it a module is made without the compiler.
#pragma once

#include "runtime/Importer.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

struct ModuleRecord {
  struct Import {
    std::string path, importer;
    std::string hash; ///< of the text; "": there was no such file
  };
  std::vector<Import> imports; ///< in the order in which they were asked for
  std::string warnings;
  std::string description; ///< tw_compiler_describe's

  /// What the record of a module that was just checked says about its imports.
  static std::vector<Import> importsOf(const Importer &importer);

  /// Whether every import leads to the same text today. Asks the importer.
  bool isOf(Importer &importer) const;

  std::string write() const;
  /// Nothing: the bytes are no record.
  static std::optional<ModuleRecord> read(std::string_view bytes);
};

} // namespace tilewright::runtime
