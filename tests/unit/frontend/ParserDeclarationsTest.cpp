// Files, declarations, the ranges of what was read.
#include "tests/unit/frontend/Fixtures.h"

using namespace tilewright::frontend;
using namespace tilewright::frontend::tests;
using namespace tilewright::frontend::tests::parsing;

// --------------------------------------------------------------------------------------------------------------------
// Files and declarations
// --------------------------------------------------------------------------------------------------------------------

TEST(Parser, TheKernelsOfTheManualParse) {
  std::string text = readRepositoryFile("tests/semantics/kernels.tile");
  Parsed parsed(text);
  EXPECT_EQ(parsed.errors(), "");
  EXPECT_EQ(parsed.file.declarations.size(), 38u);
}

TEST(Parser, AnEmptyFileHasNoDeclarations) {
  Parsed parsed("// nothing\n");
  EXPECT_EQ(parsed.errors(), "");
  EXPECT_TRUE(parsed.file.declarations.empty());
  EXPECT_EQ(parsed.file.source, &parsed.source);
}

TEST(Parser, Import) {
  EXPECT_EQ(Parsed("import \"a.tile\"; import \"b.tile\" as b;").tree(), "import \"a.tile\"\nimport \"b.tile\" as b\n");
}

TEST(Parser, Constant) {
  EXPECT_EQ(Parsed("let n = 4;").tree(), "constant n\n  integer 4\n");
}

TEST(Parser, FunctionWithAnExpression) {
  EXPECT_EQ(Parsed("fn half<R: real>(x: R) -> R = x / 2;").tree(), "function half -> R\n"
                                                                   "  static R: real\n"
                                                                   "  parameter x: R\n"
                                                                   "  value: binary /\n"
                                                                   "    name x\n"
                                                                   "    integer 2\n");
}

TEST(Parser, FunctionWithABlockAndAnAxis) {
  EXPECT_EQ(Parsed("fn f(x: f32, over k) -> accum(f16) { return sum(x, over k); }").tree(), "function f -> accum(f16)\n"
                                                                                            "  parameter x: f32\n"
                                                                                            "  over k\n"
                                                                                            "  body\n"
                                                                                            "    return\n"
                                                                                            "      call\n"
                                                                                            "        callee: name sum\n"
                                                                                            "        name x\n"
                                                                                            "        over k\n");
}

TEST(Parser, FunctionWithSeveralResults) {
  EXPECT_EQ(Parsed("fn f(x: f32) -> (f32, i64) = (x, 1);").tree(), "function f -> (f32, i64)\n"
                                                                   "  parameter x: f32\n"
                                                                   "  value: tuple\n"
                                                                   "    name x\n"
                                                                   "    integer 1\n");
}

TEST(Parser, Derivative) {
  EXPECT_EQ(Parsed("deriv f(x, y) = (y, x);").tree(), "derivative f(x, y)\n  tuple\n    name y\n    name x\n");
}

TEST(Parser, Extern) {
  EXPECT_EQ(Parsed("extern \"cuda\" fn hash(x: i32) -> i32 from \"hash.cuh\";").tree(),
            "extern \"cuda\" function hash -> i32 from \"hash.cuh\"\n  parameter x: i32\n");
}

TEST(Parser, StaticsAreTypesFunctionsOrConstants) {
  EXPECT_EQ(
      Parsed("kernel k<T: float | f64, F: f16 | bf16, f: fn(f32, T) -> f32 = g, n: i64 = 2 | 1, m: T>() over () {}").tree(),
      "kernel k\n"
      "  static T: float | f64\n"
      "  static F: f16 | bf16\n"
      "  static f: fn(f32, T) -> f32\n"
      "    default: name g\n"
      "  static n: i64\n"
      "    default: binary |\n"
      "      integer 2\n"
      "      integer 1\n"
      "  static m: T\n"
      "  over\n"
      "  body\n");
}

TEST(Parser, AStaticsDefaultEndsAtTheClosingAngle) {
  EXPECT_EQ(Parsed("fn f<n: i64 = 1>(x: f32) -> f32 = x;").errors(), "");
}

TEST(Parser, ParametersAreViewsOptionalViewsOrScalars) {
  EXPECT_EQ(Parsed("kernel k(x: T[M..., K], y: out T[2 * F, P = K + 1]?, z: inout f32[(K)], e: f32 = 1e-5) over () {}").tree(),
            "kernel k\n"
            "  parameter x: T view\n"
            "    dimension M...\n"
            "    dimension K\n"
            "  parameter y: out T view optional\n"
            "    dimension\n"
            "      binary *\n"
            "        integer 2\n"
            "        name F\n"
            "    dimension P\n"
            "      binary +\n"
            "        name K\n"
            "        integer 1\n"
            "  parameter z: inout f32 view\n"
            "    dimension\n"
            "      name K\n"
            "  parameter e: f32\n"
            "    default: float 1e-05\n"
            "  over\n"
            "  body\n");
}

