#include "compiler/frontend/SemaSpecialization.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace tilewright::frontend {

namespace {

/// Block sizes beyond any tile.
constexpr int64_t maxBlockSize = int64_t{1} << 18;

std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}

class Binder {
public:
  Binder(const ModuleData &module, const KernelInfo &kernel, const Specialization &specialization, Diagnostics &diagnostics)
      : module(module), kernel(kernel), specialization(specialization), diagnostics(diagnostics) {}

  std::optional<KernelBinding> bind() {
    unsigned before = diagnostics.errorCount();
    binding.checkedMode = specialization.checkedMode;
    checkNames();
    for (const ast::StaticParameter &parameter : kernel.declaration->statics)
      bindStatic(parameter);
    bindPresence();
    bindTunables();
    return diagnostics.errorCount() == before ? std::optional(std::move(binding)) : std::nullopt;
  }

private:
  SourceRange kernelName() const { return kernel.declaration->name.where; }

  void checkNames() {
    std::vector<std::string_view> names;
    std::vector<std::string> list;
    for (const auto &entry : kernel.signature.statics) {
      names.push_back(entry.name);
      list.push_back(entry.name);
    }
    for (const auto &[name, value] : specialization.statics) {
      if (std::find(names.begin(), names.end(), name) != names.end())
        continue;
      Diagnostic &error = diagnostics.error(kernelName(), quoted(kernel.signature.name) + " has no static " + quoted(name));
      suggest(error, name, names, list.empty() ? "it has none" : "it has " + listOf(list));
    }
  }

  void bindStatic(const ast::StaticParameter &parameter) {
    auto given = specialization.statics.find(parameter.name.text);
    if (given == specialization.statics.end()) {
      if (!parameter.defaultValue)
        diagnostics.error(parameter.where, "no value is given for the static " + quoted(parameter.name.text))
            .help(allowedText(parameter));
      return;
    }
    Value value = parameter.kind == ast::StaticParameter::Kind::Type       ? dtypeOf(parameter, given->second)
                  : parameter.kind == ast::StaticParameter::Kind::Function ? functionOf(parameter, given->second)
                                                                           : constantOf(parameter, given->second);
    if (!value.isError())
      binding.statics[parameter.name.text] = value;
  }

  std::string allowedText(const ast::StaticParameter &parameter) const {
    std::string name = parameter.name.text;
    if (parameter.kind == ast::StaticParameter::Kind::Function)
      return "it is a function, by name";
    if (parameter.kind == ast::StaticParameter::Kind::Constant)
      return "it is a constant, such as `" + name + "=" + (isBool(parameter) ? "true" : "1") + "`";
    std::vector<std::string> names;
    for (DType member : membersOf(parameter))
      names.emplace_back(frontend::name(member));
    return "it is one of " + listOf(names);
  }

  static bool isBool(const ast::StaticParameter &parameter) {
    return parameter.constantType && parameter.constantType->builtin == DType::Bool;
  }

  Value refuse(const ast::StaticParameter &parameter, const std::string &text, std::string_view expected) {
    diagnostics.error(parameter.where, quoted(parameter.name.text + "=" + text) + ": expected " + std::string(expected))
        .help(allowedText(parameter));
    return Value::error(parameter.where);
  }

  Value dtypeOf(const ast::StaticParameter &parameter, const std::string &text) {
    std::optional<DType> dtype = dtypeNamed(text);
    std::vector<DType> members = membersOf(parameter);
    if (!dtype)
      return refuse(parameter, text, "a dtype");
    if (std::find(members.begin(), members.end(), *dtype) == members.end())
      return refuse(parameter, text, "a dtype that the kernel allows");
    return Value::ofDType(*dtype, parameter.where);
  }

  /// `gelu`, `act.gelu`, `tanh`, `deriv(gelu)`, `deriv(gate, 1)`.
  FunctionReference functionNamed(std::string_view text) const {
    constexpr std::string_view prefix = "deriv(";
    if (text.starts_with(prefix) && text.ends_with(")")) {
      text = text.substr(prefix.size(), text.size() - prefix.size() - 1);
      unsigned parameter = 0;
      if (size_t comma = text.rfind(", "); comma != std::string_view::npos && !text.ends_with(")")) {
        std::string_view digits = text.substr(comma + 2);
        if (std::from_chars(digits.data(), digits.data() + digits.size(), parameter).ec != std::errc())
          return nullptr;
        text = text.substr(0, comma);
      }
      FunctionReference base = functionNamed(text);
      return base && parameter < Elaborator::arityOf(*base) ? Elaborator::derivativeOf(base, parameter) : nullptr;
    }
    const FileScope *file = module.main;
    if (size_t dot = text.find('.'); dot != std::string_view::npos) {
      auto alias = file->names.find(text.substr(0, dot));
      if (alias == file->names.end() || alias->second.kind != Entity::Kind::Alias)
        return nullptr;
      file = alias->second.alias;
      text = text.substr(dot + 1);
    }
    auto found = file->names.find(text);
    if (found != file->names.end())
      return found->second.kind == Entity::Kind::Fixed ? found->second.value.function : nullptr;
    const Builtin *builtin = findBuiltin(text);
    if (!builtin || !builtin->isFunctionValue())
      return nullptr;
    FunctionValue value{FunctionValue::Kind::Builtin, std::string(text)};
    value.builtin = builtin;
    return std::make_shared<FunctionValue>(std::move(value));
  }

