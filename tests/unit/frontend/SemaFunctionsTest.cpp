// Functions and their derivatives.
#include "tests/unit/frontend/Fixtures.h"

using namespace tilewright::frontend;
using namespace tilewright::frontend::tests;
using namespace tilewright::frontend::tests::analysis;

// --------------------------------------------------------------------------------------------------------------------
// Functions (§3.9)
// --------------------------------------------------------------------------------------------------------------------

TEST(SemaFunctions, AFunctionAppliesToTilesOfAnyAxes) {
  expectBody("let t = f(x[i, 0, else 0], scale);", "fn f(a: f32[i], c: f32)", "fn f(a: f32, c: f32) -> f32 = a * c;\n");
}

TEST(SemaFunctions, CallsWithTheSameTypesShareAnInstance) {
  std::string found = dump(kernelOf("let t = f(scale); let u = f(t);", "fn f(a: f32) -> f32 = a * a;\n"));
  EXPECT_EQ(found.find("fn f("), found.rfind("fn f("));
}

TEST(SemaFunctions, ArgumentsConvertImplicitly) {
  expectBody("for k2 in K by BK { let t = f(w[j, k2]); }", "let t: f32[j, k2] = f(f32(w[j, k2]))",
             "fn f(a: f32) -> f32 = a;\n");
  EXPECT_EQ(check(kernelOf("let t = f(row[i]);", "fn f(a: f32) -> f32 = a;\n")).at(0).message,
            "argument 1 of `f`: expected f32, found i32[i]");
}

TEST(SemaFunctions, TypesOfGenericFunctionsAreInferred) {
  std::string generic = "fn f<R: real>(a: R) -> R = a * a;\n";
  expectBody("let t = f(wide[i, j]);", "fn f(a: f64[i, j])", generic);
  expectBody("for k2 in K by BK { let t = f(w[j, k2]); }", "let t: f32[j, k2] = f(f32(w[j, k2]))", generic);
  expectBody("let t = f(2);", "let t: f32 = f(2.0)", generic);
  EXPECT_EQ(check(kernelOf("let t = f(row[i]);", generic)).at(0).message, "`R` of `f` is one of `f32` and `f64`, found i32[i]");
}

TEST(SemaFunctions, AnAxisIsAParameter) {
  std::string softmax = "fn softmax(a: f32, over q) -> f32 { let p = exp(a - max(a, over q)); return p / sum(p, over q); }\n";
  expectBody("let t = softmax(x[i, 0, else 0], over i);", "let p: f32[i] = exp((a - max(a, over i)))", softmax);
  EXPECT_EQ(check(kernelOf("let t = softmax(x[i, 0, else 0]);", softmax)).at(0).message,
            "`softmax` takes 1 axis after `over`, found 0");
}

TEST(SemaFunctions, RecursionIsRefused) {
  std::vector<Fault> faults = check("fn f(x: f32) -> f32 = g(x);\nfn g(x: f32) -> f32 = f(x);");
  ASSERT_GE(faults.size(), 1u);
  EXPECT_EQ(faults[0].message, "`f` calls itself: f → g → f");
}

TEST(SemaFunctions, DeepNestsOfCallsAreRefused) {
  std::string text = "fn g0(x: f32) -> f32 = x;\n";
  for (int n = 1; n < 20; ++n) {
    text += "fn g" + std::to_string(n) + "(x: f32) -> f32 = g" + std::to_string(n - 1) + "(x)";
    for (int term = 0; term < 200; ++term)
      text += " + 1";
    text += ";\n";
  }
  std::vector<Fault> faults = check(kernelOf("let t = g19(scale);", text));
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(faults[0].message, "expressions and blocks, with the functions that they call, are nested deeper than 1500");
}

TEST(SemaFunctions, AFunctionIsPure) {
  expectFault("fn f(x: f32) -> f32 { print(x); return x; }", "print(x);", "a function is pure, so it has no `print`");
  expectFault("fn f(x: f32) -> f32 { while x > 0 { } return x; }", "while x > 0 { }",
              "a function is pure, so it has no `while`");
}

TEST(SemaFunctions, ConditionsAreFixed) {
  expectFault("fn f(x: f32) -> f32 { var t = x; if x > 0 { t = 1; } return t; }", "x > 0",
              "conditions in a function are fixed when it is compiled", "choose between values with `where`");
  EXPECT_CLEAN("fn f<R: real>(x: R) -> R { var t = x; if R == f32 { t = 1; } else { t = 2; } return t; }");
}

TEST(SemaFunctions, LoopsHaveConstantRanges) {
  EXPECT_CLEAN("fn f(x: f32) -> f32 { var t = x; for n in 3 { t += f32(n); } return t; }");
  expectFault("fn f(x: f32, n: i64) -> f32 { var t = x; for m in n { t += 1; } return t; }", "m in n",
              "a loop in a function needs a constant range, or a span that the function takes with `over`");
}

