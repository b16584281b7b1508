// What a source may have at most (Parser.h).
#include "tests/unit/frontend/Fixtures.h"

using namespace tilewright::frontend;
using namespace tilewright::frontend::tests;
using namespace tilewright::frontend::tests::parsing;

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
  std::string text = readRepositoryFile("tests/semantics/kernels.tile");
  for (size_t length = 0; length < text.size(); length += 101) {
    Parsed parsed(text.substr(0, length));
    EXPECT_LE(parsed.diagnostics.errorCount(), 2u) << "a truncation is one fault, two if it cuts a token; length " << length;
  }
}
