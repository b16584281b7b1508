#include "compiler/frontend/Diagnostics.h"

#include <gtest/gtest.h>

using namespace tilewright::frontend;

namespace {

/// The range of the first occurrence of a text in a source.
SourceRange find(const Source &source, std::string_view text) {
  auto begin = static_cast<uint32_t>(source.text().find(text));
  return {&source, begin, begin + static_cast<uint32_t>(text.size())};
}

std::string renderError(SourceRange where, const std::string &message = "wrong") {
  Diagnostics diagnostics;
  return render(diagnostics.error(where, message));
}

} // namespace

// --------------------------------------------------------------------------------------------------------------------
// Source
// --------------------------------------------------------------------------------------------------------------------

TEST(Source, PositionsCountFromOne) {
  Source source("a.tile", "ab\ncd");
  EXPECT_EQ(source.locate(0).line, 1u);
  EXPECT_EQ(source.locate(0).column, 1u);
  EXPECT_EQ(source.locate(4).line, 2u);
  EXPECT_EQ(source.locate(4).column, 2u);
}

TEST(Source, ALineBreakBelongsToItsLine) {
  Source source("a.tile", "ab\ncd");
  EXPECT_EQ(source.locate(2).line, 1u);
  EXPECT_EQ(source.locate(2).column, 3u);
}

TEST(Source, AnOffsetPastTheEndIsTheEnd) {
  Source source("a.tile", "ab\n");
  EXPECT_EQ(source.locate(99).line, 2u);
  EXPECT_EQ(source.locate(99).column, 1u);
}

TEST(Source, ColumnsCountCodePoints) {
  Source source("a.tile", "×× x");
  EXPECT_EQ(source.locate(5).column, 4u);
}

TEST(Source, AByteOrderMarkTakesNoColumn) {
  Source source("a.tile", "\xEF\xBB\xBFxy");
  EXPECT_EQ(source.locate(3).column, 1u);
  EXPECT_EQ(source.line(1), "xy");
}

TEST(Source, LinesComeWithoutTheirBreaks) {
  Source source("a.tile", "ab\r\n\ncd");
  EXPECT_EQ(source.lineCount(), 3u);
  EXPECT_EQ(source.line(1), "ab");
  EXPECT_EQ(source.line(2), "");
  EXPECT_EQ(source.line(3), "cd");
  EXPECT_EQ(source.line(4), "");
}

// --------------------------------------------------------------------------------------------------------------------
// Collecting
// --------------------------------------------------------------------------------------------------------------------

TEST(Diagnostics, TheSameFaultAtTheSamePlaceIsKeptOnce) {
  Source source("a.tile", "x y");
  Diagnostics diagnostics;
  diagnostics.error(find(source, "x"), "wrong");
  diagnostics.error(find(source, "x"), "wrong").note(find(source, "y"), "here");
  EXPECT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.errorCount(), 1u);
  EXPECT_TRUE(diagnostics.all().front().notes.empty());
}

TEST(Diagnostics, AnotherPlaceOrMessageIsAnotherFault) {
  Source source("a.tile", "x y");
  Diagnostics diagnostics;
  diagnostics.error(find(source, "x"), "wrong");
  diagnostics.error(find(source, "y"), "wrong");
  diagnostics.error(find(source, "x"), "worse");
  EXPECT_EQ(diagnostics.all().size(), 3u);
}

TEST(Diagnostics, WarningsAndRemarksAreNoErrors) {
  Source source("a.tile", "x");
  Diagnostics diagnostics;
  diagnostics.warning(find(source, "x"), "odd");
  diagnostics.remark(find(source, "x"), "slow");
  EXPECT_FALSE(diagnostics.hasErrors());
  EXPECT_EQ(diagnostics.all().size(), 2u);
}

TEST(Diagnostics, ErrorsBeyondTheLimitAreCountedOnly) {
  Source source("a.tile", std::string(100, 'x'));
  Diagnostics diagnostics;
  for (uint32_t at = 0; at < Diagnostics::errorLimit + 3; ++at)
    diagnostics.error({&source, at, at + 1}, "wrong");
  EXPECT_EQ(diagnostics.all().size(), Diagnostics::errorLimit);
  EXPECT_EQ(diagnostics.errorCount(), Diagnostics::errorLimit + 3);
  EXPECT_TRUE(render(diagnostics).ends_with("\n3 more errors (53 in all)\n"));
}

// --------------------------------------------------------------------------------------------------------------------
// Printing
// --------------------------------------------------------------------------------------------------------------------

TEST(Render, ShowsPlaceMessageLineAndCarets) {
  Source source("gemm.tile", "let x = 1;\nlet y = wrong + 1;\n");
  EXPECT_EQ(renderError(find(source, "wrong"), "unknown name `wrong`"), "gemm.tile:2:9: error: unknown name `wrong`\n"
                                                                        "  2 | let y = wrong + 1;\n"
                                                                        "    |         ^~~~~");
}

TEST(Render, ShowsNotesThenTheHint) {
  Source source("a.tile", "x\ny");
  Diagnostics diagnostics;
  auto &diagnostic = diagnostics.error(find(source, "y"), "wrong").note(find(source, "x"), "declared here").help("do it right");
  EXPECT_EQ(render(diagnostic), "a.tile:2:1: error: wrong\n"
                                "  2 | y\n"
                                "    | ^\n"
                                "a.tile:1:1: note: declared here\n"
                                "  1 | x\n"
                                "    | ^\n"
                                "hint: do it right");
}

