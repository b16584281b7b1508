#include "compiler/frontend/Parser.h"

#include "compiler/frontend/PrintAST.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

using namespace tilewright::frontend;

namespace {

/// A text, its tree and its faults.
struct Parsed {
  explicit Parsed(std::string text) : source("test.tile", std::move(text)), file(parse(source, diagnostics)) {}

  /// "line:column message" of each error, one a line.
  std::string errors() const {
    std::string all;
    for (const Diagnostic &diagnostic : diagnostics.all()) {
      auto [line, column] = source.locate(diagnostic.where.begin);
      all += (all.empty() ? "" : "\n") + std::to_string(line) + ":" + std::to_string(column) + " " + diagnostic.message;
    }
    return all;
  }
  std::string hint() const { return diagnostics.all().empty() ? "" : diagnostics.all().front().hint; }
  std::string tree() const { return printAST(file); }

  Source source;
  Diagnostics diagnostics;
  ast::File file;
};

/// Statements, in a kernel whose header is line 1.
Parsed inKernel(const std::string &statements) {
  return Parsed("kernel k(x: f32[K]) over () {\n" + statements + "\n}\n");
}

/// The errors of statements, the first of which is line 2.
std::string errorsOf(const std::string &statements) {
  return inKernel(statements).errors();
}
std::string hintOf(const std::string &statements) {
  return inKernel(statements).hint();
}

/// The tree of an expression.
std::string treeOf(const std::string &expression) {
  Parsed parsed("let c = " + expression + ";");
  EXPECT_EQ(parsed.errors(), "");
  std::string tree = parsed.tree();
  return tree.substr(tree.find('\n') + 1);
}

/// Whether two expressions have the same tree.
::testing::AssertionResult sameTree(const std::string &left, const std::string &right) {
  return treeOf(left) == treeOf(right) ? ::testing::AssertionSuccess()
                                       : ::testing::AssertionFailure() << treeOf(left) << "is not\n"
                                                                       << treeOf(right);
}

const ast::Expression &constantOf(const Parsed &parsed) {
  return *ast::as<ast::ConstantDeclaration>(*parsed.file.declarations.at(0)).value;
}

const ast::Statement &statementOf(const Parsed &parsed) {
  return *ast::as<ast::KernelDeclaration>(*parsed.file.declarations.at(0)).body.statements.at(0);
}

std::string textOf(const Parsed &parsed, SourceRange where) {
  return std::string(parsed.source.text().substr(where.begin, where.end - where.begin));
}

} // namespace

// --------------------------------------------------------------------------------------------------------------------
// Files and declarations
// --------------------------------------------------------------------------------------------------------------------

