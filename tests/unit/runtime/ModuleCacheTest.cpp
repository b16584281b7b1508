// The disk cache behind modules and kernels, with the fake compiler: who compiles, and who need not.
#include "runtime/CompilerBuild.h"
#include "runtime/DiskCache.h"
#include "tests/unit/runtime/TemporaryFolder.h"
#include "tests/unit/runtime/TestSupport.h"
#include "tilewright/compiler_c.h"

#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilewright::runtime;
using namespace tilewright::runtime::test;
using tilewright::ContextOptions;
using tilewright::View;

namespace {

struct KeptLog {
  static void record(void *self, tw_log_level, const char *message) {
    static_cast<KeptLog *>(self)->lines.emplace_back(message);
  }
  std::vector<std::string> lines;
};

ContextOptions cachedIn(const TemporaryFolder &folder) {
  ContextOptions options;
  options.cacheDirectory = folder.path;
  return options;
}

/// A context with the compiler of that name.
tilewright::Context makeContext(const std::string &compiler, ContextOptions options) {
  options.compilerLibrary = compiler;
  options.threads = 2;
  tilewright::Result<tilewright::Context> context = tilewright::Context::create(options);
  EXPECT_TRUE(context.ok());
  return std::move(*context);
}

/// One that compiles in processes of their own.
tilewright::Context makeContextOfProcesses(const std::string &compiler, ContextOptions options) {
  setenv("TILEWRIGHT_COMPILE", "process", 1);
  tilewright::Context context = makeContext(compiler, std::move(options));
  unsetenv("TILEWRIGHT_COMPILE");
  return context;
}

/// Prepares and runs add; the launchable's info.from_cache, or -1 if the sums are wrong.
int runAdd(const tilewright::Context &context, const json &source,
           const std::vector<std::pair<std::string, std::string>> &bindings = {}) {
  float a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40}, c[4] = {};
  tilewright::Result<tilewright::Launchable> add =
      makeKernel(context, source)
          .prepare({{"a", View(a, {4})}, {"b", View(b, {4})}, {"c", View(c, {4})}}, {.bindings = bindings});
  EXPECT_TRUE(add.ok()) << add.error().message();
  if (!add.ok() || !add->launch() || c[0] != 11 || c[3] != 44)
    return -1;
  return add->info().from_cache;
}

} // namespace

TEST(ModuleCache, ANewContextFindsWhatAnotherCompiled) {
  TemporaryFolder folder;
  FakeCompiler compiler;
  int before = compiler.compilations();
  tilewright::Context first = makeContext(fakeFile("Compiler"), cachedIn(folder)),
                      second = makeContext(fakeFile("Compiler"), cachedIn(folder));
  EXPECT_EQ(runAdd(first, addSource()), 0);
  EXPECT_EQ(runAdd(second, addSource()), 1);
  EXPECT_EQ(compiler.compilations(), before + 1);
  EXPECT_EQ(first.statistics().compilations, 1u);
  EXPECT_EQ(first.statistics().disk_hits, 0u);
  EXPECT_EQ(second.statistics().compilations, 0u);
  EXPECT_EQ(second.statistics().disk_hits, 1u);
  EXPECT_EQ(runAdd(second, addSource()), 1);
  EXPECT_EQ(second.statistics().disk_hits, 1u) << "now it is in memory";
  EXPECT_EQ(second.statistics().cache_hits, 1u);
}

// A copy of the library under another name is the same build, and can be seen not to be there.
TEST(ModuleCache, AHitDoesNotLoadTheCompiler) {
  TemporaryFolder folder, copies;
  std::string copy = copies / "Copy.so";
  std::filesystem::copy_file(fakeFile("Compiler"), copy);
  EXPECT_EQ(runAdd(makeContext(fakeFile("Compiler"), cachedIn(folder)), addSource()), 0);
  tilewright::Context context = makeContext(copy, cachedIn(folder));
  EXPECT_EQ(runAdd(context, addSource()), 1);
  EXPECT_EQ(dlopen(copy.c_str(), RTLD_NOLOAD | RTLD_LAZY), nullptr);
  json other = addSource();
  other["comment"] = "another text";
  EXPECT_EQ(runAdd(context, other), 0);
  EXPECT_NE(dlopen(copy.c_str(), RTLD_NOLOAD | RTLD_LAZY), nullptr);
}

TEST(ModuleCache, AModuleFromTheCacheCompilesWhatIsMissing) {
  TemporaryFolder folder;
  json source = addSource();
  source["kernels"][0]["tunables"] = {"BN"};
  EXPECT_EQ(runAdd(makeContext(fakeFile("Compiler"), cachedIn(folder)), source, {{"BN", "8"}}), 0);
  tilewright::Context context = makeContext(fakeFile("Compiler"), cachedIn(folder));
  EXPECT_EQ(runAdd(context, source, {{"BN", "16"}}), 0) << "another specialization";
  EXPECT_EQ(runAdd(context, source, {{"BN", "8"}}), 1);
}

