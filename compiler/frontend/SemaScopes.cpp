// Names: looking them up, declaring them, and what a dtype, an axis or a type that the source writes stands for.
#include "compiler/frontend/Elaborator.h"
#include "compiler/frontend/StandardLibrary.h"

#include <algorithm>
#include <set>

namespace tilewright::frontend {

using namespace typed;

static std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}

/// Names of dtypes in other languages.
static std::string_view translatedDType(std::string_view name) {
  static const std::map<std::string_view, std::string_view> translations = {
      {"double", "f64"}, {"float64", "f64"},  {"float32", "f32"}, {"half", "f16"},   {"float16", "f16"},  {"bfloat16", "bf16"},
      {"long", "i64"},   {"int64", "i64"},    {"int", "i32"},     {"int32", "i32"},  {"short", "i16"},    {"int16", "i16"},
      {"int8", "i8"},    {"char", "i8"},      {"uint8", "u8"},    {"byte", "u8"},    {"boolean", "bool"}, {"i1", "bool"},
      {"fp64", "f64"},   {"fp32", "f32"},     {"fp16", "f16"},    {"f8", "f8e4m3"},  {"fp8", "f8e4m3"},   {"float8", "f8e4m3"},
      {"u16", "i32"},    {"uint16", "i32"},   {"u32", "i64"},     {"uint32", "i64"}, {"u64", "i64"},      {"uint64", "i64"},
      {"uint", "i64"},   {"unsigned", "i64"}, {"size_t", "i64"},  {"usize", "i64"},  {"isize", "i64"}};
  auto found = translations.find(name);
  return found == translations.end() ? std::string_view() : found->second;
}

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
  if (found == body->file->names.end())
    return nullptr;
  nameIsLacking |= found->second.kind == Entity::Kind::Poisoned;
  return &found->second;
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

bool Elaborator::mayBeUnread(const std::string &name) const {
  bool mayBe = body->file->isIncomplete || body->file->file->unreadNames.contains(name);
  nameIsLacking |= mayBe;
  return mayBe;
}

/// What other languages call by this name, or nothing.
std::string Elaborator::remedyForUnknown(const std::string &name) const {
  static const std::map<std::string_view, std::string_view> remedies = {
      {"True", "did you mean `true`?"},
      {"False", "did you mean `false`?"},
      {"None", "there is no value for nothing: an optional view is tested by `if v { … }`"},
      {"null", "there is no value for nothing: an optional view is tested by `if v { … }`"},
      {"nullptr", "there is no value for nothing: an optional view is tested by `if v { … }`"},
      {"INFINITY", "did you mean `inf`?"},
      {"infinity", "did you mean `inf`?"},
      {"NAN", "did you mean `nan`?"},
      {"NaN", "did you mean `nan`?"},
      {"range", "a range is `n` or `lo..hi` after `in`: `for k in 0..n { … }`"},
      {"arange", "a span is the tile of its indices: `i`, with `i in N by BN`"},
      {"program_id", "a span knows where it is: `i.start`, with `i in N by BN`"},
      {"threadIdx", "there are no threads to see: a span `i` is the tile of its indices"},
      {"blockIdx", "there are no blocks to see: a span `i` is the tile of its indices"},
      {"zeros", "a number is a tile along any axes: `var t: f32[i, j] = 0;`"},
      {"ones", "a number is a tile along any axes: `var t: f32[i, j] = 1;`"},
      {"full", "a number is a tile along any axes: `var t: f32[i, j] = 0;`"},
      {"matmul", "a product is `dot(a, b, over k)`"},
      {"mm", "a product is `dot(a, b, over k)`"},
      {"einsum", "a product is `dot(a, b, over k)`"},
      {"transpose", "axes have names, so none is needed: `y[j, i] = t` stores the other way round"},
      {"reshape", "two spans may stand in one index: `w[h * D + d, k]`"},
      {"concat", "write two stores, at `e` and at `e + D / 2`"},
      {"load", "a view is read by its indices: `x[i, k]`"},
      {"store", "a view is written by its indices: `y[i, j] = t;`"},
      {"cast", "a cast is written like a call: `f32(x)`"},
      {"len", "a dimension is known by its name; a span `i` tells `i.end - i.start`"},
      {"sizeof", "strides are counted in elements; bytes are not seen"},
      {"select", "did you mean `where`?"},
      {"fabs", "did you mean `abs`?"},
      {"mod", "write `a % b` for integers, `x - floor(x / y) * y` for floats"},
      {"fmod", "write `x - floor(x / y) * y`"},
      {"div", "write `a / b`; it rounds down for integers"},
      {"prod", "write `reduce(f, x, over k)` with `fn f(a: f32, b: f32) -> f32 = a * b;`"},
      {"lambda", "a function is declared in the file: `fn f(x: f32) -> f32 = …;`"}};
  if (auto found = remedies.find(name); found != remedies.end())
    return std::string(found->second);
  if (std::string_view dtype = translatedDType(name); !dtype.empty())
    return "did you mean `" + std::string(dtype) + "`?";
  // __expf, expf
  std::string_view stem = name;
  while (stem.starts_with('_'))
    stem.remove_prefix(1);
  for (; !stem.empty() && !findBuiltin(stem); stem.remove_suffix(1))
    if (!stem.ends_with('f') && !stem.ends_with('_'))
      return {};
  return stem.empty() ? std::string() : "did you mean `" + std::string(stem) + "`?";
}

