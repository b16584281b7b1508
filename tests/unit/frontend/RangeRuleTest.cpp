// Language §3.6. Each test is a kernel's parameters, grid and body; what is expected is the exact text of its errors.
#include "compiler/frontend/RangeRule.h"

#include "tests/unit/frontend/Fixtures.h"

using namespace tilewright::frontend;
using namespace tilewright::frontend::tests;
using namespace tilewright::frontend::tests::rules;

namespace {

const std::string readHint = "; say what happens outside with `else …`, or bound the index with `min` and `max`";
const std::string storeHint = "; say what happens outside with `else drop`, or bound the index with `min` and `max`";

void expectError(const std::string &kernel, const std::string &message) {
  EXPECT_EQ(errorsAndHintsOf(kernel), std::vector<std::string>{message}) << kernel;
}

/// A kernel with what the rule found in it.
struct Checked : Specialized {
  std::vector<LaunchAccess> launch;

  /// `x[0] x[1]`: the accesses left to the host
  std::string launchText() const {
    std::string text;
    for (const LaunchAccess &access : launch)
      text += (text.empty() ? "" : " ") + access.view->name + "[" + std::to_string(access.dimension) + "]";
    return text;
  }
  /// `01` for a load or store of the view whose second index is compared
  std::string comparedIn(const std::string &view) const {
    std::string text;
    auto add = [&](const std::vector<bool> &compare) {
      for (bool one : compare)
        text += one ? '1' : '0';
    };
    for (const typed::Expr &expr : kernel->expressions)
      if (expr.kind == typed::ExprKind::Load && expr.view->name == view)
        add(expr.compare);
    for (const typed::Statement &statement : kernel->statements)
      if (statement.kind == typed::StatementKind::Store && statement.view->name == view)
        add(statement.compare);
    return text;
  }
};

Checked check(const std::string &kernel, const Specialization &specialization = {}) {
  Checked checked{specialize(kernel, specialization), {}};
  Diagnostics diagnostics;
  if (checked.kernel)
    checked.launch = applyRangeRule(*checked.kernel, diagnostics);
  return checked;
}

void expectLaunchChecks(const std::string &kernel, const std::string &accesses, const Specialization &specialization = {}) {
  EXPECT_EQ(check(kernel, specialization).launchText(), accesses) << kernel;
}

} // namespace

// --------------------------------------------------------------------------------------------------------------------
// Rule 1: a span, or integer, that runs over dimension D indexes a dimension D.
// --------------------------------------------------------------------------------------------------------------------

TEST(RangeRule, ASpanIndexesItsOwnDimensionWithoutACheck) {
  expectLaunchChecks("(x: f32[M, K], y: out f32[M, K]) over (i in M by BM, k in K by BK) { y[i, k] = x[i, k]; }", "");
}

TEST(RangeRule, ALoopVariableIndexesItsOwnDimensionWithoutACheck) {
  expectLaunchChecks("(x: f32[M, K], y: out f32[M]) over (i in M) { var s: f32 = 0; for k in K { s += x[i, k]; } y[i] = s; }",
                     "");
}

TEST(RangeRule, ASubSpanIndexesTheDimensionOfItsSpan) {
  expectLaunchChecks("(x: f32[M], y: out f32[M]) over (i in M by 64) { for ii in i by 16 { y[ii] = x[ii]; } }", "");
}

TEST(RangeRule, APackAndADefinitionAreNames) {
  expectLaunchChecks(
      "(x: f32[M..., K], y: out f32[M..., P = K / 2]) over (i in M by BM, p in P by BP) { y[i, p] = x[i, 2 * p]; }", "x[1]");
}

TEST(RangeRule, ASpanDoesNotIndexAnotherDimension) {
  expectError("(x: f32[M], y: out f32[M, N]) over (i in M by BM, j in N by BN) { y[i, j] = x[j]; }",
              "`j` runs over `N`, but dimension 1 of `x` is `M`: write `require N <= M;` if that is meant");
}

TEST(RangeRule, ALoopVariableDoesNotIndexAnotherDimension) {
  expectError("(x: f32[M], w: f32[N], y: out f32[M]) over (i in M) { y[i] = w[i]; }",
              "`i` runs over `M`, but dimension 1 of `w` is `N`: write `require M <= N;` if that is meant");
}

