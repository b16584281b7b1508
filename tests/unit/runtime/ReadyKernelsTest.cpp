// Every structure of tilewright/kernels.h: forward against plain loops in f64, gradients against their central differences.
#include "tests/unit/runtime/TemporaryFolder.h"
#include "tilewright/kernels.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

namespace kernels = tilewright::kernels;
using tilewright::Context;
using tilewright::View;

namespace {

using Values = std::vector<double>;

const Context &context() {
  static tilewright::Result<Context> created = Context::create({.threads = 2});
  return *created;
}

struct Tensor {
  std::vector<int64_t> shape;
  std::vector<float> data;

  View view() { return View(data.data(), std::span<const int64_t>(shape)); }
  Values values() const { return Values(data.begin(), data.end()); }
};

int64_t product(const std::vector<int64_t> &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

Tensor random(std::vector<int64_t> shape) {
  static std::mt19937 generator(5);
  std::normal_distribution<float> normal;
  Tensor tensor{std::move(shape), {}};
  for (int64_t n = product(tensor.shape); n > 0; --n)
    tensor.data.push_back(normal(generator));
  return tensor;
}

/// What nobody writes stays NaN, which is near nothing.
Tensor output(std::vector<int64_t> shape) {
  int64_t count = product(shape);
  return {std::move(shape), std::vector<float>(static_cast<size_t>(count), NAN)};
}

void expectNear(const Tensor &got, const Values &want, const char *what, double tolerance = 2e-5) {
  ASSERT_EQ(got.data.size(), want.size()) << what;
  for (size_t index = 0; index < want.size(); ++index)
    ASSERT_TRUE(std::abs(got.data[index] - want[index]) <= tolerance * (1 + std::abs(want[index])))
        << what << '[' << index << "] is " << got.data[index] << ", expected " << want[index];
}

template <typename Ready> void run(const Ready &ready) {
  tilewright::Result<void> done = kernels::run(context(), ready);
  ASSERT_TRUE(done.ok()) << done.error().message() << '\n' << done.error().diagnostics();
}

template <typename Ready> tilewright::Error errorOf(const Ready &ready) {
  tilewright::Result<tilewright::Launchable> prepared = kernels::prepare(context(), ready);
  EXPECT_FALSE(prepared.ok());
  return prepared.error();
}

/// The gradient of Σ dy · function(x) by central differences.
template <typename Function> Values gradient(const Values &x, const Values &dy, Function function) {
  constexpr double step = 1e-5;
  auto loss = [&](const Values &at) {
    Values y = function(at);
    return std::inner_product(y.begin(), y.end(), dy.begin(), 0.0);
  };
  Values result;
  for (size_t index = 0; index < x.size(); ++index) {
    Values up = x, down = x;
    up[index] += step;
    down[index] -= step;
    result.push_back((loss(up) - loss(down)) / (2 * step));
  }
  return result;
}

double identity(double x) {
  return x;
}
double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
double swiglu(double gate, double up) {
  return gate / (1 + std::exp(-gate)) * up;
}

/// act(x[rows, K] · w[N, K]ᵀ + b); no b: zeros.
template <typename Activation> Values linear(const Values &x, const Values &w, const Values &b, size_t K, Activation act) {
  size_t N = w.size() / K;
  Values y;
  for (size_t i = 0; i < x.size() / K; ++i)
    for (size_t j = 0; j < N; ++j) {
      double sum = b.empty() ? 0 : b[j];
      for (size_t k = 0; k < K; ++k)
        sum += x[i * K + k] * w[j * K + k];
      y.push_back(act(sum));
    }
  return y;
}

Values plus(Values a, const Values &b) {
  for (size_t index = 0; index < a.size(); ++index)
    a[index] += b[index];
  return a;
}

} // namespace

// ---- Linear layers ----------------------------------------------------------------------------------------------------------

TEST(ReadyKernels, Linear) {
  Tensor x = random({2, 3, 7}), w = random({5, 7}), b = random({5}), r = random({2, 3, 5}), y = output({2, 3, 5}),
         z = output({6, 5});
  run(kernels::Linear{.x = x.view(), .w = w.view(), .y = y.view()});
  expectNear(y, linear(x.values(), w.values(), {}, 7, identity), "y");

  y = output({2, 3, 5});
  run(kernels::Linear{
      .x = x.view(), .w = w.view(), .y = y.view(), .b = b.view(), .r = r.view(), .z = z.view(), .activation = "gelu"});
  expectNear(y, plus(linear(x.values(), w.values(), b.values(), 7, gelu), r.values()), "y");
  expectNear(z, linear(x.values(), w.values(), b.values(), 7, identity), "z");
}

TEST(ReadyKernels, GradientsOfLinear) {
  Tensor x = random({2, 3, 7}), w = random({5, 7}), b = random({5}), dy = random({2, 3, 5});
  Tensor y = output({2, 3, 5}), z = output({2, 3, 5}), dz = output({2, 3, 5}), db = output({5}), dx = output({2, 3, 7}),
         dw = output({5, 7});
  run(kernels::Linear{.x = x.view(), .w = w.view(), .y = y.view(), .b = b.view(), .z = z.view(), .activation = "gelu"});
  run(kernels::LinearDz{.dy = dy.view(), .z = z.view(), .dz = dz.view(), .db = db.view(), .activation = "gelu"});
  run(kernels::LinearDx{.dy = dy.view(), .z = z.view(), .w = w.view(), .dx = dx.view(), .activation = "gelu"});
  run(kernels::LinearDw{.dy = dy.view(), .z = z.view(), .x = x.view(), .dw = dw.view(), .activation = "gelu"});

  Values X = x.values(), W = w.values(), B = b.values(), DY = dy.values();
  expectNear(dz,
             gradient(z.values(), DY,
                      [](Values at) {
                        std::transform(at.begin(), at.end(), at.begin(), gelu);
                        return at;
                      }),
             "dz");
  Values wantDw = gradient(W, DY, [&](const Values &at) { return linear(X, at, B, 7, gelu); });
  expectNear(db, gradient(B, DY, [&](const Values &at) { return linear(X, W, at, 7, gelu); }), "db", 1e-4);
  expectNear(dx, gradient(X, DY, [&](const Values &at) { return linear(at, W, B, 7, gelu); }), "dx", 1e-4);
  expectNear(dw, wantDw, "dw", 1e-4);

  // Added to what dw holds.
  run(kernels::LinearDw{
      .dy = dy.view(), .z = z.view(), .x = x.view(), .dw = dw.view(), .activation = "gelu", .accumulate = true});
  expectNear(dw, plus(wantDw, wantDw), "dw, accumulated", 1e-4);

  // dz is already multiplied by act′: the identity passes it on.
  dx = output({2, 3, 7});
  run(kernels::LinearDx{.dy = dz.view(), .z = dz.view(), .w = w.view(), .dx = dx.view()});
  expectNear(dx, gradient(X, DY, [&](const Values &at) { return linear(at, W, B, 7, gelu); }), "dx from dz", 1e-4);
}

TEST(ReadyKernels, GatedLinearAndItsGradient) {
  Tensor x = random({6, 7}), w = random({10, 7}), b = random({10}), dy = random({6, 5});
  Tensor y = output({6, 5}), z = output({6, 10}), dz = output({6, 10});
  run(kernels::GatedLinear{.x = x.view(), .w = w.view(), .y = y.view(), .b = b.view(), .z = z.view()});
  run(kernels::GatedDz{.dy = dy.view(), .z = z.view(), .dz = dz.view()});
  auto gated = [](const Values &in) {
    Values out;
    for (size_t i = 0; i < 6; ++i)
      for (size_t j = 0; j < 5; ++j)
        out.push_back(swiglu(in[i * 10 + j], in[i * 10 + 5 + j]));
    return out;
  };
  Values both = linear(x.values(), w.values(), b.values(), 7, identity);
  expectNear(z, both, "z");
  expectNear(y, gated(both), "y");
  expectNear(dz, gradient(z.values(), dy.values(), gated), "dz");

  y = output({6, 5});
  run(kernels::GatedLinear{.x = x.view(), .w = w.view(), .y = y.view(), .gate = "reglu"});
  both = linear(x.values(), w.values(), {}, 7, identity);
  Values want;
  for (size_t i = 0; i < 6; ++i)
    for (size_t j = 0; j < 5; ++j)
      want.push_back(std::max(both[i * 10 + j], 0.0) * both[i * 10 + 5 + j]);
  expectNear(y, want, "y by reglu");
}

// ---- Projections ------------------------------------------------------------------------------------------------------------

/// x[B, C, S] as [B, S, C].
static Values channelsLast(const Values &x, size_t B, size_t C, size_t S) {
  Values result;
  for (size_t b = 0; b < B; ++b)
    for (size_t s = 0; s < S; ++s)
      for (size_t c = 0; c < C; ++c)
        result.push_back(x[(b * C + c) * S + s]);
  return result;
}

TEST(ReadyKernels, Projection) {
  constexpr size_t B = 2, C = 6, S = 15, parts[] = {4, 2, 3, 5}, N = 14;
  Tensor x = random({B, C, 3, 5}), w = random({N, C}), b = random({N});
  Tensor q = output({B, S, 4}), k = output({B, S, 2}), v = output({B, S, 3}), ff = output({B, S, 5});
  run(kernels::Projection{.x = x.view(),
                          .w = w.view(),
                          .q = q.view(),
                          .k = k.view(),
                          .v = v.view(),
                          .ff = ff.view(),
                          .b = b.view(),
                          .activation = "gelu"});
  Values all = linear(channelsLast(x.values(), B, C, S), w.values(), b.values(), C, identity), want[4];
  for (size_t row = 0; row < B * S; ++row)
    for (size_t part = 0, j = 0; part < 4; ++part)
      for (size_t n = 0; n < parts[part]; ++n, ++j)
        want[part].push_back(part == 3 ? gelu(all[row * N + j]) : all[row * N + j]);
  expectNear(q, want[0], "q");
  expectNear(k, want[1], "k");
  expectNear(v, want[2], "v");
  expectNear(ff, want[3], "ff");
}

TEST(ReadyKernels, Qkv) {
  constexpr size_t B = 2, C = 6, S = 15, D = 4, HQ = 3, HK = 2, heads = HQ + 2 * HK;
  Tensor x = random({B, C, S}), w = random({heads * D, C}), gq = random({D}), gk = random({D}), co = random({S, D / 2}),
         si = random({S, D / 2});
  Tensor q = output({B, HQ, S, D}), k = output({B, HK, S, D}), v = output({B, HK, S, D});
  run(kernels::Qkv{.x = x.view(),
                   .w = w.view(),
                   .gq = gq.view(),
                   .gk = gk.view(),
                   .cosines = co.view(),
                   .sines = si.view(),
                   .q = q.view(),
                   .k = k.view(),
                   .v = v.view(),
                   .eps = 1e-3});
  Values all = linear(channelsLast(x.values(), B, C, S), w.values(), {}, C, identity), want[3];
  for (size_t b = 0; b < B; ++b)
    for (size_t h = 0; h < heads; ++h)
      for (size_t s = 0; s < S; ++s) {
        size_t part = h < HQ ? 0 : h < HQ + HK ? 1 : 2;
        Values head(all.begin() + static_cast<long>(((b * S + s) * heads + h) * D),
                    all.begin() + static_cast<long>(((b * S + s) * heads + h + 1) * D));
        if (part != 2) {
          double scale = 1 / std::sqrt(std::inner_product(head.begin(), head.end(), head.begin(), 0.0) / D + 1e-3);
          for (size_t d = 0; d < D; ++d)
            head[d] *= scale * (part == 0 ? gq : gk).data[d];
          for (size_t e = 0; e < D / 2; ++e) {
            double low = head[e], high = head[e + D / 2], c = co.data[s * D / 2 + e], n = si.data[s * D / 2 + e];
            head[e] = low * c - high * n;
            head[e + D / 2] = high * c + low * n;
          }
        }
        want[part].insert(want[part].end(), head.begin(), head.end());
      }
  expectNear(q, want[0], "q");
  expectNear(k, want[1], "k");
  expectNear(v, want[2], "v");
}

// ---- Norms and softmax ------------------------------------------------------------------------------------------------------

static Values layerNorm(const Values &x, const Values &g, const Values &b, double eps, bool centred) {
  size_t D = g.size();
  Values y;
  for (size_t i = 0; i < x.size() / D; ++i) {
    auto row = x.begin() + static_cast<long>(i * D);
    double mean = centred ? std::accumulate(row, row + static_cast<long>(D), 0.0) / static_cast<double>(D) : 0, squares = 0;
    for (size_t d = 0; d < D; ++d)
      squares += (x[i * D + d] - mean) * (x[i * D + d] - mean);
    for (size_t d = 0; d < D; ++d)
      y.push_back((x[i * D + d] - mean) / std::sqrt(squares / static_cast<double>(D) + eps) * g[d] + (b.empty() ? 0 : b[d]));
  }
  return y;
}

TEST(ReadyKernels, LayerNormAndItsGradients) {
  Tensor x = random({2, 3, 9}), g = random({9}), b = random({9}), dy = random({2, 3, 9});
  Tensor y = output({2, 3, 9}), mu = output({2, 3}), rs = output({2, 3}), dx = output({2, 3, 9}), dg = output({9}),
         db = output({9});
  run(kernels::LayerNorm{.x = x.view(), .g = g.view(), .y = y.view(), .eps = 0.01});
  Values X = x.values(), G = g.values(), B = b.values(), DY = dy.values();
  expectNear(y, layerNorm(X, G, {}, 0.01, true), "y without b");
  y = output({2, 3, 9});
  run(kernels::LayerNorm{.x = x.view(), .g = g.view(), .y = y.view(), .b = b.view(), .mu = mu.view(), .rs = rs.view()});
  expectNear(y, layerNorm(X, G, B, 1e-5, true), "y");
  run(kernels::LayerNormBackward{.dy = dy.view(),
                                 .x = x.view(),
                                 .g = g.view(),
                                 .mu = mu.view(),
                                 .rs = rs.view(),
                                 .dx = dx.view(),
                                 .dg = dg.view(),
                                 .db = db.view()});
  expectNear(dx, gradient(X, DY, [&](const Values &at) { return layerNorm(at, G, B, 1e-5, true); }), "dx", 1e-4);
  expectNear(dg, gradient(G, DY, [&](const Values &at) { return layerNorm(X, at, B, 1e-5, true); }), "dg", 1e-4);
  expectNear(db, gradient(B, DY, [&](const Values &at) { return layerNorm(X, G, at, 1e-5, true); }), "db", 1e-4);
}

TEST(ReadyKernels, RmsNormAndItsGradients) {
  Tensor x = random({6, 9}), g = random({9}), dy = random({6, 9});
  Tensor y = output({6, 9}), rs = output({6}), dx = output({6, 9}), dg = output({9});
  run(kernels::RmsNorm{.x = x.view(), .g = g.view(), .y = y.view(), .rs = rs.view(), .eps = 1e-3});
  run(kernels::RmsNormBackward{
      .dy = dy.view(), .x = x.view(), .g = g.view(), .rs = rs.view(), .dx = dx.view(), .dg = dg.view()});
  Values X = x.values(), G = g.values(), DY = dy.values();
  expectNear(y, layerNorm(X, G, {}, 1e-3, false), "y");
  expectNear(dx, gradient(X, DY, [&](const Values &at) { return layerNorm(at, G, {}, 1e-3, false); }), "dx", 1e-4);
  expectNear(dg, gradient(G, DY, [&](const Values &at) { return layerNorm(X, at, {}, 1e-3, false); }), "dg", 1e-4);
}

static Values softmax(const Values &x, size_t N, bool ofLog) {
  Values y;
  for (size_t i = 0; i < x.size() / N; ++i) {
    double top = -INFINITY, sum = 0;
    for (size_t j = 0; j < N; ++j)
      top = std::max(top, x[i * N + j]);
    for (size_t j = 0; j < N; ++j)
      sum += std::exp(x[i * N + j] - top);
    for (size_t j = 0; j < N; ++j)
      y.push_back(ofLog ? x[i * N + j] - top - std::log(sum) : std::exp(x[i * N + j] - top) / sum);
  }
  return y;
}

TEST(ReadyKernels, SoftmaxAndItsGradient) {
  Tensor x = random({2, 3, 9}), dy = random({2, 3, 9}), y = output({2, 3, 9}), dx = output({2, 3, 9});
  run(kernels::Softmax{.x = x.view(), .y = y.view()});
  run(kernels::SoftmaxBackward{.dy = dy.view(), .y = y.view(), .dx = dx.view()});
  expectNear(y, softmax(x.values(), 9, false), "y");
  expectNear(dx, gradient(x.values(), dy.values(), [](const Values &at) { return softmax(at, 9, false); }), "dx");
}

TEST(ReadyKernels, LogSoftmaxAndItsGradient) {
  Tensor x = random({6, 9}), dy = random({6, 9}), y = output({6, 9}), dx = output({6, 9});
  run(kernels::LogSoftmax{.x = x.view(), .y = y.view()});
  run(kernels::LogSoftmaxBackward{.dy = dy.view(), .y = y.view(), .dx = dx.view()});
  expectNear(y, softmax(x.values(), 9, true), "y");
  expectNear(dx, gradient(x.values(), dy.values(), [](const Values &at) { return softmax(at, 9, true); }), "dx");
}

// ---- Attention --------------------------------------------------------------------------------------------------------------

TEST(ReadyKernels, Attention) {
  constexpr size_t B = 2, HQ = 4, HK = 2, SQ = 5, SK = 9, D = 8;
  Tensor q = random({B, HQ, SQ, D}), k = random({B, HK, SK, D}), v = random({B, HK, SK, D}), o = output({B, HQ, SQ, D}),
         lse = output({B, HQ, SQ});
  std::vector<int32_t> lengths = {9, 6};
  struct Kind {
    bool causal;
    int64_t window;
    bool hasLengths;
    std::optional<double> scale;
  };
  for (const Kind &kind : {Kind{false, 0, false, {}}, Kind{true, 0, true, 0.5}, Kind{true, 3, false, {}}}) {
    kernels::Attention attention{.q = q.view(),
                                 .k = k.view(),
                                 .v = v.view(),
                                 .o = o.view(),
                                 .lse = lse.view(),
                                 .scale = kind.scale,
                                 .causal = kind.causal,
                                 .window = kind.window};
    if (kind.hasLengths)
      attention.lengths = View(lengths.data(), {B});
    run(attention);
    Values wantO, wantLse;
    for (size_t b = 0; b < B; ++b)
      for (size_t h = 0; h < HQ; ++h)
        for (size_t i = 0; i < SQ; ++i) {
          auto length = static_cast<int64_t>(kind.hasLengths ? static_cast<size_t>(lengths[b]) : SK);
          int64_t position = static_cast<int64_t>(i) + length - static_cast<int64_t>(SQ);
          double sum = 0;
          Values row(D);
          for (int64_t t = 0; t < length; ++t) {
            if ((kind.causal && t > position) || (kind.window > 0 && position - t >= kind.window))
              continue;
            double score = 0;
            size_t at = ((b * HK + h / (HQ / HK)) * SK + static_cast<size_t>(t)) * D;
            for (size_t d = 0; d < D; ++d)
              score += static_cast<double>(q.data[((b * HQ + h) * SQ + i) * D + d]) * k.data[at + d];
            double weight = std::exp(score * kind.scale.value_or(1 / std::sqrt(8.0)));
            sum += weight;
            for (size_t d = 0; d < D; ++d)
              row[d] += weight * v.data[at + d];
          }
          for (double value : row)
            wantO.push_back(value / sum);
          wantLse.push_back(std::log(sum));
        }
    expectNear(o, wantO, "o");
    expectNear(lse, wantLse, "lse");
  }
}

// ---- Preparing and errors ---------------------------------------------------------------------------------------------------

TEST(ReadyKernels, ArePreparedOnceAndLaunchedOften) {
  Tensor x = random({6, 7}), w = random({5, 7}), y = output({6, 5});
  kernels::Linear layer{.x = x.view(), .w = w.view(), .y = y.view()};
  tilewright::Result<tilewright::Launchable> first = kernels::prepare(context(), layer, {.bindings = {{"BM", "4"}}});
  ASSERT_TRUE(first.ok()) << first.error().message();
  EXPECT_EQ(first->info().tile_count, 2); // rows by 4
  EXPECT_EQ(first->info().operations, 2 * 6 * 5 * 7);
  uint64_t compiled = context().statistics().compilations;
  tilewright::Result<tilewright::Launchable> again = kernels::prepare(context(), layer, {.bindings = {{"BM", "4"}}});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(context().statistics().compilations, compiled);
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::fill(y.data.begin(), y.data.end(), NAN);
    ASSERT_TRUE(again->launch().ok());
    expectNear(y, linear(x.values(), w.values(), {}, 7, identity), "y");
  }
}

