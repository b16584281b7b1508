// From source to the tile dialect: each test states what one construct becomes. The IR is compared by pieces in their order, as
// FileCheck does; every kernel that is emitted has passed the dialect's verifiers.
#include "compiler/frontend/EmitTile.h"
#include "compiler/frontend/PlaceRule.h"
#include "compiler/frontend/RangeRule.h"
#include "compiler/frontend/Sema.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

using namespace tilewright::frontend;

namespace {

struct Emitted {
  bool hasModule = false;
  std::string text;   ///< the module
  std::string faults; ///< what was reported to the context
  std::vector<Message> messages;
};

struct Request {
  Specialization specialization;
  EmitOptions options;
  bool locations = false;
  std::string kernel = "k";
  bool givesCapacities = true;
};

std::unique_ptr<Module> checked(const std::string &text) {
  Diagnostics diagnostics;
  auto none = [](const std::string &, const std::string &) { return std::optional<std::string>(); };
  std::unique_ptr<Module> module = Module::check("test.tile", text, none, diagnostics);
  EXPECT_FALSE(diagnostics.hasErrors()) << render(diagnostics);
  return module;
}

Emitted emit(const Module &module, const Request &request) {
  Diagnostics diagnostics;
  std::unique_ptr<typed::Kernel> kernel = module.specialize(request.kernel, request.specialization, diagnostics);
  if (!kernel) {
    ADD_FAILURE() << render(diagnostics);
    return {};
  }
  applyRangeRule(*kernel, diagnostics);
  applyPlaceRule(*kernel, diagnostics);
  EXPECT_FALSE(diagnostics.hasErrors()) << render(diagnostics);

  EmitOptions options = request.options;
  if (request.givesCapacities)
    for (const auto &tunable : kernel->tunables)
      options.capacities.emplace(tunable->name, tunable->value.value_or(8));
  mlir::MLIRContext context;
  Emitted emitted;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &fault) { emitted.faults += fault.str() + "\n"; });
  EmittedKernel result = emitTile(*kernel, options, context);
  emitted.messages = std::move(result.messages);
  emitted.hasModule = bool(result.module);
  if (!emitted.hasModule)
    return emitted;
  llvm::raw_string_ostream stream(emitted.text);
  result.module->print(stream, mlir::OpPrintingFlags().enableDebugInfo(request.locations));
  return emitted;
}

std::string irOf(const std::string &text, const Request &request = {}) {
  std::unique_ptr<Module> module = checked(text);
  Emitted emitted = emit(*module, request);
  EXPECT_TRUE(emitted.hasModule) << emitted.faults;
  return emitted.text;
}

/// A kernel over rows i of 8 and columns j of 4 of x: f32[M, N], with one statement.
std::string ofBody(const std::string &body, const Request &request = {}, const std::string &parameters = "") {
  return irOf("kernel k(x: f32[M, N], u: f32[N], y: out f32[M, N]" + parameters + ")\nover (i in M by 8, j in N by 4) {\n" +
                  body + "\n}\n",
              request);
}

void expectInOrder(const std::string &text, std::initializer_list<std::string> pieces) {
  size_t from = 0;
  for (const std::string &piece : pieces) {
    size_t found = text.find(piece, from);
    if (found == std::string::npos) {
      ADD_FAILURE() << "no `" << piece << "` after offset " << from << " in\n" << text;
      return;
    }
    from = found + piece.size();
  }
}

size_t countOf(const std::string &text, const std::string &piece) {
  size_t count = 0;
  for (size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + piece.size()))
    ++count;
  return count;
}

const std::string tensorIJ = "tensor<8x4xf32, #tile.axes<\"i\", \"j\">>";

} // namespace

// --------------------------------------------------------------------------------------------------------------------
// The kernel
// --------------------------------------------------------------------------------------------------------------------

TEST(EmitTile, ParametersStandInDeclaredOrderThenDimensions) {
  Request request;
  request.specialization.presentViews = {"b"};
  std::string text = irOf("kernel k(x: f32[N], a: f32, b: i32[N]?, c: f32[N]?, on: bool, y: out f32[N], z: out i32[N], w: out "
                          "f32[N]?)\nover (i in N by B) {\n"
                          "  y[i] = x[i];\n  if b { z[i] = b[i]; }\n  if c and w { w[i] = c[i]; }\n}\n",
                          request);
  expectInOrder(text, {"tile.kernel @k(%x: !tile.view<element = f32", "%a: f32", "%b: !tile.view<element = i32", "%on: i1",
                       "%y: !tile.view<", "%z: ", "%N: i64) dimensions = 1 {"});
  EXPECT_EQ(text.find("%c: "), std::string::npos) << "an absent view is nowhere";
}

