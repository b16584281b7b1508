#include "runtime/Dimensions.h"

#include "tests/unit/runtime/TestSupport.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::test;

static float memory[4096];

static tw_argument given(const char *name, std::vector<int64_t> shape, tw_dtype dtype = TW_F32) {
  return tw_view(name, memory, dtype, static_cast<int32_t>(shape.size()), shape.data());
}

static Result<Dimensions> bind(const Signature &signature, std::vector<tw_argument> arguments,
                               std::vector<std::pair<std::string, int64_t>> extents = {}) {
  Result<Arguments> bound = Arguments::bind(signature, arguments, false);
  if (!bound.ok())
    return bound.takeStatus();
  return Dimensions::bind(signature, *bound, extents, {});
}

TEST(Dimensions, AreBoundByTheFirstViewThatNamesThem) {
  Signature linear = signatureOf(linearSignature());
  Result<Dimensions> dimensions = bind(linear, {given("w", {7, 64}), given("x", {2, 5, 64})});
  ASSERT_TRUE(dimensions.ok()) << dimensions.status().message();
  EXPECT_EQ(dimensions->find("M")->extent, 10);
  EXPECT_EQ(dimensions->find("K")->extent, 64);
  EXPECT_EQ(dimensions->find("N")->extent, 7);
  EXPECT_EQ(dimensions->find("Q"), nullptr);
}

TEST(Dimensions, AMismatchNamesParameterDimensionFoundAndExpected) {
  Signature linear = signatureOf(linearSignature());
  Result<Dimensions> dimensions = bind(linear, {given("x", {3, 64}), given("w", {5, 77})});
  EXPECT_EQ(dimensions.status().code(), TW_INVALID_SHAPE);
  EXPECT_EQ(dimensions.status().message(), "parameter w: dimension K is 77, expected 64 (bound by x)");
  EXPECT_EQ(bind(linear, {given("x", {2, 5, 64}), given("y", {5, 3, 7})}).status().message(),
            "parameter y: dimension M... is 15, expected 10 (bound by x)");
  EXPECT_EQ(bind(linear, {given("x", {3, 64})}, {{"K", 32}}).status().message(),
            "parameter x: dimension K is 64, expected 32 (given explicitly)");
}

TEST(Dimensions, OnlyTheProductOfAPackMustAgree) {
  EXPECT_TRUE(bind(signatureOf(linearSignature()), {given("x", {2, 5, 64}), given("y", {10, 7})}).ok());
}

TEST(Dimensions, AWrongRankSaysWhatIsDeclared) {
  Signature linear = signatureOf(linearSignature());
  EXPECT_EQ(bind(linear, {given("w", {2, 3, 4})}).status().message(), "parameter w: rank is 3, expected 2 for [N, K]");
  EXPECT_TRUE(bind(linear, {given("x", {64})}).ok()); // no rows at all is one row
  EXPECT_EQ(bind(linear, {tw_view("x", memory, TW_F32, 6, std::vector<int64_t>(6, 1).data())}).status().message(),
            "parameter x: rank is 6, expected 1 to 5");
}

/// x: f32[H, W], w: f32[R, R], y: out f32[P = (H - R) / 2 + 1, 2 * P]
static const Signature &convolution() { // Dimensions refer to their signature
  static const Signature signature =
      signatureOf(kernel("convolution", {},
                         {view("x", "in", "f32", {"H", "W"}), view("w", "in", "f32", {"R", "R"}),
                          view("y", "out", "f32",
                               {json::array({"P", op("add", {op("divide", {op("subtract", {dim("H"), dim("R")}), 2}), 1})}),
                                op("multiply", {2, dim("P")})})}));
  return signature;
}

TEST(Dimensions, DefinitionsAndExpressionsAreComputed) {
  Result<Dimensions> dimensions = bind(convolution(), {given("x", {32, 30}), given("w", {3, 3})});
  ASSERT_TRUE(dimensions.ok());
  EXPECT_EQ(dimensions->find("P")->extent, 15);
  EXPECT_EQ(*dimensions->shapeOf(convolution().parameters[2]), (std::vector<int64_t>{15, 30}));
}

