// What goes over axes.
#include "tests/unit/frontend/Fixtures.h"

using namespace tilewright::frontend;
using namespace tilewright::frontend::tests;
using namespace tilewright::frontend::tests::analysis;

TEST(SemaReductions, ATileMustHaveTheAxis) {
  expectBodyFault("let t = sum(x[i, 0, else 0], over j);", "j", "`sum` over `j`: the tile has no such axis, it has axis `i`");
}

TEST(SemaReductions, AnAxisIsNeeded) {
  expectBodyFault("let t = sum(x[i, 0, else 0]);", "sum(x[i, 0, else 0])", "`sum` needs the axes to go over",
                  "write `sum(…, over k)`");
}

TEST(SemaReductions, SumsAreWideAndExtremaKeepTheType) {
  expectBody("for k2 in K by BK { let t = sum(w[j, k2], over k2); }", "let t: f32[j] = sum(f32(w[j, k2]), over k2)");
  expectBody("for k2 in K by BK { let t = max(w[j, k2], over k2); }", "let t: bf16[j] = max(w[j, k2], over k2)");
  expectBody("for k2 in K by BK { let t = argmax(w[j, k2], over k2); }", "let t: i64[j] = argmax(w[j, k2], over k2)");
  expectBody("let t = any(flag[i, j], over i, j);", "let t: bool = any(flag[i, j], over i, j)");
}

TEST(SemaReductions, MeanIsDividedByTheLength) {
  expectBody("let t = mean(wide[i, j], over j);", "let t: f64[i] = (sum(wide[i, j], over j) / f64((j.end - j.start)))");
  expectBodyFault("let t = mean(row[i], over i);", "row[i]", "`mean` needs floats, found i32[i]");
}

TEST(SemaReductions, SumsNeedNumbersAndAnyNeedsBool) {
  expectBodyFault("let t = sum(flag[i, j], over i);", "flag[i, j]", "`sum` needs numbers, found bool[i, j]",
                  "convert explicitly: `i32(flag)`");
  expectBodyFault("let t = any(row[i], over i);", "row[i]", "`any` needs bool, found i32[i]");
}

TEST(SemaReductions, DotKeepsMemoryTypes) {
  expectBody("for k2 in K by BK { let t = dot(x[i, k2], w[j, k2], over k2); }",
             "let t: f32[i, j] = dot(x[i, k2], w[j, k2], over k2)");
  expectDump("kernel k(a: i8[M, K], y: out i32[M]) over (i in M by BM) { var s: i32[i] = 0; for q in K by BK { s += dot(a[i, "
             "q], a[i, q], over q); } y[i] = s; }",
             "s = (s + dot(a[i, q], a[i, q], over q))");
}

TEST(SemaReductions, DotNeedsTheAxisOnBothSides) {
  expectBodyFault("for k2 in K by BK { let t = dot(x[i, k2], wide[i, j], over k2); }", "k2",
                  "`dot` over `k2`: the tile has no such axis, it has axes `i` and `j`");
}

TEST(SemaReductions, DotPutsSharedAxesFirst) {
  expectDump(
      "kernel k(a: f32[B, M, K], c: f32[B, N, K], y: out f32[B, M, N]) over (b in B by BB, i in M by BM, j in N by BN) {\n"
      " for q in K by BK { let t = dot(a[b, i, q], c[b, j, q], over q); } y[b, i, j] = 0; }",
      "let t: f32[b, i, j] = dot(a[b, i, q], c[b, j, q], over q)");
}

TEST(SemaReductions, DotDoesNotMixFloatsAndIntegers) {
  EXPECT_EQ(check(kernelOf("let t = dot(wide[i, j], row[i], over i);")).at(0).message,
            "`dot` needs two tiles of floats or two of integers, found f64[i, j] and i32[i]");
}

TEST(SemaReductions, FoldTakesTheStateTwice) {
  std::string add = "fn add(a: f32, c: f32) -> f32 = a + c;\nfn three(a: f32, c: f32, d: f32) -> f32 = a;\n"
                    "fn mixed(a: f32, c: f64) -> f64 = c;\nfn wrong(a: f32, c: f32) -> f64 = a;\n";
  expectBody("for k2 in K by BK { let t = reduce(add, w[j, k2], over k2); }",
             "let t: f32[j] = reduce(add, f32(w[j, k2]), over k2)", add);
  expectBody("for k2 in K by BK { let t = scan(max, x[i, k2], over k2); }", "let t: f32[i, k2] = scan(max, x[i, k2], over k2)",
             add);
  EXPECT_EQ(check(kernelOf("for k2 in K by BK { let t = reduce(three, x[i, k2], over k2); }", add)).at(0).message,
            "`three` must take the state twice: 2 parameters, found 3");
  EXPECT_EQ(check(kernelOf("for k2 in K by BK { let t = reduce(mixed, x[i, k2], over k2); }", add)).at(0).message,
            "`mixed` must take the same state twice, found f32 and f64");
  EXPECT_EQ(check(kernelOf("for k2 in K by BK { let t = reduce(wrong, x[i, k2], over k2); }", add)).at(0).message,
            "`wrong` must return the state that it takes twice, 1 value of the same dtypes");
}
