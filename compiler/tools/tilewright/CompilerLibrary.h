// The way to libtilewright-compiler for the commands that need no runtime: check, compile, fmt.
//
// It is loaded when such a command runs, from where the runtime would load it: $TILEWRIGHT_COMPILER_LIBRARY, beside
// libtilewright, the loader's search path.
#pragma once

#include "tilewright/compiler_c.h"

#include <map>
#include <memory>
#include <string>

namespace tilewright::tools {

/// The functions of compiler_c.h, by their names without the prefix.
struct CompilerLibrary {
  decltype(&::tw_compiler_interface_version) interface_version;
  decltype(&::tw_compiler_build_id) build_id;
  decltype(&::tw_compiler_text_data) text_data;
  decltype(&::tw_compiler_text_size) text_size;
  decltype(&::tw_compiler_text_release) text_release;
  decltype(&::tw_compiler_check) check;
  decltype(&::tw_compiler_module_release) module_release;
  decltype(&::tw_compiler_describe) describe;
  decltype(&::tw_compiler_emit) emit;
  decltype(&::tw_compiler_format) format;
  decltype(&::tw_compiler_information) information;
};

/// Loads the library once. Throws CommandError if it is absent or of another version.
const CompilerLibrary &compilerLibrary();

/// A text that the compiler gave, released with its owner. Pass `&text.handle` to a function that makes one.
struct CompilerText {
  tw_compiler_text *handle = nullptr;

  CompilerText() = default;
  CompilerText(const CompilerText &) = delete;
  CompilerText &operator=(const CompilerText &) = delete;
  ~CompilerText();
  std::string str() const; ///< "" without a handle
};

/// Answers imports with files: relative to the importing file's folder, then as they are.
class FileImports {
public:
  static int answer(void *self, const char *path, const char *importer, const char **text, size_t *length);

private:
  std::map<std::string, std::string> texts;     ///< by the file's path; they must stay until the check ends
  std::map<std::string, std::string> filePaths; ///< what an import was called → where its file was found
};

/// A module checked by the compiler, its diagnostics printed. `module` is null if there were errors.
class CheckedModule {
public:
  CheckedModule(const std::string &path, const std::string &text);
  ~CheckedModule();
  CheckedModule(const CheckedModule &) = delete;
  CheckedModule &operator=(const CheckedModule &) = delete;

  const tw_compiler_module *get() const { return module; }

private:
  tw_compiler_module *module = nullptr;
};

} // namespace tilewright::tools
