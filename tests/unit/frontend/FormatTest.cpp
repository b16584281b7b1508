#include "compiler/frontend/Format.h"

#include "tests/unit/frontend/Fixtures.h"

using namespace tilewright::frontend;
using namespace tilewright::frontend::tests;

namespace {

/// The formatted text; checks that formatting it again changes nothing.
std::string formatted(const std::string &text) {
  Source source("test.tile", text);
  Diagnostics diagnostics;
  auto once = format(source, diagnostics);
  EXPECT_TRUE(once.has_value()) << render(diagnostics);
  if (!once)
    return "";
  Source again("again.tile", *once);
  EXPECT_EQ(format(again, diagnostics), once) << "formatting is not idempotent";
  return *once;
}

/// Statements, formatted in a kernel.
std::string statements(const std::string &text) {
  std::string all = formatted("kernel k()\nover () {\n" + text + "\n}\n");
  constexpr std::string_view head = "kernel k()\nover () {\n", tail = "}\n";
  EXPECT_TRUE(all.starts_with(head) && all.ends_with(tail)) << all;
  return all.substr(head.size(), all.size() - head.size() - tail.size());
}

} // namespace

// --------------------------------------------------------------------------------------------------------------------
// The whole
// --------------------------------------------------------------------------------------------------------------------

TEST(Format, TheKernelsOfTheManualAreInTheStyle) {
  std::string text = readRepositoryFile("tests/semantics/kernels.tile");
  EXPECT_EQ(formatted(text), text);
}

TEST(Format, AnEmptySourceStaysEmpty) {
  EXPECT_EQ(formatted(""), "");
  EXPECT_EQ(formatted("\n \n"), "");
}

TEST(Format, ASourceWithErrorsIsNotFormatted) {
  Source source("test.tile", "let a = ;");
  Diagnostics diagnostics;
  EXPECT_EQ(format(source, diagnostics), std::nullopt);
  EXPECT_EQ(diagnostics.errorCount(), 1u);
}

TEST(Format, TheFileEndsWithOneLineBreak) {
  EXPECT_EQ(formatted("let a = 1;\n\n\n"), "let a = 1;\n");
}

TEST(Format, ByteOrderMarksAndCarriageReturnsGo) {
  EXPECT_EQ(formatted("\xEF\xBB\xBFlet a = 1; // x\r\nlet b = 2;\r\n"), "let a = 1;  // x\nlet b = 2;\n");
}

// --------------------------------------------------------------------------------------------------------------------
// Spaces
// --------------------------------------------------------------------------------------------------------------------

TEST(FormatSpaces, AroundBinaryOperators) {
  EXPECT_EQ(formatted("let a=b+c*d-e<<2|f==g and not h;"), "let a = b + c * d - e << 2 | f == g and not h;\n");
}

TEST(FormatSpaces, NoneInsideBrackets) {
  EXPECT_EQ(formatted("let a = f ( x , y [ i , k , else 0 ] ) . start ;"), "let a = f(x, y[i, k, else 0]).start;\n");
}

TEST(FormatSpaces, NoneAfterAPrefixMinus) {
  EXPECT_EQ(formatted("let a = - b - - c * f(- d, - - e);"), "let a = -b - -c * f(-d, --e);\n");
}

TEST(FormatSpaces, StaticsHugTheirNames) {
  EXPECT_EQ(formatted("fn f < R : real , n : i64 = 1 > ( x : R , over k ) -> ( R , R ) = ( x < 1 , x > n ) ;"),
            "fn f<R: real, n: i64 = 1>(x: R, over k) -> (R, R) = (x < 1, x > n);\n");
}

TEST(FormatSpaces, RangesPacksAndOptions) {
  EXPECT_EQ(formatted("kernel k(x:T [ M ... ,P=K+1] ? )over(i in 0 .. M by BM){y=dot(a,b,over k,precision=fast);}"),
            "kernel k(x: T[M..., P = K + 1]?)\n"
            "over (i in 0..M by BM) {\n"
            "  y = dot(a, b, over k, precision = fast);\n"
            "}\n");
}

TEST(FormatSpaces, WordsBeforeBrackets) {
  EXPECT_EQ(statements("tune BM in[64,128];require(a);print (\"s\" ,a);let(b,c)=f(a);while(a){}return(a,b);"),
            "  tune BM in [64, 128];\n"
            "  require (a);\n"
            "  print(\"s\", a);\n"
            "  let (b, c) = f(a);\n"
            "  while (a) {}\n"
            "  return (a, b);\n");
}

TEST(FormatSpaces, CastsAreCalls) {
  EXPECT_EQ(formatted("let a = accum (T) (f32 (x));"), "let a = accum(T)(f32(x));\n");
}