TEST(Dimensions, ExpressionsAreChecked) {
  EXPECT_EQ(bind(convolution(), {given("x", {32, 30}), given("w", {3, 3}), given("y", {15, 31})}).status().message(),
            "parameter y: dimension 2 * P is 31, expected 30 (P is 15, defined by y)");
  EXPECT_EQ(bind(convolution(), {given("x", {32, 30}), given("w", {3, 3}), given("y", {16, 30})}).status().message(),
            "parameter y: dimension P = (H - R) / 2 + 1 is 16, expected 15 (H is 32, bound by x, R is 3, bound by w)");
  EXPECT_EQ(bind(convolution(), {given("y", {16, 30})}).status().message(),
            "dimension (H - R) / 2 + 1 needs H, which no given view binds");
}

TEST(Dimensions, ShapesOfOutputsComeFromTheOthers) {
  Signature linear = signatureOf(linearSignature());
  Result<Dimensions> dimensions = bind(linear, {given("x", {2, 5, 64}), given("w", {7, 64})});
  ASSERT_TRUE(dimensions.ok());
  EXPECT_EQ(*dimensions->shapeOf(*linear.findParameter("y")), (std::vector<int64_t>{2, 5, 7}));
  Result<Dimensions> partial = bind(linear, {given("x", {2, 5, 64})});
  EXPECT_EQ(partial->shapeOf(*linear.findParameter("y")).status().message(),
            "parameter y: dimension N is not bound by any given view (give its extent)");
  Result<Dimensions> explicitly = bind(linear, {given("x", {2, 5, 64})}, {{"N", 3}});
  EXPECT_EQ(*explicitly->shapeOf(*linear.findParameter("y")), (std::vector<int64_t>{2, 5, 3}));
}

TEST(Dimensions, UnknownNamesAndNegativeExtentsAreErrors) {
  Signature linear = signatureOf(linearSignature());
  EXPECT_EQ(bind(linear, {}, {{"Q", 3}}).status().message(), "kernel linear has no dimension Q (there are M, K, N)");
  EXPECT_EQ(bind(linear, {}, {{"N", -3}}).status().message(), "dimension N is -3, which is negative");
  EXPECT_EQ(bind(linear, {given("w", {-1, 3})}).status().message(), "parameter w: shape [-1, 3] has a negative extent");
  EXPECT_EQ(bind(linear, {tw_view("w", memory, TW_F32, 2, nullptr)}).status().code(), TW_INVALID_SHAPE); // not an empty view
  EXPECT_EQ(bind(linear, {given("w", {int64_t(1) << 40, int64_t(1) << 40})}).status().code(), TW_INVALID_SHAPE);
}

TEST(Arguments, AreSortedByParameter) {
  Signature linear = signatureOf(linearSignature());
  auto message = [&](std::vector<tw_argument> arguments, bool complete) {
    Result<Arguments> bound = Arguments::bind(linear, arguments, complete);
    return bound.ok() ? std::string() : bound.status().message();
  };
  EXPECT_EQ(message({given("ww", {1, 1})}, false), "kernel linear has no parameter ww (did you mean w?)");
  EXPECT_EQ(message({given("x", {1, 1}), given("x", {1, 1})}, false), "parameter x: is given twice");
  EXPECT_EQ(message({tw_integer("x", 3)}, false), "parameter x: is a view, and was given a number");
  EXPECT_EQ(message({given("eps", {1})}, false), "parameter eps: is a scalar, and was given a view");
  EXPECT_EQ(message({given("x", {1, 1})}, true), "parameter w: is missing (kernel linear needs this view)");
  EXPECT_EQ(message({given("x", {1, 1}, static_cast<tw_dtype>(77))}, false), "parameter x: there is no dtype number 77");
  tw_argument odd = given("x", {1, 1});
  odd.alignment = 24;
  EXPECT_EQ(message({odd}, false), "parameter x: alignment 24 is not a power of two");
  odd.alignment = 64;
  odd.data = reinterpret_cast<char *>(0x1004);
  EXPECT_EQ(message({odd}, false), "parameter x: the address is not a multiple of the 64 bytes that are promised");
  Result<Arguments> bound = Arguments::bind(linear, std::vector<tw_argument>{}, false);
  EXPECT_EQ(bound->scalars[0]->real, 0.5); // the default
}