TEST(Parser, TheGridHasRangesAndTunables) {
  EXPECT_EQ(Parsed("kernel k() over (e in E, i in first[e]..n by BM) {}").tree(), "kernel k\n"
                                                                                  "  over\n"
                                                                                  "    axis e\n"
                                                                                  "      in: name E\n"
                                                                                  "    axis i\n"
                                                                                  "      from: index\n"
                                                                                  "        base: name first\n"
                                                                                  "        place: name e\n"
                                                                                  "      to: name n\n"
                                                                                  "      by: name BM\n"
                                                                                  "  body\n");
}

TEST(Parser, DocumentationBelongsToTheNextDeclaration) {
  Parsed parsed(
      "/// Halves.\n///  Exactly.\nfn f(x: f32) -> f32 = x; /// not this\n\n// nor this\n//// nor this\n/// Yes.\nlet n = 1;");
  EXPECT_EQ(parsed.file.declarations[0]->documentation, "Halves.\n Exactly.");
  EXPECT_EQ(parsed.file.declarations[1]->documentation, "Yes.");
}

TEST(Parser, CommentsInABodyDocumentNothing) {
  Parsed parsed("fn f(x: f32) -> f32 {\n  /// inside\n  return x;\n}\nlet n = 1;");
  EXPECT_EQ(parsed.file.declarations[1]->documentation, "");
}

// --------------------------------------------------------------------------------------------------------------------
// Ranges
// --------------------------------------------------------------------------------------------------------------------

TEST(Parser, ADeclarationsRangeIsItsText) {
  Parsed parsed("let n = 1; import \"a\";");
  EXPECT_EQ(textOf(parsed, parsed.file.declarations[0]->where), "let n = 1;");
  EXPECT_EQ(textOf(parsed, parsed.file.declarations[1]->where), "import \"a\";");
}

TEST(Parser, AStatementsRangeIncludesItsSemicolon) {
  Parsed parsed = inKernel("x[0] = 1;");
  EXPECT_EQ(textOf(parsed, statementOf(parsed).where), "x[0] = 1;");
}

TEST(Parser, ABracketedExpressionsRangeIncludesTheBrackets) {
  Parsed parsed("let c = (a + b) * c;");
  const auto &product = ast::as<ast::BinaryExpression>(constantOf(parsed));
  EXPECT_EQ(textOf(parsed, product.where), "(a + b) * c");
  EXPECT_EQ(textOf(parsed, product.left->where), "(a + b)");
  EXPECT_EQ(textOf(parsed, product.operatorWhere), "*");
}

TEST(Parser, APlacesRangeGoesFromBracketToBracket) {
  Parsed parsed("let c = x[i, else 0];");
  const auto &index = ast::as<ast::IndexExpression>(constantOf(parsed));
  EXPECT_EQ(textOf(parsed, index.places.where), "[i, else 0]");
  EXPECT_EQ(textOf(parsed, index.places.elseWhere), "else 0");
}

TEST(Parser, TheGridsRangeGoesFromOverToTheBracket) {
  Parsed parsed("kernel k() over (i in N) {}");
  EXPECT_EQ(textOf(parsed, ast::as<ast::KernelDeclaration>(*parsed.file.declarations[0]).overWhere), "over (i in N)");
}

// --------------------------------------------------------------------------------------------------------------------
// Errors in declarations
// --------------------------------------------------------------------------------------------------------------------

TEST(DeclarationErrors, AMisspeltKeywordIsReadAsWhatWasMeant) {
  Parsed parsed("kernal k(x f32[K]) over () {}");
  EXPECT_EQ(parsed.errors(), "1:1 expected a declaration, found `kernal`\n"
                             "1:12 expected `:` and a dtype after the parameter's name, found `f32`");
  EXPECT_EQ(parsed.hint(), "did you mean `kernel`?");
}

TEST(DeclarationErrors, FunctionsOfOtherLanguages) {
  EXPECT_EQ(Parsed("func f(x: f32) -> f32 = x;").hint(), "did you mean `fn`?");
  Parsed def("def f(x): return x"); // one error, not one for everything that follows
  EXPECT_EQ(def.errors(), "1:1 expected a declaration, found `def`");
  EXPECT_EQ(def.hint(), "as in `fn f(x: f32) -> f32 = x * x;`");
}

TEST(DeclarationErrors, AFunctionStatesItsResult) {
  EXPECT_EQ(Parsed("fn f(x: f32) = x;\nlet a = ;").errors(), "1:13 expected `->` and the dtype of the result, found `=`\n"
                                                             "2:9 expected an expression, found `;`");
}