TEST(Parser, TheKernelsOfTheManualParse) {
  std::ifstream stream(TILEWRIGHT_SOURCE_DIR "/tests/semantics/kernels.tile");
  std::stringstream text;
  text << stream.rdbuf();
  Parsed parsed(text.str());
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
// Expressions
// --------------------------------------------------------------------------------------------------------------------

TEST(Expressions, Literals) {
  EXPECT_EQ(treeOf("0x10"), "  integer 16\n");
  EXPECT_EQ(treeOf("2.5"), "  float 2.5\n");
  EXPECT_EQ(treeOf("inf"), "  float inf\n");
  EXPECT_EQ(treeOf("true"), "  true\n");
  EXPECT_TRUE(std::isnan(ast::as<ast::FloatExpression>(constantOf(Parsed("let c = nan;"))).value));
}

TEST(Expressions, EachLevelBindsTighterThanTheOneBefore) {
  EXPECT_TRUE(sameTree("a or b and c", "a or (b and c)"));
  EXPECT_TRUE(sameTree("not a and b", "(not a) and b"));
  EXPECT_TRUE(sameTree("not a == b", "not (a == b)"));
  EXPECT_TRUE(sameTree("a == b | c", "a == (b | c)"));
  EXPECT_TRUE(sameTree("a | b ^ c", "a | (b ^ c)"));
  EXPECT_TRUE(sameTree("a ^ b & c", "a ^ (b & c)"));
  EXPECT_TRUE(sameTree("a & b << c", "a & (b << c)"));
  EXPECT_TRUE(sameTree("a << b + c", "a << (b + c)"));
  EXPECT_TRUE(sameTree("a + b * c", "a + (b * c)"));
  EXPECT_TRUE(sameTree("-a * b", "(-a) * b"));
  EXPECT_TRUE(sameTree("-a.start", "-(a.start)"));
}

TEST(Expressions, OperatorsGroupFromTheLeft) {
  EXPECT_TRUE(sameTree("a - b - c", "(a - b) - c"));
  EXPECT_TRUE(sameTree("a / b * c % d", "((a / b) * c) % d"));
  EXPECT_TRUE(sameTree("a and b and c", "(a and b) and c"));
}

TEST(Expressions, PrefixOperatorsNest) {
  EXPECT_TRUE(sameTree("--a", "-(-a)"));
  EXPECT_TRUE(sameTree("not not a", "not (not a)"));
  EXPECT_TRUE(sameTree("a - -b", "a - (-b)"));
}

TEST(Expressions, ACallHasArgumentsAxesAndOptions) {
  EXPECT_EQ(treeOf("dot(a, b, over k, m, precision = tf32)"), "  call\n"
                                                              "    callee: name dot\n"
                                                              "    name a\n"
                                                              "    name b\n"
                                                              "    over k, m\n"
                                                              "    option precision = tf32\n");
}

TEST(Expressions, CallsIndicesAndMembersFollowEachOther) {
  EXPECT_EQ(treeOf("deriv(act, 1)(z[i].start)"), "  call\n"
                                                 "    callee: call\n"
                                                 "      callee: name deriv\n"
                                                 "      name act\n"
                                                 "      integer 1\n"
                                                 "    member start\n"
                                                 "      index\n"
                                                 "        base: name z\n"
                                                 "        place: name i\n");
}

TEST(Expressions, CastsAreCallsOfADtype) {
  EXPECT_EQ(treeOf("accum(T)(f32(i))"), "  call\n"
                                        "    callee: dtype accum(T)\n"
                                        "    call\n"
                                        "      callee: dtype f32\n"
                                        "      name i\n");
}

TEST(Expressions, PlacesMaySayWhatIsOutside) {
  EXPECT_EQ(treeOf("x[i - 1, else -inf]"), "  index\n"
                                           "    base: name x\n"
                                           "    place: binary -\n"
                                           "      name i\n"
                                           "      integer 1\n"
                                           "    else: unary -\n"
                                           "      float inf\n");
  EXPECT_EQ(treeOf("x[i, else drop]"), "  index\n    base: name x\n    place: name i\n    else: drop\n");
}

TEST(Expressions, ABracketedNameMayBeCalled) {
  EXPECT_TRUE(sameTree("(f)(x)", "f(x)"));
}

// --------------------------------------------------------------------------------------------------------------------
// Statements
// --------------------------------------------------------------------------------------------------------------------

TEST(Statements, AllOfThem) {
  Parsed parsed = inKernel("let a = 1;\n"
                           "let b: f32[i, j] = 2;\n"
                           "let (c, d) = f(a);\n"
                           "var e: i64 = 3;\n"
                           "e max= a;\n"
                           "x[0, else drop] -= 1;\n"
                           "atomic x[a] += 1;\n"
                           "let old = atomic x[a] += 1;\n"
                           "if a { } else if b { } else { e = 1; }\n"
                           "for k in K by BK, r in 0..3 { }\n"
                           "while e < 3 { e += 1; }\n"
                           "require K % 8 == 0, \"K\";\n"
                           "tune BK in [32, 64];\n"
                           "print(\"e\", e);\n"
                           "assert(e > 0, \"positive\");\n"
                           "return (a, b);");
  EXPECT_EQ(parsed.errors(), "");
  std::string tree = parsed.tree();
  EXPECT_EQ(tree.substr(tree.find("  body\n")), "  body\n"
                                                "    let a\n"
                                                "      integer 1\n"
                                                "    let b: f32[i, j]\n"
                                                "      integer 2\n"
                                                "    let (c, d)\n"
                                                "      call\n"
                                                "        callee: name f\n"
                                                "        name a\n"
                                                "    var e: i64\n"
                                                "      integer 3\n"
                                                "    assign max= e\n"
                                                "      value: name a\n"
                                                "    assign -= x\n"
                                                "      place: integer 0\n"
                                                "      else: drop\n"
                                                "      value: integer 1\n"
                                                "    atomic assign += x\n"
                                                "      place: name a\n"
                                                "      value: integer 1\n"
                                                "    let old\n"
                                                "      value: atomic assign += x\n"
                                                "        place: name a\n"
                                                "        value: integer 1\n"
                                                "    if\n"
                                                "      condition: name a\n"
                                                "      then\n"
                                                "      else\n"
                                                "        if\n"
                                                "          condition: name b\n"
                                                "          then\n"
                                                "          else\n"
                                                "            assign = e\n"
                                                "              value: integer 1\n"
                                                "    for\n"
                                                "      axis k\n"
                                                "        in: name K\n"
                                                "        by: name BK\n"
                                                "      axis r\n"
                                                "        from: integer 0\n"
                                                "        to: integer 3\n"
                                                "      body\n"
                                                "    while\n"
                                                "      condition: binary <\n"
                                                "        name e\n"
                                                "        integer 3\n"
                                                "      body\n"
                                                "        assign += e\n"
                                                "          value: integer 1\n"
                                                "    require \"K\"\n"
                                                "      binary ==\n"
                                                "        binary %\n"
                                                "          name K\n"
                                                "          integer 8\n"
                                                "        integer 0\n"
                                                "    tune BK\n"
                                                "      integer 32\n"
                                                "      integer 64\n"
                                                "    print\n"
                                                "      text \"e\"\n"
                                                "      name e\n"
                                                "    assert\n"
                                                "      binary >\n"
                                                "        name e\n"
                                                "        integer 0\n"
                                                "      text \"positive\"\n"
                                                "    return\n"
                                                "      tuple\n"
                                                "        name a\n"
                                                "        name b\n");
}

TEST(Statements, AnUnindentedBodyParses) {
  EXPECT_EQ(errorsOf("let a = 1;\nvar b = 2;\nb = a;"), "");
}

// --------------------------------------------------------------------------------------------------------------------
// Errors in statements
// --------------------------------------------------------------------------------------------------------------------

TEST(StatementErrors, AMissingSemicolonPointsJustAfterTheStatement) {
  EXPECT_EQ(errorsOf("let a = 1\nlet b = 2;"), "2:10 expected `;` after the value of `a`");
  EXPECT_EQ(errorsOf("x[0] = 1"), "2:9 expected `;` after the assignment");
}

TEST(StatementErrors, EachStatementReportsItsOwn) {
  EXPECT_EQ(errorsOf("let a = ;\nlet b = 2;\nx[0] = );\nlet c = 3;"), "2:9 expected an expression, found `;`\n"
                                                                      "4:8 expected an expression, found `)`");
}

TEST(StatementErrors, OneFaultIsOneError) {
  EXPECT_EQ(errorsOf("let a = f(1, , g(2 3), [);"), "2:14 expected an expression, found `,`");
}

TEST(StatementErrors, AReservedWordIsNoName) {
  EXPECT_EQ(errorsOf("let over = 1;"), "2:5 `over` is a reserved word and cannot be the name of a value");
  EXPECT_EQ(errorsOf("for in in K { }"), "2:5 `in` is a reserved word and cannot be the name of a span or an index");
}

TEST(StatementErrors, AssignmentInAConditionIsNoComparison) {
  EXPECT_EQ(errorsOf("if a = 1 { x[0] = 1; }"), "2:6 expected `==` in a condition, found `=`");
  EXPECT_EQ(hintOf("while a = 1 { }"), "`=` assigns, `==` compares");
}

TEST(StatementErrors, ComparisonIsNoAssignment) {
  EXPECT_EQ(errorsOf("a == 1;"), "2:3 expected an assignment (`=`, `+=`, `max=`, …) to `a`, found `==`");
  EXPECT_EQ(hintOf("a == 1;"), "`==` compares, `=` assigns");
}

TEST(StatementErrors, ThereIsNoIncrement) {
  EXPECT_EQ(errorsOf("i++;\n++i;\ni--;\n--i;"), "2:2 there is no `++`\n3:1 there is no `++`\n4:2 there is no `--`\n"
                                                "5:1 there is no `--`");
  EXPECT_EQ(hintOf("i--;"), "write `i -= 1;`");
}

TEST(StatementErrors, ThereAreFewCompoundAssignments) {
  EXPECT_EQ(hintOf("a %= 2;"), "there is no `%=`; write `a = a % …;`");
  EXPECT_EQ(hintOf("a <<= 2;"), "there is no `<<=`; write `a = a << …;`");
}

TEST(StatementErrors, MaxAssignIsWrittenTogether) {
  EXPECT_EQ(hintOf("a max = 2;"), "written together, `max=` is an operator");
}

TEST(StatementErrors, AnExpressionAloneIsNoStatement) {
  EXPECT_EQ(hintOf("f(x);"), "a call alone has no effect: name its value, `let x = f(…);`");
  EXPECT_EQ(hintOf("a;"), "an expression alone has no effect");
  EXPECT_EQ(errorsOf("3;"), "2:1 expected a statement, found `3`");
}

TEST(StatementErrors, LetDoesNotChangeAVariable) {
  EXPECT_EQ(errorsOf("let a += 1;"), "2:7 expected `=` and a value, found `+=`");
  EXPECT_EQ(hintOf("let a += 1;"), "`let` declares a new name; to change a variable write `a += …;`");
}

TEST(StatementErrors, AVariableHasAValue) {
  EXPECT_EQ(hintOf("var a;"), "names have values from the start: `var a = 0;`");
}

TEST(StatementErrors, ADeclarationInTheMannerOfC) {
  for (const char *text : {"float a = 0;", "f32 a = 0;", "int a = 0;", "const float a = 0;"})
    EXPECT_EQ(hintOf(text), "a value is named by `let a = …;`, a variable declared by `var a: f32 = …;`") << text;
}

TEST(StatementErrors, SeveralNamesNeedBrackets) {
  EXPECT_EQ(hintOf("let a, b = f(x);"), "several results are named by `let (a, b) = …;`");
  EXPECT_EQ(hintOf("a, b = f(x);"), "several results are named by `let (a, b) = …;`");
  EXPECT_EQ(errorsOf("let (a) = f(x);"), "2:5 expected two names or more between the brackets");
}

TEST(StatementErrors, AForLoopNamesItsRange) {
  EXPECT_EQ(errorsOf("for (int i = 0; i < n; i++) { a = 1; }"), "2:5 expected the name of a span or an index, found `(`");
  EXPECT_EQ(errorsOf("for i = 0..3 { a = 1; }"), "2:7 expected `in` after `i`, found `=`");
}

TEST(StatementErrors, TheBodyAfterABadHeaderIsRead) {
  EXPECT_EQ(errorsOf("for k of K { let a = ; }\nif ) { let b = ; }"), "2:7 expected `in` after `k`, found `of`\n"
                                                                      "2:22 expected an expression, found `;`\n"
                                                                      "3:4 expected an expression, found `)`\n"
                                                                      "3:16 expected an expression, found `;`");
}

TEST(StatementErrors, ABodyNeedsBraces) {
  EXPECT_EQ(errorsOf("if a x[0] = 1;\nelse x[0] = 2;"), "2:6 expected `{`, found `x`\n3:6 expected `{`, found `x`");
  EXPECT_EQ(hintOf("while a: x[0] = 1;"), "a block stands between `{` and `}`");
}

TEST(StatementErrors, ElifIsElseIf) {
  EXPECT_EQ(errorsOf("if a { } elif b { }"), "2:10 expected `else if`, found `elif`");
}

TEST(StatementErrors, AMisspeltKeywordIsReadAsWhatWasMeant) {
  EXPECT_EQ(errorsOf("lett a = ;"), "2:1 expected a statement, found `lett`\n2:10 expected an expression, found `;`");
  EXPECT_EQ(hintOf("retrun a;"), "did you mean `return`?");
  EXPECT_EQ(hintOf("fro k in K { }"), "did you mean `for`?");
}

TEST(StatementErrors, ThereIsNoBreak) {
  EXPECT_EQ(hintOf("break;"), "there is no `break`: bound the loop's range, or use `while`");
}

TEST(StatementErrors, NoSemicolonFollowsABlock) {
  EXPECT_EQ(errorsOf("if a { };"), "2:9 expected a statement, found `;`");
  EXPECT_EQ(hintOf("if a { };"), "no `;` follows a block");
}

TEST(StatementErrors, ABlockBelongsToAStatement) {
  EXPECT_EQ(errorsOf("{ let a = 1; }"), "2:1 expected a statement, found `{`");
}

TEST(StatementErrors, ElseFollowsAnIf) {
  EXPECT_EQ(errorsOf("else { a = 1; }\nlet b = ;"),
            "2:1 expected a statement, found `else`\n3:9 expected an expression, found `;`");
}

TEST(StatementErrors, RequireTakesNoBrackets) {
  EXPECT_EQ(hintOf("require(a == b, \"text\");"), "`require` takes no brackets: `require c, \"text\";`");
}

TEST(StatementErrors, AnAssertBeginsWithItsCondition) {
  EXPECT_EQ(errorsOf("assert(\"text\");"), "2:7 expected the condition before the text");
}

TEST(StatementErrors, AxesOfATypeAreNames) {
  EXPECT_EQ(errorsOf("var a: f32[64, 64] = 0;"), "2:12 expected an axis, found `64`");
}

TEST(StatementErrors, AFaultyStatementIsNotInTheTree) {
  Parsed parsed = inKernel("let a = ;\nlet b = 2;\nprint(1 +, 2);");
  EXPECT_EQ(parsed.diagnostics.errorCount(), 2u);
  EXPECT_NE(parsed.tree().find("let b"), std::string::npos);
  EXPECT_EQ(parsed.tree().find("let a"), std::string::npos);
}

// --------------------------------------------------------------------------------------------------------------------
// Errors in expressions
// --------------------------------------------------------------------------------------------------------------------

TEST(ExpressionErrors, ComparisonsDoNotChain) {
  Parsed parsed = inKernel("let a = b < c <= d;");
  EXPECT_EQ(parsed.errors(), "2:15 comparisons do not chain");
  EXPECT_EQ(parsed.hint(), "write `a < b and b < c`");
  EXPECT_EQ(parsed.diagnostics.all()[0].notes.size(), 1u);
}

TEST(ExpressionErrors, BracketedComparisonsMayBeCompared) {
  EXPECT_EQ(errorsOf("let a = (b < c) == (c < d);"), "");
}

TEST(ExpressionErrors, ACallStatesNoStatics) {
  EXPECT_EQ(hintOf("let a = f<f32>(x);"), "a call states no statics, they are inferred: `f(x)`");
}

TEST(ExpressionErrors, LogicalOperatorsAreWords) {
  Parsed parsed = inKernel("let a = b && c || !d;");
  EXPECT_EQ(parsed.errors(), "2:11 there is no `&&`\n2:16 there is no `||`\n2:19 there is no `!`");
  EXPECT_EQ(parsed.hint(), "write `and`");
}

TEST(ExpressionErrors, NotBelowAnOperatorNeedsBrackets) {
  EXPECT_EQ(errorsOf("let a = b == not c;"), "2:14 `not` binds more loosely than the operator before it");
  EXPECT_EQ(errorsOf("let a = b == (not c);"), "");
}

TEST(ExpressionErrors, ThereIsNoTranspose) {
  EXPECT_EQ(errorsOf("let a = x.T;"), "2:10 there is no transpose");
}

TEST(ExpressionErrors, AConstantOfAnImportMayBeCalledT) {
  EXPECT_EQ(Parsed("import \"a.tile\" as a;\nlet b = a.T;").errors(), "");
}

TEST(ExpressionErrors, ACastIsACall) {
  EXPECT_EQ(errorsOf("let a = (f32)b + 1;"), "2:9 a cast is written like a call");
  EXPECT_EQ(hintOf("let a = (f32)b;"), "write `f32(x)`");
  EXPECT_EQ(hintOf("let a = (int)b;"), "write `int(x)`");
}

TEST(ExpressionErrors, ThereIsNoConditionalOperator) {
  EXPECT_EQ(hintOf("let a = c ? 1 : 2;"), "write `where(c, a, b)` for a where c holds and b elsewhere");
  EXPECT_EQ(hintOf("let a = 1 if c else 2;"), "write `where(c, a, b)` for a where c holds and b elsewhere");
}

TEST(ExpressionErrors, ThereAreNoSlices) {
  for (const char *text : {"x[:, 0] = 1;", "x[a:b] = 1;"})
    EXPECT_EQ(hintOf(text), "there are no slices: a span indexes its dimension, `x[i, k]`") << text;
}

TEST(ExpressionErrors, AxesHaveNames) {
  EXPECT_EQ(hintOf("let a = sum(x, axis=0);"), "axes have names: `sum(x, over k)`");
}

TEST(ExpressionErrors, IndicesStandBetweenOnePairOfBrackets) {
  EXPECT_EQ(hintOf("x[i][j] = 1;"), "all indices stand between one pair of brackets: `x[i, j]`");
}

TEST(ExpressionErrors, ARangeIsNoValue) {
  EXPECT_EQ(hintOf("let a = 0..3;"), "a range is no value: it stands after `in`");
}

TEST(ExpressionErrors, ThereAreNoListsOfConstants) {
  EXPECT_EQ(errorsOf("let a = {1, 2};\nlet b = ;"),
            "2:9 expected an expression, found `{`\n3:9 expected an expression, found `;`");
}

TEST(ExpressionErrors, APowerIsAFunction) {
  EXPECT_EQ(hintOf("let a = b ** 2;"), "a power is `pow(x, y)`");
}

TEST(ExpressionErrors, AStringIsNoValue) {
  EXPECT_EQ(errorsOf("let a = \"s\";"), "2:9 expected an expression, found a string");
}

TEST(ExpressionErrors, SpanAndDerivAreCalled) {
  EXPECT_EQ(errorsOf("let a = span;"), "2:13 expected `(` after `span`, found `;`");
}

TEST(ExpressionErrors, AListOfValuesHasItsPlaces) {
  EXPECT_EQ(errorsOf("let a = (b, c);"), "2:9 a list of values cannot stand here");
  EXPECT_EQ(errorsOf("return (b, c) + 1;"), "2:8 a list of values cannot be an operand");
  EXPECT_EQ(errorsOf("return ((b, c));"), "2:9 a list of values cannot stand here");
}

TEST(ExpressionErrors, ArgumentsStandBeforeAxes) {
  EXPECT_EQ(errorsOf("let a = sum(over k, x + 1);"), "2:21 an argument stands before the axes and the options of a call");
}

TEST(ExpressionErrors, AxesStandWithoutBrackets) {
  EXPECT_EQ(hintOf("let a = sum(x, over (i, k));"), "axes are listed without brackets: `over i, k`");
}

TEST(ExpressionErrors, AnUnterminatedBracketNamesItsBeginning) {
  Parsed parsed = inKernel("let a = f(1,\n  2;");
  EXPECT_EQ(parsed.errors(), "3:4 expected `,` or `)`, found `;`");
  ASSERT_EQ(parsed.diagnostics.all()[0].notes.size(), 1u);
  EXPECT_EQ(parsed.source.locate(parsed.diagnostics.all()[0].notes[0].where.begin).line, 2u);
}

TEST(ExpressionErrors, AnElseInPlacesIsLast) {
  EXPECT_EQ(errorsOf("x[i, else 0, j] = 1;"), "2:14 expected `]` after the `else`, found `j`");
  EXPECT_EQ(errorsOf("x[else 0] = 1;"), "2:3 expected an index, found `else`");
}

TEST(ExpressionErrors, WhatTheLexerReportedIsNotReportedAgain) {
  EXPECT_EQ(errorsOf("let a = b @ c;\nlet d = \"s;\nlet e = 1.;"),
            "2:11 unexpected character `@`\n"
            "3:9 unterminated string: expected `\"` before the end of the line\n"
            "4:9 a float has a digit on both sides of its point");
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
  EXPECT_EQ(Parsed("kernel k(f32 x) over () {}").errors(),
            "1:10 `f32` is a reserved word and cannot be the name of a parameter\n"
            "1:14 expected `:` and a dtype after the parameter's name, found `x`");
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

// --------------------------------------------------------------------------------------------------------------------
// Limits
// --------------------------------------------------------------------------------------------------------------------

namespace {

std::string repeated(const std::string &text, size_t count) {
  std::string result;
  for (; count > 0; --count)
    result += text;
  return result;
}

const std::string tooDeep = "nesting is deeper than 200 levels";
const std::string tooLong = "an expression has more than 1000 operators in a row";

/// The only error of a constant's value.
std::string onlyError(const std::string &value) {
  Parsed parsed("let c = " + value + ";");
  EXPECT_EQ(parsed.diagnostics.errorCount(), 1u) << value.substr(0, 20);
  return parsed.diagnostics.all().empty() ? "" : parsed.diagnostics.all()[0].message;
}

} // namespace

TEST(Limits, BracketsNestTo200Levels) {
  EXPECT_EQ(Parsed("let c = " + repeated("(", 200) + "1" + repeated(")", 200) + ";").errors(), "");
  EXPECT_EQ(onlyError(repeated("(", 201) + "1" + repeated(")", 201)), tooDeep);
}

TEST(Limits, NothingNestsWithoutEnd) {
  constexpr size_t many = 20000;
  for (const char *text : {"(", "-", "not ", "f(", "x[", "x[1, else "})
    EXPECT_EQ(onlyError(repeated(text, many)), tooDeep) << text;
  for (const char *text : {"if a { ", "if a ", "if a { } else ", "while a { ", "{ "}) {
    Parsed parsed = inKernel(repeated(text, many / 2));
    EXPECT_EQ(parsed.diagnostics.errorCount() <= maxNesting + 1, true) << text;
  }
  EXPECT_EQ(Parsed("kernel k(x: " + repeated("accum(", many)).errors(), "1:1218 " + tooDeep);
}

TEST(Limits, LongElseIfChainsAreTooDeep) {
  EXPECT_EQ(errorsOf("if a { }" + repeated(" else if a { }", 150)), "");
  Parsed parsed = inKernel("if a { }" + repeated(" else if a { }", 5000));
  EXPECT_EQ(parsed.diagnostics.errorCount(), 1u);
  EXPECT_EQ(parsed.diagnostics.all()[0].message, tooDeep);
}

TEST(Limits, ChainsOfOperatorsEnd) {
  EXPECT_EQ(Parsed("let c = 1" + repeated(" + 1", 900) + ";").errors(), "");
  for (const char *text : {" + 1", "(1)", "[1]", ".a", " and a"})
    EXPECT_EQ(onlyError("f" + repeated(text, 20000)), tooLong) << text;
}

TEST(Limits, ChainsInChainsCountTogether) {
  std::string value = "1";
  for (int level = 0; level < 50; ++level)
    value.insert(0, "(").append(repeated(" + 1", 100)).append(")");
  EXPECT_EQ(onlyError(value), tooLong);
}

TEST(Limits, ASourceHasAtMostAMebibyte) {
  Parsed parsed(std::string(maxSourceSize + 1, ' '));
  EXPECT_EQ(parsed.errors(), "1:1 a source has at most 1048576 bytes, found 1048577");
  EXPECT_EQ(Parsed(std::string(maxSourceSize, ' ')).errors(), "");
}

TEST(Limits, EveryTruncationOfTheKernelsEndsWithoutACrash) {
  std::ifstream stream(TILEWRIGHT_SOURCE_DIR "/tests/semantics/kernels.tile");
  std::stringstream text;
  text << stream.rdbuf();
  for (size_t length = 0; length < text.str().size(); length += 101) {
    Parsed parsed(text.str().substr(0, length));
    EXPECT_LE(parsed.diagnostics.errorCount(), 2u) << "a truncation is one fault, two if it cuts a token; length " << length;
  }
}
