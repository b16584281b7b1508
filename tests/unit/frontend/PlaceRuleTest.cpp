// Language §3.12. Each test is a kernel's parameters, grid and body; what is expected is the exact text of its errors, what is
// left to the launch, or how the stores are marked.
#include "compiler/frontend/PlaceRule.h"

#include "tests/unit/frontend/Fixtures.h"

using namespace tilewright::frontend;
using namespace tilewright::frontend::tests;
using namespace tilewright::frontend::tests::rules;

namespace {

void expectError(const std::string &kernel, const std::string &message) {
  EXPECT_EQ(errorsOf(kernel), std::vector<std::string>{message}) << kernel;
}

struct Checked : Specialized {
  LaunchPlaces launch;

  std::vector<const typed::Statement *> storesTo(const std::string &view) const {
    std::vector<const typed::Statement *> stores;
    if (!kernel)
      return stores; // an error that was reported already
    for (const typed::Statement &statement : kernel->statements)
      if (statement.kind == typed::StatementKind::Store && statement.view->name == view)
        stores.push_back(&statement);
    return stores;
  }
  bool isShared(const std::string &view) const { return !storesTo(view).empty() && storesTo(view).front()->sharedByTiles; }
  bool isPromised(const std::string &view) const { return !storesTo(view).empty() && storesTo(view).front()->promisedUnique; }
};

Checked check(const std::string &kernel, const Specialization &specialization = {}) {
  Checked checked{specialize(kernel, specialization), {}};
  Diagnostics diagnostics;
  if (checked.kernel)
    checked.launch = applyPlaceRule(*checked.kernel, diagnostics);
  return checked;
}

/// No error, and so many checks of places and of pairs at launch.
void expectLegal(const std::string &kernel, size_t places = 0, size_t disjoint = 0, const Specialization &specialization = {}) {
  Checked checked = check(kernel, specialization);
  EXPECT_EQ(checked.launch.places.size(), places) << kernel;
  EXPECT_EQ(checked.launch.disjoint.size(), disjoint) << kernel;
}

} // namespace

// --------------------------------------------------------------------------------------------------------------------
// Rule 1: every grid and loop variable occurs in the place.
// --------------------------------------------------------------------------------------------------------------------

TEST(PlaceRule, ATilePerPlaceIsLegal) {
  expectLegal("(x: f32[M, N], y: out f32[M, N]) over (i in M by BM, j in N by BN) { y[i, j] = x[i, j]; }");
}

TEST(PlaceRule, TilesAlongAMissingGridVariableMeet) {
  expectError("(x: f32[M, N], y: out f32[M]) over (i in M by BM, j in N by BN) { y[i] = sum(x[i, j], over j); }",
              "all tiles along `j` write the same elements of `y`: reduce over `j`, or accumulate with `+=`");
}

TEST(PlaceRule, PassesAlongAMissingLoopVariableMeet) {
  expectError("(x: f32[M, N], y: out f32[M]) over (i in M by BM) { for j in N by BN { y[i] = sum(x[i, j], over j); } }",
              "all passes of the loop along `j` write the same elements of `y`: reduce over `j`, or accumulate with `+=`");
}

TEST(PlaceRule, ALoopVariableInThePlaceIsLegal) {
  expectLegal("(x: f32[M, N], y: out f32[M, N]) over (i in M by BM) { for j in N by BN { y[i, j] = x[i, j]; } }");
}

TEST(PlaceRule, ASubSpanStandsForItsSpan) {
  expectLegal("(x: f32[M], y: out f32[M]) over (i in M by 64) { for ii in i by 16 { y[ii] = x[ii]; } }");
}

TEST(PlaceRule, ASpanDoesNotStandForItsSubSpans) {
  expectError("(x: f32[M], y: out f32[M]) over (i in M by 64) { for ii in i by 16 { y[i] = x[i]; } }",
              "all passes of the loop along `ii` write the same elements of `y`: reduce over `ii`, or accumulate with `+=`");
}

TEST(PlaceRule, ASpanOverAPartitionStandsForTheGroup) {
  Checked checked = check("(x: f32[M], w: f32[E], first: i32[E + 1], y: out f32[M])"
                          " over (e in E, i in first[e]..first[e + 1] by BM) { y[i, else drop] = x[i, else 0]; }");
  EXPECT_TRUE(checked.isPromised("y"));
}

TEST(PlaceRule, ASpanOverAnyOtherRangeFromMemoryDoesNot) {
  expectError("(x: f32[M], first: i32[E], last: i32[E], y: out f32[M])"
              " over (e in E, i in first[e]..last[e] by BM) { y[i, else drop] = x[i, else 0]; }",
              "tiles of different `e` may write the same elements of `y`: the ranges of `i` may overlap");
}

