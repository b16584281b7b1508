// A file with its imports: parsed, its names collected, its constants known. What the elaboration of kernels reads; it does not
// change any more once it is loaded, so that many threads may specialize at once.
#pragma once

#include "compiler/frontend/Diagnostics.h"
#include "compiler/frontend/ExternalFiles.h"
#include "compiler/frontend/Scope.h"
#include "compiler/frontend/Sema.h"

#include <deque>

namespace tilewright::frontend {

struct KernelInfo {
  const ast::KernelDeclaration *declaration = nullptr;
  KernelSignature signature;
};

struct ModuleData {
  std::deque<Source> sources;
  std::deque<ast::File> files;
  std::deque<FileScope> scopes;
  std::deque<FunctionInfo> functions;
  ExternalFiles externalFiles;
  typed::Kernel constants; ///< the arena of typed top-level constants
  const FileScope *main = nullptr;
  std::deque<KernelInfo> kernels;

  const KernelInfo *findKernel(std::string_view name) const;
};

/// Parses the text and everything it imports, and collects names, constants and derivative rules.
void loadModule(ModuleData &module, std::string name, std::string text, const ImportResolver &resolver,
                Diagnostics &diagnostics);

/// What the host must know to bind arguments.
KernelSignature signatureOf(const ast::KernelDeclaration &kernel, const FileScope &file);

/// The members of a type static, in order, each once.
std::vector<DType> membersOf(const ast::StaticParameter &parameter);

} // namespace tilewright::frontend
