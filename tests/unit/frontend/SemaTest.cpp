// Semantic analysis: each test states one rule of docs/language.md §3, by the error that breaking it gives or by the dump of
// the typed tree.
#include "compiler/frontend/Sema.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

using namespace tilewright::frontend;

namespace {

/// The files that `import` finds.
const std::map<std::string, std::string> importable = {
    {"one.tile", "fn one(x: f32) -> f32 = x;\nlet unit = 1;\nkernel hidden(y: out f32[N]) over (i in N by B) { y[i] = 0; }"},
    {"also_one.tile", "fn one(x: f32) -> f32 = 2 * x;"},
    {"middle.tile", "import \"one.tile\";\nfn middle(x: f32) -> f32 = one(x) + unit;"},
    {"circle.tile", "import \"turn.tile\";"},
    {"turn.tile", "import \"circle.tile\";"},
};

std::optional<std::string> resolve(const std::string &path, const std::string &) {
  auto found = importable.find(path);
  return found == importable.end() ? std::nullopt : std::optional(found->second);
}

/// One fault: what is said, the source text it points at, and the hint.
struct Fault {
  std::string message, at, hint;
  std::vector<std::string> notes;
};

std::vector<Fault> faultsOf(const Diagnostics &diagnostics) {
  std::vector<Fault> faults;
  for (const Diagnostic &each : diagnostics.all()) {
    if (each.severity != Severity::Error)
      continue;
    Fault fault{each.message, "", each.hint, {}};
    if (each.where.valid())
      fault.at = each.where.source->text().substr(each.where.begin, each.where.end - each.where.begin);
    for (const Note &note : each.notes)
      fault.notes.push_back(note.message);
    faults.push_back(std::move(fault));
  }
  return faults;
}

std::vector<Fault> check(const std::string &text) {
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Module::check("test.tile", text, resolve, diagnostics); // keeps the sources
  return faultsOf(diagnostics);
}

std::string rendered(const std::string &text) {
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Module::check("test.tile", text, resolve, diagnostics);
  return render(diagnostics);
}

#define EXPECT_CLEAN(text) EXPECT_EQ(rendered(text), "")

void expectFault(const std::string &text, const std::string &at, const std::string &message, const std::string &hint = "") {
  std::vector<Fault> faults = check(text);
  ASSERT_EQ(faults.size(), 1u) << text << "\n" << rendered(text);
  EXPECT_EQ(faults[0].message, message) << text;
  EXPECT_EQ(faults[0].at, at) << text << "\n" << rendered(text);
  if (!hint.empty()) {
    EXPECT_EQ(faults[0].hint, hint) << text;
  }
}

/// A kernel with everything that a body may want.
std::string kernelOf(const std::string &body, const std::string &before = "") {
  return before + R"(
kernel k(x: f32[M, K], w: bf16[N, K], b: f32[N]?, row: i32[M], flag: bool[M, N], wide: f64[M, N], y: out f32[M, N], scale: f32)
over (i in M by BM, j in N by BN) {
)" + body +
         "\n  y[i, j] = 0;\n}\n";
}

void expectBodyFault(const std::string &body, const std::string &at, const std::string &message, const std::string &hint = "") {
  expectFault(kernelOf(body), at, message, hint);
}

std::string dump(const std::string &text, const Specialization &specialization = {}, const std::string &kernel = "k") {
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Module::check("test.tile", text, resolve, diagnostics);
  EXPECT_EQ(render(diagnostics), "") << text;
  if (diagnostics.hasErrors())
    return "";
  std::unique_ptr<typed::Kernel> typed = module->specialize(kernel, specialization, diagnostics);
  EXPECT_EQ(render(diagnostics), "") << text;
  return typed ? typed::print(*typed) : "";
}

void expectDump(const std::string &text, const std::string &line, const Specialization &specialization = {}) {
  std::string found = dump(text, specialization);
  EXPECT_NE(found.find(line), std::string::npos) << "expected the line\n  " << line << "\nin\n" << found;
}

void expectBody(const std::string &body, const std::string &line, const std::string &before = "") {
  expectDump(kernelOf(body, before), line);
}

std::vector<Fault> specializationFaults(const std::string &text, const Specialization &specialization) {
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Module::check("test.tile", text, resolve, diagnostics);
  EXPECT_EQ(render(diagnostics), "");
  module->specialize("k", specialization, diagnostics);
  return faultsOf(diagnostics);
}

std::string read(const std::string &path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

} // namespace

// --------------------------------------------------------------------------------------------------------------------
// Names (§3.1)
// --------------------------------------------------------------------------------------------------------------------

TEST(SemaNames, AnUnknownNameHasASuggestion) {
  expectBodyFault("let t = scal * 2;", "scal", "unknown name `scal`", "did you mean `scale`?");
}

TEST(SemaNames, AWrongNameIsReportedOnce) {
  EXPECT_EQ(check(kernelOf("let t = nothing; let u = t + 1; let v = u * t;")).size(), 1u);
}

TEST(SemaNames, SeveralFaultsAreFoundInOneRun) {
  EXPECT_EQ(check(kernelOf("let t = nothing; let u = x[i, j, 0]; let v = flag[i, j] + 1;")).size(), 3u);
}

TEST(SemaNames, NamesAreNeverShadowed) {
  expectBodyFault("let x = 1;", "x", "`x` is already defined; names are never shadowed");
  expectBodyFault("let t = 1; if scale > 0 { let t = 2; }", "t", "`t` is already defined; names are never shadowed");
  expectBodyFault("let M = 1;", "M", "`M` is already defined; names are never shadowed");
  expectBodyFault("let sum = 1;", "sum", "`sum` is a built-in function; names are never shadowed");
  expectBodyFault("for i in K by BK { }", "i", "`i` is already defined; names are never shadowed");
}

TEST(SemaNames, AFunctionIsNotShadowedByAParameter) {
  expectFault("fn f(x: f32) -> f32 = x;\nkernel k(f: f32[N], y: out f32[N]) over (i in N by B) { y[i] = 0; }", "f",
              "`f` is already defined; names are never shadowed");
}

TEST(SemaNames, ANameIsVisibleInItsBlockOnly) {
  expectBodyFault("for k2 in K by BK { let t = 1; } let u = t;", "t", "unknown name `t`");
  EXPECT_CLEAN(kernelOf("if scale > 0 { let t = 1; } else { let t = 2; }\n for q in 3 { let t = q; }"));
}

TEST(SemaNames, TopLevelNamesAreUnique) {
  expectFault("let a = 1;\nfn a(x: f32) -> f32 = x;", "a", "`a` is already defined");
  expectFault("fn exp(x: f32) -> f32 = x;", "exp", "`exp` is a built-in function; names are never shadowed");
  expectFault(
      "kernel k(y: out f32[N]) over (i in N by B) { y[i] = 0; }\nkernel k(y: out f32[N]) over (i in N by B) { y[i] = 0; }", "k",
      "`k` is already defined");
}

TEST(SemaNames, ABranchThatIsNotTakenIsCheckedForNames) {
  std::string kernel =
      "kernel k<c: i64 = 0>(y: out f32[N]) over (i in N by B) { if c > 5 and 1 > 2 { y[i] = nothing; } y[i] = 0; }";
  expectFault(kernel, "nothing", "unknown name `nothing`");
}

// --------------------------------------------------------------------------------------------------------------------
// Numbers (§3.2)
// --------------------------------------------------------------------------------------------------------------------

TEST(SemaNumbers, NarrowOperandsWiden) {
  expectBody("for k2 in K by BK { let t = w[j, k2] + w[j, k2]; }", "let t: f32[j, k2] = (f32(w[j, k2]) + f32(w[j, k2]))");
  expectDump("kernel k(a: u8[N], y: out i32[N]) over (i in N by B) { y[i] = -a[i]; }", "y[i] = neg(i32(a[i]))");
}

TEST(SemaNumbers, LiteralsTakeTheTypeOfWhatTheyMeet) {
  expectBody("let t = scale * 2;", "let t: f32 = (scale * 2.0)");
  expectBody("let t = row[i] + 1;", "let t: i32[i] = (row[i] + 1)");
  expectBody("let t = wide[i, j] * 0.1;", "let t: f64[i, j] = (wide[i, j] * 0.1)");
}

TEST(SemaNumbers, LiteralsAloneAreI64AndF32) {
  expectBody("let t = 1; let u = 0.5; let v = exp(1);", "let t: i64 = 1");
  expectBody("let u = 0.5;", "let u: f32 = 0.5");
  expectBody("let v = exp(1);", "let v: f32 = exp(1.0)");
}

TEST(SemaNumbers, LiteralsAreFoldedExactly) {
  expectBody("let t = scale * (1 / 3.0 + 2);", "let t: f32 = (scale * 2.3333333)");
  expectBody("let t = -7 / 2; let u = -7 % 3;", "let t: i64 = -4");
  expectBody("let u = -7 % 3;", "let u: i64 = 2");
  expectBody("let t = max(1, 2) + ceildiv(7, 2);", "let t: i64 = 6");
}

TEST(SemaNumbers, TopLevelConstantsAreLiterals) {
  expectBody("let t = scale * half;", "let t: f32 = (scale * 0.5)", "let two = 2.0;\nlet half = 1 / two;");
}

TEST(SemaNumbers, ALiteralMustFit) {
  expectBodyFault("let t = row[i] + 3000000000;", "3000000000", "`+`: the literal 3000000000 is not a value of i32",
                  "to keep its low bits, write `i32(3000000000)`");
  expectBodyFault("let t = scale + 16777217;", "16777217", "`+`: the literal 16777217 is not a value of f32");
  expectBodyFault("let t = scale + 1e39;", "1e39", "`+`: the literal 1e+39 is not a value of f32");
}

TEST(SemaNumbers, AFloatLiteralIsNoInteger) {
  expectBodyFault("let t = row[i] + 1.5;", "1.5", "`+`: expected i32, found the literal 1.5");
}

TEST(SemaNumbers, IntegersAndFloatsDoNotMix) {
  expectBodyFault("let t = scale + row[i];", "+", "`+` cannot mix f32 and i32[i]",
                  "nothing converts between integers and floats implicitly; convert explicitly: `f32(…)`");
}

TEST(SemaNumbers, BoolIsNoNumber) {
  expectBodyFault("let t = flag[i, j] + flag[i, j];", "+", "`+` does not take bool");
  expectBodyFault("let t = flag[i, j] < flag[i, j];", "<", "`<` does not take bool");
  EXPECT_CLEAN(kernelOf("let t = flag[i, j] == flag[i, j];"));
}

TEST(SemaNumbers, LosslessConversionsAreImplicit) {
  expectBody("let t = wide[i, j] + scale;", "let t: f64[i, j] = (wide[i, j] + f64(scale))");
  expectBodyFault("var t: f32[i, j] = wide[i, j];", "wide[i, j]", "`t`: expected f32, found f64[i, j]",
                  "this conversion may lose something; convert explicitly: `f32(…)`");
}

TEST(SemaNumbers, CastsOfLiterals) {
  expectBody("let t = f32(1); let u = i32(2.7);", "let t: f32 = 1.0");
  expectBody("let u = i32(-2.7);", "let u: i32 = -2");
  expectBody("let v = bf16(0.1);", "let v: bf16 = 0.100097656");
}

TEST(SemaNumbers, NothingConvertsToBool) {
  expectBodyFault("let t = bool(scale);", "bool(scale)", "nothing converts to bool, found f32", "compare it: `x != 0`");
}

TEST(SemaNumbers, BitOperatorsNeedIntegers) {
  expectBodyFault("let t = scale & scale;", "&", "`&` needs integers, found f32 and f32");
  expectBody("let t = row[i] << 2;", "let t: i32[i] = (row[i] << 2)");
}

TEST(SemaNumbers, SelectKeepsOneType) {
  expectBody("for k2 in K by BK { let t = where(true, w[j, k2], w[j, k2]); }",
             "let t: bf16[j, k2] = where(true, w[j, k2], w[j, k2])");
  expectBody("for k2 in K by BK { let t = where(k2 > 3, w[j, k2], 0); }",
             "let t: bf16[j, k2] = where((k2 > 3), w[j, k2], 0.0)");
  expectBody("for k2 in K by BK { let t = where(k2 > 3, w[j, k2], 0.1); }",
             "let t: f32[j, k2] = where((k2 > 3), f32(w[j, k2]), 0.1)");
}

TEST(SemaNumbers, AChoiceBetweenLiteralsIsALiteral) {
  expectBody("var t: f32[i] = 0; t += where(i > 3, 1, 0);", "t = (t + where((i > 3), 1.0, 0.0))");
  expectBody("let t = where(i > 3, 1, 0);", "let t: i64[i] = where((i > 3), 1, 0)");
  expectBody("let t = where(i > 3, 1, 0.5);", "let t: f32[i] = where((i > 3), 1.0, 0.5)");
  expectBody("let t = exp(where(i > 3, 1, where(i > 2, 2, 0)));",
             "let t: f32[i] = exp(where((i > 3), 1.0, where((i > 2), 2.0, 0.0)))");
  expectBodyFault("let t = row[i] + where(i > 3, 1.5, 0);", "1.5", "`+`: expected i32, found the literal 1.5");
}

TEST(SemaNumbers, MathFunctionsNeedFloats) {
  expectBodyFault("let t = sqrt(row[i]);", "row[i]", "`sqrt` needs floats, found i32[i]", "convert explicitly: `f32(…)`");
  expectBody("let t = abs(row[i]);", "let t: i32[i] = abs(row[i])");
}

TEST(SemaNumbers, CeildivAndClampAreArithmetic) {
  expectBody("let t = ceildiv(M, 4);", "let t: i64 = neg((neg(M) / 4))");
  expectBody("let t = clamp(scale, 0, 1);", "let t: f32 = min(max(scale, 0.0), 1.0)");
}

TEST(SemaNumbers, RandomIsTheTopBits) {
  expectBody("let t = random(7, i * N + j);",
             "let t: f32[i, j] = (f32(((random_bits(7, ((i * N) + j)) >> 8) & 16777215)) * 5.9604645e-08)");
}

TEST(SemaNumbers, PrecisionIsCheckedForEachFunction) {
  expectBody("let t = exp(scale, precision = fast);", "let t: f32 = exp(scale, precision = fast)");
  expectBodyFault("let t = sqrt(scale, precision = fast);", "precision", "`sqrt` has no option `precision`");
  expectBodyFault("let t = exp(scale, precision = tf32);", "tf32", "unknown precision `tf32` of `exp`", "it may be `fast`");
  expectBodyFault("for k2 in K by BK { let t = dot(x[i, k2], w[j, k2], over k2, precision = fast); }", "fast",
                  "unknown precision `fast` of `dot`", "it may be `tf32` or `tf32x3`");
}

// --------------------------------------------------------------------------------------------------------------------
// Views (§3.3)
// --------------------------------------------------------------------------------------------------------------------

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
// Reductions (§3.7)
// --------------------------------------------------------------------------------------------------------------------

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

// --------------------------------------------------------------------------------------------------------------------
// Statements (§3.8)
// --------------------------------------------------------------------------------------------------------------------

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

// --------------------------------------------------------------------------------------------------------------------
// Statics and tunables (§3.10, §3.13)
// --------------------------------------------------------------------------------------------------------------------

TEST(SemaStatics, EveryMemberOfAClassIsChecked) {
  expectFault("kernel k<T: float>(x: T[N], y: out f16[N]) over (i in N by B) { if T == bf16 { y[i] = x[i]; } else { y[i] = "
              "f16(x[i]); } }",
              "x[i]", "store to `y`: expected f16, found bf16[i]");
}

TEST(SemaStatics, BothValuesOfABoolAreChecked) {
  expectFault(
      "kernel k<c: bool = false>(x: f64[N], y: out f32[N]) over (i in N by B) { if c { y[i] = x[i]; } else { y[i] = 0; } }",
      "x[i]", "store to `y`: expected f32, found f64[i]");
}

TEST(SemaStatics, BranchesOnAnIntegerAreBothChecked) {
  expectFault(
      "kernel k<c: i64 = 0>(x: f64[N], y: out f32[N]) over (i in N by B) { if c > 0 { y[i] = x[i]; } else { y[i] = 0; } }",
      "x[i]", "store to `y`: expected f32, found f64[i]");
}

TEST(SemaStatics, ABranchLeavesNoCode) {
  std::string text = "kernel k<c: bool>(y: out f32[N]) over (i in N by B) { if c { y[i] = 1; } else { y[i] = 2; } }";
  Specialization specialization;
  specialization.statics["c"] = "true";
  EXPECT_EQ(dump(text, specialization),
            "kernel k<c = true>\n  view y: out f32[N]\n  dimension N\n  tunable B\n  grid i in 0..N by B\n  y[i] = 1.0\n");
}

TEST(SemaStatics, AFunctionStaticHasItsType) {
  expectFault("fn f(x: f64) -> f64 = x;\nkernel k<act: fn(f32) -> f32 = f>(x: f32[N], y: out f32[N]) over (i in N by B) { y[i] "
              "= act(x[i]); }",
              "f", "`f` is not a function of type `fn(f32) -> f32`, which `act` needs");
}

TEST(SemaStatics, FunctionsAreBoundByName) {
  std::string text = "fn f<R: real>(x: R) -> R = x;\nkernel k<act: fn(f32) -> f32>(x: bf16[N], y: out f32[N]) over (i in N by "
                     "B) { y[i] = act(x[i]); }";
  for (const char *name : {"f", "tanh", "abs", "deriv(f)", "deriv(deriv(sin))"}) {
    Specialization specialization;
    specialization.statics["act"] = name;
    expectDump(text, "y[i] = " + std::string(name) + "(f32(x[i]))", specialization);
  }
}

TEST(SemaStatics, WrongBindingsSayWhatIsAllowed) {
  std::string text = "fn gelu(x: f32) -> f32 = x;\nfn add(x: f32, z: f32) -> f32 = x;\n"
                     "kernel k<T: float, act: fn(f32) -> f32 = gelu, n: i32 = 1>(x: T[N], o: f32[N]?, y: out T[N]) over (i in "
                     "N by BN) { y[i] = T(act(x[i])); }";
  auto fault = [&](const Specialization &specialization) {
    std::vector<Fault> faults = specializationFaults(text, specialization);
    EXPECT_EQ(faults.size(), 1u);
    return faults.empty() ? "" : faults[0].message + " | " + faults[0].hint;
  };
  Specialization good;
  good.statics["T"] = "f32";
  auto with = [&](const std::string &name, const std::string &value) {
    Specialization changed = good;
    changed.statics[name] = value;
    return fault(changed);
  };
  EXPECT_EQ(fault({}), "no value is given for the static `T` | it is one of `f32`, `f16`, `bf16`, `f8e4m3` and `f8e5m2`");
  EXPECT_EQ(with("T", "f64"),
            "`T=f64`: expected a dtype that the kernel allows | it is one of `f32`, `f16`, `bf16`, `f8e4m3` and `f8e5m2`");
  EXPECT_EQ(with("act", "gelo"), "`act=gelo`: the file has no function `gelo` | did you mean `gelu`?");
  EXPECT_EQ(with("act", "add"), "`add` is not a function of type `fn(f32) -> f32`, which `act` needs | ");
  EXPECT_EQ(with("n", "3000000000"), "`n=3000000000`: expected an integer of i32 | it is a constant, such as `n=1`");
  EXPECT_EQ(with("S", "f32"), "`k` has no static `S` | it has `T`, `act` and `n`");
  Specialization tunable = good;
  tunable.tunables["BM"] = 3;
  EXPECT_EQ(fault(tunable), "`k` has no tunable `BM` | did you mean `BN`?");
  Specialization view = good;
  view.presentViews = {"p"};
  EXPECT_EQ(fault(view), "`k` has no view `p` | its optional views are `o`");
}

TEST(SemaStatics, AnUnknownKernelHasASuggestion) {
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Module::check("test.tile", kernelOf(""), resolve, diagnostics);
  EXPECT_EQ(module->specialize("kk", {}, diagnostics), nullptr);
  EXPECT_EQ(faultsOf(diagnostics).at(0).message, "there is no kernel `kk`");
}

TEST(SemaTunables, ATunableIsNoValue) {
  expectBodyFault("let t = BM;", "BM", "`BM` is a tunable, which has no value in a kernel");
  EXPECT_EQ(check(kernelOf("let BM = 1;")).at(0).message, "`BM` is a tunable, as it stands after `by`");
}

TEST(SemaTunables, TheirValuesMakeCapacities) {
  Specialization specialization;
  specialization.tunables = {{"BM", 64}, {"BN", 32}};
  expectDump(kernelOf(""), "grid i in 0..M by BM = 64", specialization);
  specialization.tunables = {{"BM", 1024}, {"BN", 1024}};
  std::vector<Fault> faults = specializationFaults(kernelOf("let t = x[i, j, else 0];"), specialization);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].message, "a tile f32[i, j] of 1024 × 1024 elements is too large; the limit is 262144");
}

