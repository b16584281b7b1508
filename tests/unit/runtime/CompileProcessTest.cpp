#include "runtime/CompileProcess.h"
#include "runtime/CompilerLibrary.h"
#include "runtime/CompilerOptions.h"
#include "tests/unit/runtime/TestSupport.h"

#include <csignal>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

using namespace tilewright::runtime;
using namespace tilewright::runtime::test;

static Log quiet(nullptr, nullptr, TW_LOG_OFF);

// ---- Messages ---------------------------------------------------------------------------------------------------------------

/// A request that uses every field. The source imports what it is.
static CompileRequest everything(const json &imported = addSource()) {
  CompileRequest request;
  request.source = {"main.tile",
                    R"({"imports": ["a.tile", "b.tile"]})",
                    {{"a.tile", "main.tile", "{}"}, {"b.tile", "main.tile", imported.dump()}}};
  request.specialization.kernel = "add";
  request.specialization.target = "cpu";
  request.specialization.schedule = "reference";
  request.specialization.checked = true;
  request.specialization.remarks = true;
  request.specialization.statics = {{"T", "f32"}};
  request.specialization.tunables = {{"BM", "64"}, {"BN", "16"}};
  request.specialization.hints = {{"N", "1000"}};
  request.specialization.presentViews = {"a", "b"};
  request.specialization.views = {{"a", {-1, 2, 64}}, {"c", {0, 1, 4}}};
  return request;
}

TEST(CompileMessage, IsReadAsItWasWritten) {
  CompileRequest request = everything();
  std::optional<CompileRequest> read = decodeRequest(encode(request));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->source.key(), request.source.key());
  EXPECT_EQ(read->specialization.key(), request.specialization.key());
  EXPECT_EQ(read->source.imports.at(1).importer, "main.tile");

  std::string bytes("\0\xff\n", 3);
  std::optional<CompileAnswer> answer = decodeAnswer(encode(CompileAnswer{TW_COMPILER_UNSUPPORTED, bytes, "text"}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, TW_COMPILER_UNSUPPORTED);
  EXPECT_EQ(answer->output, bytes);
  EXPECT_EQ(answer->diagnostics, "text");
}

TEST(CompileMessage, APartIsNone) {
  std::string request = encode(everything()), answer = encode(CompileAnswer{TW_COMPILER_OK, "artifact", ""});
  for (size_t size = 0; size < request.size(); ++size)
    ASSERT_FALSE(decodeRequest(std::string_view(request).substr(0, size))) << size;
  for (size_t size = 0; size < answer.size(); ++size)
    ASSERT_FALSE(decodeAnswer(std::string_view(answer).substr(0, size))) << size;
  EXPECT_FALSE(decodeRequest(request + "x"));
  EXPECT_FALSE(decodeRequest(answer)); // of another kind
}

TEST(CompileMessage, TextsHaveOneKey) {
  SourceTexts a = {"n", "ab", {}}, b = {"na", "b", {}}, c = {"n", "ab", {{"", "", ""}}};
  EXPECT_NE(a.key(), b.key());
  EXPECT_NE(a.key(), c.key());
  EXPECT_EQ(a.key(), (SourceTexts{"n", "ab", {}}.key()));
}

// ---- The process ------------------------------------------------------------------------------------------------------------

static CompileAnswer compileHere(const CompileRequest &request, const json &source) {
  CompilerLibrary library(fakeFile("Compiler"), quiet);
  const CompilerSymbols &compiler = **library.get();
  std::string text = source.dump();
  CompilerText none(compiler), artifact(compiler), diagnostics(compiler);
  tw_compiler_module *module = nullptr;
  compiler.check("x", text.data(), text.size(), nullptr, nullptr, 0, &module, &none.text);
  CompilerOptions options(request.specialization);
  tw_compiler_status status = compiler.compile(module, &options.raw, &artifact.text, &diagnostics.text);
  compiler.module_release(module);
  return {status, std::string(artifact.view()), std::string(diagnostics.view())};
}

static std::string outcome(const json &imported) {
  Result<CompileAnswer> answer = compileInProcess(fakeFile("Compiler"), everything(imported));
  return answer.ok() ? answer->status == TW_COMPILER_OK ? "compiled" : answer->diagnostics : answer.status().message();
}

static json with(const char *key, const json &value) {
  json source = addSource();
  source[key] = value;
  return source;
}

TEST(CompileProcess, GivesTheSameArtifact) {
  int before = FakeCompiler().compilations();
  Result<CompileAnswer> there = compileInProcess(fakeFile("Compiler"), everything());
  ASSERT_TRUE(there.ok()) << there.status().message();
  EXPECT_EQ(there->status, TW_COMPILER_OK);
  EXPECT_EQ(FakeCompiler().compilations(), before);
  EXPECT_EQ(there->output, compileHere(everything(), addSource()).output);
}