TEST(ModuleCache, AnotherBuildOfTheCompilerFindsNothing) {
  TemporaryFolder folder;
  EXPECT_EQ(readBuildNote(fakeFile("Compiler")), "fake");
  EXPECT_EQ(readBuildNote(fakeFile("CompilerOfAnotherBuild")), "another");
  EXPECT_EQ(runAdd(makeContext(fakeFile("Compiler"), cachedIn(folder)), addSource()), 0);
  EXPECT_EQ(runAdd(makeContext(fakeFile("CompilerOfAnotherBuild"), cachedIn(folder)), addSource()), 0);
  EXPECT_EQ(runAdd(makeContext(fakeFile("CompilerOfAnotherBuild"), cachedIn(folder)), addSource()), 1);
  EXPECT_EQ(runAdd(makeContext(fakeFile("Compiler"), cachedIn(folder)), addSource()), 1) << "the first's is still there";
}

TEST(ModuleCache, ACompilerWithoutANoteIsAsked) {
  TemporaryFolder folder;
  EXPECT_EQ(readBuildNote(fakeFile("CompilerWithoutNote")), std::nullopt);
  EXPECT_EQ(readBuildNote(fakeFile("Absent")), std::nullopt);
  EXPECT_EQ(runAdd(makeContext(fakeFile("CompilerWithoutNote"), cachedIn(folder)), addSource()), 0);
  EXPECT_EQ(runAdd(makeContext(fakeFile("CompilerWithoutNote"), cachedIn(folder)), addSource()), 1);
}

TEST(ModuleCache, NoNoteIsReadFromWhatIsNoLibrary) {
  TemporaryFolder folder;
  std::string bytes = readFile(fakeFile("Compiler"));
  for (size_t length : {size_t(0), size_t(10), size_t(64), size_t(100), size_t(300)}) {
    std::ofstream(folder / "short.so", std::ios::trunc) << bytes.substr(0, length);
    EXPECT_EQ(readBuildNote(folder / "short.so"), std::nullopt) << length;
  }
}

TEST(ModuleCache, OffCompilesEachTime) {
  ContextOptions options;
  options.cacheDirectory = "";
  EXPECT_EQ(runAdd(makeContext(fakeFile("Compiler"), options), addSource()), 0);
  EXPECT_EQ(runAdd(makeContext(fakeFile("Compiler"), options), addSource()), 0);
}

TEST(ModuleCache, TheEnvironmentNamesTheFolder) {
  TemporaryFolder folder;
  setenv("TILEWRIGHT_CACHE_DIR", folder.path.c_str(), 1);
  int first = runAdd(makeContext(fakeFile("Compiler"), {}), addSource());
  int second = runAdd(makeContext(fakeFile("Compiler"), {}), addSource());
  setenv("TILEWRIGHT_CACHE_DIR", "off", 1);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
}

TEST(ModuleCache, AnImportWithAnotherTextIsNoHit) {
  TemporaryFolder folder, sources;
  json main = {{"imports", {sources / "part.json"}}};
  auto write = [&](json part) { std::ofstream(sources / "part.json", std::ios::trunc) << part; };
  auto run = [&] { return runAdd(makeContext(fakeFile("Compiler"), cachedIn(folder)), main); };
  json part = addSource();
  write(part);
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(run(), 1);
  json changed = part;
  changed["comment"] = "another text";
  write(changed);
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(run(), 1);
  write(part);
  EXPECT_EQ(run(), 1) << "its artifact is still there";
}

TEST(ModuleCache, ImportsAreNotAskedForAfterTheModuleIsMade) {
  TemporaryFolder folder;
  json main = {{"imports", {"part"}}}, source = addSource();
  source["kernels"][0]["tunables"] = {"BN"};
  std::string part = source.dump();
  int asked = 0;
  tilewright::Import import = [&](std::string_view, std::string_view) { return ++asked, &part; };
  auto run = [&](const tilewright::Context &context, const char *block) {
    tilewright::Result<tilewright::Module> module = context.parse("test.tile", main.dump(), import);
    EXPECT_TRUE(module.ok());
    int before = asked;
    float a[4] = {}, b[4] = {}, c[4] = {};
    tilewright::Result<tilewright::Launchable> add = module->kernel()->prepare(
        {{"a", View(a, {4})}, {"b", View(b, {4})}, {"c", View(c, {4})}}, {.bindings = {{"BN", block}}});
    EXPECT_TRUE(add.ok()) << add.error().message();
    EXPECT_EQ(asked, before);
    return add.ok() && add->info().from_cache;
  };
  EXPECT_FALSE(run(makeContext(fakeFile("Compiler"), cachedIn(folder)), "8"));
  EXPECT_FALSE(run(makeContext(fakeFile("Compiler"), cachedIn(folder)), "16")) << "checked when it has to be compiled";
  EXPECT_TRUE(run(makeContext(fakeFile("Compiler"), cachedIn(folder)), "16"));
}

