// A source text that the compiler has checked, and the kernels in it.
//
// Both things that the compiler is asked for are looked for on the disk first: what it says about a source (ModuleRecord), and
// the artifact of a specialization. A module whose record was found has not been checked in this process; that is done when one
// of its kernels has to be compiled.
#pragma once

#include "runtime/CompileMessage.h"
#include "runtime/Context.h"
#include "runtime/Importer.h"
#include "runtime/LoadedKernel.h"
#include "runtime/Signature.h"
#include "runtime/Specialization.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright::runtime {

class Module {
public:
  static Result<std::shared_ptr<Module>> fromText(std::shared_ptr<Context> context, std::string name, std::string_view text,
                                                  ImportFunction import);
  static Result<std::shared_ptr<Module>> fromFile(std::shared_ptr<Context> context, const std::string &path,
                                                  ImportFunction import);
  Module(std::shared_ptr<Context> context, Importer sources)
      : context(std::move(context)), name(sources.name()), sources(std::move(sources)) {}
  ~Module();

  Result<const Signature *> kernel(const char *name) const;

  /// The code of one specialization, compiled now or before (hit). May be called from several threads.
  Result<std::shared_ptr<const LoadedKernel>> compile(const Specialization &specialization, bool &hit);

  const std::shared_ptr<Context> context;
  const std::string name;
  std::string warnings;
  std::vector<Signature> kernels;

private:
  Status make();
  bool makeFromDisk(const std::string &key);
  Status check(std::string &warnings);
  Status describe(std::string_view json);
  void storeRecord(const std::string &key, const std::string &build, const std::string &description);
  Result<tw_compiler_module *> checked();
  Result<CompileAnswer> askCompiler(const CompilerSymbols &compiler, const Specialization &specialization,
                                    const std::string &stage = {});
  std::string choiceFor(const Specialization &specialization);
  std::string makeChoice(const Specialization &specialization);

  Result<ArtifactCache::Entry> produce(const Specialization &specialization);
  Result<std::shared_ptr<LoadedKernel>> load(std::string_view artifact) const;
  ArtifactCache::Entry loadFromDisk(const std::string &key);
  Result<ArtifactCache::Entry> compileAndLoad(const Specialization &specialization, DiskCacheEntry &entry);

  Importer sources;
  SourceTexts texts;     ///< the module is made of these: sources' as they were then
  uint64_t identity = 0; ///< of this text and all that it imports
  std::mutex checkMutex; ///< of handle, after the module is made
  tw_compiler_module *handle = nullptr;
};

} // namespace tilewright::runtime
