#include "runtime/LaunchProgram.h"

#include "tests/unit/runtime/TestSupport.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::test;

/// kernel k(x: f32[M, K], y: out f32[M, K], shift: i64) with dimensions M, K
static json signature() {
  return kernel("k", {}, {view("x", "in", "f32", {"M", "K"}), view("y", "out", "f32", {"M", "K"}), scalar("shift", "i64")});
}

static json axis(const std::string &name, const json &low, const json &high) {
  return {{"name", name}, {"low", low}, {"high", high}, {"span", true}, {"parent", nullptr}};
}

static const json grid = {axis("i", 0, dim("M")), axis("j", 0, dim("K"))};
static json index(const std::string &name) {
  return {{"axis", name}};
}
static json shift() {
  return {{"scalar", "shift"}};
}

struct Checked {
  LaunchProgram program;
  Signature kernel;

  /// Only from json: braces would fit other constructors too.
  template <typename Json>
    requires std::same_as<Json, json>
  explicit Checked(Json metadata) : kernel(signatureOf(signature(), {"M", "K"})) {
    if (!metadata.contains("axes"))
      metadata["axes"] = grid;
    Result<LaunchProgram> parsed = LaunchProgram::parse(metadata, kernel, {});
    EXPECT_TRUE(parsed.ok()) << parsed.status().message();
    program = std::move(*parsed);
  }

  std::string run(int64_t m, int64_t k, int64_t shiftValue = 0, bool onlyScalars = false) const {
    int64_t extents[] = {m, k};
    Interval scalars[] = {Interval::integer(shiftValue)};
    std::vector<BoundView> views(3);
    for (int view : {0, 1}) {
      views[view].declaredRank = 2;
      views[view].declaredExtents[0] = m;
      views[view].declaredExtents[1] = k;
    }
    LaunchProgram::Workspace workspace = program.makeWorkspace();
    Status status = program.check(extents, scalars, views, workspace, onlyScalars);
    EXPECT_TRUE(status.ok() || status.code() == TW_CHECK_FAILED);
    return status.ok() ? std::string() : status.message();
  }
};

TEST(LaunchProgram, RequireSaysTheConditionAndItsText) {
  Checked checked(json{{"require",
                        {{{"condition", op("equal", {op("remainder", {dim("K"), 8}), 0})},
                          {"text", "K is a multiple of 8"},
                          {"where", "k.tile:3:2"}}}}});
  EXPECT_EQ(checked.run(1, 64), "");
  EXPECT_EQ(checked.run(1, 65), "k.tile:3:2: require K % 8 == 0 does not hold: K is a multiple of 8");
}

static json access(const json &what, int dimension = 1, std::vector<std::string> inside = {"i", "j"}) {
  return {{"view", "x"},    {"dimension", dimension}, {"index", what},
          {"store", false}, {"inside", inside},       {"where", "k.tile:4:9"}};
}

TEST(LaunchProgram, AnIndexMustLieInItsDimension) {
  Checked checked(json{{"accesses", {access(op("add", {index("j"), shift()}))}}});
  EXPECT_EQ(checked.run(4, 64), "");
  EXPECT_EQ(checked.run(4, 64, 1), "k.tile:4:9: a read of x: index j + shift is 1 to 64, dimension K has the indices 0 to 63");
  EXPECT_EQ(checked.run(4, 64, -1),
            "k.tile:4:9: a read of x: index j + shift is -1 to 62, dimension K has the indices 0 to 63");
}

TEST(LaunchProgram, NothingIsReadInsideAnEmptyAxis) {
  Checked checked(json{{"accesses", {access(op("add", {index("j"), 1000}))}}});
  EXPECT_EQ(checked.run(0, 64), "");
  EXPECT_EQ(checked.run(4, 0), "");
}

TEST(LaunchProgram, ParametersOfIntervalsCanBeShared) {
  Checked checked(json{{"values", {op("add", {json{{"value", 1}}, 1}), op("multiply", {index("j"), 2})}},
                       {"accesses", {access(json{{"value", 0}})}}});
  EXPECT_EQ(checked.run(1, 1), "k.tile:4:9: a read of x: index value 1 + 1 is 1, dimension K has the indices 0 to 0");
}

