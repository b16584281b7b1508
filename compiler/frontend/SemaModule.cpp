// Loading a file and its imports: names, constants, derivative rules.
#include "compiler/frontend/ModuleData.h"

#include "compiler/frontend/Elaborator.h"
#include "compiler/frontend/Parser.h"
#include "compiler/frontend/StandardLibrary.h"

#include <algorithm>

namespace tilewright::frontend {

namespace {

/// Files inside each other's imports.
constexpr size_t maxImportDepth = 32;

/// Statics of a kernel: it is checked for each member of each.
constexpr size_t maxStatics = 32;

std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}

class ModuleLoader {
public:
  ModuleLoader(ModuleData &module, const ImportResolver &resolver, Diagnostics &diagnostics)
      : module(module), resolver(resolver), diagnostics(diagnostics) {}

  const FileScope *load(std::string name, std::string text, bool isStandard);

private:
  void import(FileScope &scope, const ast::ImportDeclaration &declaration);
  const FileScope *imported(FileScope &scope, const ast::ImportDeclaration &declaration);
  void bring(FileScope &scope, const FileScope &from, const ast::ImportDeclaration &declaration);
  void declare(FileScope &scope, const ast::Declaration &declaration);
  void declareConstant(FileScope &scope, const ast::ConstantDeclaration &declaration);
  void declareFunction(FileScope &scope, const ast::FunctionDeclaration &declaration);
  void declareExternal(FileScope &scope, const ast::ExternDeclaration &declaration);
  void declareFunction(FileScope &scope, const ast::Name &name, FunctionInfo info);
  void declareKernel(const FileScope &scope, const ast::KernelDeclaration &declaration);
  void attachRule(FileScope &scope, const ast::DerivativeDeclaration &rule);
  void checkClasses(const std::vector<ast::StaticParameter> &statics);
  bool declareName(FileScope &scope, const ast::Name &name, Entity entity);
  bool reportClash(const Names &names, const ast::Name &name);

