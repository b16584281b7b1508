// The module: check a file once, specialize its kernels as often as wanted.
#include "compiler/frontend/Sema.h"

#include "compiler/frontend/Elaborator.h"
#include "compiler/frontend/PartialReduction.h"
#include "compiler/frontend/PlaceRule.h"
#include "compiler/frontend/RangeRule.h"
#include "compiler/frontend/SemaSpecialization.h"

namespace tilewright::frontend {

namespace {

void forward(const Diagnostics &from, Diagnostics &to) {
  for (const Diagnostic &each : from.all()) {
    Diagnostic &copy = each.severity == Severity::Error     ? to.error(each.where, each.message)
                       : each.severity == Severity::Warning ? to.warning(each.where, each.message)
                                                            : to.remark(each.where, each.message);
    if (copy.notes.empty())
      copy.notes = each.notes;
    copy.hint = each.hint;
  }
}

/// Checks the kernels of a module, each for several bindings of its statics.
class KernelChecker {
public:
  KernelChecker(const ModuleData &module, Diagnostics &diagnostics) : module(module), diagnostics(diagnostics) {}

  /// Dtypes for each member of each class, both values of each bool, the rest at their first or default. After a binding with
  /// errors the others would mostly repeat them.
  void check(const KernelInfo &info) {
    KernelBinding first;
    first.isCheck = true;
    for (const ast::StaticParameter &parameter : info.declaration->statics)
      if (isBoolWithoutDefault(parameter))
        first.statics[parameter.name.text] = Value::ofInteger(0, parameter.where);
    withRules = !info.declaration->faulty;
    Diagnostics unmet; // of the first binding, if a `require` rules it out
    bool isAnyAllowed = false;
    if (!elaborate(info, first, true, isAnyAllowed, unmet))
      return;
    for (const ast::StaticParameter &parameter : info.declaration->statics)
      for (const Value &value : otherValues(parameter)) {
        KernelBinding binding = first;
        binding.statics[parameter.name.text] = value;
        Diagnostics ignored;
        if (!elaborate(info, binding, true, isAnyAllowed, ignored))
          return;
      }
    if (!isAnyAllowed) // combinations of statics are not tried: at least the names are checked
      forward(unmet, diagnostics);
    if (!hasIntegerDefault(*info.declaration))
      return;
    // Branches that depend on an integer static are decided for no value: both are checked. Not by the rules on ranges and
    // places, which may depend on the value.
    first.symbolicConstants = true;
    Diagnostics ignored;
    elaborate(info, first, false, isAnyAllowed, ignored);
  }

  std::set<const FunctionInfo *> used;

private:
  /// Reports what is wrong, unless the kernel rules the binding out: `unmet` has it then. False after an error.
  bool elaborate(const KernelInfo &info, const KernelBinding &binding, bool withRules, bool &isAnyAllowed, Diagnostics &unmet) {
    Diagnostics found;
    typed::Kernel kernel;
    Elaborator elaborator(module, kernel, found);
    elaborator.elaborateKernel(info, *module.main, binding);
    used.insert(elaborator.usedFunctions().begin(), elaborator.usedFunctions().end());
    if (!found.hasErrors() && withRules && this->withRules && !elaborator.lacksNames()) {
      applyRangeRule(kernel, found);
      applyPlaceRule(kernel, found);
      if (!found.hasErrors())
        warnOfPartialReductions(kernel, found);
    }
    if (elaborator.isExcluded()) {
      forward(found, unmet);
      return true;
    }
    isAnyAllowed = true;
    forward(found, diagnostics);
    return !found.hasErrors();
  }

  static bool isBool(const ast::StaticParameter &parameter) {
    return parameter.kind == ast::StaticParameter::Kind::Constant && parameter.constantType &&
           parameter.constantType->builtin == DType::Bool;
  }
  static bool isBoolWithoutDefault(const ast::StaticParameter &parameter) {
    return isBool(parameter) && !parameter.defaultValue;
  }

