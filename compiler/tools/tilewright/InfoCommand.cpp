// `tilewright info`: versions, targets, limits.
#include "compiler/tools/tilewright/Commands.h"
#include "compiler/tools/tilewright/CompilerLibrary.h"
#include "tilewright/runtime_c.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tilewright::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string textOf(const Json &value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Json compilerInformation() {
  CompilerText text;
  if (compilerLibrary().information(&text.handle) != TW_COMPILER_OK)
    throw failure("the compiler gives no information");
  Json information = Json::parse(text.str());
  information["build"] = compilerLibrary().build_id();
  return information;
}

int32_t threads() {
  tw_context *context = nullptr;
  if (tw_context_create(nullptr, &context, nullptr) != TW_OK)
    return 1;
  int32_t count = tw_context_threads(context);
  tw_context_release(context);
  return count;
}

/// tw_devices.
Json devices() {
  char *text = nullptr;
  if (tw_devices(&text, nullptr) != TW_OK)
    return Json::object();
  Json result = Json::parse(text);
  tw_text_release(text);
  return result;
}

/// "+avx2,-avx512f,+fma" → "avx2 fma".
std::string enabledFeatures(const std::string &features) {
  std::string enabled, feature;
  for (std::istringstream list(features); std::getline(list, feature, ',');)
    if (feature.starts_with('+'))
      enabled += (enabled.empty() ? "" : " ") + feature.substr(1);
  return enabled;
}

void printLine(const std::string &name, const std::string &value) {
  std::printf("%-10s %s\n", name.c_str(), value.c_str());
}

void print(const Json &information) {
  printLine("tilewright", tw_version());
  printLine("compiler", textOf(information.value("version", Json("?"))) + ", LLVM " +
                            textOf(information.value("llvm", Json("?"))) + ", build " + textOf(information["build"]));
  printLine("threads", std::to_string(threads()));
  Json targets = information.value("targets", Json::array());
  for (const Json &target : targets) {
    printLine("target",
              textOf(target.value("name", Json("?"))) + ", processor " + textOf(target.value("processor", Json("?"))));
    printLine("features", enabledFeatures(textOf(target.value("features", Json("")))));
  }
  Json known = devices();
  for (const Json &device : known.value("devices", Json::array()))
    printLine("device", textOf(device["target"]) + ": " + textOf(device["name"]) + ", " + textOf(device["architecture"]) +
                            ", " + textOf(device["multiprocessors"]) + " multiprocessors, " +
                            textOf(device["shared_bytes_per_block"]) + " bytes of shared memory for a block");
  if (std::string trouble = textOf(known.value("cuda", Json(""))); !trouble.empty())
    printLine("cuda", trouble);
  Json limits = information.value("limits", Json::object());
  for (const auto &[name, value] : limits.items())
    printLine("limit", name + ": " + textOf(value));
}

} // namespace

void addInfoCommand(CLI::App &program) {
  auto asJson = std::make_shared<bool>(false);
  CLI::App *command = program.add_subcommand("info", "Print versions, targets and limits");
  command->add_flag("--json", *asJson, "Print JSON");
  command->footer("Example:\n  tilewright info");
  command->callback([asJson] {
    Json information = compilerInformation();
    if (!*asJson)
      return print(information);
    information["runtime"] = tw_version();
    information["threads"] = threads();
    information.update(devices());
    std::printf("%s\n", information.dump(2).c_str());
  });
}

} // namespace tilewright::tools
