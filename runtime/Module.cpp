#include "runtime/Module.h"

#include "runtime/CompileProcess.h"
#include "runtime/CompilerOptions.h"
#include "runtime/Text.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

using namespace tilewright::runtime;
using nlohmann::json;

namespace {

bool readFile(const std::string &path, std::string &to) {
  std::ifstream file(path, std::ios::binary);
  std::error_code ignored;
  if (!file || std::filesystem::is_directory(path, ignored)) // a folder can be opened, and reads as empty
    return false;
  std::ostringstream text;
  text << file.rdbuf();
  to = std::move(text).str();
  return !file.bad();
}

/// Answers the compiler's imports, and adds them to the module's texts.
class Importer {
public:
  Importer(ImportFunction import, SourceTexts &texts) : import(import), texts(texts) {}

  static int answer(void *self, const char *path, const char *importer, const char **text, size_t *length) {
    try {
      return static_cast<Importer *>(self)->find(path, importer, *text, *length);
    } catch (...) { // out of memory; it must not pass through the compiler
      return 0;
    }
  }

private:
  int find(const char *path, const char *importer, const char *&text, size_t &length) {
    if (import.function) {
      if (!import.function(import.user, path, importer, &text, &length) || !text)
        return 0;
    } else {
      // Importers are named as their own import was written, so what that led to is looked up.
      std::string from = importer ? importer : "";
      if (auto known = paths.find(from); known != paths.end())
        from = known->second;
      std::string beside = from.substr(0, from.rfind('/') + 1) + path, content;
      if (path[0] != '/' && readFile(beside, content))
        paths[path] = beside;
      else if (!readFile(path, content))
        return 0;
      const std::string &kept = files.emplace_back(std::move(content));
      text = kept.data();
      length = kept.size();
    }
    texts.imports.push_back({path, importer ? importer : "", std::string(text, length)});
    return 1;
  }

  ImportFunction import;
  std::deque<std::string> files;            ///< must not move
  std::map<std::string, std::string> paths; ///< of imports as written
  SourceTexts &texts;
};

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

} // namespace

Module::~Module() {
  if (handle)
    if (Result<const CompilerSymbols *> compiler = context->compiler.get(); compiler.ok())
      (*compiler)->module_release(handle);
}

Result<std::shared_ptr<Module>> Module::fromText(std::shared_ptr<Context> context, std::string name, std::string_view text,
                                                 ImportFunction import) {
  auto module = std::make_shared<Module>(std::move(context));
  module->name = std::move(name);
  if (Status status = module->check(text, import); !status.ok())
    return status;
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

Status Module::check(std::string_view text, ImportFunction import) {
  Result<const CompilerSymbols *> compiler = context->compiler.get();
  if (!compiler.ok())
    return compiler.takeStatus();
  source = {name, std::string(text), {}};
  Importer importer(import, source);
  CompilerText diagnostics(**compiler);
  tw_compiler_status status = (*compiler)->check(name.c_str(), text.data(), text.size(), &Importer::answer, &importer,
                                                 context->colour, &handle, &diagnostics.text);
  if (status != TW_COMPILER_OK)
    return compilerFailure(status, diagnostics.view(), concat(name, " is not a correct program"));
  warnings = diagnostics.view();
  identity = context->identityOf(source.key());
  return describe(**compiler);
}

Status Module::describe(const CompilerSymbols &compiler) {
  CompilerText description(compiler);
  if (tw_compiler_status status = compiler.describe(handle, &description.text); status != TW_COMPILER_OK)
    return Status(statusOf(status), concat("the compiler cannot describe ", name));
  std::string_view text = description.view();
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

Result<CompileAnswer> Module::askCompiler(const Specialization &specialization) const {
  Result<const CompilerSymbols *> compiler = context->compiler.get();
  if (!compiler.ok())
    return compiler.takeStatus();
  if (context->compilesInProcess)
    return compileInProcess(context->compiler.file(), {source, specialization});
  CompilerOptions options(specialization);
  CompilerText artifact(**compiler), diagnostics(**compiler);
  tw_compiler_status status = (*compiler)->compile(handle, &options.raw, &artifact.text, &diagnostics.text);
  return CompileAnswer{status, std::string(artifact.view()), std::string(diagnostics.view())};
}

Result<std::shared_ptr<const LoadedKernel>> Module::compile(const Specialization &specialization, bool &hit) const {
  std::string key = concat(identity, '/', specialization.key());
  auto produce = [&]() -> Result<ArtifactCache::Entry> {
    auto begin = std::chrono::steady_clock::now();
    Result<CompileAnswer> answer = askCompiler(specialization);
    int64_t nanoseconds = (std::chrono::steady_clock::now() - begin) / std::chrono::nanoseconds(1);
    if (!answer.ok())
      return answer.takeStatus();
    if (answer->status != TW_COMPILER_OK)
      return compilerFailure(answer->status, answer->diagnostics,
                             concat("the compiler failed on kernel ", specialization.kernel));
    if (!answer->diagnostics.empty())
      context->log.warning(answer->diagnostics);
    Result<std::shared_ptr<LoadedKernel>> loaded = LoadedKernel::load(std::as_bytes(std::span(answer->artifact)));
    if (!loaded.ok())
      return loaded.takeStatus();
    (*loaded)->compileNanoseconds = nanoseconds;
    context->compilations += 1;
    context->compileNanoseconds += static_cast<uint64_t>(nanoseconds);
    context->log.debug("compiled ", key, " in ", nanoseconds / 1000, " us");
    return ArtifactCache::Entry(std::move(*loaded));
  };
  Result<ArtifactCache::Entry> entry = context->cache.findOrProduce(key, produce, hit);
  if (entry.ok() && hit)
    context->cacheHits += 1;
  return entry;
}
