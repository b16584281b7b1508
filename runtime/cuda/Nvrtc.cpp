#include "runtime/cuda/Nvrtc.h"

#include "runtime/Text.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

namespace {

/// Where the toolkit of a library has `cuda_fp16.h` and the like: toolkits have include beside lib.
std::string headersBeside(const void *function) {
  Dl_info information;
  if (!dladdr(function, &information) || !information.dli_fname)
    return "";
  std::error_code error;
  auto library = std::filesystem::canonical(information.dli_fname, error);
  auto folder = library.parent_path().parent_path() / "include";
  return !error && std::filesystem::exists(folder / "cuda_fp16.h", error) ? folder.string() : "";
}

} // namespace

Result<Nvrtc> Nvrtc::open(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Status(TW_UNSUPPORTED, dlerror());
  Nvrtc nvrtc;
  const char *missing = nullptr;
  auto resolve = [&](const char *symbol, auto &to) {
    to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(dlsym(library, symbol));
    if (!to && !missing)
      missing = symbol;
  };
#define SYMBOL(name, symbol, parameters) resolve(symbol, nvrtc.name);
#include "runtime/cuda/NvrtcSymbols.def"
#undef SYMBOL
  if (missing)
    return Status(TW_UNSUPPORTED, concat(path, " has no ", missing));
  int major = 0, minor = 0;
  nvrtc.getVersion(&major, &minor);
  nvrtc.versionText = concat("NVRTC ", major, '.', minor);
  nvrtc.headerFolder = headersBeside(reinterpret_cast<const void *>(nvrtc.create));
  return nvrtc;
}

Result<const Nvrtc *> Nvrtc::load() {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const Nvrtc>> loaded; // never unloaded: NVRTC keeps threads of its own
  const char *variable = std::getenv("TILEWRIGHT_NVRTC");
  std::string wanted = variable ? variable : "";
  std::lock_guard lock(mutex);
  std::unique_ptr<const Nvrtc> &known = loaded[wanted];
  if (known)
    return known.get();
  std::vector<std::string> candidates = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
  if (!wanted.empty())
    candidates = {wanted};
  std::string trouble;
  for (const std::string &path : candidates) {
    Result<Nvrtc> nvrtc = open(path);
    if (nvrtc.ok()) {
      known = std::make_unique<const Nvrtc>(std::move(*nvrtc));
      return known.get();
    }
    if (trouble.empty())
      trouble = nvrtc.status().message();
  }
  return Status(TW_UNSUPPORTED, concat("NVRTC cannot be loaded (", trouble,
                                       "): install libnvrtc of a CUDA toolkit, or name it in TILEWRIGHT_NVRTC"));
}

Result<CudaFunctions> Nvrtc::compile(const std::string &kernel, const CudaSource &source,
                                     const std::string &architecture) const {
  std::vector<const char *> texts, names;
  for (const auto &[name, text] : source.headers) {
    names.push_back(name.c_str());
    texts.push_back(text.c_str());
  }
  Program program = nullptr;
  std::string name = kernel + ".cu";
  if (create(&program, source.text.c_str(), name.c_str(), static_cast<int>(texts.size()), texts.data(), names.data()) != 0)
    return Status(TW_COMPILATION_FAILED, concat("NVRTC cannot take the CUDA functions of kernel ", kernel));
  std::vector<std::string> options = {concat("--gpu-architecture=compute_", architecture.substr(architecture.find('_') + 1)),
                                      "--relocatable-device-code=true", "--std=c++17"};
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *home = std::getenv(variable); home && *home)
      options.push_back(concat("--include-path=", home, "/include"));
  if (!headerFolder.empty())
    options.push_back(concat("--include-path=", headerFolder));
  std::vector<const char *> list;
  for (const std::string &option : options)
    list.push_back(option.c_str());
  int code = compileProgram(program, static_cast<int>(list.size()), list.data());
  CudaFunctions functions;
  size_t bytes = 0;
  if (logSize(program, &bytes) == 0 && bytes > 1) {
    functions.log.resize(bytes);
    getLog(program, functions.log.data());
    functions.log.resize(bytes - 1); // without its null byte
  }
  bytes = 0;
  if (code == 0 && ptxSize(program, &bytes) == 0 && bytes > 1) {
    functions.ptx.resize(bytes);
    code = getPtx(program, functions.ptx.data());
    functions.ptx.resize(bytes - 1);
  }
  destroy(&program);
  if (code != 0 || functions.ptx.empty())
    return Status(TW_INVALID_SOURCE, concat("NVRTC refuses the CUDA functions of kernel ", kernel), functions.log);
  return functions;
}
