#include "compiler/tools/tilewright/CompilerLibrary.h"

#include "compiler/tools/tilewright/CommandError.h"
#include "compiler/tools/tilewright/Terminal.h"
#include "tilewright/runtime_c.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <optional>
#include <vector>

namespace tilewright::tools {
namespace {

constexpr const char *libraryName = "libtilewright-compiler.so";

/// Where the library may be, best first.
std::vector<std::string> candidates() {
  if (const char *chosen = std::getenv("TILEWRIGHT_COMPILER_LIBRARY"); chosen && *chosen)
    return {chosen};
  std::vector<std::string> paths;
  Dl_info runtime;
  if (::dladdr(reinterpret_cast<const void *>(&tw_version), &runtime) && runtime.dli_fname)
    paths.push_back((std::filesystem::path(runtime.dli_fname).parent_path() / libraryName).string());
  paths.push_back(libraryName);
  return paths;
}

void *openLibrary() {
  std::string reasons;
  for (const std::string &path : candidates()) {
    if (void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
      return library;
    reasons += (reasons.empty() ? "" : "; ") + std::string(::dlerror());
  }
  throw failure("the compiler cannot be loaded: " + reasons,
                std::string("set TILEWRIGHT_COMPILER_LIBRARY to the path of ") + libraryName);
}

template <typename Function> void resolve(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (!function)
    throw failure(std::string(libraryName) + " lacks " + name + ": it is of another version");
}

CompilerLibrary load() {
  void *library = openLibrary(); // never closed: LLVM's static objects would outlive their code
  CompilerLibrary functions;
  resolve(library, "tw_compiler_interface_version", functions.interface_version);
  if (uint32_t version = functions.interface_version(); version != TW_COMPILER_INTERFACE_VERSION)
    throw failure(std::string(libraryName) + " has interface version " + std::to_string(version) + ", expected " +
                  std::to_string(TW_COMPILER_INTERFACE_VERSION));
  resolve(library, "tw_compiler_build_id", functions.build_id);
  resolve(library, "tw_compiler_text_data", functions.text_data);
  resolve(library, "tw_compiler_text_size", functions.text_size);
  resolve(library, "tw_compiler_text_release", functions.text_release);
  resolve(library, "tw_compiler_check", functions.check);
  resolve(library, "tw_compiler_module_release", functions.module_release);
  resolve(library, "tw_compiler_describe", functions.describe);
  resolve(library, "tw_compiler_emit", functions.emit);
  resolve(library, "tw_compiler_format", functions.format);
  resolve(library, "tw_compiler_information", functions.information);
  return functions;
}

} // namespace

const CompilerLibrary &compilerLibrary() {
  static const CompilerLibrary library = load();
  return library;
}

CompilerText::~CompilerText() {
  if (handle)
    compilerLibrary().text_release(handle);
}

std::string CompilerText::str() const {
  if (!handle)
    return {};
  return {compilerLibrary().text_data(handle), compilerLibrary().text_size(handle)};
}

int FileImports::answer(void *self, const char *path, const char *importer, const char **text, size_t *length) {
  auto &imports = *static_cast<FileImports *>(self);
  auto known = imports.filePaths.find(importer);
  std::filesystem::path folder =
      std::filesystem::path(known == imports.filePaths.end() ? importer : known->second).parent_path();
  for (const std::string &file : {(folder / path).string(), std::string(path)}) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored))
      continue;
    try {
      const std::string &contents = imports.texts.try_emplace(file, readFile(file)).first->second;
      imports.filePaths[path] = file;
      *text = contents.data();
      *length = contents.size();
      return 1;
    } catch (const CommandError &) {
      continue; // unreadable is as good as absent; the compiler says where the import stands
    }
  }
  return 0;
}

CheckedModule::CheckedModule(const std::string &path, const std::string &text) {
  FileImports imports;
  CompilerText diagnostics;
  tw_compiler_status status =
      compilerLibrary().check(path == "-" ? "<stdin>" : path.c_str(), text.data(), text.size(), &FileImports::answer, &imports,
                              wantsColour(stderr), &module, &diagnostics.handle);
  printRendered(diagnostics.str());
  if (status != TW_COMPILER_OK && status != TW_COMPILER_INVALID_SOURCE)
    throw failure("the compiler failed on " + path);
}

CheckedModule::~CheckedModule() {
  compilerLibrary().module_release(module);
}

} // namespace tilewright::tools