TEST(ReadyKernels, TellWhatIsWrong) {
  Tensor x = random({6, 7}), w = random({5, 8}), y = output({6, 5});
  tilewright::Error shape = errorOf(kernels::Linear{.x = x.view(), .w = w.view(), .y = y.view()});
  EXPECT_EQ(shape.status(), TW_INVALID_SHAPE);
  EXPECT_NE(shape.message().find("K"), std::string_view::npos) << shape.message();
  w = random({5, 7});
  tilewright::Error activation = errorOf(kernels::Linear{.x = x.view(), .w = w.view(), .y = y.view(), .activation = "gleu"});
  EXPECT_NE(activation.message().find("gleu"), std::string_view::npos) << activation.message();
  EXPECT_NE(std::string(activation.message()).append(activation.diagnostics()).find("gelu"), std::string::npos);
  tilewright::Error overlap = errorOf(kernels::Softmax{.x = x.view(), .y = x.view()});
  EXPECT_EQ(overlap.status(), TW_CHECK_FAILED) << overlap.message();
  std::vector<int32_t> integers(42);
  tilewright::Error dtype = errorOf(kernels::Softmax{.x = View(integers.data(), {6, 7}), .y = x.view()});
  EXPECT_EQ(dtype.status(), TW_INVALID_ARGUMENT) << dtype.message();
}

