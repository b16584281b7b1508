// Lesson 1: a kernel, from text to result.
//
// add.tile says what one tile of the result is: `n` is a *span*, up to BN consecutive indices; `a[n]` is the tile of a's elements at
// those indices; the last tile is shorter, and nothing has to be said about that. BN is nobody's business here: the compiler chooses.
// `N...` takes any number of dimensions, so one kernel serves vectors and matrices.

#include "../lesson.h"

using lesson::succeed;
using lesson::valueOf;
using tilewright::View;

int main() {
  auto context = valueOf(tilewright::Context::create());
  auto module = valueOf(context.load(LESSON_FOLDER "/add.tile"));
  auto add = valueOf(module.kernel("add"));

  constexpr int64_t rows = 7, columns = 1001; // no multiple of anything
  auto a = lesson::randomValues(rows * columns, 1), b = lesson::randomValues(rows * columns, 2);
  std::vector<float> c(a.size(), NAN);

  // T is f32 because the views are; N is 7007 because the views' dimensions, seen as one, are.
  succeed(add.run({{"a", View(a.data(), {rows, columns})},
                   {"b", View(b.data(), {rows, columns})},
                   {"c", View(c.data(), {rows, columns})}}));

  std::vector<double> want(a.size());
  for (size_t index = 0; index < want.size(); ++index)
    want[index] = static_cast<double>(a[index]) + b[index];
  lesson::expectNear(c, want, 1e-6, "c");

  // A wrong call is a value, not an exception; it says which parameter, which dimension, what was expected and found.
  auto wrong = add.run({{"a", View(a.data(), {rows, columns})}, {"b", View(b.data(), {int64_t{10}})}, {"c", View(c.data(), {rows, columns})}});
  if (wrong)
    return 1;
  std::printf("a wrong call says: %s\n", std::string(wrong.error().message()).c_str());
  return 0;
}
