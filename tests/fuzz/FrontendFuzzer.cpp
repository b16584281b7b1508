// Feeds texts to everything that reads a user's source: parser, semantic analysis with every rule, the formatter. No input may
// crash, hang or overflow the stack; formatting what parses must be idempotent.

#include "compiler/frontend/Format.h"
#include "compiler/frontend/Sema.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

using namespace tilewright::frontend;

static void requireIdempotent(const std::string &text) {
  Diagnostics diagnostics;
  Source source("fuzz.tile", text);
  std::optional<std::string> once = format(source, diagnostics);
  if (!once)
    return;
  Source formatted("fuzz.tile", *once);
  std::optional<std::string> twice = format(formatted, diagnostics);
  if (!twice || *twice != *once) {
    std::fprintf(stderr, "formatting is not idempotent:\n--- once\n%s\n--- twice\n%s\n", once->c_str(), twice ? twice->c_str() : "(refused)");
    std::abort();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  Diagnostics diagnostics;
  ImportResolver resolver = [](const std::string &, const std::string &) { return std::nullopt; };
  std::unique_ptr<Module> module = Module::check("fuzz.tile", text, resolver, diagnostics);
  (void)render(diagnostics);
  if (module && !diagnostics.hasErrors())
    for (const std::string &kernel : module->kernelNames()) {
      Diagnostics messages;
      (void)module->specialize(kernel, {}, messages);
      (void)render(messages);
    }
  requireIdempotent(text);
  return 0;
}