TEST(EmitTile, ViewIsContiguousUnlessMoreIsKnown) {
  std::string source =
      "kernel k<D: i64>(x: bf16[M..., D], f: bool[2 * M], y: inout u8[M])\nover (i in M by B) {\n  let d = span(D);\n"
      "  y[i] = u8(i32(any(f32(x[i, d]) > 0, over d) and f[i + M]));\n}\n";
  Request request;
  request.specialization.statics = {{"D", "4"}};
  request.options.views["x"] = {.unitStrideDimension = -1, .packRank = 2, .alignment = 16, .packRun = 64};
  expectInOrder(irOf(source, request),
                {"<element = bf16, dims = [\"M...\", \"4\"], access = in, unit_stride = -1, pack_rank = 2, alignment = 16>",
                 "<element = i8, dims = [\"\"], access = in, unit_stride = 0, pack_rank = 1, alignment = 1>",
                 "<element = i8, dims = [\"M\"], access = inout, unit_stride = 0, pack_rank = 1, alignment = 1>",
                 "dimensions = 1 attributes {tile.pack_runs = array<i64: 64, 1, 1, 1>}"});
}

TEST(EmitTile, DimensionsThatAreConstantsHaveTheirNumber) {
  Request request;
  request.specialization.statics = {{"D", "4"}};
  expectInOrder(irOf("kernel k<D: i64>(x: f32[8, N], y: out f32[D, 2 * N])\nover (n in N by B) { y[0, n] = x[0, n]; }\n", request),
                {"dims = [\"8\", \"N\"]", "dims = [\"4\", \"\"]"});
}

TEST(EmitTile, GridIsANestAndItsRangesMayUseFunctionsAndEarlierVariables) {
  std::string text =
      irOf("fn twice(n: i64) -> i64 {\n  let m = n + n;\n  return m;\n}\n"
           "kernel k(x: f32[M], y: out f32[M, 2 * M])\nover (b in M, i in b..twice(M) by B) {\n  y[b, i] = x[b];\n}\n");
  expectInOrder(text, {"tile.parallel \"b\" %b: i64 in", "to %M {", "= arith.addi %M, %M : i64",
                       "tile.parallel \"i\" %i: !tile.span<\"i\", 8> in %b to", "tile.store"});
}

TEST(EmitTile, EmptyGridHasNoParallel) {
  std::string text = irOf("kernel k(x: f32[1], y: out f32[1])\nover () {\n  y[0] = x[0];\n}\n");
  EXPECT_EQ(countOf(text, "tile.parallel"), 0u);
  expectInOrder(text, {"tile.load %x[", "(i64) -> f32", "tile.store", "%y["});
}

TEST(EmitTile, LocationsAreTheSourcesLines) {
  Request request;
  request.locations = true;
  std::string text = ofBody("  y[i, j] = x[i, j];", request);
  expectInOrder(text, {"loc(\"test.tile\":3:15)", "loc(\"test.tile\":3:13)", "loc(\"test.tile\":3:3)"}); // index, load, store
}

TEST(EmitTile, TunableWithoutCapacityIsAFault) {
  std::unique_ptr<Module> module = checked("kernel k(x: f32[N], y: out f32[N])\nover (i in N by BLOCK) { y[i] = x[i]; }\n");
  Request request;
  request.givesCapacities = false;
  Emitted emitted = emit(*module, request);
  EXPECT_FALSE(emitted.hasModule);
  EXPECT_NE(emitted.faults.find("the tunable BLOCK has no value"), std::string::npos) << emitted.faults;
}

TEST(EmitTile, CudaFunctionsAreCalledForEachElement) {
  std::string text = irOf("extern \"cuda\" fn mix(x: i32, y: i32) -> (i32, f32) from \"mix.cuh\";\n"
                          "kernel k(x: i32[M], u: i32[N], y: out f32[M, N])\nover (i in M by 8, j in N by 4) {\n"
                          "  let (a, b) = mix(x[i], u[j]);\n  y[i, j] = f32(a) + b;\n}\n");
  expectInOrder(text, {"tile.broadcast", "tile.broadcast",
                       "tile.call_external \"tw_cuda_mix\"(", ") spans(%i, %j : !tile.span<\"i\", 8>, !tile.span<\"j\", 4>)",
                       "-> (tensor<8x4xi32, #tile.axes<\"i\", \"j\">>, " + tensorIJ + ")"});
}

