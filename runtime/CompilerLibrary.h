// libtilewright-compiler, loaded when it is first needed: a process whose kernels are all in a cache never maps LLVM.
#pragma once

#include "runtime/Log.h"
#include "runtime/Status.h"
#include "tilewright/compiler_c.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace tilewright::runtime {

/// The compiler's functions; `symbols.check` is tw_compiler_check.
struct CompilerSymbols {
#define TILEWRIGHT_COMPILER_SYMBOL(name) decltype(&tw_compiler_##name) name = nullptr; // NOLINT(bugprone-macro-parentheses)
#include "runtime/CompilerSymbols.def"
};

class CompilerLibrary {
public:
  /// path: "" to search ($TILEWRIGHT_COMPILER_LIBRARY, beside this library, the loader's path).
  CompilerLibrary(std::string path, Log &log) : path(std::move(path)), log(log) {}

  /// Loads it at the first call; a failure is tried again at the next. The symbols live as long as the process: LLVM's does not
  /// survive being unloaded.
  Result<const CompilerSymbols *> get();
  /// Where it was loaded from.
  const std::string &file() const { return loadedFile; }

  /// Which build of the compiler get would load, as far as possible without loading it: what the note of its file says; where
  /// there is no file (or the loader would look for it), what was built together with this library.
  Result<std::string> buildId();

private:
  /// The file that is to be loaded; "": by its name, from where the loader looks.
  std::string chooseFile() const;
  Status load();

  std::string path;
  Log &log;
  std::mutex mutex;
  std::atomic<bool> loaded = false;
  CompilerSymbols symbols;
  std::string loadedFile;
};

/// The folder of the library (or program) that the runtime is in, with a slash at its end; "" if the loader does not know.
std::string ownFolder();

/// Releases a text of the compiler.
struct CompilerText {
  const CompilerSymbols &symbols;
  tw_compiler_text *text = nullptr;

  explicit CompilerText(const CompilerSymbols &symbols) : symbols(symbols) {}
  CompilerText(const CompilerText &) = delete;
  CompilerText &operator=(const CompilerText &) = delete;
  ~CompilerText() { symbols.text_release(text); }

  std::string_view view() const {
    return text ? std::string_view(symbols.text_data(text), symbols.text_size(text)) : std::string_view();
  }
};

} // namespace tilewright::runtime