TEST(LaunchProgram, SubSpansAreInsideTheirParents) {
  json axes = grid;
  axes.push_back(axis("jj", {{"start", "j"}}, {{"end", "j"}}));
  Checked checked(json{{"axes", axes}, {"accesses", {access(index("jj"))}}});
  EXPECT_EQ(checked.run(4, 64), "");
}

static json place(std::vector<std::pair<std::string, json>> terms) {
  json list = json::array();
  for (auto &[name, coefficient] : terms)
    list.push_back({{"axis", name}, {"coefficient", coefficient}});
  return {{"places", {{{"view", "y"}, {"dimension", 0}, {"constant", 0}, {"terms", list}, {"where", "k.tile:5:3"}}}}};
}

TEST(LaunchProgram, PlacesAreMixedRadix) {
  EXPECT_EQ(Checked(place({{"i", dim("K")}, {"j", 1}})).run(9, 64), "");
  EXPECT_EQ(Checked(place({{"i", op("negate", {dim("K")})}, {"j", 1}})).run(9, 64), ""); // the sign does not matter
  EXPECT_EQ(
      Checked(place({{"i", 2}, {"j", 1}})).run(9, 3),
      "k.tile:5:3: a store to y: two indices name one element: in dimension M i moves by 2 = 2, which what moves by less (j) "
      "reaches too: up to 2");
  EXPECT_EQ(Checked(place({{"i", 2}, {"j", 1}})).run(1, 3), ""); // one tile cannot meet itself
  EXPECT_EQ(Checked(place({{"i", 2}, {"j", 1}})).run(9, 0), "");
  EXPECT_NE(Checked(place({{"i", shift()}})).run(9, 1, 0), "");
}

TEST(LaunchProgram, NothingIsStoredInsideAnEmptyAxis) {
  json both = place({{"i", 2}, {"j", 1}});
  both["axes"] = grid;
  both["axes"].push_back(axis("r", 0, shift()));
  both["places"][0]["inside"] = {"i", "j", "r"};
  EXPECT_NE(Checked(both).run(9, 3, 1), "");
  EXPECT_EQ(Checked(both).run(9, 3, 0), "");
  EXPECT_TRUE(Checked(both).program.dependsOnScalars());
}

static json disjoint(const json &first, const json &second) {
  return {{"disjoint",
           {{{"view", "y"},
             {"dimensions", {{{"first", index("i")}, {"second", index("i")}}, {{"first", first}, {"second", second}}}},
             {"where", "k.tile:6:1"},
             {"other", "k.tile:7:1"}}}}};
}

TEST(LaunchProgram, TwoStoresMustNotMeet) {
  json upper = op("add", {index("j"), dim("K")});
  EXPECT_EQ(Checked(disjoint(index("j"), upper)).run(2, 8), "");
  EXPECT_EQ(Checked(disjoint(index("j"), op("add", {index("j"), 7}))).run(2, 8),
            "k.tile:6:1: two stores to y can name one element (the other is at k.tile:7:1; dimension M: 0 to 1 and 0 to 1; "
            "dimension K: 0 to 7 and 7 to 14)");
  EXPECT_EQ(Checked(disjoint(index("j"), index("j"))).run(0, 8), ""); // neither ever runs
}

TEST(LaunchProgram, OnlyWhatReadsScalarsRunsAgain) {
  json metadata = {{"accesses", {access(op("add", {index("j"), shift()}))}},
                   {"require", {{{"condition", op("greater", {dim("M"), 5})}, {"text", ""}, {"where", ""}}}}};
  Checked checked(metadata);
  EXPECT_TRUE(checked.program.dependsOnScalars());
  EXPECT_EQ(checked.run(4, 64, 0), "require M > 5 does not hold");
  EXPECT_EQ(checked.run(4, 64, 0, true), "");
  EXPECT_NE(checked.run(4, 64, 1, true), "");
}

