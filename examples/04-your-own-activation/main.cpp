// Lesson 4: your own activation, and its gradient.
//
// An activation is written once, for a scalar; it applies to tiles of any axes. `deriv(act)` is its derivative, made by the compiler
// by forward-mode differentiation; here it is compared with finite differences in f64. Where kinks cancel, a rule can be stated:
// `deriv softplus(x) = sigmoid(x);`.

#include "../lesson.h"

using lesson::succeed;
using lesson::valueOf;
using tilewright::View;

static double bump(double x) {
  double p = std::max(x, 0.0);
  return p * p / (1 + p * p);
}

int main() {
  auto context = valueOf(tilewright::Context::create());
  auto module = valueOf(context.load(LESSON_FOLDER "/activation.tile"));
  auto forward = valueOf(module.kernel("forward"));
  auto backward = valueOf(module.kernel("backward"));

  constexpr int64_t n = 997;
  auto z = lesson::randomValues(n, 5), dy = lesson::randomValues(n, 6);
  std::vector<float> y(n, NAN), dz(n, NAN);
  const tilewright::Specialization with = {.bindings = {{"act", "bump"}}};
  succeed(forward.run({{"z", View(z.data(), {n})}, {"y", View(y.data(), {n})}}, with));
  succeed(backward.run({{"dy", View(dy.data(), {n})}, {"z", View(z.data(), {n})}, {"dz", View(dz.data(), {n})}}, with));

  std::vector<double> wantY(n), wantDz(n);
  for (size_t index = 0; index < n; ++index) {
    double h = 1e-6, at = z[index];
    wantY[index] = bump(at);
    wantDz[index] = dy[index] * (bump(at + h) - bump(at - h)) / (2 * h);
  }
  lesson::expectNear(y, wantY, 1e-6, "y");
  lesson::expectNear(dz, wantDz, 1e-5, "dz");
  return 0;
}