  ModuleData &module;
  const ImportResolver &resolver;
  Diagnostics &diagnostics;
  std::map<std::string, const FileScope *> loaded;          ///< by text: a file that two others import is one file
  std::vector<std::pair<std::string, std::string>> loading; ///< text and name
  std::map<std::string, SourceRange> kernelNames;
  std::map<const FunctionInfo *, FunctionInfo *> declared; ///< to attach rules to what the scopes hold as constants
};

const FileScope *ModuleLoader::load(std::string name, std::string text, bool isStandard) {
  loading.emplace_back(text, name);
  const Source &source = module.sources.emplace_back(name, text);
  const ast::File &file = module.files.emplace_back(parse(source, diagnostics));
  FileScope &scope = module.scopes.emplace_back();
  scope.file = &file;
  scope.path = std::move(name);
  scope.isStandard = isStandard;
  unsigned errorsBefore = diagnostics.errorCount();
  bool isMain = loading.size() == 1;
  for (const ast::DeclarationPtr &declaration : file.declarations)
    if (declaration->kind == ast::Declaration::Kind::Import)
      import(scope, ast::as<ast::ImportDeclaration>(*declaration));
  for (const ast::DeclarationPtr &declaration : file.declarations)
    declare(scope, *declaration);
  for (const ast::DeclarationPtr &declaration : file.declarations) {
    if (declaration->kind == ast::Declaration::Kind::Derivative)
      attachRule(scope, ast::as<ast::DerivativeDeclaration>(*declaration));
    if (declaration->kind == ast::Declaration::Kind::Kernel && isMain)
      declareKernel(scope, ast::as<ast::KernelDeclaration>(*declaration));
  }
  if (!isMain)
    scope.isIncomplete |= diagnostics.errorCount() != errorsBefore;
  loading.pop_back();
  return loaded[std::move(text)] = &scope;
}

// --------------------------------------------------------------------------------------------------------------------
// Imports
// --------------------------------------------------------------------------------------------------------------------

const FileScope *ModuleLoader::imported(FileScope &scope, const ast::ImportDeclaration &declaration) {
  const std::string &path = declaration.path.value;
  SourceRange where = declaration.path.where;
  std::optional<std::string> text;
  std::optional<std::string_view> standard = standardLibraryFile(path);
  if (standard)
    text = std::string(*standard);
  else if (resolver)
    text = resolver(path, scope.path);
  if (!text) {
    Diagnostic &error = diagnostics.error(where, "cannot find the imported file " + quoted(path));
    std::string completed = path + ".tile";
    if (standardLibraryFile(completed) || (resolver && !path.empty() && resolver(completed, scope.path)))
      error.help("did you mean " + quoted(completed) + "?");
    else
      suggest(error, path, standardLibraryNames(),
              "files are looked for beside the one that imports them, then in the standard library");
    return nullptr;
  }
  auto running = std::find_if(loading.begin(), loading.end(), [&](const auto &each) { return each.first == *text; });
  if (running != loading.end() || loading.size() >= maxImportDepth) {
    std::string chain;
    for (auto each = running; each != loading.end(); ++each)
      chain += each->second + " → ";
    diagnostics.error(where,
                      running == loading.end() ? "imports are nested too deeply" : "files import each other: " + chain + path);
    return nullptr;
  }
  auto known = loaded.find(*text);
  return known != loaded.end() ? known->second : load(path, std::move(*text), standard.has_value());
}

void ModuleLoader::import(FileScope &scope, const ast::ImportDeclaration &declaration) {
  const FileScope *file = imported(scope, declaration);
  scope.isIncomplete |= !declaration.alias && (!file || file->isIncomplete);
  if (declaration.alias) {
    Entity alias = Entity::of(file ? Entity::Kind::Alias : Entity::Kind::Poisoned, declaration.alias->where);
    alias.alias = file;
    if (!reportClash(scope.names, *declaration.alias))
      scope.names[declaration.alias->text] = alias;
  } else if (file) {
    bring(scope, *file, declaration);
  }
}

void ModuleLoader::bring(FileScope &scope, const FileScope &from, const ast::ImportDeclaration &declaration) {
  for (const std::string &name : from.own) {
    const Entity &entity = from.names.find(name)->second;
    auto [present, isNew] = scope.names.try_emplace(name, entity);
    if (isNew || present->second.where == entity.where)
      continue;
    diagnostics
        .error(declaration.path.where,
               quoted(declaration.path.value) + " brings " + quoted(name) + ", which is already defined")
        .note(present->second.where, "first defined here")
        .note(entity.where, "and here")
        .help("import one of them under a name of its own: `import \"" + declaration.path.value + "\" as …;`");
  }
}

// --------------------------------------------------------------------------------------------------------------------
// Declarations
// --------------------------------------------------------------------------------------------------------------------

bool ModuleLoader::reportClash(const Names &names, const ast::Name &name) {
  if (findBuiltin(name.text)) {
    diagnostics.error(name.where, quoted(name.text) + " is a built-in function; names are never shadowed")
        .help("choose another name");
    return true;
  }
  auto earlier = names.find(name.text);
  if (earlier == names.end())
    return false;
  Diagnostic &error = diagnostics.error(name.where, quoted(name.text) + " is already defined");
  error.note(earlier->second.where, "first defined here");
  if (earlier->second.where.source != name.where.source)
    error.help("choose another name, or import the file under a name: `import … as …;`");
  return true;
}

bool ModuleLoader::declareName(FileScope &scope, const ast::Name &name, Entity entity) {
  if (reportClash(scope.names, name))
    return false;
  scope.names[name.text] = std::move(entity);
  scope.own.push_back(name.text);
  return true;
}

void ModuleLoader::declare(FileScope &scope, const ast::Declaration &declaration) {
  switch (declaration.kind) {
  case ast::Declaration::Kind::Constant:
    return declareConstant(scope, ast::as<ast::ConstantDeclaration>(declaration));
  case ast::Declaration::Kind::Function:
    return declareFunction(scope, ast::as<ast::FunctionDeclaration>(declaration));
  case ast::Declaration::Kind::Extern:
    return declareExternal(scope, ast::as<ast::ExternDeclaration>(declaration));
  default:
    return; // imports are done, rules and kernels come when all names are known
  }
}

void ModuleLoader::declareConstant(FileScope &scope, const ast::ConstantDeclaration &declaration) {
  if (declaration.faulty) {
    declareName(scope, declaration.name, Entity::poisoned(declaration.name.where));
    return;
  }
  Elaborator elaborator(module, module.constants, diagnostics);
  Value value = elaborator.elaborateConstant(*declaration.value, scope);
  declareName(scope, declaration.name,
              value.isError() ? Entity::poisoned(declaration.name.where) : Entity::fixed(value, declaration.name.where));
}

void ModuleLoader::checkClasses(const std::vector<ast::StaticParameter> &statics) {
  for (const ast::StaticParameter &parameter : statics)
    for (const ast::TypeClass &alternative : parameter.classes)
      if (alternative.kind == ast::TypeClass::Kind::DType && !alternative.dtype.builtin)
        diagnostics.error(alternative.where, "expected a dtype or a class of dtypes")
            .help("the classes are `float`, `real`, `integer` and `number`");
}

void ModuleLoader::declareFunction(FileScope &scope, const ast::FunctionDeclaration &declaration) {
  if (declaration.faulty) {
    declareName(scope, declaration.name, Entity::poisoned(declaration.name.where));
    return;
  }
  checkClasses(declaration.statics);
  for (const ast::StaticParameter &parameter : declaration.statics)
    if (parameter.kind != ast::StaticParameter::Kind::Type)
      diagnostics.error(parameter.where, "the statics of a function are types, which its arguments tell")
          .help("pass a constant as an argument: calls are inlined");
  FunctionInfo info;
  info.declaration = &declaration;
  declareFunction(scope, declaration.name, std::move(info));
}

void ModuleLoader::declareExternal(FileScope &scope, const ast::ExternDeclaration &declaration) {
  if (declaration.faulty) {
    declareName(scope, declaration.name, Entity::poisoned(declaration.name.where));
    return;
  }
  if (declaration.language.value != "cuda")
    diagnostics.error(declaration.language.where, "unknown language " + quoted(declaration.language.value))
        .help("it may be `\"cuda\"`");
  for (const ast::FunctionParameter &parameter : declaration.parameters)
    if (parameter.over)
      diagnostics.error(parameter.name.where, "an external function is elementwise, so it takes no axis");
  if (std::optional<std::string> reason = whyNoCudaName(declaration.name.text))
    diagnostics.error(declaration.name.where, "no CUDA function can be named " + quoted(declaration.name.text) + ": " + *reason)
        .help("give it another name in " + quoted(declaration.path.value));
  FunctionInfo info;
  info.external = &declaration;
  info.externalFile = module.externalFiles.find(declaration.path.value, scope.path, resolver);
  declareFunction(scope, declaration.name, std::move(info));
}

void ModuleLoader::declareFunction(FileScope &scope, const ast::Name &name, FunctionInfo info) {
  info.name = name.text;
  info.where = name.where;
  info.file = &scope;
  FunctionInfo &stored = module.functions.emplace_back(std::move(info));
  declared[&stored] = &stored;
  FunctionValue value{FunctionValue::Kind::Declared, name.text};
  value.info = &stored;
  declareName(scope, name,
              Entity::fixed(Value::ofFunction(std::make_shared<FunctionValue>(std::move(value)), name.where), name.where));
}

void ModuleLoader::declareKernel(const FileScope &scope, const ast::KernelDeclaration &declaration) {
  if (reportClash(scope.names, declaration.name))
    return;
  auto [earlier, isNew] = kernelNames.try_emplace(declaration.name.text, declaration.name.where);
  if (!isNew) {
    diagnostics.error(declaration.name.where, quoted(declaration.name.text) + " is already defined")
        .note(earlier->second, "first defined here");
    return;
  }
  checkClasses(declaration.statics);
  if (declaration.statics.size() > maxStatics)
    diagnostics.error(declaration.statics[maxStatics].where, "a kernel has up to " + std::to_string(maxStatics) +
                                                                 " statics, found " +
                                                                 std::to_string(declaration.statics.size()));
  if (declaration.statics.size() > maxStatics)
    return;
  module.kernels.push_back({&declaration, signatureOf(declaration, scope)});
}

void ModuleLoader::attachRule(FileScope &scope, const ast::DerivativeDeclaration &rule) {
  auto found = scope.names.find(rule.name.text);
  bool isFunction = found != scope.names.end() && found->second.kind == Entity::Kind::Fixed &&
                    found->second.value.kind == Value::Kind::Function;
  bool isPoisoned = found == scope.names.end() ? scope.isIncomplete || scope.file->unreadNames.contains(rule.name.text)
                                               : found->second.kind == Entity::Kind::Poisoned;
  if (isPoisoned || rule.faulty)
    return;
  if (!isFunction) {
    Diagnostic &error =
        diagnostics.error(rule.name.where, findBuiltin(rule.name.text) ? "the derivative of the built-in function " +
                                                                             quoted(rule.name.text) + " is known"
                                                                       : "unknown function " + quoted(rule.name.text));
    std::vector<std::string_view> names;
    for (const auto &[name, entity] : scope.names)
      names.push_back(name);
    suggest(error, rule.name.text, names);
    return;
  }
  FunctionInfo &info = *declared[found->second.value.function->info];
  if (info.rule) {
    diagnostics.error(rule.name.where, "the derivative of " + quoted(rule.name.text) + " is already stated")
        .note(info.rule->name.where, "first stated here");
    return;
  }
  bool takesAxis = std::any_of(info.parameters().begin(), info.parameters().end(),
                               [](const ast::FunctionParameter &parameter) { return parameter.over; });
  if (takesAxis) {
    diagnostics.error(rule.name.where, quoted(rule.name.text) + " takes an axis; only elementwise functions have a derivative")
        .note(info.where, "declared here");
    return;
  }
  info.rule = &rule;
  info.ruleFile = &scope;
}

} // namespace

const KernelInfo *ModuleData::findKernel(std::string_view name) const {
  for (const KernelInfo &kernel : kernels)
    if (kernel.signature.name == name)
      return &kernel;
  return nullptr;
}

void loadModule(ModuleData &module, std::string name, std::string text, const ImportResolver &resolver,
                Diagnostics &diagnostics) {
  module.main = ModuleLoader(module, resolver, diagnostics).load(std::move(name), std::move(text), false);
}

} // namespace tilewright::frontend
