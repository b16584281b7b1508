#include "compiler/frontend/Lexer.h"

#include <gtest/gtest.h>

#include <limits>

using namespace tilewright::frontend;

namespace {

constexpr size_t noLimit = std::numeric_limits<size_t>::max();

/// A text and what the lexer makes of it.
struct Lexed {
  explicit Lexed(std::string text, size_t limit = noLimit) : source("test.tile", std::move(text)) {
    LexedSource result = lex(source, diagnostics, limit);
    tokens = std::move(result.tokens);
    comments = std::move(result.comments);
  }
  /// The tokens' texts, separated by spaces, without End.
  std::string texts() const {
    std::string all;
    for (const Token &token : tokens)
      if (token.kind != TokenKind::End)
        all += (all.empty() ? "" : " ") + std::string(token.text);
    return all;
  }
  std::vector<TokenKind> kinds() const {
    std::vector<TokenKind> all;
    for (const Token &token : tokens)
      all.push_back(token.kind);
    return all;
  }
  std::string firstError() const { return diagnostics.all().empty() ? "" : diagnostics.all().front().message; }
  std::string firstHint() const { return diagnostics.all().empty() ? "" : diagnostics.all().front().hint; }

  Source source;
  Diagnostics diagnostics;
  std::vector<Token> tokens, comments;
};

using Kind = TokenKind;
using Kinds = std::vector<TokenKind>;

} // namespace

// --------------------------------------------------------------------------------------------------------------------
// Tokens
// --------------------------------------------------------------------------------------------------------------------

TEST(Lexer, AnEmptySourceIsOneEndToken) {
  EXPECT_EQ(Lexed("").kinds(), Kinds{Kind::End});
}

TEST(Lexer, ATokenCarriesKindRangeAndText) {
  Lexed lexed("  acc += 1;");
  const Token &token = lexed.tokens[1];
  EXPECT_EQ(token.kind, Kind::PlusAssign);
  EXPECT_EQ(token.where, (SourceRange{&lexed.source, 6, 8}));
  EXPECT_EQ(token.text, "+=");
}

TEST(Lexer, EveryReservedWordIsAKeyword) {
  for (const char *word : {"accum",  "and",     "as",      "assert", "atomic", "bool", "by",     "deriv",  "drop",  "else",
                           "extern", "false",   "float",   "fn",     "for",    "from", "if",     "import", "in",    "inf",
                           "inout",  "integer", "kernel",  "let",    "nan",    "not",  "number", "or",     "out",   "over",
                           "print",  "real",    "require", "return", "span",   "true", "tune",   "var",    "while", "f64",
                           "f32",    "f16",     "bf16",    "f8e4m3", "f8e5m2", "i64",  "i32",    "i16",    "i8",    "u8"}) {
    Lexed lexed(word);
    EXPECT_TRUE(isKeyword(lexed.tokens.front().kind)) << word;
    EXPECT_EQ(textOf(lexed.tokens.front().kind), word);
  }
}

TEST(Lexer, AKeywordWithMoreLettersIsAName) {
  EXPECT_EQ(Lexed("kernels _if f32x max min sum precision").kinds(),
            (Kinds{Kind::Name, Kind::Name, Kind::Name, Kind::Name, Kind::Name, Kind::Name, Kind::Name, Kind::End}));
}

TEST(Lexer, DtypesNameTheirDType) {
  EXPECT_EQ(dtypeOf(Lexed("bf16").tokens.front().kind), DType::BF16);
  EXPECT_EQ(dtypeOf(Lexed("bool").tokens.front().kind), DType::Bool);
  EXPECT_EQ(dtypeOf(Lexed("float").tokens.front().kind), std::nullopt);
}

TEST(Lexer, TheLongestMatchWins) {
  EXPECT_EQ(Lexed("a<<b<=c<d->e...f..g!=h==i").texts(), "a << b <= c < d -> e ... f .. g != h == i");
}

TEST(Lexer, TwoMinusSignsAreTwoTokens) {
  EXPECT_EQ(Lexed("a--b").texts(), "a - - b");
}

TEST(Lexer, MaxAndMinWithAnEqualsSignAreOneToken) {
  EXPECT_EQ(Lexed("top max=a; top min= b;").texts(), "top max= a ; top min= b ;");
  EXPECT_EQ(Lexed("max=").kinds(), (Kinds{Kind::MaxAssign, Kind::End}));
}

TEST(Lexer, MaxBeforeADoubleEqualsSignIsAName) {
  EXPECT_EQ(Lexed("max==a").texts(), "max == a");
}

TEST(Lexer, MaxApartFromItsEqualsSignIsAName) {
  EXPECT_EQ(Lexed("max =a").texts(), "max = a");
}

TEST(Lexer, ANameThatEndsInMaxIsNoOperator) {
  EXPECT_EQ(Lexed("climax=a").texts(), "climax = a");
}

TEST(Lexer, FirstOnLineIsToldOfEachToken) {
  Lexed lexed("a b\n  c");
  EXPECT_TRUE(lexed.tokens[0].firstOnLine);
  EXPECT_FALSE(lexed.tokens[1].firstOnLine);
  EXPECT_TRUE(lexed.tokens[2].firstOnLine);
}

