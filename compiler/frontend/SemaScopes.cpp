// Names: looking them up, declaring them, and what a dtype, an axis or a type that the source writes stands for.
#include "compiler/frontend/Elaborator.h"
#include "compiler/frontend/StandardLibrary.h"

#include <algorithm>

namespace tilewright::frontend {

using namespace typed;

std::string listOf(const std::vector<std::string> &names, std::string_view conjunction) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0                  ? std::string()
             : i + 1 == names.size() ? " " + std::string(conjunction) + " "
                                     : ", ") +
            ("`" + names[i] + "`");
  return text;
}

void suggest(Diagnostic &diagnostic, std::string_view misspelt, const std::vector<std::string_view> &candidates,
             std::string_view otherwise) {
  constexpr size_t maxCandidates = 2000; // comparing takes time, and a long list has something near everything
  std::string nearest = candidates.size() <= maxCandidates ? nearestName(misspelt, candidates) : std::string();
  if (!nearest.empty())
    diagnostic.help("did you mean `" + nearest + "`?");
  else if (!otherwise.empty())
    diagnostic.help(std::string(otherwise));
}

bool Elaborator::isTooDeep(SourceRange where) {
  if (depth < maxDepth)
    return false;
  diagnostics
      .error(where,
             "expressions and blocks, with the functions that they call, are nested deeper than " + std::to_string(maxDepth))
      .help("give parts of them a name with `let`");
  return true;
}

const Entity *Elaborator::lookup(std::string_view name) const {
  for (auto frame = body->frames.rbegin(); frame != body->frames.rend(); ++frame)
    if (auto found = frame->find(name); found != frame->end())
      return &found->second;
  auto found = body->file->names.find(name);
  return found == body->file->names.end() ? nullptr : &found->second;
}

void Elaborator::declare(const ast::Name &name, Entity entity) {
  const Entity *earlier = lookup(name.text);
  bool isTunable = !isFunctionBody() && kernelInfo && kernelInfo->signature.tunables.count(name.text);
  if (findBuiltin(name.text))
    diagnostics.error(name.where, "`" + name.text + "` is a built-in function; names are never shadowed")
        .help("choose another name");
  else if (earlier)
    diagnostics.error(name.where, "`" + name.text + "` is already defined; names are never shadowed")
        .note(earlier->where, "first defined here")
        .help(earlier->kind == Entity::Kind::Dimension ? "a dimension takes its value from the shapes; choose another name"
                                                       : "choose another name");
  else if (isTunable)
    diagnostics.error(name.where, "`" + name.text + "` is a tunable, as it stands after `by`").help("choose another name");
  else {
    body->frames.back()[name.text] = std::move(entity);
    return;
  }
  body->frames.back()[name.text] = Entity::poisoned(name.where);
}

std::vector<std::string_view> Elaborator::visibleNames() const {
  std::vector<std::string_view> names;
  for (const Names &frame : body->frames)
    for (const auto &[name, entity] : frame)
      names.push_back(name);
  for (const auto &[name, entity] : body->file->names)
    names.push_back(name);
  for (const Builtin &builtin : builtins())
    names.push_back(builtin.name);
  for (unsigned i = 0; i <= static_cast<unsigned>(DType::Bool); ++i)
    names.push_back(name(static_cast<DType>(i)));
  return names;
}

/// The standard library's file that declares a function or constant, or empty.
static std::string_view standardFileOf(const std::string &name) {
  for (std::string_view file : standardLibraryNames()) {
    std::string_view text = *standardLibraryFile(file);
    for (const std::string &head : {"\nfn " + name + "(", "\nfn " + name + "<", "\nlet " + name + " ="})
      if (text.find(head) != std::string_view::npos)
        return file;
  }
  return {};
}

void Elaborator::reportUnknown(const ast::Name &name) {
  if (kernelInfo && !isFunctionBody() && kernelInfo->signature.tunables.count(name.text)) {
    diagnostics.error(name.where, "`" + name.text + "` is a tunable, which has no value in a kernel")
        .help("a tunable stands after `by`, in `tune` and in `require`; a span `i` tells `i.end - i.start`");
    return;
  }
  Diagnostic &error = diagnostics.error(name.where, "unknown name `" + name.text + "`");
  if (const KernelInfo *other = module.findKernel(name.text)) {
    error.note(other->declaration->name.where, "a kernel has this name")
        .help("only the host calls kernels; share code in a function");
    return;
  }
  for (const auto &[alias, entity] : body->file->names)
    if (entity.kind == Entity::Kind::Alias && entity.alias &&
        std::find(entity.alias->own.begin(), entity.alias->own.end(), name.text) != entity.alias->own.end()) {
      error.help("did you mean `" + alias + "." + name.text + "`?");
      return;
    }
  if (std::string_view file = standardFileOf(name.text); !file.empty()) {
    error.help("it is declared in the standard library: `import \"" + std::string(file) + "\";`");
    return;
  }
  bool outsideFunction = isFunctionBody() && kernelInfo != nullptr;
  suggest(error, name.text, visibleNames(),
          inDimension       ? "an expression binds no dimension: some view must have the name alone, or `<…>` must"
          : outsideFunction ? "a function sees only its parameters and what the file declares"
                            : "");
}

