#include "runtime/CompilerLibrary.h"

#include "runtime/CompilerBuild.h"

#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

using namespace tilewright::runtime;

namespace {

constexpr const char *fileName = "libtilewright-compiler.so.0";

Status unavailable(std::string message) {
  return Status(TW_COMPILER_UNAVAILABLE, std::move(message));
}

} // namespace

std::string tilewright::runtime::ownFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&ownFolder), &info) || !info.dli_fname)
    return {};
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

std::string CompilerLibrary::chooseFile() const {
  if (!path.empty())
    return path;
  if (const char *wanted = std::getenv("TILEWRIGHT_COMPILER_LIBRARY"); wanted && *wanted)
    return wanted;
  std::string folder = ownFolder(), beside = folder + fileName;
  return !folder.empty() && access(beside.c_str(), F_OK) == 0 ? beside : std::string();
}

Result<std::string> CompilerLibrary::buildId() {
  if (!loaded.load(std::memory_order_acquire)) {
    std::string file = chooseFile();
    if (std::optional<std::string> id = readBuildNote(file))
      return *id;
    if (std::string id = ownBuildId(); !id.empty() && access(file.c_str(), F_OK) != 0)
      return id;
  }
  Result<const CompilerSymbols *> compiler = get();
  if (!compiler.ok())
    return compiler.takeStatus();
  return std::string((*compiler)->build_id());
}

Status CompilerLibrary::load() {
  std::string file = chooseFile();
  void *handle = dlopen(file.empty() ? fileName : file.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle && !file.empty())
    return unavailable(concat("the compiler cannot be loaded: ", dlerror()));
  if (!handle)
    return unavailable(concat("this kernel is in no cache, and the compiler (", fileName, ") is neither in ", ownFolder(),
                              " nor in the loader's search path: install it, or set TILEWRIGHT_COMPILER_LIBRARY to its path"));

  CompilerSymbols found;
  const char *missing = nullptr;
#define TILEWRIGHT_COMPILER_SYMBOL(name)                                                                                       \
  found.name = reinterpret_cast<decltype(found.name)>(dlsym(handle, "tw_compiler_" #name));                                    \
  if (!found.name && !missing)                                                                                                 \
    missing = "tw_compiler_" #name;
#include "runtime/CompilerSymbols.def"

  Dl_info info = {};
  if (!missing)
    dladdr(reinterpret_cast<void *>(found.interface_version), &info);
  if (!found.interface_version)
    return unavailable("the compiler's library has no tw_compiler_interface_version: it is not libtilewright-compiler");
  if (uint32_t version = found.interface_version(); version != TW_COMPILER_INTERFACE_VERSION)
    return unavailable(concat("the compiler", info.dli_fname ? concat(" (", info.dli_fname, ")") : std::string(),
                              " has interface version ", version, ", expected ", TW_COMPILER_INTERFACE_VERSION,
                              ": install libtilewright and libtilewright-compiler of one release"));
  if (missing)
    return unavailable(concat("the compiler's library has no ", missing));
  symbols = found;
  loadedFile = info.dli_fname ? info.dli_fname : fileName;
  log.debug("loaded the compiler ", loadedFile, ", build ", symbols.build_id());
  return {};
}

Result<const CompilerSymbols *> CompilerLibrary::get() {
  if (!loaded.load(std::memory_order_acquire)) {
    std::lock_guard lock(mutex);
    if (!loaded.load(std::memory_order_relaxed)) {
      if (Status status = load(); !status.ok())
        return status;
      loaded.store(true, std::memory_order_release);
    }
  }
  return &symbols;
}