TEST(SemaFunctions, AFunctionReturns) {
  expectFault("fn f(x: f32) -> (f32, f32) = x;", "x", "expected 2 results, found 1");
  expectFault("fn f(x: f64) -> f32 = x;", "x", "the result of `f`: expected f32, found f64");
}

TEST(SemaFunctions, AResultDoesNotOutliveItsAxes) {
  expectFault("fn f(x: f32) -> f32 { let d = span(4); return x * f32(d); }", "x * f32(d)",
              "a tile cannot outlive its axes: the result has axis `d`");
  EXPECT_CLEAN("fn f(x: f32) -> f32 { let d = span(4); return sum(x * f32(d), over d); }");
}

TEST(SemaFunctions, SeveralResultsPassThrough) {
  EXPECT_CLEAN("fn two(a: f32) -> (f32, f32) = (a, -a);\nfn again(a: f32) -> (f32, f32) { return two(a); }");
}

TEST(SemaFunctions, UncalledFunctionsAreChecked) {
  expectFault("fn f(x: f32) -> f32 = nothing;", "nothing", "unknown name `nothing`");
}

TEST(SemaFunctions, StaticsOfFunctionsAreTypes) {
  expectFault("fn f<n: i64>(x: f32) -> f32 = x;", "n: i64", "the statics of a function are types, which its arguments tell");
}

TEST(SemaFunctions, ExternalFunctionsAreElementwise) {
  std::string text = kernelOf("let t = hash(row[i]);", "extern \"cuda\" fn hash(x: i32) -> i32 from \"hash.cuh\";\n");
  expectDump(text, "let t: i32[i] = hash(row[i])");
  expectDump(text, "fn hash(x: i32[i]) external \"hash.cuh\"");
  expectFault("extern \"opencl\" fn hash(x: i32) -> i32 from \"hash.cl\";", "\"opencl\"", "unknown language `opencl`");
}

// --------------------------------------------------------------------------------------------------------------------
// Derivatives (§3.14)
// --------------------------------------------------------------------------------------------------------------------

TEST(SemaDerivatives, AFunctionIsDerived) {
  expectBody("let t = deriv(f)(scale);", "let t: f32 = deriv(f)(scale)", "fn f(a: f32) -> f32 = a * a;\n");
  expectBody("let t = deriv(tanh)(scale);", "let t: f32 = deriv(tanh)(scale)");
  expectBody("let t = deriv(deriv(f))(scale);", "let t: f32 = deriv(deriv(f))(scale)", "fn f(a: f32) -> f32 = a * a;\n");
}

TEST(SemaDerivatives, ARuleReplacesTheMadeOne) {
  std::string rule = "fn f(a: f32) -> f32 = max(a, 0) + log1p(exp(-abs(a)));\nderiv f(a) = sigmoid(a);\n";
  expectBody("let t = deriv(f)(scale);", "  fn deriv(f)(a: f32)\n    return sigmoid(a)\n", rule);
}

TEST(SemaDerivatives, ARuleHasAValueForEachParameter) {
  std::string function = "fn f(a: f32, c: f32) -> f32 = a * c;\n";
  EXPECT_CLEAN(function + "deriv f(a, c) = (c, a);");
  expectFault(function + "deriv f(a) = a;", "f", "`f` has 2 parameters, the rule has 1");
  expectFault(function + "deriv f(a, c) = c;", "c", "`f` has 2 parameters, the rule has 1 value");
  expectFault(function + "deriv g(a, c) = (c, a);", "g", "unknown function `g`");
  expectFault("deriv exp(x) = exp(x);", "exp", "the derivative of the built-in function `exp` is known");
}

TEST(SemaDerivatives, TheParameterIsNamedByNumber) {
  std::string function = "fn f(a: f32, c: f32) -> f32 = a * c;\n";
  expectBody("let t = deriv(f, 1)(scale, 2);", "let t: f32 = deriv(f, 1)(scale, 2.0)", function);
  EXPECT_EQ(check(kernelOf("let t = deriv(f)(scale, 2);", function)).at(0).message,
            "`f` has 2 parameters: say by which to derive");
  EXPECT_EQ(check(kernelOf("let t = deriv(f, 2)(scale, 2);", function)).at(0).message,
            "`f` has 2 parameters, expected a number from 0 to 1, found 2");
}

TEST(SemaDerivatives, AnExternalFunctionNeedsARule) {
  std::string external = "extern \"cuda\" fn f(x: f32) -> f32 from \"f.cuh\";\n";
  EXPECT_EQ(check(kernelOf("let t = deriv(f)(scale);", external)).at(0).message,
            "`f` is an external function, so its derivative must be stated");
  EXPECT_CLEAN(kernelOf("let t = deriv(f)(scale);", external + "deriv f(x) = 2 * f(x);\n"));
}

TEST(SemaDerivatives, OfAFunctionThatIsNotBound) {
  EXPECT_CLEAN("kernel k<act: fn(f32) -> f32>(x: f32[N], y: out f32[N]) over (i in N by B) { y[i] = deriv(act)(x[i]); }");
}