TEST(EmitTile, ACudaFunctionCombines) {
  std::string text = irOf("extern \"cuda\" fn mix(x: i32, y: i32) -> i32 from \"mix.cuh\";\n"
                          "kernel k(x: i32[N], y: out i32[1])\nover () { for j in N by 4 { y[0] += reduce(mix, x[j], over j); } }\n");
  expectInOrder(text, {"tile.fold", "combine (%arg", "tile.call_external \"tw_cuda_mix\"(%arg", ") : (i32, i32) -> i32", "tile.yield"});
}

// --------------------------------------------------------------------------------------------------------------------
// Elementwise
// --------------------------------------------------------------------------------------------------------------------

TEST(EmitTile, OperandsAreBroadcastToTheUnionOfTheirAxes) {
  std::string text = ofBody("  y[i, j] = u[j] + x[i, j];");
  expectInOrder(text, {"tile.load %u", "tile.load %x", "tile.broadcast", ": tensor<4xf32, #tile.axes<\"j\">> -> " + tensorIJ,
                       "arith.addf", "fastmath<contract> : " + tensorIJ});
  EXPECT_EQ(countOf(text, "tile.broadcast"), 1u);
}

TEST(EmitTile, OuterProductOfTwoRowsHasBothAxes) {
  std::string text = irOf(
      "kernel k(a: f32[M], b: f32[N], y: out f32[N, M])\nover (i in M by 8, j in N by 4) {\n  y[j, i] = a[i] * b[j];\n}\n");
  expectInOrder(text, {"tile.broadcast", tensorIJ, "tile.broadcast", tensorIJ, "arith.mulf", "tile.store"});
}

TEST(EmitTile, ScalarsStayScalarsAmongThemselves) {
  std::string text = ofBody("  y[i, j] = x[i, j] * (s * 2);", {}, ", s: f32");
  expectInOrder(text, {"arith.mulf %s, ", "fastmath<contract> : f32", "tile.broadcast", ": f32 -> " + tensorIJ, "arith.mulf"});
}

TEST(EmitTile, FloatFunctions) {
  std::string text = ofBody("  let t = x[i, j];\n  y[i, j] = max(exp(t), min(floor(t), round(t))) + fma(t, pow(t, t), "
                            "rsqrt(t)) / abs(t) - log1p(-t);");
  expectInOrder(text,
                {"math.exp ", "math.floor", "math.roundeven", "arith.minimumf", "arith.maximumf", "math.powf", "math.rsqrt",
                 "math.fma", "math.absf", "arith.divf", "arith.addf", "arith.negf", "math.log1p", "arith.subf"});
  EXPECT_EQ(text.find("fastmath<afn>"), std::string::npos);
}

TEST(EmitTile, FastPrecisionAllowsApproximation) {
  expectInOrder(ofBody("  y[i, j] = tanh(x[i, j], precision = fast);"), {"math.tanh", "fastmath<afn>"});
  expectInOrder(ofBody("  y[i, j] = sigmoid(x[i, j], precision = fast);"),
                {"math.exp", "fastmath<afn>", "arith.divf", "fastmath<afn>"});
}

TEST(EmitTile, SigmoidNeverOverflows) {
  expectInOrder(ofBody("  y[i, j] = sigmoid(x[i, j]);"),
                {"math.absf", "arith.negf", "math.exp", "arith.cmpf oge", "arith.select", "arith.addf", "arith.divf"});
}

TEST(EmitTile, ComparisonsWithNaNAreFalseButForNotEqual) {
  std::string text = ofBody("  let t = x[i, j];\n  y[i, j] = where(t < 1 and t != 2 or not t >= 3, t, 0);");
  expectInOrder(
      text, {"arith.cmpf olt", "arith.cmpf une", "arith.andi", "arith.cmpf oge", "arith.xori", "arith.ori", "arith.select"});
}

