// Spans, tiles, stores, the grid.
#include "tests/unit/frontend/Fixtures.h"

using namespace tilewright::frontend;
using namespace tilewright::frontend::tests;
using namespace tilewright::frontend::tests::analysis;

// --------------------------------------------------------------------------------------------------------------------
// Spans and tiles (§3.4, §3.5)
// --------------------------------------------------------------------------------------------------------------------

TEST(SemaSpans, ASpanIsItsIndexTile) {
  expectBody("let t = i * N + j;", "let t: i64[i, j] = ((i * N) + j)");
}

TEST(SemaSpans, WithoutByAVariableIsANumber) {
  expectBody("for r in K { let t = r + 1; }", "let t: i64 = (r + 1)");
  expectBodyFault("for r in K { let t = sum(x[i, r], over r); }", "r",
                  "`r` takes one index at a time, so no tile has it as an axis");
  expectBodyFault("for r in K { let t = r.start; }", "r", "`.start` needs a span");
}

TEST(SemaSpans, RangesAreNumbers) {
  expectBodyFault("for t in 0..row[i] by BT { }", "row[i]", "a range is bounded by numbers, found i32[i]");
  expectBodyFault("for t in 0.5 by BT { }", "0.5", "the range: expected i64, found the literal 0.5");
}

TEST(SemaSpans, SubSpansHaveAParent) {
  expectBody("for k2 in K by BK { for kk in k2 by 32 { let t = x[i, kk]; } }", "for kk in k2 by 32");
}

TEST(SemaSpans, AxesHaveUniqueNames) {
  expectBody("for q in K by BK { } for q in K by BK { let t = x[i, q]; }", "for q_1 in 0..K by BK");
}

TEST(SemaSpans, ABlockSizeIsConstantOrTunable) {
  expectBodyFault("for k2 in K by M { }", "M", "a block size must be a constant or a tunable, found i64");
  expectBodyFault("for k2 in K by 0 { }", "0", "a block size must be at least 1, found 0");
  expectBody("let half = 64 / 2; for k2 in K by half { }", "for k2 in 0..K by 32");
}

TEST(SemaSpans, AWholeSpanNeedsAConstant) {
  expectBodyFault("let d = span(K);", "K", "the length of `span` must be a constant, found i64",
                  "make it one: `kernel …<K: i64>`, or cut it: `for d in K by BD { … }`");
  expectBodyFault("let d = span(0);", "0", "a span is never empty, found a length of 0");
  expectBodyFault("let t = f32(span(4));", "span(4)", "`span(n)` makes a new axis, so it must have a name",
                  "write `let d = span(n);`");
}

TEST(SemaSpans, ATileIsNotTooLarge) {
  expectBodyFault("let d = span(1024); let e = span(1024); let t = d + e;", "d + e",
                  "a tile i64[d, e] of 1024 × 1024 elements is too large; the limit is 262144");
}

TEST(SemaSpans, ATileCannotOutliveItsAxes) {
  std::vector<Fault> faults = check(kernelOf("var s: f32[i] = 0; for k2 in K by BK { s = x[i, k2]; }"));
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].message, "the value has axis `k2`, which `s` has not");
  EXPECT_EQ(faults[0].hint, "reduce over it, `sum(…, over k2)`, or give `s` that axis");
  EXPECT_EQ(faults[0].notes, (std::vector<std::string>{"`k2` is declared here", "`s` is here"}));
}

TEST(SemaSpans, AVariableOfAnAxisThatIsGone) {
  expectBodyFault("for k2 in K by BK { } var s: f32[k2] = 0;", "k2", "unknown name `k2`");
}

TEST(SemaTiles, BroadcastingIsByName) {
  expectBody("let t = x[i, 0, else 0] + f32(j);", "let t: f32[i, j] = (x[i, 0, else 0.0] + f32(j))");
}

TEST(SemaTiles, AStoreHasTheAxesOfItsPlace) {
  expectFault("kernel k(x: f32[M, K], y: out f32[M]) over (i in M by BM) { for k2 in K by BK { y[i] = x[i, k2]; } }",
              "x[i, k2]", "the value has axis `k2`, which the place has not",
              "reduce over it, `sum(…, over k2)`, or give the place that axis");
}

TEST(SemaTiles, AStoreConvertsNothingThatLoses) {
  expectFault("kernel k<T: f16 | bf16>(x: f32[N], y: out T[N]) over (i in N by B) { y[i] = x[i]; }", "x[i]",
              "store to `y`: expected T = f16, found f32[i]", "this conversion may lose something; convert explicitly: `T(…)`");
}

TEST(SemaTiles, AnAccumulationIsFormedInTheSumType) {
  expectDump("kernel k(x: bf16[M, N], y: out bf16[N]) over (i in M by BM, j in N by BN) { y[j] += sum(x[i, j], over i); }",
             "y[j] += sum(f32(x[i, j]), over i)");
  expectDump("kernel k(x: bf16[M, N], y: out bf16[N]) over (i in M by BM, j in N by BN) { y[j] -= sum(x[i, j], over i); }",
             "y[j] += neg(sum(f32(x[i, j]), over i))");
  expectFault("kernel k(x: bf16[M, N], y: out bf16[N]) over (i in M by BM, j in N by BN) { y[j] *= sum(x[i, j], over i); }",
              "*=", "a view is assigned with `=` or accumulated with `+=`, `-=`, `max=` or `min=`");
}

TEST(SemaTiles, AtomicNeedsAWideView) {
  expectFault("kernel k(p: i32[M], y: out bf16[N]) over (i in M by BM) { atomic y[p[i], else drop] += 1; }", "y",
              "`atomic` needs a view of i32, i64, f32 or f64, found bf16");
  expectFault("kernel k(p: i32[M], y: out f32[N]) over (i in M by BM) { atomic y[p[i], else drop] = 1; }", "=",
              "`atomic` accumulates: expected `+=`, `-=`, `max=` or `min=`, found `=`");
}

TEST(SemaTiles, AtomicReturnsTheValueBefore) {
  expectDump("kernel k(p: i32[M], n: inout i32[N], y: out i32[M]) over (i in M by BM) { let old = atomic n[p[i], else drop] += "
             "1; y[i] = old; }",
             "let old: i32[i] = atomic n[p[i], else drop] += 1");
}

// --------------------------------------------------------------------------------------------------------------------
// Grids (§3.11)
// --------------------------------------------------------------------------------------------------------------------

TEST(SemaGrid, LaterRangesUseEarlierNames) {
  expectDump("kernel k(y: out f32[N, N]) over (i in N by B, j in 0..i.end by B) { y[i, j, else drop] = 0; }",
             "grid j in 0..i.end by B");
}

TEST(SemaGrid, ConsecutiveEntriesAreAPartition) {
  std::string head = "kernel k(first: i32[E + 1], w: f32[E], y: out f32[N]) over (e in E, i in first[e]..first[e + ";
  expectDump(head + "1] by B) { y[i, else drop] = 0; }", "grid i in i64(first[e])..i64(first[(e + 1)]) by B partition of e");
}
