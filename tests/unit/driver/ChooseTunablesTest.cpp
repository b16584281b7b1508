// What is chosen is stated by the rules at the head of ChooseTunables.cpp; each test is one of them.
#include "compiler/driver/ChooseTunables.h"

#include "compiler/frontend/Sema.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <vector>

using namespace tilewright::compiler;
using namespace tilewright::frontend;

namespace {

using Sizes = std::map<std::string, int64_t>;

std::optional<std::string> noImports(const std::string &, const std::string &) {
  return std::nullopt;
}

struct Choice {
  std::optional<Sizes> sizes;
  std::string diagnostics;
  int64_t split = 0;
};

Choice choose(const std::string &text, const std::string &kernelName, const Sizes &extents,
              const Specialization &specialization = {}, const TunableSizes &target = TunableSizes::forCpu()) {
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Module::check("test.tile", text, noImports, diagnostics);
  std::unique_ptr<typed::Kernel> kernel = module ? module->specialize(kernelName, specialization, diagnostics) : nullptr;
  EXPECT_TRUE(kernel) << render(diagnostics);
  if (!kernel)
    return {};
  int64_t split = 0;
  std::optional<Sizes> sizes = chooseTunables(*kernel, extents, target, diagnostics, &split);
  return {sizes, render(diagnostics), split};
}

std::string readyKernels(const std::string &name) {
  std::ifstream file(TILEWRIGHT_SOURCE_DIR "/runtime/kernels/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Sizes linearSizes(const Sizes &extents, const Sizes &given = {}) {
  Choice choice = choose(readyKernels("linear.tile"), "linear", extents, {{{"T", "f32"}}, {}, given, false});
  return choice.sizes.value_or(Sizes{});
}

/// A kernel over i by BM and j by BN with `statement` in it.
std::string elementwise(const std::string &statement) {
  return "kernel k(x: f32[M, N], y: out f32[M, N]) over (i in M by BM, j in N by BN) {\n  " + statement +
         "\n  y[i, j] = x[i, j];\n}";
}

} // namespace

TEST(ChooseTunables, AProductIsCutForItsRows_ItsColumns_AndTheSteps) {
  EXPECT_EQ(linearSizes({}), (Sizes{{"BM", 128}, {"BN", 256}, {"BK", 256}}));
  EXPECT_EQ(linearSizes({{"M", 8192}, {"N", 8192}, {"K", 8192}}), (Sizes{{"BM", 128}, {"BN", 256}, {"BK", 256}}));
}

TEST(ChooseTunables, NoSizeIsLargerThanItsDimension) {
  // Up to 16 exactly, above that rounded up to vectors.
  EXPECT_EQ(linearSizes({{"M", 3}, {"N", 5}, {"K", 77}}), (Sizes{{"BM", 3}, {"BN", 5}, {"BK", 80}}));
  EXPECT_EQ(linearSizes({{"M", 16}, {"N", 17}, {"K", 1}}), (Sizes{{"BM", 16}, {"BN", 32}, {"BK", 1}}));
  EXPECT_EQ(linearSizes({{"M", 0}, {"N", 0}, {"K", 0}}), (Sizes{{"BM", 1}, {"BN", 1}, {"BK", 1}}));
}

TEST(ChooseTunables, ASmallGridIsCutFurtherWhileThePiecesStayWorthwhile) {
  EXPECT_EQ(linearSizes({{"M", 1000}, {"N", 256}, {"K", 784}}), (Sizes{{"BM", 128}, {"BN", 128}, {"BK", 256}})); // 8 × 2 tiles
  EXPECT_EQ(linearSizes({{"M", 128}, {"N", 256}, {"K", 784}}), (Sizes{{"BM", 32}, {"BN", 64}, {"BK", 256}}));    // 4 × 4
  EXPECT_EQ(linearSizes({{"M", 32}, {"N", 64}, {"K", 784}}), (Sizes{{"BM", 32}, {"BN", 64}, {"BK", 256}})); // not worthwhile
}

TEST(ChooseTunables, WhatIsGivenStays) {
  EXPECT_EQ(linearSizes({{"M", 1000}, {"N", 256}, {"K", 784}}, {{"BN", 7}, {"BK", 500}}),
            (Sizes{{"BM", 128}, {"BN", 7}, {"BK", 500}}));
}

TEST(ChooseTunables, RowsOfASoftmaxAreLongAndFewAtATime) {
  std::string text = readyKernels("softmax.tile");
  Specialization f32{{{"T", "f32"}}, {}, {}, false};
  EXPECT_EQ(choose(text, "softmax", {}, f32).sizes, (Sizes{{"BM", 4}, {"BN", 4096}}));
  EXPECT_EQ(choose(text, "softmax", {{"M", 10000}, {"N", 1000}}, f32).sizes, (Sizes{{"BM", 4}, {"BN", 1008}}));
  EXPECT_EQ(choose(text, "softmax", {{"M", 2}, {"N", 10}}, f32).sizes, (Sizes{{"BM", 2}, {"BN", 10}}));
}

TEST(ChooseTunables, SeveralAxesOfOneSideShareIt) {
  // Rows p and q of an implicit convolution, summed over channels and a neighbourhood.
  std::string two =
      "kernel k(x: f32[P, Q, R, C], w: f32[F, R, C], y: out f32[P, Q, F])\n"
      "over (p in P by BP, q in Q by BQ, f in F by BF) {\n  var s: f32[p, q, f] = 0;\n"
      "  for r in R by BR, c in C by BC { s += dot(x[p, q, r, c], w[f, r, c], over r, c); }\n  y[p, q, f] = s;\n}";
  EXPECT_EQ(choose(two, "k", {}).sizes, (Sizes{{"BP", 8}, {"BQ", 16}, {"BF", 256}, {"BR", 16}, {"BC", 16}}));
  // What is given takes its part.
  EXPECT_EQ(choose(two, "k", {}, {{}, {}, {{"BQ", 2}, {"BC", 256}}, false}).sizes,
            (Sizes{{"BP", 64}, {"BQ", 2}, {"BF", 256}, {"BR", 1}, {"BC", 256}}));
}

TEST(ChooseTunables, TheChosenTilesCanBeCompiled) {
  // Three rows; and a row of a product that is also that of long contiguous rows.
  std::string three = "kernel k(x: f32[A, P, Q, C], w: f32[F, C], y: out f32[A, P, Q, F])\n"
                      "over (a in A by BA, p in P by BP, q in Q by BQ, f in F by BF) {\n  var s: f32[a, p, q, f] = 0;\n"
                      "  for c in C by BC { s += dot(x[a, p, q, c], w[f, c], over c); }\n  y[a, p, q, f] = s;\n}";
  std::string both = "kernel k(x: f32[M, K], g: f32[M, N], s: out f32[M], y: out f32[M, N])\nover (i in M by BM) {\n"
                     "  var t: f32[i] = 0;\n  for k in K by BK { t += dot(x[i, k], x[i, k], over k); }\n  s[i] = t;\n"
                     "  for n in N by BN { y[i, n] = g[i, n] * t; }\n}";
  std::string matrix = "kernel k(x: f32[M, K], w: f32[J, K], g: f32[M, N], s: out f32[M, J], y: out f32[M, N])\n"
                       "over (i in M by BM) {\n  let j = span(8);\n  var t: f32[i, j] = 0;\n"
                       "  for k in K by BK { t += dot(x[i, k], w[j, k, else 0], over k); }\n  s[i, j, else drop] = t;\n"
                       "  let u = sum(t, over j);\n  for n in N by BN { y[i, n] = g[i, n] * u; }\n}";
  for (const std::string &text : {three, both, matrix}) {
    Choice choice = choose(text, "k", {});
    ASSERT_TRUE(choice.sizes);
    choose(text, "k", {}, {{}, {}, *choice.sizes, false}); // fails if a tile is too large
  }
}

TEST(ChooseTunables, TuneTakesTheNearestThatIsAllowed) {
  EXPECT_EQ(choose(elementwise("tune BN in [24, 3000, 100];"), "k", {}).sizes->at("BN"), 3000);
  EXPECT_EQ(choose(elementwise("tune BN in [24, 3000, 100];"), "k", {{"M", 100}, {"N", 48}}).sizes->at("BN"), 24);
}

TEST(ChooseTunables, ARequirementIsObeyedNearWhatWouldBeChosen) {
  Choice free = choose(elementwise(""), "k", {});
  EXPECT_EQ(free.sizes, (Sizes{{"BM", 4}, {"BN", 4096}}));
  Choice product = choose(elementwise("require BM * BN <= 1024;"), "k", {});
  ASSERT_TRUE(product.sizes) << product.diagnostics;
  EXPECT_LE(product.sizes->at("BM") * product.sizes->at("BN"), 1024);
  Choice same = choose(elementwise("require BM == BN;"), "k", {});
  ASSERT_TRUE(same.sizes) << same.diagnostics;
  EXPECT_EQ(same.sizes->at("BM"), same.sizes->at("BN"));
  Choice satisfied = choose(elementwise("require BN >= BM;"), "k", {});
  EXPECT_EQ(satisfied.sizes, free.sizes);
  // A given size is not changed to obey: the other one is.
  Choice given = choose(elementwise("require BM == BN;"), "k", {}, {{}, {}, {{"BM", 32}}, false});
  EXPECT_EQ(given.sizes, (Sizes{{"BM", 32}, {"BN", 32}}));
}

TEST(ChooseTunables, ARequirementThatNothingObeysIsAnErrorWithItsTextAndPlace) {
  Choice none = choose(elementwise("require BM > 100000, \"rows must be many\";"), "k", {});
  EXPECT_FALSE(none.sizes);
  EXPECT_NE(none.diagnostics.find("test.tile:2:"), std::string::npos) << none.diagnostics;
  EXPECT_NE(none.diagnostics.find("no block sizes of kernel `k` satisfy its requirements: rows must be many"),
            std::string::npos)
      << none.diagnostics;
}

TEST(ChooseTunables, AKernelWithoutTunablesNeedsNone) {
  EXPECT_EQ(choose("kernel k(y: out f32[M]) over (i in M by 32) { y[i] = 1; }", "k", {}).sizes, Sizes{});
}

// Of targets whose warps have roles, a model chooses the tile of a kernel's only product
// -------------------------------------------------

namespace {

/// A target whose model says what it is told to, and remembers what it was asked.
struct FakeModel {
  ProductTile answer;
  std::vector<ProductShape> asked;

