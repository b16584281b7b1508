// Names: what they mean and where, in a file and across imports.
#include "tests/unit/frontend/Fixtures.h"

#include <algorithm>

using namespace tilewright::frontend;
using namespace tilewright::frontend::tests;
using namespace tilewright::frontend::tests::analysis;

// --------------------------------------------------------------------------------------------------------------------
// Names (§3.1)
// --------------------------------------------------------------------------------------------------------------------

TEST(SemaNames, AnUnknownNameHasASuggestion) {
  expectBodyFault("let t = scal * 2;", "scal", "unknown name `scal`", "did you mean `scale`?");
}

TEST(SemaNames, AWrongNameIsReportedOnce) {
  EXPECT_EQ(check(kernelOf("let t = nothing; let u = t + 1; let v = u * t;")).size(), 1u);
}

TEST(SemaNames, SeveralFaultsAreFoundInOneRun) {
  EXPECT_EQ(check(kernelOf("let t = nothing; let u = x[i, j, 0]; let v = flag[i, j] + 1;")).size(), 3u);
}

TEST(SemaNames, NamesAreNeverShadowed) {
  expectBodyFault("let x = 1;", "x", "`x` is already defined; names are never shadowed");
  expectBodyFault("let t = 1; if scale > 0 { let t = 2; }", "t", "`t` is already defined; names are never shadowed");
  expectBodyFault("let M = 1;", "M", "`M` is already defined; names are never shadowed");
  expectBodyFault("let sum = 1;", "sum", "`sum` is a built-in function; names are never shadowed");
  expectBodyFault("for i in K by BK { }", "i", "`i` is already defined; names are never shadowed");
}

TEST(SemaNames, AFunctionIsNotShadowedByAParameter) {
  expectFault("fn f(x: f32) -> f32 = x;\nkernel k(f: f32[N], y: out f32[N]) over (i in N by B) { y[i] = 0; }", "f",
              "`f` is already defined; names are never shadowed");
}

TEST(SemaNames, ANameIsVisibleInItsBlockOnly) {
  expectBodyFault("for k2 in K by BK { let t = 1; } let u = t;", "t", "unknown name `t`");
  EXPECT_CLEAN(kernelOf("if scale > 0 { let t = 1; } else { let t = 2; }\n for q in 3 { let t = q; }"));
}

TEST(SemaNames, TopLevelNamesAreUnique) {
  expectFault("let a = 1;\nfn a(x: f32) -> f32 = x;", "a", "`a` is already defined");
  expectFault("fn exp(x: f32) -> f32 = x;", "exp", "`exp` is a built-in function; names are never shadowed");
  expectFault(
      "kernel k(y: out f32[N]) over (i in N by B) { y[i] = 0; }\nkernel k(y: out f32[N]) over (i in N by B) { y[i] = 0; }", "k",
      "`k` is already defined");
}

TEST(SemaNames, ABranchThatIsNotTakenIsCheckedForNames) {
  std::string kernel =
      "kernel k<c: i64 = 0>(y: out f32[N]) over (i in N by B) { if c > 5 and 1 > 2 { y[i] = nothing; } y[i] = 0; }";
  expectFault(kernel, "nothing", "unknown name `nothing`");
}

// --------------------------------------------------------------------------------------------------------------------
// Imports (§3.16)
// --------------------------------------------------------------------------------------------------------------------

TEST(SemaImports, BringNames) {
  EXPECT_CLEAN("import \"one.tile\";\nfn f(x: f32) -> f32 = one(x) + unit;");
  EXPECT_CLEAN("import \"one.tile\" as o;\nfn one(x: f32) -> f32 = o.one(x) + o.unit;");
  expectFault("import \"one.tile\" as o;\nfn f(x: f32) -> f32 = o.two(x);", "two", "`one.tile` declares no `two`");
}

TEST(SemaImports, DoNotBringKernelsOrImports) {
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Module::check("test.tile", "import \"one.tile\";", resolve, diagnostics);
  EXPECT_TRUE(module->kernelNames().empty());
  expectFault("import \"middle.tile\";\nfn f(x: f32) -> f32 = one(x);", "one", "unknown name `one`");
}

