// A shared library that is loaded when it is wanted: the benchmarks are built without CUDA's headers and libraries.
#pragma once

#include "tests/benchmarks/gpu/Failure.h"

#include <dlfcn.h>
#include <string>
#include <type_traits>
#include <vector>

namespace benchmarks {

/// Never unloaded: the libraries that are loaded here do not allow it.
class Library {
public:
  /// The first of the paths that the loader finds. advice: what to do if it finds none.
  Library(const std::vector<std::string> &paths, const std::string &advice) {
    std::string tried;
    for (const std::string &path : paths) {
      handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle) {
        found = path;
        return;
      }
      tried += "\n  " + std::string(dlerror());
    }
    throw Failure(advice + tried);
  }

  const std::string &path() const { return found; }

  template <typename Function> void resolve(const char *symbol, Function *&to) const {
    to = reinterpret_cast<Function *>(dlsym(handle, symbol));
    if (!to)
      throw Failure(found + " has no " + symbol + ": install a later release");
  }

private:
  void *handle = nullptr;
  std::string found;
};

} // namespace benchmarks
