/* A host in C: one kernel from a file, launched twice, and an error as a value. Usage: host_c KERNELS */
#include <tilewright/runtime_c.h>

#include <stdio.h>
#include <string.h>

static int failed(const char *what, tw_error *error) {
  fprintf(stderr, "%s: %s\n%s", what, tw_error_message(error), tw_error_diagnostics(error));
  tw_error_release(error);
  return 1;
}

int main(int count, char **arguments) {
  tw_error *error = NULL;
  tw_context *context = NULL;
  tw_module *module = NULL;
  tw_kernel *kernel = NULL;
  tw_launchable *add = NULL, *wrong = NULL;
  float a[10], b[10], c[10];
  int64_t shape[] = {2, 5}, other[] = {11};
  tw_argument views[3];
  tw_value values[3];
  int i;

  if (count != 2 || tw_runtime_interface_version() != TW_RUNTIME_INTERFACE_VERSION)
    return 2;
  if (tw_context_create(NULL, &context, &error) != TW_OK)
    return failed("context", error);
  if (tw_module_from_file(context, arguments[1], NULL, &module, &error) != TW_OK)
    return failed("module", error);
  if (tw_module_kernel(module, "add", &kernel, &error) != TW_OK)
    return failed("kernel", error);

  for (i = 0; i < 10; ++i) {
    a[i] = (float)i;
    b[i] = 100;
    c[i] = -1;
  }
  views[0] = tw_view("a", a, TW_F32, 2, shape);
  views[1] = tw_view("b", b, TW_F32, 2, shape);
  views[2] = tw_view("c", c, TW_F32, 2, shape);
  if (tw_prepare(kernel, NULL, views, 3, &add, &error) != TW_OK)
    return failed("prepare", error);
  if (tw_launch(add, NULL, 0, &error) != TW_OK)
    return failed("launch", error);
  values[0].pointer = a;
  values[1].pointer = a;
  values[2].pointer = b;
  if (tw_launch(add, values, 3, &error) != TW_OK)
    return failed("second launch", error);
  for (i = 0; i < 10; ++i)
    if (c[i] != (float)(i + 100) || b[i] != (float)(2 * i))
      return 3;

  views[1] = tw_view("b", b, TW_F32, 1, other);
  if (tw_prepare(kernel, NULL, views, 3, &wrong, &error) != TW_INVALID_SHAPE)
    return 4;
  if (strcmp(tw_error_message(error), "parameter b: dimension N... is 11, expected 10 (bound by a)") != 0)
    return failed("another message", error);
  tw_error_release(error);

  tw_context_release(context); /* in any order */
  tw_launchable_release(add);
  tw_module_release(module);
  tw_kernel_release(kernel);
  return 0;
}