TEST(ModuleCache, WarningsAreToldAgain) {
  TemporaryFolder folder;
  json source = addSource();
  source["warning"] = "test.tile:1:1: warning: checked\n";
  source["compile_warning"] = "test.tile:1:1: warning: compiled\n";
  for (int round = 0; round < 2; ++round) {
    KeptLog log;
    ContextOptions options = cachedIn(folder);
    options.log = KeptLog::record;
    options.logUser = &log;
    tilewright::Context context = makeContext(fakeFile("Compiler"), options);
    EXPECT_EQ(runAdd(context, source), round);
    EXPECT_EQ(log.lines, std::vector<std::string>{source["compile_warning"]}) << round;
    EXPECT_EQ(context.parse("test.tile", source.dump())->warnings(), source["warning"].get<std::string>()) << round;
  }
}

TEST(ModuleCache, CodeForAnotherProcessorIsCompiledAgain) {
  TemporaryFolder folder;
  json source = addSource();
  EXPECT_EQ(runAdd(makeContext(fakeFile("Compiler"), cachedIn(folder)), source), 0);
  // As if the processor had lost a feature since: an artifact that asks for one is put under the same key.
  KeptLog log;
  Log quiet(nullptr, nullptr, TW_LOG_OFF);
  DiskCache cache({folder.path}, quiet);
  Result<std::vector<DiskCacheRow>> rows = cache.list();
  for (const DiskCacheRow &row : *rows) {
    if (row.entry.kind != "artifact")
      continue;
    DiskCacheEntry entry = **cache.read(row);
    std::string key, from = "\"checked\":false", to = "\"features\":[\"avx9000\"],\"checked\":false";
    for (size_t at = 0; at < row.key.size(); at += 2)
      key.push_back(static_cast<char>(std::stoi(row.key.substr(at, 2), nullptr, 16)));
    size_t place = entry.bytes.find(from);
    ASSERT_NE(place, std::string::npos);
    entry.bytes.replace(place, from.size(), to);
    uint64_t length;
    std::memcpy(&length, entry.bytes.data() + 8, 8);
    length += to.size() - from.size();
    std::memcpy(entry.bytes.data() + 8, &length, 8);
    cache.store(key, entry);
  }
  ContextOptions options = cachedIn(folder);
  options.log = KeptLog::record;
  options.logUser = &log;
  EXPECT_EQ(runAdd(makeContext(fakeFile("Compiler"), options), source), 0);
  ASSERT_EQ(log.lines.size(), 1u);
  EXPECT_NE(log.lines[0].find("this one lacks avx9000"), std::string::npos) << log.lines[0];
  EXPECT_EQ(runAdd(makeContext(fakeFile("Compiler"), cachedIn(folder)), source), 1);
}