TEST(RangeRule, AConstantDimensionIsAName) {
  expectError("<D: i64, E: i64>(x: f32[M, D], w: f32[E], y: out f32[M, D]) over (i in M by BM) {"
              " let d = span(D); y[i, d] = x[i, d] + w[d]; }",
              "`d` runs over `D`, but dimension 1 of `w` is `E`: write `require D <= E;` if that is meant");
}

TEST(RangeRule, RequireTiesTwoDimensions) {
  expectLaunchChecks("(x: f32[M], w: f32[N], y: out f32[M]) over (i in M by BM) { require M <= N; y[i] = x[i] + w[i]; }", "");
  expectLaunchChecks("(x: f32[M], w: f32[N], y: out f32[M]) over (i in M by BM) { require N == M; y[i] = x[i] + w[i]; }", "");
  expectLaunchChecks("(x: f32[M], w: f32[N], y: out f32[M]) over (i in M by BM) { require N >= M; y[i] = x[i] + w[i]; }", "");
}

TEST(RangeRule, RequireTiesThroughAThirdDimension) {
  expectLaunchChecks("(x: f32[M], v: f32[L], w: f32[N], y: out f32[M]) over (i in M by BM) {"
                     " require M <= L and L <= N; y[i] = x[i] + v[i] + w[i]; }",
                     "");
}

TEST(RangeRule, RequireTheOtherWayRoundDoesNotHelp) {
  expectError("(x: f32[M], w: f32[N], y: out f32[M]) over (i in M by BM) { require N <= M; y[i] = x[i] + w[i]; }",
              "`i` runs over `M`, but dimension 1 of `w` is `N`: write `require M <= N;` if that is meant");
}

TEST(RangeRule, RequireTiesConstants) {
  Specialization sizes;
  sizes.statics = {{"D", "32"}, {"E", "64"}};
  expectLaunchChecks("<D: i64, E: i64>(x: f32[M, D], w: f32[E], y: out f32[M, D]) over (i in M by BM) {"
                     " require D <= E; let d = span(D); y[i, d] = x[i, d] + w[d]; }",
                     "", sizes);
}

TEST(RangeRule, WithElseASpanMayIndexAnotherDimension) {
  Checked checked = check("(x: f32[N], y: out f32[M]) over (i in M by BM) { y[i] = x[i, else 0]; }");
  EXPECT_EQ(checked.comparedIn("x"), "1");
}

// --------------------------------------------------------------------------------------------------------------------
// Rule 2: anything else is bounded at launch, or now if sizes do not matter.
// --------------------------------------------------------------------------------------------------------------------

TEST(RangeRule, AStrideIsCheckedAtLaunch) {
  expectLaunchChecks("(x: f32[N], y: out f32[P]) over (p in P by BP) { y[p] = x[2 * p]; }", "x[0]");
}

TEST(RangeRule, ScalarParametersAreKnownAtLaunch) {
  expectLaunchChecks("(x: f32[N], y: out f32[M], shift: i64) over (i in M by BM) { y[i] = x[clamp(i + shift, 0, 100)]; }",
                     "x[0]");
}

TEST(RangeRule, TheUpperHalfOfADimensionOfTwoHalvesIsInRange) {
  expectLaunchChecks("(x: f32[2 * F], y: out f32[F]) over (j in F by BN) { y[j] = x[j] + x[F + j]; }", "");
}

TEST(RangeRule, HeadsTimesWidthIsCheckedAtLaunchSinceItMayOverflow) {
  expectLaunchChecks("(x: f32[H * D], y: out f32[H, D]) over (h in H, d in D by BD) { y[h, d] = x[h * D + d]; }", "x[0]");
}

TEST(RangeRule, ARangeBelowThePreviousSpanIsInRange) {
  expectLaunchChecks("(x: f32[M, M], y: out f32[M, M]) over (i in M by BM, j in 0..i.end by BN) { y[i, j] = x[i, j]; }", "");
}

