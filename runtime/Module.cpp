#include "runtime/Module.h"

#include "runtime/CompileProcess.h"
#include "runtime/CompilerOptions.h"
#include "runtime/CpuFeatures.h"
#include "runtime/ModuleRecord.h"
#include "runtime/Sha256.h"
#include "runtime/Text.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <initializer_list>
#include <sstream>

using namespace tilewright::runtime;
using nlohmann::json;

namespace {

tw_status statusOf(tw_compiler_status status) {
  switch (status) {
  case TW_COMPILER_OK:
    return TW_OK;
  case TW_COMPILER_INVALID_SOURCE:
    return TW_INVALID_SOURCE;
  case TW_COMPILER_INVALID_OPTIONS:
    return TW_INVALID_ARGUMENT;
  case TW_COMPILER_UNSUPPORTED:
    return TW_UNSUPPORTED;
  default:
    return TW_COMPILATION_FAILED;
  }
}

/// One line from many, for the message of an error: the first that says "error".
std::string headline(std::string_view diagnostics) {
  std::string plain; // without terminal colours
  for (size_t at = 0; at < diagnostics.size(); ++at) {
    if (diagnostics[at] == '\x1b')
      at = std::min(diagnostics.find('m', at), diagnostics.size() - 1);
    else
      plain += diagnostics[at];
  }
  std::istringstream lines(plain);
  std::string line, first;
  while (std::getline(lines, line)) {
    if (line.find("error") != std::string::npos)
      return line;
    if (first.empty())
      first = line;
  }
  return first;
}

Status compilerFailure(tw_compiler_status status, std::string_view diagnostics, const std::string &what) {
  std::string line = headline(diagnostics);
  return Status(statusOf(status), line.empty() ? what : line, std::string(diagnostics));
}

// Keys of the disk cache. Each part's length stands before it, and the interface's version (artifact format, calling
// convention) and the build of the compiler are in every key.
std::string keyOf(std::initializer_list<std::string_view> parts) {
  Sha256 hash;
  hash.update(concat(TW_COMPILER_INTERFACE_VERSION));
  for (std::string_view part : parts)
    hash.update(concat(' ', part.size(), ':')).update(part);
  return hash.digest();
}

std::string recordKey(const Importer &sources, const std::string &build, bool colour) {
  return keyOf({"module", build, sources.name(), sources.text(), colour ? "coloured" : "plain"});
}

std::string artifactKey(const SourceTexts &texts, const Specialization &specialization, const std::string &build) {
  return keyOf({"artifact", build, texts.key(), specialization.key(),
                specialization.target.starts_with("cpu") ? processorIdentity() : std::string()});
}

} // namespace

Module::~Module() {
  if (handle)
    if (Result<const CompilerSymbols *> compiler = context->compiler.get(); compiler.ok())
      (*compiler)->module_release(handle);
}

Result<std::shared_ptr<Module>> Module::fromText(std::shared_ptr<Context> context, std::string name, std::string_view text,
                                                 ImportFunction import) {
  auto module = std::make_shared<Module>(std::move(context), Importer(import, name, text));
  Status status = module->make();
  module->sources.freeze();
  if (!status.ok())
    return status;
  module->texts = module->sources.texts();
  module->identity = module->context->identityOf(module->texts.key());
  return module;
}

Result<std::shared_ptr<Module>> Module::fromFile(std::shared_ptr<Context> context, const std::string &path,
                                                 ImportFunction import) {
  std::string text;
  errno = 0;
  if (!readFile(path, text))
    return Status(TW_NOT_FOUND, concat("cannot read ", path, errno ? concat(": ", std::strerror(errno)) : std::string()));
  return fromText(std::move(context), path, text, import);
}

Status Module::make() {
  std::string build, key;
  if (context->disk.isWanted()) {
    Result<std::string> id = context->compiler.buildId();
    if (!id.ok())
      return id.takeStatus();
    build = *id;
    key = recordKey(sources, build, context->colour);
    if (makeFromDisk(key))
      return {};
  }
  if (Status status = check(warnings); !status.ok())
    return status;
  Result<const CompilerSymbols *> compiler = context->compiler.get();
  CompilerText description(**compiler);
  if (tw_compiler_status status = (*compiler)->describe(handle, &description.text); status != TW_COMPILER_OK)
    return Status(statusOf(status), concat("the compiler cannot describe ", name));
  if (Status status = describe(description.view()); !status.ok())
    return status;
  // The library that was loaded may be of another build than the file that was expected to be.
  if (context->disk.isWanted() && build == (*compiler)->build_id())
    storeRecord(key, build, std::string(description.view()));
  return {};
}