  TunableSizes target() {
    TunableSizes sizes = TunableSizes::forScheduledGpu(132);
    sizes.productTile = [this](const ProductShape &shape) {
      asked.push_back(shape);
      return answer;
    };
    return sizes;
  }
};

Specialization bf16(const Sizes &given = {}) {
  return {{{"T", "bf16"}}, {}, given, false};
}

std::string product(const std::string &statement = "") {
  return "kernel k(x: bf16[M, K], w: bf16[N, K], y: out bf16[M, N]) over (i in M by BM, j in N by BN) {\n  " + statement +
         "\n  var a: f32[i, j] = 0;\n  for k in K by BK { a += dot(x[i, k], w[j, k], over k); }\n  y[i, j] = bf16(a);\n}";
}

} // namespace

TEST(ChooseTunables, AModelIsToldRowsColumnsAndDepth_AndIsObeyed) {
  FakeModel model{{192, 80}, {}};
  Choice choice = choose(readyKernels("linear.tile"), "linear", {{"M", 1000}, {"N", 3000}, {"K", 500}}, bf16(), model.target());
  ASSERT_EQ(model.asked.size(), 1u);
  EXPECT_EQ(model.asked[0].rows, 1000);
  EXPECT_EQ(model.asked[0].columns, 3000);
  EXPECT_EQ(model.asked[0].depth, 500);
  EXPECT_EQ(choice.sizes, (Sizes{{"BM", 192}, {"BN", 80}, {"BK", 64}}));
}

TEST(ChooseTunables, AModelsTileMayBeSplit) {
  FakeModel model{{128, 256, 4}, {}};
  EXPECT_EQ(choose(product(), "k", {}, {}, model.target()).split, 4);
  // Sizes that are given are not the model's; other targets have no splits, nor has f8.
  EXPECT_EQ(choose(readyKernels("linear.tile"), "linear", {}, bf16({{"BN", 256}}), model.target()).split, 1);
  EXPECT_EQ(choose(product(), "k", {}, {}, TunableSizes::forGpu()).split, 1);
  Sizes gradient{{"M", 1024}, {"N", 1024}, {"K", 16384}};
  EXPECT_EQ(choose(product(), "k", gradient, {}, TunableSizes::forScheduledGpu(132, 2)).split, 2);
  EXPECT_EQ(choose(product(), "k", gradient, {}, TunableSizes::forScheduledGpu(132, 1)).split, 1);
}

TEST(ChooseTunables, ExtentsThatAreNotKnownAreZeroToTheModel) {
  FakeModel model{{128, 128}, {}};
  choose(product(), "k", {{"N", 3000}}, {}, model.target());
  ASSERT_EQ(model.asked.size(), 1u);
  EXPECT_EQ(model.asked[0].rows, 0);
  EXPECT_EQ(model.asked[0].columns, 3000);
  EXPECT_EQ(model.asked[0].depth, 0);
}

TEST(ChooseTunables, AModelledTileIsLargerThanAShortDimension_AndNotSplit) {
  // Warpgroups have 64 rows, whatever there is to be computed.
  FakeModel model{{64, 32}, {}};
  EXPECT_EQ(choose(product(), "k", {{"M", 3}, {"N", 5}, {"K", 7}}, {}, model.target()).sizes,
            (Sizes{{"BM", 64}, {"BN", 32}, {"BK", 64}}));
}

TEST(ChooseTunables, AModelIsToldWhatAnOperandIsComputedOf) {
  FakeModel model{{128, 256}, {}};
  choose(readyKernels("linear.tile"), "linear_dx", {{"M", 1000}, {"N", 3000}, {"K", 500}}, bf16(), model.target());
  choose(product(), "k", {}, {}, model.target());
  ASSERT_EQ(model.asked.size(), 2u);
  EXPECT_EQ(model.asked[0].rows, 1000);
  EXPECT_EQ(model.asked[0].columns, 500);
  EXPECT_EQ(model.asked[0].depth, 3000);
  EXPECT_EQ(model.asked[0].computedOf, 2);
  EXPECT_EQ(model.asked[1].computedOf, 0);
}

TEST(ChooseTunables, AModelIsToldHowMuchThereIsToCompute) {
  FakeModel model{{128, 256}, {}};
  for (const char *act : {"silu", "gelu", "gelu_erf", "relu"}) {
    Specialization bindings = bf16();
    bindings.statics["act"] = act;
    choose(readyKernels("linear.tile"), "linear_dx", {}, bindings, model.target());
  }
  choose(product(), "k", {}, {}, model.target());
  ASSERT_EQ(model.asked.size(), 5u);
  // What ptxas makes of them, within a fifth.
  const double assembled[] = {9, 13.5, 13.5};
  for (size_t i = 0; i < std::size(assembled); ++i)
    EXPECT_NEAR(model.asked[i].computedInstructions, assembled[i], assembled[i] / 5) << i;
  EXPECT_LT(model.asked[3].computedInstructions, 5);
  EXPECT_EQ(model.asked[4].computedInstructions, 0);
}

TEST(ChooseTunables, RowsAreThoseOfTheOperandThatIsComputed) {
  FakeModel model{{128, 256}, {}};
  std::string right = "kernel k(x: bf16[M, K], w: bf16[N, K], y: out bf16[M, N]) over (i in M by BM, j in N by BN) {\n"
                      "  var a: f32[i, j] = 0;\n  for k in K by BK { a += dot(w[j, k], bf16(x[i, k] * 2), over k); }\n  y[i, j] = bf16(a);\n}";
  Choice choice = choose(right, "k", {{"M", 1000}, {"N", 3000}, {"K", 500}}, {}, model.target());
  ASSERT_EQ(model.asked.size(), 1u);
  EXPECT_EQ(model.asked[0].rows, 1000);
  EXPECT_EQ(model.asked[0].columns, 3000);
  EXPECT_EQ(model.asked[0].computedOf, 1);
  EXPECT_EQ(choice.sizes, (Sizes{{"BM", 128}, {"BN", 256}, {"BK", 64}}));
}

TEST(ChooseTunables, ColumnsThatAreContiguousAreTakenByWholePanels) {
  FakeModel model{{128, 128}, {}};
  choose(product(), "k", {}, {}, model.target());
  choose(readyKernels("linear.tile"), "linear_dx", {}, bf16(), model.target());
  ASSERT_EQ(model.asked.size(), 2u);
  EXPECT_EQ(model.asked[0].columnMultiple, 16);
  EXPECT_EQ(model.asked[1].columnMultiple, 64);
}

TEST(ChooseTunables, AModelIsToldWhetherPartsAreStored) {
  FakeModel model{{128, 128}, {}};
  choose(readyKernels("projection.tile"), "projection", {}, bf16(), model.target());
  choose(product(), "k", {}, {}, model.target());
  ASSERT_EQ(model.asked.size(), 2u);
  EXPECT_TRUE(model.asked[0].storesParts);
  EXPECT_FALSE(model.asked[1].storesParts);
}

TEST(ChooseTunables, FewLongRowsAreTakenInLongerSteps) {
  FakeModel model{{64, 112}, {}};
  auto depthOf = [&](Sizes extents) { return choose(product(), "k", extents, {}, model.target()).sizes->at("BK"); };
  EXPECT_EQ(depthOf({{"M", 16}, {"N", 14336}, {"K", 4096}}), 128);
  EXPECT_EQ(depthOf({{"M", 64}, {"N", 14336}, {"K", 1024}}), 128);
  EXPECT_EQ(depthOf({{"M", 65}, {"N", 14336}, {"K", 4096}}), 64);
  EXPECT_EQ(depthOf({{"M", 16}, {"N", 14336}, {"K", 1023}}), 64);
}

TEST(ChooseTunables, AModelIsNotAskedWhereASizeIsGiven) {
  FakeModel model{{64, 32}, {}};
  Sizes sizes = choose(product(), "k", {}, {{}, {}, {{"BM", 32}}, false}, model.target()).sizes.value_or(Sizes{});
  EXPECT_TRUE(model.asked.empty());
  EXPECT_EQ(sizes, (Sizes{{"BM", 32}, {"BN", 128}, {"BK", 64}}));
}

TEST(ChooseTunables, AModelIsNotAskedOfTwoProducts_OrOfNone) {
  FakeModel model{{64, 32}, {}};
  std::string two =
      "kernel k(x: bf16[M, K], w: bf16[N, K], v: bf16[N, K], y: out bf16[M, N]) over (i in M by BM, j in N by BN) {\n"
      "  var a: f32[i, j] = 0;\n  var b: f32[i, j] = 0;\n"
      "  for k in K by BK { a += dot(x[i, k], w[j, k], over k); b += dot(x[i, k], v[j, k], over k); }\n  y[i, j] = bf16(a * "
      "b);\n}";
  EXPECT_TRUE(choose(two, "k", {}, {}, model.target()).sizes);
  EXPECT_TRUE(choose(elementwise(""), "k", {}, {}, model.target()).sizes);
  // Rows of two axes: which of them should have the model's?
  std::string rows =
      "kernel k(x: bf16[P, Q, C], w: bf16[F, C], y: out bf16[P, Q, F]) over (p in P by BP, q in Q by BQ, f in F by BF) {\n"
      "  var s: f32[p, q, f] = 0;\n  for c in C by BC { s += dot(x[p, q, c], w[f, c], over c); }\n  y[p, q, f] = bf16(s);\n}";
  EXPECT_TRUE(choose(rows, "k", {}, {}, model.target()).sizes);
  EXPECT_TRUE(model.asked.empty());
}

TEST(ChooseTunables, TuneAndRequireBindAModelToo) {
  FakeModel model{{128, 192}, {}};
  EXPECT_EQ(choose(product("tune BN in [96, 160];"), "k", {}, {}, model.target()).sizes,
            (Sizes{{"BM", 128}, {"BN", 160}, {"BK", 64}}));
  Choice required = choose(product("require BM * BN <= 16384;"), "k", {}, {}, model.target());
  ASSERT_TRUE(required.sizes) << required.diagnostics;
  EXPECT_LE(required.sizes->at("BM") * required.sizes->at("BN"), 16384);
}

TEST(ChooseTunables, AModelIsToldOfRangesThatAreComputedAndOfHowManyProductsThereAre) {
  FakeModel model{{128, 192}, {}};
  std::string parts = "kernel k(x: bf16[B, M, K], w: bf16[2 * P + Q, K], p: out bf16[B, M, P], q: out bf16[B, M, Q])\n"
                      "over (n in B, i in M by BM, j in 2 * P + Q by BN) {\n  var a: f32[i, j] = 0;\n"
                      "  for k in K by BK { a += dot(x[n, i, k], w[j, k], over k); }\n"
                      "  p[n, i, j, else drop] = bf16(a);\n  q[n, i, j - 2 * P, else drop] = bf16(a);\n}";
  EXPECT_TRUE(choose(parts, "k", {{"B", 24}, {"M", 1024}, {"K", 256}, {"P", 256}, {"Q", 256}}, {}, model.target()).sizes);
  EXPECT_TRUE(choose(parts, "k", {{"B", 24}, {"M", 1024}, {"K", 256}, {"P", 512}}, {}, model.target()).sizes);
  ASSERT_EQ(model.asked.size(), 2U);
  EXPECT_EQ(model.asked[0].rows, 1024);
  EXPECT_EQ(model.asked[0].columns, 768);
  EXPECT_EQ(model.asked[0].depth, 256);
  EXPECT_EQ(model.asked[0].count, 24);
  EXPECT_EQ(model.asked[1].columns, 0); // not known
}

TEST(ChooseTunables, AModelIsToldDepthsInElementsOf16Bits) {
  auto typed = [](const std::string &type, const std::string &sum, const std::string &option) {
    return "kernel k(x: " + type + "[M, K], w: " + type + "[N, K], y: out " + sum + "[M, N]) over (i in M by BM, j in N by BN) {\n" +
           "  var a: " + sum + "[i, j] = 0;\n  for k in K by BK { a += dot(x[i, k], w[j, k], over k" + option + "); }\n  y[i, j] = a;\n}";
  };
  FakeModel model{{128, 256}, {}};
  Sizes extents{{"M", 4096}, {"N", 4096}, {"K", 1024}};
  EXPECT_EQ(choose(typed("i8", "i32", ""), "k", extents, {}, model.target()).sizes, (Sizes{{"BM", 128}, {"BN", 256}, {"BK", 128}}));
  EXPECT_EQ(choose(typed("f32", "f32", ", precision = tf32"), "k", extents, {}, model.target()).sizes,
            (Sizes{{"BM", 128}, {"BN", 256}, {"BK", 32}}));
  // Two registers for each element of a sum.
  EXPECT_EQ(choose(typed("f8e4m3", "f32", ""), "k", extents, {}, model.target()).sizes, (Sizes{{"BM", 128}, {"BN", 192}, {"BK", 128}}));
  ASSERT_EQ(model.asked.size(), 3U);
  EXPECT_EQ(model.asked[0].depth, 512);
  EXPECT_EQ(model.asked[1].depth, 2048);
  EXPECT_EQ(model.asked[2].depth, 512);
}

TEST(ChooseTunables, TheModelOfScheduledGpusChoosesForTheirMultiprocessors) {
  ProductShape shape{16384, 3072, 768};
  ProductTile tile = bestTile(shape, 132);
  Sizes extents{{"M", shape.rows}, {"N", shape.columns}, {"K", shape.depth}};
  EXPECT_EQ(choose(product(), "k", extents, {}, TunableSizes::forScheduledGpu(132)).sizes,
            (Sizes{{"BM", tile.rows}, {"BN", tile.columns}, {"BK", 64}}));
  EXPECT_EQ(choose(product(), "k", {}, {}, TunableSizes::forScheduledGpu(132)).sizes,
            (Sizes{{"BM", 128}, {"BN", 128}, {"BK", 64}}));
  // 128 x 256 elements are twice as many as tiles beside products have otherwise.
  ProductShape flat{1 << 20, 4096, 64};
  ASSERT_EQ(bestTile(flat, 132), (ProductTile{128, 256}));
  EXPECT_EQ(
      choose(product(), "k", {{"M", flat.rows}, {"N", flat.columns}, {"K", flat.depth}}, {}, TunableSizes::forScheduledGpu(132))
          .sizes,
      (Sizes{{"BM", 128}, {"BN", 256}, {"BK", 64}}));
}

TEST(ChooseTunables, LoopsWithSeveralProductsTakeAllRowsFromOneAxis) {
  auto attention = [](int64_t channels, const Sizes &extents, const Sizes &given = {}) {
    Specialization specialization = bf16(given);
    specialization.statics["D"] = std::to_string(channels);
    return choose(readyKernels("attention.tile"), "attention", extents, specialization, TunableSizes::forScheduledGpu(132)).sizes.value_or(Sizes{});
  };
  Sizes many{{"SQ", 4096}, {"SK", 4096}};
  EXPECT_EQ(attention(64, many), (Sizes{{"BG", 1}, {"BM", 128}, {"BN", 128}}));
  EXPECT_EQ(attention(128, {}), (Sizes{{"BG", 1}, {"BM", 128}, {"BN", 128}}));
  // Two stages of 256 channels have room for 64 keys.
  EXPECT_EQ(attention(256, many), (Sizes{{"BG", 1}, {"BM", 128}, {"BN", 64}}));
  // What is given stays, and says nothing of the channels.
  EXPECT_EQ(attention(64, many, {{"BM", 256}}), (Sizes{{"BG", 1}, {"BM", 256}, {"BN", 128}}));
  EXPECT_EQ(attention(64, many, {{"BN", 96}}), (Sizes{{"BG", 1}, {"BM", 128}, {"BN", 96}}));
  // Of few positions the heads that share a key fill the rows.
  EXPECT_GT(attention(64, {{"SQ", 1}, {"SK", 4096}}).at("BG"), 1);
}
