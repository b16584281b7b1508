// Lesson 2: a fused linear layer, prepared once and launched often.
//
// Axes have names: x[i, k] has axes i and k, w[j, k] has j and k, their dot over k has i and j; b[j] is added to every row because it
// has axis j. Nothing can be transposed by mistake. `act` is a *static*: a function fixed when the kernel is compiled; `b` is
// optional, and leaves no code when it is absent.

#include "../lesson.h"

using lesson::succeed;
using lesson::valueOf;
using tilewright::View;

int main() {
  auto context = valueOf(tilewright::Context::create());
  auto module = valueOf(context.load(LESSON_FOLDER "/linear.tile"));
  auto linear = valueOf(module.kernel("linear"));

  constexpr int64_t batch = 3, tokens = 41, in = 77, out = 130;
  auto x = lesson::randomValues(batch * tokens * in, 1), w = lesson::randomValues(out * in, 2), b = lesson::randomValues(out, 3);
  std::vector<float> y(batch * tokens * out, NAN);

  // prepare binds dimensions, compiles and checks. M... takes the two leading dimensions of x and y.
  auto prepared = valueOf(linear.prepare({{"x", View(x.data(), {batch, tokens, in})},
                                          {"w", View(w.data(), {out, in})},
                                          {"b", View(b.data(), {out})},
                                          {"y", View(y.data(), {batch, tokens, out})}},
                                         {.bindings = {{"act", "relu"}}}));
  for (int repeat = 0; repeat < 3; ++repeat)
    succeed(prepared.launch()); // nothing is compiled, allocated or locked

  std::printf("block sizes chosen:");
  for (size_t index = 0; index < prepared.info().tunable_count; ++index)
    std::printf(" %s = %lld", prepared.info().tunables[index].name, static_cast<long long>(prepared.info().tunables[index].value));
  std::printf("; last launch took %.0f us\n", static_cast<double>(prepared.elapsedNanoseconds()) * 1e-3);

  std::vector<double> want(y.size());
  for (int64_t i = 0; i < batch * tokens; ++i)
    for (int64_t j = 0; j < out; ++j) {
      double sum = b[static_cast<size_t>(j)];
      for (int64_t k = 0; k < in; ++k)
        sum += static_cast<double>(x[static_cast<size_t>(i * in + k)]) * w[static_cast<size_t>(j * in + k)];
      want[static_cast<size_t>(i * out + j)] = std::max(sum, 0.0);
    }
  lesson::expectNear(y, want, 1e-5, "y");
  return 0;
}