// --------------------------------------------------------------------------------------------------------------------
// Lines
// --------------------------------------------------------------------------------------------------------------------

TEST(FormatLines, OneStatementALine) {
  EXPECT_EQ(statements("a = 1; b = 2;\n    c =\n 3;"), "  a = 1;\n  b = 2;\n  c = 3;\n");
}

TEST(FormatLines, TheGridStandsAtTheMargin) {
  EXPECT_EQ(formatted("kernel k() over () { a = 1; }"), "kernel k()\nover () {\n  a = 1;\n}\n");
}

TEST(FormatLines, BlocksAreIndentedByTwo) {
  EXPECT_EQ(statements("for k in K by BK {\nif a {\nb = 1;\n} else {\nb = 2;\n}\n}"), "  for k in K by BK {\n"
                                                                                      "    if a {\n"
                                                                                      "      b = 1;\n"
                                                                                      "    } else {\n"
                                                                                      "      b = 2;\n"
                                                                                      "    }\n"
                                                                                      "  }\n");
}

TEST(FormatLines, AShortBlockMayStayOnItsLine) {
  EXPECT_EQ(statements("if a {b=1;} else {b=2;}"), "  if a { b = 1; } else { b = 2; }\n");
  EXPECT_EQ(statements("for k in K by BK {\nb = 1; }"), "  for k in K by BK {\n    b = 1;\n  }\n");
}

TEST(FormatLines, ABlockOfThreeStatementsDoesNotStayOnItsLine) {
  EXPECT_EQ(statements("if a { b = 1; c = 2; }"), "  if a { b = 1; c = 2; }\n");
  EXPECT_EQ(statements("if a { b = 1; c = 2; d = 3; }"), "  if a {\n    b = 1;\n    c = 2;\n    d = 3;\n  }\n");
}

TEST(FormatLines, ABlockInABlockDoesNotStayOnItsLine) {
  EXPECT_EQ(statements("for k in K { if a { b = 1; } }"), "  for k in K {\n    if a { b = 1; }\n  }\n");
}

TEST(FormatLines, ABlockThatDoesNotFitIsBroken) {
  std::string name(50, 'n');
  EXPECT_EQ(statements("if " + name + " { " + name + " = 1; }"), "  if " + name + " {\n    " + name + " = 1;\n  }\n");
}

TEST(FormatLines, ABodyOfAFunctionDoesNotStayOnItsLine) {
  EXPECT_EQ(formatted("fn f(x: f32) -> f32 { return x; }"), "fn f(x: f32) -> f32 {\n  return x;\n}\n");
}

TEST(FormatLines, EmptyBlocksStayClosed) {
  EXPECT_EQ(statements("for k in K {\n\n}\nif a { } else { }"), "  for k in K {}\n  if a {} else {}\n");
}

TEST(FormatLines, SingleBlankLinesAreKept) {
  EXPECT_EQ(statements("\n\na = 1;\n\n\n\nb = 2;\nc = 3;\n\n"), "  a = 1;\n\n  b = 2;\n  c = 3;\n");
  EXPECT_EQ(formatted("\nlet a = 1;\nlet b = 2;\n\n\nlet c = 3;"), "let a = 1;\nlet b = 2;\n\nlet c = 3;\n");
}

// --------------------------------------------------------------------------------------------------------------------
// Lines that are too long
// --------------------------------------------------------------------------------------------------------------------

TEST(FormatWidth, AHeaderThatFitsStays) {
  EXPECT_EQ(formatted("kernel k(x: T[M], y: T[N])\nover () {}"), "kernel k(x: T[M], y: T[N])\nover () {}\n");
}

TEST(FormatWidth, AHeaderThatDoesNotFitIsFilledBehindFourSpaces) {
  std::string a = "a: T[" + std::string(40, 'A') + "]", b = "b: T[" + std::string(40, 'B') + "]", c = "c: T[C]";
  EXPECT_EQ(formatted("kernel k<T: float>(" + a + ", " + b + ", " + c + ") over () {}"), "kernel k<T: float>(\n"
                                                                                         "    " +
                                                                                             a + ", " + b +
                                                                                             ",\n"
                                                                                             "    " +
                                                                                             c +
                                                                                             ")\n"
                                                                                             "over () {}\n");
}

TEST(FormatWidth, TheAuthorsBreaksBetweenParametersAreKept) {
  EXPECT_EQ(formatted("kernel k(x: T[M],\n         y: T[N], z: T[K])\nover () {}"), "kernel k(\n"
                                                                                    "    x: T[M],\n"
                                                                                    "    y: T[N], z: T[K])\n"
                                                                                    "over () {}\n");
}