TEST(EmitTile, IntegersDivideDownAndShiftModuloTheirWidth) {
  std::string text = irOf("kernel k(c: i32[M], z: out i32[M], n: i32)\nover (i in M by 8) {\n  let t = c[i];\n"
                          "  z[i] = t / n << t % 3 >> 1 & max(t, -t);\n}\n");
  expectInOrder(text, {"tile.floor_div", "tile.floor_mod", "dense<31>", "arith.andi", "arith.shli", "arith.shrsi", "arith.subi",
                       "arith.maxsi", "arith.andi"});
}

TEST(EmitTile, UnsignedBytesWidenWithoutSign) {
  std::string text = irOf("kernel k(x: u8[N, 4], y: out u8[N], z: out f32[N])\nover (i in N by 8) {\n  let e = span(4);\n"
                          "  y[i] = max(x[i, e], over e);\n  z[i] = sum(f32(x[i, e] * 2), over e);\n}\n");
  expectInOrder(text, {"tile.reduce umax", "xi8", "tile.cast", " source_unsigned : tensor<8x4xi8", "xi32", "arith.muli",
                       "tile.cast", "xi32", "tile.reduce add"});
}

TEST(EmitTile, BoolIsAByteInMemoryAndABitAsAValue) {
  std::string text = irOf("kernel k(x: bool[N], y: out bool[N])\nover (i in N by 8) {\n  y[i] = not x[i];\n}\n");
  expectInOrder(text, {"element = i8", "tile.load", "-> tensor<8xi1, ", "arith.xori", "tile.store", ": tensor<8xi1, "});
}

// --------------------------------------------------------------------------------------------------------------------
// Memory
// --------------------------------------------------------------------------------------------------------------------

TEST(EmitTile, IndicesBecomeI64) {
  std::string text = ofBody("  y[i, j] = x[c[i], j, else 0];", {}, ", c: i32[M]");
  expectInOrder(text, {"tile.load %c", "tile.cast", "xi32, ", "xi64, ", "tile.load %x[", "else", "compare [true, false]"});
}

TEST(EmitTile, ElseIsDroppedWhereTheIndexIsInRange) {
  std::string text = ofBody("  y[i, j] = x[i, j, else 0];");
  expectInOrder(text, {"tile.load %x[", "compare [false, false]"});
  EXPECT_EQ(text.find("else"), std::string::npos);
}

TEST(EmitTile, DiagonalHasOneAxis) {
  expectInOrder(irOf("kernel k(x: f32[N, N], y: out f32[N])\nover (i in N by 8) {\n  y[i] = x[i, i];\n}\n"),
                {"tile.load %x[%0, %1] spans(%i)", "-> tensor<8xf32, #tile.axes<\"i\">>"});
}

TEST(EmitTile, StoreRepeatsAValueByItself) {
  expectInOrder(ofBody("  y[i, j] = u[j];"), {"tile.store", "%y[", "spans(%i, %j)", ": tensor<4xf32, #tile.axes<\"j\">>"});
}

TEST(EmitTile, SumOverTheGridIsShared) {
  std::string text = ofBody("  s[j] += sum(x[i, j], over i);\n  y[i, j] += x[i, j];", {}, ", s: out bf16[N]");
  expectInOrder(text, {"tile.accumulate add", "%s[", "compare [false] shared : tensor<4xf32", "tile.accumulate add", "%y[",
                       "compare [false, false] : "});
}

TEST(EmitTile, MaximaOfBytesAreMarkedUnsigned) {
  expectInOrder(irOf("kernel k(x: u8[N], y: out u8[1])\nover (i in N by 8) {\n  y[0] max= max(i32(x[i]), over i);\n}\n"),
                {"tile.accumulate max", "shared {is_unsigned} : i32"});
}

TEST(EmitTile, AtomicReturnsTheOldValueWithTheAxesOfThePlace) {
  std::string text = irOf("kernel k(e: i32[N], n: inout i32[E], y: out i32[N])\nover (i in N by 8) {\n"
                          "  let old = atomic n[e[i], else drop] += 1;\n  y[i] = old;\n}\n");
  expectInOrder(text, {"tile.atomic_rmw add", "%n[", "spans(%i) compare [true] : i32", "-> tensor<8xi32, #tile.axes<\"i\">>",
                       "tile.store"});
}

TEST(EmitTile, PlacesFromMemoryArePromisedUnique) {
  expectInOrder(irOf("kernel k(p: i32[N], x: f32[N], y: out f32[N])\nover (i in N by 8) {\n  y[p[i], else drop] = x[i];\n}\n"),
                {"tile.store", "compare [true] promised_unique"});
}