TEST(DeclarationErrors, AFunctionEndsInAReturn) {
  EXPECT_EQ(Parsed("fn f(x: f32) -> f32 {\n  let a = x;\n}").errors(), "3:1 function `f` does not end in a `return`");
}

TEST(DeclarationErrors, ParametersHaveDtypes) {
  EXPECT_EQ(Parsed("fn f(x) -> f32 = x;").errors(), "1:7 expected `:` and a dtype after the parameter's name, found `)`");
  EXPECT_EQ(Parsed("kernel k(f32 x) over () {}").errors(), "1:10 expected the name of a parameter, found `f32`");
}

TEST(DeclarationErrors, EachParameterReportsItsOwn) {
  EXPECT_EQ(Parsed("kernel k(x: f32[], y: float[K], z: f32[:], w: f32[K]) over () {}").errors(),
            "1:17 expected a dimension, found `]`\n"
            "1:23 `float` is a class of dtypes, not a dtype\n"
            "1:40 expected a dimension, found `:`");
}

TEST(DeclarationErrors, ATrailingCommaIsAnError) {
  EXPECT_EQ(Parsed("kernel k(x: f32[K],) over () {}").errors(), "1:19 unexpected `,` after the last element");
}

TEST(DeclarationErrors, AKernelHasAGrid) {
  EXPECT_EQ(Parsed("kernel k(x: f32[K]) { let a = ; }").errors(), "1:21 expected `over (…)` after the parameters, found `{`\n"
                                                                  "1:31 expected an expression, found `;`");
}

TEST(DeclarationErrors, AKernelHasNoResult) {
  EXPECT_EQ(Parsed("kernel k(x: f32[K]) -> f32 over () {}").errors(), "1:21 a kernel has no result");
}

TEST(DeclarationErrors, OneResultStandsWithoutBrackets) {
  EXPECT_EQ(Parsed("fn f(x: f32) -> (f32) = x;").errors(), "1:17 expected two dtypes or more between the brackets");
}

TEST(DeclarationErrors, AnImportHasAPathInQuotes) {
  EXPECT_EQ(Parsed("import a;").errors(), "1:8 expected the path in double quotes, found `a`");
}

TEST(DeclarationErrors, StatementsBelongIntoABlock) {
  Parsed parsed("let a = 1;\nx[0] = 2;\ny[0] = 3;\nlet b = ;");
  EXPECT_EQ(parsed.errors(), "2:1 expected a declaration (`kernel`, `fn`, `let`, `import`, `deriv` or `extern`), found `x`\n"
                             "3:1 expected a declaration (`kernel`, `fn`, `let`, `import`, `deriv` or `extern`), found `y`\n"
                             "4:9 expected an expression, found `;`");
  EXPECT_EQ(parsed.hint(), "statements stand in the block of a kernel or a function");
}

TEST(DeclarationErrors, AnUnclosedBlockEndsAtTheNextKernel) {
  Parsed parsed("kernel a() over () {\n  for i in N {\n    let b = 1;\n}\nkernel c() over () { let d = ; }");
  EXPECT_EQ(parsed.errors(), "5:1 expected a statement or `}`, found `kernel`\n5:30 expected an expression, found `;`");
}

TEST(DeclarationErrors, AnUnclosedBlockIsFoundByItsIndentation) {
  Parsed parsed("kernel a() over () {\n  for i in N {\n    let b = 1;\n}\n");
  ASSERT_EQ(parsed.diagnostics.all().size(), 1u);
  const auto &notes = parsed.diagnostics.all()[0].notes;
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(parsed.source.locate(notes[0].where.begin).line, 1u);
  EXPECT_EQ(parsed.source.locate(notes[1].where.begin).line, 2u);
}

TEST(DeclarationErrors, OneBraceTooManyIsOneError) {
  EXPECT_EQ(Parsed("kernel a() over () { } }\nkernel b() over () { }").errors(),
            "1:24 no `{` is open that this `}` could close");
}

TEST(DeclarationErrors, AFunctionIsNoStatement) {
  EXPECT_EQ(errorsOf("  fn f(x: f32) -> f32 = x;\n  let a = ;"), "2:3 `fn` cannot be declared inside a block\n"
                                                                 "3:11 expected an expression, found `;`");
}

TEST(DeclarationErrors, ErrorsComeInTheOrderOfTheText) {
  EXPECT_EQ(Parsed("let a = ;\nlet b = 1u;\nlet c = ;").errors(), "1:9 expected an expression, found `;`\n"
                                                                  "2:9 malformed number `1u`\n"
                                                                  "3:9 expected an expression, found `;`");
}
