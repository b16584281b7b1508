// Lesson 3: reductions, and elements that do not exist.
//
// Rows of 1000 elements in spans of 96: the last span has 40. `max(s, over j)` and `sum(…, over j)` see those 40 and no padding, whatever
// the function before them does to a zero. Block sizes can be given (BN below); they change nothing but the order of sums.

#include "../lesson.h"

#include <algorithm>

using lesson::succeed;
using lesson::valueOf;
using tilewright::View;

int main() {
  auto context = valueOf(tilewright::Context::create());
  auto module = valueOf(context.load(LESSON_FOLDER "/softmax.tile"));
  auto softmax = valueOf(module.kernel("softmax"));

  constexpr int64_t rows = 13, columns = 1000;
  auto x = lesson::randomValues(rows * columns, 4);
  for (float &value : x)
    value -= 50; // all far below zero: a padded zero would win every maximum
  std::vector<float> y(x.size(), NAN);
  succeed(softmax.run({{"x", View(x.data(), {rows, columns})}, {"y", View(y.data(), {rows, columns})}}, {.bindings = {{"BN", "96"}}}));

  std::vector<double> want(x.size());
  for (int64_t i = 0; i < rows; ++i) {
    const float *row = x.data() + i * columns;
    double top = *std::max_element(row, row + columns), sum = 0;
    for (int64_t j = 0; j < columns; ++j)
      sum += std::exp(row[j] - top);
    for (int64_t j = 0; j < columns; ++j)
      want[static_cast<size_t>(i * columns + j)] = std::exp(row[j] - top) / sum;
  }
  lesson::expectNear(y, want, 1e-6, "y");
  return 0;
}
