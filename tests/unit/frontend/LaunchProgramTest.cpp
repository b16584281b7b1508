// The format is that of compiler/include/tilewright/compiler_c.h. Each test states one part of it for a small kernel.
#include "compiler/frontend/LaunchProgram.h"

#include "tests/unit/frontend/Fixtures.h"

using namespace tilewright::frontend;
using namespace tilewright::frontend::tests;
using Json = nlohmann::ordered_json;

namespace {

std::unique_ptr<Module> checkText(const std::string &text) {
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Module::check("test.tile", text, noImports, diagnostics);
  EXPECT_FALSE(diagnostics.hasErrors()) << render(diagnostics);
  return diagnostics.hasErrors() ? nullptr : std::move(module);
}

/// The metadata of the only kernel of a text.
Json programOf(const std::string &text, const Specialization &specialization = {}) {
  std::unique_ptr<Module> module = checkText(text);
  if (!module)
    return {};
  Diagnostics diagnostics;
  std::string name = module->kernelNames().front();
  std::unique_ptr<typed::Kernel> kernel = module->specialize(name, specialization, diagnostics);
  EXPECT_FALSE(diagnostics.hasErrors()) << render(diagnostics);
  if (!kernel)
    return {};
  std::vector<LaunchAccess> accesses = applyRangeRule(*kernel, diagnostics);
  LaunchPlaces places = applyPlaceRule(*kernel, diagnostics);
  return launchProgram(*kernel, *module->signature(name), accesses, places);
}

Json signatureOf(const std::string &text) {
  std::unique_ptr<Module> module = checkText(text);
  return module ? signatures(*module)["kernels"][0] : Json();
}

void expectJson(const Json &found, const std::string &expected) {
  EXPECT_EQ(found.dump(), Json::parse(expected).dump());
}

} // namespace

// --------------------------------------------------------------------------------------------------------------------
// SIGNATURE
// --------------------------------------------------------------------------------------------------------------------

TEST(LaunchProgram, SignatureDescribesStatics) {
  Json signature = signatureOf(
      "fn identity(x: f32) -> f32 = x;\n"
      "/// Copies.\n"
      "kernel k<T: f16 | bf16, act: fn(f32) -> f32 = identity, D: i64, causal: bool = false>(x: T[M, D], y: out T[M, D])\n"
      "over (i in M by BM) { let d = span(D); y[i, d] = T(act(f32(x[i, d]))); }");
  EXPECT_EQ(signature["name"], "k");
  EXPECT_EQ(signature["documentation"], "Copies.");
  expectJson(signature["statics"], R"json([
    {"name": "T", "kind": "type", "dtypes": ["f16", "bf16"], "default": null, "dimension": false},
    {"name": "act", "kind": "function", "dtypes": [], "default": "identity", "dimension": false},
    {"name": "D", "kind": "constant", "dtypes": ["i64"], "default": null, "dimension": true},
    {"name": "causal", "kind": "constant", "dtypes": ["bool"], "default": "false", "dimension": false}])json");
  expectJson(signature["tunables"], R"json(["BM"])json");
}

TEST(LaunchProgram, SignatureDescribesParametersAsWritten) {
  Json signature = signatureOf(
      "let small = 1e-5;\n"
      "kernel k<T: float>(x: T[M..., K]?, y: out accum(T)[M..., P = ceildiv(K, 2)], z: inout f32[2 * M], eps: f32 = small,\n"
      "top: f32 = -inf, n: i64 = -3, flag: bool = true, seed: i64)\n"
      "over (i in M by BM) { for p in P by BP { y[i, p] = eps; } z[i] += 1; }");
  expectJson(signature["parameters"], R"json([
    {"name": "x", "kind": "view", "access": "in", "dtype": "T", "optional": true, "dimensions": [
      {"kind": "pack", "name": "M", "value": null}, {"kind": "name", "name": "K", "value": null}]},
    {"name": "y", "kind": "view", "access": "out", "dtype": "accum(T)", "optional": false, "dimensions": [
      {"kind": "pack", "name": "M", "value": null},
      {"kind": "definition", "name": "P", "value": {"op": "negate", "args": [
        {"op": "divide", "args": [{"op": "negate", "args": [{"dim": "K"}]}, 2]}]}}]},
    {"name": "z", "kind": "view", "access": "inout", "dtype": "f32", "optional": false, "dimensions": [
      {"kind": "expression", "name": null, "value": {"op": "multiply", "args": [2, {"dim": "M"}]}}]},
    {"name": "eps", "kind": "scalar", "dtype": "f32", "default": 1e-05},
    {"name": "top", "kind": "scalar", "dtype": "f32", "default": "-inf"},
    {"name": "n", "kind": "scalar", "dtype": "i64", "default": -3},
    {"name": "flag", "kind": "scalar", "dtype": "bool", "default": true},
    {"name": "seed", "kind": "scalar", "dtype": "i64", "default": null}])json");
}