bool Module::makeFromDisk(const std::string &key) {
  std::optional<DiskCacheEntry> entry = context->disk.find(key);
  if (!entry)
    return false;
  std::optional<ModuleRecord> record = ModuleRecord::read(entry->bytes);
  if (!record || !record->isOf(sources))
    return false; // an import has another text today
  if (Status status = describe(record->description); !status.ok()) {
    kernels.clear();
    context->disk.reject(key, status.message());
    return false;
  }
  warnings = std::move(record->warnings);
  context->log.debug("found what the compiler says about ", name, " in the cache");
  return true;
}

void Module::storeRecord(const std::string &key, const std::string &build, const std::string &description) {
  ModuleRecord record = {ModuleRecord::importsOf(sources), warnings, description};
  context->disk.store(key, {"module", name, "", build, "", 0, record.write()});
}

Status Module::check(std::string &warningsTo) {
  Result<const CompilerSymbols *> compiler = context->compiler.get();
  if (!compiler.ok())
    return compiler.takeStatus();
  CompilerText diagnostics(**compiler);
  tw_compiler_status status = (*compiler)->check(name.c_str(), sources.text().data(), sources.text().size(), &Importer::answer,
                                                 &sources, context->colour, &handle, &diagnostics.text);
  if (status != TW_COMPILER_OK)
    return compilerFailure(status, diagnostics.view(), concat(name, " is not a correct program"));
  warningsTo = diagnostics.view();
  return {};
}

Result<tw_compiler_module *> Module::checked() {
  std::lock_guard lock(checkMutex);
  std::string known; // the record had these warnings
  if (!handle)
    if (Status status = check(known); !status.ok())
      return status;
  return handle;
}

Status Module::describe(std::string_view text) {
  json tree = json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  const json *list = findArray(tree, "kernels");
  if (!list)
    return Status(TW_INTERNAL_ERROR, concat("the compiler's description of ", name, " is damaged"));
  for (const json &element : *list) {
    Result<Signature> signature = Signature::parse(element);
    if (!signature.ok())
      return Status(TW_INTERNAL_ERROR,
                    concat("the compiler's description of ", name, " is damaged: ", signature.status().message()));
    kernels.push_back(std::move(*signature));
  }
  return {};
}

Result<const Signature *> Module::kernel(const char *wanted) const {
  std::vector<std::string> names;
  for (const Signature &signature : kernels)
    names.push_back(signature.name);
  if (!wanted) {
    if (kernels.size() == 1)
      return &kernels[0];
    return Status(kernels.empty() ? TW_NOT_FOUND : TW_INVALID_ARGUMENT,
                  kernels.empty() ? concat(name, " has no kernel")
                                  : concat(name, " has several kernels, name one of them: ", joined(names)));
  }
  for (const Signature &signature : kernels)
    if (signature.name == wanted)
      return &signature;
  return Status(TW_NOT_FOUND, concat(name, " has no kernel ", wanted, suggestion(wanted, names)));
}

/// "" if nothing is to be chosen, or the compiler refuses: it says why when it compiles.
std::string Module::choiceFor(const Specialization &specialization) {
  if (specialization.hints.empty() || specialization.target.starts_with("cpu"))
    return {};
  return context->choices.findOrMake(concat(identity, '/', specialization.key()), [&] { return makeChoice(specialization); });
}

/// From the disk, or else from the compiler.
std::string Module::makeChoice(const Specialization &specialization) {
  std::string build, key;
  if (context->disk.isWanted()) {
    Result<std::string> id = context->compiler.buildId();
    if (!id.ok())
      return {};
    build = *id;
    key = keyOf({"choice", build, texts.key(), specialization.key()});
    if (std::optional<DiskCacheEntry> entry = context->disk.find(key))
      return std::move(entry->bytes);
  }
  Result<const CompilerSymbols *> compiler = context->compiler.get();
  if (!compiler.ok())
    return {};
  Result<CompileAnswer> answer = askCompiler(**compiler, specialization, "tunables");
  if (!answer.ok() || answer->status != TW_COMPILER_OK)
    return {};
  if (context->disk.isWanted() && build == (*compiler)->build_id())
    context->disk.store(key, {"choice", specialization.kernel, specialization.target, build, "", 0, answer->output});
  return std::move(answer->output);
}

Result<std::shared_ptr<const LoadedKernel>> Module::compile(const Specialization &given, bool &hit) {
  Specialization specialization = given;
  specialization.choice = choiceFor(given);
  std::string key = concat(identity, '/', specialization.key());
  auto make = [&] { return produce(specialization); };
  Result<ArtifactCache::Entry> entry = context->cache.findOrProduce(key, make, hit);
  if (!entry.ok())
    return entry;
  if (hit)
    context->cacheHits += 1;
  hit |= (*entry)->isFromDisk;
  return entry;
}

