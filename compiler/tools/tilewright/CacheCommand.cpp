// `tilewright cache list|show|prune|clear`: what lies in the disk cache, and how it goes.
#include "compiler/tools/tilewright/Commands.h"
#include "compiler/tools/tilewright/Runtime.h"

#include <nlohmann/json.hpp>

#include <cinttypes>
#include <ctime>
#include <memory>
#include <sstream>

namespace tilewright::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t shownDigits = 12;

Json listOfEntries() {
  char *text = nullptr;
  call([&](tw_error **error) { return tw_cache_list(nullptr, &text, error); });
  std::unique_ptr<char, Release<tw_text_release>> owner(text);
  return Json::parse(text);
}

Json entry(const std::string &key) {
  char *text = nullptr;
  call([&](tw_error **error) { return tw_cache_show(nullptr, key.c_str(), &text, error); });
  std::unique_ptr<char, Release<tw_text_release>> owner(text);
  return Json::parse(text);
}

/// "43.5 KiB"
std::string sizeText(int64_t bytes) {
  char text[32];
  if (bytes < 1024)
    std::snprintf(text, sizeof(text), "%" PRId64 " B", bytes);
  else if (bytes < 1024 * 1024)
    std::snprintf(text, sizeof(text), "%.1f KiB", static_cast<double>(bytes) / 1024);
  else
    std::snprintf(text, sizeof(text), "%.1f MiB", static_cast<double>(bytes) / (1024 * 1024));
  return text;
}

/// "2026-03-01 17:05", local time.
std::string timeText(int64_t seconds) {
  std::time_t time = static_cast<std::time_t>(seconds);
  std::tm parts = {};
  localtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &parts);
  return text;
}

std::string compiledIn(const Json &entry) {
  if (!entry.contains("compile_nanoseconds"))
    return "";
  char text[32];
  std::snprintf(text, sizeof(text), "%.0f ms", entry["compile_nanoseconds"].get<double>() * 1e-6);
  return text;
}

/// Null, numbers and lists as JSON writes them, texts bare.
std::string textOf(const Json &value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void list(bool asJson) {
  Json cache = listOfEntries();
  if (asJson) {
    std::printf("%s\n", cache.dump(2).c_str());
    return;
  }
  int64_t bytes = 0;
  for (const Json &entry : cache["entries"]) {
    bytes += entry["bytes"].get<int64_t>();
    std::printf("%s  %-8s  %10s  %8s  %s  %s\n", textOf(entry["key"]).substr(0, shownDigits).c_str(),
                textOf(entry["kind"]).c_str(), sizeText(entry["bytes"]).c_str(), compiledIn(entry).c_str(),
                timeText(entry["used"]).c_str(), textOf(entry["name"]).c_str());
  }
  std::printf("%zu entries, %s, in %s\n", cache["entries"].size(), sizeText(bytes).c_str(), textOf(cache["directory"]).c_str());
}

void show(const std::string &key, bool asJson) {
  Json found = entry(key);
  if (asJson) {
    std::printf("%s\n", found.dump(2).c_str());
    return;
  }
  auto line = [](const char *name, const std::string &value) { std::printf("%-11s %s\n", name, value.c_str()); };
  line("key", textOf(found["key"]));
  line("kind", textOf(found["kind"]));
  line("name", textOf(found["name"]));
  line("size", sizeText(found["bytes"]));
  bool isCompilers = found["kind"] == "artifact" || found["kind"] == "module" || found["kind"] == "choice";
  line(isCompilers ? "compiler" : "made by", (isCompilers ? "build " : "") + textOf(found["build"]));
  line("created", timeText(found["created"]));
  line("last used", timeText(found["used"]) + " (noted once an hour)");
  if (!isCompilers) {
    line("made in", compiledIn(found));
    line("target", textOf(found["target"]));
  }
  const Json &contents = found["contents"];
  if (found["kind"] == "artifact") {
    line("compiled in", compiledIn(found));
    line("target", textOf(found["target"]));
    for (const char *name :
         {"processor", "features", "checked", "present", "constants", "chosen", "unit_stride", "alignment", "grid", "scratch"})
      if (contents.contains(name))
        line(name, textOf(contents[name]));
  } else if (found["kind"] == "choice") {
    line("target", textOf(found["target"]));
    std::istringstream lines(textOf(contents));
    for (std::string chosen; std::getline(lines, chosen);)
      line("chosen", chosen);
  } else if (contents.contains("kernels")) {
    for (const Json &kernel : contents["kernels"])
      line("kernel", textOf(kernel["name"]));
  }
  if (std::string warnings = textOf(found["warnings"]); !warnings.empty())
    line("warnings", warnings);
}

void prune(int64_t bytes) {
  int64_t removed = 0;
  call([&](tw_error **error) { return tw_cache_prune(nullptr, bytes, &removed, error); });
  std::printf("removed %" PRId64 " entries\n", removed);
}

void addList(CLI::App &cache) {
  auto asJson = std::make_shared<bool>(false);
  CLI::App *command = cache.add_subcommand("list", "Print what is in the cache, the most recently used first");
  command->add_flag("--json", *asJson, "Print JSON");
  command->footer("Columns: key, kind, size, time to compile, last use, name.\nExample:\n  tilewright cache list");
  command->callback([asJson] { list(*asJson); });
}

void addShow(CLI::App &cache) {
  struct Options {
    std::string key;
    bool asJson = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App *command = cache.add_subcommand("show", "Print everything about one entry");
  command->add_option("KEY", options->key, "The first digits of its key, as list prints it")->required()->type_name("");
  command->add_flag("--json", options->asJson, "Print JSON");
  command->footer("Example:\n  tilewright cache show 3fa94c81d2e0");
  command->callback([options] { show(options->key, options->asJson); });
}

void addPrune(CLI::App &cache) {
  auto bytes = std::make_shared<uint64_t>(0);
  CLI::App *command = cache.add_subcommand("prune", "Remove the least recently used entries");
  command->add_option("--to", *bytes, "How much may stay: bytes, or with a unit: 500KB, 64MB, 1GB (of 1024)")
      ->required()
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(uint64_t(0), uint64_t(INT64_MAX)))
      ->type_name("SIZE");
  command->footer("Example:\n  tilewright cache prune --to 64MB");
  command->callback([bytes] { prune(static_cast<int64_t>(*bytes)); });
}

void addClear(CLI::App &cache) {
  CLI::App *command = cache.add_subcommand("clear", "Remove all entries, also from a damaged file");
  command->footer("Example:\n  tilewright cache clear");
  command->callback([] {
    call([](tw_error **error) { return tw_cache_clear(nullptr, error); });
    std::printf("the cache is empty\n");
  });
}

} // namespace

void addCacheCommand(CLI::App &program) {
  CLI::App *command = program.add_subcommand("cache", "See and trim the cache of compiled kernels on the disk");
  command->require_subcommand(1);
  command->footer("The cache is in $TILEWRIGHT_CACHE_DIR (off: there is none), else $XDG_CACHE_HOME/tilewright, else\n"
                  "~/.cache/tilewright. It trims itself, and may be removed at any time.\n"
                  "Example:\n  tilewright cache list");
  addList(*command);
  addShow(*command);
  addPrune(*command);
  addClear(*command);
}

} // namespace tilewright::tools