// --------------------------------------------------------------------------------------------------------------------
// Along an axis
// --------------------------------------------------------------------------------------------------------------------

TEST(EmitTile, WholeSpanStandsAtTheKernelsStart) {
  std::string text = irOf("kernel k(x: f32[N, 4], y: out f32[N])\nover (i in N by 8) {\n  let e = span(4);\n"
                          "  y[i] = max(x[i, e], over e) + f32(i.start + e.end);\n}\n");
  expectInOrder(text, {"%e = tile.span : <\"e\", 4>", "tile.parallel", "tile.reduce max", "over(%e)", "tile.span_start %i",
                       "tile.span_end %e"});
}

TEST(EmitTile, ReductionsByKind) {
  std::string text =
      irOf("kernel k(x: bf16[N, 4], y: out f32[N], z: out i64[N], b: out bool[N])\nover (i in N by 8) {\n  let e = span(4);\n"
           "  let t = x[i, e];\n  y[i] = sum(t, over e);\n  z[i] = argmin(t, over e);\n"
           "  b[i] = any(t > 0, over e) and all(t > 1, over e);\n}\n");
  expectInOrder(text, {"tile.cast", "xbf16", "xf32", "tile.reduce add", "tile.arg_reduce min", "tensor<8xi64", "tile.reduce or",
                       "tile.reduce and"});
}

TEST(EmitTile, DotKeepsNarrowOperandsAndStartsFromZero) {
  std::string source =
      "kernel k<T: float>(x: T[M, K], w: T[N, K], y: out f32[M, N])\nover (i in M by 8, j in N by 4) {\n"
      "  var acc: f32[i, j] = 0;\n  for k in K by 16 { acc += dot(x[i, k], w[j, k], over k, precision = tf32); }\n"
      "  y[i, j] = acc;\n}\n";
  Request narrow, wide;
  narrow.specialization.statics = {{"T", "bf16"}};
  wide.specialization.statics = {{"T", "f32"}};
  std::string text = irOf(source, narrow);
  expectInOrder(text, {"tile.for \"k\" %k: !tile.span<\"k\", 16>", "carries (%arg0 = ", "dense<0.000000e+00>", "tile.dot",
                       "over(%k) : tensor<8x16xbf16", "arith.addf %arg0, ", "tile.yield"});
  expectInOrder(irOf(source, wide), {"tile.dot", "precision tf32"});
}

TEST(EmitTile, CumulativeSumIsAScan) {
  expectInOrder(irOf("kernel k(x: i8[N, 4], y: out i32[N, 4])\nover (i in N by 8) {\n  let e = span(4);\n  y[i, e] = "
                     "cumsum(x[i, e], over e);\n}\n"),
                {"tile.cast", "tile.scan", "over %e", "combine (%", ": i32, %", ": i32)", "arith.addi", "tile.yield"});
}

TEST(EmitTile, FoldCombinesScalarsAndAlignsItsStates) {
  std::string text = irOf("fn both(a: f32, n: i32, b: f32, m: i32) -> (f32, i32) = (max(a, b), n / m);\n"
                          "kernel k(x: f32[N, 4], y: out f32[N], z: out i32[N])\nover (i in N by 8) {\n  let e = span(4);\n"
                          "  let (top, count) = reduce(both, x[i, e], 1, over e);\n  y[i] = top;\n  z[i] = count;\n}\n",
                          {.specialization = {.checkedMode = true}});
  expectInOrder(text, {"tile.broadcast", ": i32 -> tensor<8x4xi32", "%4:2 = tile.fold", "over %e",
                       "-> (tensor<8xf32, #tile.axes<\"i\">>, tensor<8xi32, #tile.axes<\"i\">>) combine (", ": f32, ",
                       ": i32, ", ": f32, ", ": i32)", "arith.maximumf", ": f32", "tile.floor_div", ": i32", "tile.yield",
                       "tile.store %4#0", "tile.store %4#1"});
  EXPECT_EQ(text.find("tile.assert"), std::string::npos) << "a combiner has no effects";
}