  Value functionOf(const ast::StaticParameter &parameter, const std::string &text) {
    if (FunctionReference function = functionNamed(text))
      return Value::ofFunction(function, parameter.where); // its type is checked when the static's dtypes are known
    std::vector<std::string_view> names;
    for (const auto &[name, entity] : module.main->names)
      if (entity.kind == Entity::Kind::Fixed && entity.value.kind == Value::Kind::Function)
        names.push_back(name);
    for (const Builtin &builtin : builtins())
      if (builtin.isFunctionValue())
        names.push_back(builtin.name);
    Diagnostic &error = diagnostics.error(parameter.where, quoted(parameter.name.text + "=" + text) +
                                                               ": the file has no function " + quoted(text));
    suggest(error, text, names, "it has " + listOf({names.begin(), names.end()}));
    return Value::error(parameter.where);
  }

  Value constantOf(const ast::StaticParameter &parameter, const std::string &text) {
    DType dtype = parameter.constantType && parameter.constantType->builtin ? *parameter.constantType->builtin : DType::I64;
    SourceRange where = parameter.where;
    if (dtype == DType::Bool) {
      if (text != "true" && text != "false")
        return refuse(parameter, text, "`true` or `false`");
      return Value::ofInteger(text == "true", where);
    }
    if (isFloat(dtype)) {
      char *end = nullptr;
      double real = std::strtod(text.c_str(), &end);
      if (text.empty() || *end != 0 || !fitsFloat(real, dtype))
        return refuse(parameter, text, "a number of " + std::string(name(dtype)));
      return Value::ofReal(real, where);
    }
    int64_t integer = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer);
    if (error != std::errc() || end != text.data() + text.size() || !fitsInteger(integer, dtype))
      return refuse(parameter, text, "an integer of " + std::string(name(dtype)));
    auto entry = std::find_if(kernel.signature.statics.begin(), kernel.signature.statics.end(),
                              [&](const auto &each) { return each.name == parameter.name.text; });
    if (entry->isDimension && integer < 0)
      return refuse(parameter, text, "a dimension, which is not negative");
    return Value::ofInteger(integer, where);
  }

  void bindPresence() {
    std::vector<std::string_view> optional;
    for (const ast::Parameter &parameter : kernel.declaration->parameters)
      if (parameter.optional)
        optional.push_back(parameter.name.text);
    for (const std::string &name : specialization.presentViews) {
      if (std::find(optional.begin(), optional.end(), name) != optional.end()) {
        binding.presentViews.insert(name);
        continue;
      }
      // A view that is always there may be named, too.
      auto isNamed = [&](const ast::Parameter &parameter) { return parameter.isView && parameter.name.text == name; };
      if (std::any_of(kernel.declaration->parameters.begin(), kernel.declaration->parameters.end(), isNamed))
        continue;
      Diagnostic &error = diagnostics.error(kernelName(), quoted(kernel.signature.name) + " has no view " + quoted(name));
      suggest(error, name, optional,
              optional.empty() ? "it has no optional views"
                               : "its optional views are " + listOf({optional.begin(), optional.end()}));
    }
  }

  void bindTunables() {
    const std::set<std::string> &names = kernel.signature.tunables;
    for (const auto &[name, value] : specialization.tunables) {
      if (!names.count(name)) {
        Diagnostic &error = diagnostics.error(kernelName(), quoted(kernel.signature.name) + " has no tunable " + quoted(name));
        suggest(error, name, {names.begin(), names.end()},
                names.empty() ? "it has none" : "it has " + listOf({names.begin(), names.end()}));
      } else if (value < 1 || value > maxBlockSize) {
        diagnostics.error(kernelName(), quoted(name) + " = " + std::to_string(value) + ": a block size lies in 1 to " +
                                            std::to_string(maxBlockSize));
      } else {
        binding.tunables[name] = value;
      }
    }
  }

  const ModuleData &module;
  const KernelInfo &kernel;
  const Specialization &specialization;
  Diagnostics &diagnostics;
  KernelBinding binding;
};

} // namespace

std::optional<KernelBinding> bindSpecialization(const ModuleData &module, const KernelInfo &kernel,
                                                const Specialization &specialization, Diagnostics &diagnostics) {
  return Binder(module, kernel, specialization, diagnostics).bind();
}

} // namespace tilewright::frontend