TEST(SemaImports, OneFileIsOneFile) {
  EXPECT_CLEAN("import \"one.tile\";\nimport \"one.tile\";\nimport \"middle.tile\";");
}

TEST(SemaImports, AClashIsAnError) {
  expectFault("import \"one.tile\";\nfn one(x: f32) -> f32 = x;", "one", "`one` is already defined");
  expectFault("import \"one.tile\";\nimport \"also_one.tile\";", "\"also_one.tile\"",
              "`also_one.tile` brings `one`, which is already defined");
}

TEST(SemaImports, AMissingFile) {
  expectFault("import \"activation.tile\";", "\"activation.tile\"", "cannot find the imported file `activation.tile`",
              "did you mean `activations.tile`?");
}

TEST(SemaImports, NoCircles) {
  expectFault("import \"circle.tile\";\nlet a = 1;", "\"circle.tile\"",
              "files import each other: circle.tile → turn.tile → circle.tile");
}

TEST(SemaImports, AliasedFunctionsBindStatics) {
  Specialization specialization;
  specialization.statics["act"] = "act_file.mish";
  expectDump("import \"activations.tile\" as act_file;\nkernel k<act: fn(f32) -> f32>(x: f32[N], y: out f32[N]) over (i in N "
             "by B) { y[i] = act(x[i]); }",
             "y[i] = mish(x[i])", specialization);
}

// --------------------------------------------------------------------------------------------------------------------
// The standard library, and the kernels of tests/semantics
// --------------------------------------------------------------------------------------------------------------------

TEST(SemaLibrary, TheStandardLibraryIsClean) {
  for (const char *file : {"activations.tile", "math.tile"})
    EXPECT_CLEAN(readRepositoryFile("compiler/stdlib/" + std::string(file)));
  EXPECT_CLEAN("import \"activations.tile\";\nimport \"math.tile\";");
}

TEST(SemaLibrary, EveryActivationHasADerivative) {
  std::string text = "import \"activations.tile\";\n"
                     "kernel k<act: fn(f32) -> f32>(x: f32[N], y: out f32[N]) over (i in N by B) { y[i] = deriv(act)(x[i]); }";
  for (const char *name : {"identity", "relu", "leaky_relu", "squared_relu", "gelu", "gelu_erf", "silu", "sigmoid", "tanh",
                           "softplus", "smelu", "hard_swish", "mish"}) {
    Specialization specialization;
    specialization.statics["act"] = name;
    EXPECT_NE(dump(text, specialization), "") << name;
  }
}

TEST(SemaLibrary, TheLanguageReferencesKernelsCheckAndSpecialize) {
  std::string text = readRepositoryFile("tests/semantics/kernels.tile");
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Module::check("kernels.tile", text, resolve, diagnostics);
  ASSERT_EQ(render(diagnostics), "");
  EXPECT_EQ(module->kernelNames().size(), 28u);
  for (const std::string &kernel : module->kernelNames())
    for (bool present : {false, true})
      for (DType dtype : {DType::F32, DType::BF16, DType::F8E4M3}) {
        const KernelSignature &signature = *module->signature(kernel);
        Specialization specialization;
        for (const KernelSignature::Static &each : signature.statics) {
          bool allowed = std::find(each.dtypes.begin(), each.dtypes.end(), dtype) != each.dtypes.end();
          if (each.kind == ast::StaticParameter::Kind::Type)
            specialization.statics[each.name] = name(allowed ? dtype : each.dtypes.front());
          else if (!each.defaultText)
            specialization.statics[each.name] = each.kind == ast::StaticParameter::Kind::Constant ? "8"
                                                : each.name == "gate"                             ? "swiglu"
                                                                                                  : "gelu";
        }
        for (const ast::Parameter &parameter : signature.declaration->parameters)
          if (parameter.optional && present)
            specialization.presentViews.insert(parameter.name.text);
        std::unique_ptr<typed::Kernel> typed = module->specialize(kernel, specialization, diagnostics);
        EXPECT_NE(typed, nullptr) << kernel << " " << name(dtype);
        EXPECT_EQ(render(diagnostics), "");
      }
}
