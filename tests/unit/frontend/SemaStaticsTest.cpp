// Statics, tunables, and what the host is told of them.
#include "tests/unit/frontend/Fixtures.h"

using namespace tilewright::frontend;
using namespace tilewright::frontend::tests;
using namespace tilewright::frontend::tests::analysis;

TEST(SemaStatics, EveryMemberOfAClassIsChecked) {
  expectFault("kernel k<T: float>(x: T[N], y: out f16[N]) over (i in N by B) { if T == bf16 { y[i] = x[i]; } else { y[i] = "
              "f16(x[i]); } }",
              "x[i]", "store to `y`: expected f16, found bf16[i]");
}

TEST(SemaStatics, BothValuesOfABoolAreChecked) {
  expectFault(
      "kernel k<c: bool = false>(x: f64[N], y: out f32[N]) over (i in N by B) { if c { y[i] = x[i]; } else { y[i] = 0; } }",
      "x[i]", "store to `y`: expected f32, found f64[i]");
}

TEST(SemaStatics, BranchesOnAnIntegerAreBothChecked) {
  expectFault(
      "kernel k<c: i64 = 0>(x: f64[N], y: out f32[N]) over (i in N by B) { if c > 0 { y[i] = x[i]; } else { y[i] = 0; } }",
      "x[i]", "store to `y`: expected f32, found f64[i]");
}

TEST(SemaStatics, ABranchLeavesNoCode) {
  std::string text = "kernel k<c: bool>(y: out f32[N]) over (i in N by B) { if c { y[i] = 1; } else { y[i] = 2; } }";
  Specialization specialization;
  specialization.statics["c"] = "true";
  EXPECT_EQ(dump(text, specialization),
            "kernel k<c = true>\n  view y: out f32[N]\n  dimension N\n  tunable B\n  grid i in 0..N by B\n  y[i] = 1.0\n");
}

TEST(SemaStatics, AFunctionStaticHasItsType) {
  expectFault("fn f(x: f64) -> f64 = x;\nkernel k<act: fn(f32) -> f32 = f>(x: f32[N], y: out f32[N]) over (i in N by B) { y[i] "
              "= act(x[i]); }",
              "f", "`f` is not a function of type `fn(f32) -> f32`, which `act` needs");
}

TEST(SemaStatics, FunctionsAreBoundByName) {
  std::string text = "fn f<R: real>(x: R) -> R = x;\nkernel k<act: fn(f32) -> f32>(x: bf16[N], y: out f32[N]) over (i in N by "
                     "B) { y[i] = act(x[i]); }";
  for (const char *name : {"f", "tanh", "abs", "deriv(f)", "deriv(deriv(sin))"}) {
    Specialization specialization;
    specialization.statics["act"] = name;
    expectDump(text, "y[i] = " + std::string(name) + "(f32(x[i]))", specialization);
  }
}

TEST(SemaStatics, WrongBindingsSayWhatIsAllowed) {
  std::string text = "fn gelu(x: f32) -> f32 = x;\nfn add(x: f32, z: f32) -> f32 = x;\n"
                     "kernel k<T: float, act: fn(f32) -> f32 = gelu, n: i32 = 1>(x: T[N], o: f32[N]?, y: out T[N]) over (i in "
                     "N by BN) { y[i] = T(act(x[i])); }";
  auto fault = [&](const Specialization &specialization) {
    std::vector<Fault> faults = specializationFaults(text, specialization);
    EXPECT_EQ(faults.size(), 1u);
    return faults.empty() ? "" : faults[0].message + " | " + faults[0].hint;
  };
  Specialization good;
  good.statics["T"] = "f32";
  auto with = [&](const std::string &name, const std::string &value) {
    Specialization changed = good;
    changed.statics[name] = value;
    return fault(changed);
  };
  EXPECT_EQ(fault({}), "no value is given for the static `T` | it is one of `f32`, `f16`, `bf16`, `f8e4m3` and `f8e5m2`");
  EXPECT_EQ(with("T", "f64"),
            "`T=f64`: expected a dtype that the kernel allows | it is one of `f32`, `f16`, `bf16`, `f8e4m3` and `f8e5m2`");
  EXPECT_EQ(with("act", "gelo"), "`act=gelo`: the file has no function `gelo` | did you mean `gelu`?");
  EXPECT_EQ(with("act", "add"), "`add` is not a function of type `fn(f32) -> f32`, which `act` needs | ");
  EXPECT_EQ(with("n", "3000000000"), "`n=3000000000`: expected an integer of i32 | it is a constant, such as `n=1`");
  EXPECT_EQ(with("S", "f32"), "`k` has no static `S` | it has `T`, `act` and `n`");
  Specialization tunable = good;
  tunable.tunables["BM"] = 3;
  EXPECT_EQ(fault(tunable), "`k` has no tunable `BM` | did you mean `BN`?");
  Specialization view = good;
  view.presentViews = {"p"};
  EXPECT_EQ(fault(view), "`k` has no view `p` | its optional views are `o`");
}

