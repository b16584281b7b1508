// Semantic analysis: names, types, axes, statics. See docs/language.md §3 for the rules.
#pragma once

#include "compiler/frontend/AST.h"
#include "compiler/frontend/Diagnostics.h"
#include "compiler/frontend/TypedTree.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tilewright::frontend {

/// Gives the text of an imported file, or nothing if there is none. `importer` is the importing file's name. The standard
/// library's files (`activations.tile`, …) are resolved before this is asked.
using ImportResolver = std::function<std::optional<std::string>(const std::string &path, const std::string &importer)>;

/// What is fixed when a kernel is compiled.
struct Specialization {
  std::map<std::string, std::string> statics; ///< `T` → `f32`, `act` → `gelu`, `causal` → `true`, `D` → `128`
  std::set<std::string> presentViews;         ///< the optional views that are given
  std::map<std::string, int64_t> tunables;    ///< values for `by` names
  bool checkedMode = false;
};

/// The declared shape of a static, a parameter or a dimension, for hosts that must bind arguments before anything is compiled.
struct KernelSignature {
  struct Static {
    std::string name;
    ast::StaticParameter::Kind kind;
    std::vector<DType> dtypes;             ///< Type: the allowed ones; Constant: its dtype
    std::optional<std::string> defaultText; ///< `identity`, `false`
    bool isDimension = false;              ///< bound from the shapes
  };
  std::string name;
  std::string documentation;
  std::vector<Static> statics;
  const ast::KernelDeclaration *declaration = nullptr;
  std::set<std::string> tunables;
};

/// A parsed and checked file with its imports. Immutable after `check`: `specialize` may be called from several threads.
class Module {
public:
  ~Module();
  /// Parses and checks everything: names, axes and assignments in every kernel once, dtypes for each member of each class.
  /// Returns a module even if there were errors (they are in `diagnostics`); such a module must not be specialized.
  /// Diagnostics refer to the module's sources, so they must be rendered while it lives.
  static std::unique_ptr<Module> check(std::string name, std::string text, const ImportResolver &resolver,
                                       Diagnostics &diagnostics);

  const ast::File &file() const;
  std::vector<std::string> kernelNames() const; ///< in order of declaration
  const KernelSignature *signature(std::string_view kernel) const;

  /// The kernel for one specialization, or null with errors in `diagnostics`. Nothing is parsed again. The result refers to this
  /// module's sources, so it must not outlive it.
  std::unique_ptr<typed::Kernel> specialize(const std::string &kernel, const Specialization &specialization,
                                            Diagnostics &diagnostics) const;

private:
  Module();
  struct Contents;
  std::unique_ptr<Contents> contents;
};

} // namespace tilewright::frontend