// --------------------------------------------------------------------------------------------------------------------
// Types
// --------------------------------------------------------------------------------------------------------------------

/// Names of dtypes in other languages.
static std::string_view translatedDType(std::string_view name) {
  static const std::map<std::string_view, std::string_view> translations = {
      {"double", "f64"}, {"float64", "f64"}, {"float32", "f32"}, {"half", "f16"},  {"float16", "f16"},  {"bfloat16", "bf16"},
      {"long", "i64"},   {"int64", "i64"},   {"int", "i32"},     {"int32", "i32"}, {"short", "i16"},    {"int16", "i16"},
      {"int8", "i8"},    {"char", "i8"},     {"uint8", "u8"},    {"byte", "u8"},   {"boolean", "bool"}, {"i1", "bool"}};
  auto found = translations.find(name);
  return found == translations.end() ? std::string_view() : found->second;
}

std::optional<DType> Elaborator::resolve(const ast::DTypeReference &reference) {
  if (reference.builtin)
    return reference.builtin;
  if (reference.accumOf) {
    std::optional<DType> inner = resolve(*reference.accumOf);
    if (inner == DType::Bool) {
      diagnostics.error(reference.where, "bool has no sums, so there is no `accum(bool)`");
      return std::nullopt;
    }
    return inner ? std::optional(accumulatorType(*inner)) : std::nullopt;
  }
  const Entity *entity = lookup(reference.name);
  if (!entity) {
    reportUnknownDType(reference, {});
    return std::nullopt;
  }
  if (entity->kind == Entity::Kind::Poisoned)
    return std::nullopt;
  if (entity->kind == Entity::Kind::Fixed && entity->value.kind == Value::Kind::DType)
    return entity->value.dtype;
  diagnostics.error(reference.where, "`" + reference.name + "` is no dtype").note(entity->where, "declared here");
  return std::nullopt;
}

void Elaborator::reportUnknownDType(const ast::DTypeReference &reference, std::vector<std::string_view> candidates) {
  Diagnostic &error = diagnostics.error(reference.where, "unknown dtype `" + reference.name + "`");
  if (std::string_view translated = translatedDType(reference.name); !translated.empty()) {
    error.help("did you mean `" + std::string(translated) + "`?");
    return;
  }
  for (unsigned i = 0; i <= static_cast<unsigned>(DType::Bool); ++i)
    candidates.push_back(name(static_cast<DType>(i)));
  for (const Names &frame : body->frames)
    for (const auto &[name, entity] : frame)
      if (entity.kind == Entity::Kind::Fixed && entity.value.kind == Value::Kind::DType)
        candidates.push_back(name);
  suggest(error, reference.name, candidates);
}

const Axis *Elaborator::resolveAxis(const ast::Name &name) {
  const Entity *entity = lookup(name.text);
  if (!entity) {
    reportUnknown(name);
    return nullptr;
  }
  if (entity->kind == Entity::Kind::Poisoned)
    return nullptr;
  if (entity->kind == Entity::Kind::Axis && entity->axis->isSpan)
    return entity->axis;
  if (entity->kind == Entity::Kind::Axis)
    diagnostics.error(name.where, "`" + name.text + "` takes one index at a time, so no tile has it as an axis")
        .note(entity->where, "declared here without `by`")
        .help("to make it a span, write `by` and a block size after its range");
  else
    diagnostics.error(name.where, "`" + name.text + "` is not a span").note(entity->where, "declared here");
  return nullptr;
}

std::optional<Elaborator::Axes> Elaborator::resolveAxes(const std::vector<ast::Name> &names) {
  Axes axes;
  bool failed = false;
  for (const ast::Name &name : names) {
    const Axis *axis = resolveAxis(name);
    failed |= !axis;
    if (axis && std::find(axes.begin(), axes.end(), axis) != axes.end()) {
      diagnostics.error(name.where, "axis `" + name.text + "` is named twice");
      failed = true;
    } else {
      axes.push_back(axis);
    }
  }
  return failed ? std::nullopt : std::optional(axes);
}

std::optional<TileType> Elaborator::resolve(const ast::TileTypeReference &reference) {
  std::optional<DType> dtype = resolve(reference.dtype);
  std::optional<Axes> axes = resolveAxes(reference.axes);
  return dtype && axes ? std::optional(TileType{*dtype, *axes}) : std::nullopt;
}

void Elaborator::inBlock(typed::Block &block, const std::function<void()> &work) {
  typed::Block *outer = std::exchange(body->block, &block);
  body->frames.emplace_back();
  work();
  body->frames.pop_back();
  body->block = outer;
}

} // namespace tilewright::frontend
