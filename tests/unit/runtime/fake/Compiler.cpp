// A compiler for the tests of the runtime: its source language is JSON that says what it shall answer.
//
//   {"kernels": [SIGNATURE…],           what describe tells
//    "metadata": {…}, "object": PATH,   the artifact: the rest is added from the options
//    "imports": [PATH…],                imported when the text is checked
//    "error": TEXT,                     check fails with this diagnostic
//    "warning": TEXT,                   … succeeds with it
//    "fail": STATUS, "diagnostic": TEXT compile fails
//    "signal": NUMBER, "exit": STATUS   … ends the process
//    "say": TEXT                        … prints to the standard output
//    "compile_warning": TEXT,           … succeeds with it
//    "delay": MILLISECONDS,             of a compilation
//    "log": PATH,                       gets a byte for each compilation, of whatever process
//    "truncate": BYTES}                 what the artifact keeps
#include "tilewright/compiler_c.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>

using nlohmann::json;

struct tw_compiler_module {
  json tree;
};
struct tw_compiler_text {
  std::string bytes;
};

#ifndef FAKE_BUILD
#define FAKE_BUILD "fake"
#endif
#ifndef FAKE_WITHOUT_NOTE
namespace {
struct BuildNote {
  uint32_t nameBytes, descriptionBytes, type;
  alignas(4) char name[sizeof(TW_COMPILER_NOTE_NAME)];
  alignas(4) char description[sizeof(FAKE_BUILD)];
};
[[gnu::used, gnu::retain, gnu::section(".note.tilewright")]] constexpr BuildNote note = {
    sizeof(TW_COMPILER_NOTE_NAME), sizeof(FAKE_BUILD), TW_COMPILER_NOTE_BUILD_ID, TW_COMPILER_NOTE_NAME, FAKE_BUILD};
} // namespace
#endif

static std::atomic<int> compilations = 0, openModules = 0, openTexts = 0;
static std::mutex mutex;
static std::string lastOptions;

static tw_compiler_text *text(std::string bytes) {
  ++openTexts;
  return new tw_compiler_text{std::move(bytes)};
}

static json bindings(const tw_compiler_binding *list, size_t count) {
  json result = json::object();
  for (size_t index = 0; index < count; ++index)
    result[list[index].name] = list[index].value;
  return result;
}

static json describeOptions(const tw_compiler_options *options) {
  json views = json::object(), present = json::array();
  for (size_t index = 0; index < options->view_count; ++index) {
    const tw_compiler_view_facts &facts = options->views[index];
    views[facts.parameter] = {facts.unit_stride_dimension, facts.pack_rank, facts.alignment, facts.pack_run};
  }
  for (size_t index = 0; index < options->present_view_count; ++index)
    present.push_back(options->present_views[index]);
  return {{"kernel", options->kernel},
          {"target", options->target},
          {"statics", bindings(options->statics, options->static_count)},
          {"tunables", bindings(options->tunables, options->tunable_count)},
          {"present", present},
          {"views", views},
          {"hints", bindings(options->dimension_hints, options->dimension_hint_count)},
          {"schedule", options->schedule},
          {"checked", options->checked_mode}};
}

/// The artifact's metadata: the module's, with what the options decide.
static json metadataFor(const json &tree, const tw_compiler_options *options) {
  json metadata = tree.value("metadata", json::object());
  for (const json &kernel : tree["kernels"])
    if (kernel["name"] == options->kernel)
      for (const auto &[key, value] : kernel.items())
        metadata[key] = value;
  json statics = bindings(options->statics, options->static_count);
  for (json &parameter : metadata["parameters"]) {
    std::string dtype = parameter["dtype"];
    if (statics.contains(dtype))
      parameter["dtype"] = statics[dtype];
    if (dtype.rfind("accum(", 0) == 0)
      parameter["dtype"] = "f32";
    if (parameter.value("optional", false))
      metadata["present"][parameter["name"].get<std::string>()] = false;
  }
  for (size_t index = 0; index < options->present_view_count; ++index)
    metadata["present"][options->present_views[index]] = true;
  for (size_t index = 0; index < options->view_count; ++index) {
    const tw_compiler_view_facts &facts = options->views[index];
    metadata["unit_stride"][facts.parameter] = facts.unit_stride_dimension;
    metadata["pack_rank"][facts.parameter] = facts.pack_rank;
    metadata["alignment"][facts.parameter] = facts.alignment;
  }
  for (const json &constant : metadata.value("statics", json::array()))
    if (constant["kind"] == "constant")
      metadata["constants"][constant["name"].get<std::string>()] =
          std::stoll(statics[constant["name"].get<std::string>()].get<std::string>());
  for (const json &tunable : metadata.value("tunables", json::array())) {
    json bound = bindings(options->tunables, options->tunable_count);
    std::string name = tunable;
    metadata["chosen"][name] = bound.contains(name) ? std::stoll(bound[name].get<std::string>()) : 64;
  }
  bool isForGpu = std::string(options->target).rfind("sm_", 0) == 0;
  metadata["target"] = isForGpu ? "cuda" : options->target;
  metadata["processor"] = isForGpu ? options->target : "fake";
  metadata["checked"] = options->checked_mode != 0;
  if (!metadata.contains("grid"))
    metadata["grid"] = "product";
  return metadata;
}

