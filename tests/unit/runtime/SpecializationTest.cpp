#include "runtime/Specialization.h"

#include "tests/unit/runtime/TestSupport.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::test;

alignas(64) static float memory[4096];

static tw_argument given(const char *name, std::vector<int64_t> shape, tw_dtype dtype = TW_F32) {
  return tw_view(name, memory, dtype, static_cast<int32_t>(shape.size()), shape.data());
}

static std::vector<tw_argument> linearArguments(int64_t rows = 5) {
  return {given("x", {rows, 64}), given("w", {7, 64}), given("y", {rows, 7})};
}

static Result<Call> specializeAs(const SpecializationRequest &request, std::vector<tw_argument> arguments) {
  static const Signature signature = signatureOf(linearSignature());
  return specialize(signature, request, arguments);
}

static Result<Call> specializeLinear(std::vector<tw_argument> arguments, std::vector<NamedText> bindings = {}) {
  SpecializationRequest request;
  request.bindings = std::move(bindings);
  return specializeAs(request, std::move(arguments));
}

TEST(Specialization, IsCanonical) {
  std::string key = specializeLinear(linearArguments())->specialization.key();
  EXPECT_EQ(specializeLinear(linearArguments(), {{"T", "f32"}, {"act", "identity"}})->specialization.key(), key);
  std::vector<tw_argument> reversed = linearArguments();
  std::swap(reversed[0], reversed[2]);
  EXPECT_EQ(specializeLinear(reversed)->specialization.key(), key);
}

TEST(Specialization, SaysWhatItWasMadeOf) {
  Specialization linear = specializeLinear(linearArguments(), {{"BM", "64"}})->specialization;
  EXPECT_EQ(linear.statics, (std::vector<NamedText>{{"T", "f32"}, {"act", "identity"}}));
  EXPECT_EQ(linear.tunables, (std::vector<NamedText>{{"BM", "64"}}));
  EXPECT_EQ(linear.hints, (std::vector<NamedText>{{"M", "8"}, {"K", "64"}, {"N", "8"}}));
  EXPECT_TRUE(linear.presentViews.empty());
  EXPECT_EQ(linear.views.size(), 3u);
}