TEST(PlaceRule, AStoreUnderWhileMeetsItself) {
  expectError("(x: f32[M], n: i32[M], y: out f32[M]) over (i in M) { var t: i32 = n[i]; while t > 0 { y[i] = x[i]; t -= 1; } }",
              "a `while` may write the same elements of `y` in every pass: store after it, or accumulate with `+=`");
}

TEST(PlaceRule, AnEmptyGridNeedsNothingInThePlace) {
  expectLegal("(x: f32[4], y: out f32[4]) over () { y[0] = x[1]; }");
}

// --------------------------------------------------------------------------------------------------------------------
// Rule 2: each index gives every combination its own value.
// --------------------------------------------------------------------------------------------------------------------

TEST(PlaceRule, HeadsTimesWidthPlusOffsetIsProvedForAllSizes) {
  expectLegal("(x: f32[H, D], y: out f32[H * D]) over (h in H, d in D by BD) { y[h * D + d] = x[h, d]; }");
  expectLegal("(x: f32[H, D], y: out f32[H * D]) over (h in H, d in D by BD) { y[D - 1 - d + h * D] = x[h, d]; }");
}

TEST(PlaceRule, ThreeDigitsAreProvedInAnyOrder) {
  expectLegal("(x: f32[A, B, C], y: out f32[A * B * C]) over (a in A, b in B, c in C by BC) { y[c + a * (B * C) + b * C] = "
              "x[a, b, c]; }");
}

TEST(PlaceRule, HeadsOfAGroupAreProved) {
  expectLegal("(q: f32[HQ], k: f32[HK], y: out f32[HQ]) over (h in HK, g in HQ / HK by BG) { y[h * (HQ / HK) + g] = 0; }");
}

TEST(PlaceRule, AStrideFromAScalarIsLeftToTheLaunch) {
  expectLegal("(x: f32[M], y: out f32[N], stride: i64) over (i in M by BM) { y[i * stride] = x[i]; }", 1);
}

TEST(PlaceRule, TwoSpansInASumAreLeftToTheLaunch) {
  expectLegal("(x: f32[M, N], y: out f32[M + N]) over (i in M by BM, j in N) { y[i + j] = sum(x[i, j], over i); }", 1);
}

TEST(PlaceRule, ConstantsAreDecidedNow) {
  expectLegal("(x: f32[M], y: out f32[4 * M]) over (i in M by BM) { for r in 4 { y[4 * i + r] = x[i]; } }");
  expectError("(y: out f32[16]) over (i in 4 by 4) { for r in 4 { y[3 * i + r] = 0; } }",
              "index 1 of `y` names some elements twice");
}

TEST(PlaceRule, AMultipleOfAnIndexIsItsOwnPlace) {
  expectLegal("(x: f32[M], y: out f32[4 * M]) over (i in M by BM) { y[4 * i + 3] = x[i]; }");
  expectLegal("(x: f32[M], y: out f32[M]) over (i in M by BM) { y[M - 1 - i] = x[i]; }");
}

TEST(PlaceRule, AQuotientIsNoSumOfSpans) {
  expectError("(x: f32[M], y: out f32[M]) over (i in M by BM) { y[i / 2] = x[i]; }",
              "index 1 of `y` may name an element twice: only sums of spans and integers times constants are known not to");
}

TEST(PlaceRule, TheNumberOfAPinnedBlockIsAPlaceOfItsOwn) {
  expectLegal("(x: f32[M, K], s: out f32[M, ceildiv(K, 128)]) over (i in M by BM, k in K by 128) {"
              " s[i, k.start / 128] = max(x[i, k], over k); }");
}

TEST(PlaceRule, TheNumberOfATunedBlockIsNot) {
  expectError(
      "(x: f32[M, K], s: out f32[M, K]) over (i in M by BM, k in K by BK) { s[i, k.start / 64] = max(x[i, k], over k); }",
      "index 2 of `s` may name an element twice: only sums of spans and integers times constants are known not to");
}

TEST(PlaceRule, NamesAndFunctionsAreSeenThrough) {
  expectLegal("(x: f32[M], y: out f32[2 * M]) over (i in M by BM) { let p = 2 * i; var q = p + 1; y[q] = x[i]; }");
}

// --------------------------------------------------------------------------------------------------------------------
// Rule 3: two stores are apart.
// --------------------------------------------------------------------------------------------------------------------