TEST(FormatWidth, TheAuthorsBreaksInAGridAreKept) {
  EXPECT_EQ(formatted("kernel k()\nover (i in M by BM,\n      j in N by BN) {}"), "kernel k()\n"
                                                                                  "over (i in M by BM,\n"
                                                                                  "    j in N by BN) {}\n");
}

TEST(FormatWidth, ALongFunctionBreaksBehindItsEqualsSign) {
  std::string name(60, 'n');
  EXPECT_EQ(formatted("fn " + name + "(x: f32) -> f32 = x * 12345678901234567890;"),
            "fn " + name + "(x: f32) -> f32 =\n    x * 12345678901234567890;\n");
}

TEST(FormatWidth, ALongStatementBreaksWhereItMattersLeast) {
  std::string name(30, 'n');
  EXPECT_EQ(statements("a = f(" + name + ", " + name + ") + g(" + name + ", " + name + ");"), "  a = f(" + name + ", " + name +
                                                                                                  ") +\n"
                                                                                                  "      g(" +
                                                                                                  name + ", " + name + ");\n");
}

TEST(FormatWidth, TheAuthorsBreaksInALongStatementAreKept) {
  std::string name(30, 'n');
  std::string text = "  a = f(" + name + ",\n      " + name + ", " + name + ");\n";
  EXPECT_EQ(statements(text), text);
}

TEST(FormatWidth, AShortStatementIsJoined) {
  EXPECT_EQ(statements("a = f(b,\n  c);"), "  a = f(b, c);\n");
}

TEST(FormatWidth, WhatCannotBreakStaysTooLong) {
  std::string name(120, 'n');
  EXPECT_EQ(statements(name + "[0] = 1;"), "  " + name + "[\n      0] = 1;\n");
}

// --------------------------------------------------------------------------------------------------------------------
// Comments
// --------------------------------------------------------------------------------------------------------------------

TEST(FormatComments, StandTwoSpacesBehindTheCode) {
  EXPECT_EQ(statements("a = 1;// one"), "  a = 1;  // one\n");
}

TEST(FormatComments, OnLinesOfTheirOwnAreIndentedLikeTheCode) {
  EXPECT_EQ(statements("// one\na = 1;\n      // two"), "  // one\n  a = 1;\n  // two\n");
}

TEST(FormatComments, ThatTheAuthorAlignedStayAligned) {
  EXPECT_EQ(statements("let a=1;           // one\nlet b = 2222;      // two"), "  let a = 1;     // one\n"
                                                                                "  let b = 2222;  // two\n");
}

TEST(FormatComments, AreNotAlignedOverABlankLine) {
  EXPECT_EQ(statements("a = 1;      // one\n\nb = 2222;   // two"), "  a = 1;  // one\n\n  b = 2222;  // two\n");
}

TEST(FormatComments, BehindABraceStayThere) {
  EXPECT_EQ(statements("for k in K { // one\na = 1; } // two"), "  for k in K {  // one\n    a = 1;\n  }  // two\n");
}

TEST(FormatComments, AmongParametersAreKept) {
  EXPECT_EQ(formatted("kernel k(x: T[M], // rows\n // columns\n y: T[N] // last\n) over () {}"), "kernel k(\n"
                                                                                                 "    x: T[M],  // rows\n"
                                                                                                 "    // columns\n"
                                                                                                 "    y: T[N]  // last\n"
                                                                                                 "    )\n"
                                                                                                 "over () {}\n");
}

TEST(FormatComments, BetweenHeaderAndGridAreKept) {
  EXPECT_EQ(formatted("kernel k() // one\n// two\nover () {}"), "kernel k()  // one\n// two\nover () {}\n");
}

TEST(FormatComments, BetweenBlockAndElseAreKept) {
  EXPECT_EQ(statements("if a {\n b = 1;\n} // one\nelse { b = 2; }"), "  if a {\n"
                                                                      "    b = 1;\n"
                                                                      "  }  // one\n"
                                                                      "  else {\n"
                                                                      "    b = 2;\n"
                                                                      "  }\n");
}

TEST(FormatComments, InAStatementAreKept) {
  EXPECT_EQ(statements("a = b + // one\nc;"), "  a = b +  // one\n      c;\n");
}

TEST(FormatComments, AreNeverChanged) {
  EXPECT_EQ(formatted("//one\n///  two\n////three   \nlet a = 1;"), "//one\n///  two\n////three\nlet a = 1;\n");
}

TEST(FormatComments, AtTheEndOfTheFileAreKept) {
  EXPECT_EQ(formatted("let a = 1;\n\n// end"), "let a = 1;\n\n// end\n");
}