TEST(RangeRule, ConstantsAreDecidedNow) {
  expectLaunchChecks("(x: f32[8], y: out f32[M]) over (i in M by BM) { y[i] = x[7] + x[i % 8]; }", "");
  expectError("(x: f32[8], y: out f32[M]) over (i in M by BM) { y[i] = x[8]; }",
              "index 1 of `x` reaches 8, but dimension 1 has the indices 0 to 7" + readHint);
  expectError("(x: f32[8], n: i32[M], y: out f32[M]) over (i in M by BM) { y[i] = x[n[i] % 9]; }",
              "index 1 of `x` reaches 8, but dimension 1 has the indices 0 to 7" + readHint);
}

TEST(RangeRule, ArgmaxLiesInItsSpan) {
  expectLaunchChecks("<E: i64>(x: f32[M, E], w: f32[E], y: out f32[M]) over (i in M by BM) {"
                     " let e = span(E); y[i] = w[argmax(x[i, e], over e)]; }",
                     "", {{{"E", "8"}}, {}, {}, false});
}

TEST(RangeRule, AVariableHasEveryValueThatWasAssigned) {
  expectLaunchChecks(
      "(x: f32[N], y: out f32[1], s: i64) over () { var n: i64 = 0; if s > 0 { n = min(s, N - 1); } y[0] = x[max(n, 0)]; }",
      "x[0]");
}

TEST(RangeRule, AVariableInStraightLineHasItsLastValue) {
  expectLaunchChecks(
      "(x: f32[N], y: out f32[N], n: i32[1]) over (i in N by BN) { var p: i64 = i64(n[0]); p = 0; y[i] = x[i + p]; }", "");
}

TEST(RangeRule, FunctionsAreSeenThrough) {
  Diagnostics diagnostics;
  Module::check("test.tile",
                "fn half(i: i64) -> i64 { let h = i / 2; return h; }\n"
                "kernel k(x: f32[N], y: out f32[N]) over (i in N by BN) { y[i] = x[half(i)]; }",
                noImports, diagnostics);
  EXPECT_FALSE(diagnostics.hasErrors()) << render(diagnostics);
}

TEST(RangeRule, LoopsThatOnlyChooseKeepTheBounds) {
  // The largest index so far: from the start, or from the span.
  expectLaunchChecks(
      "(x: f32[N], w: f32[N], y: out f32[1]) over () {"
      " var best: f32 = -inf; var at: i64 = 0;"
      " for j in N by BN { let top = max(x[j], over j); at = where(top > best, argmax(x[j], over j), at); best max= top; }"
      " y[0] = w[at]; }",
      "w[0]");
}

TEST(RangeRule, NarrowIntegersMayWrap) {
  // In range as i64, but the product wraps in i32: the host must look.
  expectLaunchChecks("(x: f32[N], y: out f32[4], s: i32) over (i in 4 by 4) { y[i] = x[max(min(s * s, 7), 0)]; }", "x[0]");
}

// --------------------------------------------------------------------------------------------------------------------
// Rule 3: the access must say what happens.
// --------------------------------------------------------------------------------------------------------------------

TEST(RangeRule, AnIndexFromMemoryNeedsElse) {
  expectError(
      "(table: f32[V, D], ids: i32[T], y: out f32[T, D]) over (t in T by BT, d in D by BD) { y[t, d] = table[ids[t], d]; }",
      "index 1 of `table` comes from memory, so it may lie outside" + readHint);
}

TEST(RangeRule, AnIndexFromMemoryMayBeBounded) {
  expectLaunchChecks(
      "(table: f32[V], ids: i32[T], y: out f32[T]) over (t in T by BT) { y[t] = table[clamp(i64(ids[t]), 0, V - 1)]; }",
      "table[0]");
  expectLaunchChecks("(table: f32[V], ids: i32[T], y: out f32[T]) over (t in T by BT) { y[t] = table[i64(ids[t]) % V]; }",
                     "table[0]");
}

TEST(RangeRule, BoundingOneSideIsNotEnough) {
  expectError("(table: f32[V], ids: i32[T], y: out f32[T]) over (t in T by BT) { y[t] = table[min(i64(ids[t]), V - 1)]; }",
              "index 1 of `table` comes from memory, so it may lie outside" + readHint);
}

TEST(RangeRule, AByteIndexesAViewOf256) {
  expectLaunchChecks("(table: f32[256], ids: u8[T], y: out f32[T]) over (t in T by BT) { y[t] = table[ids[t]]; }", "");
  expectError("(table: f32[255], ids: u8[T], y: out f32[T]) over (t in T by BT) { y[t] = table[ids[t]]; }",
              "index 1 of `table` comes from memory, so it may lie outside" + readHint);
}

