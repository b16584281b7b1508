/* Lesson 6: embedding in a host program, through the C interface.
 *
 * A kernel's text can come from anywhere; here it is a string. Errors are values: a wrong text gives the compiler's diagnostics, with
 * file, line, column, a caret and a hint. A prepared launch takes other addresses and scalars each time.
 */
#include <tilewright/runtime_c.h>

#include <stdio.h>
#include <stdlib.h>

static void check(tw_status status, tw_error *error) {
  if (status == TW_OK)
    return;
  fprintf(stderr, "error (%s): %s\n%s", tw_status_name(status), tw_error_message(error), tw_error_diagnostics(error));
  tw_error_release(error);
  exit(1);
}

static const char *text = "kernel axpy(a: f32, x: f32[N], y: inout f32[N])\n"
                          "over (n in N by BN) {\n"
                          "  y[n] = a * x[n] + y[n];\n"
                          "}\n";

/* A misspelt name: the compiler says where, and what was probably meant. */
static void showDiagnostics(tw_context *context) {
  tw_error *error = NULL;
  tw_module *module = NULL;
  const char *wrong = "kernel twice(x: f32[N], y: out f32[N])\nover (n in N by BN) {\n  y[n] = 2 * xx[n];\n}\n";
  if (tw_module_from_text(context, "twice.tile", wrong, (size_t)-1, NULL, &module, &error) == TW_OK)
    exit(1);
  printf("a wrong text gives:\n%s\n", tw_error_diagnostics(error));
  tw_error_release(error);
}

int main(void) {
  enum { count = 1000 };
  tw_error *error = NULL;
  tw_context *context = NULL;
  tw_module *module = NULL;
  tw_kernel *kernel = NULL;
  tw_launchable *axpy = NULL;
  check(tw_context_create(NULL, &context, &error), error);
  showDiagnostics(context);
  check(tw_module_from_text(context, "axpy.tile", text, (size_t)-1, NULL, &module, &error), error);
  check(tw_module_kernel(module, "axpy", &kernel, &error), error);

  static float x[count], y[count];
  for (int n = 0; n < count; ++n) {
    x[n] = (float)n;
    y[n] = 1;
  }
  int64_t shape[] = {count};
  tw_argument arguments[] = {tw_real("a", 2), tw_view("x", x, TW_F32, 1, shape), tw_view("y", y, TW_F32, 1, shape)};
  check(tw_prepare(kernel, NULL, arguments, 3, &axpy, &error), error);
  check(tw_launch(axpy, NULL, 0, &error), error); /* y = 2 x + 1 */

  tw_value values[3] = {{.real = -1}, {.pointer = x}, {.pointer = y}}; /* in the order of the parameters */
  check(tw_launch(axpy, values, 3, &error), error);                    /* y = 2 x + 1 - x */

  for (int n = 0; n < count; ++n)
    if (y[n] != (float)n + 1) {
      fprintf(stderr, "y[%d] is %g, expected %d\n", n, (double)y[n], n + 1);
      return 1;
    }
  printf("y: %d elements as expected\n", count);
  tw_launchable_release(axpy);
  tw_kernel_release(kernel);
  tw_module_release(module);
  tw_context_release(context);
  return 0;
}