TEST(CompileProcess, TellsDiagnostics) {
  json failing = with("fail", TW_COMPILER_UNSUPPORTED);
  failing["diagnostic"] = "add.tile:1:1: error: why\n";
  Result<CompileAnswer> answer = compileInProcess(fakeFile("Compiler"), everything(failing));
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->status, TW_COMPILER_UNSUPPORTED);
  EXPECT_EQ(answer->diagnostics, "add.tile:1:1: error: why\n");
}

TEST(CompileProcess, ThatIsEndedIsAStatus) {
  for (auto [signal, name] : {std::pair(SIGKILL, "SIGKILL"), {SIGSEGV, "SIGSEGV"}, {SIGTERM, "SIGTERM"}})
    EXPECT_EQ(outcome(with("signal", signal)),
              std::string("the compiler's process was ended by ") + name + " while it compiled kernel add");
  EXPECT_EQ(outcome(with("exit", 3)), "the compiler's process ended with exit status 3 while it compiled kernel add");
  EXPECT_EQ(outcome(addSource()), "compiled");
}

TEST(CompileProcess, ThatPrintsAnswersAllTheSame) {
  EXPECT_EQ(outcome(with("say", "LLVM has something to say")), "compiled");
}

TEST(CompileProcess, WithoutACompilerIsAMessage) {
  Result<CompileAnswer> answer = compileInProcess(fakeFile("absent"), everything());
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_EQ(answer->status, TW_COMPILER_FAILED);
  EXPECT_EQ(answer->diagnostics.find("error: the compiler cannot be loaded: "), 0u) << answer->diagnostics;
}

TEST(CompileProcess, WithoutItsProgramIsAStatus) {
  Result<CompileAnswer> answer = compileInProcess("/nowhere/libtilewright-compiler.so.0", everything());
  EXPECT_EQ(answer.status().code(), TW_COMPILER_UNAVAILABLE);
  EXPECT_NE(answer.status().message().find("tilewright-compile is neither in /nowhere/ nor in "), std::string::npos);
}

TEST(CompileProcess, ManyAtOnce) {
  std::vector<std::thread> hosts;
  for (int host = 0; host < 8; ++host)
    hosts.emplace_back([host] {
      EXPECT_EQ(outcome(host % 2 ? with("signal", SIGKILL) : addSource()),
                host % 2 ? "the compiler's process was ended by SIGKILL while it compiled kernel add" : "compiled");
    });
  for (std::thread &host : hosts)
    host.join();
}

TEST(CompileProcess, OfAHostThatIgnoresItsChildren) {
  auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(outcome(addSource()), "compiled");
  EXPECT_EQ(outcome(with("signal", SIGKILL)),
            "the compiler's process ended (how is unknown: the host collects its children) while it compiled kernel add");
  std::signal(SIGCHLD, before);
}

TEST(CompileProcess, OfAHostThatBlocksSignals) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  std::string end = outcome(with("signal", SIGTERM));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(end, "the compiler's process was ended by SIGTERM while it compiled kernel add");
}

TEST(CompileProcess, OfAHostWithoutStandardStreams) {
  int kept[3];
  for (int stream = 0; stream < 3; ++stream) {
    kept[stream] = fcntl(stream, F_DUPFD_CLOEXEC, 10);
    close(stream);
  }
  std::string end = outcome(with("say", "unheard"));
  for (int stream = 0; stream < 3; ++stream) {
    dup2(kept[stream], stream);
    close(kept[stream]);
  }
  EXPECT_EQ(end, "compiled");
}

// ---- $TILEWRIGHT_COMPILE ----------------------------------------------------------------------------------------------------

/// Sets the variable for a time.
struct Variable {
  explicit Variable(const char *value) { setenv("TILEWRIGHT_COMPILE", value, 1); }
  ~Variable() { unsetenv("TILEWRIGHT_COMPILE"); }
};

TEST(CompileProcess, IsUsedIfTheEnvironmentSaysSo) {
  tilewright::Context context = [] {
    Variable variable("process");
    return makeContext();
  }();
  int before = FakeCompiler().compilations();
  float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, c[8] = {};
  auto run = [&](const json &source) {
    return makeKernel(context, source).run({{"a", {a, {8}}}, {"b", {a, {8}}}, {"c", {c, {8}}}});
  };
  EXPECT_TRUE(run(addSource()).ok());
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(c[i], 2 * a[i]);
  EXPECT_EQ(FakeCompiler().compilations(), before);

  tilewright::Result<void> killed = run(with("signal", SIGSEGV));
  ASSERT_FALSE(killed.ok());
  EXPECT_EQ(killed.error().status(), TW_COMPILATION_FAILED);
  EXPECT_EQ(killed.error().message(), "the compiler's process was ended by SIGSEGV while it compiled kernel add");
}

TEST(CompileProcess, TheVariableHasOneValue) {
  Variable variable("thread");
  tilewright::Result<tilewright::Context> context = tilewright::Context::create({});
  ASSERT_FALSE(context.ok());
  EXPECT_EQ(context.error().message(),
            "$TILEWRIGHT_COMPILE is `thread`, expected `process` (compile in a process of its own) or nothing");
}