TEST(RangeRule, ARangeBoundedByMemoryNeedsABoundOfItsOwn) {
  expectLaunchChecks("(x: f32[B, S], len: i32[B], y: out f32[B]) over (b in B) { var a: f32 = 0;"
                     " for t in 0..min(len[b], S) by BT { a += sum(x[b, t], over t); } y[b] = a; }",
                     "");
  expectError("(x: f32[B, S], len: i32[B], y: out f32[B]) over (b in B) { var a: f32 = 0;"
              " for t in 0..len[b] by BT { a += sum(x[b, t], over t); } y[b] = a; }",
              "index 2 of `x` comes from memory, so it may lie outside" + readHint);
}

TEST(RangeRule, AVariableThatALoopAdvancesIsUnknown) {
  expectError(
      "(x: f32[N], y: out f32[1]) over () { var p: i64 = 0; var s: f32 = 0; for j in N { s += x[p]; p += 2; } y[0] = s; }",
      "index 1 of `x` is changed by a loop, so it may lie outside" + readHint);
}

TEST(RangeRule, BitOperationsHaveNoBounds) {
  expectError("(x: f32[N], y: out f32[N]) over (i in N by BN) { y[i] = x[i ^ 1]; }",
              "index 1 of `x` has no bounds that the host can compute" + readHint);
}

TEST(RangeRule, ANeighbourSticksOutForCertain) {
  expectError("(p: f32[M, N], y: out f32[M, N]) over (i in M by BM, j in N by BN) { y[i, j] = p[i, j - 1]; }",
              "index 2 of `p` reaches -1, but dimension 2 has the indices 0 to N - 1" + readHint);
  expectError("(p: f32[M, N], y: out f32[M, N]) over (i in M by BM, j in N by BN) { y[i, j + 1] = p[i, j]; }",
              "index 2 of `y` reaches N, but dimension 2 has the indices 0 to N - 1" + storeHint);
}

TEST(RangeRule, ConditionsAreIgnored) {
  expectError("(p: f32[N], y: out f32[N]) over (j in N by BN) { y[j] = where(j > 0, p[j - 1], 0); }",
              "index 1 of `p` reaches -1, but dimension 1 has the indices 0 to N - 1" + readHint);
}

TEST(RangeRule, IndexTilesReadOnTheWayAreChecked) {
  expectError("(table: f32[V], ids: i32[T], y: out f32[T]) over (t in T by BT) { y[t] = table[ids[t + 1], else 0]; }",
              "index 1 of `ids` reaches T, but dimension 1 has the indices 0 to T - 1" + readHint);
}

TEST(RangeRule, GridRangesAreChecked) {
  expectError("(first: i32[E], y: out f32[M]) over (e in E, i in first[e]..first[e + 1] by BM) { y[i, else drop] = 0; }",
              "index 1 of `first` reaches E, but dimension 1 has the indices 0 to E - 1" + readHint);
}

// --------------------------------------------------------------------------------------------------------------------
// Comparisons on the device
// --------------------------------------------------------------------------------------------------------------------

TEST(RangeRule, OnlyIndicesThatMayLieOutsideAreCompared) {
  Checked checked = check("(x: f32[M, K], w: f32[E, N, K], first: i32[E + 1], y: out f32[M, N])"
                          " over (e in E, i in first[e]..first[e + 1] by BM, j in N by BN) {"
                          " var acc: f32[i, j] = 0;"
                          " for k in K by BK { acc += dot(x[i, k, else 0], w[e, j, k], over k); }"
                          " y[i, j, else drop] = acc; }");
  EXPECT_EQ(checked.launchText(), "");
  EXPECT_EQ(checked.comparedIn("x"), "10");
  EXPECT_EQ(checked.comparedIn("w"), "000");
  EXPECT_EQ(checked.comparedIn("y"), "10");
}

TEST(RangeRule, AnElseThatIsNotNeededComparesNothing) {
  Checked checked = check("(x: f32[2 * F], y: out f32[F]) over (j in F by BN) { y[j] = x[F + j, else 0]; }");
  EXPECT_EQ(checked.comparedIn("x"), "0");
}
