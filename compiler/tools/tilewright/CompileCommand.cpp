// `tilewright compile`: a stage of one kernel's lowering, as text or as an object file.
#include "compiler/tools/tilewright/ArgumentSpecs.h"
#include "compiler/tools/tilewright/Commands.h"
#include "compiler/tools/tilewright/CompilerLibrary.h"
#include "compiler/tools/tilewright/KernelOptions.h"
#include "compiler/tools/tilewright/Terminal.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

namespace tilewright::tools {
namespace {

struct CompileOptions {
  KernelOptions kernel;
  std::vector<std::string> present;
  std::string stage;
  int32_t alignment = 0; ///< of all views, in bytes; 0: that of their elements
  std::string output = "-";
};

using Json = nlohmann::json;

Json describe(const CheckedModule &module) {
  CompilerText text;
  if (compilerLibrary().describe(module.get(), &text.handle) != TW_COMPILER_OK)
    throw failure("the compiler cannot describe the module");
  return Json::parse(text.str());
}

std::vector<std::string> namesOf(const Json &list) {
  std::vector<std::string> names;
  for (const Json &entry : list)
    names.push_back(entry.is_string() ? entry.get<std::string>() : entry.at("name").get<std::string>());
  return names;
}

bool contains(const std::vector<std::string> &list, const std::string &name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// The signature of the kernel that is meant.
Json chooseKernel(const Json &description, const KernelOptions &options) {
  const Json &kernels = description.at("kernels");
  std::string list;
  for (const std::string &name : namesOf(kernels))
    list += (list.empty() ? "" : ", ") + name;
  if (options.kernel.empty() && kernels.size() == 1)
    return kernels[0];
  if (kernels.empty())
    throw usageError((options.file == "-" ? "<stdin>" : options.file) + " has no kernel");
  if (options.kernel.empty())
    throw usageError(options.file + " has several kernels: choose one with --kernel", "it has " + list);
  for (const Json &kernel : kernels)
    if (kernel.at("name") == options.kernel)
      return kernel;
  throw usageError(options.file + " has no kernel `" + options.kernel + "`", "it has " + list);
}

/// `--bind`, taken apart into what the compiler calls statics and tunables. A type that is not bound becomes the first that it
/// may be, since there are no arguments to infer it from.
struct Bindings {
  std::vector<std::pair<std::string, std::string>> statics, tunables;

  Bindings(const KernelOptions &options, const Json &signature) {
    std::vector<std::string> staticNames = namesOf(signature.at("statics")), tunableNames = namesOf(signature.at("tunables"));
    for (const auto &[name, value] : options.bindings()) {
      if (contains(staticNames, name)) {
        statics.emplace_back(name, value);
      } else if (contains(tunableNames, name)) {
        checkTunable(name, value);
        tunables.emplace_back(name, value);
      } else {
        staticNames.insert(staticNames.end(), tunableNames.begin(), tunableNames.end());
        reportUnknownName("--bind", name, "static or tunable", signature.at("name"), staticNames);
      }
    }
    for (const Json &entry : signature.at("statics")) {
      bool isBound = std::any_of(statics.begin(), statics.end(), [&](auto &given) { return entry.at("name") == given.first; });
      if (!isBound && entry.at("kind") == "type" && !entry.at("dtypes").empty())
        statics.emplace_back(entry.at("name"), entry.at("dtypes")[0]);
    }
  }
};

std::vector<tw_compiler_binding> toC(const std::vector<std::pair<std::string, std::string>> &pairs) {
  std::vector<tw_compiler_binding> bindings;
  for (const auto &[name, value] : pairs)
    bindings.push_back({name.c_str(), value.c_str()});
  return bindings;
}

std::vector<const char *> presentViews(const CompileOptions &options, const Json &signature) {
  std::vector<std::string> optional;
  for (const Json &parameter : signature.at("parameters"))
    if (parameter.value("optional", false) && parameter.at("kind") == "view")
      optional.push_back(parameter.at("name"));
  std::vector<const char *> present;
  for (const std::string &name : options.present) {
    if (!contains(optional, name))
      reportUnknownName("--present", name, "optional view", signature.at("name"), optional);
    present.push_back(name.c_str());
  }
  return present;
}

/// With --align: every view that is given is contiguous and aligned so.
std::vector<tw_compiler_view_facts> viewFacts(const CompileOptions &options, const Json &signature) {
  std::vector<tw_compiler_view_facts> facts;
  if (options.alignment == 0)
    return facts;
  for (const Json &parameter : signature.at("parameters")) {
    const std::string &name = parameter.at("name").get_ref<const std::string &>();
    if (parameter.at("kind") == "view" && (!parameter.value("optional", false) || contains(options.present, name)))
      facts.push_back({name.c_str(), static_cast<int32_t>(parameter.at("dimensions").size()) - 1, 1, options.alignment, 1});
  }
  return facts;
}

/// The names of an expression's dimensions, added to those that are known.
void collectDimensions(const Json &expression, std::vector<std::string> &names) {
  if (expression.is_object() && expression.contains("dim") && !contains(names, expression.at("dim")))
    names.push_back(expression.at("dim"));
  if (expression.is_structured())
    for (const Json &part : expression)
      collectDimensions(part, names);
}

/// What a size can be given for.
std::vector<std::string> dimensionNames(const Json &signature) {
  std::vector<std::string> names;
  for (const Json &entry : signature.at("statics"))
    if (entry.value("dimension", false))
      names.push_back(entry.at("name"));
  for (const Json &parameter : signature.at("parameters"))
    for (const Json &dimension : parameter.value("dimensions", Json::array())) {
      if (dimension.at("kind") != "expression" && !contains(names, dimension.at("name")))
        names.push_back(dimension.at("name"));
      collectDimensions(dimension.value("value", Json()), names);
    }
  return names;
}

std::vector<std::pair<std::string, std::string>> sizes(const KernelOptions &options, const Json &signature) {
  std::vector<std::string> known = dimensionNames(signature);
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto &[name, size] : options.dimensions()) {
    if (!contains(known, name))
      reportUnknownName("--dim", name, "dimension", signature.at("name"), known);
    all.emplace_back(name, std::to_string(size));
  }
  return all;
}

void compile(const CompileOptions &options) {
  if (options.stage == "object" && options.output == "-" && ::isatty(STDOUT_FILENO))
    throw usageError("an object is not for a terminal", "write it to a file: -o kernel.o");
  CheckedModule module(options.kernel.file, readFile(options.kernel.file));
  if (!module.get())
    throw CommandError(exitFailure, "");

  Json signature = chooseKernel(describe(module), options.kernel);
  Bindings bindings(options.kernel, signature);
  std::vector<tw_compiler_binding> statics = toC(bindings.statics), tunables = toC(bindings.tunables);
  std::vector<const char *> present = presentViews(options, signature);
  std::vector<tw_compiler_view_facts> views = viewFacts(options, signature);
  std::vector<std::pair<std::string, std::string>> given = sizes(options.kernel, signature);
  std::vector<tw_compiler_binding> hints = toC(given);
  std::string name = signature.at("name");

  tw_compiler_options request{};
  request.struct_size = sizeof request;
  request.kernel = name.c_str();
  request.target = options.kernel.target.c_str();
  request.statics = statics.data();
  request.static_count = statics.size();
  request.tunables = tunables.data();
  request.tunable_count = tunables.size();
  request.present_views = present.data();
  request.present_view_count = present.size();
  request.views = views.data();
  request.view_count = views.size();
  request.dimension_hints = hints.data();
  request.dimension_hint_count = hints.size();
  request.schedule = options.kernel.schedule.c_str();
  request.checked_mode = options.kernel.checked;
  request.remarks = options.kernel.remarks;

  CompilerText output, diagnostics;
  tw_compiler_status status =
      compilerLibrary().emit(module.get(), &request, options.stage.c_str(), &output.handle, &diagnostics.handle);
  printRendered(diagnostics.str());
  if (status != TW_COMPILER_OK)
    throw CommandError(status == TW_COMPILER_INVALID_OPTIONS ? exitUsage : exitFailure,
                       diagnostics.str().empty() ? "the compiler failed on kernel `" + name + "`" : "");
  writeFile(options.output, output.str());
}

} // namespace

void addCompileCommand(CLI::App &program) {
  auto options = std::make_shared<CompileOptions>();
  CLI::App *command = program.add_subcommand("compile", "Compile a kernel and print a stage of its lowering");
  options->kernel.addTo(*command);
  command->add_option("--present", options->present, "Optional views that are given; others are absent")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
  command->add_option("--align", options->alignment,
                      "Bytes that all views' addresses and strides are multiples of (`run` finds out); else their elements' size")
      ->check(CLI::IsMember({8, 16, 32, 64}))
      ->type_name("BYTES");
  command->add_option("--emit", options->stage, "The stage: ast, tunables, tile; for the CPU linalg, llvm, asm or object; for a GPU tilegpu, llvm or ptx")
      ->required()
      ->check(CLI::IsMember({"ast", "tunables", "tile", "linalg", "tilegpu", "llvm", "asm", "ptx", "object"}))
      ->type_name("STAGE");
  command->add_option("-o", options->output, "The file to write; - is the standard output")
      ->capture_default_str()
      ->type_name("FILE");
  command->footer("Types that are not bound are the first that they may be; --dim tells the sizes to choose tunables for.\n"
                  "Example:\n  tilewright compile linear.tile --bind T=bf16,act=gelu --present b --emit llvm -o linear.ll");
  command->callback([options] { compile(*options); });
}

} // namespace tilewright::tools