TEST(EmitTile, RandomBitsTakeAnIndexTile) {
  expectInOrder(
      ofBody("  y[i, j] = random(seed, i * N + j);", {}, ", seed: i64"),
      {"tile.random_bits %seed, ", "tensor<8x4xi64, #tile.axes<\"i\", \"j\">> -> tensor<8x4xi32, #tile.axes<\"i\", \"j\">>"});
}

// --------------------------------------------------------------------------------------------------------------------
// Variables and control
// --------------------------------------------------------------------------------------------------------------------

TEST(EmitTile, LoopCarriesWhatItAssignsAndNothingElse) {
  std::string text =
      ofBody("  var a: f32[i, j] = 0;\n  var b: f32[i] = 1;\n  for r in 3 {\n    var inner: f32 = 2;\n    inner += 1;\n"
             "    a += x[i, j] * inner + b;\n  }\n  y[i, j] = a;");
  expectInOrder(text, {"tile.for \"r\" %r: i64 in", "carries (%arg0 = ", ") : " + tensorIJ + " {", "tile.yield", "tile.store"});
  EXPECT_EQ(text.find("%arg1"), std::string::npos);
}

TEST(EmitTile, LoopWithoutAssignmentsCarriesNothing) {
  std::string text =
      irOf("kernel k(x: f32[M, N], y: out f32[M, N])\nover (i in M by 8) {\n  for j in N by 4 { y[i, j] = x[i, j]; }\n}\n");
  expectInOrder(text, {"tile.for \"j\" %j: !tile.span<\"j\", 4> in", "to %N {", "tile.store"});
  EXPECT_EQ(text.find("carries"), std::string::npos);
}

TEST(EmitTile, ValueAfterALoopIsItsResult) {
  std::string text = ofBody("  var a: f32 = 0;\n  for r in 3 { for q in 2 { a += s; } }\n  y[i, j] = a;", {}, ", s: f32");
  expectInOrder(text, {"%0 = tile.for \"r\"", "%3 = tile.for \"q\"", "arith.addf %arg1, %s", "tile.yield",
                       "tile.yield %3 : f32", "tile.store %0"});
}

TEST(EmitTile, IfGivesTheVariablesThatEitherBranchAssigns) {
  std::string text =
      ofBody("  var a: f32 = 0;\n  var b: f32 = 1;\n  if n > 3 { a = s; } else if n > 2 { b = s; }\n  y[i, j] = a + b;", {},
             ", s: f32, n: i64");
  expectInOrder(text, {":2 = scf.if", "-> (f32, f32) {", "scf.yield %s, %cst_1", "} else {", "= scf.if", "-> (f32) {",
                       "scf.yield %s", "scf.yield %cst_1 : f32", "scf.yield %cst, %"});
}

TEST(EmitTile, IfThatOnlyWritesHasNoElse) {
  std::string text = ofBody("  if n > 3 { y[i, j] = x[i, j]; }", {}, ", n: i64");
  expectInOrder(text, {"scf.if", " {", "tile.store"});
  EXPECT_EQ(text.find("} else {"), std::string::npos);
}

TEST(EmitTile, WhileCarriesThroughItsCondition) {
  std::string text = irOf("kernel k(x: f32[1], y: out f32[1], n: i64)\nover () {\n  var c: i64 = 0;\n  var a: f32 = 0;\n"
                          "  while c * c < n {\n    a += x[0];\n    c += 1;\n  }\n  y[0] = a;\n}\n");
  expectInOrder(text, {"scf.while (%arg0 = %", "arith.muli", "arith.cmpi slt", "scf.condition(", "} do {", "arith.addf %arg0",
                       "scf.yield", "tile.store"});
}

TEST(EmitTile, VariableIsRepeatedAlongItsAxes) {
  expectInOrder(ofBody("  var a: f32[i, j] = u[j];\n  a = 1;\n  y[i, j] = a;"),
                {"tile.broadcast", ": tensor<4xf32, #tile.axes<\"j\">> -> " + tensorIJ, "tile.broadcast",
                 ": f32 -> " + tensorIJ, "tile.store"});
}

TEST(EmitTile, FunctionsAreInlinedAtEachCall) {
  std::string text = irOf("fn step(x: f32) -> f32 = x + 1;\nkernel k(x: f32[N], y: out f32[N])\nover (i in N by 8) {\n"
                          "  y[i] = step(step(x[i]));\n}\n");
  EXPECT_EQ(countOf(text, "arith.addf"), 2u);
}