TEST(SemaTunables, TuneNarrows) {
  Specialization specialization;
  specialization.tunables = {{"BM", 48}};
  std::string text = kernelOf("tune BM in [32, 2 * 32];");
  EXPECT_EQ(specializationFaults(text, specialization).at(0).message, "`BM` = 48 is not among the values to tune");
  expectDump(text, "tunable BM in [32, 64]");
  expectBodyFault("tune BM in [0];", "0", "`tune` needs positive constants, found 0");
  expectBodyFault("tune BX in [1];", "BX", "`BX` is not a tunable", "did you mean `BM`?");
}

TEST(SemaTunables, RequirementsOnTunables) {
  std::string text = kernelOf("require BM % 16 == 0, \"whole rows\";");
  expectDump(text, "require ((BM % 16) == 0), \"whole rows\"");
  Specialization specialization;
  specialization.tunables = {{"BM", 24}};
  EXPECT_EQ(specializationFaults(text, specialization).at(0).message, "requirement not met: whole rows");
}

TEST(SemaSignature, TellsWhatTheHostMustKnow) {
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Module::check("test.tile",
                                                 "/// Copies.\nkernel k<T: f16 | bf16, D: i64, c: bool = false>(x: T[M, D], y: "
                                                 "out T[M, D]) over (i in M by BM) { let d = span(D); y[i, d] = x[i, d]; }",
                                                 resolve, diagnostics);
  EXPECT_EQ(render(diagnostics), "");
  const KernelSignature *signature = module->signature("k");
  ASSERT_NE(signature, nullptr);
  EXPECT_EQ(signature->documentation, "Copies.");
  ASSERT_EQ(signature->statics.size(), 3u);
  EXPECT_EQ(signature->statics[0].dtypes, (std::vector<DType>{DType::F16, DType::BF16}));
  EXPECT_TRUE(signature->statics[1].isDimension);
  EXPECT_EQ(signature->statics[2].defaultText, "false");
  EXPECT_EQ(signature->tunables, std::set<std::string>{"BM"});
  EXPECT_EQ(module->kernelNames(), std::vector<std::string>{"k"});
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

// --------------------------------------------------------------------------------------------------------------------
// Imports (§3.16)
// --------------------------------------------------------------------------------------------------------------------

TEST(SemaImports, BringNames) {
  EXPECT_CLEAN("import \"one.tile\";\nfn f(x: f32) -> f32 = one(x) + unit;");
  EXPECT_CLEAN("import \"one.tile\" as o;\nfn one(x: f32) -> f32 = o.one(x) + o.unit;");
  expectFault("import \"one.tile\" as o;\nfn f(x: f32) -> f32 = o.two(x);", "two", "`one.tile` declares no `two`");
}

TEST(SemaImports, DoNotBringKernelsOrImports) {
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Module::check("test.tile", "import \"one.tile\";", resolve, diagnostics);
  EXPECT_TRUE(module->kernelNames().empty());
  expectFault("import \"middle.tile\";\nfn f(x: f32) -> f32 = one(x);", "one", "unknown name `one`");
}

TEST(SemaImports, OneFileIsOneFile) {
  EXPECT_CLEAN("import \"one.tile\";\nimport \"one.tile\";\nimport \"middle.tile\";");
}

TEST(SemaImports, AClashIsAnError) {
  expectFault("import \"one.tile\";\nfn one(x: f32) -> f32 = x;", "one", "`one` is already defined");
  expectFault("import \"one.tile\";\nimport \"also_one.tile\";", "\"also_one.tile\"",
              "`also_one.tile` brings `one`, which is already defined");
}

TEST(SemaImports, AMissingFile) {
  expectFault("import \"activation.tile\";", "\"activation.tile\"", "cannot find the imported file `activation.tile`",
              "did you mean `activations.tile`?");
}

TEST(SemaImports, NoCircles) {
  expectFault("import \"circle.tile\";\nlet a = 1;", "\"circle.tile\"",
              "files import each other: circle.tile → turn.tile → circle.tile");
}

TEST(SemaImports, AliasedFunctionsBindStatics) {
  Specialization specialization;
  specialization.statics["act"] = "act_file.mish";
  expectDump("import \"activations.tile\" as act_file;\nkernel k<act: fn(f32) -> f32>(x: f32[N], y: out f32[N]) over (i in N "
             "by B) { y[i] = act(x[i]); }",
             "y[i] = mish(x[i])", specialization);
}

// --------------------------------------------------------------------------------------------------------------------
// The standard library, and the kernels of docs/language.md §5
// --------------------------------------------------------------------------------------------------------------------

TEST(SemaLibrary, TheStandardLibraryIsClean) {
  for (const char *file : {"activations.tile", "math.tile"})
    EXPECT_CLEAN(read(TILEWRIGHT_SOURCE_DIR "/compiler/stdlib/" + std::string(file)));
  EXPECT_CLEAN("import \"activations.tile\";\nimport \"math.tile\";");
}

TEST(SemaLibrary, EveryActivationHasADerivative) {
  std::string text = "import \"activations.tile\";\n"
                     "kernel k<act: fn(f32) -> f32>(x: f32[N], y: out f32[N]) over (i in N by B) { y[i] = deriv(act)(x[i]); }";
  for (const char *name : {"identity", "relu", "leaky_relu", "squared_relu", "gelu", "gelu_erf", "silu", "sigmoid", "tanh",
                           "softplus", "smelu", "hard_swish", "mish"}) {
    Specialization specialization;
    specialization.statics["act"] = name;
    EXPECT_NE(dump(text, specialization), "") << name;
  }
}

TEST(SemaLibrary, TheLanguageReferencesKernelsCheckAndSpecialize) {
  std::string text = read(TILEWRIGHT_SOURCE_DIR "/tests/semantics/kernels.tile");
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Module::check("kernels.tile", text, resolve, diagnostics);
  ASSERT_EQ(render(diagnostics), "");
  EXPECT_EQ(module->kernelNames().size(), 28u);
  for (const std::string &kernel : module->kernelNames())
    for (bool present : {false, true})
      for (DType dtype : {DType::F32, DType::BF16, DType::F8E4M3}) {
        const KernelSignature &signature = *module->signature(kernel);
        Specialization specialization;
        for (const KernelSignature::Static &each : signature.statics) {
          bool allowed = std::find(each.dtypes.begin(), each.dtypes.end(), dtype) != each.dtypes.end();
          if (each.kind == ast::StaticParameter::Kind::Type)
            specialization.statics[each.name] = name(allowed ? dtype : each.dtypes.front());
          else if (!each.defaultText)
            specialization.statics[each.name] = each.kind == ast::StaticParameter::Kind::Constant ? "8"
                                                : each.name == "gate"                             ? "swiglu"
                                                                                                  : "gelu";
        }
        for (const ast::Parameter &parameter : signature.declaration->parameters)
          if (parameter.optional && present)
            specialization.presentViews.insert(parameter.name.text);
        std::unique_ptr<typed::Kernel> typed = module->specialize(kernel, specialization, diagnostics);
        EXPECT_NE(typed, nullptr) << kernel << " " << name(dtype);
        EXPECT_EQ(render(diagnostics), "");
      }
}
