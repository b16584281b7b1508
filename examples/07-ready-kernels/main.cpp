// Lesson 7: the ready kernels, without a text: one step of training a linear layer with a softmax on top.
//
// Each structure of tilewright/kernels.h names the arguments of one kernel of the library. run computes once; prepare gives a
// launchable. Here the loss is the cross entropy of the rows' classes; its gradient by the layer's output is softmax − one-hot,
// and a step against the gradient must make the loss smaller.

#include "../lesson.h"
#include "tilewright/kernels.h"

using lesson::succeed;
using lesson::valueOf;
using tilewright::View;
namespace kernels = tilewright::kernels;

int main() {
  auto context = valueOf(tilewright::Context::create());

  constexpr int64_t rows = 64, in = 20, classes = 7;
  auto x = lesson::randomValues(rows * in, 1), w = lesson::randomValues(classes * in, 2), b = lesson::randomValues(classes, 3);
  std::vector<float> y(rows * classes), p(rows * classes), dy(rows * classes), dw(classes * in), db(classes);
  View X(x.data(), {rows, in}), W(w.data(), {classes, in}), B(b.data(), {classes}), Y(y.data(), {rows, classes}),
      P(p.data(), {rows, classes}), DY(dy.data(), {rows, classes}), DW(dw.data(), {classes, in}), DB(db.data(), {classes});
  std::vector<float> dz(rows * classes);
  View DZ(dz.data(), {rows, classes});

  // Prepared once, launched for each step.
  auto forward = valueOf(kernels::prepare(context, kernels::Linear{.x = X, .w = W, .y = Y, .b = B}));
  auto softmax = valueOf(kernels::prepare(context, kernels::Softmax{.x = Y, .y = P}));
  auto gradientOfBias = valueOf(kernels::prepare(context, kernels::LinearDz{.dy = DY, .z = Y, .dz = DZ, .db = DB}));
  auto gradientOfWeight = valueOf(kernels::prepare(context, kernels::LinearDw{.dy = DY, .z = Y, .x = X, .dw = DW}));

  double before = INFINITY;
  for (int step = 0; step < 5; ++step) {
    succeed(forward.launch());
    succeed(softmax.launch());
    double loss = 0;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < classes; ++j) {
        auto at = static_cast<size_t>(i * classes + j);
        bool isClass = j == i % classes;
        loss -= isClass ? std::log(static_cast<double>(p[at])) / rows : 0;
        dy[at] = (p[at] - (isClass ? 1.0f : 0.0f)) / rows;
      }
    std::printf("step %d: loss %.4f\n", step, loss);
    if (!(loss < before)) {
      std::fprintf(stderr, "the loss did not become smaller\n");
      return 1;
    }
    before = loss;
    succeed(gradientOfBias.launch());
    succeed(gradientOfWeight.launch());
    for (size_t n = 0; n < w.size(); ++n)
      w[n] -= 0.5f * dw[n];
    for (size_t n = 0; n < b.size(); ++n)
      b[n] -= 0.5f * db[n];
  }

  // What is wrong is a value, as everywhere.
  auto wrong = kernels::run(context, kernels::Linear{.x = X, .w = W, .y = Y, .activation = "gleu"});
  std::printf("an activation that does not exist: %s\n", wrong ? "accepted" : std::string(wrong.error().message()).c_str());
  return wrong.ok();
}