Result<std::shared_ptr<LoadedKernel>> Module::load(std::string_view artifact) const {
  GpuLoading loading = {[&](const std::string &message) { context->log.warning(message); }, &context->disk};
  return LoadedKernel::load(std::as_bytes(std::span(artifact)), context->device, loading);
}

/// From the disk, or else from the compiler. One process compiles; others that want the same meanwhile wait, and find it.
Result<ArtifactCache::Entry> Module::produce(const Specialization &specialization) {
  DiskCacheEntry entry = {"artifact", specialization.kernel, specialization.target, "", "", 0, {}};
  if (!context->disk.isWanted())
    return compileAndLoad(specialization, entry);
  Result<std::string> build = context->compiler.buildId();
  if (!build.ok())
    return build.takeStatus();
  std::string key = artifactKey(texts, specialization, *build);
  if (ArtifactCache::Entry found = loadFromDisk(key))
    return found;
  KeyLock lock = context->disk.lockForProduction(key);
  if (lock.isHeld())
    if (ArtifactCache::Entry found = loadFromDisk(key))
      return found;
  Result<ArtifactCache::Entry> made = compileAndLoad(specialization, entry);
  if (made.ok()) {
    if (entry.build != *build)
      key = artifactKey(texts, specialization, entry.build);
    context->disk.store(key, entry);
  }
  return made;
}

ArtifactCache::Entry Module::loadFromDisk(const std::string &key) {
  std::optional<DiskCacheEntry> entry = context->disk.find(key);
  if (!entry)
    return nullptr;
  Result<std::shared_ptr<LoadedKernel>> loaded = load(entry->bytes);
  if (!loaded.ok()) {
    context->disk.reject(key, loaded.status().message());
    return nullptr;
  }
  (*loaded)->compileNanoseconds = entry->compileNanoseconds;
  (*loaded)->isFromDisk = true;
  context->diskHits += 1;
  if (!entry->warnings.empty())
    context->log.warning(entry->warnings);
  context->log.debug("found kernel ", entry->name, " in the cache as ", hexadecimal(key));
  return std::move(*loaded);
}

/// In a process of its own the texts are checked again, so a module that was found on the disk need not be checked in this one.
Result<CompileAnswer> Module::askCompiler(const CompilerSymbols &compiler, const Specialization &specialization,
                                          const std::string &stage) {
  if (context->compilesInProcess)
    return compileInProcess(context->compiler.file(), {texts, specialization, stage});
  Result<tw_compiler_module *> module = checked();
  if (!module.ok())
    return module.takeStatus();
  CompilerOptions options(specialization);
  CompilerText output(compiler), diagnostics(compiler);
  tw_compiler_status status = stage.empty()
                                  ? compiler.compile(*module, &options.raw, &output.text, &diagnostics.text)
                                  : compiler.emit(*module, &options.raw, stage.c_str(), &output.text, &diagnostics.text);
  return CompileAnswer{status, std::string(output.view()), std::string(diagnostics.view())};
}

/// Fills in the entry for the disk.
Result<ArtifactCache::Entry> Module::compileAndLoad(const Specialization &specialization, DiskCacheEntry &entry) {
  Result<const CompilerSymbols *> compiler = context->compiler.get();
  if (!compiler.ok())
    return compiler.takeStatus();
  auto begin = std::chrono::steady_clock::now();
  Result<CompileAnswer> answer = askCompiler(**compiler, specialization);
  int64_t nanoseconds = (std::chrono::steady_clock::now() - begin) / std::chrono::nanoseconds(1);
  if (!answer.ok())
    return answer.takeStatus();
  if (answer->status != TW_COMPILER_OK)
    return compilerFailure(answer->status, answer->diagnostics,
                           concat("the compiler failed on kernel ", specialization.kernel));
  entry.warnings = std::move(answer->diagnostics);
  if (!entry.warnings.empty())
    context->log.warning(entry.warnings);
  Result<std::shared_ptr<LoadedKernel>> loaded = load(answer->output);
  if (!loaded.ok())
    return loaded.takeStatus();
  (*loaded)->compileNanoseconds = nanoseconds;
  context->compilations += 1;
  context->compileNanoseconds += static_cast<uint64_t>(nanoseconds);
  context->log.debug("compiled kernel ", specialization.kernel, " (", specialization.key(), ") in ", nanoseconds / 1000, " us");
  entry.build = (*compiler)->build_id();
  entry.compileNanoseconds = nanoseconds;
  entry.bytes = std::move(answer->output);
  return ArtifactCache::Entry(std::move(*loaded));
}
