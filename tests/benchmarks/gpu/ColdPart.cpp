// How long the first launch takes in a new process: from the text, and from the disk cache.
//
// Each measurement is a process of its own: this program, started again, which initializes the driver, makes a context current
// and takes memory before the clock starts, as a host does that has a GPU already.
#include "tests/benchmarks/gpu/Session.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace benchmarks {

namespace {

using nlohmann::json;
using tilewright::View;

constexpr double mostCold = 600e3, mostFromDisk = 15e3; // microseconds

/// Milliseconds since the last call.
class Steps {
public:
  double next() {
    auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::milli>(now - std::exchange(last, now)).count();
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

bool compilerIsLoaded() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("libtilewright-compiler") != std::string::npos)
      return true;
  return false;
}

/// A folder that the cache takes: closed to others.
class TemporaryFolder {
public:
  TemporaryFolder() {
    path = (std::filesystem::temp_directory_path() / "tilewright-benchmark-XXXXXX").string();
    if (!mkdtemp(path.data()))
      throw Failure("cannot make a temporary folder " + path);
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string path;
};

/// What a child measured. cacheDirectory: "": none.
json runChild(const Session &session, const std::string &cacheDirectory) {
  // Without a cache of ours, the driver has none either: what it assembles itself would make the second process warm.
  std::string command = std::string(cacheDirectory.empty() ? "CUDA_CACHE_DISABLE=1 '" : "'") +
                        std::filesystem::read_symlink("/proc/self/exe").string() + "' --cold-child '" + cacheDirectory +
                        "' --cold-size " + std::to_string(session.options.coldSize);
  std::FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    throw Failure("cannot start " + command);
  std::string text;
  char block[4096];
  while (size_t count = std::fread(block, 1, sizeof(block), pipe))
    text.append(block, count);
  int code = pclose(pipe);
  json result = json::parse(text, nullptr, false);
  if (code != 0 || !result.is_object())
    throw Failure(command + " ended with status " + std::to_string(code) + ": " + text);
  return result;
}

/// So many children; each step's median.
class Children {
public:
  Children(const Session &session, const std::string &cacheDirectory, int count) {
    for (int index = 0; index < count; ++index)
      results.push_back(runChild(session, cacheDirectory));
  }

  const std::vector<json> &all() const { return results; }
  Times microseconds(const std::function<double(const json &)> &milliseconds) const {
    std::vector<double> values;
    for (const json &result : results)
      values.push_back(1e3 * milliseconds(result));
    return timesOf(values);
  }
  /// "prepare 3.51 ms".
  std::string step(const char *name) const {
    char text[64];
    std::snprintf(text, sizeof(text), "%s %.2f ms", name,
                  1e-3 * microseconds([&](const json &result) { return result.at(name).get<double>(); }).median);
    return text;
  }

private:
  std::vector<json> results;
};

/// Of the one cubin in the cache: how long the assembler took, in milliseconds; 0 if the driver assembles.
double assemblerMilliseconds(const std::string &cacheDirectory) {
  char *text = nullptr;
  if (tw_cache_list(cacheDirectory.c_str(), &text, nullptr) != TW_OK)
    throw Failure("the disk cache " + cacheDirectory + " cannot be read");
  json list = json::parse(text);
  tw_text_release(text);
  for (const json &entry : list.at("entries"))
    if (entry.at("kind") == "cubin")
      return entry.at("compile_nanoseconds").get<double>() * 1e-6;
  return 0;
}

std::string joined(const Children &children, std::initializer_list<const char *> names) {
  std::string text;
  for (const char *name : names)
    text += (text.empty() ? "" : ", ") + children.step(name);
  return text;
}

std::string outside(const Children &children) {
  return "; before that " + joined(children, {"cuInit", "context"});
}

} // namespace

void measureColdStart(Session &session) {
  const char *kernel = "linear, bias, GELU bf16";
  int processes = session.options.processes;
  session.measure("cold", std::string(kernel) + ", text to loaded code", [&](Row &row) {
    Children children(session, "", processes);
    for (const json &result : children.all())
      if (result.at("from cache"))
        throw Failure("a process without a cache did not compile");
    row.ours = children.microseconds([](const json &result) { return result.at("until prepared").get<double>(); });
    row.bar = atMost(row.ours->median, mostCold, "<= 600 ms");
    TemporaryFolder folder;
    runChild(session, folder.path);
    double assembler = assemblerMilliseconds(folder.path);
    row.remark =
        joined(children, {"create", "module", "prepare", "compile"}) + " of it, ptxas " +
        (assembler > 0 ? timeText(1e3 * assembler) + " of it (of one run with a cache)" : "none: the driver assembles") +
        outside(children);
  });
  session.measure("cold", std::string(kernel) + ", disk cache to submission", [&](Row &row) {
    TemporaryFolder folder;
    runChild(session, folder.path);
    Children children(session, folder.path, processes);
    for (const json &result : children.all())
      if (!result.at("from cache") || result.at("compiler is loaded"))
        throw Failure("a process with a filled cache loaded the compiler");
    row.ours = children.microseconds([](const json &result) { return result.at("until submitted").get<double>(); });
    row.bar = atMost(row.ours->median, mostFromDisk, "<= 15 ms");
    row.remark = joined(children, {"create", "module", "prepare", "launch"}) + "; then until it is done " +
                 children.step("wait") + outside(children);
  });
}

int runColdChild(const std::string &cacheDirectory, int64_t size) {
  Gpu gpu(0);
  std::vector<Address> memory;
  for (int64_t count : {size * size, size * size, size, size * size}) {
    memory.push_back(0);
    gpu.driver.check(gpu.driver.allocate(&memory.back(), static_cast<size_t>(count) * 2), "cuMemAlloc");
    gpu.driver.check(gpu.driver.fill(memory.back(), 0, static_cast<size_t>(count) * 2, gpu.stream), "cuMemsetD8Async");
  }
  gpu.synchronize();
  auto view = [&](int index, std::initializer_list<int64_t> shape) {
    return View(reinterpret_cast<void *>(memory[static_cast<size_t>(index)]), TW_BF16, shape);
  };

  Steps steps;
  tilewright::Context context = get(tilewright::Context::create({.cacheDirectory = cacheDirectory, .target = "cuda"}));
  double create = steps.next();
  tilewright::Module module = get(context.readyKernels("linear.tile"));
  double checked = steps.next();
  tilewright::Launchable linear = get(get(module.kernel("linear"))
                                          .prepare({{"x", view(0, {size, size})},
                                                    {"w", view(1, {size, size})},
                                                    {"b", view(2, {size})},
                                                    {"y", view(3, {size, size})}},
                                                   {.bindings = {{"act", "gelu"}}}));
  double prepare = steps.next();
  get(linear.launch({}, gpu.stream));
  double launch = steps.next();
  gpu.synchronize();
  double wait = steps.next();
  json result = {{"cuInit", gpu.initializeMilliseconds},
                 {"context", gpu.contextMilliseconds},
                 {"create", create},
                 {"module", checked},
                 {"prepare", prepare},
                 {"launch", launch},
                 {"wait", wait},
                 {"until prepared", create + checked + prepare},
                 {"until submitted", create + checked + prepare + launch},
                 {"compile", static_cast<double>(linear.info().compile_nanoseconds) * 1e-6},
                 {"from cache", linear.info().from_cache != 0},
                 {"compiler is loaded", compilerIsLoaded()}};
  std::printf("%s\n", result.dump().c_str());
  return 0;
}

} // namespace benchmarks
