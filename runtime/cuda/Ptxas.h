// ptxas of a CUDA toolkit, if there is one: it makes code of PTX once, and the code can be kept.
//
// PTX is assembled as a whole program. nvJitLink and cuLink are never used: they compile relocatably, and then ignore
// setmaxnreg.
#pragma once

#include "runtime/Status.h"

#include <optional>
#include <string>
#include <string_view>

namespace tilewright::runtime::cuda {

struct Assembly {
  std::string code; ///< a cubin
  std::string log;
};

class Ptxas {
public:
  /// $TILEWRIGHT_PTXAS ("off": none), $CUDA_HOME/bin, $CUDA_PATH/bin, PATH. Nothing: there is none, which is no trouble.
  static std::optional<Ptxas> find();

  /// What --version says: part of the key of what it makes. Asked once for a process.
  Result<std::string> version() const;
  /// Changes whenever the program does, and needs no process. Nothing: it is no program in itself (a script may run another).
  std::optional<std::string> identity() const;
  Result<Assembly> assemble(const std::string &kernel, std::string_view ptx, const std::string &architecture) const;

private:
  explicit Ptxas(std::string path) : path(std::move(path)) {}

  std::string path;
};

} // namespace tilewright::runtime::cuda