TEST(ModuleCache, ManyProcessesCompileOnce) {
  TemporaryFolder folder, other;
  json source = addSource();
  source["delay"] = 300;
  source["log"] = other / "compilations";
  std::vector<pid_t> children;
  for (int child = 0; child < 5; ++child) {
    children.push_back(fork());
    if (children.back() == 0)
      _exit(runAdd(makeContext(fakeFile("Compiler"), cachedIn(folder)), source) < 0);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(readFile(other / "compilations"), "c");
}

TEST(ModuleCache, WhoeverWaitsGoesOnWhenTheCompilingProcessDies) {
  TemporaryFolder folder, other;
  json source = addSource();
  source["delay"] = 500;
  source["log"] = other / "compilations";
  pid_t child = fork();
  if (child == 0)
    _exit(runAdd(makeContext(fakeFile("Compiler"), cachedIn(folder)), source) < 0);
  while (readFile(other / "compilations").empty())
    usleep(1000);
  std::thread killer([&] {
    usleep(50'000);
    kill(child, SIGKILL);
  });
  EXPECT_EQ(runAdd(makeContext(fakeFile("Compiler"), cachedIn(folder)), source), 0);
  killer.join();
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "it had not finished";
  EXPECT_EQ(readFile(other / "compilations"), "cc");
}

TEST(ModuleCache, TwoContextsOfOneProcessCompileOnce) {
  TemporaryFolder folder, other;
  json source = addSource();
  source["delay"] = 200;
  source["log"] = other / "compilations";
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread)
    threads.emplace_back([&] { EXPECT_GE(runAdd(makeContext(fakeFile("Compiler"), cachedIn(folder)), source), 0); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(readFile(other / "compilations"), "c");
}

TEST(ModuleCache, AFailureIsNotKept) {
  TemporaryFolder folder;
  json source = addSource();
  source["fail"] = TW_COMPILER_UNSUPPORTED;
  source["diagnostic"] = "error: no\n";
  for (int round = 0; round < 2; ++round) {
    tilewright::Context context = makeContext(fakeFile("Compiler"), cachedIn(folder));
    float a[4] = {}, b[4] = {}, c[4] = {};
    tilewright::Result<tilewright::Launchable> add =
        makeKernel(context, source).prepare({{"a", View(a, {4})}, {"b", View(b, {4})}, {"c", View(c, {4})}});
    EXPECT_FALSE(add.ok());
  }
}

// ---- $TILEWRIGHT_COMPILE=process --------------------------------------------------------------------------------------------

TEST(ModuleCache, WhereAKernelWasCompiledMakesNoDifference) {
  TemporaryFolder folder, other;
  json source = addSource();
  source["kernels"][0]["tunables"] = {"BN"};
  source["log"] = other / "compilations";
  auto here = [&](const char *block) {
    return runAdd(makeContext(fakeFile("Compiler"), cachedIn(folder)), source, {{"BN", block}});
  };
  auto there = [&](const char *block) {
    return runAdd(makeContextOfProcesses(fakeFile("Compiler"), cachedIn(folder)), source, {{"BN", block}});
  };
  FakeCompiler compiler;
  int before = compiler.compilations();
  EXPECT_EQ(there("8"), 0);
  EXPECT_EQ(compiler.compilations(), before) << "it was another process";
  EXPECT_EQ(there("8"), 1);
  EXPECT_EQ(here("8"), 1);
  EXPECT_EQ(here("16"), 0);
  EXPECT_EQ(there("16"), 1);
  EXPECT_EQ(readFile(other / "compilations"), "cc");
}

TEST(ModuleCache, AHitNeedsNeitherTheCompilerNorItsProgram) {
  TemporaryFolder folder, copies; // no tilewright-compile is beside the copy
  std::string copy = copies / "Copy.so";
  std::filesystem::copy_file(fakeFile("Compiler"), copy);
  EXPECT_EQ(runAdd(makeContextOfProcesses(fakeFile("Compiler"), cachedIn(folder)), addSource()), 0);
  EXPECT_EQ(runAdd(makeContextOfProcesses(copy, cachedIn(folder)), addSource()), 1);
  EXPECT_EQ(dlopen(copy.c_str(), RTLD_NOLOAD | RTLD_LAZY), nullptr);
}

TEST(ModuleCache, AProcessGetsTheImportsOfAModuleFromTheCache) {
  TemporaryFolder folder, sources;
  json part = addSource();
  part["kernels"][0]["tunables"] = {"BN"};
  std::ofstream(sources / "part.json") << part;
  json main = {{"imports", {sources / "part.json"}}};
  EXPECT_EQ(runAdd(makeContext(fakeFile("Compiler"), cachedIn(folder)), main, {{"BN", "8"}}), 0);
  EXPECT_EQ(runAdd(makeContextOfProcesses(fakeFile("Compiler"), cachedIn(folder)), main, {{"BN", "16"}}), 0);
  EXPECT_EQ(runAdd(makeContext(fakeFile("Compiler"), cachedIn(folder)), main, {{"BN", "16"}}), 1);
}

TEST(ModuleCache, WhoeverWantsWhatAProcessCompilesWaitsForIt) {
  TemporaryFolder folder, other;
  json source = addSource();
  source["delay"] = 200;
  source["log"] = other / "compilations";
  std::vector<tilewright::Context> contexts;
  for (int context = 0; context < 3; ++context)
    contexts.push_back(makeContextOfProcesses(fakeFile("Compiler"), cachedIn(folder)));
  std::vector<std::thread> threads;
  for (const tilewright::Context &context : contexts)
    threads.emplace_back([&] { EXPECT_GE(runAdd(context, source), 0); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(readFile(other / "compilations"), "c");
}

TEST(ModuleCache, AProcessThatDiedLeavesNothing) {
  TemporaryFolder folder;
  json source = addSource();
  source["signal"] = SIGKILL;
  for (int round = 0; round < 2; ++round) {
    tilewright::Context context = makeContextOfProcesses(fakeFile("Compiler"), cachedIn(folder));
    float a[4] = {}, b[4] = {}, c[4] = {};
    tilewright::Result<tilewright::Launchable> add =
        makeKernel(context, source).prepare({{"a", View(a, {4})}, {"b", View(b, {4})}, {"c", View(c, {4})}});
    ASSERT_FALSE(add.ok());
    EXPECT_NE(add.error().message().find("was ended by SIGKILL"), std::string_view::npos) << add.error().message();
  }
}
