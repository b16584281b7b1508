// A host in C++20, without exceptions and RTTI: outputs that the kernel's shapes decide, and an error as a value.
// Usage: host_cpp KERNELS
#include <tilewright/kernels.h>
#include <tilewright/tilewright.h>

#include <cstdio>
#include <vector>

using tilewright::Context;
using tilewright::View;

static int failed(const char *what, const tilewright::Error &error) {
  std::fprintf(stderr, "%s: %s\n%s", what, std::string(error.message()).c_str(), std::string(error.diagnostics()).c_str());
  return 1;
}

int main(int count, char **arguments) {
  if (count != 2)
    return 2;
  auto context = Context::create({.threads = 2});
  if (!context)
    return failed("context", context.error());
  auto module = context->load(arguments[1]);
  if (!module)
    return failed("module", module.error());
  auto kernel = module->kernel();
  if (!kernel)
    return failed("kernel", kernel.error());

  std::vector<float> a(12, 1), b(12, 2);
  View aView(a.data(), {3, 4}), bView(b.data(), {3, 4});
  auto types = kernel->inferViews({{"a", aView}, {"b", bView}});
  if (!types)
    return failed("shapes", types.error());
  const tw_view_type &cType = types->at(2);
  if (cType.dtype != TW_F32 || cType.rank != 2 || cType.shape[1] != 4)
    return 3;
  std::vector<float> c(12);
  auto add = kernel->prepare({{"a", aView}, {"b", bView}, {"c", View(c.data(), cType.dtype, {cType.shape, 2})}});
  if (!add)
    return failed("prepare", add.error());
  if (auto done = add->launch(); !done)
    return failed("launch", done.error());
  for (float value : c)
    if (value != 3)
      return 4;

  auto wrong = kernel->run({{"a", aView}, {"b", bView}, {"c", {a.data(), {3, 4}}}});
  if (wrong || wrong.error().status() != TW_CHECK_FAILED ||
      wrong.error().message() != "parameters c and a: share memory, and c is written")
    return 5;
  return context->statistics().compilations == 1 ? 0 : 6;
}
