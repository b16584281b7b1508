#include "runtime/Expression.h"

#include "tests/unit/runtime/TestSupport.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::test;

static Scope scope() {
  Scope scope;
  scope.dimensions = {"H", "R"};
  scope.constants = {{"D", 128}};
  scope.scalars = {"eps"};
  scope.axes = {"i"};
  scope.values = 1;
  return scope;
}

TEST(Expression, IsSpelledAsAPersonWould) {
  auto text = [](const json &tree) { return Expression::compile(tree, scope())->text(); };
  EXPECT_EQ(text(op("add", {op("divide", {op("subtract", {dim("H"), dim("R")}), 2}), 1})), "(H - R) / 2 + 1");
  EXPECT_EQ(text(op("subtract", {dim("H"), op("subtract", {dim("R"), 1})})), "H - (R - 1)");
  EXPECT_EQ(text(op("and", {op("less_equal", {dim("H"), dim("R")}), op("not", {op("equal", {dim("D"), 3})})})),
            "H <= R and not D == 3");
  EXPECT_EQ(text(op("negate", {op("divide", {op("negate", {op("add", {dim("H"), 1})}), dim("R")})})), "ceildiv(H + 1, R)");
  EXPECT_EQ(text(op("select", {true, op("min", {1, dim("H")}), op("absolute", {-2})})), "where(true, min(1, H), abs(-2))");
}

TEST(Expression, IsEvaluatedFromItsEnvironment) {
  int64_t dimensions[] = {224, 7};
  Interval scalars[] = {Interval::real(0.5)}, low[] = {Interval::integer(0)}, high[] = {Interval::integer(10)},
           values[] = {Interval::integers(3, 4)};
  Environment environment = {dimensions, scalars, low, high, values};
  auto evaluate = [&](const json &tree) { return Expression::compile(tree, scope())->evaluate(environment); };
  EXPECT_EQ(evaluate(op("add", {op("divide", {op("subtract", {dim("H"), dim("R")}), 2}), 1})).low, 109);
  EXPECT_EQ(evaluate(dim("D")).low, 128);
  EXPECT_TRUE(evaluate(op("greater", {json{{"scalar", "eps"}}, 0.0})).isCertainly(true));
  Interval axis = evaluate(op("multiply", {json{{"axis", "i"}}, 2}));
  EXPECT_EQ(axis.low, 0);
  EXPECT_EQ(axis.high, 18);
  EXPECT_EQ(evaluate({{"end", "i"}}).high, 10);
  EXPECT_EQ(evaluate({{"end", "i"}}).low, 1);
  EXPECT_EQ(evaluate({{"value", 0}}).high, 4);
  EXPECT_EQ(evaluate({{"unknown", "u8"}}).high, 255);
}

TEST(Expression, RefusesWhatIsNoExpression) {
  const json deepArray = json::parse(std::string(200'000, '[') + std::string(200'000, ']'));
  std::string begin, end;
  for (int level = 0; level < 100'000; ++level) {
    begin += R"({"op": "negate", "args": [)";
    end += "]}";
  }
  const json deep = json::parse(begin + "1" + end);
  json wide = dim("H"); // needs one more intermediate value for each level
  for (int level = 0; level < 100; ++level)
    wide = op("add", {1, wide});
  for (const json *tree : {&deep, &deepArray}) // not in the list: copying one takes as much stack as it is deep
    EXPECT_EQ(Expression::compile(*tree, scope()).status().code(), TW_DAMAGED_ARTIFACT);
  std::vector<json> wrong = {json(),
                             json::array(),
                             json::object(),
                             {{"dim", "Q"}},
                             {{"dim", 3}},
                             {{"value", 1}},
                             {{"value", -1}},
                             {{"op", "add"}},
                             op("add", {1}),
                             op("frobnicate", {1}),
                             {{"unknown", "f31"}},
                             {{"what", "K"}},
                             wide};
  for (const json &tree : wrong) {
    Result<Expression> result = Expression::compile(tree, scope());
    EXPECT_FALSE(result.ok()) << tree.dump().substr(0, 100);
    EXPECT_EQ(result.status().code(), TW_DAMAGED_ARTIFACT);
  }
}
