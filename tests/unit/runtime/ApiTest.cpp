// The C interface and the C++ one over it: handles, errors as values, signatures, modules.
#include "tests/unit/runtime/TemporaryFolder.h"
#include "tests/unit/runtime/TestSupport.h"

#include <thread>

using namespace tilewright::runtime::test;
using tilewright::Context;

TEST(Api, ErrorsAreValues) {
  tw_error *error = nullptr;
  tw_module *module = nullptr;
  EXPECT_EQ(tw_module_from_file(nullptr, "x.tile", nullptr, &module, &error), TW_INVALID_ARGUMENT);
  EXPECT_EQ(tw_error_status(error), TW_INVALID_ARGUMENT);
  EXPECT_STREQ(tw_error_message(error), "context, path or module is null");
  EXPECT_STREQ(tw_error_diagnostics(error), "");
  tw_error_release(error);
  EXPECT_EQ(tw_module_from_file(nullptr, "x.tile", nullptr, &module, nullptr), TW_INVALID_ARGUMENT); // nobody wants to know
  EXPECT_EQ(tw_error_status(nullptr), TW_OK);
  EXPECT_STREQ(tw_error_message(nullptr), "");
  tw_error_release(nullptr);
  for (int status = TW_OK; status <= TW_INTERNAL_ERROR; ++status)
    EXPECT_STRNE(tw_status_name(static_cast<tw_status>(status)), "unknown status");
  EXPECT_STREQ(tw_status_name(static_cast<tw_status>(99)), "unknown status");
}

TEST(Api, NullHandlesAreReleasedAndAskedInPeace) {
  tw_context_release(nullptr);
  tw_module_release(nullptr);
  tw_kernel_release(nullptr);
  tw_launchable_release(nullptr);
  EXPECT_EQ(tw_kernel_parameter(nullptr, 0), nullptr);
  EXPECT_EQ(tw_module_kernel_count(nullptr), 0u);
  EXPECT_EQ(tw_launch(nullptr, nullptr, 0, nullptr), TW_INVALID_ARGUMENT);
}

TEST(Api, StructSizesOfOtherVersionsAreUnderstood) {
  tw_context *context = nullptr;
  tw_context_options options = {};
  EXPECT_EQ(tw_context_create(&options, &context, nullptr), TW_INVALID_ARGUMENT); // 0: forgotten
  options.threads = 3;
  options.struct_size = offsetof(tw_context_options, threads); // a caller that does not know `threads`
  ASSERT_EQ(tw_context_create(&options, &context, nullptr), TW_OK);
  EXPECT_NE(tw_context_threads(context), 0);
  tw_context_release(context);
  struct {
    tw_context_options options;
    char more[64];
  } newer = {};
  newer.options.threads = 3;
  newer.options.struct_size = sizeof(newer);
  ASSERT_EQ(tw_context_create(&newer.options, &context, nullptr), TW_OK);
  EXPECT_EQ(tw_context_threads(context), 3);
  tw_context_release(context);
}

TEST(Api, NoCompilerIsNeededUntilAKernelIs) {
  tilewright::Result<Context> context = Context::create({.compilerLibrary = "/nowhere/compiler.so"});
  ASSERT_TRUE(context.ok());
  tilewright::Result<tilewright::Module> module = context->parse("x.tile", "{}");
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.error().status(), TW_COMPILER_UNAVAILABLE);
  EXPECT_EQ(context->readyKernels("linear.tile").error().status(), TW_COMPILER_UNAVAILABLE);
  EXPECT_EQ(context->readyKernels("linear").error().status(), TW_NOT_FOUND);
}

TEST(Api, AWrongTextGivesItsDiagnostics) {
  Context context = makeContext();
  json wrong = {{"error", "x.tile:3:7: error: there is no axis named k\n    acc += x[i, k];\n                ^\n"}};
  tilewright::Result<tilewright::Module> module = context.parse("x.tile", wrong.dump());
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.error().status(), TW_INVALID_SOURCE);
  EXPECT_EQ(module.error().message(), "x.tile:3:7: error: there is no axis named k");
  EXPECT_EQ(module.error().diagnostics(), wrong["error"].get<std::string>());
}

TEST(Api, WarningsAreKept) {
  json text = addSource();
  text["warning"] = "x.tile:1:1: warning: unused\n";
  EXPECT_EQ(makeContext().parse("x.tile", text.dump())->warnings(), "x.tile:1:1: warning: unused\n");
}

TEST(Api, SignaturesAreTold) {
  Context context = makeContext();
  json linear = linearSignature();
  linear["documentation"] = "y = act(x w)";
  tilewright::Kernel kernel = makeKernel(context, {{"kernels", {linear}}});
  EXPECT_EQ(kernel.name(), "linear");
  EXPECT_EQ(kernel.documentation(), "y = act(x w)");
  ASSERT_EQ(kernel.parameterCount(), 5u);
  EXPECT_STREQ(kernel.parameter(0).dtype, "T");
  EXPECT_EQ(kernel.parameter(0).dimension_count, 2u);
  EXPECT_STREQ(kernel.parameter(0).dimensions[0].text, "M...");
  EXPECT_EQ(kernel.parameter(0).dimensions[0].kind, TW_DIMENSION_PACK);
  EXPECT_EQ(kernel.parameter(2).optional, 1);
  EXPECT_EQ(kernel.parameter(3).access, TW_ACCESS_OUT);
  EXPECT_EQ(kernel.parameter(4).kind, TW_PARAMETER_SCALAR);
  EXPECT_STREQ(kernel.parameter(4).default_text, "0.5");
  EXPECT_EQ(kernel.parameter(4).default_real, 0.5);
  ASSERT_EQ(kernel.staticCount(), 2u);
  EXPECT_EQ(kernel.staticInfo(0).dtype_count, 2u);
  EXPECT_STREQ(kernel.staticInfo(1).default_text, "identity");
  EXPECT_EQ(kernel.tunable(1), "BN");
  EXPECT_EQ(tw_kernel_parameter(kernel.raw(), 5), nullptr);
}