/// The visible span that runs over a dimension or is cut by a tunable, or empty.
std::string Elaborator::spanOver(const std::string &size) const {
  for (const Names &frame : body->frames)
    for (const auto &[name, entity] : frame)
      if (entity.kind == Entity::Kind::Axis && entity.axis->isSpan &&
          (entity.axis->dimension == size || entity.axis->tunable == size))
        return name;
  return {};
}

void Elaborator::reportUnknown(const ast::Name &name) {
  if (mayBeUnread(name.text))
    return;
  if (kernelInfo && !isFunctionBody() && kernelInfo->signature.tunables.count(name.text)) {
    diagnostics.error(name.where, "`" + name.text + "` is a tunable, which has no value in a kernel")
        .help("a tunable stands after `by`, in `tune` and in `require`; a span `i` tells `i.end - i.start`");
    return;
  }
  if (findBuiltin(name.text)) {
    diagnostics.error(name.where, quoted(name.text) + " is a built-in function").help("a variable has another name");
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
  if (auto left = body->leftNames.find(name.text); left != body->leftNames.end()) {
    error.note(left->second, quoted(name.text) + " is declared here, and seen only in that block")
        .help("declare what is used after a block before it, with `var`");
    return;
  }
  if (std::string remedy = remedyForUnknown(name.text); !remedy.empty()) {
    error.help(std::move(remedy));
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
  if (mayBeUnread(reference.name))
    return;
  Diagnostic &error = diagnostics.error(reference.where, "unknown dtype `" + reference.name + "`");
  static const std::set<std::string_view> unsignedTypes = {"u16",    "uint16", "u32",   "uint32", "u64",
                                                           "uint64", "uint",   "usize", "size_t", "unsigned"};
  if (unsignedTypes.contains(reference.name)) {
    error.help("no integer is unsigned but `u8`: the next wider one holds its values, `i64` those of 32 bits");
    return;
  }
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
  bool isCapital = reference.name.front() >= 'A' && reference.name.front() <= 'Z';
  suggest(error, reference.name, candidates,
          isCapital ? "a type that varies is a static: `<" + reference.name + ": float>`" : std::string());
}

const Axis *Elaborator::resolveAxis(const ast::Name &name) {
  const Entity *entity = lookup(name.text);
  if (!entity) {
    std::string span = spanOver(name.text);
    if (span.empty())
      reportUnknown(name);
    else
      diagnostics.error(name.where, quoted(name.text) + " is a tunable, not a span")
          .help("the span that it cuts is " + quoted(span));
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
  else {
    std::string span = entity->kind == Entity::Kind::Dimension ? spanOver(name.text) : std::string();
    diagnostics.error(name.where, "`" + name.text + "` is not a span")
        .note(entity->where, "declared here")
        .help(span.empty() ? "" : "the span over `" + name.text + "` is " + quoted(span));
  }
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

void Elaborator::leaveFrame() {
  for (const auto &[name, entity] : body->frames.back())
    body->leftNames[name] = entity.where;
  body->frames.pop_back();
}

void Elaborator::inBlock(typed::Block &block, const std::function<void()> &work) {
  typed::Block *outer = std::exchange(body->block, &block);
  body->frames.emplace_back();
  work();
  leaveFrame();
  body->block = outer;
}

} // namespace tilewright::frontend