TEST(LaunchProgram, ScalarsReachChecksThroughAxesAndValues) {
  json axes = {axis("i", 0, dim("M")), axis("j", 0, shift())};
  EXPECT_TRUE(Checked(json{{"axes", axes}, {"accesses", {access(index("j"))}}}).program.dependsOnScalars());
  EXPECT_TRUE(Checked(json{{"values", {shift()}}, {"accesses", {access(json{{"value", 0}})}}}).program.dependsOnScalars());
  EXPECT_FALSE(Checked(json{{"axes", axes}, {"accesses", {access(index("i"), 0, {"i"})}}}).program.dependsOnScalars());
}

TEST(LaunchProgram, DamageIsAnError) {
  Signature kernel = signatureOf(signature(), {"M", "K"});
  std::vector<json> wrong = {
      {{"axes", {axis("i", {{"start", "i"}}, 3)}}},
      {{"axes", {axis("i", {{"value", 0}}, 3)}}, {"values", {index("i")}}},
      {{"axes", {{{"name", "i"}}}}},
      {{"axes", {3}}},
      {{"accesses", {access(index("q"))}}},
      {{"axes", grid}, {"accesses", {access(index("i"), 2)}}},
      {{"axes", grid}, {"accesses", {access(index("i"), 0, {"q"})}}},
      {{"require", {{{"text", "no condition"}}}}},
      {{"places", {{{"view", "shift"}, {"dimension", 0}, {"terms", json::array()}}}}},
      {{"disjoint", {{{"view", "y"}, {"dimensions", json::array()}}}}},
  };
  for (const json &metadata : wrong) {
    Result<LaunchProgram> program = LaunchProgram::parse(metadata, kernel, {});
    EXPECT_EQ(program.status().code(), TW_DAMAGED_ARTIFACT) << metadata.dump();
  }
}

// ---- Operations of products -------------------------------------------------------------------------------------------------

static json pieces(const std::string &name, const json &low, const json &high, const json &by, bool span = true) {
  return {{"name", name}, {"low", low}, {"high", high}, {"span", span}, {"by", by}, {"parent", nullptr}};
}

static json dot(std::vector<std::string> tile, std::vector<std::string> inside, const std::string &runs = "always") {
  return {{"tile", tile}, {"inside", inside}, {"runs", runs}, {"where", "k.tile:7:7"}};
}

static DotOperations operations(const std::vector<json> &axes, const std::vector<json> &dots, int64_t m, int64_t k,
                                int64_t shiftValue = 0) {
  int64_t extents[] = {m, k};
  Interval scalars[] = {Interval::integer(shiftValue)};
  return Checked(json{{"axes", axes}, {"dots", dots}}).program.dotOperations(extents, scalars);
}

TEST(DotOperations, AreTwoForEachMultiplyAdd) {
  std::vector<json> axes = {pieces("i", 0, dim("M"), 32), pieces("j", 0, 10, 4), pieces("k", 0, dim("K"), 64)};
  DotOperations linear = operations(axes, {dot({"i", "j", "k"}, {"i", "j", "k"})}, 100, 77);
  EXPECT_EQ(linear.count, 2.0 * 100 * 10 * 77);
  EXPECT_EQ(linear.kind, TW_OPERATIONS_EXACT);
  // Two products add up; one of them is formed again for each of the 3 pieces of j.
  DotOperations two = operations(axes, {dot({"i", "j", "k"}, {"i", "j", "k"}), dot({"i", "k"}, {"i", "j", "k"})}, 100, 77);
  EXPECT_EQ(two.count, 2.0 * 100 * 10 * 77 + 2.0 * 100 * 77 * 3);
  EXPECT_EQ(operations(axes, {dot({"i", "j", "k"}, {"i", "j", "k"})}, 0, 77).count, 0);
  EXPECT_EQ(operations(axes, {}, 100, 77).kind, TW_OPERATIONS_NONE);
}

TEST(DotOperations, IndicesOneByOneAndWholeSpansCount) {
  std::vector<json> axes = {pieces("b", 0, 5, nullptr, false), pieces("i", 0, dim("M"), 32), pieces("d", 0, 16, nullptr)};
  EXPECT_EQ(operations(axes, {dot({"i", "d"}, {"b", "i"})}, 100, 0).count, 2.0 * 5 * 100 * 16);
}