static std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

extern "C" {

TW_COMPILER_API int fake_compiler_compilations(void) {
  return compilations;
}
TW_COMPILER_API int fake_compiler_open_handles(void) {
  return openModules + openTexts;
}
TW_COMPILER_API const char *fake_compiler_last_options(void) {
  return lastOptions.c_str();
}

uint32_t tw_compiler_interface_version(void) {
#ifdef FAKE_VERSION
  return FAKE_VERSION;
#else
  return TW_COMPILER_INTERFACE_VERSION;
#endif
}
const char *tw_compiler_build_id(void) {
  return FAKE_BUILD;
}
const char *tw_compiler_text_data(const tw_compiler_text *text) {
  return text->bytes.data();
}
size_t tw_compiler_text_size(const tw_compiler_text *text) {
  return text->bytes.size();
}
void tw_compiler_text_release(tw_compiler_text *text) {
  openTexts -= text != nullptr;
  delete text;
}

tw_compiler_status tw_compiler_check(const char *name, const char *source, size_t length, tw_compiler_import import,
                                     void *context, int colour, tw_compiler_module **module, tw_compiler_text **diagnostics) {
  json tree = json::parse(source, source + length, nullptr, false);
  if (!tree.is_object()) {
    *diagnostics = text(std::string(name) + ":1:1: error: this is no JSON object\n");
    return TW_COMPILER_INVALID_SOURCE;
  }
  for (const json &path : tree.value("imports", json::array())) {
    const char *imported;
    size_t importedLength;
    if (!import(context, path.get<std::string>().c_str(), name, &imported, &importedLength)) {
      *diagnostics = text(std::string(name) + ":1:1: error: there is no file " + path.get<std::string>() + "\n");
      return TW_COMPILER_INVALID_SOURCE;
    }
    tree.merge_patch(json::parse(imported, imported + importedLength));
  }
  if (tree.contains("error")) {
    *diagnostics = text(tree["error"]);
    return TW_COMPILER_INVALID_SOURCE;
  }
  if (tree.contains("warning"))
    *diagnostics = text(tree["warning"]);
  ++openModules;
  *module = new tw_compiler_module{tree};
  return TW_COMPILER_OK;
}

void tw_compiler_module_release(tw_compiler_module *module) {
  openModules -= module != nullptr;
  delete module;
}

tw_compiler_status tw_compiler_describe(const tw_compiler_module *module, tw_compiler_text **description) {
  *description = text(json{{"kernels", module->tree["kernels"]}}.dump());
  return TW_COMPILER_OK;
}

tw_compiler_status tw_compiler_compile(const tw_compiler_module *module, const tw_compiler_options *options,
                                       tw_compiler_text **artifact, tw_compiler_text **diagnostics) {
  ++compilations;
  const json &tree = module->tree;
  if (tree.contains("log"))
    std::ofstream(tree["log"].get<std::string>(), std::ios::app) << 'c';
  std::this_thread::sleep_for(std::chrono::milliseconds(tree.value("delay", 0)));
  {
    std::lock_guard lock(mutex);
    lastOptions = describeOptions(options).dump();
  }
  if (tree.contains("say"))
    puts(tree["say"].get<std::string>().c_str());
  if (tree.contains("signal"))
    raise(tree["signal"].get<int>());
  if (tree.contains("exit"))
    _exit(tree["exit"].get<int>());
  if (tree.contains("fail")) {
    *diagnostics = text(tree["diagnostic"]);
    return static_cast<tw_compiler_status>(tree["fail"].get<int>());
  }
  std::string metadata = metadataFor(tree, options).dump(), code = readFile(tree["object"]);
  uint64_t lengths[2] = {metadata.size(), code.size()};
  std::string bytes = "TWARTIF1";
  bytes.append(reinterpret_cast<const char *>(lengths), sizeof(lengths));
  bytes += metadata + code;
  *artifact = text(bytes.substr(0, tree.value("truncate", bytes.size())));
  if (tree.contains("compile_warning"))
    *diagnostics = text(tree["compile_warning"]);
  return TW_COMPILER_OK;
}

/// "tunables": hundreds of each size.
tw_compiler_status tw_compiler_emit(const tw_compiler_module *module, const tw_compiler_options *options, const char *stage,
                                    tw_compiler_text **output, tw_compiler_text **diagnostics) {
  if (std::string(stage) != "tunables" || module->tree.contains("fail")) {
    *diagnostics = text("error: nothing is chosen");
    return TW_COMPILER_INVALID_OPTIONS;
  }
  if (module->tree.contains("log"))
    std::ofstream(module->tree["log"].get<std::string>(), std::ios::app) << 't';
  std::string chosen;
  json sizes = bindings(options->dimension_hints, options->dimension_hint_count);
  for (const auto &[name, value] : sizes.items())
    chosen += name + " = " + std::to_string(std::stoll(value.get<std::string>()) / 100) + "\n";
  *output = text(std::move(chosen));
  return TW_COMPILER_OK;
}

tw_compiler_status tw_compiler_information(tw_compiler_text **information) {
  *information = text(R"({"version": "fake"})");
  return TW_COMPILER_OK;
}

} // extern "C"
