// Views and their dimensions.
#include "tests/unit/frontend/Fixtures.h"

using namespace tilewright::frontend;
using namespace tilewright::frontend::tests;
using namespace tilewright::frontend::tests::analysis;

TEST(SemaViews, ADimensionHasAName) {
  expectDump("kernel k(x: f32[M..., K], y: out f32[M..., 2 * K]) over (i in M by BM, j in K by BK) { y[i, j] = 0; }",
             "view y: out f32[M..., (2 * K)]");
}

TEST(SemaViews, OnePackForAView) {
  expectFault("kernel k(y: out f32[M..., N...]) over (i in M by BM, j in N by BN) { y[i, j] = 0; }", "N...",
              "`y` has two packs, so neither would have a known rank");
}

TEST(SemaViews, UpToFiveDimensions) {
  expectFault("kernel k(x: f32[A, B, C, D, E, F], y: out f32[A]) over (i in A by BA) { y[i] = 0; }", "x",
              "a view has up to 5 dimensions, found 6");
}

TEST(SemaViews, AnUnboundNameInADimension) {
  expectFault("kernel k(y: out f32[2 * N]) over (i in 4 by B) { y[i, else drop] = 0; }", "N", "unknown name `N`");
}

TEST(SemaViews, ADimensionComesFromDimensionsAlone) {
  expectFault("kernel k(y: out f32[2 * n], n: i64) over (i in 4 by B) { y[i, else drop] = 0; }", "2 * n",
              "a dimension is computed from dimensions and constants");
}

TEST(SemaViews, ADefinitionStandsOnce) {
  expectFault("kernel k(x: f32[N], a: f32[P = N + 1], y: out f32[P = N + 1]) over (i in P by B) { y[i] = 0; }", "P = N + 1",
              "`P` is already defined");
}

TEST(SemaViews, AConstantDimensionIsAStatic) {
  Specialization specialization;
  specialization.statics["D"] = "64";
  std::string text =
      "kernel k<D: i64>(x: f32[M, D], y: out f32[M, D]) over (i in M by BM) { let d = span(D); y[i, d] = x[i, d]; }";
  expectDump(text, "span d in 0..64 by 64", specialization);
  EXPECT_EQ(dump(text, specialization).find("dimension D"), std::string::npos);
}

TEST(SemaViews, AnAbsentViewBindsNothing) {
  std::string text = "kernel k(r: f32[R]?, y: out f32[N]) over (i in N by B) { if r { y[i] = f32(R); } else { y[i] = 0; } }";
  expectDump(text, "y[i] = 0.0");
  expectFault("kernel k(n: f32[R]?, y: out f32[N]) over (i in N by B) { y[i] = n[0, else 0]; }", "n", "`n` may be absent",
              "guard it: `if n { … }`");
}

TEST(SemaViews, ATileIsNotIndexed) {
  expectBodyFault("let t = x[i, 0, else 0]; let u = t[i];", "t", "`t` is not a view, so it has no elements to index");
}

TEST(SemaViews, AViewIsNoValue) {
  expectBodyFault("let t = x + 1;", "x", "`x` is a view, expected a value", "say which elements: `x[…]`");
}

TEST(SemaViews, IndicesAreCountedAndIntegers) {
  expectBodyFault("let t = x[i];", "[i]", "`x` has 2 dimensions, found 1 index");
  expectBodyFault("let t = x[i, scale, else 0];", "scale", "an index must be an integer, found f32",
                  "convert explicitly: `i32(…)`");
}

TEST(SemaViews, AnIndexListMakesTheAxes) {
  expectBody("let t = x[row[i], j, else 0];", "let t: f32[i, j] = x[row[i], j, else 0.0]");
  expectBody("let t = x[3, 2, else 0];", "let t: f32 = x[3, 2, else 0.0]");
}

TEST(SemaViews, ElseHasTheViewsDtype) {
  expectBodyFault("let t = row[i + 1, else 0.5];", "0.5", "the value outside `row`: expected i32, found the literal 0.5");
  expectBodyFault("let t = row[i + 1, else drop];", "else drop",
                  "`else drop` is for writing; a read needs a value outside the view");
}

TEST(SemaViews, InputsAreNotWritten) {
  expectBodyFault("x[i, 0] = 1;", "x", "`x` is an input, so it cannot be written", "declare it `out` or `inout`");
}

TEST(SemaViews, OutputsAreNotRead) {
  expectBodyFault("let t = y[i, j];", "y", "`y` is `out`, so it cannot be read");
}

TEST(SemaViews, AnInOutIsReadWhereItIsAssigned) {
  EXPECT_CLEAN("kernel k(y: inout f32[N]) over (i in N by B) { y[i] = y[i] + 1; }");
  expectFault("kernel k(y: inout f32[N]) over (i in N by B) { y[i] = y[i + 1, else 0]; }", "y[i + 1, else 0]",
              "the `inout` view `y` may be read only at the place where it is assigned with `=`",
              "read it with the same index list");
  expectFault("kernel k(y: inout f32[N]) over (i in N by B) { y[i] += y[i]; }", "y[i]",
              "the `inout` view `y` may be read only at the place where it is assigned with `=`",
              "read from an input view instead");
}

TEST(SemaViews, AnOptionalViewNeedsAGuard) {
  expectBodyFault("let t = b[j];", "b", "`b` may be absent", "guard it: `if b { … }`");
  EXPECT_CLEAN(kernelOf("if b { let t = b[j]; }"));
  EXPECT_CLEAN(kernelOf("if not b { let t = 1; } else { let t = b[j]; }"));
  EXPECT_CLEAN(kernelOf("if b and scale > 0 { let t = b[j]; }"));
  EXPECT_EQ(check(kernelOf("if b or scale > 0 { let t = b[j]; }")).size(), 1u);
}

TEST(SemaViews, PresenceLeavesNoTrace) {
  std::string text = kernelOf("var t: f32[i, j] = 0; if b { t += b[j]; } else { t = 1; }");
  Specialization present;
  present.presentViews = {"b"};
  expectDump(text, "  t = (t + b[j])\n", present);
  expectDump(text, "  t = 1.0\n");
}
