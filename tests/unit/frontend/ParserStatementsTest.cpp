// Blocks and statements.
#include "tests/unit/frontend/Fixtures.h"

using namespace tilewright::frontend;
using namespace tilewright::frontend::tests;
using namespace tilewright::frontend::tests::parsing;

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
