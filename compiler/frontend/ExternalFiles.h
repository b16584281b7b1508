// The files that `extern` functions come from, and those that these include. A module has them as texts, like its imports: they
// are part of what its kernels are made of.
#pragma once

#include "compiler/frontend/Sema.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::frontend {

struct ExternalFile {
  std::string name; ///< as it is written where it is included
  std::string text;
  std::vector<const ExternalFile *> includes; ///< in quotes, and found
};

/// Files of C++, by the name and the includer that asked for them.
class ExternalFiles {
public:
  /// Null: there is none. Asks the resolver for it and for all that it includes in quotes; what is not found may be a file of
  /// the toolkit's, so the compiler of that language decides.
  const ExternalFile *find(const std::string &name, const std::string &includer, const ImportResolver &resolver);

private:
  std::map<std::pair<std::string, std::string>, const ExternalFile *> known; ///< by name and text: files may include each other
  std::deque<ExternalFile> files;
};

/// The names in `#include "name"`, in order, each once.
std::vector<std::string> includedIn(std::string_view text);

/// Why no function of CUDA C++ can have this name, or nothing.
std::optional<std::string> whyNoCudaName(std::string_view name);

} // namespace tilewright::frontend