TEST(EmitTile, FunctionBodyMayLoopOverVariables) {
  std::string text = irOf("fn power(x: f32) -> f32 {\n  var p = x;\n  for r in 3 { p *= x; }\n  return p;\n}\n"
                          "kernel k(x: f32[N], y: out f32[N])\nover (i in N by 8) {\n  y[i] = power(power(x[i]));\n}\n");
  EXPECT_EQ(countOf(text, "tile.for"), 2u);
  expectInOrder(text, {"tile.for", "tile.yield", "tile.for", "tile.yield", "tile.store"});
}

// --------------------------------------------------------------------------------------------------------------------
// Reports
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// A message as the host joins it, with the dtypes of its values in angle brackets.
std::string joined(const Message &message) {
  std::string text;
  for (const MessagePart &part : message.parts)
    text += part.dtype ? "<" + std::string(name(*part.dtype)) + ">" : part.text;
  return text;
}

/// The messages of a kernel over i, a span, and r, an index.
std::vector<std::string> messagesOf(const std::string &body, bool checkedMode = true) {
  std::unique_ptr<Module> module = checked("kernel k(x: f32[N], d: i32[N], y: out f32[R, N])\n"
                                           "over (i in N by 8, r in R) {\n  y[r, i] = x[i];\n  " +
                                           body + "\n}\n");
  std::vector<std::string> texts;
  for (const Message &message : emit(*module, {.specialization = {.checkedMode = checkedMode}}).messages)
    texts.push_back(joined(message));
  return texts;
}

using Texts = std::vector<std::string>;

} // namespace

TEST(EmitTile, PrintsHaveNumbersAndTheirTextsAreInTheTable) {
  std::unique_ptr<Module> module =
      checked("kernel k(x: u8[N], y: out u8[N])\nover (i in N by 8) {\n  y[i] = x[i];\n  print(\"x =\", x[i], N);\n}\n");
  Emitted emitted = emit(*module, {});
  expectInOrder(emitted.text, {"tile.print 0(", "spans(%i : ", "unsigned [true, false, false]"});
  ASSERT_EQ(emitted.messages.size(), 1u);
  EXPECT_FALSE(emitted.messages[0].isAssert);
  EXPECT_EQ(joined(emitted.messages[0]), "x = <u8> <i64> (i = <i64>)");
  EXPECT_EQ(emitted.messages[0].positionCount, 1u);
}

TEST(EmitTile, PartsAreSpacedUnlessTheirTextsAre) {
  EXPECT_EQ(messagesOf("print(\"R =\", R, \"and\", N);").front().find("R = <i64> and <i64> ("), 0u);
  EXPECT_EQ(messagesOf("print(\"R = \", R, \" and\", N);").front().find("R = <i64> and <i64> ("), 0u);
  EXPECT_EQ(messagesOf("print(\"x[\", R, \"] =\", N, \", \", \"a\", \"b\");").front().find("x[<i64>] = <i64>, a b ("), 0u);
}

TEST(EmitTile, EmptyTextsLeaveNoTrace) {
  EXPECT_EQ(messagesOf("print(\"\", R, \"\", N);").front().find("<i64> <i64> ("), 0u);
  EXPECT_EQ(messagesOf("print(\"\");"), Texts{"(i = <i64>..<i64>, r = <i64>)"});
}

TEST(EmitTile, MessagesSayWhereTheElementOrTheTileIs) {
  EXPECT_EQ(messagesOf("print(\"x\", x[i]);"), Texts{"x <f32> (i = <i64>, r = <i64>)"});
  EXPECT_EQ(messagesOf("print(R);"), Texts{"<i64> (i = <i64>..<i64>, r = <i64>)"});
  EXPECT_EQ(messagesOf("for k in N by 4, s in 2 { print(\"here\"); }"),
            Texts{"here (i = <i64>..<i64>, r = <i64>, k = <i64>..<i64>, s = <i64>)"});
  EXPECT_EQ(messagesOf("for k in N by 4 { print(x[k]); }"), Texts{"<f32> (i = <i64>..<i64>, r = <i64>, k = <i64>)"});
  EXPECT_EQ(messagesOf("let u = span(3); print(u);"), Texts{"<i64> (i = <i64>..<i64>, r = <i64>, u = <i64>)"});
}