TEST(PlaceRule, TheHalvesOfADimensionAreApart) {
  expectLegal(
      "(x: f32[M, F], z: out f32[M, 2 * F]) over (i in M by BM, j in F by BN) { z[i, j] = x[i, j]; z[i, F + j] = x[i, j]; }");
  expectLegal("<D: i64>(x: f32[M, D], y: out f32[M, D]) over (i in M by BM) {"
              " let e = span(D / 2); y[i, e] = x[i, e + D / 2]; y[i, e + D / 2] = x[i, e]; }",
              0, 0, {{{"D", "64"}}, {}, {}, false});
}

TEST(PlaceRule, EvenAndOddPlacesAreApart) {
  expectLegal("(x: f32[M], y: out f32[2 * M]) over (i in M by BM) { y[2 * i] = x[i]; y[2 * i + 1] = x[i]; }");
}

TEST(PlaceRule, ConstantPlacesAreApart) {
  expectLegal("(y: out f32[2]) over () { y[0] = 1; y[1] = 2; }");
}

TEST(PlaceRule, OnePlaceIsWrittenOnce) {
  expectError("(x: f32[M], y: out f32[M]) over (i in M by BM) { y[i] = x[i]; y[i] = 0; }",
              "two stores write the same elements of `y`");
}

TEST(PlaceRule, TwoLoopsOverOneRangeWriteTheSamePlaces) {
  expectError("(x: f32[M, N], y: out f32[M, N]) over (i in M by BM) {"
              " for j in N by BN { y[i, j] = x[i, j]; } for j in N by BN { y[i, j] = 0; } }",
              "two stores write the same elements of `y`");
}

TEST(PlaceRule, BranchesOfOneIfMayWriteOnePlace) {
  expectLegal("(x: f32[M], y: out f32[M], n: i32) over (i in M by BM) { if n > 0 { y[i] = x[i]; } else { y[i] = 0; } }");
  expectLegal("(x: f32[M, N], y: out f32[M, N], n: i32) over (i in M by BM) {"
              " if n > 0 { for j in N by BN { y[i, j] = x[i, j]; } } else { for j in N by BN { y[i, j] = 0; } } }");
}

TEST(PlaceRule, WhatOverlapsForSomeSizesIsLeftToTheLaunch) {
  expectLegal(
      "(x: f32[M], y: out f32[N], shift: i64) over (i in M by BM) { y[i, else drop] = x[i]; y[i + shift, else drop] = x[i]; }",
      0, 1);
}

// --------------------------------------------------------------------------------------------------------------------
// Rule 4: places from memory
// --------------------------------------------------------------------------------------------------------------------

TEST(PlaceRule, APlaceFromMemoryIsAPromise) {
  Checked checked = check("(x: f32[M, D], slot: i32[M], y: out f32[M, D]) over (t in M by BM, d in D by BD) {"
                          " y[slot[t], d, else drop] = x[t, d]; }");
  EXPECT_TRUE(checked.isPromised("y"));
}

TEST(PlaceRule, APlainPlaceIsNoPromise) {
  EXPECT_FALSE(check("(x: f32[M], y: out f32[M]) over (i in M by BM) { y[i] = x[i]; }").isPromised("y"));
}

TEST(PlaceRule, APlaceFromMemoryMustDependOnEveryVariable) {
  expectError("(x: f32[M, D], slot: i32[M], y: out f32[M]) over (t in M by BM, d in D by BD) {"
              " y[slot[t], else drop] = sum(x[t, d], over d); }",
              "all tiles along `d` write the same elements of `y`: reduce over `d`, or accumulate with `+=`");
}

TEST(PlaceRule, APlaceFromAnAtomicDiffersFromPassToPass) {
  expectLegal("(x: f32[M], fill: inout i32[1], y: out f32[M]) over (t in M) {"
              " let p = atomic fill[0] += 1; y[p, else drop] = x[t]; }");
}

// --------------------------------------------------------------------------------------------------------------------
// Sums
// --------------------------------------------------------------------------------------------------------------------

TEST(PlaceRule, ASumOverAGridVariableIsShared) {
  EXPECT_TRUE(
      check("(x: f32[M, N], y: out f32[N]) over (i in M by BM, j in N by BN) { y[j] += sum(x[i, j], over i); }").isShared("y"));
}

TEST(PlaceRule, ASumInItsOwnTileIsNotShared) {
  EXPECT_FALSE(check("(x: f32[M, N], y: out f32[M]) over (i in M by BM) { for j in N by BN { y[i] += sum(x[i, j], over j); } }")
                   .isShared("y"));
}