TEST(Specialization, EveryDifferenceIsAnotherKey) {
  std::vector<std::string> keys = {specializeLinear(linearArguments())->specialization.key()};
  keys.push_back(specializeLinear(linearArguments(), {{"act", "gelu"}})->specialization.key());
  keys.push_back(specializeLinear(linearArguments(), {{"BM", "64"}})->specialization.key());
  keys.push_back(specializeLinear({given("x", {5, 64}, TW_F16), given("w", {7, 64}, TW_F16), given("y", {5, 7}, TW_F16)})
                     ->specialization.key());
  std::vector<tw_argument> withBias = linearArguments();
  withBias.push_back(given("b", {7}));
  keys.push_back(specializeLinear(withBias)->specialization.key());
  std::vector<tw_argument> transposed = linearArguments();
  transposed[1].strides[0] = 1;
  transposed[1].strides[1] = 7;
  keys.push_back(specializeLinear(transposed)->specialization.key());
  std::vector<tw_argument> aligned = linearArguments();
  aligned[0].alignment = 64;
  keys.push_back(specializeLinear(aligned)->specialization.key());
  keys.push_back(specializeLinear(linearArguments(100))->specialization.key()); // tunables are chosen for other sizes
  SpecializationRequest checked, remarks;
  checked.checked = true;
  remarks.remarks = true; // what is said is kept with the code
  keys.push_back(specializeAs(checked, linearArguments())->specialization.key());
  keys.push_back(specializeAs(remarks, linearArguments())->specialization.key());
  for (size_t a = 0; a < keys.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      EXPECT_NE(keys[a], keys[b]);
}

TEST(Specialization, AnAddressIsNotPartOfIt) {
  std::vector<tw_argument> elsewhere = linearArguments();
  elsewhere[0].data = memory + 1;
  EXPECT_EQ(specializeLinear(elsewhere)->specialization.key(), specializeLinear(linearArguments())->specialization.key());
}

TEST(Specialization, SizesOfOneMagnitudeShareTheirCode) {
  EXPECT_EQ(specializeLinear(linearArguments(17))->specialization.key(),
            specializeLinear(linearArguments(31))->specialization.key());
}

TEST(Specialization, SizesDoNotMatterWhenAllTunablesAreBound) {
  std::vector<NamedText> all = {{"BM", "64"}, {"BN", "32"}};
  EXPECT_EQ(specializeLinear(linearArguments(2), all)->specialization.key(),
            specializeLinear(linearArguments(60), all)->specialization.key());
}

TEST(Specialization, RefusesWhatDoesNotFit) {
  auto message = [](std::vector<tw_argument> arguments, std::vector<NamedText> bindings = {}) {
    Result<Call> call = specializeLinear(std::move(arguments), std::move(bindings));
    return call.ok() ? std::string() : call.status().message();
  };
  EXPECT_EQ(message({given("x", {5, 64}), given("w", {7, 64}, TW_F16), given("y", {5, 7})}),
            "parameter w: dtype is f16, expected f32 (T is f32, bound by x)");
  EXPECT_EQ(message({given("x", {5, 64}, TW_I32), given("w", {7, 64}), given("y", {5, 7})}),
            "static T is i32 (bound by x), expected one of f32, f16");
  EXPECT_EQ(message(linearArguments(), {{"T", "f16"}}),
            "parameter x: dtype is f32, expected f16 (T is f16, bound by the specialization)");
  EXPECT_EQ(message(linearArguments(), {{"BQ", "64"}}), "kernel linear has no static or tunable BQ (did you mean BM?)");
  EXPECT_EQ(message(linearArguments(), {{"BM", "big"}}), "tunable BM is big, expected a positive number");
  EXPECT_EQ(message(linearArguments(), {{"BM", "8"}, {"BM", "8"}}), "tunable BM is bound twice");
}

/// kernel f<D: i64, causal: bool = false, O: f32 | f16>(x: f32[N, D], y: out O[N, D], z: out accum(O)[N]?)
static Signature withConstants() {
  return signatureOf(kernel(
      "f",
      {{{"name", "D"}, {"kind", "constant"}, {"dtypes", {"i64"}}, {"default", nullptr}, {"dimension", true}},
       {{"name", "causal"}, {"kind", "constant"}, {"dtypes", {"bool"}}, {"default", "false"}, {"dimension", false}},
       typeStatic("O", {"f32", "f16"})},
      {view("x", "in", "f32", {"N", "D"}), view("y", "out", "O", {"N", "D"}), view("z", "out", "accum(O)", {"N"}, true)}));
}

TEST(Specialization, ConstantsComeFromShapes) {
  SpecializationRequest request;
  Result<Call> call = specialize(withConstants(), request, std::vector{given("x", {5, 64}), given("y", {5, 64}, TW_F16)});
  ASSERT_TRUE(call.ok()) << call.status().message();
  EXPECT_EQ(call->specialization.statics, (std::vector<NamedText>{{"D", "64"}, {"causal", "false"}, {"O", "f16"}}));
  request.bindings = {{"D", "32"}};
  EXPECT_EQ(specialize(withConstants(), request, std::vector{given("x", {5, 64}), given("y", {5, 64})}).status().message(),
            "parameter x: dimension D is 64, expected 32 (bound by the specialization)");
  request.bindings = {{"causal", "maybe"}};
  EXPECT_EQ(specialize(withConstants(), request, std::vector{given("x", {5, 64}), given("y", {5, 64})}).status().message(),
            "static causal is maybe, expected true or false");
}

TEST(Specialization, ViewsAreInferredBeforeTheyExist) {
  SpecializationRequest request;
  request.bindings = {{"O", "f16"}};
  const char *wanted[] = {"y", "z"};
  Result<std::vector<tw_view_type>> types = inferViews(withConstants(), request, std::vector{given("x", {5, 64})}, wanted, 2);
  ASSERT_TRUE(types.ok()) << types.status().message();
  EXPECT_EQ((*types)[1].dtype, TW_F16);
  EXPECT_EQ((*types)[1].shape[1], 64);
  EXPECT_EQ((*types)[2].dtype, TW_F32); // accum(f16)
  EXPECT_EQ((*types)[2].rank, 1);
  request.bindings = {};
  EXPECT_EQ(inferViews(withConstants(), request, std::vector{given("x", {5, 64})}, wanted, 2).status().message(),
            "parameter y: its dtype O is not known: bind O (it may be f32, f16)");
}

TEST(Specialization, OptionalViewsAreInferredOnlyIfWanted) {
  SpecializationRequest request;
  request.bindings = {{"O", "f16"}};
  Result<std::vector<tw_view_type>> types = inferViews(withConstants(), request, std::vector{given("x", {5, 64})}, nullptr, 0);
  EXPECT_EQ((*types)[1].present, 1);
  EXPECT_EQ((*types)[2].present, 0);
}