TEST(ReadyKernels, OfAnotherNameAreNotFound) {
  tilewright::Result<tilewright::Module> module = context().readyKernels("liner.tile");
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.error().status(), TW_NOT_FOUND);
  EXPECT_EQ(module.error().message(), "there are no ready kernels liner.tile (did you mean linear.tile?)");
  tw_module *none = nullptr;
  EXPECT_EQ(tw_module_ready_kernels(nullptr, "linear.tile", &none, nullptr), TW_INVALID_ARGUMENT);
}

TEST(ReadyKernels, AreFoundInTheDiskCache) {
  tilewright::runtime::test::TemporaryFolder folder;
  Tensor x = random({3, 10}), y = output({3, 10});
  for (int round = 0; round < 2; ++round) {
    tilewright::Result<Context> other = Context::create({.threads = 2, .cacheDirectory = folder.path});
    ASSERT_TRUE(other.ok()) << other.error().message();
    tilewright::Result<tilewright::Launchable> softmax =
        kernels::prepare(*other, kernels::Softmax{.x = x.view(), .y = y.view()});
    ASSERT_TRUE(softmax.ok()) << softmax.error().message();
    EXPECT_EQ(softmax->info().from_cache, round);
    EXPECT_EQ(other->statistics().compilations, round ? 0u : 1u);
    EXPECT_EQ(other->statistics().disk_hits, round ? 1u : 0u);
  }
}