TEST(Lexer, AByteOrderMarkIsTolerated) {
  Lexed lexed("\xEF\xBB\xBFkernel");
  EXPECT_FALSE(lexed.diagnostics.hasErrors());
  EXPECT_EQ(lexed.tokens.front().kind, Kind::Kernel);
  EXPECT_EQ(lexed.source.locate(lexed.tokens.front().where.begin).column, 1u);
}

TEST(Lexer, TheTokenLimitIsAnError) {
  Lexed lexed("a b c d", 3);
  EXPECT_EQ(lexed.texts(), "a b c");
  EXPECT_EQ(lexed.firstError(), "a source has at most 3 tokens");
}

TEST(Lexer, AsManyTokensAsTheLimitAreNone) {
  EXPECT_FALSE(Lexed("a b c\n", 3).diagnostics.hasErrors());
}

// --------------------------------------------------------------------------------------------------------------------
// Comments
// --------------------------------------------------------------------------------------------------------------------

TEST(Lexer, CommentsAreKeptApart) {
  Lexed lexed("a // one  \nb /// two\r\n//// three\n");
  EXPECT_EQ(lexed.texts(), "a b");
  ASSERT_EQ(lexed.comments.size(), 3u);
  EXPECT_EQ(lexed.comments[0].text, "// one");
  EXPECT_EQ(lexed.comments[0].kind, Kind::Comment);
  EXPECT_EQ(lexed.comments[1].text, "/// two");
  EXPECT_EQ(lexed.comments[1].kind, Kind::Documentation);
  EXPECT_EQ(lexed.comments[2].kind, Kind::Comment);
}

TEST(Lexer, ABlockCommentIsAnErrorAndSkipped) {
  Lexed lexed("a /* b\nc */ d");
  EXPECT_EQ(lexed.texts(), "a d");
  EXPECT_EQ(lexed.firstError(), "unexpected `/*`");
  EXPECT_EQ(lexed.firstHint(), "a comment begins with `//` and goes to the end of the line");
}

// --------------------------------------------------------------------------------------------------------------------
// Numbers
// --------------------------------------------------------------------------------------------------------------------

TEST(Lexer, IntegersAreDecimalOrHexadecimal) {
  EXPECT_EQ(integerValue(Lexed("42").tokens.front()), 42u);
  EXPECT_EQ(integerValue(Lexed("0x2a").tokens.front()), 42u);
  EXPECT_EQ(integerValue(Lexed("0XFF").tokens.front()), 255u);
}

TEST(Lexer, TheLargestIntegerIsTwoToThe64MinusOne) {
  Lexed lexed("18446744073709551615");
  EXPECT_FALSE(lexed.diagnostics.hasErrors());
  EXPECT_EQ(integerValue(lexed.tokens.front()), std::numeric_limits<uint64_t>::max());
}

TEST(Lexer, ALargerIntegerIsAnErrorAndAnInteger) {
  for (const char *text : {"18446744073709551616", "0x10000000000000000"}) {
    Lexed lexed(text);
    EXPECT_EQ(lexed.firstError(), "integer `" + std::string(text) + "` is too large");
    EXPECT_EQ(lexed.kinds(), (Kinds{Kind::Integer, Kind::End}));
  }
}

TEST(Lexer, FloatsHaveAPointOrAnExponent) {
  EXPECT_EQ(floatValue(Lexed("1.5").tokens.front()), 1.5);
  EXPECT_EQ(floatValue(Lexed("1e-5").tokens.front()), 1e-5);
  EXPECT_EQ(floatValue(Lexed("2.5E+3").tokens.front()), 2500.0);
  EXPECT_EQ(Lexed("1e3").kinds(), (Kinds{Kind::Float, Kind::End}));
}

TEST(Lexer, AFloatOutsideF64IsAnError) {
  EXPECT_EQ(Lexed("1e999").firstError(), "float `1e999` is outside the range of f64");
  EXPECT_EQ(Lexed("1e-999").firstError(), "float `1e-999` is outside the range of f64");
}

TEST(Lexer, AnIntegerBeforeTwoPointsIsTheBeginningOfARange) {
  Lexed lexed("0..n 1.5..m");
  EXPECT_EQ(lexed.texts(), "0 .. n 1.5 .. m");
  EXPECT_FALSE(lexed.diagnostics.hasErrors());
}

TEST(Lexer, APointWithoutDigitsOnBothSidesIsAnErrorAndAFloat) {
  for (auto [text, remedy] : {std::pair{"1.", "write `1.0`"}, std::pair{".5", "write `0.5`"}, std::pair{"1.f", "write `1.0`"},
                              std::pair{"1.e5", "write `1.0e5`"}}) {
    Lexed lexed(text);
    EXPECT_EQ(lexed.firstError(), "a float has a digit on both sides of its point") << text;
    EXPECT_EQ(lexed.firstHint(), remedy) << text;
    EXPECT_EQ(lexed.kinds(), (Kinds{Kind::Float, Kind::End})) << text;
  }
}

