// compiler_c.h, implemented: converts between C and C++ values and lets no exception out.

#include "tilewright/compiler_c.h"

#include "compiler/driver/BuildId.h"
#include "compiler/driver/Compiler.h"
#include "compiler/frontend/Format.h"
#include "compiler/frontend/LaunchProgram.h"
#include "compiler/driver/Information.h"

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string>

using namespace tilewright;
using frontend::Diagnostics;
using frontend::Module;

struct tw_compiler_module {
  std::unique_ptr<Module> module;
};

struct tw_compiler_text {
  std::string bytes;
};

namespace {

tw_compiler_text *newText(std::string bytes) { return new tw_compiler_text{std::move(bytes)}; }

void setText(tw_compiler_text **out, std::string bytes) {
  if (out)
    *out = newText(std::move(bytes));
}

tw_compiler_status statusOf(compiler::Outcome outcome) {
  switch (outcome) {
  case compiler::Outcome::Done: return TW_COMPILER_OK;
  case compiler::Outcome::InvalidSource: return TW_COMPILER_INVALID_SOURCE;
  case compiler::Outcome::InvalidOptions: return TW_COMPILER_INVALID_OPTIONS;
  case compiler::Outcome::Unsupported: return TW_COMPILER_UNSUPPORTED;
  case compiler::Outcome::Failed: return TW_COMPILER_FAILED;
  }
  return TW_COMPILER_FAILED;
}

/// Runs `body`; what it throws becomes a status and a diagnostic.
template <typename Body> tw_compiler_status guarded(tw_compiler_text **diagnostics, Body body) {
  if (diagnostics)
    *diagnostics = nullptr;
  try {
    return body();
  } catch (const std::exception &exception) {
    try {
      setText(diagnostics, std::string("error: the compiler failed: ") + exception.what() + "\n");
    } catch (...) {
    }
    return TW_COMPILER_FAILED;
  } catch (...) {
    return TW_COMPILER_FAILED;
  }
}

/// An options struct that cannot be understood; the message goes to the host.
struct InvalidOptions {
  std::string message;
};

int64_t integerOf(const tw_compiler_binding &binding, const char *what) {
  char *end = nullptr;
  errno = 0;
  long long value = std::strtoll(binding.value, &end, 0);
  if (end == binding.value || *end || errno || value <= 0)
    throw InvalidOptions{std::string(what) + " `" + binding.name + "`: expected a positive integer, found `" + binding.value + "`"};
  return value;
}

compiler::Options optionsFrom(const tw_compiler_options &c) {
  if (c.struct_size != sizeof(tw_compiler_options))
    throw InvalidOptions{"tw_compiler_options has " + std::to_string(c.struct_size) + " bytes, expected " +
                         std::to_string(sizeof(tw_compiler_options)) + ": host and compiler are of different versions"};
  compiler::Options options;
  options.kernel = c.kernel ? c.kernel : "";
  options.target = c.target ? c.target : "cpu";
  options.schedule = c.schedule ? c.schedule : "";
  options.checkedMode = c.checked_mode != 0;
  options.remarks = c.remarks != 0;
  for (size_t index = 0; index < c.static_count; ++index)
    options.statics[c.statics[index].name] = c.statics[index].value;
  for (size_t index = 0; index < c.tunable_count; ++index)
    options.tunables[c.tunables[index].name] = integerOf(c.tunables[index], "tunable");
  for (size_t index = 0; index < c.dimension_hint_count; ++index)
    options.dimensionHints[c.dimension_hints[index].name] = std::strtoll(c.dimension_hints[index].value, nullptr, 0);
  for (size_t index = 0; index < c.present_view_count; ++index)
    options.presentViews.insert(c.present_views[index]);
  for (size_t index = 0; index < c.view_count; ++index)
    options.views[c.views[index].parameter] = {c.views[index].unit_stride_dimension, c.views[index].pack_rank,
                                               c.views[index].alignment, c.views[index].pack_run};
  return options;
}

tw_compiler_status compileStage(const tw_compiler_module *module, const tw_compiler_options *options, compiler::Stage stage,
                                tw_compiler_text **output, tw_compiler_text **diagnostics) {
  *output = nullptr;
  return guarded(diagnostics, [&] {
    try {
      compiler::Result result = compiler::compile(*module->module, optionsFrom(*options), stage, /*colour=*/false);
      setText(diagnostics, std::move(result.diagnostics));
      if (result.outcome == compiler::Outcome::Done)
        setText(output, std::move(result.output));
      return statusOf(result.outcome);
    } catch (const InvalidOptions &invalid) {
      setText(diagnostics, "error: " + invalid.message + "\n");
      return TW_COMPILER_INVALID_OPTIONS;
    }
  });
}

} // namespace

