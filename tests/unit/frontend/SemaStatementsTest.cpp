// Statements.
#include "tests/unit/frontend/Fixtures.h"

using namespace tilewright::frontend;
using namespace tilewright::frontend::tests;
using namespace tilewright::frontend::tests::analysis;

TEST(SemaStatements, ALetIsNotAssigned) {
  expectBodyFault("let t = 1; t = 2;", "t", "`t` is not a variable, so it cannot be assigned", "declare it with `var`");
}

TEST(SemaStatements, AnAssignmentNeedsTheSameAxesOrNone) {
  expectBodyFault("var t: f32[i, j] = 0; t = x[i, 0, else 0];", "x[i, 0, else 0]",
                  "`t` is f32[i, j], the value has no axis `j`: f32[i]", "`=` needs the same axes, or none");
  EXPECT_CLEAN(kernelOf("var t: f32[i, j] = 0; t = 1; t += x[i, 0, else 0];"));
}

TEST(SemaStatements, SubtractionIsAddition) {
  expectBody("var t: f32 = 0; t -= scale;", "t = (t + neg(scale))");
}

TEST(SemaStatements, AnAssignmentConvertsNothingThatLoses) {
  expectBodyFault("var t: f32[i, j] = 0; t += wide[i, j];", "wide[i, j]", "assignment to `t`: expected f32, found f64[i, j]");
}

TEST(SemaStatements, ALetMayRepeatItsValue) {
  expectBody("let t: f32[i, j] = 0;", "var t: f32[i, j] = 0.0");
}

TEST(SemaStatements, AConditionIsOneBool) {
  expectBodyFault("if flag[i, j] { }", "flag[i, j]", "the condition of `if` must be one bool, found bool[i, j]",
                  "for tiles use `where`, or ask for `any(…, over i)`");
  expectBodyFault("while scale { }", "scale", "the condition of `while` must be one bool, found f32", "compare it: `x != 0`");
}

TEST(SemaStatements, ResultsAreCounted) {
  std::string two = "fn two(a: f32) -> (f32, f32) = (a, a);\n";
  expectBody("let (p, q) = two(scale);", "let (p: f32, q: f32) = two(scale)", two);
  EXPECT_EQ(check(kernelOf("let (p, q, r) = two(scale);", two)).at(0).message, "expected 3 results, found 2");
  EXPECT_EQ(check(kernelOf("let p = two(scale);", two)).at(0).message, "this call has 2 results, expected one value");
}

TEST(SemaStatements, ARequirementOnStaticsIsDecided) {
  std::string text = "kernel k<D: i64>(y: out f32[N, D]) over (i in N by B) { require D % 8 == 0, \"whole vectors\"; let d = "
                     "span(D); y[i, d] = 0; }";
  Specialization specialization;
  specialization.statics["D"] = "12";
  std::vector<Fault> faults = specializationFaults(text, specialization);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].message, "requirement not met: whole vectors");
  EXPECT_EQ(faults[0].at, "D % 8 == 0");
}

TEST(SemaStatements, ARequirementIsNotConditional) {
  expectBodyFault("if scale > 0 { require M > 3; }", "require M > 3;",
                  "a requirement holds for the whole launch, so it cannot stand under a run-time condition");
  EXPECT_CLEAN(kernelOf("if b { require M > 3; }"));
}

TEST(SemaStatements, ARequirementIsKnownBeforeTheKernelRuns) {
  expectBody("require M <= N;", "require (M <= N)");
  expectBodyFault("require row[0, else 0] > 0;", "row[0, else 0] > 0", "a requirement must be known before the kernel runs");
}

TEST(SemaStatements, AKernelReturnsNothing) {
  expectBodyFault("return 1;", "return 1;", "a kernel returns nothing");
}

TEST(SemaStatements, AssertsAreForCheckedMode) {
  std::string text = kernelOf("assert(row[i] >= 0, \"row\", row[i]); print(\"scale\", scale);");
  EXPECT_EQ(dump(text).find("assert"), std::string::npos);
  Specialization checked;
  checked.checkedMode = true;
  expectDump(text, "assert((row[i] >= 0), \"row\", row[i])", checked);
  expectDump(text, "print(\"scale\", scale)");
}
