#include "runtime/cuda/Driver.h"

#include "runtime/Text.h"

#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <string>

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

namespace {

Result<std::shared_ptr<const Driver>> open(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Status(TW_UNSUPPORTED, concat("the CUDA driver cannot be loaded (", dlerror(),
                                         "): install NVIDIA's driver, or choose the target emulator or cpu"));
  auto driver = std::make_shared<Driver>();
  const char *missing = nullptr;
  auto resolve = [&](const char *symbol, auto &to, bool isNeeded) {
    to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(dlsym(library, symbol));
    if (!to && isNeeded && !missing)
      missing = symbol;
  };
#define SYMBOL(name, symbol, parameters) resolve(symbol, driver->name, true);
#define SYMBOL_SINCE_12(name, symbol, parameters) resolve(symbol, driver->name, false);
#include "runtime/cuda/DriverSymbols.def"
#undef SYMBOL
  if (missing)
    return Status(TW_UNSUPPORTED, concat("the CUDA driver ", path, " has no ", missing, ": install one of CUDA 11.8 or later"));
  if (Status status = driver->check(driver->init(0), "cuInit"); !status.ok())
    return Status(TW_UNSUPPORTED, concat("there is no CUDA device: ", status.message()));
  return std::shared_ptr<const Driver>(std::move(driver));
}

} // namespace

Result<std::shared_ptr<const Driver>> Driver::load() {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Driver>> loaded;
  const char *variable = std::getenv("TILEWRIGHT_CUDA_DRIVER");
  std::string path = variable && *variable ? variable : "libcuda.so.1";
  std::lock_guard lock(mutex);
  std::shared_ptr<const Driver> &known = loaded[path];
  if (!known) {
    Result<std::shared_ptr<const Driver>> driver = open(path);
    if (!driver.ok())
      return driver.takeStatus();
    known = std::move(*driver);
  }
  return known;
}

Status Driver::check(Code code, const char *what) const {
  if (code == success)
    return {};
  const char *name = nullptr, *text = nullptr;
  errorName(code, &name);
  errorText(code, &text);
  return Status(code == outOfMemory ? TW_OUT_OF_MEMORY : TW_DEVICE_FAULT,
                concat(what, ": ", text ? text : "unknown error", " (", name ? std::string(name) : std::to_string(code), ')'));
}