uint32_t tw_compiler_interface_version(void) { return TW_COMPILER_INTERFACE_VERSION; }
const char *tw_compiler_build_id(void) { return TILEWRIGHT_BUILD_ID; }

const char *tw_compiler_text_data(const tw_compiler_text *text) { return text ? text->bytes.data() : ""; }
size_t tw_compiler_text_size(const tw_compiler_text *text) { return text ? text->bytes.size() : 0; }
void tw_compiler_text_release(tw_compiler_text *text) { delete text; }
void tw_compiler_module_release(tw_compiler_module *module) { delete module; }

tw_compiler_status tw_compiler_check(const char *name, const char *text, size_t length, tw_compiler_import import_function,
                                     void *import_context, int colour, tw_compiler_module **module,
                                     tw_compiler_text **diagnostics) {
  if (module)
    *module = nullptr;
  return guarded(diagnostics, [&] {
    frontend::ImportResolver resolver = [&](const std::string &path, const std::string &importer) -> std::optional<std::string> {
      const char *imported = nullptr;
      size_t importedLength = 0;
      if (!import_function || !import_function(import_context, path.c_str(), importer.c_str(), &imported, &importedLength))
        return std::nullopt;
      return std::string(imported, importedLength);
    };
    Diagnostics messages;
    std::unique_ptr<Module> checked = Module::check(name ? name : "<text>", std::string(text, length), resolver, messages);
    setText(diagnostics, render(messages, colour != 0));
    if (messages.hasErrors() || !checked)
      return TW_COMPILER_INVALID_SOURCE;
    if (module)
      *module = new tw_compiler_module{std::move(checked)};
    return TW_COMPILER_OK;
  });
}

tw_compiler_status tw_compiler_describe(const tw_compiler_module *module, tw_compiler_text **json) {
  *json = nullptr;
  return guarded(nullptr, [&] {
    setText(json, frontend::signatures(*module->module).dump());
    return TW_COMPILER_OK;
  });
}

tw_compiler_status tw_compiler_compile(const tw_compiler_module *module, const tw_compiler_options *options,
                                       tw_compiler_text **artifact, tw_compiler_text **diagnostics) {
  return compileStage(module, options, compiler::Stage::Artifact, artifact, diagnostics);
}

tw_compiler_status tw_compiler_emit(const tw_compiler_module *module, const tw_compiler_options *options, const char *stage,
                                    tw_compiler_text **output, tw_compiler_text **diagnostics) {
  *output = nullptr;
  std::optional<compiler::Stage> named = compiler::stageNamed(stage ? stage : "");
  if (!named)
    return guarded(diagnostics, [&] {
      setText(diagnostics, std::string("error: unknown stage `") + (stage ? stage : "") +
                               "` (expected ast, tunables, tile, linalg, tilegpu, llvm, asm, ptx or object)\n");
      return TW_COMPILER_INVALID_OPTIONS;
    });
  return compileStage(module, options, *named, output, diagnostics);
}

tw_compiler_status tw_compiler_format(const char *name, const char *text, size_t length, int colour,
                                      tw_compiler_text **formatted, tw_compiler_text **diagnostics) {
  *formatted = nullptr;
  return guarded(diagnostics, [&] {
    frontend::Source source(name ? name : "<text>", std::string(text, length));
    Diagnostics messages;
    std::optional<std::string> result = frontend::format(source, messages);
    setText(diagnostics, render(messages, colour != 0));
    if (!result)
      return TW_COMPILER_INVALID_SOURCE;
    setText(formatted, std::move(*result));
    return TW_COMPILER_OK;
  });
}

tw_compiler_status tw_compiler_information(tw_compiler_text **json) {
  *json = nullptr;
  return guarded(nullptr, [&] {
    setText(json, compiler::informationJson());
    return TW_COMPILER_OK;
  });
}