  static bool hasIntegerDefault(const ast::KernelDeclaration &kernel) {
    for (const ast::StaticParameter &parameter : kernel.statics)
      if (parameter.defaultValue && parameter.constantType && parameter.constantType->builtin &&
          isInteger(*parameter.constantType->builtin))
        return true;
    return false;
  }

  static std::vector<Value> otherValues(const ast::StaticParameter &parameter) {
    std::vector<Value> values;
    if (isBool(parameter)) {
      if (parameter.defaultValue) // one of these is the default: it was checked already, and finds nothing new
        values.push_back(Value::ofInteger(0, parameter.where));
      values.push_back(Value::ofInteger(1, parameter.where));
    }
    if (parameter.kind != ast::StaticParameter::Kind::Type)
      return values;
    for (DType member : membersOf(parameter))
      values.push_back(Value::ofDType(member, parameter.where));
    return values;
  }

  const ModuleData &module;
  Diagnostics &diagnostics;
  bool withRules = true; ///< not where statements are missing
};

void checkUncalledFunctions(const ModuleData &module, const std::set<const FunctionInfo *> &called, Diagnostics &diagnostics) {
  for (const FunctionInfo &info : module.functions) {
    if (info.file->isStandard || (called.count(&info) && !info.rule))
      continue;
    if (diagnostics.errorCount() >= Diagnostics::errorLimit)
      return;
    Diagnostics found;
    typed::Kernel scratch;
    Elaborator(module, scratch, found).elaborateAlone(info);
    forward(found, diagnostics);
  }
}

} // namespace

struct Module::Contents {
  ModuleData data;
};

Module::Module() : contents(std::make_unique<Contents>()) {}
Module::~Module() = default;

std::unique_ptr<Module> Module::check(std::string name, std::string text, const ImportResolver &resolver,
                                      Diagnostics &diagnostics) {
  std::unique_ptr<Module> module(new Module());
  ModuleData &data = module->contents->data;
  loadModule(data, std::move(name), std::move(text), resolver, diagnostics);
  KernelChecker checker(data, diagnostics);
  for (const KernelInfo &kernel : data.kernels)
    if (diagnostics.errorCount() < Diagnostics::errorLimit)
      checker.check(kernel);
  checkUncalledFunctions(data, checker.used, diagnostics);
  return module;
}

const ast::File &Module::file() const {
  return *contents->data.main->file;
}

std::vector<std::string> Module::kernelNames() const {
  std::vector<std::string> names;
  for (const KernelInfo &kernel : contents->data.kernels)
    names.push_back(kernel.signature.name);
  return names;
}

const KernelSignature *Module::signature(std::string_view kernel) const {
  const KernelInfo *info = contents->data.findKernel(kernel);
  return info ? &info->signature : nullptr;
}

std::unique_ptr<typed::Kernel> Module::specialize(const std::string &kernel, const Specialization &specialization,
                                                  Diagnostics &diagnostics) const {
  const ModuleData &data = contents->data;
  const KernelInfo *info = data.findKernel(kernel);
  if (!info) {
    std::vector<std::string> names = kernelNames();
    Diagnostic &error = diagnostics.error({}, "there is no kernel `" + kernel + "`");
    suggest(error, kernel, {names.begin(), names.end()}, names.empty() ? "the file has none" : "the file has " + listOf(names));
    return nullptr;
  }
  std::optional<KernelBinding> binding = bindSpecialization(data, *info, specialization, diagnostics);
  if (!binding)
    return nullptr;
  Diagnostics found;
  auto result = std::make_unique<typed::Kernel>();
  Elaborator(data, *result, found).elaborateKernel(*info, *data.main, *binding);
  if (!found.hasErrors()) {
    applyRangeRule(*result, found);
    applyPlaceRule(*result, found);
  }
  forward(found, diagnostics);
  return found.hasErrors() ? nullptr : std::move(result);
}

} // namespace tilewright::frontend