TEST(PlaceRule, ASumAtHeadsTimesWidthIsNotShared) {
  EXPECT_FALSE(
      check("(x: f32[H, D], y: out f32[H * D]) over (h in H, d in D by BD) { y[h * D + d] += x[h, d]; }").isShared("y"));
}

TEST(PlaceRule, ASumAtDataIsShared) {
  EXPECT_TRUE(
      check("<E: i64>(x: f32[M, E], n: out i32[E]) over (t in M by BM) { let e = span(E); n[argmax(x[t, e], over e)] += 1; }",
            {{{"E", "8"}}, {}, {}, false})
          .isShared("n"));
}

TEST(PlaceRule, TheOnlyTileSharesNothing) {
  EXPECT_FALSE(check("(at: i32[M], n: out i32[N]) over () { for i in M by BM { n[at[i], else drop] += 1; } }").isShared("n"));
}

TEST(PlaceRule, AnAtomicSumNeedsNoPartialSums) {
  EXPECT_FALSE(check("(x: f32[M], at: i32[M], y: inout f32[N]) over (i in M by BM) { atomic y[at[i], else drop] += x[i]; }")
                   .isShared("y"));
}

TEST(PlaceRule, SumsOfOneTileThatReachIntoAnothersAreShared) {
  Checked checked = check("(x: f32[M], y: out f32[M + 1]) over (i in M by BM) { y[i] += x[i]; y[i + 1] += x[i]; }");
  EXPECT_TRUE(checked.storesTo("y")[0]->sharedByTiles);
  EXPECT_TRUE(checked.storesTo("y")[1]->sharedByTiles);
}

TEST(PlaceRule, AFloatSumAtDataMustBeAtomic) {
  expectError("(x: f32[M], at: i32[M], y: inout f32[N]) over (i in M by BM) { y[at[i], else drop] += x[i]; }",
              "a float sum at places from memory has no fixed order: write `atomic y[…] += …`");
}

TEST(PlaceRule, IntegerSumsAndMaximaAtDataAreLegal) {
  expectLegal("(at: i32[M], y: inout i32[N]) over (i in M by BM) { y[at[i], else drop] += 1; }");
  expectLegal("(x: f32[M], at: i32[M], y: inout f32[N]) over (i in M by BM) { y[at[i], else drop] max= x[i]; }");
}

// --------------------------------------------------------------------------------------------------------------------
// Views as a whole
// --------------------------------------------------------------------------------------------------------------------

TEST(PlaceRule, AnOutputMustBeWritten) {
  expectError("(x: f32[M], y: out f32[M], z: out f32[M]) over (i in M by BM) { y[i] = x[i]; }", "`z` is never written");
}

TEST(PlaceRule, AnAbsentOutputNeedNot) {
  expectLegal("(x: f32[M], y: out f32[M], z: out f32[M]?) over (i in M by BM) { y[i] = x[i]; if z { z[i] = x[i]; } }");
}

TEST(PlaceRule, NorOneWhoseStoresAreDecidedAway) {
  expectLegal("<keep: bool = false>(x: f32[M], y: out f32[M], z: out f32[M]?) over (i in M by BM) {"
              " y[i] = x[i]; if keep { if z { z[i] = x[i]; } } }");
  expectLegal("<n: i64 = 0>(x: f32[M], y: out f32[M], z: inout f32[M]) over (i in M by BM) {"
              " y[i] = x[i]; if n > 0 { for k in 2 { z[i] += x[i]; } } }");
}

TEST(PlaceRule, AViewIsAssignedOrAccumulated) {
  expectError("(x: f32[M], y: out f32[2 * M]) over (i in M by BM) { y[i] = x[i]; y[i + M] += x[i]; }",
              "`y` is assigned with `=`, so it cannot be accumulated too");
  expectError("(x: f32[M], y: out f32[2 * M]) over (i in M by BM) { y[i] += x[i]; y[i + M] max= x[i]; }",
              "`y` is accumulated in two ways: one of `+=`, `max=` and `min=` for each view");
}

TEST(PlaceRule, AStaticMayDecideBetweenThem) {
  expectLegal("<accumulate: bool = false>(x: f32[M], y: inout f32[M]) over (i in M by BM) {"
              " if accumulate { y[i] += x[i]; } else { y[i] = x[i]; } }");
}

TEST(PlaceRule, SoMayThePresenceOfAView) {
  expectLegal("(x: f32[M], b: f32[M]?, y: inout f32[M]) over (i in M by BM) { if b { y[i] += b[i]; } else { y[i] = x[i]; } }");
}