TEST(DotOperations, FollowRangesThatDependOnTheGrid) {
  // i by 32 of 100; t in 0 .. i.end: 32 * 32 + 32 * 64 + 32 * 96 + 4 * 100.
  std::vector<json> axes = {pieces("i", 0, dim("M"), 32), pieces("t", 0, json{{"end", "i"}}, 8),
                            pieces("d", 0, dim("K"), nullptr)};
  DotOperations causal = operations(axes, {dot({"i", "t", "d"}, {"i", "t"})}, 100, 3);
  EXPECT_EQ(causal.count, 2.0 * 3 * (32 * 32 + 32 * 64 + 32 * 96 + 4 * 100));
  EXPECT_EQ(causal.kind, TW_OPERATIONS_EXACT);
  // Through a shared value and from a start: t in min(i.start, 40) .. K.
  json shared = {{"axes", {pieces("i", 0, dim("M"), 32), pieces("t", json{{"value", 0}}, dim("K"), 8)}},
                 {"values", json::array({op("min", {json{{"start", "i"}}, 40})})},
                 {"dots", json::array({dot({"i", "t"}, {"i", "t"})})}};
  int64_t extents[] = {100, 50};
  Interval scalars[] = {Interval::integer(0)};
  EXPECT_EQ(Checked(shared).program.dotOperations(extents, scalars).count, 2.0 * (32 * 50 + 32 * 18 + 32 * 10 + 4 * 10));
  // Pieces of a piece: a square of each piece.
  std::vector<json> squares = {pieces("i", 0, dim("M"), 32), pieces("ii", json{{"start", "i"}}, json{{"end", "i"}}, 32)};
  EXPECT_EQ(operations(squares, {dot({"i", "ii"}, {"i", "ii"})}, 100, 0).count, 2.0 * (3 * 32 * 32 + 4 * 4));
}

TEST(DotOperations, AreAnUpperBoundWhereMemoryDecides) {
  json length = op("min", {json{{"unknown", "i32"}}, dim("K")});
  std::vector<json> axes = {pieces("i", 0, dim("M"), 32), pieces("t", 0, length, 8)};
  DotOperations bounded = operations(axes, {dot({"i", "t"}, {"i", "t"})}, 100, 50);
  EXPECT_EQ(bounded.count, 2.0 * 100 * 50);
  EXPECT_EQ(bounded.kind, TW_OPERATIONS_AT_MOST);
  std::vector<json> known = {pieces("i", 0, dim("M"), 32)};
  EXPECT_EQ(operations(known, {dot({"i"}, {"i"}, "perhaps")}, 100, 0).kind, TW_OPERATIONS_AT_MOST);
  EXPECT_EQ(operations(known, {dot({"i"}, {"i"}, "perhaps")}, 100, 0).count, 200);
}

TEST(DotOperations, AreAnUpperBoundWhereThereAreTooManyPieces) {
  std::vector<json> axes = {pieces("i", 0, dim("M"), 1), pieces("t", 0, json{{"end", "i"}}, 8)};
  DotOperations few = operations(axes, {dot({"i", "t"}, {"i", "t"})}, 1000, 0);
  EXPECT_EQ(few.count, 1000.0 * 1001);
  EXPECT_EQ(few.kind, TW_OPERATIONS_EXACT);
  DotOperations many = operations(axes, {dot({"i", "t"}, {"i", "t"})}, 1'000'000, 0);
  EXPECT_EQ(many.count, 2e12);
  EXPECT_EQ(many.kind, TW_OPERATIONS_AT_MOST);
}

TEST(DotOperations, AreUnknownWhereNothingLimitsThem) {
  std::vector<json> fromMemory = {pieces("i", json{{"unknown", "i32"}}, json{{"unknown", "i32"}}, 32)};
  for (const char *runs : {"always", "unknown"}) {
    DotOperations unknown = operations(fromMemory, {dot({"i"}, {"i"}, runs)}, 100, 50);
    EXPECT_EQ(unknown.kind, TW_OPERATIONS_UNKNOWN);
    EXPECT_EQ(unknown.count, 0);
  }
}

TEST(DotOperations, UseTheScalars) {
  std::vector<json> axes = {pieces("t", 0, shift(), 8)};
  EXPECT_EQ(operations(axes, {dot({"t"}, {"t"})}, 1, 1, 21).count, 42);
}
