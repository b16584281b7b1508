// Expressions.
#include "tests/unit/frontend/Fixtures.h"

#include <cmath>

using namespace tilewright::frontend;
using namespace tilewright::frontend::tests;
using namespace tilewright::frontend::tests::parsing;

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