TEST(LaunchProgram, MetadataResolvesDTypesAndConstants) {
  Json program = programOf("kernel k<T: float, D: i64>(x: T[M, D], y: out accum(T)[M, D / 2], n: i64 = 4)\n"
                           "over (i in M by BM) { let e = span(D / 2); y[i, e] = f32(x[i, e]); }",
                           {{{"T", "bf16"}, {"D", "64"}}, {}, {}, false});
  EXPECT_EQ(program["parameters"][0]["dtype"], "bf16");
  EXPECT_EQ(program["parameters"][1]["dtype"], "f32");
  expectJson(program["parameters"][1]["dimensions"][1], R"json({"kind": "expression", "name": null, "value": 32})json");
  EXPECT_EQ(program["parameters"][2]["default"], 4);
  expectJson(program["constants"], R"json({"D": 64})json");
  expectJson(program["dimensions"], R"json(["M"])json");
}

TEST(LaunchProgram, DescribesTheKernelsOfTheLanguage) {
  std::string text = readRepositoryFile("tests/semantics/kernels.tile");
  std::unique_ptr<Module> module = checkText(text);
  ASSERT_TRUE(module);
  Json all = signatures(*module)["kernels"];
  EXPECT_EQ(all.size(), module->kernelNames().size());
  EXPECT_EQ(all.dump().find("unknown"), std::string::npos);
}

// --------------------------------------------------------------------------------------------------------------------
// Checks
// --------------------------------------------------------------------------------------------------------------------

TEST(LaunchProgram, AxesHaveRangesAndParents) {
  Json program = programOf("kernel k(x: f32[M, N], y: out f32[M, N]) over (i in M by BM, j in 0..i.end by BN) {\n"
                           "  for jj in j by 16 { y[i, jj, else drop] = x[i, jj, else 0]; } }");
  expectJson(program["axes"], R"json([
    {"name": "i", "low": 0, "high": {"dim": "M"}, "span": true, "by": null, "parent": null},
    {"name": "j", "low": 0, "high": {"end": "i"}, "span": true, "by": null, "parent": null},
    {"name": "jj", "low": {"start": "j"}, "high": {"end": "j"}, "span": true, "by": 16, "parent": "j"}])json");
}

TEST(LaunchProgram, AnAccessNamesItsIndexAndWhatItIsInside) {
  Json program = programOf("kernel k(x: f32[N], y: out f32[P])\nover (p in P by BP) {\n  y[p] = x[2 * p];\n}");
  expectJson(program["accesses"], R"json([{"view": "x", "dimension": 0, "index": {"op": "multiply", "args": [2, {"axis": "p"}]},
    "store": false, "inside": ["p"], "where": "test.tile:3:12"}])json");
}

TEST(LaunchProgram, AnAccessInsideLoopsNamesThemToo) {
  Json program = programOf(
      "kernel k(x: f32[N], y: out f32[M]) over (i in M) { var s: f32 = 0; for r in 3 { s += x[i + 2 * r]; } y[i] = s; }");
  expectJson(program["accesses"][0]["inside"], R"json(["i", "r"])json");
}

TEST(LaunchProgram, WhatIsProvedIsNotChecked) {
  Json program = programOf("kernel k(x: f32[N], y: out f32[N]) over (i in N by BN) { y[i] = x[i]; }");
  expectJson(program["accesses"], "[]");
  expectJson(program["places"], "[]");
  expectJson(program["disjoint"], "[]");
}

TEST(LaunchProgram, ValuesFromMemoryAreUnknown) {
  Json program = programOf("kernel k(x: f32[N], n: i32[M], y: out f32[M]) over (i in M by BM) { y[i] = x[i64(n[i]) % N]; }");
  expectJson(program["accesses"][0]["index"], R"json({"op": "remainder", "args": [{"unknown": "i32"}, {"dim": "N"}]})json");
}

TEST(LaunchProgram, AVariableIsTheUnionOfItsValues) {
  Json program =
      programOf("kernel k(x: f32[N], y: out f32[1], s: i64) over () { var p: i64 = 0; if s > 0 { p = 7; } y[0] = x[p]; }");
  expectJson(program["accesses"][0]["index"], R"json({"op": "union", "args": [7, 0]})json");
}

TEST(LaunchProgram, NarrowArithmeticStandsBelowACast) {
  Json program = programOf("kernel k(x: f32[N], y: out f32[1], s: i32) over () { y[0] = x[max(s + s, 0)]; }");
  expectJson(
      program["accesses"][0]["index"],
      R"json({"op": "max", "args": [{"op": "i32", "args": [{"op": "add", "args": [{"scalar": "s"}, {"scalar": "s"}]}]}, 0]})json");
}

