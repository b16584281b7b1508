// A source text that the compiler has checked, and the kernels in it.
#pragma once

#include "runtime/CompileMessage.h"
#include "runtime/Context.h"
#include "runtime/LoadedKernel.h"
#include "runtime/Signature.h"
#include "runtime/Specialization.h"

#include <memory>
#include <string>
#include <vector>

namespace tilewright::runtime {

/// The text behind an import; see tw_import_function.
struct ImportFunction {
  tw_import_function function = nullptr; ///< null: files
  void *user = nullptr;
};

class Module {
public:
  static Result<std::shared_ptr<Module>> fromText(std::shared_ptr<Context> context, std::string name, std::string_view text,
                                                  ImportFunction import);
  static Result<std::shared_ptr<Module>> fromFile(std::shared_ptr<Context> context, const std::string &path,
                                                  ImportFunction import);
  explicit Module(std::shared_ptr<Context> context) : context(std::move(context)) {}
  ~Module();

  Result<const Signature *> kernel(const char *name) const;

  /// The code of one specialization, compiled now or before. May be called from several threads.
  Result<std::shared_ptr<const LoadedKernel>> compile(const Specialization &specialization, bool &hit) const;

  const std::shared_ptr<Context> context;
  std::string name;
  std::string warnings;
  std::vector<Signature> kernels;

private:
  Status check(std::string_view text, ImportFunction import);
  Status describe(const CompilerSymbols &compiler);
  Result<CompileAnswer> askCompiler(const Specialization &specialization) const;

  SourceTexts source;
  uint64_t identity = 0; ///< of this text and all that it imports
  tw_compiler_module *handle = nullptr;
};

} // namespace tilewright::runtime
