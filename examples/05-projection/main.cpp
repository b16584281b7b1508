// Lesson 5: one product into several outputs, straight from a strided batch.
//
// The ready kernel runtime/kernels/projection.tile multiplies x, stored channels second as [B, C, H, W], with the stacked rows of four
// weights, and writes four outputs. Nothing is copied or transposed first: `S...` takes H and W as one dimension, and x[n, c, s] has its
// axes by name. A store with `else drop` keeps the columns that are in its range, wherever a tile straddles.

#include "../lesson.h"

using lesson::succeed;
using lesson::valueOf;
using tilewright::View;

int main() {
  auto context = valueOf(tilewright::Context::create());
  auto module = valueOf(context.load(TILEWRIGHT_KERNELS "/projection.tile"));
  auto projection = valueOf(module.kernel("projection"));

  constexpr int64_t B = 2, C = 24, H = 5, W = 7, S = H * W, NQ = 16, NK = 8, NV = 8, NF = 30, N = NQ + NK + NV + NF;
  auto x = lesson::randomValues(B * C * S, 7), w = lesson::randomValues(N * C, 8);
  std::vector<float> q(B * S * NQ, NAN), k(B * S * NK, NAN), v(B * S * NV, NAN), ff(B * S * NF, NAN);
  succeed(projection.run({{"x", View(x.data(), {B, C, H, W})},
                          {"w", View(w.data(), {N, C})},
                          {"q", View(q.data(), {B, S, NQ})},
                          {"k", View(k.data(), {B, S, NK})},
                          {"v", View(v.data(), {B, S, NV})},
                          {"ff", View(ff.data(), {B, S, NF})}},
                         {.bindings = {{"act", "relu"}}}));

  std::vector<double> parts[4];
  for (int64_t n = 0; n < B; ++n)
    for (int64_t s = 0; s < S; ++s)
      for (int64_t j = 0; j < N; ++j) {
        double sum = 0;
        for (int64_t c = 0; c < C; ++c)
          sum += static_cast<double>(x[static_cast<size_t>((n * C + c) * S + s)]) * w[static_cast<size_t>(j * C + c)];
        int part = j < NQ ? 0 : j < NQ + NK ? 1 : j < NQ + NK + NV ? 2 : 3;
        parts[part].push_back(part == 3 ? std::max(sum, 0.0) : sum);
      }
  lesson::expectNear(q, parts[0], 1e-5, "q");
  lesson::expectNear(k, parts[1], 1e-5, "k");
  lesson::expectNear(v, parts[2], 1e-5, "v");
  lesson::expectNear(ff, parts[3], 1e-5, "ff");
  return 0;
}