TEST(LaunchProgram, WhatOccursTwiceIsShared) {
  Json program = programOf(
      "kernel k(x: f32[N], w: f32[N], y: out f32[P]) over (p in P by BP) { let q = 2 * p; y[p] = x[q + 1] + w[q + 2]; }");
  expectJson(program["values"], R"json([{"op": "multiply", "args": [2, {"axis": "p"}]}])json");
  expectJson(program["accesses"][0]["index"], R"json({"op": "add", "args": [{"value": 0}, 1]})json");
  expectJson(program["accesses"][1]["index"], R"json({"op": "add", "args": [{"value": 0}, 2]})json");
}

TEST(LaunchProgram, RequirementsKeepTheirTexts) {
  Json program = programOf("kernel k(x: f32[M], y: out f32[M], s: f32) over (i in M by BM) {\n"
                           "  require M % 8 == 0 and s > 0.5, \"eight at a time\"; y[i] = s * x[i]; }");
  expectJson(program["require"], R"json([{"condition": {"op": "and", "args": [
      {"op": "equal", "args": [{"op": "remainder", "args": [{"dim": "M"}, 8]}, 0]},
      {"op": "greater", "args": [{"scalar": "s"}, 0.5]}]},
    "text": "eight at a time", "where": "test.tile:2:11"}])json");
}

TEST(LaunchProgram, APlaceIsASumOfTerms) {
  Json program = programOf("kernel k(x: f32[M, 4], y: out f32[N], stride: i64)\nover (i in M by BM) {\n  for r in 4 { y[i * "
                           "stride - r + 3] = x[i, r]; }\n}");
  expectJson(program["places"], R"json([{"view": "y", "dimension": 0, "constant": 3,
    "terms": [{"axis": "i", "coefficient": {"scalar": "stride"}}, {"axis": "r", "coefficient": -1}],
    "inside": ["i", "r"], "where": "test.tile:3:18"}])json");
}

TEST(LaunchProgram, TwoStoresThatMayMeetAreComparedInEveryDimension) {
  Json program = programOf("kernel k(x: f32[M], y: out f32[M, N], s: i64) over (i in M by BM) {\n  y[i, 0] = x[i];\n  y[i, s, "
                           "else drop] = x[i];\n}");
  expectJson(program["disjoint"], R"json([{"view": "y", "dimensions": [{"first": {"axis": "i"}, "second": {"axis": "i"}},
    {"first": 0, "second": {"scalar": "s"}}], "where": "test.tile:2:3", "other": "test.tile:3:3"}])json");
}

// --------------------------------------------------------------------------------------------------------------------
// Products
// --------------------------------------------------------------------------------------------------------------------

TEST(LaunchProgram, AProductNamesItsTileAndWhatItIsInside) {
  Json program = programOf("kernel k(x: f32[M, K], w: f32[N, K], y: out f32[M, N]) over (i in M by BM, j in N by BN) {\n"
                           "  var s: f32[i, j] = 0;\n  for k in K by BK { s += dot(x[i, k], w[j, k], over k); }\n  y[i, j] = s;\n}",
                           {{}, {}, {{"BM", 32}, {"BN", 64}, {"BK", 128}}, false});
  expectJson(program["dots"], R"json([{"tile": ["i", "j", "k"], "inside": ["i", "j", "k"], "runs": "always",
    "where": "test.tile:3:27"}])json");
  EXPECT_EQ(program["axes"][2]["by"], 128);
}

TEST(LaunchProgram, AProductInAFunctionCountsForEachCall) {
  Json program = programOf("fn norm(a: f32, b: f32, over k) -> f32 = dot(a, b, over k);\n"
                           "fn twice(a: f32, over k) -> f32 = norm(a, a, over k) + norm(a, 2 * a, over k);\n"
                           "kernel k<D: i64>(x: f32[M, D], y: out f32[M]) over (i in M by BM) {\n"
                           "  let d = span(D);\n  y[i] = twice(x[i, d], over d);\n}",
                           {{{"D", "8"}}, {}, {}, false});
  ASSERT_EQ(program["dots"].size(), 2u);
  for (const Json &dot : program["dots"]) {
    expectJson(dot["tile"], R"json(["i", "d"])json");
    expectJson(dot["inside"], R"json(["i"])json");
  }
}

TEST(LaunchProgram, AProductTellsWhetherItRuns) {
  auto runs = [](const std::string &body) {
    Json program = programOf("kernel k(x: f32[M, K], n: i32[M], y: out f32[M]) over (i in M) {\n  var s: f32 = 0;\n"
                             "  let k = span(16);\n  let t = x[i, k, else 0];\n" + body + "\n  y[i] = s;\n}");
    return program["dots"][0]["runs"];
  };
  EXPECT_EQ(runs("s = dot(t, t, over k);"), "always");
  EXPECT_EQ(runs("if n[i] > 0 { s = 1; } else { s = dot(t, t, over k); }"), "perhaps");
  EXPECT_EQ(runs("if dot(t, t, over k) > 0 { s = 1; }"), "always");
  EXPECT_EQ(runs("while s < 1 { s += dot(t, t, over k) + 1; }"), "unknown");
  EXPECT_EQ(runs("while dot(t, t, over k) > s { s += 1; }"), "unknown");
}
