// tilewright-compile LIBRARY: answers one request of CompileProcess.cpp, from the standard input to the standard output, with
// the compiler in LIBRARY. Not for people.

#include "runtime/CompileMessage.h"
#include "runtime/CompilerLibrary.h"
#include "runtime/CompilerOptions.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

using namespace tilewright::runtime;

namespace {

std::string readAll(int descriptor) {
  std::string bytes;
  char buffer[1 << 16];
  for (ssize_t count; (count = read(descriptor, buffer, sizeof(buffer))) != 0;) {
    if (count > 0)
      bytes.append(buffer, static_cast<size_t>(count));
    else if (errno != EINTR)
      break;
  }
  return bytes;
}

bool writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR)
      return false;
    bytes.remove_prefix(count < 0 ? 0 : static_cast<size_t>(count));
  }
  return true;
}

int answerImport(void *context, const char *path, const char *importer, const char **text, size_t *length) {
  for (const SourceTexts::Import &import : static_cast<const SourceTexts *>(context)->imports)
    if (import.path == path && import.importer == (importer ? importer : "")) {
      *text = import.text.data();
      *length = import.text.size();
      return 1;
    }
  return 0;
}

CompileAnswer compile(const CompilerSymbols &compiler, CompileRequest &request) {
  const SourceTexts &source = request.source;
  CompileAnswer answer;
  CompilerText checkDiagnostics(compiler), output(compiler), diagnostics(compiler);
  tw_compiler_module *module = nullptr;
  answer.status = compiler.check(source.name.c_str(), source.text.data(), source.text.size(), &answerImport, &request.source,
                                 /*colour=*/0, &module, &checkDiagnostics.text);
  if (answer.status != TW_COMPILER_OK) {
    answer.diagnostics = checkDiagnostics.view();
    return answer;
  }
  CompilerOptions options(request.specialization);
  answer.status = request.stage.empty() ? compiler.compile(module, &options.raw, &output.text, &diagnostics.text)
                                        : compiler.emit(module, &options.raw, request.stage.c_str(), &output.text, &diagnostics.text);
  answer.output = output.view();
  answer.diagnostics = diagnostics.view();
  compiler.module_release(module);
  return answer;
}

int fail(const std::string &message) {
  std::fprintf(stderr, "tilewright-compile: %s\n", message.c_str());
  return 2;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return fail("this program is started by libtilewright; use `tilewright compile`");
  if (fcntl(STDERR_FILENO, F_GETFD) < 0)
    open("/dev/null", O_WRONLY); // the host has no stderr; this takes its number, the least that is free
  // What anything prints goes to stderr, so that the answer is alone in its file.
  int output = dup(STDOUT_FILENO);
  if (output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return fail("there is no standard output");
  std::optional<CompileRequest> request = decodeRequest(readAll(STDIN_FILENO));
  if (!request)
    return fail("the request is not whole, or of another release than this program");
  Log log(nullptr, nullptr, TW_LOG_WARNING);
  CompilerLibrary library(argv[1], log);
  Result<const CompilerSymbols *> compiler = library.get();
  CompileAnswer answer;
  if (compiler.ok())
    answer = compile(**compiler, *request);
  else
    answer.diagnostics = "error: " + compiler.status().message() + "\n";
  return writeAll(output, encode(answer)) ? 0 : fail("the answer cannot be written");
}