TEST(ReadyKernels, AllHaveAStructure) {
  std::set<std::pair<std::string, std::string>> covered;
  auto cover = [&]<typename... Ready>(std::type_identity<Ready>...) { (covered.emplace(Ready::file, Ready::kernel), ...); };
  cover(std::type_identity<kernels::Linear>(), std::type_identity<kernels::LinearDz>(), std::type_identity<kernels::LinearDx>(),
        std::type_identity<kernels::LinearDw>(), std::type_identity<kernels::GatedLinear>(),
        std::type_identity<kernels::GatedDz>(), std::type_identity<kernels::Projection>(), std::type_identity<kernels::Qkv>(),
        std::type_identity<kernels::LayerNorm>(), std::type_identity<kernels::LayerNormBackward>(),
        std::type_identity<kernels::RmsNorm>(), std::type_identity<kernels::RmsNormBackward>(),
        std::type_identity<kernels::Softmax>(), std::type_identity<kernels::SoftmaxBackward>(),
        std::type_identity<kernels::LogSoftmax>(), std::type_identity<kernels::LogSoftmaxBackward>(),
        std::type_identity<kernels::Attention>());
  std::set<std::pair<std::string, std::string>> all;
  for (const char *file : {"linear.tile", "projection.tile", "norm.tile", "softmax.tile", "attention.tile"}) {
    tilewright::Result<tilewright::Module> module = context().readyKernels(file);
    ASSERT_TRUE(module.ok()) << module.error().diagnostics();
    for (const std::string &name : module->kernelNames())
      all.emplace(file, name);
  }
  EXPECT_EQ(covered, all);
}