TEST(Api, KernelsAreFoundByName) {
  Context context = makeContext();
  json two = {{"kernels", {linearSignature(), addSource()["kernels"][0]}}};
  tilewright::Result<tilewright::Module> module = context.parse("two.tile", two.dump());
  EXPECT_EQ(module->kernelNames(), (std::vector<std::string>{"linear", "add"}));
  EXPECT_TRUE(module->kernel("add").ok());
  EXPECT_EQ(module->kernel("lineer").error().message(), "two.tile has no kernel lineer (did you mean linear?)");
  EXPECT_EQ(module->kernel("lineer").error().status(), TW_NOT_FOUND);
  EXPECT_EQ(module->kernel().error().message(), "two.tile has several kernels, name one of them: linear, add");
}

TEST(Api, ImportsAreAskedOfTheHost) {
  Context context = makeContext();
  const std::string imported = addSource().dump();
  std::string asked;
  auto import = [&](std::string_view path, std::string_view importer) -> const std::string * {
    asked = std::string(path) + " in " + std::string(importer);
    return path == "add.tile" ? &imported : nullptr;
  };
  EXPECT_EQ(context.parse("main.tile", R"({"imports": ["add.tile"]})", import)->kernelNames().at(0), "add");
  EXPECT_EQ(asked, "add.tile in main.tile");
  EXPECT_EQ(context.parse("main.tile", R"({"imports": ["sub.tile"]})", import).error().message(),
            "main.tile:1:1: error: there is no file sub.tile");
}

TEST(Api, ImportsAreFilesBesideTheImporter) {
  TemporaryFolder folder;
  std::ofstream(folder / "main.tile") << R"({"imports": ["other.tile"]})";
  std::ofstream(folder / "other.tile") << addSource().dump();
  Context context = makeContext();
  tilewright::Result<tilewright::Module> module = context.load(folder / "main.tile");
  ASSERT_TRUE(module.ok()) << module.error().message();
  EXPECT_EQ(module->kernelNames().at(0), "add");
  EXPECT_EQ(context.load(folder / "none.tile").error().status(), TW_NOT_FOUND);
}

TEST(Api, HandlesMayBeReleasedInAnyOrder) {
  FakeCompiler compiler;
  int before = compiler.openHandles();
  {
    auto context = std::make_unique<Context>(makeContext());
    auto kernel = std::make_unique<tilewright::Kernel>(makeKernel(*context, addSource()));
    context.reset();
    float a[8] = {1}, b[8] = {2}, c[8];
    tilewright::Result<tilewright::Launchable> add = kernel->prepare({{"a", {a, {8}}}, {"b", {b, {8}}}, {"c", {c, {8}}}});
    ASSERT_TRUE(add.ok()) << add.error().message();
    kernel.reset();
    EXPECT_TRUE(add->launch().ok());
    EXPECT_EQ(c[0], 3);
  }
  EXPECT_EQ(compiler.openHandles(), before);
}

TEST(Api, TheCompilerTellsAboutItself) {
  Context context = makeContext();
  char *text = nullptr;
  ASSERT_EQ(tw_context_compiler_information(context.raw(), &text, nullptr), TW_OK);
  EXPECT_EQ(json::parse(text)["version"], "fake");
  tw_text_release(text);
}

TEST(Api, LogsGoToTheHost) {
  std::vector<std::string> lines;
  tilewright::ContextOptions options;
  options.logUser = &lines;
  options.logLevel = TW_LOG_DEBUG;
  options.log = [](void *user, tw_log_level, const char *message) {
    static_cast<std::vector<std::string> *>(user)->push_back(message);
  };
  makeKernel(makeContext(2, options), addSource());
  ASSERT_FALSE(lines.empty());
  EXPECT_NE(lines[0].find("loaded the compiler"), std::string::npos);
}

TEST(Api, ViewsAreInferred) {
  Context context = makeContext();
  tilewright::Kernel linear = makeKernel(context, {{"kernels", {linearSignature()}}});
  float x[2 * 3 * 8], w[5 * 8];
  tilewright::Result<std::vector<tw_view_type>> types = linear.inferViews({{"x", {x, {2, 3, 8}}}, {"w", {w, {5, 8}}}});
  ASSERT_TRUE(types.ok()) << types.error().message();
  EXPECT_EQ((*types)[2].present, 0);
  EXPECT_EQ((*types)[3].rank, 3);
  EXPECT_EQ((*types)[3].shape[2], 5);
  EXPECT_EQ((*types)[3].dtype, TW_F32);
}

TEST(Api, AResultThatHoldsAnErrorIsNotUsed) {
  EXPECT_DEATH(*makeContext().load("/nowhere.tile"), "used a result that holds an error: cannot read /nowhere.tile");
}