TEST(Lexer, AMemberOfAnIntegerIsNoFloat) {
  EXPECT_EQ(Lexed("1.start").texts(), "1 . start");
}

TEST(Lexer, WhatClingsToANumberMakesItMalformed) {
  for (const char *text : {"1u", "1.5f", "1_000", "0b101", "1.5.2", "2x", "0x2g"})
    EXPECT_EQ(Lexed(text).firstError(), "malformed number `" + std::string(text) + "`") << text;
}

TEST(Lexer, ASuffixIsExplained) {
  EXPECT_EQ(Lexed("1u").firstHint(), "a literal takes the type of what it meets; `i32(1)` states one");
  EXPECT_EQ(Lexed("1f").firstHint(), "a literal takes the type of what it meets; `f32(1)` states one");
  EXPECT_EQ(Lexed("1'000").firstHint(), "digits are written without separators");
  EXPECT_EQ(Lexed("1_000").firstHint(), "digits are written without separators");
}

TEST(Lexer, HexadecimalNeedsADigit) {
  EXPECT_EQ(Lexed("0x").firstError(), "expected a hexadecimal digit after `0x`");
}

// --------------------------------------------------------------------------------------------------------------------
// Strings
// --------------------------------------------------------------------------------------------------------------------

TEST(Lexer, EscapesInStringsAreResolved) {
  EXPECT_EQ(stringValue(Lexed(R"("a\"b\\c\n\t")").tokens.front()), "a\"b\\c\n\t");
}

TEST(Lexer, StringsMayHoldUnicode) {
  Lexed lexed("\"1 ≤ n\"");
  EXPECT_FALSE(lexed.diagnostics.hasErrors());
  EXPECT_EQ(stringValue(lexed.tokens.front()), "1 ≤ n");
}

TEST(Lexer, AnUnknownEscapeIsAnError) {
  EXPECT_EQ(Lexed(R"("\q")").firstError(), "unknown escape in a string");
}

TEST(Lexer, AStringEndsOnItsLine) {
  Lexed lexed("\"abc\nd");
  EXPECT_EQ(lexed.firstError(), "unterminated string: expected `\"` before the end of the line");
  EXPECT_EQ(lexed.kinds(), (Kinds{Kind::Invalid, Kind::Name, Kind::End}));
}

TEST(Lexer, ABackslashDoesNotContinueAStringOverItsLine) {
  Lexed lexed("\"abc\\\nd");
  EXPECT_EQ(lexed.kinds(), (Kinds{Kind::Invalid, Kind::Name, Kind::End}));
}

// --------------------------------------------------------------------------------------------------------------------
// What is no token
// --------------------------------------------------------------------------------------------------------------------

TEST(Lexer, InvalidUtf8IsAnErrorWithTheByte) {
  EXPECT_EQ(Lexed("a \xFF b").firstError(), "invalid UTF-8 byte 0xff");
  EXPECT_EQ(Lexed("// \xC3").firstError(), "invalid UTF-8 byte 0xc3");
  EXPECT_EQ(Lexed("\"\x80\"").firstError(), "invalid UTF-8 byte 0x80");
}

TEST(Lexer, OverlongFormsAndSurrogatesAreNoUtf8) {
  EXPECT_EQ(Lexed("// \xE0\x80\xAF").firstError(), "invalid UTF-8 byte 0xe0");
  EXPECT_EQ(Lexed("// \xED\xA0\x80").firstError(), "invalid UTF-8 byte 0xed");
}

TEST(Lexer, NonAsciiIsLegalInCommentsOnly) {
  Lexed lexed("a × b // ×");
  EXPECT_EQ(lexed.firstError(), "unexpected character `×` (U+00D7)");
  EXPECT_EQ(lexed.firstHint(), "write `*`");
  EXPECT_EQ(lexed.diagnostics.errorCount(), 1u);
}

TEST(Lexer, ARunOfForeignCharactersIsOneFault) {
  EXPECT_EQ(Lexed("日本語").diagnostics.errorCount(), 1u);
}

TEST(Lexer, ARunOfInvalidBytesIsOneFault) {
  EXPECT_EQ(Lexed("\xFF\xFE\xFF").diagnostics.errorCount(), 1u);
}

TEST(Lexer, AControlCharacterIsAnErrorWithItsValue) {
  EXPECT_EQ(Lexed(std::string("a\0b", 3)).firstError(), "unexpected byte 0x00");
}

TEST(Lexer, CharactersOfOtherLanguagesHaveARemedy) {
  EXPECT_EQ(Lexed("@").firstHint(), "a product is `dot(a, b, over k)`");
  EXPECT_EQ(Lexed("#").firstHint(), "a comment begins with `//`");
}

TEST(Lexer, DescribeQuotesTheTextOfAToken) {
  Lexed lexed("acc ; \"s\"");
  EXPECT_EQ(describe(lexed.tokens[0]), "`acc`");
  EXPECT_EQ(describe(lexed.tokens[2]), "a string");
  EXPECT_EQ(describe(lexed.tokens[3]), "the end of the file");
}