TEST(Render, NamesTheSeverity) {
  Source source("a.tile", "x");
  Diagnostics diagnostics;
  EXPECT_TRUE(render(diagnostics.warning(find(source, "x"), "odd")).starts_with("a.tile:1:1: warning: odd\n"));
  EXPECT_TRUE(render(diagnostics.remark(find(source, "x"), "slow")).starts_with("a.tile:1:1: remark: slow\n"));
}

TEST(Render, AFaultWithoutAPlaceIsItsMessage) {
  Diagnostics diagnostics;
  EXPECT_EQ(render(diagnostics.error({}, "no kernel")), "error: no kernel");
}

TEST(Render, AnEmptyRangeIsOneCaret) {
  Source source("a.tile", "x = 1");
  EXPECT_TRUE(renderError({&source, 5, 5}).ends_with("\n    |      ^"));
}

TEST(Render, ARangeOverSeveralLinesIsMarkedToTheEndOfItsFirst) {
  Source source("a.tile", "if a {\n}\n");
  EXPECT_TRUE(renderError({&source, 3, 8}).ends_with("\n    |    ^~~"));
}

TEST(Render, TheGutterIsAsWideAsTheLineNumber) {
  Source source("a.tile", std::string(99, '\n') + "x");
  EXPECT_EQ(renderError(find(source, "x")), "a.tile:100:1: error: wrong\n"
                                            "  100 | x\n"
                                            "      | ^");
}

TEST(Render, TabsAreExpanded) {
  Source source("a.tile", "\tx\ty");
  EXPECT_EQ(renderError(find(source, "y")), "a.tile:1:4: error: wrong\n"
                                            "  1 |         x       y\n"
                                            "    |                 ^");
}

TEST(Render, CaretsCountCodePoints) {
  Source source("a.tile", "×× yy");
  EXPECT_TRUE(renderError(find(source, "yy")).ends_with("\n    |    ^~"));
}

TEST(Render, ControlCharactersAndInvalidBytesDoNotReachTheTerminal) {
  Source source("a.tile", "\x1B[31m \xFF \xE2\x80\xAE x");
  EXPECT_EQ(renderError(find(source, "x")), "a.tile:1:11: error: wrong\n"
                                            "  1 | \xEF\xBF\xBD[31m \xEF\xBF\xBD \xEF\xBF\xBD x\n"
                                            "    |           ^");
}

TEST(Render, ALongLineIsCutAroundTheCaret) {
  Source source("a.tile", std::string(5000, 'a') + " x " + std::string(5000, 'b'));
  std::string text = renderError(find(source, "x"));
  EXPECT_LT(text.size(), 400u);
  EXPECT_NE(text.find("…aaa"), std::string::npos);
  EXPECT_NE(text.find("bbb…"), std::string::npos);
  size_t lineAt = text.find("| ") + 2;
  size_t caretLineAt = text.rfind("| ") + 2;
  size_t caretColumn = text.find('^') - caretLineAt;
  EXPECT_EQ(text.find(" x ", lineAt) + 1 - lineAt - 2, caretColumn) << "the … has three bytes and one column";
}

TEST(Render, ColourIsUsedOnlyIfAskedFor) {
  Source source("a.tile", "x");
  Diagnostics diagnostics;
  auto &diagnostic = diagnostics.error(find(source, "x"), "wrong").help("do it right");
  EXPECT_EQ(render(diagnostic).find('\033'), std::string::npos);
  EXPECT_NE(render(diagnostic, true).find("\033[1;31merror:\033[0m"), std::string::npos);
}

TEST(Render, EachDiagnosticEndsItsLine) {
  Source source("a.tile", "x y");
  Diagnostics diagnostics;
  diagnostics.error(find(source, "x"), "wrong");
  diagnostics.error(find(source, "y"), "wrong");
  std::string text = render(diagnostics);
  EXPECT_EQ(text, render(diagnostics.all()[0]) + "\n" + render(diagnostics.all()[1]) + "\n");
}

// --------------------------------------------------------------------------------------------------------------------
// Misspelt names
// --------------------------------------------------------------------------------------------------------------------

TEST(NearestName, FindsOneOrTwoWrongLetters) {
  EXPECT_EQ(nearestName("kernal", {"let", "kernel", "import"}), "kernel");
  EXPECT_EQ(nearestName("wieght", {"width", "weight"}), "weight");
  EXPECT_EQ(nearestName("fro", {"fn", "for"}), "for");
  EXPECT_EQ(nearestName("xx", {"x", "y"}), "x");
}

TEST(NearestName, FindsNothingFarAway) {
  EXPECT_EQ(nearestName("alpha", {"beta", "gamma"}), "");
  EXPECT_EQ(nearestName("z", {"x", "y"}), "");
  EXPECT_EQ(nearestName("x", {"y", "z"}), "");
  EXPECT_EQ(nearestName("x", {}), "");
}

TEST(NearestName, PrefersTheNearer) {
  EXPECT_EQ(nearestName("scales", {"scalars", "scale"}), "scale");
}

TEST(NearestName, DoesNotOfferTheNameItself) {
  EXPECT_EQ(nearestName("scale", {"scale"}), "");
}