TEST(SemaStatics, AnUnknownKernelHasASuggestion) {
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Module::check("test.tile", kernelOf(""), resolve, diagnostics);
  EXPECT_EQ(module->specialize("kk", {}, diagnostics), nullptr);
  EXPECT_EQ(faultsOf(diagnostics).at(0).message, "there is no kernel `kk`");
}

TEST(SemaTunables, ATunableIsNoValue) {
  expectBodyFault("let t = BM;", "BM", "`BM` is a tunable, which has no value in a kernel");
  EXPECT_EQ(check(kernelOf("let BM = 1;")).at(0).message, "`BM` is a tunable, as it stands after `by`");
}

TEST(SemaTunables, TheirValuesMakeCapacities) {
  Specialization specialization;
  specialization.tunables = {{"BM", 64}, {"BN", 32}};
  expectDump(kernelOf(""), "grid i in 0..M by BM = 64", specialization);
  specialization.tunables = {{"BM", 1024}, {"BN", 1024}};
  std::vector<Fault> faults = specializationFaults(kernelOf("let t = x[i, j, else 0];"), specialization);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].message, "a tile f32[i, j] of 1024 × 1024 elements is too large; the limit is 262144");
}

TEST(SemaTunables, TuneNarrows) {
  Specialization specialization;
  specialization.tunables = {{"BM", 48}};
  std::string text = kernelOf("tune BM in [32, 2 * 32];");
  EXPECT_EQ(specializationFaults(text, specialization).at(0).message, "`BM` = 48 is not among the values to tune");
  expectDump(text, "tunable BM in [32, 64]");
  expectBodyFault("tune BM in [0];", "0", "`tune` needs positive constants, found 0");
  expectBodyFault("tune BX in [1];", "BX", "`BX` is not a tunable", "did you mean `BM`?");
}

TEST(SemaTunables, RequirementsOnTunables) {
  std::string text = kernelOf("require BM % 16 == 0, \"whole rows\";");
  expectDump(text, "require ((BM % 16) == 0), \"whole rows\"");
  Specialization specialization;
  specialization.tunables = {{"BM", 24}};
  EXPECT_EQ(specializationFaults(text, specialization).at(0).message, "requirement not met: whole rows");
}

TEST(SemaSignature, TellsWhatTheHostMustKnow) {
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Module::check("test.tile",
                                                 "/// Copies.\nkernel k<T: f16 | bf16, D: i64, c: bool = false>(x: T[M, D], y: "
                                                 "out T[M, D]) over (i in M by BM) { let d = span(D); y[i, d] = x[i, d]; }",
                                                 resolve, diagnostics);
  EXPECT_EQ(render(diagnostics), "");
  const KernelSignature *signature = module->signature("k");
  ASSERT_NE(signature, nullptr);
  EXPECT_EQ(signature->documentation, "Copies.");
  ASSERT_EQ(signature->statics.size(), 3u);
  EXPECT_EQ(signature->statics[0].dtypes, (std::vector<DType>{DType::F16, DType::BF16}));
  EXPECT_TRUE(signature->statics[1].isDimension);
  EXPECT_EQ(signature->statics[2].defaultText, "false");
  EXPECT_EQ(signature->tunables, std::set<std::string>{"BM"});
  EXPECT_EQ(module->kernelNames(), std::vector<std::string>{"k"});
}