TEST(EmitTile, AssertsHaveTheirValues) {
  EXPECT_EQ(messagesOf("assert(x[i] > 0, \"x =\", x[i], \"of\", N);"), Texts{"x = <f32> of <i64> (i = <i64>, r = <i64>)"});
  EXPECT_EQ(messagesOf("assert(r > 0);"), Texts{"(i = <i64>..<i64>, r = <i64>)"});
  EXPECT_EQ(messagesOf("print(i / d[i]);"), (Texts{"division by zero (i = <i64>, r = <i64>)", "<i64> (i = <i64>, r = <i64>)"}));
}

TEST(EmitTile, PromisesAreVerifiedInCheckedModeOnly) {
  std::unique_ptr<Module> module = checked("kernel k(ids: i32[N], x: f32[N, D], y: out f32[M, D])\n"
                                           "over (i in N by 8, d in D by 8) {\n  y[ids[i], d, else drop] = x[i, d];\n}\n");
  Emitted emitted = emit(*module, {.specialization = {.checkedMode = true}});
  expectInOrder(emitted.text, {"tile.store", "promised_unique message 0"});
  ASSERT_EQ(emitted.messages.size(), 1u);
  EXPECT_TRUE(emitted.messages[0].isAssert);
  EXPECT_EQ(joined(emitted.messages[0]),
            "`y[<i64>, <i64>]` is written <i32> times: places that come from memory must all be different");
  emitted = emit(*module, {});
  expectInOrder(emitted.text, {"tile.store", "promised_unique : "});
  EXPECT_TRUE(emitted.messages.empty());
}

TEST(EmitTile, AssertsAndDivisorsAreCheckedInCheckedModeOnly) {
  std::string source = "kernel k(x: i32[N], n: i32, y: out i32[N])\nover (i in N by 8) {\n  assert(x[i] > 0, \"positive\");\n"
                       "  y[i] = n / x[i] + x[i] % 3;\n}\n";
  EXPECT_EQ(irOf(source).find("tile.assert"), std::string::npos);
  std::unique_ptr<Module> module = checked(source);
  Emitted emitted = emit(*module, {.specialization = {.checkedMode = true}});
  expectInOrder(emitted.text,
                {"checked {", "tile.assert 0", "spans(%i : ", "arith.cmpi ne", "tile.assert 1", "tile.floor_div"});
  EXPECT_EQ(countOf(emitted.text, "tile.assert"), 2u) << "3 is no 0";
  ASSERT_EQ(emitted.messages.size(), 2u);
  EXPECT_TRUE(emitted.messages[0].isAssert);
  EXPECT_EQ(joined(emitted.messages[1]), "division by zero (i = <i64>)");
}

// --------------------------------------------------------------------------------------------------------------------
// Whole kernels
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// A binding of every static of a kernel: its type is `dtype` where it may be, constants are small, functions are gelu.
Specialization bindingOf(const KernelSignature &signature, DType dtype) {
  Specialization specialization;
  for (const KernelSignature::Static &parameter : signature.statics) {
    std::string &value = specialization.statics[parameter.name];
    if (parameter.kind == ast::StaticParameter::Kind::Constant)
      value = parameter.defaultText.value_or("8");
    else if (parameter.kind == ast::StaticParameter::Kind::Function)
      value = parameter.name == "gate" ? "swiglu" : "gelu";
    else
      value = name(std::count(parameter.dtypes.begin(), parameter.dtypes.end(), dtype) ? dtype : parameter.dtypes.front());
  }
  return specialization;
}

std::string readFile(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace

TEST(EmitTile, EveryKernelOfTheLanguagePageVerifies) {
  std::unique_ptr<Module> module = checked(readFile(TILEWRIGHT_SOURCE_DIR "/tests/semantics/kernels.tile"));
  for (const std::string &kernel : module->kernelNames())
    for (DType dtype : {DType::F32, DType::BF16})
      for (bool present : {false, true}) {
        SCOPED_TRACE(kernel + " " + std::string(name(dtype)) + (present ? " with" : " without") + " optional views");
        const KernelSignature &signature = *module->signature(kernel);
        Request request;
        request.kernel = kernel;
        request.specialization = bindingOf(signature, dtype);
        for (const ast::Parameter &parameter : signature.declaration->parameters)
          if (parameter.optional && present)
            request.specialization.presentViews.insert(parameter.name.text);
        Emitted emitted = emit(*module, request);
        EXPECT_TRUE(emitted.hasModule) << emitted.faults;
      }
}
